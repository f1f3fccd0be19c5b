"""The modes of the window: a presentation, a drawing."""

from __future__ import annotations

from PyQt6.QtCore import QObject, pyqtSignal


class Modes(QObject):
    """Set by the feature that begins or ends a mode, read by all others."""

    drawing_changed = pyqtSignal()
    presentation_ended = pyqtSignal()  # and the window stands as before

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.presenting = False
        self.drawing = False

    def set_drawing(self, on: bool) -> None:
        """A graph is being drawn from now on, or no longer."""
        self.drawing = on
        self.drawing_changed.emit()
