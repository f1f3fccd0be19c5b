"""Asks for a vertex by its name: what is done by keys where a mouse would point."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.words import SENTENCE, in_sight
from viewer.common.small_widgets import wrapped_label
from viewer.common.theme import SPACING


class VertexDialog(QDialog):
    """A field for the file's own name of a vertex; `then` is called with its index."""

    def __init__(
        self, graph: CSRGraph, title: str, then: Callable[[int], object], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._graph, self._then = graph, then
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        label = QLabel("&Vertex, as the graph calls it")
        self.field = QLineEdit()
        self.field.setAccessibleName("Vertex")
        label.setBuddy(self.field)
        self.problem = wrapped_label()
        kinds = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel)
        column = QVBoxLayout(self)
        column.setSpacing(SPACING)
        for part in (label, self.field, self.problem, buttons):
            column.addWidget(part)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)

    def accept(self) -> None:
        """Take the vertex, or say why there is none of that name."""
        try:
            vertex = self._graph.vertex_of(self.field.text().strip())
        except GpuError as error:
            self.problem.setText(f"{in_sight(str(error), SENTENCE)}.")
            return
        super().accept()
        self._then(vertex)
