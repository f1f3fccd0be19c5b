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
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from gpu.errors import CancelledByUserError, WeightError
from gpu.graph import NUMBER_TYPES, CSRGraph
from gpu.interpreter import cores
from gpu.numbers import EXACT_FLOAT64, in_numbers, unreached
from gpu.record.trace import Verification

SPARE = 4  # roundings beside one an arc: of weights, of a comparison; as in `gpu.proof.walks`
HALF = 2.0**-53  # of a float64: what one of the proof's own sums is rounded by, at most
LONGER = 1 - 1e-12  # float32: a shorter way counts when it is this much shorter

PROVED_BY = {  # a number of proofs
    1: "no edge can shorten any distance, and each is a path's; Dijkstra, slow here, was not run",
    2: "every distance equals SciPy's Dijkstra, and no edge can shorten any distance",
}
ORACLE_SIZE = 6_000_000  # vertices and arcs for which the oracle takes a second
PIECE_ARCS = 1 << 17  # of positive weights, proved by NumPy at once
MOST_THREADS = 8
ARCS_ALL = 200_000_000  # of all rows together: a few seconds on one core
AT_ONCE = 64  # rows proved between two looks at Stop

HOLDS, RELAXABLE, ORPHAN, BELOW = 0, 1, 2, 3


def verify(
    graph: CSRGraph,
    source: int,
    dist: np.ndarray,
    *,
    stored: float = 0.0,
    oracle: bool | None = None,
    should_stop: Callable[[], bool] | None = None,
    progress: Callable[[float, str], object] | None = None,
) -> Verification:
    """Prove distances right or wrong, by both proofs where the oracle takes a second at most.

    dist : (n,) in any number type of `gpu.numbers`, as `Trace.dist`; a
        matrix (k, n) is proved by the certificate of its rows, see `verify_rows`
    stored : relative error of float distances that were stored as text: 10^-digits; else 0
    oracle : whether Dijkstra is run as well; None: on up to ORACLE_SIZE vertices and arcs
    should_stop : called before each proof; progress : called with 0..1 and words, of a matrix only
    Raises SourceError where `source` is no vertex, CancelledByUserError.
    """
    graph.check_source(source)
    if dist.ndim == 2:
        return verify_rows(graph, source, dist, progress=progress, should_stop=should_stop)
    faults: dict[str, str | None] = {}
    within: list[str] = []
    proofs = {"certificate": _certificate_fault, "oracle": _oracle_fault}
    if oracle is False or (oracle is None and graph.n + graph.m > ORACLE_SIZE):
        del proofs["oracle"]
    for name, proof in proofs.items():
        if should_stop is not None and should_stop():
            raise CancelledByUserError("verification stopped")
        faults[name], tolerance = proof(graph, source, dist, stored)
        within.insert(0, tolerance)  # the oracle's is named first
    words = "; ".join(f"{name}: {fault}" for name, fault in faults.items() if fault is not None)
    tolerances = " and ".join(dict.fromkeys(filter(None, within)))
    words = words or ", ".join(filter(None, (PROVED_BY[len(proofs)], tolerances)))
    held = {name: fault is None for name, fault in faults.items()}
    return Verification(held.get("oracle"), held["certificate"], words)


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
    """Return the graph in the number type of the distances, where its weights fit into that."""
    try:
        return in_numbers(graph, dist.dtype.name) if dist.dtype.name in NUMBER_TYPES else graph
    except WeightError:
        return graph


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
    kind, tail, arc, arcs = _proof(graph, source, dist, stored)
    within = "" if graph.integer else _within(dist.dtype, arcs, stored)
    return (None if kind == HOLDS else _fault_words(graph, dist, kind, tail, arc, arcs)), within


def _proof(
    graph: CSRGraph, source: int, dist: np.ndarray, stored: float
) -> tuple[int, int, int, int]:
    """Return HOLDS or what is wrong, its vertex, its arc, and the arcs of the longest path."""
    plain = "gpu.proof.walks" not in sys.modules or graph.m > PIECE_ARCS
    if plain and graph.integer and graph.weights.min(initial=1) > 0:
        return *_positive_proof(graph, source, dist), 0
    from gpu.compiled import at_once
    from gpu.proof import walks

    claim = walks.Claim(graph.indptr, graph.indices, graph.weights, dist, source)
    if graph.integer:
        return *at_once(walks.prove_integers, graph.m, claim, unreached(dist.dtype)), 0
    longer = LONGER if dist.dtype == np.float32 else 1.0
    more = (_each(dist.dtype), stored, longer)
    found: tuple[int, int, int, int] = at_once(walks.prove_floats, graph.m, claim, *more)
    return found


def _positive_proof(graph: CSRGraph, source: int, dist: np.ndarray) -> tuple[int, int, int]:
    """Prove whole distances without a walk: over positive weights a tight arc leads nearer.

    Rows are looked at in pieces, on threads. What they write together only ever becomes False.
    """
    orphan = dist != unreached(dist.dtype)
    orphan[source] = False

    def relaxable(first: int, end: int) -> int:  # the first such arc of rows first..end, or -1
        arcs = slice(graph.indptr[first], graph.indptr[end])
        heads, weights = graph.indices[arcs], graph.weights[arcs]
        tails = np.repeat(dist[first:end], np.diff(graph.indptr[first : end + 1]))
        gaps = dist[heads].astype(np.int64) - tails
        orphan[heads[weights == gaps]] = False
        found = np.flatnonzero(weights < gaps)
        return int(arcs.start + found[0]) if len(found) else -1

    ends = np.searchsorted(graph.indptr, np.arange(PIECE_ARCS, graph.m, PIECE_ARCS))
    bounds = np.unique([0, *ends, graph.n])
    with ThreadPoolExecutor(min(cores(), MOST_THREADS)) as threads:  # it starts them when asked
        each = threads.map if len(bounds) > 2 else map
        for arc in each(relaxable, bounds[:-1], bounds[1:]):
            if arc >= 0:
                return RELAXABLE, graph.tail_of(arc), arc
    orphans = np.flatnonzero(orphan)
    return (ORPHAN, int(orphans[0]), -1) if len(orphans) else (HOLDS, -1, -1)


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
    graph = _in_type_of(graph, dist)
    fault = _shape_fault(graph, dist)
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
