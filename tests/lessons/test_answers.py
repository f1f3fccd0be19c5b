"""Answers, claims and words at their edges, on one small lesson."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lesson_files import TWO, WHOLE, write
from msgspec.structs import replace

import sample_graphs
from gpu.graph import CSRGraph
from gpu.lessons.answers import Bench, answer_words, formatted
from gpu.lessons.lesson import Question, Value
from gpu.lessons.read import read_lesson

FAULT = '[[step.run]]\nname = "f"\nalgorithm = "edge_apsp"\nvariant = "KEY"\n'
FAULTY = WHOLE.replace(TWO, FAULT + TWO)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(read_lesson(write(tmp_path_factory.mktemp("lesson"))))


def asked(kind: Any, answer: Value | None = None, **more: Any) -> Question:
    return Question(kind, "?", answer, **more)


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


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (999.0, "999"),
        (1000.0, "1,000"),
        (1e15, "1,000,000,000,000,000"),
        (0.123456, "0.123"),
        (999.9, "1,000"),
        (-2500.5, "-2,500"),
        (float("inf"), "∞"),
    ],
)
def test_numbers_have_three_digits_or_thousands_apart(number: float, words: str) -> None:
    assert formatted(number) == words
    assert formatted(number, "x") in (f"{words}x", words if words == "∞" else f"{words}x")


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
