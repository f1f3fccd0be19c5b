"""The records that the threads of delta-stepping share, and what their words mean.

`control` is an array of int64 words that every thread writes, each on a cache line of its
own; THREAD is what one thread keeps of its run, so that it can leave and come back.
"""

from __future__ import annotations

import numpy as np

from gpu.loops.state import state_dtype

GRAIN = 64  # vertices taken from the shared frontier at a time
CHUNK = 32  # vertices of a bucket that lie together; a power of two
LAST = CHUNK - 1
FUSE = 1000  # vertices in its own head bucket above which a thread shares them (GAP)
SPINS = 2000  # looks at a barrier before the core is offered to others
CLOCK_EVERY = 16  # vertices between two looks at the clock, probe level 2
NOBODY = 2**62  # no thread has anything in any bucket

# words of `control`, 128 bytes apart; the last four have a pair, used in odd rounds
NEXT = 16
STOP, ARRIVED, GENERATION, WRITTEN, READ, STARTED, ENDED_NS, PERIOD, HELD = range(0, 9 * NEXT, NEXT)
CURSOR, SIZE, LOWEST, KEPT = range(9 * NEXT, 17 * NEXT, 2 * NEXT)
CONTROL_WORDS = 17 * NEXT

GO_ON, BY_USER, BY_ERROR = range(3)  # values of STOP
DONE, STOPPED, GROW = range(3)  # what `work` returns
LIGHT, HEAVY = range(2)  # rounds
ASSEMBLING, BEFORE_WORK, AT_WORK, AT_DECISION = range(4)  # where a thread stands

TOTALS = state_dtype()  # of all threads together: kept by thread 0, for samples

THREAD = np.dtype(
    [
        ("base", "<f8"),  # lowest distance of the head bucket; the same in every thread
        ("delta", "<f8"),
        ("inverse", "<f8"),  # 1 / delta
        ("head", "<i8"),
        ("head_slot", "<i8"),
        ("round", "<i8"),
        ("mode", "<i8"),
        ("place", "<i8"),  # of the shared frontier, in the grain in hand
        ("place_end", "<i8"),
        ("hand_top", "<i8"),  # the chunks of the own bucket in hand
        ("hand_count", "<i8"),
        ("free", "<i8"),  # free chunks
        ("needed", "<i8"),  # chunks that the next vertex may take, where the pool is too small
        ("waiting", "<i8"),  # vertices in own buckets
        ("visit", "<i8"),
        ("processed", "<i8"),
        ("relaxed", "<i8"),
        ("improved", "<i8"),
        ("now_ns", "<i8"),
        ("until_clock", "<i8"),
        ("overflowed", "<i8"),
        ("next_sample_ns", "<i8"),
        ("stage", "<i8"),
        ("padding", "<i8", 9),
    ]
)
assert THREAD.itemsize == 256
