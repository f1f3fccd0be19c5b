"""Pajek `.net`: vertices, then arcs, edges, lists of either, or a matrix.

    *Vertices 3
    1 "first" 0.1 0.2
    *Arcs
    1 2 5.5
    *Edges
    2 3

Arcs are directed, edges are not, and a file may hold both. Vertices are called by their
numbers, 1 to n; labels are not kept. Coordinates count y downwards and are turned over. A
missing weight is 1; 0 in a matrix is no arc. `%` begins a comment.

NetworkX has a reader, and this is not it: that one takes edges after arcs for arcs, lists for
arcs with weights, and two vertices of one label for one, and says nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gpu.formats.named_edges import read_weight
from gpu.graph import CSRGraph
from gpu.parsing.build import graph_from_arcs, value_rule
from gpu.parsing.filebytes import FileBytes
from gpu.parsing.reading import Format, Reading, bare_name, shown
from gpu.parsing.row_rules import IS_VALUE, RowRules

BYTES_PER_BYTE = 80  # of memory for each byte of text, measured 69 for a matrix of ones
LINES_PER_REPORT = 20_000
SECTIONS = (b"*vertices", b"*arcslist", b"*edgeslist", b"*arcs", b"*edges", b"*matrix", b"*network")
TOKEN = re.compile(rb'"[^"]*+"|[^ \t\r"]++')
COUNT = re.compile(rb"[0-9]{1,18}")


@dataclass
class _Found:
    """What was read so far; `rows` of tail, head, weight; `both` says which are edges."""

    n: int = -1
    size_line: int = 0
    tails: list[int] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    both: list[bool] = field(default_factory=list)
    places: dict[int, tuple[float, float]] = field(default_factory=dict)
    matrix_rows: int = 0
    weighted: bool = False
    integral: bool = True


def sniff(head: bytes) -> float:
    """Return 1 where the first line that is no comment begins a section."""
    for line in head.split(b"\n"):
        word = line.strip().lower()
        if word and not word.startswith((b"%", b"/*")):
            return float(word.startswith(SECTIONS))
    return 0.0


def read(reading: Reading, data: FileBytes) -> CSRGraph:
    """Read the first network of a Pajek file."""
    reading.need_memory(BYTES_PER_BYTE * len(data))
    found = _Found()
    section = b""
    for number, line in enumerate(bytes(data).split(b"\n"), 1):
        if number % LINES_PER_REPORT == 0:
            reading.report(0.5, "parsing")
        word = line.strip().lower()
        if not word or word.startswith((b"%", b"/*")):
            continue
        if word.startswith(b"*"):
            if word.startswith((b"*network", b"*vertices")) and found.tails:
                reading.note("only the first network of the file was read")
                break
            section = _section(reading, found, word, number, len(data))
        elif section == b"*vertices":
            _vertex(reading, found, line, number)
        else:
            _arcs(reading, found, section, line, number)
    return _graph(reading, found)


def _section(reading: Reading, found: _Found, word: bytes, number: int, size: int) -> bytes:
    section = next((name for name in SECTIONS if word.startswith(name)), None)
    if section is None:
        raise reading.fault(
            f"found {shown(word)}, expected *Vertices, *Arcs, *Edges or *Matrix", number
        )
    if section == b"*vertices":
        tokens = word.split()
        if len(tokens) < 2 or not COUNT.fullmatch(tokens[1]) or found.n >= 0:
            raise reading.fault(f"found {shown(word)}, expected one '*Vertices COUNT'", number)
        found.n, found.size_line = int(tokens[1]), number
        reading.check_promise(found.n, 0, size, number)
        if len(tokens) > 2:
            reading.note("a two-mode network: both kinds of vertices are vertices")
    elif section != b"*network" and found.n < 0:
        raise reading.fault(f"found {shown(word)} before '*Vertices COUNT'", number)
    return section


def _vertex(reading: Reading, found: _Found, line: bytes, number: int) -> None:
    tokens = TOKEN.findall(line)
    vertex = _number(reading, found, tokens[0] if tokens else b"", number)
    if len(tokens) >= 4 and IS_VALUE.fullmatch(tokens[2]) and IS_VALUE.fullmatch(tokens[3]):
        found.places[vertex] = float(tokens[2]), -float(tokens[3])


def _arcs(reading: Reading, found: _Found, section: bytes, line: bytes, number: int) -> None:
    tokens = line.split()
    if section == b"*matrix":
        _matrix_row(reading, found, tokens, number)
        return
    if section not in SECTIONS[1:5] or len(tokens) < 2:
        raise reading.fault(f"found {shown(line)}, expected 'TAIL HEAD [WEIGHT]'", number)
    tail = _number(reading, found, tokens[0], number)
    both = section.startswith(b"*edges")
    if section.endswith(b"list"):
        for token in tokens[1:]:
            _add(found, tail, _number(reading, found, token, number), 1.0, both)
        return
    head = _number(reading, found, tokens[1], number)
    weight = 1.0
    if len(tokens) > 2:
        weight = _weight(reading, found, tokens[2], number)
    _add(found, tail, head, weight, both)


def _matrix_row(reading: Reading, found: _Found, tokens: list[bytes], number: int) -> None:
    tail = found.matrix_rows
    if len(tokens) != found.n or tail >= found.n:
        raise reading.fault(
            f"row {tail + 1} of the matrix has {len(tokens)} numbers; expected {found.n} rows of "
            f"{found.n}", number,
        )  # fmt: skip
    for head, token in enumerate(tokens):
        if token != b"0" and not (IS_VALUE.fullmatch(token) and float(token) == 0):
            _add(found, tail, head, _weight(reading, found, token, number), False)
    found.matrix_rows += 1


def _add(found: _Found, tail: int, head: int, weight: float, both: bool) -> None:
    found.tails.append(tail)
    found.heads.append(head)
    found.weights.append(weight)
    found.both.append(both)


def _number(reading: Reading, found: _Found, token: bytes, number: int) -> int:
    """Return the index of the vertex that a token names."""
    vertex = int(token) if COUNT.fullmatch(token) else 0
    if not 1 <= vertex <= found.n:
        raise reading.fault(
            f"{shown(token)} is no vertex: line {found.size_line} promises 1 to {found.n}", number
        )
    return vertex - 1


def _weight(reading: Reading, found: _Found, token: bytes, number: int) -> float:
    rules = RowRules("'TAIL HEAD WEIGHT'", value_columns=1, values=value_rule(reading))
    value = read_weight(reading, token, rules, number)
    found.weighted = True
    found.integral = found.integral and b"." not in token and value == int(value)
    return value


def _graph(reading: Reading, found: _Found) -> CSRGraph:
    if found.n < 0:
        raise reading.fault("no '*Vertices COUNT' in it")
    tails, heads = np.array(found.tails, np.int64), np.array(found.heads, np.int64)
    exact = found.integral and all(type(weight) is int for weight in found.weights)
    values = np.array(found.weights, np.int64 if exact else np.float64)
    both = np.array(found.both, bool)
    mixed = bool(both.any() and not both.all())
    if mixed and reading.undirected is None:
        back = both & (tails != heads)
        reading.note(f"{int(both.sum())} edges, read as both arcs, and {int((~both).sum())} arcs")
        tails, heads = np.append(tails, heads[back]), np.append(heads, tails[back])
        values = np.append(values, values[back])
    return graph_from_arcs(
        reading, "pajek", tails, heads, values if found.weighted else None, found.n,
        integral=found.integral, both=bool(len(both)) and bool(both.all()),
        positions=_positions(reading, found), id_base=1, name=bare_name(Path(reading.path)),
    )  # fmt: skip


def _positions(reading: Reading, found: _Found) -> np.ndarray | None:
    if not found.places:
        return None
    if len(found.places) < found.n:
        words = f"only {len(found.places)} of {found.n} vertices have coordinates"
        reading.note(f"no positions: {words}")
        return None
    with np.errstate(over="ignore"):
        xy = np.array([found.places[v] for v in range(found.n)]).astype(np.float32)
    return xy if np.isfinite(xy).all() else None


FORMAT = Format("pajek", "Pajek", (".net", ".paj"), sniff, read)
