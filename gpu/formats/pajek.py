"""Pajek `.net` and `.paj`: vertices, then arcs, edges, lists of either, or a matrix.

    *Vertices 3
    1 "first" 0.1 0.2
    *Arcs
    1 2 5.5
    *Edges
    2 3

Arcs are directed, edges are not, and a file may hold both. Vertices are named by their numbers, 1
to n; labels are not kept. Coordinates count y downwards and are turned over. A missing weight is 1.
`%` begins a comment, `#` before the first section too. Of several networks the first is read;
partitions, vectors and the like of a project (`.paj`) are skipped.

`*Vertices 8 5` is a two-mode network: vertices 1 to 5 are of the first kind. A `*Matrix` has a row
for each vertex (of the first kind) and a column for each (of the second kind); an entry that is not
0 is an arc, in a two-mode network an edge.

NetworkX's reader is not used: it reads edges after arcs as arcs, lists as arcs with weights, and
two vertices with one label as one, silently.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from gpu.formats.build import both_or_one_way, whole_if_exact
from gpu.formats.reading import Arcs, Format, Reading, shown
from gpu.formats.rows import IS_VALUE, RowRules, value_fault, value_rule, whole_number

BYTES_PER_BYTE = 80  # of memory for each byte of text
LINES_PER_REPORT = 20_000
LISTS, PAIRS = (b"*arcslist", b"*edgeslist"), (b"*arcs", b"*edges")
SECTIONS = (b"*vertices", *LISTS, *PAIRS, b"*matrix", b"*network")
SKIPPED = (b"*partition", b"*vector", b"*permutation", b"*cluster", b"*hierarchy")
TOKEN = re.compile(rb'"[^"]*+"|[^ \t\r"]++')
COUNT = re.compile(rb"[0-9]{1,18}")


@dataclass
class _Network:
    """What was read so far: columns of edges; `both` says which are undirected."""

    n: int = -1
    firsts: int = 0  # vertices of the first kind in a two-mode network
    size_line: int = 0
    matrix_line: int = 0  # 0: no *Matrix
    matrix_rows: int = 0  # read so far
    tails: list[int] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    both: list[bool] = field(default_factory=list)
    places: dict[int, tuple[float, float]] = field(default_factory=dict)
    weighted: bool = False
    decimal: bool = False

    def add(self, tail: int, head: int, weight: float, both: bool) -> None:
        """Add an edge."""
        self.tails.append(tail)
        self.heads.append(head)
        self.weights.append(weight)
        self.both.append(both)


def sniff(head: bytes) -> float:
    """Return 1 if the first line that is no comment begins a section."""
    for line in head.split(b"\n"):
        word = line.strip().lower()
        if word and not word.startswith((b"%", b"/*", b"#")):
            return float(word.startswith((*SECTIONS, *SKIPPED)))
    return 0.0


def read(reading: Reading, data: bytearray) -> Arcs:
    """Read the first network of a Pajek file."""
    reading.need_memory(BYTES_PER_BYTE * len(data))
    network = _Network()
    section = b""
    for number, line in enumerate(bytes(data).split(b"\n"), 1):
        if number % LINES_PER_REPORT == 0:
            reading.report(0.5, "parsing")
        word = line.strip().lower()
        comments = (b"%", b"/*") if section else (b"%", b"/*", b"#")
        if not word or word.startswith(comments):
            continue
        if word.startswith(SKIPPED) and section not in SKIPPED:
            reading.note("partitions, vectors and the like are not read")
            section = SKIPPED[0]
        if section in SKIPPED and not word.startswith(b"*network"):
            continue
        if word.startswith(b"*"):
            if word.startswith((b"*network", b"*vertices")) and network.tails:
                reading.note("only the first network of the file was read")
                break
            section = _section(reading, network, word, number, len(data))
        elif section == b"*vertices":
            _vertex(reading, network, line, number)
        elif section == b"*matrix":
            _matrix_row(reading, network, line, number)
        else:
            _row(reading, network, section, line, number)
    return _arcs(reading, network)


def _section(reading: Reading, network: _Network, word: bytes, number: int, size: int) -> bytes:
    section = next((name for name in SECTIONS if word.startswith(name)), None)
    if section is None:
        words = "expected *Vertices, *Arcs, *Edges or *Matrix"
        raise reading.fault(f"found {shown(word)}, {words}", number)
    if section == b"*vertices":
        _size(reading, network, word, number, size)
    elif section != b"*network" and network.n < 0:
        raise reading.fault(f"found {shown(word)} before '*Vertices COUNT'", number)
    if section == b"*matrix":
        network.matrix_line = number
    return section


def _size(reading: Reading, network: _Network, word: bytes, number: int, size: int) -> None:
    tokens = word.split()[1:]
    counts = [int(token) for token in tokens if COUNT.fullmatch(token)]
    two_modes = len(counts) == 2 and 0 < counts[1] < counts[0]
    if len(counts) != len(tokens) or network.n >= 0 or not (len(tokens) == 1 or two_modes):
        words = "expected one '*Vertices COUNT', or '*Vertices COUNT FIRST' with 0 < FIRST < COUNT"
        raise reading.fault(f"found {shown(word)}, {words}", number)
    reading.check_promise(counts[0], 0, size, number)
    network.n, network.size_line = counts[0], number
    if two_modes:
        network.firsts = counts[1]
        reading.note(f"two-mode network: vertices 1 to {counts[1]} are of the first kind")


def _vertex(reading: Reading, network: _Network, line: bytes, number: int) -> None:
    tokens = TOKEN.findall(line)
    vertex = _number(reading, network, tokens[0] if tokens else b"", number)
    if len(tokens) >= 4 and IS_VALUE.fullmatch(tokens[2]) and IS_VALUE.fullmatch(tokens[3]):
        network.places[vertex] = float(tokens[2]), -float(tokens[3])


def _row(reading: Reading, network: _Network, section: bytes, line: bytes, number: int) -> None:
    tokens = line.split()
    if section not in (*LISTS, *PAIRS) or len(tokens) < 2:
        raise reading.fault(f"found {shown(line)}, expected 'TAIL HEAD [WEIGHT]'", number)
    tail = _number(reading, network, tokens[0], number)
    both = section.startswith(b"*edges")
    if section in LISTS:
        for token in tokens[1:]:
            network.add(tail, _number(reading, network, token, number), 1, both)
        return
    head = _number(reading, network, tokens[1], number)
    weight = _weight(reading, network, tokens[2], number) if len(tokens) > 2 else 1
    network.add(tail, head, weight, both)


def _matrix_row(reading: Reading, network: _Network, line: bytes, number: int) -> None:
    first, tokens = network.firsts, line.split()
    rows, columns = first or network.n, network.n - first
    if len(tokens) != columns or network.matrix_rows == rows:
        raise reading.fault(f"found {shown(line)}, expected {rows} rows of {columns}", number)
    for column, token in enumerate(tokens):
        if not IS_VALUE.fullmatch(token):
            raise reading.fault(f"found {shown(token)}, expected a number", number)
        weight = _weight(reading, network, token, number)
        if float(token):
            network.add(network.matrix_rows, first + column, weight, both=first > 0)
    network.matrix_rows += 1


def _number(reading: Reading, network: _Network, token: bytes, number: int) -> int:
    vertex = int(token) if COUNT.fullmatch(token) else 0
    if not 1 <= vertex <= network.n:
        raise reading.fault(
            f"{shown(token)} is no vertex: line {network.size_line} promises 1 to {network.n}",
            number,
        )
    return vertex - 1


def _weight(reading: Reading, network: _Network, token: bytes, number: int) -> float:
    rules = RowRules("'TAIL HEAD WEIGHT'", value_columns=1, values=value_rule(reading))
    problem, remedy = value_fault(token, rules)
    if problem:
        raise reading.fault(problem, number, remedy)
    network.weighted = True
    if not reading.needs_weights:
        return 1
    network.decimal |= b"." in token
    whole = whole_number(token)
    return float(token) if whole is None else whole


def _arcs(reading: Reading, network: _Network) -> Arcs:
    if network.n < 0:
        raise reading.fault("no '*Vertices COUNT' in it")
    if network.matrix_line and network.matrix_rows != (network.firsts or network.n):
        words = f"only {network.matrix_rows} rows of the matrix that begins here"
        raise reading.fault(words, network.matrix_line)
    weights = None
    if network.weighted:
        exact = all(type(weight) is int for weight in network.weights)
        weights = np.array(network.weights, np.int64 if exact else np.float64)
        weights = weights if network.decimal else whole_if_exact(weights)
    arcs = Arcs(
        np.array(network.tails, np.int64), np.array(network.heads, np.int64), network.n, weights,
        places=_positions(reading, network), id_base=1,
    )  # fmt: skip
    return both_or_one_way(reading, arcs, np.array(network.both, bool))


def _positions(reading: Reading, network: _Network) -> np.ndarray | None:
    if not network.places:
        return None
    if len(network.places) < network.n:
        words = f"only {len(network.places)} of {network.n} vertices have coordinates"
        reading.note(f"no positions: {words}")
        return None
    with np.errstate(over="ignore"):
        xy = np.array([network.places[v] for v in range(network.n)]).astype(np.float32)
    return xy if np.isfinite(xy).all() else None


FORMAT = Format("pajek", "Pajek", (".net", ".paj"), sniff, read)
