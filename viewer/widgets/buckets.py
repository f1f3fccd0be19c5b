"""Buckets: how many vertices wait, in every bucket, over time; and the ring now.

Time runs to the right, the head bucket is the lowest row, the tail the highest: work
falls from the tail towards the head. Colour is the logarithm of the number of waiting
vertices, through a table of 256 colours; samples that share a pixel are pooled by their
greatest, so no burst is lost at any zoom. Beside it, level with the rows, a bar a
bucket at the cursor. Algorithms with piles or a heap have as many rows as those.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QRectF
from PyQt6.QtGui import QResizeEvent

from gpu.trace import BUCKETS
from viewer.models.session import RunRecord
from viewer.series import HEAT_LEVELS, HeatSeries
from viewer.theme import Theme
from viewer.units import percent, short, thousands
from viewer.widgets.axes import NameAxis
from viewer.widgets.plot_base import PlotPanel
from viewer.widgets.ring import ColourKey, RingNow, RingState, heat_index_of

NARROW = 380  # pixels below which the ring is small and the colour key hides
RING_SHARE = 0.16  # of the panel's width, between the two bounds
RING_LEAST, RING_MOST = 82, 170


class BucketPanel(PlotPanel):
    """Heat map of bucket sizes over time, and the ring at the cursor."""

    TITLE = "Buckets"
    HINT = "Press Run to see how full each bucket is."

    def _make_number_axis(self) -> NameAxis:
        return NameAxis()

    def _build_plot(self) -> None:
        self._heat = HeatSeries(BUCKETS)
        self._table_peak = 0
        self._image = pg.ImageItem()
        self._image.setLevels((0, HEAT_LEVELS - 1))
        self.plot.addItem(self._image, ignoreBounds=True)
        self.caption.setText("Vertices waiting")
        self.key = ColourKey()
        self.header.insertWidget(1, self.key)
        self.ring = RingNow()
        self.row.addWidget(self.ring)

    def _reset(self, record: RunRecord | None) -> None:
        names = record.algorithm.occupancy if record is not None else ()
        rows = len(names) or BUCKETS
        if record is not None and not names:
            rows = int(record.settings.parameters.get("buckets") or BUCKETS)
        self._heat = HeatSeries(rows)
        self.number_axis.set_names(row_names(rows, names))
        self.view_box.setYRange(-0.5, rows - 0.5, padding=0)
        self.ring.show_state(RingState(np.zeros(rows, np.int32)))

    def _consume(self, samples: np.ndarray) -> None:
        counts = samples["occupancy"][:, : self._heat.rows]
        self._heat.append(samples["t_ns"].astype(np.float64), counts)

    def _draw(self, first_ns: float, last_ns: float, columns: int) -> None:
        picture = self._heat.image(first_ns, last_ns, columns)
        if self._heat.peak != self._table_peak:
            self._set_table()
        if len(picture) == 1:  # pyqtgraph leaves an image of one row out
            picture = np.repeat(picture, 2, axis=0)
        self._image.setImage(picture, autoLevels=False)
        self._image.setRect(QRectF(first_ns, -0.5, last_ns - first_ns, self._heat.rows))
        shown = self.view_box.sceneBoundingRect()
        top = self.view.mapFromScene(shown.topLeft()).y()
        self.ring.set_rows(float(top), float(top) + shown.height())

    def _show_values(self) -> None:
        sample = self._at_cursor()
        if sample is None:
            self._cursor_words("")
            return
        counts = sample["occupancy"][: self._heat.rows]
        ringed = not (self._record and self._record.algorithm.occupancy)
        self.ring.show_state(
            RingState(
                counts.copy(),
                int(sample["open_buckets"]) if ringed else 0,
                float(sample["clip_share"]) if ringed else 0.0,
                max(self._heat.peak, 1),
            )
        )
        self._cursor_words(short(int(counts.sum(dtype=np.int64))))

    def _at_cursor(self) -> np.void | None:
        if self._record is None or not len(self._record.samples):
            return None
        times = self._record.samples["t_ns"]
        return self._record.samples[max(bisect_right(times, self._playback.cursor_ns) - 1, 0)]

    def _colour(self) -> None:
        self.ring.apply_theme(self._theme)
        self.key.apply_theme(self._theme)
        self._set_table()

    def _set_table(self) -> None:
        self._table_peak = self._heat.peak
        self._image.setLookupTable(heat_table(self._theme, max(self._heat.peak, 1)))
        self.key.set_peak(max(self._heat.peak, 1))

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Give the ring its share, and hide the colour key where there is no room."""
        super().resizeEvent(event)
        share = int(RING_SHARE * self.width())
        self.ring.setFixedWidth(min(max(share, RING_LEAST), RING_MOST))
        self.key.setVisible(self.width() >= NARROW)

    def summary_text(self) -> str:
        """Return the ring at the cursor in words."""
        sample = self._at_cursor()
        if sample is None or self._record is None:
            return self.HINT
        counts = sample["occupancy"][: self._heat.rows]
        names = self._record.algorithm.occupancy
        if names:
            piles = zip(names, counts, strict=True)
            return "Waiting: " + ", ".join(f"{thousands(c)} in {name}" for name, c in piles)
        words = (
            f"Head is bucket {sample['head_bucket']}, {sample['open_buckets']} open; "
            f"{thousands(counts.sum(dtype=np.int64))} vertices wait, {thousands(counts[0])} in head"
        )
        share = float(sample["clip_share"])
        return f"{words}; {percent(share)} clipped into the tail" if share > 0 else words


def row_names(rows: int, names: tuple[str, ...]) -> list[tuple[float, str]]:
    """Return (height, name) of the rows that are named, most important first."""
    if names:
        return [(float(row), name) for row, name in enumerate(names)]
    middle = [(float(row), f"+{row}") for row in range(8, rows - 4, 8)]
    return [(0.0, "head"), (float(rows - 1), "tail"), *middle]


def heat_table(theme: Theme, peak: int) -> np.ndarray:
    """Return uint8 (256, 3): plot background for none, then the ramp from 1 up to `peak`."""
    stops = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in theme.heat], float)
    background = [int(theme.plot[i : i + 2], 16) for i in (1, 3, 5)]
    top = max(heat_index_of(peak), 2)
    share = np.clip((np.arange(HEAT_LEVELS) - 1) / (top - 1), 0, 1) * (len(stops) - 1)
    table = np.stack(
        [np.interp(share, np.arange(len(stops)), stops[:, channel]) for channel in range(3)], axis=1
    )
    table[0] = background
    return table.round().astype(np.uint8)
