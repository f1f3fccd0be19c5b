"""The modelled ADDS, event by event: one compiled loop over manager sweeps and waves.

Two kinds of event, in order of modelled time (a sweep goes after a wave of its instant):

sweep   of the manager, every `sweep_ns`: retire finished heads, hand items of the open
        heads to idle workers, ask the controller, write a sample, look for the end.
wave    of a worker: it reads the distances of the vertices that the wave covers at its
        start and relaxes their arcs at its end, so what other workers do meanwhile makes
        it stale, as on the device. A wave is at most WAVE_ROUNDS arcs a lane; hubs take
        many waves. It lasts as long as its dependent trips, or as its share of the
        device's atomic and memory rate, whichever is longer, plus one push.

Every decision is a call into `gpu.scheduler` or `gpu.delta`; this file only keeps the
books and the time. What it leaves out: the manager's flags are seen by workers after
`flag_ns`, but a worker's end is seen by the next sweep at once; items are readable when
their wave ends, so the write-completed counters always equal the reserved ones here.
"""

from __future__ import annotations

import numpy as np

from gpu import delta as delta_rules
from gpu import scheduler
from gpu.compiled import compiled_inline, compiled_lean
from gpu.delta import BY_HAND, FAR_BUCKETS, NONE
from gpu.model.machine import (
    BLOCK_WORDS,
    FINISHED,
    JITTER,
    OVERFLOW,
    POOL_DRY,
    RUNNING,
    Machine,
)
from gpu.scheduler import QUIET_SWEEPS

raw_offset = compiled_inline(scheduler.raw_offset)
push_offset = compiled_inline(scheduler.push_offset)
clips = compiled_inline(scheduler.clips)
head_is_finished = compiled_inline(scheduler.head_is_finished)
chunk_size = compiled_inline(scheduler.chunk_size)
quiet = compiled_inline(scheduler.quiet)
decide = compiled_inline(delta_rules.decide)

DELTA_RAISED, DELTA_LOWERED, BUCKET_SWITCHED, CLIPPED, DELTA_BY_HAND, ENDED = 1, 2, 4, 8, 16, 32
SWEEPS_PER_CALL = 50_000  # so that a call returns soon even where nothing is relaxed


@compiled_lean
def advance(
    machine: Machine,
    sim: np.ndarray,
    cost: np.ndarray,
    controller: np.ndarray,
    samples: np.ndarray,
    most_relaxed: int,
) -> int:
    """Advance until `samples` is full, `most_relaxed` arcs are relaxed, or the run ends.

    Returns the number of samples written; `sim.status` says how it ended.
    """
    s, c = sim[0], cost[0]
    written, sweeps = 0, 0
    until = s.relaxed + most_relaxed
    room = c.buckets + c.wave_arcs // BLOCK_WORDS + 2  # blocks that one wave can take
    s.status = RUNNING
    while s.relaxed < until and written < len(samples) and sweeps < SWEEPS_PER_CALL:
        if s.heap_size > 0 and machine.heap[0].when_ns <= s.next_sweep_ns:
            if s.free_blocks < room:
                s.status = POOL_DRY
                break
            worker = machine.heap[0].worker
            s.t_ns = machine.heap[0].when_ns
            _pop(machine, s)
            _wave_event(machine, s, c, controller[0], worker)
            if s.status != RUNNING:
                break
        else:
            s.t_ns = s.next_sweep_ns
            s.next_sweep_ns = s.t_ns + c.sweep_ns
            sweeps += 1
            written += _sweep(machine, s, c, controller, samples, written)
            if s.status != RUNNING:
                break
    return written


@compiled_lean
def queue_source(
    machine: Machine, sim: np.ndarray, cost: np.ndarray, controller: np.ndarray, source: int
) -> None:
    """Set dist[source] to 0 and put the source into the head bucket."""
    machine.dist[source] = 0
    if cost[0].vertices:
        machine.first_ns[source] = 0
        machine.last_ns[source] = 0
    _push(machine, sim[0], cost[0], controller[0], source, machine.dist[source], 0)
    sim[0].pushes = 0


@compiled_inline
def _sweep(machine, s, c, controller, samples, at):  # type: ignore[no-untyped-def]
    switched = _retire(machine, s, c, controller[0])
    handed = _assign(machine, s, c, controller[0])
    if s.status != RUNNING:
        return 0
    _control(machine, s, c, controller, switched)
    unfinished = 0
    for slot in range(c.buckets):
        unfinished += machine.slots[slot].reserved - machine.slots[slot].completed
    s.quiet_sweeps = quiet(handed, c.workers - s.idle, unfinished, s.quiet_sweeps)
    if s.quiet_sweeps >= QUIET_SWEEPS:
        s.status = FINISHED
        s.flags |= ENDED
    elif s.t_ns < s.next_sample_ns:
        return 0
    s.next_sample_ns += s.period_ns * max(1.0, np.ceil((s.t_ns - s.next_sample_ns) / s.period_ns))
    write_sample(machine, s, c, controller[0], samples[at])
    return 1


@compiled_inline
def _retire(machine, s, c, k):  # type: ignore[no-untyped-def]
    """Move the head on while it is finished and something waits further on."""
    moved = 0
    while moved < c.buckets - 1:
        slot = s.head_slot
        if not head_is_finished(machine.slots[slot].reserved, machine.slots[slot].completed):
            break
        waiting = False
        for other in range(c.buckets):
            waiting = waiting or machine.slots[other].reserved != machine.slots[other].completed
        if not waiting:
            break
        s.head += 1
        s.head_slot = s.head % c.buckets
        s.base += k.delta
        moved += 1
    if moved:
        s.switches += 1
        s.flags |= BUCKET_SWITCHED
        return 1
    return 0


@compiled_inline
def _assign(machine, s, c, k):  # type: ignore[no-untyped-def]
    """Hand items of the open heads to idle workers, highest priority first."""
    handed = 0
    for step in range(k.open_heads):
        bucket = s.head + step
        slot = bucket % c.buckets
        while s.idle > 0 and machine.slots[slot].read < machine.slots[slot].reserved:
            available = machine.slots[slot].reserved - machine.slots[slot].read
            size = chunk_size(available, s.idle, c.chunk_smallest, c.chunk_largest)
            s.idle -= 1
            worker = machine.idle[s.idle]
            _take(machine, s, c, slot, worker, size)
            w = machine.workers[worker]
            w.bucket = bucket
            w.count = size
            w.place, w.arc = 0, 0
            w.phase = 0
            _schedule(machine, s, worker, s.t_ns + c.flag_ns)
            s.assigned += size
            handed += size
    return handed


@compiled_inline
def _take(machine, s, c, at, worker, size):  # type: ignore[no-untyped-def]
    """Copy `size` items out of a bucket; blocks that are read to their end are freed."""
    cap = machine.table.shape[1]
    slot = machine.slots[at]
    place = 0
    while place < size:
        block = machine.table[at, (slot.read // BLOCK_WORDS) % cap]
        offset = slot.read & (BLOCK_WORDS - 1)
        run = min(size - place, BLOCK_WORDS - offset)
        for step in range(run):
            machine.items[worker, place + step] = machine.pool[block, offset + step]
        if c.drop_stale:
            for step in range(run):
                machine.pushed[worker, place + step] = machine.pool_dist[block, offset + step]
        place += run
        slot.read += run
        if offset + run == BLOCK_WORDS:
            machine.free[s.free_blocks] = block
            s.free_blocks += 1


@compiled_inline
def _control(machine, s, c, controller, switched):  # type: ignore[no-untyped-def]
    """Read the gauges, ask the controller, note what it did."""
    k = controller[0]
    waiting, produced, far, tail = 0, 0, 0, 0
    for offset in range(c.buckets):
        slot = (s.head + offset) % c.buckets
        fresh = machine.slots[slot].reserved - machine.slots[slot].mark
        produced += fresh
        if offset > FAR_BUCKETS:
            far = max(far, fresh)
        if offset == c.buckets - 1 and c.buckets > 2:
            tail = fresh
        if offset < k.open_heads:
            waiting += machine.slots[slot].reserved - machine.slots[slot].read
    before = k.delta
    reason = decide(controller, s.assigned, waiting, produced, far, tail, switched)
    if k.window_ended:
        for slot in range(c.buckets):
            machine.slots[slot].mark = machine.slots[slot].reserved
    if reason != NONE:
        s.reason = reason
    if k.delta != before:
        s.delta_changes += 1
        s.flags |= DELTA_RAISED if k.delta > before else DELTA_LOWERED


@compiled_lean
def write_sample(machine, s, c, k, sample):  # type: ignore[no-untyped-def]
    """Fill one SAMPLE from the state; flags and shares start again from here."""
    sample.t_ns = np.int64(s.t_ns)
    sample.head_bucket = s.head
    sample.bucket_switches = s.switches
    sample.processed_vertices = s.processed
    sample.relaxed_edges = s.relaxed
    sample.improved = s.improved
    sample.delta = k.delta
    sample.base = s.base
    sample.band_low = c.band_low
    sample.band_high = c.band_high
    sample.clip_share = s.clipped / s.pushes if s.pushes > 0 else 0.0
    sample.assigned_edges = s.assigned * c.mean_degree
    sample.assigned_vertices = s.assigned
    sample.busy_workers = c.workers - s.idle
    sample.open_buckets = k.open_heads
    sample.flags = s.flags | (CLIPPED if s.clipped > 0 else 0) | (DELTA_BY_HAND if k.by_hand else 0)
    sample.reason = BY_HAND if k.by_hand else s.reason
    sample.delta_changes = s.delta_changes
    sample.sequence = s.sequence
    for offset in range(32):
        sample.occupancy[offset] = 0
        if offset < c.buckets:
            slot = (s.head + offset) % c.buckets
            sample.occupancy[offset] = machine.slots[slot].reserved - machine.slots[slot].read
    s.sequence += 1
    s.flags, s.pushes, s.clipped = 0, 0, 0


@compiled_inline
def _wave_event(machine, s, c, k, worker):  # type: ignore[no-untyped-def]
    """A worker sees its flag, or ends a wave: relax, then start the next or fall idle."""
    w = machine.workers[worker]
    if w.phase == 1:
        _relax_wave(machine, s, c, k, worker)
        w.place = w.wave_place
        w.arc = w.wave_arc
        if w.place == w.count:
            machine.slots[w.bucket % c.buckets].completed += w.count
            s.assigned -= w.count
            machine.idle[s.idle] = worker
            s.idle += 1
            return
    w.phase = 1
    _start_wave(machine, s, c, worker)


@compiled_inline
def _start_wave(machine, s, c, worker):  # type: ignore[no-untyped-def]
    """Read the distances that the wave covers, and reckon when it ends."""
    w = machine.workers[worker]
    place, arc = w.place, w.arc
    left = c.wave_arcs
    while place < w.count and left > 0:
        vertex = machine.items[worker, place]
        degree = machine.indptr[vertex + 1] - machine.indptr[vertex]
        if arc == 0:
            machine.snapshot[worker, place] = machine.dist[vertex]
            if c.drop_stale and machine.pushed[worker, place] > machine.dist[vertex]:
                machine.items[worker, place] = -1 - vertex  # dropped: nothing to relax
                place, left = place + 1, left - 1
                continue
            s.processed += 1
            if c.vertices:
                machine.times[vertex] += 1
        took = min(degree - arc, left)
        left -= max(took, 1)
        arc += took
        if arc < degree:
            break
        place, arc = place + 1, 0
    w.wave_place, w.wave_arc = place, arc
    arcs = c.wave_arcs - max(left, 0)
    rounds = (arcs + c.lanes - 1) // c.lanes
    busy = c.workers - s.idle
    lasts = c.hop_ns + max(rounds * c.hop_ns, arcs * c.arc_ns * busy) + c.push_ns
    s.random ^= s.random << np.uint64(13)
    s.random ^= s.random >> np.uint64(7)
    s.random ^= s.random << np.uint64(17)
    uniform = (s.random >> np.uint64(40)) / 16777216.0
    _schedule(machine, s, worker, s.t_ns + lasts * (1.0 + JITTER * (uniform - 0.5)))


@compiled_inline
def _relax_wave(machine, s, c, k, worker):  # type: ignore[no-untyped-def]
    """Relax the arcs that the ending wave covers; queue what improved."""
    w = machine.workers[worker]
    indptr, indices, weights, dist = machine.indptr, machine.indices, machine.weights, machine.dist
    last_place, last_arc, place, skip = w.wave_place, w.wave_arc, w.place, w.arc
    bucket, unreached, now = w.bucket, c.unreached, np.int64(s.t_ns)
    while place < last_place or (place == last_place and last_arc > 0):
        vertex = machine.items[worker, place]
        if vertex < 0:
            place, skip = place + 1, 0
            continue
        start = indptr[vertex]
        end = indptr[vertex + 1] if place < last_place else start + last_arc
        from_dist = machine.snapshot[worker, place]
        s.relaxed += end - start - skip
        for arc in range(start + skip, end):
            to = indices[arc]
            reached = from_dist + weights[arc]
            known = dist[to]
            if reached < known:
                if c.vertices:
                    machine.last_ns[to] = now
                    if known == unreached:
                        machine.first_ns[to] = now
                dist[to] = reached
                s.improved += 1
                _push(machine, s, c, k, to, dist[to], bucket)
            elif known == unreached and reached >= unreached:
                s.status, s.overflow_arc, s.overflow_tail = OVERFLOW, arc, vertex
                return
        if place == last_place:
            break
        place, skip = place + 1, 0


@compiled_inline
def _push(machine, s, c, k, vertex, dist, from_bucket):  # type: ignore[no-untyped-def]
    """Queue a vertex by its distance."""
    raw = raw_offset(dist, s.base, k.inverse_delta)
    s.pushes += 1
    if clips(raw, c.buckets):
        s.clipped += 1
    at = s.head_slot + push_offset(raw, from_bucket, s.head, c.buckets)
    if at >= c.buckets:
        at -= c.buckets
    slot = machine.slots[at]
    offset = slot.reserved & (BLOCK_WORDS - 1)
    if offset == 0:
        s.free_blocks -= 1
        slot.block = machine.free[s.free_blocks]
        machine.table[at, (slot.reserved // BLOCK_WORDS) % machine.table.shape[1]] = slot.block
    machine.pool[slot.block, offset] = vertex
    if c.drop_stale:
        machine.pool_dist[slot.block, offset] = dist
    slot.reserved += 1


@compiled_inline
def _schedule(machine, s, worker, when):  # type: ignore[no-untyped-def]
    """Put a worker's next event into the heap."""
    at = s.heap_size
    s.heap_size += 1
    while at > 0 and machine.heap[(at - 1) // 2].when_ns > when:
        machine.heap[at].when_ns = machine.heap[(at - 1) // 2].when_ns
        machine.heap[at].worker = machine.heap[(at - 1) // 2].worker
        at = (at - 1) // 2
    machine.heap[at].when_ns, machine.heap[at].worker = when, worker


@compiled_inline
def _pop(machine, s):  # type: ignore[no-untyped-def]
    """Take the earliest event out of the heap."""
    s.heap_size -= 1
    when, worker = machine.heap[s.heap_size].when_ns, machine.heap[s.heap_size].worker
    at = 0
    while 2 * at + 1 < s.heap_size:
        child = 2 * at + 1
        if (
            child + 1 < s.heap_size
            and machine.heap[child + 1].when_ns < machine.heap[child].when_ns
        ):
            child += 1
        if machine.heap[child].when_ns >= when:
            break
        machine.heap[at].when_ns = machine.heap[child].when_ns
        machine.heap[at].worker = machine.heap[child].worker
        at = child
    machine.heap[at].when_ns, machine.heap[at].worker = when, worker
