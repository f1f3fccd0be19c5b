"""Questions for a course: Moodle's XML, other graphs by seeds, the sheet with the answers."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from gpu.cli.main import main
from gpu.lessons.answers import Bench
from gpu.lessons.moodle import asked_of, quiz_of, sheet_of
from gpu.lessons.read import find_lessons, read_lesson
from gpu.lessons.seeded import seeded, with_seed

PATHS = {path.stem[0]: path for path in find_lessons("/nowhere")}
TOML = """
[lesson]
format = 1
minutes = 5
title = "A/B <&>"
idea = "x"

[[step]]
key = "one"
title = "First"
graph = "sample:city_roads?n=200"

[[step.run]]
name = "a"
algorithm = "dijkstra"
device = "Classroom GPU"

[step.question]
kind = "number"
ask = "How many are **relaxed**?"
answer = "a.relaxed"
low = 1
high = 10000
tolerance = 0.25
unit = "edges"
right = "{a.relaxed}"
wrong = "It is {a.relaxed} & more."

[[step]]
key = "two"
title = "Second"

[step.question]
kind = "vertex"
ask = "Which is farthest?"
answer = "a.farthest_vertex"

[[step]]
key = "three"
title = "Third"

[step.question]
kind = "choice"
ask = "Which is more? <b>"
choices = ["processed", "relaxed]]>"]
candidates = ["a.processed", "a.relaxed"]
pick = "greatest"
"""


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(TOML)
    (tmp_path / "mine.md").write_text("# x\n\n## one\nText.\n\n## two\nText.\n\n## three\nText.\n")
    return path


def text(parent: Element, path: str) -> str:
    """Return the text of an element."""
    found = parent.find(path)
    assert found is not None
    return found.text or ""


def test_seeds_go_into_samples_that_have_one() -> None:
    assert seeded("sample:city_roads?n=5&seed=2", 7) == "sample:city_roads?n=5&seed=7"
    assert seeded("sample:mesh", 7) == "sample:mesh?seed=7"
    assert seeded("sample:figure_1", 7) == "sample:figure_1"
    assert seeded("mine.gr", 7) == "mine.gr"
    assert seeded(None, 7) is None


def test_every_answer_is_the_engines_on_that_graph(lesson: Path) -> None:
    read = read_lesson(lesson)
    root = ElementTree.fromstring(quiz_of(read, asked_of(read, (1, 2, 3))))
    kinds = [one.get("type") for one in root]
    assert kinds == [
        *("category", *["numerical"] * 3),
        *("category", *["shortanswer"] * 3),
        *("category", *["multichoice"] * 3),
    ]
    assert text(root[0], "category/text") == "$course$/top/A-B <&>/First"
    for seed, number, vertex in zip((1, 2, 3), root[1:4], root[5:8], strict=True):
        bench = Bench(with_seed(read, seed))
        relaxed = bench.trace("a").relaxed_edges
        assert float(text(number, "answer/text")) == relaxed
        assert float(text(number, "answer/tolerance")) == pytest.approx(0.25 * relaxed)
        assert f"n=200&amp;seed={seed}" in text(number, "questiontext/text")
        assert f"{relaxed:,} &amp; more" in text(number, "generalfeedback/text")
        dist, graph = bench.trace("a").dist, bench.graph(bench.lesson.steps[0])
        farthest = {str(graph.id_of(v)) for v in range(graph.n) if dist[v] == dist.max()}
        assert {text(one, "text") for one in vertex.findall("answer")} == farthest
    (right,) = (one for one in root[9].findall("answer") if one.get("fraction") == "100")
    assert text(right, "text") == "relaxed]]&gt;"
    assert "&lt;b&gt;" in text(root[9], "questiontext/text")


FRACTIONS = {"0", "100"}  # Moodle refuses a file with a mark that is not in its own list
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")  # as it reads one
MOST_NAME = 255  # characters of a name in its tables


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS.keys())
def test_what_moodles_importer_asks(path: Path) -> None:
    """Each rule of its source that a file of ours could break, for every shipped lesson."""
    found = read_lesson(path)
    root = ElementTree.fromstring(quiz_of(found, asked_of(found, (1, 2))))
    assert root.tag == "quiz"
    assert root[0].get("type") == "category" if len(root) else True
    for one in root:
        if one.get("type") == "category":
            assert re.fullmatch(r"\$course\$/top/[^/]+/[^/]+", text(one, "category/text"))
            continue
        assert 0 < len(text(one, "name/text")) <= MOST_NAME
        assert text(one, "questiontext/text")
        for field in ("questiontext", "generalfeedback"):
            assert one.find(field).get("format") == "html"  # type: ignore[union-attr]
        answers = one.findall("answer")
        assert {answer.get("fraction") for answer in answers} <= FRACTIONS
        assert any(answer.get("fraction") == "100" for answer in answers)
        assert all(text(answer, "text").strip() for answer in answers)
        if one.get("type") == "multichoice":
            assert len(answers) >= 2
            assert text(one, "single") == "true"
        if one.get("type") == "numerical":
            for answer in answers:
                assert NUMBER.fullmatch(text(answer, "text"))
                assert NUMBER.fullmatch(text(answer, "tolerance"))


def test_names_and_words_that_moodle_would_misread(tmp_path: Path) -> None:
    """A star in a short answer means anything there; a control character breaks the whole file."""
    (tmp_path / "stars.csv").write_text("from,to,km\na,b*,1\nb*,c\x02,0\n")
    toml = """
[lesson]
format = 1
minutes = 5
title = "ab"
idea = "x"

[[step]]
key = "one"
title = "First"
graph = "stars.csv"

[[step.run]]
name = "a"
algorithm = "dijkstra"
device = "Classroom GPU"

[step.question]
kind = "vertex"
ask = "Which is farthest?"
answer = "a.farthest_vertex"
"""
    (tmp_path / "mine.toml").write_text(toml)
    (tmp_path / "mine.md").write_text("# x\n\n## one\nText.\n")
    read = read_lesson(tmp_path / "mine.toml")
    root = ElementTree.fromstring(quiz_of(read, asked_of(read, (1,))))
    assert text(root[0], "category/text") == "$course$/top/ab/First"
    assert {text(one, "text") for one in root[1].findall("answer")} == {r"b\*", "c"}


def test_a_graph_without_a_seed_is_asked_once() -> None:
    read = read_lesson(PATHS["2"])
    asked = asked_of(read, (1, 2, 3))
    assert [one.step.key for one in asked] == ["twenty", "forty", "five", "price"]
    header, rows = sheet_of(asked)
    assert header == ["step", "seed", "graph", "question", "answer"]
    assert [row[-1] for row in rows] == ["Bucket 2", "Δ = 40", "Bucket 3", "E"]


def test_command(lesson: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    quiz, sheet = tmp_path / "quiz.xml", tmp_path / "sheet.csv"
    given = ["lesson", "moodle", str(lesson), "--seeds", "2"]
    assert main([*given, "-o", str(quiz), "--sheet", str(sheet)]) == 0
    assert "6 questions" in capsys.readouterr().out
    assert len(ElementTree.parse(quiz).getroot()) == 9
    with sheet.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["seed"] for row in rows] == ["1", "2"] * 3
    assert main([*given[:-1], "0", "-o", str(tmp_path / "no.xml")]) == 1
    assert "--seeds 0; allowed: 1 to 200" in capsys.readouterr().err
    assert not (tmp_path / "no.xml").exists()
