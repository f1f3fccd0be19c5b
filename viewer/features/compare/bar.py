"""The bar above the graph while two runs are compared: what differs, and how they are laid out.

One sentence with its numbers, cautions, and choices: how the clocks meet, how the graph shows two
runs, which run is A. It shows the comparison's model and asks; it owns nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from PyQt6.QtCore import QSignalBlocker, Qt, pyqtSignal
from PyQt6.QtWidgets import QComboBox, QFrame, QLabel, QVBoxLayout, QWidget

from gpu.study.compare import ALIGNMENTS
from viewer.common.flow import FlowLayout
from viewer.common.glossary import explain, mentioned
from viewer.common.small_widgets import chip, choice, wrapped_label
from viewer.common.theme import SPACING, Theme
from viewer.models.comparison import ComparisonModel

WHERE = "The cursor was put where A and B differ most; Play goes on from there."
UNIT = re.compile(r"(\d) (?=%|[nµm]?s\b)")  # a number stays with its unit
VIEWS = {  # of PAIR_VIEWS: how the graph shows two runs
    "split": ("side by side", "Both runs, each in a map of its own, one cursor"),
    "difference": ("difference", "One map: who settled a vertex first"),
    "work": ("wasted work", "One map: who processed a vertex more often"),
    "single": ("A alone", "The map of A; the plots still show both"),
}
ALIGN_TIPS = {
    "time": "Both runs start at 0 and run on",
    "share": "B is shown where it had settled as many vertices as A",
    "bucket": "B is shown where its head bucket began at the distance that A's did",
}


class CompareBar(QFrame):
    """Sentence, cautions and choices; hidden while nothing is compared."""

    align_requested = pyqtSignal(str)
    view_requested = pyqtSignal(str)
    swap_requested = pyqtSignal()
    end_requested = pyqtSignal()

    def __init__(self, pair: ComparisonModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pair = pair
        self._theme: Theme | None = None
        self._where = ""  # where the cursor was put, until another pair comes
        self._wanted = True  # the simple screen has a sentence of its own
        self._build()
        self._connect()
        self._show_pair()

    def _build(self) -> None:
        self.setObjectName("compare_bar")
        self.setAccessibleName("Comparison")
        self.words, self.cautions = QLabel(), wrapped_label()
        self.words.setTextFormat(Qt.TextFormat.RichText)
        self.words.setWordWrap(True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.align_box = _box("How the clocks of the two runs meet", dict(ALIGNMENTS), ALIGN_TIPS)
        titles = {name: words for name, (words, _) in VIEWS.items()}
        tips = {name: tip for name, (_, tip) in VIEWS.items()}
        self.view_box = _box("How the graph shows the two runs", titles, tips)
        self.swap_button = chip("Swap A and B", "B becomes the run that every panel shows")
        self.end_button = chip("End", "Show A alone again")
        row = FlowLayout()
        for title, field in (("Align by", self.align_box), ("Graph", self.view_box)):
            label = QLabel(title)
            label.setProperty("role", "muted")
            label.setBuddy(field)
            row.addWidget(label)
            row.addWidget(field)
        row.addWidget(self.swap_button)
        row.addWidget(self.end_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACING + 2, SPACING // 2 + 2, SPACING + 2, SPACING // 2 + 2)
        column.setSpacing(SPACING // 2)
        column.addWidget(self.words)
        column.addWidget(self.cautions)
        column.addLayout(row)

    def _connect(self) -> None:
        self.align_box.activated.connect(self._ask_align)
        self.view_box.activated.connect(self._ask_view)
        self.swap_button.clicked.connect(self.swap_requested)
        self.end_button.clicked.connect(self.end_requested)
        self._pair.pair_changed.connect(self._show_pair)
        self._pair.words_changed.connect(self._show_words)
        self._pair.align_changed.connect(self._show_align)
        self._pair.view_changed.connect(self._show_view)

    def _ask_align(self) -> None:
        self.align_requested.emit(self.align_box.currentData())

    def _ask_view(self) -> None:
        self.view_requested.emit(self.view_box.currentData())

    def _show_view(self, name: str) -> None:
        """Show how the graph shows the two runs."""
        with QSignalBlocker(self.view_box):
            self.view_box.setCurrentIndex(self.view_box.findData(name))

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        self.setStyleSheet(f"CompareBar {{ border-bottom: 1px solid {theme.border}; }}")
        self._show_words()

    def text(self) -> str:
        """Return what is said, without marks of letters and colours."""
        summary = self._pair.summary()
        problem = f" {self._pair.problem}." if self._pair.problem else ""
        return f"{summary.whole}{problem}" if summary is not None else ""

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
        self.setVisible(self._pair.active and self._wanted)
        self._show_words()
        self._show_align(self._pair.how)
        self._show_view(self._pair.view)

    def _show_align(self, how: str) -> None:
        with QSignalBlocker(self.align_box):
            self.align_box.setCurrentIndex(self.align_box.findData(how))

    def _show_words(self) -> None:
        summary = self._pair.summary()
        if summary is None:
            return
        self.words.setText(self._lettered(summary.words))
        self.words.setToolTip(explain(*mentioned(summary.words)))
        cautions = list(summary.cautions)
        if self._pair.problem:
            cautions.append(f"Not aligned: {self._pair.problem}.")
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


def _box(name: str, titles: Mapping[Any, str], tips: Mapping[str, str]) -> QComboBox:
    box = choice(dict(titles), None, name)
    box.setToolTip(name)
    for place, key in enumerate(titles):
        box.setItemData(place, tips[key], Qt.ItemDataRole.ToolTipRole)
    return box
