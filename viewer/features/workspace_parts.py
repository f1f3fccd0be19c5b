"""What a workspace takes from the window and gives back to it.

Opening one shows its runs at once and then opens its graph in the engine process, as always;
once that graph is here and has the hash of the runs', run, comparison and cursor are put back.
Where the file is gone the bar says which one is missing; the runs are in the table.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import QByteArray, QObject
from PyQt6.QtWidgets import QFileDialog, QMainWindow

from gpu.engine import graph_reference
from gpu.errors import GpuError
from gpu.trace import Trace
from gpu.workspace import SUFFIX, SavedGraph, Workspace, load_workspace, saved_graph
from viewer.models.run_choices import RunChoices
from viewer.models.session import Notice, RunRecord
from viewer.theme import THEMES

if TYPE_CHECKING:
    from viewer.features.base import Window

SAMPLE = "sample:"
QUICK_ARCS = 200_000  # a model run of about a second
FILTER = "Workspaces and saved runs (*.ssspw *.npz);;All files (*)"
FIRST_ID = -2  # runs from files count down: the engine's own numbers count up from 1


class WorkspaceFeature(QObject):
    """Saves and opens workspaces; see the module docstring."""

    def __init__(self, window: Window) -> None:
        super().__init__(window.as_widget())
        self._window = window
        self._next_id = FIRST_ID
        self._waiting: tuple[SavedGraph, Workspace, dict[int, RunRecord]] | None = None
        self._run_file = ""
        window.session.graph_changed.connect(self._graph_is_here)
        window.controller.file_opened.connect(self._run_first)

    # --- handlers of the rows

    def ask_open(self) -> None:
        """Ask for a workspace or a saved run."""
        dialog = self._window.files.dialog("Open a workspace or a saved run", FILTER)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.open)
        dialog.open()

    def ask_save(self) -> None:
        """Ask where to save the workspace."""
        self._window.files.ask_save(
            "Save workspace", f"Workspaces (*{SUFFIX})", SUFFIX, self._writer
        )

    # --- opening

    def open(self, path: str) -> None:
        """Open whatever it is: a workspace, a saved run, a graph file or "sample:..."."""
        try:
            if Path(path).suffix.lower() == SUFFIX:
                self._show_workspace(path)
            elif is_trace(path):
                self._show_trace(path)
            else:
                self._waiting = None
                self._window.controller.open(path)
        except GpuError as error:
            self._window.session.set_notice(Notice("error", f"{error}."))

    def open_first(self, path: str) -> None:
        """Open what the command line names; run it where that takes about a second."""
        self._run_file = path
        self.open(path)

    def _show_trace(self, path: str) -> None:
        from gpu.tracefile import load_trace

        trace = load_trace(path)
        graph = saved_graph(trace.graph, path)
        source = trace.settings.source
        self._show(Workspace(graph, ((1, trace),), 1, None, source), path)

    def _show_workspace(self, path: str) -> None:
        self._show(load_workspace(path), path)

    def _show(self, workspace: Workspace, path: str) -> None:
        window, graph = self._window, workspace.graph
        self._put_back_looks(workspace.window)
        records = {number: self._record(trace) for number, trace in workspace.runs}
        self._waiting = None
        if graph is None:
            self._add(workspace, records)
            return
        here = window.session.graph
        if here is not None and here.hash == graph.hash:
            self._add(workspace, records)
            return
        found = graph.found(Path(path).resolve().parent)
        if found is None:
            window.session.set_graph(None)
            self._add(workspace, records)
            words = f"The graph {graph.name} is not here: {graph.origin}."
            advice = f"Put it beside {Path(path).name} and open that again; its runs are shown."
            window.session.set_notice(Notice("warning", words, advice))
            return
        self._waiting = graph, workspace, records
        options: dict[str, Any] = {}
        if not found.startswith(SAMPLE):
            kept = ("undirected", "weights")
            options = {key: graph.options[key] for key in kept if key in graph.options}
        window.controller.open(found, **options)

    def _graph_is_here(self) -> None:
        graph, waiting = self._window.session.graph, self._waiting
        if graph is None or waiting is None:
            return
        self._waiting = None
        wanted, workspace, records = waiting
        if graph.hash != wanted.hash:
            self._add(workspace, records)
            words = f"{wanted.origin} is another graph than the saved runs'."
            self._window.session.set_notice(Notice("warning", words, "They are in the table."))
            return
        from PyQt6.QtCore import QTimer

        QTimer.singleShot(0, lambda: self._add(workspace, records))  # after its source is set

    def _add(self, workspace: Workspace, records: dict[int, RunRecord]) -> None:
        window = self._window
        for record in records.values():
            window.session.add_run(record, show=False)
        current = records.get(workspace.current or 0) or next(iter(records.values()), None)
        graph = window.session.graph
        if graph is not None and 0 <= workspace.source < graph.n:
            window.session.set_source(workspace.source)
        window.session.set_current(current)
        other = records.get(workspace.b or 0)
        if other is not None and other is not current:
            window.features.compare.model.compare_with(other)
        cursor = workspace.window.get("cursor_ns")
        if current is not None and isinstance(cursor, int | float):
            window.playback.pause()
            window.playback.set_following(False)
            window.playback.set_cursor(float(cursor))

    def _record(self, trace: Trace) -> RunRecord:
        self._next_id -= 1
        return RunRecord.from_trace(self._next_id, trace)

    def _put_back_looks(self, told: dict[str, Any]) -> None:
        window, widget = self._window, self._window.as_widget()
        if told.get("theme") in THEMES:
            window.set_theme(told["theme"])
        if isinstance(told.get("run_panel"), dict):
            window.run_panel.set_choices(RunChoices.from_dict(told["run_panel"]))
        if isinstance(told.get("layout"), str):
            window.docks.arrange(told["layout"])
        state = told.get("docks")
        if isinstance(widget, QMainWindow) and isinstance(state, str):
            state_bytes = QByteArray.fromBase64(state.encode("ascii", "replace"))
            widget.restoreState(state_bytes, window.docks.version)

    # --- saving

    def workspace(self, path: str) -> Workspace:
        """Return what the window is looking at, as it would be saved to `path`."""
        window, session = self._window, self._window.session
        runs = [record for record in session.runs if record.trace is not None]
        numbers = {id(record): place for place, record in enumerate(runs, 1)}
        graph = None
        if session.graph is not None:
            graph = saved_graph(graph_reference(session.graph, session.source), path)
        pair = window.features.compare.model.b
        widget = window.as_widget()
        assert isinstance(widget, QMainWindow)
        docks = widget.saveState(window.docks.version).toBase64().data().decode()
        looks = {
            "theme": window.settings.theme,
            "run_panel": window.run_panel.choices().as_dict(),
            "layout": window.docks.layout,
            "docks": docks,
            "cursor_ns": float(window.playback.cursor_ns),
        }
        kept = tuple((numbers[id(run)], run.trace) for run in runs if run.trace is not None)
        current, other = (numbers.get(id(run)) for run in (session.current, pair))
        return Workspace(graph, kept, current, other, session.source, looks)

    def _writer(self, path: str) -> None:
        from gpu.workspace import save_workspace

        workspace = self.workspace(path)  # here; what is long is in the background
        self._window.files.save_in_background(path, lambda to: save_workspace(workspace, to))

    def _run_first(self, path: str) -> None:
        asked, self._run_file = self._run_file, ""
        graph = self._window.session.graph
        if path != asked or graph is None:
            return
        if graph.m <= QUICK_ARCS and graph.n:
            self._window.controller.run_when_ready(self._window.start_run)
        else:
            words = f"{graph.name} is here."
            advice = "Press Run (Ctrl+R); it is too large to run unasked."
            self._window.session.set_notice(Notice("info", words, advice))


def is_trace(path: str) -> bool:
    """Whether a file is a saved run; a graph may be an .npz too, so its members are asked."""
    if Path(path).suffix.lower() != ".npz":
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return {"header.npy", "samples.npy"} <= set(archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return False
