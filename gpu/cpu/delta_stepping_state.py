"""The records that the threads of delta-stepping share, and what their words mean.

`control` is an array of int64 words that every thread writes, on cache lines of their own;
THREAD is what one thread keeps of its run, so that it can leave and come back.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from gpu.loops.state import state_dtype

CHUNK = 64  # vertices of a bucket that lie together; a power of two
LAST = CHUNK - 1
OFFERS = 64  # what a thread may have on offer at a time; a power of two
OFFER = 16  # vertices of one offer, at most
PLACE_BITS = (CHUNK // OFFER).bit_length() - 1  # so many offers lie in a chunk: 2^this
PLACE_MASK = CHUNK // OFFER - 1
IN_HAND = OFFERS // (CHUNK // OFFER)  # the chunk for what was taken; before it, what is on offer
FIRST_CHUNK = IN_HAND + 1  # of those that buckets are made of
PIECE = 2048  # arcs of a long row that are offered by themselves
BLOCK = 32  # arcs whose heads are fetched ahead of being relaxed
SPINS = 100  # looks of a waiting thread before the core is offered to others
CLOCK_EVERY = 128  # vertices between two looks at the clock, probe level 2
NOBODY = 2**62  # no thread has anything in any bucket

NEXT = 16  # words: 128 bytes, so that no two lines are fetched together
# words of `control`; STEP is read together with BUCKET
STOP, BUSY, BUCKET, LOWEST, WRITTEN, READ, PERIOD = range(0, 7 * NEXT, NEXT)
STEP = BUCKET + 1
STARTED, ENDED_NS, HELD = PERIOD + 1, PERIOD + 2, PERIOD + 3
CONTROL_WORDS = 7 * NEXT

# words of `offers`, so many for each thread: offers taken and made so far; of each, how many
# vertices, or less than 0 which piece of one vertex's row
TAKEN, MADE, SIZES = 0, 1, NEXT
OFFER_WORDS = SIZES + OFFERS

GO_ON, BY_USER, BY_ERROR, TO_GROW = range(4)  # values of STOP
BEFORE, AT_WORK, WAITING = range(3)  # stages of a thread

TOTALS = state_dtype()  # of all threads together: kept by whoever ends a bucket, for samples


@cache
def entry_dtype(bits: np.dtype) -> np.dtype:
    """Return the record of a vertex in a bucket, beside the distance with which it came."""
    return np.dtype([("bits", bits), ("vertex", bits)])


THREAD = np.dtype(
    [
        ("base", "<f8"),  # lowest distance of the head bucket; the same in every thread
        ("delta", "<f8"),
        ("inverse", "<f8"),  # 1 / delta
        ("bucket", "<i8"),  # how many were ended
        ("head_slot", "<i8"),
        ("stage", "<i8"),
        ("chunk", "<i8"),  # that is being worked off
        ("left", "<i8"),  # vertices in it
        ("piece", "<i8"),  # which of its only vertex's row it stands for; 0: whole rows
        ("hand_top", "<i8"),  # the chunks of the own head bucket that come after it
        ("hand_count", "<i8"),  # vertices in them
        ("spare", "<i8"),  # the first free chunk that was used before
        ("fresh", "<i8"),  # the first that never was
        ("free", "<i8"),  # free chunks of both kinds
        ("needed", "<i8"),  # chunks that the next vertex may take, where there are too few
        ("wanted", "<i8"),  # how much to have on offer
        ("waiting", "<i8"),  # vertices in own buckets
        ("lowest", "<i8"),  # how many buckets from the head its own lowest one is
        ("lowest_count", "<i8"),  # vertices in it
        ("processed", "<i8"),
        ("relaxed", "<i8"),
        ("improved", "<i8"),
        ("now_ns", "<i8"),
        ("until_clock", "<i8"),
        ("overflowed", "<i8"),
        ("distance_error", "<f8"),
        ("padding", "<i8", 6),
    ]
)
assert THREAD.itemsize == 256
