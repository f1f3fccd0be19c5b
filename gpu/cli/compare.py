"""The command `compare`: two runs on one graph, or with --algorithms which algorithm is fastest.

Each side is an algorithm, run here, or a saved run (`--a run.npz`). Options without a letter hold
for both sides, `--a-delta`, `--b-device` and the like for one. Where times are measured, each side
runs once more with probes off, and those times are compared.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from typing import Any

import numpy as np

from gpu.algorithms import ALGORITHMS
from gpu.cli.inputs import (
    ENGINES,
    add_examples,
    add_graph_options,
    add_options,
    add_source_options,
    check_parameters,
    choose_source,
    open_graph,
    open_trace,
    option_whole,
)
from gpu.cli.parser import Parser
from gpu.cli.run import check_same_graph
from gpu.cli.terminal import (
    ProgressLine,
    check_failed,
    progress_line,
    report,
    report_columns,
)
from gpu.engine import Observer, run
from gpu.graph import CSRGraph
from gpu.proof.verify import verify
from gpu.record.trace import Probe, RunSettings, Trace
from gpu.record.tracefile import plain
from gpu.study.compare import (
    CompareError,
    Side,
    column,
    common_axis,
    obstacle,
)
from gpu.study.compare_words import NOT_CHECKED, Summary, names, summarise
from gpu.words import brief_time

TRACE_SUFFIX = ".npz"
POINTS = 11  # rows of the columns on a common axis
CURVES = ("delta", "assigned_edges", "busy_workers", "processed_vertices", "relaxed_edges")
ALL = "all"


def add_compare(parser: Parser) -> None:
    """Fill the parser of `compare`."""
    first, second = list(ALGORITHMS)[:2]
    add_graph_options(parser)
    add_source_options(parser)
    sides = parser.add_argument_group("the two sides")
    for side, default in (("a", first), ("b", second)):
        words = f"an algorithm (as run has), or a saved RUN.npz [{default}]"
        sides.add_argument(f"--{side}", metavar="WHAT", default=default, help=words)
        add_options(sides, "delta", "set", side=f"{side}-")
        sides.add_argument(f"--{side}-device", metavar="NAME", help="[--device]")
        sides.add_argument(f"--{side}-engine", choices=ENGINES, help="[--engine]")
    both = parser.add_argument_group("both sides")
    add_options(both, "engine", "device", "numbers", "seed")
    levels = [int(p) for p in (Probe.OFF, Probe.SAMPLES, Probe.VERTICES)]
    both.add_argument("--probe", type=int, choices=levels, default=1, help="[1]")
    words = f"in place of two sides: KEY,KEY,... or {ALL}; which is fastest"
    parser.add_argument("--algorithms", metavar="KEYS", help=words)
    out = parser.add_argument_group("what comes out")
    words = f"moments in the JSON's curves [{POINTS}]"
    points = option_whole(2, 100_000)
    out.add_argument("--points", metavar="N", type=points, default=POINTS, help=words)
    out.add_argument("--verify", action="store_true", help="check both runs by both proofs")
    add_options(out, "json")
    parser.set_defaults(handle=_compare, usage_error=parser.error)
    add_examples(
        parser,
        f"sssp-scope compare roads.gr.gz --a {first} --b {second} --source 1 --json",
        "sssp-scope compare roads.gr.gz --a monday.npz --b tuesday.npz",
        "sssp-scope compare roads.gr.gz --algorithms all --engine cuda",
    )


def _compare(args: argparse.Namespace) -> int:
    if args.algorithms is not None:
        return _compare_algorithms(args)
    with progress_line() as progress:
        graph = open_graph(args.file, args, progress)
        a, again_a = _side(graph, args, "a", progress)
        b, again_b = _side(graph, args, "b", progress)
    problem = obstacle(a, b)
    if problem:
        raise CompareError(problem)
    summary = summarise(a, b, (again_a, again_b))
    if args.json:
        print(json.dumps(_as_json(a, b, summary, args.points)))
    else:
        _print(a, b, summary)
    for proof in (a.verification, b.verification):
        if proof is not None and not proof.passed:
            return check_failed(f"verification failed: {proof.detail}")
    return 0


def _settings(args: argparse.Namespace, name: str) -> RunSettings:
    """Return the settings of a side, its source left at 0."""
    own = {key: getattr(args, f"{name}_{key}") for key in ("delta", "device", "engine", "set")}
    algorithm = getattr(args, name)
    if algorithm in ALGORITHMS:
        check_parameters(args, algorithm, dict(own["set"]))
    return RunSettings(
        algorithm,
        own["engine"] or args.engine,
        own["device"] or args.device or "",
        delta=own["delta"],
        probe=args.probe,
        seed=args.seed,
        parameters=dict(own["set"]),
        numbers=args.numbers,
    )


def _side(
    graph: CSRGraph, args: argparse.Namespace, name: str, progress: ProgressLine
) -> tuple[Side, Side | None]:
    """Return one side and, where its time is measured with probes on, a run without."""
    what, again = getattr(args, name), None
    if what.endswith(TRACE_SUFFIX):
        trace = open_trace(what)
        if args.verify:
            check_same_graph(trace, graph, what, args)
    else:
        settings = replace(_settings(args, name), source=choose_source(graph, args))
        trace = _made(graph, settings, name, progress)
        if trace.clock == "measured" and args.probe > Probe.OFF:
            again = Side.of(_made(graph, replace(settings, probe=Probe.OFF), name, progress))
    if args.verify:
        progress.show(-1, f"{name.upper()}: verifying")
        proof = verify(graph, trace.settings.source, trace.dist)
        trace = replace(trace, verification=proof)
    return Side.of(trace), again


def _made(graph: CSRGraph, settings: RunSettings, name: str, progress: ProgressLine) -> Trace:
    def on_samples(samples: np.ndarray) -> None:
        progress.show(-1, f"{name.upper()}: {int(samples[-1]['processed_vertices']):,} processed")

    return run(graph, settings, Observer(on_samples))


def _as_json(a: Side, b: Side, summary: Summary, points: int) -> dict[str, Any]:
    result: dict[str, Any] = {"words": summary.words, "cautions": list(summary.cautions)}
    result |= summary.numbers
    result["graph"] = {key: getattr(a.graph, key) for key in ("name", "hash", "n", "m")}
    for side, name in ((a, "a"), (b, "b")):
        source = {"id": side.graph.source_id, "index": side.settings.source}
        result[name] |= {"source": source, "parameters": dict(side.settings.parameters)}
    return result | {"aligned": _curves(a, b, points)}


def _curves(a: Side, b: Side, points: int) -> dict[str, Any]:
    """Return columns of both runs at moments in common."""
    times = common_axis(a, b, points)
    result: dict[str, Any] = {"by": "time", "a_ns": times.tolist(), "b_ns": times.tolist()}
    for name in CURVES:
        columns = (column(side.samples, name, times) for side in (a, b))
        result[name] = dict(zip("ab", (plain(values) for values in columns), strict=True))
    return result


def _print(a: Side, b: Side, summary: Summary) -> None:
    graph, called = a.graph, names(a, b)
    report(f"{graph.name}, {graph.n:,} vertices, {graph.m:,} edges, from {graph.source_id}")
    for letter, name, numbers in zip(
        "AB", called, (summary.numbers["a"], summary.numbers["b"]), strict=True
    ):
        report(f"{letter}: {name} on {numbers['device']}, probe level {numbers['probe']}")
    report(summary.words)
    for caution in summary.cautions:
        advice = " Add --verify to check both." if caution.startswith(NOT_CHECKED) else ""
        report(f"{caution}{advice}")
    if a.verification is not None and b.verification is not None:
        report("The distances of both are proved.")


# many algorithms on one graph


def _compare_algorithms(args: argparse.Namespace) -> int:
    from gpu.study.rank import Rank, fastest_words, ranked

    able = [
        key
        for key, row in ALGORITHMS.items()
        if row.result == "row" and row.problem(args.engine) is None
    ]
    keys = able if args.algorithms == ALL else args.algorithms.split(",")
    unknown = [key for key in keys if key not in able]
    if unknown:
        words = f"{unknown[0]!r} is none of {', '.join(able)}"
        args.usage_error(f"--algorithms {args.algorithms}: {words}")
    with progress_line() as progress:
        graph = open_graph(args.file, args, progress)
        settings = RunSettings(
            engine=args.engine,
            device=args.device or "",
            source=choose_source(graph, args),
            seed=args.seed,
            numbers=args.numbers,
        )
        ranks = ranked(graph, settings, keys, progress.show)
    words = fastest_words(ranks)

    def cells(rank: Rank) -> tuple[str, ...]:
        title = ALGORITHMS[rank.settings.algorithm].title
        if rank.problem:
            return title, "", "", rank.problem
        times = f"{rank.time_ns / max(ranks[0].time_ns, 1):.2f}x"
        return title, brief_time(rank.time_ns), times, f"{rank.processed_vertices:,} processed"

    if args.json:
        rows = [
            {
                "algorithm": rank.settings.algorithm,
                "time_ns": None if rank.problem else rank.time_ns,
                "clock": rank.clock,
                "processed_vertices": None if rank.problem else rank.processed_vertices,
                "problem": rank.problem,
            }
            for rank in ranks
        ]
        about = {"name": graph.name, "hash": graph.hash, "n": graph.n, "m": graph.m}
        print(json.dumps({"words": words, "graph": about, "engine": args.engine, "rows": rows}))
    else:
        report(f"{graph.name}, {graph.n:,} vertices, {graph.m:,} edges; engine {args.engine}")
        report_columns([cells(rank) for rank in ranks], ">")
        report(words)
    wrong = next((rank.problem for rank in ranks if rank.problem.startswith("wrong")), None)
    return 0 if wrong is None else check_failed(wrong)
