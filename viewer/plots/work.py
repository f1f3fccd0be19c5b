"""Work: vertices processed, edges relaxed, distances improved; totals or rates.

Work efficiency is settled over processed vertices: 1 where every vertex was processed once, as
Dijkstra does. Of two runs one of the three counters is shown.
"""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QComboBox

from gpu.words import NOT_KNOWN, short, thousands
from viewer.common.elided import ElidedLabel
from viewer.common.glossary import explain
from viewer.common.small_widgets import chip
from viewer.common.text_size import scaled
from viewer.common.theme import SPACING
from viewer.models.session import RunRecord
from viewer.plots.plot_base import MEAN_PIXELS, PlotPanel, nice_ceiling
from viewer.plots.plot_items import Legend
from viewer.plots.series import CounterSeries

LOW = 190  # pixels of height below which the sentence under the plot goes
NARROW = 300  # pixels of width below which two runs leave no room for the button
FIELDS = {  # name on screen -> field of SAMPLE
    "processed": "processed_vertices",
    "relaxed": "relaxed_edges",
    "improved": "improved",
}


class WorkPanel(PlotPanel):
    """Three counters over time, as rates or as totals, and the run's efficiency."""

    TITLE = "Work"
    HINT = "Press Run to see how much work is done, and how much of it twice."

    def _build_plot(self) -> None:
        self._counters = {name: CounterSeries() for name in FIELDS}
        self._curves = {name: pg.PlotCurveItem() for name in FIELDS}
        self._drawn = {name: (np.zeros(0), np.zeros(0)) for name in FIELDS}
        self._b_counters = {name: CounterSeries() for name in FIELDS}
        self._b_curve = pg.PlotCurveItem()
        self._b_drawn = (np.zeros(0), np.zeros(0))
        for curve in (self._b_curve, *self._curves.values()):
            self.plot.addItem(curve, ignoreBounds=True)
        self.legend = Legend(tuple(FIELDS))
        self.legend.setAccessibleName("Work at the cursor")
        self._explain(*FIELDS, "wasted", "efficiency")
        self.legend.setToolTip(explain(*FIELDS))
        self.body.insertWidget(1, self.legend)
        self.totals_button = chip("totals", "Show totals instead of rates", checkable=True)
        self.value.hide()
        self.measure_box = QComboBox()
        self.measure_box.addItems(list(FIELDS))
        self.measure_box.setAccessibleName("Which work is compared")
        self.measure_box.setToolTip("Which work of the two runs is compared")
        self.measure_box.hide()
        self.header.addWidget(self.measure_box)
        self.header.addWidget(self.totals_button)
        self.sentence = ElidedLabel(role="strong")
        self.body.addWidget(self.sentence)
        self.totals_button.toggled.connect(self._show_mode)
        self.measure_box.currentIndexChanged.connect(self._mark_dirty)
        self._show_mode(False)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Leave the sentence out of a low panel: its plot needs the height."""
        super().resizeEvent(event)
        low = self.height() < scaled(LOW)
        self.sentence.setVisible(not low)
        self.body.setSpacing(0 if low else SPACING // 2)
        self._show_totals_button()

    def _show_totals_button(self) -> None:
        """Hide the button in a narrow panel of two runs: their values need the width."""
        self.totals_button.setVisible(not self.comparing or self.width() >= scaled(NARROW))

    def _show_mode(self, totals: bool) -> None:
        self.caption.setText("Totals since the start" if totals else "Work per second")
        self._mark_dirty()

    def _reset(self, record: RunRecord | None) -> None:
        self._settled: int | None = None
        self._counters = {name: CounterSeries() for name in FIELDS}

    def _consume(self, samples: np.ndarray) -> None:
        times = samples["t_ns"].astype(np.float64)
        for name, field in FIELDS.items():
            self._counters[name].append(times, samples[field])

    def _reset_b(self, record: RunRecord | None) -> None:
        self._b_counters = {name: CounterSeries() for name in FIELDS}

    def _consume_b(self, samples: np.ndarray) -> None:
        times = samples["t_ns"].astype(np.float64)
        for name, field in FIELDS.items():
            self._b_counters[name].append(times, samples[field])

    def _show_pair(self) -> None:
        super()._show_pair()
        self.value.hide()
        self.legend.setVisible(not self.comparing)
        self.measure_box.setVisible(self.comparing)
        self._show_totals_button()

    def _draw(self, first_ns: float, last_ns: float, columns: int) -> None:
        top, chosen = 0.0, self.measure_box.currentText()
        for name, counter in self._counters.items():
            x, y = self._shape(counter, first_ns, last_ns, columns)
            if self.comparing and name != chosen:
                x = y = np.zeros(0)
            self._curves[name].setData(x, y)
            self._drawn[name] = (x, y)
            top = max(top, float(y.max()) if len(y) else 0.0)
        x = y = np.zeros(0)
        if self.comparing:
            x, y = self._shape(self._b_counters[chosen], first_ns, last_ns, columns)
            top = max(top, float(y.max()) if len(y) else 0.0)
            self._curves[chosen].setPen(self._pen_of(0))
            self._letter_at_peak(0, *self._drawn[chosen])
            self._letter_at_peak(1, x, y)
        self._b_curve.setData(x, y)
        self._b_drawn = (x, y)
        self.view_box.setYRange(0.0, nice_ceiling(1.04 * top), padding=0)

    def _shape(
        self, counter: CounterSeries, first_ns: float, last_ns: float, columns: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return a counter as the chips say: totals or rates."""
        if self.totals_button.isChecked():
            return counter.totals(first_ns, last_ns, columns)
        return counter.rate(first_ns, last_ns, max(columns // MEAN_PIXELS, 8))

    def _pair_values(self) -> tuple[str, str]:
        chosen = self.measure_box.currentText()
        pairs = (
            (self._counters[chosen], self._drawn[chosen]),
            (self._b_counters[chosen], self._b_drawn),
        )
        return tuple(short(self._value_at(*pair)) for pair in pairs)  # type: ignore[return-value]

    def _show_values(self) -> None:
        self.legend.set_values([short(value) for value in self._at_cursor()])
        whole = self.summary_text()
        self.sentence.setText(whole.removesuffix(self._totals()).rstrip(", "))
        self.sentence.detail = whole
        words = f"{self.caption.text()}: vertices processed, edges relaxed, distances improved."
        self.setToolTip("" if self.sentence.isVisibleTo(self) else f"{words}\n\n{whole}")

    def _at_cursor(self) -> list[float]:
        """Return what the curves show at the cursor; 0 outside them."""
        return [
            self._value_at(counter, self._drawn[name]) for name, counter in self._counters.items()
        ]

    def _value_at(self, counter: CounterSeries, drawn: tuple[np.ndarray, np.ndarray]) -> float:
        now = self._playback.cursor_ns
        if self.totals_button.isChecked():
            return float(np.nan_to_num(counter.value_at(now)))
        place = int(np.searchsorted(drawn[0], now, side="right")) - 1
        inside = 0 <= place < len(drawn[0]) and now <= drawn[0][-1]
        return float(drawn[1][place]) if inside else 0.0

    def _colour(self) -> None:
        colours = self._theme.data
        pens = [self._line_pen(c) for c in (colours.work, colours.relaxed, colours.improved)]
        for curve, pen in zip(self._curves.values(), pens, strict=True):
            curve.setPen(pen)
        if self.comparing:
            self._curves[self.measure_box.currentText()].setPen(self._pen_of(0))
        self._b_curve.setPen(self._pen_of(1))
        self.legend.set_pens(pens)

    def _totals(self) -> str:
        """Return what was done at edges, which the legend has as well."""
        if self._record is None or not len(self._record.samples):
            return ""
        last = self._record.samples[-1]
        return f"{thousands(last['relaxed_edges'])} relaxed, {thousands(last['improved'])} improved"

    def summary_text(self) -> str:
        """Return the run's efficiency once it ended, and the totals so far."""
        record = self._record
        if record is None or not len(record.samples):
            return self.HINT
        last = record.samples[-1]
        totals = f"{thousands(last['processed_vertices'])} processed, {self._totals()}"
        if self.comparing and self._pair is not None:
            return self._pair_text()
        if record.trace is None:
            return f"So far: {totals}"
        if not record.trace.counted:
            return f"Work efficiency: {NOT_KNOWN}"
        if self._settled is None:
            self._settled = record.reached
        if self._settled is None:  # a matrix that was cut off
            return f"In all: {totals}"
        share = self._settled / max(int(last["processed_vertices"]), 1)
        word = "settled" if record.state == "finished" else "reached"
        return f"Work efficiency {share:.2f}: {thousands(self._settled)} {word}, {totals}"

    def _pair_text(self) -> str:
        """Return the efficiency of both runs, as far as they ended."""
        parts = []
        for letter, record in zip("AB", (self._record, self._b), strict=True):
            trace = record.trace if record is not None and record.state == "finished" else None
            reached = record.reached if record is not None else None
            if trace is None or reached is None or not trace.counted:
                parts.append(f"{letter} {NOT_KNOWN}{'' if trace else ' yet'}")
            else:
                parts.append(f"{letter} {reached / max(trace.processed_vertices, 1):.2f}")
        return f"Work efficiency: {', '.join(parts)} (settled over processed vertices)"
