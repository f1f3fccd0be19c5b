"""Figures of a lesson: dots where their numbers are, a red square for each wrong entry."""

import re
from pathlib import Path

from lesson_files import HEAD, WHOLE, write
from lesson_stage import PATHS

from gpu.lessons.answers import Bench
from gpu.lessons.check import check_lesson
from gpu.lessons.figures import DOUBLING, HIGH, WIDE, figures, plane
from gpu.lessons.read import read_lesson

DOTS = '[lesson.dots]\n"<b>" = ["b", "a"]\n'


def test_a_dot_stands_where_its_runs_put_it(tmp_path: Path) -> None:
    bench = Bench(read_lesson(write(tmp_path, WHOLE.replace(HEAD, HEAD + DOTS))))
    step = bench.lesson.steps[0]
    assert figures(bench, step, {"a"})[0].words == "each run adds a dot"
    won = bench.trace("a").time_ns / bench.trace("b").time_ns
    assert bench.dots({"a", "b"}) == [("<b>", 4 / 3, won)]
    assert "&lt;b&gt;" in figures(bench, step, {"a", "b"})[0].svg
    svg = plane([("p", 2.0, 0.25)]).svg
    place = re.search(r'cx="([\d.]+)" cy="([\d.]+)"', svg)
    assert float(place[1]) == WIDE / 2 + DOUBLING
    assert float(place[2]) == HIGH / 2 + 2 * DOUBLING


def test_a_dot_of_no_run_is_a_mistake(tmp_path: Path) -> None:
    path = write(tmp_path, WHOLE.replace(HEAD, HEAD + DOTS.replace('"b", ', '"c", ')))
    assert any("dots: there is no run 'c'" in one for one in check_lesson(Bench(read_lesson(path))))


def test_each_wrong_entry_is_a_square() -> None:
    bench = Bench(read_lesson(PATHS["9_nine_bugs"]))
    step = bench.lesson.steps[2]
    for figure, run in zip(
        figures(bench, step, {r.name for r in step.runs}), step.runs, strict=True
    ):
        assert figure.svg.count("M") == bench.wrong_entries(run.name).sum(), run.name
        assert figure.words.endswith(f"{bench.fault(run.name).sentence}.")
