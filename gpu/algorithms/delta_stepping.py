"""Delta-stepping with light and heavy arcs (Meyer and Sanders 2003 [1]).

Returns     dist, the shortest distance from the source to every vertex.

The idea    Waiting vertices stand in buckets of width delta, by distance. The first bucket
            that is not empty is drained in phases: all its vertices at once, their *light*
            arcs (weight <= delta) relaxed. Those may refill it, so that goes on until it
            stays empty. Then its distances are final, and the *heavy* arcs (weight >
            delta) of every vertex that was ever in it are relaxed, once: they lead to later
            buckets. Delta -> 0 is Dijkstra's order, delta -> infinity Bellman-Ford.

Decisions   A vertex counts as processed when it is taken from a bucket; the heavy phase
            belongs to that and is not counted again. A delta changed by hand holds from the
            next bucket on. How buckets are kept is each engine's own affair: the model has
            Meyer and Sanders' cyclic array with about (largest weight / delta) slots, every
            thread of the CPU one for itself, the kernel one pile for all that waits later.

On the CPU  light and heavy arcs are relaxed together, as in GAP [2]: a second look at each row
            costs more than it saves. A thread works its part of a bucket off by itself, phase
            after phase (bucket fusion [2]), and idle threads take from those that have much;
            one barrier a bucket. The GPUs have a barrier after every phase.

Not done    Sorting each vertex's arcs into light and heavy beforehand: delta may change, and a
            look at the weight is cheap.

Samples     occupancy[0] = the vertices of this phase, [1] = all that waits in later buckets; at
            every phase; on the CPU at the start of a bucket.

To tune     delta, 32 W / D by default as in Near-Far. On the CPU threads, and a delta that goes
            with them: 5 W / D x sqrt(threads), D the root mean square degree; 8 W / D where there
            are hubs, 5 W / D on large graphs that a search meets within few hops.

[1] "Delta-stepping: a parallelizable shortest path algorithm", J. Algorithms 49.
[2] Zhang et al., "Optimizing Ordered Graph Algorithms with GraphIt", CGO 2020; GAP's sssp.cc.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from gpu.algorithms.registry import Algorithm, Parameter


def reference(
    indptr: Sequence[int],
    indices: Sequence[int],
    weights: Sequence[float],
    source: int,
    delta: float,
) -> list[float]:
    """Return dist, inf where unreachable: bucket by bucket, light arcs and then heavy ones.

    delta : the width of a bucket, weight units, > 0
    """
    dist = [math.inf] * (len(indptr) - 1)
    buckets: dict[int, set[int]] = {}

    def improve(v: int, reach: float) -> None:
        if reach < dist[v]:
            if dist[v] < math.inf:
                buckets.get(int(dist[v] // delta), set()).discard(v)
            dist[v] = reach
            buckets.setdefault(int(reach // delta), set()).add(v)

    def relax(vertices: Iterable[int], heavy: bool) -> None:
        for u in vertices:
            for arc in range(indptr[u], indptr[u + 1]):
                if (weights[arc] > delta) == heavy:
                    improve(indices[arc], dist[u] + weights[arc])

    improve(source, 0)
    while buckets:
        head = min(buckets)
        settled: set[int] = set()  # everything that was ever in this bucket
        while buckets[head]:
            phase, buckets[head] = buckets[head], set()
            settled |= phase
            relax(phase, heavy=False)
        relax(settled, heavy=True)  # leads beyond the bucket
        buckets = {number: waiting for number, waiting in buckets.items() if waiting}
    return dist


ALGORITHM = Algorithm(
    key="delta_stepping",
    title="Δ-stepping",
    summary="buckets of width Δ: light edges until one stays empty, then its heavy edges once",
    engines={
        "model": "gpu.model.delta_stepping:run",
        "cuda": "gpu.cuda.supersteps:delta_stepping",
        "cpu": "gpu.cpu.delta_stepping:run",
    },
    parameters=(
        Parameter(
            "threads",
            "Threads",
            "int",
            None,
            "threads of this computer's CPU; empty: one a core",
            1,
            256,
            engines=("cpu",),
            rare=True,
        ),
    ),
    occupancy=("bucket", "later"),
    source="Wang, Fussell, Lin 2021, section 3.2; Meyer and Sanders 2003",
)
