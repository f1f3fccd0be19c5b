"""Work: vertices processed, edges relaxed and distances improved per second, and efficiency.

The chip *disorder* draws the mean distance error instead, of both runs (`gpu.record.disorder`).

Work efficiency is settled over processed vertices: 1 where every vertex was processed once, as
Dijkstra does. Of two runs the processed vertices are shown.
"""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg

from gpu.record import disorder
from gpu.words import NOT_KNOWN, distance, short, thousands
from viewer.common.glossary import explain
from viewer.common.small_widgets import chip
from viewer.plots.plot_base import PlotPanel, nice_ceiling
from viewer.plots.plot_items import Legend
from viewer.plots.series import CounterSeries

FIELDS = {  # name on screen -> field of SAMPLE
    "processed": "processed_vertices",
    "relaxed": "relaxed_edges",
    "improved": "improved",
}
CAPTION = "Work per second"
DISORDER = "Disorder: distance error, weight units"
MEANS = 100  # of the time shown, whatever the width: the numbers beside the curves are the means
NOTHING = (np.zeros(0), np.zeros(0))


class WorkPanel(PlotPanel):
    """Three counters over time, as rates, and the run's efficiency."""

    TITLE = "Work"
    HINT = "Run it to see how much work is done, and how much of it twice."

    def _build_plot(self) -> None:
        keys = [(0, name) for name in FIELDS] + [(1, "processed")]
        self._counters = {key: CounterSeries() for key in keys}
        self._curves = {key: pg.PlotCurveItem() for key in keys}
        self._drawn = dict.fromkeys(keys, NOTHING)
        self._errors: dict[tuple[int, bool], tuple[CounterSeries, ...]] = {}
        for curve in self._curves.values():
            self.plot.addItem(curve, ignoreBounds=True)
        self.legend = Legend(tuple(FIELDS))
        self.legend.setAccessibleName("Work at the cursor")
        self._explain(*FIELDS, "wasted", "efficiency")
        self.legend.setToolTip(explain(*FIELDS))
        self.body.insertWidget(1, self.legend)
        self.disorder_button = chip("disorder", explain("disorder"), checkable=True)
        self.header.addWidget(self.disorder_button)
        self.disorder_button.toggled.connect(self._turn)

    def _turn(self) -> None:
        self.legend.setVisible(not (self.comparing or self.disorder_button.isChecked()))
        self._colour()
        self._mark_dirty()

    def _reset(self, place: int) -> None:
        self.caption.setText(CAPTION)
        for key in self._counters:
            if key[0] == place:
                self._counters[key] = CounterSeries()
        self._errors.clear()
        self.legend.setVisible(not (self.comparing or self.disorder_button.isChecked()))

    def _consume(self, place: int, samples: np.ndarray) -> None:
        for (of, name), counter in self._counters.items():
            if of == place:
                counter.append(samples["t_ns"], samples[FIELDS[name]])

    def _draw(self, first_ns: float, last_ns: float, columns: int) -> None:
        columns, top = MEANS, 0.0
        in_order = self.disorder_button.isChecked()
        for key, counter in self._counters.items():
            shown = key[1] == "processed" or not (self.comparing or in_order)
            x, y = counter.rate(first_ns, last_ns, columns) if shown else NOTHING
            if shown and in_order:
                x, y = self._error_of(key[0], first_ns, last_ns, columns)
            self._curves[key].setData(x, y)
            self._drawn[key] = (x, y)
            top = max(top, float(y.max(initial=0.0)))
        self.view_box.setYRange(0.0, nice_ceiling(1.04 * top), padding=0)
        share = self._record.efficiency if self._record is not None else 0.0
        words = f"{CAPTION}; efficiency {share:.2f}" if share else CAPTION
        self.caption.setText(self._disorder_words() if in_order else words)

    def _error_of(
        self, place: int, first_ns: float, last_ns: float, columns: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return (x, mean distance error of the vertices processed meanwhile) of columns."""
        run = (self._record, self._b)[place]
        if run is None:
            return NOTHING
        key = run.run_id, run.errors is None  # exact ones come with the end of a run
        series = self._errors.setdefault(key, (CounterSeries(), CounterSeries()))
        new = slice(len(series[0]), None)
        if len(run.samples) > new.start:
            for one, total in zip(series, disorder.totals(run), strict=True):
                one.append(run.samples["t_ns"][new], total[new])
        (x, error), (_, measured) = (one.rate(first_ns, last_ns, columns) for one in series)
        if not measured.any():
            return NOTHING  # of an older recording
        return x, np.divide(error, measured, out=np.zeros(len(x)), where=measured > 0)

    def _disorder_words(self) -> str:
        runs = [run for run in (self._record, self._b) if run is not None]
        errors = [disorder.distance_error(run) for run in runs]
        said = ", ".join(NOT_KNOWN if error is None else distance(error) for error in errors)
        return f"{DISORDER}; mean {said}"

    def _pair_values(self) -> tuple[str, str]:
        each = "" if self.disorder_button.isChecked() else "/s"
        words = [self._words_at(place, "processed") for place in (0, 1)]
        a, b = (word if word == NOT_KNOWN else f"{word}{each}" for word in words)
        return a, b

    def _show_values(self) -> None:
        self.legend.set_values([self._words_at(0, name) for name in FIELDS])
        shown = self.disorder_button.isChecked()
        self.value.setVisible(shown and not self.comparing)
        self._cursor_words(self._words_at(0, "processed"))

    def _words_at(self, place: int, name: str) -> str:
        """Return the height of a curve at the cursor; 0 outside it, – where there is no curve."""
        now, (x, y) = self._playback.cursor_ns, self._drawn[place, name]
        at = int(np.searchsorted(x, now, side="right")) - 1
        inside = 0 <= at < len(x) and now <= x[-1]
        return short(float(y[at]) if inside else 0.0) if len(x) else NOT_KNOWN

    def _colour(self) -> None:
        data, wide = self._theme.data, self._theme.line_width
        pens = [pg.mkPen(ink, width=wide) for ink in (data.work, data.relaxed, data.improved)]
        self.legend.set_pens(pens)
        if self.comparing or self.disorder_button.isChecked():
            pens[0] = self._pen_of(0)
        for curve, pen in zip(self._curves.values(), [*pens, self._pen_of(1)], strict=True):
            curve.setPen(pen)

    def summary_text(self) -> str:
        """Return the run's efficiency once it ended, and the totals so far."""
        record = self._record
        if record is None or not len(record.samples):
            return self.HINT
        if self._b is not None:
            shares = record.efficiency, self._b.efficiency
            a, b = (f"{share:.2f}" if share else NOT_KNOWN for share in shares)
            return f"Work efficiency: A {a}, B {b} (settled over processed vertices)"
        last = record.samples[-1]
        done = ", ".join(f"{thousands(last[field])} {name}" for name, field in FIELDS.items())
        share = record.efficiency
        if not share:
            uncounted = record.trace is not None and not record.trace.counted
            return f"Work efficiency: {NOT_KNOWN}" if uncounted else f"So far: {done}"
        return f"Work efficiency {share:.2f}: {thousands(record.reached or 0)} settled, {done}"
