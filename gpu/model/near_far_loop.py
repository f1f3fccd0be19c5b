"""The modelled Near-Far: supersteps over two piles, resumable inside a superstep.

The form is that of our kernel (`cuda/kernels/near_far.cu`). A small frontier is one block's
alone: a superstep costs `alone_ns`. From WIDE_ENTER items on all blocks share it, until
WIDE_LEAVE are left: then a superstep costs a grid barrier, `superstep_ns`, and a change of
mode one more. Beyond that both cost what a round of ADDS costs: vertices are dealt to warps,
a block is through when its fullest warp is (`trip_ns` for each further load of arcs in flight),
when its hubs are, which it does as a whole, and not before its multiprocessor has relaxed
all its arcs at `arc_ns` each; the superstep ends with the last block. A frontier wider than
all lanes takes several such waves.

A wave reads its distances first and relaxes then, so that within a wave nobody sees what
the others write, as on the device; between waves of one superstep they do, and a vertex that
improved meanwhile is left to the next superstep. A vertex enters next near at most once a
superstep and far at most once until the next split (marks), so both piles hold at most n
entries; the kernel's piles hold it again for each improvement, and those items are counted,
because they decide the mode and the cost of a split.

Splitting far is a superstep of its own: entries below the old threshold were improved
into near since and are dropped, those below the new one become near. Where far begins
beyond the next threshold, the threshold moves on by whole deltas at once.
"""

from __future__ import annotations

import numpy as np

from gpu.compiled import compiled_inline, compiled_lean
from gpu.model.log import (
    ARC_EVENTS,
    BARRIER,
    IMPROVE,
    LOG_FULL,
    POP,
    PUSH,
    RELAX,
    SAMPLE,
    SKIP,
    SPLIT,
    SUPERSTEP,
    lacks_room,
    record,
)
from gpu.model.machine import FINISHED, HUB_ARCS, IN_FLIGHT, OVERFLOW, RUNNING

PASS_START, PASS_RUNNING, PASS_END = range(3)
BUCKET_SWITCHED, DELTA_BY_HAND, ENDED = 4, 16, 32
WIDE_ENTER = 1024  # items from which on all blocks share the frontier (kernel)
WIDE_LEAVE = 512  # and down to which they do (kernel)
STEP_HUBS = 64  # that a block puts aside at a time; further ones stay with their warp (kernel)
SPLIT_ALONE = 8192  # far items up to which one block splits by itself (kernel)

PILES = np.dtype(
    [
        ("t_ns", "<f8"),
        ("next_sample_ns", "<f8"),
        ("period_ns", "<f8"),
        ("threshold", "<f8"),  # near is below, weight units
        ("delta", "<f8"),
        ("superstep_ns", "<f8"),
        ("round_ns", "<f8"),
        ("trip_ns", "<f8"),
        ("alone_ns", "<f8"),
        ("arc_ns", "<f8"),  # of one multiprocessor
        ("mean_degree", "<f8"),
        ("unreached", "<f8"),
        ("near", "<i8"),  # vertices in the near pile
        ("next", "<i8"),  # in the next near pile
        ("far", "<i8"),
        ("next_items", "<i8"),  # with those of vertices that improved again since
        ("far_items", "<i8"),
        ("place", "<i8"),  # of the near pile, processed
        ("superstep", "<i8"),
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
        ("phase", "<i4"),
        ("wide", "<i4"),  # all blocks share the frontier
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
def advance(piles, state, samples, most_relaxed):  # type: ignore[no-untyped-def]
    """Advance until `samples` is full, `most_relaxed` arcs are relaxed, or the run ends.

    piles : gpu.model.near_far.Piles; state : PILES (1,); samples : SAMPLE, written from 0.
    Returns the number of samples written.
    """
    s = state[0]
    written = 0
    until = s.relaxed + most_relaxed
    s.status = RUNNING
    room = ARC_EVENTS * len(piles.indices) + 4 * len(piles.dist) + 64  # events of one wave
    while s.relaxed < until and written < len(samples):
        if lacks_room(piles.log, room):
            s.status = LOG_FULL
            break
        if s.phase == PASS_START:
            if s.t_ns >= s.next_sample_ns:
                write_sample(s, piles.log, samples[written])
                written += 1
                s.next_sample_ns = s.t_ns + s.period_ns
            _start_pass(piles, s)
            record(piles.log, s.t_ns, SUPERSTEP, -1, s.superstep, s.near, s.threshold)
        elif s.phase == PASS_RUNNING:
            _wave(piles, s)
            if s.status == OVERFLOW:
                break
            if s.place == s.near:
                s.phase = PASS_END
        else:
            for place in range(s.next):
                piles.near[place] = piles.following[place]
            s.near, s.next = s.next, 0
            record(piles.log, s.t_ns, BARRIER, -1, s.superstep, s.near, 0.0)
            s.superstep += 1
            if s.near == 0 and not _split(piles, s):
                s.status = FINISHED
                s.flags |= ENDED
                write_sample(s, piles.log, samples[written])
                written += 1
                break
            s.phase = PASS_START
    return written


@compiled_inline
def _start_pass(piles, s):  # type: ignore[no-untyped-def]
    """Decide whether one block or all of them do the superstep, and charge what it costs."""
    least = WIDE_LEAVE if s.wide else WIDE_ENTER
    items = max(s.next_items, s.near)
    if s.wide != (items > least):
        s.t_ns += s.superstep_ns  # the barrier at which the others join, or leave
        s.wide = 1 - s.wide
    s.t_ns += s.superstep_ns if s.wide else s.alone_ns
    s.next_items = 0
    piles.block_ns[:] = s.t_ns
    s.place, s.phase = 0, PASS_RUNNING


@compiled_inline
def _wave(piles, s):  # type: ignore[no-untyped-def]
    """Process as much of the near pile as the blocks at work hold at once.

    Vertices are dealt to warps, up to as many as a warp has lanes; a block goes on when its
    fullest warp is through and its hubs, which the block does as a whole, are done.
    """
    blocks = s.workers if s.wide else 1
    warps = blocks * (s.lanes // s.warp)
    first = s.place
    share = min((s.near - first + warps - 1) // warps, s.warp)
    last = min(s.near, first + warps * share)
    in_flight = s.warp * IN_FLIGHT
    piles.fullest[:blocks] = 0
    piles.hub_trips[:blocks] = 0
    piles.hubs[:blocks] = 0
    piles.arcs[:blocks] = 0
    of_warp, group, until = 0, 0, first + share
    for place in range(first, last):
        if place == until:
            until += share
            of_warp = 0
            group = group + 1 if group + 1 < blocks else 0
        vertex = piles.near[place]
        if piles.near_mark[vertex] == s.superstep + 1:
            piles.near[place] = -1  # improved meanwhile: the next superstep does it
            record(piles.log, s.t_ns, SKIP, group, vertex, 0, np.float64(piles.dist[vertex]))
            continue
        piles.snapshot[place - first] = piles.dist[vertex]
        degree = piles.indptr[vertex + 1] - piles.indptr[vertex]
        piles.arcs[group] += degree
        s.processed += 1
        s.relaxed += degree
        record(piles.log, s.t_ns, POP, group, vertex, 0, np.float64(piles.dist[vertex]))
        if s.vertices:
            piles.times[vertex] += 1
        if degree > HUB_ARCS and piles.hubs[group] < STEP_HUBS:
            piles.hubs[group] += 1
            piles.hub_trips[group] += (degree + s.lanes * IN_FLIGHT - 1) // (s.lanes * IN_FLIGHT)
        else:
            of_warp += degree
            piles.fullest[group] = max(piles.fullest[group], of_warp)
    for block in range(blocks):
        trips = max((piles.fullest[block] + in_flight - 1) // in_flight - 1, 0)
        busy = trips * s.trip_ns + piles.hub_trips[block] * s.round_ns
        busy = max(busy, piles.arcs[block] * s.arc_ns)
        piles.block_ns[block] += busy + (s.round_ns if first > 0 else 0.0)
        s.t_ns = max(s.t_ns, piles.block_ns[block])
    s.place = last
    for place in range(first, last):
        if piles.near[place] >= 0:
            worker = (place - first) // share % blocks
            _relax(piles, s, worker, piles.near[place], piles.snapshot[place - first])


@compiled_inline
def _relax(piles, s, worker, vertex, from_dist):  # type: ignore[no-untyped-def]
    """Relax the arcs of one vertex; sort what improved into next near or far."""
    dist, now = piles.dist, np.int64(s.t_ns)
    for arc in range(piles.indptr[vertex], piles.indptr[vertex + 1]):
        to = piles.indices[arc]
        reached = from_dist + piles.weights[arc]
        known = dist[to]
        record(piles.log, s.t_ns, RELAX, worker, arc, vertex, np.float64(reached))
        if reached < known:
            if s.vertices:
                piles.last_ns[to] = now
                if known == s.unreached:
                    piles.first_ns[to] = now
            dist[to] = reached
            s.improved += 1
            record(piles.log, s.t_ns, IMPROVE, worker, to, arc, np.float64(dist[to]))
            if dist[to] < s.threshold:
                s.next_items += 1
                if piles.near_mark[to] != s.superstep + 1:
                    piles.near_mark[to] = s.superstep + 1
                    piles.following[s.next] = to
                    s.next += 1
                    record(piles.log, s.t_ns, PUSH, worker, to, 0, np.float64(dist[to]))
            else:
                s.far_items += 1
                if piles.far_mark[to] == 0:
                    piles.far_mark[to] = 1
                    piles.far[s.far] = to
                    s.far += 1
                    record(piles.log, s.t_ns, PUSH, worker, to, 1, np.float64(dist[to]))
        elif known == s.unreached and reached >= s.unreached:
            s.status, s.overflow_arc, s.overflow_tail = OVERFLOW, arc, vertex
            return


@compiled_inline
def _split(piles, s):  # type: ignore[no-untyped-def]
    """Move the threshold on and refill near from far; False when far is used up."""
    lowest = np.inf
    kept = 0
    for place in range(s.far):
        vertex = piles.far[place]
        if piles.dist[vertex] < s.threshold:
            piles.far_mark[vertex] = 0
            record(piles.log, s.t_ns, SKIP, -1, vertex, 1, np.float64(piles.dist[vertex]))
        else:
            lowest = min(lowest, np.float64(piles.dist[vertex]))
            piles.far[kept] = vertex
            kept += 1
    _charge_split(s)
    s.far = kept
    if kept == 0:
        return False
    s.threshold += s.delta * max(1.0, np.floor((lowest - s.threshold) / s.delta) + 1.0)
    if s.threshold <= lowest:  # float rounding: a delta too small to move the threshold
        s.threshold = np.nextafter(lowest, np.inf)
    kept = 0
    for place in range(s.far):
        vertex = piles.far[place]
        if piles.dist[vertex] < s.threshold:
            piles.far_mark[vertex] = 0
            piles.near[s.near] = vertex
            s.near += 1
        else:
            piles.far[kept] = vertex
            kept += 1
    s.far = s.far_items = kept
    s.next_items = s.near
    s.switches += 1
    record(piles.log, s.t_ns, SPLIT, -1, s.near, s.far, s.threshold)
    s.flags |= BUCKET_SWITCHED
    return True


@compiled_inline
def _charge_split(s):  # type: ignore[no-untyped-def]
    """Charge one look at every item of far: by one block, or between two barriers by all."""
    if s.far_items <= SPLIT_ALONE and not s.wide:
        s.t_ns += s.alone_ns + np.ceil(s.far_items / s.lanes) * s.round_ns
        return
    rounds = np.ceil(s.far_items / (s.lanes * s.workers))
    s.t_ns += 2.0 * s.superstep_ns + rounds * s.round_ns


@compiled_lean
def write_sample(s, log, sample):  # type: ignore[no-untyped-def]
    """Fill one SAMPLE at the start of a superstep; flags start again from here."""
    sample.t_ns = np.int64(s.t_ns)
    sample.head_bucket = s.switches
    sample.bucket_switches = s.switches
    sample.processed_vertices = s.processed
    sample.relaxed_edges = s.relaxed
    sample.improved = s.improved
    sample.delta = s.delta
    sample.base = s.threshold - s.delta
    sample.assigned_edges = s.near * s.mean_degree
    sample.assigned_vertices = s.near
    sample.busy_workers = min(s.workers, np.int64(np.ceil(s.near * s.mean_degree / s.lanes)))
    sample.open_buckets = 1
    sample.flags = s.flags | (DELTA_BY_HAND if s.by_hand else 0)
    sample.reason = s.reason
    sample.delta_changes = s.delta_changes
    sample.sequence = s.sequence
    sample.occupancy[0] = s.near
    sample.occupancy[1] = s.far
    record(log, s.t_ns, SAMPLE, -1, s.sequence, 0, 0.0)
    s.sequence += 1
    s.flags = 0
