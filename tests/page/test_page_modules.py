"""The page's modules without a page: their numbers, words and answers are the program's."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from processes import printed

from gpu import words
from gpu.lessons.answers import CURVE_RIGHT, Bench
from viewer.common import colormaps
from viewer.common.theme import DARK, LIGHT, Theme
from viewer.graph.colours import tick_values
from viewer.plots.buckets import heat_table
from viewer.plots.series import heat_index

NODE = shutil.which("node")
MODULES = Path(__file__).resolve().parents[2] / "assets" / "page"
NUMBERS = [0, 0.003, 0.0100001, 0.26, 1, 9.949, 9.96, 12.34, 99.44, 99.6, 950, 1234, 34_567, 5.6e6]
NUMBERS += [1e9, 2.5e12, 999.4, 999.6, 0.51, 7, 1023, 16384]

pytestmark = pytest.mark.skipif(NODE is None, reason="no node here: apt install nodejs")


def run(script: str, folder: Path, **given: Any) -> Any:
    """Run lines of a module whose names `given` are constants; return what it calls `found`."""
    names = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in given.items())
    path = folder / "test.mjs"
    script = script.replace('from "./', f'from "{MODULES.as_uri()}/')
    path.write_text(f"{script}\nprocess.stdout.write(JSON.stringify(await look()));\n")
    text = path.read_text()
    head = "".join(line + "\n" for line in text.splitlines() if line.startswith("import"))
    body = "".join(line + "\n" for line in text.splitlines() if not line.startswith("import"))
    path.write_text(head + names + body)
    return json.loads(printed(NODE, path))


def test_numbers_read_as_in_the_program(tmp_path: Path) -> None:
    script = """
import { short, thousands, timeWords, tickValues } from "./words.js";
const look = () => ({
  short: numbers.map(short), thousands: numbers.map(thousands),
  time: numbers.map((n) => timeWords(1000 * n)),
  ticks: numbers.map((n) => tickValues(n)) });
"""
    found = run(script, tmp_path, numbers=NUMBERS)
    assert found["short"] == [words.short(number) for number in NUMBERS]
    assert found["thousands"] == [words.thousands(number) for number in NUMBERS]
    assert found["time"] == [words.time_words(1000 * number) for number in NUMBERS]
    assert found["ticks"] == [tick_values(number) for number in NUMBERS]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_colour_tables_are_the_windows_to_two_steps_of_256(tmp_path: Path, theme: Theme) -> None:
    script = """
import { tableFor, heatTable, heatIndex } from "./colour.js";
const look = () => ({
  tables: ways.map((way) => tableFor(way, theme)),
  heat: heatTable(theme, 969), index: counts.map(heatIndex) });
"""
    ways = ["distance", "processed", "state", "plain"]
    told = {"plot": theme.plot, "text": theme.text, "heat": theme.heat}
    told |= {"settled": theme.data.settled, "tentative": theme.data.tentative}
    told |= {"range": colormaps.RANGES[theme.name]}
    counts = [0, 1, 2, 3, 10, 969, 10**6]
    found = run(script, tmp_path, ways=ways, theme=told, counts=counts)
    for way, table in zip(ways, found["tables"], strict=True):
        wanted = colormaps.table_for(way, theme).astype(int)
        shown = slice(0, 1) if way == "plain" else slice(None)  # one colour in the window
        ours = np.array(table)[1:2] if way == "plain" else np.array(table)
        assert np.abs(ours - wanted[shown]).max() <= 2, way
    assert np.abs(np.array(found["heat"]) - heat_table(theme, 969).astype(int)).max() <= 2
    assert found["index"] == heat_index(np.array(counts)).tolist()


def test_answers_are_judged_as_in_the_window(tmp_path: Path) -> None:
    script = """
import { isRight, curveScore } from "./answers.js";
const look = () => ({
  scores: curves.map((curve) => curveScore(curve, times)),
  numbers: numbers.map((one) => isRight({ tolerance: 0.5, value: 35.8 }, one)),
  places: [0, 1].map((one) => isRight({ places: [1, 2] }, one)),
  curves: curves.map((curve) => isRight({ times, enough }, curve)) });
"""
    times = [50.0, 20.0, 9.0, 12.0, 40.0]
    curves = [[0.9, 0.5, 0.1, 0.2, 0.8], [0.1, 0.2, 0.3, 0.4, 0.5]]
    numbers = [17.8, 17.91, 53.69, 53.8]
    names = {"times": times, "curves": curves, "numbers": numbers, "enough": CURVE_RIGHT}
    result = run(script, tmp_path, **names)
    bench = SimpleNamespace(curve_times=lambda _: times, right_answer=lambda _: 35.8)
    bench.scores = lambda _: None
    question = SimpleNamespace(kind="number", tolerance=0.5)
    scores = [Bench.curve_score(bench, question, curve) for curve in curves]  # type: ignore[arg-type]
    assert result["scores"] == pytest.approx(scores)
    judged = [Bench.is_right(bench, question, one) for one in numbers]  # type: ignore[arg-type]
    assert result["numbers"] == judged == [False, True, True, False]
    assert result["places"] == [False, True]
    assert result["curves"] == [True, False]
