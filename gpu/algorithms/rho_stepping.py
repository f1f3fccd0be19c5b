"""Rho-stepping: every step takes the ρ closest vertices that wait (Dong et al. 2021 [1]).

Returns     dist, the shortest distance from the source to every vertex.

The idea    Delta-stepping fixes how far apart the vertices of a step may be, and leaves open how
            many there are: few on a road, a flood behind a hub. Here the number is fixed. Before
            each step a threshold is chosen so that about ρ of the waiting vertices lie below
            it; a superstep relaxes all their arcs, and what improves waits with the rest.
            ρ = 1 is Dijkstra's order, ρ -> infinity Bellman-Ford.

Decisions   Near holds the vertices of a step, far all that waits. The threshold comes from a
            sample of what waits, as in the authors' code, but evenly spaced instead of random:
            the same run has the same steps. Where no more wait than the sample holds it is
            exact. Vertices of one distance are taken together, so a step may exceed ρ.

On the GPU  What improves goes to near, and the kernel looks at far and chooses a threshold only
            where something was left there, or more than ρ vertices improved.

Not done    Local search: a thread of the authors' code follows a vertex's arcs on, below the
            threshold, without a step between. Nor a bitmap in place of a list for large frontiers.

Samples     occupancy[0] = the vertices of this step, [1] = those left for later; base: the nearest
            of the step, on the GPU of the last sample. There is no delta.

To tune     ρ, large enough to fill the machine: by default 256 on roads and meshes, whose work
            grows fast with ρ, else n / 8 (of 256 to 65,536 on the modelled H100, 0.45 against
            0.79 ms with 1,024 on R-MAT 2^17). The authors' 2^20 is for 96 cores and graphs of
            many millions of vertices.

[1] "Efficient Stepping Algorithms and Implementations for Parallel Shortest Paths", SPAA 2021;
    code: ucrparlay/Parallel-SSSP.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from gpu.algorithms.registry import Algorithm, Parameter

SAMPLE = 256  # of what waits, for a threshold; as in the kernel
FEW = 256  # vertices of a step on a graph of fewer than SPARSE arcs a vertex: one block's work
SPARSE = 8.0


def reference(
    indptr: Sequence[int],
    indices: Sequence[int],
    weights: Sequence[float],
    source: int,
    rho: int = 4,
) -> list[float]:
    """Return dist, inf where unreachable: step by step, the `rho` closest of what waits.

    rho : vertices of a step, > 0; more where several have the distance of the last one
    """
    dist = [math.inf] * (len(indptr) - 1)
    dist[source] = 0
    waiting = {source}
    while waiting:
        by_distance = sorted(dist[u] for u in waiting)
        threshold = by_distance[min(rho, len(waiting)) - 1]
        step = {u: dist[u] for u in waiting if dist[u] <= threshold}
        waiting -= step.keys()
        for u, d in step.items():  # what this step writes it does not read
            for arc in range(indptr[u], indptr[u + 1]):
                v, reach = indices[arc], d + weights[arc]
                if reach < dist[v]:
                    dist[v] = reach
                    waiting.add(v)
    return dist


def rho_of(chosen: int | None, n: int, m: int) -> int:
    """Return ρ: the chosen one, or one that fits a graph of n vertices and m arcs."""
    return chosen or (FEW if m < SPARSE * n else max(FEW, n // 8))


ALGORITHM = Algorithm(
    key="rho_stepping",
    title="ρ-stepping",
    summary="every step takes the ρ closest vertices: order by count, where Δ orders by distance",
    engines={"model": "gpu.model.rho_stepping:run", "cuda": "gpu.cuda.rho_stepping:run"},
    parameters=(
        Parameter(
            "rho",
            "ρ",
            "int",
            None,
            "vertices that a step takes, the closest of those that wait",
            1,
            unit="vertices",
            taken=rho_of,
        ),
    ),
    occupancy=("near", "far"),
    lists=("the near pile", "the far pile"),
    bucketed=False,
    source="Dong, Gu, Sun, Zhang 2021",
)
