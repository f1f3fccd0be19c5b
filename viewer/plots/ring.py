"""The ring at the cursor, painted beside the bucket heat map."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from PyQt6.QtCore import QRectF, Qt
from PyQt6.QtGui import QColor, QFontMetrics, QPainter
from PyQt6.QtWidgets import QSizePolicy, QWidget

from gpu.words import percent, short
from viewer.common.glossary import explain
from viewer.common.text_size import scaled, small_font, small_pixels
from viewer.common.theme import THEMES, Theme
from viewer.plots.series import heat_index

LABEL_ROOM = 30  # pixels, at the reference text size, right of the bars for "head" and "tail"
FOOTER = 18  # pixels below the rows without which there is no "now"
OPEN_MARK = 3  # pixels: the mark left of a bucket that work is taken from
OPEN = "▌ open"  # below the rows: what the mark means
NUMBER_ROWS = 4  # up to so many rows have their number written out
NUMBER_GAP = 8  # pixels between the longest bar and the widest number, and right of that


@dataclass(frozen=True)
class RingState:
    """The ring at one instant: `counts` integers (rows,), head first."""

    counts: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))
    open_rows: int = 0
    clip_share: float = 0.0
    peak: int = 1  # count of a full bar


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
        self._state = RingState()
        self._theme = THEMES["light"]
        self._top, self._bottom = 0.0, 1.0
        self.labels: tuple[str, str] = ("head", "tail")
        self.setAccessibleName("The ring now")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)

    @property
    def state(self) -> RingState:
        """What is shown."""
        return self._state

    def show_state(self, state: RingState) -> None:
        """Show the ring at another instant."""
        self._state = state
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
        """Draw bars, labels and the line below."""
        painter, theme = QPainter(self), self._theme
        painter.fillRect(self.rect(), QColor(theme.plot))
        painter.setFont(small_font(painter.font()))
        rows = len(self._state.counts)
        if rows:
            height = (self._bottom - self._top) / rows
            lengths = heat_index(self._state.counts) / max(int(heat_index_of(self._state.peak)), 1)
            for row in range(rows):
                self._draw_row(painter, row, height, float(lengths[row]))
            self._draw_labels(painter, height)
        if self.height() - self._bottom >= scaled(FOOTER):
            self._draw_footer(painter)

    def _draw_row(self, painter: QPainter, row: int, height: float, length: float) -> None:
        theme, top = self._theme, self._bottom - (row + 1) * height
        gap = 1.0 if height > 3 else 0.0
        is_open = row < self._state.open_rows
        if is_open:
            painter.fillRect(QRectF(0, top, OPEN_MARK, height), QColor(theme.text))
        room = self.bar_room(painter.fontMetrics())
        bar = QRectF(OPEN_MARK + 1, top, min(length, 1.0) * room, max(height - gap, 1.0))
        is_tail = row == len(self._state.counts) - 1 and self.labels[1] == "tail"
        colour = theme.runs[self._place]
        if is_tail and self._state.clip_share > 0:
            colour = theme.data.clipped
        painter.fillRect(bar, QColor(colour))
        if len(self._state.counts) <= NUMBER_ROWS:
            painter.setPen(QColor(theme.text))
            place = QRectF(OPEN_MARK + 1, top, self.width() - OPEN_MARK - 4, height)
            side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(place, int(side), short(int(self._state.counts[row])))

    def bar_room(self, metrics: QFontMetrics) -> int:
        """Return how long a bar may be, pixels: beside it stand its number or the ring's labels."""
        beside, counts = scaled(LABEL_ROOM), self._state.counts
        if len(counts) <= NUMBER_ROWS:
            widest = max(metrics.horizontalAdvance(short(int(count))) for count in counts)
            beside = max(beside, widest + NUMBER_GAP)
        return self.width() - beside - OPEN_MARK - 2

    def _draw_labels(self, painter: QPainter, height: float) -> None:
        if len(self._state.counts) <= NUMBER_ROWS:
            return
        painter.setPen(QColor(self._theme.muted))
        left, line = self.width() - scaled(LABEL_ROOM) + 2, small_pixels() + 3
        top = max(self._top + height / 2 - line / 2, 0.0)
        bottom = self._bottom - max(height / 2 + line / 2, line)  # not into the ring below
        for text, at in ((self.labels[1], top), (self.labels[0], bottom)):
            if text == self.labels[1] and at + line > bottom:
                continue
            place = QRectF(left, at, scaled(LABEL_ROOM), line)
            painter.drawText(place, int(Qt.AlignmentFlag.AlignVCenter), text)

    def _draw_footer(self, painter: QPainter) -> None:
        share = self._state.clip_share
        clipped = share > 0
        painter.setPen(QColor(self._theme.data.clipped if clipped else self._theme.muted))
        opened = OPEN if self._state.open_rows else ""
        lines = ("clipped", percent(share)) if clipped else ("now", opened)
        for place, text in enumerate(lines):
            box = QRectF(OPEN_MARK, self._bottom + 4 + place * scaled(15), self.width(), scaled(14))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignLeft), text)


def heat_index_of(count: int) -> int:
    """Return the table index of one count."""
    return int(heat_index(np.array([count]))[0])
