"""A sum of a distance and a weight that never wraps: past the type's range it is "unreached".

So `reached < current` is right for every number type. Where it is false although `current` is
unreached, the sum passed the range: the loop leaves the arc out and remembers it (`gpu.numbers`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from gpu.compiled import LEAN

TOP32, TOP64 = np.int32(2**31 - 1), np.int64(2**63 - 1)


def plus(dist, weight):  # type: ignore[no-untyped-def]
    """Return dist + weight in their type; the largest integer, or infinity, past its range."""
    if dist.dtype.kind == "f":
        return dist + weight
    top = np.iinfo(dist.dtype).max
    return dist.dtype.type(min(int(dist) + int(weight), top))


def _plus32(dist, weight):  # type: ignore[no-untyped-def]
    return np.int32(min(np.int64(dist) + np.int64(weight), np.int64(TOP32)))


def _plus64(dist, weight):  # type: ignore[no-untyped-def]
    return np.int64(min(np.uint64(dist) + np.uint64(weight), np.uint64(TOP64)))


def _plus_float(dist, weight):  # type: ignore[no-untyped-def]
    return dist + weight


@overload(plus, jit_options=LEAN, strict=False, inline="always")
def _choose(dist: Any, weight: Any) -> Any:
    """Choose by the type, when a loop is compiled."""
    if isinstance(dist, types.Float):
        return _plus_float
    return _plus32 if dist.bitwidth == 32 else _plus64
