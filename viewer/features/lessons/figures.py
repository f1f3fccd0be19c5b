"""The figures of a step: the caption stands beside a small one, below a wide one."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QGridLayout, QLabel, QWidget

from gpu.lessons.figures import SIDE, WIDE, Figure
from viewer.common.icons import svg_pixmap
from viewer.common.small_widgets import label, packed
from viewer.common.text_size import scaled
from viewer.common.theme import LIGHT


class Figures(QWidget):
    """A column of figures. `theme` colours those that are shown next."""

    def __init__(self) -> None:
        super().__init__()
        self.theme = LIGHT
        self._shown: tuple[str, list[Figure]] = ("", [])  # name of the theme, figures
        self._grid = packed(QGridLayout(self))
        self._grid.setColumnStretch(1, 1)

    def show_figures(self, figures: Sequence[Figure]) -> None:
        """Show these figures."""
        self.setVisible(bool(figures))
        if self._shown == (self.theme.name, list(figures)):
            return
        self._shown = (self.theme.name, list(figures))
        while (item := self._grid.takeAt(0)) is not None:
            part = item.widget()
            if part is not None:
                part.deleteLater()
        for row, figure in enumerate(figures):
            self._add(2 * row, figure)

    def _add(self, row: int, figure: Figure) -> None:
        caption, picture = label(f"{figure.title}: {figure.words}"), QLabel()
        wide = figure.kind == "plane"
        colour = self.theme.text if wide else self.theme.error
        svg = figure.svg.replace("currentColor", colour)
        picture.setPixmap(svg_pixmap(svg, scaled(WIDE if wide else SIDE)))
        picture.setAccessibleName(caption.text())
        self._grid.addWidget(picture, row, 0, 1, 2 if wide else 1, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(caption, row + wide, 0 if wide else 1, 1, 2 if wide else 1)
