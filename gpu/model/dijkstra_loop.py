"""The modelled Dijkstra: one worker and a binary heap, resumable between vertices.

Taking the closest vertex sifts down the heap, one dependent trip a level; its arcs are
relaxed by the worker's lanes together; every push costs one trip, the mean depth to which
a new entry rises. Stale entries are dropped when they come up: that costs their sift,
and they do not count as processed.
"""

from __future__ import annotations

import numpy as np

from gpu.compiled import compiled_inline, compiled_lean
from gpu.model.log import (
    ARC_EVENTS,
    IMPROVE,
    LOG_FULL,
    POP,
    PUSH,
    RELAX,
    SAMPLE,
    STALE,
    lacks_room,
    record,
)
from gpu.model.machine import FINISHED, OVERFLOW, POOL_DRY, RUNNING

ENDED = 32

ENTRY = np.dtype([("dist", "<f8"), ("vertex", "<i8")])

HEAP_STATE = np.dtype(
    [
        ("t_ns", "<f8"),
        ("next_sample_ns", "<f8"),
        ("period_ns", "<f8"),
        ("hop_ns", "<f8"),
        ("mean_degree", "<f8"),
        ("unreached", "<f8"),
        ("base", "<f8"),
        ("size", "<i8"),
        ("processed", "<i8"),
        ("relaxed", "<i8"),
        ("improved", "<i8"),
        ("sequence", "<i8"),
        ("lanes", "<i8"),
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
    """Advance until `samples` is full, `most_relaxed` arcs are relaxed, or the run ends.

    arrays : gpu.model.dijkstra.HeapArrays; state : HEAP_STATE (1,). Returns samples written.
    """
    s = state[0]
    written, taken = 0, 0
    until = s.relaxed + most_relaxed
    s.status = RUNNING
    while s.relaxed < until and written < len(samples) and taken < most_relaxed:
        if lacks_room(arrays.log, ARC_EVENTS * len(arrays.indices) + 64):
            s.status = LOG_FULL
            break
        if s.t_ns >= s.next_sample_ns:
            write_sample(s, arrays.log, samples[written])
            written += 1
            s.next_sample_ns = s.t_ns + s.period_ns
            continue
        if s.size == 0:
            s.status = FINISHED
            s.flags |= ENDED
            write_sample(s, arrays.log, samples[written])
            return written + 1
        vertex = arrays.heap[0].vertex
        degree = arrays.indptr[vertex + 1] - arrays.indptr[vertex]
        if s.size + degree > len(arrays.heap):
            s.status = POOL_DRY
            break
        dist = arrays.heap[0].dist
        s.t_ns += s.hop_ns * np.ceil(np.log2(s.size + 1.0))
        _pop(arrays.heap, s)
        taken += 1
        if dist > arrays.dist[vertex]:
            record(arrays.log, s.t_ns, STALE, 0, vertex, 0, dist)
            continue
        s.base = dist
        _process(arrays, s, vertex)
        if s.status == OVERFLOW:
            break
    return written


@compiled_inline
def _process(arrays, s, vertex):  # type: ignore[no-untyped-def]
    """Relax every arc of the closest vertex."""
    start, end = arrays.indptr[vertex], arrays.indptr[vertex + 1]
    from_dist = arrays.dist[vertex]
    s.processed += 1
    record(arrays.log, s.t_ns, POP, 0, vertex, 0, np.float64(from_dist))
    s.relaxed += end - start
    s.t_ns += s.hop_ns * max(1, (end - start + s.lanes - 1) // s.lanes)
    if s.vertices:
        arrays.times[vertex] += 1
    for arc in range(start, end):
        to = arrays.indices[arc]
        reached = from_dist + arrays.weights[arc]
        known = arrays.dist[to]
        record(arrays.log, s.t_ns, RELAX, 0, arc, vertex, np.float64(reached))
        if reached < known:
            arrays.dist[to] = reached
            s.improved += 1
            s.t_ns += s.hop_ns
            record(arrays.log, s.t_ns, IMPROVE, 0, to, arc, np.float64(arrays.dist[to]))
            record(arrays.log, s.t_ns, PUSH, 0, to, 0, np.float64(arrays.dist[to]))
            if s.vertices:
                arrays.last_ns[to] = np.int64(s.t_ns)
                if known == s.unreached:
                    arrays.first_ns[to] = np.int64(s.t_ns)
            push(arrays.heap, s, np.float64(arrays.dist[to]), to)
        elif known == s.unreached and reached >= s.unreached:
            s.status, s.overflow_arc, s.overflow_tail = OVERFLOW, arc, vertex
            return


@compiled_lean
def push(heap, s, dist, vertex):  # type: ignore[no-untyped-def]
    """Add an entry and let it rise."""
    at = s.size
    s.size += 1
    while at > 0 and heap[(at - 1) // 2].dist > dist:
        heap[at].dist = heap[(at - 1) // 2].dist
        heap[at].vertex = heap[(at - 1) // 2].vertex
        at = (at - 1) // 2
    heap[at].dist, heap[at].vertex = dist, vertex


@compiled_inline
def _pop(heap, s):  # type: ignore[no-untyped-def]
    """Drop the smallest entry; the last one sinks from the top."""
    s.size -= 1
    dist, vertex = heap[s.size].dist, heap[s.size].vertex
    at = 0
    while 2 * at + 1 < s.size:
        child = 2 * at + 1
        if child + 1 < s.size and heap[child + 1].dist < heap[child].dist:
            child += 1
        if heap[child].dist >= dist:
            break
        heap[at].dist, heap[at].vertex = heap[child].dist, heap[child].vertex
        at = child
    heap[at].dist, heap[at].vertex = dist, vertex


@compiled_lean
def write_sample(s, log, sample):  # type: ignore[no-untyped-def]
    """Fill one SAMPLE; one worker, one vertex in hand until the heap is empty."""
    busy = 1 if s.size > 0 else 0
    sample.t_ns = np.int64(s.t_ns)
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
    record(log, s.t_ns, SAMPLE, -1, s.sequence, 0, 0.0)
    s.sequence += 1
    s.flags = 0
