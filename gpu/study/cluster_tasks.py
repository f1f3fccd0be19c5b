"""Tasks on the workers of a Dask cluster: handed out a few at a time, until each has its result.

A worker that dies costs its tasks, which run again elsewhere. A worker that hangs or is slow holds
nobody up: what lasts much longer than all that ended is given to an idle one too, and whoever is
first counts. A scheduler that goes away for a moment costs what was under way; one that stays away
ends it in words. A cancel reaches the runs themselves.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from gpu.errors import CancelledByUserError, EngineError, GpuError, MemoryNeededError
from gpu.interpreter import version

ATTEMPTS = 3  # of one task, on workers that die
AT_ONCE = 2  # tasks a worker has or waits for: the next begins when one ends
LOOK_S = 0.05  # between two looks at Stop
HEAR_S = 1.0  # between two questions to the scheduler
SILENT_S = 30.0  # without a scheduler, until it is given up
FETCH_S = 60.0  # for a result to arrive, 256 MB
PATIENCE_S = 10.0  # at least, before a task is given to a second worker
OVERDUE = 2.0  # times the longest task that ended, before it is

Stop = Callable[[], bool]


@dataclass(frozen=True)
class WorkerShare:
    """What one worker has done of the work at hand, and the items that it has now."""

    name: str
    done: int
    under_way: tuple[Any, ...]


Tell = Callable[[tuple[WorkerShare, ...]], object]


def shares_words(
    shares: tuple[WorkerShare, ...], word: Callable[[Any], str] = lambda item: f"{item:g}"
) -> str:
    """Return how far each worker is, on one line: "worker 0: 3, now 64; worker 1: 2"."""
    told = []
    for share in shares:
        now = ", ".join(word(item) for item in share.under_way)
        told.append(f"{share.name}: {share.done}" + (f", now {now}" if now else ""))
    return "; ".join(told)


class Workers:
    """Who is there, and who has what, as a client's scheduler told it last."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.names: dict[str, str] = {}  # address -> name
        self.keys: dict[str, list[str]] = {}  # address -> of its tasks
        self._heard_at = -HEAR_S

    def hear(self) -> bool:
        """Ask the scheduler, unless it was asked just now; it is not waited for long."""
        now = time.monotonic()
        if self.client.status != "running" or now < self._heard_at + HEAR_S:
            return False
        self._heard_at = now
        there = self.client.scheduler
        with suppress(OSError, RuntimeError, TimeoutError):  # it went away just now
            known = self.client.sync(there.identity, n_workers=-1, callback_timeout=HEAR_S)
            has = self.client.sync(there.processing, workers=None, callback_timeout=HEAR_S)
            workers = known["workers"].items()
            self.names = {address: f"worker {about['name']}" for address, about in workers}
            self.keys = {address: has.get(address, []) for address in self.names}
            return True
        return False


class Tasks:
    """Items on their way: work(item, *given(item), should_stop) of each, on some worker.

    given : what a worker needs beside the item; called when it is the item's turn
    tell : told how far each worker is
    """

    def __init__(
        self,
        workers: Workers,
        items: Sequence[Any],
        work: Callable[..., Any],
        given: Callable[[Any], tuple[Any, ...]],
        tell: Tell = lambda _shares: None,
    ) -> None:
        self._workers, self._client = workers, workers.client
        self._work, self._given, self._tell = work, given, tell
        self._waiting = list(items)
        self._running: dict[Any, Any] = {}  # future -> item
        self._begun: dict[Any, float] = {}  # item -> when it was handed out
        self._copied: set[Any] = set()  # items that two workers have
        self._attempts: dict[Any, int] = {}
        self._done: dict[str, int] = {}  # name of a worker -> tasks
        self._longest_s = 0.0
        self._woken = threading.Event()  # a task has ended

    def results(self, should_stop: Stop) -> Iterator[tuple[Any, Any]]:
        """Yield (item, result) as they come. EngineError, CancelledByUserError, a task's own."""
        failures = 0
        try:
            while self._waiting or self._running:
                try:
                    self._hand_out()
                    found = self._ended(should_stop)
                except GpuError:
                    raise
                except Exception as error:  # Dask's own, of many kinds, where a scheduler goes
                    failures += 1
                    self._await_scheduler(should_stop)
                    if failures >= ATTEMPTS:
                        raise EngineError(f"the cluster failed: {error}") from error
                    continue
                if found:
                    self._tell(self.shares())
                yield from found
        finally:
            self._cancel(list(self._running))

    def shares(self) -> tuple[WorkerShare, ...]:
        """Return how far every worker is, also one that has gone since."""
        has = {future.key: item for future, item in self._running.items()}
        now: dict[str, tuple[Any, ...]] = dict.fromkeys(self._done, ())
        for address, name in self._workers.names.items():
            keys = self._workers.keys.get(address, [])
            now[name] = tuple(has[key] for key in keys if key in has)
        return tuple(
            WorkerShare(name, self._done.get(name, 0), items) for name, items in sorted(now.items())
        )

    def _hand_out(self) -> None:
        if self._workers.hear():
            self._tell(self.shares())
            self._give_overdue()
        most = AT_ONCE * max(len(self._workers.names), 1)
        while self._waiting and len(self._running) < most:
            item = self._waiting[0]
            self._submit(item)
            self._begun[item] = time.monotonic()
            del self._waiting[0]

    def _submit(self, item: Any, workers: list[str] | None = None) -> None:
        given = (self._work, version(), item, *self._given(item))
        future = self._client.submit(_task, *given, workers=workers, pure=False, retries=0)
        future.add_done_callback(lambda _future: self._woken.set())
        self._running[future] = item

    def _give_overdue(self) -> None:
        """Give to idle workers what others should have ended long ago."""
        idle = [address for address, keys in self._workers.keys.items() if not keys]
        since = time.monotonic() - max(PATIENCE_S, OVERDUE * self._longest_s)
        late = [item for item in self._running.values() if self._begun[item] < since]
        for item in late:
            if idle and item not in self._copied and not self._waiting:
                self._copied.add(item)
                self._submit(item, [idle.pop()])

    def _ended(self, should_stop: Stop) -> list[tuple[Any, Any]]:
        """Wait a moment; return what has ended. CancelledByUserError, EngineError, a task's own."""
        self._await_scheduler(should_stop)
        ended = [future for future in self._running if future.status != "pending"]
        if not ended:
            self._woken.wait(LOOK_S)
            self._woken.clear()
        found = []
        for future in ended:
            if future not in self._running:  # another had it first
                continue
            item = self._running[future]
            try:
                name, result = future.result(FETCH_S)
            except GpuError:
                raise
            except Exception as error:  # it died, hangs on what it made, or the scheduler forgot
                del self._running[future]
                self._again(item, error)
            else:
                self._finish(item, name)
                found.append((item, result))
        return found

    def _finish(self, item: Any, name: str) -> None:
        self._done[name] = self._done.get(name, 0) + 1
        if item not in self._copied:
            self._longest_s = max(self._longest_s, time.monotonic() - self._begun[item])
        same = [future for future, other in self._running.items() if other == item]
        for future in same:
            del self._running[future]
        self._cancel([future for future in same if future.status == "pending"])

    def _again(self, item: Any, error: Exception) -> None:
        """Hand out once more what died, or what the scheduler forgot, unless another has it."""
        if item in self._running.values():
            return
        if self._client.status == "running":
            self._attempts[item] = self._attempts.get(item, 0) + 1
        if self._attempts.get(item, 0) >= ATTEMPTS:
            raise EngineError(f"a task died {ATTEMPTS} times, the last: {error}")
        self._copied.discard(item)
        self._waiting.insert(0, item)

    def _await_scheduler(self, should_stop: Stop) -> None:
        """Wait until the scheduler is there. CancelledByUserError, EngineError."""
        since = time.monotonic()
        while True:
            if should_stop():
                raise CancelledByUserError(
                    "stopped; what is done is kept, the same command goes on there"
                )
            if self._client.status == "running":
                return
            if self._client.status == "closed" or time.monotonic() > since + SILENT_S:
                raise EngineError(
                    "the scheduler is gone; what is done is kept, the same command goes on there"
                )
            time.sleep(LOOK_S)

    def _cancel(self, futures: list[Any]) -> None:
        if futures and self._client.status == "running":
            with suppress(Exception):  # it may go just now
                self._client.cancel(futures, force=True)


def _task(work: Callable[..., Any], there: str, *given: Any) -> tuple[str, Any]:
    """Do a piece of work in a worker; return the worker's name, and what came of it."""
    from distributed import get_worker

    worker = get_worker()
    if there != version():
        raise EngineError(
            f"{worker_words()}: SSSP Scope {version()}; you have {there}: install the same there"
        )
    key = worker.get_current_task()

    def is_cancelled() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    try:
        return f"worker {worker.name}", work(*given, is_cancelled)
    except (EngineError, MemoryNeededError) as error:  # a matter of that computer
        error.args = (f"{worker_words()}: {error}",)
        raise


def worker_words() -> str:
    """Return the name of the worker that this process is, and where it is."""
    from distributed import get_worker

    worker = get_worker()
    return f"worker {worker.name} at {worker.address}"
