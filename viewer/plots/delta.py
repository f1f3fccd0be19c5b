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
from PyQt6.QtWidgets import QWidget

from gpu.record.trace import REASON_WORDS, Reason
from gpu.words import distance, short, time_words
from viewer.common.flow import FlowLayout
from viewer.common.small_widgets import chip
from viewer.models.playback import PlaybackModel
from viewer.models.session import RunRecord, SessionModel
from viewer.plots.key import DELTA_KEY
from viewer.plots.plot_base import PlotPanel
from viewer.plots.series import StepSeries, changes_within

MOST_MARKS = 400  # in one window; more would cover each other
MARK_PIXELS = 10
_NONE = np.zeros(0)
ROOM = 0.35  # decades shown above the largest and below the smallest Δ
HAND_ROOM = (0.3, 1.5)  # more decades below and above, while the line can be dragged


class DeltaPanel(PlotPanel):
    """Steps of Δ with marks and reasons; asks for a Δ by hand while a run is live."""

    TITLE = "Δ"
    HINT = "Press Run to see how wide the buckets are, and why that changes."
    LOGARITHMIC = True
    _plain = False  # no buttons of its own
    _requested: float | None = None  # Δ asked for by a button, until a sample has it

    delta_requested = pyqtSignal(float)  # weight units, > 0: hold this one
    delta_released = pyqtSignal()  # let the algorithm drive again

    def __init__(
        self, session: SessionModel, playback: PlaybackModel, parent: QWidget | None = None
    ) -> None:
        super().__init__(session, playback, parent)
        self.setAccessibleName("Delta, the bucket width")

    def _build_plot(self) -> None:
        self._deltas, self._b_deltas = StepSeries(), StepSeries()
        self._reasons: list[int] = []
        self._b_reasons: list[int] = []
        self._curve, self._b_curve = pg.PlotCurveItem(), pg.PlotCurveItem()
        self._marks = pg.ScatterPlotItem(
            size=MARK_PIXELS, hoverable=True, hoverSize=MARK_PIXELS + 4, tip=_tip
        )
        self.hand_line = pg.InfiniteLine(angle=0, movable=True)
        self.hand_line.setZValue(40)
        self.hand_line.addMarker("<|", position=1, size=9)
        for item in (self._b_curve, self._curve, self._marks, self.hand_line):
            self.plot.addItem(item, ignoreBounds=True)
        self.caption.setText("Bucket width Δ, weight units")
        self.caption.shorter = "Bucket width Δ"
        self._explain("delta", "controller")
        self._add_key(DELTA_KEY)
        self._build_hand_row()
        self._connect_hand()

    def _build_hand_row(self) -> None:
        self.hand_row = QWidget()
        row = FlowLayout(self.hand_row)
        row.setContentsMargins(0, 0, 0, 0)
        self.halve_button = chip("÷2", "Take over by hand: half of Δ; or drag the line")
        self.double_button = chip("×2", "Take over by hand: twice Δ; or drag the line")
        self.release_button = chip("Let ADDS drive again", "Let the algorithm drive Δ again")
        for button in (self.halve_button, self.double_button, self.release_button):
            button.setProperty("role", None)  # a button to press, not a muted one
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
        self._requested = None
        if self.steerable:
            self.delta_requested.emit(10.0 ** line.value())

    def _ask_for_half(self) -> None:
        self._ask_for_factor(0.5)

    def _ask_for_double(self) -> None:
        self._ask_for_factor(2.0)

    def _ask_for_factor(self, factor: float) -> None:
        """Ask for a multiple of Δ, or of the Δ that was asked for and is not there yet."""
        if self.steerable and len(self._deltas):
            self._requested = (self._requested or float(self._deltas.values[-1])) * factor
            self.delta_requested.emit(self._requested)

    def _release(self) -> None:
        self._requested = None
        if self.steerable:
            self.delta_released.emit()

    def _hint_for(self, record: RunRecord | None) -> str:
        if self._b is not None and self._b.algorithm.bucketed:
            return ""
        if record is not None and not record.algorithm.bucketed:
            title = record.algorithm.title
            return (
                f"{title} sorts nothing into buckets, so it has no Δ. "
                "Run an algorithm with buckets to see one here."
            )
        return super()._hint_for(record)

    def _reset(self, record: RunRecord | None) -> None:
        self._deltas, self._reasons = StepSeries(), []
        self._requested = None
        if record is not None:
            self.release_button.setText(f"Let {record.algorithm.title} drive again")
        self._show_steering()

    def _show_change(self, record: RunRecord) -> None:
        super()._show_change(record)
        self._show_steering()

    def set_plain(self, plain: bool) -> None:
        """Leave the buttons out: Δ has a slider elsewhere."""
        self._plain = plain
        self._show_steering()

    def _show_steering(self) -> None:
        self.hand_row.setVisible(self.steerable and not self._plain)
        self.hand_row.setEnabled(self.steerable)
        self.hand_line.setVisible(self.steerable)

    def _consume(self, samples: np.ndarray) -> None:
        changed = self._deltas.append(samples["t_ns"].astype(np.float64), samples["delta"])
        self._reasons.extend(samples["reason"][changed].tolist())
        if self._requested is not None and np.isclose(samples["delta"][-1], self._requested):
            self._requested = None

    def _reset_b(self, record: RunRecord | None) -> None:
        self._b_deltas, self._b_reasons = StepSeries(), []
        self._b_curve.setData(np.zeros(0), np.zeros(0))

    def _consume_b(self, samples: np.ndarray) -> None:
        if self._b is not None and self._b.algorithm.bucketed:
            times = samples["t_ns"].astype(np.float64)
            changed = self._b_deltas.append(times, samples["delta"])
            self._b_reasons.extend(samples["reason"][changed].tolist())

    def _draw(self, first_ns: float, last_ns: float, columns: int) -> None:
        drawn = self._record is not None and self._record.algorithm.bucketed
        shown = [self._deltas.values if drawn else _NONE, self._b_deltas.values]
        widths = np.concatenate(shown)
        heights = np.log10(widths[widths > 0])  # a sample without Δ has none to show
        if not len(heights):
            return
        begun = self._record is not None and len(self._record.samples) > 0
        newest = float(self._record.samples["t_ns"][-1]) if self._record and begun else first_ns
        x, y = self._deltas.window(first_ns, min(last_ns, newest))
        kept = slice(None if drawn else 0)
        self._curve.setData(x[kept], _log(y[kept]))
        self._show_letter(0, *_corner(x[kept], y[kept]))
        x, y = self._b_deltas.window(first_ns, min(last_ns, self._b_end_ns))
        self._b_curve.setData(x, _log(y))
        self._show_letter(1, *_corner(x, y))
        self._draw_marks(first_ns, last_ns)
        low, high = float(heights.min()) - ROOM, float(heights.max()) + ROOM
        if self.steerable:
            low, high = low - HAND_ROOM[0], high + HAND_ROOM[1]
        self.view_box.setYRange(low, high, padding=0)
        self.hand_line.setBounds((low, high))
        if self.steerable and len(self._deltas) and not self.hand_line.moving:
            with QSignalBlocker(self.hand_line):
                self.hand_line.setValue(float(_log(self._deltas.values[-1])))

    def _draw_marks(self, first_ns: float, last_ns: float) -> None:
        spots = self._spots(self._deltas, self._reasons, first_ns, last_ns)
        if self.comparing:
            for spot in spots:
                spot["data"] = f"A, {spot['data']}"
            for spot in self._spots(self._b_deltas, self._b_reasons, first_ns, last_ns):
                hollow = {"brush": pg.mkBrush(self._theme.plot), "pen": spot["brush"].color()}
                spots.append({**spot, **hollow, "data": f"B, {spot['data']}"})
        self._marks.setData(spots)

    def _spots(
        self, deltas: StepSeries, reasons: list[int], first_ns: float, last_ns: float
    ) -> list[dict[str, Any]]:
        """Return the marks of one run's changes in a window of time."""
        chosen = changes_within(deltas.times, first_ns, last_ns, MOST_MARKS)
        chosen = chosen[chosen > 0]  # the first entry is the initial value
        spots = []
        for index in chosen.tolist():
            symbol, colour = self._look_of(deltas, reasons, index)
            spots.append(
                {
                    "pos": (deltas.times[index], _log(deltas.values[index])),
                    "symbol": symbol,
                    "brush": pg.mkBrush(colour),
                    "pen": pg.mkPen(self._theme.plot),
                    "data": change_words(deltas, reasons, index),
                }
            )
        return spots

    def _look_of(self, deltas: StepSeries, reasons: list[int], index: int) -> tuple[str, str]:
        """Return symbol and colour of a change."""
        if reasons[index] == Reason.BY_HAND:
            return "d", self._theme.data.by_hand
        raised = deltas.values[index] > deltas.values[index - 1]
        colours = self._theme.data
        return ("t1", colours.raised) if raised else ("t", colours.lowered)

    def _show_values(self) -> None:
        value = self._deltas.value_at(self._playback.cursor_ns)
        self._cursor_words(f"Δ {distance(value)}" if np.isfinite(value) else "")

    def _pair_values(self) -> tuple[str, str]:
        runs = zip((self._record, self._b), (self._deltas, self._b_deltas), strict=True)
        a, b = (
            self._words(deltas) if record is not None and record.algorithm.bucketed else "no Δ"
            for record, deltas in runs
        )
        return a, b

    def _words(self, deltas: StepSeries) -> str:
        value = deltas.value_at(self._playback.cursor_ns)
        return short(value) if np.isfinite(value) else ""

    def _colour(self) -> None:
        self._curve.setPen(self._pen_of(0))
        self._b_curve.setPen(self._pen_of(1))
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
        words = change_words(self._deltas, self._reasons, index).replace("\n", ", ")
        return f"Δ = {distance(self._deltas.values[index])} since {words}; {count} changes in all"


def change_words(deltas: StepSeries, reasons: list[int], index: int) -> str:
    """Return what happened at a change of Δ, why, and when."""
    values = deltas.values
    when = time_words(float(deltas.times[index]))
    words = REASON_WORDS[Reason(reasons[index])]
    if index == 0:
        return f"{when}: Δ = {distance(values[0])}, {words}"
    return f"{when}: Δ {distance(values[index - 1])} → {distance(values[index])}\n{words}"


def _corner(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Return where a letter stands on a staircase: its end; NaN where there is none."""
    return (float(x[-1]), float(_log(y[-1]))) if len(x) else (np.nan, np.nan)


def _log(values: Any) -> Any:
    return np.log10(np.maximum(values, 10.0**-30))


def _tip(x: float, y: float, data: str) -> str:
    """Return the text of a mark's tooltip; pyqtgraph names the arguments."""
    return data if math.isfinite(x + y) else ""
