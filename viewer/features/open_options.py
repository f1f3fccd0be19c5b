"""Reopen with options: a dialog for direction and weights, and offers in the bar.

A file whose weights have names, none of them a usual one, is opened with weight 1 everywhere; the
bar says so and offers the dialog.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLineEdit, QWidget

from gpu.formats.build import RANDOM_WEIGHTS
from gpu.formats.exchange import UNNAMED
from gpu.formats.reading import RANDOM_SEED
from gpu.graph import CSRGraph
from gpu.record.workspace import reader_options
from viewer.common.elided import ElidedLabel
from viewer.common.small_widgets import choice
from viewer.feature import FeaturePart, Window
from viewer.models.open_choices import DIRECTIONS, WEIGHTS, OpenRequest, unnamed

USUAL_WIDTH = 440  # pixels
NAMELESS = {"unit", "random"}  # weights that are not the file's


class OpenDialog(QDialog):
    """Chooses options of `gpu.load_graph`; `options` are chosen at first."""

    chosen = pyqtSignal(object)  # dict, only what is not usual

    def __init__(self, path: str, options: dict[str, Any], parent: QWidget) -> None:
        super().__init__(parent)
        self._header = options.get("header")
        self.setWindowTitle("Open with options")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.file = ElidedLabel(Path(path).name, "strong")
        self.file.detail = path
        self.direction = choice(DIRECTIONS, options.get("undirected"), "Direction")
        numbers = {"low": 1, "high": RANDOM_WEIGHTS, "seed": RANDOM_SEED}
        titles = {key: title.format(**numbers) for key, title in WEIGHTS.items()}
        self.weights = choice(titles, options.get("weights", "file"), "Weights")
        self.name = QLineEdit(str(options.get("weight_name") or ""))
        self.name.setPlaceholderText("the usual one, where weights have names")
        self.name.setAccessibleName("Weight name")
        kinds = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(kinds.Open | kinds.Cancel)
        form = QFormLayout(self)
        form.addRow("File", self.file)
        form.addRow("&Direction", self.direction)
        form.addRow("&Weights", self.weights)
        form.addRow("Weight &name", self.name)
        form.addRow(self.buttons)
        self.resize(USUAL_WIDTH, self.sizeHint().height())
        self.weights.currentIndexChanged.connect(self._enable)
        self.buttons.accepted.connect(self._accept)
        self.buttons.rejected.connect(self.reject)
        self._enable()

    def options(self) -> dict[str, Any]:
        """Return what is chosen now, without what is usual."""
        named = self.weights.currentData() not in NAMELESS
        chosen = {
            "undirected": self.direction.currentData(),
            "weights": self.weights.currentData(),
            "weight_name": self.name.text().strip() if named else "",
            "header": self._header,
        }
        return {key: value for key, value in chosen.items() if value not in (None, "", "file")}

    def _enable(self) -> None:
        self.name.setEnabled(self.weights.currentData() not in NAMELESS)

    def _accept(self) -> None:
        options = self.options()
        self.accept()
        self.chosen.emit(options)


class OpenOptionsFeature(FeaturePart):
    """Asks how to read a file; see the module docstring."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        window.notice_bar.offer_taken.connect(self._take)
        window.controller.file_opened.connect(self._check_names)

    def needs(self) -> dict[str, bool]:
        """Return whether the graph shown can be read again."""
        return {"graph_file": read_from_file(self._window.session.graph)}

    def ask_reopen(self) -> None:
        """Ask how to read the graph that is open; the dialog shows how it was read."""
        graph = self._window.session.graph
        if graph is not None and read_from_file(graph):
            self._ask(graph.provenance.origin, reader_options(graph.provenance.options))

    def _ask(self, path: str, options: dict[str, Any]) -> None:
        dialog = OpenDialog(path, reader_options(options), self._window.as_widget())
        dialog.chosen.connect(lambda chosen: self._window.open_path(path, chosen))
        dialog.open()

    def _take(self, what: object) -> None:
        if isinstance(what, OpenRequest) and what.ask:
            self._ask(what.path, what.options)
        elif isinstance(what, OpenRequest):
            self._window.open_path(what.path, what.options)

    def _check_names(self, path: str, options: dict[str, Any] | None = None) -> None:
        """Say so where a file names its weights and the reader took none of them."""
        graph = self._window.session.graph
        notes = graph.provenance.notes if graph is not None else ()
        words = next((note for note in notes if note.startswith(UNNAMED)), "")
        if words:
            self._window.session.set_notice(unnamed(path, reader_options(options), words))


def read_from_file(graph: CSRGraph | None) -> bool:
    """Return whether a reader made this graph, of a file that can be read again."""
    from gpu.formats import READERS

    return graph is not None and graph.provenance.format in READERS


install = OpenOptionsFeature
