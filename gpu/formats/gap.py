"""GAP's serialized graphs: `.sg` without weights, `.wsg` with int32 weights.

Little-endian: one byte, 1 where the graph is directed; int64 arcs m; int64 vertices n; n + 1 int64
row bounds; m heads, int32, in `.wsg` each followed by its int32 weight. A directed graph holds the
same again for the arcs turned round, which is not needed here. Vertices are numbered from 0; an
undirected graph holds both arcs of each edge.

Nothing in the file says whether there are weights: its size does.

Reference   github.com/sbeamer/gapbs, src/reader.h.
"""

from __future__ import annotations

import numpy as np

from gpu.graph import CSRGraph
from gpu.parsing.build import graph_from_rows
from gpu.parsing.filebytes import FileBytes
from gpu.parsing.reading import SIGNS, Format, Reading, bare_name

HEADER_BYTES = 17


def sniff(head: bytes) -> float:
    """Return 0.9 where the header is followed by row bounds from 0 on, and is not outgrown."""
    if len(head) < HEADER_BYTES + 8 or head[0] > 1:
        return 0.0
    m, n, first = np.frombuffer(head, "<i8", 3, 1).tolist()
    if not (0 <= n < 2**31 and 0 <= m < 2**31):
        return 0.0
    if len(head) > HEADER_BYTES + 2 * (8 * (n + 1) + 8 * m):  # zeros without end, for example
        return 0.0
    bounds = np.frombuffer(head, "<i8", min(n + 1, (len(head) - HEADER_BYTES) // 8), HEADER_BYTES)
    rising = first == 0 and bool((np.diff(bounds) >= 0).all()) and bounds[-1] <= m
    return 0.9 if rising else 0.0


def read(reading: Reading, data: FileBytes) -> CSRGraph:
    """Read a whole serialized graph."""
    size = len(data)
    if size < HEADER_BYTES:
        raise reading.fault(f"{size} bytes; a header of GAP has {HEADER_BYTES}")
    directed = data[0]
    m, n = np.frombuffer(data, "<i8", 2, 1).tolist()
    if directed not in {0, 1} or m < 0 or n < 0:
        raise reading.fault(
            f"found the mark {directed}, {m} arcs, {n} vertices; "
            "expected a mark of 0 or 1, and counts"
        )
    reading.check_promise(n, m, size, None)
    sizes = {w: HEADER_BYTES + (1 + directed) * (8 * (n + 1) + (4 + 4 * w) * m) for w in (0, 1)}
    weighted = [w for w, whole in sizes.items() if whole == size]
    if not weighted:
        raise reading.fault(
            f"the header promises {n} vertices and {m} arcs, {sizes[0]} bytes as .sg and "
            f"{sizes[1]} as .wsg; the file has {size}"
        )
    reading.need_memory(8 * n + 16 * m)
    indptr = np.frombuffer(data, "<i8", n + 1, HEADER_BYTES).astype(np.int64)
    width = 1 + weighted[0]
    numbers = np.frombuffer(data, "<i4", m * width, HEADER_BYTES + 8 * (n + 1)).reshape(m, width)
    heads, values = numbers[:, 0], numbers[:, 1] if weighted[0] else None
    _check(reading, indptr, heads, values)
    return graph_from_rows(
        reading, "gap", indptr, np.ascontiguousarray(heads), values, holds_both=not directed,
        name=bare_name(reading.path),
    )  # fmt: skip


def _check(
    reading: Reading, indptr: np.ndarray, heads: np.ndarray, values: np.ndarray | None
) -> None:
    n, m = len(indptr) - 1, len(heads)
    if indptr[0] != 0 or indptr[-1] != m or (indptr[1:] < indptr[:-1]).any():
        raise reading.fault(f"the row bounds must rise from 0 to the {m} arcs and never fall")
    if m and (heads.min() < 0 or heads.max() >= n):
        bad = heads.min() if heads.min() < 0 else heads.max()
        raise reading.fault(f"an arc ends at {bad}; vertices are 0 to {n - 1}")
    if values is not None and m and reading.weights == "file" and values.min() < 0:
        raise reading.fault(f"weight {values.min()} is below zero; must be >= 0", remedy=SIGNS)


FORMAT = Format("gap", "GAP serialized graph", (".sg", ".wsg"), sniff, read, text=False)
