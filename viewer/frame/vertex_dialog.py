"""Asks for a line of text, or for a vertex by its name: by keys where a mouse would point."""

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

    ask_text(title, "Vertex, as the graph calls it", take, parent)


def ask_text(
    title: str, words: str, then: Callable[[str], object], parent: QWidget, text: str = ""
) -> QInputDialog:
    """Open a dialog with a field, and call `then` with what is typed; return the dialog."""
    dialog = QInputDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(title)
    dialog.setLabelText(words)
    dialog.setTextValue(text)
    dialog.textValueSelected.connect(then)
    dialog.open()
    return dialog
