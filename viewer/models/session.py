"""State of the window: one graph, its source, the runs made so far, the message of the bar.

The controller writes here, widgets follow the signals. Results for a run that is not here are
ignored. Of a run from many sources, the row of the session's source is shown as *the* distances
(`row_changed`). While there are more than `MAX_RUNS` runs or `MAX_BYTES`, the oldest is removed.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from PyQt6.QtCore import QObject, pyqtSignal

from gpu.algorithms import Algorithm, find
from gpu.engine import RunBuffers
from gpu.errors import GpuError
from gpu.graph import CSRGraph, Provenance
from gpu.record.disorder import OrderErrors
from gpu.record.trace import (
    RECORDED_ON,
    SAMPLE,
    GraphReference,
    RunSettings,
    Trace,
    Verification,
    VertexProbe,
)
from gpu.study.compare_words import name_of
from gpu.words import from_words
from sample_graphs import remembered_reference
from viewer.models.notes import NotesModel

RunState = Literal["running", "finished", "stopped", "failed"]
NoticeLevel = Literal["info", "warning", "error"]
FIRST_CAPACITY = 256  # samples
MAX_RUNS = 50  # runs kept with their samples
MAX_BYTES = 2**32  # samples and matrices of all runs together, but
PAIR = 2  # runs are kept, however large: they are compared
PROGRESS_UNKNOWN = -1.0  # under way, for an unknown time
NOTHING_RECORDED = "The run failed before it recorded anything."
PROGRESS_DONE = 1.0  # nothing is under way: hide the bar


@dataclass(frozen=True)
class Offer:
    """A button beside a message: its words, and what the bar hands on when it is pressed."""

    words: str
    what: Any


@dataclass(frozen=True)
class Notice:
    """One message for the bar: what happened, and what to do about it."""

    level: NoticeLevel
    words: str
    advice: str = ""
    offers: tuple[Offer, ...] = ()


@dataclass(eq=False)
class RunRecord:
    """One run as the window knows it, growing while it runs.

    buffers : arrays that the engine is writing, while it runs; None afterwards
    trace : the whole run once it ended; its arrays replace `buffers`
    row, row_id : of a run from many sources, the row that `dist` is, and its source's own name
    proofs_come : whether its distances will be proved by themselves; not of a run from a file
    folder : where the file lies that it was read from, as long as its graph was not; else None
    """

    run_id: int
    settings: RunSettings
    graph_reference: GraphReference
    clock: str  # "modelled" or "measured"
    buffers: RunBuffers | None = None
    title: str = ""
    state: RunState = "running"
    trace: Trace | None = None
    verification: Verification | None = None
    failure: str = ""
    row: int = 0
    row_id: int | str = ""
    proofs_come: bool = True
    folder: Path | None = None
    _store: np.ndarray = field(default_factory=lambda: np.empty(FIRST_CAPACITY, SAMPLE), repr=False)
    _count: int = 0

    def __post_init__(self) -> None:
        source = self.graph_reference.source_id
        if not self.title:
            begun = from_words(source, self.source_count, self.graph_reference.n)
            self.title = f"{name_of(self.settings)} on {self.graph_reference.name} {begun}"
        if self.row_id == "":
            self.row_id = source

    @classmethod
    def from_trace(cls, run_id: int, trace: Trace) -> RunRecord:
        """Return a finished record of a trace that was read from a file."""
        record = cls(run_id, trace.settings, trace.graph, trace.clock, proofs_come=False)
        record.adopt(trace)
        return record

    @property
    def algorithm(self) -> Algorithm:
        """The registry row of this run."""
        return find(self.settings.algorithm)

    @property
    def recorded_on(self) -> str:
        """The device that it was recorded on, of runs that travel with the program; else ""."""
        return str(self.trace.environment.get(RECORDED_ON, "")) if self.trace is not None else ""

    @property
    def clock_words(self) -> str:
        """What its times are: modelled, measured, or recorded on which device."""
        device = self.recorded_on
        return f"recorded on an {device}, {self.clock}" if device else self.clock

    @property
    def running(self) -> bool:
        """Whether more samples may come."""
        return self.state == "running"

    @property
    def unfinished(self) -> bool:
        """Whether its distances may not be the final ones."""
        return self.state != "finished"

    def named(self, values: str) -> str:
        """Say whether its values are the last ones: "distances so far", "final distances"."""
        if self.running:
            return f"{values} so far"
        return f"{values} when it stopped" if self.unfinished else f"final {values}"

    @property
    def samples(self) -> np.ndarray:
        """Every sample so far: SAMPLE (k,), a view that stays valid but does not grow."""
        return self._store[: self._count]

    def sample_at(self, time_ns: float) -> np.void | None:
        """Return the last SAMPLE at or before a time, else the first; None where there is none."""
        after = bisect_right(self.samples["t_ns"], time_ns)  # NumPy's would copy the column
        sample: np.void | None = self.samples[max(after - 1, 0)] if self._count else None
        return sample

    @property
    def dist(self) -> np.ndarray | None:
        """Distances (n,), live or final, or the chosen row of a matrix; None before any."""
        held = self.trace or self.buffers
        if held is None:
            return None
        return held.dist[min(self.row, len(held.dist) - 1)] if held.dist.ndim == 2 else held.dist

    @property
    def is_matrix(self) -> bool:
        """Whether it has a result for every pair of vertices."""
        return self.algorithm.result == "matrix"

    @property
    def matrix(self) -> np.ndarray | None:
        """Distances (k, n) of a run from many sources, live or final; else None."""
        held = self.trace or self.buffers
        return held.dist if held is not None and held.dist.ndim == 2 else None

    @property
    def nbytes(self) -> int:
        """How many bytes its samples and its matrix take."""
        return self.samples.nbytes + (self.matrix.nbytes if self.matrix is not None else 0)

    @property
    def source_count(self) -> int:
        """How many sources it has: one, or the rows of its matrix."""
        if not self.is_matrix:
            return 1
        chosen = self.settings.parameters.get("sources")
        rest = self.graph_reference.n - self.settings.source
        return rest if chosen is None else int(chosen)

    @property
    def shown_source(self) -> int:
        """The 0-based source of `dist`."""
        return self.settings.source + self.row

    @property
    def vertices(self) -> VertexProbe | None:
        """Per-vertex times, live or final; None below probe level 2, and of many sources."""
        return None if self.is_matrix else self._probed

    @property
    def sources(self) -> VertexProbe | None:
        """Of a run from many sources: when each vertex, as source, was begun and finished."""
        return self._probed if self.is_matrix else None

    @property
    def _probed(self) -> VertexProbe | None:
        held = self.trace or self.buffers
        return held.vertices if held is not None else None

    @property
    def reached(self) -> int | None:
        """How many distances are finite, None where nobody has counted a matrix."""
        if self.trace is None or (self.is_matrix and "reached" not in self.trace.environment):
            return None
        return self.trace.reached

    @property
    def efficiency(self) -> float:
        """Reached over processed vertices of a finished run, 0 where it is not known."""
        if self.trace is None or self.state != "finished" or not self.trace.counted:
            return 0.0
        return (self.reached or 0) / max(self.trace.processed_vertices, 1)

    @property
    def errors(self) -> OrderErrors | None:
        """Exact errors of order of a finished run at probe level 3."""
        return self.trace.errors if self.trace is not None else None

    def append(self, batch: np.ndarray) -> tuple[int, int]:
        """Copy SAMPLE (k,) to the end; return the range [first, last) that it fills."""
        first, last = self._count, self._count + len(batch)
        if last > len(self._store):
            grown = np.empty(max(2 * len(self._store), last), SAMPLE)
            grown[:first] = self._store[:first]
            self._store = grown
        self._store[first:last] = batch
        self._count = last
        return first, last

    def adopt(self, trace: Trace) -> bool:
        """Take over a finished trace; return whether its samples differ from ours in number."""
        differs = len(trace.samples) != self._count
        self._store, self._count = trace.samples, len(trace.samples)
        self.trace, self.buffers, self.clock = trace, None, trace.clock
        self.state = "stopped" if trace.outcome == "stopped" else "finished"
        self.verification = trace.verification or self.verification
        return differs


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

    def add_notice(self, notice: Notice) -> None:
        """Show a message, with the words and offers of the one that stands."""
        old = self.notice
        if old is not None:
            words, offers = f"{old.words} {notice.words}", old.offers + notice.offers
            notice = replace(notice, words=words, advice=notice.advice or old.advice, offers=offers)
        self.set_notice(notice)

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
