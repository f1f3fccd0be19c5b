"""Where drawings are kept: the one being drawn, and each that was given to the window.

`drawing.json` is the drawing as it was left, written a moment after each edit: closing the program
or opening something else loses nothing. A drawing that is used becomes `NAME-HASH.npz` beside it,
so that the runs made on it name a file that is there: a workspace, a trace, a copied command
can open it again. The newest `MOST_USED` of these are kept.

All of it stands in the settings' folder.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from PyQt6.QtCore import QStandardPaths

from gpu.errors import GpuError
from gpu.formats import save_graph
from gpu.wholefile import written_whole
from viewer.models.drawing import Drawing
from viewer.models.drawing_graph import from_json, to_graph, to_json

LATEST = "drawing.json"
MOST_USED = 200  # files of drawings that were used
LARGEST = 4_000_000  # bytes of a file that is read


def drawings_folder() -> Path:
    """Return the folder, which may not be there yet."""
    place = QStandardPaths.StandardLocation.AppConfigLocation
    return Path(QStandardPaths.writableLocation(place)) / "drawings"


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
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^\w-]+", "-", drawing.name).strip("-").lower() or "drawing"
    path = folder / f"{name}-{graph.hash}.npz"
    save_graph(graph, path)
    used = sorted(folder.glob("*.npz"), key=lambda one: one.stat().st_mtime)
    for old in used[:-MOST_USED]:
        if old != path:
            old.unlink(missing_ok=True)
    return path
