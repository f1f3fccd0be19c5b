"""Where a faulty listing went wrong: one cell for each source (down) and each vertex (across).

The right entries are pale, the wrong ones stand out; a run is one square with its name and count.
The panel shows them under the answer, the page of a lesson as a picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PyQt6.QtWidgets import QSizePolicy, QWidget

from viewer.common.text_size import scaled
from viewer.common.theme import LIGHT, SPACING, Theme

_RIGHT = Qt.TextElideMode.ElideRight
SIDE = 150  # of a square at most, pixels at the reference text size


@dataclass(frozen=True)
class WrongEntries:
    """One run: its name, and bool (sources, vertices), true where the entry is wrong."""

    title: str
    wrong: np.ndarray

    def words(self, rows: int | None = None) -> str:
        """Return how many are wrong, of the first `rows` sources only."""
        seen = self.wrong[:rows]
        return f"{int(np.count_nonzero(seen))} of {seen.size} wrong"


class WrongMatrices(QWidget):
    """Squares, two beside each other; as high as they need."""

    def __init__(self) -> None:
        super().__init__()
        self.theme, self.shown = LIGHT, list[WrongEntries]()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_runs(self, runs: Sequence[WrongEntries]) -> None:
        """Show these, or nothing."""
        self.setVisible(bool(runs))
        self.shown = list(runs)
        said = "; ".join(f"{run.title}: {run.words()}" for run in runs)
        self.setAccessibleName(f"Wrong entries, a row for each source. {said}")
        self.setToolTip("A row for each source, a column for each vertex; wrong entries stand out")
        self._fit()
        self.update()

    def sizeHint(self) -> QSize:
        """As wide as two squares."""
        return QSize(2 * scaled(SIDE), self.minimumHeight())

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Take the height that is needed at this width."""
        super().resizeEvent(a0)
        self._fit()

    def _side(self) -> float:
        return min(float(scaled(SIDE)), (self.width() - SPACING) / 2)

    def _cell(self) -> float:
        return self._side() + 2 * self.fontMetrics().height() + SPACING

    def _fit(self) -> None:
        self.setFixedHeight(int(self._cell() * ((len(self.shown) + 1) // 2)) + 1)

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Paint."""
        painter = QPainter(self)
        for place, run in enumerate(self.shown):
            left, top = (place % 2) * (self._side() + SPACING), (place // 2) * self._cell()
            paint_run(painter, QRectF(left, top, self._side(), self._side()), run, self.theme)


def paint_run(
    painter: QPainter, room: QRectF, run: WrongEntries, theme: Theme, rows: int | None = None
) -> None:
    """Paint one square, its name and its count under it; of the first `rows` sources only."""
    count, across = run.wrong.shape
    high, wide = room.height() / max(count, 1), room.width() / max(across, 1)
    painter.fillRect(room, QColor(theme.plot))
    for row in range(count if rows is None else rows):
        for column in range(across):
            colour = theme.error if run.wrong[row, column] else theme.border
            cell = QRectF(room.left() + column * wide, room.top() + row * high, wide, high)
            painter.fillRect(cell.adjusted(0.5, 0.5, -0.5, -0.5), QColor(colour))
    painter.setPen(QPen(QColor(theme.muted), 1.0))
    painter.drawRect(room)
    line = painter.fontMetrics().height()
    for place, words in enumerate((run.title, run.words(rows)), 1):
        fits = painter.fontMetrics().elidedText(words, _RIGHT, int(room.width()))
        painter.setPen(QColor(theme.text if place == 1 else theme.muted))
        painter.drawText(QPointF(room.left(), room.bottom() + place * line - 2), fits)
