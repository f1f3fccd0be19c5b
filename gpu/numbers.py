"""Number types: what weights and distances are counted in, and how a graph changes type.

A run computes in the type of its graph's weights: `int32`, `int64`, `float32` or `float64`. The
largest integer, or infinity, means "unreached". A relax whose sum passes the type's range is left
out and remembered. Weights are not negative, so what remains is exact, and only a vertex whose own
distance does not fit stays unreached: the range is checked once, at the end (`judge_range`).

`auto`, the default: whole weights in `int32` where all distances fit, else again in `int64`;
decimals in `float64`. The paper and its authors' code use `int32` and `float32`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gpu.errors import DistanceRangeError, ParameterError, WeightError
from gpu.files import require_memory
from gpu.graph import NUMBER_TYPES, CSRGraph

AUTO = "auto"
AUTO_WIDE = "auto-int64"  # auto, where int32 was too small: no user chooses it
CHOICES = (AUTO, *NUMBER_TYPES)
_KEPT = "in_other_numbers"  # of a graph: itself in another type
EXACT_FLOAT64 = 2**53  # whole numbers up to here are float64 numbers, and no two are the same one


def unreached(dtype: np.dtype | type) -> np.generic:
    """Return the distance of an unreached vertex: the largest integer of the type, or infinity."""
    kind = np.dtype(dtype)
    value = np.iinfo(kind).max if kind.kind == "i" else np.inf
    scalar: np.generic = kind.type(value)
    return scalar


def bits_of(array: np.ndarray) -> np.ndarray:
    """Return a view of numbers as integers of their size, which rise as they do from 0 on."""
    bits: np.ndarray = array.view(bits_dtype(array.dtype))
    return bits


def bits_dtype(dtype: np.dtype) -> np.dtype:
    """Return the integer type of the same size."""
    return np.dtype(np.int32 if dtype.itemsize == 4 else np.int64)


def check_choice(numbers: str) -> str:
    """Return `numbers` if it is a choice, else raise ParameterError."""
    if numbers not in (*CHOICES, AUTO_WIDE):
        raise ParameterError(f"numbers = {numbers!r}; allowed: {', '.join(CHOICES)}")
    return numbers


def type_for(graph: CSRGraph, numbers: str) -> np.dtype:
    """Return the type in which a run on `graph` begins; `auto` begins with the smaller integer."""
    if numbers == AUTO_WIDE:
        return np.dtype(np.int64)
    if numbers != AUTO:
        return np.dtype(check_choice(numbers))
    return graph.weights.dtype if graph.integer else np.dtype(np.float64)


def in_numbers(graph: CSRGraph, numbers: str) -> CSRGraph:
    """Return the graph with its weights in the type of a run; it keeps the last one.

    Raises WeightError where a weight is not whole or does not fit (nothing is rounded to an
    integer), MemoryNeededError.
    """
    run_type = type_for(graph, numbers)
    if graph.weights.dtype == run_type:
        return graph
    cast: CSRGraph | None = graph.__dict__.get(_KEPT)
    if cast is None or cast.weights.dtype != run_type:
        require_memory(graph.m * run_type.itemsize, f"{graph.name} in {run_type}")
        _check_fit(graph, run_type)
        cast = replace(graph, weights=graph.weights.astype(run_type))
        graph.__dict__[_KEPT] = cast
    return cast


def wider(graph: CSRGraph, numbers: str) -> str | None:
    """Return the choice to run again with where distances passed the range, None for none."""
    return AUTO_WIDE if numbers == AUTO and graph.weights.dtype == np.int32 else None


def judge_range(graph: CSRGraph, dist: np.ndarray) -> None:
    """Raise DistanceRangeError if a finished run left out an arc that its answer needs.

    dist : (n,), or (k, n) row by row, in the type of the weights. An arc from a reached to an
    unreached vertex can only have been left out because its sum passes the type's range.
    """
    none = unreached(dist.dtype)
    rows = dist if dist.ndim == 2 else dist[np.newaxis]
    for row in rows:
        is_open = np.asarray(row) == none
        if not is_open.any():
            continue
        from_reached = np.repeat(~is_open, np.diff(graph.indptr))
        bad = np.flatnonzero(from_reached & is_open[graph.indices])
        if len(bad):
            raise range_error(graph, int(bad[0]))


def range_error(graph: CSRGraph, arc: int) -> DistanceRangeError:
    """Return the error of the arc whose distance passes the range of the graph's type."""
    kind = graph.weights.dtype
    top = f"2^{8 * kind.itemsize - 1} - 1" if graph.integer else f"the range of {kind}"
    advice = {"int32": "use --numbers int64 or auto", "float32": "use --numbers float64"}
    return DistanceRangeError(
        f"the distance over {graph.arc_words(arc)} (weight {graph.weights[arc]:g}) passes {top}; "
        + advice.get(str(kind), "scale the weights down")
    )


def _check_fit(graph: CSRGraph, run_type: np.dtype) -> None:
    """Raise WeightError for the first weight that has no place in the type."""
    weights = graph.weights
    if not graph.m:
        return
    with np.errstate(over="ignore", invalid="ignore"):
        if run_type.kind == "i":
            top = float(np.iinfo(run_type).max)
            fits = weights < top if weights.dtype.kind == "f" else weights <= np.iinfo(run_type).max
            if weights.dtype.kind == "f":
                fits &= weights == np.floor(weights)
        elif run_type.itemsize < weights.itemsize and weights.dtype.kind == "f":
            narrow = weights.astype(run_type)
            fits = np.isfinite(narrow) & ((weights == 0) | (narrow > 0))
        else:
            return
    bad = np.flatnonzero(~fits)
    if len(bad):
        arc = int(bad[0])
        raise WeightError(
            f"{graph.arc_words(arc)} has weight {weights[arc]:.17g}, "
            f"which {run_type} cannot hold ({len(bad):,} of {graph.m:,} edges); "
            "use --numbers auto"
        )
