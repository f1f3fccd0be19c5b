"""Work on a cluster of Dask: blocks of rows, or values of a sweep, on other processes and machines.

    with Cluster("local:2") as cluster:  # or tcp://..., tls://..., a scheduler file of Dask
        from_sources(graph, plan, "rows.npy", spread=cluster.blocks)
        cluster.sweep(graph, sweep_plan)

A task is a graph's hash, a plan, and a number in it. The graph goes to a worker once; a worker that
dies costs its task, which runs again elsewhere. Rows are the same bytes wherever they were made.
A worker whose version of us is another one refuses its tasks in words. A worker on this computer
writes its rows itself into the file; what another one computes comes over the network.
"""

from __future__ import annotations

import ipaddress
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import numpy as np

from gpu.errors import CancelledByUserError, EngineError, GpuError, ParameterError
from gpu.graph import CSRGraph
from gpu.host.process import hidden_main
from gpu.interpreter import version
from gpu.study.sources import Block, Numbered, SourcesPlan, Stop, Target, block
from gpu.study.sweep import SweepPlan, SweepPoint, failed_point, in_order, measure

LOCAL = "local:"
ATTEMPTS = 3  # of one task, on workers that die
AT_ONCE = 2  # tasks a worker has or waits for: the next begins when one ends
POLL_S = 0.25
HEAR_S = 1.0  # between two looks at who is there
SILENT_S = 30.0  # without a scheduler, until it is given up
PIP = 'pip install "sssp-scope[cluster]"'
_KEPT: dict[str, Any] = {}  # in a worker: the last graph, numbered for a plan


class Cluster:
    """A scheduler with its workers.

    where : "local:N" for N processes here, one a GPU where there are GPUs; the address of a
        scheduler; or a scheduler's file
    warn : told in a sentence where whoever reaches the scheduler can run code

    Raises ParameterError, EngineError (no Dask, no scheduler, another version on a worker).
    """

    def __init__(self, where: str, warn: Callable[[str], object] = lambda _words: None) -> None:
        try:
            import distributed
        except ImportError as error:
            raise EngineError(f"a cluster needs Dask: {PIP}") from error
        self._dask: Any = distributed
        self._own: Any = None
        self._known: list[str] = []  # addresses of workers, as last heard
        self._heard_at = -HEAR_S
        try:
            self._client = self._connected(where)
        except (OSError, TimeoutError, ValueError, RuntimeError) as error:
            raise EngineError(f"no scheduler answers at {where}: {error}") from error
        if not self._own and is_open(self._client.scheduler.address):
            warn(
                f"{self._client.scheduler.address} is not encrypted: whoever reaches it runs code "
                "on its workers; use tls://, or an address of this computer"
            )
        try:
            self._check_versions()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the cluster; end it where it is our own."""
        with suppress(Exception):  # it may be gone
            self._client.close(timeout=5 if self._client.status == "running" else 0.5)
        if self._own is not None:
            self._own.close(timeout=10)

    @property
    def workers(self) -> int:
        """How many workers there are now."""
        return len(self._addresses()) or 1

    def _addresses(self) -> list[str]:
        """Return the workers as last heard; the scheduler is asked, but not waited for."""
        now = time.monotonic()
        if self._client.status == "running" and now > self._heard_at + HEAR_S:
            self._heard_at = now
            with suppress(OSError, RuntimeError, TimeoutError):  # it went away just now
                ask = self._client.scheduler.identity
                told = self._client.sync(ask, n_workers=-1, callback_timeout=HEAR_S)
                self._known = list(told["workers"])
        return self._known

    def warm(self, graph: CSRGraph, plan: SourcesPlan) -> None:
        """Have every worker compute the plan's first block, for whoever measures what follows."""
        carried = self._carried(graph)
        key = plan.key(graph)
        futures = [
            self._client.submit(
                _block, carried, version(), 0, key, plan, None, workers=[address], pure=False
            )
            for address in self._addresses()
        ]
        for future in futures:
            future.result()

    def blocks(
        self,
        graph: CSRGraph,
        plan: SourcesPlan,
        todo: Sequence[int],
        target: Target | None,
        should_stop: Stop,
    ) -> Iterator[Block]:
        """Compute blocks on the workers, as `gpu.study.sources.from_sources` wants it."""
        key = plan.key(graph)
        yield from self._spread(graph, todo, _block, (key, plan, target), should_stop)

    def sweep(
        self,
        graph: CSRGraph,
        plan: SweepPlan,
        on_point: Callable[[SweepPoint, float], object] | None = None,
        should_stop: Stop = lambda: False,
    ) -> list[SweepPoint]:
        """Make every run of a plan on the workers; as `gpu.study.sweep_pool.run_sweep`."""
        values: list[float | None] = [None] if plan.controller else []
        values += plan.values
        points: list[SweepPoint] = []
        with suppress(CancelledByUserError):
            for point in self._spread(graph, values, _point, (plan,), should_stop):
                points.append(point)
                if on_point is not None:
                    on_point(point, len(points) / len(values))
        if points and all(point.failure for point in points):
            raise EngineError(points[0].failure)
        return in_order(points)

    # connecting

    def _connected(self, where: str) -> Any:
        Client = self._dask.Client  # noqa: N806 (a class)
        quiet = {"set_as_default": False, "timeout": 20}
        if where.startswith(LOCAL):
            count = where.removeprefix(LOCAL)
            if not count.isdigit() or not 1 <= int(count) <= 1024:
                raise ParameterError(f"--cluster {where}; allowed: local:1 to local:1024")
            self._own = self._local(int(count))
            return Client(self._own, **quiet)
        if "://" in where:
            return Client(where, **quiet)
        if not Path(where).is_file():
            raise ParameterError(
                f"--cluster {where}; allowed: local:N, tcp://HOST:PORT, tls://HOST:PORT, or the "
                "file of a Dask scheduler"
            )
        return Client(scheduler_file=where, **quiet)

    def _local(self, count: int) -> Any:
        """Return a cluster of processes here; each sees one GPU where there are any."""
        gpus = _gpus()
        # no limit of memory: rows of the file count as a worker's, and engines refuse by themselves
        ours = {"host": "127.0.0.1", "dashboard": False, "dashboard_address": "127.0.0.1:0"}
        options = {**ours, "nthreads": 1, "silence_logs": 50, "memory_limit": 0}
        workers = {}
        for number in range(count):
            env = {"CUDA_VISIBLE_DEVICES": gpus[number % len(gpus)]} if gpus else {}
            workers[number] = {"cls": self._dask.Nanny, "options": {**options, "env": env}}
        scheduler = {
            "cls": self._dask.Scheduler,
            "options": {**ours, "port": 0},
        }
        with hidden_main():
            return self._dask.SpecCluster(
                workers=workers, scheduler=scheduler, silence_logs=50, name="sssp-scope"
            )

    def _check_versions(self) -> None:
        """Raise EngineError where a worker has another version of us, or none."""
        with suppress(TimeoutError, OSError):
            self._client.wait_for_workers(1, timeout=SILENT_S)
        found = self._client.run(_version, on_error="return")
        if not found:
            raise EngineError("the cluster has no workers")
        for address, told in found.items():
            if told != version():
                there = "no SSSP Scope" if isinstance(told, BaseException) else told
                raise EngineError(
                    f"worker {address}: {there}; here {version()}: install the same there"
                )

    # tasks

    def _spread(
        self,
        graph: CSRGraph,
        items: Sequence[Any],
        work: Callable[..., Any],
        given: tuple[Any, ...],
        should_stop: Stop,
    ) -> Iterator[Any]:
        """Yield work(graph, version, item, *given) of every item, as they come; EngineError.

        A few at a time wait at the workers, so that little is lost by a cancel.
        """
        carried = self._carried(graph)
        waiting, running = list(items), dict[Any, Any]()
        attempts: dict[Any, int] = {}
        try:
            while waiting or running:
                while waiting and len(running) < AT_ONCE * max(self.workers, 1):
                    item = waiting.pop(0)
                    future = self._client.submit(
                        work, carried, version(), item, *given, pure=False, retries=0
                    )
                    running[future] = item
                for future in self._ended(running, should_stop):
                    item = running.pop(future)
                    error, found = self._outcome(future)
                    if error is None:
                        yield found
                    elif isinstance(error, GpuError):
                        raise error
                    else:  # it died, or what it needed did
                        attempts[item] = attempts.get(item, 0) + 1
                        if attempts[item] >= ATTEMPTS:
                            raise EngineError(f"a task died {ATTEMPTS} times, the last: {error}")
                        carried = self._carried(graph)
                        waiting.insert(0, item)
        finally:
            if self._client.status == "running":
                with suppress(Exception):  # it may go just now
                    self._client.cancel([*running, carried], force=True)

    def _outcome(self, future: Any) -> tuple[BaseException | None, Any]:
        """Return why a task failed, None where it did not, and what it found."""
        try:
            return None, future.result()
        except Exception as error:  # also: its worker died before it had told what it found
            return error, None

    def _carried(self, graph: CSRGraph) -> Any:
        """Return the graph as every worker can have it: its arrays, once. EngineError."""
        arrays = (graph.indptr, graph.indices, graph.weights)
        whole = tuple(np.array(array) for array in arrays)  # no view of shared memory
        try:
            return self._client.scatter((graph.hash, *whole), broadcast=True, hash=False)
        except TimeoutError as error:
            raise EngineError(
                "every worker died and no other came; what is done is kept, the same command goes "
                "on there"
            ) from error

    def _ended(self, running: dict[Any, Any], should_stop: Stop) -> list[Any]:
        """Wait until some of the tasks have ended. CancelledByUserError, EngineError."""
        silent_since = None
        while True:
            if should_stop():
                raise CancelledByUserError(
                    "stopped; what is done is kept, the same command goes on there"
                )
            if self._client.status == "running":
                silent_since = None
                ended = [future for future in running if future.status != "pending"]
                if ended:
                    return ended
            else:
                silent_since = silent_since or time.monotonic()
                if self._client.status == "closed" or time.monotonic() > silent_since + SILENT_S:
                    raise EngineError(
                        "the scheduler is gone; what is done is kept, the same command goes on "
                        "there"
                    )
            time.sleep(POLL_S / 5)


def is_open(address: str) -> bool:
    """Whether a scheduler can be reached from other computers without a certificate."""
    parts = urlsplit(address)
    if parts.scheme in {"tls", "wss", "inproc"}:
        return False
    try:
        return not ipaddress.ip_address(parts.hostname or "").is_loopback
    except ValueError:
        return parts.hostname != "localhost"


def _gpus() -> list[str]:
    """Return the names by which CUDA_VISIBLE_DEVICES calls the GPUs here; none is touched."""
    if "CUDA_VISIBLE_DEVICES" in os.environ:
        return [name for name in os.environ["CUDA_VISIBLE_DEVICES"].split(",") if name]
    query = ("nvidia-smi", "--query-gpu=index", "--format=csv,noheader")
    try:
        told = subprocess.run(query, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    return told.stdout.split()


# in a worker


def _version() -> str:
    return version()


def _check(there: str) -> None:
    if there != version():
        raise EngineError(f"a worker has SSSP Scope {version()}, you have {there}")


def _graph_of(carried: Any) -> CSRGraph:
    """Return the graph; it is built once in a worker."""
    hashed, indptr, indices, weights = carried
    if _KEPT.get("hash") != hashed:
        _KEPT.clear()
        _KEPT.update(hash=hashed, graph=CSRGraph(indptr, indices, weights, name=hashed))
    graph: CSRGraph = _KEPT["graph"]
    return graph


def _block(
    carried: Any, there: str, number: int, key: str, plan: SourcesPlan, target: Target | None
) -> Block:
    from distributed import get_worker

    _check(there)
    graph = _graph_of(carried)
    if _KEPT.get("key") != key:
        _KEPT.update(key=key, numbered=Numbered(graph, plan))
    where = f"worker {get_worker().name}"
    found = replace(block(_KEPT["numbered"], plan, number, lambda: False), where=where)
    rows = None if target is None else target.rows()
    if rows is not None and found.rows is not None:
        begin, end = plan.span(number)
        rows[begin:end] = found.rows
        return replace(found, rows=None)
    return found


def _point(carried: Any, there: str, value: float | None, plan: SweepPlan) -> SweepPoint:
    _check(there)
    try:
        return measure(_graph_of(carried), plan, value)
    except GpuError as error:
        return failed_point(plan, value, str(error))
