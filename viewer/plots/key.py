"""What the signs and colours of a plot mean: one line of words, explained in its tooltip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QPaintEvent
from PyQt6.QtWidgets import QLabel, QSizePolicy, QWidget

from viewer.common.glossary import explain
from viewer.common.text_size import small_font
from viewer.common.theme import Theme


@dataclass(frozen=True)
class Entry:
    """One sign, the word beside it, its colour, and the term of the glossary that explains it.

    colour : a field of `DataColours`, or of `Theme`
    """

    sign: str
    word: str
    colour: str
    term: str


DELTA_KEY = (
    Entry("▲", "raised", "raised", "raised"),
    Entry("▼", "lowered", "lowered", "lowered"),
    Entry("◆", "by hand", "by_hand", "by_hand"),
)
BAND_KEY = (Entry("■", "band", "band", "band"),)
MARKS_KEY = (
    Entry("▬", "starved", "starved", "starved"),
    Entry("○", "peak", "text", "peak"),
    Entry("│", "bucket switch", "muted", "switch"),
)
EVENT_KEY = (
    Entry("▬", "lowers a distance", "improved", "improved"),
    Entry("▬", "lowers nothing", "wasted", "relaxed"),
    Entry("○", "this event", "event", "event"),
)


class Key(QLabel):
    """Entries side by side at the right; nothing is painted where they have no room."""

    def __init__(self, entries: Sequence[Entry], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entries = tuple(entries)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Key: " + ", ".join(entry.word for entry in self.entries))
        words = explain(*(entry.term for entry in self.entries))
        self.setAccessibleDescription(words)
        self.setToolTip(words)

    def minimumSizeHint(self) -> QSize:
        """Return the room of no entry."""
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Paint all entries or none."""
        if self.width() >= self.sizeHint().width():
            super().paintEvent(a0)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours and the text size of a theme."""
        self.setFont(small_font(self.font()))
        parts = []
        for entry in self.entries:
            colour = getattr(theme.data, entry.colour, "") or getattr(theme, entry.colour)
            sign = f'<span style="color:{colour}">{entry.sign}</span>'
            parts.append(f'{sign}&nbsp;<span style="color:{theme.muted}">{entry.word}</span>')
        self.setText("&nbsp;&nbsp; ".join(parts))
