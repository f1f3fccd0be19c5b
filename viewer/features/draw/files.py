"""Where drawings are kept: the current one, and each that became the window's graph.

`drawing.npz` is written a moment after each edit. A drawing that is used is kept beside it
(`kept_graphs`), so that its runs name a file. Both are graph files like any other.
"""

from __future__ import annotations

from pathlib import Path

from gpu.errors import GpuError
from gpu.formats import load_graph, save_graph
from viewer.common.kept_graphs import forget_old, kept_path
from viewer.features.draw.drawing import Drawing
from viewer.features.draw.graph import can_be_drawn, from_graph, to_graph

LATEST = "drawing.npz"


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
