"""A plot that can show a second run upon the first: B's samples, at A's times.

While two runs are compared, every panel reads B's samples in blocks as it reads A's, each sample
at the time of A at which it is shown (`ComparisonModel.clocks`), and draws them into a second set
of items: A in the first data colour, B in the second. A letter stands on each line too, and the
names of both, with their values at the cursor, take the place of the caption. The axis says whose
clock is measured and whose is modelled.
"""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PyQt6.QtGui import QColor, QPen

from gpu.study.compare import ALIGNMENTS
from viewer.common.text_size import small_font, small_pixels
from viewer.models.comparison import ComparisonModel
from viewer.models.session import RunRecord
from viewer.plots.live import SAMPLES_PER_TICK
from viewer.plots.plot_base import PlotPanel
from viewer.plots.plot_items import Legend

LETTERS = ("A", "B")


class PairPlot(PlotPanel):
    """Base of plots that overlay a second run; see the module docstring.

    A child fills, beside those of PlotPanel, `_reset_b`, `_consume_b` and `_pair_values`,
    and draws B wherever `self._b` is a run.
    """

    _pair: ComparisonModel | None = None
    _b: RunRecord | None = None
    _b_consumed = 0
    letter_cover = 150  # of 255: how far a letter's ground hides the curve under it

    # ---- for children -----------------------------------------------------------------

    def _reset_b(self, record: RunRecord | None) -> None:
        """Forget B's data; `record` is what will be shown."""

    def _consume_b(self, times_ns: np.ndarray, samples: np.ndarray) -> None:
        """Take over B's next samples (k,), to be shown at float64 times (k,) of A's clock."""

    def _pair_values(self) -> tuple[str, str]:
        """Return the values of A and B at the cursor."""
        return "", ""

    def _pen_of(self, place: int) -> QPen:
        """Return the pen of A's line (0) or B's (1)."""
        return self._line_pen(self._theme.runs[place])

    def _show_letter(self, place: int, x: float, y: float) -> None:
        """Say where the letter of a line is best seen; not finite hides it."""
        self._letter_places[place] = (x, y)

    def _letter_at_peak(self, place: int, x: np.ndarray, y: np.ndarray) -> None:
        """Put the letter on the greatest value of a line."""
        if len(x):
            peak = int(np.argmax(y))
            self._show_letter(place, float(x[peak]), float(y[peak]))
        else:
            self._show_letter(place, np.nan, np.nan)

    # ---- public -----------------------------------------------------------------------

    def set_comparison(self, pair: ComparisonModel) -> None:
        """Follow a comparison from now on."""
        self._pair = pair
        pair.pair_changed.connect(self._show_pair)
        pair.clocks_changed.connect(self._show_clocks)
        self._show_pair()

    @property
    def comparing(self) -> bool:
        """Whether a second run is shown."""
        return self._b is not None

    # ---- construction -----------------------------------------------------------------

    def _build(self) -> None:
        self._letter_places = [(np.nan, np.nan)] * len(LETTERS)
        self._letters = tuple(pg.TextItem(letter, anchor=(0.5, 1.0)) for letter in LETTERS)
        super()._build()
        for letter in self._letters:
            letter.setZValue(60)
            letter.hide()
            self.plot.addItem(letter, ignoreBounds=True)
        self.pair_legend = Legend(LETTERS)
        self.pair_legend.setAccessibleName("The two runs at the cursor")
        self.pair_legend.hide()
        self.header.insertWidget(0, self.pair_legend, 1)

    # ---- slots ------------------------------------------------------------------------

    def _show_pair(self) -> None:
        if self._pair is None:
            return
        self._b = self._pair.b
        self.pair_legend.setVisible(self.comparing)
        self.pair_legend.setToolTip(f"{self.caption.text()}\n\n{self.caption.detail}")
        self.caption.setVisible(not self.comparing)
        self.value.setVisible(not self.comparing)
        self._show_clocks()
        self._colour()
        self._show_hint()
        if not self.comparing:
            for letter in self._letters:
                letter.hide()

    def _show_clocks(self) -> None:
        self._b_consumed = 0
        self._reset_b(self._b)
        self._show_clock_words()
        self._mark_dirty()

    def _show_clock_words(self) -> None:
        if self._record is None:
            return
        words = self._record.clock_words
        if self._pair is not None and self._b is not None:
            if self._pair.how != "time" and not self._pair.problem:
                words = f"{words}; B by {ALIGNMENTS[self._pair.how]}"
            elif self._b.clock != self._record.clock:
                words = f"A {self._record.clock_words}, B {self._b.clock_words}"
        self.time_axis.set_clock(words)

    def _show_run(self, record: RunRecord | None) -> None:
        super()._show_run(record)
        self._show_clock_words()

    def _show_change(self, record: RunRecord) -> None:
        super()._show_change(record)
        self._show_clock_words()
        if record is self._b:
            self._colour()
            self._mark_dirty()

    def _show_growth(self, record: RunRecord, first: int, last: int) -> None:
        super()._show_growth(record, first, last)
        if record is self._b:
            if first < self._b_consumed:
                self._show_clocks()
            self._mark_dirty()

    # ---- drawing ----------------------------------------------------------------------

    def _behind(self) -> bool:
        return super()._behind() or self._b_behind()

    def _b_behind(self) -> bool:
        return self._b is not None and self._b_consumed < len(self._b.samples)

    def _take_block(self) -> None:
        if super()._behind():
            super()._take_block()
        elif self._b is not None and self._pair is not None:
            block = self._b.samples[self._b_consumed : self._b_consumed + SAMPLES_PER_TICK]
            self._b_consumed += len(block)
            self._consume_b(self._pair.clocks.to_a(block["t_ns"]), block)

    def _draw_data(self) -> None:
        super()._draw_data()
        if self.comparing and self._pair is not None:
            a, b = self._pair.names
            whole = (f"A {a.removeprefix('A ')}", f"B {b.removeprefix('B ')}")
            self.pair_legend.set_names(whole)
            self.pair_legend.set_pens([self._pen_of(0), self._pen_of(1)])
            self._place_letters()

    def _place_letters(self) -> None:
        """Put each letter above its place, or below where the plot ends above it."""
        (first, last), (low, high) = self.view_box.viewRange()
        font = small_font(self.font(), more=1)
        font.setBold(True)
        room = 2 * small_pixels() * (high - low) / max(self.view_box.height(), 1.0)
        ground, places = QColor(self._theme.plot), self._apart(room, 3 * small_pixels())
        for place, letter in enumerate(self._letters):
            x, y = places[place]
            letter.setVisible(bool(np.isfinite(x + y)))
            if letter.isVisible():
                letter.setFont(font)
                letter.setColor(self._theme.runs[place])
                letter.fill = pg.mkBrush(QColor(*ground.getRgb()[:3], self.letter_cover))
                edge = 0.02 * (last - first)
                side = 1.0 if x > last - edge else 0.0 if x < first + edge else 0.5
                letter.setAnchor((side, 0.0 if y + room > high else 1.0))
                letter.setPos(x, y)

    def _apart(self, room: float, pixels: float) -> list[tuple[float, float]]:
        """Return the letters' places, A's beside B's where they would stand on each other.

        room, pixels : a letter's height in the plot's units, the room of one beside another, pixels
        """
        (a_x, a_y), b = self._letter_places
        first, last = self.view_box.viewRange()[0]
        wide = pixels * (last - first) / max(self.view_box.width(), 1.0)
        if abs(a_x - b[0]) < wide and abs(a_y - b[1]) < room:
            a_x = b[0] - wide if b[0] - wide > first else b[0] + wide
        return [(a_x, a_y), b]

    def _draw_cursor(self) -> None:
        super()._draw_cursor()
        if self.comparing:
            self.pair_legend.set_values(list(self._pair_values()))

    @property
    def _b_end_ns(self) -> float:
        """When, on A's clock, B's newest sample is."""
        if self._b is None or self._pair is None or not len(self._b.samples):
            return 0.0
        return float(self._pair.clocks.to_a(float(self._b.samples["t_ns"][-1])))
