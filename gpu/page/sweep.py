"""A sweep as a page: one knob, each of its runs recorded, the curve beside the map."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gpu.algorithms import find
from gpu.graph import CSRGraph
from gpu.page.html import page_text
from gpu.page.runs import Scene
from gpu.proof.verify import verify
from gpu.record.trace import Probe, RunSettings, Trace
from gpu.study.sweep import DELTA, C, SweepPlan, SweepPoint, made, settings_of, unit_of

NAMES = {DELTA: "Δ", "c": "C"}  # how an axis calls a knob


def sweep_page(graph: CSRGraph, plan: SweepPlan, progress: Callable[[float, str], None]) -> str:
    """Make the runs of a sweep again with times of every vertex; return their page."""
    knob, algorithm = DELTA if plan.knob == C else plan.knob, plan.settings.algorithm
    traces = []
    for place, value in enumerate(plan.values):
        progress(place / len(plan.values), f"recording {value:g}")
        traces.append(run_again(graph, settings_of(graph, plan, value)))
    scene = Scene()
    ordered = sorted(traces, key=lambda trace: knob_value(trace, knob))
    points = [
        {
            "value": knob_value(trace, knob),
            "time_ns": trace.time_ns,
            "processed": trace.processed_vertices,
            "work": trace.processed_vertices / max(trace.reached, 1),
            "run": scene.add_run(trace, graph),
        }
        for trace in ordered
    ]
    name = knob_name(algorithm, knob)
    title = f"{find(algorithm).title} on {graph.name}: {name} from "
    title += f"{points[0]['value']:g} to {points[-1]['value']:g}"
    least = min(points, key=lambda point: point["time_ns"])
    sweep = {
        "knob": name,
        "unit": unit_of(algorithm, knob),
        "clock": traces[0].clock,
        "words": f"The least time is at {least['value']:g}.",
        "points": points,
    }
    data = {"kind": "sweep", "title": title, "note": "".join(scene.too_large), "sweep": sweep}
    return page_text(title, scene.pack, data | scene.tree())


def knob_value(trace: Trace, knob: str) -> float:
    """Return what the knob was set to: Δ as the run began with it."""
    if knob == DELTA:
        return float(trace.samples["delta"][0])
    return float(trace.settings.parameters[knob] or 0)


def knob_name(algorithm: str, knob: str) -> str:
    """Return how an axis calls a knob."""
    row = next((one for one in find(algorithm).parameters if one.key == knob), None)
    return NAMES.get(knob) or (row.title if row is not None else knob)


def run_again(graph: CSRGraph, settings: RunSettings) -> Trace:
    """Make a run with these settings at probe level 2, and prove it."""
    trace = made(graph, replace(settings, probe=Probe.VERTICES, sample_period_ns=0))
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
