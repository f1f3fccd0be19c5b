"""Work: vertices processed, edges relaxed, distances improved; totals or rates.

A schedule is judged by two numbers: how long it took and how much work it did. Work
efficiency is settled over processed vertices: 1 where every vertex was processed once,
as Dijkstra does; the rest was done again because a shorter way turned up later.
"""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg

from viewer.models.session import RunRecord
from viewer.series import CounterSeries
from viewer.units import short, thousands
from viewer.widgets.plot_base import MEAN_PIXELS, PlotPanel, chip, nice_ceiling
from viewer.widgets.plot_items import ElidedLabel, Legend

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
        for curve in self._curves.values():
            self.plot.addItem(curve, ignoreBounds=True)
        self.legend = Legend(tuple(FIELDS))
        self.legend.setAccessibleName("Work at the cursor")
        self.body.insertWidget(1, self.legend)
        self.totals_button = chip("totals", "Show totals instead of rates", checkable=True)
        self.value.hide()
        self.header.addWidget(self.totals_button)
        self.sentence = ElidedLabel(role="strong")
        self.body.addWidget(self.sentence)
        self.totals_button.toggled.connect(self._show_mode)
        self._show_mode(False)

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

    def _draw(self, first_ns: float, last_ns: float, columns: int) -> None:
        top = 0.0
        totals = self.totals_button.isChecked()
        for name, counter in self._counters.items():
            if totals:
                x, y = counter.totals(first_ns, last_ns, columns)
            else:
                x, y = counter.rate(first_ns, last_ns, max(columns // MEAN_PIXELS, 8))
            self._curves[name].setData(x, y)
            self._drawn[name] = (x, y)
            top = max(top, float(y.max()) if len(y) else 0.0)
        self.view_box.setYRange(0.0, nice_ceiling(1.04 * top), padding=0)

    def _show_values(self) -> None:
        self.legend.set_values([short(value) for value in self._at_cursor()])
        self.sentence.setText(self.summary_text())

    def _at_cursor(self) -> list[float]:
        """Return what the curves show at the cursor; 0 outside them."""
        now = self._playback.cursor_ns
        if self.totals_button.isChecked():
            return [np.nan_to_num(counter.value_at(now)) for counter in self._counters.values()]
        places = (np.searchsorted(x, now, side="right") - 1 for x, _ in self._drawn.values())
        pairs = zip(places, self._drawn.values(), strict=True)
        return [float(y[place]) if place >= 0 else 0.0 for place, (_, y) in pairs]

    def _colour(self) -> None:
        pens = [self._line_pen(self._theme.series[place]) for place in range(len(FIELDS))]
        for curve, pen in zip(self._curves.values(), pens, strict=True):
            curve.setPen(pen)
        self.legend.set_pens(pens)

    def summary_text(self) -> str:
        """Return the run's efficiency once it ended, and the totals so far."""
        record = self._record
        if record is None or not len(record.samples):
            return self.HINT
        last = record.samples[-1]
        totals = (
            f"{thousands(last['processed_vertices'])} processed, "
            f"{thousands(last['relaxed_edges'])} relaxed, {thousands(last['improved'])} improved"
        )
        if record.trace is None:
            return f"So far: {totals}"
        if self._settled is None:
            self._settled = record.trace.reached
        share = self._settled / max(int(last["processed_vertices"]), 1)
        word = "settled" if record.state == "finished" else "reached"
        return f"Work efficiency {share:.2f}: {thousands(self._settled)} {word}, {totals}"
