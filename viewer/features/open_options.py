"""Open a file with options: a dialog for direction and weights, and offers in the bar.

The beginning of the file is read in the background (`gpu.formats.peek`): the dialog opens at once
and is filled when that is done. It reads nothing itself. A file whose weights have names, none of
them a usual one, is opened with weight 1 everywhere; the bar says so.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QIcon
from PyQt6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from gpu.errors import GpuError
from gpu.formats.build import RANDOM_WEIGHTS
from gpu.formats.exchange import UNNAMED
from gpu.formats.reading import RANDOM_SEED
from gpu.graph import CSRGraph
from gpu.record.workspace import reader_options
from viewer.common.background import Task
from viewer.common.elided import ElidedLabel
from viewer.common.small_widgets import choice
from viewer.common.theme import SPACING
from viewer.feature import FeaturePart, Window
from viewer.frame.file_dialogs import open_filters
from viewer.models.open_choices import (
    DIRECTIONS,
    WEIGHTS,
    OpenRequest,
    known_options,
    unnamed,
)

if TYPE_CHECKING:
    from gpu.formats.reading import Format

LOOKING = "Looking at the file…"
USUAL_WIDTH = 440  # pixels
NAMELESS = {"unit", "random"}  # weights that are not the file's
Seen = Callable[["Format | None", str], None]  # the look, or why there is none


class OpenDialog(QDialog):
    """Chooses options of `gpu.load_graph`; see the module docstring."""

    chosen = pyqtSignal(object)  # dict, only what is not usual

    def __init__(
        self,
        path: str,
        options: dict[str, Any],
        again: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """options : chosen at first; again : the graph is open already."""
        super().__init__(parent)
        self._header = options.get("header")
        self.setWindowTitle("Reopen with options" if again else "Open with options")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._build(path, options, "Re&open" if again else "&Open")
        self.weights.currentIndexChanged.connect(self._enable)
        self.buttons.accepted.connect(self._accept)
        self.buttons.rejected.connect(self.reject)
        self._enable()

    def _build(self, path: str, options: dict[str, Any], word: str) -> None:
        self.file = ElidedLabel(Path(path).name, "strong", Qt.TextElideMode.ElideMiddle)
        self.file.detail = path
        self.file.setAccessibleName("File")
        self.format = QLabel(LOOKING)
        self.format.setWordWrap(True)
        self.format.setTextFormat(Qt.TextFormat.PlainText)
        self.format.setAccessibleName("Format")
        self.direction = choice(DIRECTIONS, options.get("undirected"), "Direction")
        numbers = {"low": 1, "high": RANDOM_WEIGHTS, "seed": RANDOM_SEED}
        titles = {key: title.format(**numbers) for key, title in WEIGHTS.items()}
        self.weights = choice(titles, options.get("weights", "file"), "Weights")
        self.name = QLineEdit(str(options.get("weight_name") or ""))
        self.name.setPlaceholderText("the usual one")
        self.name.setAccessibleName("Weight name")
        self.form = QFormLayout()
        self.form.setSpacing(SPACING)
        self.form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self.form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for title, field in (
            ("File", self.file),
            ("Format", self.format),
            ("&Direction", self.direction),
            ("&Weights", self.weights),
            ("Weight &name", self.name),
        ):
            self.form.addRow(title, field)
        self.form.setRowVisible(self.name, False)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        button = self.buttons.addButton(word, QDialogButtonBox.ButtonRole.AcceptRole)
        assert button is not None
        self.open_button = button
        button.setProperty("role", "primary")
        button.setDefault(True)
        for any_button in self.buttons.buttons():
            any_button.setIcon(QIcon())
        column = QVBoxLayout(self)
        column.setContentsMargins(*([2 * SPACING] * 4))
        column.setSpacing(2 * SPACING)
        column.addLayout(self.form)
        column.addWidget(self.buttons)
        self.resize(USUAL_WIDTH, self.sizeHint().height())
        self.direction.setFocus()

    def show_file(self, peek: Format | None, problem: str = "") -> None:
        """Show what the beginning of the file tells, or why it cannot be read."""
        if peek is None:
            self.format.setText(problem)
            for part in (self.direction, self.weights, self.open_button):
                part.setEnabled(False)
            return
        self.format.setText(peek.title)
        self.form.setRowVisible(self.name, peek.named_weights)
        if not peek.named_weights:
            self.name.clear()
        self._enable()
        self.resize(USUAL_WIDTH, self.sizeHint().height())

    def options(self) -> dict[str, Any]:
        """Return what is chosen now, without what is usual."""
        chosen = {
            "undirected": self.direction.currentData(),
            "weights": self.weights.currentData(),
            "weight_name": self._name(),
            "header": self._header,
        }
        return {key: value for key, value in chosen.items() if value not in (None, "", "file")}

    def _name(self) -> str:
        return "" if self.weights.currentData() in NAMELESS else self.name.text().strip()

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
        self._tasks: set[Task] = set()
        self._dialog: OpenDialog | None = None
        window.notice_bar.offer_taken.connect(self._take)
        window.controller.file_opened.connect(self._check_names)

    def needs(self) -> dict[str, bool]:
        """Return whether the graph shown can be read again."""
        return {"graph_file": read_from_file(self._window.session.graph)}

    def ask_open(self) -> None:
        """Ask for a file, then how to read it."""
        dialog = self._window.files.dialog("Open a graph with options", open_filters())
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.ask)
        dialog.open()

    def ask_reopen(self) -> None:
        """Ask how to read the graph that is open; the dialog shows how it was read."""
        graph = self._window.session.graph
        if graph is not None and read_from_file(graph):
            options = reader_options(graph.provenance.options)
            self.ask(graph.provenance.origin, options, again=True)

    def ask(
        self, path: str, options: dict[str, Any] | None = None, again: bool = False
    ) -> OpenDialog | None:
        """Show the dialog; a workspace or a saved run has nothing to choose and is opened."""
        if not self._window.is_graph(path):
            self._window.open_path(path)
            return None
        dialog = OpenDialog(path, known_options(options), again, self._window.as_widget())
        self._dialog = dialog
        dialog.chosen.connect(lambda chosen: self._window.open_path(path, chosen))
        dialog.finished.connect(lambda _how: self._forget(dialog))
        dialog.open()

        def show(result: Format | None, problem: str) -> None:
            if self._dialog is dialog:
                dialog.show_file(result, problem)

        self._look(path, show)
        return dialog

    def close(self) -> None:
        """The window closes."""
        for task in self._tasks:
            task.give_up()

    def _forget(self, dialog: OpenDialog) -> None:
        if self._dialog is dialog:
            self._dialog = None

    def _take(self, what: object) -> None:
        """Do what a button in the bar says."""
        if isinstance(what, OpenRequest) and what.ask:
            self.ask(what.path, what.options)
        elif isinstance(what, OpenRequest):
            self._window.open_path(what.path, what.options)

    def _look(self, path: str, seen: Seen) -> None:
        """Look at the beginning of a file in the background."""
        result: list[Format] = []

        def work() -> None:
            from gpu.formats import peek

            result.append(peek(path))

        def ended(problem: BaseException | None) -> None:
            self._tasks.discard(task)
            if problem is not None and not isinstance(problem, GpuError | OSError):
                raise problem
            words = getattr(problem, "problem", str(problem)) if problem is not None else ""
            seen(result[0] if result else None, f"{words[:1].upper()}{words[1:]}")

        task = Task(work, self)
        self._tasks.add(task)
        task.ended.connect(ended)

    def _check_names(self, path: str, options: dict[str, Any] | None = None) -> None:
        """Say so where a file names its weights and the reader took none of them."""
        graph = self._window.session.graph
        notes = graph.provenance.notes if graph is not None else ()
        words = next((note for note in notes if note.startswith(UNNAMED)), "")
        if words:
            self._window.session.set_notice(unnamed(path, known_options(options), words))


def read_from_file(graph: CSRGraph | None) -> bool:
    """Return whether a reader made this graph, of a file that can be read again."""
    from gpu.formats import READERS

    return graph is not None and graph.provenance.format in READERS


install = OpenOptionsFeature
