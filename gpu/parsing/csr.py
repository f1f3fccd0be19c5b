"""Arcs in any order become rows: `arcs_to_csr`, a stable sort in O(n + m).

Large inputs run compiled (`gpu.parsing.arrange`), small ones in NumPy, because
loading Numba costs about a second; both give the same arrays.
"""

from __future__ import annotations

import importlib.util
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from gpu.errors import GraphError
from gpu.graph import MAX_COUNT, CSRGraph
from gpu.numbers import bits_of
from gpu.parsing.source import cores

COMPILED_ARCS = 20_000  # from so many arcs on, if Numba is loaded anyway
COMPILED_ARCS_COLD = 2_000_000  # if it is not
THREADED_ARCS = 500_000  # from so many on, threads share the work


@dataclass(frozen=True)
class ArcFacts:
    """What a user may want to know of a graph's arcs.

    parallel : arcs beyond the first between the same two ends, same direction
    """

    loops: int
    parallel: int
    zeros: int


@cache
def have_numba() -> bool:
    """Return whether Numba is installed; without it everything runs in NumPy, slower."""
    return importlib.util.find_spec("numba") is not None


def numba_loaded() -> bool:
    """Return whether this process has paid for importing Numba already."""
    return "numba" in sys.modules


def runs_compiled(size: int) -> bool:
    """Return whether so many arcs are worth the compiled loops."""
    least = COMPILED_ARCS if numba_loaded() else COMPILED_ARCS_COLD
    return size >= least and have_numba()


def arcs_to_csr(
    tails: np.ndarray,
    heads: np.ndarray,
    weights: np.ndarray,
    n: int,
    *,
    base: int = 0,
    both: bool = False,
    compiled: bool | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (indptr, indices, weights) of arcs given in any order.

    Parameters
    ----------
    tails, heads : integers (m,), numbered from `base`
    weights : (m,), of a number type
    n : number of vertices
    both : also add the reverse of each arc that is no loop, right after it
    compiled : None decides by size

    Returns
    -------
    indptr int64 (n+1,), indices int32, weights as given; the arcs of a vertex keep
    the order in which they came

    Raises
    ------
    GraphError : lengths differ, an end is no vertex, more than 2**31-1 arcs
    """
    if not len(tails) == len(heads) == len(weights):
        raise GraphError(
            f"{len(tails)} tails, {len(heads)} heads, {len(weights)} weights; "
            "the three arrays must have the same length"
        )
    if len(tails) * (2 if both else 1) > MAX_COUNT:
        raise GraphError(f"more than {MAX_COUNT} arcs; that is the most")
    kind = np.int32 if tails.dtype == heads.dtype == np.int32 else np.int64
    tails, heads = np.ascontiguousarray(tails, kind), np.ascontiguousarray(heads, kind)
    weights = np.ascontiguousarray(weights)
    if runs_compiled(len(tails)) if compiled is None else compiled:
        return _sorted_compiled(tails, heads, weights, n, base, both)
    return _sorted_numpy(tails, heads, weights, n, base, both)


def _sorted_compiled(
    tails: np.ndarray, heads: np.ndarray, weights: np.ndarray, n: int, base: int, both: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    from gpu.parsing import arrange

    shift = arrange.group_shift(n)
    groups = ((n - 1) >> shift) + 1 if n else 0
    bits = bits_of(weights)
    shares = cores() if len(tails) >= THREADED_ARCS else 1
    pieces = [slice(*(len(tails) * k // shares for k in (s, s + 1))) for s in range(shares)]
    upto = np.zeros((shares, groups + 1), np.int64)

    def count(share: int) -> int:
        here = pieces[share]
        return int(
            arrange.count_groups(tails[here], heads[here], base, both, n, shift, upto[share])
        )

    def deal(share: int) -> None:
        here = pieces[share]
        arrange.deal_arcs(
            tails[here], heads[here], bits[here], base, both, shift, slots[share], pairs, dealt
        )

    with ThreadPoolExecutor(max_workers=shares) as pool:
        counted = list(pool.map(count, range(shares)))
        if arrange.OUT_OF_RANGE in counted:
            raise _out_of_range(tails, heads, n, base)
        total, starts = sum(counted), upto.sum(axis=0)
        before = np.diff(upto, axis=1).cumsum(axis=0)  # a share deals behind those before it
        slots = np.vstack((starts[:-1], starts[:-1] + before[:-1]))
        pairs, dealt = np.empty(total, np.int64), np.empty(total, bits.dtype)
        list(pool.map(deal, range(shares)))
    return _sorted_groups(pairs, dealt, starts, shift, n, weights.dtype)


def _sorted_groups(
    pairs: np.ndarray, dealt: np.ndarray, starts: np.ndarray, shift: int, n: int, dtype: np.dtype
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    from gpu.parsing import arrange

    groups, total = len(starts) - 1, len(pairs)
    indptr = np.empty(n + 1, np.int64)
    indptr[n] = total
    indices, placed = np.empty(total, np.int32), np.empty(total, dealt.dtype)

    def sort_share(share: int) -> None:
        first, last = groups * share // shares, groups * (share + 1) // shares
        arrange.sort_groups(pairs, dealt, starts, shift, first, last, indptr, indices, placed)

    shares = cores() if total >= THREADED_ARCS else 1
    with ThreadPoolExecutor(max_workers=shares) as pool:
        list(pool.map(sort_share, range(shares)))
    return indptr, indices, placed.view(dtype)


def _sorted_numpy(
    tails: np.ndarray, heads: np.ndarray, weights: np.ndarray, n: int, base: int, both: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    for ends in (tails, heads):
        if len(ends) and (ends.min() < base or ends.max() - base >= n):
            raise _out_of_range(tails, heads, n, base)
    tails, heads = tails - base, heads - base
    if both:
        twice = np.column_stack([tails, heads]), np.column_stack([heads, tails])
        kept = np.ones((len(tails), 2), bool)
        kept[:, 1] = tails != heads
        tails, heads = twice[0][kept], twice[1][kept]
        weights = np.column_stack([weights, weights])[kept]
    order = np.argsort(tails, kind="stable")
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(tails, minlength=n), out=indptr[1:])
    return indptr, heads[order].astype(np.int32), weights[order]


def _out_of_range(tails: np.ndarray, heads: np.ndarray, n: int, base: int) -> GraphError:
    low = min(int(tails.min()), int(heads.min()))
    bad = low if low < base else max(int(tails.max()), int(heads.max()))
    return GraphError(f"vertex {bad} is out of range; {n} vertices are {base} to {base + n - 1}")


def checked_with_facts(
    graph: CSRGraph, *, compiled: bool | None = None
) -> tuple[CSRGraph, ArcFacts]:
    """Return `graph.checked()` and what is worth telling of its arcs, O(n + m).

    Large graphs are looked through once, by all cores; only where that finds a fault does
    `checked` look again for the words. `compiled` None decides by size.

    Raises GraphError, WeightError.
    """
    if runs_compiled(graph.m) if compiled is None else compiled:
        facts, sound = _facts_compiled(graph)
        return (graph if sound else graph.checked()), facts
    graph = graph.checked()
    tails = tails_of(graph.indptr)
    distinct = len(np.unique(tails * graph.n + graph.indices))
    zeros = graph.m - int(np.count_nonzero(graph.weights))
    loops = int(np.count_nonzero(tails == graph.indices))
    return graph, ArcFacts(loops, graph.m - distinct, zeros)


def _facts_compiled(graph: CSRGraph) -> tuple[ArcFacts, bool]:
    """Return the facts, and whether nothing needs `CSRGraph.checked`."""
    from gpu.parsing import arrange

    n, m = graph.n, graph.m
    indptr, indices = np.ascontiguousarray(graph.indptr), np.ascontiguousarray(graph.indices)
    weights = np.ascontiguousarray(graph.weights)
    bits = bits_of(weights)
    magnitude: Any = arrange.MAGNITUDE[bits.dtype.itemsize]
    shares = cores() if m >= THREADED_ARCS else 1
    facts = np.zeros((shares, arrange.FACTS), np.int64)

    def look(share: int) -> None:
        first, last, table = n * share // shares, n * (share + 1) // shares, np.empty(0, np.int32)
        arrange.check_rows(indptr, indices, bits, magnitude, first, last, facts[share])
        while first < last and not facts[share, arrange.BROKEN]:
            first = arrange.count_facts(indptr, indices, first, last, table, facts[share])
            if first < last:
                table = np.full(n, -1, np.int32)

    with ThreadPoolExecutor(max_workers=shares) as pool:
        list(pool.map(look, range(shares)))
    found = (arrange.LOOPS, arrange.PARALLEL, arrange.ZEROS)
    counts = ArcFacts(*(int(facts[:, fact].sum()) for fact in found))
    largest = int(magnitude)
    if not graph.integer:
        largest = np.array(np.finfo(weights.dtype).max).view(bits.dtype).item()
    whole = facts[:, arrange.LOW].min() >= 0 and facts[:, arrange.HIGH].max() <= largest
    return counts, bool(whole and not facts[:, arrange.BROKEN].any())


def tails_of(indptr: np.ndarray) -> np.ndarray:
    """Return the tail of each arc, int64 (m,)."""
    return np.repeat(np.arange(len(indptr) - 1, dtype=np.int64), np.diff(indptr))
