"""One knob, many values: runs that differ in nothing else, side by side in processes.

Figures 4 and 7 of the paper draw time and work against delta; a sweep makes such a
picture for any knob: delta itself, C (delta = C x mean weight / mean degree), or a
whole-number parameter of the algorithm's registry row. A dynamic algorithm is held still
while its delta is swept, and its own controller's run is made as well, to be laid over the
curve.

Processes   Values are shared out to a pool of fresh processes; the graph lies in shared
            memory once, whoever made it. A real GPU runs one value at a time. Cancel is a flag
            that every run asks for (within 50 ms). A child that dies costs its value, and says so.

Points      `best_work` has the fewest vertices processed, `best_time` the least time,
            `clip` is the largest value whose pushes went beyond the ring (a mean share of
            CLIP_SHARE or more): below it the ring no longer orders the work.

Checked     Every run by the certificate of `gpu.verify`, in the process that made it.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, field, replace
from multiprocessing import get_context
from typing import Any

import numpy as np

from gpu.algorithms import find
from gpu.delta import near_far_delta
from gpu.engine import checked_settings, run
from gpu.errors import CancelledByUserError, EngineError, GpuError, ParameterError
from gpu.graph import CSRGraph
from gpu.host.memory import Memory
from gpu.host.messages import GraphHandle
from gpu.host.process import hidden_main
from gpu.host.shared_graph import SharedGraph, open_graph, share_graph
from gpu.trace import Probe, RunSettings, Trace

DELTA, C = "delta", "c"
COUNT = 12  # values of a sweep by default
DOUBLINGS_BELOW = 8  # of those, below Near-Far's delta
CLIP_SHARE = 0.01  # mean share of pushes beyond the ring from which a run counts as clipped
PATH_POINTS = 400  # of the controller's path that are kept
POLL_S = 0.05
RUN_BYTES = 96  # of an engine's own arrays a vertex and process, about
_CHILD: dict[str, Any] = {}  # in a child: graph, stop flag


@dataclass(frozen=True)
class SweepPlan:
    """What is swept: `values` of one knob, everything else as in `settings`.

    knob : "delta", "c", or the key of a whole-number parameter
    controller : whether the run with the algorithm's own delta is made too
    """

    settings: RunSettings
    knob: str
    values: tuple[float, ...]
    controller: bool = False


@dataclass(frozen=True)
class SweepPoint:
    """One run of a sweep; `value` None: the controller's own run.

    time_ns : on `clock`                  mean_parallelism : edges assigned, mean over time
    clip_share : 0..1, mean of pushes     certificate : None holds, else the violation
    path_ns, path_delta : delta over time, at most PATH_POINTS changes; the controller's only
    """

    value: float | None
    settings: RunSettings
    clock: str
    time_ns: int
    processed_vertices: int
    relaxed_edges: int
    improved: int
    reached: int
    mean_parallelism: float
    clip_share: float
    delta: float
    certificate: str | None = None
    path_ns: tuple[int, ...] = ()
    path_delta: tuple[float, ...] = ()
    failure: str = ""

    @property
    def work(self) -> float:
        """Vertices processed for each one reached: 1 is perfect."""
        return self.processed_vertices / max(self.reached, 1)


@dataclass(frozen=True)
class SweepFindings:
    """What the curve says; each a point or None."""

    best_time: SweepPoint | None
    best_work: SweepPoint | None
    clip: SweepPoint | None
    controller: SweepPoint | None


def knobs(settings: RunSettings) -> dict[str, str]:
    """Return what can be swept for this algorithm: key -> title."""
    row = find(settings.algorithm)
    named = {DELTA: "Δ", C: "C (Δ = C x mean weight / mean degree)"} if row.bucketed else {}
    more = {p.key: p.title for p in row.parameters if p.kind == "int" and p.key not in row.fixed}
    return named | more


def make_plan(
    graph: CSRGraph,
    settings: RunSettings,
    knob: str = DELTA,
    values: Sequence[float] | None = None,
    count: int = COUNT,
) -> SweepPlan:
    """Return a checked plan; `values` None takes `count` doublings around the usual value.

    Raises ParameterError, SourceError.
    """
    settings = checked_settings(graph, replace(settings, probe=Probe.SAMPLES))
    row, known = find(settings.algorithm), knobs(settings)
    if row.result != "row":
        raise ParameterError(f"{row.key} finds all pairs; a sweep needs one source a run")
    if knob not in known:
        raise ParameterError(f"{row.key} has no {knob!r} to sweep; it has: {', '.join(known)}")
    if not 1 <= count <= 1000:
        raise ParameterError(f"{count} values; allowed: 1 to 1000")
    chosen = tuple(values) if values else usual_values(graph, settings, knob, count)
    bad = [value for value in chosen if not (value > 0 and math.isfinite(value))]
    if bad:
        raise ParameterError(f"{knob} = {bad[0]}; allowed: a finite number above 0")
    plan = SweepPlan(settings, knob, tuple(sorted(set(chosen))), row.dynamic and knob in {DELTA, C})
    for value in plan.values:
        settings_of(graph, plan, value)
    return plan


def usual_values(
    graph: CSRGraph, settings: RunSettings, knob: str, count: int
) -> tuple[float, ...]:
    """Return `count` values, each twice the one before, around the default or within bounds."""
    if knob in {DELTA, C}:
        middle = near_far_delta(graph.mean_weight, graph.mean_degree, graph.integer)
        if knob == C:
            middle *= _degree(graph) / (graph.mean_weight or 1.0)
        below = min(DOUBLINGS_BELOW, count - 1)
        return tuple(_rounded(middle * 2.0 ** (step - below)) for step in range(count))
    knob_row = next(p for p in find(settings.algorithm).parameters if p.key == knob)
    low, high = max(knob_row.low, 1.0), knob_row.high
    grown = [low * 2.0**step for step in range(64) if low * 2.0**step <= high]
    return tuple(grown[-count:]) or (low,)


def settings_of(graph: CSRGraph, plan: SweepPlan, value: float | None) -> RunSettings:
    """Return the settings of one run; `value` None: the controller's. ParameterError."""
    row, settings = find(plan.settings.algorithm), plan.settings
    if value is None:
        return checked_settings(graph, replace(settings, delta=None))
    if plan.knob in {DELTA, C}:
        unit = 1.0 if plan.knob == DELTA else graph.mean_weight / _degree(graph)
        parameters = {**settings.parameters, **row.still}
        delta = value * unit
        return checked_settings(graph, replace(settings, delta=delta, parameters=parameters))
    parameters = {**settings.parameters, plan.knob: value}
    return checked_settings(graph, replace(settings, parameters=parameters))


def measure(
    graph: CSRGraph,
    plan: SweepPlan,
    value: float | None,
    should_stop: Callable[[], bool] | None = None,
) -> SweepPoint:
    """Run one value in this process and reduce its trace to a point.

    Raises CancelledByUserError where it was stopped, else what `gpu.run` raises.
    """
    from gpu.verify import certificate

    settings = settings_of(graph, plan, value)
    trace = run(
        graph,
        settings.algorithm,
        settings.engine,
        settings.source,
        settings.delta,
        settings.probe,
        device=settings.device,
        parameters=settings.parameters,
        seed=settings.seed,
        sample_period_ns=settings.sample_period_ns,
        should_stop=should_stop,
    )
    if trace.outcome == "stopped":
        raise CancelledByUserError("the sweep was cancelled")
    return point_of(trace, value, certificate(graph, settings.source, trace.dist))


def point_of(trace: Trace, value: float | None, violation: str | None) -> SweepPoint:
    """Reduce a whole trace to what a sweep keeps."""
    samples = trace.samples
    path = np.flatnonzero(np.diff(samples["delta"], prepend=np.nan) != 0)[:PATH_POINTS]
    return SweepPoint(
        value,
        trace.settings,
        trace.clock,
        trace.time_ns,
        trace.processed_vertices,
        trace.relaxed_edges,
        int(trace.last["improved"]),
        trace.reached,
        _mean_over_time(samples, "assigned_edges"),
        _clip_share(samples),
        float(samples["delta"][0]),
        violation,
        tuple(int(t) for t in samples["t_ns"][path]) if value is None else (),
        tuple(float(d) for d in samples["delta"][path]) if value is None else (),
    )


def findings(points: Sequence[SweepPoint]) -> SweepFindings:
    """Return the marked points of what is there so far."""
    good = [p for p in points if not p.failure and p.certificate is None]
    curve = [p for p in good if p.value is not None]
    clipped = [p for p in curve if p.clip_share >= CLIP_SHARE]
    return SweepFindings(
        min(curve, key=lambda p: p.time_ns, default=None),
        min(curve, key=lambda p: (p.processed_vertices, p.time_ns), default=None),
        max(clipped, key=lambda p: p.value or 0.0, default=None),
        next((p for p in good if p.value is None), None),
    )


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


def failed_point(plan: SweepPlan, value: float | None, words: str) -> SweepPoint:
    """Return a point that says why there is none."""
    delta = value if value is not None and plan.knob == DELTA else math.nan
    return SweepPoint(value, plan.settings, "", 0, 0, 0, 0, 0, 0.0, 0.0, delta, failure=words)


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


def in_order(points: Sequence[SweepPoint]) -> list[SweepPoint]:
    """Sort: the controller's run, then by value."""
    return sorted(points, key=lambda p: (p.value is not None, p.value or 0.0))


def as_dict(point: SweepPoint | None) -> dict[str, Any] | None:
    """Return a point as plain JSON types, its settings left out but for the parameters."""
    if point is None:
        return None
    told: Mapping[str, Any] = asdict(point)
    kept = {key: value for key, value in told.items() if key != "settings"}
    path = {key: list(kept.pop(key)) for key in ("path_ns", "path_delta")}
    delta = None if math.isnan(point.delta) else point.delta
    kept |= {"delta": delta, "work": point.work, "verified": point.certificate is None}
    return kept | (path if point.value is None else {})


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


def _degree(graph: CSRGraph) -> float:
    return max(graph.mean_degree, 1e-9)


def _rounded(value: float) -> float:
    """Keep three digits, so that a person can read and repeat the value."""
    return float(f"{value:.3g}")


def _mean_over_time(samples: np.ndarray, column: str) -> float:
    steps = np.diff(samples["t_ns"])
    total = float(steps.sum())
    return float((samples[column][:-1] * steps).sum() / total) if total else 0.0


def _clip_share(samples: np.ndarray) -> float:
    pushed = np.diff(samples["improved"], prepend=0).astype(np.float64)
    total = float(pushed.sum())
    return float((samples["clip_share"] * pushed).sum() / total) if total else 0.0
