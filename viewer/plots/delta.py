"""Δ over time: how wide the buckets are, when that changed, and why.

The axis is logarithmic, since Δ changes by factors. A change is marked where it
happened, by shape and colour: ▲ raised, ▼ lowered, ◆ set by hand; hovering gives the
reason in words, clicking puts the cursor there. While a run of an algorithm that drives
Δ itself is live, a horizontal line stands at Δ: dragging it (or the ÷2 and ×2 buttons)
takes over by hand.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QSignalBlocker, pyqtSignal
from PyQt6.QtWidgets import QHBoxLayout, QWidget

from gpu.record.trace import REASON_WORDS, Reason
from gpu.words import mean, short, time_words
from viewer.common.small_widgets import chip, packed
from viewer.models.session import RunRecord
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
    HINT = "Run it to see how wide the buckets are, and why that changes."
    LOGARITHMIC = True
    _plain = False  # no buttons of its own
    _requested: float | None = None  # Δ asked for by hand, until a sample has it

    delta_requested = pyqtSignal(float)  # weight units, > 0: hold this one
    delta_released = pyqtSignal()  # let the algorithm drive again

    def _build_plot(self) -> None:
        self._deltas = [StepSeries(), StepSeries()]  # of A, and of B
        self._reasons: list[list[int]] = [[], []]
        self._curves = (pg.PlotCurveItem(), pg.PlotCurveItem())
        self._marks = pg.ScatterPlotItem(
            size=MARK_PIXELS, hoverable=True, hoverSize=MARK_PIXELS + 4, tip=_tip
        )
        self.hand_line = pg.InfiniteLine(angle=0, movable=True)
        self.hand_line.setZValue(40)
        self.hand_line.addMarker("<|", position=1, size=9)
        for item in (*reversed(self._curves), self._marks, self.hand_line):
            self.plot.addItem(item, ignoreBounds=True)
        self.caption.setText("Bucket width Δ, weight units")
        self._explain("delta", "controller")
        self._add_key(DELTA_KEY)
        self._build_hand_row()

    def _build_hand_row(self) -> None:
        self.hand_row = QWidget()
        self.halve_button = chip("÷2", "Take over by hand: half of Δ; or drag the line")
        self.double_button = chip("×2", "Take over by hand: twice Δ; or drag the line")
        self.release_button = chip("auto", "Let the algorithm drive Δ again")
        buttons = self.halve_button, self.double_button, self.release_button
        packed(QHBoxLayout(self.hand_row), *buttons).addStretch(1)
        self.body.addWidget(self.hand_row)
        self._marks.sigClicked.connect(self._go_to_mark)
        self.hand_line.sigDragged.connect(self._ask_for_line)
        self.halve_button.clicked.connect(partial(self._ask_for_factor, 0.5))
        self.double_button.clicked.connect(partial(self._ask_for_factor, 2.0))
        self.release_button.clicked.connect(self._release)

    def _go_to_mark(self, _marks: Any, spots: Any, *_: Any) -> None:
        if len(spots):
            self._playback.set_cursor(spots[0].pos().x())

    @property
    def steerable(self) -> bool:
        """Whether a live run is shown whose Δ can be taken over here, not by a slider."""
        record = self._record
        return bool(record and record.running and record.algorithm.dynamic and not self._plain)

    def _ask_for_line(self, line: Any) -> None:
        """Ask for the Δ under the line, in two digits: 160, not 158.489."""
        if self.steerable:
            self._requested = float(f"{10.0 ** line.value():.2g}")
            self.delta_requested.emit(self._requested)
            self._show_values()

    def _ask_for_factor(self, factor: float, _checked: bool = False) -> None:
        """Ask for a multiple of Δ, or of the Δ that was asked for and is not there yet."""
        if self.steerable and len(self._deltas[0]):
            self._requested = (self._requested or float(self._deltas[0].values[-1])) * factor
            self.delta_requested.emit(self._requested)

    def _release(self) -> None:
        self._requested = None
        if self.steerable:
            self.delta_released.emit()

    def _hint_for(self, record: RunRecord | None) -> str:
        if self._bucketed(1):
            return ""
        if record is not None and not record.algorithm.bucketed:
            return (
                f"{record.algorithm.title} sorts nothing into buckets, so it has no Δ. "
                "Run an algorithm with buckets to see one here."
            )
        return super()._hint_for(record)

    def _reset(self, place: int) -> None:
        self._deltas[place], self._reasons[place] = StepSeries(), []
        self._curves[place].setData(_NONE, _NONE)
        if place == 0:
            self._requested = None
            self._show_steering()

    def _show_change(self, record: RunRecord) -> None:
        super()._show_change(record)
        self._show_steering()

    def set_plain(self, plain: bool) -> None:
        """Leave the buttons out: Δ has a slider elsewhere."""
        self._plain = plain
        self._show_steering()

    def _show_steering(self) -> None:
        self.hand_row.setVisible(self.steerable)
        self.hand_row.setEnabled(self.steerable)
        self.hand_line.setVisible(self.steerable)
        self._requested = self._requested if self.steerable else None

    def _consume(self, place: int, samples: np.ndarray) -> None:
        if self._bucketed(place):
            changed = self._deltas[place].append(samples["t_ns"], samples["delta"])
            self._reasons[place].extend(samples["reason"][changed].tolist())
        request = self._requested if place == 0 else None
        if request is not None and np.isclose(samples["delta"][-1], request):
            self._requested = None

    def _bucketed(self, place: int) -> bool:
        run = self._runs[place]
        return run is not None and run.algorithm.bucketed

    def _draw(self, first_ns: float, last_ns: float, columns: int) -> None:
        widths = np.concatenate([deltas.values for deltas in self._deltas])
        heights = np.log10(widths[widths > 0])  # a sample without Δ has none to show
        if not len(heights):
            return
        for curve, deltas, run in zip(self._curves, self._deltas, self._runs, strict=True):
            some = run is not None and len(run.samples)
            newest = float(run.samples["t_ns"][-1]) if run is not None and some else first_ns
            x, y = deltas.window(first_ns, min(last_ns, newest))
            curve.setData(x, _log(y))
        self._marks.setData(self._spots(0, first_ns, last_ns) + self._spots(1, first_ns, last_ns))
        low, high = float(heights.min()) - ROOM, float(heights.max()) + ROOM
        if self.steerable:
            low, high = low - HAND_ROOM[0], high + HAND_ROOM[1]
        if self.hand_line.moving:
            return  # under the mouse a pixel keeps its Δ
        self.view_box.setYRange(low, high, padding=0)
        self.hand_line.setBounds((low, high))
        if self.steerable and len(self._deltas[0]):
            with QSignalBlocker(self.hand_line):
                self.hand_line.setValue(_log(self._requested or float(self._deltas[0].values[-1])))

    def _spots(self, place: int, first_ns: float, last_ns: float) -> list[dict[str, Any]]:
        """Return the marks of one run's changes in a window of time."""
        deltas = self._deltas[place]
        chosen = changes_within(deltas.times, first_ns, last_ns, MOST_MARKS)
        spots = []
        for index in chosen[chosen > 0].tolist():  # the first entry is the initial value
            symbol, colour = self._look_of(place, index)
            letter = f"{'AB'[place]}, " if self.comparing else ""
            spots.append(
                {
                    "pos": (deltas.times[index], _log(deltas.values[index])),
                    "symbol": symbol,
                    "brush": pg.mkBrush(colour),
                    "pen": pg.mkPen(self._theme.plot),
                    "data": letter + self._change_words(place, index),
                }
            )
        return spots

    def _look_of(self, place: int, index: int) -> tuple[str, str]:
        values, colours = self._deltas[place].values, self._theme.data
        if self._reasons[place][index] == Reason.BY_HAND:
            return "d", colours.by_hand
        raised = values[index] > values[index - 1]
        return ("t1", colours.raised) if raised else ("t", colours.lowered)

    def _change_words(self, place: int, index: int) -> str:
        deltas, values = self._deltas[place], self._deltas[place].values
        when = time_words(float(deltas.times[index]))
        words = REASON_WORDS[Reason(self._reasons[place][index])]
        if index == 0:
            return f"{when}: Δ = {mean(values[0])}, {words}"
        return f"{when}: Δ {mean(values[index - 1])} → {mean(values[index])}\n{words}"

    def _show_values(self) -> None:
        value = self._requested or self._deltas[0].value_at(self._playback.cursor_ns)
        self._cursor_words(f"Δ {mean(value)}" if np.isfinite(value) else "")

    def _pair_values(self) -> tuple[str, str]:
        a, b = (deltas.value_at(self._playback.cursor_ns) for deltas in self._deltas)
        return self._words(0, a), self._words(1, b)

    def _words(self, place: int, value: float) -> str:
        if not self._bucketed(place):
            return "no Δ"
        return short(value) if np.isfinite(value) else ""

    def _colour(self) -> None:
        for place, curve in enumerate(self._curves):
            curve.setPen(self._pen_of(place))
        self.hand_line.setPen(pg.mkPen(self._theme.accent, width=1))
        self.hand_line.setHoverPen(pg.mkPen(self._theme.accent, width=3))
        self._marks.opts["hoverBrush"] = pg.mkBrush(self._theme.accent)

    def summary_text(self) -> str:
        """Return Δ at the cursor and the reason of its last change."""
        deltas = self._deltas[0]
        if not len(deltas):
            return self._hint_for(self._record) or self.HINT
        after = int(np.searchsorted(deltas.times, self._playback.cursor_ns, side="right"))
        index = max(after - 1, 0)
        words = self._change_words(0, index).replace("\n", ", ")
        changes = len(deltas) - 1
        return f"Δ = {mean(deltas.values[index])} since {words}; {changes} changes in all"


def _log(values: Any) -> Any:
    return np.log10(np.maximum(values, 10.0**-30))


def _tip(x: float, y: float, data: str) -> str:
    """Return the text of a mark's tooltip; pyqtgraph names the arguments."""
    return data if math.isfinite(x + y) else ""
