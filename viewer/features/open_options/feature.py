"""The dialog of options, what the bar offers where a file was refused, and reopening.

The beginning of a file is looked at in the background (`gpu.formats.peek`): the dialog is there at
once and fills when the look is done. A file that was opened as usual but whose weights have
several names, none of them a usual one, weighs 1 everywhere; the bar says so and offers them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PyQt6.QtWidgets import QFileDialog

from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.record.workspace import reader_options
from viewer.common.background import Task
from viewer.feature import FeaturePart, Window
from viewer.frame.file_dialogs import open_filters
from viewer.models.open_choices import OpenRequest, known_options, unnamed

if TYPE_CHECKING:
    from gpu.formats.peek import Peek
    from viewer.features.open_options.dialog import OpenDialog

Seen = Callable[["Peek | None", str], None]  # the look, or why there is none


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
        from viewer.features.open_options.dialog import OpenDialog

        if not self._window.is_graph(path):
            self._window.open_path(path)
            return None
        dialog = OpenDialog(path, known_options(options), again, self._window.as_widget())
        self._dialog = dialog
        dialog.chosen.connect(lambda chosen: self._window.open_path(path, chosen))
        dialog.finished.connect(lambda _how: self._forget(dialog))
        dialog.open()

        def show(found: Peek | None, problem: str) -> None:
            if self._dialog is dialog:
                dialog.show_file(found, problem)

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
        found: list[Peek] = []

        def work() -> None:
            from gpu.formats.peek import peek

            found.append(peek(path))

        def ended(problem: BaseException | None) -> None:
            self._tasks.discard(task)
            if problem is not None and not isinstance(problem, GpuError | OSError):
                raise problem
            words = getattr(problem, "problem", str(problem)) if problem is not None else ""
            seen(found[0] if found else None, f"{words[:1].upper()}{words[1:]}")

        task = Task(work, self)
        self._tasks.add(task)
        task.ended.connect(ended)

    def _check_names(self, path: str, options: dict[str, Any] | None = None) -> None:
        """Say so where a file names its weights and the reader took none of them."""
        from gpu.formats import READERS

        session, given = self._window.session, known_options(options)
        graph = session.graph
        row = READERS.get(graph.provenance.format) if graph is not None else None
        if row is None or not row.named_weights or set(given) & {"weights", "weight_name"}:
            return

        def say(found: Peek | None, _problem: str) -> None:
            weights = found.weights if found is not None else None
            silent = weights is not None and weights.names and weights.usual is None
            if silent and weights is not None and session.graph is graph:
                session.set_notice(unnamed(path, given, weights.names))

        self._look(path, say)


def read_from_file(graph: CSRGraph | None) -> bool:
    """Return whether a reader made this graph, of a file that can be read again."""
    from gpu.formats import READERS

    return graph is not None and graph.provenance.format in READERS


install = OpenOptionsFeature
