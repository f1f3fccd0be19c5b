"""The command `sweep`: one knob, many values, the paper's figures 4 and 7 as a table."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from typing import Any

from gpu.algorithms import ALGORITHMS
from gpu.cli.elsewhere import SharedLine, add_cluster, runner
from gpu.cli.inputs import (
    add_examples,
    add_graph_options,
    add_source_options,
    choose_source,
    open_graph,
)
from gpu.cli.outcome import CHECK, CHECK_FAILED
from gpu.cli.parser import Parser
from gpu.cli.run import add_what_runs, chosen_algorithm, parameters_of
from gpu.cli.terminal import ProgressLine, fault, note, progress_line
from gpu.engine import graph_reference
from gpu.errors import ParameterError
from gpu.graph import CSRGraph
from gpu.record.trace import RunSettings
from gpu.record.tracefile import plain
from gpu.study import sweep, sweep_pool
from gpu.study.sweep import SweepPoint
from gpu.wholefile import check_writable, written_whole


def add_sweep(parser: Parser) -> None:
    """Fill the parser of `sweep`."""
    add_graph_options(parser)
    add_source_options(parser)
    add_what_runs(parser)
    how = parser.add_argument_group("what is swept")
    how.add_argument(
        "--knob", metavar="KEY", default=sweep.DELTA, help="delta, c, or a parameter's key [delta]"
    )
    how.add_argument(
        "--values", metavar="V,V,...", help="values [doublings around the automatic one]"
    )
    how.add_argument("--count", type=int, default=sweep.COUNT, help=f"[{sweep.COUNT}]")
    add_cluster(how)
    how.add_argument("--processes", type=int, help="runs at a time [one a processor core]")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.add_argument(
        "--page", metavar="PAGE", help="record each run too, as one web page with a slider"
    )
    parser.set_defaults(handle=_sweep, usage_error=parser.error)
    add_examples(
        parser,
        "sssp-scope sweep roads.gr.gz --algorithm adds --engine model --source 1 --json",
        "sssp-scope sweep sample:mesh --algorithm near_far --knob c --values 1,8,32,256",
        "sssp-scope sweep sample:mesh --values 16,64,256,1024 --page sweep.html",
    )


def _sweep(args: argparse.Namespace) -> int:
    if args.processes is not None and args.processes < 1:
        raise ParameterError(f"--processes {args.processes}; allowed: 1 or more")
    if args.on is not None and (args.page is not None or args.processes is not None):
        args.usage_error("--on makes one run at a time, and no page; leave --page and --processes")
    if args.cluster is not None and (args.on is not None or args.processes is not None):
        args.usage_error("--cluster shares the runs out itself; leave --on and --processes")
    if args.page is not None:
        check_writable(args.page)
    with progress_line() as progress:
        graph = open_graph(args.file, args, progress)
        settings = RunSettings(
            chosen_algorithm(args),
            args.engine,
            args.device or "",
            choose_source(graph, args),
            args.delta,
            seed=args.seed,
            parameters=parameters_of(args),
            numbers=args.numbers,
        )
        plan = sweep.make_plan(graph, settings, args.knob, _values(args.values), args.count)
        if args.cluster is not None:
            from gpu.study.cluster import Cluster

            line = SharedLine(progress, "sweeping", _value_words)
            with Cluster(args.cluster, note, line.tell) as found_cluster:
                points = found_cluster.sweep(graph, plan, lambda _point, share: line.show(share))
        elif args.on is None:
            points = sweep_pool.run_sweep(
                graph,
                plan,
                lambda _point, share: progress.show(share, "sweeping"),
                args.processes,
            )
        else:
            with runner(args, progress) as run:
                points = sweep.one_by_one(
                    graph, plan, run, lambda _point, share: progress.show(share, "sweeping")
                )
            plan = replace(plan, settings=points[-1].settings)  # which say where that was
        if args.page is not None:
            _write_page(args.page, graph, plan, progress)
    found = sweep.findings(points)
    if args.json:
        reference = graph_reference(graph, plan.settings.source)
        told: dict[str, Any] = {
            "algorithm": plan.settings.algorithm,
            "engine": plan.settings.engine,
            "device": plan.settings.device,
            "knob": plan.knob,
            "source": {"id": reference.source_id, "index": plan.settings.source},
            "graph": {"name": reference.name, "n": graph.n, "m": graph.m, "hash": reference.hash},
            "points": [sweep.as_dict(point) for point in points if point.value is not None],
            "controller": sweep.as_dict(found.controller),
            "best_time": found.best_time and found.best_time.value,
            "best_work": found.best_work and found.best_work.value,
            "clip": found.clip and found.clip.value,
        }
        print(json.dumps(plain(told)))
    else:
        _print(points, found, plan)
    return _check(points)


def _value_words(value: float | None) -> str:
    return "controller" if value is None else f"{value:g}"


def _write_page(path: str, graph: CSRGraph, plan: sweep.SweepPlan, progress: ProgressLine) -> None:
    from gpu.page.sweep import recorded, sweep_page

    knob = sweep.DELTA if plan.knob == sweep.C else plan.knob
    text = sweep_page(recorded(graph, plan, progress.show), graph, knob=knob)
    with written_whole(path) as file:
        file.write(text.encode())


def _print(points: list[SweepPoint], found: sweep.SweepFindings, plan: sweep.SweepPlan) -> None:
    settings = plan.settings
    clock = next((point.clock for point in points if point.clock), "")
    print(f"{ALGORITHMS[settings.algorithm].title} on {settings.engine}: {settings.device}")
    print(f"{plan.knob:>12}  {'Δ':>10}  {'ms, ' + clock:>14}  {'work':>7}  {'clipped':>7}")
    marks = {
        "best time": found.best_time,
        "best work": found.best_work,
        "clips up to here": found.clip,
    }
    for point in points:
        name = _value_words(point.value)
        if point.failure:
            print(f"{name:>12}  {point.failure}")
            continue
        words = ", ".join(word for word, marked in marks.items() if marked is point)
        line = f"{name:>12}  {point.delta:>10g}  {point.time_ns / 1e6:>14.4g}"
        print(f"{line}  {point.work:>7.3f}  {point.clip_share:>7.1%}  {words}".rstrip())


def _check(points: list[SweepPoint]) -> int:
    """Return 0, or 3 with a line on stderr where a run failed or its distances are wrong."""
    wrong = [point for point in points if point.failure or point.certificate is not None]
    for point in wrong[:1]:
        words = point.failure or f"wrong distances: {point.certificate}"
        fault(CHECK, f"at {point.value}: {words}", CHECK_FAILED)
    return CHECK_FAILED if wrong else 0


def _values(text: str | None) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise ParameterError(f"--values {text}; allowed: numbers with commas between") from None
