"""Workspaces: save and open them, open saved runs, continue with the last session.

A file is read whole in the background before anything of it is shown, so a broken file changes
nothing. Its runs are in the table at once. Its graph is opened by the engine process; a graph with
the hash of the runs gets run, comparison and cursor back, also when it is opened later. A graph is
opened unasked only from the workspace's own folder, else from the copy inside the workspace (small
graphs have one). Otherwise the bar asks, or says where the graph was looked for.

The last session is a workspace in the settings' folder with the runs that are shown, written when
the window closes.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QFileDialog

from gpu.engine import graph_reference
from gpu.errors import CancelledByUserError, GpuError
from gpu.graph import CSRGraph
from gpu.record.notes import plain_notes, read_notes
from gpu.record.reach import SAMPLE, question
from gpu.record.trace import RunSettings, Trace
from gpu.record.tracefile import load_trace, plain
from gpu.record.workspace import (
    SUFFIX,
    SavedGraph,
    Workspace,
    load_workspace,
    reader_options,
    recognised,
    save_workspace,
    saved_graph,
)
from gpu.schema import fitting
from gpu.study.compare_words import name_of
from gpu.study.sweep import SavedSweep, sweep_as_dict, sweep_from_dict
from viewer.common.background import Task
from viewer.common.kept_graphs import keep_bytes, kept_folder
from viewer.common.later import later
from viewer.feature import FeaturePart, Pairs, Window
from viewer.graph.colours import COLOUR_MODES
from viewer.models.open_choices import OpenRequest
from viewer.models.run_choices import RunChoices
from viewer.models.session import PROGRESS_UNKNOWN, Notice, Offer, RunRecord
from viewer.models.settings import THEME_NAMES

FILTER = "Workspaces and saved runs (*.ssspw *.scope *.npz);;All files (*)"
OFFERED = "Your last session is here."  # the words of the offer, and its button's wish
FIRST_ID = -2  # runs from files count down: the engine's own numbers count up from 1
HASH_AT_ONCE = 2_000_000  # arcs; of a larger graph the engine process computes the hash
HASH_AGAIN_MS = 50

Time = Annotated[float, Meta(ge=0, le=2.0**63)]  # ns


@dataclass
class Waiting:
    """A workspace whose graph is not here yet; `opened`: we opened a file for it ourselves."""

    graph: SavedGraph
    workspace: Workspace
    records: dict[int, RunRecord]
    opened: bool = False


class WorkspaceFeature(FeaturePart):
    """Saves and opens workspaces; see the module docstring."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._next_id = FIRST_ID
        self._waiting: Waiting | None = None
        self._task: Task | None = None
        self._beside: Notice | None = None  # was offered beside the last session, such as a lesson
        window.session.graph_changed.connect(self._graph_is_here)
        window.status_bar.cancel_requested.connect(self.cancel)
        window.notice_bar.offer_taken.connect(self._take)
        if not window.named_file:
            self._offer_last()

    # --- handlers of the actions

    def ask_open(self) -> None:
        """Ask for a workspace or a saved run."""
        dialog = self._window.files.dialog("Open a workspace or a saved run", FILTER)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self._window.open_path)
        dialog.open()

    def ask_save(self) -> None:
        """Ask where to save the workspace."""
        self._window.files.ask_save(
            "Save workspace", f"Workspaces (*{SUFFIX})", SUFFIX, self._save_in_background
        )

    # --- the last session

    def _offer_last(self) -> None:
        if last_session().is_file():
            notice = Notice("info", OFFERED, offers=(Offer("Continue with it", OFFERED),))
            self._window.session.add_notice(notice)

    def close(self) -> None:
        """The window closes: keep the session if a person made a run or opened a file."""
        if self._task is not None:
            self._task.give_up()
        session, graph = self._window.session, self._window.session.graph
        made = any(not run.recorded_on for run in session.runs)
        if not made and (graph is None or graph.provenance.origin.startswith(SAMPLE)):
            return
        path = last_session()
        with suppress(GpuError, OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            workspace = self.workspace(str(path))
            shown = [run for run in workspace.runs if run[0] in (workspace.current, workspace.b)]
            save_workspace(replace(workspace, runs=tuple(shown)), path, graph)

    # --- opening

    def open_file(self, path: str, options: dict[str, Any] | None) -> bool:
        """Open a workspace, a saved run, or the graph that a workspace misses.

        Such a graph is read as it was then, unless `options` say how.
        """
        kind = recognised(path)
        if kind is not None:
            self._read(path, kind)
            return True
        waiting = self._waiting
        if waiting is not None and waiting.opened:
            self._waiting = None
        elif waiting is not None and Path(path).name == Path(waiting.graph.origin).name:
            usual = reader_options(waiting.graph.options)
            self._window.controller.open(path, **(usual if options is None else options))
            return True
        return False

    def cancel(self) -> None:
        """Stop reading."""
        if self._task is not None:
            self._task.cancel()

    def _read(self, path: str, kind: str, trusted: bool = False) -> None:
        session = self._window.session
        if self._task is not None:
            words = "Another file is still being opened."
            session.set_notice(Notice("info", words, "Wait for it, or press Cancel."))
            return
        result: list[Workspace] = []

        def work() -> None:
            whole = kind == "workspace"
            result.append(load_workspace(path) if whole else workspace_of(load_trace(path), path))

        session.set_progress(PROGRESS_UNKNOWN, f"Opening {Path(path).name}…")
        self._task = Task(work, self)
        self._task.ended.connect(partial(self._have_read, Path(path), trusted, result))

    def _have_read(
        self, path: Path, trusted: bool, result: list[Workspace], problem: BaseException | None
    ) -> None:
        self._task = None
        session = self._window.session
        session.set_progress(None)
        if isinstance(problem, CancelledByUserError):
            session.set_notice(Notice("info", "Opening was cancelled; nothing has changed."))
        elif isinstance(problem, GpuError | OSError):
            session.set_notice(Notice("error", f"{problem}."))
        elif problem is not None:
            raise problem
        else:
            self._show(result[0], path, trusted)

    def _show(self, workspace: Workspace, path: Path, trusted: bool) -> None:
        """Show what was read; its graph comes later, unless it is open already.

        trusted : this program wrote the file for itself
        """
        folder = path.resolve().parent
        self._say(put_back_looks(self._window, workspace.window))
        records = {number: self._record(trace, folder) for number, trace in workspace.runs}
        self._waiting = None
        graph, here = workspace.graph, self._window.session.graph
        if graph is None or (here is not None and hash_of(here) == graph.hash):
            self._add(workspace, records)
        else:
            self._find_graph(Waiting(graph, workspace, records), folder, trusted)
        left_out = [trace.notes_left_out for _, trace in workspace.runs if trace.notes_left_out]
        if left_out:
            self._say(f"{path.name}: {left_out[0]}.")

    def _find_graph(self, waiting: Waiting, folder: Path, trusted: bool) -> None:
        """Open the graph of a workspace, from the places where it may be."""
        graph = waiting.graph
        inside = graph.found(folder)
        outside = list(map(str, graph.outside(folder))) if inside is None else []
        if trusted and outside:
            inside, outside = next(filter(is_there, outside), None), []
        self._waiting = waiting
        if inside is not None:
            waiting.opened = True
            options = {} if inside.startswith(SAMPLE) else reader_options(graph.options)
            self._window.controller.open(inside, **options)
        elif not self._open_packed(waiting):
            self._show_without_graph(waiting, outside, folder)

    def _open_packed(self, waiting: Waiting) -> bool:
        """Open the copy inside the workspace; return False if there is none."""
        packed, graph = waiting.workspace.packed, waiting.graph
        if not packed:
            return False
        try:
            path = keep_bytes(packed, graph.name, graph.hash)
        except (GpuError, OSError) as error:
            self._say(f"{error}.")
            return False
        waiting.opened = True
        self._window.controller.open(str(path))
        return True

    def _show_without_graph(self, waiting: Waiting, outside: list[str], folder: Path) -> None:
        """Show the runs alone; say where their graph was looked for, or ask to open a place."""
        session, graph = self._window.session, waiting.graph
        self._waiting = None  # an empty window is no other graph
        session.set_graph(None)
        self._waiting = waiting
        self._add(waiting.workspace, waiting.records)
        looked = ", ".join(str(name) for name in graph.looked(folder))
        words = f"The graph {graph.name} is not here; looked for {looked}."
        advice = "Its runs are shown. Open the graph where it is now; it is recognised by its hash."
        offers: tuple[Offer, ...] = ()
        if outside:
            places = " or ".join(question(name, folder) for name in outside)
            words = f"The file names the graph {places}."
            advice = "Its runs are shown. Open the graph only if you trust it."
            place = next(filter(is_there, outside), outside[0])
            request = OpenRequest(place, reader_options(graph.options))
            offers = (Offer("Open it", request),)
        session.set_notice(Notice("warning", words, advice, offers))

    def _take(self, wish: object) -> None:
        if wish == OFFERED:
            notice = self._window.session.notice
            if notice is not None and (rest := [o for o in notice.offers if o.what != wish]):
                words = notice.words.replace(OFFERED, "").strip()
                self._beside = replace(notice, words=words, offers=tuple(rest))
            self._read(str(last_session()), "workspace", trusted=True)
        elif isinstance(wish, RunSettings) and (pairs := self._window.part(Pairs)) is not None:
            pairs.make_b(wish)

    def _graph_is_here(self) -> None:
        graph, waiting = self._window.session.graph, self._waiting
        if graph is None or waiting is None:
            return
        hash_here = hash_of(graph)
        if hash_here is None:  # the engine process computes it
            QTimer.singleShot(HASH_AGAIN_MS, self._graph_is_here)
        elif hash_here == waiting.graph.hash:
            self._waiting = None
            later(self, lambda: self._join(graph, waiting))  # after its source is set
        elif waiting.opened:
            later(self, lambda: self._take_another(waiting))  # after it was opened

    def _take_another(self, waiting: Waiting) -> None:
        """The file that we opened holds another graph."""
        if self._waiting is not waiting:
            return
        self._waiting = None
        self._add(waiting.workspace, waiting.records)
        words = f"{waiting.graph.origin} is not the graph of the saved runs."
        self._window.session.set_notice(Notice("warning", words, "They are in the table."))

    def _join(self, graph: CSRGraph, waiting: Waiting) -> None:
        """Show the runs on their graph, unless another graph came meanwhile."""
        for record in waiting.records.values():
            record.folder = None  # from now on it is the graph of this window
        if self._window.session.graph is graph:
            self._add(waiting.workspace, waiting.records)

    def _add(self, workspace: Workspace, records: dict[int, RunRecord]) -> None:
        window = self._window
        session = window.session
        for record in records.values():
            if record not in session.runs:
                session.add_run(record, show=False)
        current = records.get(workspace.current or 0) or next(iter(records.values()), None)
        graph = session.graph
        if graph is not None and 0 <= workspace.source < graph.n:
            session.set_source(workspace.source)
        if graph is not None and workspace.graph is not None:
            notes, _ = read_notes(workspace.window.get("notes"), graph.n, 0)
            session.notes.take(notes, workspace.graph.hash)
        session.set_current(current)
        other = records.get(workspace.b or 0)
        if self._beside is not None:
            session.add_notice(self._beside)
            self._beside = None
        looks = fitting(Looks, workspace.window)
        try:
            if current is not None and other is not None and other is not current:
                window.comparison.compare_with(other)
                window.comparison.set_view(str(looks.pair_layout))
            elif looks.unfinished_b is not None:
                self._say_unfinished(looks.unfinished_b, current is not None)
        except GpuError as error:
            self._say(f"{error}.")
        if current is not None and workspace.window:
            put_back_moment(window, workspace.window)
        colour = workspace.window.get("colour_by")
        if isinstance(colour, str) and colour in COLOUR_MODES:
            window.graph_view.set_colour_by(colour)

    def _say_unfinished(self, settings: RunSettings, as_b: bool) -> None:
        """Name the run that is not kept, and offer to make it, as B where there is an A."""
        words = f"{name_of(settings)} was still running at the close and was not kept."
        self._window.comparison.rival = settings.algorithm
        offers = (Offer("Run it", settings),) if as_b else ()
        self._window.session.add_notice(Notice("info", words, offers=offers))

    def _record(self, trace: Trace, folder: Path) -> RunRecord:
        self._next_id -= 1
        record = RunRecord.from_trace(self._next_id, trace)
        record.folder = folder
        return record

    def _say(self, words: str) -> None:
        if words:
            self._window.session.set_notice(Notice("warning", words))

    # --- saving

    def workspace(self, path: str) -> Workspace:
        """Return the session as a workspace at `path`."""
        window, session = self._window, self._window.session
        runs = [record for record in session.runs if record.trace is not None]
        numbers = {id(record): place for place, record in enumerate(runs, 1)}
        graph = None
        if session.graph is not None:
            graph = saved_graph(graph_reference(session.graph, session.source), path)
        kept = tuple((numbers[id(run)], session.notes.trace_of(run)) for run in runs)
        shown = (session.current, window.comparison.b)
        current, other = (numbers.get(id(run)) for run in shown)
        if current is None and graph is not None:  # it goes on: what was finished last stays
            same = [numbers[id(run)] for run in runs if run.graph_reference.hash == graph.hash]
            current, other = other or max(same, default=None), None
        return Workspace(graph, kept, current, other, session.source, looks_of(window))

    def _save_in_background(self, path: str) -> None:
        workspace, graph = self.workspace(path), self._window.session.graph
        self._window.files.save_in_background(path, lambda to: save_workspace(workspace, to, graph))


def last_session() -> Path:
    """Return where the last session is kept."""
    return kept_folder("sessions") / f"last{SUFFIX}"


def is_there(place: str) -> bool:
    """Return whether a place is a sample, or a file that exists."""
    return place.startswith(SAMPLE) or Path(place).is_file()


def workspace_of(trace: Trace, path: str) -> Workspace:
    """Return a saved run as a workspace of one."""
    return Workspace(saved_graph(trace.graph, path), ((1, trace),), 1, None, trace.settings.source)


def hash_of(graph: CSRGraph) -> str | None:
    """Return a graph's hash if it is known or quickly computed, else None: it will be."""
    return graph.hash if "hash" in vars(graph) or graph.m <= HASH_AT_ONCE else None


# --- how the window stands


class Looks(Struct, frozen=True):
    """How the window stood, as read from a file; None leaves the window as it is."""

    theme: Literal[THEME_NAMES] | None = None  # type: ignore[valid-type]
    run_panel: dict[str, Any] | None = None
    layout: str | None = None
    panels: tuple[str, ...] = ()
    cursor_ns: Time | None = None
    pair_layout: str | None = None
    unfinished_b: RunSettings | None = None


def looks_of(window: Window) -> dict[str, Any]:
    """Return theme, layout, Run panel, cursor, comparison, notes and sweep as they are now."""
    looks: dict[str, Any] = {
        "theme": window.settings.theme,
        "run_panel": window.run_panel.choices().as_dict(),
        "layout": window.docks.arrangement,
        "panels": window.docks.beside,
        "cursor_ns": float(window.playback.cursor_ns),
        "pair_layout": window.comparison.view,
        "colour_by": window.graph_view.colour_by,
    }
    for run in (window.session.current, window.comparison.b):
        if run is not None and run.running:
            looks["unfinished_b"] = plain(asdict(run.settings))
    notes = window.session.notes
    looks["notes"] = plain_notes(pin.note for pin in notes.at_vertices(notes.graph_shown()))
    model = window.sweep
    if model.plan is not None and model.points and not model.running:
        plan, points = model.plan, tuple(model.points)
        of_plan = plan.settings, plan.knob, plan.values, plan.controller
        saved = SavedSweep(*of_plan, points, model.graph_name, model.graph_hash)
        looks["sweep"] = sweep_as_dict(saved)
    return looks


def put_back_looks(window: Window, saved: dict[str, Any]) -> str:
    """Stand as saved; return in a sentence what could not be put back, or ""."""
    looks = fitting(Looks, saved)
    if looks.theme is not None:
        window.set_theme(looks.theme)
    if looks.run_panel is not None:
        window.run_panel.set_choices(RunChoices.from_dict(looks.run_panel))
    if looks.layout is not None:
        window.docks.arrange(looks.layout)
    for key in set(looks.panels) & set(window.docks.extra):
        window.show_dock(key)
    if "sweep" not in saved or window.sweep.running:
        return ""
    try:
        window.sweep.show_saved(sweep_from_dict(saved["sweep"]))
    except GpuError as error:
        return f"Its sweep is left out: {error}."
    return ""


def put_back_moment(window: Window, saved: dict[str, Any]) -> None:
    """Put the cursor back, once the run is shown; nothing plays."""
    playback, looks = window.playback, fitting(Looks, saved)
    playback.pause()
    playback.set_following(False)
    if looks.cursor_ns is not None:
        playback.set_cursor(looks.cursor_ns)


install = WorkspaceFeature
