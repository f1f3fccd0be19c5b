"""The picture under the overview's cursor: the curve of work and the marks upon it.

Marks that would cover each other are drawn once, found by NumPy: a run of a million samples
may have a hundred thousand of them, and a strip has a thousand pixels.
"""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPen, QPolygonF

from viewer.marks import Marks
from viewer.theme import DASH_PATTERN, Theme

MARGIN = 6  # pixels left and right, so that the cursor's handle is never cut
MARK_HEIGHT = 5  # pixels of a Δ mark at the upper edge
COLUMN = 2  # pixels of one point of the line
FILL_ALPHA = 60
FOOT = 4  # pixels along the lower edge, for starvation
SWITCH_HEIGHT = 5  # pixels of a bucket switch, above the foot
SWITCH_APART = 4  # pixels between two switches, where they crowd
CHANGE_APART = 4  # the same of changes of Δ in one direction
PEAK_RADIUS = 3.0


class Strip:
    """Paints one strip of width x height logical pixels that covers `duration_ns`."""

    def __init__(
        self, painter: QPainter, theme: Theme, width: int, height: int, duration_ns: float
    ) -> None:
        self._painter, self._theme = painter, theme
        self._width, self._foot = width, height - FOOT
        self._duration_ns = duration_ns

    def draw(self, marks: Marks, clock: str) -> None:
        """Paint everything, from back to front."""
        peak = self._draw_work(marks, clock)
        self._draw_starvation(marks)
        self._draw_switches(marks)
        self._painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for kind, series in (("lowered", 1), ("raised", 2), ("hand", 3)):
            pixels = self._pixels(marks.times(kind), CHANGE_APART)
            self._draw_changes(pixels, kind, self._theme.series[series])
        self._draw_peak(marks, peak)

    def _x(self, times: np.ndarray) -> np.ndarray:
        return MARGIN + times / self._duration_ns * (self._width - 2 * MARGIN)

    def _pixels(self, times: np.ndarray, apart: int) -> list[int]:
        """Return the pixels of times, rising, at most one in `apart` pixels."""
        pixels = np.rint(self._x(times)).astype(np.int64)
        _, firsts = np.unique(pixels // apart, return_index=True)
        return [int(pixel) for pixel in pixels[firsts]]

    def _draw_work(self, marks: Marks, clock: str) -> float:
        """Paint the curve and what is under it; return pixels per edge."""
        columns = max((self._width - 2 * MARGIN) // COLUMN, 16)
        shown = marks.work.window(0.0, self._duration_ns, columns)
        top = MARK_HEIGHT + 2 * PEAK_RADIUS + 1
        scale = (self._foot - top) / max(float(shown.mean.max()), 1e-9)
        heights = (self._foot - shown.mean * scale).tolist()
        xs = self._x(shown.x).tolist()
        line = [QPointF(x, y) for x, y in zip(xs, heights, strict=True)]
        fill = QColor(self._theme.series[0])
        fill.setAlpha(FILL_ALPHA)
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(fill)
        ends = QPointF(xs[0], self._foot), QPointF(xs[-1], self._foot)
        self._painter.drawPolygon(QPolygonF([ends[0], *line, ends[1]]))
        pen = QPen(QColor(self._theme.series[0]), 1)
        if clock != "measured":
            pen.setStyle(self._theme.modelled_pen_style)
            pen.setDashPattern(DASH_PATTERN)
        self._painter.setPen(pen)
        self._painter.drawPolyline(QPolygonF(line))
        return scale

    def _draw_starvation(self, marks: Marks) -> None:
        colour = QColor(self._theme.series[4])
        for stretch in marks.stretches:
            first, last = self._x(np.array([stretch.first_ns, stretch.last_ns])).tolist()
            bar = QRectF(first, self._foot + 1, max(last - first, 1.0), FOOT - 1)
            self._painter.fillRect(bar, colour)

    def _draw_switches(self, marks: Marks) -> None:
        self._painter.setPen(QPen(QColor(self._theme.muted), 1))
        for x in self._pixels(marks.times("switch"), SWITCH_APART):
            ends = QPointF(x + 0.5, self._foot - SWITCH_HEIGHT), QPointF(x + 0.5, self._foot)
            self._painter.drawLine(*ends)

    def _draw_changes(self, pixels: list[int], kind: str, colour: str) -> None:
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QColor(colour))
        top, bottom = 2.0, MARK_HEIGHT + 2.0
        middle = (top + bottom) / 2
        for x in pixels:
            if kind == "hand":
                corners = [(x - 3.5, middle), (x, top - 1), (x + 3.5, middle), (x, bottom + 1)]
            else:
                low, high = (bottom, top) if kind == "raised" else (top, bottom)
                corners = [(x - 3.5, low), (x + 3.5, low), (float(x), high)]
            self._painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))

    def _draw_peak(self, marks: Marks, scale: float) -> None:
        for number in marks.numbers("peak").tolist():
            x = float(self._x(marks.work.times[number : number + 1])[0])
            # the curve shows means of columns: the peak itself may stand above it
            y = max(self._foot - float(marks.work.values[number]) * scale, MARK_HEIGHT + 6.0)
            self._painter.setPen(QPen(QColor(self._theme.text), 1.4))
            self._painter.setBrush(QColor(self._theme.plot))
            self._painter.drawEllipse(QPointF(x, y), PEAK_RADIUS, PEAK_RADIUS)
