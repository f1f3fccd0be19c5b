"""Parallelism: how much work is out with the workers, and how much they could take.

The paper's measure (figures 11 to 15): assigned vertices times the mean degree, in
edges. For an asynchronous algorithm that is work *assigned* at the instant; for one
that works in supersteps, the work *available* at the start of the superstep (the
paper's footnote 1). The caption says which. The shaded band is what the controller
aims for: below it workers starve, above it order is given away for nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyqtgraph as pg

from viewer.common.units import short
from viewer.models.session import RunRecord
from viewer.plots.plot_base import MEAN_PIXELS, chip, nice_ceiling
from viewer.plots.plot_items import EnvelopeItem
from viewer.plots.plot_pair import PairPlot
from viewer.plots.series import (
    StepSeries,
    TimeSeries,
    Window,
    joint_steps,
)

ENVELOPE_ALPHA = 70
FINE_FROM = 4  # samples per pixel from which the range is drawn pixel by pixel
Scaled = Callable[[np.ndarray], np.ndarray]  # from edges to what the axis shows
LOG_FLOOR = 1.0  # edges; zero has no logarithm and is drawn here


class Track:
    """One run's work over time: its series and what draws it."""

    def __init__(self) -> None:
        self.work = TimeSeries()
        self.envelope = EnvelopeItem()
        self.mean = pg.PlotCurveItem()

    def draw(self, first_ns: float, last_ns: float, columns: int, scaled: Scaled) -> Window:
        """Draw the window of time; return what was drawn, of the finest kind."""
        shown = self.work.window(first_ns, last_ns, columns // MEAN_PIXELS)
        self.mean.setData(shown.x, scaled(shown.mean))
        if self.work.count(first_ns, last_ns) > FINE_FROM * columns:
            shown = self.work.window(first_ns, last_ns, columns)
        kept = slice(0 if shown.exact else None)
        self.envelope.set_data(shown.x[kept], scaled(shown.low[kept]), scaled(shown.high[kept]))
        return shown

    def clear(self) -> None:
        """Forget the run."""
        self.work = TimeSeries()
        self.mean.setData(np.zeros(0), np.zeros(0))
        self.envelope.set_data(np.zeros(0), np.zeros(0), np.zeros(0))


class ParallelismPanel(PairPlot):
    """Work assigned (or available) over time with the utilisation band."""

    TITLE = "Parallelism"
    HINT = "Press Run to see how much work the workers have at each moment."

    def _build_plot(self) -> None:
        self._quantity = ""
        self._tracks = (Track(), Track())  # A, and B where two runs are compared
        self._low, self._high = StepSeries(), StepSeries()
        self._band = EnvelopeItem()
        self._band.setZValue(-10)
        self.plot.addItem(self._band, ignoreBounds=True)
        for track in self._tracks:
            self.plot.addItem(track.envelope, ignoreBounds=True)
            self.plot.addItem(track.mean, ignoreBounds=True)
        self.log_button = chip("log", "Logarithmic scale", checkable=True)
        self.header.addWidget(self.log_button)
        self.log_button.toggled.connect(self._mark_dirty)

    def _reset(self, record: RunRecord | None) -> None:
        self._tracks[0].clear()
        self._low, self._high = StepSeries(), StepSeries()
        kind = record.algorithm.parallelism if record is not None else "assigned"
        when = "" if kind == "assigned" else " at the start of the superstep"
        self._quantity = f"Work {kind}{when}, edges"
        self.caption.setText(self._quantity)

    def _consume(self, samples: np.ndarray) -> None:
        times = samples["t_ns"].astype(np.float64)
        self._tracks[0].work.append(times, samples["assigned_edges"])
        self._low.append(times, samples["band_low"])
        self._high.append(times, samples["band_high"])

    def _reset_b(self, record: RunRecord | None) -> None:
        self._tracks[1].clear()
        self._show_caption()

    def _consume_b(self, times_ns: np.ndarray, samples: np.ndarray) -> None:
        self._tracks[1].work.append(times_ns, samples["assigned_edges"])

    def _show_caption(self) -> None:
        kinds = [r.algorithm.parallelism for r in (self._record, self._b) if r is not None]
        if len(set(kinds)) == 2:
            self.caption.setText(f"Work {kinds[0]} (A) or {kinds[1]} (B), edges")
        else:
            self.caption.setText(self._quantity)

    def _draw(self, first_ns: float, last_ns: float, columns: int) -> None:
        shown = [
            track.draw(first_ns, last_ns, columns, self._scaled)
            for track in self._tracks[: 2 if self.comparing else 1]
        ]
        for place, window in enumerate(shown):
            self._letter_at_peak(place, window.x, self._scaled(window.mean))
        top = self._draw_band(first_ns, last_ns, shown)
        logarithmic = self.log_button.isChecked()
        self.number_axis.set_logarithmic(logarithmic)
        if logarithmic:
            lows = [self._scaled(window.low).min() for window in shown if len(window.low)]
            low = float(np.floor(min(lows, default=0.0)))
            self.view_box.setYRange(low, max(np.log10(top), low + 1) + 0.05, padding=0)
        else:
            self.view_box.setYRange(0.0, top, padding=0)

    def _draw_band(self, first_ns: float, last_ns: float, shown: list[Window]) -> float:
        """Draw the band and return the top of the axis, which has the band in it if it can."""
        x, low, high = joint_steps(self._low, self._high, first_ns, last_ns)
        bounded = bool((high > 0).any())
        shown_points = slice(None if bounded else 0)
        low, high = low[shown_points], high[shown_points]
        self._band.set_data(x[shown_points], self._scaled(low), self._scaled(high))
        peak = max((float(part.high.max()) for part in shown if len(part.high)), default=0.0)
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
        if not self.comparing:
            self.caption.setText(f"{self._quantity}{band}")

    def _words(self, place: int = 0) -> str:
        value = self._tracks[place].work.value_at(self._playback.cursor_ns)
        return short(value) if np.isfinite(value) else ""

    def _pair_values(self) -> tuple[str, str]:
        return self._words(0), self._words(1)

    def _colour(self) -> None:
        self._band.set_brush(self._theme.band)
        for place, track in enumerate(self._tracks):
            tint = pg.mkColor(self._theme.series[place])
            tint.setAlpha(ENVELOPE_ALPHA)
            track.envelope.set_brush(tint)
            track.mean.setPen(self._pen_of(place))

    def summary_text(self) -> str:
        """Return the work at the cursor and where it stands against the band."""
        now = self._playback.cursor_ns
        value = self._tracks[0].work.value_at(now)
        if self._record is None or not np.isfinite(value):
            return self.HINT
        low, high = self._low.value_at(now), self._high.value_at(now)
        words = f"{self._quantity}: {short(value)}"
        if high <= 0:
            return words
        place = "below" if value < low else "above" if value > high else "inside"
        return f"{words}, {place} the band from {short(low)} to {short(high)}"
