"""Near-Far without barriers: the threshold moves while there is still something near.

Returns     dist, the shortest distance from the source to every vertex.

The idea    Near and far as in Near-Far [1], but nobody waits: what improves below the
            threshold is processed next by whoever improved it, and the threshold moves on
            as soon as fewer than `target` vertices are near, to delta beyond the nearest
            vertex that is far. A long graph needs few vertices at a time; what costs is
            every step between two of them, and a barrier is such a step. It is a relative
            of rho-stepping [2], which picks its threshold so that rho vertices are below.

Not done    Waiting until near is empty, as Near-Far does, and one manager that hands out all
            work, as ADDS has. Without either a vertex may be processed before a nearer
            way to it is known: it is processed again then.

To tune     delta, 8 x mean weight / mean degree where the degree is small: wider, and more is
            processed in vain; `target`, about a thousand on roads: more, and the same.

[1] "Work-Efficient Parallel GPU Methods for Single-Source Shortest Paths", IPDPS 2014.
[2] "Efficient Stepping Algorithms and Implementations for Parallel Shortest Paths", SPAA 2021.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

from gpu.algorithms.registry import Algorithm

TARGET = 1024  # near vertices below which the threshold moves on
DENSE_TARGET = 2048  # the same from mean degree DENSE on
DENSE = 8.0
STRIDES = 32.0  # how far it moves, x mean weight / mean degree², within the next two
LEAST_STRIDES, MOST_STRIDES = 1.0, 8.0  # x mean weight / mean degree


def target_of(mean_degree: float) -> int:
    """Return the near vertices below which the threshold moves on."""
    return DENSE_TARGET if mean_degree >= DENSE else TARGET


def strides_of(mean_degree: float) -> float:
    """Return how far the threshold moves at a time, x mean weight / mean degree."""
    return min(max(STRIDES / max(mean_degree, 1.0), LEAST_STRIDES), MOST_STRIDES)


def reference(
    indptr: Sequence[int],
    indices: Sequence[int],
    weights: Sequence[float],
    source: int,
    delta: float,
    target: int = 4,
) -> list[float]:
    """Return dist, inf where unreachable: one vertex of near after the other.

    delta : how far the threshold moves, weight units, > 0
    target : vertices in near below which it moves
    """
    dist = [math.inf] * (len(indptr) - 1)
    dist[source] = 0
    threshold = delta
    near: deque[tuple[float, int]] = deque([(0, source)])
    far: list[tuple[float, int]] = []
    while near or far:
        if len(near) < target and far:
            threshold = max(threshold, min(far)[0]) + delta
            near.extend(item for item in far if item[0] < threshold)
            far = [item for item in far if item[0] >= threshold]
        d, u = near.popleft()
        if d > dist[u]:
            continue  # stale: a nearer entry of u waits, or was processed
        for arc in range(indptr[u], indptr[u + 1]):
            v, reach = indices[arc], d + weights[arc]
            if reach < dist[v]:
                dist[v] = reach
                (near if reach < threshold else far).append((reach, v))
    return dist


ALGORITHM = Algorithm(
    key="async_near_far",
    title="Asynchronous Near-Far",
    summary="near and far without barriers: the threshold moves while something is still near",
    engines={"model": "gpu.model.near_far:run_async", "cuda": "gpu.cuda.async_near_far:run"},
    occupancy=("near", "far"),
    lists=("the near pile", "the far pile"),
    parallelism="assigned",
    source="SSSP Scope; after Davidson et al. 2014 and Dong et al. 2021",
)
