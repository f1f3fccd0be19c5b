"""Pieces that the plots share: the view of time, the filled range, the legend."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QRectF, QSize, Qt
from PyQt6.QtGui import QPainter, QPainterPath, QPen, QResizeEvent
from PyQt6.QtWidgets import QSizePolicy, QWidget

from viewer.models.playback import PlaybackModel

WHEEL_ZOOM = 0.8  # of the time shown remains per notch inwards
MIDDLE = int(Qt.AlignmentFlag.AlignVCenter)


class TimeViewBox(pg.ViewBox):
    """A view whose x range is the playback model's window of time."""

    def __init__(self, playback: PlaybackModel) -> None:
        super().__init__(enableMenu=False, defaultPadding=0.0)
        self._playback = playback
        self.setMouseEnabled(x=True, y=False)
        self.disableAutoRange()

    def wheelEvent(self, event: Any, axis: int | None = None) -> None:
        """Zoom time around the pointer."""
        event.accept()
        around = self.mapToView(event.pos()).x()
        self._playback.zoom(WHEEL_ZOOM ** (event.delta() / 120), around)

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:
        """Move the window of time; with Ctrl, measure from where it began to here."""
        event.accept()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            first, last = (self.mapToView(at).x() for at in (event.buttonDownPos(), event.pos()))
            self._playback.measure.put_both(first, last)
            return
        moved = self.mapToView(event.lastPos()).x() - self.mapToView(event.pos()).x()
        self._playback.pan(moved)

    def mouseClickEvent(self, event: Any) -> None:
        """Put the cursor there, with Ctrl a mark; twice: show the whole run."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        event.accept()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._playback.measure.put_next(self.mapToView(event.pos()).x())
        elif event.double():
            self._playback.fit()
        else:
            self._playback.set_cursor(self.mapToView(event.pos()).x())


class EnvelopeItem(pg.GraphicsObject):
    """The filled range between the least and the greatest of each column."""

    def __init__(self) -> None:
        super().__init__()
        self._path = QPainterPath()
        self._bounds = QRectF()
        self._brush = pg.mkBrush(None)

    def set_brush(self, colour: Any) -> None:
        """Fill with this colour."""
        self._brush = pg.mkBrush(colour)
        self.update()

    def set_data(self, x: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
        """Take float64 columns of one length; fewer than two clear it."""
        self.prepareGeometryChange()
        if len(x) < 2:
            self._path, self._bounds = QPainterPath(), QRectF()
        else:
            outline_x, outline_y = np.append(x, x[::-1]), np.append(high, low[::-1])
            self._path = pg.arrayToQPath(outline_x, outline_y, connect="all")
            self._bounds = self._path.boundingRect()
        self.update()

    def boundingRect(self) -> Any:
        """Return the extent of the data."""
        return self._bounds

    def paint(self, painter: Any, *_: Any) -> None:
        """Fill the outline."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._brush)
        painter.drawPath(self._path)


class Legend(QWidget):
    """Names with a piece of their line and the value at the cursor; two lines where narrow."""

    SWATCH = 14  # pixels of line
    GAP = 5  # pixels between line, name and value

    def __init__(self, names: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = names
        self._pens = [QPen() for _ in names]
        self._values = ["" for _ in names]
        self._stacked = False
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return one line of text, or two."""
        line = self.fontMetrics().height()
        return QSize(100, (2 * line if self._stacked else line) + 2)

    def set_names(self, names: tuple[str, ...]) -> None:
        """Name the lines anew, as many as before."""
        if names != self._names:
            self._names = names
            self._stacked = self.width() < len(names) * self._entry_width()
            self.updateGeometry()
            self.update()

    def set_pens(self, pens: list[QPen]) -> None:
        """Take the pens of the lines."""
        self._pens = [QPen(pen) for pen in pens]
        for pen in self._pens:
            pen.setWidth(2)
        self.update()

    def set_values(self, values: list[str]) -> None:
        """Take the values at the cursor, as words."""
        if values != self._values:
            self._values = values
            self.setAccessibleDescription(
                ", ".join(f"{n} {v}" for n, v in zip(self._names, values, strict=True))
            )
            self.update()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Put the values under the names where they do not fit beside them."""
        super().resizeEvent(event)
        stacked = self.width() < len(self._names) * self._entry_width()
        if stacked != self._stacked:
            self._stacked = stacked
            self.updateGeometry()

    def _lefts(self) -> list[int]:
        """Return where each entry begins, and where the last one ends, pixels.

        All are equally wide, unless a name would be cut that has room beside shorter ones.
        """
        count, metrics = len(self._names), self.fontMetrics()
        even = min(self.width() // max(count, 1), self._entry_width())
        bare = self.SWATCH + 2 * self.GAP
        own = [metrics.horizontalAdvance(name) + bare for name in self._names]
        if max(own, default=0) <= even or sum(own) > self.width():
            return [place * even for place in range(count + 1)]
        more = (self.width() - sum(own)) // count
        return [sum(own[:place]) + place * more for place in range(count + 1)]

    def _entry_width(self) -> int:
        metrics = self.fontMetrics()
        widest = max(metrics.horizontalAdvance(f"{name} 88.8M") for name in self._names)
        return widest + self.SWATCH + 4 * self.GAP

    def paintEvent(self, event: Any) -> None:
        """Draw the entries side by side."""
        painter, metrics = QPainter(self), self.fontMetrics()
        lefts, line = self._lefts(), metrics.height()
        role = self.palette().ColorRole
        for place, (name, value) in enumerate(zip(self._names, self._values, strict=True)):
            left, width = lefts[place], lefts[place + 1] - lefts[place]
            painter.setPen(self._pens[place])
            painter.drawLine(left, line // 2 + 1, left + self.SWATCH, line // 2 + 1)
            left, room = left + self.SWATCH + self.GAP, width - self.SWATCH - 2 * self.GAP
            fits = metrics.horizontalAdvance(name) <= room
            said = name if fits else name.split()[0]  # "A" of "A Near-Far"
            shown = metrics.elidedText(said, Qt.TextElideMode.ElideRight, room)
            painter.setPen(self.palette().color(role.PlaceholderText))
            painter.drawText(left, 1, room, line, MIDDLE, shown)
            painter.setPen(self.palette().color(role.WindowText))
            if self._stacked:
                number = metrics.elidedText(value, Qt.TextElideMode.ElideRight, room)
                painter.drawText(left, 1 + line, room, line, MIDDLE, number)
            else:
                left += metrics.horizontalAdvance(name) + self.GAP
                painter.drawText(left, 1, room, line, MIDDLE, value)
