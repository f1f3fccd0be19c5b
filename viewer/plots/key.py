"""What the signs and colours of a plot mean: a line of words, each explained under the pointer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PyQt6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QFontMetrics, QHelpEvent, QPainter, QPaintEvent, QPolygonF
from PyQt6.QtWidgets import QSizePolicy, QToolTip, QWidget

from viewer.common.glossary import explain
from viewer.common.text_size import small_font
from viewer.common.theme import THEMES, Theme

SIGN, GAP, APART = 9, 4, 10  # pixels: a sign, the room after it, between two entries
SHAPES: dict[str, tuple[tuple[float, float], ...]] = {  # corners in a square of side 1
    "▲": ((0, 1), (0.5, 0), (1, 1)),
    "▼": ((0, 0), (1, 0), (0.5, 1)),
    "◆": ((0, 0.5), (0.5, 0), (1, 0.5), (0.5, 1)),
    "■": ((0, 0), (1, 0), (1, 1), (0, 1)),
    "▬": ((0, 0.3), (1, 0.3), (1, 0.7), (0, 0.7)),
    "│": ((0.4, 0), (0.6, 0), (0.6, 1), (0.4, 1)),
}


@dataclass(frozen=True)
class Entry:
    """One sign: its shape, the word beside it, whose colour it has, the term that explains it.

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


class Key(QWidget):
    """Entries side by side at the right; those that do not fit are left out, the last first."""

    def __init__(self, entries: Sequence[Entry], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entries = tuple(entries)
        self._theme = THEMES["light"]
        self.setAccessibleName("Key: " + ", ".join(entry.word for entry in self.entries))
        self.setAccessibleDescription(explain(*(entry.term for entry in self.entries)))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return the room of all entries."""
        metrics = self._metrics()
        return QSize(sum(_width(metrics, entry) for entry in self.entries), metrics.height() + 2)

    def minimumSizeHint(self) -> QSize:
        """Return the room of none."""
        return QSize(0, self._metrics().height() + 2)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        self.updateGeometry()
        self.update()

    def places(self) -> list[tuple[QRect, Entry]]:
        """Return where the entries that fit are, pixels."""
        metrics, room = self._metrics(), self.width()
        shown = list(self.entries)
        while shown and sum(_width(metrics, entry) for entry in shown) > room:
            shown.pop()
        left = room - sum(_width(metrics, entry) for entry in shown)
        found = []
        for entry in shown:
            width = _width(metrics, entry)
            found.append((QRect(left, 0, width, self.height()), entry))
            left += width
        return found

    def words_at(self, place: QPoint) -> str:
        """Return the sentences of the entry at a place, "" where there is none."""
        return next((explain(one.term) for box, one in self.places() if box.contains(place)), "")

    def event(self, a0: QEvent | None) -> bool:
        """Explain the entry under the pointer."""
        if isinstance(a0, QHelpEvent) and a0.type() == QEvent.Type.ToolTip:
            QToolTip.showText(a0.globalPos(), self.words_at(a0.pos()), self)
            return True
        return super().event(a0)

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Draw signs and words."""
        painter, theme = QPainter(self), self._theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(small_font(self.font()))
        for box, entry in self.places():
            left, top = box.left() + APART, (self.height() - SIGN) / 2
            tint = QColor(getattr(theme.data, entry.colour, "") or getattr(theme, entry.colour))
            painter.setPen(QColor(theme.border) if entry.colour == "band" else tint)
            painter.setBrush(tint if entry.sign in SHAPES else Qt.BrushStyle.NoBrush)
            if entry.sign in SHAPES:
                corners = [QPointF(left + SIGN * x, top + SIGN * y) for x, y in SHAPES[entry.sign]]
                painter.drawPolygon(QPolygonF(corners))
            else:
                painter.drawEllipse(QRectF(left + 1, top + 1, SIGN - 2, SIGN - 2))
            painter.setPen(QColor(theme.muted))
            words = box.adjusted(APART + SIGN + GAP, 0, 0, 0)
            painter.drawText(words, int(Qt.AlignmentFlag.AlignVCenter), entry.word)

    def _metrics(self) -> QFontMetrics:
        return QFontMetrics(small_font(self.font()))


def _width(metrics: QFontMetrics, entry: Entry) -> int:
    return APART + SIGN + GAP + metrics.horizontalAdvance(entry.word)
