"""What every plot over time has: one window of time, one cursor, one way to refresh.

A panel shows the session's current run. It never draws on a signal: signals set dirty
flags, a single-shot timer of 33 ms draws what is newest, and only while the panel is
visible. Samples are taken over in blocks of `SAMPLES_PER_TICK`, so that a trace of a
million samples, opened at once, does not hold the window up.

    wheel            zoom time, on all plots together (the window is in PlaybackModel)
    drag             move the window of time          double click   the whole run
    click            put the cursor there             drag the line  scrub

Modelled and measured time differ in line style (see `viewer.theme`) and in the axis
label. Measured here, offscreen, 1200 pixels, 2400 points: a dashed pen of width 1 costs
what a solid one costs (2.9 ms with the paint; wider pens cost three times that). A
dashed zigzag reads as noise, however, so jittering values are drawn as the mean of a
few pixels (dashed or solid) over the filled range from least to greatest.

pyqtgraph is imported by this layer only. Its context menus are off: the export entry
leads to an SVG exporter that crashes under Qt 6.11.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QEvent, QSignalBlocker, Qt, QTimer
from PyQt6.QtGui import QFont, QPen, QResizeEvent, QShowEvent
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QStackedLayout, QToolButton, QVBoxLayout, QWidget

from viewer.models.playback import PlaybackModel
from viewer.models.session import RunRecord, SessionModel
from viewer.theme import DASH_PATTERN, SPACING, THEMES, Theme
from viewer.units import NO_VALUE
from viewer.widgets.axes import FONT_PIXELS, NumberAxis, TimeAxis, dress_axis
from viewer.widgets.plot_items import ElidedLabel, TimeViewBox

pg.setConfigOptions(imageAxisOrder="row-major", antialias=False)

REFRESH_MS = 33
SAMPLES_PER_TICK = 65_536
MEAN_PIXELS = 3  # pixels of one point of a mean line


class PlotPanel(QWidget):
    """Base of the panels: header, plot or hint, cursor, refresh; see the module docstring.

    A child sets `TITLE` and `HINT` and fills `_build_plot`, `_reset`, `_consume`,
    `_draw`, `_show_values` and `summary_text`.
    """

    TITLE: ClassVar[str] = ""
    HINT: ClassVar[str] = ""
    LOGARITHMIC: ClassVar[bool] = False

    def __init__(
        self, session: SessionModel, playback: PlaybackModel, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._playback = session, playback
        self._record: RunRecord | None = None
        self._consumed = 0
        self._data_dirty = False
        self._theme = THEMES["light"]
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(REFRESH_MS)
        self._build()
        self._build_plot()
        self._connect_base()
        self.apply_theme(self._theme)
        self._show_run(session.current)

    # ---- for children -----------------------------------------------------------------

    def _build_plot(self) -> None:
        """Add items to `self.plot`, and widgets to `self.header` or `self.body`."""

    def _reset(self, record: RunRecord | None) -> None:
        """Forget all data; `record` is what will be shown."""

    def _consume(self, samples: np.ndarray) -> None:
        """Take over SAMPLE (k,), the next ones."""

    def _draw(self, first_ns: float, last_ns: float, columns: int) -> None:
        """Draw the window of time, `columns` pixels wide, and set the y range."""

    def _show_values(self) -> None:
        """Show the numbers at the cursor."""

    def _hint_for(self, record: RunRecord | None) -> str:
        """Return what to say instead of a plot, empty to show the plot."""
        return self.HINT if record is None else ""

    def summary_text(self) -> str:
        """Return one sentence with the numbers at the cursor, for screen readers."""
        return self.HINT if self._record is None else self._record.title

    # ---- public -----------------------------------------------------------------------

    def apply_theme(self, theme: Theme) -> None:
        """Recolour everything."""
        self._theme = theme
        self.view.setBackground(theme.plot)
        font = QFont(self.font())
        font.setPixelSize(FONT_PIXELS)
        dress_axis(self.time_axis, theme, font)
        dress_axis(self.number_axis, theme, font)
        self.cursor_line.setPen(pg.mkPen(theme.text, width=1))
        self.cursor_line.setHoverPen(pg.mkPen(theme.accent, width=3))
        self._colour()
        self._mark_dirty()

    def flush(self) -> None:
        """Draw everything now: for pictures, tests and a panel just shown."""
        self._timer.stop()
        while self._record is not None and self._consumed < len(self._record.samples):
            self._take_block(self._record)
        self._redraw()

    @property
    def pending(self) -> bool:
        """Whether something waits to be drawn."""
        return self._data_dirty or self._timer.isActive()

    # ---- construction -----------------------------------------------------------------

    def _build(self) -> None:
        self.setAccessibleName(self.TITLE)
        self.setMinimumSize(200, 120)
        self.time_axis = TimeAxis()
        self.number_axis = self._make_number_axis()
        self.view_box = TimeViewBox(self._playback)
        self.view = pg.PlotWidget(
            viewBox=self.view_box, axisItems={"bottom": self.time_axis, "left": self.number_axis}
        )
        self.view.setFrameShape(self.view.Shape.NoFrame)
        self.view.setMinimumSize(0, 0)
        self.view.setAccessibleName(f"{self.TITLE}, plot")
        self.plot = self.view.getPlotItem()
        self.plot.setMenuEnabled(False, enableViewBoxMenu=False)
        self.plot.hideButtons()
        self.plot.layout.setContentsMargins(0, 8, 12, 0)  # room for the last labels
        self.view.scene().contextMenu = []
        self.cursor_line = pg.InfiniteLine(angle=90, movable=True)
        self.cursor_line.setZValue(50)
        self.plot.addItem(self.cursor_line, ignoreBounds=True)
        self._build_frame()

    def _make_number_axis(self) -> NumberAxis:
        return NumberAxis(self.LOGARITHMIC)

    def _build_frame(self) -> None:
        self.caption, self.value = ElidedLabel(), QLabel()
        self.value.setProperty("role", "strong")
        self.value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.header = QHBoxLayout()
        self.header.setSpacing(SPACING)
        self.header.addWidget(self.caption, 1)
        self.header.addWidget(self.value)
        self.row = QHBoxLayout()  # the plot and what stands beside it
        self.row.setSpacing(0)
        self.row.addWidget(self.view, 1)
        page = QWidget()
        self.body = QVBoxLayout(page)
        self.body.setContentsMargins(SPACING, SPACING // 2, SPACING, SPACING // 2)
        self.body.setSpacing(SPACING // 2)
        self.body.addLayout(self.header)
        self.body.addLayout(self.row, 1)
        self.hint = QLabel(self.HINT)
        self.hint.setProperty("role", "muted")
        self.hint.setWordWrap(True)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.hint.setMargin(2 * SPACING)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self.hint)
        self._pages.addWidget(page)

    def _connect_base(self) -> None:
        # the user asks -> the model moves
        self.cursor_line.sigDragged.connect(self._drag_cursor)
        # the models change -> the panel will show
        self._session.current_changed.connect(self._show_run)
        self._session.samples_appended.connect(self._show_growth)
        self._session.run_changed.connect(self._show_change)
        self._playback.cursor_changed.connect(self._schedule)
        self._playback.view_changed.connect(self._mark_dirty)
        self.view_box.sigResized.connect(self._mark_dirty)
        self._timer.timeout.connect(self._tick)

    # ---- slots ------------------------------------------------------------------------

    def _drag_cursor(self, line: Any) -> None:
        self._playback.set_cursor(line.value())

    def _show_run(self, record: RunRecord | None) -> None:
        self._record, self._consumed = record, 0
        self._reset(record)
        if record is not None:
            self.time_axis.set_clock(record.clock)
        hint = self._hint_for(record)
        self.hint.setText(hint)
        self._pages.setCurrentIndex(0 if hint else 1)
        self._colour()
        self._mark_dirty()

    def _show_growth(self, record: RunRecord, first: int, _last: int) -> None:
        if record is self._record:
            if first < self._consumed:
                self._show_run(record)
            self._mark_dirty()

    def _show_change(self, record: RunRecord) -> None:
        if record is self._record:
            self.time_axis.set_clock(record.clock)
            self._colour()
            self._mark_dirty()

    def _mark_dirty(self, *_: object) -> None:
        self._data_dirty = True
        self._schedule()

    def _schedule(self, *_: object) -> None:
        if self.isVisible() and not self._timer.isActive():
            self._timer.start()

    def showEvent(self, event: QShowEvent | None) -> None:
        """Draw what was missed while hidden."""
        super().showEvent(event)
        self._mark_dirty()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Redraw for the new width."""
        super().resizeEvent(event)
        self._mark_dirty()

    def changeEvent(self, event: QEvent | None) -> None:
        """Take a new font into the axes."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.FontChange and hasattr(self, "row"):
            self.apply_theme(self._theme)

    # ---- drawing ----------------------------------------------------------------------

    def _tick(self) -> None:
        if not self.isVisible():
            return
        record = self._record
        if record is not None and self._consumed < len(record.samples):
            self._take_block(record)
            self._data_dirty = True
        self._redraw()
        if record is not None and self._consumed < len(record.samples):
            self._mark_dirty()

    def _take_block(self, record: RunRecord) -> None:
        block = record.samples[self._consumed : self._consumed + SAMPLES_PER_TICK]
        self._consumed += len(block)
        self._consume(block)

    def _redraw(self) -> None:
        if self._data_dirty:
            self._data_dirty = False
            first, last = self._playback.view_ns
            last = max(last, first + 1.0)
            self.time_axis.show_unit(last)
            self.view_box.setXRange(first, last, padding=0)
            if self._record is not None:
                self._draw(first, last, max(int(self.view_box.width()), 16))
        with QSignalBlocker(self.cursor_line):
            self.cursor_line.setValue(self._playback.cursor_ns)
        if self._record is not None:
            self._show_values()
        else:
            self.value.setText("")
        if self._record is None or not self._record.running:
            self.setAccessibleDescription(self.summary_text())

    def _colour(self) -> None:
        """Set pens and brushes from the theme and the current run's clock."""

    def _line_pen(self, colour: str) -> QPen:
        """Return the pen of a data line: solid if measured, dashed if modelled."""
        pen = pg.mkPen(colour, width=1)
        if self._record is None or self._record.clock != "measured":
            pen.setStyle(self._theme.modelled_pen_style)
            pen.setDashPattern(DASH_PATTERN)
        return pen

    def _cursor_words(self, words: str) -> None:
        """Show the number at the cursor, in the header's right corner."""
        self.value.setText(words or NO_VALUE)


def chip(text: str, tip: str, checkable: bool = False) -> QToolButton:
    """Return a small flat button for a panel's header."""
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    button.setCheckable(checkable)
    button.setProperty("role", "chip")
    return button


def nice_ceiling(value: float) -> float:
    """Return a round number at or above `value`, steady while the data grows a little."""
    if value <= 0 or not np.isfinite(value):
        return 1.0
    power = 10.0 ** np.floor(np.log10(value))
    digits = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
    return float(next(power * digit for digit in digits if power * digit >= value * 0.999))
