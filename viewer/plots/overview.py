"""The whole run in a strip: work over time, marks, the cursor.

    click, drag            move the cursor          wheel           zoom the plots
    double click           show the whole run in the plots

▲ Δ raised, ▼ lowered, ◆ set by hand (along the upper edge), | a bucket switch (along the lower
edge). Marks that crowd are drawn once. While two runs are compared, B's work is a second line; the
marks are A's. A dotted line is a note, in the colour of its run; a dashed one is a mark of
measuring.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QMouseEvent, QPainter, QPen, QPixmap, QPolygonF, QWheelEvent
from PyQt6.QtWidgets import QSizePolicy, QWidget

from viewer.common.theme import THEMES, Theme
from viewer.models.playback import PlaybackModel
from viewer.models.session import NOTHING_RECORDED, SessionModel
from viewer.plots.marks import Marks
from viewer.plots.series import TimeSeries

MARGIN = 6  # pixels left and right, so that the cursor's handle is never cut
TOP, FOOT = 2, 7  # pixels from the upper edge, and from the lower one, where marks begin
CURVE_TOP = 12  # pixels above the curve, for marks of Δ
COLUMN = 2  # pixels of one point of the line
APART = 4  # pixels between two marks of a kind
FILL_ALPHA, VEIL_ALPHA, MEASURED = 60, 170, 26
HANDLE = 5  # pixels: half the width of the cursor's handle
STEP_WHEEL = 0.8
SHAPES: dict[
    str, list[tuple[float, float]]
] = {  # corners of each kind of mark, pixels from its place
    "switch": [(0, 0), (1, 0), (1, 5), (0, 5)],
    "lowered": [(-3.5, 0), (3.5, 0), (0, 5)],
    "raised": [(-3.5, 5), (3.5, 5), (0, 0)],
    "hand": [(-3.5, 2.5), (0, -1), (3.5, 2.5), (0, 6)],
}


class Overview(QWidget):
    """Shows the run and moves the cursor; see the module docstring."""

    EMPTY = "Press Run: the whole run appears here."
    HELP = "Drag moves the cursor; the wheel zooms the plots"

    def __init__(
        self, session: SessionModel, playback: PlaybackModel, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._playback = session, playback
        self._theme = THEMES["light"]
        self._picture: QPixmap | None = None  # everything but notes, window and cursor
        self._marks = Marks()
        self._other: TimeSeries | None = None  # work of B, where two runs are compared
        self._shown: tuple[object, ...] = ()  # what the picture was drawn from
        self.setStatusTip(self.HELP)
        self.setAccessibleName("Overview of the run: click or drag to move the cursor")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumSize(80, 46)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        playback.measure.changed.connect(self.update)
        session.notes.changed.connect(self.update)
        session.waiting_changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """Return a slim strip."""
        return QSize(300, 46)

    def show_data(self, marks: Marks, other: TimeSeries | None = None) -> None:
        """Draw these marks and their work, if they have changed.

        other : work of a second run, at times of the first
        """
        more = 0 if other is None else len(other)
        shown = (marks, len(marks.work), self._playback.duration_ns, other, more)
        if shown != self._shown:
            self._marks, self._other, self._shown = marks, other, shown
            self._picture = None
        self.update()

    def hint(self) -> str:
        """Return the words for an empty strip: what to do, or what a run waits for."""
        current = self._session.current
        if current is not None and current.failure and not len(current.samples):
            return NOTHING_RECORDED
        runs = current is not None and current.running
        return self._session.waiting or ("" if runs else self.EMPTY)

    def apply_theme(self, theme: Theme) -> None:
        """Recolour."""
        self._theme = theme
        self._picture = None
        self.update()

    def x_of(self, time_ns: Any) -> Any:
        """Return the pixel of a time, or of an array of times."""
        duration = self._playback.duration_ns
        return MARGIN + time_ns * ((self.width() - 2 * MARGIN) / duration if duration > 0 else 0.0)

    def time_of(self, x: float) -> float:
        """Return the time of a pixel, ns, clamped to the run."""
        share = (x - MARGIN) / max(self.width() - 2 * MARGIN, 1)
        return min(max(share, 0.0), 1.0) * self._playback.duration_ns

    # ---- mouse ----------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Put the cursor there, with any button: the menu of the right one measures from it."""
        if event is not None:
            self._playback.set_cursor(self.time_of(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """Scrub."""
        self.mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        """Show the whole run in the plots."""
        self._playback.fit()

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Zoom the plots around the pointer."""
        if event is not None:
            factor = STEP_WHEEL ** (event.angleDelta().y() / 120)
            self._playback.zoom(factor, self.time_of(event.position().x()))
            event.accept()

    # ---- painting -------------------------------------------------------------------------

    def paintEvent(self, event: Any) -> None:
        """Draw the strip, the window of time and the cursor."""
        if self._picture is None or self._picture.size() != self.size() * self.devicePixelRatioF():
            self._picture = self._drawn()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture)
        if self._playback.duration_ns <= 0:
            painter.setPen(QColor(self._theme.muted))
            painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter), self.hint())
            return
        if not self._playback.fitted:
            self._draw_window(painter)
        self._draw_lines(painter)
        self._draw_cursor(painter)
        if self.hasFocus():
            painter.setPen(QPen(QColor(self._theme.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)

    def _drawn(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(QColor(self._theme.plot))
        if len(self._marks.work) and self._playback.duration_ns > 0:
            painter = QPainter(picture)
            self._draw_work(painter)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._draw_marks(painter)
            painter.end()
        return picture

    def _draw_work(self, painter: QPainter) -> None:
        columns = max((self.width() - 2 * MARGIN) // COLUMN, 16)
        works = [work for work in (self._marks.work, self._other) if work is not None and len(work)]
        shown = [work.window(0.0, self._playback.duration_ns, columns) for work in works]
        foot = self.height() - 2.0
        most = max(float(window.mean.max()) for window in shown)
        scale = (foot - CURVE_TOP) / max(most, 1e-9)
        for place, window in enumerate(shown):
            xs, ys = self.x_of(window.x).tolist(), (foot - window.mean * scale).tolist()
            line = [QPointF(x, y) for x, y in zip(xs, ys, strict=True)]
            colour = QColor(self._theme.runs[place])
            painter.setPen(QPen(colour, 1))
            painter.drawPolyline(QPolygonF(line))
            if place == 0:
                colour.setAlpha(FILL_ALPHA)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colour)
                ends = QPointF(xs[0], foot), QPointF(xs[-1], foot)
                painter.drawPolygon(QPolygonF([ends[0], *line, ends[1]]))

    def _draw_marks(self, painter: QPainter) -> None:
        data = self._theme.data
        colours = {"raised": data.raised, "lowered": data.lowered, "hand": data.by_hand}
        painter.setPen(Qt.PenStyle.NoPen)
        for kind, corners in SHAPES.items():
            painter.setBrush(QColor(colours.get(kind, self._theme.muted)))
            top = self.height() - FOOT if kind == "switch" else TOP
            pixels = np.rint(self.x_of(self._marks.times(kind))).astype(np.int64)
            _, firsts = np.unique(pixels // APART, return_index=True)
            for x in pixels[firsts].tolist():
                points = [QPointF(x + dx, top + dy) for dx, dy in corners]
                painter.drawPolygon(QPolygonF(points))

    def _draw_window(self, painter: QPainter) -> None:
        """Veil what the plots do not show."""
        first, last = (self.x_of(time) for time in self._playback.view_ns)
        veil = QColor(self._theme.window)
        veil.setAlpha(VEIL_ALPHA)
        painter.fillRect(QRectF(0, 0, first, self.height()), veil)
        painter.fillRect(QRectF(last, 0, self.width() - last, self.height()), veil)
        painter.setPen(QPen(QColor(self._theme.accent), 1))
        painter.drawRect(QRectF(first, 0.5, max(last - first, 1.0), self.height() - 1.5))

    def _draw_lines(self, painter: QPainter) -> None:
        """Draw a line at each note and at each mark of measuring; tint what is measured."""
        measure, theme = self._playback.measure, self._theme
        ends = measure.ends(self._playback.cursor_ns)
        if ends is not None:
            first, last = (self.x_of(end) for end in ends)
            tint = QColor(theme.text)
            tint.setAlpha(MEASURED)
            painter.fillRect(QRectF(first, 0, last - first, self.height()), tint)
        inks = {"": theme.text, "A": theme.runs[0], "B": theme.runs[1]}
        dotted, dashed = Qt.PenStyle.DotLine, Qt.PenStyle.DashLine
        lines = [(flag.time_ns, inks[flag.letter], dotted) for flag in self._session.notes.flags()]
        lines += [(mark, theme.text, dashed) for mark in measure.marks if mark is not None]
        for time_ns, ink, style in lines:
            x = round(self.x_of(time_ns)) + 0.5
            painter.setPen(QPen(QColor(ink), theme.line_width, style))
            painter.drawLine(QPointF(x, 0), QPointF(x, self.height()))

    def _draw_cursor(self, painter: QPainter) -> None:
        x = round(self.x_of(self._playback.cursor_ns)) + 0.5
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._theme.text), 1))
        painter.drawLine(QPointF(x, 0), QPointF(x, self.height()))
        painter.setBrush(QColor(self._theme.text))
        tip = [QPointF(x - HANDLE, 0), QPointF(x + HANDLE, 0), QPointF(x, HANDLE + 2)]
        painter.drawPolygon(QPolygonF(tip))
