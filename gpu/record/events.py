"""Every single event of a run: what probe level 3 records, and what its numbers mean.

One record (`gpu.record.trace.EVENT`: t_ns, kind, worker, a, b, c) for each thing that a manager
or a worker does, in the order in which it takes effect; events of one instant keep that order.
The meaning of a, b and c depends on the kind and stands beside it. `worker` is the worker's
number, -1 for the manager (or for the barrier of a superstep).

The words are the same for every algorithm, so that one microscope shows them all:

    bucket    ADDS: absolute number of the bucket (head_bucket counts the same way);
              Near-Far: 0 near, 1 far; delta-stepping: its bucket; Bellman-Ford: 0, the frontier;
              Dijkstra: 0, the heap; all pairs: the block whose list of waiting vertices it is
    place     ADDS: position in the ring slot's queue, as resv_ptr counts: it goes on from one
              bucket of the slot to the next
    round     superstep number, from 0
"""

from __future__ import annotations

import enum

MOST_ARCS = 20_000  # graphs up to this size can be recorded event by event


class EventKind(enum.IntEnum):
    """What happened. `a`, `b` are whole numbers, `c` is a number."""

    PUSH = 1  # vertex a enters bucket b with distance c
    POP = 2  # vertex a is taken from bucket b with the distance c that it is processed with
    STALE = 3  # vertex a from bucket b is dropped: queued with c, and better is known (see SKIP)
    RELAX = 4  # arc a is examined from its tail b; c: the distance it offers its head
    IMPROVE = 5  # vertex a has a new distance c, over arc b
    CLIP = 6  # vertex a belongs past the ring and goes into the tail, bucket b; c: its distance
    RESERVE = 7  # in bucket b, place a is reserved for writing (resv_ptr is a + 1 after it)
    WRITTEN = 8  # in bucket b, place a has been written; c: its WCC, all segments together
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
    PHASE = 19  # a 0 light, 1 heavy arcs of bucket b begin
    SOURCE = 20  # all pairs: the worker (block) begins source a
    ROUND = 21  # all pairs: round b of source a begins; c: arcs to examine, 0: what waits
    SOURCE_DONE = 22  # all pairs: the worker has finished source a after b rounds
    END = 23  # the run is over; a: 1 where it was stopped
    SAMPLE = 24  # sample number a shows the state at this moment
    STAY = 25  # vertex a stays with the worker that improved it, in bucket b; c: its distance
    COLLECT = 26  # vertex a is set aside by its worker, for a bucket; c: its distance
    LEAVE = 27  # vertex a leaves bucket b for another one; c: its distance
    DEFER = 28  # vertex a of bucket b has heavy arcs, which wait; c: its distance
    RESUME = 29  # the heavy arcs of vertex a of bucket b begin, with distance c
    SKIP = 30  # vertex a is left out of bucket b: improved to c meanwhile, a newer entry does it
    ROUND_DONE = 31  # all pairs: round b of source a ends; c: 1 where it looked at every arc
    EDGE = 32  # all pairs: vertices below distance c are taken; a: source; b: such steps so far


MANAGER = -1  # `worker` of what the manager, or a barrier, does
