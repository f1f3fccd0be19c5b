"""All pairs on the device: how a run is cut into chunks, and the records of its kernels.

JOB, PROGRESS and CONTROL are the same bytes as in `kernels/apsp_row.cuh`. Everything is counted in
64 bits: a matrix of 46,341 vertices has more than 2^31 entries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu.algorithms.all_pairs import ADVICE, chunk_rows
from gpu.errors import MemoryNeededError
from gpu.graph import CSRGraph
from gpu.words import size_words

SLOT_BYTES = 1 << 30  # of one chunk's rows at most
LEAST_BYTES = 64 << 20  # of one chunk's rows, unless there are fewer
ALL_SLOTS_BYTES = 4 << 30  # of device memory for rows, even where more is free
CHUNKS = 8  # that a small matrix is cut into, so that copying starts early
MOST_CHUNKS = 100_000  # whose records are counted

POINTERS = (
    *("rows", "arcs", "tails", "out", "bits", "taken", "progress", "control"),
    *("begun", "ended", "rounds"),
)
COUNTS = ("first", "count", "n", "m", "words", "unused")
JOB = np.dtype([*((name, "<u8") for name in POINTERS), *((name, "<u4") for name in COUNTS)])
PROGRESS = np.dtype(
    [
        *((n, "<u8") for n in ("done", "processed", "relaxed", "improved", "rounds", "switches")),
        ("running", "<u4"),
        ("overflowed", "<u4"),
        ("timed_out", "<u8"),
    ]
)
CONTROL = np.dtype([("origin_ns", "<u8"), ("delta", "<f8"), ("stop", "<u4"), ("limit_ms", "<u4")])
PER_CHUNK = {"taken": 4}  # bytes by which an address moves on from chunk to chunk
PER_ROW = {"begun": 8, "ended": 8, "rounds": 4}  # and from row to row
assert JOB.itemsize == 112
assert PROGRESS.itemsize == 64


@dataclass(frozen=True)
class Shape:
    """What the launcher decided: kernels, threads a block, blocks, bytes."""

    kernel: Any
    begin: Any
    name: str
    threads: int
    blocks: int
    shared: int  # dynamic shared memory of a block
    words: int  # n / 32
    scratch: int  # words of global memory that a block needs for bits
    wants_tails: bool  # arcs are found by themselves, not by their vertices
    overlap: bool  # two chunks may be computed at once


@dataclass(frozen=True)
class ChunkPlan:
    """How `count` sources are cut."""

    count: int
    rows: int  # of a chunk, the last may have fewer
    chunks: int
    slots: int  # chunks that the device holds at once
    device_bytes: int  # beside the graph

    def rows_of(self, chunk: int) -> int:
        """Return the rows of one chunk."""
        return min(self.rows, self.count - chunk * self.rows)


def plan_chunks(graph: CSRGraph, count: int, shape: Shape, levels: bool, free: int) -> ChunkPlan:
    """Cut `count` sources so that everything fits `free` bytes of device memory.

    levels : whether times by source are kept. Raises MemoryNeededError.
    """
    row = graph.weights.itemsize * graph.n
    beside = 2 * 4 * shape.blocks * shape.scratch
    beside += (4 * graph.m if shape.wants_tails else 0) + (20 * count if levels else 0)
    beside += 2 * JOB.itemsize * min(count, MOST_CHUNKS)
    room = min(free - beside, max(ALL_SLOTS_BYTES, 4 * shape.blocks * row))
    most = min(SLOT_BYTES, max(LEAST_BYTES, row * count // CHUNKS))
    rows = chunk_rows(row, count, 2 * row, max(room, 0), shape.blocks, most)
    if rows < 1:
        raise MemoryNeededError(
            f"two rows of {graph.n:,} distances and what their blocks need are "
            f"{size_words(2 * row + beside)} of device memory, {size_words(max(free, 0))} are "
            f"free: close other programs that use the GPU; or {ADVICE}"
        )
    chunks = -(-count // rows)
    slots = int(min(chunks, max(2, room // (row * rows))))
    return ChunkPlan(count, rows, chunks, slots, slots * row * rows + beside)


def job_records(
    graph: CSRGraph,
    shape: Shape,
    plan: ChunkPlan,
    first_source: int,
    addresses: Mapping[str, int],
    slots: Sequence[int],
) -> np.ndarray:
    """Return JOB (chunks,): slots are taken by turns, bits and counters by two sides.

    addresses : of the arrays that all chunks share, by field; slots : of the rows
    """
    jobs = np.zeros(plan.chunks, JOB)
    chunk = np.arange(plan.chunks, dtype=np.uint64)
    side, before = chunk % np.uint64(2), chunk * np.uint64(plan.rows)
    per_side = {
        "bits": 4 * shape.blocks * shape.scratch,
        "progress": PROGRESS.itemsize * shape.blocks,
    }
    for name, address in addresses.items():
        moved = side * np.uint64(per_side.get(name, 0))
        moved += chunk * np.uint64(PER_CHUNK.get(name, 0)) + before * np.uint64(
            PER_ROW.get(name, 0)
        )
        jobs[name] = np.uint64(address) + moved
    jobs["out"] = [slots[index % plan.slots] for index in range(plan.chunks)]
    jobs["first"] = np.uint64(first_source) + before
    jobs["count"] = np.minimum(np.uint64(plan.rows), np.uint64(plan.count) - before)
    jobs["n"], jobs["m"], jobs["words"] = graph.n, graph.m, shape.words
    return jobs
