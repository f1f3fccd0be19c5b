"""The commands about one run: run and verify."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import nullcontext, redirect_stdout
from dataclasses import replace
from typing import Any

import numpy as np

from gpu.algorithms import ALGORITHMS
from gpu.cli.inputs import (
    add_examples,
    add_graph_options,
    add_options,
    add_source_options,
    add_what_runs,
    choose_source,
    file_of,
    has_source,
    open_graph,
    open_trace,
    option_whole,
    output_of,
    run_settings,
)
from gpu.cli.parser import Parser
from gpu.cli.terminal import (
    ProgressLine,
    check_failed,
    progress_line,
    report,
    report_table,
)
from gpu.engine import Observer, run
from gpu.errors import GpuError
from gpu.files import STDIN, check_writable
from gpu.graph import CSRGraph
from gpu.numbers import numbers_words
from gpu.proof.verify import verify
from gpu.record.export import summary, write_csv, write_distances
from gpu.record.trace import Probe, Trace, Verification
from gpu.record.tracefile import save_trace
from gpu.words import NOT_KNOWN

COMPILING = "running; the first run of an algorithm compiles it"
_OUTPUTS = ("trace", "distances", "csv")


def add_run(parser: Parser) -> None:
    """Fill the parser of `run`; the algorithms' own options come from the registry."""
    add_graph_options(parser)
    add_source_options(parser)
    what = add_what_runs(parser)
    levels = [int(p) for p in Probe]
    words = "off, samples, vertices, events [1]"
    what.add_argument("--probe", type=int, choices=levels, default=1, help=words)
    words = "between samples [the device's own]"
    what.add_argument("--period-ns", metavar="NS", type=option_whole(0), default=0, help=words)
    out = parser.add_argument_group("what comes out")
    add_options(out, "json")
    out.add_argument("--verify", action="store_true", help="check the distances by both proofs")
    out.add_argument("--trace", metavar="RUN.npz", help="save the whole run")
    out.add_argument("--distances", metavar="D.csv", help="save id,distance (unreached: empty)")
    out.add_argument("--csv", metavar="S.csv", help="save the samples")
    parser.set_defaults(handle=_run, usage_error=parser.error)
    add_examples(
        parser,
        "sssp-scope run roads.gr.gz --algorithm near_far --delta 5000 --source 1 --json",
        "zcat roads.gr.gz | sssp-scope run - --distances - | sort -t, -k2n",
    )


def _run(args: argparse.Namespace) -> int:
    taken = _check_outputs(args)
    with progress_line() as progress:
        graph = open_graph(args.file, args, progress)
        trace = _made(graph, args, progress)
    try:
        _write_outputs(graph, trace, args)
    finally:  # a full disk must not cost the result as well
        with redirect_stdout(sys.stderr) if taken else nullcontext():
            _print_result(trace, args)
    return _check(trace.verification)


def _check_outputs(args: argparse.Namespace) -> bool:
    """Refuse outputs that cannot be written; return whether a file's bytes go to stdout."""
    taken = ["--json"] if args.json else []
    for key in _OUTPUTS:
        name = getattr(args, key)
        if name is None:
            continue
        setattr(args, key, output_of(name))
        if output_of(name) == "-":
            taken.append(f"--{key} -")
        check_writable(output_of(name))
    if len(taken) > 1:
        args.usage_error(f"{' and '.join(taken)}: only one of them can have standard output")
    return bool(taken) and not args.json


def _made(graph: CSRGraph, args: argparse.Namespace, progress: ProgressLine) -> Trace:
    settings = run_settings(graph, args)
    progress.show(-1, COMPILING)

    def on_samples(samples: np.ndarray) -> None:
        progress.show(-1, f"running: {int(samples[-1]['processed_vertices']):,} processed")

    trace = run(graph, settings, Observer(on_samples))
    if not args.verify:
        return trace
    progress.show(-1, "verifying")
    return replace(trace, verification=verify(graph, trace.settings.source, trace.dist))


def _write_outputs(graph: CSRGraph, trace: Trace, args: argparse.Namespace) -> None:
    if args.trace is not None:
        save_trace(trace, args.trace)
    if args.distances is not None:
        write_distances(graph, trace.dist, args.distances)
    if args.csv is not None:
        write_csv(trace, args.csv)


def _print_result(trace: Trace, args: argparse.Namespace) -> None:
    """Print a run, for programs or for people: the one place that does."""
    numbers = summary(trace)
    if args.json:
        print(json.dumps(numbers))
        return
    graph, reached = numbers["graph"], numbers["distances"]
    rows = [
        ("graph", f"{graph['n']:,} vertices, {graph['m']:,} edges"),
        ("engine", f"{numbers['engine']}: {numbers['device']}, probe level {numbers['probe']}"),
        ("numbers", numbers_words(trace.settings.numbers, trace.dist.dtype)),
        ("time", f"{numbers['time_ns'] / 1e6:.6g} ms ({numbers['clock']})"),
    ]
    if numbers["delta"] is not None:
        change = f"{numbers['delta']:g}, at the end {numbers['delta_final']:g}"
        rows.append(("Δ", f"{change}, changed {numbers['delta_changes']} times"))
    if "queues" in trace.environment:
        rows.append(("queues", trace.environment["queues"]))
    if trace.counted:
        rows += [
            ("processed", f"{numbers['processed_vertices']:,} vertices"),
            ("efficiency", f"{numbers['work_efficiency']:.3f} (settled / processed)"),
            ("relaxed", f"{numbers['relaxed_edges']:,} edges, {numbers['improved']:,} improved"),
        ]
    else:
        rows.append(("work", f"{NOT_KNOWN}: the library shows nothing of its schedule"))
    words = f"{reached['reached']:,} reached, sum {reached['sum']}, max {reached['max']}"
    rows.append(("distances", words))
    if trace.verification is not None:
        rows.append(("verified", _verdict(trace.verification)))
    title = ALGORITHMS[numbers["algorithm"]].title
    report(f"{title} on {graph['name']}, from vertex {numbers['source']['id']}")
    report_table(rows)


def add_verify(parser: Parser) -> None:
    """Fill the parser of `verify`."""
    add_graph_options(parser)
    add_source_options(parser)
    parser.add_argument("table", metavar="D.csv", nargs="?", help="columns id,distance; or -")
    parser.add_argument("--trace", metavar="RUN.npz", help="check the distances of a saved run")
    add_options(parser, "json")
    parser.set_defaults(handle=_verify, usage_error=parser.error)
    add_examples(
        parser,
        "sssp-scope verify roads.gr.gz distances.csv --source 1",
        "sssp-scope verify roads.gr.gz --trace run.npz",
    )


def _verify(args: argparse.Namespace) -> int:
    from gpu.proof.distances import Distances, read_distances

    if (args.table is None) == (args.trace is None):
        args.usage_error("give distances (D.csv) or a saved run (--trace RUN.npz)")
    if args.table is not None and file_of(args.table) == file_of(args.file) == STDIN:
        args.usage_error("the graph and the distances cannot both be standard input")
    trace = None if args.trace is None else open_trace(args.trace)
    with progress_line() as progress:
        graph = open_graph(args.file, args, progress)
        if trace is None:
            source = choose_source(graph, args)
            distances = read_distances(file_of(args.table), graph, source)
        else:
            check_same_graph(trace, graph, args.trace, args)
            source, distances = trace.settings.source, Distances(trace.dist)
        progress.show(-1, "verifying")
        proofs = (verify(graph, source, dist, stored=by) for dist, by in distances.readings())
        first = next(proofs)
        outcome = first if first.passed else next((p for p in proofs if p.passed), first)
    if args.json:
        result: dict[str, Any] = {"verified": outcome.passed, "oracle": outcome.oracle}
        result |= {"certificate": outcome.certificate, "detail": outcome.detail}
        result |= {"unreached": distances.unreached}
        print(json.dumps(result | {"source": {"id": graph.id_of(source), "index": source}}))
    else:
        report(f"{args.table or args.trace}: {_verdict(outcome)}")
        if distances.unreached:
            report(f"  {distances.unreached}")
    return _check(outcome)


def check_same_graph(trace: Trace, graph: CSRGraph, name: str, args: argparse.Namespace) -> None:
    """Raise GpuError where a saved run was made on another graph, or from another source."""
    if trace.graph.hash != graph.hash:
        made = f"{trace.graph.name} ({trace.graph.n:,} vertices, {trace.graph.m:,} edges)"
        raise GpuError(
            f"{name} was made on {made}, and {args.file} is another graph, or the same "
            "read otherwise (--undirected, --weights)"
        )
    if has_source(args) and choose_source(graph, args) != trace.settings.source:
        raise GpuError(f"{name} started from vertex {trace.graph.source_id}")


def _check(outcome: Verification | None) -> int:
    """Return 0, or 3 with a line on stderr where a proof failed."""
    if outcome is None or outcome.passed:
        return 0
    return check_failed(f"verification failed: {outcome.detail}")


def _verdict(outcome: Verification) -> str:
    return f"{'yes' if outcome.passed else 'NO'}: {outcome.detail}"
