"""The page that takes the graph's place while one draws: tools, canvas, one line of words.

The line at the bottom says what is selected, what was just done and what cannot be done; a screen
reader finds it as the description of the canvas.
"""

from __future__ import annotations

from collections.abc import Iterable

from PyQt6.QtCore import QSignalBlocker, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QAction, QKeyEvent
from PyQt6.QtWidgets import QHBoxLayout, QPushButton, QToolBar, QToolButton, QVBoxLayout, QWidget

from viewer.common.small_widgets import choice, packed, wrapped_label
from viewer.common.theme import LIGHT, SPACING, Theme
from viewer.features.draw.canvas import FIRST_EDGE, DrawCanvas
from viewer.features.draw.drawing import DrawingModel
from viewer.features.draw.keys import described

WAYS = {True: "Directed edges", False: "Undirected edges"}


class DrawPage(QWidget):
    """See the module docstring."""

    leave_requested = pyqtSignal()

    def __init__(
        self, model: DrawingModel, theme: Theme = LIGHT, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("draw_page")
        self.setAccessibleName("Draw a graph")
        self.model = model
        self._theme = theme
        self.canvas = DrawCanvas(model, theme)
        self._build()
        self._connect()
        self._show_drawing()

    def _build(self) -> None:
        self.bar = QToolBar("Drawing tools")
        self.bar.setIconSize(QSize(20, 20))
        self.ways = choice(WAYS, True, "Direction of the edges")
        self.words = wrapped_label()
        self.words.setObjectName("draw_words")
        self.leave = QPushButton("Close")
        self.leave.setToolTip("Go back to the graph; the drawing is kept")
        below = QHBoxLayout()
        below.setContentsMargins(SPACING, SPACING // 2, SPACING, SPACING // 2)
        below.addWidget(self.words, 1)
        below.addWidget(self.ways)
        below.addWidget(self.leave)
        column = packed(QVBoxLayout(self), self.bar, spacing=0)
        column.addWidget(self.canvas, 1)
        column.addLayout(below)

    def _connect(self) -> None:
        model = self.model
        self.leave.clicked.connect(self.leave_requested)
        self.ways.activated.connect(lambda row: model.set_directed(list(WAYS)[row]))
        self.canvas.said.connect(self.say)
        self.canvas.refused.connect(lambda words: self.say(words, refused=True))
        model.changed.connect(self._show_drawing)
        model.selection_changed.connect(self._show_selection)

    def fill_bar(self, groups: Iterable[Iterable[QAction]]) -> None:
        """Put actions into the bar of tools, a line between groups."""
        for place, group in enumerate(groups):
            if place:
                self.bar.addSeparator()
            for action in group:
                self.bar.addAction(action)
                button = self.bar.widgetForAction(action)
                if isinstance(button, QToolButton):
                    button.setAccessibleName(action.text().replace("&", ""))

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours and the text size of a theme."""
        self._theme = theme
        self.canvas.apply_theme(theme)
        self._show_selection()

    def say(self, words: str, refused: bool = False) -> None:
        """Say what happened, or what cannot be done and why."""
        self.words.setText(words)
        self.canvas.setAccessibleDescription(words)
        colour = self._theme.error if refused else self._theme.muted
        self.words.setStyleSheet(f"#draw_words {{ color: {colour}; }}")

    def _show_selection(self) -> None:
        model = self.model
        words = described(model.drawing, model.selected_vertices, model.selected_arcs)
        edgeless = model.drawing.vertices and not model.drawing.arcs
        self.say(f"{words}. {FIRST_EDGE}. By keys: C." if edgeless else words)

    def _show_drawing(self) -> None:
        drawing = self.model.drawing
        with QSignalBlocker(self.ways):
            self.ways.setCurrentIndex(list(WAYS).index(drawing.directed))
        self._show_selection()

    def keyPressEvent(self, a0: QKeyEvent | None) -> None:
        """Leave on Escape; stop other keys that nothing here takes: they move the timeline."""
        assert a0 is not None
        if a0.key() == Qt.Key.Key_Escape:
            self.leave_requested.emit()
        a0.accept()
