"""METIS `.graph`: one line for each vertex, with its neighbours.

The first line that is no comment (%) says `VERTICES EDGES [FMT [CONSTRAINTS]]`. The digits of FMT
say whether vertices have sizes, vertices have weights, edges have weights: 0, 1, 10, 11, 100, ...
Vertex sizes and weights are skipped. The format is undirected, and each edge stands in the lines of
both ends, so undirected=True changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gpu.formats.reading import HEAD_BYTES, READ_SHARE, SIGNS, Arcs, Format, Reading, shown
from gpu.formats.rows import first_row, is_number, line_at, line_number, whole_number

COMMENT = b"%"
FORMS = ("0", "1", "10", "11", "100", "101", "110", "111")
CONSTRAINTS = 100  # the most vertex weights that a header may promise
LINES_PER_REPORT = 50_000
BYTES_PER_BYTE = 40  # of memory for each byte of text


@dataclass(frozen=True)
class Header:
    """skipped: numbers at the start of each line that are no neighbours; width: 2 with weights."""

    n: int
    edges: int
    skipped: int
    width: int
    line: int  # 1-based
    rows_at: int


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
    return 0.4 if uneven and all(map(is_number, b" ".join(rows).split())) else 0.0


def _mutual(rows: list[bytes], skipped: int, weighted: bool) -> bool:
    """Return whether each neighbour's line names this one: an edge list hardly ever does."""
    names = [line.split()[skipped :: 2 if weighted else 1] for line in rows]
    arcs = {(str(v).encode(), u) for v, line in enumerate(names, 1) for u in line}
    return bool(arcs) and all(u != v and (v, u) in arcs for u, v in arcs)


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
    reading.need_memory(BYTES_PER_BYTE * len(data))
    degrees: list[int] = []
    heads: list[int] = []
    weights: list[int] = []
    for line, numbers in _lines(reading, data, header):
        own, weight = numbers[header.skipped :: header.width], numbers[header.skipped + 1 :: 2]
        if len(numbers) < header.skipped or (header.width == 2 and len(own) != len(weight)):
            what = "pairs of neighbour and weight" if header.width == 2 else "neighbours"
            words = f"{len(numbers)} numbers; expected {header.skipped} of the vertex, then {what}"
            raise reading.fault(words, line)
        if own and not 1 <= min(own) <= max(own) <= header.n:
            bad = next(head for head in own if not 1 <= head <= header.n)
            words = f"vertex {bad} is out of range: the header promises 1 to {header.n}"
            raise reading.fault(words, line)
        if header.width == 2 and weight and min(weight) < 0 and not reading.allows_negative:
            words = f"weight {min(weight)} is below zero; weights must be >= 0"
            raise reading.fault(words, line, SIGNS)
        degrees.append(len(own))
        heads += own
        weights += weight if header.width == 2 else []
    if len(heads) != 2 * header.edges or len(degrees) < header.n:
        raise reading.fault(
            f"the header promises {header.n} vertices and {header.edges} edges, each in two "
            f"lines; {len(degrees)} lines name {len(heads)} neighbours",
            header.line,
        )
    tails = np.repeat(np.arange(1, header.n + 1), degrees)
    values = np.array(weights, np.int64) if header.width == 2 else None
    ends = np.array(heads, np.int64)
    return Arcs(tails, ends, header.n, values, base=1, id_base=1, paired=True)


def _header(reading: Reading, data: bytearray) -> Header:
    at = first_row(data, COMMENT)
    line, number = line_at(data, at), line_number(data, at)
    promised = _promised(line.split())
    if promised is None:
        raise reading.fault(
            f"found {shown(line)}, expected 'VERTICES EDGES [FMT [CONSTRAINTS]]'", number
        )
    n, edges, skipped, weighted = promised
    return Header(n, edges, skipped, 1 + weighted, number, min(at + len(line) + 1, len(data)))


def _lines(reading: Reading, data: bytearray, header: Header) -> Iterator[tuple[int, list[int]]]:
    vertex = 0
    for number, line in enumerate(bytes(data[header.rows_at :]).split(b"\n"), header.line + 1):
        tokens = line.split()
        if (tokens and tokens[0].startswith(COMMENT)) or (not tokens and vertex == header.n):
            continue
        if vertex == header.n:
            words = f"a line past the {header.n} vertices of the header"
            raise reading.fault(words, number)
        bad = next((token for token in tokens if whole_number(token) is None), None)
        if bad is not None:
            raise reading.fault(f"{shown(bad)} is no whole number", number)
        if number % LINES_PER_REPORT == 0:
            reading.report(READ_SHARE, "parsing")
        yield number, list(map(int, tokens))
        vertex += 1


FORMAT = Format("metis", "METIS", (".graph", ".metis"), sniff, read, by_content=False)
