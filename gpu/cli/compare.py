"""The command compare: two runs on one graph, what they differ in, as numbers and a sentence.

Each side is an algorithm, run here, or a trace saved before (`--a run.npz`). Options without a
letter hold for both sides, `--a-delta`, `--b-device` and the like for one. Where times are
measured, each side runs once more with probes off, and those are the times that are compared.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from typing import Any

import numpy as np

from gpu.algorithms import ALGORITHMS
from gpu.cli.elsewhere import Run, add_on, runner
from gpu.cli.inputs import (
    add_examples,
    add_graph_options,
    add_source_options,
    choose_source,
    open_graph,
    open_trace,
)
from gpu.cli.outcome import CHECK, CHECK_FAILED
from gpu.cli.parser import Parser
from gpu.cli.run import add_engine, add_numbers, add_seed, option_pair, option_positive
from gpu.cli.terminal import ProgressLine, fault, progress_line
from gpu.graph import CSRGraph
from gpu.record.trace import Probe, Trace
from gpu.study.compare import (
    ALIGNMENTS,
    Align,
    CompareError,
    Side,
    align,
    column,
    common_axis,
    obstacle,
)
from gpu.study.compare_words import (
    Summary,
    names,
    summarise,
)
from gpu.words import NOT_KNOWN, brief_time, percent

TRACE_SUFFIX = ".npz"
POINTS = 11  # rows of the columns on a common axis
CURVES = ("delta", "assigned_edges", "busy_workers", "processed_vertices", "relaxed_edges")


def add_compare(parser: Parser) -> None:
    """Fill the parser of `compare`."""
    first, second = list(ALGORITHMS)[:2]
    engines = sorted({engine for row in ALGORITHMS.values() for engine in row.engines})
    add_graph_options(parser)
    add_source_options(parser)
    both = parser.add_argument_group("both sides")
    add_engine(both)
    levels = [int(p) for p in (Probe.OFF, Probe.SAMPLES, Probe.VERTICES)]
    both.add_argument("--probe", type=int, choices=levels, default=1, help="[1]")
    add_seed(both)
    add_numbers(both)
    add_on(both)
    sides = parser.add_argument_group("the two sides")
    rare = parser.add_rare_group("of one side")
    for side, default in (("a", first), ("b", second)):
        sides.add_argument(
            f"--{side}",
            metavar="WHAT",
            default=default,
            help=f"an algorithm (as run has), or a saved RUN.npz [{default}]",
        )
        _add_side(rare, side, engines)
    out = parser.add_argument_group("what comes out")
    out.add_argument(
        "--align",
        metavar="HOW",
        choices=list(ALIGNMENTS),
        default="time",
        help=f"how the clocks meet: {', '.join(ALIGNMENTS)} [time]",
    )
    out.add_argument(
        "--points",
        metavar="N",
        type=_points,
        default=POINTS,
        help=f"moments in the JSON's curves [{POINTS}]",
    )
    out.add_argument("--verify", action="store_true", help="check both runs by both proofs")
    out.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.set_defaults(handle=_compare)
    add_examples(
        parser,
        f"sssp-scope compare roads.gr.gz --a {first} --b {second} --source 1 --json",
        f"sssp-scope compare sample:rmat --a-device 'RTX 3090' --b {first} --b-delta 64",
        "sssp-scope compare roads.gr.gz --a monday.npz --b tuesday.npz --align share",
    )


def _add_side(group: argparse._ArgumentGroup, side: str, engines: list[str]) -> None:
    words = "bucket width, weight units [automatic]"
    group.add_argument(f"--{side}-delta", metavar="W", type=option_positive, help=words)
    group.add_argument(f"--{side}-device", metavar="NAME", help="[--device]")
    group.add_argument(f"--{side}-engine", choices=engines, help="[--engine]")
    group.add_argument(
        f"--{side}-set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        type=option_pair,
        help="a parameter of the algorithm; may be given several times",
    )


def _compare(args: argparse.Namespace) -> int:
    with progress_line() as progress, runner(args, progress) as run:
        graph = open_graph(args.file, args, progress)
        a, again_a = _side(graph, args, "a", progress, run)
        b, again_b = _side(graph, args, "b", progress, run)
    problem = obstacle(a, b)
    if problem:
        raise CompareError(problem)
    summary = summarise(a, b, (again_a, again_b))
    if args.json:
        print(json.dumps(_as_json(a, b, summary, args.align, args.points)))
    else:
        _print(a, b, summary)
    proofs = [side.verification for side in (a, b) if side.verification is not None]
    for proof in proofs:
        if not proof.passed:
            return fault(CHECK, f"verification failed: {proof.detail}", CHECK_FAILED)
    return 0


def _side(
    graph: CSRGraph, args: argparse.Namespace, name: str, progress: ProgressLine, run: Run
) -> tuple[Side, Side | None]:
    """Return one side and, where its time is measured with probes on, a rerun without."""
    asked = getattr(args, name)
    if asked.endswith(TRACE_SUFFIX):
        return Side.of(open_trace(asked)), None
    trace = _run(graph, args, name, args.probe, progress, run)
    if args.verify:
        from gpu.proof.verify import verify

        progress.show(-1, f"{name.upper()}: verifying")
        proofs = verify(graph, trace.settings.source, trace.dist)
        trace = replace(trace, verification=proofs)
    if trace.clock == "measured" and args.probe > Probe.OFF:
        return Side.of(trace), Side.of(_run(graph, args, name, int(Probe.OFF), progress, run))
    return Side.of(trace), None


def _run(
    graph: CSRGraph,
    args: argparse.Namespace,
    name: str,
    probe: int,
    progress: ProgressLine,
    run: Run,
) -> Trace:
    given = {key: getattr(args, f"{name}_{key}") for key in ("delta", "device", "engine", "set")}

    def on_samples(samples: np.ndarray) -> None:
        progress.show(-1, f"{name.upper()}: {int(samples[-1]['processed_vertices']):,} processed")

    return run(
        graph,
        getattr(args, name),
        given["engine"] or args.engine,
        choose_source(graph, args),
        given["delta"],
        probe,
        device=given["device"] or args.device,
        parameters=dict(given["set"]),
        seed=args.seed,
        numbers=args.numbers,
        on_samples=on_samples,
    )


def _as_json(a: Side, b: Side, summary: Summary, how: Align, points: int) -> dict[str, Any]:
    told: dict[str, Any] = {"words": summary.words, "cautions": list(summary.cautions)}
    told |= summary.numbers
    told["graph"] = {key: getattr(a.graph, key) for key in ("name", "hash", "n", "m")}
    for side, name in ((a, "a"), (b, "b")):
        source = {"id": side.graph.source_id, "index": side.settings.source}
        told[name] |= {"source": source, "parameters": dict(side.settings.parameters)}
    return told | {"aligned": _curves(a, b, how, points)}


def _curves(a: Side, b: Side, how: Align, points: int) -> dict[str, Any]:
    """Return columns of both runs at moments in common, or why there are none."""
    try:
        clocks = align(a, b, how)
    except CompareError as error:
        return {"by": how, "problem": str(error)}
    times_a, times_b = common_axis(a, b, clocks, points)
    told: dict[str, Any] = {"by": how, "a_ns": times_a.tolist(), "b_ns": times_b.tolist()}
    for name in CURVES:
        found = (column(s.samples, name, t) for s, t in ((a, times_a), (b, times_b)))
        told[name] = dict(zip("ab", (_plain(values) for values in found), strict=True))
    return told


def _plain(values: np.ndarray) -> list[float | None]:
    return [value if np.isfinite(value) else None for value in values.tolist()]


def _print(a: Side, b: Side, summary: Summary) -> None:
    numbers = summary.numbers
    rows = [("", *(f"{letter}: {name}" for letter, name in zip("AB", names(a, b), strict=True)))]
    rows += [(title, *(words(numbers[side]) for side in "ab")) for title, words in _ROWS]
    widths = [max(len(row[place]) for row in rows) for place in range(3)]
    print(f"{a.graph.name}, {a.graph.n:,} vertices, {a.graph.m:,} arcs, from {a.graph.source_id}")
    for row in rows:
        print(
            "  " + "  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip()
        )
    print(summary.words)
    for caution in summary.cautions:
        print(caution)


def _delta(numbers: dict[str, Any]) -> str:
    if not ALGORITHMS[numbers["algorithm"]].bucketed:
        return "none"
    return "automatic" if numbers["delta"] is None else f"{numbers['delta']:g}"


def _share(value: float | None) -> str:
    return NOT_KNOWN if value is None else percent(value)


def _count(number: int | None, what: str) -> str:
    return NOT_KNOWN if number is None else f"{number:,} {what}"


def _verified(value: bool | None) -> str:
    return "not tried" if value is None else "yes" if value else "NO"


_ROWS: tuple[tuple[str, Any], ...] = (
    ("time", lambda n: f"{brief_time(n['time_ns'])} ({n['clock']})"),
    ("Δ", _delta),
    ("device", lambda n: f"{n['device']}, probe level {n['probe']}"),
    ("processed", lambda n: _count(n["processed_vertices"], "vertices")),
    ("relaxed", lambda n: _count(n["relaxed_edges"], "edges")),
    ("efficiency", lambda n: _share(n["work_efficiency"])),
    ("GPU busy", lambda n: _share(n["busy_share"])),
    ("verified", lambda n: _verified(n["verified"])),
)


def _points(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 2 <= number <= 100_000:
        raise argparse.ArgumentTypeError(f"{text!r}; allowed: a whole number from 2 to 100000")
    return number
