"""The modelled ADDS, event by event: one compiled loop over manager sweeps and rounds.

The form and the sizes are those of our kernel (`cuda/kernels/manager.cuh`, `worker.cuh`). Two kinds
of event, in order of modelled time (a worker's event before a sweep of the same instant):

sweep   of the manager, every `sweep_ns`: retire finished heads, hand items of the open heads to
        idle workers, ask the controller, write a sample, look for the end. It finds at most
        READABLE items of each bucket.
worker  it sees its order, `order_ns` later; it ends a round (`adds_worker`); or it has written
        what it collected to the buckets, `push_ns` later.

Every decision is a call into `gpu.scheduler` or `gpu.delta`. Where a policy decides (`steered`),
the loop returns at the end of each window, before a sample (`gpu.model.policy`). Left out: a
worker's end is seen by the next sweep at once; items are readable when their write ends; two
workers on one multiprocessor slow each other down only by its rate.
"""

from __future__ import annotations

import numpy as np

from gpu import delta as delta_rules, scheduler
from gpu.compiled import compiled_inline, compiled_lean, compiled_part
from gpu.delta import BY_HAND, FAR_BUCKETS, NONE, WINDOW_SWEEPS
from gpu.loops import codes
from gpu.loops.heap import drop_top
from gpu.loops.log import lacks_room, record
from gpu.loops.sample import fill_sample
from gpu.model.adds_worker import queue_at_once, round_events, schedule, worker_event
from gpu.model.machine import ALIGNED, BLOCK_WORDS, HUB_ARCS, OUT_ROOM, READABLE, Machine
from gpu.scheduler import QUIET_SWEEPS

head_is_finished = compiled_inline(scheduler.head_is_finished)
chunk_size = compiled_inline(scheduler.chunk_size)
quiet = compiled_inline(scheduler.quiet)
decide = compiled_inline(delta_rules.decide)

SWEEPS_PER_CALL = 50_000  # so that a call returns soon even where nothing is relaxed


@compiled_lean
def advance(machine: Machine, sim: np.ndarray, samples: np.ndarray, most_relaxed: int) -> int:
    """Advance until `samples` is full, `most_relaxed` arcs are relaxed, or the run ends."""
    s, c, k = sim[0], machine.cost[0], machine.controller[0]
    heap, log = machine.heap, machine.log
    written, sweeps = np.int64(0), 0  # for a literal `_sweep` would be compiled once more
    until = s.relaxed + most_relaxed
    room = c.buckets + (HUB_ARCS * c.lanes + OUT_ROOM) // BLOCK_WORDS + 2  # for one event
    s.status = codes.RUNNING
    while s.relaxed < until and written < len(samples) and sweeps < SWEEPS_PER_CALL:
        if s.heap_size > 0 and heap[0].key <= s.next_sweep_ns:
            if s.free_blocks < room:
                s.status = codes.POOL_DRY
                break
            worker = heap[0].value
            if len(log.on) > 0 and lacks_room(log, round_events(machine, c, worker)):
                s.status = codes.LOG_FULL
                break
            s.t_ns = heap[0].key
            s.heap_size = drop_top(heap, s.heap_size)
            worker_event(machine, s, c, k, worker)
            if s.status != codes.RUNNING:
                break
        else:
            if lacks_room(log, 3 * c.workers + c.buckets + 64):
                s.status = codes.LOG_FULL
                break
            s.t_ns = s.next_sweep_ns
            s.next_sweep_ns = s.t_ns + c.sweep_ns
            sweeps += 1
            written += _sweep(machine, s, c, k, samples, written)
            if s.status != codes.RUNNING or (s.steered and k.window_ended):
                break
    return int(written)


def queue_source(machine: Machine, sim: np.ndarray, source: int) -> None:
    """Put the source into the head bucket; called uncompiled, since it is done once."""
    s, c, k = sim[0], machine.cost[0], machine.controller[0]
    queue_at_once(machine, s, c, k, source, machine.dist[source], 0, -1)
    s.pushes = 0


@compiled_part
def _sweep(machine, s, c, k, samples, at):  # type: ignore[no-untyped-def]
    switched = _retire(machine, s, c, k)
    handed = _assign(machine, s, c, k)
    if s.status != codes.RUNNING:
        return 0
    _control(machine, s, c, k, switched)
    unfinished, slots = 0, machine.slots
    for slot in range(c.buckets):
        unfinished += slots[slot].reserved - slots[slot].completed
    s.quiet_sweeps = quiet(handed, c.workers - s.idle, unfinished, s.quiet_sweeps)
    if s.quiet_sweeps >= QUIET_SWEEPS:
        s.status = codes.FINISHED
        s.flags |= codes.ENDED
    elif s.t_ns < s.next_sample_ns or (s.steered and k.window_ended):
        return 0
    s.next_sample_ns += s.period_ns * max(1.0, np.ceil((s.t_ns - s.next_sample_ns) / s.period_ns))
    write_sample(machine, s, samples[at])
    return 1


@compiled_inline
def _retire(machine, s, c, k):  # type: ignore[no-untyped-def]
    """Move the head on while it is finished and something waits further on."""
    moved, slots = 0, machine.slots
    while moved < c.buckets - 1:
        slot = s.head_slot
        if not head_is_finished(slots[slot].reserved, slots[slot].completed):
            break
        waiting = False
        for other in range(c.buckets):
            waiting = waiting or slots[other].reserved != slots[other].completed
        if not waiting:
            break
        s.head += 1
        s.head_slot = s.head % c.buckets
        s.base += k.delta
        moved += 1
    if moved:
        s.switches += 1
        s.flags |= codes.BUCKET_SWITCHED
        record(machine.log, s.t_ns, codes.HEAD, -1, s.head, s.switches, s.base)
        return 1
    return 0


@compiled_inline
def _assign(machine, s, c, k):  # type: ignore[no-untyped-def]
    """Hand items of the open heads to idle workers, highest priority first."""
    handed, slots = 0, machine.slots
    for step in range(k.open_heads):
        bucket = s.head + step
        slot = bucket % c.buckets
        read = slots[slot].read
        available = min(slots[slot].reserved - read, READABLE - read % ALIGNED)
        if available == 0 or s.idle == 0:
            continue
        share = chunk_size(available, s.idle, c.chunk_smallest, c.chunk_largest)
        while s.idle > 0 and available > 0:
            size = min(share, available)
            available -= size
            s.idle -= 1
            worker = np.int64(machine.idle[s.idle])
            first = slots[slot].read
            record(machine.log, s.t_ns, codes.ASSIGN, worker, first, bucket, np.float64(size))
            _take(machine, s, c, slot, worker, size, bucket)
            w = machine.workers[worker]
            w.bucket = bucket
            w.count = size
            w.head, w.tail = 0, size
            w.arc, w.hubs, w.out, w.since, w.phase = 0, 0, 0, 0, 0
            w.decided = 0
            schedule(machine.heap, s, worker, s.t_ns + c.order_ns)
            s.assigned += size
            handed += size
    return handed


@compiled_inline
def _take(machine, s, c, at, worker, size, bucket):  # type: ignore[no-untyped-def]
    """Copy `size` items out of a bucket; blocks that are read to their end are freed."""
    table = machine.table
    slot = machine.slots[at]
    place = 0
    while place < size:
        block = table[at, (slot.read // BLOCK_WORDS) % table.shape[1]]
        offset = slot.read & (BLOCK_WORDS - 1)
        run = min(size - place, BLOCK_WORDS - offset)
        for step in range(run):
            machine.items[worker, place + step] = machine.pool[block, offset + step]
        if c.drop_stale:
            for step in range(run):
                machine.queued[worker, place + step] = machine.pool_dist[block, offset + step]
        place += run
        slot.read += run
        if offset + run == BLOCK_WORDS:
            machine.free[s.free_blocks] = block
            s.free_blocks += 1
            record(machine.log, s.t_ns, codes.BLOCK_FREED, worker, block, bucket, 0.0)


@compiled_inline
def _control(machine, s, c, k, switched):  # type: ignore[no-untyped-def]
    """Read the gauges, ask the controller, note what it did."""
    slots, log = machine.slots, machine.log
    waiting, produced, far, tail = 0, 0, 0, 0
    for offset in range(c.buckets):
        slot = (s.head + offset) % c.buckets
        fresh = slots[slot].reserved - slots[slot].mark
        produced += fresh
        if offset > FAR_BUCKETS:
            far = max(far, fresh)
        if offset == c.buckets - 1 and c.buckets > 2:
            tail = fresh
        if offset < k.open_heads:
            waiting += slots[slot].reserved - slots[slot].read
    produced += s.kept - s.kept_mark
    if s.steered:
        s.window[0] = (k.sum_processing + s.assigned) / WINDOW_SWEEPS
        s.window[1] = (k.sum_waiting + waiting) / WINDOW_SWEEPS
        s.window[2], s.window[3], s.window[4] = produced, far, tail
    before, heads = k.delta, k.open_heads
    reason = decide(machine.controller, s.assigned, waiting, produced, far, tail, switched)
    if k.window_ended:
        for slot in range(c.buckets):
            slots[slot].mark = slots[slot].reserved
        s.kept_mark = s.kept
    if reason != NONE:
        s.reason = reason
    if k.delta != before:
        s.delta_changes += 1
        s.flags |= codes.DELTA_RAISED if k.delta > before else codes.DELTA_LOWERED
        record(log, s.t_ns, codes.DELTA, -1, reason, k.open_heads, k.delta)
    elif k.open_heads != heads:
        record(log, s.t_ns, codes.OPEN, -1, k.open_heads, reason, 0.0)


@compiled_part
def write_sample(machine, s, sample):  # type: ignore[no-untyped-def]
    """Fill one SAMPLE from the state; flags and shares start again from here."""
    c, k = machine.cost[0], machine.controller[0]
    s.delta, s.by_hand = k.delta, k.by_hand
    s.flags |= codes.CLIPPED if s.clipped > 0 else 0
    fill_sample(s, machine.log, sample, s.assigned, c.workers - s.idle)
    sample.band_low = c.band_low
    sample.band_high = c.band_high
    sample.clip_share = s.clipped / s.pushes if s.pushes > 0 else 0.0
    sample.open_buckets = k.open_heads
    if k.by_hand:
        sample.reason = BY_HAND
    slots = machine.slots
    for offset in range(32):
        sample.occupancy[offset] = 0
        if offset < c.buckets:
            slot = (s.head + offset) % c.buckets
            sample.occupancy[offset] = slots[slot].reserved - slots[slot].read
    s.pushes, s.clipped = 0, 0
