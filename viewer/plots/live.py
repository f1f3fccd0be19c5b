"""A widget that follows the current run, and run B of a comparison, without blocking the window.

Signals only set flags. A single-shot timer takes over at most `SAMPLES_PER_TICK` samples and draws
the newest, while the widget is visible: at once after a rest, else every 33 ms. The words for
screen readers change at most once a second.

Five panels that draw in one turn of the event loop hold it for 40 to 60 ms. So panels draw one
after another (`Turns`), and mouse, keys and timers are served in between.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import ClassVar

import numpy as np
from PyQt6.QtCore import QObject
from PyQt6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PyQt6.QtWidgets import QWidget

from viewer.common.later import once
from viewer.common.theme import THEMES, Theme
from viewer.models.comparison import ComparisonModel
from viewer.models.playback import PlaybackModel
from viewer.models.session import RunRecord, SessionModel

REFRESH_MS = 33
DESCRIBE_MS = 1000  # between two changes of the words for screen readers
SAMPLES_PER_TICK = 65_536
SHARED_MS = 4.0  # panels that draw faster share a turn
BETWEEN_MS = 1  # not 0: a timer or a paint that fell due comes first


class Turns(QObject):
    """Gives a turn to each panel that asks, in that order; see the module docstring."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._waiting: OrderedDict[object, Callable[[], None]] = OrderedDict()
        self._timer = once(self, self._next)

    @classmethod
    def of(cls, owner: QObject) -> Turns:
        """Return the turns of all panels of one owner."""
        return owner.findChild(cls) or cls(owner)

    def ask(self, panel: object, call: Callable[[], None]) -> None:
        """Call once, soon; a panel that waits already keeps its place."""
        self._waiting.setdefault(panel, call)
        if not self._timer.isActive():
            self._timer.start(0)

    def forget(self, panel: object) -> None:
        """Drop a panel's turn."""
        self._waiting.pop(panel, None)

    def waits(self, panel: object) -> bool:
        """Whether a panel's turn is still to come."""
        return panel in self._waiting

    def _next(self) -> None:
        began = time.perf_counter()
        while self._waiting and (time.perf_counter() - began) * 1e3 < SHARED_MS:
            self._waiting.popitem(last=False)[1]()
        if self._waiting:
            self._timer.start(BETWEEN_MS)


class LivePanel(QWidget):
    """Base of everything that follows the runs; `place` 0 is the current run, 1 is B.

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
        self._pair: ComparisonModel | None = None
        self._runs: list[RunRecord | None] = [None, None]
        self._consumed = [0, 0]
        self._data_dirty = False
        self._theme = THEMES["light"]
        self._turns = Turns.of(session)
        self._timer = once(self, lambda: self._turns.ask(self, self._tick))
        self._ticked = 0.0  # when it last drew, seconds
        self._words_timer = once(self, self._describe, DESCRIBE_MS)
        self.setAccessibleName(self.TITLE)
        self._build()
        self._connect_models()
        self.apply_theme(self._theme)
        self._show_run(session.current)

    # ---- for children -----------------------------------------------------------------

    def _build(self) -> None:
        """Make the child widgets."""

    def _reset(self, place: int) -> None:
        """Forget all data of a run; `self._runs[place]` is the run that will be shown."""

    def _consume(self, place: int, samples: np.ndarray) -> None:
        """Take over the next SAMPLE (k,) of a run."""

    def _draw_data(self) -> None:
        """Draw the window of time anew."""

    def _draw_cursor(self) -> None:
        """Show the cursor and the numbers at it."""

    def _colour(self) -> None:
        """Set pens and brushes from the theme."""

    def summary_text(self) -> str:
        """Return one sentence with the numbers at the cursor, for screen readers."""
        return self.HINT if self._record is None else self._record.title

    # ---- public -----------------------------------------------------------------------

    def set_comparison(self, pair: ComparisonModel) -> None:
        """Follow run B of a comparison too."""
        self._pair = pair
        pair.pair_changed.connect(self._show_pair)
        self._show_pair()

    @property
    def comparing(self) -> bool:
        """Whether a second run is shown."""
        return self._b is not None

    def set_plain(self, plain: bool) -> None:
        """Show no buttons of its own: on the simple screen."""

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

    @property
    def _record(self) -> RunRecord | None:
        return self._runs[0]

    @property
    def _b(self) -> RunRecord | None:
        return self._runs[1]

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

    def _begin(self, place: int, record: RunRecord | None) -> None:
        self._runs[place] = record
        self._consumed[place] = 0
        self._reset(place)
        self._colour()
        self._mark_dirty()

    def _show_run(self, record: RunRecord | None) -> None:
        self._begin(0, record)

    def _show_pair(self) -> None:
        self._begin(1, self._pair.b if self._pair is not None else None)

    def _show_growth(self, record: RunRecord, first: int, _last: int) -> None:
        for place, run in enumerate(self._runs):
            if record is run:
                if first < self._consumed[place]:
                    self._begin(place, record)
                self._mark_dirty()

    def _show_change(self, record: RunRecord) -> None:
        if any(record is run for run in self._runs):
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
        """Rest while hidden."""
        super().hideEvent(event)
        self._rest()
        self._words_timer.stop()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Redraw for the new width."""
        super().resizeEvent(event)
        self._mark_dirty()

    # ---- drawing ----------------------------------------------------------------------

    def _tick(self) -> None:
        if self._behind():
            self._take_block()
            self._data_dirty = True
        self._redraw()
        if self._behind():
            self._mark_dirty()

    def _behind(self) -> bool:
        return self._place_behind() is not None

    def _place_behind(self) -> int | None:
        """Return the first run of which samples are not taken over yet."""
        for place, run in enumerate(self._runs):
            if run is not None and self._consumed[place] < len(run.samples):
                return place
        return None

    def _take_block(self) -> None:
        place = self._place_behind()
        run = self._runs[place] if place is not None else None
        if place is not None and run is not None:
            first = self._consumed[place]
            block = run.samples[first : first + SAMPLES_PER_TICK]
            self._consumed[place] += len(block)
            self._consume(place, block)

    def _redraw(self) -> None:
        if self._data_dirty:
            self._data_dirty = False
            self._draw_data()
        self._draw_cursor()
        self._ticked = time.monotonic()
        if not self._words_timer.isActive():
            self._words_timer.start()

    def _describe(self) -> None:
        self.setAccessibleDescription(self.summary_text())
