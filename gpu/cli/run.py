"""The commands about one run: run and verify."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import nullcontext, redirect_stdout
from dataclasses import replace
from typing import Any

import numpy as np

from gpu.cli.inputs import (
    GRAPH,
    RUNS,
    SOURCE,
    choose_source,
    file_of,
    fill,
    has_source,
    open_graph,
    open_trace,
    output_of,
    run_settings,
)
from gpu.cli.parser import Parser
from gpu.cli.terminal import ProgressLine, check_failed, progress_line, result
from gpu.engine import Observer, run
from gpu.errors import GpuError
from gpu.files import STDIN, check_writable
from gpu.formats.rows import PLAIN_BYTES, warm_up
from gpu.graph import CSRGraph
from gpu.interpreter import early
from gpu.proof.verify import verify
from gpu.record.export import summary, write_csv, write_distances
from gpu.record.trace import RunSettings, Trace, Verification
from gpu.record.tracefile import save_trace


def add_run(parser: Parser) -> None:
    """Fill the parser of `run`; the algorithms' own options come from the registry."""
    fill(
        parser,
        _run,
        "FILE",
        f"{GRAPH} {SOURCE} {RUNS} probe period-ns json verify trace distances csv",
        "run roads.gr.gz --algorithm near_far --delta 5000 --source 1 --json",
        "run - --distances - < roads.gr.gz | sort -t, -k2n",
    )


def _run(args: argparse.Namespace) -> int:
    taken = _check_outputs(args)
    nameless = argparse.Namespace(**vars(args) | {"source": None, "source_index": None})
    settings = run_settings(_arc(), nameless)
    with progress_line() as progress:
        made_ready = early(lambda: _run_on_an_arc(settings, args))
        try:
            graph = open_graph(args.file, args, progress)
        finally:
            made_ready()
        settings = replace(settings, source=choose_source(graph, args))
        trace = made(graph, settings, progress)
        if args.verify:
            trace = verified(graph, trace, progress)
    try:
        if args.trace is not None:
            save_trace(trace, args.trace)
        if args.distances is not None:
            write_distances(graph, trace.dist, args.distances)
        if args.csv is not None:
            write_csv(trace, args.csv)
    finally:  # a full disk must not cost the result as well
        with redirect_stdout(sys.stderr) if taken else nullcontext():
            _print_result(trace, args)
    return checked(trace.verification)


def _run_on_an_arc(settings: RunSettings, args: argparse.Namespace) -> None:
    """Load engine, kernels and proof; what fails here is said by the run itself."""
    large = os.path.isfile(args.file) and os.path.getsize(args.file) > PLAIN_BYTES
    if large and np.fromfile(args.file, np.uint8, 64).all():
        warm_up()  # before CuPy is imported: reading a text waits for it
    trace = run(_arc(), settings)
    if args.verify:
        verify(_arc(), 0, trace.dist)


def _arc() -> CSRGraph:
    """Return a graph so small that nothing is compiled for it on the host."""
    ends = np.array([0, 1])
    return CSRGraph.from_arcs(ends[:1], ends[1:], np.ones(1, np.int32), 2)


def _check_outputs(args: argparse.Namespace) -> bool:
    """Refuse outputs that cannot be written; return whether a file's bytes go to stdout."""
    taken = ["--json"] if args.json else []
    for key in ("trace", "distances", "csv"):
        name = getattr(args, key)
        if name is not None:
            setattr(args, key, output_of(name))
            taken += [f"--{key} -"] if output_of(name) == "-" else []
            check_writable(output_of(name))
    if len(taken) > 1:
        args.usage_error(f"{' and '.join(taken)}: only one of them can have standard output")
    return bool(taken) and not args.json


def made(graph: CSRGraph, settings: RunSettings, progress: ProgressLine, side: str = "") -> Trace:
    """Make a run and show how far it is."""
    progress.show(-1, f"{side}running; the first run of an algorithm compiles it")

    def on_samples(samples: np.ndarray) -> None:
        progress.show(-1, f"{side}{int(samples[-1]['processed_vertices']):,} processed")

    return run(graph, settings, Observer(on_samples))


def verified(graph: CSRGraph, trace: Trace, progress: ProgressLine) -> Trace:
    """Return a trace with the outcome of both proofs."""
    progress.show(-1, "verifying")
    return replace(trace, verification=verify(graph, trace.settings.source, trace.dist))


def _print_result(trace: Trace, args: argparse.Namespace) -> None:
    """Print a run, for programs or for people: the one place that does."""
    numbers = summary(trace)
    if not args.json:
        for key in ("environment", "parameters", "verification"):
            del numbers[key]
        if trace.verification is not None:
            word = "yes" if trace.verification.passed else "NO"
            numbers["verified"] = f"{word}: {trace.verification.detail}"
    result(numbers, is_json=args.json)


def add_verify(parser: Parser) -> None:
    """Fill the parser of `verify`."""
    fill(
        parser,
        _verify,
        "FILE [D.csv]",
        f"{GRAPH} {SOURCE} TABLE trace json",
        "verify roads.gr.gz distances.csv --source 1",
        "verify roads.gr.gz --trace run.npz",
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
        readings = distances.readings()
        proofs = (verify(graph, source, dist, stored=by, oracle=True) for dist, by in readings)
        first = next(proofs)
        outcome = first if first.passed else next((p for p in proofs if p.passed), first)
    numbers: dict[str, Any] = {"verified": outcome.passed, **vars(outcome)}
    named = {"id": graph.id_of(source), "index": source}
    result(numbers | {"unreached": distances.unreached, "source": named}, is_json=args.json)
    return checked(outcome)


def check_same_graph(trace: Trace, graph: CSRGraph, name: str, args: argparse.Namespace) -> None:
    """Raise GpuError where a saved run was made on another graph, or from another source."""
    if trace.graph.hash != graph.hash:
        made = f"{trace.graph.name} ({trace.graph.n:,} vertices, {trace.graph.m:,} edges)"
        raise GpuError(
            f"{name} was made on {made}; {args.file} is another graph, or was read with other "
            "options (--undirected, --weights)"
        )
    if has_source(args) and choose_source(graph, args) != trace.settings.source:
        raise GpuError(f"{name} started from vertex {trace.graph.source_id}")


def checked(*outcomes: Verification | None) -> int:
    """Return 0, or 3 with a line on stderr where a proof failed."""
    for outcome in outcomes:
        if outcome is not None and not outcome.passed:
            return check_failed(f"verification failed: {outcome.detail}")
    return 0
