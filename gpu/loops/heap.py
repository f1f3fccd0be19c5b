"""A binary heap that compiled loops share, and the base of Dijkstra's runs.

A heap is an array of records with the fields `key` and `value`, the smallest key at place 0. The
caller keeps the size, provides the room, and reads the top before it takes it out. An entry's value
may be a part of its key, so the key is written last. Ties are broken by the order of the calls.

Dijkstra's heap is lazy: an improved vertex is pushed again and its older entry is dropped when it
comes up, so there are at most m + 1 entries.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from gpu.compiled import compiled_inline, compiled_part, uncompiled
from gpu.engine import RunBuffers
from gpu.graph import CSRGraph
from gpu.loops.codes import POOL_DRY
from gpu.loops.log import Log, make_log, note
from gpu.loops.run import LoopRun
from gpu.loops.sample import fill_sample
from gpu.loops.state import graph_arrays, reach_source, records
from gpu.record.events import EventKind
from gpu.record.trace import RunSettings


@compiled_inline
def push(heap, size, key, value):  # type: ignore[no-untyped-def]
    """Add an entry to a heap of `size` entries and let it rise; return the new size."""
    at = size
    while at > 0:
        parent = (at - 1) >> 1
        if heap[parent].key <= key:
            break
        heap[at].value, heap[at].key = heap[parent].value, heap[parent].key
        at = parent
    heap[at].value, heap[at].key = value, key
    return size + 1


@compiled_inline
def drop_top(heap, size):  # type: ignore[no-untyped-def]
    """Take the smallest entry out of a heap of `size`; return the new size.

    The hole sinks to a leaf, and the last entry rises from there, since it mostly belongs there.
    """
    size -= 1
    key, value = heap[size].key, heap[size].value
    at, child = 0, 1
    while child + 1 < size:
        child += heap[child + 1].key < heap[child].key
        heap[at].value, heap[at].key = heap[child].value, heap[child].key
        at, child = child, 2 * child + 1
    if child < size:
        heap[at].value, heap[at].key = heap[child].value, heap[child].key
        at = child
    while at > 0:
        parent = (at - 1) >> 1
        if heap[parent].key < key:
            break
        heap[at].value, heap[at].key = heap[parent].value, heap[parent].key
        at = parent
    heap[at].value, heap[at].key = value, key
    return size


@compiled_part
def write_sample(arrays, s, sample):  # type: ignore[no-untyped-def]
    """Fill one SAMPLE; one worker, one vertex in hand until the heap is empty."""
    busy = 1 if s.size > 0 else 0
    fill_sample(s, arrays.log, sample, busy, busy)
    sample.occupancy[0] = s.size


class HeapArrays(NamedTuple):
    """Arrays of a run of Dijkstra's."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    dist: np.ndarray
    first_ns: np.ndarray
    last_ns: np.ndarray
    times: np.ndarray
    heap: np.ndarray  # the loop's ENTRY; it doubles when full
    log: Log  # probe level 3


class HeapRun(LoopRun):
    """One run of Dijkstra's, its source in the heap.

    loop : as a LoopRun's, and with ENTRY, the record of its heap, and WIDE_ENTRY for 64-bit
        distances; source_key : of distance 0
    """

    def __init__(
        self,
        graph: CSRGraph,
        settings: RunSettings,
        buffers: RunBuffers,
        state: Any,
        loop: ModuleType,
        source_key: float = 0.0,
    ) -> None:
        widest = int(np.diff(graph.indptr).max()) if graph.n else 0
        entry = loop.ENTRY if graph.weights.itemsize == 4 else loop.WIDE_ENTRY
        heap = records(max(1024, graph.n // 4, 2 * widest), entry)
        arrays = HeapArrays(*graph_arrays(graph, buffers), heap, make_log(settings.probe))
        super().__init__(arrays, state, loop)
        reach_source(arrays, settings)
        state[0].size = uncompiled(push, heap, 0, source_key, settings.source)
        note(self.log, 0.0, EventKind.PUSH, settings.source)

    def advance(self, samples: np.ndarray, arcs: int) -> int:
        """Advance by a slice; double the heap where it is full."""
        written = super().advance(samples, arcs)
        if self.sim[0].status == POOL_DRY:
            old = self.arrays.heap
            heap = records(2 * len(old), old.dtype)
            heap[: len(old)] = old
            self.arrays = self.arrays._replace(heap=heap)
        return written
