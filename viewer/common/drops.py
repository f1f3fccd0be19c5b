"""Files dropped on the window: exactly one local file, wherever it falls."""

from __future__ import annotations

from PyQt6.QtGui import QDropEvent
from PyQt6.QtWidgets import QWidget


def refuse_drops(widget: QWidget) -> None:
    """A file dropped anywhere is for the window, not for a field inside it."""
    for part in widget.findChildren(QWidget):
        part.setAcceptDrops(False)


def dropped_file(event: QDropEvent) -> str | None:
    """Return the one local file that is being dropped, None for anything else."""
    mime = event.mimeData()
    urls = mime.urls() if mime is not None else []
    files = [url.toLocalFile() for url in urls if url.isLocalFile()]
    return files[0] if len(files) == 1 else None
