"""The state of a run by counting: what `gpu.record.events` says, looked up in the events before.

`gpu.replay.replay` keeps a state up to date, one event after the other. This does not: each entry
of the state is *defined* here, as "how often", "the last that" or "entered and has not left", over
the events before a position, for all positions at once. Nothing is shared with the replay but the
meaning of the kinds of event; `tests/replay/test_replay_states.py` compares the two at every event.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from gpu.graph import CSRGraph
from gpu.record.events import MANAGER, EventKind
from gpu.replay.replay import (
    Hand,
    Item,
    Pointers,
    State,
)

K = EventKind
ENTER, TAKE = (K.PUSH, K.STAY), (K.POP, K.STALE, K.SKIP, K.LEAVE)
POINTERS = ("reserved", "written", "read", "completed")
Entry = tuple[int, int, float, int]  # bucket, vertex, distance, whose


class Ledger:
    """Answers for every position 0 ... e among EVENT (e,) of a run on `graph`."""

    def __init__(self, graph: CSRGraph, events: np.ndarray, ring: int) -> None:
        self.graph, self.ring, self.e = graph, ring, len(events)
        self.t_ns, self.kind, self.worker = (
            events[k].astype(int) for k in ("t_ns", "kind", "worker")
        )
        self.a, self.b, self.c = events["a"].astype(int), events["b"].astype(int), events["c"]
        self._of_kind = {kind: self.kind == kind for kind in EventKind}

    # --- the three ways to ask

    def are(self, *kinds: EventKind) -> np.ndarray:
        """Return which events are of these kinds, bool (e,)."""
        return np.logical_or.reduce([self._of_kind[kind] for kind in kinds])

    def number(self, which: np.ndarray) -> np.ndarray:
        """How many of these have happened, int (e + 1,)."""
        return np.concatenate([[0], np.cumsum(which)])

    def times(self, which: np.ndarray, of: np.ndarray, size: int) -> np.ndarray:
        """How often each of `size` things was concerned, int (e + 1, size)."""
        out = np.zeros((self.e + 1, size), int)
        out[np.flatnonzero(which) + 1, of[which]] = 1
        return out.cumsum(axis=0)

    def when(self, which: np.ndarray) -> np.ndarray:
        """The last of these that has happened, -1 where none has, int (e + 1,)."""
        return np.maximum.accumulate(np.concatenate([[-1], np.where(which, range(self.e), -1)]))

    def last(self, which: np.ndarray, value: np.ndarray, start: float) -> np.ndarray:
        """What the last of these said, `start` where none has happened, (e + 1,)."""
        at = self.when(which)
        return np.where(at < 0, start, value[at])

    # --- numbers of the whole run

    @cached_property
    def numbers(self) -> dict[str, np.ndarray]:
        """Every field of a State that is one number, each (e + 1,)."""
        manager, delta, opened = self.worker == MANAGER, self.are(K.DELTA), self.are(K.OPEN)
        split, head, phase = self.are(K.SPLIT), self.are(K.HEAD), self.are(K.PHASE) & manager
        splits, step = self.number(split), self.are(K.SUPERSTEP)
        return {
            "t_ns": self.last(self.kind > 0, self.t_ns, 0),
            "delta": self.last(delta, self.c, 0),
            "reason": self.last(delta | opened, np.where(opened, self.b, self.a), 0),
            "open_heads": self.last(delta | opened, np.where(opened, self.a, self.b), 1),
            "base": self.last(head, self.c, 0),
            "head": splits + self.last(head | phase, np.where(phase, self.b, self.a), 0),
            "switches": splits + self.last(head, self.b, 0),
            "round": self.last(step, self.a, -1),
            "threshold": self.last(step | split, self.c, 0),
            "phase": self.last(phase, self.a, -1),
            "sources_done": self.number(self.are(K.SOURCE_DONE)),
            "samples": self.last(self.are(K.SAMPLE), self.a, -1) + 1,
            "pushes": self.number(self.are(*ENTER)),
            "improved": self.number(self.are(K.IMPROVE)),
            "stale": self.number(self.are(K.STALE, K.SKIP)),
            "ended": self.number(self.are(K.END)) > 0,
        }

    # --- vertices and arcs

    @cached_property
    def processed(self) -> np.ndarray:
        """How often each vertex was taken; a round over every arc takes all, int (e + 1, n)."""
        whole = self.number(self.are(K.ROUND_DONE) & (self.c > 0))
        return self.times(self.are(K.POP), self.a, self.graph.n) + whole[:, None]

    @cached_property
    def relaxed(self) -> np.ndarray:
        """How often each arc was examined, int (e + 1, m)."""
        return self.times(self.are(K.RELAX), self.a, self.graph.m)

    @cached_property
    def waiting(self) -> np.ndarray:
        """Entries of each vertex that nobody took yet, int (e + 1, n)."""
        n = self.graph.n
        return self.times(self.are(*ENTER), self.a, n) - self.times(self.are(*TAKE), self.a, n)

    @cached_property
    def source_of(self) -> np.ndarray:
        """The source that the acting worker works for at each event, -1 none, int (e,)."""
        out = np.full(self.e, -1)
        for worker in set(self.worker):
            begun = self.last(self.are(K.SOURCE) & (self.worker == worker), self.a, -1)[:-1]
            mine = self.worker == worker
            out[mine] = begun[mine]
        return out

    @cached_property
    def dist(self) -> dict[int, np.ndarray]:
        """Tentative distances by source (-1: the only one), each float64 (e + 1, n)."""
        rows = {}
        for source in {-1, *self.a[self.are(K.SOURCE)].tolist()}:
            rows[source] = np.full((self.e + 1, self.graph.n), np.inf)
            ours = self.source_of == source
            for vertex in range(self.graph.n):
                improved = self.are(K.IMPROVE) & ours & (self.a == vertex)
                rows[source][:, vertex] = self.last(improved, self.c, np.inf)
            begins = np.flatnonzero((self.are(K.SOURCE) & (self.a == source)) | self._first(source))
            for begin in begins:
                rows[source][begin + 1 :, self.a[begin]] = 0.0
        return rows

    def _first(self, source: int) -> np.ndarray:
        """Return the push of the only source: the first push of all."""
        first = np.zeros(self.e, bool)
        pushes = np.flatnonzero(self.are(K.PUSH))
        if source < 0 and not self.are(K.SOURCE).any() and len(pushes):
            first[pushes[0]] = True
        return first

    # --- what waits where

    @cached_property
    def entries(self) -> list[Counter[Entry]]:
        """What entered each bucket and has not left, at every position."""
        out: list[Counter[Entry]] = [Counter()]
        for k in range(self.e):
            kind, vertex, bucket, who = self.kind[k], self.a[k], self.b[k], self.worker[k]
            held = out[-1]
            if kind in ENTER:
                owner = who if kind == K.STAY else MANAGER
                held = held + Counter([(bucket, vertex, float(self.c[k]), owner)])
            elif kind in TAKE:
                held = held - Counter([self._taken(held, k)])
            elif kind == K.ASSIGN:
                given = self._handed_out(k)
                held = held - Counter((*entry, MANAGER) for entry in given)
                held = held + Counter((*entry, who) for entry in given)
            elif kind == K.SPLIT:
                far = [entry for entry in held.elements() if entry[0] == 1]
                near = [entry for entry in far if self.dist[-1][k][entry[1]] < self.c[k]]
                assert (len(near), len(far) - len(near)) == (self.a[k], self.b[k])
                held = held - Counter(near) + Counter((0, *entry[1:]) for entry in near)
            out.append(held)
        return out

    def _taken(self, held: Counter[Entry], k: int) -> Entry:
        """The entry that a take means: the worker's own first, then that of its distance."""
        fits = [entry for entry in held if entry[:2] == (self.b[k], self.a[k])]
        assert fits, "an item is taken that was not there"
        exact = self.c[k] if self.kind[k] in (K.POP, K.STALE) else None
        return min(fits, key=lambda entry: (entry[3] != self.worker[k], entry[2] != exact))

    def _handed_out(self, k: int) -> list[tuple[int, int, float]]:
        """Bucket, vertex, distance of the places that an ASSIGN hands out."""
        places = range(self.a[k], self.a[k] + int(self.c[k]))
        return [self.at_place[(self.b[k], place)] for place in places]

    @cached_property
    def at_place(self) -> dict[tuple[int, int], tuple[int, int, float]]:
        """What was written to each place of each bucket of a ring."""
        out = {}
        for k in np.flatnonzero(self.are(K.PUSH)):
            earlier = np.flatnonzero(self.are(K.RESERVE)[:k] & (self.worker[:k] == self.worker[k]))
            if len(earlier):
                place = (int(self.b[k]), int(self.a[earlier[-1]]))
                out[place] = (self.b[k], self.a[k], float(self.c[k]))
        return out

    @cached_property
    def places(self) -> list[int]:
        """Slots of the ring, or buckets where there is none, that anything enters."""
        buckets = self.b[self.are(K.PUSH)]
        return sorted(set((buckets % self.ring if self.ring else buckets).tolist()))

    def pointers(self, place: int) -> list[list[float]]:
        """Reserved, written, read, completed of a slot or bucket: 4 columns of e + 1 rows."""
        if not self.ring:
            pushed = self.number(self.are(K.PUSH) & (self.b == place)).tolist()
            return [pushed, pushed, [0] * (self.e + 1), [0] * (self.e + 1)]
        here = self.b % self.ring == place
        reserved = self.last(self.are(K.RESERVE) & here, self.a + 1, 0)
        written = self.last(self.are(K.WRITTEN) & here, self.c, 0)
        read = self.last(self.are(K.ASSIGN) & here, self.a + self.c, 0)
        completed = self.last(self.are(K.FINISH) & here, self.c, 0)
        return [column.tolist() for column in (reserved, written, read, completed)]

    def held_blocks(self, place: int) -> list[set[int]]:
        """Blocks of the pool that a slot was given and has not given back."""
        out: list[set[int]] = [set()]
        for k in range(self.e):
            held = out[-1]
            if self.ring and self.b[k] % self.ring == place:
                if self.kind[k] == K.BLOCK_TAKEN:
                    held = held | {int(self.a[k])}
                elif self.kind[k] == K.BLOCK_FREED:
                    held = held - {int(self.a[k])}
            out.append(held)
        return out

    @cached_property
    def written_at(self) -> dict[tuple[int, int], int]:
        """When each place of each bucket of a ring was written: number of the event."""
        done = np.flatnonzero(self.are(K.WRITTEN))
        return {(int(self.b[k]), int(self.a[k])): int(k) for k in done}

    @cached_property
    def deferred(self) -> list[set[tuple[int, int]]]:
        """Buckets and vertices whose heavy arcs wait: put off since the last head, not begun."""
        out: list[set[tuple[int, int]]] = [set()]
        for k in range(self.e):
            held, one = out[-1], (int(self.b[k]), int(self.a[k]))
            if self.kind[k] == K.HEAD:
                held = set()
            elif self.kind[k] == K.DEFER:
                held = held | {one}
            elif self.kind[k] == K.RESUME:
                held = held - {one}
            out.append(held)
        return out

    # --- workers

    @cached_property
    def hands(self) -> dict[int, dict[str, np.ndarray]]:
        """What each worker holds: fields of a Hand, each (e + 1,)."""
        return {worker: self._hand(self.worker == worker) for worker in set(self.worker.tolist())}

    def _hand(self, mine: np.ndarray) -> dict[str, np.ndarray]:
        assigned, source = mine & self.are(K.ASSIGN), mine & self.are(K.SOURCE)
        vertex, arc = mine & self.are(K.POP, K.RESUME, K.RELAX), mine & self.are(K.RELAX)
        put_down = mine & self.are(K.ASSIGN, K.FINISH, K.SOURCE, K.SOURCE_DONE, K.ROUND_DONE)
        put_down |= self.are(K.BARRIER, K.END)
        has_piece = self.when(assigned) > self.when(mine & self.are(K.FINISH))
        in_hand = self.when(vertex) > self.when(put_down)
        heavy = mine & self.are(K.PHASE, K.SOURCE, K.SOURCE_DONE) & (self.worker != MANAGER)
        took = self.number(mine & self.are(K.POP, K.STALE))
        return {
            "bucket": np.where(has_piece, self.last(assigned, self.b, -1), -1),
            "first": np.where(has_piece, self.last(assigned, self.a, 0), 0),
            "count": np.where(has_piece, self.last(assigned, self.c, 0), 0),
            "vertex": np.where(in_hand, self.last(vertex, np.where(arc, self.b, self.a), -1), -1),
            "arc": np.where(
                in_hand & (self.when(arc) == self.when(vertex)), self.last(arc, self.a, -1), -1
            ),
            "source": np.where(
                self.when(source) > self.when(mine & self.are(K.SOURCE_DONE)),
                self.last(source, self.a, -1),
                -1,
            ),
            "taken": np.where(has_piece, took - took[self.when(assigned) + 1], 0),
            "heavy": self.last(heavy, np.where(self.kind == K.PHASE, self.a, 0), 0),
        }

    def collected(self, worker: int) -> list[Counter[tuple[int, float]]]:
        """What a worker has set aside and not yet written."""
        out: list[Counter[tuple[int, float]]] = [Counter()]
        for k in range(self.e):
            held, one = out[-1], (int(self.a[k]), float(self.c[k]))
            if self.worker[k] == worker and self.kind[k] == K.COLLECT:
                held = held + Counter([one])
            elif self.worker[k] == worker and self.kind[k] == K.PUSH:
                held = held - Counter([one])
            out.append(held)
        return out

    @cached_property
    def rounds(self) -> dict[int, np.ndarray]:
        """All pairs: rounds begun for each source, each (e + 1,)."""
        of_source = self.are(K.SOURCE, K.ROUND, K.SOURCE_DONE)
        begun = np.where(self.are(K.ROUND), self.b + 1, np.where(self.are(K.SOURCE), 0, self.b))
        sources = set(self.a[self.are(K.SOURCE)].tolist())
        return {s: self.last(of_source & (self.a == s), begun, -1) for s in sources}

    # --- all of it against a state

    @cached_property
    def facts(self) -> list[dict[str, Any]]:
        """Everything at every position, in plain Python, keyed as `seen` does."""
        columns: dict[str, Sequence[Any]] = {k: v.tolist() for k, v in self.numbers.items()}
        for name in ("processed", "relaxed", "waiting"):
            columns[name] = getattr(self, name).tolist()
        columns |= {f"dist from {s}": rows.tolist() for s, rows in self.dist.items()}
        columns |= {f"rounds of {s}": rounds.tolist() for s, rounds in self.rounds.items()}
        columns |= {"entries": self.entries, "deferred": self.deferred}
        columns["wrong places"] = [[]] * (self.e + 1)
        for place in self.places:
            for name, values in zip(POINTERS, self.pointers(place), strict=True):
                columns[f"{name} at {place}"] = values
            columns[f"blocks at {place}"] = self.held_blocks(place)
        for worker, fields in self.hands.items():
            columns |= {f"{name} of {worker}": v.tolist() for name, v in fields.items()}
            columns[f"set aside by {worker}"] = self.collected(worker)
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def seen(self, state: State, k: int) -> dict[str, Any]:
        """Return what a State says, in the words of `facts`."""
        said = {name: getattr(state, name) for name in self.numbers}
        for name in ("processed", "relaxed", "waiting"):
            said[name] = getattr(state, name).tolist()
        unreached = [np.inf] * self.graph.n
        for source in self.dist:
            row = state.dist if source < 0 else state.rows.get(source)
            said[f"dist from {source}"] = unreached if row is None else row.tolist()
        said |= {f"rounds of {s}": state.rounds.get(s, -1) for s in self.rounds}
        items = [(b, item) for b, held in state.buckets.items() for item in held]
        said["entries"] = Counter((b, i.vertex, i.dist, i.worker) for b, i in items if not i.taken)
        said["deferred"] = {(b, vertex) for b, held in state.deferred.items() for vertex in held}
        said["wrong places"] = [i for b, i in items if self.ring and not self._is_right(b, i, k)]
        pointers = {b % self.ring if self.ring else b: p for b, p in state.pointers.items()}
        for place in self.places:
            p = pointers.get(place, Pointers())
            said |= {f"{name} at {place}": getattr(p, name) for name in POINTERS}
            said[f"blocks at {place}"] = set(p.blocks)
        done = Counter(item.worker for _, item in items if item.taken)
        for worker, fields in self.hands.items():
            hand = state.workers.get(worker, Hand())
            said |= {f"{name} of {worker}": getattr(hand, name, 0) for name in fields}
            said[f"taken of {worker}"] = done[worker]
            said[f"set aside by {worker}"] = Counter(hand.collected)
        return said

    def _is_right(self, bucket: int, item: Item, k: int) -> bool:
        """Whether an item stands where it was put, and is written if its write has happened."""
        if item.place < 0:
            return item.written
        at = (bucket, item.place)
        written = self.written_at[at] < k
        return self.at_place[at] == (bucket, item.vertex, item.dist) and item.written == written

    def wrong(self, state: State, k: int) -> list[str]:
        """Return the fields of a State after k events that are not what the events say."""
        seen, facts = self.seen(state, k), self.facts[k]
        if seen == facts:
            return []
        return [name for name in facts | seen if seen.get(name) != facts.get(name)]
