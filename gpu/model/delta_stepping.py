"""Delta-stepping on the modelled GPU: phases over a cyclic array of buckets.

A phase is a superstep (`superstep`). A light phase takes everything out of the head bucket and
relaxes arcs of weight <= delta; when the bucket stays empty, one heavy phase relaxes the rest for
every vertex that was in it. Arcs of the other kind are read and skipped, at the same cost.

A bucket is a doubly linked list. What lies past the last slot is clipped into it; when such a
bucket becomes the head, all that waits is sorted again.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np

from gpu.compiled import compiled_inline
from gpu.delta import near_far_delta
from gpu.devices import find_preset
from gpu.engine import RunBuffers
from gpu.graph import CSRGraph
from gpu.loops import codes
from gpu.loops.log import Log, make_log, record
from gpu.loops.state import graph_arrays
from gpu.model import superstep
from gpu.model.modelled_run import SuperstepRun, run_modelled, wave_arrays
from gpu.model.superstep import charge_split, improves, step_dtype
from gpu.record.trace import Reason, RunSettings

FAR_AWAY = 1e15  # a bucket number too large to tell apart

STEPPING = step_dtype(
    ("next_delta", "<f8"),  # delta from the next bucket on
    ("head_slot", "<i8"),
    ("visit", "<i8"),  # buckets drained so far, and this one
    ("kept", "<i8"),  # vertices of this bucket that have heavy arcs
)


class Buckets(NamedTuple):
    """Arrays of one run, n vertices, C slots; a wave covers len(snapshot) vertices."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    dist: np.ndarray
    first_ns: np.ndarray
    last_ns: np.ndarray
    times: np.ndarray
    first: np.ndarray  # int32 (C,): a slot's first vertex, -1 where it is empty
    following: np.ndarray  # int32 (n,), links of the slot's list
    before: np.ndarray  # int32 (n,)
    slot_of: np.ndarray  # int32 (n,), -1 where the vertex does not wait
    near: np.ndarray  # int32 (n,): what this phase works on
    kept: np.ndarray  # int32 (n,): what the heavy phase will work on
    mark: np.ndarray  # int64 (n,): visit in which `kept` took the vertex
    snapshot: np.ndarray  # distances read at the start of a wave
    block_ns: np.ndarray  # these five as Near-Far's `Piles`, one entry a block
    fullest: np.ndarray
    arcs: np.ndarray
    hub_trips: np.ndarray
    hubs: np.ndarray
    log: Log  # probe level 3


@superstep.rule(superstep.announce, Buckets)
def _announce(buckets, s):  # type: ignore[no-untyped-def]
    record(buckets.log, s.t_ns, codes.PHASE, -1, s.heavy, s.head, 0.0)
    s.lowest = s.base
    record(buckets.log, s.t_ns, codes.SUPERSTEP, -1, s.round, s.near, s.base + s.delta)


@superstep.rule(superstep.waits_again, Buckets)
def _waits_again(buckets, s, vertex):  # type: ignore[no-untyped-def]
    return buckets.slot_of[vertex] == s.head_slot


@superstep.rule(superstep.relax, Buckets)
def _relax(buckets, s, worker, vertex, from_dist):  # type: ignore[no-untyped-def]
    """Relax the light or the heavy arcs of one vertex; note whether it has heavy ones."""
    dist = buckets.dist
    has_heavy = False
    for arc in range(buckets.indptr[vertex], buckets.indptr[vertex + 1]):
        if (buckets.weights[arc] > s.delta) != (s.heavy == 1):
            has_heavy = True
            continue
        s.relaxed += 1
        if improves(buckets, s, worker, vertex, from_dist, arc):
            _move(buckets, s, worker, buckets.indices[arc])
    if has_heavy and s.heavy == 0 and buckets.mark[vertex] != s.visit:
        buckets.mark[vertex] = s.visit
        buckets.kept[s.kept] = vertex
        s.kept += 1
        record(buckets.log, s.t_ns, codes.DEFER, worker, vertex, s.head, np.float64(dist[vertex]))


@compiled_inline
def _move(buckets, s, worker, vertex):  # type: ignore[no-untyped-def]
    """Put a vertex into the bucket of its distance, out of the one that it is in."""
    slots = len(buckets.first)
    offset = (np.float64(buckets.dist[vertex]) - s.base) / s.delta
    step = np.int64(min(max(offset, 0.0), slots - 1.0))
    slot = s.head_slot + step
    slot = slot - slots if slot >= slots else slot
    s.next_items += 1 if slot == s.head_slot else 0
    if buckets.slot_of[vertex] != slot:
        if buckets.slot_of[vertex] >= 0:
            _unlink(buckets, s, worker, vertex)
        after = buckets.first[slot]
        buckets.following[vertex], buckets.before[vertex] = after, -1
        if after >= 0:
            buckets.before[after] = vertex
        buckets.first[slot] = vertex
        buckets.slot_of[vertex] = slot
        s.waiting += 1
        current = np.float64(buckets.dist[vertex])
        record(buckets.log, s.t_ns, codes.PUSH, worker, vertex, s.head + step, current)


@compiled_inline
def _unlink(buckets, s, worker, vertex):  # type: ignore[no-untyped-def]
    """Take a vertex out of the bucket that it is in."""
    slot = np.int64(buckets.slot_of[vertex])
    step = (slot - s.head_slot) % len(buckets.first)
    current = np.float64(buckets.dist[vertex])
    record(buckets.log, s.t_ns, codes.LEAVE, worker, vertex, s.head + step, current)
    after, previous = buckets.following[vertex], buckets.before[vertex]
    if previous >= 0:
        buckets.following[previous] = after
    else:
        buckets.first[slot] = after
    if after >= 0:
        buckets.before[after] = previous
    buckets.slot_of[vertex] = -1
    s.waiting -= 1


@superstep.rule(superstep.refill, Buckets)
def _refill(buckets, s):  # type: ignore[no-untyped-def]
    """Close a phase and choose the next; False at the end."""
    going = _next_phase(buckets, s)
    record(buckets.log, s.t_ns, codes.BARRIER, -1, s.round, s.near, 0.0)
    s.round += 1
    s.bucket = s.head
    return going


@compiled_inline
def _next_phase(buckets, s):  # type: ignore[no-untyped-def]
    """Choose what comes next: light again, heavy, or the next bucket; False at the end."""
    if s.heavy == 0:
        _empty(buckets, s, s.head_slot)
        if s.near == 0 and s.kept > 0:
            s.heavy, s.near = 1, s.kept
            for place in range(s.kept):
                buckets.near[place] = buckets.kept[place]
        if s.near > 0:
            return True
    s.heavy, s.kept = 0, 0
    s.visit += 1
    if s.waiting == 0:
        s.near = 0
        return False
    _find_head(buckets, s)
    _empty(buckets, s, s.head_slot)
    s.next_items = s.near
    s.switches += 1
    s.flags |= codes.BUCKET_SWITCHED
    return True


@compiled_inline
def _empty(buckets, s, slot):  # type: ignore[no-untyped-def]
    """Move a bucket's vertices into the frontier."""
    s.near = 0
    vertex = np.int64(buckets.first[slot])
    while vertex >= 0:
        buckets.near[s.near] = vertex
        buckets.slot_of[vertex] = -1
        s.near += 1
        vertex = np.int64(buckets.following[vertex])
    buckets.first[slot] = -1
    s.waiting -= s.near


@compiled_inline
def _find_head(buckets, s):  # type: ignore[no-untyped-def]
    """Make the first bucket that is not empty the head; something waits."""
    slots = len(buckets.first)
    step = 0
    while buckets.first[(s.head_slot + step) % slots] < 0:
        step += 1
    s.far_items = s.waiting
    charge_split(s)
    if step < slots - 1 and s.next_delta == s.delta:
        s.head += step
        s.head_slot = (s.head_slot + step) % slots
        s.base += step * s.delta
        record(buckets.log, s.t_ns, codes.HEAD, -1, s.head, s.switches + 1, s.base)
        return
    _sort_again(buckets, s, s.head_slot + step)


@compiled_inline
def _sort_again(buckets, s, slot):  # type: ignore[no-untyped-def]
    """Take everything out of the buckets and put it back, from the lowest distance on."""
    slots = len(buckets.first)
    total, lowest = 0, np.inf
    for step in range(slots):
        vertex = np.int64(buckets.first[(slot + step) % slots])
        while vertex >= 0:
            buckets.near[total] = vertex
            total += 1
            lowest = min(lowest, np.float64(buckets.dist[vertex]))
            vertex = np.int64(buckets.following[vertex])
    for place in range(total):
        _unlink(buckets, s, -1, np.int64(buckets.near[place]))
    s.head += np.int64(min(max((lowest - s.base) / s.delta, 1.0), FAR_AWAY))
    s.base = lowest
    if s.next_delta != s.delta:
        s.flags |= codes.DELTA_RAISED if s.next_delta > s.delta else codes.DELTA_LOWERED
        s.delta_changes += 1
        s.delta = s.next_delta
        record(buckets.log, s.t_ns, codes.DELTA, -1, s.reason, 1, s.delta)
    record(buckets.log, s.t_ns, codes.HEAD, -1, s.head, s.switches + 1, s.base)
    for place in range(total):
        _move(buckets, s, -1, np.int64(buckets.near[place]))
    charge_split(s)


FEWEST_SLOTS, MOST_SLOTS = 64, 2**16


class DeltaSteppingRun(SuperstepRun):
    """One modelled run of delta-stepping."""

    def __init__(self, graph: CSRGraph, settings: RunSettings, buffers: RunBuffers) -> None:
        delta = settings.delta
        if delta is None:
            delta = near_far_delta(graph.mean_weight, graph.mean_degree, graph.integer)
        buckets = Buckets(
            *graph_arrays(graph, buffers),
            np.full(slots_for(graph, delta), -1, np.int32),
            np.empty(graph.n, np.int32),
            np.empty(graph.n, np.int32),
            np.full(graph.n, -1, np.int32),
            np.empty(graph.n, np.int32),
            np.empty(graph.n, np.int32),
            np.full(graph.n, -1, np.int64),
            *wave_arrays(graph, find_preset(settings.device)),
            make_log(settings.probe),
        )
        super().__init__(graph, settings, buckets, STEPPING, delta)
        self.sim[0].next_delta = delta

    def set_delta(self, delta: float | None) -> None:
        """A person makes buckets wider or narrower from the next one on, or hands back."""
        state = self.sim[0]
        state.next_delta = self.own_delta if delta is None else delta
        state.by_hand = int(delta is not None)
        state.reason = int(Reason.START if delta is None else Reason.BY_HAND)


def slots_for(graph: CSRGraph, delta: float) -> int:
    """Return how many slots hold every bucket from the head to the largest weight beyond it."""
    largest = float(graph.weights.max()) if graph.m else 0.0
    return min(max(math.ceil(min(largest / delta, MOST_SLOTS)) + 3, FEWEST_SLOTS), MOST_SLOTS)


run = partial(run_modelled, DeltaSteppingRun)  # nothing for `seed` to vary
