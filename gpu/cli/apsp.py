"""The command `apsp`: distances between all pairs, written row by row to a `.npy` file."""

from __future__ import annotations

import argparse
import json
from typing import Any

from gpu.algorithms import ALGORITHMS
from gpu.cli.elsewhere import add_on, runner
from gpu.cli.inputs import (
    add_examples,
    add_graph_options,
    open_graph,
    output_of,
    print_table,
)
from gpu.cli.outcome import CHECK, CHECK_FAILED
from gpu.cli.parser import Parser
from gpu.cli.run import add_numbers, option_positive
from gpu.cli.terminal import fault, is_quiet, progress_line
from gpu.errors import ParameterError
from gpu.graph import CSRGraph
from gpu.record.trace import Probe, Trace
from gpu.record.tracefile import plain
from gpu.study.apsp import ProofError, all_pairs, matrix_algorithms
from gpu.words import size_words


def add_apsp(parser: Parser) -> None:
    """Fill the parser of `apsp`; algorithms and engines come from the registry."""
    keys = matrix_algorithms()
    engines = sorted({engine for key in keys for engine in ALGORITHMS[key].engines})
    add_graph_options(parser)
    parser.add_argument(
        "-o", "--output", metavar="MATRIX.npy", required=True, help="row i: from source first + i"
    )
    what = parser.add_argument_group("what runs")
    what.add_argument("--algorithm", choices=keys, default=keys[-1], help=f"[{keys[-1]}]")
    what.add_argument("--engine", choices=engines, help="[cuda where there is a GPU, else model]")
    what.add_argument("--device", help="a device of the engine, by name [the engine's default]")
    what.add_argument(
        "--sources", metavar="A:B", default=":", help="0-based indices, B not included [all]"
    )
    what.add_argument(
        "--delta", type=option_positive, help="bucket width, weight units [automatic]"
    )
    add_numbers(what)
    add_on(what)
    what.add_argument("--workers", type=int, help="worker blocks [the device's own]")
    out = parser.add_argument_group("what comes out")
    out.add_argument("--json", action="store_true", help="one JSON object on stdout")
    out.add_argument(
        "--verify", action="store_true", help="prove rows by certificate: all, or a seeded sample"
    )
    parser.set_defaults(handle=_apsp, usage_error=parser.error)
    add_examples(
        parser,
        "sssp-scope apsp roads.gr.gz -o matrix.npy --verify",
        "sssp-scope apsp roads.gr.gz -o part.npy --sources 0:1000 --json",
        "sssp-scope apsp sample:rmat?n=2000 -o matrix.npy --engine model --device H100",
    )


def source_slice(text: str, n: int) -> tuple[int, int]:
    """Return first source and count of "A:B", as in Python's slices; ParameterError."""
    begin, colon, end = text.partition(":")
    try:
        first = int(begin or 0)
        last = int(end or n) if colon else first + 1
    except ValueError:
        first, last = -1, -1
    if not 0 <= first < last <= n:
        raise ParameterError(
            f"--sources {text}; allowed: A:B with 0 <= A < B <= {n}, as in 0:1000, or one index"
        )
    return first, last - first


def _apsp(args: argparse.Namespace) -> int:
    try:
        return _computed(args)
    except ProofError as error:
        return fault(CHECK, f"verification failed: {error}", CHECK_FAILED)


def _computed(args: argparse.Namespace) -> int:
    if output_of(args.output) == "-":
        args.usage_error("-o -: the matrix is written row by row in any order; name a file")
    with progress_line() as progress, runner(args, progress) as run:
        graph = open_graph(args.file, args, progress)
        first, count = source_slice(args.sources, graph.n)
        trace = all_pairs(
            graph,
            args.output,
            algorithm=args.algorithm,
            engine=args.engine or _best_engine(args.algorithm, args.on is not None),
            first_source=first,
            sources=count,
            delta=args.delta,
            probe=Probe.SAMPLES,
            device=args.device,
            parameters={} if args.workers is None else {"workers": args.workers},
            numbers=args.numbers,
            verify=args.verify,
            progress=progress.show,
            run=None if args.on is None else run,
        )
    told = _told(graph, trace, args)
    if args.json:
        print(json.dumps(told))
    elif not is_quiet():
        _print(told)
    return 0


def _best_engine(key: str, elsewhere: bool) -> str:
    """Return the engine that computes fastest: who goes elsewhere goes to a GPU."""
    from gpu.cuda.device import why_not

    engines = list(ALGORITHMS[key].engines)
    return "cuda" if "cuda" in engines and (elsewhere or why_not() is None) else "model"


def _told(graph: CSRGraph, trace: Trace, args: argparse.Namespace) -> dict[str, Any]:
    settings, last, proof = trace.settings, trace.last, trace.verification
    rows = trace.dist.shape[0]
    return {
        "algorithm": settings.algorithm,
        "engine": settings.engine,
        "device": settings.device,
        "clock": trace.clock,
        "time_ns": trace.time_ns,
        "probe": settings.probe,
        "graph": {"name": graph.name, "n": graph.n, "m": graph.m, "hash": trace.graph.hash},
        "sources": {"first": settings.source, "count": rows},
        "file": str(args.output),
        "dtype": str(trace.dist.dtype),
        "bytes": trace.dist.nbytes,
        "delta": None if not ALGORITHMS[settings.algorithm].bucketed else float(last["delta"]),
        "processed_vertices": trace.processed_vertices,
        "relaxed_edges": trace.relaxed_edges,
        "verified": None if proof is None else proof.passed,
        "verification": None if proof is None else proof.detail,
        "environment": plain(trace.environment),
    }


def _print(told: dict[str, Any]) -> None:
    graph, sources = told["graph"], told["sources"]
    title = ALGORITHMS[told["algorithm"]].title
    print(f"{title} on {graph['name']}")
    last = sources["first"] + sources["count"] - 1
    time_ms = f"{told['time_ns'] / 1e6:.6g} ms ({told['clock']})"
    if "end_to_end_ms" in told["environment"]:
        time_ms += f", {told['environment']['end_to_end_ms']:.6g} ms with the rows in the file"
    rows = [
        ("graph", f"{graph['n']:,} vertices, {graph['m']:,} arcs"),
        ("engine", f"{told['engine']}: {told['device']}, probe level {told['probe']}"),
        ("sources", f"{sources['count']:,}: {sources['first']} to {last}"),
        ("time", time_ms),
        ("processed", f"{told['processed_vertices']:,} vertices"),
        ("relaxed", f"{told['relaxed_edges']:,} edges"),
        ("written", f"{told['file']}, {told['dtype']}, {size_words(told['bytes'])}"),
    ]
    if told["verified"] is not None:
        verdict = "yes" if told["verified"] else "NO"
        rows.append(("verified", f"{verdict}: {told['verification']}"))
    print_table(rows)
