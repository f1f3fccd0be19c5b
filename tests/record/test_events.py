"""Every event of a run, replayed: the states agree with samples, distances and each other.

The recorder and the replay know nothing of one another but what `gpu.record.events` says, so their
agreement on random graphs for every algorithm is a test of both.
"""

from __future__ import annotations

import numpy as np
import pytest

import gpu
import gpu.loops.log as log
from gpu.algorithms import ALGORITHMS
from gpu.errors import ParameterError
from gpu.graph import CSRGraph
from gpu.record.events import MOST_ARCS, EventKind
from gpu.record.trace import Trace, reached_mask
from gpu.replay.replay import Replay
from gpu.replay.state import State
from sample_graphs import open_sample

GRAPHS = 12
MODELLED = [key for key, row in ALGORITHMS.items() if "model" in row.engines]
MATRICES = [key for key in MODELLED if ALGORITHMS[key].result == "matrix"]
ROWS = [key for key in MODELLED if key not in MATRICES]
RINGS = [key for key in ROWS if "buckets" in {p.key for p in ALGORITHMS[key].parameters}]


def random_graph(seed: int, most: int = 40) -> CSRGraph:
    """Up to `most` vertices; whole weights, zeros among them, or fractions."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, most))
    m = int(rng.integers(1, 5 * n))
    tails, heads = rng.integers(0, n, m), rng.integers(0, n, m)
    weights = (rng.random(m) * 10).astype(np.float32)
    if seed % 2:
        weights = rng.integers(0 if seed % 3 else 1, 100, m).astype(np.int32)
    return CSRGraph.from_arcs(tails, heads, weights, n)


def recorded(graph: CSRGraph, key: str, **more: object) -> tuple[Trace, Replay]:
    trace = gpu.run(graph, key, "model", probe=3, **more)  # type: ignore[arg-type]
    return trace, Replay.of(graph, trace)


def waiting_of(state: State, key: str) -> list[int]:
    """What the state says stands in a sample's occupancy."""
    if key in MATRICES:
        return [state.running, state.sources_done]
    if key in RINGS:
        return [state.occupancy(state.head + offset) for offset in range(32)]
    if key == "delta_stepping":
        every = sum(state.occupancy(bucket) for bucket in state.buckets)
        here = state.occupancy(state.head)
        heavy = sum(map(len, state.deferred.values()))
        return [here or heavy, every - here]
    return [state.occupancy(0), state.occupancy(1)]


def just_after_sample(replay: Replay, number: int) -> int:
    """Return the position after the event that took a sample."""
    marks = (replay.events["kind"] == EventKind.SAMPLE) & (replay.events["a"] == number)
    (place,) = np.flatnonzero(marks)
    return int(place) + 1


def agree_at_every_sample(trace: Trace, replay: Replay, key: str) -> None:
    for sample in trace.samples:
        state = replay.go(just_after_sample(replay, int(sample["sequence"])))
        assert state.t_ns == sample["t_ns"]
        assert state.total_processed == sample["processed_vertices"]
        assert state.total_relaxed == sample["relaxed_edges"]
        assert state.improved == sample["improved"]
        assert state.delta == sample["delta"]
        waiting = waiting_of(state, key)
        first = 1 if key in MATRICES else 0
        assert waiting == sample["occupancy"][first : first + len(waiting)].tolist()
        if key not in MATRICES:
            assert state.head == sample["head_bucket"]
            assert state.switches == sample["bucket_switches"]
            assert state.open_heads == sample["open_buckets"]


def as_floats(dist: np.ndarray) -> np.ndarray:
    return np.where(reached_mask(dist), dist.astype(float), np.inf)


@pytest.mark.parametrize("key", ROWS)
def test_graphs_replayed_give_the_run(key: str) -> None:
    for seed in range(GRAPHS):
        trace, replay = recorded(random_graph(seed), key)
        agree_at_every_sample(trace, replay, key)
        state = replay.go(len(replay))
        assert np.array_equal(state.dist, as_floats(trace.dist))
        assert np.array_equal(state.processed, trace.vertices.times_processed)  # type: ignore[union-attr]
        assert not state.waiting.any()
        assert not any(state.buckets.values())
        assert not any(hand.collected for hand in state.workers.values())
        assert state.ended


@pytest.mark.parametrize("key", MATRICES)
def test_graphs_from_every_source(key: str) -> None:
    for seed in range(GRAPHS):
        trace, replay = recorded(random_graph(seed, 13), key)
        agree_at_every_sample(trace, replay, key)
        state = replay.go(len(replay))
        assert len(state.rows) == len(trace.dist)
        for source, row in state.rows.items():
            assert np.array_equal(row, as_floats(trace.dist[source]))
        assert state.running == 0


@pytest.mark.parametrize("key", MODELLED)
def test_recording_changes_nothing(key: str) -> None:
    for seed in (4, 7):
        graph = random_graph(seed, 12)
        plain, full = (gpu.run(graph, key, "model", probe=probe) for probe in (1, 3))
        assert np.array_equal(plain.samples, full.samples)
        assert np.array_equal(plain.dist, full.dist)
        assert plain.events is None
        assert np.all(np.diff(full.events["t_ns"]) >= 0) or key in MATRICES  # type: ignore[index]


def test_large_graphs_are_refused_in_a_sentence() -> None:
    tails = np.zeros(MOST_ARCS + 1, np.int64)
    graph = CSRGraph.from_arcs(tails, tails + 1, np.ones(len(tails), np.int32), 2, name="many")
    for key in MODELLED:
        with pytest.raises(ParameterError, match=r"many has 20,001 edges; every event \(level 3\)"):
            gpu.run(graph, key, "model", probe=3)


def test_a_recording_that_grows_too_long_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "MOST_EVENTS", 8192)
    with pytest.raises(ParameterError, match=r"passes 8,192 events; take a smaller graph"):
        gpu.run(open_sample("sample:erdos_renyi?n=40"), "edge_apsp", "model", probe=3)
