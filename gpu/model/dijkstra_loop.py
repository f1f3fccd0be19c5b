"""The modelled Dijkstra: one worker and a binary heap, resumable between vertices.

Taking the closest vertex sifts down the heap, one dependent trip a level; its arcs are relaxed by
the worker's lanes together; every push costs one trip. Stale entries cost their sift.
"""

from __future__ import annotations

import numpy as np

from gpu.compiled import compiled_inline, compiled_lean
from gpu.loops import codes
from gpu.loops.heap import drop_top, push, write_sample
from gpu.loops.log import ARC_EVENTS, lacks_room, record
from gpu.loops.plus import plus
from gpu.loops.sample import note_improved, note_processed
from gpu.loops.state import state_dtype

ENTRY = np.dtype([("key", "<f8"), ("value", "<i8")])  # distance, vertex
WIDE_ENTRY = ENTRY
HEAP_STATE = state_dtype(("hop_ns", "<f8"), ("size", "<i8"), ("lanes", "<i8"))


@compiled_lean
def advance(arrays, state, samples, most_relaxed):  # type: ignore[no-untyped-def]
    """Advance until `samples` is full, `most_relaxed` arcs are relaxed, or the run ends."""
    s = state[0]
    written, taken = 0, 0
    until = s.relaxed + most_relaxed
    s.status = codes.RUNNING
    while s.relaxed < until and written < len(samples) and taken < most_relaxed:
        if lacks_room(arrays.log, ARC_EVENTS * len(arrays.indices) + 64):
            s.status = codes.LOG_FULL
            break
        if s.t_ns >= s.next_sample_ns:
            write_sample(arrays, s, samples[written])
            written += 1
            s.next_sample_ns = s.t_ns + s.period_ns
            continue
        if s.size == 0:
            s.status = codes.FINISHED
            s.flags |= codes.ENDED
            write_sample(arrays, s, samples[written])
            return written + 1
        vertex = arrays.heap[0].value
        degree = arrays.indptr[vertex + 1] - arrays.indptr[vertex]
        if s.size + degree > len(arrays.heap):
            s.status = codes.POOL_DRY
            break
        dist = arrays.heap[0].key
        s.t_ns += s.hop_ns * np.ceil(np.log2(s.size + 1.0))
        s.size = drop_top(arrays.heap, s.size)
        taken += 1
        if dist > arrays.dist[vertex]:
            record(arrays.log, s.t_ns, codes.STALE, 0, vertex, 0, dist)
            continue
        s.base = dist
        _process(arrays, s, vertex)
    return written


@compiled_inline
def _process(arrays, s, vertex):  # type: ignore[no-untyped-def]
    """Relax every arc of the closest vertex."""
    start, end = arrays.indptr[vertex], arrays.indptr[vertex + 1]
    from_dist = arrays.dist[vertex]
    note_processed(arrays, s, vertex, from_dist, s.base)
    record(arrays.log, s.t_ns, codes.POP, 0, vertex, 0, np.float64(from_dist))
    s.relaxed += end - start
    s.t_ns += s.hop_ns * max(1, (end - start + s.lanes - 1) // s.lanes)
    for arc in range(start, end):
        to = arrays.indices[arc]
        reached = plus(from_dist, arrays.weights[arc])
        current = arrays.dist[to]
        record(arrays.log, s.t_ns, codes.RELAX, 0, arc, vertex, np.float64(reached))
        if reached < current:
            arrays.dist[to] = reached
            s.improved += 1
            s.t_ns += s.hop_ns
            record(arrays.log, s.t_ns, codes.IMPROVE, 0, to, arc, np.float64(arrays.dist[to]))
            record(arrays.log, s.t_ns, codes.PUSH, 0, to, 0, np.float64(arrays.dist[to]))
            note_improved(arrays, s, to, current)
            s.size = push(arrays.heap, s.size, np.float64(arrays.dist[to]), to)
        elif current == s.unreached:
            s.overflowed = 1
