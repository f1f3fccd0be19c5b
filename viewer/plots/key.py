"""What the signs and colours of a plot mean: one line of words, explained in its tooltip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QLabel, QWidget

from viewer.common.glossary import explain
from viewer.common.text_size import small_font
from viewer.common.theme import Theme


@dataclass(frozen=True)
class Entry:
    """One sign, the word beside it, its colour in the theme, its term of the glossary."""

    sign: str
    word: str
    colour: str
    term: str


DELTA_KEY = (
    Entry("▲", "raised", "raised", "raised"),
    Entry("▼", "lowered", "lowered", "lowered"),
    Entry("◆", "by hand", "by_hand", "by_hand"),
)
BAND_KEY = (Entry("■", "aimed for", "band", "band"),)
EVENT_KEY = (
    Entry("▬", "lowers a distance", "improved", "improved"),
    Entry("▬", "lowers nothing", "wasted", "relaxed"),
    Entry("○", "this event", "event", "event"),
)


class Key(QLabel):
    """Entries side by side at the right."""

    def __init__(self, entries: Sequence[Entry], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entries = tuple(entries)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setAccessibleName("Key: " + ", ".join(entry.word for entry in self.entries))
        words = explain(*(entry.term for entry in self.entries))
        self.setAccessibleDescription(words)
        self.setToolTip(words)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours and the text size of a theme."""
        colours = {**vars(theme), **vars(theme.data)}
        self.setFont(small_font(self.font()))
        self.setText(
            "&nbsp; ".join(
                f'<span style="color:{colours[entry.colour]}">{entry.sign}</span>&nbsp;'
                f'<span style="color:{theme.muted}">{entry.word}</span>'
                for entry in self.entries
            )
        )
