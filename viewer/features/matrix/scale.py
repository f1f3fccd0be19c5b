"""The legend of the matrix: a ramp of distances, unreached, states of sources."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QWidget

from gpu.words import short
from viewer.common.colormaps import table_for
from viewer.common.ramp import Ramp
from viewer.common.small_widgets import packed
from viewer.common.text_size import small_font
from viewer.common.theme import THEMES, Theme
from viewer.features.matrix.canvas import state_colours
from viewer.models.matrix import STATE_NAMES

STOPS = 16  # of the colour map, on the ramp


class MatrixScale(QWidget):
    """Shows where the colour map ends and what single colours mean."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme: Theme = THEMES["light"]
        self.setAccessibleName("Legend of the matrix")
        self.ramp = Ramp("Distance, weight units")
        self.words = QLabel()
        self.words.setTextFormat(Qt.TextFormat.RichText)
        self.words.setWordWrap(True)
        packed(QHBoxLayout(self), QLabel("distance"), self.ramp).addWidget(self.words, 1)
        self.apply_theme(self._theme)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        table = table_for("distance", theme)
        places = range(1, 256, 254 // (STOPS - 1))
        self.ramp.set_colours([QColor(*table[place].tolist()).name() for place in places])
        self.words.setFont(small_font(self.font()))
        self._show_words()

    def show_top(self, top: float, further: bool = False) -> None:
        """End the ramp at a distance; `further`: larger ones share its last colour."""
        self.ramp.show_ends("0", f"{'≥ ' if further else ''}{short(top)}")
        self.setAccessibleDescription(f"Distance, weight units, 0 to {short(top)}")

    def _show_words(self) -> None:
        theme = self._theme
        states = zip(STATE_NAMES, state_colours(theme), strict=True)
        unreached = QColor(*table_for("distance", theme)[0].tolist()).name()
        signs = [("unreached", unreached), *states]
        parts = [
            f'<span style="color:{colour}">■</span>&nbsp;'
            f'<span style="color:{theme.muted}">{name}</span>'
            for name, colour in signs
        ]
        self.words.setText("&nbsp; ".join(parts))
