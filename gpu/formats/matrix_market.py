"""Matrix Market text: a square matrix is a graph, entry (i, j) the edge i -> j.

Fields: pattern (weights 1), integer, real; complex is refused. A symmetric matrix holds one
triangle and is undirected. In a skew-symmetric one the mirrored entry has the opposite sign, so it
needs weights "absolute", "unit" or "random". So does a matrix with negative entries. An entry
written as 0 is an edge of weight zero. A dense matrix (`array`) is refused.

The rows are read by `gpu.formats.rows`, not by SciPy's `mmread`. SciPy 1.17 ignores what follows
a value on a line: it reads `1 2 1.5` in an integer matrix as weight 1, and a pattern with a third
column without its weights.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from gpu.formats.build import tails_of
from gpu.formats.reading import SIGNS, Arcs, Format, Reading, shown
from gpu.formats.rows import RowRules, first_row, line_at, line_number, read_rows, value_rule
from gpu.formats.write import number_columns, write_text
from gpu.graph import CSRGraph

BANNER = b"%%matrixmarket"
LIKE_BANNER = re.compile(rb"\s*+%*+\s*+matrix\s*+market", re.IGNORECASE)
FIELDS = (b"pattern", b"integer", b"unsigned-integer", b"real", b"double")
SYMMETRIES = (b"general", b"symmetric", b"skew-symmetric")
EXPECTED_BANNER = (
    "'%%MatrixMarket matrix coordinate pattern|integer|real general|symmetric|skew-symmetric'"
)


def sniff(head: bytes) -> float:
    """Return 1 for the banner, also a misspelled one: that is refused, not guessed at."""
    return float(LIKE_BANNER.match(head) is not None)


def read(reading: Reading, data: bytearray) -> Arcs:
    """Read a square matrix."""
    field, symmetry = _banner(reading, line_at(data, 0))
    n, entries, number, rows_at = _size(reading, data)
    reading.check_promise(n, entries, len(data), number)
    if symmetry == b"skew-symmetric" and not reading.allows_negative:
        raise reading.fault(
            "a skew-symmetric matrix has negative entries; weights must be >= 0", 1, SIGNS
        )
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
    tails, heads = rows.ids
    both = symmetry != b"general"
    return Arcs(tails, heads, n, rows.weights, base=1, id_base=1, both=both)


def _banner(reading: Reading, line: bytes) -> tuple[bytes, bytes]:
    tokens = line.lower().split()
    words = f"found {shown(line)}, expected {EXPECTED_BANNER}"
    if len(tokens) != 5 or line[: len(BANNER)].lower() != BANNER or tokens[1] != b"matrix":
        raise reading.fault(words, 1)
    if tokens[3] == b"complex" or tokens[4] == b"hermitian":
        raise reading.fault("a complex matrix; weights are real: pattern, integer or real", 1)
    if tokens[2] == b"array":
        raise reading.fault("a dense matrix; write it sparse (coordinate), as SciPy's mmwrite", 1)
    if tokens[2] != b"coordinate" or tokens[3] not in FIELDS or tokens[4] not in SYMMETRIES:
        raise reading.fault(words, 1)
    return tokens[3], tokens[4]


def _size(reading: Reading, data: bytearray) -> tuple[int, int, int, int]:
    """Return n, entries, the number of the size line, and where the rows begin."""
    expected = "'ROWS COLUMNS ENTRIES'"
    at = first_row(data, b"%", min(len(line_at(data, 0)) + 1, len(data)))
    line, number = line_at(data, at), line_number(data, at)
    if at >= len(data):
        raise reading.fault(f"no size line; expected {expected}", number)
    tokens = line.split()
    if len(tokens) != 3 or not all(token.isdigit() and len(token) < 19 for token in tokens):
        raise reading.fault(f"found {shown(line)}, expected {expected}", number)
    rows, columns, entries = map(int, tokens)
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
    write_text(path, head, number_columns("%s %s %s\n", *columns))


FORMAT = Format(
    "matrix_market", "Matrix Market", (".mtx",), sniff, read, write, numbered_from=lambda _: 1
)
