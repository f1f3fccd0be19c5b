"""2-Buckets: ADDS with two buckets and no controller, the second ablation of table 5.

Returns     dist, the shortest distance from the source to every vertex.

The idea    Take away the buckets as well, and what is left is Near-Far without its barrier:
            a head and a tail, and a delta that stays at 32 W / D. Against Static-Δ it
            shows what 32 buckets are worth, against Near-Far what the barrier costs.

Decisions   as in ADDS. With two buckets only one head can be open, and everything past
            the head is clipped into the tail: that is what having two buckets means.

Not done    Splitting the tail, as Near-Far does: when the head retires, the tail becomes the
            head as it is, order lost.

To tune     delta, workers.

Reference   Wang, Fussell, Lin, PPoPP 2021, section 6 and table 5, column "2-Buckets".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gpu.algorithms import adds, adds_static

FIXED = {"dynamic_delta": False, "buckets": 2, "open_heads": 1}


def reference(
    indptr: Sequence[int], indices: Sequence[int], weights: Sequence[float], source: int
) -> list[float]:
    """Return dist, inf where unreachable: the sweeps of ADDS over a head and a tail."""
    return adds.reference(indptr, indices, weights, source, dynamic=False, buckets=2)


ALGORITHM = replace(
    adds_static.ALGORITHM,
    key="adds_two_buckets",
    title="ADDS, 2 buckets",
    summary="ADDS with a head, a tail and a fixed Δ: Near-Far without the barrier",
    parameters=tuple(knob for knob in adds.ALGORITHM.parameters if knob.key not in FIXED),
    fixed=FIXED,
)
