"""Dijkstra's algorithm with a binary heap (`gpu.loops.heap`), on one core of this computer.

An entry of the heap is one int64, the distance's bits above the vertex's number, so `value` is the
lower half of `key`: one comparison orders both kinds of distance, and equal distances come up by
number. Of 64-bit distances the bits are the key, and the number stands beside it.

The loop is resumable between vertices. It looks at the clock every CLOCK_EVERY vertices.
"""

from __future__ import annotations

import numpy as np

from gpu.compiled import compiled_inline, compiled_lean
from gpu.cpu.atomics import key_of, read_clock
from gpu.loops.codes import FINISHED, POOL_DRY, RUNNING
from gpu.loops.heap import drop_top, push, write_sample
from gpu.loops.plus import plus
from gpu.loops.sample import note_improved, note_processed
from gpu.loops.state import state_dtype

CLOCK_EVERY = 16  # vertices; a look costs about 30 ns, a vertex about 150

ENTRY = np.dtype(  # one int64: bits of the distance, above the vertex's number
    {"names": ["key", "value"], "formats": ["<i8", "<i4"], "offsets": [0, 0]}
)
WIDE_ENTRY = np.dtype([("key", "<i8"), ("value", "<i8")])  # of 64-bit distances
HEAP_STATE = state_dtype(
    ("started_ns", "<i8"),  # what the clock would have said at the start of the run
    ("clock", "<i8"),  # address of the clock's C function
    ("clock_kind", "<i8"),
    ("size", "<i8"),
)


@compiled_lean
def advance(arrays, state, samples, most_relaxed):  # type: ignore[no-untyped-def]
    """Advance until `samples` is full, `most_relaxed` arcs are relaxed, or the heap is empty.

    arrays : gpu.loops.heap.HeapArrays; state : HEAP_STATE (1,). Returns samples written;
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
            s.t_ns = max(s.t_ns, np.float64(read_clock(s.clock, s.clock_kind) - s.started_ns))
            if s.t_ns >= s.next_sample_ns:
                write_sample(arrays, s, samples[written])
                written += 1
                s.next_sample_ns = s.t_ns + s.period_ns
        taken += 1
        vertex = np.int64(heap[0].value)
        if s.size + arrays.indptr[vertex + 1] - arrays.indptr[vertex] > len(heap):
            s.status = POOL_DRY
            break
        key = heap[0].key
        s.size = drop_top(heap, s.size)
        if key == key_of(dist[vertex], vertex):
            _process(arrays, s, vertex)
    return written


@compiled_inline
def _process(arrays, s, vertex):  # type: ignore[no-untyped-def]
    """Relax every arc of the closest vertex."""
    start, end = arrays.indptr[vertex], arrays.indptr[vertex + 1]
    from_dist = arrays.dist[vertex]
    s.base = from_dist
    note_processed(arrays, s, vertex, from_dist, s.base)
    s.relaxed += end - start
    for arc in range(start, end):
        to = arrays.indices[arc]
        reached = plus(from_dist, arrays.weights[arc])
        before = arrays.dist[to]
        if reached < before:
            arrays.dist[to] = reached
            s.improved += 1
            note_improved(arrays, s, to, before)
            s.size = push(arrays.heap, s.size, key_of(reached, np.int64(to)), to)
        elif before == s.unreached:
            s.overflowed = 1
