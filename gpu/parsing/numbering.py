"""Which vertices there are where a file only lists arcs: `number_vertices`.

Identifiers that fill first..last without a gap, and first is 0 or 1, stay as they are. Others
are ranked: vertex 0 has the smallest, and the distinct ones are kept. Nothing is allocated by the
largest identifier: where they lie far apart they are sorted.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from gpu.parsing.csr import runs_compiled
from gpu.parsing.reading import Reading
from gpu.parsing.row_rules import INT64_MAX
from gpu.parsing.rows import Rows
from gpu.parsing.source import cores

DENSE_SPAN = 16  # identifiers are ranked by a table up to so many times the rows, else sorted


def number_vertices(
    reading: Reading, rows: Rows, count: int | None = None, *, compiled: bool | None = None
) -> tuple[int, int, np.ndarray | None]:
    """Return n, the base of the row's identifiers, and the ids int64 where they were ranked.

    count : of vertices, as the file says it, None where it does not
    compiled : None decides by size
    Ranked identifiers replace those in `rows`.
    """
    if not len(rows):
        return count or 0, 0, None
    low, high = int(rows.ids.min()), int(rows.ids.max())
    if count is not None:
        for base in (0, 1):
            if base <= low and high < count + base:
                return count, base, None
        reading.note(f"the count in the first line, {count}, does not fit the ids: ignored")
    if high - low > DENSE_SPAN * len(rows) + 1024 or high - low > INT64_MAX // 2:
        ids, ranks = np.unique(rows.ids, return_inverse=True)
        rows.ids = ranks.reshape(rows.ids.shape)
    else:
        by_loops = runs_compiled(rows.ids.size) if compiled is None else compiled
        used = _used(rows.ids, low, high, by_loops)
        ids = np.flatnonzero(used) + low
        if low in {0, 1} and len(ids) == len(used):
            return len(ids), low, None
        rows.ids = _ranked(rows.ids, low, used, by_loops)
    reading.note(f"ids from {low} to {high}, {len(ids)} of them used: ranked 0 to {len(ids) - 1}")
    return len(ids), 0, ids.astype(np.int64, copy=False)


def _used(found: np.ndarray, low: int, high: int, by_loops: bool) -> np.ndarray:
    """Return bool (high - low + 1,): which of the identifiers low..high occur."""
    used = np.zeros(high - low + 1, bool)
    if by_loops:
        from gpu.parsing import arrange

        _by_pieces(found, lambda piece: arrange.mark_used(piece, low, used))
    else:
        for column in found:
            used[column - low] = True
    return used


def _ranked(found: np.ndarray, low: int, used: np.ndarray, by_loops: bool) -> np.ndarray:
    """Return the rank of each identifier among those that are used; `found` may be overwritten."""
    rank = np.cumsum(used, dtype=found.dtype) - 1
    if not by_loops:
        return rank[found - low]
    from gpu.parsing import arrange

    _by_pieces(found, lambda piece: arrange.put_ranks(piece, low, rank))
    return found


def _by_pieces(found: np.ndarray, work: Callable[[np.ndarray], object]) -> None:
    """Call `work` on each column of ids, cut into a piece for each core, by threads."""
    shares = cores()
    with ThreadPoolExecutor(max_workers=shares) as pool:
        list(pool.map(work, [part for row in found for part in np.array_split(row, shares)]))
