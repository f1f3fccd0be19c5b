"""Moments marked on a plot: the two marks of measuring with a tint between them, and notes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QSignalBlocker, Qt
from PyQt6.QtGui import QColor, QGuiApplication

from viewer.common.text_size import small_font
from viewer.common.theme import Theme
from viewer.models.playback import PlaybackModel
from viewer.models.session import SessionModel
from viewer.plots.plot_items import EnvelopeItem

TINT = 20  # opacity of what lies between, of 255
MARGIN = 1  # pixels around the number in its box
AT_END = 0.02  # of the view
REACH = 7  # pixels on each side of a mark from which it can be taken
MARK_Z, NOTE_Z, TINT_Z = 48, 40, -20  # under the cursor; above all data; under it


class TimeMarks:
    """Shows the model's marks on a plot and moves them; see the module docstring."""

    def __init__(self, plot: pg.PlotItem, playback: PlaybackModel) -> None:
        self._playback = playback
        self._view = plot.getViewBox()
        self.tint = EnvelopeItem()
        self.tint.setZValue(TINT_Z)
        self._shown: tuple[object, ...] = ()  # what is drawn, to draw it once
        self.lines = (MarkLine("1"), MarkLine("2"))
        for place, line in enumerate(self.lines):
            line.sigDragged.connect(partial(self._drag, place))
        for item in (self.tint, *self.lines):
            item.hide()
            plot.addItem(item, ignoreBounds=True)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        for line in self.lines:
            line.apply_theme(theme)
        colour = QColor(theme.text)
        colour.setAlpha(TINT)
        self.tint.set_brush(colour)

    def show(self) -> None:
        """Stand where the model says, each end that is no mark at the cursor."""
        measure = self._playback.measure
        (first, last), (low, high) = self._view.viewRange()
        ends = measure.ends(self._playback.cursor_ns)
        shown = (measure.marks, ends, first, last, low, high)
        if shown == self._shown:
            return
        self._shown = shown
        for line, mark in zip(self.lines, measure.marks, strict=True):
            line.setVisible(mark is not None)
            if mark is not None:
                with QSignalBlocker(line):
                    line.setValue(mark)
                line.keep_inside(first, last)
        self.tint.setVisible(ends is not None)
        if ends is not None:
            self.tint.set_data(np.array(ends), np.full(2, low), np.full(2, high))

    def _drag(self, place: int, line: Any) -> None:
        self._playback.measure.put(place, line.value())
        self._shown = ()
        self.show()  # the line stands under the pointer: it goes to its sample


class NoteLines:
    """A dotted line at each note of the run that is shown, or of both that are compared."""

    def __init__(self, plot: pg.PlotItem, session: SessionModel) -> None:
        self._notes, self._view = session.notes, plot.getViewBox()
        self._shown: tuple[object, ...] = ((), [])
        self.lines = pg.PlotCurveItem(connect="pairs")
        self.lines.setZValue(NOTE_Z)
        plot.addItem(self.lines, ignoreBounds=True)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.lines.setPen(pg.mkPen(theme.muted, width=theme.line_width, style=Qt.PenStyle.DotLine))

    def show(self) -> None:
        """Draw what the model says, over the height of the view."""
        times = tuple(flag.time_ns for flag in self._notes.flags())
        shown = (times, self._view.viewRange()[1] if times else [])
        if shown == self._shown:
            return
        self._shown = shown
        heights = np.tile(shown[1], len(times))
        self.lines.setData(np.repeat(times, 2).astype(np.float64), heights)


class MarkLine(pg.InfiniteLine):
    """A dashed line with its number in a box at the top, which is where one takes it."""

    def __init__(self, number: str) -> None:
        super().__init__(angle=90, movable=True)
        self.setZValue(MARK_Z)
        self._maxMarkerSize = REACH  # pyqtgraph's own reach of a marker on the line
        self.box = pg.InfLineLabel(self, number, position=1.0, anchors=[(0.5, 0.0)] * 2)
        self.box.textItem.document().setDocumentMargin(MARGIN)

    def keep_inside(self, first_ns: float, last_ns: float) -> None:
        """Have the number on the side of the line that is in sight, at the ends of the view."""
        share = (self.value() - first_ns) / max(last_ns - first_ns, 1.0)
        side = 0.0 if share < AT_END else 1.0 if share > 1 - AT_END else 0.5
        self.box.anchors = [(side, 0.0)] * 2
        self.box.valueChanged()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.setPen(pg.mkPen(theme.text, width=theme.line_width, style=Qt.PenStyle.DashLine))
        self.setHoverPen(pg.mkPen(theme.accent, width=3))
        self.box.setColor(theme.plot)
        self.box.fill = pg.mkBrush(theme.text)
        font = small_font(QGuiApplication.font())
        font.setBold(True)
        self.box.setFont(font)
