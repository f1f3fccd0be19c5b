"""The command `apsp`: distances between all pairs, or from many sources.

Rows go into one `.npy` file, block by block (`gpu.study.apsp`); with --reduce each source is a row
of numbers in a table.
"""

from __future__ import annotations

import argparse
import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from gpu.algorithms import ALGORITHMS
from gpu.algorithms.all_pairs import matrix_bytes
from gpu.cli.inputs import (
    ENGINES,
    add_examples,
    add_graph_options,
    add_options,
    check_parameters,
    open_graph,
    output_of,
)
from gpu.cli.parser import Parser
from gpu.cli.terminal import check_failed, note, progress_line, report, report_table
from gpu.graph import CSRGraph
from gpu.record.trace import Probe, RunSettings
from gpu.study.apsp import (
    SHARED_BLOCKS,
    FromSources,
    ProofError,
    chosen_sources,
    from_sources,
    make_plan,
    matrix_algorithms,
)
from gpu.words import size_words


def add_apsp(parser: Parser) -> None:
    """Fill the parser of `apsp`; algorithms and engines come from the registry."""
    rows = [key for key, row in ALGORITHMS.items() if row.result == "row"]
    keys = [*rows, *matrix_algorithms()]
    add_graph_options(parser)
    words = "row i: from source i; of --reduce a table, .csv"
    parser.add_argument("-o", "--output", metavar="MATRIX.npy", required=True, help=words)
    what = parser.add_argument_group("what runs")
    words = f"{', '.join(keys)} [{keys[-1]}]"
    add_options(what, "algorithm", choices=keys, default=keys[-1], help=words)
    words = f"{', '.join(ENGINES)} [cuda where there is a GPU]"
    add_options(what, "engine", default=None, help=words)
    add_options(what, "device", "numbers", "delta", "cluster")
    words = "A:B, 0-based, B not included; K, the first K; random:K; a file of ids [all]"
    what.add_argument("--sources", metavar="WHICH", default=":", help=words)
    words = "worker blocks [as many as the device holds]"
    what.add_argument("--workers", metavar="N", type=int, help=words)
    out = parser.add_argument_group("what comes out")
    words = "a table: of each source how far, how close"
    out.add_argument("--reduce", action="store_true", help=words)
    add_options(out, "json")
    words = "prove all rows by certificate, or a seeded sample [the first of each block]"
    out.add_argument("--verify", action="store_true", help=words)
    parser.set_defaults(handle=_apsp, usage_error=parser.error)
    add_examples(
        parser,
        "sssp-scope apsp roads.gr.gz -o matrix.npy --verify",
        "sssp-scope apsp roads.gr.gz -o part.npy --sources 0:1000 --json",
        "sssp-scope apsp roads.gr.gz -o far.csv --sources random:1000 --reduce",
        "sssp-scope apsp roads.gr.gz -o far.npy --sources 10000 --cluster local:2",
    )


def _apsp(args: argparse.Namespace) -> int:
    if output_of(args.output) == "-":
        args.usage_error("-o -: rows are written in any order; name a file")
    suffix = ".csv" if args.reduce else ".npy"
    if Path(args.output).suffix != suffix and not Path(args.output).is_char_device():
        reduced = " of --reduce" if args.reduce else ""
        args.usage_error(f"-o {args.output}{reduced}; allowed: a name that ends in {suffix}")
    try:
        graph, result = _computed(args)
    except ProofError as error:
        return check_failed(f"verification failed: {error}")
    numbers = _numbers(graph, result, args)
    if args.json:
        print(json.dumps(numbers))
    else:
        _print(numbers)
    return 0


def _computed(args: argparse.Namespace) -> tuple[CSRGraph, FromSources]:
    parameters = {} if args.workers is None else {"workers": args.workers}
    with progress_line() as progress:
        graph = open_graph(args.file, args, progress)
        sources = chosen_sources(args.sources, graph)
        settings = RunSettings(
            args.algorithm,
            args.engine or _best_engine(args.algorithm, args.cluster or "local"),
            args.device or "",
            delta=args.delta,
            parameters=parameters,
            numbers=args.numbers,
        )
        check_parameters(args, args.algorithm, parameters)
        least = 1 if args.cluster is None else SHARED_BLOCKS
        how = {"least": least, "reduced": args.reduce, "verify": args.verify}
        plan = make_plan(graph, settings, sources, **how)
        with _workers(args.cluster) as there:
            result = from_sources(graph, plan, args.output, there=there, progress=progress.show)
    return graph, result


def _workers(address: str | None) -> Any:
    if address is None:
        return nullcontext()
    from gpu.study.elsewhere import Cluster

    return Cluster(address, note)


def _best_engine(key: str, address: str) -> str:
    """Return the engine that computes fastest; workers on other computers should have GPUs."""
    from gpu.cuda.device import why_not

    engines = ALGORITHMS[key].engines
    if "cuda" in engines and (not address.startswith("local") or why_not() is None):
        return "cuda"
    return "cpu" if "cpu" in engines else "model"


def _numbers(graph: CSRGraph, result: FromSources, args: argparse.Namespace) -> dict[str, Any]:
    from gpu.proof.verify import rows_words

    settings, count = result.plan.settings, len(result.plan.sources)
    shape = count, graph.n, np.dtype(result.dtype).itemsize
    return {
        "algorithm": settings.algorithm,
        "engine": settings.engine,
        "device": settings.device,
        "clock": result.clock,
        "time_ns": result.time_ns,
        "probe": int(Probe.OFF),
        "graph": {"name": graph.name, "n": graph.n, "m": graph.m, "hash": graph.hash},
        "sources": {"which": args.sources, "count": count},
        "file": args.output,
        "dtype": "table" if args.reduce else result.dtype,
        "bytes": Path(args.output).stat().st_size if args.reduce else matrix_bytes(*shape),
        "blocks": result.plan.blocks,
        "verified": True,
        "verification": rows_words(result.proved, count),
    }


def _print(numbers: dict[str, Any]) -> None:
    graph, sources = numbers["graph"], numbers["sources"]
    report(f"{ALGORITHMS[numbers['algorithm']].title} on {graph['name']}")
    report_table(
        [
            ("engine", f"{numbers['engine']}: {numbers['device']}"),
            ("sources", f"{sources['count']:,}: {sources['which']}"),
            ("time", f"{numbers['time_ns'] / 1e6:.6g} ms ({numbers['clock']}), all runs together"),
            ("written", f"{numbers['file']}, {size_words(numbers['bytes'])}"),
            ("verified", f"yes: {numbers['verification']}"),
        ]
    )
