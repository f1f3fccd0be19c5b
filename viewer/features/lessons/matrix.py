"""The wrong entries of a faulty listing: a row for each source, a column for each vertex."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor, QImage, QPixmap
from PyQt6.QtWidgets import QGridLayout, QLabel, QWidget

from viewer.common.text_size import scaled
from viewer.common.theme import LIGHT, Theme

SIDE = 100  # of a square, pixels at the reference text size
TIP = "A row for each source, a column for each vertex; wrong entries are red"


class WrongMatrices(QWidget):
    """Squares, two in a row, each with its name and count below."""

    def __init__(self) -> None:
        super().__init__()
        self.theme = LIGHT
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(2, 1)
        self._shown: list[tuple[str, int]] = []

    def show_runs(self, runs: Sequence[tuple[str, np.ndarray]]) -> None:
        """Show these runs: name, and bool (sources, vertices), true where the entry is wrong."""
        self.setVisible(bool(runs))
        names = [(f"{title} {self.theme.name}", int(wrong.sum())) for title, wrong in runs]
        if names == self._shown:
            return
        self._shown = names
        while (item := self._grid.takeAt(0)) is not None:
            part = item.widget()
            if part is not None:
                part.deleteLater()
        for place, (title, wrong) in enumerate(runs):
            words = f"{title}\n{int(wrong.sum())} of {wrong.size} wrong"
            row, column = divmod(place, 2)
            self._grid.addWidget(_square(wrong, words, self.theme), 2 * row, column)
            below = QLabel(words)
            below.setWordWrap(True)
            self._grid.addWidget(below, 2 * row + 1, column)


def _square(wrong: np.ndarray, words: str, theme: Theme) -> QLabel:
    image = QImage(wrong.shape[1], wrong.shape[0], QImage.Format.Format_RGB32)
    image.fill(QColor(theme.border))
    for row, column in np.argwhere(wrong).tolist():
        image.setPixelColor(column, row, QColor(theme.error))
    square = QLabel()
    side, sharp = scaled(SIDE), Qt.TransformationMode.FastTransformation
    square.setPixmap(QPixmap.fromImage(image.scaled(side, side, transformMode=sharp)))
    square.setToolTip(TIP)
    square.setAccessibleName(f"Wrong entries, a row for each source: {words}")
    return square
