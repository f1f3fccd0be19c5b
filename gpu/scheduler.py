"""The scheduler's decisions, written once: which bucket, when the head moves, who works.

Two engines run ADDS: the modelled GPU (Numba compiles these functions) and the CUDA
kernel (`cuda/kernels/scheduler.cuh` is their twin). Both are checked against the same
vectors, `scheduler_vectors.json`: inputs -> decision. Nothing here knows a clock, a
graph or an array of vertices. Functions do not call each other, so that each compiles
by itself.

Buckets have *absolute* numbers that only grow; bucket b lives in ring slot b mod
`buckets`. The head is the bucket of highest priority and `base` its lowest distance.
Per slot there are three counters that only grow and are never reset, not even when the
slot is used again: `reserved` (places taken by writers), `read` (items handed to
workers), `completed` (items whose arcs are all relaxed; the paper's CWC). Because they
are never reset, a push that raced with the retirement of its bucket lands in the slot's
next life: late by a turn of the ring, never lost, and never unseen by `quiet`.

What a change of delta does: queued items keep their slot. `base` stays. From the change
on, offsets are computed with the new width from the same base, and the head's next move
adds the new width. So after doubling, items of the old bucket head+1 are processed as
head+1 although the new bounds put them into the head (their pushes get offsets below 0,
which count as 0); after halving, `base` runs behind the items for a while and pushes land
further out, at worst clipped into the tail. Mis-sorted, never lost.

Source: the paper that `gpu.delta` names, sections 5.2 to 5.4; the head + 1 rule is the authors'
released code's.
"""

from __future__ import annotations

import math

QUIET_SWEEPS = 2  # sweeps without any work before the run ends (paper, 5.4)
FAR_OFFSET = 2147483647.0  # buckets: an offset too large to tell apart


def raw_offset(dist: float, base: float, inverse_delta: float) -> int:
    """Return floor((dist - base) / delta), in buckets from the head, within an int32.

    All float64: exact for powers of two, and the same in both engines. Clamped before
    the floor, because Numba's floor is an int64 and would wrap.
    """
    offset = (dist - base) * inverse_delta
    return math.floor(min(max(offset, -FAR_OFFSET - 1), FAR_OFFSET))


def push_offset(raw: int, from_bucket: int, head: int, buckets: int) -> int:
    """Return the offset from the head, in [0, buckets), at which an item is queued.

    raw : from `raw_offset`; past the ring it is clipped into the tail
    from_bucket : absolute number of the bucket that the pushing worker processes

    An item for the head that comes from another bucket goes to head + 1: the head may
    be retiring at this moment, and only its own workers hold it open.
    """
    offset = min(max(raw, 0), buckets - 1)
    if offset == 0 and from_bucket != head:
        return 1
    return offset


def clips(raw: int, buckets: int) -> bool:
    """Whether an item lies past the last bucket, so that its order is lost."""
    return raw > buckets - 1


def stays_with_worker(raw: int, from_bucket: int, head: int) -> bool:
    """Whether an improved vertex may stay in the queue of the worker that improved it.

    raw : from `raw_offset`; head : as the worker last saw it
    It may where it belongs to the worker's own bucket or before it: the worker holds that
    bucket open and goes on at once, without the trip through the manager (ours; the CUDA
    kernel does it, the model sends every push through a bucket).
    """
    return raw <= from_bucket - head


def readable_end(read: int, reserved: int, written: int, segment: int) -> int:
    """Return the index up to which a bucket's items are surely written (paper, 5.2).

    read : first index not yet handed out     reserved : re-read after a fence
    written : write-completed counter of read's segment, counted from the segment's start
    segment : words per segment, N

    A full segment is readable to its end. A part is readable only when all that was
    reserved in it is written; otherwise nothing is known about the order of writes.
    """
    start = read - read % segment
    if written == segment:
        return start + segment
    if start + written == reserved:
        return reserved
    return read


def head_is_finished(reserved: int, completed: int) -> bool:
    """Whether the head may retire: every item ever put there is completed (paper, 5.4).

    Emptiness is not enough: a worker still on an item may push into the head.
    """
    return completed == reserved


def chunk_size(available: int, idle_workers: int, smallest: int, largest: int) -> int:
    """Return how many vertices to hand to the next idle worker, in [1, largest].

    Spread evenly over the idle workers, but not below `smallest`: a worker with a
    handful of vertices leaves most of its threads without an arc.
    """
    share = (available + idle_workers - 1) // idle_workers
    return min(max(share, smallest), largest, available)


def quiet(assigned: int, busy_workers: int, unfinished: int, quiet_sweeps: int) -> int:
    """Return the number of quiet sweeps in a row; the run ends at QUIET_SWEEPS.

    assigned : vertices handed out in this sweep; unfinished : reserved - completed, all slots
    """
    if assigned == 0 and busy_workers == 0 and unfinished == 0:
        return quiet_sweeps + 1
    return 0
