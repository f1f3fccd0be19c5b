"""Parallelism: how much work is out with the workers, and how much they could take.

The paper's measure (figures 11 to 15): assigned vertices times the mean degree, in edges. An
asynchronous algorithm has work *assigned* at the instant; one with supersteps has work *available*
at the start of each (footnote 1). The controller aims for the shaded band: below it workers starve,
above it order is given away for nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyqtgraph as pg

from gpu.words import short
from viewer.common.small_widgets import chip
from viewer.plots.key import BAND_KEY
from viewer.plots.plot_base import MEAN_PIXELS, PlotPanel, nice_ceiling
from viewer.plots.plot_items import EnvelopeItem
from viewer.plots.series import StepSeries, TimeSeries, Window, joint_steps

LOW_SHARE = 0.25  # of the band: what stays under it is not seen beside all of the band
EDGE_ROOM = 1.6  # times the band's lower edge: the top of the axis then
LOG_FLOOR = 1.0  # edges; zero has no logarithm and is drawn here
ENVELOPE_ALPHA = 70
Scaled = Callable[[np.ndarray], np.ndarray]


class Track:
    """The work of one run over time: its series and what draws it."""

    def __init__(self) -> None:
        self.series = TimeSeries()
        self.envelope = EnvelopeItem()
        self.mean = pg.PlotCurveItem()

    def draw(self, first_ns: float, last_ns: float, columns: int, scaled: Scaled) -> Window:
        """Draw a window of time; return what was drawn. `scaled`: from work to the axis."""
        shown = self.series.window(first_ns, last_ns, columns // MEAN_PIXELS)
        self.mean.setData(shown.x, scaled(shown.mean))
        kept = slice(0 if shown.exact else None)
        self.envelope.set_data(shown.x[kept], scaled(shown.low[kept]), scaled(shown.high[kept]))
        return shown

    def clear(self) -> None:
        """Forget the run."""
        self.series = TimeSeries()
        self.mean.setData(np.zeros(0), np.zeros(0))
        self.envelope.set_data(np.zeros(0), np.zeros(0), np.zeros(0))


class ParallelismPanel(PlotPanel):
    """Work assigned (or available) over time with the utilisation band."""

    TITLE = "Parallelism"
    HINT = "Run it to see how much work the workers have at each moment."

    def _build_plot(self) -> None:
        self._tracks = (Track(), Track())  # A, and B where two runs are compared
        for track in self._tracks:
            self.plot.addItem(track.envelope, ignoreBounds=True)
            self.plot.addItem(track.mean, ignoreBounds=True)
        self._quantity = ""
        self._low, self._high = StepSeries(), StepSeries()
        self._band = EnvelopeItem()
        self._band.setZValue(-10)
        self.plot.addItem(self._band, ignoreBounds=True)
        self._add_key(BAND_KEY)
        self.log_button = chip("log", "Logarithmic scale", checkable=True)
        self.header.addWidget(self.log_button)
        self.log_button.toggled.connect(self._mark_dirty)

    def _reset(self, place: int) -> None:
        self._tracks[place].clear()
        if place == 0:
            self._low, self._high = StepSeries(), StepSeries()
            kind = self._record.algorithm.parallelism if self._record is not None else "assigned"
            when = "" if kind == "assigned" else " at the start of the superstep"
            self._quantity = f"Work {kind}{when}, edges"
            self._explain(kind, "band", "starved")
        kinds = [run.algorithm.parallelism for run in self._runs if run is not None]
        apart = len(set(kinds)) == 2
        self.caption.setText(f"Edges {' (A), '.join(kinds)} (B)" if apart else self._quantity)

    def _consume(self, place: int, samples: np.ndarray) -> None:
        self._tracks[place].series.append(samples["t_ns"], samples["assigned_edges"])
        if place == 0:
            self._low.append(samples["t_ns"], samples["band_low"])
            self._high.append(samples["t_ns"], samples["band_high"])

    def _draw(self, first_ns: float, last_ns: float, columns: int) -> None:
        shown = [
            track.draw(first_ns, last_ns, columns, self._scaled)
            for track in self._tracks[: 2 if self.comparing else 1]
        ]
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
        bounded = self._keyed = bool((high > 0).any())
        shown_points = slice(None if bounded else 0)
        low, high = low[shown_points], high[shown_points]
        self._band.set_data(x[shown_points], self._scaled(low), self._scaled(high))
        band_top = float(high.max()) if bounded else 0.0
        peak = max((float(part.high.max()) for part in shown if len(part.high)), default=0.0)
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

    def _words(self, place: int) -> str:
        value = self._tracks[place].series.value_at(self._playback.cursor_ns)
        return short(value) if np.isfinite(value) else ""

    def _pair_values(self) -> tuple[str, str]:
        return self._words(0), self._words(1)

    def _show_values(self) -> None:
        self._cursor_words(self._words(0))
        low, high = (band.value_at(self._playback.cursor_ns) for band in (self._low, self._high))
        band = f"; band {short(low)} to {short(high)}" if high > 0 else ""
        if not self.comparing:
            self.caption.setText(f"{self._quantity}{band}")

    def _colour(self) -> None:
        for place, track in enumerate(self._tracks):
            tint = pg.mkColor(self._theme.runs[place])
            tint.setAlpha(ENVELOPE_ALPHA)
            track.envelope.setBrush(tint)
            track.mean.setPen(self._pen_of(place))
        self._band.setBrush(pg.mkBrush(self._theme.band))

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
