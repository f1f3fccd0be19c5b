"""Are the distances right? Two proofs that share no code with the engines or with each other.

The oracle  SciPy's Dijkstra in float64, on the lightest of parallel arcs, zero weights kept and
            loops dropped. It computes all distances again.

The         needs only the distances, in O(n + m): (1) the source has 0; (2) no arc leads from a
certificate reached vertex to one that is farther than it allows, so none is too far; (3) every
            reached vertex is reached over tight arcs (dist[u] + w = dist[v]), so none is too near.
            For (3) tight arcs are *walked from the source*: a vertex that merely has a tight arc
            may hang on a circle of zero weights that is not connected to the source. Vertices not
            walked to must be unreached, and by (2) they are unreachable.

Integers    Exact in both. The oracle's float64 holds whole numbers up to 2^53; where distances pass
            that, it is compared within its own rounding, and the certificate stays exact.

Floats      Compared with the real length of the paths. A sum of k arcs is rounded at every hop, so
            it may be off by k / 2 units in the last place of its type. That is the tolerance
            (`rounding_of`), and the outcome states it. The walk adds up a path to every vertex in
            float64, first along arcs that are tight in the type's own arithmetic, then along those
            that are tight within rounding. Shorter ways that rounding hid are then followed (as in
            Bellman-Ford) until no arc can be relaxed. Now every length is that of a shortest path,
            and the distances are compared with it.

Matrix      Row i must be the distances from source first + i. All rows are proved only where that
            is cheap (`ARCS_ALL` arcs and vertices together), else a seeded sample with the first
            and the last row; the outcome says how many.

A wrong distance is a result, in words with the file's own vertex names, never an exception.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from gpu.compiled import at_once, compiled
from gpu.errors import CancelledByUserError
from gpu.graph import NUMBER_TYPES, CSRGraph
from gpu.numbers import EXACT_FLOAT64, in_numbers, unreached
from gpu.record.trace import Verification

SPARE = 4  # roundings beside one an arc: of weights, of a comparison
HALF = 2.0**-53  # of a float64: what one of the proof's own sums is rounded by, at most
LONGER = 1 - 1e-12  # float32: a shorter way counts when it is this much shorter

PROVED = "every distance equals SciPy's Dijkstra, and no edge can shorten any distance"
ARCS_ALL = 200_000_000  # of all rows together: a few seconds on one core
AT_ONCE = 64  # rows proved between two looks at Stop

HOLDS, RELAXABLE, ORPHAN, BELOW = 0, 1, 2, 3


def verify(
    graph: CSRGraph,
    source: int,
    dist: np.ndarray,
    *,
    stored: float = 0.0,
    should_stop: Callable[[], bool] | None = None,
    progress: Callable[[float, str], object] | None = None,
) -> Verification:
    """Prove distances right or wrong, by both proofs.

    dist : (n,) in a number type of the weights' kind (see `gpu.numbers`), as `Trace.dist`; a
        matrix (k, n) is proved by the certificate of its rows, see `verify_rows`
    stored : relative error of float distances that were stored as text: 10^-digits; else 0
    should_stop : called before each proof; progress : called with 0..1 and words, of a matrix only
    Raises SourceError where `source` is no vertex, CancelledByUserError.
    """
    graph.check_source(source)
    if dist.ndim == 2:
        return verify_rows(graph, source, dist, progress=progress, should_stop=should_stop)
    faults: dict[str, str | None] = {}
    within: list[str] = []
    for name, proof in (("certificate", _certificate_fault), ("oracle", _oracle_fault)):
        if should_stop is not None and should_stop():
            raise CancelledByUserError("verification stopped")
        faults[name], tolerance = proof(graph, source, dist, stored)
        within.insert(0, tolerance)  # the oracle's is named first
    words = "; ".join(f"{name}: {fault}" for name, fault in faults.items() if fault is not None)
    tolerances = " and ".join(dict.fromkeys(filter(None, within)))
    words = words or ", ".join(filter(None, (PROVED, tolerances)))
    return Verification(faults["oracle"] is None, faults["certificate"] is None, words)


def verify_rows(
    graph: CSRGraph,
    first_source: int,
    dist: np.ndarray,
    *,
    rows: int | None = None,
    progress: Callable[[float, str], object] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Verification:
    """Prove rows of a matrix right or wrong by their certificates.

    dist : (k, n), row i from source first_source + i; may be a memory map
    rows : how many are proved; None: all where that is cheap, else a sample
    Raises SourceError where a row has no vertex as its source, CancelledByUserError.
    """
    graph.check_source(first_source)
    count = len(dist)
    if dist.ndim != 2 or not count:
        return Verification(None, False, f"distances have shape {dist.shape}, not (k, {graph.n})")
    graph.check_source(first_source + count - 1)
    chosen = chosen_rows(graph, count, rows, 1)
    graph = _in_type_of(graph, dist)

    def fault_of(row: int) -> str | None:
        return _certificate_fault(graph, first_source + row, np.asarray(dist[row]))[0]

    done = 0
    with ThreadPoolExecutor(min(os.cpu_count() or 1, 16)) as pool:
        for begin in range(0, len(chosen), AT_ONCE):
            if should_stop is not None and should_stop():
                raise CancelledByUserError("verification stopped")
            batch = chosen[begin : begin + AT_ONCE].tolist()
            for row, fault in zip(batch, pool.map(fault_of, batch), strict=True):
                if fault is not None:
                    name = graph.id_of(first_source + row)
                    return Verification(None, False, f"certificate: from source {name}: {fault}")
            done += len(batch)
            if progress is not None:
                progress(done / len(chosen), f"verifying row {done:,} of {len(chosen):,}")
    return Verification(None, True, rows_words(len(chosen), count))


def chosen_rows(graph: CSRGraph, count: int, rows: int | None, seed: int) -> np.ndarray:
    """Return which rows are proved, int64, rising: all, or a sample with first and last."""
    if rows is None:
        rows = max(1, ARCS_ALL // max(graph.n + graph.m, 1))
    if rows >= count:
        return np.arange(count)
    inner = np.random.default_rng(seed).choice(count, min(rows, count), replace=False)
    ends = np.array([0, count - 1]) if rows > 1 else np.zeros(0, np.int64)
    kept: np.ndarray = np.unique(np.concatenate([inner[len(ends) :], ends]).astype(np.int64))
    return kept


def rows_words(proved: int, count: int) -> str:
    """Return what was proved, as one clause."""
    if proved == count:
        return f"all {count:,} rows proved right"
    return f"{proved:,} of {count:,} rows proved right (a seeded sample)"


def certificate(graph: CSRGraph, source: int, dist: np.ndarray) -> str | None:
    """Return None if the certificate holds, else the first fault found, in words.

    dist : (n,); (k, n) as in `verify_rows`. Raises SourceError.
    """
    graph.check_source(source)
    if dist.ndim == 2:
        proved = verify_rows(graph, source, dist)
        return None if proved.passed else proved.detail
    return _certificate_fault(graph, source, dist)[0]


def oracle_distances(graph: CSRGraph, source: int) -> np.ndarray:
    """Return SciPy's distances, float64 (n,), inf where unreachable. Raises SourceError."""
    return _dijkstra(graph, source)[0]


def _dijkstra(graph: CSRGraph, source: int) -> tuple[np.ndarray, np.ndarray]:
    """Return SciPy's distances and int32 (n,) the vertex before each, negative for none."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    graph.check_source(source)
    weights = graph.weights.astype(np.float64)
    parts = (weights, graph.indices.copy(), graph.indptr.copy())
    matrix = csr_array(parts, shape=(graph.n, graph.n))
    matrix.sort_indices()
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    heads = matrix.indices
    fresh = np.ones(graph.m, bool)
    fresh[1:] = (heads[1:] != heads[:-1]) | (tails[1:] != tails[:-1])
    first = np.flatnonzero(fresh)
    lightest = np.minimum.reduceat(matrix.data, first) if graph.m else matrix.data
    tails, heads = tails[first], heads[first]
    kept = tails != heads
    indptr = np.concatenate(([0], np.cumsum(np.bincount(tails[kept], minlength=graph.n))))
    simple = csr_array((lightest[kept], heads[kept], indptr), shape=(graph.n, graph.n))
    result: tuple[np.ndarray, np.ndarray] = dijkstra(
        simple, directed=True, indices=source, return_predecessors=True
    )
    return result


def rounding_of(kind: np.dtype, arcs: int) -> float:
    """Return what a distance over so many arcs may be off by, relative; 0 for integers."""
    if kind.kind == "i":
        return 0.0
    return (arcs + SPARE) * _each(kind)


def _each(kind: np.dtype) -> float:
    """Return what one sum may be rounded by, relative, in the engine and in the proof."""
    return float(np.finfo(kind).eps) / 2 + HALF


def _within(kind: np.dtype, arcs: int, stored: float) -> str:
    """Return the tolerance in words, "" where there is none."""
    tolerance = rounding_of(kind, arcs) + stored
    if not tolerance:
        return ""
    edges = f"{arcs:,} edges" if arcs != 1 else "1 edge"
    also = " and of the file's digits" if stored else ""
    return f"within {tolerance:.1e}, the rounding of {kind} over {edges}{also}"


def _in_type_of(graph: CSRGraph, dist: np.ndarray) -> CSRGraph:
    """Return the graph in the number type of the distances, where that is of its kind."""
    if dist.dtype.name not in NUMBER_TYPES or dist.dtype.kind != graph.weights.dtype.kind:
        return graph
    return in_numbers(graph, dist.dtype.name)


def _shape_fault(graph: CSRGraph, dist: np.ndarray) -> str | None:
    """Return what keeps `dist` from being distances of this graph at all."""
    if dist.shape != (graph.n,):
        return f"distances have shape {dist.shape}, the graph has {graph.n} vertices"
    if dist.dtype != graph.weights.dtype:
        return f"distances are {dist.dtype}, the weights {graph.weights.dtype}"
    below = np.flatnonzero(~(dist >= 0))  # also true of NaN
    if len(below):
        return f"vertex {graph.id_of(int(below[0]))} has distance {dist[below[0]]:g}"
    return None


def _certificate_fault(
    graph: CSRGraph, source: int, dist: np.ndarray, stored: float = 0.0
) -> tuple[str | None, str]:
    """Return the first fault or None, and the tolerance in words."""
    graph = _in_type_of(graph, dist)
    fault = _shape_fault(graph, dist)
    if fault is not None:
        return fault, ""
    if dist[source] != 0:
        name = graph.id_of(source)
        return f"source {name} has distance {_number(dist[source])}, must be 0", ""
    claim = Claim(graph.indptr, graph.indices, graph.weights, dist, source)
    if graph.integer:
        kind, tail, arc = at_once(_prove_integers, graph.m, claim, unreached(dist.dtype))
        return (None if kind == HOLDS else _fault_words(graph, dist, kind, tail, arc)), ""
    longer = LONGER if dist.dtype == np.float32 else 1.0
    more = (_each(dist.dtype), stored, longer)
    kind, tail, arc, arcs = at_once(_prove_floats, graph.m, claim, *more)
    within = _within(dist.dtype, arcs, stored)
    return (None if kind == HOLDS else _fault_words(graph, dist, kind, tail, arc, arcs)), within


def _fault_words(
    graph: CSRGraph, dist: np.ndarray, kind: int, tail: int, arc: int, arcs: int = 0
) -> str:
    if kind == ORPHAN:
        return (
            f"vertex {graph.id_of(tail)} has distance {_number(dist[tail])}, but no path from the "
            "source has that length"
        )
    if kind == BELOW:
        return (
            f"vertex {graph.id_of(tail)} has distance {_number(dist[tail])}, nearer than any "
            f"path by more than {rounding_of(dist.dtype, arcs):.1e} of it"
        )
    head = int(graph.indices[arc])
    u, v, w = graph.id_of(tail), graph.id_of(head), graph.weights[arc]
    return (
        f"edge {u} -> {v} shortens a distance: {u} has {_number(dist[tail])}, the edge "
        f"{_number(w)}, but {v} has {_number(dist[head])}"
    )


def _number(value: np.generic) -> str:
    if isinstance(value, np.integer):
        return "unreached" if value == unreached(value.dtype) else str(value)
    digits = 9 if value.dtype == np.float32 else 17
    return f"{value:.{digits}g}" if np.isfinite(value) else "unreached"


def _oracle_fault(
    graph: CSRGraph, source: int, dist: np.ndarray, stored: float = 0.0
) -> tuple[str | None, str]:
    """Return the first difference or None, and the tolerance in words."""
    fault = _shape_fault(_in_type_of(graph, dist), dist)
    if fault is not None:
        return fault, ""
    true, before = _dijkstra(graph, source)
    values = dist.astype(np.float64)
    values[dist == unreached(dist.dtype)] = np.inf
    reached = np.isfinite(true)
    within = ""
    if graph.integer and true[reached].max() < EXACT_FLOAT64:
        wrong = values != true
    else:
        kind = np.dtype(np.float64) if graph.integer else dist.dtype
        arcs = depths(before, source)
        within = _within(kind, int(arcs.max()), stored)
        allowed = (arcs[reached] + SPARE) * _each(kind) + stored
        allowed = allowed * true[reached] + arcs[reached] * np.finfo(kind).smallest_subnormal
        wrong = np.isfinite(values) != reached
        wrong[reached] |= np.abs(values[reached] - true[reached]) > allowed
    bad = np.flatnonzero(wrong)
    if not len(bad):
        return None, within
    vertex = int(bad[0])
    expected = f"{true[vertex]:.12g}" if np.isfinite(true[vertex]) else "unreached"
    return (
        f"vertex {graph.id_of(vertex)} has distance {_number(dist[vertex])}, Dijkstra's is "
        f"{expected} ({len(bad)} of {graph.n} differ)"
    ), within


def depths(before: np.ndarray, source: int) -> np.ndarray:
    """Return int64 (n,): how many arcs the shortest path to each vertex has.

    before : int32 (n,), the vertex before each on its path, negative where there is none
    """
    back = np.where(before < 0, source, before)
    depth = (before >= 0).astype(np.int64)
    while True:
        further = depth + depth[back]
        if np.array_equal(further, depth):
            return depth
        depth, back = further, back[back]


class Claim(NamedTuple):
    """Distances from a source, on a graph."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    dist: np.ndarray
    source: int


class Paths(NamedTuple):
    """Real paths from the source: to each vertex one, of `length` (float64) and `hops` (int32)."""

    length: np.ndarray
    hops: np.ndarray
    queue: np.ndarray  # int32 (n,): vertices whose arcs are still to be looked at


@compiled
def _prove_integers(claim: Claim, unreached: int) -> tuple[int, int, int]:
    """Return (HOLDS | RELAXABLE | ORPHAN, vertex, arc); dist[source] = 0 is checked before."""
    indptr, indices, weights, dist, source = claim
    n = len(dist)
    walked = np.zeros(n, np.bool_)
    queue = np.empty(n, np.int32)
    queue[0], filled = source, 1
    walked[source] = True
    taken = 0
    while taken < filled:
        u = queue[taken]
        taken += 1
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            if dist[v] > dist[u] and weights[arc] < dist[v] - dist[u]:
                return RELAXABLE, u, arc
            if dist[v] == unreached or walked[v]:
                continue
            if dist[v] >= dist[u] and weights[arc] == dist[v] - dist[u]:
                walked[v] = True
                queue[filled] = v
                filled += 1
    for u in range(n):
        if dist[u] != unreached and not walked[u]:
            return ORPHAN, u, -1
    return HOLDS, -1, -1


@compiled
def _prove_floats(
    claim: Claim, each: float, stored: float, longer: float
) -> tuple[int, int, int, int]:
    """Return (HOLDS | RELAXABLE | ORPHAN | BELOW, vertex, arc, arcs of the longest path).

    each : tolerance of one arc, relative; stored : of a distance beside
    """
    dist, source = claim.dist, claim.source
    n = len(dist)
    paths = Paths(np.full(n, np.inf), np.zeros(n, np.int32), np.empty(n, np.int32))
    length, hops = paths.length, paths.hops
    length[source] = 0.0
    paths.queue[0] = source
    filled = _walk(claim, paths, 1, 0.0)
    filled = _walk(claim, paths, filled, SPARE * each + 2.0 * stored)
    made = hops.copy()  # along the paths that the distances came by
    tail, arc = _settle(claim, paths, filled, each, stored, longer)
    deepest = max(int(made.max()), int(hops.max()))
    if arc >= 0:
        return RELAXABLE, tail, arc, deepest
    for u in range(n):
        if dist[u] < np.inf:
            if length[u] == np.inf:
                return ORPHAN, u, -1, deepest
            if dist[u] < length[u] * (1.0 - (max(made[u], hops[u]) + SPARE) * each - stored):
                return BELOW, u, -1, deepest
    return HOLDS, -1, -1, deepest


@compiled
def _walk(claim: Claim, paths: Paths, filled: int, slack: float) -> int:
    """Walk on from queue[:filled] along arcs tight within `slack` of the distance.

    Gives `length` and `hops` to every vertex that it meets; returns the new end of the queue.
    """
    indptr, indices, weights, dist, _ = claim
    length, hops, queue = paths
    taken = 0
    while taken < filled:
        u = queue[taken]
        taken += 1
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            if length[v] < np.inf or dist[v] == np.inf:
                continue
            reach = dist[u] + weights[arc]  # in their own type
            if reach == dist[v] or abs(np.float64(reach) - dist[v]) <= slack * dist[v]:
                length[v] = length[u] + weights[arc]
                hops[v] = hops[u] + 1
                queue[filled] = v
                filled += 1
    return filled


@compiled
def _settle(
    claim: Claim, paths: Paths, count: int, each: float, stored: float, longer: float
) -> tuple[int, int]:
    """Relax `length` until no arc can be relaxed; `queue` is a ring, each vertex once in it.

    Returns (-1, -1), or the arc by which a length falls below the distance by more than the
    tolerance of its arcs.
    """
    indptr, indices, weights, dist, _ = claim
    length, hops, queue = paths
    n = len(dist)
    waiting = np.zeros(n, np.bool_)
    waiting[queue[:count]] = True
    taken = 0
    while count > 0:
        u = queue[taken]
        taken = taken + 1 if taken + 1 < n else 0
        count -= 1
        waiting[u] = False
        spare = SPARE + 1 + hops[u]
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            reach = length[u] + weights[arc]
            if not reach < length[v] * longer:
                continue
            if reach < dist[v] * (1.0 - spare * each - stored):
                return u, arc
            length[v] = reach
            hops[v] = hops[u] + 1
            if not waiting[v]:
                waiting[v] = True
                end = taken + count
                queue[end if end < n else end - n] = v
                count += 1
    return -1, -1
