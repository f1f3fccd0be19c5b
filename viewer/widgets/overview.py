"""The whole run in a strip: work over time, marks, the window shown, the cursor."""

from __future__ import annotations

from typing import Any

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QMouseEvent, QPainter, QPen, QPixmap, QPolygonF, QWheelEvent
from PyQt6.QtWidgets import QSizePolicy, QWidget

from viewer.models.playback import PlaybackModel
from viewer.series import StepSeries, TimeSeries
from viewer.theme import DASH_PATTERN, THEMES, Theme

HANDLE = 5  # pixels: half the width of the cursor's handle
MARGIN = 6  # pixels left and right, so that the handle is never cut
MARK_HEIGHT = 5  # pixels of a Δ mark at the upper edge
COLUMN = 2  # pixels of one point of the line
FILL_ALPHA = 60
STEP_WHEEL = 0.8


class Overview(QWidget):
    """Click or drag to move the cursor; the wheel zooms the plots; double click fits them."""

    EMPTY = "Press Run: the whole run appears here."

    def __init__(self, playback: PlaybackModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._playback = playback
        self._theme = THEMES["light"]
        self._strip: QPixmap | None = None  # everything but the window and the cursor
        self._work, self._changes, self._clock = TimeSeries(), StepSeries(), "modelled"
        self.setAccessibleName("Overview of the run: click or drag to move the cursor")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        """Return a slim strip."""
        return QSize(300, 44)

    def minimumSizeHint(self) -> QSize:
        """Return the least that can be hit with a pointer."""
        return QSize(80, 44)

    def show_data(self, work: TimeSeries, changes: StepSeries, clock: str) -> None:
        """Draw anew from these series; `clock` decides the line style."""
        self._work, self._changes, self._clock = work, changes, clock
        self._strip = None
        self.update()

    def apply_theme(self, theme: Theme) -> None:
        """Recolour."""
        self._theme = theme
        self._strip = None
        self.update()

    def x_of(self, time_ns: float) -> float:
        """Return the pixel of a time."""
        share = time_ns / self._playback.duration_ns if self._playback.duration_ns > 0 else 0.0
        return MARGIN + share * (self.width() - 2 * MARGIN)

    def time_of(self, x: float) -> float:
        """Return the time of a pixel, ns, clamped to the run."""
        share = (x - MARGIN) / max(self.width() - 2 * MARGIN, 1)
        return min(max(share, 0.0), 1.0) * self._playback.duration_ns

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Put the cursor there."""
        if event is not None and event.button() == Qt.MouseButton.LeftButton:
            self._playback.set_cursor(self.time_of(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """Scrub."""
        if event is not None and event.buttons() & Qt.MouseButton.LeftButton:
            self._playback.set_cursor(self.time_of(event.position().x()))

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        """Show the whole run in the plots."""
        self._playback.fit()

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Zoom the plots around the pointer."""
        if event is not None:
            factor = STEP_WHEEL ** (event.angleDelta().y() / 120)
            self._playback.zoom(factor, self.time_of(event.position().x()))
            event.accept()

    def paintEvent(self, event: Any) -> None:
        """Draw the strip, the window of time and the cursor."""
        if self._strip is None or self._strip.size() != self.size() * self.devicePixelRatioF():
            self._strip = self._draw_strip()
        painter, theme = QPainter(self), self._theme
        painter.drawPixmap(0, 0, self._strip)
        if self._playback.duration_ns <= 0:
            painter.setPen(QColor(theme.muted))
            painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter), self.EMPTY)
            return
        if not self._playback.fitted:
            first, last = (self.x_of(time) for time in self._playback.view_ns)
            veil = QColor(theme.window)
            veil.setAlpha(170)
            painter.fillRect(QRectF(0, 0, first, self.height()), veil)
            painter.fillRect(QRectF(last, 0, self.width() - last, self.height()), veil)
            painter.setPen(QPen(QColor(theme.accent), 1))
            painter.drawRect(QRectF(first, 0.5, max(last - first, 1.0), self.height() - 1.5))
        self._draw_cursor(painter)
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)

    def _draw_cursor(self, painter: QPainter) -> None:
        x = round(self.x_of(self._playback.cursor_ns)) + 0.5
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._theme.text), 1))
        painter.drawLine(QPointF(x, 0), QPointF(x, self.height()))
        painter.setBrush(QColor(self._theme.text))
        tip = [QPointF(x - HANDLE, 0), QPointF(x + HANDLE, 0), QPointF(x, HANDLE + 2)]
        painter.drawPolygon(QPolygonF(tip))

    def _draw_strip(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        strip = QPixmap(self.size() * ratio)
        strip.setDevicePixelRatio(ratio)
        strip.fill(QColor(self._theme.plot))
        if not len(self._work) or self._playback.duration_ns <= 0:
            return strip
        painter = QPainter(strip)
        self._draw_work(painter)
        self._draw_marks(painter)
        painter.end()
        return strip

    def _draw_work(self, painter: QPainter) -> None:
        columns = max((self.width() - 2 * MARGIN) // COLUMN, 16)
        shown = self._work.window(0.0, self._playback.duration_ns, columns)
        foot = self.height() - 1.0
        scale = (foot - MARK_HEIGHT - 6) / max(float(shown.mean.max()), 1e-9)
        heights = (foot - shown.mean * scale).tolist()
        xs = [self.x_of(time) for time in shown.x.tolist()]
        line = [QPointF(x, y) for x, y in zip(xs, heights, strict=True)]
        fill = QColor(self._theme.series[0])
        fill.setAlpha(FILL_ALPHA)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawPolygon(QPolygonF([QPointF(xs[0], foot), *line, QPointF(xs[-1], foot)]))
        pen = QPen(QColor(self._theme.series[0]), 1)
        if self._clock != "measured":
            pen.setStyle(self._theme.modelled_pen_style)
            pen.setDashPattern(DASH_PATTERN)
        painter.setPen(pen)
        painter.drawPolyline(QPolygonF(line))

    def _draw_marks(self, painter: QPainter) -> None:
        """Draw one tick a pixel where Δ changed: up or down, coloured as in the Δ panel."""
        painter.setPen(Qt.PenStyle.NoPen)
        values = self._changes.values
        rises = np.diff(values, prepend=values[:1])  # the first entry is no change
        drawn = set()
        for time, rise in zip(self._changes.times.tolist(), rises.tolist(), strict=True):
            x = round(self.x_of(time))
            if rise == 0 or x in drawn:
                continue
            drawn.add(x)
            painter.setBrush(QColor(self._theme.series[2 if rise > 0 else 1]))
            low, high = (MARK_HEIGHT + 2, 2) if rise > 0 else (2, MARK_HEIGHT + 2)
            corners = [QPointF(x - 3.5, low), QPointF(x + 3.5, low), QPointF(x, high)]
            painter.drawPolygon(QPolygonF(corners))
