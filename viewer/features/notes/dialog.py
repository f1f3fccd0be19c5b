"""Asks for the words of a note: one line, as long as a note may be."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from gpu.record.notes import LONGEST_NOTE
from viewer.common.text_size import scaled

WIDTH = 420  # pixels, at the reference text size


class NoteDialog(QDialog):
    """`then` is called with what was written, as it was written."""

    def __init__(
        self, title: str, text: str, then: Callable[[str], object], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._then = then
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(scaled(WIDTH))
        self.field = QLineEdit(text)
        self.field.setMaxLength(LONGEST_NOTE)
        self.field.setAccessibleName(title)
        self.field.setPlaceholderText(f"Up to {LONGEST_NOTE} characters")
        kinds = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel)
        column = QVBoxLayout(self)
        column.addWidget(QLabel(title))
        column.addWidget(self.field)
        column.addWidget(buttons)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)

    def accept(self) -> None:
        """Hand the words on."""
        super().accept()
        self._then(self.field.text())
