"""The whole run in a strip: work over time, marks, the cursor.

    click, drag            move the cursor          wheel           zoom the plots
    pointer over a mark    what happened            double click    fit the plots

▲ Δ raised, ▼ lowered, ◆ set by hand (along the upper edge), ○ the peak of parallelism, | a bucket
switch (along the lower edge; where they crowd, one in a few pixels). While two runs are compared,
B's work is a second line; the marks are A's, flags of notes have the colour of their run.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from PyQt6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt
from PyQt6.QtGui import (
    QColor,
    QMouseEvent,
    QPainter,
    QPen,
    QPixmap,
    QPolygonF,
    QWheelEvent,
)
from PyQt6.QtWidgets import QSizePolicy, QToolTip, QWidget

from viewer.common.text_size import scaled, small_font
from viewer.common.theme import THEMES, Theme
from viewer.models.notes import Flag
from viewer.models.playback import PlaybackModel
from viewer.models.session import SessionModel
from viewer.plots.marks import Marks
from viewer.plots.series import TimeSeries, Window

MARGIN = 6  # pixels left and right, so that the cursor's handle is never cut
MARK_HEIGHT = 5  # pixels of a Δ mark at the upper edge
COLUMN = 2  # pixels of one point of the line
FILL_ALPHA = 60
FOOT = 2  # pixels along the lower edge
SWITCH_HEIGHT = 5  # pixels of a bucket switch, above the foot
SWITCH_APART = 4  # pixels between two switches, where they crowd
CHANGE_APART = 4  # the same of changes of Δ in one direction
PEAK_RADIUS = 3.0
HANDLE = 5  # pixels: half the width of the cursor's handle
REACH = 5  # pixels from the pointer to a mark
STEP_WHEEL = 0.8
MARK_SIDE, MEASURED = 14, 26  # pixels at the reference text size; opacity of what is measured
FLAG, FLAG_TOP = (13, 10), 8  # pixels, at the reference text size; below the upper edge


class Strip:
    """Paints the curve of work and the marks, width x height pixels that cover `duration_ns`.

    Marks that would cover each other are drawn once: a strip has a thousand pixels, a run may have
    a hundred thousand marks.
    """

    def __init__(
        self, painter: QPainter, theme: Theme, width: int, height: int, duration_ns: float
    ) -> None:
        self._painter, self._theme = painter, theme
        self._width, self._foot = width, height - FOOT
        self._duration_ns = duration_ns

    def draw(self, marks: Marks, other: TimeSeries | None) -> None:
        """Paint everything, from back to front; `other`: work of B, on A's clock."""
        peak = self._draw_runs(marks, other)
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
        self._hovered: tuple[str, ...] = ()
        self.setMouseTracking(True)
        self.setStatusTip(self.HELP)
        self.setAccessibleName("Overview of the run: click or drag to move the cursor")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        playback.measure.changed.connect(self.update)
        session.notes.changed.connect(self.update)
        session.waiting_changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """Return a slim strip."""
        return QSize(300, 46)

    def minimumSizeHint(self) -> QSize:
        """Return the least that can be hit with a pointer."""
        return QSize(80, 46)

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
        """Return what stands there while there is no run: what to do, or what a run waits for."""
        current = self._session.current
        runs = current is not None and current.running
        return self._session.waiting or ("" if runs else self.EMPTY)

    def apply_theme(self, theme: Theme) -> None:
        """Recolour."""
        self._theme = theme
        self._picture = None
        self.update()

    def x_of(self, time_ns: float) -> float:
        """Return the pixel of a time."""
        share = time_ns / self._playback.duration_ns if self._playback.duration_ns > 0 else 0.0
        return MARGIN + share * (self.width() - 2 * MARGIN)

    def time_of(self, x: float) -> float:
        """Return the time of a pixel, ns, clamped to the run."""
        share = (x - MARGIN) / max(self.width() - 2 * MARGIN, 1)
        return min(max(share, 0.0), 1.0) * self._playback.duration_ns

    def words_at(self, x: float) -> tuple[str, ...]:
        """Return what the marks near a pixel say, a line each."""
        record, duration = self._session.current, self._playback.duration_ns
        if record is None or duration <= 0:
            return ()
        reach = REACH * duration / max(self.width() - 2 * MARGIN, 1)
        time_ns = self.time_of(x)
        flags = self._session.notes.flags()
        near = [flag for flag in flags if abs(flag.time_ns - time_ns) <= 2 * reach]
        words = self._marks.words_near(record.samples, time_ns, reach)
        return (*map(_note_words, near), *words)

    # ---- mouse ----------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Put the cursor there, or at the note there."""
        if event is not None and event.button() == Qt.MouseButton.LeftButton:
            note, here = self.note_at(event.position()), self.time_of(event.position().x())
            self._playback.set_cursor(here if note is None else note.time_ns)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """Scrub, or show the words of what is under the pointer."""
        if event is None:
            return
        x = event.position().x()
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._playback.set_cursor(self.time_of(x))
        else:
            self._show_words(x, event.globalPosition().toPoint())

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        """Show the whole run in the plots."""
        self._playback.fit()

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Zoom the plots around the pointer."""
        if event is not None:
            factor = STEP_WHEEL ** (event.angleDelta().y() / 120)
            self._playback.zoom(factor, self.time_of(event.position().x()))
            event.accept()

    def leaveEvent(self, event: QEvent | None) -> None:
        """Point at nothing."""
        self._hovered = ()
        super().leaveEvent(event)

    def _show_words(self, x: float, where: QPoint) -> None:
        """Show the words of the marks near a pixel, if they are others than those shown."""
        words = self.words_at(x)
        if words != self._hovered:
            self._hovered = words
            QToolTip.showText(where, "\n".join(words), self)

    def note_at(self, place: QPointF) -> Flag | None:
        """Return the note whose flag is at a place, None for none."""
        flags = self._session.notes.flags()
        hits = [flag for flag in flags if self.flag(flag.time_ns).contains(place)]
        return hits[-1] if hits else None

    def flag(self, time_ns: float) -> QRectF:
        """Return the box of a note's flag, below the marks of Δ; at the end it points left."""
        width, height = float(scaled(FLAG[0])), float(scaled(FLAG[1]))
        x = round(self.x_of(time_ns))
        left = x if x + width <= self.width() else x - width
        return QRectF(left, FLAG_TOP, width, height)

    def handle(self, time_ns: float) -> QRectF:
        """Return the box of the number of a mark of measuring, along the lower edge."""
        side = float(scaled(MARK_SIDE))
        return QRectF(round(self.x_of(time_ns)) - side / 2, self.height() - side, side, side)

    # ---- painting -------------------------------------------------------------------------

    def paintEvent(self, event: Any) -> None:
        """Draw the strip, the window of time and the cursor."""
        if self._picture is None or self._picture.size() != self.size() * self.devicePixelRatioF():
            self._picture = self._drawn()
        painter, theme = QPainter(self), self._theme
        painter.drawPixmap(0, 0, self._picture)
        if self._playback.duration_ns <= 0:
            painter.setPen(QColor(theme.muted))
            painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter), self.hint())
            return
        if not self._playback.fitted:
            first, last = (self.x_of(time) for time in self._playback.view_ns)
            veil = QColor(theme.window)
            veil.setAlpha(170)
            painter.fillRect(QRectF(0, 0, first, self.height()), veil)
            painter.fillRect(QRectF(last, 0, self.width() - last, self.height()), veil)
            painter.setPen(QPen(QColor(theme.accent), 1))
            painter.drawRect(QRectF(first, 0.5, max(last - first, 1.0), self.height() - 1.5))
        self._draw_notes(painter)
        self._draw_measure(painter)
        self._draw_cursor(painter)
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)

    def _drawn(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(QColor(self._theme.plot))
        duration = self._playback.duration_ns
        if len(self._marks.work) and duration > 0:
            painter = QPainter(picture)
            strip = Strip(painter, self._theme, self.width(), self.height(), duration)
            strip.draw(self._marks, self._other)
            painter.end()
        return picture

    def _draw_notes(self, painter: QPainter) -> None:
        """Fly a flag at each note of the run, or in its run's colour at each of both."""
        colours = {"": self._theme.text, **dict(zip("AB", self._theme.runs, strict=True))}
        for flag in self._session.notes.flags():
            box, x = self.flag(flag.time_ns), round(self.x_of(flag.time_ns)) + 0.5
            painter.setPen(QPen(QColor(colours[flag.letter]), 1))
            painter.drawLine(QPointF(x, box.top()), QPointF(x, self.height()))
            painter.setBrush(QColor(self._theme.base))
            painter.drawRect(box.translated(0.5, 0.5))
            line = box.adjusted(3, 0, -2, 0)
            for down in (0.35, 0.65):
                y = round(box.top() + down * box.height()) + 0.5
                painter.drawLine(QPointF(line.left(), y), QPointF(line.right(), y))

    def _draw_measure(self, painter: QPainter) -> None:
        """Tint what is measured; dash a line at each mark, its number in a box below."""
        measure, theme = self._playback.measure, self._theme
        ends = measure.ends(self._playback.cursor_ns)
        if ends is None:
            return
        first, last = (self.x_of(end) for end in ends)
        tint = QColor(theme.text)
        tint.setAlpha(MEASURED)
        painter.fillRect(QRectF(first, 0, last - first, self.height()), tint)
        font = small_font(painter.font())
        font.setBold(True)
        painter.setFont(font)
        for number, mark in enumerate(measure.marks, 1):
            if mark is None:
                continue
            box = self.handle(mark)
            x = box.center().x() + 0.5
            painter.setPen(QPen(QColor(theme.text), theme.line_width, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, 0), QPointF(x, box.top()))
            painter.fillRect(box, QColor(theme.text))
            painter.setPen(QColor(theme.plot))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(number))

    def _draw_cursor(self, painter: QPainter) -> None:
        x = round(self.x_of(self._playback.cursor_ns)) + 0.5
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._theme.text), 1))
        painter.drawLine(QPointF(x, 0), QPointF(x, self.height()))
        painter.setBrush(QColor(self._theme.text))
        tip = [QPointF(x - HANDLE, 0), QPointF(x + HANDLE, 0), QPointF(x, HANDLE + 2)]
        painter.drawPolygon(QPolygonF(tip))


def _note_words(flag: Flag) -> str:
    of = f" on {flag.letter}" if flag.letter else ""
    return f"Note{of}: {flag.pin.note.text}"
