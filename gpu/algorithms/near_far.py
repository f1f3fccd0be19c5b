"""Near-Far: delta-stepping with two piles and a barrier (Davidson et al. 2014 [1]).

Returns     dist, the shortest distance from the source to every vertex.

The idea    Two piles. *Near* holds vertices whose distance is under a threshold, *far*
            the rest. A superstep processes all of near at once and sorts what improved
            into the next near or into far; a barrier ends it. When near runs empty the
            threshold moves on by delta and far is split again. One vertex enters a
            pile at most once a superstep.

Not done    Reading what was written in the same superstep: that is what the barrier
            forbids, and why a road network, where few vertices are near at a time,
            leaves the machine idle.

To tune     delta = C x mean weight / mean degree, C = 32 by default ([1], page 7).

[1] "Work-Efficient Parallel GPU Methods for Single-Source Shortest Paths", IPDPS 2014.
"""

from __future__ import annotations

from gpu.algorithms.registry import Algorithm

ALGORITHM = Algorithm(
    key="near_far",
    title="Near-Far",
    summary="two piles and a barrier after every pass: simple, but starves on long graphs",
    engines={"model": "gpu.model.near_far:run", "cuda": "gpu.cuda.near_far:run"},
    occupancy=("near", "far"),
    source="paper, sections 1 and 4; LonestarGPU",
)
