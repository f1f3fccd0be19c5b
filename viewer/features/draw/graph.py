"""A drawing becomes a CSRGraph and comes back.

To a graph: vertices in the order in which they were drawn, arcs likewise; an edge of an undirected
drawing as both arcs, rows sorted. Names that count on from 0 or 1 become its numbering, other
whole numbers its ids, anything else words. Positions go along.

From a graph: one whose arcs pair up, each with one of the same weight the other way, becomes an
undirected drawing. Positions are scaled until neighbours stand a comfortable distance apart; a
graph that a drawing was saved as keeps its places exactly.

`drawing.npz` is written a moment after each edit. A drawing that is used is kept beside it
(`kept_graphs`), so that its runs name a file. Both are graph files like any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from gpu.errors import GpuError, ParameterError
from gpu.formats import load_graph, save_graph
from gpu.graph import MAX_COUNT, CSRGraph, Provenance
from viewer.common.kept_graphs import forget_old, kept_path
from viewer.features.draw.drawing import UNTITLED, Arc, Drawing, Vertex
from viewer.features.draw.rules import (
    MOST_ARCS,
    MOST_VERTICES,
    NAME_LENGTH,
    Weight,
    check_counts,
    checked_name,
    checked_weight,
)

LATEST = "drawing.npz"
SPACING = 120.0  # units between neighbours
COMFORTABLE = (0.4, 2.5)  # times SPACING: positions within are kept as they are
LARGEST = 1e6  # units from the middle: nearest neighbours may lie as near as numbers can


def to_graph(drawing: Drawing, origin: str = "memory") -> CSRGraph:
    """Return what is drawn as a checked graph; raise ParameterError where nothing is."""
    if not drawing.vertices:
        raise ParameterError("Nothing is drawn yet: add a vertex first.")
    place = {vertex.key: k for k, vertex in enumerate(drawing.vertices)}
    ends: list[tuple[int, int]] = []
    weights: list[Weight] = []
    for arc in drawing.arcs:
        ends.append((place[arc.tail], place[arc.head]))
        weights.append(arc.weight)
        if not drawing.directed and arc.tail != arc.head:
            ends.append((place[arc.head], place[arc.tail]))
            weights.append(arc.weight)
    both = np.array(ends, np.int64).reshape(-1, 2)
    small = max(weights, default=0) <= MAX_COUNT
    values = np.array(weights, np.float64 if drawing.decimals else np.int32 if small else np.int64)
    if not drawing.directed:  # sorted rows: the same graph again however its edges were drawn
        order = np.lexsort((values, both[:, 1], both[:, 0]))
        both, values = both[order], values[order]
    ids, base = _ids([vertex.name for vertex in drawing.vertices])
    return CSRGraph.from_arcs(
        both[:, 0],
        both[:, 1],
        values,
        len(place),
        positions=np.array([(v.x, v.y) for v in drawing.vertices], np.float32),
        ids=ids,
        id_base=base,
        name=drawing.name,
        provenance=Provenance(origin, "drawing", {}),
    )


def _ids(names: list[str]) -> tuple[np.ndarray | None, int]:
    whole = [name for name in names if name.isascii() and name.isdigit() and str(int(name)) == name]
    if len(whole) < len(names) or any(int(name) > 2**62 for name in whole):
        return np.array(names), 0
    numbers = [int(name) for name in names]
    for base in (0, 1):
        if numbers == list(range(base, base + len(numbers))):
            return None, base
    return np.array(numbers, np.int64), 0


def can_be_drawn(graph: CSRGraph | None) -> bool:
    """Whether a graph is small enough to be edited by hand."""
    return graph is not None and graph.n <= MOST_VERTICES and graph.m <= 2 * MOST_ARCS


def from_graph(graph: CSRGraph, positions: np.ndarray | None = None) -> Drawing:
    """Return a graph as a drawing; raise ParameterError where it is too large.

    positions : float32 (n, 2) where they differ from the graph's own
    """
    check_counts(graph.n, graph.m // 2 if graph.m > MOST_ARCS else graph.m)
    places = positions if positions is not None else graph.positions
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr)).tolist()
    heads = graph.indices.tolist()
    pairs = list(zip(tails, heads, graph.weights.tolist(), strict=True))
    edges = _paired(pairs)
    directed = edges is None
    arcs = pairs if edges is None else edges
    check_counts(graph.n, len(arcs))
    if places is None or not np.isfinite(places).all():
        spots = _spots(graph)
    else:
        spots = comfortable(places.astype(np.float64))
    names = _names(graph)
    vertices = tuple(Vertex(k + 1, names[k], float(x), float(y)) for k, (x, y) in enumerate(spots))
    lines = tuple(
        Arc(graph.n + 1 + k, tail + 1, head + 1, checked_weight(weight))
        for k, (tail, head, weight) in enumerate(arcs)
    )
    name = " ".join(graph.name.replace('"', "").split())[:NAME_LENGTH] or UNTITLED
    return Drawing(name, vertices, lines, directed)


def placed(drawing: Drawing) -> Drawing:
    """Return the drawing with new places, chosen so that its edges can be seen."""
    spots = _spots(to_graph(drawing)).tolist()
    moved = (
        replace(vertex, x=x, y=y) for vertex, (x, y) in zip(drawing.vertices, spots, strict=True)
    )
    return replace(drawing, vertices=tuple(moved))


def _spots(graph: CSRGraph) -> np.ndarray:
    """Return places for a graph that has none, float64 (n, 2), about SPACING apart."""
    from gpu.placement.placements import layout

    return comfortable(layout(graph).astype(np.float64))


def _paired(arcs: Sequence[tuple[int, int, float]]) -> list[tuple[int, int, float]] | None:
    """Return each edge once if all arcs pair up, both ways with one weight, else None."""
    count = Counter(arcs)
    loops_only = all(tail == head for tail, head, _ in arcs)
    if loops_only or any(count[head, tail, w] != k for (tail, head, w), k in count.items()):
        return None
    return [arc for arc in arcs if arc[0] <= arc[1]]


def _names(graph: CSRGraph) -> list[str]:
    """Return names that a drawing may have, all different, as near to the graph's as can be."""
    taken: set[str] = set()
    names = []
    for vertex in range(graph.n):
        plain = " ".join(str(graph.id_of(vertex)).replace('"', "").split())[:NAME_LENGTH]
        try:
            name = checked_name(plain, taken)
        except ParameterError:
            k = 2
            while (name := f"{(plain or 'v')[: NAME_LENGTH - 6]} {k}") in taken:
                k += 1
        taken.add(name)
        names.append(name)
    return names


def comfortable(places: np.ndarray) -> np.ndarray:
    """Return places, float64 (n, 2), scaled so that nearest neighbours are about SPACING apart.

    Places that are comfortable already, as in a saved drawing, stay where they are.
    """
    n = len(places)
    if n < 2:
        return places * 0 if n and np.abs(places).max() > 1e6 else places
    apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    np.fill_diagonal(apart, np.inf)
    nearest = apart.min(axis=1)
    nearest = nearest[nearest > 0]
    if not len(nearest):
        return SPACING * np.stack([np.arange(n), np.zeros(n)], axis=1)
    gap = float(np.median(nearest))
    if COMFORTABLE[0] * SPACING <= gap <= COMFORTABLE[1] * SPACING:
        return places
    middle = (places.min(axis=0) + places.max(axis=0)) / 2
    return (places - middle) * min(SPACING / gap, LARGEST / np.abs(places - middle).max())


def keep_latest(drawing: Drawing, folder: Path) -> None:
    """Write the drawing as it is now, whole or not at all; raise GpuError where that fails."""
    folder.mkdir(parents=True, exist_ok=True)
    if drawing.vertices:
        save_graph(to_graph(drawing), folder / LATEST)
    else:
        (folder / LATEST).unlink(missing_ok=True)


def latest(folder: Path) -> Drawing | None:
    """Return the drawing that was kept, None where there is none that can be read."""
    path = folder / LATEST
    try:
        graph = load_graph(path)
        return from_graph(graph) if can_be_drawn(graph) else None
    except (OSError, GpuError):
        return None


def keep_used(drawing: Drawing, folder: Path) -> Path:
    """Write a drawing that is given to the window, return where; raise GpuError, OSError."""
    graph = to_graph(drawing)
    path = kept_path(folder, drawing.name or "drawing", graph.hash)
    save_graph(graph, path)
    forget_old(path)
    return path
