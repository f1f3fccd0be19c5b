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

Published   With `as_published` the rules are the authors': delta starts at W / 32 D, on graphs that
            cannot fill the machine at 16 W / D and stays there, with all heads open; elsewhere it
            doubles where head buckets are too small, and utilisation counts from half of the
            vertices on (`gpu.delta.published`); stale items are processed again, and on whole
            numbers of 32 bits what lost the race to improve its vertex is queued as well; what
            improves always goes through a bucket, never straight to its worker's next round; no
            work is handed back to idle workers; a worker has 768 threads. How much a worker is
            given, and what a sweep costs, stays ours.

To tune     delta (or let it drive), buckets, workers.

[1] "A Fast Work-Efficient SSSP Algorithm for GPUs", PPoPP 2021, sections 5.1 to 5.5.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

import numpy as np

from gpu.algorithms.registry import Algorithm, Parameter
from gpu.delta import FAR_BUCKETS, StartRule, Weights, decide, start
from gpu.scheduler import push_offset, raw_offset

Item = tuple[float, int]  # the distance that a vertex was queued with, and the vertex
WORKERS, PIECE = 4, 8  # of the reference: a sweep hands a piece of so many items to each worker


def reference(
    indptr: Sequence[int],
    indices: Sequence[int],
    weights: Sequence[float],
    source: int,
    delta: float | None = None,
    dynamic: bool = True,
    buckets: int = 32,
) -> list[float]:
    """Return dist, inf where unreachable: a manager's sweeps, the workers one after another.

    delta : held, weight units, None: the controller's own; buckets : slots of the ring
    """
    control = controller(indptr, weights, delta, dynamic, buckets)
    c = control[0]
    dist = [math.inf] * (len(indptr) - 1)
    dist[source] = 0
    ring: list[deque[Item]] = [deque() for _ in range(buckets)]
    ring[0].append((0, source))
    fresh = [0] * buckets  # items pushed since the controller last decided, by slot
    head, base = 0, 0.0  # the head's number, which only grows, and its lowest distance
    while any(ring):
        switched = False
        while not ring[head % buckets]:  # between sweeps nothing is under way: it retires
            head, base, switched = head + 1, base + c.delta, True
        heads = range(head, head + c.open_heads)  # bucket b is in slot b mod `buckets`
        taken = [(b, *item) for b in heads for item in ring[b % buckets]][: WORKERS * PIECE]
        for bucket, d, u in taken:
            ring[bucket % buckets].popleft()
            for arc in range(indptr[u], indptr[u + 1]) if d == dist[u] else ():  # else stale
                v, reach = indices[arc], d + weights[arc]
                if reach < dist[v]:
                    dist[v] = reach
                    raw = raw_offset(reach, base, c.inverse_delta)
                    slot = (head + push_offset(raw, bucket, head, buckets)) % buckets
                    ring[slot].append((reach, v))  # no barrier: the next sweep may take it
                    fresh[slot] += 1
        ask(control, len(taken), ring, fresh, head, switched)
    return dist


def ask(
    control: np.ndarray,
    taken: int,
    ring: list[deque[Item]],
    fresh: list[int],
    head: int,
    switched: bool,
) -> None:
    """Read the gauges of a sweep and let the controller decide about delta and open heads."""
    buckets = len(ring)
    waiting = sum(len(ring[(head + k) % buckets]) for k in range(control[0].open_heads))
    ahead = [fresh[(head + k) % buckets] for k in range(buckets)]
    far = max(ahead[FAR_BUCKETS + 1 :], default=0)
    tail = ahead[-1] if buckets > 2 else 0
    decide(control, taken, waiting, sum(ahead), far, tail, int(switched))
    if control[0].window_ended:
        fresh[:] = [0] * buckets


def controller(
    indptr: Sequence[int],
    weights: Sequence[float],
    delta: float | None,
    dynamic: bool,
    buckets: int,
) -> np.ndarray:
    """Return the controller as it is before the first sweep (`gpu.delta`)."""
    of_arcs = Weights(
        mean=sum(weights) / max(len(weights), 1),
        largest=max(weights, default=0),
        mean_degree=len(weights) / (len(indptr) - 1),
        integer=all(isinstance(weight, int) for weight in weights),
    )
    return start(StartRule(WORKERS * PIECE, buckets, 4, delta, dynamic), of_arcs)


ALGORITHM = Algorithm(
    key="adds",
    title="ADDS",
    summary="asynchronous Δ-stepping; a manager deals work from 32 buckets and steers Δ",
    engines={"model": "gpu.model.adds:run", "cuda": "gpu.cuda.adds:run"},
    parameters=(
        Parameter(
            "dynamic_delta",
            "Dynamic Δ",
            "bool",
            True,
            "the controller doubles and halves Δ during the run; off: Δ does not change",
            rare=True,
        ),
        Parameter("buckets", "Buckets", "int", 32, "buckets in the ring", 2, 32, rare=True),
        Parameter(
            "as_published",
            "As published",
            "bool",
            False,
            "the paper's own rules: Δ starts at mean weight ÷ (32 × mean degree); outdated items"
            " are still processed; every item goes through a bucket",
            rare=True,
        ),
        Parameter(
            "workers",
            "Workers",
            "int",
            None,
            "how many workers; empty: as many as this device holds",
            1,
            4096,
            rare=True,
        ),
        Parameter(
            "open_heads",
            "Open heads",
            "int",
            4,
            "workers take from at most this many buckets at once",
            1,
            8,
            rare=True,
        ),
        Parameter(
            "drop_stale",
            "Drop stale items",
            "bool",
            True,
            "skip an item whose vertex improved since it was queued (the paper does not)",
            rare=True,
        ),
    ),
    parallelism="assigned",
    dynamic=True,
    still={"dynamic_delta": False},
    source="Wang, Fussell, Lin 2021, section 5",
)
