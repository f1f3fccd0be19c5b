"""Delta-stepping by threads that share memory: the loop of one of them.

All threads work on the same bucket, the *head bucket*. What a thread improves goes into
buckets of its own, beside the distance with which it came: an entry whose vertex has a
better distance by then is dropped, so that no distance is processed twice. As long as its
own head bucket has anything in it, a thread works that off by itself, one generation after the
other, and waits for nobody (bucket fusion). What it has too much of it puts on *offer*, OFFER
vertices at a time, and a thread that has nothing takes from the others' offers. When nobody
works any more, the last one to notice chooses the next bucket: the lowest that
anybody has something in. So there is one barrier a bucket, and none within.

BUSY counts threads at work; whoever brings it to 0 ends the bucket. A thread is at work while it
has anything on offer, and one that waits counts itself before it takes, never from 0 on.

An offer is a copy, in one of OFFERS places of the thread that makes it. It is read first and
taken then, by a compare-and-swap of the number of offers taken so far: where that succeeds, what
was read is what was offered, since a place is used again only after OFFERS more were made.

A bucket is a list of chunks of CHUNK vertices out of the thread's own pool; a chunk comes
back to the pool when it was worked off. Past the last slot a distance is clipped into that
one, and goes to a later bucket when its turn comes (so does everything when delta was changed by
hand). Two threads may process a vertex at the same time: that costs work and never a distance.

What a chunk's vertices need is fetched for all of them before the first is processed, and of a long
row the heads a BLOCK ahead.

A thread ends when the run does, when it is stopped, or when somebody's pool is too small for the
next vertex; Python then makes larger ones, and each goes on where it was.
"""

from __future__ import annotations

import numpy as np

from gpu.compiled import compiled_inline, compiled_lean, compiled_part
from gpu.cpu import atomics, delta_stepping_state as state
from gpu.delta import BY_HAND, START
from gpu.loops.codes import BUCKET_SWITCHED, DELTA_LOWERED, DELTA_RAISED
from gpu.loops.plus import plus
from gpu.loops.sample import fill_sample

NO_THREAD = -1


@compiled_lean
def work(shared, me):  # type: ignore[no-untyped-def]
    """Be one thread of the team until the run ends, is stopped, or a pool must grow.

    shared : gpu.cpu.delta_stepping.Shared; me : which one, NO_THREAD to compile alone
    """
    if me == NO_THREAD:
        return
    control = shared.control
    t = shared.threads[me]
    if t.stage == state.BEFORE:
        _begin(shared, t, control, me)
    while True:
        last = False
        if t.stage == state.AT_WORK:
            if not _work_off(shared, t, control, me):
                break
            last = _leave_bucket(shared, t, control, me)
        if not _await(shared, t, control, me, last):
            break
        if t.stage == state.WAITING and not _next_bucket(shared, t, control):
            break


@compiled_inline
def _begin(shared, t, control, me):  # type: ignore[no-untyped-def]
    """Have an own pool and empty buckets, but for the source, which the first thread has."""
    t.delta, t.inverse = shared.hands[1], 1.0 / shared.hands[1]
    t.spare, t.fresh, t.free = -1, state.FIRST_CHUNK, shared.link.shape[1] - state.FIRST_CHUNK
    t.wanted, t.stage = 1, state.AT_WORK
    if me == 0:  # nobody else has anything to do yet
        shared.totals[0].delta = t.delta
        entry = shared.pool[0, state.FIRST_CHUNK, 0]
        entry.bits, entry.vertex = 0, shared.source
        shared.bits[shared.source] = 0
        if shared.probe >= 2:
            shared.first_ns[shared.source] = shared.last_ns[shared.source] = 0
        shared.counts[0, 0], shared.top[0, 0] = 1, state.FIRST_CHUNK
        t.fresh, t.free, t.waiting = t.fresh + 1, t.free - 1, 1
        if shared.probe > 0:
            start = np.int64(0)  # for a literal write_sample would be compiled once more
            write_sample(shared, start, start, np.int64(1))
            shared.totals[0].next_sample_ns = control[state.PERIOD]
            atomics.store(control, state.WRITTEN, 1)


@compiled_inline
def _work_off(shared, t, control, me):  # type: ignore[no-untyped-def]
    """Work until there is nothing to be had; False where the run is stopped or a pool is small."""
    while True:
        if t.left == 0 and not _find(shared, t, me):
            return True
        if not _process(shared, t, control, me):
            atomics.swap(control, state.STOP, state.GO_ON, state.TO_GROW)
            return False
        if atomics.load(control, state.STOP) != state.GO_ON:
            return False


@compiled_inline
def _find(shared, t, me):  # type: ignore[no-untyped-def]
    """Take up a chunk: of the own head bucket, of the own offers, of another's; False: none."""
    threads, row = len(shared.threads), np.uintp(me)
    if t.hand_count == 0:
        slot = np.uintp(t.head_slot)
        count = np.int64(shared.counts[row, slot])
        if count == 0:
            victim = me
            for _ in range(threads if threads > 1 else 0):
                if _take(shared, t, me, victim):
                    return True
                victim = victim + 1 if victim + 1 < threads else 0
            return False
        t.hand_top, t.hand_count = np.int64(shared.top[row, slot]), count
        shared.counts[row, slot] = 0
        t.waiting -= count
    if threads > 1 and t.hand_count > state.OFFER:
        _offer(shared, t, me)
    t.chunk, t.piece = t.hand_top, 0
    t.left = ((t.hand_count - 1) & state.LAST) + 1
    t.hand_count -= t.left
    t.hand_top = np.int64(shared.link[row, np.uintp(t.chunk)])
    return True


@compiled_inline
def _offer(shared, t, me):  # type: ignore[no-untyped-def]
    """Put vertices in hand on offer; more of them from time to time where all were taken."""
    offers, pool, row, at = shared.offers, shared.pool, np.uintp(me), me * state.OFFER_WORDS
    made = offers[at + state.MADE]
    left = made - atomics.load(offers, at + state.TAKEN)
    t.wanted = min(2 * t.wanted, state.OFFERS) if left == 0 else max(t.wanted >> 1, 1)
    while left < t.wanted and t.hand_count > state.OFFER:
        rest = ((t.hand_count - 1) & state.LAST) + 1
        count, place = min(rest, state.OFFER), made & (state.OFFERS - 1)
        for i in range(count):
            source = pool[row, np.uintp(t.hand_top), np.uintp(rest - 1 - i)]
            target = pool[row, np.uintp(place >> state.PLACE_BITS), _place(place, i)]
            target.bits, target.vertex = source.bits, source.vertex
        offers[at + state.SIZES + place] = count
        t.hand_count -= count
        if count == rest:
            chunk = t.hand_top
            t.hand_top = np.int64(shared.link[row, np.uintp(chunk)])
            _free(shared, t, me, chunk)
        made += 1
        left += 1
        atomics.store(offers, at + state.MADE, made)


@compiled_inline
def _offer_pieces(shared, me, vertex, dist, start, end):  # type: ignore[no-untyped-def]
    """Offer a long row's arcs piece by piece, from its end; return the end of what remains."""
    offers, at = shared.offers, me * state.OFFER_WORDS
    made, piece = offers[at + state.MADE], (end - start - 1) // state.PIECE
    while piece > 0 and made - atomics.load(offers, at + state.TAKEN) < state.OFFERS:
        place = made & (state.OFFERS - 1)
        target = shared.pool[np.uintp(me), np.uintp(place >> state.PLACE_BITS), _place(place, 0)]
        target.bits, target.vertex = atomics.as_bits(dist), vertex
        offers[at + state.SIZES + place] = -piece
        end = start + piece * state.PIECE
        piece -= 1
        made += 1
        atomics.store(offers, at + state.MADE, made)
    return end


@compiled_inline
def _place(offer, i):  # type: ignore[no-untyped-def]
    """Return where in its chunk an offer has its vertex number i."""
    return np.uintp((offer & state.PLACE_MASK) * state.OFFER + i)


@compiled_part
def _take(shared, t, me, victim):  # type: ignore[no-untyped-def]
    """Take what a thread has on offer; False where there is nothing."""
    offers, pool, at = shared.offers, shared.pool, victim * state.OFFER_WORDS
    taken = atomics.load(offers, at + state.TAKEN)
    if taken >= atomics.load(offers, at + state.MADE):
        return False
    place = taken & (state.OFFERS - 1)
    size = offers[at + state.SIZES + place]
    count = max(size, 1)
    for i in range(count):
        source = pool[np.uintp(victim), np.uintp(place >> state.PLACE_BITS), _place(place, i)]
        target = pool[np.uintp(me), state.IN_HAND, np.uintp(i)]
        target.bits, target.vertex = source.bits, source.vertex
    if not atomics.swap(offers, at + state.TAKEN, taken, taken + 1):
        return False
    t.chunk, t.left, t.piece = state.IN_HAND, count, max(-size, 0)
    return True


@compiled_inline
def _free(shared, t, me, chunk):  # type: ignore[no-untyped-def]
    """Give a chunk back to the own pool."""
    shared.link[me, chunk] = t.spare
    t.spare = chunk
    t.free += 1


@compiled_inline
def _process(shared, t, control, me):  # type: ignore[no-untyped-def]
    """Relax the arcs of the vertices of the chunk in hand; False where there is no room."""
    pool, slots = shared.pool, shared.counts.shape[1]
    end_of_bucket = t.base + t.delta
    row, chunk = np.uintp(me), np.uintp(t.chunk)
    for place in range(t.left - 1, -1, -1):
        vertex = np.int64(pool[row, chunk, np.uintp(place)].vertex)
        atomics.fetch(shared.indptr, vertex)
        atomics.fetch(shared.bits, vertex)
        if shared.probe >= 2:
            atomics.fetch(shared.times, vertex)
    for place in range(t.left - 1, -1, -1):
        start = shared.indptr[np.uintp(pool[row, chunk, np.uintp(place)].vertex)]
        atomics.fetch(shared.indices, start)
        atomics.fetch(shared.weights, start)
    while t.left > 0:
        last = np.uintp(t.left - 1)
        vertex = np.int64(pool[row, chunk, last].vertex)
        dist = shared.dist[np.uintp(vertex)]
        if atomics.as_bits(dist) == pool[row, chunk, last].bits:
            start, end = shared.indptr[np.uintp(vertex)], shared.indptr[np.uintp(vertex + 1)]
            needed = min(end - start, slots) + (end - start) // state.CHUNK + 3
            if t.free < needed:
                t.needed = needed
                return False
            if np.float64(dist) >= end_of_bucket:
                _push(shared, t, me, max(np.float64(dist), t.base + 1.5 * t.delta), dist, vertex)
                t.waiting += 1
            else:
                if t.piece > 0:
                    start += t.piece * state.PIECE
                    end = min(start + state.PIECE, end)
                else:
                    _count(shared, t, control, vertex, np.float64(dist))
                    if end - start > 2 * state.PIECE and len(shared.threads) > 1:
                        end = _offer_pieces(shared, me, vertex, dist, start, end)
                _relax(shared, t, me, dist, start, end)
        t.left -= 1
    if t.chunk != state.IN_HAND:
        _free(shared, t, me, t.chunk)
    return True


@compiled_inline
def _relax(shared, t, me, dist, start, end):  # type: ignore[no-untyped-def]
    """Relax a range of arcs from a distance."""
    alone, improved, overflowed = len(shared.threads) == 1, 0, False
    first = start
    while first < end:
        last = min(first + state.BLOCK, end)
        for arc in range(last, min(last + state.BLOCK, end)):
            atomics.fetch(shared.bits, np.int64(shared.indices[np.uintp(arc)]))
        for arc in range(first, last):
            to = np.int64(shared.indices[np.uintp(arc)])
            reached = plus(dist, shared.weights[np.uintp(arc)])
            if reached < shared.dist[np.uintp(to)]:
                bits, old = atomics.as_bits(reached), shared.bits[np.uintp(to)]
                if alone:
                    shared.bits[np.uintp(to)] = bits
                else:
                    old = atomics.atomic_min(shared.bits, to, bits)
                if bits < old:
                    improved += 1
                    _push(shared, t, me, np.float64(reached), reached, to)
                    if shared.probe >= 2:
                        shared.last_ns[np.uintp(to)] = t.now_ns
                        if old == shared.unreached:
                            shared.first_ns[np.uintp(to)] = t.now_ns
            elif atomics.as_bits(reached) == shared.unreached:
                overflowed |= shared.bits[np.uintp(to)] == shared.unreached
        first = last
    t.relaxed += end - start
    t.improved += improved
    t.waiting += improved
    if overflowed:
        t.overflowed = 1


@compiled_inline
def _count(shared, t, control, vertex, dist):  # type: ignore[no-untyped-def]
    """Count a processed vertex; from probe level 2 also which, and what time it is."""
    t.processed += 1
    if shared.probe > 0:
        t.distance_error += max(dist - t.base, 0.0)
    if shared.probe >= 2:
        if len(shared.threads) == 1:
            shared.times[np.uintp(vertex)] += 1
        else:
            atomics.atomic_add(shared.times, vertex, 1)
        t.until_clock -= 1
        if t.until_clock <= 0:
            t.until_clock = state.CLOCK_EVERY
            _look_at_clock(t, control, shared.clock, shared.clock_kind)


@compiled_part
def _look_at_clock(t, control, clock, kind):  # type: ignore[no-untyped-def]
    t.now_ns = max(t.now_ns, atomics.read_clock(clock, kind) - control[state.STARTED])


@compiled_inline
def _push(shared, t, me, place, dist, vertex):  # type: ignore[no-untyped-def]
    """Add a vertex to the own bucket of a distance; the caller has seen to it that there is room.

    place : the distance that chooses the bucket; past the last slot it is clipped into that one
    """
    slots, row = shared.counts.shape[1], np.uintp(me)
    position = t.head_slot + np.int64(min(max((place - t.base) * t.inverse, 0.0), slots - 1.0))
    slot = np.uintp(position - slots if position >= slots else position)
    count = np.int64(shared.counts[row, slot])
    at = np.uintp(count & state.LAST)
    if count & state.LAST == 0:
        fresh = t.spare
        if fresh >= 0:
            t.spare = np.int64(shared.link[row, np.uintp(fresh)])
        else:
            fresh = t.fresh
            t.fresh += 1
        t.free -= 1
        shared.link[row, np.uintp(fresh)] = shared.top[row, slot]
        shared.top[row, slot] = fresh
    chunk = np.uintp(shared.top[row, slot])
    shared.pool[row, chunk, at].bits = atomics.as_bits(dist)
    shared.pool[row, chunk, at].vertex = vertex
    shared.counts[row, slot] = count + 1


@compiled_inline
def _leave_bucket(shared, t, control, me):  # type: ignore[no-untyped-def]
    """Say which own bucket comes first; whether nobody is at work any more."""
    slots = shared.counts.shape[1]
    t.lowest = state.NOBODY
    if t.waiting > 0:
        step, slot = 0, t.head_slot
        while shared.counts[me, slot] == 0:
            step += 1
            slot = slot + 1 if slot + 1 < slots else 0
        t.lowest, t.lowest_count = step, np.int64(shared.counts[me, slot])
        if step < atomics.load(control, state.LOWEST):
            atomics.atomic_min(control, state.LOWEST, step)
    t.stage = state.WAITING
    return atomics.atomic_add(control, state.BUSY, -1) == 1


@compiled_part
def _end_bucket(shared, t, control):  # type: ignore[no-untyped-def]
    """Choose the next bucket, alone: nobody else does anything."""
    step, totals = atomics.load(control, state.LOWEST), shared.totals[0]
    control[state.STEP], control[state.LOWEST] = step, state.NOBODY
    if step < state.NOBODY:
        size = np.int64(0)  # not a literal
        for other in range(len(shared.threads)):
            if shared.threads[other].lowest == step:
                size += shared.threads[other].lowest_count
        totals.head += step
        totals.base += step * totals.delta
        totals.switches += 1
        totals.flags |= BUCKET_SWITCHED
        by_hand = shared.hands[0]
        if by_hand != totals.delta:
            totals.delta_changes += 1
            totals.flags |= DELTA_RAISED if by_hand > totals.delta else DELTA_LOWERED
            totals.delta, shared.hands[1] = by_hand, by_hand
        if shared.probe > 0:
            _sample(shared, t, control, size)
    else:
        _look_at_clock(t, control, shared.clock, shared.clock_kind)
        control[state.ENDED_NS] = t.now_ns
    atomics.atomic_add(control, state.BUSY, len(shared.threads))
    atomics.store(control, state.BUCKET, t.bucket + 1)


@compiled_inline
def _await(shared, t, control, me, last):  # type: ignore[no-untyped-def]
    """Wait for the next bucket, or for an offer; False where the run is stopped.

    last : whether nobody was at work when this thread left
    """
    looks, threads, victim = 0, len(shared.threads), me
    while True:
        if last:
            _end_bucket(shared, t, control)
            last = False
        if atomics.load(control, state.BUCKET) != t.bucket:
            return True
        if atomics.load(control, state.STOP) != state.GO_ON:
            return False
        victim = victim + 1 if victim + 1 < threads else 0
        at = victim * state.OFFER_WORDS
        taken = atomics.load(shared.offers, at + state.TAKEN)
        if taken < atomics.load(shared.offers, at + state.MADE):
            busy = atomics.load(control, state.BUSY)
            if busy > 0 and atomics.swap(control, state.BUSY, busy, busy + 1):
                if _take(shared, t, me, victim):
                    t.stage = state.AT_WORK
                    return True
                last = atomics.atomic_add(control, state.BUSY, -1) == 1
        if victim == me:
            looks += 1
            _wait(looks, shared.yielder)


@compiled_part
def _wait(looks, yielder):  # type: ignore[no-untyped-def]
    """Wait a moment; after many looks, let another thread have the core."""
    atomics.pause()
    if looks > state.SPINS:
        atomics.call(yielder)


@compiled_inline
def _next_bucket(shared, t, control):  # type: ignore[no-untyped-def]
    """Go to the bucket that was chosen; False at the end of the run."""
    t.bucket += 1
    step = control[state.STEP]
    if step == state.NOBODY:
        return False
    t.head_slot = (t.head_slot + step) % shared.counts.shape[1]
    t.base += step * t.delta
    t.delta = shared.hands[1]
    t.inverse = 1.0 / t.delta
    t.wanted = 1
    t.stage = state.AT_WORK
    return True


@compiled_inline
def _sample(shared, t, control, size):  # type: ignore[no-untyped-def]
    """Write a sample of a bucket of `size` vertices, if one is due and there is room for it."""
    ring = len(shared.samples) - 1
    if control[state.WRITTEN] - atomics.load(control, state.READ) < ring:
        _look_at_clock(t, control, shared.clock, shared.clock_kind)
        totals = shared.totals[0]
        if t.now_ns >= totals.next_sample_ns:
            write_sample(shared, t.now_ns, control[state.WRITTEN] % ring, size)
            atomics.store(control, state.WRITTEN, control[state.WRITTEN] + 1)
            totals.next_sample_ns = t.now_ns + control[state.PERIOD]


@compiled_lean
def write_sample(shared, now_ns, place, size):  # type: ignore[no-untyped-def]
    """Fill a SAMPLE at the start of a bucket of `size` vertices; flags start again from here."""
    s, sample = shared.totals[0], shared.samples[place]
    s.t_ns = now_ns
    s.by_hand = shared.control[state.HELD]
    s.reason = BY_HAND if s.by_hand else START
    s.processed, s.relaxed, s.improved, waiting = 0, 0, 0, 0
    s.distance_error = 0.0
    for other in range(len(shared.threads)):
        s.processed += shared.threads[other].processed
        s.relaxed += shared.threads[other].relaxed
        s.improved += shared.threads[other].improved
        s.distance_error += shared.threads[other].distance_error
        waiting += shared.threads[other].waiting
        s.overflowed |= shared.threads[other].overflowed
    s.error_vertices = s.processed if shared.probe > 0 else 0
    fill_sample(s, shared.log, sample, size, min(size, len(shared.threads)))
    sample.occupancy[0] = size
    sample.occupancy[1] = max(waiting - size, 0)
