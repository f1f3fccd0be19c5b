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

import math
from collections.abc import Sequence

from gpu.algorithms.registry import Algorithm


def reference(
    indptr: Sequence[int],
    indices: Sequence[int],
    weights: Sequence[float],
    source: int,
    delta: float,
) -> list[float]:
    """Return dist, inf where unreachable: near until it is empty, then far is split again.

    delta : how far the threshold moves at each split, weight units, > 0
    """
    dist = [math.inf] * (len(indptr) - 1)
    dist[source] = 0
    threshold = delta
    near: list[tuple[float, int]] = [(0, source)]
    far: list[tuple[float, int]] = []
    while near or far:
        if not near:  # the split: the threshold moves on, past stretches where nothing waits
            far = [(d, u) for d, u in far if d == dist[u]]  # the others have improved since
            nearest = min((d for d, _ in far), default=threshold)
            threshold = max(threshold, delta * (nearest // delta)) + delta
            near = [item for item in far if item[0] < threshold]
            far = [item for item in far if item[0] >= threshold]
        superstep, near = near, []
        for d, u in superstep:
            if d > dist[u]:
                continue  # stale: a nearer entry of u waits, or was processed
            for arc in range(indptr[u], indptr[u + 1]):
                v, reach = indices[arc], d + weights[arc]
                if reach < dist[v]:
                    dist[v] = reach
                    (near if reach < threshold else far).append((reach, v))
    return dist


ALGORITHM = Algorithm(
    key="near_far",
    title="Near-Far",
    summary="two piles and a barrier after every pass: simple, but starves on long graphs",
    engines={"model": "gpu.model.near_far:run", "cuda": "gpu.cuda.supersteps:near_far"},
    occupancy=("near", "far"),
    lists=("the near pile", "the far pile"),
    source="Wang, Fussell, Lin 2021, sections 1 and 4; LonestarGPU",
)
