"""Dijkstra's algorithm with a binary heap: one worker, perfect order, no parallelism.

Returns     dist, the shortest distance from the source to every vertex.

The idea    Always take the closest waiting vertex: it is settled, so every vertex is
            processed once. This is the yardstick of work: no schedule processes fewer.

Engines     On `cpu` it really runs, on one core: the baseline that every speedup starts from.
            On `model` the same algorithm has one worker of a GPU, which is no place for it.

Not done    Decreasing keys: an improved vertex is pushed again and its older entry is
            dropped when it comes up. Dropped entries do not count as processed.

Reference   Wang, Fussell, Lin, PPoPP 2021, section 3 and baseline "Dijkstra".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from heapq import heappop, heappush

from gpu.algorithms.registry import Algorithm


def reference(
    indptr: Sequence[int], indices: Sequence[int], weights: Sequence[float], source: int
) -> list[float]:
    """Return dist, inf where unreachable: the closest waiting vertex first."""
    dist = [math.inf] * (len(indptr) - 1)
    dist[source] = 0
    heap = [(dist[source], source)]
    while heap:
        d, u = heappop(heap)
        if d > dist[u]:
            continue  # an older entry: u has improved since, and been processed
        for arc in range(indptr[u], indptr[u + 1]):
            v, reach = indices[arc], d + weights[arc]
            if reach < dist[v]:
                dist[v] = reach
                heappush(heap, (reach, v))
    return dist


ALGORITHM = Algorithm(
    key="dijkstra",
    title="Dijkstra",
    summary="a heap and one worker: the least work there is, one vertex at a time",
    engines={"model": "gpu.model.dijkstra:run", "cpu": "gpu.cpu.dijkstra:run"},
    occupancy=("heap",),
    lists=("the heap",),
    barriers=False,
    bucketed=False,
    source="Wang, Fussell, Lin 2021, section 3",
)
