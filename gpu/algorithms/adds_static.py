"""Static-Δ: ADDS without its controller, the first ablation of its authors' table 5.

Returns     dist, the shortest distance from the source to every vertex.

The idea    Take from ADDS only what makes its delta dynamic, and see what that was worth.
            Manager, workers, 32 buckets and the missing barrier stay; delta stays at what
            Near-Far uses, 32 W / D, and the number of open heads at its least.

Decisions   as in ADDS; `gpu.delta` makes the initial delta where nothing steers.

Not done    Searching for the best fixed delta: that is what a sweep is for.

To tune     delta, workers, buckets.

Reference   Wang, Fussell, Lin, PPoPP 2021, section 6 and table 5, column "Static-Δ".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gpu.algorithms import adds

FIXED = {"dynamic_delta": False}


def reference(
    indptr: Sequence[int], indices: Sequence[int], weights: Sequence[float], source: int
) -> list[float]:
    """Return dist, inf where unreachable: the sweeps of ADDS; nobody asks the controller."""
    return adds.reference(indptr, indices, weights, source, dynamic=False)


ALGORITHM = replace(
    adds.ALGORITHM,
    key="adds_static",
    title="ADDS, static Δ",
    summary="ADDS without its controller: 32 buckets and a Δ that stays as it is",
    parameters=tuple(knob for knob in adds.ALGORITHM.parameters if knob.key not in FIXED),
    dynamic=False,
    still={},
    fixed=FIXED,
    source="Wang, Fussell, Lin 2021, table 5",
)
