"""The command `apsp`: distances between all pairs, or from many sources, row by row in a file.

Sources that lie side by side go to one run of an algorithm for all pairs. Any others, one row a
source (`--reduce`) and workers elsewhere (`--cluster`) are a matter of blocks: `gpu.study.sources`.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from gpu.algorithms import ALGORITHMS
from gpu.cli.elsewhere import add_cluster, add_on, cluster, is_here, runner
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
from gpu.cli.terminal import ProgressLine, fault, is_quiet, progress_line
from gpu.graph import CSRGraph
from gpu.record.trace import Probe, RunSettings, Trace
from gpu.record.tracefile import plain
from gpu.study.apsp import ProofError, all_pairs, matrix_algorithms
from gpu.study.export_runs import write_table
from gpu.words import size_words

SHARED_BLOCKS = 32  # at least, so that workers end together
ROW_COLUMNS = ("source", "reached", "eccentricity", "closeness")


def add_apsp(parser: Parser) -> None:
    """Fill the parser of `apsp`; algorithms and engines come from the registry."""
    rows = [key for key, row in ALGORITHMS.items() if row.result == "row"]
    keys = [*rows, *matrix_algorithms()]
    engines = sorted({engine for key in keys for engine in ALGORITHMS[key].engines})
    add_graph_options(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="MATRIX.npy",
        required=True,
        help="row i: from source i; NAME.rows: a folder, a file a block of rows",
    )
    what = parser.add_argument_group("what runs")
    words = f"{', '.join(keys)} [{keys[-1]}]"
    what.add_argument("--algorithm", metavar="KEY", choices=keys, default=keys[-1], help=words)
    words = f"{', '.join(engines)} [cuda where there is a GPU]"
    what.add_argument("--engine", metavar="NAME", choices=engines, help=words)
    what.add_argument("--device", metavar="NAME", help="a device of the engine [its default]")
    what.add_argument(
        "--sources",
        metavar="WHICH",
        default=":",
        help="A:B, 0-based, B not included; K, the first K; random:K; a file of ids [all]",
    )
    what.add_argument(
        "--delta", type=option_positive, help="bucket width, weight units [automatic]"
    )
    add_numbers(what)
    add_on(what)
    what.add_argument("--workers", type=int, help="worker blocks [the device's own]")
    add_cluster(what)
    out = parser.add_argument_group("what comes out")
    words = "a table: of each source how far, how close"
    out.add_argument("--reduce", action="store_true", help=words)
    out.add_argument("--json", action="store_true", help="one JSON object on stdout")
    out.add_argument(
        "--verify", action="store_true", help="prove rows by certificate: all, or a seeded sample"
    )
    parser.set_defaults(handle=_apsp, usage_error=parser.error)
    add_examples(
        parser,
        "sssp-scope apsp roads.gr.gz -o matrix.npy --verify",
        "sssp-scope apsp roads.gr.gz -o part.npy --sources 0:1000 --json",
        "sssp-scope apsp roads.gr.gz -o far.csv --sources random:1000 --reduce",
        "sssp-scope apsp roads.gr.gz -o far.rows --sources 10000 --cluster local:2",
        "sssp-scope apsp sample:rmat?n=2000 -o matrix.npy --engine model --device H100",
    )


def _apsp(args: argparse.Namespace) -> int:
    try:
        return _computed(args)
    except ProofError as error:
        return fault(CHECK, f"verification failed: {error}", CHECK_FAILED)


def _computed(args: argparse.Namespace) -> int:
    if output_of(args.output) == "-":
        args.usage_error("-o -: the matrix is written row by row in any order; name a file")
    from gpu.study.sources import check_out, chosen_sources, in_parts

    parts = in_parts(args.output, args.reduce)
    asked_rows = args.reduce or parts or args.cluster is not None
    if asked_rows and args.on is not None:
        args.usage_error(
            "--on makes one run, of a whole matrix in one file; leave --reduce, --cluster, .rows"
        )
    if asked_rows:
        check_out(args.output, args.reduce)
    with progress_line() as progress:
        graph = open_graph(args.file, args, progress)
        sources = chosen_sources(args.sources, graph)
        side_by_side = sources == tuple(range(sources[0], sources[0] + len(sources)))
        matrix = ALGORITHMS[args.algorithm].result == "matrix"
        if asked_rows or not (side_by_side and matrix):
            if args.on is not None:
                args.usage_error("--on takes sources A:B, and an algorithm for all pairs")
            told = _by_blocks(graph, sources, args, progress)
        else:
            told = _at_once(graph, sources, args, progress)
    if args.json:
        print(json.dumps(told))
    elif not is_quiet():
        _print(told)
    return 0


def _at_once(
    graph: CSRGraph, sources: tuple[int, ...], args: argparse.Namespace, progress: ProgressLine
) -> dict[str, Any]:
    """Make one run from sources side by side."""
    with runner(args, progress) as run:
        trace = all_pairs(
            graph,
            args.output,
            algorithm=args.algorithm,
            engine=args.engine or _best_engine(args.algorithm, args.on is not None),
            first_source=sources[0],
            sources=len(sources),
            delta=args.delta,
            probe=Probe.SAMPLES,
            device=args.device,
            parameters=_workers(args),
            numbers=args.numbers,
            verify=args.verify,
            progress=progress.show,
            run=None if args.on is None else run,
        )
    return _told(graph, trace, args)


def _workers(args: argparse.Namespace) -> dict[str, Any]:
    return {} if args.workers is None else {"workers": args.workers}


def _by_blocks(
    graph: CSRGraph, sources: tuple[int, ...], args: argparse.Namespace, progress: ProgressLine
) -> dict[str, Any]:
    """Compute blocks of rows, here or on a cluster; what an earlier call has done is kept."""
    from gpu.proof.verify import rows_words
    from gpu.study.sources import from_sources, make_plan, summary

    settings = RunSettings(
        args.algorithm,
        args.engine or _best_engine(args.algorithm, not is_here(args)),
        args.device or "",
        0,
        args.delta,
        parameters=_workers(args),
        numbers=args.numbers,
    )
    least = 1 if args.cluster is None else SHARED_BLOCKS
    plan = make_plan(graph, settings, sources, least=least, reduced=args.reduce, verify=args.verify)
    out = f"{args.output}.rows" if args.reduce else args.output
    begun = time.monotonic()
    with cluster(args) as spread:
        found = from_sources(graph, plan, out, spread=spread, progress=progress.show)
    seconds = time.monotonic() - begun
    about = {} if found.rows is None else summary(graph, found.rows)
    if found.rows is not None:
        rows = found.rows
        ids = [graph.id_of(vertex) for vertex in rows["source"].tolist()]
        columns = [rows[name].tolist() for name in ROW_COLUMNS]
        write_table(["source_id", *ROW_COLUMNS], zip(ids, *columns, strict=True), args.output)
        Path(out).unlink()
    return {
        "algorithm": plan.settings.algorithm,
        "engine": plan.settings.engine,
        "device": plan.settings.device,
        "clock": "wall",
        "time_ns": round(seconds * 1e9),
        "probe": int(Probe.OFF),
        "graph": {"name": graph.name, "n": graph.n, "m": graph.m, "hash": graph.hash},
        "sources": {"which": args.sources, "count": len(sources)},
        "file": str(args.output),
        "dtype": found.dtype if found.rows is None else "table",
        "bytes": _bytes_of(Path(args.output)),
        "blocks": {"all": plan.blocks, "done_before": found.resumed},
        "cluster_workers": list(found.workers),
        "verified": True,
        "verification": rows_words(found.proved, len(sources)),
        "summary": about,
    }


def _bytes_of(path: Path) -> int:
    files = path.iterdir() if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files)


def _best_engine(key: str, elsewhere: bool) -> str:
    """Return the engine that computes fastest: who goes elsewhere goes to a GPU."""
    from gpu.cuda.device import why_not

    engines = list(ALGORITHMS[key].engines)
    if "cuda" in engines and (elsewhere or why_not() is None):
        return "cuda"
    return "cpu" if "cpu" in engines else "model"


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
    if "blocks" in told:
        _print_blocks(told)
        return
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


def _print_blocks(told: dict[str, Any]) -> None:
    graph, blocks, workers = told["graph"], told["blocks"], told["cluster_workers"]
    rows = [
        ("graph", f"{graph['n']:,} vertices, {graph['m']:,} arcs"),
        ("engine", f"{told['engine']}: {told['device']}"),
        ("sources", f"{told['sources']['count']:,}: {told['sources']['which']}"),
        ("blocks", f"{blocks['all']:,}, {blocks['done_before']:,} of them done before"),
        ("time", f"{told['time_ns'] / 1e9:.3g} s on the wall"),
        ("written", f"{told['file']}, {told['dtype']}, {size_words(told['bytes'])}"),
        ("verified", f"yes: {told['verification']}"),
    ]
    if workers:
        rows.insert(2, ("cluster", ", ".join(workers)))
    about = told["summary"]
    if about:
        most = about["diameter_at_most"]
        above = "no bound above" if most is None else f"at most {most:g}"
        rows.insert(-1, ("diameter", f"at least {about['diameter_at_least']:g}, {above}"))
        rows.insert(-1, ("closeness", f"{about['mean_closeness']:.4g} on average"))
    print_table(rows)
