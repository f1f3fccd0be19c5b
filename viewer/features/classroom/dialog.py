"""The results of a class: what it predicted, question by question, and one row a student."""

from __future__ import annotations

from typing import Any

from PyQt6.QtCore import QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QPainter, QPaintEvent
from PyQt6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPushButton,
    QScrollArea,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gpu.lessons.results import AskedOf, Class
from gpu.words import percent
from viewer.common.foreign_words import title_words
from viewer.common.text_size import scaled
from viewer.common.theme import SPACING, Theme

SIZE = (980, 640)  # pixels
BAR = 20  # pixels at the reference text size: height of a bar and its gap
NAMES = 0.42  # of the width, for what was predicted
WRONG_INK = 90  # of 255: bars of answers that were not right


class ClassDialog(QDialog):
    """Histograms left, the table right."""

    save_requested = pyqtSignal()

    def __init__(self, found: Class, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title_words(f"{found.title}: {len(found.students)} students"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(*SIZE)
        self.histograms = [Histogram(asked, theme) for asked in found.asked()]
        self.table = _table(found)
        parts = QSplitter()
        parts.addWidget(_scrolled(self.histograms))
        parts.addWidget(self.table)
        column = QVBoxLayout(self)
        column.setSpacing(SPACING)
        for problem in found.problems:
            label = QLabel(problem)
            label.setWordWrap(True)
            column.addWidget(label)
        column.addWidget(parts, 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.save_button = QPushButton("Save as…")
        buttons.addButton(self.save_button, QDialogButtonBox.ButtonRole.ActionRole)
        self.save_button.clicked.connect(self.save_requested)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)


class Histogram(QWidget):
    """What the class predicted at one question: a bar for each answer, the right part full."""

    def __init__(self, asked: AskedOf, theme: Theme) -> None:
        super().__init__()
        self.asked, self._theme = asked, theme
        told = "; ".join(f"{bar.words}: {bar.count}, {bar.right} right" for bar in asked.bars)
        self.setAccessibleName(f"{asked.question} {told}")

    def sizeHint(self) -> QSize:
        """As high as its bars."""
        return QSize(scaled(320), scaled(BAR) * len(self.asked.bars) + SPACING)

    def minimumSizeHint(self) -> QSize:
        """Never less high than its bars."""
        return QSize(scaled(220), self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent | None) -> None:
        """Draw words, bars and counts."""
        painter = QPainter(self)
        high, names = float(scaled(BAR)), NAMES * self.width()
        room = self.width() - names - scaled(48)
        most = max((bar.count for bar in self.asked.bars), default=1) or 1
        good, other = QColor(self._theme.success), QColor(self._theme.muted)
        other.setAlpha(WRONG_INK)
        middle = Qt.AlignmentFlag.AlignVCenter
        for place, bar in enumerate(self.asked.bars):
            top, long = place * high, room * bar.count / most
            painter.setPen(QColor(self._theme.text))
            name = QRectF(0, top, names - SPACING, high)
            words = self.fontMetrics().elidedText(
                bar.words, Qt.TextElideMode.ElideRight, int(name.width())
            )
            painter.drawText(name, middle | Qt.AlignmentFlag.AlignRight, words)
            painter.fillRect(QRectF(names, top + 3, long, high - 6), other)
            painter.fillRect(QRectF(names, top + 3, room * bar.right / most, high - 6), good)
            count = QRectF(names + long + SPACING / 2, top, scaled(48), high)
            painter.drawText(count, middle, f"{bar.count}{' ✓' if bar.right else ''}")
        painter.end()


class _Cell(QTableWidgetItem):
    """A cell that sorts as a number where it is one."""

    def __lt__(self, other: QTableWidgetItem) -> bool:
        mine, theirs = (one.data(Qt.ItemDataRole.UserRole) for one in (self, other))
        if isinstance(mine, int | float) and isinstance(theirs, int | float):
            return mine < theirs
        return str(mine) < str(theirs)


def _table(found: Class) -> QTableWidget:
    header, rows = found.table()
    table = QTableWidget(len(rows), len(header))
    table.setHorizontalHeaderLabels(header)
    table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
    table.setAccessibleName("Every student")
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            table.setItem(row, column, _item(cell))
    table.setSortingEnabled(True)
    table.sortItems(0)
    table.resizeColumnsToContents()
    return table


def _item(cell: Any) -> QTableWidgetItem:
    item = _Cell(str(cell))
    item.setData(Qt.ItemDataRole.UserRole, cell)
    return item


def _scrolled(histograms: list[Histogram]) -> QScrollArea:
    inside = QWidget()
    column = QVBoxLayout(inside)
    for histogram in histograms:
        asked = histogram.asked
        share = percent(asked.right / asked.answered) if asked.answered else "none"
        for words, role in (
            (asked.step, "heading"),
            (asked.question, ""),
            (f"{asked.answered} answers, {share} right", "muted"),
        ):
            label = QLabel(words)
            label.setWordWrap(True)
            label.setProperty("role", role)
            column.addWidget(label)
        column.addWidget(histogram)
    column.addStretch(1)
    area = QScrollArea()
    area.setWidget(inside)
    area.setWidgetResizable(True)
    return area
