"""A ramp of colours between two words: what the colours of a picture mean."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent
from PyQt6.QtWidgets import QSizePolicy, QWidget

LENGTH, HEIGHT, GAP = 40, 8, 4  # pixels: the ramp, and from a word to it


class Ramp(QWidget):
    """Paints "1 ▭▭▭▭ 20k"; it is never narrower."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._low, self._high = "", ""
        self._colours: tuple[str, ...] = ()
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_ends(self, low: str, high: str) -> None:
        """Take the words at both ends."""
        if (low, high) != (self._low, self._high):
            self._low, self._high = low, high
            self.setAccessibleDescription(f"{low} to {high}")
            self.updateGeometry()
            self.update()

    def set_colours(self, colours: Sequence[str]) -> None:
        """Take the colours, "#rrggbb", evenly spaced."""
        self._colours = tuple(colours)
        self.update()

    def sizeHint(self) -> QSize:
        """Return the room of the ramp and of a number at its end."""
        width = self.fontMetrics().horizontalAdvance
        words = width(self._low) + max(width(self._high), width("888k"))
        return QSize(LENGTH + words + 2 * GAP, self.fontMetrics().height() + 2)

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Draw the low end, the ramp and the high end."""
        painter = QPainter(self)
        middle = int(Qt.AlignmentFlag.AlignVCenter)
        painter.setPen(self.palette().color(self.palette().ColorRole.PlaceholderText))
        left = self.fontMetrics().horizontalAdvance(self._low) + GAP
        painter.drawText(self.rect(), middle, self._low)
        ramp = QRectF(left, (self.height() - HEIGHT) / 2, LENGTH, HEIGHT)
        gradient = QLinearGradient(ramp.topLeft(), ramp.topRight())
        for place, colour in enumerate(self._colours):
            gradient.setColorAt(place / max(len(self._colours) - 1, 1), QColor(colour))
        painter.fillRect(ramp, gradient)
        painter.drawText(self.rect().adjusted(left + LENGTH + GAP, 0, 0, 0), middle, self._high)
