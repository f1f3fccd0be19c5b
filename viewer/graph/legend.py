"""The legend of the graph: title, swatches, a note on what is not exact, a colour bar with ticks.

It lies on the picture, in the lower left corner. Where the picture is
small it leaves out swatches and note. Qt lays the words out (`QTextDocument`).
"""

from __future__ import annotations

from html import escape

import numpy as np
from PyQt6.QtCore import QPointF, QRectF
from PyQt6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPaintEvent, QTextDocument
from PyQt6.QtWidgets import QWidget

from viewer.common.glossary import explain, mentioned
from viewer.common.theme import LIGHT, Theme
from viewer.graph.colours import Legend

PAD = 8.0
BAR_WIDTH, BAR_HEIGHT, TICK = 220.0, 10.0, 4.0
SMALL = 220  # a picture narrower or lower than this has no legend
FULL_FROM = 360  # a picture lower than this has no swatches and no note
WIDEST = 560.0  # pixels, at most
PAPER = 225  # opacity of the background, of 255
APART = 6.0  # pixels between the words of two ticks


class LegendView(QWidget):
    """Shows a Legend with the colours of a table; owns neither."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Legend of the graph")
        self._legend = Legend("")
        self._table = np.zeros((256, 3), np.uint8)
        self._steps = 255
        self._theme = LIGHT
        self.allowed = True  # else another view of the same scale has it
        self._room = (SMALL, SMALL)
        self._words = QTextDocument(self)
        self._words.setDocumentMargin(0)

    def legend(self) -> Legend:
        """Return what is shown."""
        return self._legend

    def show_legend(self, legend: Legend, table: np.ndarray, steps: int) -> None:
        """Show a legend while the picture below is painted, after which this is painted too.

        table : uint8 (256, 3), the map in entries 1 to `steps`
        """
        same = legend == self._legend and steps == self._steps
        if same and np.array_equal(table, self._table):
            return
        self._legend, self._table, self._steps = legend, table, steps
        words = [legend.title, *(swatch for _, swatch in legend.swatches), legend.note]
        self.setAccessibleDescription(", ".join(filter(None, words)))
        self.setToolTip(explain(*mentioned(" ".join(words))))
        self._lay_out()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        self._lay_out()
        self.update()

    def allow(self, shown: bool) -> None:
        """Be shown where there is room, or never."""
        self.allowed = shown
        self._lay_out()

    def fit_into(self, width: int, height: int) -> None:
        """Take a place in the lower left corner of a picture of this size."""
        self._room = (width, height)
        self._lay_out()

    def _lay_out(self) -> None:
        (width, height), legend, theme = self._room, self._legend, self._theme
        chunks = [f'<span style="color:{theme.text}">{escape(legend.title)}</span>']
        if height >= FULL_FROM:
            for index, words in legend.swatches:
                colour = QColor(*(int(channel) for channel in self._table[index])).name()
                chunks.append(
                    f'<span style="color:{colour}">⬤</span>&nbsp;'
                    f'<span style="color:{theme.text}">{escape(words)}</span>'
                )
        words = " &nbsp; ".join(chunks)
        if legend.note and height >= FULL_FROM:
            words += f'<br><span style="color:{theme.muted}">{escape(legend.note)}</span>'
        self._words.setDefaultFont(self.font())
        self._words.setHtml(words)
        self._words.setTextWidth(min(WIDEST, width - 2 * PAD) - 2 * PAD)
        across, down = self._words.idealWidth(), self._words.size().height()
        if legend.ticks:
            across = max(across, min(BAR_WIDTH, self._words.textWidth()))
            down += BAR_HEIGHT + TICK + QFontMetricsF(self.font()).lineSpacing() + 2
        roomy = min(width, height) >= SMALL
        self.setVisible(self.allowed and roomy and bool(legend.title))
        self.resize(int(across + 2 * PAD), int(down + 1.2 * PAD))
        self.move(int(PAD), int(max(0, height - self.height() - PAD)))

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Paint paper, words and bar."""
        painter = QPainter(self)
        painter.setFont(self.font())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paper = QColor(self._theme.plot)
        paper.setAlpha(PAPER)
        painter.setPen(QColor(self._theme.grid))
        painter.setBrush(paper)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        painter.save()
        painter.translate(PAD, 0.6 * PAD)
        self._words.drawContents(painter)
        painter.restore()
        if self._legend.ticks:
            self._draw_bar(painter, 0.6 * PAD + self._words.size().height() + 2)

    def _draw_bar(self, painter: QPainter, y: float) -> None:
        steps = max(1, min(self._steps, 255))
        pixels = np.full((1, steps), 0xFF000000, np.uint32)
        red, green, blue = self._table[1 : steps + 1].astype(np.uint32).T
        pixels[0] |= red << 16 | green << 8 | blue
        image = QImage(pixels.tobytes(), steps, 1, steps * 4, QImage.Format.Format_RGB32)
        bar = QRectF(PAD, y, self.width() - 2 * PAD, BAR_HEIGHT)
        painter.drawImage(bar, image)
        metrics, y, taken = QFontMetricsF(self.font()), bar.bottom(), -1e9
        painter.setPen(QColor(self._theme.muted))
        for share, words in self._legend.ticks:
            x = bar.left() + share * bar.width()
            painter.drawLine(QPointF(x, y), QPointF(x, y + TICK))
            size = metrics.horizontalAdvance(words)
            left = min(max(x - size / 2, bar.left()), bar.right() - size)
            if left > taken + APART:
                painter.drawText(QPointF(left, y + TICK + metrics.ascent() - 1), words)
                taken = left + size
