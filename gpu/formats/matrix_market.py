"""Matrix Market coordinate text: a square matrix is a graph, entry (i, j) the arc i -> j.

Fields: pattern (weights 1), integer, real; complex is refused. Symmetric matrices hold
one triangle and are undirected by definition: both arcs. In skew-symmetric ones
the mirrored entry has the opposite sign, so they need weights "absolute", "unit" or
"random". Many matrices have negative entries: those are refused with the same advice.
Entries written as 0 are arcs of weight zero.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gpu.formats.base import Format, Reading, bare_name, shown
from gpu.formats.build import graph_from_arcs, value_rule
from gpu.formats.csr import tails_of
from gpu.formats.row_rules import NOT_NEGATIVE, RowRules
from gpu.formats.rows import line_at, read_rows
from gpu.formats.write import number_columns, write_text
from gpu.graph import CSRGraph

BANNER = b"%%matrixmarket"
FIELDS = (b"pattern", b"integer", b"real", b"double")
SYMMETRIES = (b"general", b"symmetric", b"skew-symmetric")
EXPECTED_BANNER = (
    "'%%MatrixMarket matrix coordinate pattern|integer|real general|symmetric|skew-symmetric'"
)


def sniff(head: bytes) -> float:
    """Return 1 for the banner."""
    return float(head[: len(BANNER)].lower() == BANNER)


def read(reading: Reading, data: bytearray) -> CSRGraph:
    """Read a square coordinate matrix."""
    field, symmetry = _banner(reading, line_at(data, 0))
    n, entries, number, rows_at = _size(reading, data)
    reading.check_promise(n, entries, len(data), number)
    if symmetry == b"skew-symmetric" and value_rule(reading) == NOT_NEGATIVE:
        raise reading.fault(
            "a skew-symmetric matrix has negative entries; weights must be >= 0 "
            "(or read with --weights absolute, unit or random)", 1,
        )  # fmt: skip
    weighted = field != b"pattern"
    rules = RowRules(
        "'ROW COLUMN VALUE'" if weighted else "'ROW COLUMN'", value_columns=int(weighted),
        comments=b"%", low=1, high=n, range_words=f"the matrix has rows and columns 1 to {n}",
        values=value_rule(reading),
    )  # fmt: skip
    rows = read_rows(reading, data, rows_at, rules)
    if len(rows) != entries:
        raise reading.fault(
            f"the header promises {entries} entries, but the file has {len(rows)}", number
        )
    return graph_from_arcs(
        reading,
        "matrix_market",
        rows.ids[0],
        rows.ids[1],
        rows.values[0] if weighted else None,
        n,
        integral=rows.integral,
        base=1,
        both=symmetry != b"general",
        id_base=1,
        name=bare_name(reading.path),
    )


def _banner(reading: Reading, line: bytes) -> tuple[bytes, bytes]:
    tokens = line.lower().split()
    found = f"found {shown(line)}, expected {EXPECTED_BANNER}"
    if len(tokens) != 5 or tokens[0] != BANNER or tokens[1] != b"matrix":
        raise reading.fault(found, 1)
    if tokens[2] == b"array":
        raise reading.fault("a dense matrix (array); expected coordinate", 1)
    if tokens[3] == b"complex" or tokens[4] == b"hermitian":
        raise reading.fault("a complex matrix; weights are real: pattern, integer or real", 1)
    if tokens[2] != b"coordinate" or tokens[3] not in FIELDS or tokens[4] not in SYMMETRIES:
        raise reading.fault(found, 1)
    return tokens[3], tokens[4]


def _size(reading: Reading, data: bytearray) -> tuple[int, int, int, int]:
    """Return n, entries, the number of the size line, and where the rows begin."""
    at, number = len(line_at(data, 0)) + 1, 2
    while at < len(data):
        line = line_at(data, at)
        if line.strip() and not line.startswith(b"%"):
            break
        at, number = at + len(line) + 1, number + 1
    else:
        raise reading.fault("no size line; expected 'ROWS COLUMNS ENTRIES'", number)
    tokens = line.split()
    if len(tokens) != 3 or not all(token.isdigit() and len(token) < 19 for token in tokens):
        raise reading.fault(f"found {shown(line)}, expected 'ROWS COLUMNS ENTRIES'", number)
    rows, columns, entries = (int(token) for token in tokens)
    if rows != columns:
        raise reading.fault(
            f"a matrix of {rows} x {columns}; a graph needs as many rows as columns", number
        )
    return rows, entries, number, min(at + len(line) + 1, len(data))


def write(graph: CSRGraph, path: Path) -> None:
    """Write a general coordinate matrix, integer or real."""
    field = "integer" if graph.integer else "real"
    head = f"%%MatrixMarket matrix coordinate {field} general\n{graph.n} {graph.n} {graph.m}\n"
    columns = tails_of(graph.indptr) + 1, graph.indices.astype(np.int64) + 1, graph.weights
    write_text(path, [head], number_columns("%s %s %s\n", *columns))


FORMAT = Format("matrix_market", "Matrix Market", (".mtx",), sniff, read, write)
