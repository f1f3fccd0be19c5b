"""The bar above the graph while two runs are compared: what differs, in a sentence and cautions.

What can be done with the two is behind one button: the actions of the menu Compare.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QToolButton, QVBoxLayout, QWidget

from viewer.common.glossary import explain, mentioned
from viewer.common.small_widgets import chip, wrapped_label
from viewer.common.theme import SPACING, Theme
from viewer.models.comparison import ComparisonModel

WHERE = "The cursor was put where A and B differ most; Play goes on from there."
UNIT = re.compile(r"(\d) (?=%|[nµm]?s\b)")  # a number stays with its unit


class CompareBar(QFrame):
    """Sentence, cautions and a menu; hidden while nothing is compared."""

    def __init__(
        self, pair: ComparisonModel, actions: Sequence[QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._pair = pair
        self._theme: Theme | None = None
        self._where = ""  # where the cursor was put, until another pair comes
        self._wanted = True  # the simple screen has a sentence of its own
        self._build()
        menu = QMenu(self)
        menu.addActions(actions)
        self.more.setMenu(menu)
        pair.pair_changed.connect(self._show_pair)
        pair.words_changed.connect(self._show_words)
        self._show_pair()

    def _build(self) -> None:
        self.setObjectName("compare_bar")
        self.setAccessibleName("Comparison")
        self.words, self.cautions = QLabel(), wrapped_label()
        self.words.setTextFormat(Qt.TextFormat.RichText)
        self.words.setWordWrap(True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.more = chip("⋯", "How the graph shows the two runs; swap them, end")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        row, column = QHBoxLayout(self), QVBoxLayout()
        row.setContentsMargins(SPACING + 2, SPACING // 2 + 2, SPACING + 2, SPACING // 2 + 2)
        row.setSpacing(SPACING)
        column.setSpacing(SPACING // 2)
        column.addWidget(self.words)
        column.addWidget(self.cautions)
        row.addLayout(column, 1)
        row.addWidget(self.more, 0, Qt.AlignmentFlag.AlignTop)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        self.setStyleSheet(f"CompareBar {{ border-bottom: 1px solid {theme.border}; }}")
        self._show_words()

    def text(self) -> str:
        """Return what is said, without marks of letters and colours."""
        summary = self._pair.summary()
        return summary.whole if summary is not None else ""

    def allow(self, shown: bool) -> None:
        """Be shown while two runs are compared, or never."""
        self._wanted = shown
        self.setVisible(self._pair.active and shown)

    def say_where(self) -> None:
        """Say that the cursor was put where the two differ most."""
        self._where = WHERE
        self._show_words()

    def _show_pair(self) -> None:
        self._where = ""
        self.allow(self._wanted)
        self._show_words()

    def _show_words(self) -> None:
        summary = self._pair.summary()
        if summary is None:
            return
        self.words.setText(self._lettered(summary.words))
        self.words.setToolTip(explain(*mentioned(summary.words)))
        cautions = list(summary.cautions)
        if self._where:
            cautions.append(self._where)
        self.cautions.setText(" ".join(cautions))
        self.cautions.setVisible(bool(cautions))
        self.setAccessibleDescription(self.text())

    def _lettered(self, words: str) -> str:
        """Return rich text in which the first mention of each run carries its letter."""
        words = words.replace("&", "&amp;").replace("<", "&lt;")
        words = UNIT.sub("\\1&nbsp;", words)
        if self._theme is None:
            return words
        marks: list[tuple[int, str, str]] = []
        for letter, name, colour in zip("AB", self._pair.names, self._theme.runs, strict=True):
            at = words.find(name)
            if at >= 0 and not name.startswith(f"{letter} ("):
                marks.append((at, letter, colour))
        for at, letter, colour in sorted(marks, reverse=True):
            mark = f'<b style="color:{colour}">{letter}</b>&nbsp;'
            words = words[:at] + mark + words[at:]
        return words
