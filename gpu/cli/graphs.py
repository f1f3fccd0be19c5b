"""The commands about graphs: info, samples, convert."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from gpu.cli.inputs import (
    add_examples,
    add_graph_options,
    add_options,
    add_source_options,
    choose_source,
    has_source,
    open_graph,
    output_of,
)
from gpu.cli.parser import Parser
from gpu.cli.terminal import note, progress_line, report, report_table
from gpu.errors import GpuError
from gpu.files import check_writable, written_whole
from gpu.graph import CSRGraph
from gpu.record.tracefile import plain
from gpu.study.statistics import as_json, reachable, statistics


def add_info(parser: Parser) -> None:
    """Fill the parser of `info`."""
    add_graph_options(parser)
    add_source_options(parser)
    add_options(parser, "json")
    parser.set_defaults(handle=_info)
    add_examples(
        parser, "sssp-scope info roads.gr.gz", "sssp-scope info sample:grid --json --source 0"
    )


def add_samples(parser: Parser) -> None:
    """Fill the parser of `samples`."""
    add_options(parser, "json")
    parser.set_defaults(handle=_samples)
    add_examples(
        parser,
        "sssp-scope samples",
        "sssp-scope run 'sample:rmat?n=65536&seed=2'",
        "sssp-scope convert sample:city_roads roads.gr.gz",
    )


def add_convert(parser: Parser) -> None:
    """Fill the parser of `convert`."""
    add_graph_options(parser)
    from gpu.formats import READERS

    words = "the file to write; its suffix says the format; - (stdout)"
    parser.add_argument("out", metavar="OUT", help=words)
    writable = [key for key, row in READERS.items() if row.write is not None]
    words = "the format to write, where the suffix says nothing"
    parser.add_argument("--to", metavar="NAME", choices=writable, help=words)
    words = "where ids are renumbered, write OUT.ids.csv beside"
    parser.add_argument("--id-map", action="store_true", help=words)
    add_options(parser, "json")
    parser.set_defaults(handle=_convert, usage_error=parser.error)
    add_examples(
        parser,
        "sssp-scope convert roads.gr.gz roads.npz",
        "sssp-scope convert --undirected --weights random edges.txt edges.gr",
        "sssp-scope convert 'sample:grid?n=10000' grid.mtx",
        "sssp-scope convert --weight-name length streets.graphml streets.gr",
        "zcat edges.txt.gz | sssp-scope convert - - --to matrix_market | wc -l",
    )


def describe(graph: CSRGraph, source: int) -> dict[str, Any]:
    """Return everything `info` tells, JSON-ready."""
    reached = int(np.count_nonzero(reachable(graph, source))) if graph.n else 0
    kept = graph.provenance
    return {
        "name": graph.name,
        "origin": kept.origin,
        "format": kept.format,
        "options": plain(kept.options),
        "notes": list(kept.notes),
        "hash": graph.hash,
        **as_json(statistics(graph)),
        "weight_type": str(graph.weights.dtype),
        "ids": _ids(graph),
        "positions": _bounds(graph),
        "source": {"id": graph.id_of(source), "index": source} if graph.n else None,
        "reachable": {"count": reached, "share": reached / graph.n if graph.n else 0.0},
    }


def _info(args: argparse.Namespace) -> int:
    with progress_line() as progress:
        graph = open_graph(args.file, args, progress)
        source = choose_source(graph, args) if graph.n or has_source(args) else 0
        numbers = describe(graph, source)
    if args.json:
        print(json.dumps(numbers))
        return 0
    report(f"{numbers['name']} ({numbers['origin']}, {numbers['format']})")
    rows = [
        ("vertices", f"{numbers['n']:,}"),
        ("edges", f"{numbers['m']:,}; mean degree {graph.mean_degree:.3g}"),
        ("out-degree", _spread_words(numbers["degree"])),
        ("weights", f"{numbers['weight_type']}; {_spread_words(numbers['weight'])}"),
        ("zero weights", f"{numbers['zero_weights']:,}"),
        ("loops", f"{numbers['loops']:,}"),
        ("repeated", f"{numbers['parallel_arcs']:,} edges"),
        ("isolated", f"{numbers['isolated']:,} vertices"),
        ("reachable", _reachable_words(numbers)),
        ("ids", numbers["ids"]),
        ("positions", _position_words(numbers["positions"])),
        ("memory", f"{numbers['nbytes']:,} bytes"),
        *(("note", words) for words in numbers["notes"]),
    ]
    report_table(rows)
    return 0


def _samples(args: argparse.Namespace) -> int:
    from sample_graphs import CATALOGUE

    if args.json:
        print(json.dumps([plain(_fields(sample)) for sample in CATALOGUE.values()]))
    else:
        rows = CATALOGUE.items()
        report_table([(f"sample:{key}", f"{row.title}: {row.sentence}") for key, row in rows])
    return 0


def _convert(args: argparse.Namespace) -> int:
    if output_of(args.out) == "-":
        return _convert_to_stdout(args)
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
        notes = save_graph(graph, out, args.to, id_map=args.id_map)
    if args.json:
        print(json.dumps({"file": args.out, "n": graph.n, "m": graph.m, "notes": list(notes)}))
    else:
        report(f"{args.out}: {graph.n:,} vertices, {graph.m:,} edges")
        report_table([("note", words) for words in notes])
    return 0


def _convert_to_stdout(args: argparse.Namespace) -> int:
    """Write a file of the format's own name into a temporary folder, then its bytes to stdout."""
    from gpu.formats import READERS, save_graph

    if args.to is None:
        args.usage_error("OUT is -, which has no suffix: name the format by --to")
    if args.json or args.id_map:
        args.usage_error("OUT is -: --json and --id-map have no place then")
    with progress_line() as progress, TemporaryDirectory(prefix="sssp-scope-") as folder:
        graph = open_graph(args.file, args, progress)
        path = Path(folder, f"graph{READERS[args.to].suffixes[0]}")
        notes = save_graph(graph, path, args.to)
        with path.open("rb") as written, written_whole("-") as out:
            copyfileobj(written, out)
    for words in notes:
        beside = words.startswith("coordinates are in")
        note("coordinates are not kept: they would stand in a file beside" if beside else words)
    return 0


def _fields(record: Any) -> dict[str, Any]:
    return {
        key: value
        for key in record.__dataclass_fields__
        if not callable(value := getattr(record, key))
    }


def _ids(graph: CSRGraph) -> str:
    if not graph.n:
        return "none"
    kind = "consecutive" if graph.ids is None else "the file's own"
    return f"{kind}, {graph.id_of(0)} to {graph.id_of(graph.n - 1)}"


def _bounds(graph: CSRGraph) -> dict[str, float] | None:
    if graph.positions is None or not graph.n:
        return None
    low, high = graph.positions.min(axis=0).tolist(), graph.positions.max(axis=0).tolist()
    bounds = {"x_min": low[0], "x_max": high[0], "y_min": low[1], "y_max": high[1]}
    clean: dict[str, float] = plain(bounds)
    return clean


def _spread_words(spread: dict[str, Any] | None) -> str:
    if spread is None:
        return "none"
    return (
        f"{spread['min']:g} to {spread['max']:g}, mean {spread['mean']:.4g}; "
        f"quartiles {spread['p25']:g}, {spread['p50']:g}, {spread['p75']:g}"
    )


def _reachable_words(numbers: dict[str, Any]) -> str:
    source, part = numbers["source"], numbers["reachable"]
    if source is None:
        return "no vertices"
    return f"{part['count']:,} vertices ({part['share']:.2%}) from vertex {source['id']}"


def _position_words(bounds: dict[str, float] | None) -> str:
    if bounds is None:
        return "none: the window computes a layout"
    return (
        f"x {bounds['x_min']:g} to {bounds['x_max']:g}, "
        f"y {bounds['y_min']:g} to {bounds['y_max']:g}"
    )
