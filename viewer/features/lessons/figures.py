"""The figures of a step, each with its caption: beside a small one, below a wide one."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from gpu.lessons.figures import Figure
from viewer.common.icons import svg_pixmap
from viewer.common.text_size import scaled
from viewer.common.theme import LIGHT


class Figures(QWidget):
    """A column of figures. `theme` colours those that are shown next."""

    def __init__(self) -> None:
        super().__init__()
        self.theme = LIGHT
        self.shown: tuple[str, list[Figure]] = ("", [])  # name of the theme, figures
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)

    def show_figures(self, figures: Sequence[Figure]) -> None:
        """Show these figures."""
        self.setVisible(bool(figures))
        if self.shown == (self.theme.name, list(figures)):
            return
        self.shown = (self.theme.name, list(figures))
        while (item := self._column.takeAt(0)) is not None:
            part = item.widget()
            if part is not None:
                part.deleteLater()
        for figure in figures:
            self._column.addWidget(self._row(figure))

    def _row(self, figure: Figure) -> QWidget:
        row, picture, caption = QWidget(), QLabel(), QLabel(f"{figure.title}: {figure.words}")
        wide = figure.kind == "plane"
        colour = self.theme.text if wide else self.theme.error
        svg = figure.svg.replace("currentColor", colour)
        picture.setPixmap(svg_pixmap(svg, *map(scaled, figure.size)))
        picture.setAccessibleName(caption.text())
        picture.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        caption.setTextFormat(Qt.TextFormat.PlainText)
        caption.setWordWrap(True)
        across = QBoxLayout.Direction.LeftToRight
        layout = QBoxLayout(QBoxLayout.Direction.TopToBottom if wide else across, row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(caption, 1)
        return row
