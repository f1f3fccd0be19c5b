"""Large GraphML and GML by compiled loops, where nodes and edges are as programs write them.

A file is cut in three: what stands before the first node or edge, the nodes and edges, and what
stands behind. The middle goes through `element_loops`. The rest, with one node for all of
them, goes through the format's own reader, which must find that node and no other: so direction,
declarations and all that is wrong around the graph are read in one place. Where anything is odd,
the whole file is left to that reader: it finds what it means, or the words for what is wrong.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gpu.errors import FormatError
from gpu.formats.exchange import COORDINATES, Network, choose_name, numbering
from gpu.graph import CSRGraph
from gpu.parsing.build import graph_from_arcs, value_rule
from gpu.parsing.filebytes import FileBytes
from gpu.parsing.reading import Reading, bare_name
from gpu.parsing.row_rules import SIGNED, SKIPPED, RowRules
from gpu.parsing.rows import PARSE_SHARE, read_rows
from gpu.parsing.source import READ_SHARE

SENTINEL = "0"  # id of the node that stands for all
PAUSE_BYTES = 16 << 20  # read before the next look at whether to stop
BEFORE_BYTES = 1 << 20  # at most, before the first node
SAMPLE_BYTES = 1 << 17  # of the first edges, and of the end of the file
DEFAULT_BYTES = 12  # of a default weight, written out for each edge without one
OTHER_PLACES = {name for pair in COORDINATES[1:] for name in pair} | {"pos"}
BYTES_PER_BYTE = 22  # of memory for each byte of text: a node of 14 bytes has a name


@dataclass(frozen=True)
class Declared:
    """What attributes elements may have.

    edges : names of those of edges, by what calls them in the file
    others : what else an element may be called to have
    x, y : what calls the places of nodes
    defaults : of edges, by name
    """

    edges: dict[str, str]
    others: tuple[str, ...] = ()
    x: str | None = None
    y: str | None = None
    defaults: dict[str, Any] = field(default_factory=dict)


class Surroundings(ABC):
    """What stands around the nodes and edges, read by the format's own reader."""

    key: str  # of the format
    least_bytes: int  # of an element
    places = "x and y"  # what they are called in a note
    downwards = False  # whether places count so

    @abstractmethod
    def first(self, data: FileBytes) -> int:
        """Return where the first node or edge begins, -1 where there is none."""

    @abstractmethod
    def before(self, text: bytes, sample: bytes) -> Declared | None:
        """Take what stands before it, and a sample of edges; return None if that is odd."""

    @abstractmethod
    def behind(self, text: bytes) -> Network:
        """Take what stands behind the last one; return SENTINEL and what was there."""


def read_elements(reading: Reading, data: FileBytes, surroundings: Surroundings) -> CSRGraph | None:
    """Return the graph of a large and regular file, None where it is left to the plain reader."""
    reading.need_memory(BYTES_PER_BYTE * len(data))
    told = list(reading.notes)
    try:
        graph = _graph(reading, data, surroundings)
    except FormatError:
        graph = None
    if graph is None:
        reading.notes[:] = told
    return graph


def _graph(reading: Reading, data: FileBytes, around: Surroundings) -> CSRGraph | None:
    start = around.first(data)
    if not 0 <= start < BEFORE_BYTES:
        return None
    edges = max(data.find(b"edge", start), start)
    sample = bytes(data[edges : edges + SAMPLE_BYTES]) + bytes(data[-SAMPLE_BYTES:])
    declared = around.before(bytes(data[:start]), sample)
    if declared is None or len(set(declared.edges.values())) < len(declared.edges):
        return None
    calls = {name: call for call, name in declared.edges.items()}
    guess = choose_name(reading, dict.fromkeys([*calls, *declared.defaults]))
    default = declared.defaults.get(guess, 1) if guess else 1
    scan = _Scan(data, start, around, declared, calls.get(guess or ""), repr(default).encode())
    if len(repr(default)) > DEFAULT_BYTES or not scan.run(reading):
        return None
    network = around.behind(bytes(data[scan.at :]))
    if list(network.nodes) != [SENTINEL] or network.edges or not scan.edges:
        return None
    met = [declared.edges[call] for call in scan.met if call in declared.edges]
    chosen = choose_name(reading, dict.fromkeys([*met, *declared.defaults]))
    if len(met) < len(scan.met) or chosen not in {guess, None} or isinstance(default, str):
        return None
    return scan.graph(reading, network, chosen if value_rule(reading) != SKIPPED else None, default)


class _Scan:
    """The nodes and edges of one file."""

    def __init__(
        self,
        data: FileBytes,
        start: int,
        around: Surroundings,
        declared: Declared,
        weight: str | None,
        default: bytes,
    ) -> None:
        from gpu.formats.element_loops import CELLS, FOUND
        from gpu.parsing.interning import BLOCK, NAME_WORDS, Names

        self._around, self._text, self.at = around, np.frombuffer(data, np.uint8), start
        self._calls = [*declared.edges, *declared.others]
        places = [call for call in (declared.x, declared.y) if call is not None]
        self._calls += [call for call in places if call not in self._calls]
        known = [call.encode() for call in self._calls]
        roles = [
            self._calls.index(call) if call is not None else -1
            for call in (weight, declared.x, declared.y)
        ]
        self._names = Names()
        size = len(data) - start
        self._given = (
            np.frombuffer(b"".join(known) + b" ", np.uint8),
            np.cumsum([0, *map(len, known)]).astype(np.int64),
            np.array([*roles, len(declared.edges)], np.int64),
            np.frombuffer(default, np.uint8),
        )
        blocks = (BLOCK * NAME_WORDS, BLOCK, BLOCK)
        self._block = tuple(np.empty(words, np.uint64) for words in blocks)
        self._cells = np.zeros((2 * CELLS, 2), np.int64)
        self._seen = np.zeros(len(known) + 1, np.int64)
        most = size // around.least_bytes + 2
        self._numbers, self._kinds = np.empty(most, np.int32), np.empty(most, np.uint8)
        self._weights, self._places = np.empty((2, size + 1), np.uint8)
        self._found = np.zeros(FOUND, np.int64)

    @property
    def edges(self) -> int:
        """How many were read."""
        from gpu.formats.element_loops import EDGES

        return int(self._found[EDGES])

    @property
    def met(self) -> list[str]:
        """What called the attributes that edges had, in order of appearance."""
        return [self._calls[k] for k in np.argsort(self._seen[:-1]) if self._seen[k]]

    def run(self, reading: Reading) -> bool:
        """Read up to the first thing that is no node or edge; return whether all was regular."""
        from gpu.formats.element_loops import ODD, STOPPED, scan_elements

        start, stop, gml = self.at, len(self._text), self._around.key == "gml"
        while self.at < stop and not self._found[ODD] and not self._found[STOPPED]:
            share = (self.at - start) / (stop - start)
            reading.report(READ_SHARE + PARSE_SHARE * share, "parsing")
            self._names.grow()
            self.at = scan_elements(
                self._text, self.at, min(self.at + PAUSE_BYTES, stop), stop, gml, *self._given,
                *self._names.arrays, self._block, self._cells, self._seen, self._numbers,
                self._kinds, self._weights, self._places, self._found,
            )  # fmt: skip
        return not self._found[ODD]

    def graph(
        self, reading: Reading, network: Network, chosen: str | None, default: float
    ) -> CSRGraph | None:
        """Return the graph; None where an end is no node, or a node stands twice."""
        from gpu.formats.element_loops import FALSE, NAMES, NODE, TRUE, WEIGHED, WITHOUT

        found, count = self._found, int(self._found[NAMES])
        kinds, numbers = self._kinds[:count], self._numbers[:count]
        nodes, ends = numbers[kinds == NODE], numbers[kinds != NODE]
        node_of = np.full(len(self._names), -1, np.int64)
        node_of[nodes] = np.arange(len(nodes))
        tails, heads = node_of[ends].reshape(-1, 2).T
        if min(tails.min(), heads.min()) < 0 or len(nodes) != len(self._names):
            return None
        undirected = int(found[FALSE] if network.directed else self.edges - found[TRUE])
        if 0 < undirected < self.edges:
            return None
        words = self._names.words_of(self._names.letters(), nodes)
        order, ids, base = numbering(reading, list(words), len(self._text))
        values = None
        if chosen is not None:
            values = _values(reading, self._weights[: found[WEIGHED]], 1, value_rule(reading))[0]
            reading.note(f"weights from the attribute {chosen!r}")
            if found[WITHOUT]:
                reading.note(f"{found[WITHOUT]} edges without it weigh {default}")
        placed, positions = self._positions(reading, order)
        if not placed:
            return None
        return graph_from_arcs(
            reading, self._around.key, order[tails], order[heads], values, len(nodes),
            integral=values is None or bool((values == np.floor(values)).all()),
            both=bool(undirected), positions=positions, ids=ids, id_base=base,
            name=bare_name(reading.path),
        )  # fmt: skip

    def _positions(self, reading: Reading, order: np.ndarray) -> tuple[bool, np.ndarray | None]:
        """Return whether all nodes have places or none has, and float32 (n, 2) or None."""
        from gpu.formats.element_loops import PLACED, PLACES

        if not self._found[PLACES]:
            return True, None
        xy = _values(reading, self._places[: self._found[PLACED]], 2, SIGNED)
        if xy.shape[1] != len(order):
            return False, None
        placed = np.empty((len(order), 2), np.float32)
        with np.errstate(over="ignore"):
            placed[order, 0], placed[order, 1] = xy[0], -xy[1] if self._around.downwards else xy[1]
        reading.note(f"positions from {self._around.places}")
        return bool(np.isfinite(placed).all()), placed


def _values(reading: Reading, text: np.ndarray, columns: int, rule: int) -> np.ndarray:
    """Return numbers (columns, k) of lines; raise FormatError where one is none."""
    rules = RowRules("numbers", id_columns=0, value_columns=columns, values=rule)
    return read_rows(reading, bytearray(text.data), 0, rules, compiled=True).values
