"""Lessons as data: what the reader takes and refuses, values, texts, answers; nothing executed."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lesson_files import HEAD, ONE, TWO, WHOLE, write
from msgspec.structs import replace

import sample_graphs
from gpu.errors import GpuError, ParameterError
from gpu.graph import CSRGraph
from gpu.lessons import read
from gpu.lessons.answers import Bench, answer_words
from gpu.lessons.check import PANELS
from gpu.lessons.lesson import Question, Value
from gpu.lessons.read import LessonError, find_lessons, read_lesson


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(read_lesson(write(tmp_path_factory.mktemp("lesson"))))


BROKEN: dict[str, tuple[str, str]] = {
    "no TOML": ("= 3", "mine.toml"),
    "no head": (ONE, "missing required field `lesson`"),
    "unknown key": (WHOLE.replace("minutes = 5", "minutes = 5\nauthor = 'me'"), "`author`"),
    "format": (WHOLE.replace("format = 1", "format = 2"), "lesson.format = 2"),
    "text elsewhere": (
        WHOLE.replace("minutes = 5", 'minutes = 5\ntext = "../mine.md"'),
        "lesson.text = '../mine.md'",
    ),
    "text missing": (WHOLE.replace("minutes = 5", 'minutes = 5\ntext = "none.md"'), "No such file"),
    "no step": (HEAD, "missing required field `step`"),
    "key twice": (WHOLE.replace('key = "two"', 'key = "one"'), "key = 'one'; allowed: a name"),
    "no section": (WHOLE.replace('key = "two"', 'key = "three"'), "no section '## three'"),
    "section over": (HEAD + ONE, "a section 'two' and no step"),
    "misspelt": (
        WHOLE.replace("probe = 3", "prob = 3", 1),
        "step[0].run[0]: Object contains unknown field `prob`",
    ),
    "wrong type": (
        WHOLE.replace("probe = 3", "probe = 'x'", 1),
        "step[0].run[0].probe = 'x': Expected `int`",
    ),
    "no id": (WHOLE.replace(TWO, TWO + "source = 1.5\n"), "1.5; allowed: text in quotes"),
    "kind": (WHOLE.replace('kind = "number"', 'kind = "essay"'), "question.kind = 'essay'"),
    "no value": (WHOLE.replace('"a.processed"', '"4"'), "'4' is no value"),
    "typed answer": (WHOLE.replace('answer = "a.processed"', "answer = 4"), "4 is no value"),
    "range": (WHOLE.replace("high = 10", "high = 0"), "question: low = 0, high = 0"),
    "choices": (
        WHOLE.replace('kind = "number"', 'kind = "choice"\nchoices = ["x"]'),
        "as many candidates as choices",
    ),
    "claim": (
        WHOLE + '[[step.claim]]\nleft = "a.work"\nis = "!="\nright = 1\n',
        "claim[0].is = '!='",
    ),
    "divisor": (
        WHOLE.replace('"a.processed"', '{ value = "a.work", under = "b.work" }', 1),
        "answer: {'value': 'a.work', 'under': 'b.work'} is no value",
    ),
}


HOSTILE: dict[str, tuple[str, str]] = {
    "tables in tables": (WHOLE + "x = " + "[" * 50_000, "nested too deeply"),
    "a long number": (WHOLE.replace("low = 0", "low = " + "9" * 5000), "mine.toml"),
    "a long number in other digits": (WHOLE.replace("low = 0", "low = 0x" + "f" * 9000), "low = a"),
    "a NUL": (WHOLE + "\0", "NUL"),
    "a NUL in a name": (WHOLE.replace('"sample:figure_1"', '"a\\u0000.gr"'), "graph = 'a\\x00.gr'"),
    "a NUL in an id": (WHOLE.replace(TWO, TWO + 'source = "\\u0000"\n'), "source"),
    "not a number": (WHOLE.replace("high = 10", "high = nan"), "high = nan: Expected `float`"),
    "infinite": (WHOLE.replace("high = 10", "high = inf"), "high = inf: Expected `float`"),
    "a date": (WHOLE.replace('title = "T"', "title = 2020-01-01"), "title = datetime.date"),
    "a probe that there is not": (
        WHOLE.replace("probe = 3", "probe = 9", 1),
        "probe = 9: Expected `int` <= 3",
    ),
}


@pytest.mark.parametrize("case", [*BROKEN, *HOSTILE])
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, case: str) -> None:
    toml, words = {**BROKEN, **HOSTILE}[case]
    path = write(tmp_path, toml)
    with pytest.raises(LessonError) as caught:
        read_lesson(path)
    said = str(caught.value)
    assert words in said
    assert str(tmp_path) in said, "the file is named"
    assert len(said) < 600 + len(str(tmp_path))


def test_a_folder_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = find_lessons(tmp_path)
    path = write(tmp_path)
    assert find_lessons(tmp_path) == [*own, path]
    assert find_lessons() == own
    monkeypatch.setenv(read.FOLDER, str(tmp_path))
    assert find_lessons() == [*own, path]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Value("none", "work"), "no run 'none'"),
        (Value("a", "speed"), "no quantity 'speed'; there are: time_ms"),
        (Value("s", "speed"), "no quantity 'speed' of a sweep"),
        (Value("a", "distance"), "distance needs something in brackets"),
        (Value("a", "distance", "Z"), "Z is not a vertex"),
        (Value("a", "events", "JUMP"), "no event 'JUMP'"),
        (Value("b", "queued_in", "S", Value("a", "late")), "divided by 0"),
    ],
)
def test_a_value_that_there_is_not(bench: Bench, value: Value, words: str) -> None:
    with pytest.raises(Exception, match=words.replace("(", r"\(")):
        bench.value(value)


def test_nothing_in_a_lesson_is_executed(bench: Bench) -> None:
    for sly in ("{a.__class__}", "{__import__('os')}", "{a.work.real}", "{0.real}", "{a[0].work}"):
        with pytest.raises(GpuError, match=r"is no value|no quantity"):
            bench.filled(sly)


def asked(kind: Any, answer: Value | None = None, **more: Any) -> Question:
    return Question(kind, "?", answer, **more)


def test_a_choice_is_right_by_its_value(bench: Bench) -> None:
    values = (Value("a", "processed"), Value("b", "processed"), Value("b", "reached"))
    least = asked("choice", choices=("x", "y", "z"), candidates=values)
    assert bench.right_answer(least) == 1
    assert [bench.is_right(least, g) for g in (0, 1, 2, 3, -1)] == [0, 1, 1, 0, 0], "equals count"
    most = asked("choice", choices=("x", "y", "z"), candidates=values, pick="greatest")
    assert bench.right_answer(most) == 0


def test_a_vertex_is_right_and_so_is_one_as_good(bench: Bench) -> None:
    question = asked("vertex", Value("a", "most_processed_vertex"))
    assert [bench.is_right(question, g) for g in (0, 1, 2, 7)] == [0, 1, 0, 0]
    ties = asked("vertex", Value("b", "most_processed_vertex"))
    assert all(bench.is_right(ties, g) for g in range(3))


def test_a_curve_is_scored_by_rank(bench: Bench) -> None:
    question = asked("curve", Value("s", "curve"))
    times = bench.curve_times(question)
    assert bench.curve_score(question, [t**0.5 for t in times]) == pytest.approx(1)
    assert bench.curve_score(question, [-t for t in times]) == pytest.approx(-1)
    with pytest.raises(ParameterError, match="2 heights for 3 points"):
        bench.curve_score(question, [1.0, 2.0])


def test_a_graph_may_lie_beside_the_lesson(tmp_path: Path) -> None:
    (tmp_path / "tiny.gr").write_text("p sp 2 1\na 1 2 5\n", encoding="utf-8")
    lesson = read_lesson(write(tmp_path, WHOLE.replace("sample:figure_1", "tiny.gr")))
    bench = Bench(lesson)
    assert bench.graph(lesson.steps[0]).n == 2
    assert bench.reference(lesson.steps[1]) == str(tmp_path / "tiny.gr")
    sly = read_lesson(write(tmp_path, WHOLE.replace("sample:figure_1", "../x.gr")))
    with pytest.raises(ParameterError, match="a file beside"):
        Bench(sly).graph(sly.steps[0])


def test_panels_are_those_of_the_window() -> None:
    from viewer.docks import ARRANGEMENTS, TITLES
    from viewer.features import FEATURES
    from viewer.graph.colours import COLOUR_MODES

    docks = set(TITLES) | {key for feature in FEATURES for key in feature.docks}
    assert set(PANELS) <= docks
    from gpu.lessons import check

    assert set(check.COLOURS) == set(COLOUR_MODES)
    assert set(check.ARRANGEMENTS) >= set(ARRANGEMENTS) - {"simple"}


FAULT = '[[step.run]]\nname = "f"\nalgorithm = "edge_apsp"\nvariant = "KEY"\n'
FAULTY = WHOLE.replace(TWO, FAULT + TWO)


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{a.processed}", "4"),
        ("{a.processed / b.processed}", "1.33"),
        ("{a.processed / b.processed | x}", "1.33x"),
        ("{b.processed / a.processed %}", "75 %"),
        ("{a.processed / a.processed / b.processed%}", "33 %"),
        ("{a.most_processed_vertex}, {a.farthest_vertex}", "A, A"),
        ("{a.distance(S)}", "0"),
        ("no value { here }", None),
    ],
)
def test_numbers_in_a_text(bench: Bench, text: str, filled: str | None) -> None:
    if filled is None:
        with pytest.raises(Exception, match="no value"):
            bench.filled(text)
    else:
        assert bench.filled(text) == filled


def test_a_run_starts_where_the_lesson_says(tmp_path: Path) -> None:
    named = WHOLE.replace("[[step.run]]", 'source = "B"\n[[step.run]]', 1)
    bench = Bench(read_lesson(write(tmp_path, named)))
    one, two = bench.lesson.steps
    assert (bench.source(one), bench.source(two)) == ("B", "B")
    index = bench.graph(one).vertex_of("B")
    assert bench.settings(one, one.runs[0]).source == index
    own = replace(one.runs[0], source="A")
    assert bench.settings(one, own).source == bench.graph(one).vertex_of("A")
    elsewhere = replace(one.runs[0], graph="sample:grid?n=100")
    graph = bench.graph(one, elsewhere)
    assert bench.settings(one, elsewhere).source == sample_graphs.suggested_source(graph)


def test_a_number_at_the_rim_of_its_tolerance(bench: Bench) -> None:
    exact = asked("number", Value("a", "processed"), tolerance=0.0)
    assert [bench.is_right(exact, g) for g in (3.999, 4.0, 4.001)] == [False, True, False]
    bucket = asked("bucket", Value("a", "processed"), tolerance=9.0)
    assert [bench.is_right(bucket, g) for g in (3.0, 4.0)] == [False, True]


def test_right_answers_in_words(bench: Bench) -> None:
    step = bench.lesson.steps[0]
    values = (Value("a", "processed"), Value("b", "processed"))
    choice = asked("choice", choices=("many", "few"), candidates=values)
    said = {
        "few": choice,
        "many": replace(choice, pick="greatest"),
        "A": asked("vertex", Value("a", "most_processed_vertex")),
        "Bucket 4": asked("bucket", Value("a", "processed")),
        "4": asked("number", Value("a", "processed")),
        "4 ms": asked("number", Value("a", "processed"), unit="ms"),
        "4x": asked("number", Value("a", "processed"), unit="x"),
        "4%": asked("number", Value("a", "processed"), unit="%"),
        "Lower is faster:": asked("curve", Value("s", "curve")),
    }
    assert {words: answer_words(bench, step, question) for words, question in said.items()} == {
        words: words for words in said
    }


def test_what_a_fault_left_wrong(tmp_path: Path) -> None:
    from gpu.lessons.printed_listings import FAULTS, right_rows

    key = next(iter(FAULTS))
    bench = Bench(read_lesson(write(tmp_path, FAULTY.replace("KEY", key))))
    trace, fault = bench.trace("f"), bench.fault("f")
    np.testing.assert_array_equal(trace.dist, fault.rows)
    assert (trace.relaxed_edges, trace.outcome) == (fault.work, "finished")
    assert trace.environment == {"variant": key}
    graph: CSRGraph = bench.graph(bench.lesson.steps[0])
    wrong = bench.wrong_entries("f")
    np.testing.assert_array_equal(wrong, fault.rows != right_rows(graph))
    assert np.count_nonzero(wrong) == fault.wrong == bench.value(Value("f", "wrong"))
    assert bench.filled("{f.sentence}") == fault.sentence
