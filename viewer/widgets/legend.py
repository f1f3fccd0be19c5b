"""The legend of the graph: a colour bar with ticks, swatches, and what is not exact.

It lies on the picture, in a corner, and lets the mouse through. It is painted only as
large as its words need, and leaves out its note, then everything but the bar, where
the picture is small.
"""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPaintEvent
from PyQt6.QtWidgets import QWidget

from viewer.theme import LIGHT, Theme
from viewer.widgets.graph_colours import Legend

PAD = 8.0
BAR_WIDTH, BAR_HEIGHT = 220.0, 10.0
TICK = 4.0
SWATCH = 10.0
SMALL = 220  # a picture narrower or lower than this has no legend
PAPER = 225  # opacity of the background, of 255


class LegendView(QWidget):
    """Shows a Legend with the colours of a table; owns neither."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName("Legend of the graph")
        self._legend = Legend("")
        self._table = np.zeros((256, 3), np.uint8)
        self._steps = 255
        self._theme = LIGHT
        self._room = (SMALL, SMALL)

    def legend(self) -> Legend:
        """Return what is shown."""
        return self._legend

    def show_legend(self, legend: Legend, table: np.ndarray, steps: int) -> None:
        """Show a legend; `table` uint8 (256, 3), the map in entries 1 to `steps`."""
        same = legend == self._legend and steps == self._steps
        if same and np.array_equal(table, self._table):
            return
        self._legend, self._table, self._steps = legend, table, steps
        words = [legend.title, *(f"{text}" for _, text in legend.swatches), legend.note]
        self.setAccessibleDescription(", ".join(word for word in words if word))
        self._fit_words()
        self.update()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        self.update()

    def fit_into(self, width: int, height: int) -> None:
        """Take a place in the lower left corner of a picture of this size."""
        self._room = (width, height)
        self._fit_words()

    def _fit_words(self) -> None:
        width, height = self._room
        size = self._size_needed()
        fits = min(width, height) >= SMALL and bool(self._legend.title)
        self.setVisible(fits)
        self.resize(int(min(size[0], width - 2 * PAD)), int(size[1]))
        self.move(int(PAD), int(max(0, height - size[1] - PAD)))

    def _metrics(self) -> QFontMetricsF:
        return QFontMetricsF(self.font())

    def _size_needed(self) -> tuple[float, float]:
        metrics, legend = self._metrics(), self._legend
        line = metrics.lineSpacing()
        widths = [metrics.horizontalAdvance(legend.title), metrics.horizontalAdvance(legend.note)]
        height = line
        if legend.ticks:
            widths.append(BAR_WIDTH)
            height += BAR_HEIGHT + TICK + line + 4
        if legend.swatches:
            widths.append(self._swatches_width(metrics))
            height += line + 2
        height += line if legend.note else 0
        return max(widths) + 2 * PAD, height + 1.5 * PAD

    def _swatches_width(self, metrics: QFontMetricsF) -> float:
        return sum(
            SWATCH + 5 + metrics.horizontalAdvance(words) + 12 for _, words in self._legend.swatches
        )

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Paint background, title, bar, swatches, note, from the top down."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paper = QColor(self._theme.plot)
        paper.setAlpha(PAPER)
        painter.setPen(QColor(self._theme.grid))
        painter.setBrush(paper)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        metrics = self._metrics()
        line, width = metrics.lineSpacing(), self.width() - 2 * PAD
        y = PAD * 0.6
        painter.setPen(QColor(self._theme.text))
        title = metrics.elidedText(self._legend.title, Qt.TextElideMode.ElideRight, width)
        painter.drawText(QPointF(PAD, y + metrics.ascent()), title)
        y += line + 2
        if self._legend.ticks:
            y = self._paint_bar(painter, metrics, y, width)
        if self._legend.swatches:
            self._paint_swatches(painter, metrics, y)
            y += line + 2
        if self._legend.note:
            painter.setPen(QColor(self._theme.muted))
            note = metrics.elidedText(self._legend.note, Qt.TextElideMode.ElideRight, width)
            painter.drawText(QPointF(PAD, y + metrics.ascent()), note)
        painter.end()

    def _paint_bar(
        self, painter: QPainter, metrics: QFontMetricsF, y: float, width: float
    ) -> float:
        steps = max(1, min(self._steps, 255))
        pixels = np.full((1, steps), 0xFF000000, np.uint32)
        red, green, blue = self._table[1 : steps + 1].astype(np.uint32).T
        pixels[0] |= red << 16 | green << 8 | blue
        image = QImage(pixels.tobytes(), steps, 1, steps * 4, QImage.Format.Format_RGB32)
        bar = QRectF(PAD, y, min(width, self.width() - 2 * PAD), BAR_HEIGHT)
        painter.drawImage(bar, image)
        y += BAR_HEIGHT
        painter.setPen(QColor(self._theme.muted))
        taken = -1e9
        for share, words in self._legend.ticks:
            x = bar.left() + share * bar.width()
            painter.drawLine(QPointF(x, y), QPointF(x, y + TICK))
            size = metrics.horizontalAdvance(words)
            left = min(max(x - size / 2, bar.left()), bar.right() - size)
            if left > taken + 4:
                painter.drawText(QPointF(left, y + TICK + metrics.ascent()), words)
                taken = left + size
        return y + TICK + metrics.lineSpacing() + 2

    def _paint_swatches(self, painter: QPainter, metrics: QFontMetricsF, y: float) -> None:
        x = PAD
        for index, words in self._legend.swatches:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(*(int(channel) for channel in self._table[index])))
            middle = y + metrics.lineSpacing() / 2
            painter.drawEllipse(QPointF(x + SWATCH / 2, middle), SWATCH / 2, SWATCH / 2)
            painter.setPen(QColor(self._theme.text))
            painter.drawText(QPointF(x + SWATCH + 5, y + metrics.ascent()), words)
            x += SWATCH + 5 + metrics.horizontalAdvance(words) + 12
