"""Is a matrix of distances right? The certificate of `gpu.proof.verify`, row by row.

Row i must be the distances from source first + i. A certificate costs O(n + m) a row, so all
rows are proved only where that is cheap (`ARCS_ALL` arcs and vertices together); of a larger
matrix a seeded sample is, always with the first and the last row, and the outcome says how
many of how many. Rows are proved side by side: the compiled proofs let go of Python's lock.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from gpu.errors import CancelledByUserError
from gpu.graph import CSRGraph
from gpu.proof.verify import certificate
from gpu.record.trace import Verification

ARCS_ALL = 200_000_000  # of all rows together: a few seconds on one core
AT_ONCE = 64  # rows proved between two looks at Stop


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
        return certificate(graph, first_source + row, np.asarray(dist[row]))

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
