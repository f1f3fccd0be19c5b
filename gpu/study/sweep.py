"""One knob, many values: runs that differ in nothing else, side by side in processes.

Figures 4 and 7 of the paper draw time and work against delta. A sweep makes such a picture for
delta, C (delta = C x mean weight / mean degree), or a whole-number parameter of the algorithm's
registry row. While the delta of a dynamic algorithm is swept, its controller is off; one more run,
with the controller on, is laid over the curve. Every run is proved by certificate.

Points      `best_work` has the fewest vertices processed, `best_time` the least time.
            `clip` is the largest value at which a mean share of CLIP_SHARE or more of the pushes
            went past the last bucket: below it the buckets no longer order the work.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from gpu.algorithms import find
from gpu.delta import near_far_delta
from gpu.engine import Observer, checked_settings, run
from gpu.errors import CancelledByUserError, EngineError, GpuError, ParameterError
from gpu.files import require_memory
from gpu.graph import CSRGraph
from gpu.interpreter import cores
from gpu.record.disorder import distance_error
from gpu.record.trace import Probe, RunSettings, Trace, mean_over_time
from gpu.record.tracefile import plain
from gpu.schema import Number, checked, shown
from gpu.study.elsewhere import DiedError, Stop, map_here, map_there, never, result

DELTA, C = "delta", "c"
COUNT = 12  # values of a sweep by default
DOUBLINGS_BELOW = 8  # of those, below Near-Far's delta
CLIP_SHARE = 0.01  # mean share of pushes beyond the ring from which a run counts as clipped
PATH_POINTS = 400  # of the controller's path that are kept
RUN_BYTES = 96  # of an engine's own arrays, a vertex and process, about
MOST_POINTS = 2000  # of a saved sweep
Whole = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]


@dataclass(frozen=True)
class SweepPlan:
    """What is swept: `values` of one knob, everything else as in `settings`.

    knob : "delta", "c", or the key of a whole-number parameter
    controller : whether the run with the algorithm's own delta is made too
    """

    settings: RunSettings
    knob: str
    values: tuple[Number, ...]
    controller: bool


@dataclass(frozen=True)
class SweepPoint:
    """One run of a sweep; `value` None: the controller's own run.

    time_ns : on `clock`                  mean_parallelism : edges assigned, mean over time
    clip_share : 0..1, mean of pushes     certificate : None holds, else the violation
    path_ns, path_delta : delta over time, at most PATH_POINTS changes; the controller's only
    """

    value: Number | None
    settings: RunSettings
    clock: str
    time_ns: Whole
    processed_vertices: Whole
    relaxed_edges: Whole
    improved: Whole
    reached: Whole
    mean_parallelism: Number
    clip_share: Number
    delta: Number | None
    certificate: str | None = None
    path_ns: Annotated[tuple[Whole, ...], Meta(max_length=PATH_POINTS)] = ()
    path_delta: Annotated[tuple[Number, ...], Meta(max_length=PATH_POINTS)] = ()
    failure: str = ""
    distance_error: Number | None = None  # mean of a vertex, weight units; see gpu.record.disorder

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


@dataclass(frozen=True)
class SavedSweep(SweepPlan):
    """A plan that was carried out, with the graph that it was made on."""

    points: Annotated[tuple[SweepPoint, ...], Meta(max_length=MOST_POINTS)]
    graph_name: str
    graph_hash: str


def knobs(settings: RunSettings) -> dict[str, str]:
    """Return what can be swept for this algorithm: key -> title."""
    row = find(settings.algorithm)
    named = {DELTA: "Δ", C: "C (Δ = C x mean weight / mean degree)"} if row.bucketed else {}
    return named | {
        knob.key: knob.title
        for knob in row.parameters
        if knob.kind == "int" and knob.key not in row.fixed and knob.concerns(settings.engine)
    }


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
    row, able = find(settings.algorithm), knobs(settings)
    if row.result != "row":
        raise ParameterError(f"{row.key} finds all pairs; a sweep needs one source a run")
    if knob not in able:
        raise ParameterError(f"{row.key} has no {knob!r} to sweep; it has: {', '.join(able)}")
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
        doubled = [middle * 2.0 ** (step - below) for step in range(count)]
        return tuple(float(f"{value:.3g}") for value in doubled)  # that a person can repeat
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
        fixed = replace(settings, policy=None)  # it would steer Δ
        return checked_settings(graph, replace(fixed, delta=value * unit, parameters=parameters))
    parameters = {**settings.parameters, plan.knob: value}
    return checked_settings(graph, replace(settings, parameters=parameters))


def made(
    graph: CSRGraph,
    settings: RunSettings,
    should_stop: Stop | None = None,
    on_samples: Callable[[np.ndarray], object] | None = None,
) -> Trace:
    """Make a run in this process. Raises CancelledByUserError, and what `gpu.run` raises."""
    trace = run(graph, settings, Observer(on_samples, should_stop))
    if trace.outcome == "stopped":
        raise CancelledByUserError("stopped before the run had ended")
    return trace


def measure(
    plan: SweepPlan, graph: CSRGraph, value: float | None, should_stop: Stop | None = None
) -> SweepPoint:
    """Run one value of a plan; reduce its trace to a point. Raises as `made` does."""
    settings = settings_of(graph, plan, value)
    trace = made(graph, settings, should_stop)
    from gpu.proof.verify import certificate

    samples = trace.samples
    path = np.flatnonzero(np.diff(samples["delta"], prepend=np.nan) != 0)[:PATH_POINTS]
    path = path if value is None else path[:0]
    return SweepPoint(
        value,
        trace.settings,
        trace.clock,
        trace.time_ns,
        trace.processed_vertices,
        trace.relaxed_edges,
        int(trace.last["improved"]),
        trace.reached,
        mean_over_time(samples, "assigned_edges"),
        _clip_share(samples),
        float(samples["delta"][0]),
        certificate(graph, settings.source, trace.dist),
        tuple(samples["t_ns"][path].tolist()),
        tuple(samples["delta"][path].tolist()),
        distance_error=distance_error(trace),
    )


def run_sweep(
    graph: CSRGraph,
    plan: SweepPlan,
    on_point: Callable[[SweepPoint, float], object] = lambda _point, _share: None,
    processes: int | None = None,
    should_stop: Stop = never,
    there: Any = None,
) -> list[SweepPoint]:
    """Make every run of a plan and return its points, the controller's first, then by value.

    on_point : receives each point as it comes, with the share done (0..1)
    processes : on this computer; None: one for each core. A GPU runs one value at a time
    should_stop : asked often; True ends the sweep, the points made by then are returned
    there : the client of a cluster (`gpu.study.elsewhere`) in place of processes here

    Raises MemoryNeededError, EngineError (every run failed, or a process died).
    """
    values = [*([None] if plan.controller else []), *plan.values]
    work = partial(measure, plan)
    if there is None:
        count = 1 if plan.settings.engine == "cuda" else processes or cores()
        count = min(count, len(values))
        require_memory(count * graph.n * RUN_BYTES + graph.nbytes, "the sweep")
        results = map_here(count, work, graph, values, should_stop)
    else:
        results = map_there(there, work, graph, values, should_stop)
    points: list[SweepPoint] = []
    with suppress(CancelledByUserError), closing(results):
        for value, future in results:
            points.append(_outcome(plan, value, future))
            on_point(points[-1], len(points) / len(values))
    if points and all(point.failure for point in points):
        raise EngineError(points[0].failure)
    return in_order(points)


def _outcome(plan: SweepPlan, value: float | None, future: Future[SweepPoint]) -> SweepPoint:
    try:
        return result(future)
    except (CancelledByUserError, DiedError):
        raise
    except GpuError as error:
        delta = value if plan.knob == DELTA else None
        words = str(error)
        return SweepPoint(value, plan.settings, "", 0, 0, 0, 0, 0, 0.0, 0.0, delta, failure=words)


def findings(points: Sequence[SweepPoint]) -> SweepFindings:
    """Return the marked points among those that have run so far."""
    good = [p for p in points if not p.failure and p.certificate is None]
    curve = [p for p in good if p.value is not None]
    clipped = [p for p in curve if p.clip_share >= CLIP_SHARE]
    return SweepFindings(
        min(curve, key=lambda p: p.time_ns, default=None),
        min(curve, key=lambda p: (p.processed_vertices, p.time_ns), default=None),
        max(clipped, key=lambda p: p.value or 0.0, default=None),
        next((p for p in good if p.value is None), None),
    )


def in_order(points: Sequence[SweepPoint]) -> list[SweepPoint]:
    """Sort: the controller's run, then by value."""
    return sorted(points, key=lambda p: (p.value is not None, p.value or 0.0))


def as_dict(point: SweepPoint | None) -> dict[str, Any] | None:
    """Return a point as plain JSON types, its settings left out but for the parameters."""
    if point is None:
        return None
    kept = asdict(point)
    del kept["settings"]
    path = {key: list(kept.pop(key)) for key in ("path_ns", "path_delta")}
    kept |= {"work": point.work, "verified": point.certificate is None}
    return kept | (path if point.value is None else {})


def sweep_as_dict(sweep: SavedSweep) -> dict[str, Any]:
    """Return plain JSON types; a number that JSON has not becomes None."""
    table: dict[str, Any] = plain(asdict(sweep))
    return table


def sweep_from_dict(table: Any) -> SavedSweep:
    """Return what `sweep_as_dict` wrote; SchemaError, ParameterError where it cannot be read."""
    saved = checked(SavedSweep, table)
    for one in (saved.settings, *(point.settings for point in saved.points)):
        one.parameters.update(find(one.algorithm).checked_parameters(one.parameters))
    if saved.knob not in knobs(saved.settings):
        raise ParameterError(f"the sweep of {shown(saved.knob)} does not fit this program")
    return saved


def _degree(graph: CSRGraph) -> float:
    return max(graph.mean_degree, 1e-9)


def _clip_share(samples: np.ndarray) -> float:
    pushed = np.diff(samples["improved"], prepend=0).astype(np.float64)
    total = float(pushed.sum())
    return float((samples["clip_share"] * pushed).sum() / total) if total else 0.0
