"""The graph of a run: found again for a trace, and as much of it as a page draws.

Positions are put on a grid of 65,536 steps, finer than any screen. Of an arc and its reverse one
is kept: a map draws them as one line. Above MOST_VERTICES evenly chosen ones are drawn, and the
page says so. A graph of a few vertices keeps every arc with its weight, for it is drawn as in a
textbook.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.page.pack import Pack, smallest
from gpu.record.reach import SAMPLE, question
from gpu.record.trace import Trace
from gpu.words import in_sight

MOST_VERTICES = 60_000
FEW_VERTICES, FEW_ARCS = 40, 200  # of a graph that is drawn one by one
GRID = 65_535  # steps of the longer side


@dataclass(frozen=True)
class Drawn:
    """What of a graph is on the page. tree : for JSON; chosen : the vertices, None for all."""

    tree: dict[str, Any]
    chosen: np.ndarray | None

    def of(self, values: np.ndarray) -> np.ndarray:
        """Return the values (n,) of the vertices that are drawn."""
        return values if self.chosen is None else values[self.chosen]


def find_graph(trace: Trace, folder: Path | None) -> tuple[CSRGraph | None, str]:
    """Return the graph that the trace was made on, or None and a sentence that says why.

    folder : where the trace's file lies: only there a graph is opened; None: anywhere
    """
    origin = trace.graph.origin
    if origin.startswith(SAMPLE):
        from sample_graphs import remembered_reference

        origin = remembered_reference(origin, trace.graph.options)
    if folder is not None and (reason := question(origin, folder)):
        return None, f"Drawn without its graph, which is {reason}; --anywhere opens it"
    if folder is not None and not origin.startswith(SAMPLE):
        origin = str(folder / origin)
    try:
        graph = open_again(origin, {} if origin.startswith(SAMPLE) else trace.graph.options)
    except (GpuError, OSError, TypeError, ValueError) as error:
        return None, f"Drawn without its graph: {error}"
    if graph.hash != trace.graph.hash:
        return None, f"Drawn without its graph: {origin} is another graph than the run's"
    return graph, ""


def open_again(origin: str, options: dict[str, Any]) -> CSRGraph:
    """Open what a trace names, with the options that it was opened with."""
    if origin.startswith(SAMPLE):
        from sample_graphs import open_reference

        return open_reference(origin, options)
    from gpu.formats import load_graph
    from gpu.record.workspace import reader_options

    return load_graph(origin, **reader_options(options))


def placed(graph: CSRGraph) -> CSRGraph:
    """Return the graph with positions: its own, else found."""
    if graph.positions is not None or not graph.n:
        return graph
    from gpu.placement.placements import layout

    return graph.with_positions(layout(graph))


def drawn(pack: Pack, graph: CSRGraph) -> Drawn:
    """Put a graph on the page."""
    graph = placed(graph)
    chosen = None
    if graph.n > MOST_VERTICES:
        chosen = np.linspace(0, graph.n - 1, MOST_VERTICES).round().astype(np.int64)
    few = graph.n <= FEW_VERTICES and graph.m <= FEW_ARCS
    tails, heads, weights = _arcs(graph, chosen, whole=few)
    tree = {
        "name": graph.name,
        "n": graph.n,
        "m": graph.m,
        "few": few,
        **_positions(pack, graph, chosen),
        "tails": pack.add(smallest(tails)),
        "heads": pack.add(smallest(heads)),
        "weights": pack.add(weights.astype(np.float64)) if few else None,
        "ids": _ids(graph, chosen),
        "id_base": graph.id_base,
        "shown": None if chosen is None else pack.add(chosen.astype(np.uint32)),
    }
    return Drawn(tree, chosen)


def _positions(pack: Pack, graph: CSRGraph, chosen: np.ndarray | None) -> dict[str, Any]:
    """Return x and y on the grid, y down, GRID where a vertex has no place; width and height."""
    positions = graph.positions if graph.positions is not None else np.zeros((graph.n, 2))
    where = (positions if chosen is None else positions[chosen]).astype(np.float64)
    has_place = np.isfinite(where).all(axis=1)
    if not has_place.any():
        return {"x": pack.add(np.zeros(len(where), np.uint16))} | {
            "y": pack.add(np.zeros(len(where), np.uint16)),
            "width": 1,
            "height": 1,
        }
    low, high = where[has_place].min(axis=0), where[has_place].max(axis=0)
    unit = max(float((high - low).max()), 1e-300) / (GRID - 1)
    across = np.where(has_place, (where[:, 0] - low[0]) / unit, GRID)
    down = np.where(has_place, (high[1] - where[:, 1]) / unit, GRID)
    width, height = ((high - low) / unit).round().tolist()
    return {
        "x": pack.add(across.round().astype(np.uint16)),
        "y": pack.add(down.round().astype(np.uint16)),
        "width": max(width, 1),
        "height": max(height, 1),
    }


def _arcs(
    graph: CSRGraph, chosen: np.ndarray | None, whole: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return tails, heads, weights; of both directions one and no loops, unless `whole`."""
    tails = np.repeat(np.arange(graph.n, dtype=np.int64), np.diff(graph.indptr))
    heads, weights = graph.indices.astype(np.int64), graph.weights
    if whole:
        return tails, heads, weights
    if chosen is not None:
        place = np.full(graph.n, -1, np.int64)
        place[chosen] = np.arange(len(chosen))
        tails, heads = place[tails], place[heads]
        kept = (tails >= 0) & (heads >= 0)
        tails, heads = tails[kept], heads[kept]
    low, high = np.minimum(tails, heads), np.maximum(tails, heads)
    count = graph.n if chosen is None else len(chosen)
    pairs = np.unique((low * count + high)[low != high])
    return pairs // count, pairs % count, weights


def _ids(graph: CSRGraph, chosen: np.ndarray | None) -> list[Any] | None:
    """Return the file's own names of the vertices drawn, None where they are counted."""
    if graph.ids is None:
        return None
    names = (graph.ids if chosen is None else graph.ids[chosen]).tolist()
    return [in_sight(name) if isinstance(name, str) else name for name in names]
