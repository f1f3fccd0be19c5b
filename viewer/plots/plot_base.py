"""What every plot over time has: a header, a window of time, one cursor, or a hint.

    wheel            zoom time, on all plots together (the window is in PlaybackModel)
    drag             move the window of time          double click   the whole run
    click            put the cursor there             drag the line  scrub
    Ctrl+drag        measure from here to there       Ctrl+click     put a mark of measuring

While two runs are compared, A is drawn in the first data colour and B, dashed, in the second. The
names of both, with their values at the cursor, take the place of the caption. The axis says whose
clock is measured and whose is modelled. Jittering values are drawn as the mean of a few pixels over
the filled range from least to greatest.

pyqtgraph is imported by this layer only. Its context menus are off: the export entry
leads to an exporter that crashes under Qt 6.11.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QEvent, QSignalBlocker, Qt, pyqtSignal
from PyQt6.QtGui import QContextMenuEvent, QPen, QResizeEvent
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QWidget

from gpu.words import NO_VALUE
from viewer.common.elided import ElidedLabel
from viewer.common.glossary import explain
from viewer.common.small_widgets import centred_hint, hint_or_page, panel_column
from viewer.common.text_size import scaled
from viewer.common.theme import SPACING, Theme
from viewer.models.session import NOTHING_RECORDED, RunRecord
from viewer.plots.axes import NumberAxis, TimeAxis, dress_axis
from viewer.plots.key import Entry, Key
from viewer.plots.live import LivePanel
from viewer.plots.plot_items import Legend, NoteLines, TimeMarks, TimeViewBox, bare_plot

pg.setConfigOptions(imageAxisOrder="row-major", antialias=False)

MOUSE_WORDS = (
    "Click, or drag the line: move the cursor. Drag: move the window of time. "
    "Wheel: zoom. Ctrl+drag: measure."
)
RIGHT, ABOVE = 12, 8  # pixels round a plot: room for the last labels
LEAST_SIZE = (160, 56)  # pixels
MATRIX = "All pairs, "  # before the names of those algorithms
MEAN_PIXELS = 3  # pixels of one point of a mean line


class PlotPanel(LivePanel):
    """Base of the plots; see the module docstring.

    A child sets `TITLE` and `HINT` and fills `_build_plot`, `_reset`, `_consume`, `_draw`,
    `_show_values`, `_pair_values`, `_colour`, `summary_text`.
    """

    page_turned = pyqtSignal()  # from words to the plot, or back

    LOGARITHMIC: ClassVar[bool] = False
    KEY_WIDTH: ClassVar[int] = 360  # pixels from which the header has room for a key
    _keyed = True  # there is something that the key explains
    key_line: QWidget | None = None  # what signs or colours mean, in the header

    # ---- for children -----------------------------------------------------------------

    def _build_plot(self) -> None:
        """Add items to `self.plot`, and widgets to `self.header`, `self.row` or `self.body`."""

    def _draw(self, first_ns: float, last_ns: float, columns: int) -> None:
        """Draw the window of time, `columns` pixels wide, and set the y range."""

    def _show_values(self) -> None:
        """Show the numbers at the cursor."""

    def _pair_values(self) -> tuple[str, str]:
        """Return the values of A and B at the cursor."""
        return "", ""

    def _make_number_axis(self) -> NumberAxis:
        return NumberAxis(self.LOGARITHMIC)

    def _hint_for(self, record: RunRecord | None) -> str:
        """Return what to say instead of a plot, empty to show the plot."""
        if record is not None and record.trace is not None and not record.trace.counted:
            return f"{record.algorithm.title} shows nothing of its schedule: there is no curve."
        if record is not None and record.failure and not len(record.samples):
            return NOTHING_RECORDED
        return self.HINT if record is None else ""

    def _pen_of(self, place: int) -> QPen:
        style = Qt.PenStyle.DashLine if place else Qt.PenStyle.SolidLine
        pen: QPen = pg.mkPen(self._theme.runs[place], width=self._theme.line_width, style=style)
        return pen

    def _add_key(self, entries: tuple[Entry, ...]) -> None:
        """Say in the header what signs and colours mean, where there is room."""
        self.key_line = Key(entries)
        self.header.insertWidget(self.header.indexOf(self.value), self.key_line)

    def _explain(self, *terms: str) -> None:
        """Say what the panel's words mean where they stand: its caption and its numbers."""
        self.caption.detail = explain(*terms)
        self.caption.setToolTip(self.caption.detail)
        self.number_axis.setToolTip(self.caption.detail)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Leave the key out where caption and number need the room."""
        super().resizeEvent(event)
        self._show_key()

    def _show_key(self) -> None:
        if self.key_line is not None:
            beside = self.pair_legend.needed + 2 * SPACING if self.comparing else 0
            room = self.width() - beside - self.key_line.sizeHint().width()
            wide = self.width() >= scaled(self.KEY_WIDTH)
            self.key_line.setVisible(room >= 0 and wide and self._keyed)

    def _cursor_words(self, words: str) -> None:
        """Show the number at the cursor in the header; its place only grows, and at once."""
        self.value.setText(words or NO_VALUE)
        needed = self.value.sizeHint().width()
        if needed > self.value.minimumWidth():
            self.value.setMinimumWidth(needed)
            self.body.activate()

    # ---- construction -----------------------------------------------------------------

    def _build(self) -> None:
        self.setMinimumSize(*LEAST_SIZE)
        self.time_axis = TimeAxis()
        self.number_axis = self._make_number_axis()
        self.view_box = TimeViewBox(self._playback)
        self.view = pg.PlotWidget(
            viewBox=self.view_box, axisItems={"bottom": self.time_axis, "left": self.number_axis}
        )
        self.view.setMinimumSize(0, 0)
        self.view.setStatusTip(MOUSE_WORDS)
        self.plot = bare_plot(self.view, self.TITLE)
        self.plot.layout.setContentsMargins(0, ABOVE, RIGHT, 0)
        self._axis_shared = (False, 0)
        self.cursor_line = pg.InfiniteLine(angle=90, movable=True)
        self.cursor_line.setZValue(50)
        self.plot.addItem(self.cursor_line, ignoreBounds=True)
        self.marks = TimeMarks(self.plot, self._playback)
        self.notes = NoteLines(self.plot, self._session)
        self._build_frame()
        self._build_plot()
        self.cursor_line.sigDragged.connect(self._drag_cursor)
        self.view_box.sigResized.connect(self._mark_dirty)

    def _build_frame(self) -> None:
        self.caption, self.value = ElidedLabel(), QLabel()
        self.value.setProperty("role", "strong")
        self.value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.header = QHBoxLayout()
        self.header.setSpacing(SPACING)
        self.pair_legend = Legend(("A", "B"))
        self.pair_legend.setAccessibleName("The two runs at the cursor")
        self.header.addWidget(self.pair_legend, 1)
        self.header.addWidget(self.caption, 1)
        self.header.addWidget(self.value)
        self.row = QHBoxLayout()  # the plot and what stands beside it
        self.row.setSpacing(0)
        self.row.addWidget(self.view, 1)
        page = QWidget()
        self.body = panel_column(page)
        self.body.addLayout(self.header)
        self.body.addLayout(self.row, 1)
        self.hint = centred_hint(self.HINT)
        self._pages = hint_or_page(self, self.hint, page)
        self._pages.currentChanged.connect(self.page_turned)

    @property
    def has_plot(self) -> bool:
        """Whether the plot is on its page, not words in its place."""
        return self._pages.currentIndex() == 1

    def apply_theme(self, theme: Theme) -> None:
        """Recolour axes, cursor and data."""
        self.view.setBackground(theme.plot)
        dress_axis(self.time_axis, theme, self.font())
        dress_axis(self.number_axis, theme, self.font())
        self.cursor_line.setPen(pg.mkPen(theme.text, width=theme.line_width))
        self.cursor_line.setHoverPen(pg.mkPen(theme.accent, width=3))
        self.marks.apply_theme(theme)
        self.notes.apply_theme(theme)
        if isinstance(self.key_line, Key):
            self.key_line.apply_theme(theme)
        super().apply_theme(theme)

    # ---- one axis for a column of plots -------------------------------------------------

    def room_beside(self) -> int:
        """Return the pixels that stand between the plot and the panel's right edge."""
        return 0

    def share_axis(self, bare: bool, beside: int) -> None:
        """Leave the numbers of time to the plot below, and `beside` pixels free on the right."""
        self._axis_shared = (bare, beside)
        self.time_axis.set_bare(bare)
        right = RIGHT + beside - self.room_beside()
        self.plot.layout.setContentsMargins(0, ABOVE, right, 0)

    def to_paper(self, on: bool) -> None:
        """Stand alone on paper, with an axis of its own."""
        shared = self._axis_shared
        self.share_axis(False, self.room_beside()) if on else self.share_axis(*shared)
        self._axis_shared = shared

    # ---- slots ------------------------------------------------------------------------

    def _drag_cursor(self, line: Any) -> None:
        self._playback.set_cursor(line.value())

    def _begin(self, place: int, record: RunRecord | None) -> None:
        super()._begin(place, record)
        self._show_clock_words()
        self._show_names()
        self.pair_legend.set_values([NO_VALUE, NO_VALUE])
        self.pair_legend.setVisible(self.comparing)
        self.pair_legend.setToolTip(f"{self.caption.text()}\n\n{self.caption.detail}")
        self.caption.setVisible(not self.comparing)
        self.value.setVisible(not self.comparing)
        self._show_hint()

    def _show_clock_words(self) -> None:
        if self._record is None:
            return
        words = self._record.clock_words
        if self._b is not None and self._b.clock != self._record.clock:
            words = f"A {self._record.clock_words}, B {self._b.clock_words}"
        self.time_axis.set_clock(words)

    def _show_hint(self, _news: object = None) -> None:
        """Say it at once; the page is turned when this panel has its turn to draw."""
        record = self._record
        waits = record is None or (record.running and not len(record.samples))
        words = (self._hint_for(record), self._session.waiting if waits else "")
        self.hint.setText("\n".join(filter(None, words)))
        self._mark_dirty()

    def _connect_models(self) -> None:
        super()._connect_models()
        self._session.waiting_changed.connect(self._show_hint)

    def _show_change(self, record: RunRecord) -> None:
        super()._show_change(record)
        self._show_clock_words()
        self._show_hint()

    def contextMenuEvent(self, a0: QContextMenuEvent | None) -> None:
        """Put the cursor where the plot was clicked: the dock's menu measures from the cursor."""
        self.view.scene().clickEvents.clear()  # the menu takes the release of this press
        if a0 is not None and a0.reason() == QContextMenuEvent.Reason.Mouse:
            at = self.view.mapToScene(self.view.mapFromGlobal(a0.globalPos()))
            if self.view_box.sceneBoundingRect().contains(at):
                self._playback.set_cursor(self.view_box.mapSceneToView(at).x())
        super().contextMenuEvent(a0)

    def changeEvent(self, event: QEvent | None) -> None:
        """Take a new font into the axes."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.FontChange and hasattr(self, "_pages"):
            self.apply_theme(self._theme)

    # ---- drawing ----------------------------------------------------------------------

    def _draw_data(self) -> None:
        self._pages.setCurrentIndex(0 if self.hint.text() else 1)
        first, last = self._playback.view_ns
        last = max(last, first + 1.0)
        self.time_axis.show_unit(last)
        self.view_box.setXRange(first, last, padding=0)
        if self._record is not None:
            self._draw(first, last, max(int(self.view_box.width()), 16))
        self._show_names()
        self._show_key()
        self.view.scene().prepareForPaint()  # else the first paint finds out, and paints twice

    def _show_names(self) -> None:
        if self.comparing and self._pair is not None:
            a, b = self._pair.names
            if a.startswith(MATRIX) and b.startswith(MATRIX):
                a, b = a.removeprefix(MATRIX), b.removeprefix(MATRIX)
            self.pair_legend.set_names((f"A {a.removeprefix('A ')}", f"B {b.removeprefix('B ')}"))
            self.pair_legend.set_pens([self._pen_of(0), self._pen_of(1)])

    def _draw_cursor(self) -> None:
        if not self.cursor_line.moving:
            with QSignalBlocker(self.cursor_line):
                self.cursor_line.setValue(self._playback.cursor_ns)
        self.marks.show()
        self.notes.show()
        if self._record is not None:
            self._show_values()
        if self.comparing:
            self.pair_legend.set_values(list(self._pair_values()))


def nice_ceiling(value: float) -> float:
    """Return a round number at or above `value`, steady while the data grows a little."""
    if value <= 0 or not np.isfinite(value):
        return 1.0
    power = 10.0 ** np.floor(np.log10(value))
    digits = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
    return float(next(power * digit for digit in digits if power * digit >= value * 0.999))
