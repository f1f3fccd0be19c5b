"""What each event does to the state, for every algorithm; no Qt. CLIP and EDGE change nothing.

The rules are what `gpu.record.events` says about a, b and c, and nothing more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gpu.graph import CSRGraph
from gpu.record.events import MANAGER, EventKind
from gpu.replay.state import Hand, Item, Pointers, State


def apply(state: State, graph: CSRGraph, event: np.void) -> None:
    """Advance a state by one event."""
    state.t_ns, kind, worker, a, b, c = event.item()
    rule = _RULES.get(kind)
    if rule is not None:
        rule(state, worker, a, b, c)
        return
    match kind:
        case EventKind.COLLECT:
            _hand(state, worker).collected.append((a, c))
        case EventKind.IMPROVE:
            _row(state, worker)[a] = c
            state.improved += 1
        case EventKind.DELTA:
            state.delta, state.reason, state.open_heads = c, a, b
        case EventKind.OPEN:
            state.open_heads, state.reason = a, b
        case EventKind.BLOCK_TAKEN:
            _pointers(state, b).blocks.append(a)
        case EventKind.BLOCK_FREED if a in _pointers(state, b).blocks:
            _pointers(state, b).blocks.remove(a)
        case EventKind.SUPERSTEP:
            state.round, state.threshold = a, c
        case EventKind.BARRIER:
            state.workers = {number: Hand() for number in state.workers}
        case EventKind.LEAVE:
            _take(state, MANAGER, a, b, None)
        case EventKind.ROUND:
            state.rounds[a] = b + 1
        case EventKind.SAMPLE:
            state.samples = a + 1


def _pointers(state: State, bucket: int, start: int = 0) -> Pointers:
    """Return a bucket's counters; a new bucket goes on where its ring slot was."""
    if bucket not in state.pointers:
        old = [k for k in state.pointers if state.ring and (bucket - k) % state.ring == 0]
        state.pointers[bucket] = (
            state.pointers.pop(max(old)) if old else Pointers(start, start, start, start)
        )
    return state.pointers[bucket]


def _hand(state: State, worker: int) -> Hand:
    return state.workers.setdefault(worker, Hand())


def _row(state: State, worker: int) -> np.ndarray:
    """Return the distances that a worker changes: of its source, where it has one."""
    hand = state.workers.get(worker)
    return state.dist if hand is None or hand.source < 0 else state.rows[hand.source]


def _push(state: State, worker: int, a: int, b: int, c: float) -> None:
    pointers = _pointers(state, b)
    place = state.reserved_by.pop(worker, None)
    if place is None or place[0] != b:
        pointers.reserved += 1
        pointers.written += 1
        state.buckets.setdefault(b, []).append(Item(pointers.reserved - 1, a, c))
    else:
        state.buckets.setdefault(b, []).append(Item(place[1], a, c, written=False))
    hand = state.workers.get(worker)
    for entry in hand.collected if hand is not None else ():
        if entry[0] == a:
            hand.collected.remove(entry)  # type: ignore[union-attr]
            break
    state.waiting[a] += 1
    state.pushes += 1
    row = _row(state, worker)
    if not np.isfinite(row[a]):
        row[a] = c  # the source, which no arc improves


def _stay(state: State, worker: int, a: int, b: int, c: float) -> None:
    state.buckets.setdefault(b, []).append(Item(-1, a, c, worker=worker))
    state.waiting[a] += 1
    state.pushes += 1


def _take(state: State, worker: int, a: int, b: int, dist: float | None) -> None:
    """Take an entry of a vertex: this worker's own first, and the one queued with `dist`."""
    items, best, at = state.buckets.get(b, []), (True, True), -1
    for k in range(len(items) - 1, -1, -1):  # the newest: most are taken as soon as they came
        item = items[k]
        if item.vertex == a and not item.taken:
            rank = (item.worker != worker, item.dist != dist)
            if rank <= best:
                best, at = rank, k
            if not any(rank):
                break
    if at < 0:
        return
    items[at].taken = True
    state.waiting[a] -= 1
    if items[at].worker == MANAGER:
        del items[at]


def _pop(state: State, worker: int, a: int, b: int, c: float) -> None:
    _take(state, worker, a, b, c)
    state.processed[a] += 1
    hand = _hand(state, worker)
    hand.vertex, hand.arc = a, -1


def _stale(state: State, worker: int, a: int, b: int, c: float) -> None:
    _take(state, worker, a, b, c)
    state.stale += 1


def _skip(state: State, worker: int, a: int, b: int, _c: float) -> None:
    _take(state, worker, a, b, None)
    state.stale += 1


def _relax(state: State, worker: int, a: int, b: int, _c: float) -> None:
    state.relaxed[a] += 1
    hand = _hand(state, worker)
    hand.vertex, hand.arc = b, a


def _reserve(state: State, worker: int, a: int, b: int, _c: float) -> None:
    pointers = _pointers(state, b, a)
    pointers.reserved = a + 1
    state.reserved_by[worker] = (b, a)


def _written(state: State, _worker: int, a: int, b: int, c: float) -> None:
    _pointers(state, b).written = int(c)
    for item in reversed(state.buckets.get(b, ())):
        if item.place == a:
            item.written = True
            return


def _assign(state: State, worker: int, a: int, b: int, c: float) -> None:
    count = int(c)
    state.workers[worker] = Hand(b, a, count)
    _pointers(state, b).read = a + count
    for item in state.buckets.get(b, ()):
        if a <= item.place < a + count:
            item.worker = worker


def _finish(state: State, worker: int, _a: int, b: int, c: float) -> None:
    _pointers(state, b).completed = int(c)
    held = state.buckets.get(b, [])
    state.buckets[b] = [item for item in held if not (item.worker == worker and item.taken)]
    state.workers[worker] = Hand(collected=_hand(state, worker).collected)


def _head(state: State, _worker: int, a: int, b: int, c: float) -> None:
    for bucket in [k for k in state.buckets if k < a and not state.buckets[k]]:
        del state.buckets[bucket]
    state.deferred.clear()
    state.head, state.switches, state.base = a, b, c


def _split(state: State, _worker: int, _a: int, _b: int, c: float) -> None:
    """Near-Far: entries of far (bucket 1) below the new threshold move to near (0)."""
    far = state.buckets.get(1, [])
    near = [item for item in far if state.dist[item.vertex] < c]
    state.buckets[1] = [item for item in far if state.dist[item.vertex] >= c]
    state.buckets[0] = [*state.buckets.get(0, []), *near]
    state.threshold = c
    state.switches += 1
    state.head = state.switches


def _phase(state: State, worker: int, a: int, b: int, _c: float) -> None:
    if worker == MANAGER:
        state.phase, state.head = a, b
    else:
        _hand(state, worker).heavy = a


def _defer(state: State, _worker: int, a: int, b: int, _c: float) -> None:
    waiting = state.deferred.setdefault(b, [])
    if a not in waiting:
        waiting.append(a)


def _resume(state: State, worker: int, a: int, b: int, _c: float) -> None:
    waiting = state.deferred.get(b, [])
    if a in waiting:
        waiting.remove(a)
    hand = _hand(state, worker)
    hand.vertex, hand.arc = a, -1


def _source(state: State, worker: int, a: int, _b: int, _c: float) -> None:
    state.workers[worker] = Hand(source=a)
    state.rows[a] = np.full(len(state.dist), np.inf)
    state.rows[a][a] = 0.0
    state.rounds[a] = 0


def _round_done(state: State, worker: int, _a: int, _b: int, c: float) -> None:
    if c > 0:
        state.processed += 1
    hand = _hand(state, worker)
    hand.vertex = hand.arc = -1


def _source_done(state: State, worker: int, a: int, b: int, _c: float) -> None:
    state.workers[worker] = Hand()
    state.rounds[a] = b
    state.sources_done += 1


def _end(state: State, _worker: int, _a: int, _b: int, _c: float) -> None:
    state.ended = True
    state.workers = {
        number: replace(hand, vertex=-1, arc=-1) for number, hand in state.workers.items()
    }


_RULES: dict[int, Callable[[State, int, int, int, float], None]] = {
    kind: rule for kind in EventKind if (rule := globals().get(f"_{kind.name.lower()}")) is not None
}
