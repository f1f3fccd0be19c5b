"""From the nodes and edges of another program's file to `Arcs`: GraphML, GML, node-link JSON.

The adapters of these formats fill a `Network`. This module numbers its vertices and chooses among
the attributes.

Vertices. Identifiers that are the whole numbers 0..n-1 or 1..n become the numbering, other whole
numbers are ranked, words stay in the order of the file. Labels are not identifiers.

Weights. The edge attribute that the user chose, otherwise the first of WEIGHT_NAMES. An edge
without it has the file's default, else 1. Numbers that are all whole are integers.

Positions, if every vertex has one: `graphics` of GML, attributes x and y or lon and
lat. GML counts y downwards, as screens do, and is turned over.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gpu.errors import FormatError
from gpu.formats.build import both_or_one_way, whole_if_exact
from gpu.formats.reading import NAME, SIGNS, Arcs, Reading, shown
from gpu.formats.rows import FLOAT_MAX, INT64_MAX, whole_number

WEIGHT_NAMES = ("weight", "value", "length", "distance", "cost", "time")
NOT_WEIGHTS = {"id", "key", "source", "target"}
UNNAMED = "each edge weighs 1: no weights have a usual name, there are "
COORDINATES = (("x", "y"), ("lon", "lat"))
BYTES_PER_BYTE = 40  # of memory for each byte of text
NO_LETTERS = re.compile("[\0\ud800-\udfff]")  # zero, and halves of UTF-16
WHOLE = re.compile(r"-?[0-9]{1,19}", re.ASCII)
SURE_DIGITS = 18  # fit int64
NAME_CHARACTERS = 256
WIDTH_FACTOR = 64  # the array of names may take so many times the file's bytes

Attributes = dict[str, Any]


@dataclass(slots=True)
class Edge:
    """One edge as written; `line` 1-based, None if the format has no lines."""

    tail: str
    head: str
    line: int | None
    attributes: Attributes = field(default_factory=dict)
    directed: bool | None = None  # None: as the network


@dataclass
class Network:
    """What an adapter read: vertices by identifier, in the order of the file, and edges."""

    directed: bool = False
    nodes: dict[str, Attributes] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    defaults: Attributes = field(default_factory=dict)  # of edges, by attribute

    def add_node(self, reading: Reading, name: str | None, line: int | None) -> Attributes:
        """Return the attributes, still empty, of a new vertex with a name of its own."""
        if name is None:
            raise reading.fault("a node without an id; every node needs one of its own", line)
        if name in self.nodes:
            raise reading.fault(f"node id {_quoted(name)} is duplicated; each needs its own", line)
        return self.nodes.setdefault(name, {})

    def add_edge(
        self, reading: Reading, tail: str | None, head: str | None, line: int | None
    ) -> Edge:
        """Return a new edge; raise FormatError if an end is missing."""
        if tail is None or head is None:
            missing = "source" if tail is None else "target"
            other = head if tail is None else tail
            of = f" at {_quoted(other)}" if other is not None else ""
            words = f"an edge{of} without a {missing}; expected a source and a target"
            raise reading.fault(words, line)
        self.edges.append(Edge(tail, head, line))
        return self.edges[-1]


def _quoted(name: str) -> str:
    return shown(name.encode(errors="replace"))


def arcs_of(reading: Reading, network: Network, size: int) -> Arcs:
    """Return the edges of a network; `size` is the file's, in bytes.

    Raises FormatError for ends that are no vertices, weights that are no numbers >= 0 and names
    that cannot be kept.
    """
    nodes, edges = list(network.nodes), network.edges
    order, ids, base = _numbering(reading, nodes, size)
    vertex = {node: int(rank) for node, rank in zip(nodes, order, strict=True)}
    reading.report(0.8, "edges")
    try:
        tails = np.array([vertex[edge.tail] for edge in edges], np.int64)
        heads = np.array([vertex[edge.head] for edge in edges], np.int64)
    except KeyError:
        raise _undefined_end(reading, edges, vertex) from None
    values = _values(reading, edges, network.defaults)
    positions = _positions(reading, list(network.nodes.values()))
    if positions is not None:
        positions = positions[np.argsort(order)]
    directed = [network.directed if e.directed is None else e.directed for e in edges]
    arcs = Arcs(
        tails, heads, len(nodes), values, ids=ids, places=positions, id_base=base,
        both=not network.directed,
    )  # fmt: skip
    return both_or_one_way(reading, arcs, ~np.array(directed, bool))


def _undefined_end(reading: Reading, edges: list[Edge], vertex: dict[str, int]) -> FormatError:
    edge = next(edge for edge in edges if not {edge.tail, edge.head} <= vertex.keys())
    end, name = ("target", edge.head) if edge.tail in vertex else ("source", edge.tail)
    words = f"an edge with the undefined {end} {_quoted(name)}; no node has that id"
    return reading.fault(words, edge.line)


# ---------------------------------------------------------------- vertices


def _numbering(
    reading: Reading, nodes: list[Any], size: int
) -> tuple[np.ndarray, np.ndarray | None, int]:
    """Return the vertex of each node, the ids if they must be kept, and the base."""
    whole = [_whole(node) for node in nodes]
    if None in whole or len(set(whole)) < len(whole):
        names = name_array(reading, [str(node) for node in nodes], size)
        return np.arange(len(nodes)), names, 0
    ids, order = np.unique(np.array(whole, np.int64), return_inverse=True)
    if not len(ids):
        return order, None, 0
    if ids[0] in {0, 1} and ids[-1] == len(ids) - 1 + ids[0]:
        return order, None, int(ids[0])
    reading.note(f"ids from {ids[0]} to {ids[-1]}, {len(ids)} of them: ranked 0 to {len(ids) - 1}")
    return order, ids, 0


def _whole(node: Any) -> int | None:
    """Return the number that a node's id is, None for words and for odd spellings."""
    text = str(node)
    if not WHOLE.fullmatch(text):
        return None
    number = int(text)
    return number if str(number) == text and abs(number) <= INT64_MAX else None


def name_array(reading: Reading, names: list[str], size: int) -> np.ndarray:
    """Return names as str (n,), all different; `size` is the file's, in bytes.

    The array has a fixed width, so one very long name would make it huge: NAME_CHARACTERS bounds
    each, WIDTH_FACTOR all. Raises FormatError for names that are too long, the same, or cannot be
    written again.
    """
    width = max(map(len, names), default=1)
    if 4 * width * len(names) > WIDTH_FACTOR * size + 1_000_000 or width > NAME_CHARACTERS:
        raise reading.fault(
            f"{len(names)} names of up to {width} characters in a file of {size} bytes; "
            f"the longest ones are too long (at most {NAME_CHARACTERS}) for an array of names"
        )
    if NO_LETTERS.search("".join(names)):
        name = next(name for name in names if NO_LETTERS.search(name))
        raise reading.fault(f"name {ascii(name)[:60]} holds characters that no name may hold")
    if len(set(names)) < len(names):
        raise reading.fault("two vertices have the same name; each needs its own")
    return np.array(names, f"<U{max(width, 1)}")


# ---------------------------------------------------------------- weights


def _values(reading: Reading, edges: list[Edge], defaults: Attributes) -> np.ndarray | None:
    names = dict.fromkeys(name for edge in edges for name in edge.attributes)
    names.update(dict.fromkeys(defaults))
    chosen = choose_name(reading, names)
    if chosen is None:
        note_unnamed(reading, [name for name in names if _has_numbers(edges, name)])
    if chosen is None or not reading.needs_weights:
        return None
    default = defaults.get(chosen, 1)
    numbers = [_number(reading, edge.attributes.get(chosen, default), edge) for edge in edges]
    whole = all(type(number) is int for number in numbers)
    values = whole_if_exact(np.array(numbers, np.int64 if whole else np.float64))
    without = sum(chosen not in edge.attributes for edge in edges)
    reading.note(f"weights from the attribute {chosen!r}")
    if without:
        reading.note(f"{without} edges without it weigh {default}")
    return values


def _has_numbers(edges: list[Edge], name: str) -> bool:
    """Whether the first edge that has an attribute has a number there."""
    first = next((e.attributes[name] for e in edges if name in e.attributes), None)
    try:
        whole_or_float(first)
    except (TypeError, ValueError, OverflowError):
        return False
    return name not in NOT_WEIGHTS


def note_unnamed(reading: Reading, names: list[str]) -> None:
    """Note that none of the names of numbers is a usual one for weights."""
    if names and reading.needs_weights:
        reading.note(f"{UNNAMED}{', '.join(name[:40] for name in names[:12])}")


def whole_or_float(value: Any) -> float:
    """Return a number or the number that a text spells, an int if it fits int64.

    Raises TypeError, ValueError, OverflowError if there is none.
    """
    if type(value) not in {int, str}:
        return float(value)
    if type(value) is str and len(value) <= SURE_DIGITS and value.isascii() and value.isdigit():
        return int(value)
    whole = whole_number(str(value).strip().encode(errors="replace"))
    return float(value) if whole is None else whole


def choose_name(reading: Reading, names: Iterable[str]) -> str | None:
    """Return the name that holds the weights, None if none does.

    Raises FormatError if the name that the user chose is not there.
    """
    names = list(names)
    folded = {name.casefold(): name for name in reversed(names)}
    if reading.weight_name is None:
        return next((folded[name] for name in WEIGHT_NAMES if name in folded), None)
    name = folded.get(reading.weight_name.casefold())
    if name is None:
        there = ", ".join(repr(name[:40]) for name in names[:12]) or "none"
        raise reading.fault(
            f"no weights named {reading.weight_name!r}; there are: {there}", remedy=NAME
        )
    return name


def _number(reading: Reading, written: Any, edge: Edge) -> float:
    try:
        value = whole_or_float(written)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if abs(value) <= FLOAT_MAX and (value >= 0 or reading.allows_negative):
        return value
    ends = f"edge {_quoted(edge.tail)} -> {_quoted(edge.head)}"
    if value < 0:
        words = f"{ends} has weight {value:g}, below zero; weights must be >= 0"
        raise reading.fault(words, edge.line, SIGNS)
    words = f"{ends} has weight {ascii(written)[:40]}; expected a finite number"
    raise reading.fault(words, edge.line)


# ---------------------------------------------------------------- positions


def _positions(reading: Reading, nodes: list[Attributes]) -> np.ndarray | None:
    """Return float32 (n, 2) if every node has a place, otherwise None."""
    xy = np.array([_place(data) for data in nodes]).reshape(-1, 2)
    with np.errstate(over="ignore"):
        xy = xy.astype(np.float32)
    good = int(np.isfinite(xy).all(axis=1).sum())
    if good and good < len(nodes):
        reading.note(f"no positions: only {good} of {len(nodes)} vertices have coordinates")
    return xy if good and good == len(nodes) else None


def _place(data: Attributes) -> tuple[float, float]:
    graphics = data.get("graphics")
    try:
        if isinstance(graphics, dict):
            return float(graphics["x"]), -float(graphics["y"])
        x, y = next((pair for pair in COORDINATES if pair[0] in data), COORDINATES[0])
        return float(data[x]), float(data[y])
    except (KeyError, TypeError, ValueError, OverflowError):
        return math.nan, math.nan
