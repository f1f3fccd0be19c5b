"""Numbers that compiled code and Python agree on: how a loop ended, flags, kinds of event.

Numba compiles plain integers. So the members of the enumerations in `gpu.record` stand here once
more as such, under the names that loops use; a member more or less there is an error here.
"""

from __future__ import annotations

from gpu.record.events import EventKind
from gpu.record.trace import Flag

RUNNING, FINISHED, POOL_DRY, LOG_FULL = range(4)  # status of a loop's state

(
    DELTA_RAISED,
    DELTA_LOWERED,
    BUCKET_SWITCHED,
    CLIPPED,
    DELTA_BY_HAND,
    ENDED,
    STOPPED,
) = map(int, Flag)

(
    PUSH,
    POP,
    STALE,
    RELAX,
    IMPROVE,
    CLIP,
    RESERVE,
    WRITTEN,
    ASSIGN,
    FINISH,
    HEAD,
    DELTA,
    OPEN,
    BLOCK_TAKEN,
    BLOCK_FREED,
    SUPERSTEP,
    BARRIER,
    SPLIT,
    PHASE,
    SOURCE,
    ROUND,
    SOURCE_DONE,
    END,
    SAMPLE,
    STAY,
    COLLECT,
    LEAVE,
    DEFER,
    RESUME,
    SKIP,
    ROUND_DONE,
    EDGE,
) = map(int, EventKind)
