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
from gpu.study.sweep import DELTA, C, SweepPlan, SweepPoint, made

# how an axis calls a knob that is no parameter, and its unit
AXES = {DELTA: ("Δ", "weight units"), C: ("C", "without unit")}


def sweep_page(
    graph: CSRGraph,
    plan: SweepPlan,
    points: Sequence[SweepPoint],
    progress: Callable[[float, str], None],
) -> str:
    """Return the page of a sweep whose runs are made again, with times of every vertex."""
    scene, good = Scene(), made_points(points)
    places: dict[float | None, int] = {}
    for place, point in enumerate(good):
        progress(place / len(good), f"recording {point.value:g}")
        places[point.value] = scene.add_run(run_again(graph, point.settings), graph)
    least = min(good, key=lambda point: point.time_ns)
    words = f"The least time is at {least.value:g}."
    sweep = curve_tree(points, plan.settings.algorithm, plan.knob, words, places)
    title = f"{find(plan.settings.algorithm).title} on {graph.name}: {sweep['knob']} from "
    title += f"{good[0].value:g} to {good[-1].value:g}"
    data = {"kind": "sweep", "title": title, "note": "".join(scene.too_large), "sweep": sweep}
    return page_text(title, scene.pack, data | scene.tree())


def made_points(points: Sequence[SweepPoint]) -> list[SweepPoint]:
    """Return the runs of the swept values that ended, without the controller's own."""
    return [point for point in points if point.value is not None and not point.failure]


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
    good = made_points(points)
    axes = {row.key: (row.title, row.unit) for row in find(algorithm).parameters} | AXES
    return {
        "knob": axes[knob][0],
        "unit": axes[knob][1],
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
