"""Start, stop, load: the one owner of the engine process, on the GUI thread.

What the engine process reports goes into the models. Nothing waits: one 30 Hz timer drains its
messages and its ring of samples. Every request has a `run_id`; answers to an older one are dropped.

A run that ends within `BLINK_S` of wall time is too short to watch, so it is replayed from the
start (not with less motion). During a run, playback follows its newest sample.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PyQt6.QtCore import QObject, QTimer, pyqtSignal

from gpu import host as messages
from gpu.engine import checked_settings, graph_reference
from gpu.errors import CancelledByUserError, EngineError, GpuError
from gpu.graph import CSRGraph
from gpu.host import EngineHost, LoadRequest
from gpu.record.reach import SAMPLE, is_elsewhere, question
from gpu.record.trace import RunSettings
from gpu.record.workspace import reader_options
from gpu.study.statistics import SMALL_ARCS, reachable
from gpu.words import thousands
from sample_graphs import remembered_reference, suggested_source
from viewer.common.glossary import capital
from viewer.models.open_choices import outside, refusal
from viewer.models.playback import PlaybackModel
from viewer.models.session import PROGRESS_UNKNOWN, GraphOutline, Notice, RunRecord, SessionModel

POLL_MS = 33
HUBS = 8  # vertices that are tried as the source of a file's graph
BLINK_S = 1.0  # a run shorter than this, in wall time, is replayed
STARTING, RUNNING = "Starting the engine…", "Running…"
WITHOUT_GPU = "Another machine can be chosen in the Run panel: modelled GPUs run everywhere."
LOST_ADVICE = "A fresh engine is starting: run it again."


class Controller(QObject):
    """Owns the EngineHost; see the module docstring."""

    running_changed = pyqtSignal(bool)  # a run was asked for and has not ended
    file_opened = pyqtSignal(str, object)  # a path that was read without fault; its options
    file_failed = pyqtSignal(str)  # a path that could not be read

    def __init__(
        self,
        session: SessionModel,
        playback: PlaybackModel,
        host: EngineHost | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.session, self.playback = session, playback
        self.host = host if host is not None else EngineHost()
        self.replay_short = True
        self.ready = False
        self.preparing = ""  # what the engine process prepares, "" once it is ready
        self._run_id = self._load_id = self._placement_id = self._proof_id = -1
        self._arcs_id = -1  # of the request for the graph whose outline is shown
        self._opening = ""  # what is being loaded
        self._options: dict[str, Any] = {}  # and how
        self._opens: RunRecord | None = None  # to be shown once its graph is here
        self._started_at = 0.0
        self._is_closed = False
        self._timer = QTimer(self)
        self._timer.setInterval(POLL_MS)
        self._timer.timeout.connect(self._poll)
        self._handlers: dict[type, Callable[[Any], None]] = {
            messages.Ready: self._on_ready,
            messages.Progress: self._on_progress,
            messages.GraphLoaded: self._on_graph_loaded,
            messages.LayoutDone: self._on_placed,
            messages.RunStarted: self._on_run_started,
            messages.RunFinished: self._on_run_finished,
            messages.Verified: self._on_verified,
            messages.Failed: self._on_failed,
            messages.EngineLost: self._on_engine_lost,
        }

    def start(self) -> None:
        """Start the engine process and the timer; returns at once."""
        self._prepare(STARTING)
        self.host.start()
        self._timer.start()

    @property
    def running(self) -> bool:
        """Whether a run was asked for and has not ended."""
        return self._run_id >= 0

    @property
    def opening(self) -> str:
        """The name of what is being opened, or still being made, "" for nothing."""
        if self._load_id >= 0:
            return _short(self._opening)
        graph = self.session.graph
        return graph.name if graph is not None and self.session.arcs_missing else ""

    def open(self, what: str | Path, **options: Any) -> None:
        """Load a file or "sample:..." in the engine process; options of LoadRequest."""
        self.stop()
        self._opening, self._options, self._placement_id = str(what), reader_options(options), -1
        self._load_id = self.host.load(LoadRequest(what, **options))
        self.session.set_progress(PROGRESS_UNKNOWN, f"Opening {_short(self._opening)}…")

    def show_graph(self, graph: CSRGraph) -> None:
        """Show a graph made in this process and hand it to the engine process."""
        self.stop()
        self._opens = None
        self._load_id = self._placement_id = -1
        self.session.set_progress(None)
        if isinstance(graph, GraphOutline):
            self.session.set_graph(graph)
            self._ask_for_arcs()
            return
        try:
            self.host.put_graph(graph)
        except GpuError as error:
            self._notice_error(error)
            return
        self.session.set_graph(graph)
        self.session.set_source(first_source(graph))
        self._ask_for_placement(graph)

    def _ask_for_arcs(self) -> None:
        graph = self.session.graph
        if isinstance(graph, GraphOutline):
            self._arcs_id = self.host.load(LoadRequest(graph.reference))

    def show_run(self, record: RunRecord) -> None:
        """Make a run the current one; its graph is opened again where another one is shown."""
        graph, reference = self.session.graph, record.graph_reference
        if graph is not None and graph.hash == reference.hash:
            self.session.set_current(record)
        elif reference.origin.startswith(SAMPLE):
            self._open_for(record, remembered_reference(reference.origin, reference.options), {})
        elif reference.origin == "memory":
            words = f"{reference.name} was made by a program and cannot be opened again."
            self.session.set_notice(Notice("warning", words))
        else:
            self._open_for(record, reference.origin, reader_options(reference.options))

    def _open_for(self, record: RunRecord, origin: str, options: dict[str, Any]) -> None:
        self._opens = record
        self.open_named(origin, record.folder, options)

    def open_named(self, origin: str, folder: Path | None, options: dict[str, Any]) -> None:
        """Open the graph that a file in `folder` names; ask first about a place outside it."""
        place = ""
        if folder is not None:
            origin = origin if origin.startswith(SAMPLE) else str(folder / origin)
            place = question(origin, folder)
        if place and is_elsewhere(origin):
            words = f"{origin} is not opened: it lies on another computer, or is a device."
            self.session.set_notice(Notice("warning", words, "Open the graph where it is now."))
            return
        if place:
            self.session.set_notice(outside(place, origin, options))
        else:
            self.open(origin, **options)

    def _show_opened_run(self) -> None:
        record, graph = self._opens, self.session.graph
        self._opens = None
        if record is None or graph is None:
            return
        if graph.hash == record.graph_reference.hash and record in self.session.runs:
            self.session.set_current(record)

    def start_run(
        self, settings: RunSettings, pace: float | None = None, show: bool = True
    ) -> None:
        """Run on the session's graph; pace in samples per second, None at full speed.

        `show` off: the run goes into the table and the panels stay with the current one.
        """
        graph = self.session.graph
        if self._load_id >= 0:
            words = f"{self.opening} is still being opened."
            self.session.set_notice(Notice("info", words, "Run it when it is here."))
        if graph is None or self.running or self._load_id >= 0:
            return
        try:
            settings = checked_settings(graph, settings)
        except GpuError as error:
            self._notice_error(error)
            return
        self.host.set_delta(None)
        self.host.set_pace(pace)
        self._proof_id = -1
        self._run_id = self.host.run(settings)
        self._started_at = time.monotonic()
        clock = "modelled" if settings.engine == "model" else "measured"
        reference = graph_reference(graph, settings.source)
        self.session.set_notice(None)
        self.session.add_run(RunRecord(self._run_id, settings, reference, clock), show)
        self.running_changed.emit(True)
        self.session.set_progress(PROGRESS_UNKNOWN, self.preparing or RUNNING)

    def stop(self) -> None:
        """End the run, if one is going; what it recorded stays."""
        if self.running:
            self.host.stop()

    def cancel(self) -> None:
        """Give up whatever is under way: run, load or placement."""
        if self.running:
            self.stop()
        elif max(self._load_id, self._placement_id, self._proof_id) >= 0:
            self.host.stop()
            self._load_id = self._placement_id = self._proof_id = -1
        self.session.set_progress(None)

    def set_source(self, vertex: int) -> None:
        """Start the next run at this vertex, by its 0-based index."""
        try:
            self.session.set_source(vertex)
        except GpuError as error:
            self._notice_error(error)

    def set_delta(self, delta: float) -> None:
        """Hold Δ by hand while a run goes on."""
        if self.running:
            self.host.set_delta(delta)

    def release_delta(self) -> None:
        """Let the algorithm drive Δ again."""
        self.host.set_delta(None)

    def set_pace(self, samples_per_second: float | None) -> None:
        """Change the pace of the run; None is full speed."""
        self.host.set_pace(samples_per_second)

    def close(self) -> None:
        """Stop everything; no process, timer or segment is left. Idempotent."""
        if self._is_closed:
            return
        self._is_closed = True
        self._timer.stop()
        self.host.close()

    def _poll(self) -> None:
        if self._run_id >= 0:
            batch = self.host.take_samples()
            if len(batch):
                self.session.set_waiting("")
                self.session.append_samples(self._run_id, batch)
                self._show_sources(batch[-1])
        for message in self.host.poll():
            self._handlers[type(message)](message)

    def _show_sources(self, sample: np.void) -> None:
        record = self.session.run_by_id(self._run_id)
        if record is not None and record.is_matrix:
            done, count = int(sample["occupancy"][2]), record.source_count
            words = f"{thousands(done)} of {thousands(count)} sources…"
            self.session.set_progress(min(done / count, 0.999), words)

    def _on_ready(self, _message: messages.Ready) -> None:
        self.ready = True
        self._prepare("")

    def _prepare(self, words: str) -> None:
        self.preparing = words
        self.session.set_waiting(words)
        if self.running:
            self.session.set_progress(PROGRESS_UNKNOWN, words or RUNNING)

    def _on_progress(self, message: messages.Progress) -> None:
        words = f"{capital(message.words)}…"
        if message.run_id == 0 and not self.ready:
            self._prepare(words)
        elif message.run_id in (self._run_id, self._load_id, self._placement_id):
            self.session.set_progress(message.fraction, words)
            if self.running:
                self.session.set_waiting(words)
        elif self._idle and self.session.run_by_id(message.run_id) is not None:
            self._proof_id = message.run_id  # rows of a matrix are proved
            self.session.set_progress(min(message.fraction, 0.999), words)

    @property
    def _idle(self) -> bool:
        return max(self._run_id, self._load_id, self._placement_id) < 0

    def _on_graph_loaded(self, message: messages.GraphLoaded) -> None:
        if message.run_id == self._arcs_id:
            self._arcs_id = -1
            self.session.complete(message.graph)
        if message.run_id != self._load_id:
            return
        self._load_id = -1
        self.session.set_progress(None)
        self.session.set_graph(message.graph)
        self._show_opened_run()
        self.session.set_source(first_source(message.graph))
        if message.graph.positions is None:
            self.session.set_positions(message.provisional_positions)
            self._ask_for_placement(message.graph)
        self.session.set_notice(None)
        if not self._opening.startswith("sample:"):
            self.file_opened.emit(self._opening, self._options)

    def _ask_for_placement(self, graph: CSRGraph) -> None:
        if graph.positions is None and graph.n:
            self._placement_id = self.host.layout("auto")

    def place(self, kind: str, dist: np.ndarray | None = None, delta: float | None = None) -> bool:
        """Place the vertices anew (`gpu.placement.placements`); return whether that is possible."""
        if self.session.graph is None or self.running or self.opening:
            return False
        self._placement_id = self.host.layout(kind, dist=dist, delta=delta)
        self.session.set_progress(PROGRESS_UNKNOWN, "Arranging the vertices…")
        return True

    def _on_placed(self, message: messages.LayoutDone) -> None:
        if message.run_id == self._placement_id:
            self._placement_id = -1
            self.session.set_progress(None)
            self.session.set_positions(message.positions)

    def _on_run_started(self, message: messages.RunStarted) -> None:
        if self._live_record(message.run_id) is None:
            return
        self._started_at = time.monotonic()
        self.session.set_progress(PROGRESS_UNKNOWN, RUNNING)
        live = self.host.live
        buffers = live.buffers if live and live.run_id == message.run_id else None
        self.session.change_run(message.run_id, buffers=buffers)

    def _on_run_finished(self, message: messages.RunFinished) -> None:
        record = self._live_record(message.run_id)
        if record is None:
            return
        took = time.monotonic() - self._started_at
        self.session.finish_run(message.run_id, message.trace)
        shown = self.session.current is record
        if shown:
            self.playback.set_following(False)
        self._end_run()
        if shown and self.replay_short and took < BLINK_S and message.trace.outcome == "finished":
            self.playback.replay()

    def _on_verified(self, message: messages.Verified) -> None:
        self.session.change_run(message.run_id, verification=message.verification)
        if message.run_id == self._proof_id:
            self._proof_id = -1
            if self._idle:
                self.session.set_progress(None)
        proofs = message.verification
        if False in (proofs.oracle, proofs.certificate):
            self.session.set_notice(Notice("error", "The distances are wrong:", proofs.detail))

    def _on_failed(self, message: messages.Failed) -> None:
        mine = message.run_id in (self._run_id, self._load_id, self._placement_id)
        was_load = message.run_id == self._load_id
        record = self._live_record(message.run_id)
        if record is not None:
            self._fail(message.run_id, str(message.error))
            self._end_run()
        self._load_id = -1 if was_load else self._load_id
        self._placement_id = -1 if message.run_id == self._placement_id else self._placement_id
        if was_load or message.run_id == self._arcs_id:
            self._ask_for_arcs()  # of the graph shown, whose outline the request has outlived
        if not mine:
            return
        self.session.set_progress(None)
        if not was_load or isinstance(message.error, CancelledByUserError):
            on_gpu = record is not None and record.settings.engine == "cuda"
            lost = on_gpu and isinstance(message.error, EngineError)
            self._notice_error(message.error, WITHOUT_GPU if lost else "")
        else:
            self.session.set_notice(refusal(message.error, self._opening, self._options))
        if was_load and not self._opening.startswith("sample:"):
            self.file_failed.emit(self._opening)

    def _on_engine_lost(self, message: messages.EngineLost) -> None:
        self.ready = False
        self._prepare(STARTING)
        self._load_id = self._placement_id = -1
        self._ask_for_arcs()
        if self.running:
            if message.trace is not None:
                self.session.finish_run(self._run_id, message.trace)
            self._fail(self._run_id, message.words)
            self._end_run()
        self._proof_id = -1
        self.session.set_progress(None)
        self.session.set_notice(Notice("error", message.words, LOST_ADVICE))

    def _fail(self, run_id: int, words: str) -> None:
        self.session.change_run(run_id, state="failed", failure=words, buffers=None)

    def _live_record(self, run_id: int) -> RunRecord | None:
        return self.session.run_by_id(run_id) if run_id == self._run_id else None

    def _end_run(self) -> None:
        self._run_id = -1
        self.session.set_progress(None)
        self.session.set_waiting(self.preparing)
        self.running_changed.emit(False)

    def _notice_error(self, error: Exception, advice: str = "") -> None:
        if isinstance(error, CancelledByUserError):
            self.session.set_notice(Notice("info", str(error)))
        else:
            self.session.set_notice(Notice("error", str(error), advice))


def first_source(graph: CSRGraph) -> int:
    """Return where runs start: where a sample suggests; on other graphs, at the first vertex.

    Where more is reached (of a large graph: only), at one of those with most edges out.
    """
    start = suggested_source(graph)
    if graph.provenance.origin.startswith(SAMPLE) or not graph.m:
        return start
    degrees = np.diff(graph.indptr)
    if graph.m > SMALL_ARCS:
        return start if degrees[0] else int(np.argmax(degrees))
    hubs = np.argsort(-degrees, kind="stable")[:HUBS].tolist()
    return max(start, *hubs, key=lambda one: np.count_nonzero(reachable(graph, one)))


def _short(what: str) -> str:
    return what if what.startswith("sample:") else Path(what).name
