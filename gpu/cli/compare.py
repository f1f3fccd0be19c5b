"""The command compare: two runs on one graph, what they differ in, as numbers and a sentence.

Each side is an algorithm, run here, or a trace saved before (`--a run.npz`). Options without a
letter hold for both sides, `--a-delta`, `--b-device` and the like for one. Where times are
measured, each side runs once more with probes off, and those are the times that are compared.

Of several graphs a table is made, a row a graph, here or on the workers of a cluster
(`gpu.study.compare_graphs`).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from gpu.algorithms import ALGORITHMS
from gpu.cli.elsewhere import Run, SharedLine, add_cluster, add_on, runner
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
from gpu.cli.terminal import ProgressLine, fault, note, progress_line
from gpu.engine import CallingObserver, graph_reference
from gpu.graph import CSRGraph
from gpu.record.trace import Probe, RunSettings, Trace
from gpu.record.tracefile import plain
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
from gpu.study.compare_graphs import Open, Pair, Row, one_by_one
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
    parser.add_argument("more", metavar="FILE", nargs="*", help="more graphs: a table, proved")
    add_source_options(parser)
    both = parser.add_argument_group("both sides")
    add_engine(both)
    levels = [int(p) for p in (Probe.OFF, Probe.SAMPLES, Probe.VERTICES)]
    both.add_argument("--probe", type=int, choices=levels, default=1, help="[1]")
    add_seed(both)
    add_numbers(both)
    add_on(both)
    sides = parser.add_argument_group("the two sides")
    rare = parser.add_rare_group("of one side, of curves, of several graphs")
    for side, default in (("a", first), ("b", second)):
        sides.add_argument(
            f"--{side}",
            metavar="WHAT",
            default=default,
            help=f"an algorithm (as run has), or a saved RUN.npz [{default}]",
        )
        _add_side(rare, side, engines)
    add_cluster(rare)
    out = parser.add_argument_group("what comes out")
    out.add_argument(
        "--align",
        metavar="HOW",
        choices=list(ALIGNMENTS),
        default="time",
        help=f"how the clocks meet: {', '.join(ALIGNMENTS)} [time]",
    )
    rare.add_argument(
        "--points",
        metavar="N",
        type=_points,
        default=POINTS,
        help=f"moments in the JSON's curves [{POINTS}]",
    )
    out.add_argument("--verify", action="store_true", help="check both runs by both proofs")
    out.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.set_defaults(handle=_compare, usage_error=parser.error)
    add_examples(
        parser,
        f"sssp-scope compare roads.gr.gz --a {first} --b {second} --source 1 --json",
        "sssp-scope compare roads.gr.gz --a monday.npz --b tuesday.npz --align share",
        "sssp-scope compare roads.gr.gz sample:mesh sample:rmat --cluster local:2",
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
    if args.more or args.cluster is not None:
        return _compare_many(args)
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


def _compare_many(args: argparse.Namespace) -> int:
    """Compare on every graph named; on a cluster where one is."""
    if args.a.endswith(TRACE_SUFFIX) or args.b.endswith(TRACE_SUFFIX):
        args.usage_error("a saved run is of one graph; name algorithms, or one FILE")
    if args.cluster is not None and args.on is not None:
        args.usage_error("--cluster shares the graphs out itself; leave --on")
    pair = Pair(_settings(args, "a"), _settings(args, "b"))
    files = [args.file, *args.more]
    told: dict[int, dict[str, Any]] = {}
    with progress_line() as progress:
        line = SharedLine(progress, "comparing", lambda number: files[number])

        def opened(number: int) -> tuple[CSRGraph, int]:
            graph = open_graph(files[number], args, progress)
            source = choose_source(graph, args)
            about = {"name": graph.name, "hash": graph.hash, "n": graph.n, "m": graph.m}
            named = {"id": graph_reference(graph, source).source_id, "index": source}
            told[number] = {"file": files[number], "graph": about, "source": named}
            return graph, source

        with _rows(args, opened, len(files), pair, line) as rows:
            for done, (number, row) in enumerate(rows, 1):
                told[number] |= row
                line.show(done / len(files))
    found = [told[number] for number in sorted(told)]
    if args.json:
        print(json.dumps(plain({"graphs": found})))
    else:
        _print_many(found)
    wrong = [row for row in found if row["a"]["fault"] or row["b"]["fault"]]
    for row in wrong[:1]:
        fault_words = row["a"]["fault"] or row["b"]["fault"]
        return fault(CHECK, f"{row['file']}: wrong distances: {fault_words}", CHECK_FAILED)
    return 0


@contextmanager
def _rows(
    args: argparse.Namespace, opened: Open, count: int, pair: Pair, line: SharedLine
) -> Iterator[Iterator[tuple[int, Row]]]:
    """Give the rows as they come: from a cluster, from another computer, or made here."""
    if args.cluster is not None:
        from gpu.study.cluster import Cluster

        with Cluster(args.cluster, note, line.tell) as found:
            yield found.compare(opened, count, pair)
        return
    with runner(args, line.progress) as run:
        yield one_by_one(opened, count, pair, run=run)


def _settings(args: argparse.Namespace, name: str) -> RunSettings:
    given = {key: getattr(args, f"{name}_{key}") for key in ("delta", "device", "engine", "set")}
    return RunSettings(
        getattr(args, name),
        given["engine"] or args.engine,
        given["device"] or args.device or "",
        0,
        given["delta"],
        args.probe,
        args.seed,
        parameters=dict(given["set"]),
        numbers=args.numbers,
    )


def _print_many(found: list[dict[str, Any]]) -> None:
    a, b = (ALGORITHMS[found[0][side]["algorithm"]].title for side in "ab")
    print(f"A: {a}, B: {b}; times, work (vertices processed) and parallelism (edges under way)")
    heads = ("graph", "A, ms", "B, ms", "B/A", "work B/A", "A, edges", "B, edges", "proved")
    rows = [heads, *map(_cells, found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *rest in rows:
        cells = (f"{cell:>{width}}" for cell, width in zip(rest, widths[1:], strict=True))
        print(f"  {first:<{widths[0]}}  {'  '.join(cells)}")


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    def number(value: float | None) -> str:
        return NOT_KNOWN if value is None else f"{value:.4g}"

    a, b = row["a"], row["b"]
    return (
        row["graph"]["name"],
        number(a["time_ns"] / 1e6),
        number(b["time_ns"] / 1e6),
        number(row["b_time_over_a"]),
        number(row["b_work_over_a"]),
        number(a["mean_parallelism"]),
        number(b["mean_parallelism"]),
        "yes" if a["verified"] and b["verified"] else "NO",
    )


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
    def on_samples(samples: np.ndarray) -> None:
        progress.show(-1, f"{name.upper()}: {int(samples[-1]['processed_vertices']):,} processed")

    source = choose_source(graph, args)
    settings = replace(_settings(args, name), source=source, probe=probe)
    return run(graph, settings, CallingObserver(on_samples))


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
