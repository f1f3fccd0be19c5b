"""From the edges of a file to a CSRGraph: vertices numbered, weights chosen, edges sorted.

Numbering. Identifiers that fill first..last without a gap, where first is 0 or 1, stay. Others are
ranked: vertex 0 has the smallest, and `ids` keeps them. Nothing is allocated by the largest
identifier.

Weights. Whole numbers up to 2**31-1 are int32, up to 2**63-1 int64, both exact. A decimal point, an
exponent or a larger number makes all of them float64. `random` draws 1..100 from a hash of the two
ends, so both directions of an edge weigh the same, and so do equal graphs in two formats.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gpu.formats.reading import RANDOM_SEED, Arcs, Reading, bare_name
from gpu.formats.rows import INT64_MAX
from gpu.graph import MAX_COUNT, CSRGraph
from gpu.numbers import EXACT_FLOAT64

DENSE_SPAN = 16  # identifiers are ranked by a table up to so many times the rows, else sorted
RANDOM_WEIGHTS = 100  # the largest
BUILD_FRACTION = 0.9  # of the progress bar, when sorting begins
AT_ONCE = 1 << 18  # vertices that a thread takes at a time


def graph_of(reading: Reading, key: str, arcs: Arcs) -> CSRGraph:
    """Return the graph of what an adapter read; `key` names the format.

    Raises GraphError, WeightError.
    """
    reading.report(BUILD_FRACTION, "sorting edges")
    both = arcs.both if reading.undirected is None else reading.undirected and not arcs.paired
    reading.need_memory(len(arcs.heads) * (80 if both else 40) + 12 * arcs.n)
    tails, heads, rows = arcs.tails, arcs.heads, arcs.rows
    if rows is not None and (both or reading.weights == "random"):
        tails, rows = tails_of(rows), None
    if arcs.base:
        tails -= arcs.base  # in place: they are the reader's own
        heads -= arcs.base
    weights = choose_weights(reading, tails, heads, arcs.weights)
    if both:
        tails, heads, weights = _both_ways(tails, heads, weights)
        reading.note(f"undirected: each of {len(arcs.heads)} edges goes both ways")
    kept: dict[str, Any] = {
        "provenance": replace(reading.provenance(key), notes=(*reading.notes, *arcs.notes)),
        "positions": arcs.places,
        "ids": arcs.ids,
        "id_base": arcs.id_base,
        "name": arcs.name or bare_name(reading.path),
    }
    if rows is None and tails.dtype == np.int32 and (tails[1:] >= tails[:-1]).all():
        rows = _rows_of(reading, tails, arcs.n)
    if rows is None:
        return CSRGraph.from_arcs(tails, heads, weights, arcs.n, **kept)
    heads = np.require(heads, np.int32, ["C", "A", "W"])
    weights = np.require(weights, None, ["C", "A", "W"])
    return CSRGraph(rows, heads, weights, **kept).checked()


def _rows_of(reading: Reading, tails: np.ndarray, n: int) -> np.ndarray:
    """Return the bounds of the rows, int64 (n+1,), of edges sorted by tails; on all cores."""

    def bounds(at: int) -> np.ndarray:
        return np.searchsorted(tails, np.arange(at, min(at + AT_ONCE, n + 1), dtype=tails.dtype))

    return np.concatenate(reading.in_pieces(bounds, range(0, n + 1, AT_ONCE), "joining"))


def tails_of(indptr: np.ndarray) -> np.ndarray:
    """Return the tail of each edge, int64 (m,)."""
    return np.repeat(np.arange(len(indptr) - 1, dtype=np.int64), np.diff(indptr))


def _both_ways(
    tails: np.ndarray, heads: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    kept = np.ones((len(tails), 2), bool)
    kept[:, 1] = tails != heads
    return (
        np.column_stack([tails, heads])[kept],
        np.column_stack([heads, tails])[kept],
        np.column_stack([weights, weights])[kept],
    )


def both_or_one_way(reading: Reading, arcs: Arcs, both: np.ndarray) -> Arcs:
    """Return the edges of a file that holds both kinds; `both`, bool (m,): undirected.

    If all are of one kind, `Arcs.both` says so. Otherwise the reverse of each undirected edge is
    added at the end, unless the user chose a direction.
    """
    if len(both):
        arcs.both = bool(both.all())
    if reading.undirected is not None or arcs.both or not both.any():
        return arcs
    reading.note(f"{int(both.sum())} undirected and {int((~both).sum())} directed edges")
    back = both & (arcs.tails != arcs.heads)
    tails, heads, weights = arcs.tails, arcs.heads, arcs.weights
    arcs.tails, arcs.heads = np.append(tails, heads[back]), np.append(heads, tails[back])
    arcs.weights = None if weights is None else np.append(weights, weights[back])
    return arcs


# ---------------------------------------------------------------- vertices


def number_vertices(
    reading: Reading, ends: np.ndarray, count: int | None = None
) -> tuple[np.ndarray, int, int, np.ndarray | None]:
    """Return the ends of edges, n, the number of the first vertex, and ids if they were ranked.

    ends : int64 (2, m), identifiers; returned unchanged or ranked
    count : of vertices, if the file gives it
    """
    if not ends.size:
        return ends, count or 0, 0, None
    low, high = int(ends.min()), int(ends.max())
    if count is not None:
        for base in (0, 1):
            if base <= low and high < count + base:
                return ends, count, base, None
        reading.note(f"the count in the first line, {count}, does not fit the ids: ignored")
    if high - low > DENSE_SPAN * ends.shape[1] + 1024 or high - low > INT64_MAX // 2:
        ids, ranks = np.unique(ends, return_inverse=True)
        ranks = ranks.reshape(ends.shape)
    else:
        places = ends - low if low else ends
        used = np.zeros(high - low + 1, bool)
        used[places] = True
        ids = np.flatnonzero(used) + low
        if low in {0, 1} and len(ids) == len(used):
            return ends, len(ids), low, None
        ranks = (np.cumsum(used) - 1)[places]
    reading.note(f"ids from {low} to {high}, {len(ids)} of them used: ranked 0 to {len(ids) - 1}")
    return ranks, len(ids), 0, ids


# ---------------------------------------------------------------- weights


def choose_weights(
    reading: Reading, tails: np.ndarray, heads: np.ndarray, values: np.ndarray | None
) -> np.ndarray:
    """Return weights (m,) as the user chose; `values` are the file's, None if it has none."""
    if reading.weights == "random":
        return random_weights(tails, heads)
    if reading.weights == "unit":
        return np.ones(len(heads), np.int32)
    if values is None:
        reading.note("the file has no weights: each edge weighs 1")
        return np.ones(len(heads), np.int32)
    if reading.weights == "absolute":
        negative = int(np.count_nonzero(values < 0))
        values = np.abs(values)
        if negative:
            reading.note(f"{negative} negative weights read as their absolute values")
    return as_weights(reading, values)


def as_weights(reading: Reading, values: np.ndarray) -> np.ndarray:
    """Return numbers in the smallest type that is exact; note it if that is not int32."""
    largest = int(values.max()) if len(values) else 0
    if values.dtype.kind == "i" and largest <= MAX_COUNT:
        return values.astype(np.int32, copy=False)
    if values.dtype.kind == "i":
        reading.note(f"weights up to {largest:,} exceed {MAX_COUNT:,}: int64")
        return values.astype(np.int64)
    if largest > INT64_MAX:
        reading.note(f"weights up to {largest:.3g} exceed 2^63 - 1: float64, 16 digits each")
    else:
        reading.note("weights with a decimal point: float64")
    return values.astype(np.float64)


def whole_if_exact(values: np.ndarray) -> np.ndarray:
    """Return int64 if all numbers are whole and no float64 was rounded, otherwise unchanged."""
    whole = bool((values == np.floor(values)).all())
    exact = whole and np.abs(values).max(initial=0) <= EXACT_FLOAT64
    return values.astype(np.int64) if exact else values


def random_weights(tails: np.ndarray, heads: np.ndarray, seed: int = RANDOM_SEED) -> np.ndarray:
    """Return int32 (m,) in 1..100 from a hash (splitmix64) of each unordered pair of ends."""
    low = np.minimum(tails, heads).astype(np.uint64)
    high = np.maximum(tails, heads).astype(np.uint64)
    x = (low << np.uint64(32)) ^ high ^ np.uint64(seed * 0x9E3779B97F4A7C15 % 2**64)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return (1 + (x >> np.uint64(33)) % np.uint64(RANDOM_WEIGHTS)).astype(np.int32)
