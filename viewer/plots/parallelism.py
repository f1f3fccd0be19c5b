"""Parallelism: how much work is out with the workers, and how much they could take.

The paper's measure (figures 11 to 15): assigned vertices times the mean degree, in edges. An
asynchronous algorithm has work *assigned* at the instant; one with supersteps has work *available*
at the start of each (footnote 1). The controller aims for the shaded band: below it workers starve,
above it order is given away for nothing.
"""

from __future__ import annotations

import numpy as np

from gpu.words import short
from viewer.common.small_widgets import chip
from viewer.models.session import RunRecord
from viewer.plots.plot_base import nice_ceiling
from viewer.plots.plot_items import EnvelopeItem
from viewer.plots.series import StepSeries, Window, joint_steps
from viewer.plots.tracks import TrackPlot, peak_of

LOW_SHARE = 0.25  # of the band: what stays under it is not seen beside all of the band
EDGE_ROOM = 1.6  # times the band's lower edge: the top of the axis then
LOG_FLOOR = 1.0  # edges; zero has no logarithm and is drawn here


class ParallelismPanel(TrackPlot):
    """Work assigned (or available) over time with the utilisation band."""

    TITLE = "Parallelism"
    HINT = "Press Run to see how much work the workers have at each moment."

    COLUMN = "assigned_edges"

    def _build_plot(self) -> None:
        super()._build_plot()
        self._quantity = ""
        self._low, self._high = StepSeries(), StepSeries()
        self._band = EnvelopeItem()
        self._band.setZValue(-10)
        self.plot.addItem(self._band, ignoreBounds=True)
        self.log_button = chip("log", "Logarithmic scale", checkable=True)
        self.header.addWidget(self.log_button)
        self.log_button.toggled.connect(self._mark_dirty)

    def _reset(self, record: RunRecord | None) -> None:
        super()._reset(record)
        self._low, self._high = StepSeries(), StepSeries()
        kind = record.algorithm.parallelism if record is not None else "assigned"
        when = "" if kind == "assigned" else " at the start of the superstep"
        self._quantity = f"Work {kind}{when}, edges"
        self.caption.setText(self._quantity)
        self._explain(kind, "band", "starved")

    def _consume(self, samples: np.ndarray) -> None:
        super()._consume(samples)
        times = samples["t_ns"].astype(np.float64)
        self._low.append(times, samples["band_low"])
        self._high.append(times, samples["band_high"])

    def _reset_b(self, record: RunRecord | None) -> None:
        super()._reset_b(record)
        self._show_caption()

    def _show_caption(self) -> None:
        kinds = [r.algorithm.parallelism for r in (self._record, self._b) if r is not None]
        if len(set(kinds)) == 2:
            self.caption.setText(f"Edges {kinds[0]} (A), {kinds[1]} (B)")
        else:
            self.caption.setText(self._quantity)

    def _draw(self, first_ns: float, last_ns: float, columns: int) -> None:
        shown = self._draw_tracks(first_ns, last_ns, columns)
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
        """Draw the band and return the top of the axis.

        It has the band in it; of one that the curves never come near, the lower edge alone.
        """
        x, low, high = joint_steps(self._low, self._high, first_ns, last_ns)
        bounded = bool((high > 0).any())
        shown_points = slice(None if bounded else 0)
        low, high = low[shown_points], high[shown_points]
        self._band.set_data(x[shown_points], self._scaled(low), self._scaled(high))
        band_top, peak = float(high.max()) if bounded else 0.0, peak_of(shown)
        if peak < LOW_SHARE * band_top:
            band_top = min(band_top, EDGE_ROOM * float(low.max()))
        return nice_ceiling(1.04 * max(peak, band_top))

    def set_plain(self, plain: bool) -> None:
        """Leave the choice of the scale out."""
        self.log_button.setVisible(not plain)

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
            self.caption.shorter = self._quantity

    def _colour(self) -> None:
        super()._colour()
        self._band.set_brush(self._theme.band)

    def summary_text(self) -> str:
        """Return the work at the cursor and where it stands against the band."""
        now = self._playback.cursor_ns
        value = self._tracks[0].series.value_at(now)
        if self._record is None or not np.isfinite(value):
            return self.HINT
        low, high = self._low.value_at(now), self._high.value_at(now)
        words = f"{self._quantity}: {short(value)}"
        if high <= 0:
            return words
        place = "below" if value < low else "above" if value > high else "inside"
        return f"{words}, {place} the band from {short(low)} to {short(high)}"
