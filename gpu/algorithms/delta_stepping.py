"""Delta-stepping with light and heavy arcs (Meyer and Sanders 2003 [1]).

Returns     dist, the shortest distance from the source to every vertex.

The idea    Waiting vertices stand in buckets of width delta, by distance. The first bucket
            that is not empty is drained in phases: all its vertices at once, their *light*
            arcs (weight <= delta) relaxed. Those may refill it, so that goes on until it
            stays empty. Then its distances are final, and the *heavy* arcs (weight >
            delta) of every vertex that was ever in it are relaxed, once: they lead to later
            buckets. Delta -> 0 is Dijkstra's order, delta -> infinity Bellman-Ford.

Decisions   Buckets are a cyclic array: what waits lies within the largest weight of the head,
            so about (largest weight / delta) slots are enough. A slot is named by the
            distance from `base`, the lowest distance of the head; a delta changed by hand
            holds from the next bucket on, and everything that waits is sorted again.
            A vertex counts as processed when it is taken from a bucket; the heavy phase
            belongs to that and is not counted again.

Not done    Sorting each vertex's arcs into light and heavy beforehand: delta may change, and a
            look at the weight is cheap. On the CPU a thread works a small bucket off by
            itself before it waits for the others (bucket fusion [2]); the GPUs have a barrier
            after every phase.

Samples     occupancy[k] = vertices waiting in bucket head + k, whatever waits beyond the last in
            the last; at every phase.

To tune     delta, 32 W / D by default as in Near-Far; on the CPU, threads.

[1] "Delta-stepping: a parallelizable shortest path algorithm", J. Algorithms 49.
[2] Zhang et al., "Optimizing Ordered Graph Algorithms with GraphIt", CGO 2020; GAP's sssp.cc.
"""

from __future__ import annotations

from gpu.algorithms.registry import Algorithm, Parameter

ALGORITHM = Algorithm(
    key="delta_stepping",
    title="Δ-stepping",
    summary="buckets of width Δ, light arcs until one stays empty, then its heavy arcs once",
    engines={"model": "gpu.model.delta_stepping:run", "cpu": "gpu.cpu.delta_stepping:run"},
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
        ),
    ),
    source="paper, section 3.2; Meyer and Sanders 2003",
)
