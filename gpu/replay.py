"""The state of a run at any of its events, forwards and backwards; no Qt.

A `Replay` applies the events of probe level 3 one after the other to a `State`: tentative
distances, what waits in which bucket and at which place, what every worker holds, the manager's
pointers, and how often each arc was relaxed. It knows nothing of any algorithm: the events carry
all of it (`gpu.events`).

Backwards   goes by check points: a copy of the state every `SPACING` events, and forward from
            there. n steps back and n forward therefore change nothing; tests compare every
            state with the one replayed from the start.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field

import numpy as np

from gpu.errors import ParameterError
from gpu.events import MANAGER, EventKind
from gpu.graph import CSRGraph

SPACING = 256  # events between two check points
MOST_POINTS = 512  # check points kept; the spacing grows with the trace


@dataclass
class Item:
    """One entry of a bucket's queue or of a pile."""

    place: int
    vertex: int
    dist: float
    written: bool = True  # ADDS: the write is complete (its segment's WCC counts it)
    worker: int = MANAGER  # whom it was assigned to
    taken: bool = False


@dataclass
class Pointers:
    """The manager's counters of one bucket (ADDS), or just what came and went."""

    reserved: int = 0  # resv_ptr: places given to writers
    written: int = 0  # sum of the segments' write-completed counters, WCC
    read: int = 0  # read_ptr: places handed to workers
    completed: int = 0  # completed work counter, CWC
    blocks: list[int] = field(default_factory=list)


@dataclass
class Hand:
    """What a worker holds; `bucket` -1 where it is idle."""

    bucket: int = -1
    first: int = 0
    count: int = 0
    vertex: int = -1
    arc: int = -1
    source: int = -1  # all pairs

    @property
    def idle(self) -> bool:
        """Whether its assignment flag says that it may be given work."""
        return self.bucket < 0 and self.source < 0


@dataclass
class State:
    """Everything that a microscope draws, after some events.

    dist : float64 (n,), inf where unreached (all pairs: of the source shown)
    processed : int64 (n,), times taken    relaxed : int64 (m,), times examined
    waiting : int64 (n,), entries of the vertex that were not taken yet
    buckets : bucket -> entries not finished, in order of place
    """

    dist: np.ndarray
    processed: np.ndarray
    relaxed: np.ndarray
    waiting: np.ndarray
    buckets: dict[int, list[Item]] = field(default_factory=dict)
    pointers: dict[int, Pointers] = field(default_factory=dict)
    workers: dict[int, Hand] = field(default_factory=dict)
    t_ns: int = 0
    delta: float = 0.0
    reason: int = 0
    open_heads: int = 1
    head: int = 0
    base: float = 0.0
    switches: int = 0
    round: int = -1
    threshold: float = 0.0
    phase: int = -1
    sources_done: int = 0
    rounds: dict[int, int] = field(default_factory=dict)  # all pairs: of each source
    pushes: int = 0
    improved: int = 0
    stale: int = 0
    ended: bool = False
    _reserved_by: dict[int, tuple[int, int]] = field(default_factory=dict)

    @property
    def total_processed(self) -> int:
        """Vertices taken from work lists so far."""
        return int(self.processed.sum())

    def occupancy(self, bucket: int) -> int:
        """Return how many entries of a bucket wait: not handed out, not taken."""
        return sum(
            not item.taken and item.worker == MANAGER for item in self.buckets.get(bucket, ())
        )

    def vertex_state(self, vertex: int) -> str:
        """Return "unreached", "waiting", "in work" or "done for now"."""
        if any(hand.vertex == vertex for hand in self.workers.values()):
            return "in work"
        if self.waiting[vertex] > 0:
            return "waiting"
        return "done for now" if np.isfinite(self.dist[vertex]) else "unreached"


class Replay:
    """Events of one run with a position among them; `state` is after `position` events."""

    def __init__(self, graph: CSRGraph, events: np.ndarray, delta: float = 0.0) -> None:
        """Take EVENT (e,) of a run on `graph`; `delta`: the first, weight units."""
        if len(events) == 0:
            raise ParameterError("no events: run with probe level 3 on the model engine")
        self.graph, self.events = graph, events
        self.position = 0
        self.state = State(
            np.full(graph.n, np.inf),
            np.zeros(graph.n, np.int64),
            np.zeros(graph.m, np.int64),
            np.zeros(graph.n, np.int64),
            delta=delta,
        )
        self._spacing = max(SPACING, -(-len(events) // MOST_POINTS))
        self._points: dict[int, State] = {0: copy.deepcopy(self.state)}

    def __len__(self) -> int:
        return len(self.events)

    def go(self, position: int) -> State:
        """Move to just after `position` events, clamped; return the state there."""
        position = min(max(position, 0), len(self.events))
        if position < self.position or position - self.position > 2 * self._spacing:
            start = max(
                (k for k in self._points if k <= position),
                default=0,
            )
            if position < self.position or start > self.position:
                self.state, self.position = copy.deepcopy(self._points[start]), start
        while self.position < position:
            apply(self.state, self.graph, self.events[self.position])
            self.position += 1
            if self.position % self._spacing == 0 and self.position not in self._points:
                self._points[self.position] = copy.deepcopy(self.state)
        return self.state

    def step(self, count: int = 1) -> State:
        """Move by so many events, negative backwards."""
        return self.go(self.position + count)

    def at_time(self, t_ns: float) -> int:
        """Return the position after every event up to an instant."""
        return int(np.searchsorted(self.events["t_ns"], t_ns, side="right"))

    def find(self, kind: EventKind, direction: int = 1) -> int:
        """Return the position just after the next (or last) event of a kind, else the end."""
        if direction > 0:
            ahead = np.flatnonzero(self.events["kind"][self.position :] == kind)
            return self.position + int(ahead[0]) + 1 if len(ahead) else len(self.events)
        before = np.flatnonzero(self.events["kind"][: max(self.position - 1, 0)] == kind)
        return int(before[-1]) + 1 if len(before) else 0


def apply(state: State, graph: CSRGraph, event: np.void) -> None:
    """Advance a state by one event."""
    state.t_ns = int(event["t_ns"])
    worker, a, b, c = (int(event["worker"]), int(event["a"]), int(event["b"]), float(event["c"]))
    _APPLY[EventKind(int(event["kind"]))](state, graph, worker, a, b, c)


def _pointers(state: State, bucket: int) -> Pointers:
    return state.pointers.setdefault(bucket, Pointers())


def _hand(state: State, worker: int) -> Hand:
    return state.workers.setdefault(worker, Hand())


def _push(state: State, _g: CSRGraph, worker: int, a: int, b: int, c: float) -> None:
    pointers = _pointers(state, b)
    place = state._reserved_by.pop(worker, None)
    if place is None or place[0] != b:
        pointers.reserved += 1
        pointers.written += 1
        state.buckets.setdefault(b, []).append(Item(pointers.reserved - 1, a, c))
    else:
        state.buckets.setdefault(b, []).append(Item(place[1], a, c, written=False))
    state.waiting[a] += 1
    state.pushes += 1
    if not np.isfinite(state.dist[a]):
        state.dist[a] = c  # the source, which no arc improves


def _take(state: State, worker: int, a: int, b: int) -> None:
    """Take the vertex's first entry that this worker may take."""
    items = state.buckets.get(b, [])
    mine = [k for k, item in enumerate(items) if item.vertex == a and not item.taken]
    held = [k for k in mine if items[k].worker == worker]
    for k in (held or mine)[:1]:
        items[k].taken = True
        state.waiting[a] -= 1
        if items[k].worker == MANAGER:
            del items[k]


def _pop(state: State, _g: CSRGraph, worker: int, a: int, b: int, c: float) -> None:
    _take(state, worker, a, b)
    state.processed[a] += 1
    hand = _hand(state, worker)
    hand.vertex, hand.arc = a, -1


def _stale(state: State, _g: CSRGraph, worker: int, a: int, b: int, c: float) -> None:
    _take(state, worker, a, b)
    state.stale += 1


def _relax(state: State, _g: CSRGraph, worker: int, a: int, b: int, c: float) -> None:
    state.relaxed[a] += 1
    hand = _hand(state, worker)
    hand.vertex, hand.arc = b, a


def _improve(state: State, _g: CSRGraph, worker: int, a: int, b: int, c: float) -> None:
    state.dist[a] = c
    state.improved += 1


def _reserve(state: State, _g: CSRGraph, worker: int, a: int, b: int, c: float) -> None:
    _pointers(state, b).reserved = max(_pointers(state, b).reserved, a + 1)
    state._reserved_by[worker] = (b, a)


def _written(state: State, _g: CSRGraph, worker: int, a: int, b: int, c: float) -> None:
    _pointers(state, b).written += 1
    for item in state.buckets.get(b, ()):
        if item.place == a:
            item.written = True


def _assign(state: State, _g: CSRGraph, worker: int, a: int, b: int, c: float) -> None:
    count = int(c)
    hand = _hand(state, worker)
    hand.bucket, hand.first, hand.count, hand.vertex, hand.arc = b, a, count, -1, -1
    _pointers(state, b).read = a + count
    for item in state.buckets.get(b, ()):
        if a <= item.place < a + count:
            item.worker = worker


def _finish(state: State, _g: CSRGraph, worker: int, a: int, b: int, c: float) -> None:
    _pointers(state, b).completed = int(c)
    hand = _hand(state, worker)
    kept = [i for i in state.buckets.get(b, []) if not (i.worker == worker and i.taken)]
    if b in state.buckets:
        state.buckets[b] = kept
    hand.count -= a
    if hand.count <= 0:
        state.workers[worker] = Hand()


def _head(state: State, _g: CSRGraph, worker: int, a: int, b: int, c: float) -> None:
    for bucket in [k for k in state.buckets if k < a and not state.buckets[k]]:
        del state.buckets[bucket]
    state.head, state.switches, state.base = a, b, c


def _delta(state: State, _g: CSRGraph, worker: int, a: int, b: int, c: float) -> None:
    state.delta, state.reason, state.open_heads = c, a, b


def _open(state: State, _g: CSRGraph, worker: int, a: int, b: int, c: float) -> None:
    state.open_heads, state.reason = a, b


def _block_taken(state: State, _g: CSRGraph, worker: int, a: int, b: int, c: float) -> None:
    _pointers(state, b).blocks.append(a)


def _block_freed(state: State, _g: CSRGraph, worker: int, a: int, b: int, c: float) -> None:
    blocks = _pointers(state, b).blocks
    if a in blocks:
        blocks.remove(a)


def _superstep(state: State, _g: CSRGraph, worker: int, a: int, b: int, c: float) -> None:
    state.round, state.threshold = a, c


def _barrier(state: State, _g: CSRGraph, worker: int, a: int, b: int, c: float) -> None:
    for number in state.workers:
        state.workers[number] = Hand()


def _split(state: State, _g: CSRGraph, worker: int, a: int, b: int, c: float) -> None:
    """Near-Far: entries of far (bucket 1) under the new threshold move to near (0)."""
    moved, kept = [], []
    for item in state.buckets.get(1, []):
        dist = state.dist[item.vertex]
        (moved if state.threshold <= dist < c else kept if dist >= c else []).append(item)
    for item in state.buckets.get(1, []):
        if state.dist[item.vertex] < state.threshold:
            state.waiting[item.vertex] -= 1  # improved into near since: this entry is dropped
    state.buckets[1] = kept
    state.buckets[0] = [*state.buckets.get(0, []), *moved]
    state.threshold = c
    state.switches += 1


def _phase(state: State, _g: CSRGraph, worker: int, a: int, b: int, c: float) -> None:
    state.phase, state.head = a, b


def _source(state: State, _g: CSRGraph, worker: int, a: int, b: int, c: float) -> None:
    hand = _hand(state, worker)
    hand.source = a
    state.rounds[a] = 0


def _round(state: State, _g: CSRGraph, worker: int, a: int, b: int, c: float) -> None:
    state.rounds[a] = b + 1


def _source_done(state: State, _g: CSRGraph, worker: int, a: int, b: int, c: float) -> None:
    state.workers[worker] = Hand()
    state.rounds[a] = b
    state.sources_done += 1


def _end(state: State, _g: CSRGraph, worker: int, a: int, b: int, c: float) -> None:
    state.ended = True
    for number in state.workers:
        state.workers[number] = Hand()


def _clip(state: State, _g: CSRGraph, worker: int, a: int, b: int, c: float) -> None:
    """A mark only: the push itself follows."""


_APPLY = {
    EventKind.PUSH: _push,
    EventKind.POP: _pop,
    EventKind.STALE: _stale,
    EventKind.RELAX: _relax,
    EventKind.IMPROVE: _improve,
    EventKind.CLIP: _clip,
    EventKind.RESERVE: _reserve,
    EventKind.WRITTEN: _written,
    EventKind.ASSIGN: _assign,
    EventKind.FINISH: _finish,
    EventKind.HEAD: _head,
    EventKind.DELTA: _delta,
    EventKind.OPEN: _open,
    EventKind.BLOCK_TAKEN: _block_taken,
    EventKind.BLOCK_FREED: _block_freed,
    EventKind.SUPERSTEP: _superstep,
    EventKind.BARRIER: _barrier,
    EventKind.SPLIT: _split,
    EventKind.PHASE: _phase,
    EventKind.SOURCE: _source,
    EventKind.ROUND: _round,
    EventKind.SOURCE_DONE: _source_done,
    EventKind.END: _end,
}
