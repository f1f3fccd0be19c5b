"""The picture under the overview's cursor: the curve of work and the marks upon it.

Marks that would cover each other are drawn once, found by NumPy: a run of a million samples
may have a hundred thousand of them, and a strip has a thousand pixels.
"""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPen, QPolygonF

from viewer.common.text_size import small_font
from viewer.common.theme import Theme
from viewer.plots.marks import Marks
from viewer.plots.series import TimeSeries, Window

MARGIN = 6  # pixels left and right, so that the cursor's handle is never cut
MARK_HEIGHT = 5  # pixels of a Δ mark at the upper edge
COLUMN = 2  # pixels of one point of the line
FILL_ALPHA = 60
FOOT = 4  # pixels along the lower edge, for starvation
SWITCH_HEIGHT = 5  # pixels of a bucket switch, above the foot
SWITCH_APART = 4  # pixels between two switches, where they crowd
CHANGE_APART = 4  # the same of changes of Δ in one direction
PEAK_RADIUS = 3.0
LETTER_GAP = 6  # pixels from the peak of a curve to its letter


class Strip:
    """Paints one strip of width x height logical pixels that covers `duration_ns`."""

    def __init__(
        self, painter: QPainter, theme: Theme, width: int, height: int, duration_ns: float
    ) -> None:
        self._painter, self._theme = painter, theme
        self._width, self._foot = width, height - FOOT
        self._duration_ns = duration_ns

    def draw(self, marks: Marks, other: TimeSeries | None) -> None:
        """Paint everything, from back to front; `other`: work of B, on A's clock."""
        peak = self._draw_runs(marks, other)
        self._draw_starvation(marks)
        self._draw_switches(marks)
        self._painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = self._theme.data
        for kind, colour in (
            ("lowered", colours.lowered),
            ("raised", colours.raised),
            ("hand", colours.by_hand),
        ):
            pixels = self._pixels(marks.times(kind), CHANGE_APART)
            self._draw_changes(pixels, kind, colour)
        self._draw_peak(marks, peak)

    def _x(self, times: np.ndarray) -> np.ndarray:
        return MARGIN + times / self._duration_ns * (self._width - 2 * MARGIN)

    def _pixels(self, times: np.ndarray, apart: int) -> list[int]:
        """Return the pixels of times, rising, at most one in `apart` pixels."""
        pixels = np.rint(self._x(times)).astype(np.int64)
        _, firsts = np.unique(pixels // apart, return_index=True)
        return [int(pixel) for pixel in pixels[firsts]]

    def _draw_runs(self, marks: Marks, other: TimeSeries | None) -> float:
        """Paint what was to do over time, in A with what is under it; return pixels per edge."""
        columns = max((self._width - 2 * MARGIN) // COLUMN, 16)
        works = [marks.work, *([other] if other is not None and len(other) else [])]
        shown = [work.window(0.0, self._duration_ns, columns) for work in works]
        top = MARK_HEIGHT + 2 * PEAK_RADIUS + 1
        most = max(float(window.mean.max()) for window in shown)
        scale = (self._foot - top) / max(most, 1e-9)
        for place, window in enumerate(shown):
            self._draw_work(window, scale, place, filled=place == 0)
        if len(works) > 1:
            for place, window in enumerate(shown):
                self._draw_letter(window, scale, place)
        return scale

    def _draw_work(self, shown: Window, scale: float, place: int, filled: bool) -> None:
        heights = (self._foot - shown.mean * scale).tolist()
        xs = self._x(shown.x).tolist()
        line = [QPointF(x, y) for x, y in zip(xs, heights, strict=True)]
        if filled:
            fill = QColor(self._theme.runs[place])
            fill.setAlpha(FILL_ALPHA)
            self._painter.setPen(Qt.PenStyle.NoPen)
            self._painter.setBrush(fill)
            ends = QPointF(xs[0], self._foot), QPointF(xs[-1], self._foot)
            self._painter.drawPolygon(QPolygonF([ends[0], *line, ends[1]]))
        self._painter.setPen(QPen(QColor(self._theme.runs[place]), 1))
        self._painter.drawPolyline(QPolygonF(line))

    def _draw_letter(self, shown: Window, scale: float, place: int) -> None:
        """Put "A" or "B" beside the highest point of its curve."""
        best = int(np.argmax(shown.mean))
        x = float(self._x(shown.x[best : best + 1])[0])
        y = max(self._foot - float(shown.mean[best]) * scale, MARK_HEIGHT + 6.0)
        painter = self._painter
        font = small_font(painter.font())
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(QColor(self._theme.runs[place]))
        left = x + LETTER_GAP if x < self._width - 4 * LETTER_GAP else x - 3 * LETTER_GAP
        at = QPointF(left, y + painter.fontMetrics().ascent() / 2)
        painter.drawText(at, "AB"[place])

    def _draw_starvation(self, marks: Marks) -> None:
        colour = QColor(self._theme.data.starved)
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
