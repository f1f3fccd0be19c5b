"""Threads that run compiled code and sleep between runs.

A run takes a Crew and gives it back. Its threads are Python's own; each sleeps at a queue of its
own, calls the compiled function that comes, which runs without the interpreter's lock, and reports
that it has returned. Crews are kept for the next run while no more threads sleep than there are
cores: the system spreads new threads over busy cores, and wakes others where they were.
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

    def __init__(self, threads: int, cores: frozenset[int]) -> None:
        self.threads, self.cores = threads, cores  # cores : that its threads may use
        self._at_work, self._pinned = 0, False
        self._calls: list[SimpleQueue[Any]] = []
        self._members: list[threading.Thread] = []
        self._returned: SimpleQueue[None] = SimpleQueue()
        for place in range(threads):
            self._start(place)

    def _start(self, place: int) -> None:
        calls: SimpleQueue[Any] = SimpleQueue()
        member = threading.Thread(target=_serve, args=(calls, self._returned, place), daemon=True)
        try:
            member.start()
        except RuntimeError as error:
            self.end()
            raise EngineError(
                f"the system gave {place} of {self.threads} threads; ask for fewer (threads)"
            ) from error
        self._calls.append(calls)
        self._members.append(member)

    @classmethod
    def take(cls, threads: int) -> Crew:
        """Return a crew of so many threads: one that sleeps if it may use the same cores."""
        cores = _cores()
        for crew in list(_kept):
            if crew.threads == threads and crew.cores == cores:
                with suppress(ValueError):  # another run was first
                    _kept.remove(crew)
                    return crew
        return cls(threads, cores)

    def call(self, function: Callable[[Any, int], object], argument: Any) -> None:
        """Let each thread call `function(argument, place)`, place from 0 on."""
        self._at_work = self.threads
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
        """Let the threads sleep until another run; crews that are too many end, oldest first."""
        if self.threads == len(self.cores) >= PINNED_FROM:
            self._pin()
        _kept.append(self)
        while sum(crew.threads for crew in list(_kept)) > most_asleep(self.cores):
            _kept.popleft().end()

    def end(self) -> None:
        """Tell the threads to end."""
        for calls in self._calls:
            calls.put(None)

    def _pin(self) -> None:
        """Tie each thread to a core of its own, as far as the system lets us."""
        if self._pinned:
            return
        self._pinned = True
        for member, core in zip(self._members, sorted(self.cores), strict=True):
            with suppress(OSError):
                os.sched_setaffinity(member.native_id or 0, {core})


def _serve(calls: SimpleQueue[Any], returned: SimpleQueue[None], place: int) -> None:
    while (call := calls.get()) is not None:
        function, argument = call
        function(argument, place)
        del call, argument  # they hold a run's arrays
        returned.put(None)


def _cores() -> frozenset[int]:
    """Return the cores that threads started now may use; none where the system does not say."""
    return frozenset(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else ())


def most_asleep(cores: frozenset[int]) -> int:
    """Return how many threads of all runs together may sleep."""
    return len(cores) or os.cpu_count() or 1


def end_sleepers() -> None:
    """End the threads that sleep."""
    with suppress(IndexError):
        while True:
            _kept.popleft().end()


_kept: deque[Crew] = deque()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_kept.clear)  # a child has none of the threads
