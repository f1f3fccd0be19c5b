"""A sweep in processes: every value of a plan, shared out to a pool.

The graph lies in shared memory once, whoever made it. A real GPU runs one value at a time.
Cancel is a flag that every run asks for (within 50 ms). A child that dies takes with it whatever
waits in its pool: each such value is handed out once more, and one that dies again says so.

A pool belongs to one sweep and ends with it, unless a `Pool` is handed in: who makes several sweeps
in a row (a lesson does) starts the processes, which takes seconds, only once.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

from gpu.errors import CancelledByUserError, EngineError, GpuError
from gpu.graph import CSRGraph
from gpu.host.memory import Memory
from gpu.host.messages import GraphHandle
from gpu.host.orphan import end_with_parent
from gpu.host.process import hidden_main
from gpu.host.shared_graph import SharedGraph, open_graph, share_graph
from gpu.interpreter import require_threads, start_tracker
from gpu.study.sweep import (
    SweepPlan,
    SweepPoint,
    failed_point,
    in_order,
    measure,
)

POLL_S = 0.05
THREADS = 4  # that each process, and we for the pool, may need; processes count among them
RUN_BYTES = 96  # of an engine's own arrays a vertex and process, about
_CHILD: dict[str, Any] = {}  # in a child: stop flag, graph, the name of the graph's segment


class Pool:
    """Processes for one sweep at a time; `close` ends them (idempotent).

    count : None for one a processor core
    """

    def __init__(self, count: int | None = None) -> None:
        start_tracker()
        self._context = get_context("spawn")
        self.count = count or len(_cores())
        require_threads(THREADS * (self.count + 1))
        self.stop = self._context.Event()
        self.memory = Memory()
        self._tokens = itertools.count(1)
        self._executor = self._fresh()

    def share(self, graph: CSRGraph) -> SharedGraph:
        """Copy a graph to where the processes see it. MemoryNeededError."""
        return share_graph(self.memory, next(self._tokens), graph)

    def warm(self, algorithm: str) -> None:
        """Start the processes now, with what an algorithm needs, and return at once."""
        for _ in range(self.count):
            self.submit(_load, algorithm)

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Hand out one piece of work; where a process has died, to fresh ones."""
        with hidden_main():
            try:
                return self._executor.submit(work, *arguments)
            except BrokenProcessPool:
                self._executor.shutdown(wait=True)
                self._executor = self._fresh()
                return self._executor.submit(work, *arguments)

    def close(self) -> None:
        """End the processes; whoever runs is asked to stop; give every name back."""
        self.stop.set()
        self._executor.shutdown(wait=True, cancel_futures=True)
        self.memory.sweep()

    def _fresh(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            self.count,
            mp_context=self._context,
            initializer=_attach,
            initargs=(self.stop, self.memory),
        )


@dataclass
class Sweep:
    """A plan on its way: `poll` for what is ready, `cancel`, `close` (idempotent).

    graph : may lie in shared memory already; it is copied there once
    processes : None for one a processor core, and one on a real GPU
    pool : processes that stay when the sweep is over; not for a real GPU
    """

    graph: CSRGraph
    plan: SweepPlan
    processes: int | None = None
    pool: Pool | None = None
    points: list[SweepPoint] = field(default_factory=list)
    _pending: dict[Future[SweepPoint], float | None] = field(default_factory=dict)
    _again: set[float | None] = field(default_factory=set)  # handed out a second time
    _own: Pool | None = None
    _shared: SharedGraph | None = None

    def start(self) -> None:
        """Copy the graph, start the processes, hand out every value. MemoryNeededError."""
        from gpu.memory import require_memory

        values: list[float | None] = [None] if self.plan.controller else []
        values += self.plan.values
        count = min(self._process_count(), len(values))
        require_memory(count * self.graph.n * RUN_BYTES + self.graph.nbytes, "the sweep")
        if self.pool is None or self.plan.settings.engine == "cuda":
            self.pool = self._own = Pool(count)
        pool = self.pool
        pool.stop.clear()
        self._shared = pool.share(self.graph)
        for value in values:
            self._hand_out(value)

    def _hand_out(self, value: float | None) -> None:
        assert self.pool is not None
        assert self._shared is not None
        work = (self.pool.memory, self._shared.handle, self.plan, value)
        self._pending[self.pool.submit(_measure, *work)] = value

    @property
    def done(self) -> bool:
        """Whether every value has its point, or was cancelled."""
        return not self._pending

    @property
    def fraction(self) -> float:
        """How much is done, 0..1."""
        return len(self.points) / max(len(self.points) + len(self._pending), 1)

    def poll(self) -> list[SweepPoint]:
        """Return the points that became ready; never waits. Closes itself at the end."""
        fresh = []
        for future in [future for future in self._pending if future.done()]:
            value = self._pending.pop(future)
            if self._may_try_again(future, value):
                self._again.add(value)
                self._hand_out(value)
            elif not future.cancelled():
                fresh += list(self._outcome(future, value))
        self.points += fresh
        if self.done:
            self.close()
        return fresh

    def wait(self, seconds: float) -> None:
        """Wait until one more is ready, at most so long."""
        wait(self._pending, seconds, FIRST_COMPLETED)

    def cancel(self) -> None:
        """Make no further runs and end those that are going; what is there stays."""
        if self.pool is not None:
            self.pool.stop.set()
        for future in list(self._pending):
            if future.cancel():
                del self._pending[future]

    def close(self) -> None:
        """End the processes that are our own, give the shared graph back."""
        self.cancel()
        if self._own is not None:
            self._own.close()
        else:
            wait(self._pending)
        self.pool = self._own = None
        if self._shared is not None:
            self._shared.segment.unlink()
            self._shared = None
        self._pending.clear()

    def _outcome(self, future: Future[SweepPoint], value: float | None) -> Iterator[SweepPoint]:
        try:
            yield future.result()
        except CancelledByUserError:
            return
        except BrokenProcessPool:
            words = "the process that made this run died (often: out of memory)"
            yield failed_point(self.plan, value, words)
        except GpuError as error:
            yield failed_point(self.plan, value, str(error))

    def _may_try_again(self, future: Future[SweepPoint], value: float | None) -> bool:
        if future.cancelled() or self.pool is None or self.pool.stop.is_set():
            return False
        return value not in self._again and isinstance(future.exception(), BrokenProcessPool)

    def _process_count(self) -> int:
        if self.plan.settings.engine == "cuda":
            return 1
        return self.processes or len(_cores())


def run_sweep(
    graph: CSRGraph,
    plan: SweepPlan,
    on_point: Callable[[SweepPoint, float], object] | None = None,
    processes: int | None = None,
    should_stop: Callable[[], bool] | None = None,
    pool: Pool | None = None,
) -> list[SweepPoint]:
    """Make every run of a plan and return its points, the controller's first, then by value.

    on_point : told each point as it comes, with the share done (0..1)
    should_stop : asked often; True ends the sweep, the points made by then are returned
    pool : processes to use, which stay; None for some of its own
    Raises MemoryNeededError, EngineError (every run failed).
    """
    sweep = Sweep(graph, plan, processes, pool)
    try:
        sweep.start()
        while not sweep.done:
            sweep.wait(POLL_S)
            if should_stop is not None and should_stop():
                sweep.cancel()
            for point in sweep.poll():
                if on_point is not None:
                    on_point(point, sweep.fraction)
    finally:
        sweep.close()
    if sweep.points and all(point.failure for point in sweep.points):
        raise EngineError(sweep.points[0].failure)
    return in_order(sweep.points)


def _attach(stop: Any, memory: Memory) -> None:
    """Begin a fresh child, which is not to outlive its parent."""
    end_with_parent(memory)
    _CHILD["stop"] = stop


def _load(algorithm: str) -> None:
    """Make a short run in a child, so that the next one finds all compiled code."""
    import sample_graphs
    from gpu.compiled import PLAIN_ARCS
    from gpu.engine import run_named as run

    run(sample_graphs.make("star", n=PLAIN_ARCS), algorithm, "model")  # twice the arcs


def _graph_of(memory: Memory, handle: GraphHandle) -> CSRGraph:
    """Return the graph of a sweep; it is mapped once in each child."""
    if _CHILD.get("name") != handle.shared.path:
        segment = memory.attach(handle.shared, owner=False)
        _CHILD["graph"] = open_graph(handle, segment, writeable=True).graph
        _CHILD["name"] = handle.shared.path
    found: CSRGraph = _CHILD["graph"]
    return found


def _measure(memory: Memory, handle: GraphHandle, plan: SweepPlan, value: float | None) -> Any:
    stopped = _CHILD["stop"].is_set
    if stopped():
        raise CancelledByUserError("the sweep was cancelled")
    return measure(_graph_of(memory, handle), plan, value, _asked_seldom(stopped))


def _asked_seldom(ask: Callable[[], bool]) -> Callable[[], bool]:
    """Ask at most every POLL_S / 2: the flag of another process costs a lock."""
    last = [time.monotonic(), False]

    def asked() -> bool:
        now = time.monotonic()
        if now - last[0] > POLL_S / 2:
            last[0], last[1] = now, ask()
        return bool(last[1])

    return asked


def _cores() -> Sequence[int]:
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return range(os.cpu_count() or 1)
