"""Pieces that the plots share: the view of time, the filled range, the legend."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QRectF, QSize, Qt
from PyQt6.QtGui import QPainter, QPainterPath, QPen
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
    """Names with a piece of their line and the value at the cursor, side by side."""

    SWATCH = 14  # pixels of line
    GAP = 5  # pixels between line, name and value

    def __init__(self, names: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = names
        self._pens = [QPen() for _ in names]
        self._values = ["" for _ in names]
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return one line of text."""
        return QSize(100, self.fontMetrics().height() + 2)

    def set_names(self, names: tuple[str, ...]) -> None:
        """Name the lines anew, as many as before."""
        if names != self._names:
            self._names = names
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
            pairs = zip(self._names, values, strict=True)
            self.setAccessibleDescription(", ".join(f"{name} {value}" for name, value in pairs))
            self.update()

    def paintEvent(self, event: Any) -> None:
        """Draw the entries side by side; where there is little room, names are cut, values not."""
        painter, metrics = QPainter(self), self.fontMetrics()
        line, role = metrics.height(), self.palette().ColorRole
        each = self.width() // max(len(self._names), 1)
        for place, (name, value) in enumerate(zip(self._names, self._values, strict=True)):
            left = place * each
            painter.setPen(self._pens[place])
            painter.drawLine(left, line // 2 + 1, left + self.SWATCH, line // 2 + 1)
            left += self.SWATCH + self.GAP
            wide = metrics.horizontalAdvance(value)
            room = each - self.SWATCH - 3 * self.GAP - wide
            fits = metrics.horizontalAdvance(name) <= room
            words = name if fits else name.split()[0]  # "A" of "A Near-Far"
            shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, max(room, 0))
            painter.setPen(self.palette().color(role.PlaceholderText))
            painter.drawText(left, 1, room, line, MIDDLE, shown)
            painter.setPen(self.palette().color(role.WindowText))
            left += metrics.horizontalAdvance(shown) + self.GAP
            painter.drawText(left, 1, wide + self.GAP, line, MIDDLE, value)
