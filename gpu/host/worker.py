"""The child's main loop: take a command, do it, say how it ended.

The parent sends a command only when the one before is done, so the pipe need not be read during a
run: stop, delta and pace are numbers in shared memory (`ring`).

Threads     *main* serves commands, and warms up between them. *parent* waits for the parent's
            death, removes the segments and ends the process, also during a run.
Errors      A GpuError travels as it is. Anything else is a bug of ours or a fault of the machine:
            an EngineError of one line, with the traceback as details for a log.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from multiprocessing import connection
from typing import Any, NoReturn

import numpy as np

from gpu.algorithms import ALGORITHMS
from gpu.algorithms.all_pairs import ADVICE
from gpu.cuda.watchdog import end_process_on_silence
from gpu.engine import Observer, RunBuffers, graph_reference
from gpu.errors import CancelledByUserError, EngineError, GpuError, MemoryNeededError
from gpu.files import abandon
from gpu.graph import CSRGraph
from gpu.host.memory import (
    GraphHandle,
    Memory,
    Segment,
    SharedArrays,
    SharedGraph,
    buffer_shapes,
    open_buffers,
    open_graph,
    share,
    share_graph,
)
from gpu.host.messages import GIVEN_UP, Entries, Failed, LoadRequest, Progress, Verified
from gpu.host.ring import Gate, SampleRing
from gpu.host.warm_up import PREPARING, Step, say_if_slow
from gpu.record.trace import SAMPLE, RunSettings, Trace, Verification, reached_mask

PROGRESS_S = 0.05  # between two reports with the same words
BEAT_S = 1.0  # between two signs of life


def main(
    pipe: connection.Connection, ring: SharedArrays, memory: Memory, entries: Entries
) -> NoReturn:
    """Serve until the parent says so or dies; never returns to the caller."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    try:
        samples = SampleRing(memory.attach(ring))
    except FileNotFoundError:  # given back already: the parent died while this process began
        leave(memory)
    end_with_parent(memory, samples.beat)
    try:
        Worker(pipe, samples, memory, entries).serve()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)  # no atexit: threads may be deep in compiled code


def end_with_parent(memory: Memory, beat: Callable[[], object] = lambda: None) -> None:
    """Watch the parent from a thread of this process, and leave at once when it is dead.

    beat : called every BEAT_S, as long as this process can run Python code
    """
    threading.Thread(target=_watch, args=(memory, beat), name="parent", daemon=True).start()


def _watch(memory: Memory, beat: Callable[[], object]) -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        while not connection.wait([parent.sentinel], BEAT_S):
            beat()
        leave(memory)


def leave(memory: Memory) -> NoReturn:
    """End this process at once: the parent is dead."""
    memory.sweep()
    abandon()
    os._exit(1)


class Worker:
    """Serves commands; keeps the graph last used."""

    def __init__(
        self, pipe: connection.Connection, ring: SampleRing, memory: Memory, entries: Entries
    ) -> None:
        self.ring, self.memory = ring, memory
        self._pipe, self._entries = pipe, entries
        self._sending = threading.Lock()
        self._graph: SharedGraph | None = None
        self._steps: list[Step] | None = None  # of the warm-up, still to be done

    def serve(self) -> None:
        """Take commands until "quit"."""
        self.send("hello")
        end_process_on_silence(lambda words: self.send("silent", words))
        commands: dict[str, Callable[..., None]]
        commands = {"load": self._load, "run": self._run, "lay_out": self._lay_out}
        while (command := self._next())[0] != "quit":
            name, run_id, *arguments = command
            try:
                commands[name](run_id, *arguments)
            except Exception as error:
                self.send("tell", failure(run_id, error))
            self.send("done")

    def send(self, name: str, *arguments: Any) -> None:
        """Send a reply to the parent; where that is dead, end this process."""
        try:
            with self._sending:
                self._pipe.send((name, *arguments))
        except OSError:
            leave(self.memory)

    def progress(self, run_id: int, words: str) -> None:
        """Tell what goes on; how far it is, is unknown."""
        self.send("tell", Progress(run_id, -1.0, words))

    def _next(self) -> Any:
        """Return the next command; until one comes, warm up."""
        try:
            while self._steps != [] and not self._pipe.poll(0):
                self._warm_up()
            return self._pipe.recv()
        except (EOFError, OSError):
            leave(self.memory)

    def _warm_up(self) -> None:
        """Do the next step; one that fails is the last. The first one makes the child ready."""
        is_first = self._steps is None
        try:
            if self._steps is None:
                entry = self._entries.warm_up
                self._steps = resolve(entry)() if entry else []
            if self._steps:
                words, act = self._steps.pop(0)
                with say_if_slow(lambda: self.progress(0, words)):
                    act()
        except Exception as error:
            self._steps = []
            self.send("tell", failure(0, error))
        if is_first:
            self.send("warmed_up")

    # load

    def _load(self, run_id: int, request: LoadRequest) -> None:
        self._graph = None  # the new one needs its memory
        options = dict(vars(request))
        what = options.pop("what")
        if str(what).startswith("sample:"):
            graph: CSRGraph = resolve(self._entries.open_sample)(str(what))
        else:
            options |= {"progress": Reporter(run_id, self.send)}
            options |= {"should_stop": lambda: self.ring.is_stopped(run_id)}
            graph = resolve(self._entries.load_graph)(what, **options)
        picture = None
        if graph.positions is None:
            picture = resolve(self._entries.provisional)(graph)
        self._check_stop(run_id)
        self._graph = shared = share_graph(self.memory, run_id, graph, picture)
        vars(shared.graph)["hash"] = graph.hash  # begun when it was read, the same for its copy
        self.send("loaded", shared.handle, shared.graph.hash, shared.graph.mean_weight)

    def _check_stop(self, run_id: int) -> None:
        if self.ring.is_stopped(run_id):
            raise CancelledByUserError("stopped")

    def _graph_of(self, handle: GraphHandle) -> CSRGraph:
        if self._graph is None or self._graph.handle.token != handle.token:
            segment = self.memory.attach(handle.shared)
            self._graph = open_graph(handle, segment, writeable=True)
        return self._graph.graph

    # run

    def _run(self, run_id: int, handle: GraphHandle, settings: RunSettings) -> None:
        graph = self._graph_of(handle)
        row = ALGORITHMS.get(settings.algorithm)
        words = PREPARING.format(row.title if row is not None else settings.algorithm)
        with say_if_slow(lambda: self.progress(run_id, words)) as call_off:
            watched = WatchedRun(self, run_id, graph, call_off)
            trace: Trace = resolve(self._entries.run)(graph, settings, watched)
        events = None
        if trace.events is not None:
            events = share(self.memory, f"e{run_id}", {"events": trace.events}).shared
        self.send("ended", without_arrays(trace), events)
        if trace.outcome == "finished":
            self._verify(run_id, graph, trace)

    def _verify(self, run_id: int, graph: CSRGraph, trace: Trace) -> None:
        options: dict[str, Any] = {"should_stop": lambda: self.ring.is_stopped(run_id)}
        if trace.dist.ndim == 2:  # row by row: that takes a while
            options["progress"] = Reporter(run_id, self.send)
        try:
            verify = resolve(self._entries.verify)
            verified = verify(graph, trace.settings.source, trace.dist, **options)
        except CancelledByUserError:
            verified = GIVEN_UP
        except Exception as error:  # says nothing about the distances
            verified = Verification(None, None, f"could not be verified: {one_line(error)}")
        self.send("tell", Verified(run_id, verified))

    # layout

    def _lay_out(
        self,
        run_id: int,
        handle: GraphHandle,
        kind: str,
        delta: float | None,
        arrays: SharedArrays | None,
    ) -> None:
        graph, dist = self._graph_of(handle), None
        if arrays is not None:
            dist = self.memory.attach(arrays).arrays(writeable=True)["dist"]
        positions = resolve(self._entries.layout)(
            graph,
            kind,
            dist=dist,
            delta=delta,
            progress=Reporter(run_id, self.send),
            should_stop=lambda: self.ring.is_stopped(run_id),
        )
        self._check_stop(run_id)
        shared = share(self.memory, f"p{run_id}", {"positions": positions}).shared
        self.send("laid_out", shared)


class WatchedRun(Observer):
    """The observer of a run in this process: shared arrays, the ring, the knobs.

    on_first : called when samples come
    """

    def __init__(
        self, worker: Worker, run_id: int, graph: CSRGraph, on_first: Callable[[], None]
    ) -> None:
        super().__init__()
        self._worker, self._run_id, self._graph = worker, run_id, graph
        self._on_first, self._ring = on_first, worker.ring
        self._gate = Gate(worker.ring, run_id)
        self._attempts = 0

    def begin(self, graph: CSRGraph, settings: RunSettings) -> RunBuffers:
        """Make the arrays, and tell the parent of them."""
        segment = self._segment(graph, settings)
        buffers = open_buffers(segment, writeable=True)
        buffers.clear()
        reference = graph_reference(self._graph, settings.source)
        self._worker.send("started", settings, reference, segment.shared)
        self._attempts += 1
        return buffers

    def on_samples(self, samples: np.ndarray) -> None:
        """Pass samples into the ring."""
        self._on_first()
        self._gate.push(samples)

    def samples(self) -> np.ndarray:
        """Return none: the parent keeps them."""
        return np.empty(0, SAMPLE)

    def should_stop(self) -> bool:
        """Whether the parent asked this run to end."""
        return self._ring.is_stopped(self._run_id)

    def delta_by_hand(self) -> float | None:
        """Return the delta that the user holds."""
        return self._ring.delta

    def samples_per_slice(self) -> int:
        """Return how many samples fit the user's pace."""
        return self._gate.slice()

    def _segment(self, graph: CSRGraph, settings: RunSettings) -> Segment:
        """Take the space that the run writes into; a matrix that does not fit gets advice."""
        tag = f"r{self._run_id}.{self._attempts}"
        try:
            return self._worker.memory.create(tag, buffer_shapes(graph, settings))
        except MemoryNeededError as error:
            if ALGORITHMS[settings.algorithm].result == "row":
                raise
            raise MemoryNeededError(f"{error}; or {ADVICE}") from error


class Reporter:
    """A `progress(fraction, words)` that sends new words at once, numbers at 20 Hz."""

    def __init__(self, run_id: int, send: Callable[..., None]) -> None:
        self._run_id, self._send = run_id, send
        self._words = ""
        self._sent_at = 0.0

    def __call__(self, fraction: float, words: str) -> None:
        """Report, unless that was just done."""
        now = time.monotonic()
        if words != self._words or now - self._sent_at >= PROGRESS_S:
            self._words, self._sent_at = words, now
            self._send("tell", Progress(self._run_id, float(fraction), words))


def without_arrays(trace: Trace) -> Trace:
    """Return a trace that fits through a pipe; a whole matrix is counted first."""
    environment, dist = trace.environment, trace.dist
    if dist.ndim == 2 and trace.outcome == "finished":
        parts = (dist[row : row + 1] for row in range(len(dist)))
        reached = sum(int(np.count_nonzero(reached_mask(part))) for part in parts)
        environment = {**environment, "reached": reached}
    return replace(
        trace, dist=np.empty(0, dist.dtype), vertices=None, events=None, environment=environment
    )


def resolve(entry: str) -> Any:
    """Return the function that "module:function" names."""
    module, function = entry.split(":")
    return getattr(importlib.import_module(module), function)


def one_line(error: BaseException) -> str:
    """Return type and message of an error, without line breaks."""
    words = " ".join(str(error).split())
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def failure(run_id: int, error: Exception) -> Failed:
    """Return the message that tells the parent of an error."""
    if isinstance(error, CancelledByUserError):
        return Failed(run_id, error)
    details = "".join(traceback.format_exception(error))
    fault = error if isinstance(error, GpuError) else EngineError(one_line(error))
    return Failed(run_id, fault, details)
