"""What the signs and colours of a plot mean: one line of words, explained in its tooltip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QColor, QPainter, QPaintEvent
from PyQt6.QtWidgets import QSizePolicy, QWidget

from viewer.common.glossary import explain
from viewer.common.text_size import small_font
from viewer.common.theme import LIGHT, Theme

GAP = 4  # pixels between a sign and its word; three of them between two entries


@dataclass(frozen=True)
class Entry:
    """One sign, the word beside it, its field of `DataColours`, its term of the glossary."""

    sign: str
    word: str
    colour: str
    term: str


DELTA_KEY = (
    Entry("▲", "raised", "raised", "raised"),
    Entry("▼", "lowered", "lowered", "lowered"),
    Entry("◆", "by hand", "by_hand", "by_hand"),
)
EVENT_KEY = (
    Entry("▬", "lowers a distance", "improved", "improved"),
    Entry("▬", "lowers nothing", "wasted", "relaxed"),
    Entry("○", "this event", "event", "event"),
)


class Key(QWidget):
    """Entries side by side at the right; nothing is painted where they have no room."""

    def __init__(self, entries: Sequence[Entry], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entries, self._theme = tuple(entries), LIGHT
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Key: " + ", ".join(entry.word for entry in self.entries))
        words = explain(*(entry.term for entry in self.entries))
        self.setAccessibleDescription(words)
        self.setToolTip(words)

    def sizeHint(self) -> QSize:
        """Return the room of all entries."""
        width = self.fontMetrics().horizontalAdvance
        each = [width(entry.sign) + width(entry.word) + 4 * GAP for entry in self.entries]
        return QSize(sum(each), self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        """Return the room of no entry."""
        return QSize(0, self.fontMetrics().height())

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Paint all entries or none."""
        left = self.width() - self.sizeHint().width()
        if left < 0:
            return
        painter, middle = QPainter(self), int(Qt.AlignmentFlag.AlignVCenter)
        for entry in self.entries:
            colour = getattr(self._theme.data, entry.colour)
            for words, ink, gap in (
                (entry.sign, colour, GAP),
                (entry.word, self._theme.muted, 3 * GAP),
            ):
                painter.setPen(QColor(ink))
                painter.drawText(self.rect().adjusted(left, 0, 0, 0), middle, words)
                left += self.fontMetrics().horizontalAdvance(words) + gap

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours and the text size of a theme."""
        self._theme = theme
        self.setFont(small_font(self.font()))
        self.update()
