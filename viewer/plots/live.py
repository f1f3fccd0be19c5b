"""A widget that shows the current run as it grows, without ever holding the window up.

Signals only set flags. A single-shot timer, started by the first signal, asks for a turn
(`viewer.plots.turns`: one panel in a turn of the event loop), takes over at most
`SAMPLES_PER_TICK` samples and draws what is newest, and only while the widget is
visible; what happened meanwhile is made good when it is shown again. After a rest it
fires as soon as the window is idle, so that a single seek is seen at once; while things
keep moving, every 33 ms. Nothing ticks while nothing changes. The words for screen
readers change at most once a second. A trace of a million samples, opened at once, is taken over
in blocks, so that the event loop runs in between.
"""

from __future__ import annotations

import time
from typing import ClassVar

import numpy as np
from PyQt6.QtCore import QTimer
from PyQt6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PyQt6.QtWidgets import QWidget

from viewer.common.theme import THEMES, Theme
from viewer.models.playback import PlaybackModel
from viewer.models.session import RunRecord, SessionModel
from viewer.plots.turns import Turns

REFRESH_MS = 33
DESCRIBE_MS = 1000  # between two changes of the words for screen readers
SAMPLES_PER_TICK = 65_536


class LivePanel(QWidget):
    """Base of everything that follows the current run; see the module docstring.

    A child fills `_build`, `_reset`, `_consume`, `_draw_data`, `_draw_cursor`,
    `_colour` and `summary_text`.
    """

    TITLE: ClassVar[str] = ""
    HINT: ClassVar[str] = ""

    def __init__(
        self, session: SessionModel, playback: PlaybackModel, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._playback = session, playback
        self._record: RunRecord | None = None
        self._consumed = 0
        self._data_dirty = False
        self._theme = THEMES["light"]
        self._turns = Turns.of(session)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._ticked = 0.0  # when it last drew, seconds
        self._words_timer = QTimer(self)
        self._words_timer.setSingleShot(True)
        self._words_timer.setInterval(DESCRIBE_MS)
        self._words_stale = False
        self.setAccessibleName(self.TITLE)
        self._build()
        self._connect_models()
        self.apply_theme(self._theme)
        self._show_run(session.current)

    # ---- for children -----------------------------------------------------------------

    def _build(self) -> None:
        """Make the child widgets."""

    def _reset(self, record: RunRecord | None) -> None:
        """Forget all data; `record` is what will be shown."""

    def _consume(self, samples: np.ndarray) -> None:
        """Take over SAMPLE (k,), the next ones."""

    def _draw_data(self) -> None:
        """Draw the window of time anew."""

    def _draw_cursor(self) -> None:
        """Show the cursor and the numbers at it."""

    def _colour(self) -> None:
        """Set pens and brushes from the theme and the current run's clock."""

    def summary_text(self) -> str:
        """Return one sentence with the numbers at the cursor, for screen readers."""
        return self.HINT if self._record is None else self._record.title

    # ---- public -----------------------------------------------------------------------

    def apply_theme(self, theme: Theme) -> None:
        """Recolour everything."""
        self._theme = theme
        self._colour()
        self._mark_dirty()

    def flush(self) -> None:
        """Draw everything now: for pictures and tests."""
        self._rest()
        while self._behind():
            self._take_block()
        self._data_dirty = True
        self._redraw()
        self._describe()

    @property
    def pending(self) -> bool:
        """Whether something waits to be drawn."""
        return self._data_dirty or self._timer.isActive() or self._turns.waits(self)

    def _rest(self) -> None:
        self._timer.stop()
        self._turns.forget(self)

    # ---- slots ------------------------------------------------------------------------

    def _connect_models(self) -> None:
        self._session.current_changed.connect(self._show_run)
        self._session.samples_appended.connect(self._show_growth)
        self._session.run_changed.connect(self._show_change)
        self._playback.cursor_changed.connect(self._schedule)
        self._playback.measure.changed.connect(self._schedule)
        self._session.notes.changed.connect(self._schedule)
        self._playback.view_changed.connect(self._mark_dirty)
        self._timer.timeout.connect(self._ask_turn)
        self._words_timer.timeout.connect(self._describe_again)

    def _show_run(self, record: RunRecord | None) -> None:
        self._record, self._consumed = record, 0
        self._reset(record)
        self._colour()
        self._mark_dirty()

    def _show_growth(self, record: RunRecord, first: int, _last: int) -> None:
        if record is self._record:
            if first < self._consumed:
                self._show_run(record)
            self._mark_dirty()

    def _show_change(self, record: RunRecord) -> None:
        if record is self._record:
            self._mark_dirty()

    def _mark_dirty(self, *_: object) -> None:
        self._data_dirty = True
        self._schedule()

    def _schedule(self, *_: object) -> None:
        if self.isVisible() and not self._timer.isActive() and not self._turns.waits(self):
            rested_ms = 1000 * (time.monotonic() - self._ticked)
            self._timer.start(max(0, REFRESH_MS - int(rested_ms)))

    def showEvent(self, event: QShowEvent | None) -> None:
        """Draw what was missed while hidden."""
        super().showEvent(event)
        self._mark_dirty()

    def hideEvent(self, event: QHideEvent | None) -> None:
        """Rest while nobody looks."""
        super().hideEvent(event)
        self._rest()
        self._words_timer.stop()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Redraw for the new width."""
        super().resizeEvent(event)
        self._mark_dirty()

    # ---- drawing ----------------------------------------------------------------------

    def _ask_turn(self) -> None:
        self._turns.ask(self, self._tick)

    def _tick(self) -> None:
        if self._behind():
            self._take_block()
            self._data_dirty = True
        self._redraw()
        if self._behind():
            self._mark_dirty()

    def _behind(self) -> bool:
        return self._record is not None and self._consumed < len(self._record.samples)

    def _take_block(self) -> None:
        if self._record is not None:
            block = self._record.samples[self._consumed : self._consumed + SAMPLES_PER_TICK]
            self._consumed += len(block)
            self._consume(block)

    def _redraw(self) -> None:
        if self._data_dirty:
            self._data_dirty = False
            self._draw_data()
        self._draw_cursor()
        self._ticked = time.monotonic()
        if self._words_timer.isActive():
            self._words_stale = True
        else:
            self._describe()

    def _describe(self) -> None:
        self._words_stale = False
        self.setAccessibleDescription(self.summary_text())
        self._words_timer.start()

    def _describe_again(self) -> None:
        if self._words_stale:
            self._describe()
