"""What a notebook shows of a trace, a comparison, a sweep: a page in a frame, a drawing, words.

A frontend takes the richest that it trusts. The page stands in a frame of its own (`srcdoc`), with
leave to run scripts and to save files and for nothing else; so it cannot reach the notebook, nor
can two pages meet. Nothing is opened that a trace names but a sample made from a seed: its graph is
drawn where it is still in memory.
"""

from __future__ import annotations

from functools import singledispatch
from html import escape
from pathlib import Path
from typing import Any

from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.page.drawing import run_drawing, sweep_drawing
from gpu.page.graph import find_graph
from gpu.page.html import page_text
from gpu.page.pack import Pack
from gpu.page.runs import pair_page, run_page
from gpu.page.sweep import curve_tree, knob_name
from gpu.page.words import subtitle_words, title_words, totals_words
from gpu.record.reach import SAMPLE
from gpu.record.shown import remembered
from gpu.record.trace import Trace
from gpu.study.compare import Pair, Side
from gpu.study.compare_words import summarise
from gpu.study.sweep import findings
from gpu.study.sweep_saved import SavedSweep

HTML, SVG, TEXT = "text/html", "image/svg+xml", "text/plain"
HEIGHTS = {"run": 860, "pair": 900, "sweep": 420}  # of a frame, pixels


@singledispatch
def bundle(shown: Any) -> dict[str, str]:
    """Return what a notebook may show, by MIME type."""
    raise TypeError(f"a notebook shows traces, pairs and sweeps, no {type(shown).__name__}")


@bundle.register
def _of_trace(trace: Trace) -> dict[str, str]:
    graph = graph_in_reach(trace)
    words = "\n".join((title_words(trace), subtitle_words(trace), totals_words(trace)))
    page = run_page(trace, graph, missing_words(graph))
    return {TEXT: words, SVG: run_drawing(trace, graph), HTML: framed(page, "run")}


@bundle.register
def _of_pair(pair: Pair) -> dict[str, str]:
    summary = summarise(Side.of(pair.a), Side.of(pair.b))
    if not summary.numbers["comparable"]:
        return {TEXT: summary.whole}
    graph = graph_in_reach(pair.a)
    page = pair_page(pair.a, pair.b, graph, missing_words(graph))
    return {
        TEXT: summary.whole,
        SVG: run_drawing(pair.a, graph),
        HTML: framed(page, "pair"),
    }


@bundle.register
def _of_sweep(sweep: SavedSweep) -> dict[str, str]:
    plan, found = sweep.plan, findings(sweep.points)
    name = knob_name(plan.settings.algorithm, plan.knob)
    title = f"{plan.settings.algorithm} on {sweep.graph_name}: a sweep of {name}"
    if found.best_time is None:
        return {TEXT: f"{title}, without a good point"}
    best = f"the least time is {found.best_time.time_ns / 1e6:.4g} ms at {found.best_time.value:g}"
    tree = curve_tree(sweep.points, plan.settings.algorithm, plan.knob, f"{best.capitalize()}.")
    page = page_text(title, Pack(), {"kind": "curve", "title": title, "sweep": tree, "runs": []})
    points = [point for point in sweep.points if point.value is not None]
    told = {TEXT: f"{title}; {best}", HTML: framed(page, "sweep")}
    drawing = sweep_drawing(points, title, name)
    return told | ({SVG: drawing} if drawing else {})


def graph_in_reach(trace: Trace) -> CSRGraph | None:
    """Return the graph of a trace where it is in memory, or a sample that is made again."""
    kept = remembered(trace.graph.hash)
    if kept is not None or not trace.graph.origin.startswith(SAMPLE):
        return kept
    try:
        return find_graph(trace, Path())[0]  # none that fills the memory
    except GpuError:
        return None


def missing_words(graph: CSRGraph | None) -> str:
    """Return why there is no map, "" where there is one."""
    return "" if graph is not None else "Its graph is not in memory any more: no map."


def framed(page: str, kind: str) -> str:
    """Return a page in a frame that can run its scripts and nothing else."""
    return (
        f'<iframe title="SSSP Scope" sandbox="allow-scripts allow-downloads" '
        f'style="width: 100%; height: {HEIGHTS[kind]}px; border: 0" srcdoc="{escape(page)}">'
        "</iframe>"
    )
