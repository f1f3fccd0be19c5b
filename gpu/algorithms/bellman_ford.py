"""Bellman-Ford with a frontier: no order at all, a barrier after every pass.

Returns     dist, the shortest distance from the source to every vertex.

The idea    A superstep relaxes every arc of every vertex that improved in the one before,
            whatever its distance; a barrier ends it. After k supersteps every shortest path
            of k arcs is found. All the parallelism there is, and the work to go with it: a
            vertex is processed again each time that a better path of more arcs turns up.

Decisions   The skeleton is Near-Far's with everything near: two frontiers, duplicates removed
            between supersteps. So what a run of it differs by from one of Near-Far is order
            alone, and that difference is what delta is for.

Not done    Relaxing all m arcs each round, as the textbook has it: the frontier leaves out
            those that cannot improve anything.

Samples     occupancy[0] = the frontier, at the start of every superstep; bucket switches and
            delta stay 0, since there are no buckets.

Reference   Wang, Fussell, Lin, PPoPP 2021, section 6, baseline "Gun-BF"; on road-USA it did 78
            times the work of ADDS.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from gpu.algorithms.registry import Algorithm


def reference(
    indptr: Sequence[int], indices: Sequence[int], weights: Sequence[float], source: int
) -> list[float]:
    """Return dist, inf where unreachable: whatever improved is processed in the next superstep."""
    dist = [math.inf] * (len(indptr) - 1)
    dist[source] = 0
    frontier = {source}
    while frontier:
        before = {u: dist[u] for u in frontier}  # what this superstep writes it does not read
        frontier = set()
        for u, d in before.items():
            for arc in range(indptr[u], indptr[u + 1]):
                v, reach = indices[arc], d + weights[arc]
                if reach < dist[v]:
                    dist[v] = reach
                    frontier.add(v)
    return dist


ALGORITHM = Algorithm(
    key="bellman_ford",
    title="Bellman-Ford",
    summary="every improved vertex at once, in any order: most parallelism, most work",
    engines={
        "model": "gpu.model.near_far:run_bellman_ford",
        "cuda": "gpu.cuda.supersteps:bellman_ford",
    },
    occupancy=("frontier",),
    lists=("the frontier",),
    bucketed=False,
    source="Wang, Fussell, Lin 2021, section 6, Gun-BF",
)
