"""One line above the graph while a recording is shown: where it comes from, what else there is."""

from __future__ import annotations

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QFrame, QLabel, QPushButton

from viewer.common.flow import FlowLayout
from viewer.common.small_widgets import chip
from viewer.common.theme import SPACING, Theme, mix

TINT = 0.10  # share of the accent in the background
OTHERS = {  # action: its words, what they promise
    "recorded_roads": ("Roads", "Sooner, with more work"),
    "recorded_mesh": ("A mesh", "Sooner, and less work"),
    "recorded_sweep": ("Sweep", "Time and work against Δ: least work is not least time"),
}


class OpeningCard(QFrame):
    """Words, the prepared starts, and a button that makes the runs here."""

    run_requested = pyqtSignal()
    other_requested = pyqtSignal(str)  # a key of OTHERS

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("opening_card")
        self.setAccessibleName("What is shown")
        self.words = QLabel()
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.others = {key: chip(words, tip) for key, (words, tip) in OTHERS.items()}
        self.run = QPushButton("Run here")
        self.run.setProperty("role", "primary")
        self.run.setToolTip("Make both runs on this machine (Ctrl+R)")
        row = FlowLayout(self)
        row.setContentsMargins(SPACING + 2, 3, SPACING, 3)
        row.addWidget(self.words)
        for key, button in self.others.items():
            button.setCheckable(True)
            button.clicked.connect(lambda _on, key=key: self.other_requested.emit(key))
            row.addWidget(button)
        row.addWidget(self.run)
        self.run.clicked.connect(self.run_requested)

    def show_words(self, words: str, chosen: str) -> None:
        """Say what is shown; `chosen` is the prepared start that it is, a key of OTHERS."""
        self.words.setText(words)
        for key, button in self.others.items():
            button.setChecked(key == chosen)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.setStyleSheet(
            f"#opening_card {{ background: {mix(theme.window, theme.accent, TINT)}; border: none;"
            f" border-left: 3px solid {theme.accent}; }}"
        )
