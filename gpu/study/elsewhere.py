"""Share independent pieces of work out: to processes here, or to the workers of a Dask cluster.

    for item, future in map_here(4, work, graph, items): ...

`work(graph, item, should_stop)` is a function of a module. The graph reaches each worker once:
here through shared memory, there as Dask's data. Results come in the order in which they are ready.
"""

from __future__ import annotations

import itertools
import signal
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from gpu.errors import CancelledByUserError, EngineError, ParameterError
from gpu.graph import CSRGraph
from gpu.host.memory import GraphHandle, Memory, open_graph, share_graph
from gpu.host.worker import end_with_parent, leave
from gpu.interpreter import cores, hidden_main, require_threads, safe_children, version

POLL_S = 0.05  # between two looks at a stop flag
CONNECT_S, START_S = 10, 30  # until a scheduler answers; until its first worker is there
THREADS = 4  # that each process may need
ALLOWED = "local:1 to local:1024, tcp://HOST:PORT, tls://HOST:PORT, or a Dask scheduler's file"
GONE = "the scheduler of the cluster is gone"
DIED = "the process that did this died (often: out of memory)"
_CHILD: dict[str, Any] = {}  # in a process of a pool: the stop question and the graph

Stop = Callable[[], bool]
Work = Callable[[Any, Any, Stop], Any]  # graph, item, stop question
Results = Generator[tuple[Any, Future[Any]]]


class DiedError(EngineError):
    """A process or a worker died while it worked."""


def never() -> bool:
    """Return False: a stop question of work that nobody stops."""
    return False


def result(future: Future[Any]) -> Any:
    """Return what work returned, or raise what it raised. DiedError where its process died."""
    try:
        return future.result()
    except CancelledError as error:
        raise EngineError(GONE) from error
    except Exception as error:
        if isinstance(error, BrokenProcessPool) or type(error).__name__ == "KilledWorker":
            raise DiedError(DIED) from error
        raise


def _in_turns(
    submit: Callable[[Any], Future[Any]],
    count: Callable[[], int],
    items: Iterable[Any],
    should_stop: Stop,
) -> Results:
    """Yield each item with its future, which is done.

    At most twice `count` items are handed out at once, so that results do not pile up.
    """
    left, pending = iter(items), dict[Future[Any], Any]()
    try:
        while True:
            for item in itertools.islice(left, max(0, 2 * count() - len(pending))):
                pending[submit(item)] = item
            if not pending:
                return
            done, _ = wait(pending, POLL_S, FIRST_COMPLETED)
            if should_stop():
                raise CancelledByUserError("stopped")
            for future in done:
                yield pending.pop(future), future
    finally:
        for future in pending:
            future.cancel()


# processes on this computer


def map_here(
    count: int, work: Work, graph: CSRGraph, items: Iterable[Any], should_stop: Stop = never
) -> Results:
    """Do the work in `count` new processes; they end. Raises CancelledByUserError, DiedError."""
    require_threads(THREADS * (count + 1))
    context, memory = get_context("spawn"), Memory()
    stop = context.RawValue("b")  # without a lock, which a process that dies could hold
    with ExitStack() as stack:
        shared = share_graph(memory, 1, graph)
        stack.callback(shared.segment.unlink)  # `memory.sweep` needs a descriptor
        given = stop, memory, shared.handle
        with safe_children():  # Python may start a process for its semaphores
            executor = ProcessPoolExecutor(count, context, initializer=_begin, initargs=given)
        stack.callback(executor.shutdown, wait=True, cancel_futures=True)
        stack.callback(setattr, stop, "value", 1)

        def submit(item: Any) -> Future[Any]:
            try:
                with hidden_main(), _deaf_children():
                    return executor.submit(_do_here, work, item)
            except BrokenProcessPool as error:
                raise DiedError(DIED) from error

        yield from _in_turns(submit, lambda: count, items, should_stop)


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


def _begin(stop: Any, memory: Memory, handle: GraphHandle) -> None:
    end_with_parent(memory)
    try:
        segment = memory.attach(handle.shared)
    except FileNotFoundError:  # the parent is dead and took it along
        leave(memory)
    graph = open_graph(handle, segment, writeable=True).graph
    _CHILD.update(stop=lambda: bool(stop.value), graph=graph)


def _do_here(work: Work, item: Any) -> Any:
    if _CHILD["stop"]():
        raise CancelledByUserError("stopped")
    return work(_CHILD["graph"], item, _CHILD["stop"])


# a cluster


@contextmanager
def cluster(where: str) -> Iterator[Any]:
    """Yield the client of a Dask scheduler: our own (`local:N`) or one that runs already.

    Raises ParameterError; EngineError: no Dask, no scheduler, no worker, another version on one.
    """
    try:
        import distributed
    except ImportError as error:
        raise EngineError('--cluster needs Dask: pip install "sssp-scope[cluster]"') from error
    kind, _, number = where.partition(":")
    is_local = kind == "local" and (not number or (number.isdigit() and 1 <= int(number) <= 1024))
    if not (is_local or "://" in where or Path(where).is_file()):
        raise ParameterError(f"--cluster {where}; allowed: {ALLOWED}")
    with ExitStack() as stack:
        try:
            options: dict[str, Any] = {"address": where}
            if is_local:
                options = {"address": _own_cluster(distributed, int(number or cores()))}
                stack.callback(_close, options["address"])
            elif "://" not in where:
                options = {"scheduler_file": where}
            client = distributed.Client(**options, set_as_default=False, timeout=CONNECT_S)
            stack.callback(_close, client)
            client.wait_for_workers(1, timeout=START_S)
            check_versions(client)
        except (OSError, TimeoutError, RuntimeError) as error:
            words = f"no scheduler with a worker answers at {where}: {error}"
            raise EngineError(words) from error
        yield client


def _own_cluster(distributed: Any, workers: int) -> Any:
    with hidden_main(), _deaf_children():
        return distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            memory_limit=0,  # engines ask for memory themselves
            silence_logs=50,
        )


def _close(part: Any) -> None:
    with suppress(Exception):  # the scheduler may be gone
        part.close(timeout=5)


def check_versions(client: Any) -> None:
    """Raise EngineError where a worker has another version, or none."""
    for address, there in client.run(version, on_error="return").items():
        if there != version():
            words = "no SSSP Scope" if isinstance(there, BaseException) else there
            raise EngineError(f"worker {address}: {words}; install {version()} there, as here")


def map_there(
    client: Any, work: Work, graph: CSRGraph, items: Iterable[Any], should_stop: Stop = never
) -> Results:
    """Do the work on the workers of a cluster. Dask repeats what a dead worker did.

    Raises CancelledByUserError where `should_stop` says so; work that was begun ends by itself.
    """
    executor = client.get_executor(pure=False)
    with warnings.catch_warnings():  # Dask calls a large graph a mistake
        warnings.simplefilter("ignore")
        # a task, which Dask repeats where the worker that holds its result dies
        carried = client.submit(_same, graph, pure=False)
    # before any work: Dask gives work to workers that hold its data, and moves it but once a second
    with suppress(Exception):  # a worker that dies meanwhile
        client.replicate(carried)

    def submit(item: Any) -> Future[Any]:
        future: Future[Any] = executor.submit(work, carried, item, never)
        return future

    def count() -> int:
        return max(1, sum(client.nthreads().values()))

    try:
        with _copies_stay(client):
            yield from _in_turns(submit, count, items, should_stop)
    except OSError as error:
        raise EngineError(GONE) from error


@contextmanager
def _copies_stay(client: Any) -> Iterator[None]:
    """Stop Dask's memory manager for a while.

    It removes the graph from a worker that waits for its next task, which then fetches it again.
    """
    runs = client.amm.running()
    if runs:
        client.amm.stop()
    try:
        yield
    finally:
        if runs:
            with suppress(OSError):  # the scheduler is gone
                client.amm.start()


def _same(graph: Any) -> Any:
    return graph
