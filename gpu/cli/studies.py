"""The commands that make several runs: compare, sweep, apsp.

compare   Each side is an algorithm, run here, or a saved run (`--a run.npz`). Options without a
          letter hold for both sides. Where times are measured, each side runs once more with
          probes off, and those times are compared.
sweep     One knob, many values: the paper's figures 4 and 7 as a table.
apsp      Rows go into one `.npy` file, block by block; with --reduce each source is a row of
          numbers in a table.
"""

from __future__ import annotations

import argparse
import json
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from gpu.algorithms import ALGORITHMS
from gpu.algorithms.all_pairs import matrix_bytes
from gpu.cli.inputs import (
    ALL,
    FIRST,
    GRAPH,
    RUNS,
    SECOND,
    SOURCE,
    fill,
    open_graph,
    open_trace,
    output_of,
    run_settings,
)
from gpu.cli.parser import Parser
from gpu.cli.run import check_same_graph, checked, made, verified
from gpu.cli.terminal import ProgressLine, check_failed, progress_line, report, result
from gpu.files import check_writable, write_whole
from gpu.graph import CSRGraph
from gpu.record.trace import Probe
from gpu.record.tracefile import plain
from gpu.study import apsp, sweep
from gpu.study.compare import CompareError, Side, column, obstacle
from gpu.study.compare_words import NOT_CHECKED, Summary, names, summarise
from gpu.study.elsewhere import cluster
from gpu.study.sweep import SweepFindings, SweepPlan, SweepPoint

TRACE_SUFFIX = ".npz"
POINTS = 11  # rows of the columns on a common axis
CURVES = ("delta", "assigned_edges", "busy_workers", "processed_vertices", "relaxed_edges")


def add_compare(parser: Parser) -> None:
    """Fill the parser of `compare`."""
    sides = " ".join(f"{s} {s}-delta {s}-policy {s}-set {s}-device {s}-engine" for s in "ab")
    fill(
        parser,
        _compare,
        "FILE",
        f"{GRAPH} {SOURCE} {sides} engine device numbers seed probe verify json algorithms",
        f"compare roads.gr.gz --a {FIRST} --b {SECOND} --source 1 --json",
        "compare roads.gr.gz --a monday.npz --b tuesday.npz",
        "compare sample:mesh --a-policy mine.py --b adds",
        "compare roads.gr.gz --algorithms all --engine cuda",
    )


def _compare(args: argparse.Namespace) -> int:
    if args.algorithms is not None:
        return _fastest(args)
    with progress_line() as progress:
        graph = open_graph(args.file, args, progress)
        a, again_a = _side(graph, args, "a", progress)
        b, again_b = _side(graph, args, "b", progress)
    problem = obstacle(a, b)
    if problem:
        raise CompareError(problem)
    summary = summarise(a, b, (again_a, again_b))
    if args.json:
        print(json.dumps(_as_json(a, b, summary)))
    else:
        _print_pair(a, b, summary)
    return checked(a.verification, b.verification)


def _side(
    graph: CSRGraph, args: argparse.Namespace, name: str, progress: ProgressLine
) -> tuple[Side, Side | None]:
    """Return one side and, where its time is measured with probes on, a run without."""
    what, again, title = getattr(args, name), None, f"{name.upper()}: "
    if what.endswith(TRACE_SUFFIX):
        trace = open_trace(what)
        if args.verify:
            check_same_graph(trace, graph, what, args)
    else:
        settings = run_settings(graph, args, f"{name}_")
        trace = made(graph, settings, progress, title)
        if trace.clock == "measured" and args.probe > Probe.OFF:
            again = Side.of(made(graph, replace(settings, probe=Probe.OFF), progress, title))
    if args.verify:
        trace = verified(graph, trace, progress)
    return Side.of(trace), again


def _as_json(a: Side, b: Side, summary: Summary) -> dict[str, Any]:
    """Return the comparison, and columns of both runs at moments in common."""
    table: dict[str, Any] = {"words": summary.words, "cautions": list(summary.cautions)}
    table |= summary.numbers
    table["graph"] = {key: getattr(a.graph, key) for key in ("name", "hash", "n", "m")}
    times = np.linspace(0.0, max(a.time_ns, b.time_ns), POINTS)
    aligned: dict[str, Any] = {"by": "time", "a_ns": times, "b_ns": times} | {
        name: {} for name in CURVES
    }
    for name, side in (("a", a), ("b", b)):
        source = {"id": side.graph.source_id, "index": side.settings.source}
        table[name] |= {"source": source, "parameters": dict(side.settings.parameters)}
        for curve in CURVES:
            aligned[curve][name] = column(side.samples, curve, times)
    return table | {"aligned": plain(aligned)}


def _print_pair(a: Side, b: Side, summary: Summary) -> None:
    graph = a.graph
    report(f"{graph.name}, {graph.n:,} vertices, {graph.m:,} edges, from {graph.source_id}")
    for letter, name, side in zip("AB", names(a, b), (a, b), strict=True):
        settings = side.settings
        report(f"{letter}: {name} on {settings.device}, probe level {settings.probe}")
    report(summary.words)
    for caution in summary.cautions:
        advice = " Add --verify to check both." if caution.startswith(NOT_CHECKED) else ""
        report(f"{caution}{advice}")
    if all(side.verification is not None and side.verification.passed for side in (a, b)):
        report("The distances of both are proved.")


def _fastest(args: argparse.Namespace) -> int:
    """Run many algorithms on the graph and say which is fastest."""
    from gpu.study.rank import fastest_words, ranked

    usual = [key for key, row in ALGORITHMS.items() if row.result == "row"]
    able = [key for key in usual if ALGORITHMS[key].problem(args.engine) is None]
    keys = able if args.algorithms == ALL else args.algorithms.split(",")
    for key in keys:
        if key not in able:
            args.usage_error(f"--algorithms {key}; allowed: {ALL}, {', '.join(able)}")
    with progress_line() as progress:
        graph = open_graph(args.file, args, progress)
        ranks = ranked(graph, run_settings(graph, args, "a_"), keys, progress.show)
    words = fastest_words(ranks)
    if args.json:
        about = {"name": graph.name, "hash": graph.hash, "n": graph.n, "m": graph.m}
        rows = [asdict(rank) for rank in ranks]
        print(json.dumps({"words": words, "graph": about, "engine": args.engine, "rows": rows}))
    else:
        report(f"{graph.name}, {graph.n:,} vertices, {graph.m:,} edges; engine {args.engine}")
        for rank in ranks:
            facts = f"{rank.time_ns / 1e6:>10.4g} ms  {rank.processed_vertices:,} processed"
            report(f"{rank.title:<28}{rank.problem or facts}")
        report(words)
    wrong = next((rank.problem for rank in ranks if rank.problem.startswith("wrong")), None)
    return 0 if wrong is None else check_failed(wrong)


# sweep


def add_sweep(parser: Parser) -> None:
    """Fill the parser of `sweep`."""
    fill(
        parser,
        _sweep,
        "FILE",
        f"{GRAPH} {SOURCE} knob values count cluster {RUNS} json page",
        "sweep roads.gr.gz --algorithm adds --engine model --source 1 --json",
        "sweep sample:mesh --algorithm near_far --knob c --values 1,8,32,256",
        "sweep sample:mesh --values 16,64,256,1024 --page sweep.html",
    )


def _sweep(args: argparse.Namespace) -> int:
    if args.page is not None:
        check_writable(args.page)
    with progress_line() as progress, _workers(args.cluster) as there:
        graph = open_graph(args.file, args, progress)
        settings = run_settings(graph, args)
        plan = sweep.make_plan(graph, settings, args.knob, args.values, args.count)

        def on_point(_point: SweepPoint, share: float) -> None:
            progress.show(share, "sweeping")

        points = sweep.run_sweep(graph, plan, on_point, there=there)
        if args.page is not None:
            from gpu.page.sweep import sweep_page

            page = sweep_page(graph, plan, points, progress.show)
            write_whole(args.page, page.encode())
    marked = sweep.findings(points)
    if args.json:
        source = plan.settings.source
        numbers: dict[str, Any] = {
            "algorithm": plan.settings.algorithm,
            "engine": plan.settings.engine,
            "device": plan.settings.device,
            "knob": plan.knob,
            "source": {"id": graph.id_of(source), "index": source},
            "graph": {"name": graph.name, "n": graph.n, "m": graph.m, "hash": graph.hash},
            "points": [sweep.as_dict(point) for point in points if point.value is not None],
            "controller": sweep.as_dict(marked.controller),
            "best_time": marked.best_time and marked.best_time.value,
            "best_work": marked.best_work and marked.best_work.value,
            "clip": marked.clip and marked.clip.value,
        }
        print(json.dumps(plain(numbers)))
    else:
        _print_sweep(points, marked, plan)
    return _check_points(points)


def _print_sweep(points: list[SweepPoint], marked: SweepFindings, plan: SweepPlan) -> None:
    settings = plan.settings
    clock = next((point.clock for point in points if point.clock), "")
    report(f"{ALGORITHMS[settings.algorithm].title} on {settings.engine}: {settings.device}")
    head = f"{plan.knob:>12}  {'Δ':>10}  {'ms, ' + clock:>14}  {'work':>7}  {'clipped':>7}"
    report(f"{head}  {'disorder':>9}")
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
        error = "-" if point.distance_error is None else f"{point.distance_error:.4g}"
        line += f"  {point.work:>7.3f}  {point.clip_share:>7.1%}  {error:>9}"
        report(f"{line}  {words}".rstrip())


def _check_points(points: list[SweepPoint]) -> int:
    """Return 0, or 3 with a line on stderr where a run failed or its distances are wrong."""
    for point in points:
        if point.failure or point.certificate is not None:
            words = point.failure or f"wrong distances: {point.certificate}"
            return check_failed(f"at {point.value}: {words}")
    return 0


# apsp


def add_apsp(parser: Parser) -> None:
    """Fill the parser of `apsp`; algorithms and engines come from the registry."""
    what = "algorithm engine device numbers delta set cluster sources"
    fill(
        parser,
        _apsp,
        "FILE -o MATRIX.npy",
        f"{GRAPH} {what} matrix reduce json verify",
        "apsp roads.gr.gz -o matrix.npy --verify",
        "apsp roads.gr.gz -o part.npy --sources 0:1000 --json",
        "apsp roads.gr.gz -o far.csv --sources 1000 --reduce",
        "apsp roads.gr.gz -o far.npy --sources 10000 --cluster local:2",
        algorithm=apsp.matrix_algorithms()[-1],
        engine=None,
    )


def _apsp(args: argparse.Namespace) -> int:
    if output_of(args.output) == "-":
        args.usage_error("-o -: rows are written in any order; name a file")
    suffix = ".csv" if args.reduce else ".npy"
    if Path(args.output).suffix != suffix and not Path(args.output).is_char_device():
        reduced = " of --reduce" if args.reduce else ""
        args.usage_error(f"-o {args.output}{reduced}; allowed: a name that ends in {suffix}")
    try:
        graph, computed = _computed(args)
    except apsp.ProofError as error:
        return check_failed(f"verification failed: {error}")
    result(_numbers(graph, computed, args), is_json=args.json)
    return 0


def _computed(args: argparse.Namespace) -> tuple[CSRGraph, apsp.Computed]:
    args.engine = args.engine or _best_engine(args.algorithm, args.cluster or "local")
    with progress_line() as progress:
        graph = open_graph(args.file, args, progress)
        settings = run_settings(graph, args)
        least = 1 if args.cluster is None else apsp.SHARED_BLOCKS
        how = {"least": least, "reduced": args.reduce, "verify": args.verify}
        plan = apsp.make_plan(graph, settings, args.sources, **how)
        with _workers(args.cluster) as there:
            shown = progress.show
            return graph, apsp.from_sources(graph, plan, args.output, there=there, progress=shown)


def _workers(address: str | None) -> Any:
    return nullcontext() if address is None else cluster(address)


def _best_engine(key: str, address: str) -> str:
    """Return the engine that computes fastest; workers on other computers should have GPUs."""
    from gpu.cuda.device import why_not

    engines = ALGORITHMS[key].engines
    if "cuda" in engines and (not address.startswith("local") or why_not() is None):
        return "cuda"
    return "cpu" if "cpu" in engines else "model"


def _numbers(graph: CSRGraph, computed: apsp.Computed, args: argparse.Namespace) -> dict[str, Any]:
    from gpu.proof.verify import rows_words

    settings, count = computed.plan.settings, computed.plan.count
    shape = count, graph.n, np.dtype(settings.numbers).itemsize
    return {
        "algorithm": settings.algorithm,
        "engine": settings.engine,
        "device": settings.device,
        "clock": computed.clock,
        "time_ns": computed.time_ns,
        "probe": int(Probe.OFF),
        "graph": {"name": graph.name, "n": graph.n, "m": graph.m, "hash": graph.hash},
        "sources": {"which": args.sources, "count": count},
        "file": args.output,
        "dtype": "table" if args.reduce else settings.numbers,
        "bytes": Path(args.output).stat().st_size if args.reduce else matrix_bytes(*shape),
        "blocks": computed.plan.blocks,
        "verified": True,
        "verification": rows_words(computed.proved, count),
    }
