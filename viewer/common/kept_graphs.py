"""Graphs that no file of the user's holds, such as drawings, as `NAME-HASH.npz` in our folder.

So workspaces, traces and copied commands can open them again. The newest `MOST_KEPT` stay.
"""

from __future__ import annotations

import re
from pathlib import Path

from PyQt6.QtCore import QStandardPaths

from gpu.files import write_whole

MOST_KEPT = 200


def kept_folder(name: str) -> Path:
    """Return the folder of that name in the settings' folder, which may not be there yet."""
    place = QStandardPaths.StandardLocation.AppConfigLocation
    return Path(QStandardPaths.writableLocation(place)) / name


def kept_path(folder: Path, name: str, hashed: str) -> Path:
    """Return where a graph of that name and hash is kept; the folder is made."""
    folder.mkdir(parents=True, exist_ok=True)
    words = (re.sub(r"[^\w-]+", "-", word).strip("-").lower() for word in (name, hashed))
    return folder / ("-".join(word[:80] or "graph" for word in words) + ".npz")


def keep_bytes(packed: bytes, name: str, hashed: str) -> Path:
    """Write an .npz as it came, whole or not at all; return where. Raises GpuError, OSError."""
    path = kept_path(kept_folder("graphs"), name, hashed)
    write_whole(path, packed)
    forget_old(path)
    return path


def forget_old(path: Path) -> None:
    """Delete the oldest beside `path`, but not itself."""
    kept = sorted(path.parent.glob("*.npz"), key=lambda one: one.stat().st_mtime)
    for old in kept[:-MOST_KEPT]:
        if old != path:
            old.unlink(missing_ok=True)
