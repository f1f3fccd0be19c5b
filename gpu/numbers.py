"""Number types: what weights and distances are counted in, and how a graph changes type.

A run computes in the type of its graph's weights: `int32`, `int64`, `float32` or `float64`. The
largest integer, or infinity, means "unreached". A relax whose sum passes the type's range is left
out and remembered; since weights are not negative, whatever remains is exact, and only a vertex
whose own distance does not fit stays unreached. So the range is judged once, at the end
(`judge_range`), and no schedule can change the verdict.

`auto`, what a run takes when nothing is asked: whole weights are computed exactly, in `int32` where all
distances fit and otherwise again in `int64`; decimals in `float64`. The paper and its authors' code
use `float32` for decimals, and `int32`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gpu.errors import DistanceRangeError, ParameterError, WeightError
from gpu.memory import require_memory

if TYPE_CHECKING:
    from gpu.graph import CSRGraph

AUTO = "auto"
NUMBER_TYPES = ("int32", "int64", "float32", "float64")
CHOICES = (AUTO, *NUMBER_TYPES)
ARCS_AT_ONCE = 1 << 24  # of `judge_range`, so that it needs little memory beside the graph


def unreached(dtype: np.dtype | type) -> np.generic:
    """Return the distance of an unreached vertex: the largest integer of the type, or infinity."""
    kind = np.dtype(dtype)
    value = np.iinfo(kind).max if kind.kind == "i" else np.inf
    scalar: np.generic = kind.type(value)
    return scalar


def check_choice(numbers: str) -> str:
    """Return `numbers` if it is a choice, else raise ParameterError."""
    if numbers not in CHOICES:
        raise ParameterError(f"numbers = {numbers!r}; allowed: {', '.join(CHOICES)}")
    return numbers


def type_for(graph: CSRGraph, numbers: str) -> np.dtype:
    """Return the type in which a run on `graph` begins; `auto` begins with the smaller integer."""
    if numbers != AUTO:
        return np.dtype(check_choice(numbers))
    return graph.weights.dtype if graph.integer else np.dtype(np.float64)


def in_numbers(graph: CSRGraph, numbers: str) -> CSRGraph:
    """Return the graph with its weights in the type of a run; the same object where they are.

    Raises WeightError where a weight is not whole or does not fit (nothing is rounded to an
    integer), MemoryNeededError. Decimals are rounded to `float32` only where that is asked for.
    """
    wanted = type_for(graph, numbers)
    if graph.weights.dtype == wanted:
        return graph
    require_memory(graph.m * wanted.itemsize, f"{graph.name} in {wanted}")
    _check_fit(graph, wanted)
    return replace(graph, weights=graph.weights.astype(wanted))


def wider(numbers: str, graph: CSRGraph) -> str | None:
    """Return the type to run in again where distances passed the range of `auto`'s, or None."""
    return "int64" if numbers == AUTO and graph.weights.dtype == np.int32 else None


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
        for begin, end in _blocks(graph):
            first, last = graph.indptr[begin], graph.indptr[end]
            degrees = np.diff(graph.indptr[begin : end + 1])
            from_reached = np.repeat(~is_open[begin:end], degrees)
            bad = np.flatnonzero(from_reached & is_open[graph.indices[first:last]])
            if len(bad):
                raise range_error(graph, int(first + bad[0]))


def range_error(graph: CSRGraph, arc: int) -> DistanceRangeError:
    """Return the error of the arc whose distance passes the range of the graph's type."""
    tail = int(np.searchsorted(graph.indptr, arc, side="right")) - 1
    kind = graph.weights.dtype
    top = f"2^{8 * kind.itemsize - 1} - 1" if graph.integer else f"the range of {kind}"
    advice = {"int32": "use --numbers int64 or auto", "float32": "use --numbers float64"}
    return DistanceRangeError(
        f"the distance over arc {graph.id_of(tail)} -> {graph.id_of(int(graph.indices[arc]))} "
        f"(weight {graph.weights[arc]:g}) passes {top}; "
        + advice.get(str(kind), "scale the weights down")
    )


def _blocks(graph: CSRGraph) -> list[tuple[int, int]]:
    """Return ranges of vertices that have about ARCS_AT_ONCE arcs each."""
    marks = np.arange(0, graph.m, ARCS_AT_ONCE)[1:]
    cuts = np.unique(np.concatenate(([0], np.searchsorted(graph.indptr, marks), [graph.n])))
    return list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))


def _check_fit(graph: CSRGraph, wanted: np.dtype) -> None:
    """Raise WeightError for the first weight that has no place in the type."""
    weights = graph.weights
    if not graph.m:
        return
    with np.errstate(over="ignore", invalid="ignore"):
        if wanted.kind == "i":
            top = float(np.iinfo(wanted).max)
            fits = weights < top if weights.dtype.kind == "f" else weights <= np.iinfo(wanted).max
            if weights.dtype.kind == "f":
                fits &= weights == np.floor(weights)
        elif wanted.itemsize < weights.itemsize and weights.dtype.kind == "f":
            fits = np.isfinite(weights.astype(wanted)) & (
                (weights == 0) | (weights.astype(wanted) > 0)
            )
        else:
            return
    bad = np.flatnonzero(~fits)
    if len(bad):
        arc = int(bad[0])
        tail = int(np.searchsorted(graph.indptr, arc, side="right")) - 1
        raise WeightError(
            f"arc {graph.id_of(tail)} -> {graph.id_of(int(graph.indices[arc]))} has weight "
            f"{weights[arc]:.17g}, which {wanted} cannot hold ({len(bad):,} of {graph.m:,} arcs); "
            "use --numbers auto"
        )
