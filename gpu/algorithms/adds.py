"""ADDS: asynchronous dynamic delta-stepping (Wang, Fussell, Lin; PPoPP 2021 [1]).

Returns     dist, the shortest distance from the source to every vertex.

The idea    A priority queue good enough to save work and cheap enough for a GPU: 32
            buckets of width delta in a ring. Worker blocks only *write* to buckets;
            one manager block alone *reads* them and hands out work through one flag a
            worker. No barrier: a vertex improved now can be processed a few
            microseconds later. The manager watches how busy the workers are and
            doubles or halves delta, and opens one to four buckets at once, to stay
            where the hardware is just fully used: less order than that wastes work,
            more order wastes the hardware.

Decisions   are not here: `gpu.scheduler` (which bucket, when the head retires,
            termination) and `gpu.delta` (initial delta, controller, every constant).
            Both engines obey the same ones.

Not done    Duplicates are not removed. But an item carries the distance it was queued with, and one
            whose vertex has improved since is dropped when it comes up (`drop_stale`): the
            paper processes it again. Measured on an H100 that took R-MAT 2^20 from 4.4 to
            2.4 ms; the modelled R-MAT 2^16 does 1.06 instead of 2.4 vertices a settled one.

To tune     delta (or let it drive), buckets, workers.

[1] "A Fast Work-Efficient SSSP Algorithm for GPUs", PPoPP 2021, sections 5.1 to 5.5.
"""

from __future__ import annotations

from gpu.algorithms.registry import Algorithm, Parameter

ALGORITHM = Algorithm(
    key="adds",
    title="ADDS",
    summary="asynchronous Δ-stepping; a manager deals work from 32 buckets and steers Δ",
    engines={"model": "gpu.model.adds:run", "cuda": "gpu.cuda.adds:run"},
    parameters=(
        Parameter(
            "dynamic_delta", "Dynamic Δ", "bool", True, "let the controller change Δ as it runs"
        ),
        Parameter("buckets", "Buckets", "int", 32, "buckets in the ring", 2, 32),
        Parameter(
            "workers", "Workers", "int", None, "worker blocks; empty: the device's own", 1, 4096
        ),
        Parameter(
            "open_heads", "Open heads", "int", 4, "most buckets to take work from at once", 1, 8
        ),
        Parameter(
            "drop_stale",
            "Drop stale items",
            "bool",
            True,
            "skip an item whose vertex improved since it was queued (the paper does not)",
        ),
    ),
    parallelism="assigned",
    dynamic=True,
    still={"dynamic_delta": False},
    source="paper, section 5",
)
