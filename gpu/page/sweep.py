"""A sweep as a page: one knob, each of its runs recorded, the curve beside the map.

    sweep_page(traces, graph)                    runs that differ in one knob alone, saved before
    recorded(graph, plan, progress)              those runs, made now at probe level 2

Runs that were saved are a sweep where they are of one graph, algorithm and source, and differ in Δ
or in one parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gpu.algorithms import find
from gpu.errors import ParameterError
from gpu.graph import CSRGraph
from gpu.page.html import page_text
from gpu.page.runs import Scene
from gpu.proof.verify import verify
from gpu.record.trace import Probe, Trace
from gpu.study.sweep import DELTA, SweepPlan, SweepPoint, made, settings_of, unit_of

NAMES = {DELTA: "Δ", "c": "C"}  # how an axis calls a knob


def sweep_page(
    traces: Sequence[Trace], graph: CSRGraph | None, missing: str = "", knob: str = ""
) -> str:
    """Return a page of runs that differ in one knob. ParameterError where they are no sweep.

    knob : its key; "": found by looking at the runs
    """
    key = knob or swept_knob(traces)
    ordered = sorted(traces, key=lambda trace: knob_value(trace, key))
    scene = Scene.empty()
    points = [_point(scene, trace, graph, key) for trace in ordered]
    first = ordered[0]
    name = knob_name(first.settings.algorithm, key)
    title = f"{find(first.settings.algorithm).title} on {first.graph.name}: {name} from "
    title += f"{points[0]['value']:g} to {points[-1]['value']:g}"
    least = min(points, key=lambda point: point["time_ns"])
    sweep = {
        "knob": name,
        "unit": unit_of(first.settings.algorithm, key),
        "clock": first.clock,
        "words": f"The least time is at {least['value']:g}.",
        "points": points,
    }
    data = {"kind": "sweep", "title": title, "note": missing, "sweep": sweep}
    return page_text(title, scene.pack, data | scene.tree())


def swept_knob(traces: Sequence[Trace]) -> str:
    """Return the key of the one knob in which runs differ. ParameterError."""
    first = traces[0]
    for trace in traces[1:]:
        for what, mine, other in (
            ("graph", first.graph.hash, trace.graph.hash),
            ("algorithm", first.settings.algorithm, trace.settings.algorithm),
            ("device", first.settings.device, trace.settings.device),
            ("source", first.settings.source, trace.settings.source),
            ("clock", first.clock, trace.clock),
        ):
            if mine != other:
                raise ParameterError(
                    f"runs of another {what}: {mine} and {other}; a page takes one run, two of one "
                    "graph, or three and more that differ in one knob"
                )
    differing = [key for key in _keys(first) if len({knob_value(t, key) for t in traces}) > 1]
    if len(differing) != 1 or len({knob_value(t, differing[0]) for t in traces}) != len(traces):
        found = ", ".join(differing) or "nothing"
        raise ParameterError(
            f"{len(traces)} runs that differ in {found}; allowed: one knob, another value each"
        )
    return differing[0]


def knob_value(trace: Trace, knob: str) -> float:
    """Return what the knob was set to: Δ as the run began with it."""
    if knob == DELTA:
        return float(trace.samples["delta"][0])
    return float(trace.settings.parameters[knob] or 0)


def knob_name(algorithm: str, knob: str) -> str:
    """Return how an axis calls a knob."""
    row = next((one for one in find(algorithm).parameters if one.key == knob), None)
    return NAMES.get(knob) or (row.title if row is not None else knob)


def recorded(
    graph: CSRGraph,
    plan: SweepPlan,
    progress: Callable[[float, str], None],
    should_stop: Callable[[], bool] | None = None,
) -> list[Trace]:
    """Make the runs of a sweep again with times of every vertex; not the controller's own."""
    found = []
    for place, value in enumerate(plan.values):
        progress(place / len(plan.values), f"recording {value:g}")
        found.append(run_again(graph, settings_of(graph, plan, value), should_stop))
    return found


def run_again(
    graph: CSRGraph, settings: Any, should_stop: Callable[[], bool] | None = None
) -> Trace:
    """Make a run with these settings at probe level 2, and prove it."""
    trace = made(graph, replace(settings, probe=Probe.VERTICES, sample_period_ns=0), should_stop)
    proofs = verify(graph, trace.settings.source, trace.dist)
    return replace(trace, verification=proofs)


def curve_tree(
    points: Sequence[SweepPoint],
    algorithm: str,
    knob: str,
    words: str,
    places: Mapping[float | None, int] | None = None,
) -> dict[str, Any]:
    """Return a sweep as its curve; `places` of the runs that are on the page, by swept value.

    "own" is the run that steered the knob by itself: its time, and each value that it took.
    """
    good = [point for point in points if point.value is not None and not point.failure]
    return {
        "knob": knob_name(algorithm, knob),
        "unit": unit_of(algorithm, knob),
        "clock": good[0].clock if good else "",
        "words": words,
        "own": _own(points, good),
        "points": [
            {
                "value": point.value,
                "time_ns": point.time_ns,
                "processed": point.processed_vertices,
                "work": point.work,
                "run": (places or {}).get(point.value),
            }
            for point in good
        ],
    }


def _own(points: Sequence[SweepPoint], good: Sequence[SweepPoint]) -> dict[str, Any] | None:
    own = next((p for p in points if p.value is None and p.path_delta), None)
    if own is None or not good or own.failure:
        return None
    unit = (good[0].value or 1.0) / (good[0].delta or 1.0)  # from Δ to the knob
    return {"time_ns": own.time_ns, "values": [delta * unit for delta in own.path_delta]}


def _point(scene: Scene, trace: Trace, graph: CSRGraph | None, knob: str) -> dict[str, Any]:
    return {
        "value": knob_value(trace, knob),
        "time_ns": trace.time_ns,
        "processed": trace.processed_vertices,
        "work": trace.processed_vertices / max(trace.reached, 1),
        "run": scene.add_run(trace, graph),
    }


def _keys(trace: Trace) -> list[str]:
    row = find(trace.settings.algorithm)
    numbers = [
        key
        for key, value in trace.settings.parameters.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    return ([DELTA] if row.bucketed else []) + numbers
