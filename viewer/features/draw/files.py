"""Where drawings are kept: the current one, and each that became the window's graph.

`drawing.json` is written a moment after each edit. A drawing that is used is kept beside it as a
graph file (`kept_graphs`), so that its runs name a file.
"""

from __future__ import annotations

import json
from pathlib import Path

from gpu.errors import GpuError
from gpu.formats import save_graph
from gpu.wholefile import written_whole
from viewer.common.kept_graphs import forget_old, kept_folder, kept_path
from viewer.features.draw.drawing import Drawing
from viewer.features.draw.graph import from_json, to_graph, to_json

LATEST = "drawing.json"
LARGEST = 4_000_000  # bytes of a file that is read


def drawings_folder() -> Path:
    """Return the folder, which may not be there yet."""
    return kept_folder("drawings")


def keep_latest(drawing: Drawing, folder: Path) -> None:
    """Write the drawing as it is now, whole or not at all; raise GpuError where that fails."""
    text = json.dumps(to_json(drawing), ensure_ascii=False).encode()
    folder.mkdir(parents=True, exist_ok=True)
    with written_whole(folder / LATEST) as file:
        file.write(text)


def latest(folder: Path) -> Drawing | None:
    """Return the drawing that was kept, None where there is none that can be read."""
    path = folder / LATEST
    try:
        if path.stat().st_size > LARGEST:
            return None
        return from_json(json.loads(path.read_bytes()))
    except (OSError, ValueError, GpuError, RecursionError):
        return None


def keep_used(drawing: Drawing, folder: Path) -> Path:
    """Write a drawing that is given to the window, return where; raise GpuError, OSError."""
    graph = to_graph(drawing)
    path = kept_path(folder, drawing.name or "drawing", graph.hash)
    save_graph(graph, path)
    forget_old(path)
    return path
