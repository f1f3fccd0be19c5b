"""The engine process: one command at a time, on its main thread.

The parent sends a command only when the one before is done, so there is no queue here,
and nothing in the pipe has to be read during a run: stop, delta and pace are numbers
in shared memory (see ring).

Threads     *main* serves commands. *watchdog* waits for the parent's death, removes the
            segments and ends the process, also in the middle of a run. *warm-up*
            imports and compiles step by step once no command waits; a command that comes
            meanwhile is served at once and waits only for what it needs itself, but a run
            that is measured, which waits for the step under way and has quiet till its end.

Errors      A GpuError travels as it is. Anything else is a bug of ours or the machine's
            end: an EngineError with type and message on one line, and the traceback as
            details for a log.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing import connection
from typing import Any, NoReturn

import numpy as np

from gpu.algorithms import ALGORITHMS
from gpu.cuda.watchdog import end_process_on_silence
from gpu.engine import EngineOutcome, RunBuffers, graph_reference
from gpu.errors import CancelledByUserError, EngineError, GpuError
from gpu.graph import CSRGraph
from gpu.host.memory import LARGE, Memory, SharedArrays, share
from gpu.host.messages import (
    Begun,
    Described,
    Done,
    Ended,
    Entries,
    Failed,
    GraphHandle,
    Hello,
    LaidOut,
    LayoutCommand,
    LoadCommand,
    Loaded,
    Progress,
    Quit,
    RunCommand,
    Started,
    Verified,
    WarmedUp,
)
from gpu.host.observer import RingObserver
from gpu.host.orphan import end_with_parent, leave
from gpu.host.ring import SampleRing
from gpu.host.shared_graph import (
    SharedGraph,
    open_buffers,
    open_graph,
    share_graph,
    with_note,
)
from gpu.host.warm_up import COMPILING, COMPILING_KERNELS, FIRST_ROWS, Warming, say_if_slow
from gpu.memory import give_back_freed
from gpu.record.trace import (
    Probe,
    RunSettings,
    Verification,
    reached_mask,
)
from gpu.words import size_words

PROGRESS_S = 0.05  # between two reports with the same words


def main(
    pipe: connection.Connection, ring: SharedArrays, memory: Memory, entries: Entries
) -> NoReturn:
    """Serve until the parent says so or dies; never returns to the caller."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    end_with_parent(memory)
    try:
        segment = memory.attach(ring, owner=False)
    except FileNotFoundError:  # given back already: the parent died while this process began
        leave(memory)
    try:
        Worker(pipe, SampleRing(segment), memory, entries).serve()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    memory.sweep()  # as the parent does next, if it is not killed before
    os._exit(0)  # no atexit: threads may be deep in compiled code


class Worker:
    """Serves commands; remembers only the graph last used."""

    def __init__(
        self, pipe: connection.Connection, ring: SampleRing, memory: Memory, entries: Entries
    ) -> None:
        self._pipe, self._ring, self._memory, self._entries = pipe, ring, memory, entries
        self._sending = threading.Lock()
        self._warming: Warming | None = None
        self._graph: SharedGraph | None = None
        self._run_id = 0  # of the command being served
        self._handlers: dict[type, Callable[[Any], None]] = {
            LoadCommand: self._load,
            RunCommand: self._run,
            LayoutCommand: self._lay_out,
        }

    def serve(self) -> None:
        """Take commands until Quit."""
        self._send(Hello())
        end_process_on_silence(self._report_silence)
        self._memory.clean_stale()
        while not isinstance(command := self._next(), Quit):
            self._run_id = command.run_id
            self._send(Begun(command.run_id))
            self._serve_one(command)
            self._send(Done(command.run_id))

    def _next(self) -> Any:
        try:
            if not self._pipe.poll(0):
                self._start_warm_up()
            return self._pipe.recv()
        except (EOFError, OSError):
            leave(self._memory)

    def _serve_one(self, command: Any) -> None:
        try:
            self._handlers[type(command)](command)
        except Exception as error:
            self._send(failure(command.run_id, error))

    def _report_silence(self, words: str) -> None:
        self._send(failure(self._run_id, EngineError(words)))

    def _send(self, reply: object) -> None:
        try:
            with self._sending:
                self._pipe.send(reply)
        except OSError:
            leave(self._memory)

    # warm-up

    def _start_warm_up(self) -> None:
        if self._warming is None:
            entry = self._entries.warm_up
            self._warming = Warming(
                resolve(entry) if entry else list,
                say=lambda words: self._send(Progress(0, -1.0, words)),
                ready=lambda: self._send(WarmedUp()),
                fail=lambda error: self._send(failure(0, error)),
            )
            self._warming.start()

    # load

    def _load(self, command: LoadCommand) -> None:
        self._forget_graph()
        shared = share_graph(self._memory, command.run_id, self._read(command))
        try:
            shared = self._with_picture(shared)
            self._check_stop(command.run_id)
        except BaseException:
            shared.segment.unlink()
            raise
        self._graph = shared
        self._send(Loaded(command.run_id, shared.handle))
        self._send(Described(command.run_id, shared.graph.hash, shared.graph.mean_weight))

    def _read(self, command: LoadCommand) -> CSRGraph:
        request = command.request
        what = str(request.what)
        if what.startswith("sample:"):
            graph = resolve(self._entries.open_sample)(what)
        else:
            graph = resolve(self._entries.load_graph)(
                request.what,
                undirected=request.undirected,
                weights=request.weights,
                format=request.format,
                weight_name=request.weight_name,
                progress=Reporter(command.run_id, self._send),
                should_stop=lambda: self._ring.is_stopped(command.run_id),
            )
        self._check_stop(command.run_id)
        return graph

    def _with_picture(self, shared: SharedGraph) -> SharedGraph:
        if shared.picture is None:
            return shared
        try:
            shared.picture[...] = resolve(self._entries.provisional)(shared.graph)
        except Exception as error:  # a graph without a picture is better than no graph
            return with_note(shared, f"no first picture: {one_line(error)}")
        return shared

    def _check_stop(self, run_id: int) -> None:
        if self._ring.is_stopped(run_id):
            raise CancelledByUserError("stopped")

    def _forget_graph(self) -> None:
        """Let the old graph's memory go before the new one's is taken, and what its runs left."""
        self._graph = None
        give_back_freed()

    def _graph_of(self, handle: GraphHandle) -> CSRGraph:
        if self._graph is None or self._graph.handle.token != handle.token:
            self._forget_graph()
            segment = self._memory.attach(handle.shared, owner=False)
            self._graph = open_graph(handle, segment, writeable=True)
        return self._graph.graph

    # run

    def _run(self, command: RunCommand) -> None:
        run_id = command.run_id
        graph = self._graph_of(command.graph)
        buffers = self._buffers(command)
        with say_if_slow(lambda: self._say_compiling(run_id, command.settings, graph)) as call_off:
            settings = resolve(self._entries.check)(graph, command.settings)
            with self._quiet(run_id, settings):
                self._send(Started(run_id, settings, graph_reference(graph, settings.source)))
                observer = RingObserver(self._ring, run_id, command.steps, call_off)
                outcome = resolve(self._entries.execute)(graph, settings, buffers, observer)
        events = self._share(f"e{run_id}", {"events": outcome.events})
        outcome = with_reached(outcome, buffers.dist)
        self._send(Ended(run_id, replace(outcome, events=None), events))
        if command.verify and outcome.outcome == "finished":
            self._verify(run_id, graph, settings.source, buffers.dist)

    @contextlib.contextmanager
    def _quiet(self, run_id: int, settings: RunSettings) -> Iterator[None]:
        """Hold the warm-up while a run is measured. Stop ends the wait, and then the run."""
        warming = self._warming if settings.engine != "model" else None
        held = warming is not None and warming.hold(lambda: self._ring.is_stopped(run_id))
        try:
            yield
        finally:
            if warming is not None and held:
                warming.release()

    def _buffers(self, command: RunCommand) -> RunBuffers:
        """Take the space that the run writes into, and clear it."""
        segment = self._memory.attach(command.buffers, owner=False)
        nbytes = command.buffers.nbytes
        if nbytes >= LARGE:
            self._send(Progress(command.run_id, -1.0, f"taking {size_words(nbytes)}"))
        segment.reserve()
        buffers = open_buffers(segment, writeable=True)
        buffers.clear()
        return buffers

    def _say_compiling(self, run_id: int, settings: RunSettings, graph: CSRGraph) -> None:
        from gpu.compiled import PLAIN_ARCS

        if settings.engine == "model" and graph.m <= PLAIN_ARCS:
            return  # it runs uncompiled
        keys = list(ALGORITHMS)  # the warm-up compiles the first of them, on whole weights
        measured = settings.engine != "model"
        plain = graph.integer and settings.probe < Probe.EVENTS
        late = settings.algorithm in keys and (
            settings.algorithm in keys[FIRST_ROWS:] or measured or not plain
        )
        warm = self._warming is not None and self._warming.done.is_set()
        if late or not warm:
            words = COMPILING_KERNELS if settings.engine == "cuda" else COMPILING
            row = ALGORITHMS.get(settings.algorithm)
            what = row.title if row is not None else settings.algorithm
            what += " with every event" if settings.probe >= Probe.EVENTS else ""
            what += "" if graph.integer else " on decimal weights"
            self._send(Progress(run_id, -1.0, words.format(what)))

    def _verify(self, run_id: int, graph: CSRGraph, source: int, dist: np.ndarray) -> None:
        def should_stop() -> bool:
            return self._ring.is_stopped(run_id)

        try:
            told: dict[str, Any] = {"should_stop": should_stop}
            if dist.ndim == 2:  # row by row: that takes a while
                told["progress"] = Reporter(run_id, self._send)
            verified = resolve(self._entries.verify)(graph, source, dist, **told)
        except CancelledByUserError:
            return
        except Exception as error:  # says nothing about the distances
            verified = Verification(None, None, f"could not be verified: {one_line(error)}")
        self._send(Verified(run_id, verified))

    # layout

    def _lay_out(self, command: LayoutCommand) -> None:
        graph = self._graph_of(command.graph)
        dist = None
        if command.arrays is not None:
            segment = self._memory.attach(command.arrays, owner=False)
            dist = segment.arrays(writeable=True)["dist"]
        positions = resolve(self._entries.layout)(
            graph,
            command.kind,
            dist=dist,
            delta=command.delta,
            progress=Reporter(command.run_id, self._send),
            should_stop=lambda: self._ring.is_stopped(command.run_id),
        )
        self._check_stop(command.run_id)
        arrays = self._share(f"p{command.run_id}", {"positions": positions})
        if arrays is not None:
            self._send(LaidOut(command.run_id, arrays))

    def _share(self, tag: str, arrays: dict[str, np.ndarray | None]) -> SharedArrays | None:
        """Put arrays where the parent will find them; it owns the name from then on."""
        given = {name: array for name, array in arrays.items() if array is not None}
        return share(self._memory, tag, given).shared if given else None


class Reporter:
    """A `progress(fraction, words)` that sends new words at once, numbers at 20 Hz."""

    def __init__(self, run_id: int, send: Callable[[object], None]) -> None:
        self._run_id, self._send = run_id, send
        self._words = ""
        self._sent_at = 0.0

    def __call__(self, fraction: float, words: str) -> None:
        """Report, unless it was just done."""
        now = time.monotonic()
        if words != self._words or now - self._sent_at >= PROGRESS_S:
            self._words, self._sent_at = words, now
            self._send(Progress(self._run_id, float(fraction), words))


def checked_here(graph: CSRGraph, settings: RunSettings) -> RunSettings:
    """Return `checked_settings`, or raise what the GPU has against them: nobody waits for it."""
    from gpu.engine import checked_settings

    settings = checked_settings(graph, settings)
    if settings.engine == "cuda":
        from gpu.cuda.device import find_device

        find_device(settings.device)
    return settings


def with_reached(outcome: EngineOutcome, dist: np.ndarray) -> EngineOutcome:
    """Return the outcome of a whole matrix with the count of its finite distances."""
    if dist.ndim == 1 or outcome.outcome != "finished":
        return outcome
    parts = (dist[row : row + 1] for row in range(len(dist)))
    reached = sum(int(np.count_nonzero(reached_mask(part))) for part in parts)
    return replace(outcome, environment={**outcome.environment, "reached": reached})


def resolve(entry: str) -> Any:
    """Return the function that "module:function" names."""
    module, function = entry.split(":")
    return getattr(importlib.import_module(module), function)


def one_line(error: BaseException) -> str:
    """Return type and message of an error, without line breaks."""
    words = " ".join(str(error).split())
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def failure(run_id: int, error: Exception) -> Failed:
    """Return what the parent is told of an error."""
    details = "".join(traceback.format_exception(error))
    if isinstance(error, GpuError) and _travels(error):
        return Failed(run_id, error, "" if isinstance(error, CancelledByUserError) else details)
    return Failed(run_id, EngineError(one_line(error)), details)


def _travels(error: GpuError) -> bool:
    """Whether an error survives the pipe: it takes its own arguments back."""
    try:
        return type(pickle.loads(pickle.dumps(error))) is type(error)  # noqa: S301 (our own bytes)
    except Exception:
        return False
