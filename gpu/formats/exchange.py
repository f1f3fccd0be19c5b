"""From a NetworkX graph to ours: what GraphML, GEXF and GML have in common.

Vertices. Identifiers that are the whole numbers 0..n-1 or 1..n become the numbering;
other whole numbers are ranked and kept in `ids`; words are kept in the order of the file.
Labels are not identifiers: two vertices may share one.

Weights. The edge attribute that was asked for (`weight_name`), else the first of
WEIGHT_NAMES that any edge has, in any case. An edge without it has the file's default, else 1.
These formats say "double" of whatever a program wrote, so numbers that are all whole are
integers here.

Positions. The first of `POSITIONS` that every vertex has. GML's graphics count y downwards, as
screens do, and are turned over.

NetworkX and the trees of XML take up to BYTES_PER_BYTE of memory for each byte of text
(measured at worst: GEXF 57, GraphML 45, GML 30): that is asked for first. A parser that is not
ours may fail in any way on broken text; `read_with` turns whatever it raises into one line.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from gpu.errors import GpuError
from gpu.formats.base import NAME, SIGNS, Reading, bare_name, shown
from gpu.formats.build import graph_from_arcs, value_rule
from gpu.formats.named_edges import name_array
from gpu.formats.row_rules import FLOAT32_MAX, NOT_NEGATIVE, SKIPPED
from gpu.graph import CSRGraph
from gpu.memory import require_memory

WEIGHT_NAMES = ("weight", "value", "length", "distance", "cost", "time")
COORDINATES = (("x", "y"), ("lon", "lat"), ("lng", "lat"), ("longitude", "latitude"))
BYTES_PER_BYTE = 60
WORDS_SHOWN = 160  # of what another program's parser says
INT64_MAX = 2**63 - 1
WHOLE = re.compile(r"-?[0-9]{1,19}", re.ASCII)

Attributes = dict[str, Any]


def read_with(reading: Reading, title: str, size: int, parse: Callable[[], Any]) -> Any:
    """Return parse(), a NetworkX graph; FormatError for whatever it raises.

    Raises MemoryNeededError if `size` bytes of text may take more memory than is free.
    """
    require_memory(BYTES_PER_BYTE * size, str(reading.path))
    reading.report(0.5, "parsing")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return parse()
    except (GpuError, MemoryError):
        raise
    except Exception as error:
        words = " ".join(str(error).split())[:WORDS_SHOWN]
        words = words.encode("ascii", "backslashreplace").decode()
        kind = type(error).__name__
        raise reading.fault(f"no {title} that can be read ({words or kind})") from error


def graph_from_networkx(reading: Reading, key: str, graph: Any, size: int) -> CSRGraph:
    """Return the CSRGraph of a NetworkX graph; `size` bytes is what it was read from.

    Raises FormatError for weights that are no numbers >= 0 and names that cannot be kept.
    """
    nodes = list(graph)
    order, ids, base = _numbering(reading, nodes, size)
    vertex = {node: int(rank) for node, rank in zip(nodes, order, strict=True)}
    reading.report(0.8, "edges")
    edges = list(graph.edges(data=True))
    tails = np.fromiter((vertex[u] for u, _, _ in edges), np.int64, len(edges))
    heads = np.fromiter((vertex[v] for _, v, _ in edges), np.int64, len(edges))
    defaults = graph.graph.get("edge_default", {})
    values = _values(reading, edges, defaults if isinstance(defaults, dict) else {})
    positions = _positions(reading, [graph.nodes[node] for node in nodes])
    if positions is not None:
        placed = np.empty_like(positions)
        placed[order] = positions
        positions = placed
    return graph_from_arcs(
        reading, key, tails, heads, values, len(nodes),
        integral=values is None or bool((values == np.floor(values)).all()),
        both=not graph.is_directed(), positions=positions, ids=ids, id_base=base,
        name=bare_name(reading.path),
    )  # fmt: skip


# ---------------------------------------------------------------- vertices


def _numbering(
    reading: Reading, nodes: list[Any], size: int
) -> tuple[np.ndarray, np.ndarray | None, int]:
    """Return the vertex of each node, the ids where they must be kept, and the base."""
    numbers = [_whole(node) for node in nodes]
    if None in numbers or len(set(numbers)) < len(numbers):
        names = name_array(reading, [str(node) for node in nodes], size)
        return np.arange(len(nodes)), names, 0
    found = np.array(numbers, np.int64)
    ids, order = np.unique(found, return_inverse=True)
    if len(ids) and ids[0] in {0, 1} and ids[-1] == len(ids) - 1 + ids[0]:
        return order, None, int(ids[0])
    if not len(ids):
        return order, None, 0
    reading.note(f"ids from {ids[0]} to {ids[-1]}, {len(ids)} of them: ranked 0 to {len(ids) - 1}")
    return order, ids, 0


def _whole(node: Any) -> int | None:
    """Return the number that a node's id is, None for words and for odd spellings."""
    text = str(node)
    if not WHOLE.fullmatch(text):
        return None
    number = int(text)
    return number if str(number) == text and abs(number) <= INT64_MAX else None


# ---------------------------------------------------------------- weights


def _values(
    reading: Reading, edges: list[tuple[Any, Any, Attributes]], defaults: Attributes
) -> np.ndarray | None:
    """Return float64 (m,), None where no edge has a weight."""
    names = dict.fromkeys(name for _, _, data in edges for name in data)
    names.update(dict.fromkeys(defaults))
    chosen = choose_name(reading, [name for name in names if isinstance(name, str)])
    if chosen is None or value_rule(reading) == SKIPPED:
        return None
    default = defaults.get(chosen, 1)
    values = np.empty(len(edges))
    for k, (tail, head, data) in enumerate(edges):
        values[k] = _number(reading, data.get(chosen, default), tail, head)
    without = sum(chosen not in data for _, _, data in edges)
    reading.note(f"weights from the attribute {chosen!r}")
    if without:
        reading.note(f"{without} edges without it weigh {default}")
    return values


def choose_name(reading: Reading, names: Iterable[str]) -> str | None:
    """Return which of the names holds the weights, None where none does.

    Raises FormatError if the one that was asked for is not there.
    """
    names = list(names)
    if reading.weight_name is not None:
        folded = {name.casefold(): name for name in reversed(names)}
        found = folded.get(reading.weight_name.casefold())
        if found is None:
            there = ", ".join(repr(name[:40]) for name in names[:12]) or "none"
            raise reading.fault(
                f"no weights named {reading.weight_name!r}; there are: {there}", remedy=NAME
            )
        return found
    return usual_name(names)


def usual_name(names: Iterable[str]) -> str | None:
    """Return which of the names holds the weights where none is asked for."""
    folded = {name.casefold(): name for name in reversed(list(names))}
    return next((folded[name] for name in WEIGHT_NAMES if name in folded), None)


def _number(reading: Reading, found: Any, tail: Any, head: Any) -> float:
    try:
        value = float(found)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if abs(value) <= FLOAT32_MAX and (value >= 0 or value_rule(reading) != NOT_NEGATIVE):
        return value
    edge = " -> ".join(shown(str(end).encode(errors="replace")) for end in (tail, head))
    if value < 0:
        raise reading.fault(
            f"edge {edge} has weight {value:g}, below zero; weights must be >= 0", remedy=SIGNS
        )
    raise reading.fault(f"edge {edge} has weight {ascii(found)[:40]}; expected a finite number")


# ---------------------------------------------------------------- positions


def _positions(reading: Reading, nodes: list[Attributes]) -> np.ndarray | None:
    """Return float32 (n, 2) if every node has a place in the same manner, else None."""
    for name, place in POSITIONS.items():
        xy = np.array([place(data) or (math.nan, math.nan) for data in nodes]).reshape(-1, 2)
        with np.errstate(over="ignore"):
            xy = xy.astype(np.float32)
        good = int(np.isfinite(xy).all(axis=1).sum())
        if good and good == len(nodes):
            reading.note(f"positions from {name}")
            return xy
        if good:
            reading.note(f"no positions: only {good} of {len(nodes)} vertices have {name}")
            return None
    return None


def _pair(x: Any, y: Any) -> tuple[float, float] | None:
    try:
        return float(x), float(y)
    except (TypeError, ValueError, OverflowError):
        return None


def _named_pair(x_name: str, y_name: str) -> Callable[[Attributes], tuple[float, float] | None]:
    return lambda data: _pair(data.get(x_name), data.get(y_name))


def _viz(data: Attributes) -> tuple[float, float] | None:
    viz = data.get("viz")
    place = viz.get("position") if isinstance(viz, dict) else None
    return _pair(place.get("x"), place.get("y")) if isinstance(place, dict) else None


def _graphics(data: Attributes) -> tuple[float, float] | None:
    box = data.get("graphics")
    pair = _pair(box.get("x"), box.get("y")) if isinstance(box, dict) else None
    return (pair[0], -pair[1]) if pair else None


def _pos(data: Attributes) -> tuple[float, float] | None:
    """Return `pos`, a list of numbers or text such as "1.5, 2" or "(1.5, 2)"."""
    pos = data.get("pos")
    if isinstance(pos, str):
        pos = pos.strip("()[] ").replace(",", " ").split()
    return _pair(pos[0], pos[1]) if isinstance(pos, list) and len(pos) >= 2 else None


POSITIONS: dict[str, Callable[[Attributes], tuple[float, float] | None]] = {
    "viz:position": _viz,
    "graphics": _graphics,
    **{f"{x} and {y}": _named_pair(x, y) for x, y in COORDINATES[:1]},
    "pos": _pos,
    **{f"{x} and {y}": _named_pair(x, y) for x, y in COORDINATES[1:]},
}
