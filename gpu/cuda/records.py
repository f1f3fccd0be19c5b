"""Records that Python and the kernels share, byte for byte (`kernels/common.cuh`).

The kernels are compiled with the sizes of RUN and STATE and refuse to compile where theirs
differ. Pointers are device addresses.
"""

from __future__ import annotations

import numpy as np

from gpu.delta import CONTROLLER

BLOCK_ITEMS = 1 << 14  # items per pool block, as BLOCK_SHIFT in queue.cuh
SEGMENT = 64  # items per write-completed counter
PIECE_SHIFT = 10  # arcs of a piece of a long row, as in common.cuh
ARC_WORDS = 2  # an arc's: head and weight, each as wide as a distance
TICK_NS = 32  # unit of per-vertex times on the device, as in common.cuh
CLEARS = 8  # arrays that `begin` clears at most; as in common.cuh
CLEAR_BYTES = 16  # that a thread clears at a time
READING_WORDS = 8  # int32 per recorded sweep, see `READING`


def most_workers(threads: int) -> int:
    """Return how many workers a manager of `threads` threads can look after."""
    return 3 * (threads - 64)  # MAX_WORKERS in reader.cuh


def bits_of(numbers: np.dtype) -> np.dtype:
    """Return the unsigned type in which the device holds numbers: their bits order as they do."""
    return np.dtype(f"u{numbers.itemsize}")


def item_bytes(numbers: np.dtype) -> int:
    """Return the size of an item of a queue: vertex and distance."""
    return 2 * numbers.itemsize


def entry_bytes(numbers: np.dtype) -> int:
    """Return the size of an entry of a queue: vertex, distance, first and end arc."""
    return 16 if numbers.itemsize == 4 else 24


POINTERS = (
    *("rows", "arcs", "dist", "ticks", "times", "items", "written", "taken"),
    *("table", "free_blocks", "slots", "assign", "reports", "stats", "state", "host", "ring"),
    *("readings", "far", "owners"),
)
COUNTS = (
    *("n", "m", "source", "workers", "threads", "buckets", "as_published", "drop_stale"),
    *("pool_blocks", "table_mask", "ring_mask", "readings_room", "chunk_smallest"),
    *("chunk_largest", "keep", "flush_rounds", "pile_room", "wide_enter", "wide_leave", "clears"),
)
START_RULE = np.dtype(
    [
        *((name, "<f8") for name in ("start_factor", "start_floor", "ceiling_factor")),
        ("floor_share", "<f8"),
        ("given", "<f8"),
        ("dynamic", "<i4"),
        ("integer", "<i4"),
    ]
)
RUN = np.dtype(
    [
        *((name, "<u8") for name in POINTERS),
        ("controller", CONTROLLER),
        ("rule", START_RULE),
        *((name, "<f8") for name in ("mean_degree", "mean_weight", "band_low", "band_high")),
        ("period_ns", "<u8"),
        ("limit_ns", "<u8"),
        ("weight_max", "<u8"),  # bits, of 64-bit types all of them
        ("clear_at", "<u8", (CLEARS,)),
        *((name, "<u4") for name in COUNTS),
        ("clear_words", "<u4", (CLEARS,)),  # of CLEAR_BYTES
        ("clear_to", "<u4", (CLEARS,)),  # 0, or all bits
    ]
)
STATE = np.dtype(
    [
        ("published", "<u8", (4,)),
        *((name, "<u8") for name in ("start_ns", "end_ns")),
        *((name, "<u4") for name in ("overflowed", "left_out", "barrier_arrived")),
        *((name, "<u4") for name in ("barrier_round", "sweeps", "readings")),
        *((name, "<u8") for name in ("head_bucket", "bucket_switches")),
        *((name, "<f8") for name in ("delta", "base")),
        *((name, "<u4") for name in ("open_buckets", "reason", "delta_changes", "status")),
        *((name, "<u4") for name in ("pool_used", "supersteps", "by_hand", "wide_supersteps")),
        ("near_count", "<u4", (3,)),
        ("far_count", "<u4", (2,)),
        *((name, "<u4") for name in ("side", "mode")),
        ("step_status", "<u4", (3,)),
        ("far_min_and_settled_count", "<u4", (4,)),  # the first has the size of a distance
        *((name, "<f8") for name in ("threshold", "hand_delta")),
        *((name, "<u4") for name in ("gave_up", "line")),
    ]
)
STATS = np.dtype(
    [
        *((name, "<u8") for name in ("processed", "relaxed", "improved", "clipped", "measured")),
        ("error", "<f8"),
        ("unused", "<u8", (2,)),
    ]
)
HOST_CONTROL = np.dtype(
    [
        ("stop", "<u4"),
        ("delta_version", "<u4"),
        ("delta_by_hand", "<f8"),
        ("samples_read", "<u8"),
        ("unused", "<u8", (5,)),
        ("samples_written", "<u8"),
        ("unused_after", "<u8", (7,)),
    ]
)
READING = np.dtype(  # one manager sweep, as the controller was asked
    [
        ("processing", "<i4"),
        ("waiting", "<i4"),
        ("produced", "<i4"),
        ("produced_far", "<i4"),
        ("produced_tail", "<i4"),
        ("switched", "<i4"),  # bit 0; bit 1: a person held delta after this sweep
        ("reason", "<i4"),  # what the controller decided
        ("delta", "<f4"),  # in force after it
    ]
)
(RUNNING, FINISHED, STOPPED, POOL_DRY, TIMED_OUT) = range(5)
assert RUN.itemsize % 8 == 0
assert HOST_CONTROL.itemsize == 128
assert READING.itemsize == 4 * READING_WORDS
assert STATS.itemsize == 64
