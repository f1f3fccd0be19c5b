"""Blocks at work: how many worker blocks have a source, over time; of two runs on one clock."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg

from viewer.common.units import thousands
from viewer.models.session import RunRecord
from viewer.plots.parallelism import ENVELOPE_ALPHA, Track
from viewer.plots.plot_base import nice_ceiling
from viewer.plots.plot_pair import PairPlot

QUANTITY = "Blocks at work"


class BlocksPlot(PairPlot):
    """The samples' busy workers; the cursor and the window of time are those of every plot."""

    TITLE = QUANTITY
    HINT = "Press Run to see how many blocks work at each moment."

    def _build_plot(self) -> None:
        self._tracks = (Track(), Track())  # A, and B where two runs are compared
        for track in self._tracks:
            self.plot.addItem(track.envelope, ignoreBounds=True)
            self.plot.addItem(track.mean, ignoreBounds=True)
        self.caption.setText(QUANTITY)

    def _reset(self, record: RunRecord | None) -> None:
        self._tracks[0].clear()

    def _consume(self, samples: np.ndarray) -> None:
        times = samples["t_ns"].astype(np.float64)
        self._tracks[0].work.append(times, samples["busy_workers"])

    def _reset_b(self, record: RunRecord | None) -> None:
        self._tracks[1].clear()

    def _consume_b(self, times_ns: np.ndarray, samples: np.ndarray) -> None:
        self._tracks[1].work.append(times_ns, samples["busy_workers"])

    def _draw(self, first_ns: float, last_ns: float, columns: int) -> None:
        shown = [
            track.draw(first_ns, last_ns, columns, _as_it_is)
            for track in self._tracks[: 2 if self.comparing else 1]
        ]
        for place, window in enumerate(shown):
            high = window.mean >= 0.95 * window.mean.max(initial=0.0)
            middle = np.flatnonzero(high)[high.sum() // 2 :][:1]  # of the time at its most
            self._letter_at_peak(place, window.x[middle], window.mean[middle])
        peak = max((float(part.high.max()) for part in shown if len(part.high)), default=0.0)
        self.view_box.setYRange(0.0, nice_ceiling(1.04 * peak), padding=0)

    def _show_values(self) -> None:
        self._cursor_words(self._words(0))

    def _words(self, place: int) -> str:
        value = self._tracks[place].work.value_at(self._playback.cursor_ns)
        return thousands(value) if np.isfinite(value) else ""

    def _pair_values(self) -> tuple[str, str]:
        return self._words(0), self._words(1)

    def _colour(self) -> None:
        for place, track in enumerate(self._tracks):
            tint = pg.mkColor(self._theme.series[place])
            tint.setAlpha(ENVELOPE_ALPHA)
            track.envelope.set_brush(tint)
            track.mean.setPen(self._pen_of(place))

    def summary_text(self) -> str:
        """Return how many blocks work at the cursor."""
        words = self._words(0)
        return f"{QUANTITY}: {words}" if words and self._record is not None else self.HINT


def _as_it_is(values: np.ndarray) -> np.ndarray:
    return values
