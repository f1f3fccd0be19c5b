"""A graph in numbers: degrees, weights, loops, reachable vertices.

Everything is one or two passes of NumPy over the arrays; parallel arcs need a sort where rows are
not strictly rising. Reachable vertices are those of SciPy's breadth-first search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu.graph import CSRGraph

PERCENTS = (1, 25, 50, 75, 99)


@dataclass(frozen=True)
class Spread:
    """Smallest, mean, largest, and `percentiles` at PERCENTS, of a set of numbers."""

    min: int | float
    mean: float
    max: int | float
    percentiles: tuple[float, ...]


@dataclass(frozen=True)
class GraphStatistics:
    """Numbers about a graph; degrees are out-degrees.

    degree, weight : None where there are no vertices, or no arcs
    loops : arcs from a vertex to itself
    parallel_arcs : arcs beyond the first between the same two ends, in that direction
    isolated : vertices with no arc in or out, a loop does not count
    """

    n: int
    m: int
    degree: Spread | None
    weight: Spread | None
    zero_weights: int
    loops: int
    parallel_arcs: int
    isolated: int
    nbytes: int


def statistics(graph: CSRGraph) -> GraphStatistics:
    """Return the numbers of `graph`, O(m log m) at worst."""
    degrees = np.diff(graph.indptr)
    tails = np.repeat(np.arange(graph.n, dtype=np.int32), degrees)
    loops = tails == graph.indices
    touched = np.zeros(graph.n, bool)
    touched[tails[~loops]] = True
    touched[graph.indices[~loops]] = True
    return GraphStatistics(
        n=graph.n,
        m=graph.m,
        degree=_spread(degrees),
        weight=_spread(graph.weights),
        zero_weights=int(np.count_nonzero(graph.weights == 0)),
        loops=int(np.count_nonzero(loops)),
        parallel_arcs=_parallel_arcs(tails, graph.indices, graph.n),
        isolated=int(graph.n - np.count_nonzero(touched)),
        nbytes=graph.nbytes,
    )


def reachable(graph: CSRGraph, source: int) -> np.ndarray:
    """Return bool (n,): which vertices a path from `source` reaches, itself included.

    Raises SourceError where `source` is not a vertex.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    source = graph.check_source(source)
    ones = np.ones(graph.m, np.int8)  # not the weights: an explicit 0 would be no arc
    arcs = csr_array((ones, graph.indices, graph.indptr), shape=(graph.n, graph.n))
    order = breadth_first_order(arcs, source, return_predecessors=False)
    seen = np.zeros(graph.n, bool)
    seen[order] = True
    return seen


def as_json(numbers: GraphStatistics) -> dict[str, Any]:
    """Return the numbers as one JSON-ready table; integers stay exact."""

    def spread(values: Spread | None) -> dict[str, Any] | None:
        if values is None:
            return None
        percentiles = dict(zip((f"p{p}" for p in PERCENTS), values.percentiles, strict=True))
        return {"min": values.min, "mean": values.mean, "max": values.max, **percentiles}

    table = {key: getattr(numbers, key) for key in numbers.__dataclass_fields__}
    return table | {"degree": spread(numbers.degree), "weight": spread(numbers.weight)}


def _spread(values: np.ndarray) -> Spread | None:
    if not len(values):
        return None
    percentiles = np.percentile(values, PERCENTS).tolist()
    with np.errstate(over="ignore"):
        mean = float(values.mean(dtype=np.float64))
    if not np.isfinite(mean):  # the sum is past float64
        mean = float((values / len(values)).sum())
    return Spread(values.min().item(), mean, values.max().item(), tuple(percentiles))


def _parallel_arcs(tails: np.ndarray, heads: np.ndarray, n: int) -> int:
    if len(heads) < 2:
        return 0
    rising = (heads[1:] > heads[:-1]) | (tails[1:] > tails[:-1])
    if rising.all():  # each row is strictly rising: no two heads alike
        return 0
    ends = tails.astype(np.int64) * n + heads
    ends.sort()
    return int(np.count_nonzero(ends[1:] == ends[:-1]))
