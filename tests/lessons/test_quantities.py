"""Every quantity of a trace that is written by hand, its value worked out by hand."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hand_made import small_graph, small_trace

from gpu.errors import ParameterError
from gpu.lessons.printed_listings import Fault
from gpu.lessons.quantities import (
    AT_QUANTITIES,
    FAULT_QUANTITIES,
    QUANTITIES,
    SWEEP_QUANTITIES,
    VERTEX_QUANTITIES,
    at_value,
    fault_value,
    first_buckets,
    sweep_value,
)
from gpu.record.events import EventKind as Kind
from gpu.record.trace import EVENT, RunSettings, Trace
from gpu.study.sweep import SweepPoint

# kind, a, b, c: vertex 0 is worked on in bucket 0; 1 and 2 enter bucket 1, 2 stays once in 0
EVENTS = [
    (Kind.PUSH, 0, 0, 0.0),
    (Kind.ASSIGN, 0, 0, 1.0),
    (Kind.PUSH, 1, 1, 4.0),
    (Kind.STAY, 2, 0, 7.0),  # all of the head was given out: late
    (Kind.PUSH, 2, 0, 7.0),  # late again
    (Kind.HEAD, 1, 1, 4.0),
    (Kind.PUSH, 3, 1, 7.0),  # bucket 1 holds two, none given out: in time
    (Kind.ASSIGN, 0, 1, 2.0),
    (Kind.PUSH, 2, 2, 7.0),  # further on: in time
    (Kind.PUSH, 2, 1, 7.0),  # late
    (Kind.CLIP, 2, 9, 7.0),
]


def told(**changed: Any) -> Trace:
    events = np.zeros(len(EVENTS), EVENT)
    for row, (kind, a, b, c) in zip(events, EVENTS, strict=True):
        row["kind"], row["a"], row["b"], row["c"] = kind, a, b, c
    trace = small_trace()
    trace.samples["assigned_edges"] = [2, 8, 0]
    return replace(trace, events=events, **changed)


EXPECTED = {
    "time_ms": 0.004,
    "processed": 5,
    "relaxed": 5,
    "reached": 4,
    "vertices": 5,
    "edges": 4,
    "work": 1.25,
    "supersteps": 2,
    "switches": 1,
    "delta_start": 2.0,
    "delta_end": 4.0,
    "delta_changes": 1,
    "parallelism": (2 * 1500 + 8 * 2500) / 4000,
    "peak": 8.0,
    "busy": 2 * 2500 / 4000 / 4,
    "most_busy": 2,
    "workers": 4,
    "threads": 32,
    "per_superstep": 2.5,
    "late": 3,
    "on_time": 4,
}


@pytest.mark.parametrize("name", QUANTITIES)
def test_a_quantity_of_a_run(name: str) -> None:
    assert QUANTITIES[name](told()) == pytest.approx(EXPECTED[name])


def test_items_are_late_once_all_of_the_head_was_given_out() -> None:
    assert first_buckets(told()) == {0: 0, 1: 1, 2: 0, 3: 1}


@pytest.mark.parametrize(
    ("quantity", "at", "expected"),
    [
        ("events", "PUSH", 6),
        ("events", "CLIP", 1),
        ("entered", "0", 2),
        ("entered", " 1 ", 2),
        ("entered", "9", 0),
        ("queued_in", "3", 0),
        ("queued_in", "2", 1),
        ("times_processed", "4", 2),
        ("distance", "3", 7),
        ("distance", "5", math.inf),
    ],
)
def test_a_quantity_at_something(quantity: str, at: str, expected: float) -> None:
    assert quantity in AT_QUANTITIES
    assert at_value(told(), small_graph(), quantity, at) == expected


def test_which_vertex() -> None:
    values = {name: row(told()) for name, row in VERTEX_QUANTITIES.items()}
    assert values["most_processed_vertex"].tolist() == [1, 1, 1, 2, 0]
    assert values["farthest_vertex"].tolist() == [0, 4, 7, 7, -1]
    with pytest.raises(ParameterError, match="probe = 2"):
        VERTEX_QUANTITIES["most_processed_vertex"](small_trace(probe=1))


def point(value: float | None, time_ns: int, processed: int, **more: Any) -> SweepPoint:
    settings = RunSettings("adds", "model", "Classroom GPU", 0)
    clip = more.pop("clip", 0.0)
    return SweepPoint(
        value, settings, "modelled", time_ns, processed, 9, 9, 10, 1.0, clip, 1.0, **more
    )


POINTS = [
    point(None, 2_500_000, 12),
    point(1.0, 9_000_000, 15, clip=0.9),
    point(2.0, 4_000_000, 14, clip=0.9),
    point(4.0, 2_000_000, 20),
    point(8.0, 3_000_000, 30),
    point(16.0, 0, 0, failure="out of memory"),
]
SWEPT = {
    "best_time": 4.0,
    "best_work": 2.0,
    "clip": 2.0,
    "best_time_ms": 2.0,
    "best_time_work": 2.0,
    "best_work_ms": 4.0,
    "smallest_ms": 9.0,
    "smallest_work": 1.5,
    "largest_ms": 3.0,
    "largest_work": 3.0,
    "controller_ms": 2.5,
    "points": 4,
    "curve": 4,
}


@pytest.mark.parametrize("name", SWEEP_QUANTITIES)
def test_a_quantity_of_a_sweep(name: str) -> None:
    assert sweep_value(POINTS, "s", name) == pytest.approx(SWEPT[name])


def test_a_quantity_of_a_faulty_listing() -> None:
    fault = Fault("flag", np.array([[0, -1], [2, -3]], np.int32), 3, "words", 70, 60)
    values = {name: fault_value(fault, name) for name in FAULT_QUANTITIES}
    assert values == {"wrong": 3, "entries": 4, "done": 70, "least": 60, "negative": 2}
    with pytest.raises(ParameterError, match="sentence"):
        fault_value(fault, "speed")
