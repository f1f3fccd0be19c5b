"""Delta-stepping by threads that share memory and meet at barriers: the loop of one of them.

A *round* is a light or a heavy phase. In a light one the threads share the frontier, GRAIN
vertices at a time; what a thread improves goes into buckets of its own. While its own head
bucket is short, it works that off by itself before it waits for the others (bucket
fusion): on roads, where a frontier is a few hundred vertices, that saves most barriers. In
a heavy round each thread relaxes the heavy arcs of the vertices that it processed in this
bucket. Then all agree on the lowest bucket that anybody has something in:

    work, publish the lowest own bucket    | barrier |   decide, give the new head bucket to the
                                                         shared frontier               | barrier |

Words of `control` that all threads write come in pairs, one for even and one for odd rounds:
what this round uses, thread 0 clears in the round after, when nobody looks at it.

A bucket is a list of chunks of CHUNK vertices out of the thread's own pool. Nobody is taken
out of a bucket when improved: an entry is dropped when its vertex was processed at this
very distance before (`done`), and goes to a later bucket if that is where it belongs (delta
was changed by hand, or it lay past the last slot). Two threads may process a vertex at
the same time: that costs work and never a distance.

A thread returns to Python when it is done, when the run is stopped, or when its pool is
too small for its next vertex; Python then makes a larger one and calls it again, where it
goes on. The others wait at the barrier meanwhile.
"""

from __future__ import annotations

import numpy as np

from gpu.compiled import compiled_inline, compiled_lean
from gpu.cpu.atomics import as_bits, atomic_add, atomic_min, call_yield, load, read_clock, store
from gpu.cpu.delta_stepping_state import (
    ARRIVED,
    ASSEMBLING,
    AT_DECISION,
    AT_WORK,
    BEFORE_WORK,
    CHUNK,
    CLOCK_EVERY,
    CURSOR,
    DONE,
    ENDED_NS,
    FUSE,
    GENERATION,
    GO_ON,
    GRAIN,
    GROW,
    HEAVY,
    HELD,
    KEPT,
    LAST,
    LIGHT,
    LOWEST,
    NEXT,
    NOBODY,
    PERIOD,
    READ,
    SIZE,
    SPINS,
    STARTED,
    STOP,
    STOPPED,
    WRITTEN,
)
from gpu.delta import BY_HAND, START
from gpu.loops.codes import BUCKET_SWITCHED, DELTA_LOWERED, DELTA_RAISED
from gpu.loops.plus import plus
from gpu.loops.sample import fill_sample


@compiled_lean
def work(shared, own, me):  # type: ignore[no-untyped-def]
    """Take part as thread `me` until the run ends; returns DONE, STOPPED or GROW.

    shared : gpu.cpu.delta_stepping.Shared; own : gpu.cpu.delta_stepping.Own, of this thread
    """
    t, control = shared.threads[me], shared.control
    if t.stage == ASSEMBLING:
        if _wait(shared, control):
            return STOPPED
        if me == 0 and shared.clock != 0:
            control[STARTED] = read_clock(shared.clock, shared.clock_kind)
        t.stage = BEFORE_WORK
    while True:
        odd = (t.round & 1) * NEXT
        if t.stage == BEFORE_WORK:
            if _wait(shared, control):
                return STOPPED
            if me == 0:
                _begin_round(shared, t, control, odd)
            t.stage = AT_WORK
        if t.stage == AT_WORK:
            if not _work_round(shared, own, t, control, odd):
                return STOPPED if load(control, STOP) != GO_ON else GROW
            _publish(own, t, control, odd)
            t.stage = AT_DECISION
        if _wait(shared, control):
            return STOPPED
        if not _decide(shared, own, t, control, me, odd):
            if me == 0:
                _look_at_clock(shared, t, control)
                store(control, ENDED_NS, t.now_ns)
            return DONE
        t.round += 1
        t.stage = BEFORE_WORK


@compiled_inline
def _wait(shared, control):  # type: ignore[no-untyped-def]
    """Wait until every thread is here; True where the run was stopped instead."""
    generation = load(control, GENERATION)
    if atomic_add(control, ARRIVED, 1) == len(shared.threads) - 1:
        store(control, ARRIVED, 0)
        store(control, GENERATION, generation + 1)
    looks = 0
    while load(control, GENERATION) == generation:
        if load(control, STOP) != GO_ON:
            break
        looks += 1
        if looks > SPINS and shared.yielder != 0:
            call_yield(shared.yielder)
    return load(control, STOP) != GO_ON


@compiled_inline
def _begin_round(shared, t, control, odd):  # type: ignore[no-untyped-def]
    """Thread 0: write a sample, if one is due and there is room for it."""
    if shared.probe > 0 and control[WRITTEN] - load(control, READ) < len(shared.samples):
        _look_at_clock(shared, t, control)
        if t.now_ns >= t.next_sample_ns:
            sample = shared.samples[control[WRITTEN] % len(shared.samples)]
            size = control[SIZE + odd] if t.mode == LIGHT else control[KEPT + NEXT - odd]
            write_sample(shared, t, sample, size)
            store(control, WRITTEN, control[WRITTEN] + 1)
            t.next_sample_ns = t.now_ns + control[PERIOD]


@compiled_inline
def _look_at_clock(shared, t, control):  # type: ignore[no-untyped-def]
    if shared.clock != 0:
        now = read_clock(shared.clock, shared.clock_kind)
        t.now_ns = max(t.now_ns, now - control[STARTED])


@compiled_inline
def _work_round(shared, own, t, control, odd):  # type: ignore[no-untyped-def]
    """Do this thread's share; False to leave it there (stopped, or the pool is too small)."""
    if t.mode == LIGHT and not _work_frontier(shared, own, t, control, odd):
        return False
    slot = t.head_slot if t.mode == LIGHT else own.counts.size - 1
    while True:
        if t.hand_count == 0:
            count = np.int64(own.counts[slot])
            if count == 0 or (t.mode == LIGHT and count >= FUSE):
                return True
            t.hand_top, t.hand_count = np.int64(own.top[slot]), count
            own.top[slot], own.counts[slot] = -1, 0
            t.waiting -= count if t.mode == LIGHT else 0
        while t.hand_count > 0:
            at = (t.hand_count - 1) & LAST
            if not _relax(shared, own, t, control, np.int64(own.pool[t.hand_top, at])):
                return False
            t.hand_count -= 1
            if at == 0:
                _free(own, t)
                if load(control, STOP) != GO_ON:
                    return False


@compiled_inline
def _work_frontier(shared, own, t, control, odd):  # type: ignore[no-untyped-def]
    """Take grains of the shared frontier until it is used up; False as in `_work_round`."""
    size = min(control[SIZE + odd], shared.frontier.shape[1])
    while True:
        while t.place < t.place_end:
            vertex = np.int64(shared.frontier[odd // NEXT, t.place])
            if not _relax(shared, own, t, control, vertex):
                return False
            t.place += 1
        if load(control, STOP) != GO_ON:
            return False
        t.place = atomic_add(control, CURSOR + odd, GRAIN)
        t.place_end = min(t.place + GRAIN, size)
        if t.place >= size:
            t.place, t.place_end = 0, 0
            return True


@compiled_inline
def _free(own, t):  # type: ignore[no-untyped-def]
    """Give back the chunk in hand and take up the one below it."""
    own.spare[t.free] = t.hand_top
    t.free += 1
    t.hand_top = np.int64(own.link[t.hand_top])


@compiled_inline
def _relax(shared, own, t, control, vertex):  # type: ignore[no-untyped-def]
    """Relax a vertex's arcs of this round's kind; False where there is no room."""
    start, end = shared.indptr[vertex], shared.indptr[vertex + 1]
    slots = own.counts.size - 1
    needed = min(end - start, slots) + (end - start) // CHUNK + 3
    if t.free < needed:
        t.needed = needed
        return False
    dist, heavy = shared.dist[vertex], t.mode == HEAVY
    if not heavy:
        if shared.done[vertex] == as_bits(dist):
            return True
        if np.float64(dist) >= t.base + t.delta:
            _push(own, _slot_of(t, max(np.float64(dist), t.base + 1.5 * t.delta), slots), vertex, t)
            t.waiting += 1
            return True
        shared.done[vertex] = as_bits(dist)
        _count(shared, t, control, vertex)
    relaxed, improved, has_heavy = 0, 0, False
    for arc in range(start, end):
        weight = shared.weights[arc]
        if (weight > t.delta) != heavy:
            has_heavy = True
            continue
        relaxed += 1
        to = shared.indices[arc]
        reached = plus(dist, weight)
        if reached < shared.dist[to]:
            bits = as_bits(reached)
            old = atomic_min(shared.bits, to, bits)
            if bits < old:
                improved += 1
                _push(own, _slot_of(t, np.float64(reached), slots), to, t)
                if shared.probe >= 2:
                    shared.last_ns[to] = t.now_ns
                    if old == shared.unreached:
                        shared.first_ns[to] = t.now_ns
        elif reached >= shared.limit and shared.bits[to] == shared.unreached:
            t.overflowed = 1
    t.relaxed += relaxed
    t.improved += improved
    t.waiting += improved
    if has_heavy and not heavy and shared.mark[vertex] != t.visit:
        shared.mark[vertex] = t.visit
        _push(own, slots, vertex, t)
    return True


@compiled_inline
def _count(shared, t, control, vertex):  # type: ignore[no-untyped-def]
    """Count a processed vertex; from probe level 2 also which, and what time it is."""
    t.processed += 1
    if shared.probe >= 2:
        atomic_add(shared.times, vertex, 1)
        t.until_clock -= 1
        if t.until_clock <= 0:
            t.until_clock = CLOCK_EVERY
            _look_at_clock(shared, t, control)


@compiled_inline
def _slot_of(t, dist, slots):  # type: ignore[no-untyped-def]
    """Return the slot of a distance; past the last it is clipped into that one."""
    slot = t.head_slot + np.int64(min(max((dist - t.base) * t.inverse, 0.0), slots - 1.0))
    return slot - slots if slot >= slots else slot


@compiled_inline
def _push(own, slot, vertex, t):  # type: ignore[no-untyped-def]
    """Add a vertex to an own bucket; the caller has seen to it that there is room."""
    at = own.counts[slot] & LAST
    if at == 0:
        t.free -= 1
        fresh = own.spare[t.free]
        own.link[fresh] = own.top[slot]
        own.top[slot] = fresh
    own.pool[own.top[slot], at] = vertex
    own.counts[slot] += 1


@compiled_inline
def _publish(own, t, control, odd):  # type: ignore[no-untyped-def]
    """Say which own bucket comes first, and how many vertices wait for their heavy arcs."""
    slots = own.counts.size - 1
    if t.waiting > 0:
        step, slot = 0, t.head_slot
        while own.counts[slot] == 0:
            step += 1
            slot = slot + 1 if slot + 1 < slots else 0
        atomic_min(control, LOWEST + odd, step)
    if own.counts[slots] > 0:
        atomic_add(control, KEPT + odd, np.int64(own.counts[slots]))


@compiled_inline
def _decide(shared, own, t, control, me, odd):  # type: ignore[no-untyped-def]
    """Between the barriers: choose the next round, the same in every thread; False at the end."""
    slots, even = own.counts.size - 1, NEXT - odd
    if me == 0:  # words that nobody looks at in this round
        control[CURSOR + even], control[SIZE + odd] = 0, 0
        control[LOWEST + even], control[KEPT + even] = NOBODY, 0
        shared.hands[1 + even // NEXT] = shared.hands[0]
    lowest = control[LOWEST + odd]
    if t.mode == LIGHT and lowest > 0 and control[KEPT + odd] > 0:
        t.mode = HEAVY
        return True
    if t.mode == HEAVY or lowest > 0:
        t.visit += 1
        t.mode = LIGHT
        if lowest == NOBODY:
            return False
        t.head += lowest
        t.head_slot = (t.head_slot + lowest) % slots
        t.base += lowest * t.delta
        wanted = shared.hands[1 + odd // NEXT]
        if me == 0:
            totals = shared.totals[0]
            totals.switches += 1
            totals.flags |= BUCKET_SWITCHED
            if wanted != t.delta:
                totals.delta_changes += 1
                totals.flags |= DELTA_RAISED if wanted > t.delta else DELTA_LOWERED
        t.delta, t.inverse = wanted, 1.0 / wanted
    _share(shared, own, t, control, even)
    return True


@compiled_inline
def _share(shared, own, t, control, even):  # type: ignore[no-untyped-def]
    """Move the own head bucket to the next round's frontier, as far as there is room."""
    slot = t.head_slot
    count = np.int64(own.counts[slot])
    if count > 0:
        place = atomic_add(control, SIZE + even, count)
        end = min(place + count, shared.frontier.shape[1])
        t.hand_top = np.int64(own.top[slot])
        while place < end:
            at = (own.counts[slot] - 1) & LAST
            shared.frontier[even // NEXT, place] = own.pool[t.hand_top, at]
            own.counts[slot] -= 1
            t.waiting -= 1
            place += 1
            if at == 0:
                _free(own, t)
        own.top[slot] = t.hand_top
        t.hand_count = 0


@compiled_lean
def write_sample(shared, t, sample, size):  # type: ignore[no-untyped-def]
    """Fill one SAMPLE at the start of a round of `size` vertices; flags start again from here.

    Other threads may be at work already: what is read of them is a few vertices old.
    """
    s = shared.totals[0]
    s.t_ns, s.head, s.base, s.delta = t.now_ns, t.head, t.base, t.delta
    s.by_hand = shared.control[HELD]
    s.reason = BY_HAND if s.by_hand else START
    s.processed, s.relaxed, s.improved, waiting = 0, 0, 0, 0
    for other in range(len(shared.threads)):
        s.processed += shared.threads[other].processed
        s.relaxed += shared.threads[other].relaxed
        s.improved += shared.threads[other].improved
        waiting += shared.threads[other].waiting
    fill_sample(s, shared.log, sample, size, min(size, len(shared.threads)))
    sample.occupancy[0] = size
    sample.occupancy[1] = max(waiting, 0)
