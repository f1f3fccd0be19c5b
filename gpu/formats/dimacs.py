"""DIMACS shortest-path text (`.gr`, coordinates in `.co`) and PACE `p tw`.

The 9th DIMACS challenge: comment lines begin with c, one line `p sp N M`, then M
lines `a TAIL HEAD WEIGHT`, vertices numbered from 1, arcs directed. PACE's tree
width format says `p tw N M` and then one line `TAIL HEAD` for each undirected edge,
without weights (a third column is read as one). Coordinates, `v ID X Y` after
`p aux sp co N`, stand in a file of their own; the one beside the graph is read
with it. If that one is broken the graph is still right: a note says why it has no
positions.

Some programs leave the `p` line out and count from 0: rows `a TAIL HEAD WEIGHT`, or rows of
two or three numbers under `c` comments. Those are read as edge lists are: numbers without a
gap from 0 or 1 stay, others are ranked and kept in `ids`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gpu.errors import CancelledByUserError, FormatError
from gpu.graph import CSRGraph
from gpu.parsing.build import graph_from_arcs, value_rule
from gpu.parsing.csr import tails_of
from gpu.parsing.filebytes import FileBytes
from gpu.parsing.numbering import number_vertices
from gpu.parsing.reading import Format, Reading, bare_name, counts_from, rows_promised, shown
from gpu.parsing.row_rules import SIGNED, RowRules
from gpu.parsing.rows import Rows, first_row, line_at, line_number, read_rows
from gpu.parsing.source import Source, neighbour
from gpu.parsing.write import number_columns, write_text

EXPECTED_HEADER = "'p sp VERTICES ARCS' or 'p tw VERTICES EDGES'"
OTHER_PROBLEMS = {  # second word of a `p` line of DIMACS
    b"max": "a maximum flow",
    b"min": "a minimum-cost flow",
    b"asn": "an assignment",
    b"edge": "a colouring",
    b"col": "a colouring",
    b"cnf": "a satisfiability formula",
}
KINDS = {b"sp", b"tw", b"aux", *OTHER_PROBLEMS}
COUNTS = re.compile(rb"^p[ \t]++(?:sp|tw)[ \t]++([0-9]{1,10})[ \t]++([0-9]{1,10})", re.MULTILINE)
EXACT_FLOAT32 = 2**24  # whole numbers up to here are float32 numbers


@dataclass(frozen=True)
class Header:
    """The `p` line: its kind ("sp" or "tw"), what it promises, where the rows begin."""

    kind: str  # or "arcs": no p line, the rows begin with the key `a` or with none
    n: int
    arcs: int
    line: int
    rows_at: int


def sniff(head: bytes) -> float:
    """Return 1 for a `p` line of ours, less for arcs or comments without one."""
    for line in head.split(b"\n"):
        tokens = line.split()
        if not tokens or tokens[0] == b"c":
            continue
        if tokens[0] == b"p" and tokens[1:2] and tokens[1] in KINDS:
            return 1.0
        if tokens[0] not in {b"a", b"v"}:
            commented = head.lstrip().startswith((b"c ", b"c\n", b"c\r", b"c\t"))
            return 0.7 if commented and _is_bare_row(tokens) else 0.0
        return 0.7 if len(tokens) > 2 and all(map(_is_number, tokens[1:3])) else 0.0
    return 0.6 if head.lstrip().startswith((b"c ", b"c\n", b"c\r")) else 0.0


def _is_number(token: bytes) -> bool:
    return token.lstrip(b"-").isdigit()


def _is_bare_row(tokens: list[bytes]) -> bool:
    return len(tokens) in {2, 3} and all(map(_is_number, tokens[:2]))


def read(reading: Reading, data: FileBytes) -> CSRGraph:
    """Read `p sp` or `p tw` text, and the coordinates beside it."""
    header = _header(reading, data)
    if header.kind == "arcs":
        return _read_bare(reading, data, header)
    reading.check_promise(
        header.n, header.arcs, len(data), header.line, 8 if header.kind == "sp" else 4
    )
    rules = _rules(reading, data, header)
    rows = read_rows(reading, data, header.rows_at, rules)
    if len(rows) != header.arcs:
        raise reading.fault(
            f"the header promises {header.arcs} arcs, but the file has {len(rows)}", header.line
        )
    return graph_from_arcs(
        reading,
        "dimacs",
        rows.ids[0],
        rows.ids[1],
        rows.values[0] if rules.value_columns else None,
        header.n,
        integral=rows.integral,
        base=1,
        both=header.kind == "tw",
        positions=_positions_beside(reading, header.n),
        id_base=1,
        name=bare_name(reading.path),
    )


def _read_bare(reading: Reading, data: FileBytes, header: Header) -> CSRGraph:
    """Read rows without a `p` line."""
    tokens = line_at(data, header.rows_at).split()
    key = b"a" if tokens[0] == b"a" else b""
    width = len(tokens) - len(key) - 2
    rules = RowRules(
        "'a TAIL HEAD WEIGHT'" if key else "'TAIL HEAD WEIGHT'" if width else "'TAIL HEAD'",
        value_columns=width, key=key, comments=b"c", low=0,
        range_words="there is no p line, so vertices count from 0 or 1",
        values=value_rule(reading),
    )  # fmt: skip
    rows = read_rows(reading, data, header.rows_at, rules)
    n, base, ids = number_vertices(reading, rows)
    reading.note(f"no 'p sp' line: {n} vertices, those that the arcs name")
    return graph_from_arcs(
        reading, "dimacs", rows.ids[0], rows.ids[1], rows.values[0] if width else None, n,
        integral=rows.integral, base=0 if ids is not None else base, ids=ids, id_base=base,
        name=bare_name(reading.path),
    )  # fmt: skip


def _header(reading: Reading, data: FileBytes) -> Header:
    """Find the `p` line and the first line after it that is no comment."""
    at = first_row(data, b"c")
    if at >= len(data):
        raise reading.fault(f"the file has only comments; expected {EXPECTED_HEADER}")
    line, number = line_at(data, at), line_number(data, at)
    tokens = line.split()
    if (tokens[:1] == [b"a"] and len(tokens) == 4) or _is_bare_row(tokens):
        return Header("arcs", 0, 0, number, at)
    kind, n, arcs = _promises(reading, line, number)
    return Header(kind, n, arcs, number, first_row(data, b"c", min(at + len(line) + 1, len(data))))


def _promises(reading: Reading, line: bytes, number: int) -> tuple[str, int, int]:
    tokens = line.split()
    problem = OTHER_PROBLEMS.get(tokens[1]) if tokens[:1] == [b"p"] and tokens[1:] else None
    if problem is not None:
        raise reading.fault(
            f"found {shown(line)}: {problem}, not shortest paths; expected {EXPECTED_HEADER}",
            number,
        )
    if tokens[:4] == [b"p", b"aux", b"sp", b"co"] or tokens[:3] == [b"p", b"sp", b"co"]:
        raise reading.fault("holds coordinates, no arcs; open the .gr file beside it", number)
    if tokens[:3] == [b"p", b"aux", b"sp"]:
        raise reading.fault("is an auxiliary file without arcs; open the .gr file", number)
    good = len(tokens) == 4 and tokens[0] == b"p" and tokens[1] in {b"sp", b"tw"}
    if not good or not all(token.isdigit() and len(token) < 19 for token in tokens[2:]):
        raise reading.fault(f"found {shown(line)}, expected {EXPECTED_HEADER}", number)
    return tokens[1].decode(), int(tokens[2]), int(tokens[3])


def _rules(reading: Reading, data: FileBytes, header: Header) -> RowRules:
    words = f"the header promises vertices 1 to {header.n}"
    if header.kind == "sp":
        return RowRules(
            "'a TAIL HEAD WEIGHT'", value_columns=1, key=b"a", comments=b"c", low=1,
            high=header.n, range_words=words, values=value_rule(reading), whole=True,
        )  # fmt: skip
    weighted = len(line_at(data, header.rows_at).split()) == 3
    return RowRules(
        "'TAIL HEAD WEIGHT'" if weighted else "'TAIL HEAD'", value_columns=int(weighted),
        comments=b"c", low=1, high=header.n, range_words=words, values=value_rule(reading),
        whole=True,
    )  # fmt: skip


def _positions_beside(reading: Reading, n: int) -> np.ndarray | None:
    """Read the coordinates beside the graph; note what became of them."""
    path = neighbour(reading.path, ".co")
    if path is None:
        reading.note("no coordinates: no .co file beside the graph")
        return None
    return _noted_positions(reading, path, n)


def with_places(reading: Reading, graph: CSRGraph, path: Path) -> CSRGraph:
    """Return a graph of another format with the coordinates that were written beside it."""
    positions = _noted_positions(reading, path, graph.n)
    kept = replace(graph.provenance, notes=(*graph.provenance.notes, reading.notes[-1]))
    return replace(graph, positions=positions, provenance=kept)


def _noted_positions(reading: Reading, path: Path, n: int) -> np.ndarray | None:
    try:
        positions = read_positions(path, n, reading)
    except CancelledByUserError:
        raise
    except FormatError as error:
        reading.note(f"no coordinates: {error}")
        return None
    reading.note(f"coordinates from {path.name}")
    return positions


def read_positions(path: Path, n: int, reading: Reading | None = None) -> np.ndarray:
    """Return float32 (n, 2) from a `.co` file; raises FormatError.

    Numbers past 2**24 are no exact float32; such positions are moved, not scaled,
    so that their middle is 0 and neighbours stay apart.
    """
    own = Reading(path, should_stop=reading.should_stop if reading else None)
    data = Source(own).read_all()
    words = f"the graph has vertices 1 to {n}"
    at, number = _after_co_header(own, data, n)
    rules = RowRules(
        "'v ID X Y'", id_columns=1, value_columns=2, key=b"v", comments=b"c", low=1, high=n,
        range_words=words, values=SIGNED, value_name="coordinate",
    )  # fmt: skip
    return placed(own, read_rows(own, data, at, rules), n, number)


def placed(own: Reading, rows: Rows, n: int, line: int | None) -> np.ndarray:
    """Return float32 (n, 2) of rows 'ID X Y', ids 1 to n; each must stand there once."""
    seen = np.zeros(n, bool)
    seen[rows.ids[0] - 1] = True
    if len(rows) != n or not seen.all():
        raise own.fault(f"{len(rows)} coordinates, expected one for each of {n} vertices", line)
    xy = np.empty((n, 2))
    xy[rows.ids[0] - 1] = rows.values.T
    if n and np.abs(xy).max() > EXACT_FLOAT32 and (xy != xy.astype(np.float32)).any():
        xy -= np.round((xy.min(axis=0) + xy.max(axis=0)) / 2)
    return xy.astype(np.float32)


def _after_co_header(reading: Reading, data: FileBytes, n: int) -> tuple[int, int]:
    """Return where the rows begin, and the number of the `p` line."""
    at = 0
    while data[at : at + 1].strip(b"c\r\n") != data[at : at + 1]:  # comment or empty
        at += len(line_at(data, at)) + 1
    line, number = line_at(data, at), line_number(data, at)
    tokens = line.split()
    known = ([b"p", b"aux", b"sp", b"co"], [b"p", b"sp", b"co"])
    if tokens[:-1] not in known or not tokens[-1].isdigit():
        raise reading.fault(f"found {shown(line)}, expected 'p aux sp co VERTICES'", number)
    if tokens[-1].lstrip(b"0") != str(n).encode().lstrip(b"0"):
        raise reading.fault(
            f"coordinates for {shown(tokens[-1])} vertices, the graph has {n}", number
        )
    return min(at + len(line) + 1, len(data)), number


def write(graph: CSRGraph, path: Path) -> None:
    """Write `.gr` text, and `.co` beside it where the graph has positions."""
    rows = number_columns("a %s %s %s\n", *_one_based_arcs(graph))
    title = " ".join(graph.name.split())
    write_text(path, [f"c {title}\np sp {graph.n} {graph.m}\n"], rows)
    if graph.positions is not None:
        stem = path.name.removesuffix(".gz").removesuffix(".xz").removesuffix(".bz2")
        beside = path.with_name(stem.removesuffix(".gr") + ".co" + path.name[len(stem) :])
        write_positions(beside, graph.positions)


def write_positions(path: Path, positions: np.ndarray) -> None:
    """Write float32 (n, 2) as a `.co` file, vertices numbered from 1."""
    ids = np.arange(1, len(positions) + 1)
    if len(positions) and np.abs(positions).max() > EXACT_FLOAT32:
        positions = positions.astype(np.float64)  # all digits: to be read as they are, not moved
    lines = number_columns("v %s %s %s\n", ids, positions[:, 0], positions[:, 1])
    write_text(path, [f"p aux sp co {len(positions)}\n"], lines)


def _one_based_arcs(graph: CSRGraph) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return tails_of(graph.indptr) + 1, graph.indices.astype(np.int64) + 1, graph.weights


FORMAT = Format(
    "dimacs", "DIMACS .gr, PACE p tw", (".gr",), sniff, read, write,
    numbered_from=counts_from(1), places=True, promised=rows_promised(COUNTS),
)  # fmt: skip
