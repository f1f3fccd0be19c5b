"""Threads that run compiled code and sleep between runs.

A run takes a Crew and gives it back. Its threads are Python's own; each sleeps at a queue, calls
the compiled function that comes, which runs without the interpreter's lock, and reports that it
has returned. The crew of the last run is kept: starting threads would cost each run more.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

from gpu.errors import EngineError

PINNED_FROM = 8  # cores; with fewer, other programs and our own window need room to move


class Crew:
    """Threads asleep, each with its place, for one run at a time.

    Raises EngineError where the system refuses a thread.
    """

    def __init__(self, threads: int) -> None:
        self._at_work = 0
        self._calls: list[SimpleQueue[Any]] = [SimpleQueue() for _ in range(threads)]
        self._returned: SimpleQueue[None] = SimpleQueue()
        self._members: list[threading.Thread] = []
        for place, calls in enumerate(self._calls):
            member = threading.Thread(
                target=_serve, args=(calls, self._returned, place), daemon=True
            )
            try:
                member.start()
            except RuntimeError as error:
                self.end()
                raise EngineError(
                    f"the system gave {place} of {threads} threads; ask for fewer (threads)"
                ) from error
            self._members.append(member)
        self._pin()

    def _pin(self) -> None:
        """Tie each thread to a core of its own where there are as many threads as cores."""
        if hasattr(os, "sched_setaffinity"):
            cores = sorted(os.sched_getaffinity(0))
            if len(self._members) == len(cores) >= PINNED_FROM:
                for member, core in zip(self._members, cores, strict=True):
                    with suppress(OSError):
                        os.sched_setaffinity(member.native_id or 0, {core})

    @classmethod
    def take(cls, threads: int) -> Crew:
        """Return a crew of so many threads: the one that sleeps, or a new one."""
        with suppress(IndexError):
            crew = _kept.pop()
            if len(crew._members) == threads:
                return crew
            crew.end()
        return cls(threads)

    def call(self, function: Callable[[Any, int], object], argument: Any) -> None:
        """Let each thread call `function(argument, place)`, place from 0 on."""
        self._at_work = len(self._members)
        for calls in self._calls:
            calls.put((function, argument))

    def wait(self, seconds: float) -> bool:
        """Wait until all have returned; False if none has for so long."""
        try:
            while self._at_work:
                self._returned.get(timeout=seconds)
                self._at_work -= 1
        except Empty:
            return False
        return True

    def give_back(self) -> None:
        """Let the threads sleep until another run."""
        end_sleepers()
        _kept.append(self)

    def end(self) -> None:
        """Tell the threads to end."""
        for calls in self._calls:
            calls.put(None)


def _serve(calls: SimpleQueue[Any], returned: SimpleQueue[None], place: int) -> None:
    while (call := calls.get()) is not None:
        function, argument = call
        function(argument, place)
        del call, argument  # they hold a run's arrays
        returned.put(None)


def end_sleepers() -> None:
    """End the threads that sleep."""
    with suppress(IndexError):
        while True:
            _kept.popleft().end()


_kept: deque[Crew] = deque()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_kept.clear)  # a child has none of the threads
