"""Is it right? Two proofs that share nothing with the engines, nor with each other.

The oracle  SciPy's Dijkstra in float64, on the lightest of parallel arcs, zero weights
            kept and loops dropped. It computes all distances again.

The         needs only the distances, in O(n + m): (1) the source has 0; (2) no arc
certificate leads from a reached vertex to a farther one than it allows, so none is too
            far; (3) every reached vertex hangs on the source by tight arcs
            (dist[u] + w = dist[v]), so none is too near. For (3) tight arcs are *walked
            from the source*: a vertex that merely has a tight arc may hang on a circle of
            zero weights that nothing holds up. Vertices not walked to must be
            unreached, and by (2) they are unreachable.

Integers    exact in both.

Floats      `RELATIVE` = 1e-5 of the true distance in both. A float32 sum is rounded at
            every hop, so a tolerance per arc would add up along a path and prove little.
            Instead the walk adds up the real length of a path to every vertex in
            float64, along arcs that are tight but for rounding. Shorter ways that rounding
            hid are then followed (as in Bellman-Ford, from an almost correct start)
            until no arc can be relaxed: now every length is that of a path and of the
            shortest one, and the distances are compared with it. A length that falls
            below a distance by more than the tolerance ends this at once.

Matrix      row i must be the distances from source first + i. A certificate costs O(n + m) a
            row, so all rows are proved only where that is cheap (`ARCS_ALL` arcs and
            vertices together); of a larger matrix a seeded sample is, always with the first
            and the last row, and the outcome says how many of how many. Rows are proved
            side by side: the compiled proofs let go of Python's lock.

A wrong distance is a result, in words with the file's own vertex names, never an exception.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from gpu.compiled import compiled
from gpu.errors import CancelledByUserError
from gpu.graph import INT_UNREACHED, CSRGraph
from gpu.record.trace import Verification

RELATIVE = 1e-5  # of a float distance: what engine and proof may differ by
ROUNDING = 2.5e-7  # of a float distance: an arc this close to tight is tight (4 roundings)
LONGER = 1 - 1e-12  # a shorter way counts when it is this much shorter (float64 rounding)

ARCS_ALL = 200_000_000  # of all rows together: a few seconds on one core
AT_ONCE = 64  # rows proved between two looks at Stop

HOLDS, RELAXABLE, ORPHAN, BELOW = 0, 1, 2, 3


def verify(
    graph: CSRGraph,
    source: int,
    dist: np.ndarray,
    *,
    oracle: bool = True,
    certificate: bool = True,
    should_stop: Callable[[], bool] | None = None,
    progress: Callable[[float, str], object] | None = None,
) -> Verification:
    """Prove distances right or wrong; a proof that is not wanted is None in the result.

    Parameters
    ----------
    dist : int32 (n,) or float32 (n,), as `Trace.dist`; a matrix (k, n) is proved by the
        certificate of its rows, see `verify_rows`
    should_stop : asked before each proof
    progress : told 0..1 and words, of a matrix only

    Raises
    ------
    SourceError : `source` is no vertex; CancelledByUserError : `should_stop` said so
    """
    graph.check_source(source)
    if dist.ndim == 2:
        return verify_rows(graph, source, dist, progress=progress, should_stop=should_stop)
    faults: list[str] = []
    passed: dict[str, bool | None] = {"oracle": None, "certificate": None}
    for name, wanted, proof in (
        ("certificate", certificate, _certificate_fault),
        ("oracle", oracle, _oracle_fault),
    ):
        if not wanted:
            continue
        if should_stop is not None and should_stop():
            raise CancelledByUserError("verification stopped")
        fault = proof(graph, source, dist)
        passed[name] = fault is None
        if fault is not None:
            faults.append(f"{name}: {fault}")
    return Verification(passed["oracle"], passed["certificate"], _summary(passed, faults))


def verify_rows(
    graph: CSRGraph,
    first_source: int,
    dist: np.ndarray,
    *,
    rows: int | None = None,
    seed: int = 1,
    progress: Callable[[float, str], object] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Verification:
    """Prove rows of a matrix right or wrong by their certificates.

    Parameters
    ----------
    dist : int32 or float32 (k, n), row i from source first_source + i; may be a memory map
    rows : how many are proved; None: all where that is cheap, else a sample
    seed : of the sample
    progress : told 0..1 and words, often
    should_stop : asked every `AT_ONCE` rows

    Raises
    ------
    SourceError : a row has no vertex as its source; CancelledByUserError : should_stop said so
    """
    graph.check_source(first_source)
    count = len(dist)
    if dist.ndim != 2 or not count:
        return Verification(None, False, f"distances have shape {dist.shape}, not (k, {graph.n})")
    graph.check_source(first_source + count - 1)
    chosen = chosen_rows(graph, count, rows, seed)

    def fault_of(row: int) -> str | None:
        return _certificate_fault(graph, first_source + row, np.asarray(dist[row]))

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
        return f"the certificate holds in every one of {count:,} rows"
    return f"the certificate holds in {proved:,} of {count:,} rows (a seeded sample)"


def certificate(graph: CSRGraph, source: int, dist: np.ndarray) -> str | None:
    """Return None if the certificate holds, else the first fault found, in words.

    dist : int32 (n,) or float32 (n,); (k, n) as in `verify_rows`. Raises SourceError.
    """
    graph.check_source(source)
    if dist.ndim == 2:
        proved = verify_rows(graph, source, dist)
        return None if proved.passed else proved.detail
    return _certificate_fault(graph, source, dist)


def oracle_distances(graph: CSRGraph, source: int) -> np.ndarray:
    """Return SciPy's distances, float64 (n,), inf where unreachable. Raises SourceError."""
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
    distances: np.ndarray = dijkstra(simple, directed=True, indices=source)
    return distances


def _summary(passed: dict[str, bool | None], faults: list[str]) -> str:
    if faults:
        return "; ".join(faults)
    names = {"oracle": "equals SciPy's Dijkstra", "certificate": "the certificate holds"}
    held = [names[name] for name, outcome in passed.items() if outcome]
    return " and ".join(held) if held else "not verified"


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


def _certificate_fault(graph: CSRGraph, source: int, dist: np.ndarray) -> str | None:
    fault = _shape_fault(graph, dist)
    if fault is not None:
        return fault
    if dist[source] != 0:
        name = graph.id_of(source)
        return f"source {name} has distance {_number(dist[source])}, must be 0"
    arrays = (graph.indptr, graph.indices, graph.weights, dist, source)
    if graph.integer:
        kind, tail, arc = _prove_integers(*arrays, INT_UNREACHED)
    else:
        kind, tail, arc = _prove_floats(*arrays, RELATIVE, ROUNDING, LONGER)
    return None if kind == HOLDS else _fault_words(graph, dist, kind, tail, arc)


def _fault_words(graph: CSRGraph, dist: np.ndarray, kind: int, tail: int, arc: int) -> str:
    if kind == ORPHAN:
        return (
            f"vertex {graph.id_of(tail)} has distance {_number(dist[tail])}, but no path of "
            "tight arcs leads to it from the source"
        )
    if kind == BELOW:
        return (
            f"vertex {graph.id_of(tail)} has distance {_number(dist[tail])}, nearer than any "
            f"path by more than {RELATIVE:g} of it"
        )
    head = int(graph.indices[arc])
    u, v, w = graph.id_of(tail), graph.id_of(head), graph.weights[arc]
    return (
        f"arc {u} -> {v} can still be relaxed: {u} has {_number(dist[tail])}, the arc "
        f"{_number(w)}, but {v} has {_number(dist[head])}"
    )


def _number(value: np.generic) -> str:
    if isinstance(value, np.integer):
        return "unreached" if value == INT_UNREACHED else str(value)
    return f"{value:.9g}" if np.isfinite(value) else "unreached"


def _oracle_fault(graph: CSRGraph, source: int, dist: np.ndarray) -> str | None:
    fault = _shape_fault(graph, dist)
    if fault is not None:
        return fault
    true = oracle_distances(graph, source)
    given = dist.astype(np.float64)
    if graph.integer:
        given[dist == INT_UNREACHED] = np.inf
        wrong = given != true
    else:
        wrong = ~np.isclose(given, true, rtol=RELATIVE, atol=0)
    bad = np.flatnonzero(wrong)
    if not len(bad):
        return None
    vertex = int(bad[0])
    expected = f"{true[vertex]:.12g}" if np.isfinite(true[vertex]) else "unreached"
    return (
        f"vertex {graph.id_of(vertex)} has distance {_number(dist[vertex])}, Dijkstra's is "
        f"{expected} ({len(bad)} of {graph.n} differ)"
    )


@compiled
def _prove_integers(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    dist: np.ndarray,
    source: int,
    unreached: int,
) -> tuple[int, int, int]:
    """Return (HOLDS | RELAXABLE | ORPHAN, vertex, arc); dist[source] = 0 is checked before."""
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
            reach = np.int64(dist[u]) + weights[arc]
            if reach < dist[v]:
                return RELAXABLE, u, arc
            if reach == dist[v] and dist[v] != unreached and not walked[v]:
                walked[v] = True
                queue[filled] = v
                filled += 1
    for u in range(n):
        if dist[u] != unreached and not walked[u]:
            return ORPHAN, u, -1
    return HOLDS, -1, -1


@compiled
def _prove_floats(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    dist: np.ndarray,
    source: int,
    relative: float,
    rounding: float,
    longer: float,
) -> tuple[int, int, int]:
    """Return (HOLDS | RELAXABLE | ORPHAN | BELOW, vertex, arc).

    `length` holds, in float64, the length of a real path from the source, or inf.
    """
    n = len(dist)
    length = np.full(n, np.inf)
    length[source] = 0.0
    queue = np.empty(n, np.int32)
    queue[0] = source
    filled = _walk(indptr, indices, weights, dist, length, queue, 1, rounding)
    filled = _walk(indptr, indices, weights, dist, length, queue, filled, relative)
    tail, arc = _settle(indptr, indices, weights, dist, length, queue, filled, 1 - relative, longer)
    if arc >= 0:
        return RELAXABLE, tail, arc
    for u in range(n):
        if dist[u] < np.inf:
            if length[u] == np.inf:
                return ORPHAN, u, -1
            if dist[u] < length[u] * (1 - relative):
                return BELOW, u, -1
    return HOLDS, -1, -1


@compiled
def _walk(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    dist: np.ndarray,
    length: np.ndarray,
    queue: np.ndarray,
    filled: int,
    slack: float,
) -> int:
    """Walk on from queue[:filled] along arcs tight within `slack` of the distance.

    Gives `length` to every vertex that it meets, and returns the new end of the queue.
    """
    taken = 0
    while taken < filled:
        u = queue[taken]
        taken += 1
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            if length[v] < np.inf or dist[v] == np.inf:
                continue
            off = np.float64(dist[u]) + weights[arc] - dist[v]
            if abs(off) <= slack * dist[v]:
                length[v] = length[u] + weights[arc]
                queue[filled] = v
                filled += 1
    return filled


@compiled
def _settle(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    dist: np.ndarray,
    length: np.ndarray,
    queue: np.ndarray,
    count: int,
    least: float,
    longer: float,
) -> tuple[int, int]:
    """Relax `length` until no arc can be relaxed; `queue` is a ring, each vertex once in it.

    Returns (-1, -1), or the arc by which a length falls below `least` times the distance.
    """
    n = len(dist)
    waiting = np.zeros(n, np.bool_)
    waiting[queue[:count]] = True
    taken = 0
    while count > 0:
        u = queue[taken]
        taken = taken + 1 if taken + 1 < n else 0
        count -= 1
        waiting[u] = False
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            reach = length[u] + weights[arc]
            if not reach < length[v] * longer:
                continue
            if reach < dist[v] * least:
                return u, arc
            length[v] = reach
            if not waiting[v]:
                waiting[v] = True
                end = taken + count
                queue[end if end < n else end - n] = v
                count += 1
    return -1, -1
