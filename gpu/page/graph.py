"""The graph of a run: found again for a trace, and as a page draws it.

Positions are put on a grid of 65,536 steps, finer than any screen. Of an arc and its reverse one
is kept: a map draws them as one line. A graph of a few vertices keeps every arc with its weight,
for it is drawn as in a textbook. Graphs above MOST_VERTICES are not drawn.
"""

from __future__ import annotations

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


def find_graph(trace: Trace, folder: Path | None) -> tuple[CSRGraph | None, str]:
    """Return the graph that the trace was made on, or None and a sentence that says why.

    folder : where the trace's file lies: only there a graph is opened; None: anywhere
    """
    origin, options = trace.graph.origin, trace.graph.options
    if origin.startswith(SAMPLE):
        from sample_graphs import remembered_reference

        origin, options = remembered_reference(origin, options), {}
    if folder is not None and (reason := question(origin, folder)):
        return None, f"Drawn without its graph, which is {reason}; --anywhere opens it"
    if folder is not None and not origin.startswith(SAMPLE):
        origin = str(folder / origin)
    try:
        graph = open_again(origin, options)
    except (GpuError, OSError, TypeError, ValueError) as error:
        return None, f"Drawn without its graph: {error}"
    if graph.hash != trace.graph.hash:
        return None, f"Drawn without its graph: {origin} is another graph than the run's"
    return graph, ""


def open_again(origin: str, options: dict[str, Any]) -> CSRGraph:
    """Open a sample by its reference, or a file with the options that it was opened with."""
    if origin.startswith(SAMPLE):
        from sample_graphs import open_sample

        return open_sample(origin)
    from gpu.formats import load_graph
    from gpu.record.workspace import reader_options

    return load_graph(origin, **reader_options(options))


def placed(graph: CSRGraph) -> CSRGraph:
    """Return the graph with positions: its own, else found."""
    if graph.positions is not None or not graph.n:
        return graph
    from gpu.placement.placements import layout

    return graph.with_positions(layout(graph))


def drawn(pack: Pack, graph: CSRGraph) -> dict[str, Any]:
    """Put a graph on the page; return its JSON values."""
    graph = placed(graph)
    few = graph.n <= FEW_VERTICES and graph.m <= FEW_ARCS
    tails = np.repeat(np.arange(graph.n, dtype=np.int64), np.diff(graph.indptr))
    heads = graph.indices.astype(np.int64)
    if not few:  # of both directions one, and no loops
        low, high = np.minimum(tails, heads), np.maximum(tails, heads)
        tails, heads = np.divmod(np.unique((low * graph.n + high)[low != high]), graph.n)
    names = None if graph.ids is None else graph.ids.tolist()
    return {
        "name": graph.name,
        "n": graph.n,
        "m": graph.m,
        "few": few,
        **_positions(pack, graph),
        "tails": pack.add(smallest(tails)),
        "heads": pack.add(smallest(heads)),
        "weights": pack.add(graph.weights.astype(np.float64)) if few else None,
        "ids": names and [in_sight(name) if isinstance(name, str) else name for name in names],
        "id_base": graph.id_base,
    }


def _positions(pack: Pack, graph: CSRGraph) -> dict[str, Any]:
    """Return x and y on the grid, y down, GRID where a vertex has no place; width and height."""
    where = (
        np.zeros((graph.n, 2)) if graph.positions is None else graph.positions.astype(np.float64)
    )
    has_place = np.isfinite(where).all(axis=1)
    kept = where[has_place] if has_place.any() else np.zeros((1, 2))
    low, high = kept.min(axis=0), kept.max(axis=0)
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
