"""The commands about graphs: info, samples, convert."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from gpu.cli.inputs import GRAPH, SOURCE, choose_source, fill, has_source, open_graph
from gpu.cli.parser import Parser
from gpu.cli.terminal import progress_line, report_table, result
from gpu.errors import GpuError
from gpu.files import check_writable
from gpu.graph import CSRGraph
from gpu.record.tracefile import plain
from gpu.study.statistics import reachable, statistics


def add_info(parser: Parser) -> None:
    """Fill the parser of `info`."""
    examples = "info roads.gr.gz", "info sample:grid --json --source 0"
    fill(parser, _info, "FILE", f"{GRAPH} {SOURCE} json", *examples)


def add_samples(parser: Parser) -> None:
    """Fill the parser of `samples`."""
    examples = "samples", "run 'sample:rmat?n=65536&seed=2'"
    fill(parser, _samples, "", "json", *examples)


def add_convert(parser: Parser) -> None:
    """Fill the parser of `convert`."""
    fill(
        parser,
        _convert,
        "FILE OUT",
        f"{GRAPH} OUT to json",
        "convert roads.gr.gz roads.npz",
        "convert --undirected --weights random edges.txt edges.gr",
        "convert 'sample:grid?n=10000' grid.mtx",
        "convert --weight-name length streets.graphml streets.gr",
        "convert - graph.mtx < edges.txt.gz",
    )


def _info(args: argparse.Namespace) -> int:
    with progress_line() as progress:
        graph = open_graph(args.file, args, progress)
        source = choose_source(graph, args) if graph.n or has_source(args) else 0
        numbers = describe(graph, source)
    result(numbers, is_json=args.json)
    return 0


def describe(graph: CSRGraph, source: int) -> dict[str, Any]:
    """Return everything `info` tells, JSON-ready."""
    reached = int(np.count_nonzero(reachable(graph, source))) if graph.n else 0
    kept = graph.provenance
    ids, bounds = "none", None
    if graph.n:
        kind = "consecutive" if graph.ids is None else "the file's own"
        ids = f"{kind}, {graph.id_of(0)} to {graph.id_of(graph.n - 1)}"
        if graph.positions is not None:
            ends = np.stack([graph.positions.min(axis=0), graph.positions.max(axis=0)])
            corners = ("x_min", "x_max", "y_min", "y_max")
            bounds = dict(zip(corners, ends.T.ravel().tolist(), strict=True))
    return {
        "name": graph.name,
        "origin": kept.origin,
        "format": kept.format,
        "options": plain(kept.options),
        "notes": list(kept.notes),
        "hash": graph.hash,
        **statistics(graph),
        "weight_type": str(graph.weights.dtype),
        "ids": ids,
        "positions": plain(bounds),
        "source": {"id": graph.id_of(source), "index": source} if graph.n else None,
        "reachable": {"count": reached, "share": reached / graph.n if graph.n else 0.0},
    }


def _samples(args: argparse.Namespace) -> int:
    from sample_graphs import CATALOGUE

    if args.json:
        print(json.dumps([plain(vars(row)) for row in CATALOGUE.values()]))
    else:
        rows = CATALOGUE.items()
        report_table([(f"sample:{key}", f"{row.title}: {row.sentence}") for key, row in rows])
    return 0


def _convert(args: argparse.Namespace) -> int:
    check_writable(args.out)
    out = Path(args.out)
    if out.exists() and not out.is_file():
        raise GpuError(f"cannot write {args.out}: it is no regular file; name a file")
    if out.exists() and Path(args.file).exists() and out.samefile(args.file):
        raise GpuError(f"cannot write {args.out}: it is the file that is read; name another")
    from gpu.formats import save_graph, writer_for

    writer_for(args.out, args.to)  # refused before a large file is read
    with progress_line() as progress:
        graph = open_graph(args.file, args, progress)
        notes = save_graph(graph, out, args.to)
    numbers = {"file": args.out, "n": graph.n, "m": graph.m, "notes": list(notes)}
    result(numbers, is_json=args.json)
    return 0
