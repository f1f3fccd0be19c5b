"""The near end: a child of an engine host that lives on another computer.

    host = EngineHost(spawn=Elsewhere("user@host").spawn)

`ssh` starts `sssp-scope engine --stdio` there; who may do so, by which key and over which hosts
is ssh's own business. What comes fills the same shared memory that a child here would fill, so
nobody above `gpu.host` can tell the difference, but by the device: a measured run says where
it was measured.
"""

from __future__ import annotations

import math
import re
import secrets
import shutil
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from gpu import errors
from gpu.algorithms import ALGORITHMS
from gpu.engine import EngineOutcome, graph_reference
from gpu.errors import EngineError, FormatError, GpuError, ParameterError
from gpu.graph import CSRGraph
from gpu.host import messages as here
from gpu.host.memory import Memory, Segment, share
from gpu.host.ring import FRAME, WIDTH, Knobs, SampleRing
from gpu.host.shared_graph import PICTURE, open_buffers, open_graph, share_graph, without_picture
from gpu.memory import available_bytes
from gpu.numbers import type_for
from gpu.reader.messages import noted
from gpu.record.assembly import check_samples, check_trace
from gpu.record.trace import ON, SAMPLE, GraphReference, Probe, RunSettings, Trace
from gpu.remote import messages as wire
from gpu.remote.connection import Connection
from gpu.remote.frames import Arrays, WireError, new_arrays
from gpu.remote.left import KEEP_S
from gpu.remote.link import GONE, Link
from gpu.remote.pickup import KeptNote, Note
from gpu.words import SENTENCE, in_sight

COMMAND = "sssp-scope engine --stdio"
ADDRESS = re.compile(r"[^\s\x00-\x1f\x7f-]\S*")
ALIVE = ("-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3")  # a dead link ends in 45 s
ASKS_NOTHING = ("-o", "BatchMode=yes")
NONSENSE = (GpuError, ValueError, LookupError, TypeError, OverflowError, MemoryError)
QUIT_S = 1.0  # for a goodbye over the network; the far side ends without one too
FIRST_PAUSE_S, LAST_PAUSE_S = 0.5, 15.0  # between attempts to connect again
BOUNDLESS = 1 << 40  # bytes, where nobody knows how much memory is free


class RelayedRing(SampleRing):
    """The ring of a child elsewhere: what is asked for in it is told as well."""

    stopped: Callable[[int], None]
    held: Callable[[Knobs], None]

    def stop(self, run_id: int) -> None:
        """Ask every request up to `run_id` to end; 0 takes it back."""
        super().stop(run_id)
        self.stopped(run_id)

    def set_knobs(self, knobs: Knobs) -> None:
        """Show the child what the user holds."""
        super().set_knobs(knobs)
        self.held(replace(knobs))


@dataclass(frozen=True)
class Elsewhere:
    """Another computer, as ssh knows it.

    address : `user@host`, or a name of ssh's own configuration
    command : what runs there, a line for the far shell
    asks : ssh may ask for a password, on a terminal; else it fails where it would have to
    live : distances come across while a run goes on

    Raises ParameterError where that can be no address.
    """

    address: str
    command: str = COMMAND
    asks: bool = True
    live: bool = False

    def __post_init__(self) -> None:
        if not ADDRESS.fullmatch(self.address):
            raise ParameterError(
                f"{self.address!r} is no computer; allowed: user@host, or a name that ssh knows"
            )

    def spawn(
        self, memory: Memory, _entries: here.Entries, serial: int, knobs: Knobs
    ) -> RemoteProcess:
        """Start ssh. EngineError where there is none."""
        return RemoteProcess(self, memory, serial, knobs)

    def line(self) -> list[str]:
        """Return the command that is run here. EngineError."""
        ssh = shutil.which("ssh")
        if ssh is None:
            raise EngineError("there is no ssh on this computer; install OpenSSH's client")
        options = ALIVE if self.asks else (*ALIVE, *ASKS_NOTHING)
        return [ssh, "-T", *options, "--", self.address, self.command]


class RemoteProcess:
    """One connection, from its start to its end: `gpu.host.process.Child`."""

    starts = 1  # who cannot connect is told at once
    delay_s = 10.0  # a Stop has to get there, and what lies on the way has to arrive

    def __init__(self, there: Elsewhere, memory: Memory, serial: int, knobs: Knobs) -> None:
        self.started_at = time.monotonic()
        self.greeted = self.killed = False
        self._there, self._memory = there, memory
        self._own: deque[Any] = deque()  # replies that are made here
        self._graph: tuple[int, CSRGraph] | None = None  # by token, the last that was run on
        self._command: Any = None  # what the far side has
        self._number = 0  # of that command on this connection: one may be sent again
        self._segment: Segment | None = None  # that a run writes into
        self._running = False  # between Started and Finished
        self._poured = 0  # samples of this run that are in the ring
        self._last: np.ndarray | None = None  # the newest of them
        self._unpoured = np.empty(0, SAMPLE)  # those for which the ring had no room
        self._started: Any = None  # settings and graph reference of the run under way
        self._last_words = ""  # of the far side, on how its engine died
        self._keeps = False  # the far side goes on with a run where the connection breaks
        self._token = ""  # by which that run is picked up
        self._is_second = False  # the run was sent a second time
        self._has_ended = False  # its end came; its proof may still come
        self._is_proved = False  # its proof came
        self._filled = 0  # the number under which its end began to come
        self._note: KeptNote | None = None  # of that run, for later processes
        self._broken_at = self._again_at = 0.0  # by time.monotonic; 0: it is whole
        self._pause_s = FIRST_PAUSE_S  # until the next attempt
        self._first_words = ""  # how it broke
        self._ring = cast(RelayedRing, RelayedRing.create(memory, f"c{serial}"))
        try:
            self._connection = Connection(there.line(), there.address, self._room)
        except BaseException:
            self._ring.unlink()
            raise
        self._ring.stopped = self._tell_stop
        self._ring.held = lambda held: self._link.send(wire.Hold(held), overtake=True)
        self._ring.set_knobs(knobs)

    @property
    def _link(self) -> Link:
        return self._connection.link

    @property
    def ring(self) -> SampleRing:
        """The samples that came, and the knobs."""
        return self._ring

    @property
    def pid(self) -> int:
        """Of ssh."""
        return self._connection.pid

    @property
    def exit_code(self) -> int | None:
        """None while the connection lives and while something that came was not taken."""
        if not (self.killed or self._connection.is_over()):
            return None
        if self._may_come_back():
            self._come_back()
            return None
        return self._connection.kill()

    def _may_come_back(self) -> bool:
        """Whether the run under way goes on there, to be picked up over another connection."""
        if self.killed or not (self._keeps and self._token) or self._connection.is_ours:
            return False
        in_time = not self._broken_at or time.monotonic() < self._broken_at + KEEP_S
        return in_time and self._link.fault == GONE

    def _come_back(self) -> None:
        """Connect again, in time; the pauses between attempts grow."""
        now, address = time.monotonic(), in_sight(self._there.address)
        run_id = self._command.run_id
        if not self._broken_at:
            self._first_words = self._connection.words("running an algorithm")
            self._broken_at = self._again_at = now
            words = f"{address}: the connection broke; the run goes on there; connecting again"
            self._own.append(here.Progress(run_id, -1.0, words))
        if now < self._again_at:
            return
        self._pause_s = min(2 * self._pause_s, LAST_PAUSE_S)
        self._again_at = now + self._pause_s
        try:
            fresh = Connection(self._there.line(), self._there.address, self._room)
        except (OSError, EngineError):  # no process can be started just now
            return
        self._connection.kill()
        self._connection.close()
        self._connection = fresh
        samples = self._poured
        self._number += 1
        has_started = self._started is not None
        self._link.send(wire.PickUp(self._number, self._token, has_started, samples))
        if self._ring.is_stopped(run_id):
            self._link.send(wire.Stop(self._number))

    def wait(self, seconds: float) -> None:
        """Wait until there is a reply, or the connection has ended, or time is up."""
        if self._own:
            return
        if self._connection.is_over() and self._may_come_back():
            time.sleep(max(0.0, min(seconds, self._again_at - time.monotonic())))
        else:
            self._link.wait(seconds)

    def kill(self) -> None:
        """End the connection; the far side ends what it does for us."""
        self.killed = True
        self._connection.kill()

    def end(self, grace_s: float) -> None:
        """Ask the far side to quit, end the connection after `grace_s`, give everything back."""
        self._connection.quit(grace_s + QUIT_S if self.greeted else grace_s)
        self.bury()

    def bury(self) -> None:
        """Give back what belongs to a dead connection."""
        self._connection.close()
        self._drop_note(is_done=not self._broken_at)
        self._ring.unlink()

    def death_words(self, doing: str) -> str:
        """Return why the connection ended, as one sentence for people."""
        if self._last_words:
            return f"{in_sight(self._there.address)}: {self._last_words}"
        return self._first_words or self._connection.words(doing)

    # to the far side

    def send(self, command: here.Command | here.Quit) -> bool:
        """Tell the far side; what fails here is a reply."""
        if isinstance(command, here.Quit):
            self._link.send(wire.Quit(), overtake=True)
            return not self._link.fault
        self._command, self._running, self._token = command, False, ""
        self._started, self._is_second = None, False
        self._has_ended = self._is_proved = False
        self._number += 1
        self._own.append(here.Begun(command.run_id))
        try:
            self._send(command)
        except GpuError as error:
            self._own.append(here.Failed(command.run_id, error))
            self._own.append(here.Done(command.run_id))
            self._command = None
        return not self._link.fault

    def _send(self, command: here.Command) -> None:
        if isinstance(command, here.LoadCommand):
            asked = command.request
            options = (asked.undirected, asked.weights, asked.format, asked.weight_name)
            self._link.send(wire.Load(self._number, str(asked.what), *options))
            return
        graph = self._graph_of(command.graph)
        if isinstance(command, here.RunCommand):
            self._segment = self._memory.attach(command.buffers, owner=False)
            self._segment.reserve()
            open_buffers(self._segment, writeable=True).clear()
            self._poured, self._last = 0, None
            numbers = str(type_for(graph, command.settings.numbers))  # to go wider is our matter
            settings = replace(command.settings, numbers=numbers)
            mine = f"{ON}{self._there.address}"
            settings = replace(settings, device=settings.device.removesuffix(mine))
            self._token = secrets.token_hex(16)
            asked_run = (self._number, graph.hash, settings, command.verify, command.steps)
            self._link.send(wire.Run(*asked_run, live=self._there.live, token=self._token))
            return
        arrays = {} if graph.positions is None else {"positions": graph.positions}
        if command.arrays is not None:
            segment = self._memory.attach(command.arrays, owner=False)
            arrays |= segment.arrays(writeable=False)
        layout = (self._number, graph.hash, command.kind, command.delta, noted(arrays))
        self._link.send(wire.LayOut(*layout), arrays)

    def _write_note(self, settings: RunSettings, graph: GraphReference) -> None:
        """Note the run, so that it can be fetched if this process ends before it does."""
        self._drop_note(is_done=True)
        if self._keeps and self._token:
            line = tuple(self._there.line())
            with suppress(OSError):
                note = Note(self._token, line, self._there.address, settings, graph)
                self._note = KeptNote(note)

    def _drop_note(self, *, is_done: bool) -> None:
        if self._note is not None:
            self._note.let_go(is_done=is_done)
            self._note = None

    def _tell_stop(self, run_id: int) -> None:
        if self._command is not None and self._command.run_id <= run_id:
            self._link.send(wire.Stop(self._number), overtake=True)

    def _graph_of(self, handle: here.GraphHandle) -> CSRGraph:
        if self._graph is None or self._graph[0] != handle.token:
            segment = self._memory.attach(handle.shared, owner=False)
            self._graph = handle.token, open_graph(handle, segment, writeable=False).graph
        return self._graph[1]

    # from the far side

    def receive(self) -> Iterator[Any]:
        """Yield the replies that are there, without waiting; samples go into the ring."""
        while self._own:
            yield self._own.popleft()
        while (
            not self._connection.is_ours
            and self._pour()
            and (came := self._link.take()) is not None
        ):
            try:
                replies = list(HANDLERS[type(came[0])](self, *came))
            except NONSENSE as error:
                words = f"it said what no engine of ours says ({in_sight(str(error))})"
                self._connection.hang_up(words)
                return
            yield from replies

    def _pour(self) -> bool:
        """Put samples into the ring, as far as there is room; whether all of them are in it."""
        count = min(self._ring.room(), len(self._unpoured))
        if count:
            self._ring.push(self._unpoured[:count])
            self._unpoured = self._unpoured[count:]
        return not len(self._unpoured)

    def _room(self, message: Any) -> Arrays:
        """Return where the arrays of a message go; on the link's thread. WireError."""
        command, notes = self._command, message.arrays
        if isinstance(message, wire.Samples):
            return new_arrays(notes, FRAME * WIDTH)
        is_filled = self._filled == self._number or self._has_ended  # and checked: it stays so
        if isinstance(message, wire.Distances) and isinstance(command, here.RunCommand):
            assert self._segment is not None
            if is_filled:
                raise WireError("distances of a run that has ended")
            dist = self._segment.arrays(writeable=True)["dist"].reshape(-1)
            count = math.prod(message.arrays[0].shape)
            return {"dist": dist[message.first : message.first + count]}
        if isinstance(message, wire.Finished) and isinstance(command, here.RunCommand):
            assert self._segment is not None
            own = self._segment.arrays(writeable=True)
            if is_filled:
                return new_arrays(notes, _free())
            self._filled = self._number
            events = [note for note in notes if note.name == "events"]
            allowed = _free() if command.settings.probe == Probe.EVENTS else 0
            return own | new_arrays(tuple(events), allowed)
        if isinstance(message, wire.LaidOut) and isinstance(command, here.LayoutCommand):
            return {"positions": np.empty((self._graph_of(command.graph).n, 2), np.float32)}
        if isinstance(message, wire.Loaded) and isinstance(command, here.LoadCommand):
            return new_arrays(notes, _free())
        raise WireError(f"{type(message).__name__} was not asked for")

    def _is_current(self, number: int) -> bool:
        return self._command is not None and self._number == number

    def _asked(self, number: int, kind: type) -> Any:
        """Return the command that a reply answers. WireError where there is none."""
        if not (self._is_current(number) and isinstance(self._command, kind)):
            raise WireError("an answer to nothing")
        return self._command

    def _on_hello(self, told: wire.Hello, _arrays: Arrays) -> Iterator[Any]:
        self._connection.greeted, self._keeps = True, told.keeps
        if not self.greeted:
            yield here.Hello()

    def _on_ready(self, _told: wire.Ready, _arrays: Arrays) -> Iterator[Any]:
        yield here.WarmedUp()

    def _on_progress(self, told: wire.Progress, _arrays: Arrays) -> Iterator[Any]:
        if told.number == 0 or self._is_current(told.number):
            run_id = self._command.run_id if told.number else 0
            yield here.Progress(run_id, told.fraction, in_sight(told.words))

    def _on_want(self, told: wire.Want, _arrays: Arrays) -> Iterator[Any]:
        """Send the graph; only the one of the request under way."""
        if self._graph is None or self._graph[1].hash != told.hash:
            raise WireError("a graph is wanted that no request is about")
        graph = self._graph[1]
        names = ("indptr", "indices", "weights")
        arrays = {name: np.ascontiguousarray(getattr(graph, name)) for name in names}
        self._link.send(wire.Graph(told.hash, noted(arrays)), arrays)
        nbytes = sum(array.nbytes for array in arrays.values())
        if nbytes > 1 << 24:
            words = f"sending the graph, {nbytes / 2**20:,.0f} MB"
            yield here.Progress(self._command.run_id if self._command else 0, -1.0, words)

    def _on_loaded(self, told: wire.Loaded, arrays: Arrays) -> Iterator[Any]:
        run_id = self._asked(told.number, here.LoadCommand).run_id
        ids = arrays.get("ids")
        if ids is not None and told.words:
            ids = _letters(ids)
        graph = CSRGraph(
            arrays["indptr"], arrays["indices"], arrays["weights"], arrays.get("positions"), ids,
            told.id_base, told.name, told.provenance,
        ).checked()  # fmt: skip
        shared = share_graph(self._memory, run_id, graph)
        picture = arrays.get(PICTURE)
        if picture is None:
            shared = without_picture(shared)
        elif shared.picture is not None:
            shared.picture[...] = picture
        yield here.Loaded(run_id, shared.handle)
        yield here.Described(run_id, graph.hash, graph.mean_weight)

    def _on_laid_out(self, told: wire.LaidOut, arrays: Arrays) -> Iterator[Any]:
        run_id = self._asked(told.number, here.LayoutCommand).run_id
        yield here.LaidOut(run_id, share(self._memory, f"p{run_id}", arrays).shared)

    def _on_started(self, told: wire.Started, _arrays: Arrays) -> Iterator[Any]:
        command = self._asked(told.number, here.RunCommand)
        asked = command.settings
        settings = replace(told.settings, numbers=asked.numbers, probe=asked.probe)
        if settings.engine != asked.engine or settings.algorithm != asked.algorithm:
            raise WireError("it runs something else")
        device = in_sight(settings.device)
        if settings.engine != "model":
            device = f"{device}{ON}{self._there.address}"
        settings = replace(settings, device=device)
        graph = self._graph_of(command.graph)
        reference = graph_reference(graph, graph.check_source(settings.source))
        self._started = settings, reference
        self._running = True
        self._write_note(settings, reference)
        yield here.Started(command.run_id, settings, reference)

    def _on_samples(self, told: wire.Samples, arrays: Arrays) -> Iterator[Any]:
        self._asked(told.number, here.RunCommand)
        if not self._running:
            raise WireError("samples of no run")
        samples = arrays["samples"]
        check_samples(samples if self._last is None else np.concatenate([self._last, samples]))
        self._last = samples[-1:].copy()
        self._poured += len(samples)
        self._unpoured = samples
        yield from ()

    def _on_distances(self, told: wire.Distances, arrays: Arrays) -> Iterator[Any]:
        """They lie where the window looks at them already."""
        self._asked(told.number, here.RunCommand)
        if not (self._running and (arrays["dist"] >= 0).all()):
            raise WireError("distances of no run")
        yield from ()

    def _on_finished(self, told: wire.Finished, arrays: Arrays) -> Iterator[Any]:
        command = self._asked(told.number, here.RunCommand)
        if self._has_ended:  # picked up for the sake of its proof
            return
        if not self._running or self._last is None:
            raise WireError("the end of no run")
        self._running, self._has_ended = False, True
        settings, reference = self._started
        environment = told.environment | {"machine": self._there.address}
        buffers = open_buffers(cast(Segment, self._segment), writeable=False)
        events = arrays.get("events")
        if settings.algorithm in ALGORITHMS:
            samples = np.broadcast_to(self._last, (self._poured,))  # they were checked one by one
            check_trace(
                Trace(
                    settings, reference, samples, buffers.dist, told.clock, told.outcome,
                    environment, buffers.vertices, events,
                )
            )  # fmt: skip
        shared = None
        if events is not None:
            shared = share(self._memory, f"e{command.run_id}", {"events": events}).shared
        outcome = EngineOutcome(told.clock, told.outcome, environment)
        yield here.Ended(command.run_id, outcome, shared)

    def _on_verified(self, told: wire.Verified, _arrays: Arrays) -> Iterator[Any]:
        run_id = self._asked(told.number, here.RunCommand).run_id
        if self._is_proved:  # it came before the connection broke
            return
        self._is_proved = True
        detail = in_sight(told.verification.detail, SENTENCE)
        yield here.Verified(run_id, replace(told.verification, detail=detail))

    def _on_failed(self, told: wire.Failed, _arrays: Arrays) -> Iterator[Any]:
        if told.number == 0 or self._is_current(told.number):
            run_id = self._command.run_id if told.number else 0
            self._running = self._running and not told.number
            self._has_ended |= bool(told.number)
            yield here.Failed(run_id, error_of(told), told.details)

    def _on_nothing(self, told: wire.Nothing, _arrays: Arrays) -> Iterator[Any]:
        """The run that was to be picked up is not there: it begins now, or it is lost."""
        command = self._asked(told.number, here.RunCommand)
        if self._has_ended:  # but for its proof
            yield from self._on_done(wire.Done(told.number), {})
            return
        if self._running or self._is_second:
            self._token = ""
            self._drop_note(is_done=True)
            self._first_words += "; the engine there had ended too"
            self._connection.hang_up(self._first_words)
            return
        self._mend()
        self._is_second = True
        self._number += 1
        self._send(command)
        yield here.Progress(command.run_id, -1.0, "connected again")

    def _mend(self) -> None:
        """Note that the connection is whole again."""
        self._broken_at, self._pause_s, self._first_words = 0.0, FIRST_PAUSE_S, ""

    def _on_lost(self, told: wire.Lost, _arrays: Arrays) -> Iterator[Any]:
        self._last_words = in_sight(told.words, SENTENCE)
        self._connection.hang_up(self._last_words)
        yield from ()

    def _on_done(self, told: wire.Done, _arrays: Arrays) -> Iterator[Any]:
        if self._is_current(told.number):
            run_id = self._command.run_id
            if self._token:
                self._link.send(wire.Got(told.number))
                self._drop_note(is_done=True)
                self._mend()
            self._command, self._running, self._segment, self._token = None, False, None, ""
            yield here.Done(run_id)


Handler = Callable[[RemoteProcess, Any, Arrays], Iterator[Any]]
HANDLERS: dict[type, Handler] = {
    wire.Hello: RemoteProcess._on_hello,
    wire.Ready: RemoteProcess._on_ready,
    wire.Progress: RemoteProcess._on_progress,
    wire.Want: RemoteProcess._on_want,
    wire.Loaded: RemoteProcess._on_loaded,
    wire.LaidOut: RemoteProcess._on_laid_out,
    wire.Started: RemoteProcess._on_started,
    wire.Samples: RemoteProcess._on_samples,
    wire.Distances: RemoteProcess._on_distances,
    wire.Finished: RemoteProcess._on_finished,
    wire.Verified: RemoteProcess._on_verified,
    wire.Failed: RemoteProcess._on_failed,
    wire.Nothing: RemoteProcess._on_nothing,
    wire.Lost: RemoteProcess._on_lost,
    wire.Done: RemoteProcess._on_done,
}


def error_of(told: wire.Failed) -> GpuError:
    """Return the error that was raised there, of the same class where we know it."""
    words = in_sight(told.words, SENTENCE)
    if told.error == "FormatError":
        return FormatError(in_sight(told.path or ""), words, told.line)
    kind = getattr(errors, told.error, EngineError)
    if not (isinstance(kind, type) and issubclass(kind, GpuError)):
        kind = EngineError
    error = kind(words)
    error.path, error.line = told.path, told.line
    return error


def _letters(codes: np.ndarray) -> np.ndarray:
    """Return words (n,) of the letters, int32 (n, width), that they came as. WireError."""
    if codes.ndim != 2 or codes.shape[1] < 1 or ((codes < 0) | (codes > 0x10FFFF)).any():
        raise WireError("ids that are no words")
    return np.ascontiguousarray(codes).view(f"<U{codes.shape[1]}").reshape(len(codes))


def _free() -> int:
    """Return the bytes that the arrays of one message may take."""
    free = available_bytes()
    return BOUNDLESS if free is None else free
