"""One line for somebody who has never been here: where to start. It comes once."""

from __future__ import annotations

from PyQt6.QtCore import QSize, pyqtSignal
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton

from viewer.common.icons import stroke_icon
from viewer.common.theme import SPACING, Theme, mix

TINT = 0.10  # share of the accent in the background


class LessonHint(QFrame):
    """Words, a button that starts the first lesson, a cross that dismisses."""

    start_requested = pyqtSignal()
    dismissed = pyqtSignal()

    def __init__(self, words: str, button: str) -> None:
        super().__init__()
        self.setObjectName("lesson_hint")
        self.setAccessibleName("Where to start")
        self.words = QLabel(words)
        self.words.setWordWrap(True)
        self.words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.start = QPushButton(button)
        self.start.setProperty("role", "primary")
        self.cross = QToolButton()
        self.cross.setAutoRaise(True)
        self.cross.setIconSize(QSize(14, 14))
        self.cross.setToolTip("Hide this; the lessons are in the Help menu (F2)")
        self.cross.setAccessibleName("Dismiss the hint")
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACING + 2, 3, SPACING, 3)
        row.addWidget(self.words, 1)
        row.addWidget(self.start)
        row.addWidget(self.cross)
        self.start.clicked.connect(self.start_requested)
        self.cross.clicked.connect(self.dismissed)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.cross.setIcon(stroke_icon("close", theme.text, theme.muted))
        self.setStyleSheet(
            f"#lesson_hint {{ background: {mix(theme.window, theme.accent, TINT)}; border: none;"
            f" border-left: 3px solid {theme.accent}; }}"
        )
