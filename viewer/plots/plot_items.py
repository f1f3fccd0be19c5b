"""Pieces that the plots share: view of time, filled range, marks of measuring, notes, legend."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QSignalBlocker, Qt
from PyQt6.QtGui import QColor, QGuiApplication, QPainterPath, QPalette, QPen, QResizeEvent
from PyQt6.QtWidgets import QGraphicsPathItem, QHBoxLayout, QLabel, QSizePolicy, QWidget

from viewer.common.text_size import small_font
from viewer.common.theme import Theme
from viewer.models.playback import PlaybackModel
from viewer.models.session import SessionModel

WHEEL_ZOOM = 0.8  # of the time shown remains per notch inwards
TINT = 20  # opacity of what lies between, of 255
MARGIN = 1  # pixels around the number in its box
AT_END = 0.02  # of the view
REACH = 7  # pixels on each side of a mark from which it can be taken
MARK_Z, NOTE_Z, TINT_Z = 48, 40, -20  # under the cursor; above all data; under it


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
            self._playback.measure.set_marks((first, last))
            return
        moved = self.mapToView(event.lastPos()).x() - self.mapToView(event.pos()).x()
        self._playback.pan(moved)

    def mouseClickEvent(self, event: Any) -> None:
        """Put the cursor there, with Ctrl a mark; twice: show the whole run."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        event.accept()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            measure = self._playback.measure
            measure.put(0 if measure.marks[0] is None else 1, self.mapToView(event.pos()).x())
        elif event.double():
            self._playback.fit()
        else:
            self._playback.set_cursor(self.mapToView(event.pos()).x())


def bare_plot(view: pg.PlotWidget, name: str) -> pg.PlotItem:
    """Return the plot of a view, without pyqtgraph's frame, menus and buttons."""
    view.setFrameShape(view.Shape.NoFrame)
    view.setAccessibleName(f"{name}, plot")
    plot = view.getPlotItem()
    plot.setMenuEnabled(False, enableViewBoxMenu=False)
    menu = plot.ctrlMenu  # never shown; a popup that goes when the view goes
    menu.setParent(view, menu.windowFlags())
    plot.hideButtons()
    view.scene().contextMenu = []
    return plot


class EnvelopeItem(QGraphicsPathItem):
    """The filled range between the least and the greatest of each column."""

    def __init__(self) -> None:
        super().__init__()
        self.setPen(QPen(Qt.PenStyle.NoPen))

    def set_data(self, x: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
        """Take float64 columns of one length; fewer than two clear it."""
        outline_x, outline_y = np.append(x, x[::-1]), np.append(high, low[::-1])
        path = pg.arrayToQPath(outline_x, outline_y, connect="all")
        self.setPath(path if len(x) > 1 else QPainterPath())


class TimeMarks:
    """Shows the model's marks on a plot and moves them."""

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
        self.tint.setBrush(colour)

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


class Legend(QWidget):
    """Names with a piece of their line and the value at the cursor, side by side."""

    def __init__(self, names: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = names
        self._pens = [QPen() for _ in names]
        self._values = ["" for _ in names]
        self._labels = [QLabel() for _ in names]
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for label, name in zip(self._labels, names, strict=True):
            label.setTextFormat(Qt.TextFormat.RichText)
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            row.addWidget(label, len(f"━ 88.8k {name}"))

    def set_names(self, names: tuple[str, ...]) -> None:
        """Name the lines anew, as many as before."""
        if names != self._names:
            self._names = names
            for place, name in enumerate(names):
                self._row.setStretch(place, len(f"━ 88.8k {name}"))
            self._show()

    @property
    def needed(self) -> int:
        """The pixels that all names need, with usual values."""
        words = "".join(f"━ 88.8k {name} " for name in self._names)
        return self.fontMetrics().horizontalAdvance(words) + self._row.spacing()

    def set_pens(self, pens: list[QPen]) -> None:
        """Take the pens of the lines."""
        self._pens = pens
        self._show()

    def set_values(self, values: list[str]) -> None:
        """Take the values at the cursor, as words."""
        if values != self._values:
            self._values = values
            pairs = zip(self._names, values, strict=True)
            self.setAccessibleDescription(", ".join(f"{name} {value}" for name, value in pairs))
            self._show()

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Cut the names anew."""
        super().resizeEvent(a0)
        self._show()

    def _show(self) -> None:
        """Write line, value and name; with little room no value, but of A and B only the letter."""
        muted = self.palette().color(QPalette.ColorRole.PlaceholderText).name()
        entries = zip(self._labels, self._names, self._values, self._pens, strict=True)
        for label, name, value, pen in entries:
            line = "━" if pen.style() == Qt.PenStyle.SolidLine else "╍"
            metrics = self.fontMetrics()
            room = label.width() - metrics.horizontalAdvance(f"{line} {value} ")
            shown, said = name, value
            if metrics.horizontalAdvance(name) > room:
                shown, said = (name[0], value) if name[:2] in ("A ", "B ") else (name, "")
            words = f'{escape(said)} <span style="color:{muted}">{escape(shown)}</span>'
            label.setText(f'<span style="color:{pen.color().name()}">{line}</span> {words}')
