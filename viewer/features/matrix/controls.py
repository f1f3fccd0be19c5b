"""What stands around the matrix: the colour scale with its words, and the chosen row as a curve."""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QPointF, QRect, QRectF, Qt
from PyQt6.QtGui import (
    QColor,
    QFontMetrics,
    QImage,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PyQt6.QtWidgets import QSizePolicy, QWidget

from gpu.record.trace import reached_mask
from gpu.words import short
from viewer.common.colormaps import table_for
from viewer.common.text_size import scaled, small_font
from viewer.common.theme import THEMES, Theme
from viewer.features.matrix.canvas import MatrixCanvas, state_colours
from viewer.graph.colours import tick_values
from viewer.models.matrix import STATE_NAMES, MatrixModel, name_of
from viewer.models.session import SessionModel
from viewer.raster.matrix import packed_pixels

BAR, SWATCH, PAD = 10, 10, 6  # pixels
BAR_SHARE = 0.42  # of the width
BESIDE = 400  # pixels: with room for the words beside the bar
CURVE_HEIGHT = 84  # pixels, at least


class MatrixScale(QWidget):
    """The colours: a bar from 0 to the largest distance, unreached, and states of sources."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme: Theme = THEMES["light"]
        self._top, self._further = 1.0, False
        self.with_begun = False  # which of the sources begun are done is not known
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Legend of the matrix")
        self._fix_height()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        self._fix_height()
        self.update()

    def show_top(self, top: float, further: bool = False) -> None:
        """Let the bar end at a distance; `further`: some are larger and share its last colour."""
        if (top, further) != (self._top, self._further):
            self._top, self._further = top, further
            self.setAccessibleDescription(f"Distance, weight units, 0 to {short(top)}")
            self.update()

    @property
    def _narrow(self) -> bool:
        """Whether the words stand under the bar, as there is no room beside it."""
        return self.width() < scaled(BESIDE)

    def _fix_height(self) -> None:
        line = line_height(self)
        bar = BAR + line + 4
        self.setFixedHeight(bar + 2 * line + 4 if self._narrow else max(bar, 2 * line + 4))

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Take as many lines as the width asks for."""
        super().resizeEvent(a0)
        self._fix_height()

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Paint bar, ticks and swatches."""
        painter = QPainter(self)
        painter.setFont(small_font(self.font()))
        if self._narrow:
            self._paint_bar(painter, QRect(PAD, 2, self.width() - 2 * PAD, BAR))
            self._paint_words(painter, PAD, BAR + line_height(self) + 4)
        else:
            wide = int(BAR_SHARE * self.width())
            self._paint_bar(painter, QRect(PAD, 2, wide - 2 * PAD, BAR))
            self._paint_words(painter, wide + PAD, 0)
        painter.end()

    def _paint_bar(self, painter: QPainter, bar: QRect) -> None:
        index = np.arange(1, 256, dtype=np.uint8)[None, :]
        pixels = packed_pixels(index, table_for("distance", self._theme))
        image = QImage(pixels.tobytes(), 255, 1, 4 * 255, QImage.Format.Format_RGB32)
        painter.drawImage(QRectF(bar), image)
        metrics, taken = painter.fontMetrics(), -1.0
        painter.setPen(QColor(self._theme.muted))
        ticks = [(value, short(value)) for value in tick_values(self._top)]
        if self._further:
            ticks = [tick for tick in ticks if tick[0] < 0.85 * self._top]
            ticks.append((self._top, f"≥ {short(self._top)}"))
        for value, words in ticks:
            size = metrics.horizontalAdvance(words)
            x = bar.left() + bar.width() * value / self._top
            left = min(max(x - size / 2, bar.left()), bar.right() - size)
            if left > taken:
                painter.drawText(QPointF(left, bar.bottom() + 1 + metrics.ascent()), words)
                taken = left + size + PAD

    def _paint_words(self, painter: QPainter, left: float, above: int) -> None:
        """Paint what the bar is of, then what the single colours mean, in two lines."""
        metrics, theme = painter.fontMetrics(), self._theme
        room = int(self.width() - left - PAD)
        unreached = QColor(*(int(part) for part in table_for("distance", theme)[0]))
        painter.setPen(QColor(theme.text))
        title = "distance, weight units"
        baseline = above + 1 + metrics.ascent()
        painter.drawText(QPointF(left, baseline), _fitting(metrics, title, room))
        x = left + float(metrics.horizontalAdvance(title) + 2 * PAD)
        x = _swatch(painter, x, baseline, "unreached", unreached, self)
        names = STATE_NAMES if self.with_begun else STATE_NAMES[:3]
        x, baseline = left, baseline + metrics.height() + 1
        painter.setPen(QColor(theme.muted))
        if not self._narrow:
            painter.drawText(QPointF(x, baseline), "sources:")
            x += metrics.horizontalAdvance("sources:") + PAD
        for name, colour in zip(names, state_colours(theme), strict=False):
            x = _swatch(painter, x, baseline, name, QColor(colour), self)


def line_height(widget: QWidget) -> int:
    """Return the height of a line of a widget's small font."""
    return QFontMetrics(small_font(widget.font())).height()


def _fitting(metrics: QFontMetrics, words: str, width: int) -> str:
    return metrics.elidedText(words, Qt.TextElideMode.ElideRight, max(width, 8))


def _swatch(
    painter: QPainter, x: float, baseline: float, name: str, colour: QColor, on: MatrixScale
) -> float:
    """Paint a square of a colour and its name; return where the next one may begin."""
    metrics, theme = painter.fontMetrics(), on._theme
    width = SWATCH + 4 + metrics.horizontalAdvance(name)
    if x + width > on.width():
        return x
    square = QRectF(x, baseline - SWATCH + 1, SWATCH, SWATCH)
    painter.fillRect(square, colour)
    painter.setPen(QColor(theme.muted))
    painter.drawRect(square)
    painter.drawText(QPointF(x + SWATCH + 4, baseline), name)
    return x + width + 2 * PAD


class RowCurve(QWidget):
    """The chosen row as a curve over the columns, under the matrix and as wide as its picture."""

    def __init__(
        self,
        session: SessionModel,
        model: MatrixModel,
        canvas: MatrixCanvas,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._model, self._canvas = session, model, canvas
        self._theme: Theme = THEMES["light"]
        self.setMinimumHeight(CURVE_HEIGHT)
        self.setAccessibleName("The chosen row")
        model.cell_changed.connect(self.update)
        model.window_changed.connect(self.update)
        canvas.look.changed.connect(self.update)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        self.update()

    def values(self) -> np.ndarray | None:
        """Return the row's distances in the part shown, float64, NaN where unreached."""
        record, window = self._canvas.look.record, self._model.window
        dist = record.dist if record is not None else None
        if dist is None:
            return None
        part = dist[window.first_column : window.first_column + window.columns]
        return np.where(reached_mask(part), part, np.nan).astype(np.float64)

    def mousePressEvent(self, a0: QMouseEvent | None) -> None:
        """Choose a column."""
        room, window = self._room(), self._model.window
        if a0 is not None and room.contains(a0.position()):
            share = (a0.position().x() - room.left()) / room.width()
            self._model.choose_column(window.first_column + int(share * window.columns))

    def _room(self) -> QRectF:
        """Return where the curve is: below the picture, pixel for pixel."""
        above = self._canvas.picture_rect()
        offset = self._canvas.mapTo(self.window(), above.topLeft()).x()
        offset -= self.mapTo(self.window(), self.rect().topLeft()).x()
        line = line_height(self)
        return QRectF(offset, line + 3, above.width(), max(10, self.height() - line - 8))

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Paint range and mean of each pixel's columns, and the chosen column."""
        painter = QPainter(self)
        painter.setFont(small_font(self.font()))
        room, values = self._room(), self.values()
        painter.fillRect(room, QColor(self._theme.plot))
        painter.setPen(QColor(self._theme.text))
        record = self._canvas.look.record
        line = line_height(self)
        words = ""
        if record is not None:
            words = f"Row of {name_of(self._session, record.shown_source)}: distance to each column"
        words = _fitting(painter.fontMetrics(), words, int(room.width()))
        painter.drawText(QPointF(room.left(), line - 2), words)
        if values is not None and np.isfinite(values).any():
            top = float(np.nanmax(values)) or 1.0
            self._paint_axis(painter, room, top)
            self._paint_curve(painter, room, values, top)
        painter.setPen(QColor(self._theme.border))
        painter.drawRect(room)
        painter.end()

    def _paint_axis(self, painter: QPainter, room: QRectF, top: float) -> None:
        metrics = painter.fontMetrics()
        few = max(1, int(room.height() / (2 * metrics.height())))
        for value in tick_values(top, few):
            y = room.bottom() - room.height() * value / (1.05 * top)
            painter.setPen(QColor(self._theme.grid))
            painter.drawLine(QPointF(room.left(), y), QPointF(room.right(), y))
            painter.setPen(QColor(self._theme.muted))
            box = QRectF(0, y - metrics.height() / 2, room.left() - 5, metrics.height())
            painter.drawText(
                box, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), short(value)
            )

    def _paint_curve(self, painter: QPainter, room: QRectF, values: np.ndarray, top: float) -> None:
        count = min(len(values), max(8, int(room.width())))
        starts = np.arange(count) * len(values) // count
        low = np.fmin.reduceat(values, starts)
        high = np.fmax.reduceat(values, starts)
        x = room.left() + room.width() * (np.arange(count) + 0.5) / count
        scale = room.height() / (1.05 * top)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, count < len(values))
        tint = QColor(self._theme.data.a)
        painter.setPen(QPen(tint, self._theme.line_width))
        if count < len(values):
            for place in np.flatnonzero(np.isfinite(low)):
                ends = (room.bottom() - scale * low[place], room.bottom() - scale * high[place])
                painter.drawLine(QPointF(x[place], ends[0]), QPointF(x[place], ends[1] - 1))
        else:
            self._paint_steps(painter, room, high, scale)
        self._paint_column(painter, room)

    def _paint_steps(
        self, painter: QPainter, room: QRectF, values: np.ndarray, scale: float
    ) -> None:
        """Paint each column as a bar's top: columns are vertices, nothing lies between two."""
        wide = room.width() / len(values)
        outline = QPolygonF()
        for place, value in enumerate(values):
            if np.isfinite(value):
                y = room.bottom() - scale * value
                outline.append(QPointF(room.left() + place * wide, y))
                outline.append(QPointF(room.left() + (place + 1) * wide, y))
            elif outline:
                painter.drawPolyline(outline)
                outline = QPolygonF()
        painter.drawPolyline(outline)

    def _paint_column(self, painter: QPainter, room: QRectF) -> None:
        model, window = self._model, self._model.window
        place = model.column - window.first_column
        if model.column >= 0 and 0 <= place < window.columns:
            x = room.left() + room.width() * (place + 0.5) / window.columns
            painter.setPen(QPen(QColor(self._theme.text), 1))
            painter.drawLine(QPointF(x, room.top()), QPointF(x, room.bottom()))
