"""What is said when something of ours broke: what, where it is written down, what to do."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import Qt, QUrl
from PyQt6.QtGui import QDesktopServices
from PyQt6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPushButton, QVBoxLayout, QWidget

from gpu.words import SENTENCE, in_sight
from viewer.common.theme import SPACING

WIDE = 480  # pixels


class FaultDialog(QDialog):
    """A fault in words, and the folder with its report; the window goes on behind it."""

    def __init__(self, error: BaseException, folder: Path, parent: QWidget) -> None:
        super().__init__(parent)
        self._folder = folder
        self.setWindowTitle("Something went wrong")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(WIDE)
        column = QVBoxLayout(self)
        column.setContentsMargins(*([2 * SPACING] * 4))
        column.setSpacing(SPACING)
        said = in_sight(f"{type(error).__name__}: {error}", SENTENCE)
        for words in (
            "A part of SSSP Scope did something that it should not. The window goes on; what you "
            "did last may not have happened.",
            said,
            f"Log, versions and your last actions are in {in_sight(str(folder), SENTENCE)}. "
            "Nothing was sent anywhere. Help > Report a problem makes one file of it.",
        ):
            column.addWidget(_label(words))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.show_button = QPushButton("Show the folder")
        buttons.addButton(self.show_button, QDialogButtonBox.ButtonRole.ActionRole)
        self.show_button.clicked.connect(self._show_folder)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)

    def _show_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._folder)))


def _label(words: str) -> QLabel:
    label = QLabel(words)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
