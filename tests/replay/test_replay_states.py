"""The microscope's state agrees with the samples of the run, forwards, backwards and after jumps.

The loop that makes a run counts for its samples by itself; the replay counts events, and knows no
more of the recorder than `gpu.record.events` says. For seeded random graphs each row of the
registry that the model runs is recorded, and both are compared: a test of both.
"""

from collections.abc import Iterator

import numpy as np
import pytest

import gpu
from gpu.algorithms import ALGORITHMS
from gpu.graph import CSRGraph
from gpu.record.events import EventKind
from gpu.record.trace import EVENT, Trace, reached_mask
from gpu.replay import replay as replay_module
from gpu.replay.replay import Replay
from gpu.replay.rules import apply
from gpu.replay.state import Item, State

MODELLED = [key for key, row in ALGORITHMS.items() if "model" in row.engines]
GRAPHS = 6
JUMPS = 8  # of a run
SMALLEST, LARGEST, LARGEST_OF_ALL_PAIRS = 4, 12, 5  # vertices


def small_graph(seed: int, matrix: bool) -> CSRGraph:
    """Parallel arcs, loops, weights of zero, fractions, and vertices that nothing reaches."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(SMALLEST, (LARGEST_OF_ALL_PAIRS if matrix else LARGEST) + 1))
    m = int(rng.integers(n, (2 if matrix else 3) * n))
    tails, heads = rng.integers(0, n, m), rng.integers(0, n, m)
    weights = (rng.random(m) * 10).astype(np.float32)
    if seed % 2:
        weights = rng.integers(0 if seed % 3 else 1, 30, m).astype(np.int32)
    return CSRGraph.from_arcs(tails, heads, weights, n, name=f"random {seed}")


def settings_of(key: str, seed: int) -> dict[str, object]:
    """Other workers, buckets, widths and rules for some of the graphs, where a row has them."""
    row = ALGORITHMS[key]
    more: dict[str, object] = {}
    wanted = {"workers": 2, "buckets": 4, "drop_stale": False}
    known = {parameter.key for parameter in row.parameters}
    if seed % 4 == 1:
        more["parameters"] = {name: wanted[name] for name in wanted if name in known}
    if row.bucketed and seed % 3:
        more["delta"] = 4.0
    return more


def recordings(key: str) -> Iterator[tuple[Trace, Replay]]:
    """Record each of the graphs; the replay stands before the first event."""
    for seed in range(GRAPHS):
        graph = small_graph(seed, ALGORITHMS[key].result == "matrix")
        more = settings_of(key, seed)
        trace = gpu.run(graph, key, "model", probe=3, device="Classroom GPU", **more)  # type: ignore[arg-type]
        yield trace, Replay.of(graph, trace)


def assert_agrees(state: State, sample: np.ndarray, key: str) -> None:
    """Compare a state with the sample that was taken then."""
    waiting = [item for items in state.buckets.values() for item in items if not item.taken]
    entries = np.bincount([item.vertex for item in waiting], minlength=len(state.waiting))
    assert np.array_equal(state.waiting, entries)
    assert state.t_ns == sample["t_ns"]
    assert state.head == sample["head_bucket"]
    assert state.total_processed == sample["processed_vertices"]
    assert state.total_relaxed == sample["relaxed_edges"]
    assert state.improved == sample["improved"]
    assert state.samples == sample["sequence"] + 1
    assert state.delta == sample["delta"]
    waits = sum(map(state.occupancy, state.buckets))
    if ALGORITHMS[key].result == "matrix":
        assert [state.running, state.sources_done] == sample["occupancy"][1:3].tolist()
    elif key == "delta_stepping":  # whose heavy arcs wait apart
        here, heavy = state.occupancy(state.head), sum(map(len, state.deferred.values()))
        assert [here or heavy, waits - here] == sample["occupancy"][:2].tolist()
    else:
        assert waits == sample["occupancy"].sum()
        assert state.open_heads == sample["open_buckets"]
        assert state.switches == sample["bucket_switches"]
    if key.startswith("adds"):
        sizes = [state.occupancy(state.head + place) for place in range(len(sample["occupancy"]))]
        assert sizes == sample["occupancy"].tolist()
        assert sum(not hand.idle for hand in state.workers.values()) == sample["busy_workers"]


@pytest.mark.parametrize("key", MODELLED)
def test_every_state_agrees_with_the_samples(key: str) -> None:
    for trace, replay in recordings(key):
        for position in np.flatnonzero(replay.events["kind"] == EventKind.SAMPLE).tolist():
            number = replay.events[position]["a"]
            assert_agrees(replay.go(position + 1), trace.samples[number], key)
        state = replay.go(len(replay))
        assert state.ended
        assert not state.waiting.any()
        assert not any(hand.collected for hand in state.workers.values())
        assert state.running == 0
        sources = sorted(state.rows) or [-1]
        for dist, source in zip(np.atleast_2d(trace.dist), sources, strict=True):
            expected = np.where(reached_mask(dist), dist, np.inf)
            np.testing.assert_array_equal(state.distances(source), expected)
        if trace.vertices is not None and trace.dist.ndim == 1:
            np.testing.assert_array_equal(state.processed, trace.vertices.times_processed)


@pytest.mark.parametrize("key", MODELLED)
def test_a_state_is_the_same_from_either_side(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_module, "SPACING", 16)  # many check points, as in a long run
    for seed, (_, replay) in enumerate(recordings(key)):
        positions = range(len(replay) + 1)
        forwards = [repr(replay.go(k)) for k in positions]
        assert all(repr(replay.go(k)) == forwards[k] for k in reversed(positions))
        for k in np.random.default_rng(seed).integers(0, len(positions), JUMPS).tolist():
            assert repr(replay.step(k - replay.position)) == forwards[k]
            assert replay.position == k


def test_the_head_leaves_only_what_is_empty_behind_it() -> None:
    """An entry that still waits in an older bucket stays in the picture, as does a newer bucket."""
    graph = small_graph(1, matrix=False)
    state = State.before(graph.n, graph.m)
    waits = Item(0, 1, 3.0)
    state.buckets = {0: [], 1: [waits], 2: [], 5: []}
    head = np.zeros(1, EVENT)
    head["kind"], head["a"], head["b"], head["c"] = EventKind.HEAD, 2, 1, 8.0
    apply(state, graph, head[0])
    assert (state.head, state.base) == (2, 8.0)
    assert state.buckets == {1: [waits], 2: [], 5: []}


def test_an_instant_is_after_all_that_happened_by_then() -> None:
    _, replay = next(recordings("adds"))
    times = replay.events["t_ns"]
    for instant in (-1.0, 0.0, float(times[len(times) // 2]), float(times[-1])):
        at = replay.at_time(instant)
        assert (times[:at] <= instant).all()
        assert (times[at:] > instant).all()
