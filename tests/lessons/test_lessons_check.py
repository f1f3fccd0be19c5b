"""What `check` finds wrong with a lesson, and the command `lesson`."""

import re
from importlib.resources import files
from pathlib import Path

import pytest
from lesson_files import HEAD, ONE, TWO, WHOLE, write
from msgspec import structs

from gpu.lessons.check import COLOURS, PANELS, check_file
from gpu.lessons.lesson import Claim, Question, RunSpec, Step, SweepSpec
from gpu.lessons.quantities import (
    AT_QUANTITIES,
    FAULT_QUANTITIES,
    QUANTITIES,
    SWEEP_QUANTITIES,
    VERTEX_QUANTITIES,
)

LATE = '[[step.run]]\nname = "late"\nalgorithm = "dijkstra"\n'
FOUND: dict[str, tuple[str, str]] = {
    "algorithm": (WHOLE.replace('"bellman_ford"', '"bell"'), "step 'one', run 'a': no algorithm"),
    "device": (WHOLE.replace("Classroom GPU", "GTX", 1), "no modelled device 'GTX'"),
    "graph": (WHOLE.replace("sample:figure_1", "sample:moon"), "no sample 'moon'"),
    "too large": (WHOLE.replace("sample:figure_1", "sample:grid?n=400000"), "a smaller graph"),
    "no file": (WHOLE.replace("sample:figure_1", "moon.gr"), "moon.gr"),
    "source": (WHOLE.replace("[[step.run]]", 'source = "Z"\n[[step.run]]', 1), "Z is not a vertex"),
    "vertices": (WHOLE.replace(TWO, TWO + "vertices = ['Q']\n"), "step 'two': Q is not a vertex"),
    "panel": (WHOLE.replace(TWO, TWO + "panels = ['moon']\n"), "no panel 'moon'; there are: run"),
    "colour": (WHOLE.replace(TWO, TWO + "colour_by = 'red'\n"), "no colour_by 'red'"),
    "layout": (WHOLE.replace(TWO, TWO + "layout = 'x'\n"), "no layout 'x'"),
    "variant": (WHOLE.replace("probe = 3", 'probe = 3\nvariant = "x"', 1), "no variant 'x'"),
    "parameter": (WHOLE.replace("probe = 3", "parameters = { x = 1 }", 1), "no parameter 'x'"),
    "delta": (WHOLE.replace("probe = 3", "delta = -1", 1), "delta = -1: Expected `float` > 0.0"),
    "name twice": (WHOLE.replace('name = "b"', 'name = "a"'), "another run or sweep of that name"),
    "compare": (WHOLE.replace(TWO, TWO + "compare = ['a', 'z']\n"), "there is no run 'z'"),
    "early": (WHOLE.replace(ONE, ONE + "show = 'late'\n") + LATE, "is made in a later step"),
    "quantity": (WHOLE.replace('answer = "a.processed"', 'answer = "a.speed"'), "no quantity"),
    "answer": (WHOLE.replace('answer = "a.', 'answer = "z.'), "question: there is no run or sweep"),
    "brackets": (WHOLE.replace('answer = "a.processed"', 'answer = "a.distance"'), "in brackets"),
    "no brackets": (WHOLE.replace("{a.processed}.", "{a.work(A)}.", 1), "takes no brackets"),
    "unknown run": (WHOLE.replace("Yes, {a.", "Yes, {z."), "no run or sweep 'z'"),
    "given away": (
        WHOLE.replace("How many?", "More than {a.processed}?"),
        "'a' has not been made when this is read",
    ),
    "no words": (WHOLE.replace('right = "Yes, {a.processed}."', ""), "when the answer is right"),
    "out of range": (WHOLE.replace("low = 0\nhigh = 10", "low = 5\nhigh = 10"), "out of 5 to 10"),
    "too easy": (WHOLE.replace("high = 10", "high = 10\ntolerance = 9"), "every answer is right"),
    "logarithm": (
        WHOLE.replace("high = 10", "high = 10\nlogarithmic = true"),
        "logarithmic slider from 0",
    ),
    "no schedule": (
        WHOLE.replace('kind = "number"', 'kind = "schedule"\ntolerance = 9'),
        "is for every order or for none: ADDS",
    ),
    "no vertex": (WHOLE.replace('kind = "number"', 'kind = "vertex"'), "processed is no vertex"),
    "claim": (
        WHOLE + '[[step.claim]]\nleft = "a.processed"\nis = "<"\nright = 3\nwords = "few"\n',
        "does not hold (few): 4 < 3",
    ),
    "moment": (
        WHOLE.replace(TWO, TWO + "seek = { run = 'a', to = 'noon' }\n"),
        "to = 'noon'; allowed: start",
    ),
    "unreadable": ("= 3", "mine.toml"),
}


@pytest.mark.parametrize("case", FOUND)
def test_check_finds_it(tmp_path: Path, case: str) -> None:
    toml, words = FOUND[case]
    problems = check_file(write(tmp_path, toml))
    assert problems, "something is wrong"
    assert any(words in problem for problem in problems), problems
    assert all("mine.toml" in problem for problem in problems)


def guide() -> str:
    return (Path(str(files("assets"))) / "lessons" / "README.md").read_text(encoding="utf-8")


def test_the_guides_example_is_a_lesson(tmp_path: Path) -> None:
    blocks = dict(re.findall(r"```(toml|markdown)\n(.*?)```", guide(), re.DOTALL))
    (tmp_path / "mine.toml").write_text(blocks["toml"], encoding="utf-8")
    (tmp_path / "mine.md").write_text(blocks["markdown"], encoding="utf-8")
    assert check_file(tmp_path / "mine.toml") == []


def test_the_guide_names_every_key_and_quantity() -> None:
    tables = (QUANTITIES, AT_QUANTITIES, VERTEX_QUANTITIES, SWEEP_QUANTITIES, FAULT_QUANTITIES)
    names = {name for table in tables for name in table} | set(PANELS) | set(COLOURS)
    rows = (Step, RunSpec, SweepSpec, Question, Claim)
    keys = {field.name for row in rows for field in structs.fields(row)}
    keys -= {"text", "runs", "sweeps", "claims", "relation"}  # written otherwise
    text = guide()
    assert sorted(n for n in names | keys if not re.search(rf"\b{n}\b", text)) == []


def test_an_order_that_compare_does_not_state_is_neither_graded_nor_claimed(tmp_path: Path) -> None:
    """Times on a graph with hubs, and times within the model's error; a ratio is an order too."""
    runs = "".join(
        f'[[step.run]]\nname = "{name}"\nalgorithm = "{name}"\nprobe = 1\n'
        for name in ("near_far", "adds")
    )
    asked = (
        '[step.question]\nkind = "choice"\nask = "Who?"\nchoices = ["a", "b"]\n'
        'candidates = ["near_far.time_ms", "adds.time_ms"]\nright = "r"\nwrong = "w"\n'
    )
    ratio = '{ value = "near_far.time_ms", over = "adds.time_ms" }'
    claim = f'[[step.claim]]\nleft = {ratio}\nis = ">"\nright = 0.01\n'
    text = "# T\n\n## one\nText.\n"
    for graph, words, more, place in (
        ("rmat?n=4096", "the model does not rank them on this graph", asked, "question"),
        ("chain?n=500", "too close for the model to rank them", claim, "claim"),
    ):
        step = f'[[step]]\nkey = "one"\ngraph = "sample:{graph}"\n{runs}'
        problems = check_file(write(tmp_path, HEAD + step + more, text))
        assert len(problems) == 1, problems
        assert f"step 'one', {place}: near_far and adds are put in order" in problems[0]
        assert words in problems[0]
