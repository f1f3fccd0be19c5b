"""DIMACS shortest-path text (`.gr`, coordinates in `.co`) and PACE `p tw`.

The 9th DIMACS challenge: comment lines begin with c, one line `p sp N M`, then M lines
`a TAIL HEAD WEIGHT`, vertices numbered from 1, edges directed. PACE's tree-width format says
`p tw N M`, then one line `TAIL HEAD` for each undirected edge; a third column is a weight.
Coordinates, `v ID X Y` after `p aux sp co N`, stand in a file beside the graph. If that file is
broken the graph is read without positions, and a note says why.

A file without a `p` line is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gpu.errors import FormatError
from gpu.formats.build import tails_of
from gpu.formats.reading import PACKINGS, Arcs, Format, Reading, shown, unpacked_name
from gpu.formats.rows import (
    SIGNED,
    RowRules,
    first_row,
    line_at,
    line_number,
    read_rows,
    value_rule,
)  # fmt: skip
from gpu.formats.write import number_columns, write_text
from gpu.graph import CSRGraph

EXPECTED_HEADER = "'p sp VERTICES ARCS' or 'p tw VERTICES EDGES'"
COORDINATES = ([b"p", b"aux", b"sp", b"co"], [b"p", b"sp", b"co"])
EXACT_FLOAT32 = 2**24  # whole numbers up to here are float32 numbers


@dataclass(frozen=True)
class Header:
    """The `p` line: what it promises, its line, and where the rows begin."""

    kind: str  # "sp" or "tw"
    n: int
    edges: int
    line: int
    rows_at: int


def sniff(head: bytes) -> float:
    """Return 1 for a `p` line, 0.7 for rows without one, 0.6 for comments alone."""
    commented = head.lstrip()[:2].strip() == b"c"
    for line in head.split(b"\n"):
        tokens = line.split()
        if tokens[:1] == [b"p"]:
            return float(tokens[1:2] in ([b"sp"], [b"tw"], [b"aux"]))
        if tokens and tokens[0] != b"c":
            row = tokens[1:3] if tokens[0] in {b"a", b"v"} else tokens[:2] * commented
            return 0.7 * (len(row) == 2 and all(t.lstrip(b"-").isdigit() for t in row))
    return 0.6 * commented


def read(reading: Reading, data: bytearray) -> Arcs:
    """Read `p sp` or `p tw` text, and the coordinates beside it."""
    header = _header(reading, data)
    row_bytes = 8 if header.kind == "sp" else 4
    reading.check_promise(header.n, header.edges, len(data), header.line, row_bytes)
    key, width, expected = b"a", 1, "'a TAIL HEAD WEIGHT'"
    if header.kind == "tw":
        width = int(len(line_at(data, header.rows_at).split()) == 3)
        key, expected = b"", f"'TAIL HEAD{' WEIGHT' * width}'"
    rules = RowRules(
        expected, value_columns=width, key=key, comments=b"c", low=1, high=header.n,
        range_words=f"the header promises vertices 1 to {header.n}", values=value_rule(reading),
    )  # fmt: skip
    rows = read_rows(reading, data, header.rows_at, rules)
    if len(rows) != header.edges:
        raise reading.fault(
            f"the header promises {header.edges} edges, but the file has {len(rows)}", header.line
        )
    (tails, heads), places = rows.ids, _positions_beside(reading, header.n)
    return Arcs(
        tails, heads, header.n, rows.weights,
        places=places, base=1, id_base=1, both=header.kind == "tw",
    )  # fmt: skip


def _header(reading: Reading, data: bytearray) -> Header:
    at = first_row(data, b"c")
    if at >= len(data):
        raise reading.fault(f"the file has only comments; expected {EXPECTED_HEADER}")
    line, number = line_at(data, at), line_number(data, at)
    tokens = line.split()
    if tokens[:2] == [b"p", b"aux"] or tokens[:3] == COORDINATES[1]:
        words = "holds coordinates or sources, no edges; open the .gr file beside it"
        raise reading.fault(words, number)
    good = len(tokens) == 4 and tokens[0] == b"p" and tokens[1] in {b"sp", b"tw"}
    if not good or not all(token.isdigit() and len(token) < 19 for token in tokens[2:]):
        raise reading.fault(f"found {shown(line)}, expected {EXPECTED_HEADER}", number)
    rows_at = first_row(data, b"c", min(at + len(line) + 1, len(data)))
    return Header(tokens[1].decode(), int(tokens[2]), int(tokens[3]), number, rows_at)


# ---------------------------------------------------------------- coordinates


def _positions_beside(reading: Reading, n: int) -> np.ndarray | None:
    stem = unpacked_name(reading.path).removesuffix(".gr")
    candidates = [reading.path.with_name(f"{stem}.co{packing}") for packing in ("", *PACKINGS)]
    path = next((one for one in candidates if one != reading.path and one.is_file()), None)
    if path is None:
        reading.note("no coordinates: no .co file beside the graph")
        return None
    try:
        positions = _read_positions(Reading(path, should_stop=reading.should_stop), n)
    except FormatError as error:
        reading.note(f"no coordinates: {error}")
        return None
    reading.note(f"coordinates from {path.name}")
    return positions


def _read_positions(own: Reading, n: int) -> np.ndarray:
    """Return float32 (n, 2) from a `.co` file, ids 1 to n, each once.

    Numbers past 2**24 are no exact float32. Such positions are moved, not scaled, so that their
    middle is 0 and neighbours stay apart.
    """
    with own.opened():
        data = own.read_all()
    at, number = _after_co_header(own, data, n)
    rules = RowRules(
        "'v ID X Y'", id_columns=1, value_columns=2, key=b"v", comments=b"c", low=1, high=n,
        range_words=f"the graph has vertices 1 to {n}", values=SIGNED, value_name="coordinate",
    )  # fmt: skip
    rows = read_rows(own, data, at, rules)
    seen = np.zeros(n, bool)
    seen[rows.ids[0] - 1] = True
    if len(rows) != n or not seen.all():
        raise own.fault(f"{len(rows)} coordinates, expected one for each of {n} vertices", number)
    xy = np.empty((n, 2))
    xy[rows.ids[0] - 1] = rows.values.T
    if n and np.abs(xy).max() > EXACT_FLOAT32 and (xy != xy.astype(np.float32)).any():
        xy -= np.round((xy.min(axis=0) + xy.max(axis=0)) / 2)
    return xy.astype(np.float32)


def _after_co_header(reading: Reading, data: bytearray, n: int) -> tuple[int, int]:
    """Return where the rows begin, and the line of the `p` line."""
    at = first_row(data, b"c")
    line, number = line_at(data, at), line_number(data, at)
    tokens = line.split()
    if tokens[:-1] not in COORDINATES or tokens[-1] != b"%d" % n:
        raise reading.fault(f"found {shown(line)}, expected 'p aux sp co {n}'", number)
    return min(at + len(line) + 1, len(data)), number


# ---------------------------------------------------------------- writing


def write(graph: CSRGraph, path: Path) -> None:
    """Write `.gr` text, and `.co` beside it if the graph has positions."""
    tails, heads = tails_of(graph.indptr) + 1, graph.indices.astype(np.int64) + 1
    title = " ".join(graph.name.split())
    head = f"c {title}\np sp {graph.n} {graph.m}\n"
    write_text(path, head, number_columns("a %s %s %s\n", tails, heads, graph.weights))
    if graph.positions is not None:
        stem = unpacked_name(path)
        packing = path.name[len(stem) :]
        beside = path.with_name(f"{stem.removesuffix('.gr')}.co{packing}")
        _write_positions(beside, graph.positions)


def _write_positions(path: Path, positions: np.ndarray) -> None:
    ids = np.arange(1, len(positions) + 1)
    if len(positions) and np.abs(positions).max() > EXACT_FLOAT32:
        positions = positions.astype(np.float64)  # all digits: read back as they are, not moved
    lines = number_columns("v %s %s %s\n", ids, positions[:, 0], positions[:, 1])
    write_text(path, f"p aux sp co {len(positions)}\n", lines)


FORMAT = Format(
    "dimacs", "DIMACS .gr", (".gr",), sniff, read, write,
    numbered_from=lambda _: 1, places=True,
)  # fmt: skip
