"""The microscope's state at every event is what the events before it say: every algorithm.

For seeded random graphs each row of the registry that the model runs is recorded, and at every
event, stepping forwards, stepping backwards and jumping about, the state that the microscope shows
is compared with one that is looked up by counting (`replay_ledger`), which steps nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from replay_ledger import Ledger

import gpu
from gpu.algorithms import ALGORITHMS
from gpu.graph import CSRGraph
from gpu.record.events import EventKind
from gpu.record.trace import EVENT
from gpu.replay import replay as replay_module
from gpu.replay.replay import Replay
from gpu.replay.rules import apply
from gpu.replay.state import Item, State

MODELLED = [key for key, row in ALGORITHMS.items() if "model" in row.engines]
GRAPHS = 20
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


def recordings(key: str) -> Iterator[tuple[Replay, Ledger]]:
    """Record each of the graphs; the replay stands before the first event."""
    for seed in range(GRAPHS):
        graph = small_graph(seed, ALGORITHMS[key].result == "matrix")
        more = settings_of(key, seed)
        trace = gpu.run(graph, key, "model", probe=3, device="Classroom GPU", **more)  # type: ignore[arg-type]
        replay = Replay.of(graph, trace)
        yield replay, Ledger(graph, replay.events, replay.state.ring)


@pytest.mark.parametrize("key", MODELLED)
def test_every_state_is_what_the_events_say(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_module, "SPACING", 16)  # many check points, as in a long run
    for seed, (replay, ledger) in enumerate(recordings(key)):
        last, where = len(replay), f"{key} on graph {seed} at event"
        for k in (*range(last + 1), *reversed(range(last))):
            assert not ledger.wrong(replay.go(k), k), f"{where} {k}, forwards, then backwards"
        rng = np.random.default_rng(seed)
        for k in rng.integers(0, last + 1, JUMPS).tolist():
            replay.go(k)
            steps = int(rng.integers(1, last + 1))
            back = replay.position - max(replay.position - steps, 0)
            replay.step(-back)
            assert not ledger.wrong(replay.state, k - back), f"{where} {k}, {back} back"
            replay.step(back)
            assert replay.position == k
            assert not ledger.wrong(replay.state, k), f"{where} {k}, {back} back and forward"


def test_the_ledger_sees_what_is_wrong() -> None:
    replay, ledger = next(recordings("adds"))
    k = int(np.flatnonzero(replay.events["kind"] == EventKind.RELAX)[0]) + 1
    state = replay.go(k)
    assert not ledger.wrong(state, k)
    assert "relaxed" in ledger.wrong(state, k - 1)
    state.dist[1] = state.delta = -1.0
    worker = int(replay.events[k - 1]["worker"])
    state.workers[worker].vertex = 99
    state.pointers[0].read += 1
    state.buckets[0][0].dist += 0.5
    wanted = {"dist from -1", "delta", f"vertex of {worker}", "read at 0", "wrong places"}
    assert wanted <= set(ledger.wrong(state, k))


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
    replay, _ = next(recordings("adds"))
    times = replay.events["t_ns"]
    for instant in (-1.0, 0.0, float(times[len(times) // 2]), float(times[-1])):
        at = replay.at_time(instant)
        assert (times[:at] <= instant).all()
        assert (times[at:] > instant).all()
