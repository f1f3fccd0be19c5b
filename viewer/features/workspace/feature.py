"""What a workspace takes from the window and gives back to it.

A file is read whole on a thread of its own (`viewer.common.background`), and only then is
anything shown: a broken one costs nothing. Its runs are in the table at once, also those of a GPU
that is not here: a run is a recording. Its graph is opened in the engine process, as always; once
it is here and has the hash of the runs', run, comparison and cursor are put back. Only in the
workspace's own folder a graph is looked for unasked. Where none is, or it is another graph by now,
the one that came inside the workspace is taken (small graphs do); else the bar says which one, and
where it was looked for, or asks whether what lies elsewhere is to be opened. The graph that is
opened next and has that hash is taken for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QFileDialog

from gpu.engine import graph_reference
from gpu.errors import CancelledByUserError, GpuError
from gpu.graph import CSRGraph
from gpu.record.notes import read_notes
from gpu.record.reach import SAMPLE, question
from gpu.record.recognised import recognised
from gpu.record.trace import Trace
from gpu.record.workspace import (
    SUFFIX,
    SavedGraph,
    Workspace,
    reader_options,
    saved_graph,
)
from viewer.common.background import Task
from viewer.common.kept_graphs import keep_bytes
from viewer.common.later import later
from viewer.feature import Window, Workspaces
from viewer.features.workspace.looks import (
    looks_of,
    put_back_looks,
    put_back_moment,
    put_back_pair,
)
from viewer.graph.colours import COLOUR_MODES
from viewer.models.session import PROGRESS_UNKNOWN, Notice, Offer, RunRecord

FILTER = "Workspaces and saved runs (*.ssspw *.scope *.npz);;All files (*)"
FIRST_ID = -2  # runs from files count down: the engine's own numbers count up from 1
PROGRESS_MS = 100
HASH_AT_ONCE = 2_000_000  # arcs; of a larger graph the engine process finds the hash
HASH_AGAIN_MS = 50


@dataclass
class Waiting:
    """A workspace whose graph is not here yet.

    asked : we opened the file ourselves ; unpacked : the file is the graph that came with it
    ours : this program wrote it for itself: all of it comes back together, or nothing
    before : the graph that is shown until then
    """

    graph: SavedGraph
    workspace: Workspace
    records: dict[int, RunRecord]
    asked: bool
    unpacked: bool = False
    ours: bool = False
    before: CSRGraph | None = None


@dataclass(frozen=True)
class Consent:
    """What a button asks for: open the first of these that is there, all named in full."""

    waiting: Waiting
    places: tuple[str, ...]


@dataclass
class Reading:
    """A file that is being read in the background; `ours`: this program wrote it for itself."""

    path: str
    ours: bool = False
    found: list[Workspace] = field(default_factory=list)
    share: float = 0.0


class WorkspaceFeature(Workspaces):
    """Saves and opens workspaces; see the module docstring."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._next_id = FIRST_ID
        self._waiting: Waiting | None = None
        self._reading: Reading | None = None
        self._task: Task | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(PROGRESS_MS)
        self._timer.timeout.connect(self._show_progress)
        window.session.graph_changed.connect(self._graph_is_here)
        window.status_bar.cancel_requested.connect(self.cancel)
        window.notice_bar.offer_taken.connect(self._take)

    # --- handlers of the rows

    def ask_open(self) -> None:
        """Ask for a workspace or a saved run."""
        dialog = self._window.files.dialog("Open a workspace or a saved run", FILTER)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self._window.open_path)
        dialog.open()

    def ask_save(self) -> None:
        """Ask where to save the workspace."""
        self._window.files.ask_save(
            "Save workspace", f"Workspaces (*{SUFFIX})", SUFFIX, self._writer
        )

    # --- opening

    def knows_file(self, path: str) -> bool:
        """Return whether it is a workspace or a saved run."""
        return recognised(path) is not None

    def open_file(self, path: str, options: dict[str, Any] | None) -> bool:
        """Open a workspace, a saved run, or the graph that a workspace misses.

        Such a graph is read as it was then, unless `options` say how.
        """
        kind = recognised(path)
        if kind is not None:
            self._read(path, kind)
            return True
        waiting = self._waiting
        if waiting is not None and waiting.asked:
            self._waiting = None
        elif waiting is not None and Path(path).name == Path(waiting.graph.origin).name:
            usual = reader_options(waiting.graph.options)
            self._window.controller.open(path, **(usual if options is None else options))
            return True
        return False

    def restore(self, path: str) -> None:
        """Open a workspace that this window wrote for itself: nothing is asked."""
        self._read(path, "workspace", ours=True)

    def cancel(self) -> None:
        """Give up what is being read."""
        if self._task is not None:
            self._task.cancel()

    def close(self) -> None:
        """The window closes."""
        self._timer.stop()
        if self._task is not None:
            self._task.give_up()

    def _read(self, path: str, kind: str, ours: bool = False) -> None:
        session = self._window.session
        if self._task is not None:
            words = "Another file is still being opened."
            session.set_notice(Notice("info", words, "Wait for it, or press Cancel."))
            return
        reading = self._reading = Reading(path, ours)

        def progress(share: float) -> None:
            reading.share = share

        def work() -> None:
            from gpu.record.tracefile import load_trace
            from gpu.record.workspace import load_workspace

            if kind == "workspace":
                reading.found.append(load_workspace(path, progress))
            else:
                reading.found.append(workspace_of(load_trace(path), path))

        session.set_progress(PROGRESS_UNKNOWN, f"Opening {Path(path).name}…")
        self._task = Task(work, self)
        self._task.ended.connect(self._have_read)
        self._timer.start()

    def _show_progress(self) -> None:
        reading = self._reading
        if reading is not None and reading.share > 0:
            words = f"Opening {Path(reading.path).name}…"
            self._window.session.set_progress(min(reading.share, 0.99), words)

    def _have_read(self, problem: BaseException | None) -> None:
        reading, self._task, self._reading = self._reading, None, None
        self._timer.stop()
        session = self._window.session
        session.set_progress(None)
        if isinstance(problem, CancelledByUserError):
            session.set_notice(Notice("info", "Opening was cancelled; nothing has changed."))
        elif isinstance(problem, GpuError | OSError):
            session.set_notice(Notice("error", f"{problem}."))
        elif problem is not None:
            raise problem
        elif reading is not None:
            found = reading.found[0]
            self._show(found, Path(reading.path).resolve().parent, reading.ours)
            left_out = [trace.notes_left_out for _, trace in found.runs if trace.notes_left_out]
            if left_out:
                session.set_notice(Notice("warning", f"{Path(reading.path).name}: {left_out[0]}."))

    def _show(self, workspace: Workspace, folder: Path, ours: bool) -> None:
        window, graph = self._window, workspace.graph
        if not ours:
            self._put_back_looks(workspace)
        records = {number: self._record(trace, folder) for number, trace in workspace.runs}
        self._waiting = None
        here = window.session.graph
        if graph is None or (here is not None and hash_of(here) == graph.hash):
            self._add(workspace, records, ours)
            return
        found = graph.found(folder)
        outside = [found] if found is not None and question(found, folder) else []
        outside += [] if found is not None else list(map(str, graph.outside(folder)))
        if ours and outside:
            found, outside = next(filter(_is_there, outside), None), []
        asked = found is not None and not outside
        self._waiting = Waiting(graph, workspace, records, asked, ours=ours, before=here)
        if found is not None and not outside:
            self._open(found, graph)
        elif self._open_packed(self._waiting):
            return
        elif ours:
            self._waiting = None
            self._stay(graph, "is not there any more")
        else:
            self._show_without_graph(self._waiting, outside, folder)

    def _open(self, found: str, graph: SavedGraph) -> None:
        options = {} if found.startswith(SAMPLE) else reader_options(graph.options)
        self._window.controller.open(found, **options)

    def _show_without_graph(self, waiting: Waiting, outside: list[str], folder: Path) -> None:
        """Show the runs alone; say where their graph was looked for, or ask for what is outside."""
        session, graph = self._window.session, waiting.graph
        self._waiting = None  # an empty window is no other graph
        session.set_graph(None)
        self._waiting = waiting
        self._add(waiting.workspace, waiting.records)
        looked = ", ".join(str(name) for name in graph.looked(folder))
        words = f"The graph {graph.name} is not here; looked for {looked}."
        advice = "Its runs are shown. Open it where it is now: by its hash they will know it."
        offers: tuple[Offer, ...] = ()
        if outside:
            asked = " or ".join(question(name, folder) for name in outside)
            words = f"The file names the graph {asked}."
            advice = "Its runs are shown. Open it only if you know it."
            offers = (Offer("Open it", Consent(waiting, tuple(outside))),)
        session.set_notice(Notice("warning", words, advice, offers))

    def _take(self, what: object) -> None:
        """Open the graph that a person agreed to."""
        if not isinstance(what, Consent):
            return
        found = next(filter(_is_there, what.places), None)
        if found is None:
            words = f"There is no file {' nor '.join(what.places)}."
            self._window.session.set_notice(Notice("warning", words))
            return
        self._waiting = what.waiting
        self._waiting.asked = True
        self._open(found, what.waiting.graph)

    def _open_packed(self, waiting: Waiting) -> bool:
        """Open the graph that came inside the workspace; False where none did, or it was tried."""
        packed, graph = waiting.workspace.packed, waiting.graph
        if not packed or waiting.unpacked:
            return False
        try:
            path = keep_bytes(packed, graph.name, graph.hash)
        except (GpuError, OSError) as error:
            self._window.session.set_notice(Notice("warning", f"{error}."))
            return False
        waiting.asked = waiting.unpacked = True
        self._window.controller.open(str(path))
        return True

    def _graph_is_here(self) -> None:
        graph, waiting = self._window.session.graph, self._waiting
        if graph is None or waiting is None:
            return
        found = hash_of(graph)
        if found is None:  # the engine process is finding it
            QTimer.singleShot(HASH_AGAIN_MS, self._graph_is_here)
        elif found == waiting.graph.hash:
            self._waiting = None
            later(self, lambda: self._join(graph, waiting))  # after its source is set
        elif waiting.asked:
            later(self, lambda: self._meet_another(waiting))  # after it was opened

    def _meet_another(self, waiting: Waiting) -> None:
        """What we opened is not the graph of the runs: take the one that came along, or say so."""
        if self._waiting is not waiting or self._open_packed(waiting):
            return
        self._waiting = None
        if waiting.ours:
            if waiting.before is not None:
                self._window.controller.show_graph(waiting.before)
            self._stay(waiting.graph, "is another graph by now")
            return
        self._add(waiting.workspace, waiting.records)
        words = f"{waiting.graph.origin} is another graph than the saved runs'."
        self._window.session.set_notice(Notice("warning", words, "They are in the table."))

    def _join(self, graph: CSRGraph, waiting: Waiting) -> None:
        """Show the runs on their graph, unless another one came meanwhile."""
        for record in waiting.records.values():
            record.folder = None  # from now on it is the graph of this window
        if self._window.session.graph is graph:
            self._add(waiting.workspace, waiting.records, waiting.ours)

    def _stay(self, graph: SavedGraph, why: str) -> None:
        """Say why the session that this program kept does not come back."""
        words = f"The last session does not come back: its graph {graph.origin} {why}."
        self._window.session.set_notice(Notice("warning", words))

    def _put_back_looks(self, workspace: Workspace) -> None:
        left_out = put_back_looks(self._window, workspace.window)
        if left_out:
            self._window.session.set_notice(Notice("warning", left_out))

    def _add(
        self, workspace: Workspace, records: dict[int, RunRecord], looks: bool = False
    ) -> None:
        """Show runs, comparison and moment; how the window stood too, where it was not yet."""
        window = self._window
        if looks:
            self._put_back_looks(workspace)
        for record in records.values():
            if record not in window.session.runs:
                window.session.add_run(record, show=False)
        current = records.get(workspace.current or 0) or next(iter(records.values()), None)
        graph = window.session.graph
        if graph is not None and 0 <= workspace.source < graph.n:
            window.session.set_source(workspace.source)
        if graph is not None and workspace.graph is not None:
            notes, _ = read_notes(workspace.window.get("notes"), graph.n, 0)
            window.session.notes.take(notes, workspace.graph.hash)
        window.session.set_current(current)
        other = records.get(workspace.b or 0)
        if current is not None and other is not None and other is not current:
            try:
                window.comparison.compare_with(other)
                put_back_pair(window, workspace.window)
            except GpuError as error:
                window.session.set_notice(Notice("warning", f"{error}."))
        if current is not None and workspace.window:
            put_back_moment(window, workspace.window)
        colour = workspace.window.get("colour_by")
        if isinstance(colour, str) and colour in COLOUR_MODES:
            window.graph_view.set_colour_by(colour)

    def _record(self, trace: Trace, folder: Path) -> RunRecord:
        self._next_id -= 1
        record = RunRecord.from_trace(self._next_id, trace)
        record.folder = folder
        return record

    # --- saving

    def workspace(self, path: str) -> Workspace:
        """Return what the window is looking at, as it would be saved to `path`."""
        window, session = self._window, self._window.session
        runs = [record for record in session.runs if record.trace is not None]
        numbers = {id(record): place for place, record in enumerate(runs, 1)}
        graph = None
        if session.graph is not None:
            graph = saved_graph(graph_reference(session.graph, session.source), path)
        pair = window.comparison.b
        kept = tuple((numbers[id(run)], session.notes.trace_of(run)) for run in runs)
        current, other = (numbers.get(id(run)) for run in (session.current, pair))
        return Workspace(graph, kept, current, other, session.source, looks_of(window))

    def _writer(self, path: str) -> None:
        from gpu.record.workspace import save_workspace

        workspace = self.workspace(path)  # here; what is long is in the background
        graph = self._window.session.graph
        self._window.files.save_in_background(path, lambda to: save_workspace(workspace, to, graph))


def _is_there(place: str) -> bool:
    return place.startswith(SAMPLE) or Path(place).is_file()


def workspace_of(trace: Trace, path: str) -> Workspace:
    """Return a saved run as a workspace of one."""
    return Workspace(saved_graph(trace.graph, path), ((1, trace),), 1, None, trace.settings.source)


def hash_of(graph: CSRGraph) -> str | None:
    """Return a graph's hash if it is known or quickly found, else None: it will be."""
    return graph.hash if "hash" in vars(graph) or graph.m <= HASH_AT_ONCE else None


install = WorkspaceFeature
