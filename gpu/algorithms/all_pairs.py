"""All pairs, what both engines agree on: which sources, how wide a bucket, how much memory.

A run from every vertex gives a matrix: row i holds the distances from source first + i. An index
into it passes 2^31 from n = 46,341 on, so entries are counted in 64 bits. The blocks of a GPU work
on one source each, with a few hundred threads: less parallelism is needed than for one source on
the whole device, so delta is narrower than Near-Far's 32 W / D (swept on an H100).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpu.delta import usable_width
from gpu.errors import MemoryNeededError, ParameterError
from gpu.words import size_words

C_DELTA = 8.0  # delta_apsp: delta = C x mean weight / mean degree
C_FAST = 8.0  # apsp_fast: the same, for the width of its near range
MOST_ROW_ARCS = 400_000  # arcs times sources whose every event can be recorded
ROWS = ("first_source", "sources")  # parameters that say which rows there are
ADVICE = "take fewer sources, or write to a file: sssp-scope apsp FILE -o matrix.npy"


def source_range(parameters: Mapping[str, Any], n: int) -> tuple[int, int]:
    """Return the first source and how many rows; ParameterError where they are no vertices.

    parameters : `first_source` and `sources` (None: all the rest); n : vertices
    """
    first = int(parameters["first_source"])
    if not 0 <= first < n:
        raise ParameterError(f"first_source = {first}; allowed: 0 to {n - 1}, the vertices")
    rest = n - first
    count = rest if parameters["sources"] is None else int(parameters["sources"])
    if not 1 <= count <= rest:
        raise ParameterError(
            f"sources = {count} from {first} on; allowed: 1 to {rest}, the graph has {n} vertices"
        )
    return first, count


def wanted_delta(factor: float, mean_weight: float, mean_degree: float, integer: bool) -> float:
    """Return factor x W / D, weight units; at least 1 for integers, and above 0."""
    return usable_width(factor * mean_weight / max(mean_degree, 1e-9), integer)


def same_rows(parameters: Mapping[str, Any], like: Mapping[str, Any]) -> dict[str, Any]:
    """Return `parameters` with the sources of a run with parameters `like`."""
    return {**parameters, **{key: like[key] for key in ROWS if key in like}}


def check_events(rows: int, arcs: int) -> None:
    """Raise ParameterError where recording every event of so many sources is too much."""
    if rows * arcs > MOST_ROW_ARCS:
        most = max(1, MOST_ROW_ARCS // max(arcs, 1))
        raise ParameterError(
            f"every event of {rows:,} sources on {arcs:,} edges is too much to record; allowed: "
            f"{MOST_ROW_ARCS:,} edges times sources: take {most:,} sources, or probe level 2"
        )


def matrix_bytes(rows: int, n: int, each: int = 4) -> int:
    """Return the bytes of `rows` rows of n distances of `each` bytes."""
    return each * int(rows) * int(n)


def require_room(rows: int, n: int, each: int = 4) -> None:
    """Raise MemoryNeededError, with sizes and advice, where a matrix does not fit memory."""
    from gpu.files import available_bytes

    free = available_bytes()
    needed = matrix_bytes(rows, n, each)
    if free is not None and needed > free:
        raise MemoryNeededError(matrix_words(rows, n, free, "memory", each))


def matrix_words(rows: int, n: int, free: int, where: str, each: int = 4) -> str:
    """Return the sentence that refuses a matrix: bytes needed, bytes free, advice."""
    needed = size_words(matrix_bytes(rows, n, each))
    return (
        f"distances from {rows:,} sources to {n:,} vertices need {needed} of {where}, "
        f"{size_words(free)} are free: {ADVICE}"
    )


def chunk_rows(row: int, count: int, row_share: int, free: int, at_once: int, most: int) -> int:
    """Return how many rows one chunk of sources has; 0 where not even one fits.

    row : bytes of one; count : sources in all; free : bytes that all chunks together may take
    row_share : bytes that one source takes, all its copies on the device counted
    at_once : sources that run together, below which a chunk would leave blocks idle
    most : bytes of rows from which on a longer chunk gains nothing
    """
    fit = free // max(row_share, 1)
    chosen = max(most // max(row, 1), 2 * at_once, 1)
    return int(min(fit, chosen, count))
