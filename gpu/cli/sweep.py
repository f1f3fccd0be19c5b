"""The command `sweep`: one knob, many values, the paper's figures 4 and 7 as a table."""

from __future__ import annotations

import argparse
import json
from typing import Any

from gpu.algorithms import ALGORITHMS
from gpu.cli.inputs import (
    add_examples,
    add_graph_options,
    add_options,
    add_source_options,
    add_what_runs,
    open_graph,
    option_whole,
    run_settings,
)
from gpu.cli.parser import Parser
from gpu.cli.terminal import ProgressLine, check_failed, note, progress_line, report
from gpu.engine import graph_reference
from gpu.errors import ParameterError
from gpu.files import check_writable, written_whole
from gpu.graph import CSRGraph
from gpu.record.tracefile import plain
from gpu.study.sweep import (
    COUNT,
    DELTA,
    C,
    SweepFindings,
    SweepPlan,
    SweepPoint,
    as_dict,
    findings,
    make_plan,
    run_sweep,
)


def add_sweep(parser: Parser) -> None:
    """Fill the parser of `sweep`."""
    add_graph_options(parser)
    add_source_options(parser)
    how = parser.add_argument_group("what is swept")
    words = "delta, c, or a parameter's key [delta]"
    how.add_argument("--knob", metavar="KEY", default=DELTA, help=words)
    words = "values [doublings around the automatic one]"
    how.add_argument("--values", metavar="V,V,...", help=words)
    how.add_argument("--count", metavar="N", type=int, default=COUNT, help=f"[{COUNT}]")
    add_options(how, "cluster")
    words = "runs at a time [one a processor core]"
    how.add_argument("--processes", metavar="N", type=option_whole(1), help=words)
    add_what_runs(parser)
    add_options(parser, "json")
    words = "record each run too, as one web page with a slider"
    parser.add_argument("--page", metavar="PAGE", help=words)
    parser.set_defaults(handle=_sweep, usage_error=parser.error)
    add_examples(
        parser,
        "sssp-scope sweep roads.gr.gz --algorithm adds --engine model --source 1 --json",
        "sssp-scope sweep sample:mesh --algorithm near_far --knob c --values 1,8,32,256",
        "sssp-scope sweep sample:mesh --values 16,64,256,1024 --page sweep.html",
    )


def _sweep(args: argparse.Namespace) -> int:
    if args.cluster is not None and args.processes is not None:
        args.usage_error("--cluster shares the runs out itself; leave --processes")
    if args.page is not None:
        check_writable(args.page)
    with progress_line() as progress:
        graph = open_graph(args.file, args, progress)
        settings = run_settings(graph, args)
        plan = make_plan(graph, settings, args.knob, _values(args.values), args.count)
        points = _points(graph, plan, args, progress)
        if args.page is not None:
            _write_page(args.page, graph, plan, progress)
    marked = findings(points)
    if args.json:
        reference = graph_reference(graph, plan.settings.source)
        result: dict[str, Any] = {
            "algorithm": plan.settings.algorithm,
            "engine": plan.settings.engine,
            "device": plan.settings.device,
            "knob": plan.knob,
            "source": {"id": reference.source_id, "index": plan.settings.source},
            "graph": {"name": reference.name, "n": graph.n, "m": graph.m, "hash": reference.hash},
            "points": [as_dict(point) for point in points if point.value is not None],
            "controller": as_dict(marked.controller),
            "best_time": marked.best_time and marked.best_time.value,
            "best_work": marked.best_work and marked.best_work.value,
            "clip": marked.clip and marked.clip.value,
        }
        print(json.dumps(plain(result)))
    else:
        _print(points, marked, plan)
    return _check(points)


def _points(
    graph: CSRGraph, plan: SweepPlan, args: argparse.Namespace, progress: ProgressLine
) -> list[SweepPoint]:
    def on_point(_point: SweepPoint, share: float) -> None:
        progress.show(share, "sweeping")

    if args.cluster is None:
        return run_sweep(graph, plan, on_point, args.processes)
    from gpu.study.elsewhere import Cluster

    with Cluster(args.cluster, note) as there:
        return run_sweep(graph, plan, on_point, there=there)


def _write_page(path: str, graph: CSRGraph, plan: SweepPlan, progress: ProgressLine) -> None:
    from gpu.page.sweep import recorded, sweep_page

    knob = DELTA if plan.knob == C else plan.knob
    text = sweep_page(recorded(graph, plan, progress.show), graph, knob=knob)
    with written_whole(path) as file:
        file.write(text.encode())


def _print(points: list[SweepPoint], marked: SweepFindings, plan: SweepPlan) -> None:
    settings = plan.settings
    clock = next((point.clock for point in points if point.clock), "")
    report(f"{ALGORITHMS[settings.algorithm].title} on {settings.engine}: {settings.device}")
    report(f"{plan.knob:>12}  {'Δ':>10}  {'ms, ' + clock:>14}  {'work':>7}  {'clipped':>7}")
    marks = {
        "best time": marked.best_time,
        "best work": marked.best_work,
        "clips up to here": marked.clip,
    }
    for point in points:
        name = "controller" if point.value is None else f"{point.value:g}"
        if point.failure:
            report(f"{name:>12}  {point.failure}")
            continue
        words = ", ".join(word for word, best in marks.items() if best is point)
        line = f"{name:>12}  {point.delta:>10g}  {point.time_ns / 1e6:>14.4g}"
        report(f"{line}  {point.work:>7.3f}  {point.clip_share:>7.1%}  {words}".rstrip())


def _check(points: list[SweepPoint]) -> int:
    """Return 0, or 3 with a line on stderr where a run failed or its distances are wrong."""
    for point in points:
        if point.failure or point.certificate is not None:
            words = point.failure or f"wrong distances: {point.certificate}"
            return check_failed(f"at {point.value}: {words}")
    return 0


def _values(text: str | None) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise ParameterError(f"--values {text}; allowed: numbers with commas between") from None
