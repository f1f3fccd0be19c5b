"""A graph in numbers: degrees, weights, loops, reachable vertices.

Everything is one or two passes of NumPy over the arrays; parallel arcs need a sort where rows are
not strictly rising. SciPy searches only graphs of very many arcs or hops.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

from gpu.graph import CSRGraph, fronts

PERCENTS = (1, 25, 50, 75, 99)
SMALL_ARCS = 50_000  # up to here plain Python is quick enough, however many hops
MANY_ARCS, MANY_HOPS = 2_000_000, 5_000  # up to here NumPy is quicker than SciPy's import, 0.2 s


def statistics(graph: CSRGraph) -> dict[str, Any]:
    """Return the numbers of `graph`, JSON-ready, O(m log m) at worst; degrees are out-degrees.

    degree, weight : min, mean, max, percentiles; None where there are no vertices, or no arcs
    loops : arcs from a vertex to itself
    parallel_arcs : arcs beyond the first between the same two ends, in that direction
    isolated : vertices with no arc in or out, a loop does not count
    """
    degrees = np.diff(graph.indptr)
    tails = np.repeat(np.arange(graph.n, dtype=np.int32), degrees)
    loops = tails == graph.indices
    touched = np.zeros(graph.n, bool)
    touched[tails[~loops]] = True
    touched[graph.indices[~loops]] = True
    return {
        "n": graph.n,
        "m": graph.m,
        "degree": _spread(degrees),
        "weight": _spread(graph.weights),
        "zero_weights": int(np.count_nonzero(graph.weights == 0)),
        "loops": int(np.count_nonzero(loops)),
        "parallel_arcs": _parallel_arcs(tails, graph.indices, graph.n),
        "isolated": int(graph.n - np.count_nonzero(touched)),
        "nbytes": graph.nbytes,
    }


def reachable(graph: CSRGraph, source: int) -> np.ndarray:
    """Return bool (n,): which vertices a path from `source` reaches, itself included.

    Raises SourceError where `source` is not a vertex.
    """
    if graph.m > SMALL_ARCS:
        return hops(graph, source) >= 0
    seen = np.zeros(graph.n, bool)
    seen[_walk(graph, source)] = True
    return seen


def _walk(graph: CSRGraph, source: int) -> list[int]:
    """Return the reached vertices of a small graph, for which NumPy is not quicker."""
    begins, heads = graph.indptr.tolist(), graph.indices.tolist()
    order = [graph.check_source(source)]
    seen = set(order)
    for vertex in order:
        fresh = set(heads[begins[vertex] : begins[vertex + 1]]) - seen
        seen |= fresh
        order += fresh
    return order


def hops(graph: CSRGraph, source: int) -> np.ndarray:
    """Return int64 (n,): the fewest arcs to each vertex, -1 where unreached. SourceError."""
    source, result = graph.check_source(source), np.full(graph.n, -1)
    if graph.m <= MANY_ARCS:
        for hop, front in enumerate(islice(fronts(graph, source), MANY_HOPS)):
            result[front] = hop
        if hop + 1 < MANY_HOPS:
            return result
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    from gpu.proof.verify import depths  # it brings Numba, which `statistics` does without

    ones = np.ones(graph.m, np.int8)  # not the weights: an explicit 0 would be no arc
    arcs = csr_array((ones, graph.indices, graph.indptr), shape=(graph.n, graph.n))
    order, before = breadth_first_order(arcs, source)
    result[order] = depths(before, source)[order]
    return result


def _spread(values: np.ndarray) -> dict[str, Any] | None:
    if not len(values):
        return None
    with np.errstate(over="ignore"):
        mean = float(values.mean(dtype=np.float64))
    if not np.isfinite(mean):  # the sum is past float64
        mean = float((values / len(values)).sum())
    percentiles = zip(PERCENTS, np.percentile(values, PERCENTS).tolist(), strict=True)
    ends = {"min": values.min().item(), "mean": mean, "max": values.max().item()}
    return ends | {f"p{percent}": value for percent, value in percentiles}


def _parallel_arcs(tails: np.ndarray, heads: np.ndarray, n: int) -> int:
    if len(heads) < 2:
        return 0
    rising = (heads[1:] > heads[:-1]) | (tails[1:] > tails[:-1])
    if rising.all():  # each row is strictly rising: no two heads alike
        return 0
    ends = tails.astype(np.int64) * n + heads
    ends.sort()
    return int(np.count_nonzero(ends[1:] == ends[:-1]))
