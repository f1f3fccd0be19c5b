"""Buckets: how many vertices wait, in every bucket, over time; and the ring now.

The head bucket is the lowest row, the tail the highest. Colour is the logarithm of the number of
waiting vertices; samples that share a pixel are pooled by their greatest. Beside it, level with
the rows, a bar a bucket at the cursor. Algorithms with piles or a heap have as many rows as those;
of a ring as many rows are shown as ever held anything, in steps of `ROW_STEP`.

Of two runs A is above, B below, with one time axis and one scale of colour.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QRectF
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QVBoxLayout

from gpu.record.trace import BUCKETS
from gpu.words import percent, short, thousands
from viewer.common.ramp import Ramp
from viewer.common.text_size import scaled, small_font
from viewer.common.theme import Theme
from viewer.models.session import RunRecord
from viewer.plots.axes import NameAxis
from viewer.plots.plot_base import PlotPanel
from viewer.plots.ring import RingNow, RingState, heat_index_of
from viewer.plots.series import HEAT_LEVELS, HeatSeries

NOTHING_WAITED = "No vertex was waiting when a sample was taken"
NARROW = 380  # pixels below which the ring is small and the colour key hides
RINGLESS = 300  # pixels below which there is no ring
RING_SHARE = 0.16  # of the panel's width, between the two bounds
RING_LEAST, RING_MOST = 82, 170
LANES = ((1.16, 2.16), (0.0, 1.0))  # bottom and top of A's lane and B's, in the y of a split
ROW_STEP = 8  # rows of a ring come and stay in so many
BORDER, SPLIT_TOP = 1.08, 2.16  # between the rings, and the top of all
QWIDGETSIZE_MAX = 16_777_215  # Qt's word for "as high as it likes"


class BucketPanel(PlotPanel):
    """Heat map of bucket sizes over time, and the ring at the cursor."""

    TITLE = "Buckets"
    HINT = "Press Run to see how full each bucket is."
    letter_cover = 255  # it may stand upon dark cells

    def _make_number_axis(self) -> NameAxis:
        return NameAxis()

    def _build_plot(self) -> None:
        self._heats = [HeatSeries(BUCKETS), HeatSeries(BUCKETS)]  # A, and B if compared
        self._named: tuple[int, ...] = ()  # how many rows of each are shown, as they are named
        self._table_peak = 0
        self._images = (pg.ImageItem(), pg.ImageItem())
        for image in self._images:
            image.setLevels((0, HEAT_LEVELS - 1))
            self.plot.addItem(image, ignoreBounds=True)
        self._idle = tuple(pg.TextItem(NOTHING_WAITED, anchor=(0.5, 0.5)) for _ in self._images)
        for words in self._idle:
            self.plot.addItem(words, ignoreBounds=True)
            words.hide()
        self.caption.setText("Vertices waiting")
        self._explain("bucket", "head", "tail")
        self.key = Ramp("Vertices waiting, logarithmic")
        self.header.insertWidget(1, self.key)
        self.ring, self.ring_b = RingNow(0), RingNow(1)
        self.ring_b.setAccessibleName("The ring of B now")
        self.ring_b.hide()
        rings = QVBoxLayout()
        rings.setSpacing(0)
        for ring in (self.ring, self.ring_b):
            rings.addWidget(ring, 1)
        self.row.addLayout(rings)

    def _reset(self, record: RunRecord | None) -> None:
        self._heats[0] = HeatSeries(rows_of(record))
        self._show_rows()
        self.ring.show_state(RingState(np.zeros(self._named[0], np.int32)))

    def _reset_b(self, record: RunRecord | None) -> None:
        self._heats[1] = HeatSeries(rows_of(record))
        self._images[1].setVisible(self.comparing)
        self._idle[1].hide()
        self._show_rings()
        if not self.comparing:
            self.ring.setMinimumHeight(0)
            self.ring.setMaximumHeight(QWIDGETSIZE_MAX)
        self._show_rows()
        self.ring_b.show_state(RingState(np.zeros(self._named[1], np.int32)))

    def _show_rows(self) -> None:
        """Name the rows, in one lane or in two."""
        self._named = tuple(map(self._rows_shown, range(2)))
        names_of_lanes = [
            row_names(rows, heat.rows, names_of(run))
            for rows, heat, run in zip(self._named, self._heats, self._runs, strict=True)
        ]
        for ring, rows, heat in zip(
            (self.ring, self.ring_b), self._named, self._heats, strict=True
        ):
            ring.labels = ("head", top_name(rows, heat.rows))
        if not self.comparing:
            rows = self._named[0]
            self.number_axis.set_names(names_of_lanes[0])
            self.view_box.setYRange(-0.5, rows - 0.5, padding=0)
            return
        placed = [
            (bottom + (top - bottom) * (height + 0.5) / rows, name)
            for (bottom, top), rows, names in zip(LANES, self._named, names_of_lanes, strict=True)
            for height, name in names
        ]
        self.number_axis.set_names(placed)
        self.view_box.setYRange(0.0, SPLIT_TOP, padding=0)

    def _rows_shown(self, place: int) -> int:
        """Return how many rows of A (0) or B (1) are shown: all piles, or what a ring used."""
        heat, run = self._heats[place], self._runs[place]
        if names_of(run):
            return heat.rows
        return min(heat.rows, max(1, -(-heat.used // ROW_STEP)) * ROW_STEP)

    @property
    def _runs(self) -> tuple[RunRecord | None, RunRecord | None]:
        return self._record, self._b

    def _consume(self, samples: np.ndarray) -> None:
        heat = self._heats[0]
        heat.append(samples["t_ns"].astype(np.float64), samples["occupancy"][:, : heat.rows])

    def _consume_b(self, samples: np.ndarray) -> None:
        heat = self._heats[1]
        heat.append(samples["t_ns"].astype(np.float64), samples["occupancy"][:, : heat.rows])

    def _draw(self, first_ns: float, last_ns: float, columns: int) -> None:
        if self._peak != self._table_peak:
            self._set_table()
        if self._named != tuple(map(self._rows_shown, range(2))):
            self._show_rows()
        lanes = LANES if self.comparing else ((-0.5, self._named[0] - 0.5),)
        for place, (bottom, top) in enumerate(lanes):
            picture = self._heats[place].image(first_ns, last_ns, columns)[: self._named[place]]
            if len(picture) == 1:  # pyqtgraph leaves an image of one row out
                picture = np.repeat(picture, 2, axis=0)
            self._images[place].setImage(picture, autoLevels=False)
            self._images[place].setRect(QRectF(first_ns, bottom, last_ns - first_ns, top - bottom))
            self._show_letter(place, first_ns + 0.985 * (last_ns - first_ns), top)
            run, heat = self._runs[place], self._heats[place]
            idle = run is not None and not run.running and len(heat) > 0 and heat.peak == 0
            self._idle[place].setVisible(idle)
            self._idle[place].setPos((first_ns + last_ns) / 2, (bottom + top) / 2)
        shown = self.view_box.sceneBoundingRect()
        above, high = float(self.view.mapFromScene(shown.topLeft()).y()), shown.height()
        if not self.comparing:
            self.ring.set_rows(above, above + high)
            return
        border = int(above + high * (1 - BORDER / SPLIT_TOP))
        self.ring.setFixedHeight(border)
        for ring, begins, (bottom, top) in zip(
            (self.ring, self.ring_b), (0, border), LANES, strict=True
        ):
            edges = (above + high * (1 - y / SPLIT_TOP) for y in (top, bottom))
            ring.set_rows(*(edge - begins for edge in edges))

    @property
    def _peak(self) -> int:
        return max(1, *(heat.peak for heat in self._heats))

    def _show_values(self) -> None:
        self._cursor_words(self._show_ring(0))

    def _pair_values(self) -> tuple[str, str]:
        return self._show_ring(0), self._show_ring(1)

    def _show_ring(self, place: int) -> str:
        """Show the ring of A (0) or B (1) at the cursor; return how many wait, in words."""
        sample, record = self._at_cursor(place), self._runs[place]
        if sample is None or record is None:
            return ""
        counts = sample["occupancy"][: self._heats[place].rows]
        ringed = not record.algorithm.occupancy
        (self.ring, self.ring_b)[place].show_state(
            RingState(
                counts[: self._named[place]].copy(),
                int(sample["open_buckets"]) if ringed else 0,
                float(sample["clip_share"]) if ringed else 0.0,
                self._peak,
            )
        )
        return short(int(counts.sum(dtype=np.int64)))

    def _at_cursor(self, place: int = 0) -> np.void | None:
        record, now = self._runs[place], self._playback.cursor_ns
        if record is None or not len(record.samples):
            return None
        times = record.samples["t_ns"]
        return record.samples[max(bisect_right(times, now) - 1, 0)]

    def _colour(self) -> None:
        for ring in (self.ring, self.ring_b):
            ring.apply_theme(self._theme)
        self.key.set_colours(self._theme.heat)
        for words in self._idle:
            words.setColor(self._theme.muted)
            words.setFont(small_font(self.font()))
        self._set_table()

    def _place_letters(self) -> None:
        super()._place_letters()
        for letter in self._letters:
            letter.setAnchor((1.0, 0.0))  # inside its lane

    def _set_table(self) -> None:
        self._table_peak = self._peak
        for image in self._images:
            image.setLookupTable(heat_table(self._theme, self._peak))
        self.key.show_ends("1", short(self._peak))

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Give the ring its share, and hide the colour key where there is no room."""
        super().resizeEvent(event)
        share = int(RING_SHARE * self.width())
        for ring in (self.ring, self.ring_b):
            ring.setFixedWidth(min(max(share, scaled(RING_LEAST)), scaled(RING_MOST)))
        self._show_rings()
        self.key.setVisible(self.width() >= scaled(NARROW))

    def room_beside(self) -> int:
        """Return the width of the ring."""
        return 0 if self.ring.isHidden() else self.ring.minimumWidth()  # also before it is seen

    def _show_rings(self) -> None:
        """Show a ring beside each lane, none where the map would have no room left."""
        room = self.width() >= scaled(RINGLESS)
        self.ring.setVisible(room)
        self.ring_b.setVisible(room and self.comparing)

    def summary_text(self) -> str:
        """Return the ring at the cursor in words."""
        sample = self._at_cursor()
        if sample is None or self._record is None:
            return self.HINT
        counts = sample["occupancy"][: self._heats[0].rows]
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


def names_of(record: RunRecord | None) -> tuple[str, ...]:
    """Return the names of a run's rows, empty for a ring of buckets."""
    return record.algorithm.occupancy if record is not None else ()


def rows_of(record: RunRecord | None) -> int:
    """Return how many rows a run has: its piles, or the buckets of its ring."""
    names = names_of(record)
    if record is None or names:
        return len(names) or BUCKETS
    return int(record.settings.parameters.get("buckets") or BUCKETS)


def row_names(shown: int, rows: int, names: tuple[str, ...]) -> list[tuple[float, str]]:
    """Return (height, name) of the rows that are named, most important first.

    shown : how many of the `rows` are seen
    """
    if names:
        return [(float(row), name) for row, name in enumerate(names)]
    middle = [(float(row), f"+{row}") for row in range(8, shown - 4, 8)]
    return [(0.0, "head"), (float(shown - 1), top_name(shown, rows)), *middle]


def top_name(shown: int, rows: int) -> str:
    """Return what the highest row shown is called: the tail, or its place after the head."""
    return "tail" if shown >= rows else f"+{shown - 1}"


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
