"""What the window is in the middle of: a presentation, a page with a history of its own."""

from __future__ import annotations

from typing import Protocol

from PyQt6.QtCore import QObject, pyqtSignal


class Guest(Protocol):
    """A page with a history of its own, which undo and redo serve while it is open."""

    @property
    def undo_words(self) -> str:
        """What undo would take back, "" for nothing."""

    @property
    def redo_words(self) -> str:
        """What redo would do again, "" for nothing."""

    def undo(self) -> None:
        """Take back one step."""

    def redo(self) -> None:
        """Do it again."""


class Modes(QObject):
    """Set by who begins and ends a mode, read by everybody else."""

    guest_changed = pyqtSignal()  # another guest or none, or its history grew
    presentation_ended = pyqtSignal()  # and the window stands as before

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.presenting = False
        self.guest: Guest | None = None

    def set_guest(self, guest: Guest | None) -> None:
        """Let undo and redo serve a page while it is open; None ends it."""
        self.guest = guest
        self.guest_changed.emit()
