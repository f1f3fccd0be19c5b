"""The far end: an ordinary engine host, driven by what comes over a link.

    sssp-scope engine --stdio

It takes one request at a time, as the near side sends them. It ends when the near side says so, or
is gone: nothing of it stays but the graphs that it keeps (`gpu.remote.graphs`). A run whose
connection broke goes on, and its trace is left for whoever comes back (`gpu.remote.left`).
"""

from __future__ import annotations

import math
import os
import platform
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from io import BufferedReader, BufferedWriter
from typing import Any, cast

import numpy as np

from gpu.errors import CancelledByUserError, FormatError, GpuError
from gpu.graph import CSRGraph
from gpu.host import (
    EngineHost,
    EngineLost,
    Entries,
    Failed,
    GraphLoaded,
    LayoutDone,
    LoadRequest,
    Memory,
    Message,
    Progress,
    Ready,
    RunFinished,
    RunStarted,
    Verified,
)
from gpu.host.ring import FRAME, Knobs
from gpu.memory import available_bytes
from gpu.reader.messages import noted
from gpu.record.trace import Trace
from gpu.record.tracefile import parts, plain
from gpu.remote import messages as wire
from gpu.remote.about import about_here
from gpu.remote.frames import PIECE_BYTES, Arrays, WireError, new_arrays
from gpu.remote.graphs import keep_graph, kept_graph
from gpu.remote.left import CAN_KEEP, KEEP_S, LeftRun, forget_old
from gpu.remote.link import Link

TICK_S = 1 / 30  # between batches of samples
IDLE_S = 0.25  # between looks while nothing goes on
FLUSH_S = 5.0
MOST_PART = 1 << 22  # bytes of distances at a turn
PICTURE = "provisional"


def serve(entries: Entries | None = None, memory: Memory | None = None) -> int:
    """Serve whoever holds the other ends of stdin and stdout until they are closed.

    Whatever else is printed here goes to stderr. Returns 0, or 1 with a line on stderr.
    """
    incoming = os.fdopen(os.dup(0), "rb")
    outgoing = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # the connection breaking is no reason to end
    return Far(incoming, outgoing, EngineHost(entries, memory)).serve()


def _hush() -> None:
    """Print to nowhere from now on: who listened is gone."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)


class LiveDistances:
    """Goes round the distances of a run, a part at each turn at which the link is free.

    A part that left within a turn makes the next one twice as long, one that did not half, so
    samples are held up by about a turn on any link.
    """

    def __init__(self) -> None:
        self._first, self._bytes = 0, PIECE_BYTES
        self._sent_at = -math.inf

    def part(self, dist: np.ndarray) -> tuple[int, np.ndarray]:
        """Return where the next part begins in the distances, in one row, and a copy of it."""
        now = time.monotonic()
        was_quick = now - self._sent_at < 2 * TICK_S
        wanted = self._bytes * 2 if was_quick else self._bytes // 2
        self._sent_at, self._bytes = now, min(max(wanted, PIECE_BYTES), MOST_PART)
        row = dist.reshape(-1)
        first = self._first if self._first < len(row) else 0
        part = row[first : first + self._bytes // row.itemsize].copy()
        self._first = first + len(part)
        return first, part


class Far:
    """One connection, seen from the computer that works."""

    def __init__(
        self, incoming: BufferedReader, outgoing: BufferedWriter, host: EngineHost
    ) -> None:
        self._host = host
        self._link = Link(incoming, outgoing, wire.FromNear, _room)
        self._knobs = Knobs()
        self._graph_hash = ""  # of the graph that the host has
        self._wanting: Any = None  # a request that waits for its graph
        self._stopped = 0  # requests up to this one are to end
        self._number = self._id = 0  # of the request under way, there and here
        self._sent = 0  # samples of this run
        self._left: LeftRun | None = None  # of the run under way, where it may be picked up
        self._trace: Trace | None = None  # of that run, until the near side has it
        self._picking: wire.PickUp | None = None  # a run that another process makes
        self._live: LiveDistances | None = None  # of this run, where they are wanted
        self._over = False
        self._handlers: dict[type, Callable[[Any, Arrays], None]] = {
            wire.Load: self._load,
            wire.Run: self._with_graph,
            wire.PickUp: self._pick_up,
            wire.Got: lambda *_: self._forget_run(),
            wire.LayOut: self._lay_out,
            wire.Graph: self._take_graph,
            wire.Stop: self._stop,
            wire.Hold: self._hold,
            wire.Ask: lambda *_: self._link.send(about_here()),
            wire.Quit: self._quit,
        }
        self._tellers: dict[type, Callable[[Any], None]] = {
            Ready: lambda _: self._link.send(wire.Ready()),
            Progress: self._tell_progress,
            GraphLoaded: self._tell_loaded,
            LayoutDone: self._tell_laid_out,
            RunStarted: self._tell_started,
            RunFinished: self._tell_finished,
            Verified: self._tell_verified,
            Failed: lambda m: self._fail(self._number if m.run_id else 0, m.error, m.details),
            EngineLost: self._tell_lost,
        }

    def serve(self) -> int:
        """Serve until the near side says so or is gone; return the exit code."""
        forget_old()
        self._link.send(wire.Hello(platform.node(), CAN_KEEP))
        try:
            self._host.start()
            while not (self._over or self._link.is_over or self._is_wanted()):
                self._link.wait(TICK_S if self._number else IDLE_S)
                self._turn()
            if not self._over:
                self._link.close()
                self._finish_alone()
        finally:
            self._host.close()
            self._link.flush(FLUSH_S if self._over else 0.0)
            fault = "" if self._over else self._link.fault
            self._link.close()
        if self._left is not None and self._trace is not None and not self._over:
            if not self._left.is_ours:
                return 1  # who makes it keeps it
            self._keep(self._left, self._trace)
        self._forget_run()
        if fault:
            with suppress(OSError):
                print(f"sssp-scope engine: {fault}", file=sys.stderr)
        return 1 if fault else 0

    def _is_wanted(self) -> bool:
        """Whether another process of ours is to pick the run up: its connection broke unseen."""
        return self._left is not None and self._left.is_ours and self._left.asked != ""

    def _finish_alone(self) -> None:
        """Let the run go on to its end and its proof, for KEEP_S at most, when nobody listens."""
        if self._left is not None:
            _hush()
        end = time.monotonic() + KEEP_S
        stopped = False
        while self._left is not None and not self._host.idle:
            if not stopped and (time.monotonic() > end or self._left.asked == "stop"):
                self._host.stop()
                stopped = True
            self._host.wait(IDLE_S)
            for message in self._host.poll():
                if isinstance(message, RunFinished):
                    self._trace = message.trace
                elif isinstance(message, Verified) and self._trace is not None:
                    self._trace = replace(self._trace, verification=message.verification)
                elif isinstance(message, EngineLost) and message.run_id == self._id:
                    self._trace = message.trace
            self._host.take_samples()

    def _keep(self, left: LeftRun, trace: Trace) -> None:
        """Leave the trace where it can be picked up, until it was or KEEP_S are over."""
        try:
            left.leave(trace)
        except (OSError, GpuError):
            return
        end = time.monotonic() + KEEP_S
        while left.is_there and time.monotonic() < end:
            time.sleep(IDLE_S)

    def _forget_run(self) -> None:
        left, self._left, self._trace = self._left, None, None
        if left is not None:
            left.forget()

    def _turn(self) -> None:
        """Take up what came from either side."""
        while not self._over and (came := self._link.take()) is not None:
            try:
                self._handlers[type(came[0])](*came)
            except GpuError as error:
                self._wanting = None
                self._fail(self._number, error)
                self._done(self._number)
        if self._picking is not None:
            self._look_for(self._picking)
        for message in self._host.poll():
            if message.run_id in (0, self._id):
                self._tellers[type(message)](message)
        if self._id and self._link.is_free:
            self._send_samples(self._host.take_samples())
            self._send_distances()
        waits = self._wanting is not None or self._picking is not None
        if self._number and not waits and self._host.idle:
            self._done(self._number)

    # what the near side asks for

    def _begin(self, number: int, ask: Callable[[], int]) -> None:
        """Ask the host, unless the request was stopped before it came."""
        self._number = number
        if number <= self._stopped:
            self._cancel()
        else:
            self._id, self._sent = ask(), 0

    def _cancel(self) -> None:
        self._wanting = None
        self._fail(self._number, CancelledByUserError("stopped before it started"))
        self._done(self._number)

    def _load(self, asked: wire.Load, _arrays: Arrays) -> None:
        request = LoadRequest(
            asked.what,
            undirected=asked.undirected,
            weights=asked.weights,
            format=asked.format,
            weight_name=asked.weight_name,
        )
        self._graph_hash = ""
        self._begin(asked.number, lambda: self._host.load(request))

    def _with_graph(self, asked: wire.Run, _arrays: Arrays) -> None:
        self._once_there(asked, lambda: self._run(asked))

    def _lay_out(self, asked: wire.LayOut, arrays: Arrays) -> None:
        def lay_out() -> int:
            graph = self._host.graph
            if "positions" in arrays and graph is not None:
                self._host.put_graph(graph.with_positions(arrays["positions"]))
            dist = arrays.get("dist")
            return self._host.layout(asked.kind, dist=dist, delta=asked.delta)

        self._once_there(asked, lay_out)

    def _once_there(self, asked: wire.Run | wire.LayOut, ask: Callable[[], int]) -> None:
        """Do what was asked once the graph is there."""
        self._number = asked.number
        if asked.hash != self._graph_hash and asked.number > self._stopped:
            graph = kept_graph(asked.hash)
            if graph is None:
                self._wanting = asked, ask
                self._link.send(wire.Want(asked.hash))
                return
            self._put(graph)
        self._begin(asked.number, ask)

    def _take_graph(self, told: wire.Graph, arrays: Arrays) -> None:
        graph = CSRGraph(
            arrays["indptr"], arrays["indices"], arrays["weights"], name=told.hash
        ).checked()
        if graph.hash != told.hash:
            raise WireError("the graph that came is not the one that was announced")
        keep_graph(graph)
        self._put(graph)
        if self._wanting is not None:
            asked, ask = self._wanting
            self._wanting = None
            self._begin(asked.number, ask)

    def _put(self, graph: CSRGraph) -> None:
        self._host.put_graph(graph)
        self._graph_hash = graph.hash

    def _run(self, asked: wire.Run) -> int:
        self._forget_run()
        if asked.token and CAN_KEEP:
            self._left = LeftRun(asked.token)
            self._left.hold()
        self._host.hold(replace(self._knobs, steps=asked.steps))
        run_id = self._host.run(asked.settings, verify=asked.verify)
        self._live = LiveDistances() if asked.live else None
        self._host.hold(self._knobs)
        return run_id

    def _pick_up(self, asked: wire.PickUp, _arrays: Arrays) -> None:
        """Wait for a run that another process of ours makes, and ask that one to let go."""
        self._number, self._picking = asked.number, asked
        LeftRun(asked.token).ask("take")
        words = "picking up the run where its connection broke"
        self._link.send(wire.Progress(asked.number, -1.0, words))

    def _look_for(self, asked: wire.PickUp) -> None:
        """Send the run that was asked for, once it has ended."""
        left = LeftRun(asked.token)
        trace = left.take()
        if trace is None and left.is_held:
            return
        self._picking = None
        if trace is None:
            self._link.send(wire.Nothing(asked.number))
            return
        self._left, self._trace, self._sent = left, trace, asked.samples
        if not asked.started:
            self._link.send(wire.Started(asked.number, trace.settings))
        self._send_trace(trace)
        if trace.verification is not None:
            self._link.send(wire.Verified(asked.number, trace.verification))

    def _stop(self, asked: wire.Stop, _arrays: Arrays) -> None:
        self._stopped = max(self._stopped, asked.number)
        if self._picking is not None and self._picking.number <= self._stopped:
            LeftRun(self._picking.token).ask("stop")
            return
        if self._number and self._number <= self._stopped:
            if self._wanting is not None:
                self._cancel()
            else:
                self._host.stop()

    def _hold(self, told: wire.Hold, _arrays: Arrays) -> None:
        self._knobs = told.knobs
        self._host.hold(told.knobs)

    def _quit(self, _told: wire.Quit, _arrays: Arrays) -> None:
        self._over = True

    # what the host tells

    def _tell_progress(self, message: Progress) -> None:
        number = self._number if message.run_id else 0
        self._link.send(wire.Progress(number, message.fraction, message.words))

    def _tell_loaded(self, message: GraphLoaded) -> None:
        graph = message.graph
        named = {
            "indptr": graph.indptr,
            "indices": graph.indices,
            "weights": graph.weights,
            "positions": graph.positions,
            "ids": graph.ids,
            PICTURE: message.provisional_positions,
        }
        arrays = {name: np.ascontiguousarray(a) for name, a in named.items() if a is not None}
        words = graph.ids is not None and graph.ids.dtype.kind == "U"
        if words:
            arrays["ids"] = arrays["ids"].view(np.int32).reshape(graph.n, -1)
        self._graph_hash = graph.hash
        provenance = replace(graph.provenance, options=plain(graph.provenance.options))
        about = (self._number, graph.name, graph.id_base, words, provenance, noted(arrays))
        self._link.send(wire.Loaded(*about), arrays)

    def _tell_laid_out(self, message: LayoutDone) -> None:
        arrays = {"positions": np.ascontiguousarray(message.positions)}
        self._link.send(wire.LaidOut(self._number, noted(arrays)), arrays)

    def _tell_started(self, _message: Message) -> None:
        live = self._host.live
        assert live is not None, "the poll that told of it is not over"
        self._link.send(wire.Started(self._number, live.settings))

    def _send_samples(self, samples: np.ndarray) -> None:
        for start in range(0, len(samples), FRAME):
            arrays = {"samples": samples[start : start + FRAME]}
            self._link.send(wire.Samples(self._number, noted(arrays)), arrays)
        self._sent += len(samples)

    def _send_distances(self) -> None:
        """Send the next part of the distances of the run that goes on."""
        live = self._host.live
        if self._live is None or live is None or live.run_id != self._id or not self._host.busy:
            return
        first, part = self._live.part(live.buffers.dist)
        if len(part):
            arrays = {"dist": part}
            self._link.send(wire.Distances(self._number, first, noted(arrays)), arrays)

    def _tell_finished(self, message: RunFinished) -> None:
        self._trace = message.trace
        self._send_trace(message.trace)
        self._host.take_samples()  # those are in the trace

    def _tell_verified(self, message: Verified) -> None:
        if self._trace is not None:
            self._trace = replace(self._trace, verification=message.verification)
        self._link.send(wire.Verified(self._number, message.verification))

    def _send_trace(self, trace: Trace) -> None:
        """Send what has not been sent of a run that ended."""
        self._send_samples(trace.samples[self._sent :])
        header, arrays = parts(trace)
        del arrays["samples"]
        about = (self._number, trace.clock, trace.outcome, header["environment"], noted(arrays))
        self._link.send(wire.Finished(*cast(Any, about)), arrays)

    def _tell_lost(self, message: EngineLost) -> None:
        if message.trace is not None:
            self._send_samples(message.trace.samples[self._sent :])
        self._link.send(wire.Lost(message.words))

    def _fail(self, number: int, error: GpuError, details: str = "") -> None:
        words = error.problem if isinstance(error, FormatError) else str(error)
        about = (type(error).__name__, words, details, error.path, error.line)
        self._link.send(wire.Failed(number, *about))

    def _done(self, number: int) -> None:
        self._host.take_samples()  # of a run that failed: they belong to no later one
        self._number = self._id = 0
        self._link.send(wire.Done(number))


def _room(message: Any) -> Arrays:
    """Return where the arrays of a message go: they are the user's own, and must fit. WireError."""
    free = available_bytes()
    return new_arrays(message.arrays, 1 << 40 if free is None else free)
