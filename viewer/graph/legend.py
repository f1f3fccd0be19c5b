"""The legend of the graph: a colour bar with ticks, swatches, and what is not exact.

It lies on the picture, in a corner, and lets the mouse through. It is painted only as
large as its words need, which go on in another row where one is too short; where the
picture is small it leaves out swatches and note.
"""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPaintEvent, QPixmap
from PyQt6.QtWidgets import QWidget

from viewer.common.glossary import explain, mentioned
from viewer.common.theme import LIGHT, Theme
from viewer.graph.colours import Legend

PAD = 8.0
BAR_WIDTH, BAR_HEIGHT = 220.0, 10.0
TICK = 4.0
SWATCH = 10.0
SMALL = 220  # a picture narrower or lower than this has no legend
FULL_FROM = 360  # a picture lower than this has no swatches and no note
WIDEST = 560.0  # pixels, at most, before words flow into another row
GAP = 14.0  # between words
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
        self._look: QPixmap | None = None

    def legend(self) -> Legend:
        """Return what is shown."""
        return self._legend

    def show_legend(
        self, legend: Legend, table: np.ndarray, steps: int, painting: bool = False
    ) -> None:
        """Show a legend; `table` uint8 (256, 3), the map in entries 1 to `steps`.

        painting : called while the whole picture below is being painted, after which this
            is painted anyway: asking for it would paint the picture twice
        """
        same = legend == self._legend and steps == self._steps
        if same and np.array_equal(table, self._table):
            return
        self._legend, self._table, self._steps = legend, table, steps
        words = [legend.title, *(f"{text}" for _, text in legend.swatches), legend.note]
        self.setAccessibleDescription(", ".join(word for word in words if word))
        self._fit_words()
        self._look = None
        if not painting:
            self.update()

    def words_at(self, place: QPointF) -> str:
        """Return what the words at a place mean, "" where there is nothing to explain.

        On the colour bar, what its title means.
        """
        line = self._metrics().lineSpacing()
        row = int((place.y() - 0.6 * PAD) // line)
        rows = self._rows()
        if not 0 <= row < len(rows):
            return explain(*mentioned(self._legend.title)) if row >= len(rows) else ""
        at = place.x() - PAD
        said = next((chunk[2] for left, right, chunk in rows[row] if left <= at < right), "")
        return explain(*mentioned(said))

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        self._look = None
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
        rows = self._rows()
        line = self._metrics().lineSpacing()
        height = len(rows) * line + 1.2 * PAD
        width = max((right for row in rows for _, right, _ in row), default=0.0)
        if self._legend.ticks:
            width = max(width, min(BAR_WIDTH, self._widest()))
            height += BAR_HEIGHT + TICK + line + 2
        return width + 2 * PAD, height

    def _widest(self) -> float:
        return min(WIDEST, self._room[0] - 2 * PAD) - 2 * PAD

    def _rows(self) -> list[list[tuple[float, float, tuple[str, int, str]]]]:
        """Return rows of (left, right, (kind, table index, words)), words flowing left to right."""
        metrics, legend = self._metrics(), self._legend
        widest = self._widest()
        chunks = [("title", 0, line) for line in _lines(metrics, legend.title, widest)]
        if self._room[1] >= FULL_FROM:
            chunks += [("swatch", index, words) for index, words in legend.swatches]
            lines = _lines(metrics, legend.note, widest) if legend.note else []
            chunks += [("note", 0, line) for line in lines]
        rows: list[list[tuple[float, float, tuple[str, int, str]]]] = [[]]
        x = 0.0
        for kind, index, words in chunks:
            width = metrics.horizontalAdvance(words) + (SWATCH + 5 if kind == "swatch" else 0)
            width = min(width, widest)
            if rows[-1] and x + width > widest:
                rows.append([])
                x = 0.0
            rows[-1].append((x, x + width, (kind, index, words)))
            x += width + GAP
        return rows

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Paint what it looks like, drawn anew where that has changed."""
        ratio = self.devicePixelRatioF()
        if self._look is None or self._look.size() != self.size() * ratio:
            self._look = QPixmap(self.size() * ratio)
            self._look.setDevicePixelRatio(ratio)
            self._look.fill(Qt.GlobalColor.transparent)
            self._draw(QPainter(self._look))
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._look)
        painter.end()

    def _draw(self, painter: QPainter) -> None:
        """Draw background, words, bar, from the top down."""
        painter.setFont(self.font())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paper = QColor(self._theme.plot)
        paper.setAlpha(PAPER)
        painter.setPen(QColor(self._theme.grid))
        painter.setBrush(paper)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        metrics = self._metrics()
        y = 0.6 * PAD
        for row in self._rows():
            for left, right, chunk in row:
                self._paint_chunk(painter, metrics, PAD + left, y, right - left, chunk)
            y += metrics.lineSpacing()
        if self._legend.ticks:
            self._paint_bar(painter, metrics, y + 2)
        painter.end()

    def _paint_chunk(
        self,
        painter: QPainter,
        metrics: QFontMetricsF,
        x: float,
        y: float,
        width: float,
        chunk: tuple[str, int, str],
    ) -> None:
        kind, index, words = chunk
        if kind == "swatch":
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(*(int(channel) for channel in self._table[index])))
            middle = y + metrics.lineSpacing() / 2
            painter.drawEllipse(QPointF(x + SWATCH / 2, middle), SWATCH / 2, SWATCH / 2)
            x, width = x + SWATCH + 5, width - SWATCH - 5
        painter.setPen(QColor(self._theme.muted if kind == "note" else self._theme.text))
        words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, width + 1)
        painter.drawText(QPointF(x, y + metrics.ascent()), words)

    def _paint_bar(self, painter: QPainter, metrics: QFontMetricsF, y: float) -> None:
        steps = max(1, min(self._steps, 255))
        pixels = np.full((1, steps), 0xFF000000, np.uint32)
        red, green, blue = self._table[1 : steps + 1].astype(np.uint32).T
        pixels[0] |= red << 16 | green << 8 | blue
        image = QImage(pixels.tobytes(), steps, 1, steps * 4, QImage.Format.Format_RGB32)
        bar = QRectF(PAD, y, self.width() - 2 * PAD, BAR_HEIGHT)
        painter.drawImage(bar, image)
        y += BAR_HEIGHT
        painter.setPen(QColor(self._theme.muted))
        taken = -1e9
        for share, words in self._legend.ticks:
            x = bar.left() + share * bar.width()
            painter.drawLine(QPointF(x, y), QPointF(x, y + TICK))
            size = metrics.horizontalAdvance(words)
            left = min(max(x - size / 2, bar.left()), bar.right() - size)
            if left > taken + 6:
                painter.drawText(QPointF(left, y + TICK + metrics.ascent() - 1), words)
                taken = left + size


def _lines(metrics: QFontMetricsF, words: str, widest: float) -> list[str]:
    """Return words in as many lines as a width needs; a word that is wider has its own."""
    lines = [""]
    for word in words.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and metrics.horizontalAdvance(longer) > widest:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
