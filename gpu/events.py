"""Every single event of a run: what probe level 3 records, and what its numbers mean.

One record (`gpu.trace.EVENT`: t_ns, kind, worker, a, b, c) for each thing that a manager or a
worker does, in the order in which it takes effect; events of one instant keep that order.
The meaning of a, b and c depends on the kind and stands beside it. `worker` is the worker's
number, -1 for the manager (or for the barrier of a superstep).

The words are the same for every algorithm, so that one microscope shows them all:

    bucket    ADDS: absolute number of the bucket (head_bucket counts the same way);
              Near-Far: 0 near, 1 far; delta-stepping: its bucket; Bellman-Ford: 0, the frontier;
              Dijkstra: 0, the heap
    place     ADDS: position in the bucket's queue, as resv_ptr counts; else the place in the pile
    round     superstep number, from 0

The state at any event follows from the events before it (`gpu.replay`): that is what the
microscope draws, and what the tests compare with the run's own samples and distances.
"""

from __future__ import annotations

import enum

MOST_ARCS = 20_000  # graphs up to this size can be recorded event by event (DESIGN section 2)


class EventKind(enum.IntEnum):
    """What happened. `a`, `b` are whole numbers, `c` is a number."""

    PUSH = 1  # vertex a enters bucket b with distance c
    POP = 2  # vertex a is taken from bucket b with the distance c that it is processed with
    STALE = 3  # vertex a from bucket b is dropped: queued with c, and better is known
    RELAX = 4  # arc a is examined from its tail b; c: the distance it offers its head
    IMPROVE = 5  # vertex a has a new distance c, over arc b
    CLIP = 6  # vertex a belongs past the ring and goes into the tail, bucket b; c: its distance
    RESERVE = 7  # in bucket b, place a is reserved for writing (resv_ptr is a + 1 after it)
    WRITTEN = 8  # in bucket b, place a has been written (its segment's WCC rises); c: the WCC
    ASSIGN = 9  # the worker gets c items of bucket b, from place a on (read_ptr is a + c after it)
    FINISH = 10  # the worker has finished a items of bucket b; c: the bucket's CWC after it
    HEAD = 11  # the head moves on to bucket a; b: bucket switches so far; c: its lowest distance
    DELTA = 12  # delta becomes c; a: Reason; b: open heads
    OPEN = 13  # open heads become a; b: Reason
    BLOCK_TAKEN = 14  # bucket b gets block a of the pool
    BLOCK_FREED = 15  # bucket b gives block a back
    SUPERSTEP = 16  # round a begins with b vertices; c: threshold, or upper edge of the bucket
    BARRIER = 17  # round a ends; b: vertices waiting for the next
    SPLIT = 18  # a vertices move from the far pile to the near one, b stay; c: the new threshold
    PHASE = 19  # delta-stepping: a 0 light, 1 heavy arcs of bucket b begin
    SOURCE = 20  # all pairs: the worker (block) begins source a
    ROUND = 21  # all pairs: round b of source a begins; c: vertices or arcs to look at
    SOURCE_DONE = 22  # all pairs: the worker has finished source a after b rounds
    END = 23  # the run is over


MANAGER = -1  # `worker` of what the manager, or a barrier, does
