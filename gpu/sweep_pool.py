"""A sweep in processes: every value of a plan, shared out to a pool.

The graph lies in shared memory once, whoever made it. A real GPU runs one value at a time.
Cancel is a flag that every run asks for (within 50 ms). A child that dies costs its value,
and says so.
"""

from __future__ import annotations

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
from gpu.host.process import hidden_main
from gpu.host.shared_graph import SharedGraph, open_graph, share_graph
from gpu.sweep import SweepPlan, SweepPoint, failed_point, in_order, measure

POLL_S = 0.05
RUN_BYTES = 96  # of an engine's own arrays a vertex and process, about
_CHILD: dict[str, Any] = {}  # in a child: graph, stop flag


@dataclass
class Sweep:
    """A plan on its way: `poll` for what is ready, `cancel`, `close` (idempotent).

    graph : may lie in shared memory already; it is copied there once
    processes : None for one a processor core, and one on a real GPU
    """

    graph: CSRGraph
    plan: SweepPlan
    processes: int | None = None
    points: list[SweepPoint] = field(default_factory=list)
    _pending: dict[Future[SweepPoint], float | None] = field(default_factory=dict)
    _pool: ProcessPoolExecutor | None = None
    _shared: SharedGraph | None = None
    _stop: Any = None

    def start(self) -> None:
        """Copy the graph, start the processes, hand out every value. MemoryNeededError."""
        from gpu.formats.memory import require_memory

        values: list[float | None] = [None] if self.plan.controller else []
        values += self.plan.values
        count = min(self._process_count(), len(values))
        require_memory(count * self.graph.n * RUN_BYTES + self.graph.nbytes, "the sweep")
        context = get_context("spawn")
        self._stop = context.Event()
        memory = Memory()
        self._shared = share_graph(memory, 1, self.graph)
        self._pool = ProcessPoolExecutor(
            count,
            mp_context=context,
            initializer=_attach,
            initargs=(memory, self._shared.handle, self._stop),
        )
        with hidden_main():
            for value in values:
                self._pending[self._pool.submit(_measure, self.plan, value)] = value

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
            if not future.cancelled():
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
        if self._stop is not None:
            self._stop.set()
        for future in list(self._pending):
            if future.cancel():
                del self._pending[future]

    def close(self) -> None:
        """End the processes, give the shared graph back."""
        self.cancel()
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None
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
) -> list[SweepPoint]:
    """Make every run of a plan and return its points, the controller's first, then by value.

    on_point : told each point as it comes, with the share done (0..1)
    should_stop : asked often; True ends the sweep, the points made by then are returned
    Raises MemoryNeededError, EngineError (every run failed).
    """
    sweep = Sweep(graph, plan, processes)
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


def _attach(memory: Memory, handle: GraphHandle, stop: Any) -> None:
    """Map the graph in a fresh child."""
    segment = memory.attach(handle.shared, owner=False)
    _CHILD["graph"] = open_graph(handle, segment, writeable=True).graph
    _CHILD["stop"] = stop


def _measure(plan: SweepPlan, value: float | None) -> SweepPoint:
    if _CHILD["stop"].is_set():
        raise CancelledByUserError("the sweep was cancelled")
    return measure(_CHILD["graph"], plan, value, _asked_seldom(_CHILD["stop"].is_set))


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
