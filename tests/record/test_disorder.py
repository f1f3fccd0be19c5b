"""Rank error and distance error: by hand, against a count of every event, and where they are 0."""

from dataclasses import replace

import numpy as np
import pytest
from hand_made import small_trace
from test_algorithms import random_graph

import gpu
from gpu.algorithms import ALGORITHMS
from gpu.record import disorder
from gpu.record.events import EventKind
from gpu.record.trace import EVENT, SAMPLE, Trace
from sample_graphs import make

SINGLE = [
    key for key, row in ALGORITHMS.items() if "model" in row.engines and row.result != "matrix"
]


def test_an_example_by_hand() -> None:
    """0 reaches 1 at 9, 2 at 4, 3 at 6; 1 goes first, then 3; 3 improves 1; 2, then 1 again."""
    push, pop = EventKind.IMPROVE, EventKind.POP
    rows = (
        *((pop, 0, 0), (push, 1, 9), (push, 2, 4), (push, 3, 6)),
        (pop, 1, 9),  # 2 and 3 wait, the closest 5 closer
        (pop, 3, 6),  # 2 waits, 2 closer
        *((push, 1, 7), (EventKind.PUSH, 1, 7), (push, 1, 6.5)),  # waits once, at 6.5
        *((pop, 2, 4), (pop, 1, 6.5)),
        (pop, 1, 6.5),  # a second entry of it: nothing waits
    )
    events = np.array([(10 * k, row[0], 0, row[1], 0, row[2]) for k, row in enumerate(rows)], EVENT)
    samples = np.zeros(3, SAMPLE)
    samples["t_ns"], samples["delta"] = (0, 50, 200), (2.0, 2.0, 4.0)
    run = small_trace(probe=3, events=events, samples=samples)
    assert run.errors is not None
    assert run.errors.rank.tolist() == [0, 2, 1, 0, 0, 0]
    assert run.errors.distance.tolist() == [0.0, 5.0, 2.0, 0.0, 0.0, 0.0]
    assert [each.tolist() for each in disorder.totals(run)] == [[0.0, 7.0, 7.0], [1, 3, 6]]
    assert disorder.as_json(run) == {
        "distance_error": 7 / 6,
        "distance_error_deltas": (7 / 2.0) / 6,
        "rank_error": 0.5,
        "exact": True,
    }


def test_errors_are_those_of_a_count_of_everything_that_waits() -> None:
    for seed in range(200):
        key = SINGLE[seed % len(SINGLE)]
        trace = gpu.run(random_graph(seed), key, "model", probe=3)
        assert trace.errors is not None
        rank, distance = counted(trace)
        assert trace.errors.rank.tolist() == rank, (key, seed)
        assert trace.errors.distance.tolist() == distance, (key, seed)
        assert len(rank) == trace.processed_vertices
        if key == "dijkstra":
            assert disorder.rank_error(trace) == disorder.distance_error(trace) == 0.0


def counted(trace: Trace) -> tuple[list[int], list[float]]:
    """Return both errors, each vertex's against all others of the graph."""
    waits = np.full(trace.graph.n, np.inf)
    waits[trace.settings.source] = 0.0
    rank, distance = [], []
    assert trace.events is not None
    for _, kind, _, vertex, _, dist in trace.events.tolist():
        if kind == EventKind.IMPROVE:
            waits[vertex] = dist
        elif kind == EventKind.POP:
            waits[vertex] = np.inf
            closer = waits[waits < dist]
            rank.append(len(closer))
            distance.append(float(dist - closer.min()) if len(closer) else 0.0)
    return rank, distance


@pytest.mark.parametrize("key", ["adds_static", "near_far", "delta_stepping"])
def test_a_wider_bucket_means_more_disorder(key: str) -> None:
    graph = make("grid", n=700)  # more arcs, and loops that record events would be compiled
    found = []
    for factor in (0.25, 1.0, 4.0, 16.0):
        trace = gpu.run(graph, key, "model", probe=3, delta=factor * graph.mean_weight)
        sampled = disorder.distance_error(replace(trace, events=None))
        exact = disorder.distance_error(trace)
        assert sampled is not None
        assert exact is not None
        assert exact <= 1.05 * sampled  # against the base of a bucket: mostly too large
        found.append((exact, sampled))
    assert found == sorted(found)
    assert [sampled for _, sampled in found] == sorted(sampled for _, sampled in found)


def test_what_is_not_measured_is_not_zero() -> None:
    graph = random_graph(1)
    assert disorder.as_json(gpu.run(graph, "adds", "model", probe=0)) is None
    assert disorder.as_json(gpu.run(graph, "edge_apsp", "model", probe=3)) is None
    measured = disorder.as_json(gpu.run(graph, "dijkstra", "model", probe=1))
    assert measured == {
        "distance_error": 0.0,
        "distance_error_deltas": None,
        "rank_error": None,
        "exact": False,
    }
    for key in ("dijkstra", "delta_stepping"):
        assert disorder.distance_error(gpu.run(graph, key, "cpu", probe=1)) is not None
        assert disorder.distance_error(gpu.run(graph, key, "cpu", probe=0)) is None
