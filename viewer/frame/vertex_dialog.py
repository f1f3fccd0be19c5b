"""Asks for a vertex by its name: what is done by keys where a mouse would point."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QInputDialog, QWidget

from gpu.errors import GpuError
from viewer.models.session import Notice, SessionModel


def ask_vertex(
    session: SessionModel, title: str, then: Callable[[int], object], parent: QWidget
) -> None:
    """Call `then` with the index of the vertex of that name; say where there is none."""

    def take(name: str) -> None:
        graph = session.graph
        try:
            vertex = graph.vertex_of(name.strip()) if graph is not None else None
        except GpuError as error:
            session.set_notice(Notice("warning", f"{error}."))
            return
        if vertex is not None:
            then(vertex)

    dialog = QInputDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(title)
    dialog.setLabelText("Vertex, as the graph calls it")
    dialog.textValueSelected.connect(take)
    dialog.open()
