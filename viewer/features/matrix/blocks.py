"""Blocks at work: how many worker blocks have a source, over time; of two runs on one clock."""

from __future__ import annotations

import numpy as np

from viewer.common.units import thousands
from viewer.plots.plot_base import nice_ceiling
from viewer.plots.tracks import TrackPlot, peak_of

QUANTITY = "Blocks at work"


class BlocksPlot(TrackPlot):
    """The samples' busy workers; the cursor and the window of time are those of every plot."""

    TITLE = QUANTITY
    HINT = "Press Run to see how many blocks work at each moment."
    COLUMN = "busy_workers"

    def _build_plot(self) -> None:
        super()._build_plot()
        self.caption.setText(QUANTITY)

    def _draw(self, first_ns: float, last_ns: float, columns: int) -> None:
        shown = self._draw_tracks(first_ns, last_ns, columns)
        for place, window in enumerate(shown):
            high = window.mean >= 0.95 * window.mean.max(initial=0.0)
            middle = np.flatnonzero(high)[high.sum() // 2 :][:1]  # of the time at its most
            self._letter_at_peak(place, window.x[middle], window.mean[middle])
        self.view_box.setYRange(0.0, nice_ceiling(1.04 * peak_of(shown)), padding=0)

    def _show_values(self) -> None:
        self._cursor_words(self._words())

    def _written(self, value: float) -> str:
        return thousands(value)

    def summary_text(self) -> str:
        """Return how many blocks work at the cursor."""
        words = self._words()
        return f"{QUANTITY}: {words}" if words and self._record is not None else self.HINT
