"""The window's end: `Reader.read` returns what a file holds, or says why it does not.

    reader = Reader()
    workspace = reader.read("workspace", "runs.ssspw")

A call waits, so long ones belong into a thread. Each call has a process for itself; one that is
free is kept, so that the next file does not wait for Python to start. A process that dies, hangs
past its deadline, or whose call is given up (any exception in the calling thread) is
killed; the next call gets a fresh one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import ProcessError, get_context
from pathlib import Path
from typing import Any

from gpu.errors import FormatError, GpuError, MemoryNeededError, TraceError
from gpu.host.process import SIGNAL_WORDS, hidden_main, signal_name
from gpu.reader.child import main
from gpu.reader.kinds import KINDS, Kind
from gpu.reader.messages import Refusal, Reply, Request, receive, receive_arrays, send

START_S = 120.0  # a process takes 0.3 s to start; on a machine that is busy much longer
LOOK_S = 0.05  # between looks at whether the caller has given up
CLOSE_S = 2.0

NONSENSE = (  # what a reply that no reader of ours sends may raise
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    IndexError,
    RecursionError,
    ProcessError,  # a piece that is longer than announced
)

Progress = Callable[[float], None]


class ReadError(GpuError):
    """A file whose reader died or was given up, or said what no reader of ours says."""


class Reader:
    """Reads strangers' files in processes of their own; see the module docstring."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: _Process | None = None
        self._all: set[_Process] = set()
        self._closed = False

    def warm(self) -> None:
        """Start a process for the next file, if none is there."""
        with self._lock:
            if not self._closed:
                self._idle = self._living()

    def read(
        self, kind: str, path: str | Path, progress: Progress | None = None, **options: Any
    ) -> Any:
        """Return what a file holds; `kind` is a key of KINDS, `options` are its reader's.

        Raises what reading it here would (GpuError and its kin), and ReadError.
        """
        with self._lock:
            if self._closed:
                raise ReadError(f"{path}: not read, the window is closing")
            process, self._idle = self._living(), None
        try:
            found, refusal = process.ask(Request(kind, str(path), options), progress)
        except BaseException:
            self._drop(process)
            raise
        with self._lock:
            spare = self._idle is not None or self._closed
            if not spare:
                self._idle = process
        if spare:
            self._drop(process)
        if refusal is not None:
            raise refusal
        return found

    def close(self) -> None:
        """End all processes; who is still waiting for one is told that it died."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, None
            busy = self._all - {idle}
        if idle is not None:
            self._drop(idle)
        for process in busy:
            process.kill()  # whoever waits for it ends it

    def _living(self) -> _Process:
        """Return the process that is kept, a fresh one where there is none or it died."""
        idle = self._idle
        if idle is not None and idle.is_alive():
            return idle
        if idle is not None:
            self._all.discard(idle)
            idle.end()
        process = _Process()
        self._all.add(process)
        return process

    def _drop(self, process: _Process) -> None:
        with self._lock:
            self._all.discard(process)
        process.end()


class _Process:
    """One reader, from its start to its end."""

    def __init__(self) -> None:
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=main, args=(theirs,), name="sssp-scope reader", daemon=True
        )
        try:
            with hidden_main():
                self._process.start()
        finally:
            theirs.close()
        self._ready = False
        self._late = False

    def is_alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.is_alive()

    def ask(self, request: Request, progress: Progress | None) -> tuple[Any, GpuError | None]:
        """Return what was found, and why nothing was. ReadError where the process is lost."""
        kind = KINDS[request.kind]
        try:
            if not self._ready:
                self._within(START_S, lambda: self._next(progress))
                self._ready = True
            seconds = kind.patience(request.path)
            return self._within(seconds, lambda: self._answer(request, kind, progress))
        except (EOFError, OSError) as error:
            raise ReadError(f"{request.path}: {self._end_words()}; nothing has changed") from error
        except NONSENSE as error:
            words = f"its reader said what no reader of ours says ({type(error).__name__})"
            raise ReadError(f"{request.path}: {words}; nothing has changed") from error

    def kill(self) -> None:
        """End it now; whoever waits for it is told."""
        with suppress(ValueError):  # closed before
            self._process.kill()

    def end(self) -> None:
        """Kill it and give everything back."""
        self.kill()
        with suppress(ValueError):
            self._process.join(CLOSE_S)
            self._process.close()
        self._pipe.close()

    def _answer(
        self, request: Request, kind: Kind, progress: Progress | None
    ) -> tuple[Any, GpuError | None]:
        send(self._pipe, request)
        reply = self._next(progress)
        if reply.refusal is not None:
            return None, _error(reply.refusal, request.path)
        arrays = receive_arrays(self._pipe, reply.arrays, kind.memory(request.path))
        return kind.made(reply.record, arrays), None

    def _next(self, progress: Progress | None) -> Reply:
        """Return the next reply that is more than news of how far it has got."""
        while True:
            while not self._pipe.poll(LOOK_S):
                pass
            reply = receive(self._pipe)
            if reply.what != "share":
                return reply
            if progress is not None:
                progress(reply.share)

    def _within(self, seconds: float, work: Callable[[], Any]) -> Any:
        """Return `work()`; kill the process if it takes longer, so that `work` ends."""
        timer = threading.Timer(seconds, self._give_up)
        timer.daemon = True
        timer.start()
        try:
            return work()
        finally:
            timer.cancel()

    def _give_up(self) -> None:
        self._late = True
        self.kill()

    def _end_words(self) -> str:
        if self._late:
            return "reading it took too long and was given up"
        with suppress(ValueError):
            self._process.join(CLOSE_S)
            code = self._process.exitcode
            if code is not None and code < 0:
                name = signal_name(-code)
                return f"its reader was killed by signal {-code} ({SIGNAL_WORDS.get(name, name)})"
        return "its reader ended by itself"


def _error(refusal: Refusal, path: str) -> GpuError:
    """Return the error that reading here would have raised."""
    if refusal.error == "FormatError":
        return FormatError(path, refusal.words, refusal.line)
    from gpu.lessons.read import LessonError
    from gpu.record.workspace import WorkspaceError

    known: dict[str, type[GpuError]] = {
        found.__name__: found
        for found in (LessonError, WorkspaceError, TraceError, MemoryNeededError)
    }
    return known.get(refusal.error, GpuError)(refusal.words)
