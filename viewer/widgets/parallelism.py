"""Parallelism: how much work is out with the workers, and how much they could take.

The paper's measure (figures 11 to 15): assigned vertices times the mean degree, in
edges. For an asynchronous algorithm that is work *assigned* at the instant; for one
that works in supersteps, the work *available* at the start of the superstep (the
paper's footnote 1). The caption says which. The shaded band is what the controller
aims for: below it workers starve, above it order is given away for nothing.
"""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg

from viewer.models.session import RunRecord
from viewer.series import StepSeries, TimeSeries, Window, joint_steps
from viewer.units import short
from viewer.widgets.plot_base import MEAN_PIXELS, PlotPanel, chip, nice_ceiling
from viewer.widgets.plot_items import EnvelopeItem

ENVELOPE_ALPHA = 70
FINE_FROM = 4  # samples per pixel from which the range is drawn pixel by pixel
LOG_FLOOR = 1.0  # edges; zero has no logarithm and is drawn here


class ParallelismPanel(PlotPanel):
    """Work assigned (or available) over time with the utilisation band."""

    TITLE = "Parallelism"
    HINT = "Press Run to see how much work the workers have at each moment."

    def _build_plot(self) -> None:
        self._quantity = ""
        self._work = TimeSeries()
        self._low, self._high = StepSeries(), StepSeries()
        self._band = EnvelopeItem()
        self._band.setZValue(-10)
        self._envelope = EnvelopeItem()
        self._mean = pg.PlotCurveItem()
        for item in (self._band, self._envelope, self._mean):
            self.plot.addItem(item, ignoreBounds=True)
        self.log_button = chip("log", "Logarithmic scale", checkable=True)
        self.header.addWidget(self.log_button)
        self.log_button.toggled.connect(self._mark_dirty)

    def _reset(self, record: RunRecord | None) -> None:
        self._work = TimeSeries()
        self._low, self._high = StepSeries(), StepSeries()
        kind = record.algorithm.parallelism if record is not None else "assigned"
        when = "" if kind == "assigned" else " at the start of the superstep"
        self._quantity = f"Work {kind}{when}, edges"
        self.caption.setText(self._quantity)

    def _consume(self, samples: np.ndarray) -> None:
        times = samples["t_ns"].astype(np.float64)
        self._work.append(times, samples["assigned_edges"])
        self._low.append(times, samples["band_low"])
        self._high.append(times, samples["band_high"])

    def _draw(self, first_ns: float, last_ns: float, columns: int) -> None:
        shown = self._work.window(first_ns, last_ns, columns // MEAN_PIXELS)
        self._mean.setData(shown.x, self._scaled(shown.mean))
        if self._work.count(first_ns, last_ns) > FINE_FROM * columns:
            shown = self._work.window(first_ns, last_ns, columns)
        kept = slice(0 if shown.exact else None)
        self._envelope.set_data(
            shown.x[kept], self._scaled(shown.low[kept]), self._scaled(shown.high[kept])
        )
        top = self._draw_band(first_ns, last_ns, shown)
        logarithmic = self.log_button.isChecked()
        self.number_axis.set_logarithmic(logarithmic)
        if logarithmic:
            low = float(np.floor(self._scaled(shown.low).min())) if len(shown.low) else 0.0
            self.view_box.setYRange(low, max(np.log10(top), low + 1) + 0.05, padding=0)
        else:
            self.view_box.setYRange(0.0, top, padding=0)

    def _draw_band(self, first_ns: float, last_ns: float, shown: Window) -> float:
        """Draw the band and return the top of the axis, which has the band in it if it can."""
        x, low, high = joint_steps(self._low, self._high, first_ns, last_ns)
        bounded = bool((high > 0).any())
        shown_points = slice(None if bounded else 0)
        low, high = low[shown_points], high[shown_points]
        self._band.set_data(x[shown_points], self._scaled(low), self._scaled(high))
        peak = float(shown.high.max()) if len(shown.high) else 0.0
        band_top = float(high.max()) if bounded else 0.0
        return nice_ceiling(1.04 * max(peak, band_top))

    def _scaled(self, values: np.ndarray) -> np.ndarray:
        if self.log_button.isChecked():
            return np.log10(np.maximum(values, LOG_FLOOR))
        return values

    def _show_values(self) -> None:
        self._cursor_words(self._words())
        low, high = (band.value_at(self._playback.cursor_ns) for band in (self._low, self._high))
        band = f"; band {short(low)} to {short(high)}" if high > 0 else ""
        self.caption.setText(f"{self._quantity}{band}")

    def _words(self) -> str:
        value = self._work.value_at(self._playback.cursor_ns)
        return short(value) if np.isfinite(value) else ""

    def _colour(self) -> None:
        tint = pg.mkColor(self._theme.series[0])
        tint.setAlpha(ENVELOPE_ALPHA)
        self._envelope.set_brush(tint)
        self._band.set_brush(self._theme.band)
        self._mean.setPen(self._line_pen(self._theme.series[0]))

    def summary_text(self) -> str:
        """Return the work at the cursor and where it stands against the band."""
        now = self._playback.cursor_ns
        value = self._work.value_at(now)
        if self._record is None or not np.isfinite(value):
            return self.HINT
        low, high = self._low.value_at(now), self._high.value_at(now)
        words = f"{self._quantity}: {short(value)}"
        if high <= 0:
            return words
        place = "below" if value < low else "above" if value > high else "inside"
        return f"{words}, {place} the band from {short(low)} to {short(high)}"
