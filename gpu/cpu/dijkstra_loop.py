"""Dijkstra's algorithm with a binary heap, on one core of this computer.

The heap is lazy: an improved vertex is pushed again and its older entry dropped when it
comes up. An indexed heap would move the vertex instead and hold n entries at most, but
then every swap also writes the vertex's place, a third random access a level; on New York's
roads only one push in fifteen is ever stale. An entry is one uint64, the distance's bits
above the vertex's number: one comparison orders both kinds of distance, and equal distances
come up by number, so a run is the same every time. A vertex is processed once and pushes
once an arc at most, so the heap never needs more than m + 1 entries.

The loop is resumable between vertices. It looks at the clock every CLOCK_EVERY vertices:
that is the resolution of samples and per-vertex times.
"""

from __future__ import annotations

import numpy as np

from gpu.compiled import compiled_inline, compiled_lean
from gpu.cpu.atomics import as_bits, call_clock, call_clock_into
from gpu.model.machine import FINISHED, OVERFLOW, POOL_DRY, RUNNING

CLOCK_EVERY = 16  # vertices; a look costs about 30 ns, a vertex about 150
RETURNS, WRITES = 1, 2  # as in gpu.cpu.host

HEAP_STATE = np.dtype(
    [
        ("t_ns", "<i8"),  # of the run, at the last look at the clock
        ("started_ns", "<i8"),  # what the clock would have said at the start of the run
        ("next_sample_ns", "<i8"),
        ("period_ns", "<f8"),
        ("clock", "<i8"),  # address of the clock's C function
        ("clock_kind", "<i8"),
        ("mean_degree", "<f8"),
        ("unreached", "<f8"),
        ("base", "<f8"),  # distance of the vertex in hand
        ("size", "<i8"),
        ("processed", "<i8"),
        ("relaxed", "<i8"),
        ("improved", "<i8"),
        ("sequence", "<i8"),
        ("overflow_arc", "<i8"),
        ("overflow_tail", "<i8"),
        ("status", "<i4"),
        ("flags", "<i4"),
        ("vertices", "<i4"),
    ],
    align=True,
)


@compiled_lean
def advance(arrays, state, samples, most_relaxed):  # type: ignore[no-untyped-def]
    """Advance until `samples` is full, `most_relaxed` arcs are relaxed, or the heap is empty.

    arrays : gpu.cpu.dijkstra.HeapArrays; state : HEAP_STATE (1,). Returns samples written;
    with status FINISHED there is room for one more, which the caller writes.
    """
    s = state[0]
    heap, dist = arrays.heap, arrays.dist
    written, taken = 0, 0
    until = s.relaxed + most_relaxed
    s.status = RUNNING
    while s.relaxed < until and written < len(samples) and taken < most_relaxed:
        if s.size == 0:
            s.status = FINISHED
            break
        if taken % CLOCK_EVERY == 0:
            _look_at_clock(s)
            if s.t_ns >= s.next_sample_ns:
                write_sample(s, samples[written])
                written += 1
                s.next_sample_ns = s.t_ns + np.int64(s.period_ns)
        taken += 1
        vertex = np.int64(heap[0] & np.uint64(0xFFFFFFFF))
        if s.size + arrays.indptr[vertex + 1] - arrays.indptr[vertex] > len(heap):
            s.status = POOL_DRY
            break
        bits = np.int64(heap[0] >> np.uint64(32))
        _pop(heap, s)
        if bits == as_bits(dist[vertex]):
            _process(arrays, s, vertex)
            if s.status == OVERFLOW:
                break
    return written


@compiled_inline
def _look_at_clock(s):  # type: ignore[no-untyped-def]
    if s.clock_kind == RETURNS:
        s.t_ns = max(s.t_ns, call_clock(s.clock) - s.started_ns)
    elif s.clock_kind == WRITES:
        s.t_ns = max(s.t_ns, call_clock_into(s.clock) - s.started_ns)


@compiled_inline
def _process(arrays, s, vertex):  # type: ignore[no-untyped-def]
    """Relax every arc of the closest vertex."""
    start, end = arrays.indptr[vertex], arrays.indptr[vertex + 1]
    from_dist = arrays.dist[vertex]
    s.base = from_dist
    s.processed += 1
    s.relaxed += end - start
    if s.vertices:
        arrays.times[vertex] += 1
    for arc in range(start, end):
        to = arrays.indices[arc]
        reached = from_dist + arrays.weights[arc]
        known = arrays.dist[to]
        if reached < known:
            arrays.dist[to] = reached
            s.improved += 1
            if s.vertices:
                arrays.last_ns[to] = s.t_ns
                if known == s.unreached:
                    arrays.first_ns[to] = s.t_ns
            push(arrays.heap, s, arrays.dist[to], to)
        elif known == s.unreached and reached >= s.unreached:
            s.status, s.overflow_arc, s.overflow_tail = OVERFLOW, arc, vertex
            return


@compiled_lean
def push(heap, s, dist, vertex):  # type: ignore[no-untyped-def]
    """Add an entry and let it rise."""
    entry = (np.uint64(as_bits(dist)) << np.uint64(32)) | np.uint64(vertex)
    at = s.size
    s.size += 1
    while at > 0:
        parent = (at - 1) >> 1
        if heap[parent] <= entry:
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = entry


@compiled_inline
def _pop(heap, s):  # type: ignore[no-untyped-def]
    """Drop the smallest entry; the hole sinks to a leaf, the last entry rises from there."""
    s.size -= 1
    last, size = heap[s.size], s.size
    at, child = 0, 1
    while child + 1 < size:
        child += heap[child + 1] < heap[child]
        heap[at] = heap[child]
        at, child = child, 2 * child + 1
    if child < size:
        heap[at] = heap[child]
        at = child
    while at > 0:
        parent = (at - 1) >> 1
        if heap[parent] <= last:
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = last


@compiled_lean
def write_sample(s, sample):  # type: ignore[no-untyped-def]
    """Fill one SAMPLE; one worker, one vertex in hand until the heap is empty."""
    busy = 1 if s.size > 0 else 0
    sample.t_ns = s.t_ns
    sample.processed_vertices = s.processed
    sample.relaxed_edges = s.relaxed
    sample.improved = s.improved
    sample.base = s.base
    sample.assigned_edges = busy * s.mean_degree
    sample.assigned_vertices = busy
    sample.busy_workers = busy
    sample.open_buckets = 1
    sample.flags = s.flags
    sample.sequence = s.sequence
    sample.occupancy[0] = s.size
    s.sequence += 1
    s.flags = 0
