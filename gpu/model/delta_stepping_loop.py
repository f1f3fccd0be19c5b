"""The modelled delta-stepping: phases over a cyclic array of buckets, resumable inside a phase.

A phase is a superstep, dealt and charged as one of Near-Far (`near_far_loop`): one block alone
or all of them, a round and its trips, hubs, a look at all that waits where the next bucket is
sought. A light phase takes everything out of the head bucket and relaxes arcs of weight
<= delta; when the bucket stays empty, one heavy phase relaxes the rest for every vertex that
was in it. Arcs of the other kind are read and left: they cost what a relaxed one does.

A bucket is a doubly linked list, so that a vertex moves from bucket to bucket in a few
steps and stands in one at most. What lies past the last slot is clipped into it, which only
happens where delta was made small by hand or is below 1/65,000 of the largest weight: once
such a bucket becomes the head, all that waits is sorted again from its lowest distance.
"""

from __future__ import annotations

import numpy as np

from gpu.compiled import compiled_inline, compiled_lean
from gpu.model.log import (
    ARC_EVENTS,
    BARRIER,
    DEFER,
    DELTA,
    HEAD,
    IMPROVE,
    LEAVE,
    LOG_FULL,
    PHASE,
    POP,
    PUSH,
    RELAX,
    RESUME,
    SAMPLE,
    SKIP,
    SUPERSTEP,
    lacks_room,
    record,
)
from gpu.model.machine import FINISHED, HUB_ARCS, IN_FLIGHT, OVERFLOW, RUNNING
from gpu.model.near_far_loop import STEP_HUBS, _charge_split, _start_pass

PHASE_START, PHASE_RUNNING, PHASE_END = range(3)
BUCKET_SWITCHED, DELTA_RAISED, DELTA_LOWERED, DELTA_BY_HAND, ENDED = 4, 1, 2, 16, 32
FAR_AWAY = 1e15  # a bucket number too large to tell apart

STEPPING = np.dtype(
    [
        ("t_ns", "<f8"),
        ("next_sample_ns", "<f8"),
        ("period_ns", "<f8"),
        ("base", "<f8"),  # lowest distance of the head bucket, weight units
        ("delta", "<f8"),
        ("wanted", "<f8"),  # delta from the next bucket on
        ("superstep_ns", "<f8"),
        ("round_ns", "<f8"),
        ("trip_ns", "<f8"),
        ("alone_ns", "<f8"),
        ("arc_ns", "<f8"),  # of one multiprocessor
        ("mean_degree", "<f8"),
        ("unreached", "<f8"),
        ("head", "<i8"),  # absolute number of the head bucket
        ("head_slot", "<i8"),
        ("visit", "<i8"),  # buckets drained so far, and this one
        ("waiting", "<i8"),  # vertices in all buckets
        ("near", "<i8"),  # vertices of this phase
        ("next_items", "<i8"),  # pushed into the head bucket in this phase
        ("far_items", "<i8"),  # looked at when the next bucket is sought
        ("kept", "<i8"),  # vertices of this bucket that have heavy arcs
        ("place", "<i8"),  # of this phase's vertices, processed
        ("round", "<i8"),  # phases begun before this one
        ("processed", "<i8"),
        ("relaxed", "<i8"),
        ("improved", "<i8"),
        ("switches", "<i8"),
        ("sequence", "<i8"),
        ("lanes", "<i8"),
        ("warp", "<i8"),  # lanes of a warp
        ("workers", "<i8"),  # blocks
        ("overflow_arc", "<i8"),
        ("overflow_tail", "<i8"),
        ("heavy", "<i4"),  # 1 in a heavy phase
        ("phase", "<i4"),
        ("wide", "<i4"),  # all blocks share the phase
        ("status", "<i4"),
        ("flags", "<i4"),
        ("reason", "<i4"),
        ("delta_changes", "<i4"),
        ("by_hand", "<i4"),
        ("vertices", "<i4"),  # probe level 2
    ],
    align=True,
)


@compiled_lean
def advance(buckets, state, samples, most_relaxed):  # type: ignore[no-untyped-def]
    """Advance until `samples` is full, `most_relaxed` arcs are relaxed, or the run ends.

    buckets : gpu.model.delta_stepping.Buckets; state : STEPPING (1,); samples : SAMPLE,
    written from 0. Returns the number of samples written.
    """
    s = state[0]
    written, phases = 0, 0
    until = s.relaxed + most_relaxed
    s.status = RUNNING
    room = ARC_EVENTS * len(buckets.indices) + 8 * len(buckets.dist) + 64  # events of one wave
    while s.relaxed < until and written < len(samples) and phases < most_relaxed:
        if lacks_room(buckets.log, room):
            s.status = LOG_FULL
            break
        if s.phase == PHASE_START:
            if s.t_ns >= s.next_sample_ns:
                write_sample(s, buckets.log, samples[written])
                written += 1
                s.next_sample_ns = s.t_ns + s.period_ns
            _start_pass(buckets, s)
            record(buckets.log, s.t_ns, PHASE, -1, s.heavy, s.head, 0.0)
            record(buckets.log, s.t_ns, SUPERSTEP, -1, s.round, s.near, s.base + s.delta)
            phases += 1
        elif s.phase == PHASE_RUNNING:
            _wave(buckets, s)
            if s.status == OVERFLOW:
                break
            if s.place == s.near:
                s.phase = PHASE_END
        elif _end_phase(buckets, s):
            s.phase = PHASE_START
        else:
            s.status = FINISHED
            s.flags |= ENDED
            write_sample(s, buckets.log, samples[written])
            written += 1
            break
    return written


@compiled_inline
def _wave(buckets, s):  # type: ignore[no-untyped-def]
    """Process as much of this phase as the blocks at work hold at once; as Near-Far's."""
    blocks = s.workers if s.wide else 1
    warps = blocks * (s.lanes // s.warp)
    first = s.place
    share = min((s.near - first + warps - 1) // warps, s.warp)
    last = min(s.near, first + warps * share)
    buckets.fullest[:blocks] = 0
    buckets.hub_trips[:blocks] = 0
    buckets.hubs[:blocks] = 0
    buckets.arcs[:blocks] = 0
    of_warp, group, until = 0, 0, first + share
    for place in range(first, last):
        if place == until:
            until += share
            of_warp = 0
            group = group + 1 if group + 1 < blocks else 0
        vertex = _vertex_at(buckets, s, place)
        if s.heavy == 0 and buckets.slot_of[vertex] == s.head_slot:
            buckets.frontier[place] = -1  # improved meanwhile: the next phase does it
            again = np.float64(buckets.dist[vertex])
            record(buckets.log, s.t_ns, SKIP, group, vertex, s.head, again)
            continue
        buckets.snapshot[place - first] = buckets.dist[vertex]
        degree = buckets.indptr[vertex + 1] - buckets.indptr[vertex]
        buckets.arcs[group] += degree
        kind = RESUME if s.heavy else POP
        known = np.float64(buckets.dist[vertex])
        record(buckets.log, s.t_ns, kind, group, vertex, s.head, known)
        if s.heavy == 0:
            s.processed += 1
            if s.vertices:
                buckets.times[vertex] += 1
        if degree > HUB_ARCS and buckets.hubs[group] < STEP_HUBS:
            buckets.hubs[group] += 1
            buckets.hub_trips[group] += (degree + s.lanes * IN_FLIGHT - 1) // (s.lanes * IN_FLIGHT)
        else:
            of_warp += degree
            buckets.fullest[group] = max(buckets.fullest[group], of_warp)
    _charge_wave(buckets, s, blocks, first)
    s.place = last
    for place in range(first, last):
        vertex = _vertex_at(buckets, s, place)
        if vertex >= 0:
            worker = (place - first) // share % blocks
            _relax(buckets, s, worker, vertex, buckets.snapshot[place - first])
            if s.status == OVERFLOW:
                return


@compiled_inline
def _vertex_at(buckets, s, place):  # type: ignore[no-untyped-def]
    return np.int64(buckets.kept[place] if s.heavy else buckets.frontier[place])


@compiled_inline
def _charge_wave(buckets, s, blocks, first):  # type: ignore[no-untyped-def]
    """Add a wave's time: it lasts as long as its last block."""
    in_flight = s.warp * IN_FLIGHT
    for block in range(blocks):
        trips = max((buckets.fullest[block] + in_flight - 1) // in_flight - 1, 0)
        busy = trips * s.trip_ns + buckets.hub_trips[block] * s.round_ns
        busy = max(busy, buckets.arcs[block] * s.arc_ns)
        buckets.block_ns[block] += busy + (s.round_ns if first > 0 else 0.0)
        s.t_ns = max(s.t_ns, buckets.block_ns[block])


@compiled_inline
def _relax(buckets, s, worker, vertex, from_dist):  # type: ignore[no-untyped-def]
    """Relax the light or the heavy arcs of one vertex; note whether it has heavy ones."""
    dist, now = buckets.dist, np.int64(s.t_ns)
    has_heavy = False
    for arc in range(buckets.indptr[vertex], buckets.indptr[vertex + 1]):
        weight = buckets.weights[arc]
        if (weight > s.delta) != (s.heavy == 1):
            has_heavy = True
            continue
        s.relaxed += 1
        to = buckets.indices[arc]
        reached = from_dist + weight
        known = dist[to]
        record(buckets.log, s.t_ns, RELAX, worker, arc, vertex, np.float64(reached))
        if reached < known:
            if s.vertices:
                buckets.last_ns[to] = now
                if known == s.unreached:
                    buckets.first_ns[to] = now
            dist[to] = reached
            s.improved += 1
            record(buckets.log, s.t_ns, IMPROVE, worker, to, arc, np.float64(dist[to]))
            _move(buckets, s, worker, to)
        elif known == s.unreached and reached >= s.unreached:
            s.status, s.overflow_arc, s.overflow_tail = OVERFLOW, arc, vertex
            return
    if has_heavy and s.heavy == 0 and buckets.mark[vertex] != s.visit:
        buckets.mark[vertex] = s.visit
        buckets.kept[s.kept] = vertex
        s.kept += 1
        record(buckets.log, s.t_ns, DEFER, worker, vertex, s.head, np.float64(dist[vertex]))


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
        known = np.float64(buckets.dist[vertex])
        record(buckets.log, s.t_ns, PUSH, worker, vertex, s.head + step, known)


@compiled_inline
def _unlink(buckets, s, worker, vertex):  # type: ignore[no-untyped-def]
    """Take a vertex out of the bucket that it is in."""
    slot = np.int64(buckets.slot_of[vertex])
    step = (slot - s.head_slot) % len(buckets.first)
    known = np.float64(buckets.dist[vertex])
    record(buckets.log, s.t_ns, LEAVE, worker, vertex, s.head + step, known)
    after, previous = buckets.following[vertex], buckets.before[vertex]
    if previous >= 0:
        buckets.following[previous] = after
    else:
        buckets.first[slot] = after
    if after >= 0:
        buckets.before[after] = previous
    buckets.slot_of[vertex] = -1
    s.waiting -= 1


@compiled_inline
def _end_phase(buckets, s):  # type: ignore[no-untyped-def]
    """Close a phase and choose the next; False at the end."""
    going = _next_phase(buckets, s)
    record(buckets.log, s.t_ns, BARRIER, -1, s.round, s.near, 0.0)
    s.round += 1
    return going


@compiled_inline
def _next_phase(buckets, s):  # type: ignore[no-untyped-def]
    """Choose what comes next: light again, heavy, or the next bucket; False at the end."""
    if s.heavy == 0:
        _empty(buckets, s, s.head_slot)
        if s.near == 0 and s.kept > 0:
            s.heavy, s.near = 1, s.kept
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
    s.flags |= BUCKET_SWITCHED
    return True


@compiled_inline
def _empty(buckets, s, slot):  # type: ignore[no-untyped-def]
    """Move a bucket's vertices into the frontier."""
    s.near = 0
    vertex = np.int64(buckets.first[slot])
    while vertex >= 0:
        buckets.frontier[s.near] = vertex
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
    _charge_split(s)
    if step < slots - 1 and s.wanted == s.delta:
        s.head += step
        s.head_slot = (s.head_slot + step) % slots
        s.base += step * s.delta
        record(buckets.log, s.t_ns, HEAD, -1, s.head, s.switches + 1, s.base)
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
            buckets.frontier[total] = vertex
            total += 1
            lowest = min(lowest, np.float64(buckets.dist[vertex]))
            vertex = np.int64(buckets.following[vertex])
    for place in range(total):
        _unlink(buckets, s, -1, np.int64(buckets.frontier[place]))
    s.head += np.int64(min(max((lowest - s.base) / s.delta, 1.0), FAR_AWAY))
    s.base = lowest
    if s.wanted != s.delta:
        s.flags |= DELTA_RAISED if s.wanted > s.delta else DELTA_LOWERED
        s.delta_changes += 1
        s.delta = s.wanted
        record(buckets.log, s.t_ns, DELTA, -1, s.reason, 1, s.delta)
    record(buckets.log, s.t_ns, HEAD, -1, s.head, s.switches + 1, s.base)
    for place in range(total):
        _move(buckets, s, -1, np.int64(buckets.frontier[place]))
    _charge_split(s)


@compiled_lean
def write_sample(s, log, sample):  # type: ignore[no-untyped-def]
    """Fill one SAMPLE at the start of a phase; flags start again from here."""
    sample.t_ns = np.int64(s.t_ns)
    sample.head_bucket = s.head
    sample.bucket_switches = s.switches
    sample.processed_vertices = s.processed
    sample.relaxed_edges = s.relaxed
    sample.improved = s.improved
    sample.delta = s.delta
    sample.base = s.base
    sample.assigned_edges = s.near * s.mean_degree
    sample.assigned_vertices = s.near
    sample.busy_workers = min(s.workers, np.int64(np.ceil(s.near * s.mean_degree / s.lanes)))
    sample.open_buckets = 1
    sample.flags = s.flags | (DELTA_BY_HAND if s.by_hand else 0)
    sample.reason = s.reason
    sample.delta_changes = s.delta_changes
    sample.sequence = s.sequence
    sample.occupancy[0] = s.near
    sample.occupancy[1] = s.waiting
    record(log, s.t_ns, SAMPLE, -1, s.sequence, 0, 0.0)
    s.sequence += 1
    s.flags = 0
