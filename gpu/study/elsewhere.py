"""Share independent pieces of work out: to processes here, or to the workers of a Dask cluster.

    for item, future in Pool(4).map(work, graph, items):
        ...
    with Cluster("tcp://host:8786") as there:
        for item, future in there.map(work, graph, items):
            ...

`work(graph, item, should_stop)` is a function of a module. The graph reaches each worker once.
Results come in the order in which they are ready.

Pool      Processes (spawn); the graph lies in shared memory. If a process dies, its items run once
          more in a new one.
Cluster   Dask schedules, sends and retries (`pip install "sssp-scope[cluster]"`). Each worker needs
          our version, and a GPU for the engine `cuda`.
"""

from __future__ import annotations

import ipaddress
import itertools
import signal
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Future,
    ProcessPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from gpu.errors import CancelledByUserError, EngineError, MemoryNeededError, ParameterError
from gpu.graph import CSRGraph
from gpu.host.memory import GraphHandle, Memory, open_graph, share_graph
from gpu.host.process import hidden_main
from gpu.host.worker import end_with_parent
from gpu.interpreter import cores, require_threads, safe_children, version

POLL_S = 0.05  # between two looks at a stop flag
CONNECT_S, START_S = 10, 30  # until a scheduler answers; until its first worker is there
THREADS = 4  # that each process may need
ALLOWED = "local:1 to local:1024, tcp://HOST:PORT, tls://HOST:PORT, or a Dask scheduler's file"
GONE = "the scheduler of the cluster is gone"
_CHILD: dict[str, Any] = {}  # in a process of a pool: the stop flag and the graph

Stop = Callable[[], bool]
Work = Callable[[Any, Any, Stop], Any]  # graph, item, stop question


class Workers(ABC):
    """Processes or a cluster; `count` is how many items run at the same time."""

    count: int

    def map(
        self,
        work: Work,
        graph: CSRGraph,
        items: Iterable[Any],
        should_stop: Stop = lambda: False,
    ) -> Iterator[tuple[Any, Future[Any]]]:
        """Yield each item with its future, which is done.

        At most twice `count` items are handed out at once, so that results do not pile up.
        Raises CancelledByUserError where `should_stop` says so; processes here stop their work.
        """
        left, pending, died = iter(items), dict[Future[Any], Any](), set[Any]()
        with self._carried(graph) as carried:
            try:
                while True:
                    for item in itertools.islice(left, max(0, 2 * self.count - len(pending))):
                        pending[self._submit(work, carried, item)] = item
                    if not pending:
                        return
                    done, _ = wait(pending, POLL_S, FIRST_COMPLETED)
                    if should_stop():
                        raise CancelledByUserError("stopped")
                    for future in done:
                        item = pending.pop(future)
                        broken = not future.cancelled() and future.exception()
                        if not isinstance(broken, BrokenProcessPool) or item in died:
                            yield item, future
                            continue
                        died.add(item)
                        pending[self._submit(work, carried, item)] = item
            finally:
                self._end(list(pending))

    @abstractmethod
    def _carried(self, graph: CSRGraph) -> AbstractContextManager[Any]:
        """Bring the graph to the workers; what it gives is handed to `_submit`."""

    @abstractmethod
    def _submit(self, work: Work, carried: Any, item: Any) -> Future[Any]:
        """Hand one item out."""

    @abstractmethod
    def _end(self, pending: list[Future[Any]]) -> None:
        """Stop what runs and forget what waits."""


class Pool(Workers):
    """Processes on this computer, from the beginning of a `map` to its end."""

    def __init__(self, count: int) -> None:
        self.count = count
        require_threads(THREADS * (count + 1))
        self._context = get_context("spawn")
        with safe_children():  # Python may start a process for its semaphores
            self._stop = self._context.Event()

    @contextmanager
    def _carried(self, graph: CSRGraph) -> Iterator[tuple[Memory, GraphHandle]]:
        memory = Memory()
        try:
            carried = memory, share_graph(memory, 1, graph).handle
            self._executor = self._started(carried)
            yield carried
        finally:
            memory.sweep()

    def _started(self, carried: tuple[Memory, GraphHandle]) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            self.count, self._context, initializer=_begin, initargs=(self._stop, *carried)
        )

    def _submit(self, work: Work, carried: Any, item: Any) -> Future[Any]:
        with hidden_main(), _deaf_children():
            try:
                return self._executor.submit(_do_here, work, item)
            except BrokenProcessPool:
                self._executor.shutdown(wait=True)
                self._executor = self._started(carried)
                return self._executor.submit(_do_here, work, item)

    def _end(self, _pending: list[Future[Any]]) -> None:
        self._stop.set()
        self._executor.shutdown(wait=True, cancel_futures=True)


class Cluster(Workers):
    """The workers of a Dask scheduler, of our own (`local:N`) or of somebody else's.

    warn : receives a sentence where anybody who reaches the scheduler can run code on its workers

    Raises ParameterError; EngineError: no Dask, no scheduler, no worker, another version on one.
    """

    def __init__(self, where: str, warn: Callable[[str], object] = print) -> None:
        try:
            import distributed
        except ImportError as error:
            raise EngineError('--cluster needs Dask: pip install "sssp-scope[cluster]"') from error
        self._dask: Any = distributed
        self._parts: list[Any] = []  # to be closed: the client, then a cluster of our own
        try:
            self._client = self._connected(where)
            self._client.wait_for_workers(1, timeout=START_S)
            self._check_versions()
        except BaseException as error:
            self.close()
            if isinstance(error, OSError | TimeoutError | RuntimeError):
                words = f"no scheduler with a worker answers at {where}: {error}"
                raise EngineError(words) from error
            raise
        self._executor = self._client.get_executor(pure=False)
        if is_open(self._client.scheduler.address):
            warn(
                f"{self._client.scheduler.address} is not encrypted: anybody who reaches it can "
                "run code on its workers; use tls://, or an address of this computer"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def count(self) -> int:  # type: ignore[override]
        """Threads of all workers that are there now."""
        try:
            return max(1, sum(self._client.nthreads().values()))
        except OSError as error:
            raise EngineError(GONE) from error

    def close(self) -> None:
        """Leave the cluster; end one of our own."""
        while self._parts:
            with suppress(Exception):  # the scheduler may be gone
                self._parts.pop().close(timeout=5)

    def _connected(self, where: str) -> Any:
        kind, _, number = where.partition(":")
        is_count = not number or (number.isdigit() and 1 <= int(number) <= 1024)
        options: dict[str, Any] = {"address": where}
        if kind == "local" and is_count:
            with hidden_main(), _deaf_children():
                own = self._dask.LocalCluster(
                    n_workers=int(number or cores()),
                    threads_per_worker=1,
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",
                    memory_limit=0,  # engines ask for memory themselves
                    silence_logs=50,
                )
            self._parts.append(own)
            options = {"address": own}
        elif Path(where).is_file():
            options = {"scheduler_file": where}
        elif "://" not in where:
            raise ParameterError(f"--cluster {where}; allowed: {ALLOWED}")
        client = self._dask.Client(**options, set_as_default=False, timeout=CONNECT_S)
        self._parts.append(client)
        return client

    def _check_versions(self) -> None:
        for address, there in self._client.run(_version_there, on_error="return").items():
            if there != version():
                words = "no SSSP Scope" if isinstance(there, BaseException) else there
                raise EngineError(f"worker {address}: {words}; install {version()} there, as here")

    @contextmanager
    def _carried(self, graph: CSRGraph) -> Iterator[Any]:
        with warnings.catch_warnings():  # Dask calls a large graph a mistake
            warnings.simplefilter("ignore")
            # a task, which Dask repeats where the worker that holds its result dies
            yield self._client.submit(_same, graph, pure=False)

    def _submit(self, work: Work, carried: Any, item: Any) -> Future[Any]:
        future: Future[Any] = self._executor.submit(_do_there, work, carried, item)
        return future

    def _end(self, pending: list[Future[Any]]) -> None:
        for future in pending:  # a run that goes on ends by itself; nobody waits for it
            future.cancel()


def result(future: Future[Any]) -> Any:
    """Return what work returned, or raise what it raised. EngineError where its process died."""
    try:
        return future.result()
    except CancelledError as error:
        raise EngineError(GONE) from error
    except Exception as error:
        if isinstance(error, BrokenProcessPool) or type(error).__name__ == "KilledWorker":
            words = "the process that did this died, again and again (often: out of memory)"
            raise EngineError(words) from error
        raise


def is_open(address: str) -> bool:
    """Whether a scheduler can be reached from other computers without a certificate."""
    parts = urlsplit(address)
    if parts.scheme in {"tls", "wss", "inproc"}:
        return False
    try:
        return not ipaddress.ip_address(parts.hostname or "").is_loopback
    except ValueError:
        return parts.hostname != "localhost"


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Start children that Ctrl-C does not reach: they inherit the mask, and we tell them."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# in a process of the pool


def _begin(stop: Any, memory: Memory, handle: GraphHandle) -> None:
    end_with_parent(memory)
    segment = memory.attach(handle.shared)
    _CHILD.update(stop=stop, graph=open_graph(handle, segment, writeable=True).graph)


def _do_here(work: Work, item: Any) -> Any:
    if _CHILD["stop"].is_set():
        raise CancelledByUserError("stopped")
    return work(_CHILD["graph"], item, _CHILD["stop"].is_set)


# in a worker of the cluster


def _version_there() -> str:
    return version()


def _same(graph: Any) -> Any:
    return graph


def _do_there(work: Work, graph: Any, item: Any) -> Any:
    from distributed import get_worker

    try:
        return work(graph, item, lambda: False)
    except (EngineError, MemoryNeededError) as error:  # a matter of that computer
        raise EngineError(f"worker {get_worker().address}: {error}") from error
