"""Tasks on the workers of a Dask cluster: handed out a few at a time, until each has its result.

A worker that dies costs its tasks, which run again elsewhere; where none is left, another one is
waited for, for a while. A worker that hangs or is slow holds nobody up: what lasts much longer than
all that ended is given to an idle one too, and whoever is first counts. A scheduler that goes away
for a moment costs what was under way; one that stays away ends it in words. A cancel reaches the
runs themselves.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
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
ALONE_S = 30.0  # without any worker, until that is given up
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


def check_stop(should_stop: Stop) -> None:
    """Raise CancelledByUserError where somebody wants to stop."""
    if should_stop():
        raise CancelledByUserError("stopped; what is done is kept, the same command goes on there")


class Workers:
    """Who is there, and who has what, as a client's scheduler told it last.

    replace : told who is there whenever that was heard
    """

    def __init__(
        self, client: Any, replace: Callable[[Collection[str]], object] = lambda _addresses: None
    ) -> None:
        self.client, self._replace = client, replace
        self.names: dict[str, str] = {}  # address -> name
        self.keys: dict[str, list[str]] = {}  # address -> of its tasks
        self.silent: set[str] = set()  # addresses of those that the scheduler does not hear either
        self._heard_at = -HEAR_S
        self._alone_since: float | None = None  # when the scheduler first said: no worker

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
            seen = {address: about["last_seen"] for address, about in known["workers"].items()}
            since = max(seen.values(), default=0.0) - PATIENCE_S
            self.silent = {address for address, at in seen.items() if at < since}
            self._replace(self.names)
            self._check_manned(now)
            return True
        return False

    def _check_manned(self, now: float) -> None:
        """Raise EngineError where there has been no worker for too long."""
        if self.names:
            self._alone_since = None
            return
        self._alone_since = now if self._alone_since is None else self._alone_since
        if now > self._alone_since + ALONE_S:
            raise EngineError(
                "no worker is left; what is done is kept, the same command goes on there"
            )

    def send(self, thing: Any, should_stop: Stop, to: str | None = None) -> Any:
        """Return a thing as tasks can have it: one worker gets it, the others take it from there.

        A worker that is silent holds nobody up: after PATIENCE_S the next one gets it too, and
        whoever is first counts. Not by Dask's own broadcast: that one never ends, and every later
        one waits for it, where a worker dies meanwhile.

        Raises CancelledByUserError, EngineError, OSError (no scheduler).
        """
        sending: dict[Any, float] = {}  # since when
        tried: list[str] = []
        failures, is_news = 0, True  # since the last failure: who is there
        try:
            while True:
                for ended in [each for each in sending if each.done()]:
                    del sending[ended]
                    if ended.exception() is None:
                        return ended.result()[0]
                    failures, is_news = failures + 1, False
                    if failures >= ATTEMPTS + len(self.names):
                        raise EngineError(f"the cluster failed: {ended.exception()}")
                check_stop(should_stop)
                if self.client.status != "running":
                    raise OSError("the scheduler is gone")
                is_news = self.hear() or is_news
                late = time.monotonic() > max(sending.values(), default=0.0) + PATIENCE_S
                whom = self._next(tried, to) if late and is_news else None
                if whom is not None:
                    tried.append(whom)
                    sending[self._begin(thing, whom)] = time.monotonic()
                time.sleep(LOOK_S)
        finally:
            for left in sending:
                left.cancel()

    def _next(self, tried: list[str], to: str | None) -> str | None:
        """Return who gets a thing next: `to`, then whoever got it least often; None: nobody is."""
        if to in self.names and to not in tried:
            return to
        heard = sorted(self.names, key=lambda address: address in self.silent)
        return min(heard, key=tried.count, default=None)

    def _begin(self, thing: Any, address: str) -> concurrent.futures.Future[Any]:
        # a list of one: of anything else that has parts, each part would be a thing
        coming = self.client.scatter([thing], workers=[address], hash=False, asynchronous=True)
        return asyncio.run_coroutine_threadsafe(coming, self.client.loop.asyncio_loop)

    def has(self, address: str, future: Any) -> bool:
        """Whether a worker is known to have what a future stands for."""
        with suppress(OSError, RuntimeError, TimeoutError):
            there = self.client.scheduler
            known = self.client.sync(there.who_has, keys=[future.key], callback_timeout=HEAR_S)
            return address in known.get(future.key, ())
        return False


class Tasks:
    """Items on their way: work(item, *given(item, address), should_stop) of each, on some worker.

    given : what a worker needs beside the item; called when it is the item's turn. An address is
        that of a worker that must have it for itself, since others hang
    tell : told how far each worker is
    """

    def __init__(
        self,
        workers: Workers,
        items: Sequence[Any],
        work: Callable[..., Any],
        given: Callable[[Any, str | None], tuple[Any, ...]],
        tell: Tell = lambda _shares: None,
    ) -> None:
        self._workers, self._client = workers, workers.client
        self._work, self._given, self._tell = work, given, tell
        self._waiting = list(items)
        self._running: dict[Any, Any] = {}  # future -> item
        self._begun: dict[Any, float] = {}  # item -> when it was handed out, to the last one
        self._copied: dict[Any, int] = {}  # item -> how many more workers got it
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
                    failures = 0
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
        most = AT_ONCE * len(self._workers.names)
        while self._waiting and len(self._running) < most:
            item = self._waiting[0]
            self._submit(item)
            self._begun[item] = time.monotonic()
            del self._waiting[0]

    def _submit(self, item: Any, address: str | None = None) -> None:
        given = (self._work, version(), item, *self._given(item, address))
        future = self._client.submit(_task, *given, workers=address, pure=False, retries=0)
        future.add_done_callback(lambda _future: self._woken.set())
        self._running[future] = item

    def _give_overdue(self) -> None:
        """Give to idle workers what others should have ended long ago.

        Where a worker is silent and nothing ends anywhere, the others wait for what only it has.
        """
        there, now = self._workers, time.monotonic()
        heard = [address for address in there.keys if address not in there.silent]
        idle = [address for address in heard if not there.keys[address]]
        since = now - max(PATIENCE_S, OVERDUE * self._longest_s)
        running = list(dict.fromkeys(self._running.values()))
        most = len(there.names)  # copies of one: who got the last may hang as well
        due = [item for item in running if self._begun[item] < since]
        late = [item for item in due if self._copied.get(item, 0) < most]
        if there.silent and len(late) == len(running):
            idle = heard * len(late)
        elif self._waiting:
            return
        for item in late:
            if idle:
                self._copied[item] = self._copied.get(item, 0) + 1
                self._begun[item] = now
                self._submit(item, idle.pop())

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
        self._copied.pop(item, None)
        self._waiting.insert(0, item)

    def _await_scheduler(self, should_stop: Stop) -> None:
        """Wait until the scheduler is there. CancelledByUserError, EngineError."""
        since = time.monotonic()
        while True:
            check_stop(should_stop)
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
