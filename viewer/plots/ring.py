"""The ring at the cursor, painted beside the bucket heat map."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from PyQt6.QtCore import QRectF, Qt
from PyQt6.QtGui import QColor, QPainter
from PyQt6.QtWidgets import QSizePolicy, QWidget

from gpu.words import percent, short
from viewer.common.glossary import explain
from viewer.common.text_size import scaled, small_font
from viewer.common.theme import THEMES, Theme
from viewer.plots.series import heat_index

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
        full = max(int(heat_index_of(self.state.peak)), 1)
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


def heat_index_of(count: int) -> int:
    """Return the table index of one count."""
    return int(heat_index(np.array([count]))[0])
