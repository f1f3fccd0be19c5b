"""METIS `.graph`: one line for each vertex, with its neighbours.

The first line that is no comment (%) says `VERTICES EDGES [FMT [CONSTRAINTS]]`. The digits of FMT
say whether vertices have sizes, vertices have weights, edges have weights: 0, 1, 10, 11, 100, ...
Vertex sizes and weights are skipped. The format is undirected, and each edge stands in the lines of
both ends, so undirected=True changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np

from gpu.formats.reading import SIGNS, Arcs, Format, Reading, shown
from gpu.formats.rows import (
    first_row,
    is_number,
    line_at,
    line_number,
    whole_number,
)
from gpu.formats.source import HEAD_BYTES, READ_SHARE

COMMENT = b"%"
FORMS = ("0", "1", "10", "11", "100", "101", "110", "111")
CONSTRAINTS = 100  # the most vertex weights that a header may promise
LINES_PER_REPORT = 50_000


@dataclass(frozen=True)
class Header:
    """skipped: numbers at the start of each line that are no neighbours; line: 1-based."""

    n: int
    edges: int
    skipped: int
    weighted: bool
    line: int
    rows_at: int

    @property
    def expected_numbers(self) -> int:
        """How many numbers stand after the header."""
        return self.n * self.skipped + 2 * self.edges * (2 if self.weighted else 1)


def sniff(head: bytes) -> float:
    """Return 0.9 if the counts of the header come true, 0.4 if the lines are uneven."""
    if b"\0" in head or head.startswith(b"%%"):
        return 0.0
    lines = [line for line in head.split(b"\n") if not line.lstrip().startswith(COMMENT)]
    first = next((k for k, line in enumerate(lines) if line.strip()), len(lines))
    promised = _promised(lines[first].split()) if first < len(lines) else None
    if promised is None:
        return 0.0
    n, edges, skipped, weighted = promised
    rows = lines[first + 1 :]
    counts = [len(line.split()) for line in rows[:n]]
    uneven = len(set(counts[:-1])) > 1 or max(counts, default=0) > 3
    if len(head) >= HEAD_BYTES:
        return 0.6 if uneven and len(rows) <= n + 1 else 0.0
    exact = sum(counts) == n * skipped + 2 * edges * (2 if weighted else 1)
    if len(rows) >= n and exact and not b"".join(rows[n:]).strip():
        return 0.9 if uneven or _mutual(rows[:n], skipped, weighted) else 0.0
    return 0.4 if uneven and _all_numbers(rows) else 0.0


def _mutual(rows: list[bytes], skipped: int, weighted: bool) -> bool:
    """Return whether each neighbour's line names this one: an edge list hardly ever does."""
    names = [line.split()[skipped :: 2 if weighted else 1] for line in rows]
    arcs = {(str(v).encode(), u) for v, line in enumerate(names, 1) for u in line}
    return bool(arcs) and all(u != v and (v, u) in arcs for u, v in arcs)


def _all_numbers(rows: list[bytes]) -> bool:
    return all(is_number(token) for row in rows for token in row.split())


def _promised(tokens: list[bytes]) -> tuple[int, int, int, bool] | None:
    """Return n, edges, numbers skipped a line, weighted; None if no header."""
    if not 2 <= len(tokens) <= 4 or not all(t.isdigit() and len(t) < 19 for t in tokens):
        return None
    form = str(int(tokens[2])) if len(tokens) > 2 else "0"
    constraints = int(tokens[3]) if len(tokens) > 3 else 1
    if form not in FORMS or constraints > CONSTRAINTS:
        return None
    sizes, vertex_weights, edge_weights = (digit == "1" for digit in form.zfill(3))
    skipped = int(sizes) + (constraints if vertex_weights else 0)
    return int(tokens[0]), int(tokens[1]), skipped, edge_weights


def read(reading: Reading, data: bytearray) -> Arcs:
    """Read METIS text."""
    header = _header(reading, data)
    reading.check_promise(header.n, 2 * header.edges, len(data), header.line, 2)
    if header.n > len(data) - header.rows_at + 1:
        raise reading.fault(
            f"the header promises {header.n} vertices, a line each; the file is too short",
            header.line,
        )
    reading.need_memory(8 * (header.n + 2 * header.expected_numbers))
    numbers, counts = _numbers(reading, data, header)
    total, lines = len(numbers), len(counts)
    _check_counts(reading, data, header, counts)
    if header.skipped:
        starts = np.concatenate([[0], np.cumsum(counts)])[: min(lines, header.n)]
        kept = np.ones(total, bool)
        for k in range(header.skipped):
            kept[starts + k] = False
        numbers = numbers[kept]
    width = 2 if header.weighted else 1
    degrees = (counts[: header.n] - header.skipped) // width
    tails = np.repeat(np.arange(1, len(degrees) + 1), degrees)
    heads, weights = numbers[::width], numbers[1::2] if header.weighted else None
    bad = np.flatnonzero((heads < 1) | (heads > header.n))
    if len(bad):
        words = f"vertex {heads[bad[0]]} is out of range: the header promises 1 to {header.n}"
        raise reading.fault(words, _line_of(data, header, tails[bad[0]] - 1))
    if weights is not None and not reading.allows_negative and (weights < 0).any():
        first = int(np.argmax(weights < 0))
        words = f"weight {weights[first]} is below zero; weights must be >= 0"
        raise reading.fault(words, _line_of(data, header, tails[first] - 1), SIGNS)
    expected = header.expected_numbers
    if total != expected or lines < header.n:
        raise reading.fault(
            f"the header promises {header.n} vertices and {header.edges} edges, {expected} "
            f"numbers; {lines} lines hold {total}", header.line,
        )  # fmt: skip
    return Arcs(tails, heads, header.n, weights, base=1, id_base=1, paired=True)


def _header(reading: Reading, data: bytearray) -> Header:
    at = first_row(data, COMMENT)
    if at >= len(data):
        raise reading.fault("the file has only comments; expected 'VERTICES EDGES [FMT]'")
    line, number = line_at(data, at), line_number(data, at)
    promised = _promised(line.split())
    if promised is None:
        raise reading.fault(
            f"found {shown(line)}, expected 'VERTICES EDGES [FMT [CONSTRAINTS]]'", number
        )
    return Header(*promised, number, min(at + len(line) + 1, len(data)))


def _check_counts(reading: Reading, data: bytearray, header: Header, counts: np.ndarray) -> None:
    """Refuse lines that do not fit the header."""
    used = counts[: header.n] - header.skipped
    width = 2 if header.weighted else 1
    bad = np.flatnonzero((used < 0) | (used % width != 0))
    if len(bad):
        what = "pairs of neighbour and weight" if header.weighted else "neighbours"
        raise reading.fault(
            f"{counts[bad[0]]} numbers; expected {header.skipped} of the vertex, then {what}",
            _line_of(data, header, bad[0]),
        )
    past = np.flatnonzero(counts[header.n :])
    if len(past):
        words = f"a line past the {header.n} vertices of the header"
        raise reading.fault(words, _line_of(data, header, header.n + past[0]))


def _line_of(data: bytearray, header: Header, row: int) -> int:
    """Return the line of a row, 0-based, that is no comment."""
    lines = enumerate(bytes(data[header.rows_at :]).split(b"\n"), header.line + 1)
    rows = (number for number, line in lines if not line.lstrip().startswith(COMMENT))
    return next(islice(rows, int(row), None))


def _numbers(reading: Reading, data: bytearray, header: Header) -> tuple[np.ndarray, np.ndarray]:
    """Return all numbers after the header, and how many stand on each line."""
    lines = bytes(data[header.rows_at :]).split(b"\n")
    rows: list[list[int]] = []
    for number, line in enumerate(lines, header.line + 1):
        tokens = line.split()
        if tokens and tokens[0].startswith(COMMENT):
            continue
        bad = [token for token in tokens if whole_number(token) is None]
        if bad:
            raise reading.fault(f"{shown(bad[0])} is no whole number", number)
        rows.append(list(map(int, tokens)))
        if number % LINES_PER_REPORT == 0:
            reading.report(READ_SHARE, "parsing")
    numbers = np.array([number for row in rows for number in row], np.int64)
    return numbers, np.array(list(map(len, rows)), np.int64)


FORMAT = Format("metis", "METIS", (".graph", ".metis"), sniff, read, by_content=False)
