"""Δ over time: how wide the buckets are, when that changed, and why.

The axis is logarithmic, since Δ changes by factors. A change is marked where it
happened, by shape and colour: ▲ raised, ▼ lowered, ◆ set by hand; hovering gives the
reason in words, clicking puts the cursor there. While a run of an algorithm that drives
Δ itself is live, a horizontal line stands at Δ: dragging it (or the ÷2 and ×2 buttons)
takes over by hand.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QSignalBlocker, pyqtSignal
from PyQt6.QtWidgets import QHBoxLayout, QWidget

from gpu.trace import REASON_WORDS, Reason
from viewer.models.playback import PlaybackModel
from viewer.models.session import RunRecord, SessionModel
from viewer.series import StepSeries, changes_within
from viewer.units import time_words
from viewer.widgets.plot_base import PlotPanel, chip
from viewer.widgets.plot_items import ElidedLabel

MOST_MARKS = 400  # in one window; more would cover each other
MARK_PIXELS = 10
ROOM = 0.35  # decades shown above the largest and below the smallest Δ


class DeltaPanel(PlotPanel):
    """Steps of Δ with marks and reasons; asks for a Δ by hand while a run is live."""

    TITLE = "Δ"
    HINT = "Press Run to see how wide the buckets are, and why that changes."
    LOGARITHMIC = True

    delta_requested = pyqtSignal(float)  # weight units, > 0: hold this one
    delta_released = pyqtSignal()  # let the algorithm drive again

    def __init__(
        self, session: SessionModel, playback: PlaybackModel, parent: QWidget | None = None
    ) -> None:
        super().__init__(session, playback, parent)
        self.setAccessibleName("Delta, the bucket width")

    def _build_plot(self) -> None:
        self._deltas = StepSeries()
        self._reasons: list[int] = []
        self._curve = pg.PlotCurveItem()
        self._marks = pg.ScatterPlotItem(
            size=MARK_PIXELS, hoverable=True, hoverSize=MARK_PIXELS + 4, tip=_tip
        )
        self.hand_line = pg.InfiniteLine(angle=0, movable=True)
        self.hand_line.setZValue(40)
        self.hand_line.addMarker("<|", position=1, size=9)
        for item in (self._curve, self._marks, self.hand_line):
            self.plot.addItem(item, ignoreBounds=True)
        self.caption.setText("Bucket width Δ, weight units")
        self._build_hand_row()
        self._connect_hand()

    def _build_hand_row(self) -> None:
        self.hand_row = QWidget()
        row = QHBoxLayout(self.hand_row)
        row.setContentsMargins(0, 0, 0, 0)
        self.halve_button = chip("÷2", "Take over by hand: half of Δ")
        self.double_button = chip("×2", "Take over by hand: twice Δ")
        self.release_button = chip("Let ADDS drive again", "Let the algorithm drive Δ again")
        row.addWidget(ElidedLabel("Drag the line"), 1)
        for button in (self.halve_button, self.double_button, self.release_button):
            row.addWidget(button)
        self.body.addWidget(self.hand_row)

    def _connect_hand(self) -> None:
        self._marks.sigClicked.connect(self._go_to_mark)
        self.hand_line.sigDragged.connect(self._ask_for_line)
        self.halve_button.clicked.connect(self._ask_for_half)
        self.double_button.clicked.connect(self._ask_for_double)
        self.release_button.clicked.connect(self._release)

    def _go_to_mark(self, _marks: Any, spots: Any, *_: Any) -> None:
        """Put the cursor at the change that was clicked."""
        if len(spots):
            self._playback.set_cursor(spots[0].pos().x())

    @property
    def steerable(self) -> bool:
        """Whether a live run is shown whose Δ can be taken over."""
        record = self._record
        return record is not None and record.running and record.algorithm.dynamic

    def _ask_for_line(self, line: Any) -> None:
        if self.steerable:
            self.delta_requested.emit(10.0 ** line.value())

    def _ask_for_half(self) -> None:
        self._ask_for_factor(0.5)

    def _ask_for_double(self) -> None:
        self._ask_for_factor(2.0)

    def _ask_for_factor(self, factor: float) -> None:
        if self.steerable and len(self._deltas):
            self.delta_requested.emit(float(self._deltas.values[-1]) * factor)

    def _release(self) -> None:
        if self.steerable:
            self.delta_released.emit()

    def _hint_for(self, record: RunRecord | None) -> str:
        if record is not None and not record.algorithm.bucketed:
            title = record.algorithm.title
            return (
                f"{title} has no Δ: it takes one vertex at a time, always the closest. "
                "Run ADDS or Near-Far to see buckets."
            )
        return super()._hint_for(record)

    def _reset(self, record: RunRecord | None) -> None:
        self._deltas, self._reasons = StepSeries(), []
        if record is not None:
            self.release_button.setText(f"Let {record.algorithm.title} drive again")
        self._show_steering()

    def _show_change(self, record: RunRecord) -> None:
        super()._show_change(record)
        self._show_steering()

    def _show_steering(self) -> None:
        self.hand_row.setVisible(self.steerable)
        self.hand_row.setEnabled(self.steerable)
        self.hand_line.setVisible(self.steerable)

    def _consume(self, samples: np.ndarray) -> None:
        changed = self._deltas.append(samples["t_ns"].astype(np.float64), samples["delta"])
        self._reasons.extend(samples["reason"][changed].tolist())

    def _draw(self, first_ns: float, last_ns: float, columns: int) -> None:
        if not len(self._deltas):
            return
        newest = min(last_ns, float(self._record.samples["t_ns"][-1]) if self._record else last_ns)
        x, y = self._deltas.window(first_ns, newest)
        self._curve.setData(x, _log(y))
        self._draw_marks(first_ns, last_ns)
        heights = _log(self._deltas.values)
        low, high = float(heights.min()) - ROOM, float(heights.max()) + ROOM
        self.view_box.setYRange(low, high, padding=0)
        self.hand_line.setBounds((low, high))
        if self.steerable and not self.hand_line.moving:
            with QSignalBlocker(self.hand_line):
                self.hand_line.setValue(float(heights[-1]))

    def _draw_marks(self, first_ns: float, last_ns: float) -> None:
        chosen = changes_within(self._deltas.times, first_ns, last_ns, MOST_MARKS)
        chosen = chosen[chosen > 0]  # the first entry is the initial value
        spots = []
        for index in chosen.tolist():
            symbol, colour = self._look_of(index)
            spots.append(
                {
                    "pos": (self._deltas.times[index], _log(self._deltas.values[index])),
                    "symbol": symbol,
                    "brush": pg.mkBrush(colour),
                    "pen": pg.mkPen(self._theme.plot),
                    "data": self.words_of(index),
                }
            )
        self._marks.setData(spots)

    def _look_of(self, index: int) -> tuple[str, str]:
        """Return symbol and colour of a change."""
        if self._reasons[index] == Reason.BY_HAND:
            return "d", self._theme.series[3]
        raised = self._deltas.values[index] > self._deltas.values[index - 1]
        return ("t1", self._theme.series[2]) if raised else ("t", self._theme.series[1])

    def words_of(self, index: int) -> str:
        """Return what happened at a change (index of `StepSeries`), why, and when."""
        values = self._deltas.values
        when = time_words(float(self._deltas.times[index]))
        words = REASON_WORDS[Reason(self._reasons[index])]
        if index == 0:
            return f"{when}: Δ = {values[0]:g}, {words}"
        return f"{when}: Δ {values[index - 1]:g} → {values[index]:g}\n{words}"

    def _show_values(self) -> None:
        value = self._deltas.value_at(self._playback.cursor_ns)
        self._cursor_words(f"Δ {value:g}" if np.isfinite(value) else "")

    def _colour(self) -> None:
        self._curve.setPen(self._line_pen(self._theme.series[0]))
        self.hand_line.setPen(pg.mkPen(self._theme.accent, width=1))
        self.hand_line.setHoverPen(pg.mkPen(self._theme.accent, width=3))
        self._marks.opts["hoverBrush"] = pg.mkBrush(self._theme.accent)

    def summary_text(self) -> str:
        """Return Δ at the cursor and the reason of its last change."""
        if self._record is None or not self._record.algorithm.bucketed or not len(self._deltas):
            return self._hint_for(self._record) or self.HINT
        place = int(np.searchsorted(self._deltas.times, self._playback.cursor_ns, side="right"))
        index = max(place - 1, 0)
        count = len(self._deltas) - 1
        words = self.words_of(index).replace("\n", ", ")
        return f"Δ = {self._deltas.values[index]:g} since {words}; {count} changes in all"


def _log(values: Any) -> Any:
    return np.log10(np.maximum(values, 10.0**-30))


def _tip(x: float, y: float, data: str) -> str:
    """Return the text of a mark's tooltip; pyqtgraph names the arguments."""
    return data if math.isfinite(x + y) else ""
