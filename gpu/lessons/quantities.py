"""The quantities of a run, a sweep or a faulty listing that a lesson may use; moments of a run.

    QUANTITIES         of a run: run.time_ms
    AT_QUANTITIES      of a run, at something: run.distance(A), run.events(CLIP), run.entered(3)
    VERTEX_QUANTITIES  a vertex: run.farthest_vertex; its index as an answer, its id in a text
    SWEEP_QUANTITIES   of a sweep: sweep.best_time
    FAULT_QUANTITIES   of a run with `variant`: run.wrong; run.sentence stands in texts only

Quantities counted in events need probe = 3, those of vertices probe = 2; without it they raise
ParameterError.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpu.devices import find_preset
from gpu.errors import ParameterError
from gpu.graph import CSRGraph
from gpu.lessons.lesson import Value
from gpu.record.events import EventKind
from gpu.record.trace import Trace, mean_over_time, reached_mask


def _busy_share(trace: Trace) -> float:
    top = float(trace.samples["busy_workers"].max())
    modelled = trace.environment.get("workers") if trace.settings.engine == "model" else None
    count = trace.settings.parameters.get("workers") or modelled
    workers = float(count or _of_device(trace, "workers") or top or 1.0)
    return mean_over_time(trace.samples, "busy_workers") / workers


def _of_device(trace: Trace, number: str) -> float:
    """Return a number of the modelled device, 0 on other engines."""
    modelled = trace.settings.engine == "model"
    return float(getattr(find_preset(trace.settings.device), number)) if modelled else 0.0


def _times(trace: Trace) -> np.ndarray:
    if trace.vertices is None:
        raise ParameterError("this needs per-vertex times: probe = 2 at the run")
    return trace.vertices.times_processed


def on_time(trace: Trace) -> int:
    """Return how many items entered a bucket and were not late. Needs probe 3."""
    kinds = events_of(trace)["kind"]
    return int(np.isin(kinds, (EventKind.PUSH, EventKind.STAY)).sum()) - late_pushes(trace)


def late_pushes(trace: Trace) -> int:
    """Return how many items entered a head bucket that had been given out to the last item.

    Counted from the first moment at which everything in the head had been given to workers: what
    would land further on if the manager only looked whether the head is empty. Items that a
    worker keeps for itself count too. Needs probe 3.
    """
    entered: dict[int, int] = {}
    assigned: dict[int, int] = {}
    head, late, empty = 0, 0, False
    for event in events_of(trace):
        kind, bucket = int(event["kind"]), int(event["b"])
        if kind == EventKind.HEAD:
            head, empty = int(event["a"]), False
        elif kind in (EventKind.PUSH, EventKind.STAY):
            late += int(empty and bucket == head)
            entered[bucket] = entered.get(bucket, 0) + int(kind == EventKind.PUSH)
        elif kind == EventKind.ASSIGN:
            assigned[bucket] = assigned.get(bucket, 0) + int(event["c"])
        if entered.get(head) and entered[head] == assigned.get(head, 0):
            empty = True
    return late


# assets/lessons/README.md says what each one is
QUANTITIES: dict[str, Callable[[Trace], float]] = {
    "time_ms": lambda t: t.time_ns / 1e6,
    "processed": lambda t: t.processed_vertices,
    "relaxed": lambda t: t.relaxed_edges,
    "reached": lambda t: t.reached,
    "vertices": lambda t: t.graph.n,
    "edges": lambda t: t.graph.m,
    "work": lambda t: 1 / max(t.work_efficiency, 1e-12),
    "supersteps": lambda t: len(t.samples) - 1,
    "switches": lambda t: int(t.last["bucket_switches"]),
    "delta_start": lambda t: float(t.samples["delta"][0]),
    "delta_end": lambda t: float(t.last["delta"]),
    "delta_changes": lambda t: int(t.last["delta_changes"]),
    "parallelism": lambda t: mean_over_time(t.samples, "assigned_edges"),
    "peak": lambda t: float(t.samples["assigned_edges"].max()),
    "busy": _busy_share,
    "most_busy": lambda t: int(t.samples["busy_workers"].max()),
    "workers": lambda t: _of_device(t, "workers"),
    "threads": lambda t: _of_device(t, "workers") * _of_device(t, "worker_threads"),
    "per_superstep": lambda t: t.processed_vertices / max(len(t.samples) - 1, 1),
    "late": late_pushes,
    "on_time": on_time,
}
AT_QUANTITIES = ("distance", "times_processed", "queued_in", "events", "entered")
VERTEX_QUANTITIES: dict[str, Callable[[Trace], np.ndarray]] = {  # a value for each vertex
    "most_processed_vertex": _times,
    "farthest_vertex": lambda t: np.where(reached_mask(t.dist), t.dist, -1),
}
SWEEP_QUANTITIES = (
    *("best_time", "best_time_ms", "best_time_work", "best_work", "best_work_ms", "clip"),
    *("smallest_ms", "smallest_work", "largest_ms", "largest_work", "controller_ms", "points"),
    "curve",  # all times; only a question of kind curve asks for it
)
FAULT_QUANTITIES: dict[str, Callable[[Any], float]] = {
    "wrong": lambda fault: fault.wrong,
    "entries": lambda fault: fault.rows.size,
    "done": lambda fault: fault.work,
    "least": lambda fault: fault.least,
    "negative": lambda fault: int(np.count_nonzero(fault.rows < 0)),
}
MOMENTS = ("start", "end", "peak", "first_change")
EVENT = "event:"  # EVENT + KIND, or EVENT + KIND:3 for the third; needs probe 3
SENTENCE = "sentence"  # of a faulty listing, in texts only
COUNTS = {
    *("processed", "relaxed", "reached", "vertices", "edges", "supersteps", "switches"),
    *("delta_changes", "most_busy", "workers", "threads", "late", "on_time"),
    *("times_processed", "queued_in", "events", "entered", "points"),
    *FAULT_QUANTITIES,
}


def decimals_of(value: Value | None) -> int:
    """Return the decimals of an answer: none of a count, two of anything else."""
    return 0 if value is not None and value.over is None and value.quantity in COUNTS else 2


def at_value(trace: Trace, graph: CSRGraph, quantity: str, at: str) -> float:
    """Return one of AT_QUANTITIES. ParameterError, SourceError (no such vertex)."""
    if quantity == "events":
        if at not in EventKind.__members__:
            allowed = ", ".join(EventKind.__members__)
            raise ParameterError(f"no event {at!r}; there are: {allowed}")
        return float(np.count_nonzero(events_of(trace)["kind"] == EventKind[at]))
    if quantity == "entered":
        return float(sum(str(bucket) == at.strip() for bucket in first_buckets(trace).values()))
    vertex = graph.vertex_of(at)
    if quantity == "queued_in":
        bucket = first_buckets(trace).get(vertex)
        if bucket is None:
            raise ParameterError(f"vertex {at} was never in a bucket")
        return float(bucket)
    if quantity == "times_processed":
        return float(_times(trace)[vertex])
    row = trace.dist if trace.dist.ndim == 1 else trace.dist[0]
    return float(row[vertex]) if reached_mask(row)[vertex] else math.inf


def first_buckets(trace: Trace) -> dict[int, int]:
    """Return vertex -> bucket that it entered first. Needs probe 3."""
    first: dict[int, int] = {}
    for event in events_of(trace):
        if event["kind"] in (EventKind.PUSH, EventKind.STAY):
            first.setdefault(int(event["a"]), int(event["b"]))
    return first


def events_of(trace: Trace) -> np.ndarray:
    """Return EVENT (e,), or raise ParameterError that says how to get them."""
    if trace.events is None:
        raise ParameterError("this needs every event: probe = 3 at the run")
    return trace.events


def sweep_value(points: Sequence[Any], name: str, quantity: str) -> float:
    """Return one of SWEEP_QUANTITIES of sweep `name`. ParameterError."""
    from gpu.study import sweep

    if quantity not in SWEEP_QUANTITIES:
        allowed = ", ".join(SWEEP_QUANTITIES)
        raise ParameterError(f"no quantity {quantity!r} of a sweep; there are: {allowed}")
    findings = sweep.findings(points)
    if findings.best_time is None:
        raise ParameterError(f"sweep {name!r} has no good point")
    curve = [p for p in points if p.value is not None and not p.failure]
    if quantity in ("curve", "points"):
        return float(len(curve))
    marked = vars(findings) | {"smallest": curve[0], "largest": curve[-1]}
    which = quantity if quantity in marked else quantity.rpartition("_")[0]
    point = marked[which]
    if point is None and which == "clip":
        return 0.0
    if point is None:
        raise ParameterError(f"sweep {name!r} has no {quantity!r}: its algorithm has no controller")
    if which == quantity:
        return float(point.value or 0.0)
    return float(point.time_ns / 1e6 if quantity.endswith("_ms") else point.work)


def fault_value(fault: Any, quantity: str) -> float:
    """Return one of FAULT_QUANTITIES of a `gpu.lessons.printed_listings.Fault`. ParameterError."""
    if quantity not in FAULT_QUANTITIES:
        allowed = ", ".join([*FAULT_QUANTITIES, SENTENCE])
        raise ParameterError(f"no quantity {quantity!r} of a faulty listing; there are: {allowed}")
    return float(FAULT_QUANTITIES[quantity](fault))


def moment_ns(trace: Trace, to: str | float) -> int:
    """Return the time of a moment, ns since the start. ParameterError where there is none.

    to : one of MOMENTS ("peak": most edges assigned; "first_change" of Δ, the start where it never
        changes), EVENT + KIND, or a share of the run, 0..1
    """
    samples = trace.samples
    if isinstance(to, int | float):
        if not 0 <= to <= 1:
            raise ParameterError(f"to = {to}; allowed: a share from 0 to 1")
        return round(to * trace.time_ns)
    if to.startswith(EVENT):
        return int(events_of(trace)["t_ns"][event_index(trace, to)])
    if to == "end":
        return trace.time_ns
    if to == "peak":
        return int(samples["t_ns"][int(np.argmax(samples["assigned_edges"]))])
    if to == "first_change":
        changed = np.flatnonzero(samples["delta_changes"] > 0)
        return int(samples["t_ns"][changed[0]]) if len(changed) else 0
    if to == "start":
        return 0
    raise ParameterError(f"to = {to!r}; allowed: {', '.join(MOMENTS)}, event:KIND, or 0 to 1")


def event_index(trace: Trace, to: str) -> int:
    """Return the place in `trace.events` of "event:KIND" or "event:KIND:n". ParameterError."""
    kind, _, number = to.removeprefix(EVENT).partition(":")
    if kind not in EventKind.__members__ or not (number or "1").isdigit():
        raise ParameterError(f"to = {to!r}; allowed: {EVENT}KIND or {EVENT}KIND:3")
    places = np.flatnonzero(events_of(trace)["kind"] == EventKind[kind])
    count = int(number or 1)
    if not 1 <= count <= len(places):
        raise ParameterError(f"to = {to!r}: the run has {len(places)} events of kind {kind}")
    return int(places[count - 1])
