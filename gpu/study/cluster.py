"""Work on a cluster of Dask: blocks of rows, values of a sweep, comparisons, on other machines.

    with Cluster("local:2") as cluster:  # or tcp://..., tls://..., a scheduler file of Dask
        from_sources(graph, plan, "rows.npy", spread=cluster.blocks)
        cluster.sweep(graph, sweep_plan)

A task is a graph, a plan, and a number in it (`gpu.study.cluster_tasks`). Graphs and plans go to a
worker once. Rows are the same bytes wherever they were made. A worker whose version of us
is another one refuses its tasks in words. A worker on this computer writes its rows itself into
the file; what another one computes comes over the network.
"""

from __future__ import annotations

import ipaddress
import os
import subprocess
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import numpy as np

from gpu.errors import (
    CancelledByUserError,
    EngineError,
    GpuError,
    MemoryNeededError,
    ParameterError,
)
from gpu.graph import CSRGraph
from gpu.host.process import hidden_main
from gpu.interpreter import version
from gpu.study.cluster_tasks import Stop, Tasks, Tell, Workers, worker_words
from gpu.study.compare_graphs import Open, Pair, Row, compared
from gpu.study.rows import Target
from gpu.study.sources import Block, Numbered, SourcesPlan, block
from gpu.study.sweep import SweepPlan, SweepPoint, failed_point, in_order, measure

LOCAL = "local:"
CONNECT_S = 10.0  # until a scheduler answers
START_S = 30.0  # until the first worker is there
PIP = 'pip install "sssp-scope[cluster]"'
_Send = Callable[[str, str, Callable[[], Any]], Any]  # kind, key, how it is made -> it there
_KEPT: dict[str, Any] = {}  # in a worker: the last graph, numbered for a plan


class Cluster:
    """A scheduler with its workers.

    where : "local:N" for N processes here, one a GPU where there are GPUs; the address of a
        scheduler; or a scheduler's file
    warn : told in a sentence where whoever reaches the scheduler can run code
    tell : told, about once a second, how far each worker is with the work at hand

    Raises ParameterError, EngineError (no Dask, no scheduler, another version on a worker).
    """

    def __init__(
        self,
        where: str,
        warn: Callable[[str], object] = lambda _words: None,
        tell: Tell = lambda _shares: None,
    ) -> None:
        try:
            import distributed
        except ImportError as error:
            raise EngineError(f"a cluster needs Dask: {PIP}") from error
        self._dask: Any = distributed
        self._own: Any = None
        self._sent: dict[str, tuple[str, Any]] = {}  # kind -> the last one's key, and it there
        self._with_gpu: set[str] = set()  # addresses of workers
        self.tell = tell
        try:
            self._client = self._connected(where)
        except (OSError, TimeoutError, ValueError, RuntimeError) as error:
            raise EngineError(f"no scheduler answers at {where}: {error}") from error
        self._workers = Workers(self._client, self._replace_lost)
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

    def warm(self, graph: CSRGraph, plan: SourcesPlan) -> None:
        """Have every worker compute the plan's first block, for whoever measures what follows."""
        self._require(plan.settings.engine)
        given = self._for_blocks(graph, plan.key(graph), plan, None, self._sender(lambda: False))
        warming = [
            self._client.submit(_warm, *given, workers=[address], pure=False)
            for address in self._workers.names
        ]
        for future in warming:
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
        self._require(plan.settings.engine)
        key = plan.key(graph)

        def given(_number: int, to: str | None) -> tuple[Any, ...]:
            return self._for_blocks(graph, key, plan, target, self._sender(should_stop, to))

        tasks = Tasks(self._workers, todo, _block, given, self.tell)
        for _number, found in tasks.results(should_stop):
            yield found

    def _for_blocks(
        self, graph: CSRGraph, key: str, plan: SourcesPlan, target: Target | None, send: _Send
    ) -> tuple[Any, ...]:
        return self._carried(graph, send), key, send("plan", key, lambda: plan), target

    def sweep(
        self,
        graph: CSRGraph,
        plan: SweepPlan,
        on_point: Callable[[SweepPoint, float], object] | None = None,
        should_stop: Stop = lambda: False,
    ) -> list[SweepPoint]:
        """Make every run of a plan on the workers; as `gpu.study.sweep_pool.run_sweep`."""
        self._require(plan.settings.engine)
        values: list[float | None] = [None] if plan.controller else []
        values += plan.values
        points: list[SweepPoint] = []

        def given(_value: float | None, to: str | None) -> tuple[Any, ...]:
            return self._carried(graph, self._sender(should_stop, to)), plan

        with suppress(CancelledByUserError):
            tasks = Tasks(self._workers, values, _point, given, self.tell)
            for _value, point in tasks.results(should_stop):
                points.append(point)
                if on_point is not None:
                    on_point(point, len(points) / len(values))
        if points and all(point.failure for point in points):
            raise EngineError(points[0].failure)
        return in_order(points)

    def compare(
        self, open_graph: Open, count: int, pair: Pair, should_stop: Stop = lambda: False
    ) -> Iterator[tuple[int, Row]]:
        """Yield the number of each graph and its row, as `gpu.study.compare_graphs` makes them.

        A graph is opened here when it is its turn, and goes to one worker.
        """
        self._require(pair.a.engine, pair.b.engine)

        def given(number: int, to: str | None) -> tuple[Any, ...]:
            graph, source = open_graph(number)
            return self._workers.send(_arrays(graph), should_stop, to), source, pair

        tasks = Tasks(self._workers, range(count), _row, given, self.tell)
        yield from tasks.results(should_stop)

    # connecting

    def _connected(self, where: str) -> Any:
        Client = self._dask.Client  # noqa: N806 (a class)
        quiet = {"set_as_default": False, "timeout": CONNECT_S}
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
        # every worker keeps its graph
        keep = self._dask.dask.config.set(
            {"distributed.scheduler.active-memory-manager.start": False}
        )
        with keep, hidden_main():
            return self._dask.SpecCluster(
                workers=workers, scheduler=scheduler, silence_logs=50, name="sssp-scope"
            )

    def _replace_lost(self, there: Collection[str]) -> None:
        """Start again what our own cluster has lost.

        Dask starts a worker again that dies. It gives up one whose start fails, and one that
        happens to be starting 15 s after it died before.
        """
        own = self._own
        if own is None or len(there) == len(own.worker_spec):
            return
        over = {"closed", "failed"}

        def start() -> None:
            for number, nanny in list(own.workers.items()):
                if nanny.status.name in over:
                    del own.workers[number]
            own.scale(len(own.worker_spec))

        own.loop.add_callback(start)

    def _check_versions(self) -> None:
        """Raise EngineError where a worker has another version of us, or none."""
        with suppress(TimeoutError, OSError):
            self._client.wait_for_workers(1, timeout=START_S)
        found = self._client.run(_version, on_error="return")
        if not found:
            raise EngineError("the cluster has no workers")
        for address, told in found.items():
            if told != version():
                there = "no SSSP Scope" if isinstance(told, BaseException) else told
                raise EngineError(
                    f"worker {address}: {there}; here {version()}: install the same there"
                )

    def _require(self, *engines: str) -> None:
        """Raise EngineError where a worker has no GPU and one is needed; each is asked once."""
        self._workers.hear()
        fresh = [address for address in self._workers.names if address not in self._with_gpu]
        if "cuda" not in engines or not fresh:
            return
        told = self._client.run(_why_no_gpu, workers=fresh)
        without = {address: why for address, why in told.items() if why is not None}
        if without:
            address = min(without, key=lambda one: self._workers.names[one])
            raise EngineError(
                f"{len(without)} of {len(self._workers.names)} workers cannot run the engine cuda; "
                f"{self._workers.names[address]} at {address}: {without[address]}"
            )
        self._with_gpu.update(told)

    # what workers need

    def _carried(self, graph: CSRGraph, send: _Send) -> Any:
        """Return the graph as workers can have it: its arrays."""
        return send("graph", graph.hash, lambda: _arrays(graph))

    def _sender(self, should_stop: Stop, to: str | None = None) -> _Send:
        """Return what sends a thing, once, until there is another one of its kind."""

        def send(kind: str, key: str, make: Callable[[], Any]) -> Any:
            known, there = self._sent.get(kind, ("", None))
            is_there = known == key and there.status == "finished"
            if not is_there or not (to is None or self._workers.has(to, there)):
                there = self._workers.send(make(), should_stop, to)
                self._sent[kind] = (key, there)
            return there

        return send


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


def _why_no_gpu() -> str | None:
    from gpu.cuda.device import why_not

    return why_not()


def _arrays(graph: CSRGraph) -> tuple[Any, ...]:
    whole = (np.array(array) for array in (graph.indptr, graph.indices, graph.weights))
    return (graph.hash, *whole)  # no view of shared memory


def _graph_of(carried: Any) -> CSRGraph:
    """Return the graph; it is built once in a worker."""
    hashed, indptr, indices, weights = carried
    if _KEPT.get("hash") != hashed:
        _KEPT.clear()
        _KEPT.update(hash=hashed, graph=CSRGraph(indptr, indices, weights, name=hashed))
    graph: CSRGraph = _KEPT["graph"]
    return graph


def _block(
    number: int,
    carried: Any,
    key: str,
    plan: SourcesPlan,
    target: Target | None,
    is_cancelled: Stop,
) -> Block:
    from distributed import get_worker

    graph = _graph_of(carried)
    if _KEPT.get("key") != key:
        _KEPT.update(key=key, numbered=Numbered(graph, plan))
    found = block(_KEPT["numbered"], plan, number, target, is_cancelled)
    # what travels must not be what the next block is computed in
    rows = None if found.rows is None else np.array(found.rows)
    return replace(found, rows=rows, where=f"worker {get_worker().name}")


def _warm(carried: Any, key: str, plan: SourcesPlan, target: Target | None) -> None:
    _block(0, carried, key, plan, target, lambda: False)


def _point(value: float | None, carried: Any, plan: SweepPlan, is_cancelled: Stop) -> SweepPoint:
    try:
        return measure(_graph_of(carried), plan, value, is_cancelled)
    except (EngineError, MemoryNeededError) as error:  # a matter of this computer
        return failed_point(plan, value, f"{worker_words()}: {error}")
    except GpuError as error:
        return failed_point(plan, value, str(error))


def _row(_number: int, carried: Any, source: int, pair: Pair, is_cancelled: Stop) -> Row:
    return compared(_graph_of(carried), source, pair, is_cancelled)
