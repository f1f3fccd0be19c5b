"""Every number in every sentence of the microscope is true, for every algorithm.

A sentence is taken apart into its numbers and names; what they must be is looked up by
counting over the events before (`replay_ledger`), in the graph and in the event itself, never in
the state that the sentence was made of. Runs: figures 1 and 6, random graphs, and a few that
make the rare kinds happen, so that every kind of `gpu.record.events` is told at least once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from replay_ledger import K, Ledger
from sentence_numbers import Token, agree, holds, tokens
from test_replay_states import settings_of, small_graph

import gpu
from gpu.algorithms import ALGORITHMS, find
from gpu.graph import CSRGraph
from gpu.model.machine import BLOCK_WORDS
from gpu.record.events import MANAGER, EventKind
from gpu.record.trace import Reason
from gpu.replay.explain import apart, explain
from gpu.replay.replay import Replay
from sample_graphs import open_sample

MODELLED = [key for key, row in ALGORITHMS.items() if "model" in row.engines]
GRAPHS = 8  # random ones for each algorithm
# lists that have names, no numbers
NAMED = {key: len(row.lists) for key, row in ALGORITHMS.items() if row.lists}


@dataclass
class Facts:
    """What a sentence about event k must say."""

    graph: CSRGraph
    ledger: Ledger
    key: str
    k: int

    def __post_init__(self) -> None:
        ledger, k = self.ledger, self.k
        self.kind, self.worker = EventKind(ledger.kind[k]), int(ledger.worker[k])
        self.a, self.b, self.c = int(ledger.a[k]), int(ledger.b[k]), float(ledger.c[k])

    @property
    def dist(self) -> np.ndarray:
        """Tentative distances at every position, of the source that the worker works for."""
        return self.ledger.dist[int(self.ledger.source_of[self.k])]

    def name(self, vertex: int) -> str:
        return str(self.graph.id_of(vertex))

    @property
    def who(self) -> list[Token]:
        return [] if self.worker == MANAGER or self.key == "dijkstra" else [self.worker]

    def place(self, bucket: int | None = None) -> list[Token]:
        return [] if self.key in NAMED else [self.b if bucket is None else bucket]

    def arcs(self, vertex: int) -> tuple[int, int]:
        """All arcs of a vertex, and those of them that are heavier than delta."""
        weights = self.graph.weights[self.graph.indptr[vertex] : self.graph.indptr[vertex + 1]]
        return len(weights), int((weights > self.ledger.numbers["delta"][self.k]).sum())

    @property
    def splits(self) -> bool:
        return bool(self.ledger.are(K.PHASE, K.DEFER).any())

    def taken_at(self, tail: int) -> set[float]:
        """Distances that the worker may be relaxing the tail with."""
        before = range(self.k)
        mine = [j for j in before if self.ledger.worker[j] == self.worker]
        took = [j for j in mine if self.ledger.kind[j] in (K.POP, K.RESUME)]
        took = [j for j in took if self.ledger.a[j] == tail]
        if took:
            return {float(self.ledger.c[took[-1]])}
        begun = max(j for j in mine if self.ledger.kind[j] == K.ROUND)  # all arcs in a round
        return {float(self.dist[j][tail]) for j in range(begun, self.k + 1)}

    # --- what must be said, kind by kind

    def wanted(self) -> list[Token]:
        """Return the names and numbers of a true sentence."""
        found = getattr(self, self.kind.name.lower())()
        return [token if isinstance(token, str) else float(token) for token in found]

    def push(self) -> list[Token]:
        of_vertex = self.ledger.are(K.IMPROVE)[: self.k] & (self.ledger.a[: self.k] == self.a)
        of_vertex &= self.ledger.source_of[: self.k] == self.ledger.source_of[self.k]
        if not of_vertex.any():
            assert self.c == 0
        else:
            assert self.c in self.ledger.c[: self.k][of_vertex]
        return [self.name(self.a), *self.place(), self.c]

    def pop(self) -> list[Token]:
        every, heavy = self.arcs(self.a)
        said = [*self.who, self.name(self.a), self.c, *self.place()]
        assert self.c == self.dist[self.k][self.a]
        if not every:
            return said
        return [*said, every, *([every - heavy] * (every > heavy) if self.splits else [])]

    def stale(self) -> list[Token]:
        known = self.dist[self.k][self.a]
        assert self.c > known
        waits = self.ledger.entries[self.k]
        assert any(entry[:3] == (self.b, self.a, self.c) for entry in waits)
        return [*self.who, self.name(self.a), *self.place(), self.c, float(known)]

    def skip(self) -> list[Token]:
        assert self.c == self.dist[self.k][self.a]
        return [self.name(self.a), *self.place(), self.c]

    def relax(self) -> list[Token]:
        weight, head = float(self.graph.weights[self.a]), int(self.graph.indices[self.a])
        assert self.graph.indptr[self.b] <= self.a < self.graph.indptr[self.b + 1]
        u, v = self.name(self.b), self.name(head)
        if not np.isfinite(self.c):
            assert np.inf in self.taken_at(self.b)
            return [u, v]
        start, known = self.c - weight, float(self.dist[self.k][head])
        assert any(abs(start - at) <= 1e-6 * max(self.c, 1) for at in self.taken_at(self.b))
        if self.c < known < np.inf:
            return [u, start, start, weight, self.c, known, v]
        more = [known] if known < self.c else []
        return [u, start, start, weight, self.c, *more, v, *more]

    def improve(self) -> list[Token]:
        weight, tail = float(self.graph.weights[self.b]), self.tail(self.b)
        assert self.graph.indices[self.b] == self.a
        old = float(self.dist[self.k][self.a])
        assert self.c < old
        start = self.c - weight
        said: list[Token] = [self.name(tail), start, start, weight, old]
        said += [self.name(self.a), self.c]
        return [*said, *self.whither()]

    def tail(self, arc: int) -> int:
        return int(np.searchsorted(self.graph.indptr, arc, side="right")) - 1

    def next_of_worker(self) -> dict[int, int]:
        """Kinds that the worker records about this vertex before its next arc, and buckets."""
        out: dict[int, int] = {}
        for j in range(self.k + 1, self.ledger.e):
            kind = int(self.ledger.kind[j])
            if self.ledger.worker[j] == self.worker:
                if kind in (K.RELAX, K.IMPROVE, K.FINISH, K.POP, K.ROUND_DONE):
                    break
                if self.ledger.a[j] == self.a:
                    out.setdefault(kind, int(self.ledger.b[j]))
                if kind in (K.PUSH, K.STAY, K.COLLECT):
                    break
        return out

    def whither(self) -> list[Token]:
        soon = self.next_of_worker()
        if K.PUSH in soon:
            left = self.place(soon[K.LEAVE]) if K.LEAVE in soon else []
            return [*left, *self.place(soon[K.PUSH])]
        if K.STAY in soon or K.COLLECT in soon or ALGORITHMS[self.key].result == "matrix":
            return []
        waits = [entry[0] for entry in self.ledger.entries[self.k] if entry[1] == self.a]
        return [] if self.key in NAMED else [*waits[:1]]

    def stay(self) -> list[Token]:
        assert self.c == self.dist[self.k][self.a]
        return [self.name(self.a), self.c, *self.place(), *self.who]

    def collect(self) -> list[Token]:
        assert self.c == self.dist[self.k][self.a]
        return [self.name(self.a), self.c, *self.who]

    def clip(self) -> list[Token]:
        now = {name: values[self.k] for name, values in self.ledger.numbers.items()}
        assert self.b == now["head"] + self.ledger.ring - 1
        assert self.c >= now["base"] + self.ledger.ring * now["delta"]
        return [self.name(self.a), self.c, *self.place()]

    def leave(self) -> list[Token]:
        assert self.c == self.dist[self.k][self.a]
        return [self.name(self.a), self.c, *self.place()]

    def defer(self) -> list[Token]:
        heavy = self.arcs(self.a)[1]
        return [self.name(self.a), *([heavy, *self.place()] if heavy else [])]

    def resume(self) -> list[Token]:
        assert self.c == self.dist[self.k][self.a]
        heavy = self.arcs(self.a)[1]
        return [*self.who, self.name(self.a), self.c, *([heavy] if heavy else [])]

    def after(self, field: int) -> float:
        """A pointer of this event's bucket just after it."""
        slot = self.b % self.ledger.ring
        return self.ledger.pointers(slot)[field][self.k + 1]

    def reserve(self) -> list[Token]:
        assert (
            self.after(0)
            == self.a + 1
            == self.ledger.pointers(self.b % self.ledger.ring)[0][self.k] + 1
        )
        return [*self.who, self.a, *self.place(), self.after(0)]

    def written(self) -> list[Token]:
        return [self.a, *self.place(), self.after(1)]

    def assign(self) -> list[Token]:
        count = [] if self.c == 1 else [self.c]
        return [*self.who, *count, self.a, *self.place(), self.after(2)]

    def finish(self) -> list[Token]:
        assert self.ledger.hands[self.worker]["count"][self.k] == self.a
        done = self.ledger.pointers(self.b % self.ledger.ring)[3][self.k]
        assert self.after(3) == done + self.a
        return [*self.who, self.a, *self.place(), self.after(3), self.after(0)]

    def head(self) -> list[Token]:
        before = int(self.ledger.numbers["head"][self.k])
        if not self.ledger.ring:
            return [before, self.a, self.c]
        slot = before % self.ledger.ring
        reserved, _, _, completed = (p[self.k] for p in self.ledger.pointers(slot))
        assert reserved == completed
        return [before, completed, self.a, self.c]

    def delta(self) -> list[Token]:
        if self.a == Reason.START:
            return [self.c, *([self.b] if self.ledger.ring else [])]
        return [self.ledger.numbers["delta"][self.k], self.c]

    def open(self) -> list[Token]:
        return [self.a]

    def block_taken(self) -> list[Token]:
        return [self.b, self.a]

    def block_freed(self) -> list[Token]:
        return [self.a, self.b]

    def in_hand(self, k: int) -> int:
        """How many vertices a superstep that begins after k events has."""
        head = int(self.ledger.numbers["head"][k])
        here = 0 if self.key in NAMED else head
        waits = sum(n for entry, n in self.ledger.entries[k].items() if entry[0] == here)
        return waits or len(self.ledger.deferred[k])

    def superstep(self) -> list[Token]:
        assert self.b == self.in_hand(self.k)
        if not np.isfinite(self.c):
            return [self.a, self.b]
        head = self.place(int(self.ledger.numbers["head"][self.k]))
        return [self.a, self.b, *head, self.c]

    def barrier(self) -> list[Token]:
        assert self.b == self.in_hand(self.k)
        return [self.a, *([self.b] if self.b else [])]

    def split(self) -> list[Token]:
        before = self.ledger.numbers["threshold"][self.k]
        return [before, self.c, self.a, *([self.b] if self.b else [])]

    def phase(self) -> list[Token]:
        return [*self.place(), self.ledger.numbers["delta"][self.k]]

    def source(self) -> list[Token]:
        return [*self.who, self.name(self.a), 0.0, np.inf]

    def round(self) -> list[Token]:
        if self.c:
            assert self.c == self.graph.m
        return [*self.who, self.b, self.name(self.a), *([self.c] if self.c else [])]

    def round_done(self) -> list[Token]:
        return [*self.who, self.b, self.name(self.a)]

    def source_done(self) -> list[Token]:
        ours = self.ledger.are(K.ROUND) & (self.ledger.a == self.a)
        assert ours.sum() == self.b
        return [*self.who, self.name(self.a), self.b]

    def edge(self) -> list[Token]:
        return [*self.who, self.c]

    def end(self) -> list[Token]:
        return [self.ledger.processed[self.k].sum(), self.ledger.relaxed[self.k].sum()]

    def sample(self) -> list[Token]:
        return [self.a]


def check(
    graph: CSRGraph, key: str, kinds: Collection[EventKind] = tuple(EventKind), **more: Any
) -> Counter[EventKind]:
    """Tell a run and judge each sentence of some kinds; return how many of each there were."""
    trace = gpu.run(graph, key, "model", probe=3, **{"device": "Classroom GPU", **more})
    replay, row = Replay.of(graph, trace), ALGORITHMS[key]
    ledger, told = Ledger(graph, replay.events, replay.state.ring), Counter[EventKind]()
    for k in range(len(replay)):
        kind = EventKind(int(replay.events["kind"][k]))
        if kind not in kinds:
            continue
        told[kind] += 1
        said = explain(graph, replay.go(k), replay.events, k, row)
        wanted = Facts(graph, ledger, row.key, k).wanted()
        assert agree(tokens(said), wanted), f"{key}, {graph.name}, event {k}: {said} {wanted}"
        assert holds(said), f"{key}, {graph.name}, event {k}: {said}"
        assert re.fullmatch(r"[^\n]{12,140}\.", said), said
        if "not reached yet:" in said:
            assert not np.isfinite(ledger.dist[int(ledger.source_of[k])][k][ledger.b[k]]), said
    return told


def graphs(key: str) -> Iterator[tuple[CSRGraph, dict[str, Any]]]:
    """Figures 1 and 6, and random graphs, with what to run them with."""
    yield open_sample("sample:figure_1"), {"delta": 4.0} if find(key).bucketed else {}
    yield open_sample("sample:figure_6"), {"delta": 8.0} if find(key).bucketed else {}
    for seed in range(GRAPHS):
        yield small_graph(seed, find(key).result == "matrix"), settings_of(key, seed)


@pytest.fixture(scope="module")
def told() -> Counter[EventKind]:
    """Collect the kinds that all tests of this module have told."""
    return Counter()


@pytest.mark.parametrize("key", MODELLED)
def test_every_number_of_every_sentence_is_true(key: str, told: Counter[EventKind]) -> None:
    for graph, more in graphs(key):
        kinds = check(graph, key, **more)
        assert kinds[K.END] == 1
        told += kinds


def test_every_kind_of_event_is_told(told: Counter[EventKind]) -> None:
    ring = {"buckets": 4}
    clipped = check(open_sample("sample:figure_6"), "adds_static", delta=1.0, parameters=ring)
    assert clipped[K.CLIP] > 0
    told += clipped
    tails, heads = np.repeat([0, 1], [30, 29]), np.r_[1:31, 2:31]
    weights = np.array([1] + [100] * 29 + [1] * 29, np.int32)
    late = CSRGraph.from_arcs(tails, heads, weights, 31)  # some are improved before their turn
    skipped = check(late, "bellman_ford")
    assert skipped[K.SKIP] > 0
    told += skipped
    full = open_sample(f"sample:star?n={2 * BLOCK_WORDS}")  # more than a block holds
    pool = (K.BLOCK_TAKEN, K.BLOCK_FREED, K.OPEN)
    kinds = check(full, "adds_static", pool, delta=1e6)
    assert kinds[K.BLOCK_FREED] > 0
    told += kinds
    if K.SOURCE in told and K.SPLIT in told:  # the tests above ran as well
        assert not [kind.name for kind in EventKind if not told[kind]]


def test_a_false_number_is_found() -> None:
    assert tokens("u=A at 16: 16 + 70 = 1,086 for v=E, below ∞.") == [
        "A", 16.0, 16.0, 70.0, 1086.0, "E", np.inf,
    ]  # fmt: skip
    assert not agree([1.0, "A"], [1.0, "B"])
    assert not agree([1.0], [1.001])
    assert not holds("16 + 70 = 87 for v=E")
    assert not holds("1 + 1 = 2 < 2: an improvement")
    assert apart(3.5802512, 3.5802519) == ("3.580251", "3.580252")
    assert apart(2.0, np.inf) == ("2", "∞")
