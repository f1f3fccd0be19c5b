"""The worker of the modelled ADDS: its own queue, its rounds, what it writes to the buckets.

In a round a worker takes up to a block's lanes of vertices off its own queue and deals them to its
warps. It reads their distances at the start and relaxes their arcs at the end, so what others do
meanwhile makes it stale. A vertex that improved stays in its own queue where it belongs to its
bucket or before (`stays_with_worker`). The rest is collected and written when the queue is empty,
when the collection is half full, or every FLUSH_ROUNDS while others are idle. Hubs are done after
the round by the whole block.

While others are idle a worker with hubs gives away the pieces of a long row, the hubs that it has
not begun and what exceeds KEEP in its queue. An item from `n` on is a piece of arcs.

A round lasts as long as its fullest warp: `narrow_ns` where it has at most one arc a lane, else
`round_ns`, and `trip_ns` for each further load of arcs in flight. It ends no earlier than its
multiprocessor, which relaxes one arc every `arc_ns` for all its workers, has come to it.
"""

from __future__ import annotations

import numpy as np

from gpu import scheduler
from gpu.compiled import compiled_inline, compiled_part
from gpu.loops import codes
from gpu.loops.heap import push
from gpu.loops.log import ARC_EVENTS, record
from gpu.loops.plus import plus
from gpu.loops.sample import note_improved, note_processed
from gpu.model import machine as sizes

raw_offset = compiled_inline(scheduler.raw_offset)
push_offset = compiled_inline(scheduler.push_offset)
clips = compiled_inline(scheduler.clips)
stays_with_worker = compiled_inline(scheduler.stays_with_worker)


@compiled_part
def row_of(indptr, item):  # type: ignore[no-untyped-def]
    """Return the vertex of an item, and the first arc and the end of what it asks for."""
    n = len(indptr) - 1
    if item < n:
        return item, indptr[item], indptr[item + 1]
    first = (item - n) * sizes.PIECE_ARCS
    return _tail_of(indptr, first), first, first + sizes.PIECE_ARCS


@compiled_part
def _tail_of(indptr, arc):  # type: ignore[no-untyped-def]
    """Return the vertex that an arc leaves; NumPy's search takes longer to compile."""
    first, last = np.int64(0), np.int64(len(indptr) - 1)
    while first < last:
        middle = (first + last + 1) >> 1
        if indptr[middle] <= arc:
            first = middle
        else:
            last = middle - 1
    return first


@compiled_inline
def worker_event(machine, s, c, k, worker):  # type: ignore[no-untyped-def]
    """A worker sees its flag, ends a round, or has written what it collected."""
    w = machine.workers[worker]
    if w.phase == 1:
        _end_round(machine, s, c, k, worker)
        if s.status != codes.RUNNING:
            return
        w.since += 1
        waiting = w.head != w.tail or w.hubs > 0
        feed = s.idle > 0 and w.since >= sizes.FLUSH_ROUNDS and not c.as_published
        if w.out > 0 and (not waiting or feed or w.out > sizes.OUT_ROOM // 2):
            w.phase = 2
            schedule(machine.heap, s, worker, s.t_ns + c.push_ns)
            return
    elif w.phase == 2:
        _write_out(machine, s, c, k, worker)
    if w.hubs > 0 and w.arc == 0 and _gives_hubs(machine, s, c, k, worker):
        w.phase = 2
        schedule(machine.heap, s, worker, s.t_ns + c.push_ns)
        return
    if w.head == w.tail and w.hubs == 0:
        slot = machine.slots[w.bucket % c.buckets]
        slot.completed += w.count
        done = np.float64(slot.completed)
        record(machine.log, s.t_ns, codes.FINISH, worker, w.count, w.bucket, done)
        machine.idle[s.idle] = worker
        s.idle += 1
        return
    w.phase = 1
    if w.hubs > 0:
        _start_hub(machine, s, c, worker)
    else:
        _start_round(machine, s, c, worker)


@compiled_part
def _write_out(machine, s, c, k, worker):  # type: ignore[no-untyped-def]
    """Queue in the buckets what the worker collected."""
    w, out, out_dist = machine.workers[worker], machine.out, machine.out_dist
    for place in range(w.out):
        item = np.int64(out[worker, place])
        queue_item(machine, s, c, k, item, out_dist[worker, place], w.bucket, worker)
    w.out, w.since = 0, 0


@compiled_inline
def _start_round(machine, s, c, worker):  # type: ignore[no-untyped-def]
    """Read the distances of the next vertices, put hubs aside, and reckon when it ends."""
    w = machine.workers[worker]
    items, queued, indptr, log = machine.items, machine.queued, machine.indptr, machine.log
    take = min(w.tail - w.head, c.lanes)
    share = (take * c.warp + c.lanes - 1) // c.lanes  # vertices of one warp
    arcs, of_warp, fullest, until = 0, 0, 0, share
    for place in range(take):
        at = (w.head + place) & (sizes.QUEUE_ROOM - 1)
        item = items[worker, at]
        vertex, first, end = row_of(indptr, item)
        current = machine.dist[vertex]
        if place == until:
            until += share
            of_warp = 0
        if c.drop_stale and queued[worker, at] > current:
            items[worker, at] = -1 - item
            was = np.float64(queued[worker, at])
            record(log, s.t_ns, codes.STALE, worker, vertex, w.bucket, was)
            continue
        degree = end - first
        if degree > sizes.HUB_ARCS:
            items[worker, at] = -1 - item
            machine.hubs[worker, w.hubs] = item
            machine.hub_dist[worker, w.hubs] = current
            w.hubs += 1
            continue
        machine.snapshot[worker, place] = current
        note_processed(machine, s, vertex, current, s.base)
        record(log, s.t_ns, codes.POP, worker, vertex, w.bucket, np.float64(current))
        arcs += degree
        of_warp += degree
        fullest = max(fullest, of_warp)
    w.take, w.arc = take, 0
    _end_at(machine, s, c, worker, arcs, fullest, c.warp)


@compiled_part
def _start_hub(machine, s, c, worker):  # type: ignore[no-untyped-def]
    """The same for the next arcs of a hub, which the whole block shares."""
    w = machine.workers[worker]
    log, item = machine.log, machine.hubs[worker, w.hubs - 1]
    hub, first, end = row_of(machine.indptr, item)
    current = machine.dist[hub]
    rest = 0
    until = w.given_first if first + w.arc < w.given_first else end
    w.take, w.wave_arc = 0, min(w.arc + sizes.IN_FLIGHT * c.lanes, until - first)
    if c.drop_stale and machine.hub_dist[worker, w.hubs - 1] > current:
        rest, w.wave_arc = end - first - w.arc, -1  # the newer item does them; the rounds are idle
        if w.arc == 0:
            queued = np.float64(machine.hub_dist[worker, w.hubs - 1])
            record(log, s.t_ns, codes.STALE, worker, hub, w.bucket, queued)
    elif w.counted == 0:
        w.counted = 1
        note_processed(machine, s, hub, current, s.base)
        record(log, s.t_ns, codes.POP, worker, hub, w.bucket, np.float64(current))
    machine.snapshot[worker, 0] = current
    arcs = max(w.wave_arc - w.arc, 0)
    _end_at(machine, s, c, worker, arcs, max(arcs, rest), c.lanes)


@compiled_inline
def _end_at(machine, s, c, worker, arcs, fullest, lanes):  # type: ignore[no-untyped-def]
    """Schedule a round's end: its trips, or its turn at the memory, whichever is later."""
    trips = (fullest + lanes * sizes.IN_FLIGHT - 1) // (lanes * sizes.IN_FLIGHT)
    narrow = fullest <= lanes
    lasts = c.narrow_ns if narrow else c.round_ns + max(trips - 1, 0) * c.trip_ns
    sm = worker % c.sms
    served = machine.served_ns
    served_ns = max(served[sm], s.t_ns) + arcs * c.arc_ns
    served[sm] = served_ns
    s.random ^= s.random << np.uint64(13)
    s.random ^= s.random >> np.uint64(7)
    s.random ^= s.random << np.uint64(17)
    uniform = (s.random >> np.uint64(40)) / 16777216.0
    lasts = lasts * (1.0 + sizes.JITTER * (uniform - 0.5))
    schedule(machine.heap, s, worker, max(s.t_ns + lasts, served_ns))


@compiled_inline
def _end_round(machine, s, c, k, worker):  # type: ignore[no-untyped-def]
    """Relax the arcs that the ending round covers: of its vertices, or a part of one hub's."""
    w = machine.workers[worker]
    items, indptr = machine.items, machine.indptr
    whole = w.take > 0
    for place in range(max(w.take, 1)):
        if whole:
            vertex = items[worker, (w.head + place) & (sizes.QUEUE_ROOM - 1)]
            if vertex < 0:
                continue
            first, end = indptr[vertex], indptr[vertex + 1]
        else:
            vertex, start, stop = row_of(indptr, machine.hubs[worker, w.hubs - 1])
            first = start + w.arc
            end = max(start + w.wave_arc, first)
        _relax(machine, s, c, k, worker, vertex, machine.snapshot[worker, place], first, end)
        if s.status != codes.RUNNING:
            return
    if whole:
        w.head += w.take
        s.assigned -= w.take - w.hubs
        return
    w.arc = w.wave_arc
    if start + w.arc == w.given_first:
        w.arc = w.given_end - start
    if w.wave_arc < 0 or start + w.arc == stop:
        w.hubs -= 1
        w.arc, w.decided = 0, 0
        s.assigned -= 1
        if w.hubs == 0 and s.idle > 0 and not c.as_published:
            _share_queue(machine, s, c, k, worker)


@compiled_part
def _gives_hubs(machine, s, c, k, worker):  # type: ignore[no-untyped-def]
    """Collect what others can do of the hubs, before one is begun; return whether there was any."""
    w = machine.workers[worker]
    hubs, hub_dist, vertices = machine.hubs, machine.hub_dist, len(machine.indptr) - 1
    last = w.hubs - 1
    item, dist = hubs[worker, last], hub_dist[worker, last]
    if w.decided == 1:
        return False
    _, first, end = row_of(machine.indptr, item)
    w.decided, w.given_first, w.given_end = 1, -1, -1
    w.counted = 1 if item >= vertices else 0
    if s.idle == 0 or c.as_published:
        return False
    gives = last >= c.chunk_smallest
    if gives:
        for place in range(last):
            shared = np.int64(hubs[worker, place])
            _collect_of_hub(machine, s, c, k, worker, shared, hub_dist[worker, place])
        hubs[worker, 0], hub_dist[worker, 0] = item, dist
        s.assigned -= last
        w.hubs = 1
    if end - first >= sizes.SPLIT_ARCS:
        before, after = (first + sizes.PIECE_ARCS - 1) // sizes.PIECE_ARCS, end // sizes.PIECE_ARCS
        for piece in range(before, after):
            _collect_of_hub(machine, s, c, k, worker, vertices + piece, dist)
        w.given_first, w.given_end = before * sizes.PIECE_ARCS, after * sizes.PIECE_ARCS
        if first == w.given_first:
            w.arc = w.given_end - first
        gives = True
    return gives


@compiled_part
def _share_queue(machine, s, c, k, worker):  # type: ignore[no-untyped-def]
    """Collect what exceeds KEEP in the worker's own queue."""
    w = machine.workers[worker]
    while w.tail - w.head > sizes.KEEP:
        w.tail -= 1
        at = w.tail & (sizes.QUEUE_ROOM - 1)
        item, dist = np.int64(machine.items[worker, at]), machine.queued[worker, at]
        _collect_of_hub(machine, s, c, k, worker, item, dist)
        s.assigned -= 1


@compiled_inline
def _collect(machine, s, c, k, worker, item, dist):  # type: ignore[no-untyped-def]
    """Collect an item for the buckets."""
    w = machine.workers[worker]
    if w.out < sizes.OUT_ROOM:
        machine.out[worker, w.out] = item
        machine.out_dist[worker, w.out] = dist
        w.out += 1
        if len(machine.log.on) > 0:
            vertex, _, _ = row_of(machine.indptr, item)
            record(machine.log, s.t_ns, codes.COLLECT, worker, vertex, w.bucket, np.float64(dist))
    else:
        queue_at_once(machine, s, c, k, np.int64(item), dist, w.bucket, worker)


_collect_of_hub = compiled_part(_collect.py_func)  # one copy, where calls are few


@compiled_inline
def _relax(machine, s, c, k, worker, vertex, from_dist, first, end):  # type: ignore[no-untyped-def]
    """Relax arcs [first, end) of one vertex; queue what improved."""
    indices, weights, dist = machine.indices, machine.weights, machine.dist
    log, unreached = machine.log, s.unreached
    s.relaxed += end - first
    for arc in range(first, end):
        to = indices[arc]
        reached = plus(from_dist, weights[arc])
        current = dist[to]
        record(log, s.t_ns, codes.RELAX, worker, arc, vertex, np.float64(reached))
        if reached < current:
            if c.queue_losers and machine.improved_ns[to] != s.t_ns:
                machine.improved_ns[to], machine.before[to] = s.t_ns, current
            note_improved(machine, s, to, current)
            dist[to] = reached
            s.improved += 1
            record(log, s.t_ns, codes.IMPROVE, worker, to, arc, np.float64(dist[to]))
            _keep_or_collect(machine, s, c, k, worker, to, dist[to])
        elif current == unreached:
            s.overflowed = 1
        elif c.queue_losers and machine.improved_ns[to] == s.t_ns and reached < machine.before[to]:
            _collect_of_hub(
                machine, s, c, k, worker, np.int64(to), reached
            )  # it lost the race of this round


@compiled_inline
def _keep_or_collect(machine, s, c, k, worker, vertex, dist):  # type: ignore[no-untyped-def]
    """Keep an improved vertex in its worker's own queue, or collect it for the buckets."""
    w = machine.workers[worker]
    length = w.tail - w.head
    may_stay = length < sizes.QUEUE_ROOM and (s.idle == 0 or length - w.take < sizes.KEEP)
    if may_stay and not c.as_published:
        raw = raw_offset(dist, s.base, k.inverse_delta)
        if stays_with_worker(raw, w.bucket, s.head):
            at = w.tail & (sizes.QUEUE_ROOM - 1)
            machine.items[worker, at] = vertex
            machine.queued[worker, at] = dist
            w.tail += 1
            s.kept += 1
            s.pushes += 1
            s.assigned += 1
            record(machine.log, s.t_ns, codes.STAY, worker, vertex, w.bucket, np.float64(dist))
            return
    _collect(machine, s, c, k, worker, vertex, dist)


@compiled_inline
def queue_item(machine, s, c, k, item, dist, from_bucket, worker):  # type: ignore[no-untyped-def]
    """Queue a vertex, or a piece of one, in a bucket, by its distance."""
    log = machine.log
    vertex, _, _ = row_of(machine.indptr, item)
    raw = raw_offset(dist, s.base, k.inverse_delta)
    s.pushes += 1
    if clips(raw, c.buckets):
        s.clipped += 1
        tail = s.head + c.buckets - 1
        record(log, s.t_ns, codes.CLIP, worker, vertex, tail, np.float64(dist))
    at = s.head_slot + push_offset(raw, from_bucket, s.head, c.buckets)
    bucket = s.head + at - s.head_slot
    if at >= c.buckets:
        at -= c.buckets
    slot = machine.slots[at]
    offset = slot.reserved & (sizes.BLOCK_WORDS - 1)
    if offset == 0:
        s.free_blocks -= 1
        slot.block = machine.free[s.free_blocks]
        block = slot.reserved // sizes.BLOCK_WORDS
        table = machine.table
        table[at, block % table.shape[1]] = slot.block
        record(log, s.t_ns, codes.BLOCK_TAKEN, worker, slot.block, bucket, 0.0)
    machine.pool[slot.block, offset] = item
    if c.drop_stale:
        machine.pool_dist[slot.block, offset] = dist
    place = slot.reserved
    record(log, s.t_ns, codes.RESERVE, worker, place, bucket, 0.0)
    record(log, s.t_ns, codes.PUSH, worker, vertex, bucket, np.float64(dist))
    record(log, s.t_ns, codes.WRITTEN, worker, place, bucket, np.float64(place + 1))
    slot.reserved += 1


queue_at_once = compiled_part(queue_item.py_func)  # one copy, where calls are few


@compiled_part
def round_events(machine, c, worker):  # type: ignore[no-untyped-def]
    """Return the most events that a worker's next event can record."""
    w = machine.workers[worker]
    arcs = 0
    for place in range(w.take):
        vertex = machine.items[worker, (w.head + place) & (sizes.QUEUE_ROOM - 1)]
        if vertex >= 0:
            arcs += machine.indptr[vertex + 1] - machine.indptr[vertex]
    shared = w.hubs
    if w.hubs > 0:
        arcs += max(w.wave_arc - w.arc, 0)
        _, first, end = row_of(machine.indptr, machine.hubs[worker, w.hubs - 1])
        shared += (end - first) // sizes.PIECE_ARCS
    return ARC_EVENTS * (arcs + sizes.OUT_ROOM + shared + sizes.QUEUE_ROOM) + c.lanes + 16


@compiled_part
def schedule(heap, s, worker, when):  # type: ignore[no-untyped-def]
    """Put a worker's next event into the heap."""
    s.heap_size = push(heap, s.heap_size, when, worker)
