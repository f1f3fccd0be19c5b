"""Buckets: how many vertices wait, in every bucket, over time; and the ring now.

The head bucket is the lowest row, the tail the highest. Colour is the logarithm of the number of
waiting vertices; samples that share a pixel are pooled by their greatest. Beside it, level with
the rows, a bar a bucket at the cursor. Algorithms with piles or a heap have as many rows as those;
of a ring as many rows are shown as ever held anything, in steps of `ROW_STEP`.

Of two runs A is above, B below, with one time axis and one scale of colour.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QResizeEvent
from PyQt6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from gpu.record.trace import BUCKETS
from gpu.words import percent, short, thousands
from viewer.common.colormaps import rgb, stretched
from viewer.common.glossary import explain
from viewer.common.ramp import Ramp
from viewer.common.text_size import scaled, small_font
from viewer.common.theme import THEMES, Theme
from viewer.models.session import RunRecord
from viewer.plots.axes import NameAxis
from viewer.plots.plot_base import PlotPanel
from viewer.plots.series import HEAT_LEVELS, HeatSeries, heat_index

RINGLESS = 300  # pixels below which there is no ring
RING_SHARE = 0.16  # of the panel's width, between the two bounds
RING_LEAST, RING_MOST = 82, 170
LANES = ((1.16, 2.16), (0.0, 1.0))  # bottom and top of A's lane and B's, in the y of a split
ROW_STEP = 8  # rows of a ring come and stay in so many
BORDER, SPLIT_TOP = 1.08, 2.16  # between the rings, and the top of all
QWIDGETSIZE_MAX = 16_777_215  # no limit, in Qt
FOOTER = 18  # pixels below the rows without which there are no words
OPEN_MARK = 3  # pixels: the mark left of a bucket that work is taken from
NUMBER_ROWS = 4  # up to so many rows have their number written out
NUMBER_ROOM = 42  # pixels, at the reference text size, of such a number


@dataclass(frozen=True)
class RingState:
    """The ring at one instant: `counts` integers (rows,), head first."""

    counts: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))
    open_rows: int = 0
    clip_share: float = 0.0
    peak: int = 1  # count of a full bar
    whole: bool = True  # whether the last row is the tail


class RingNow(QWidget):
    """One bar a bucket at the cursor, level with the rows of the heat map beside it.

    Bars are logarithmic, in the colour of their run: A's (place 0) or B's (1). A mark, named
    below, shows buckets that work is taken from; the tail has the colour of the words
    "clipped 12 %" below when it took pushes from past the ring.
    """

    def __init__(self, place: int = 0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._place = place
        self.setToolTip(explain("head", "tail", "open", "clipped"))
        self.state = RingState()
        self._theme = THEMES["light"]
        self._top, self._bottom = 0.0, 1.0
        self.setAccessibleName("The ring of B now" if place else "The ring now")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)

    def show_state(self, state: RingState) -> None:
        """Show the ring at another instant."""
        self.state = state
        self.update()

    def set_rows(self, top: float, bottom: float) -> None:
        """Put the first row's lower edge at `bottom`, the last's upper edge at `top`, pixels."""
        self._top, self._bottom = top, bottom
        self.update()

    def apply_theme(self, theme: Theme) -> None:
        """Recolour."""
        self._theme = theme
        self.update()

    def paintEvent(self, event: Any) -> None:
        """Draw bars, numbers and the line below."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.plot))
        painter.setFont(small_font(painter.font()))
        counts = self.state.counts
        full = max(int(heat_index(np.array(self.state.peak))), 1)
        lengths = np.minimum(heat_index(counts) / full, 1.0)
        height = (self._bottom - self._top) / max(len(counts), 1)
        for row, length in enumerate(lengths.tolist()):
            self._draw_row(painter, row, height, length)
        if self.height() - self._bottom >= scaled(FOOTER):
            self._draw_footer(painter)

    def _draw_row(self, painter: QPainter, row: int, height: float, length: float) -> None:
        theme, state, top = self._theme, self.state, self._bottom - (row + 1) * height
        gap = 1.0 if height > 3 else 0.0
        if row < state.open_rows:
            painter.fillRect(QRectF(0, top, OPEN_MARK, height), QColor(theme.text))
        numbered = len(state.counts) <= NUMBER_ROWS
        room = self.width() - OPEN_MARK - 4
        wide = room - scaled(NUMBER_ROOM) if numbered else room
        bar = QRectF(OPEN_MARK + 1, top, length * wide, max(height - gap, 1.0))
        is_tail = row == len(state.counts) - 1 and state.whole
        clipped = is_tail and state.clip_share > 0
        painter.fillRect(bar, QColor(theme.data.clipped if clipped else theme.runs[self._place]))
        if numbered:
            painter.setPen(QColor(theme.text))
            side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            place = QRectF(OPEN_MARK + 1, top, room, height)
            painter.drawText(place, int(side), short(int(state.counts[row])))

    def _draw_footer(self, painter: QPainter) -> None:
        share = self.state.clip_share
        painter.setPen(QColor(self._theme.data.clipped if share > 0 else self._theme.muted))
        opened = "▌ open" if self.state.open_rows else ""  # what the mark means
        words = f"clipped\n{percent(share)}" if share > 0 else f"now\n{opened}"
        box = QRectF(OPEN_MARK, self._bottom + 4, self.width(), scaled(30))
        painter.drawText(box, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop), words)


class Lane:
    """One run's buckets: their sizes over time, the image, the ring, words where it is empty."""

    def __init__(self, place: int) -> None:
        self.run: RunRecord | None = None
        self.heat = HeatSeries(BUCKETS)
        self.named = 0  # rows that the axis names
        self.image = pg.ImageItem()
        self.image.setLevels((0, HEAT_LEVELS - 1))
        self.idle = pg.TextItem(anchor=(0.5, 0.5))
        self.idle.hide()
        self.ring = RingNow(place)

    def show_run(self, run: RunRecord | None) -> None:
        """Start again with a run."""
        self.run = run
        self.heat = HeatSeries(rows_of(run))
        self.image.setVisible(run is not None)
        self.idle.hide()
        self.ring.show_state(RingState())

    @property
    def rows(self) -> int:
        """How many rows are shown: all piles, or what a ring used."""
        if names_of(self.run):
            return self.heat.rows
        return min(self.heat.rows, max(1, -(-self.heat.used // ROW_STEP)) * ROW_STEP)

    def draw(self, first_ns: float, last_ns: float, columns: int, heights: list[float]) -> None:
        """Draw a window of time between two heights of the plot."""
        bottom, top = heights
        picture = self.heat.image(first_ns, last_ns, columns)[: self.rows]
        if len(picture) == 1:  # pyqtgraph leaves an image of one row out
            picture = np.repeat(picture, 2, axis=0)
        self.image.setImage(picture, autoLevels=False)
        self.image.setRect(QRectF(first_ns, bottom, last_ns - first_ns, top - bottom))
        ended = self.run is not None and not self.run.running and len(self.heat) > 0
        self.idle.setVisible(ended and self.heat.peak == 0)
        self.idle.setPos((first_ns + last_ns) / 2, (bottom + top) / 2)

    def show_ring(self, time_ns: float, peak: int) -> str:
        """Show the ring at a time; return how many vertices wait, in words."""
        sample = self.run.sample_at(time_ns) if self.run is not None else None
        if sample is None or self.run is None:
            return ""
        counts = sample["occupancy"][: self.heat.rows]
        ringed = not names_of(self.run)
        opened = int(sample["open_buckets"]) if ringed else 0
        clipped = float(sample["clip_share"]) if ringed else 0.0
        whole = self.rows == self.heat.rows
        self.ring.show_state(RingState(counts[: self.rows].copy(), opened, clipped, peak, whole))
        return short(int(counts.sum(dtype=np.int64)))


class BucketPanel(PlotPanel):
    """Heat map of bucket sizes over time, and the ring at the cursor."""

    TITLE = "Buckets"
    HINT = "Run it to see how full each bucket is."
    KEY_WIDTH = 280  # its caption is short

    def _make_number_axis(self) -> NameAxis:
        return NameAxis()

    def _build_plot(self) -> None:
        self._lanes = (Lane(0), Lane(1))  # A, and B where two runs are compared
        self.ring = self._lanes[0].ring
        self._table_peak = 0
        rings = QVBoxLayout()
        rings.setSpacing(0)
        for lane in self._lanes:
            self.plot.addItem(lane.image, ignoreBounds=True)
            self.plot.addItem(lane.idle, ignoreBounds=True)
            rings.addWidget(lane.ring, 1)
        self.caption.setText("Vertices waiting")
        self._explain("bucket", "head", "tail")
        self.key = self.key_line = Ramp("Vertices waiting, logarithmic")
        self.header.insertWidget(1, self.key)
        self.row.addLayout(rings)

    def _reset(self, place: int) -> None:
        self._lanes[place].show_run(self._runs[place])
        self._show_rings()
        self._show_rows()

    def _consume(self, place: int, samples: np.ndarray) -> None:
        heat = self._lanes[place].heat
        heat.append(samples["t_ns"], samples["occupancy"][:, : heat.rows])

    def _shown_lanes(self) -> list[tuple[Lane, list[float]]]:
        if self.comparing:
            return [(lane, list(ends)) for lane, ends in zip(self._lanes, LANES, strict=True)]
        return [(self._lanes[0], [-0.5, self._lanes[0].rows - 0.5])]

    def _show_rows(self) -> None:
        placed = []
        for lane, (bottom, top) in self._shown_lanes():
            lane.named = lane.rows
            for row, name in row_names(lane.rows, lane.heat.rows, names_of(lane.run)):
                placed.append((bottom + (top - bottom) * (row + 0.5) / lane.rows, name))
        self.number_axis.set_names(placed)
        low, high = (0.0, SPLIT_TOP) if self.comparing else (-0.5, self._lanes[0].rows - 0.5)
        self.view_box.setYRange(low, high, padding=0)

    def _draw(self, first_ns: float, last_ns: float, columns: int) -> None:
        if self._peak != self._table_peak:
            self._set_table()
        lanes = self._shown_lanes()
        if any(lane.named != lane.rows for lane, _ in lanes):
            self._show_rows()
        for lane, heights in lanes:
            lane.draw(first_ns, last_ns, columns, heights)
            name = f"{'A' if lane is lanes[0][0] else 'B'}: " if self.comparing else ""
            lane.idle.setText(f"{name}no vertex waited at any sample")
        self._place_rings()

    def _place_rings(self) -> None:
        shown = self.view_box.sceneBoundingRect()
        above, high = float(self.view.mapFromScene(shown.topLeft()).y()), shown.height()
        if not self.comparing:
            self.ring.setMinimumHeight(0)
            self.ring.setMaximumHeight(QWIDGETSIZE_MAX)
            self.ring.set_rows(above, above + high)
            return
        border = int(above + high * (1 - BORDER / SPLIT_TOP))
        self.ring.setFixedHeight(border)
        for lane, begins, (bottom, top) in zip(self._lanes, (0, border), LANES, strict=True):
            edges = (above + high * (1 - y / SPLIT_TOP) for y in (top, bottom))
            lane.ring.set_rows(*(edge - begins for edge in edges))

    @property
    def _peak(self) -> int:
        return max(1, *(lane.heat.peak for lane in self._lanes))

    def _show_values(self) -> None:
        self._cursor_words(self._lanes[0].show_ring(self._playback.cursor_ns, self._peak))

    def _pair_values(self) -> tuple[str, str]:
        now = self._playback.cursor_ns
        a, b = (lane.show_ring(now, self._peak) for lane in self._lanes)
        return a, b

    def _colour(self) -> None:
        for lane in self._lanes:
            lane.ring.apply_theme(self._theme)
            lane.idle.setColor(self._theme.muted)
            lane.idle.setFont(small_font(self.font()))
        self.key.set_colours(self._theme.heat)
        self._set_table()

    def _set_table(self) -> None:
        self._table_peak = self._peak
        for lane in self._lanes:
            lane.image.setLookupTable(heat_table(self._theme, self._peak))
        self.key.show_ends("1", short(self._peak))

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Give the ring its share."""
        super().resizeEvent(event)
        share = int(RING_SHARE * self.width())
        for lane in self._lanes:
            lane.ring.setFixedWidth(min(max(share, scaled(RING_LEAST)), scaled(RING_MOST)))
        self._show_rings()

    def room_beside(self) -> int:
        """Return the width of the ring."""
        return 0 if self.ring.isHidden() else self.ring.minimumWidth()  # also before it is seen

    def _show_rings(self) -> None:
        """Show a ring beside each lane, none where the map would have no room left."""
        room = self.width() >= scaled(RINGLESS)
        if room == self.ring.isHidden():
            self.page_turned.emit()  # the plots below leave as much room
        self._lanes[0].ring.setVisible(room)
        self._lanes[1].ring.setVisible(room and self.comparing)

    def summary_text(self) -> str:
        """Return the ring at the cursor in words."""
        record, now = self._record, self._playback.cursor_ns
        sample = record.sample_at(now) if record is not None else None
        if sample is None or record is None:
            return self.HINT
        counts = sample["occupancy"][: self._lanes[0].heat.rows]
        names = record.algorithm.occupancy
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
    top = "tail" if shown >= rows else f"+{shown - 1}"
    return [(0.0, "head"), (float(shown - 1), top), *middle]


def heat_table(theme: Theme, peak: int) -> np.ndarray:
    """Return uint8 (256, 3): plot background for none, then the ramp from 1 up to `peak`."""
    table = np.empty((HEAT_LEVELS, 3))
    table[0] = rgb(theme.plot)
    table[1:] = stretched(theme.heat, 0.0, 1.0, max(int(heat_index(np.array(peak))), 2))
    return table.round().astype(np.uint8)
