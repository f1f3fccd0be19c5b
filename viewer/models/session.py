"""State of the window: one graph, its source, the runs made so far.

The controller writes here, widgets follow the signals. Results for a run that is not here are
ignored. Of a run from many sources, the row of the session's source is shown as *the* distances
(`row_changed`). While there are more than `MAX_RUNS` runs or `MAX_BYTES`, the oldest is removed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from PyQt6.QtCore import QObject, pyqtSignal

from gpu.errors import GpuError
from gpu.graph import CSRGraph, Provenance
from gpu.record.trace import GraphReference, Trace
from sample_graphs import remembered_reference
from viewer.models.notes import NotesModel
from viewer.models.runs import Notice, NoticeLevel, Offer, RunRecord, RunState

__all__ = ["Notice", "NoticeLevel", "Offer", "RunRecord", "RunState", "SessionModel"]

MAX_RUNS = 50  # runs kept with their samples
MAX_BYTES = 2**32  # samples and matrices of all runs together, but
PAIR = 2  # runs are kept, however large: they are compared
PROGRESS_UNKNOWN = -1.0  # under way, for an unknown time
PROGRESS_DONE = 1.0  # nothing is under way: hide the bar


class GraphOutline(CSRGraph):
    """The vertices of a sample whose arcs are still being made; a recorded run is shown on them.

    Counts, name and hash are those of the graph. Its arcs are not: each is a loop of weight 0.
    The engine process makes the graph by its name and seed; `SessionModel.complete` takes it.
    """

    @classmethod
    def of(cls, graph: GraphReference, positions: np.ndarray) -> GraphOutline:
        """Return the outline of a graph, drawn at float32 (n, 2) positions."""
        indptr = np.arange(graph.n + 1, dtype=np.int64) * graph.m // max(graph.n, 1)
        heads = np.repeat(np.arange(graph.n, dtype=np.int32), np.diff(indptr))
        nothing = np.zeros(1, np.int32 if graph.integer else np.float64)
        weights = np.broadcast_to(nothing, graph.m)
        made = Provenance(graph.origin, "sample", graph.options)
        outline = cls(indptr, heads, weights, positions, name=graph.name, provenance=made)
        vars(outline)["hash"] = graph.hash
        return outline

    @property
    def reference(self) -> str:
        """What `sample_graphs.open_sample` makes the graph from."""
        return remembered_reference(self.provenance.origin, self.provenance.options)


class SessionModel(QObject):
    """See the module docstring; the cursor is `PlaybackModel`'s."""

    graph_changed = pyqtSignal()
    graph_completed = pyqtSignal()  # the graph of which an outline was shown is here
    positions_changed = pyqtSignal()
    source_changed = pyqtSignal(int)
    run_added = pyqtSignal(object)  # RunRecord
    run_removed = pyqtSignal(object)  # RunRecord, its samples are no longer kept
    row_changed = pyqtSignal(object)  # RunRecord from many sources: `dist` is another row
    samples_appended = pyqtSignal(object, int, int)  # RunRecord, [first, last); first 0: anew
    run_changed = pyqtSignal(object)  # RunRecord: state, trace or verification
    current_changed = pyqtSignal(object)  # RunRecord or None
    notice_changed = pyqtSignal(object)  # Notice or None
    waiting_changed = pyqtSignal(str)  # what a run waits for before it begins, "" for nothing
    progress_changed = pyqtSignal(float, str)  # 0..1, PROGRESS_UNKNOWN or PROGRESS_DONE; words

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.graph: CSRGraph | None = None
        self.positions: np.ndarray | None = None  # float32 (n, 2)
        self.source = 0
        self.runs: list[RunRecord] = []
        self.current: RunRecord | None = None
        self.notice: Notice | None = None
        self.progress = PROGRESS_DONE
        self.waiting = ""  # what a run waits for: the engine, a compiler
        self.notes = NotesModel(self, lambda: self.current, lambda: self.graph)
        self.run_added.connect(self.notes.take_run)
        self.run_removed.connect(self.notes.drop_run)

    @property
    def arcs_missing(self) -> bool:
        """Whether `graph` is an outline: it can be looked at and run on; `complete` brings it."""
        return isinstance(self.graph, GraphOutline)

    def set_graph(self, graph: CSRGraph | None) -> None:
        """Show another graph: its own positions, its first vertex as source, no current run."""
        self.set_current(None)
        self.graph = graph
        self.positions = graph.positions if graph is not None else None
        self.source = 0
        self.graph_changed.emit()
        self.positions_changed.emit()
        self.source_changed.emit(self.source)

    def complete(self, graph: CSRGraph) -> None:
        """Put a graph in the place of its outline; runs, source and cursor stay."""
        if self.graph is None or not self.arcs_missing or graph.hash != self.graph.hash:
            return
        if self.positions is self.graph.positions:
            self.positions = graph.positions
        self.graph = graph
        self.graph_completed.emit()

    def set_positions(self, positions: np.ndarray | None) -> None:
        """Draw the graph elsewhere: float32 (n, 2) or None. Ignored where n does not fit."""
        if positions is not None and (self.graph is None or len(positions) != self.graph.n):
            return
        self.positions = positions
        self.positions_changed.emit()

    def set_source(self, vertex: int) -> None:
        """Choose the source by its 0-based index; raise SourceError where there is none such."""
        if self.graph is not None:
            vertex = self.graph.check_source(vertex)
        if vertex != self.source:
            self.source = vertex
            self.source_changed.emit(vertex)
        for record in self.runs:
            self._choose_row(record)

    def _choose_row(self, record: RunRecord) -> None:
        """Let a matrix show the row of the source, where it has one."""
        row = self.source - record.settings.source
        graph, ran_on = self.graph, record.graph_reference
        if graph is None or not record.is_matrix or row == record.row:
            return
        same = (graph.name, graph.n, graph.m) == (ran_on.name, ran_on.n, ran_on.m)
        if same and 0 <= row < record.source_count:
            record.row, record.row_id = row, graph.id_of(self.source)
            self.row_changed.emit(record)

    def run_by_id(self, run_id: int) -> RunRecord | None:
        """Return the run called `run_id`, None where it is not (or no longer) here."""
        return next((run for run in self.runs if run.run_id == run_id), None)

    def add_run(self, record: RunRecord, show: bool = True) -> None:
        """Keep a run and, unless `show` is off, make it the current one."""
        self.runs.append(record)
        self._choose_row(record)
        self.run_added.emit(record)
        if show:
            self.set_current(record)
        self._forget_oldest()

    def append_samples(self, run_id: int, batch: np.ndarray) -> None:
        """Add SAMPLE (k,) to a running run; dropped where the run is unknown or has ended."""
        record = self.run_by_id(run_id)
        if record is None or not record.running or not len(batch):
            return
        first, last = record.append(batch)
        self.samples_appended.emit(record, first, last)

    def change_run(self, run_id: int, **fields: Any) -> None:
        """Set fields of a run: its live arrays, the outcome of its proofs, that it failed."""
        record = self.run_by_id(run_id)
        if record is not None:
            for name, value in fields.items():
                setattr(record, name, value)
            self.run_changed.emit(record)

    def finish_run(self, run_id: int, trace: Trace) -> None:
        """Hand a run its whole trace, finished or stopped."""
        record = self.run_by_id(run_id)
        if record is None:
            return
        if record.adopt(trace):
            self.samples_appended.emit(record, 0, len(record.samples))
        self.run_changed.emit(record)
        self._forget_oldest()

    def remove_run(self, record: RunRecord) -> None:
        """Forget a run that has ended; the current one is replaced by the newest of the rest."""
        if record.running or record not in self.runs:
            return
        self.runs.remove(record)
        self.run_removed.emit(record)
        if record is self.current:
            graph = record.graph_reference.hash
            same = [run for run in self.runs if run.graph_reference.hash == graph]
            self.set_current(same[-1] if same else None)

    def finished_trace(self) -> Trace:
        """Return all that the current run recorded; raise GpuError where it is not over."""
        if self.current is None or self.current.trace is None:
            raise GpuError("there is no finished run whose numbers could be written")
        return self.current.trace

    def set_current(self, record: RunRecord | None) -> None:
        """Show another run, or none."""
        if record is not self.current:
            self.current = record
            self.current_changed.emit(record)

    def set_notice(self, notice: Notice | None) -> None:
        """Show a message in the bar, or clear it."""
        self.notice = notice
        self.notice_changed.emit(notice)

    def set_waiting(self, words: str) -> None:
        """Say in words what a run waits for before it begins; "" for nothing."""
        if words != self.waiting:
            self.waiting = words
            self.waiting_changed.emit(words)

    def set_progress(self, fraction: float | None, words: str = "") -> None:
        """Report 0..1, PROGRESS_UNKNOWN, or None when nothing is under way any more."""
        if fraction is None:
            fraction, words = PROGRESS_DONE, ""
        self.progress = PROGRESS_UNKNOWN if fraction < 0 else min(float(fraction), PROGRESS_DONE)
        self.progress_changed.emit(self.progress, words)

    def _forget_oldest(self) -> None:
        for record in list(self.runs):
            kept_bytes = sum(run.nbytes for run in self.runs)
            fits = kept_bytes <= MAX_BYTES or len(self.runs) <= PAIR
            if fits and len(self.runs) <= MAX_RUNS:
                return
            if record is not self.current and not record.running:
                self.runs.remove(record)
                self.run_removed.emit(record)


class Modes(QObject):
    """Set by the feature that begins or ends a mode, read by all others."""

    drawing_changed = pyqtSignal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.presenting = False
        self.drawing = False

    def set_drawing(self, on: bool) -> None:
        """A graph is being drawn from now on, or no longer."""
        self.drawing = on
        self.drawing_changed.emit()
