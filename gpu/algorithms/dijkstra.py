"""Dijkstra's algorithm with a binary heap: one worker, perfect order, no parallelism.

Returns     dist, the shortest distance from the source to every vertex.

The idea    Always take the closest waiting vertex: it is settled, so every vertex is
            processed once. This is the yardstick of work: no schedule processes fewer.

Engines     On `cpu` it really runs, on one core: the baseline that every speedup starts from.
            On `model` the same algorithm has one worker of a GPU, which is no place for it.

Not done    Decreasing keys: an improved vertex is pushed again and its older entry is
            dropped when it comes up. Dropped entries do not count as processed.

Reference   paper, section 3 and baseline "Dijkstra".
"""

from __future__ import annotations

from gpu.algorithms.registry import Algorithm

ALGORITHM = Algorithm(
    key="dijkstra",
    title="Dijkstra",
    summary="a heap and one worker: the least work there is, one vertex at a time",
    engines={"model": "gpu.model.dijkstra:run", "cpu": "gpu.cpu.dijkstra:run"},
    occupancy=("heap",),
    bucketed=False,
    source="paper, section 3",
)
