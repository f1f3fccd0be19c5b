"""One column of the samples over time, of one run or of two: its range and its mean."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyqtgraph as pg

from gpu.words import short
from viewer.models.session import RunRecord
from viewer.plots.plot_base import MEAN_PIXELS, PlotPanel
from viewer.plots.plot_items import EnvelopeItem
from viewer.plots.series import TimeSeries, Window

ENVELOPE_ALPHA = 70
Scaled = Callable[[np.ndarray], np.ndarray]  # from the column to what the axis shows


class Track:
    """One run's column over time: its series and what draws it."""

    def __init__(self) -> None:
        self.series = TimeSeries()
        self.envelope = EnvelopeItem()
        self.mean = pg.PlotCurveItem()

    def draw(self, first_ns: float, last_ns: float, columns: int, scaled: Scaled) -> Window:
        """Draw the window of time; return what was drawn."""
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


class TrackPlot(PlotPanel):
    """A plot of such a column; who derives from it says which, and what else is drawn."""

    COLUMN = ""

    def _build_plot(self) -> None:
        self._tracks = (Track(), Track())  # A, and B where two runs are compared
        for track in self._tracks:
            self.plot.addItem(track.envelope, ignoreBounds=True)
            self.plot.addItem(track.mean, ignoreBounds=True)

    def _reset(self, record: RunRecord | None) -> None:
        self._tracks[0].clear()

    def _consume(self, samples: np.ndarray) -> None:
        times = samples["t_ns"].astype(np.float64)
        self._tracks[0].series.append(times, samples[self.COLUMN])

    def _reset_b(self, record: RunRecord | None) -> None:
        self._tracks[1].clear()

    def _consume_b(self, samples: np.ndarray) -> None:
        self._tracks[1].series.append(samples["t_ns"].astype(np.float64), samples[self.COLUMN])

    def _draw_tracks(self, first_ns: float, last_ns: float, columns: int) -> list[Window]:
        """Draw the runs that are shown; return what was drawn of each."""
        return [
            track.draw(first_ns, last_ns, columns, self._scaled)
            for track in self._tracks[: 2 if self.comparing else 1]
        ]

    def _scaled(self, values: np.ndarray) -> np.ndarray:
        """Return values of the column as the axis shows them."""
        return values

    def _written(self, value: float) -> str:
        return short(value)

    def _words(self, place: int = 0) -> str:
        value = self._tracks[place].series.value_at(self._playback.cursor_ns)
        return self._written(value) if np.isfinite(value) else ""

    def _pair_values(self) -> tuple[str, str]:
        return self._words(0), self._words(1)

    def _colour(self) -> None:
        for place, track in enumerate(self._tracks):
            tint = pg.mkColor(self._theme.runs[place])
            tint.setAlpha(ENVELOPE_ALPHA)
            track.envelope.set_brush(tint)
            track.mean.setPen(self._pen_of(place))


def peak_of(shown: list[Window]) -> float:
    """Return the greatest value drawn, 0 where nothing was."""
    return max((float(part.high.max()) for part in shown if len(part.high)), default=0.0)
