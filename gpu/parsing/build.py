"""From what a reader found to a CSRGraph: weights chosen, arcs sorted, notes taken.

Weights. Integers up to 2**31-1 are int32, up to 2**63-1 int64, both exact; a decimal point, an
exponent or a larger integer makes all of them float64. `random` draws 1..100 from a hash of the two
ends, so both directions of an edge weigh the same, and so do the same graphs in
two formats.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gpu.graph import MAX_COUNT, CSRGraph
from gpu.numbers import EXACT_FLOAT64
from gpu.parsing.csr import arcs_to_csr, checked_with_facts, tails_of
from gpu.parsing.reading import RANDOM_SEED, Reading
from gpu.parsing.row_rules import NOT_NEGATIVE, SIGNED, SKIPPED

RANDOM_WEIGHTS = 100  # the largest
BUILD_FRACTION = 0.92  # of the progress bar, when sorting begins


def value_rule(reading: Reading) -> int:
    """Return what `RowRules.values` must be for the weights that were asked for."""
    return {"file": NOT_NEGATIVE, "absolute": SIGNED}.get(reading.weights, SKIPPED)


def graph_from_arcs(
    reading: Reading,
    key: str,
    tails: np.ndarray,
    heads: np.ndarray,
    values: np.ndarray | None,
    n: int,
    *,
    integral: bool = True,
    base: int = 0,
    both: bool = False,
    **kept: Any,
) -> CSRGraph:
    """Build the graph from arcs in the order of the file.

    Parameters
    ----------
    tails, heads : int64 (m,), numbered from `base`
    values : numbers (m,) of the file, None where it has none
    integral : the values were written as integers
    both : the format is undirected and holds each edge once
    kept : for CSRGraph: positions, ids, id_base, name
    """
    reading.report(BUILD_FRACTION, "sorting arcs")
    both = both if reading.undirected is None else reading.undirected
    reading.need_memory(len(tails) * (24 if both else 12) + 12 * n)
    weights = choose_weights(reading, tails, heads, values, integral, base)
    indptr, indices, weights = arcs_to_csr(tails, heads, weights, n, base=base, both=both)
    if both:
        reading.note(f"undirected: {len(tails)} edges read as {len(indices)} arcs")
    return _finished(reading, key, indptr, indices, weights, kept)


def graph_from_rows(
    reading: Reading,
    key: str,
    indptr: np.ndarray,
    heads: np.ndarray,
    values: np.ndarray | None,
    *,
    integral: bool = True,
    holds_both: bool = False,
    **kept: Any,
) -> CSRGraph:
    """Build the graph from rows that the file holds already sorted by tail.

    indptr : int64 (n+1,), rising from 0; heads : 0-based, in range
    holds_both : the format is undirected and the file holds each edge twice, so
    that undirected=True has nothing to add
    """
    if reading.undirected and not holds_both:
        return graph_from_arcs(
            reading, key, tails_of(indptr), heads, values, len(indptr) - 1,
            integral=integral, **kept,
        )  # fmt: skip
    reading.report(BUILD_FRACTION, "building the graph")
    tails = tails_of(indptr) if reading.weights == "random" else heads
    weights = choose_weights(reading, tails, heads, values, integral)
    return _finished(
        reading, key, indptr, np.asarray(heads).astype(np.int32, copy=False), weights, kept
    )


def choose_weights(
    reading: Reading,
    tails: np.ndarray,
    heads: np.ndarray,
    values: np.ndarray | None,
    integral: bool,
    base: int = 0,
) -> np.ndarray:
    """Return weights (m,) of a number type as the user asked; `values` are the file's."""
    if reading.weights == "random":
        return random_weights(tails, heads, base)
    if reading.weights == "unit":
        return np.ones(len(heads), np.int32)
    if values is None:
        reading.note("the file has no weights: each arc weighs 1")
        return np.ones(len(heads), np.int32)
    if reading.weights == "absolute":
        negative = int(np.count_nonzero(values < 0))
        values = np.abs(values)
        if negative:
            reading.note(f"{negative} negative weights read as their absolute values")
    return as_weights(reading, values, integral)


def as_weights(reading: Reading, values: np.ndarray, integral: bool) -> np.ndarray:
    """Return non-negative finite numbers in the smallest type that is exact, noted if not int32.

    values : whole ones past 2**53 as integers, not float64
    """
    if integral and values.dtype == np.int32:
        return values
    largest = int(values.max()) if len(values) else 0
    if integral and largest <= MAX_COUNT:
        return values.astype(np.int32)
    if integral and (values.dtype.kind == "i" or largest <= EXACT_FLOAT64):
        reading.note(f"weights up to {largest:,} exceed {MAX_COUNT:,}: int64")
        return values.astype(np.int64)
    if largest >= 2**63:
        reading.note(f"weights up to {largest:.3g} exceed 2^63 - 1: float64, 16 digits each")
    else:
        reading.note("weights with a decimal point: float64")
    return values.astype(np.float64)


def random_weights(
    tails: np.ndarray, heads: np.ndarray, base: int = 0, seed: int = RANDOM_SEED
) -> np.ndarray:
    """Return int32 (m,) in 1..100 from a hash (splitmix64) of each unordered pair of ends."""
    low = (np.minimum(tails, heads) - base).astype(np.uint64)
    high = (np.maximum(tails, heads) - base).astype(np.uint64)
    x = (low << np.uint64(32)) ^ high ^ np.uint64(seed * 0x9E3779B97F4A7C15 % 2**64)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return (1 + (x >> np.uint64(33)) % np.uint64(RANDOM_WEIGHTS)).astype(np.int32)


def _finished(
    reading: Reading,
    key: str,
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    kept: dict[str, Any],
) -> CSRGraph:
    """Check the arrays, note what is worth knowing, and bind them."""
    graph, facts = checked_with_facts(CSRGraph(indptr, indices, weights, **kept))
    for count, words in (
        (facts.parallel, "parallel arcs kept"),
        (facts.loops, "self-loops kept"),
        (facts.zeros, "arcs of weight zero"),
    ):
        if count:
            reading.note(f"{count} {words}")

    return replace(graph, provenance=reading.provenance(key))
