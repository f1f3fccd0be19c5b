"""The bar above the graph while two runs are compared: what differs, and how they are laid out.

One sentence with its numbers, what must be known to read it, and what can be changed: how the
clocks meet, how the graph shows two runs, which run is A. It owns nothing: it shows the
comparison's model and asks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from PyQt6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gpu.study.compare import ALIGNMENTS
from viewer.common.glossary import explain, mentioned
from viewer.common.small_widgets import chip
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
        self._build()
        self._connect()
        self._show_pair()

    def _build(self) -> None:
        self.setObjectName("compare_bar")
        self.setAccessibleName("Comparison")
        self.words, self.cautions = QLabel(), QLabel()
        self.words.setTextFormat(Qt.TextFormat.RichText)
        self.words.setWordWrap(True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.cautions.setWordWrap(True)
        self.cautions.setProperty("role", "muted")
        self.align_box = _box("How the clocks of the two runs meet")
        for key, words in ALIGNMENTS.items():
            self.align_box.addItem(words, key)
            self.align_box.setItemData(
                self.align_box.count() - 1, ALIGN_TIPS[key], Qt.ItemDataRole.ToolTipRole
            )
        self.view_box = _box("How the graph shows the two runs")
        for name, (words, tip) in VIEWS.items():
            self.view_box.addItem(words, name)
            self.view_box.setItemData(self.view_box.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.swap_button = chip("Swap A and B", "B becomes the run that every panel shows")
        self.end_button = chip("End", "Show A alone again")
        choices, buttons = QHBoxLayout(), QHBoxLayout()
        self._titles: list[QLabel] = []  # of the choices, which say themselves where it is narrow
        for label, field in (("Align by", self.align_box), ("Graph", self.view_box)):
            title = QLabel(label)
            title.setProperty("role", "muted")
            title.setBuddy(field)
            self._titles.append(title)
            choices.addWidget(title)
            choices.addWidget(field)
        choices.addStretch(1)
        buttons.addStretch(1)
        buttons.addWidget(self.swap_button)
        buttons.addWidget(self.end_button)
        self._row = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        for part in (choices, buttons, self._row):
            part.setSpacing(SPACING)
        self._row.addLayout(choices)
        self._row.addLayout(buttons)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACING + 2, SPACING // 2 + 2, SPACING + 2, SPACING // 2 + 2)
        column.setSpacing(SPACING // 2)
        said = QWidget()
        inside = QVBoxLayout(said)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(SPACING // 2)
        inside.addWidget(self.words)
        inside.addWidget(self.cautions)
        inside.addStretch(1)
        self.said = AsHigh(said)
        column.addWidget(self.said)
        column.addLayout(self._row)

    def minimumSizeHint(self) -> QSize:
        """Return the size that it needs with its buttons below its choices, untitled."""
        boxes, _, buttons = self._widths()
        return QSize(max(boxes, buttons) + 3 * SPACING, super().minimumSizeHint().height())

    def _widths(self) -> tuple[int, int, int]:
        """Return the widths of the choices, of their titles and of the buttons, pixels."""
        rows: tuple[Sequence[QWidget], ...] = (
            (self.align_box, self.view_box),
            self._titles,
            (self.swap_button, self.end_button),
        )
        boxes, titles, buttons = (
            sum(widget.sizeHint().width() + SPACING for widget in row) for row in rows
        )
        return boxes, titles, buttons

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Put the buttons beside the choices where all have room, else below; spare titles last."""
        super().resizeEvent(a0)
        boxes, titles, buttons = self._widths()
        room = self.width() - 3 * SPACING
        direction = QBoxLayout.Direction
        fits = boxes + titles + buttons <= room
        self._row.setDirection(direction.LeftToRight if fits else direction.TopToBottom)
        for title in self._titles:
            title.setVisible(boxes + titles <= room)

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

    def say_where(self) -> None:
        """Say that the cursor was put where the two differ most."""
        self._where = WHERE
        self._show_words()

    def _show_pair(self) -> None:
        self._where = ""
        self.setVisible(self._pair.active)
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


class AsHigh(QScrollArea):
    """As high as its words need, where there is that much room; else they scroll, from 3 lines."""

    def __init__(self, words: QWidget) -> None:
        super().__init__()
        self.setWidget(words)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        words.installEventFilter(self)

    def sizeHint(self) -> QSize:
        """Return the height of all words at this width."""
        inside = self.widget()
        known = inside is not None and inside.layout() is not None
        high = inside.layout().heightForWidth(self.width()) if known else 0  # type: ignore[union-attr]
        return QSize(self.width(), max(high, 0))

    def minimumSizeHint(self) -> QSize:
        """Return three lines, or fewer where that is all."""
        return QSize(0, min(self.sizeHint().height(), 3 * self.fontMetrics().lineSpacing()))

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Ask for another height at another width."""
        super().resizeEvent(a0)
        self._ask()

    def eventFilter(self, a0: QObject | None, a1: QEvent | None) -> bool:
        """Ask for another height when the words have changed."""
        if a1 is not None and a1.type() == QEvent.Type.LayoutRequest:
            self._ask()
        return super().eventFilter(a0, a1)

    def _ask(self) -> None:
        """Ask for the height of all words; a bar that is not needed would itself need a line."""
        wanted, policy = self.sizeHint().height(), Qt.ScrollBarPolicy
        self.setMaximumHeight(wanted)
        fits = self.height() >= wanted
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAlwaysOff if fits else policy.ScrollBarAsNeeded
        )
        self.updateGeometry()


def _box(name: str) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    box.setToolTip(name)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    return box
