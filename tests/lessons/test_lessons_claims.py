"""The ten lessons say what is true: claims, answers, every number, on the engine as it is."""

import re
from functools import cache

import pytest

from gpu.lessons.answers import CURVE_RIGHT, PLACE, Bench
from gpu.lessons.check import check_lesson
from gpu.lessons.lesson import Value
from gpu.lessons.read import find_lessons, read_lesson
from gpu.record.events import EventKind

PATHS = {path.stem: path for path in find_lessons("/nowhere")}
WORDS = re.compile(r"\b(?:node|nodes|arc|arcs)\b", re.IGNORECASE)


@cache
def bench(key: str) -> Bench:
    """Return the bench of a lesson; its runs are made once for all tests."""
    return Bench(read_lesson(PATHS[key]))


QUESTIONS = [
    pytest.param(key, step.key, id=f"{key}-{step.key}")
    for key in PATHS
    for step in read_lesson(PATHS[key]).steps
    if step.question is not None
]


@pytest.mark.parametrize("key", PATHS)
def test_check_finds_nothing_wrong(key: str) -> None:
    assert check_lesson(bench(key)) == []


@pytest.mark.parametrize("key", PATHS)
def test_every_number_in_a_text_is_filled(key: str) -> None:
    held = bench(key)
    for step in held.lesson.steps:
        asked = step.question
        texts = [step.text, *([asked.ask, asked.right, asked.wrong] if asked else [])]
        for text in texts:
            filled = held.filled(text)
            assert not PLACE.search(filled)
            assert "nan" not in filled
            assert not WORDS.search(filled), "the glossary says vertex and edge"


@pytest.mark.parametrize(("key", "name"), QUESTIONS)
def test_the_right_answer_is_right_and_a_wrong_one_wrong(key: str, name: str) -> None:
    held = bench(key)
    step = next(step for step in held.lesson.steps if step.key == name)
    asked = step.question
    if asked.kind == "curve":
        times = held.curve_times(asked)
        assert held.curve_score(asked, times) >= CURVE_RIGHT
        assert held.curve_score(asked, [-time for time in times]) < CURVE_RIGHT
        assert held.curve_score(asked, [float(i) for i in range(len(times))]) < CURVE_RIGHT
        return
    right = held.right_answer(asked)
    assert held.is_right(asked, right)
    if asked.kind in ("number", "bucket"):
        assert asked.low <= right <= asked.high
        wrong = asked.low if abs(right - asked.low) > abs(asked.high - right) else asked.high
    elif asked.kind == "choice":
        wrong = next(i for i in range(len(asked.choices)) if not held.is_right(asked, i))
    elif asked.kind == "schedule":
        wrong = right + 1
    else:
        n = held.graph(step).n
        wrong = next(i for i in range(n) if not held.is_right(asked, i))
    assert not held.is_right(asked, wrong)


def test_lesson_1_the_direct_edge_is_never_needed() -> None:
    held = bench("1_order_matters")
    assert held.value(Value("dijkstra", "distance", "A")) == 2
    assert held.value(Value("bellman_ford", "times_processed", "B")) == 1


def test_lesson_2_each_width_puts_the_four_where_the_figure_has_them() -> None:
    held = bench("2_buckets_and_delta")
    for run, buckets in (("small", "3333"), ("middle", "0123"), ("wide", "0011")):
        found = [held.value(Value(run, "queued_in", vertex)) for vertex in "ABCD"]
        assert found == [float(bucket) for bucket in buckets], run
    offers = [16 + 70, 37 + 52, 55 + 38, 74 + 23]
    assert held.value(Value("small", "distance", "E")) == min(offers) == 86


def test_lesson_2_the_worker_of_c_is_quicker_than_that_of_a() -> None:
    held = bench("2_buckets_and_delta")
    events, e = held.trace("small").events, held.graph(held.lesson.steps[0]).vertex_of("E")
    offers = events[(events["kind"] == EventKind.IMPROVE) & (events["a"] == e)]["c"]
    assert offers.tolist() == [55 + 38, 16 + 70]


def test_lesson_4_most_of_the_gain_comes_from_not_waiting() -> None:
    held = bench("4_why_near_far_starves")
    static, both = (
        held.value(Value("near_far", "time_ms", None, Value(run, "time_ms"))) - 1
        for run in ("static", "adds")
    )
    assert static > both * 2 / 3


def test_lesson_3_c_32_is_the_best_for_neither() -> None:
    held = bench("3_the_u_curve")
    found = {held.value(Value(sweep, "best_time")) for sweep in ("c_roads", "c_mesh")}
    assert 32 not in found
    assert len(found) == 2


def test_lesson_6_the_plan_is_the_value_that_is_carried_on() -> None:
    held = bench("6_drive_delta_yourself")
    found = held.lesson.run("carried")
    assert found[1].delta == held.value(Value("held", "best_time"))


def test_lesson_7_the_words_about_three_times_and_a_third_hold() -> None:
    held = bench("7_work_saved_is_not_time_saved")
    more = Value("road_adds", "processed", None, Value("road_nf", "processed"))
    assert 2.5 < held.value(more) < 3.5
    less = Value("careful", "processed", None, Value("random_nf", "processed"))
    assert 0.28 < held.value(less) < 0.4


def test_lesson_9_one_of_nine_faults_is_only_slow() -> None:
    from gpu.lessons.printed_listings import FAULTS

    held = bench("9_nine_bugs")
    runs = [run for step in held.lesson.steps for run in step.runs if run.variant]
    assert {run.variant for run in runs} == set(FAULTS)
    harmless = [run.variant for run in runs if held.value(Value(run.name, "wrong")) == 0]
    assert harmless == ["every_thread_walks_all_arcs"]
    for run in runs:
        assert held.fault(run.name).rows is held.trace(run.name).dist, "the rows can be shown"
        assert held.trace(run.name).settings.algorithm == run.algorithm
