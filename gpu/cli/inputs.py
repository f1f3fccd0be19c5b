"""What several commands share: opening FILE, choosing the source, where results go.

FILE may be a pipe (`<(zcat ...)`, /dev/stdin) or `-`, standard input; an output may be `-`,
standard output, where it takes the place of the words for people.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from gpu.cli.terminal import ProgressLine, note
from gpu.errors import GpuError, MemoryNeededError, ParameterError
from gpu.graph import CSRGraph
from gpu.record.trace import Trace
from gpu.record.tracefile import load_trace
from gpu.regular import STDIN, read_regular
from gpu.words import did_you_mean

SAMPLE_PREFIX = "sample:"
STDOUT = "/dev/stdout"
FORMULA_MARKS = ("=", "+", "-", "@", "\t", "\r")  # that begin a formula in a spreadsheet
WEIGHTS = ("file", "unit", "random", "absolute")


def add_graph_options(parser: argparse.ArgumentParser, file: str = "file") -> None:
    """Add FILE and how to read it."""
    from gpu.formats import READERS

    parser.add_argument(file, metavar="FILE", help="file, - (stdin) or sample:KEY?n=..&seed=..")
    parser.add_argument(
        "--format",
        metavar="NAME",
        choices=list(READERS),
        help="read FILE as this, whatever its name and content say",
    )
    direction = parser.add_mutually_exclusive_group()
    direction.add_argument(
        "--undirected",
        action="store_true",
        default=None,
        help="every arc goes both ways [as the format says]",
    )
    direction.add_argument(
        "--directed",
        dest="undirected",
        action="store_false",
        default=None,
        help="no arc is doubled",
    )
    parser.add_argument(
        "--weights",
        metavar="HOW",
        choices=WEIGHTS,
        default="file",
        help="unit, random (seeded, 1..100), absolute [file]",
    )
    parser.add_argument(
        "--weight-name",
        metavar="NAME",
        help="the column or attribute that is the weight",
    )


def add_source_options(parser: argparse.ArgumentParser) -> None:
    """Add the two ways to name the source."""
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--source", metavar="ID", help="the file's own id of the vertex [the lowest]"
    )
    source.add_argument("--source-index", metavar="I", type=int, help="the 0-based index instead")


def open_graph(name: str, args: argparse.Namespace, progress: ProgressLine) -> CSRGraph:
    """Return the graph called `name`; every error names it.

    Raises GpuError and its children.
    """
    try:
        if name.startswith(SAMPLE_PREFIX):
            return _open_sample(name, args)
        from gpu.formats import load_graph

        return load_graph(
            file_of(name),
            undirected=args.undirected,
            weights=args.weights,
            weight_name=args.weight_name,
            format=args.format,
            progress=progress.show,
            pipe=True,
        )
    except GpuError as error:
        if file_of(name) in str(error):
            raise
        named = GpuError(f"{name}: {error}")
        named.path = name
        raise named from error
    except MemoryError as error:
        raise MemoryNeededError(f"{name}: does not fit into memory") from error


def open_trace(name: str) -> Trace:
    """Return the saved run called `name`. Raises TraceError and its kin, which know the file."""
    try:
        trace = load_trace(name)
    except GpuError as error:
        error.path = name
        raise
    if trace.notes_left_out:
        note(f"{name}: {trace.notes_left_out}")
    return trace


def find_lesson(name: str, folder: str | None = None) -> Path:
    """Return the file of a lesson by path, key, or the beginning of a key. ParameterError."""
    from gpu.lessons.read import MOST_BYTES, find_lessons

    if Path(name).suffix == ".toml":
        read_regular(name, MOST_BYTES)  # that it is there is no question of what is in it
        return Path(name)
    found = find_lessons(folder)
    begun = [path for path in found if path.stem == name] or [
        path for path in found if path.stem.startswith(name)
    ]
    if len(begun) != 1:
        keys = ", ".join(path.stem for path in found)
        why = "no lesson" if not begun else f"{len(begun)} lessons begin with"
        near = "" if begun else did_you_mean(name, [path.stem for path in found])
        raise ParameterError(f"{why} {name!r}{near}; there are: {keys}; or name a .toml file")
    return begun[0]


def file_of(name: str) -> str:
    """Return the file that an argument names: `-` is standard input."""
    return STDIN if name == "-" else name


def output_of(name: str) -> str:
    """Return the one name for standard output, else the name."""
    return "-" if name == STDOUT else name


def choose_source(graph: CSRGraph, args: argparse.Namespace) -> int:
    """Return the index of the source asked for, else the sample's own, else the lowest id's."""
    if args.source is not None:
        return graph.vertex_of(args.source)
    if args.source_index is not None:
        return graph.check_source(args.source_index)
    if graph.provenance.origin.startswith(SAMPLE_PREFIX):
        from sample_graphs import suggested_source

        return graph.check_source(suggested_source(graph))
    if graph.ids is not None and graph.ids.dtype.kind != "U" and graph.n:
        return int(graph.ids.argmin())
    return graph.check_source(0)


def note_formulas(graph: CSRGraph) -> None:
    """Say that a table was written whose ids a spreadsheet would compute, if it has any.

    They are written as they are: a quote before them would be another id to every other reader.
    """
    if graph.ids is None or graph.ids.dtype.kind != "U":
        return
    count = int(np.isin(graph.ids.astype("U1"), FORMULA_MARKS).sum())
    if count:
        note(
            f"{count:,} of the ids begin with =, +, - or @: a spreadsheet takes them for formulas; "
            "import the column as text"
        )


def add_examples(parser: argparse.ArgumentParser, *lines: str) -> None:
    """Show examples under the options of `--help`."""
    parser.epilog = "\n".join(["examples:", *(f"  {line}" for line in lines)])


def print_table(rows: list[tuple[str, str]]) -> None:
    """Print name and value, aligned."""
    width = max((len(name) for name, _ in rows), default=0)
    for name, value in rows:
        print(f"  {name:<{width}}  {value}".rstrip())


def _open_sample(name: str, args: argparse.Namespace) -> CSRGraph:
    chosen: dict[str, Any] = {"--undirected/--directed": args.undirected}
    chosen["--weights"] = None if args.weights == "file" else args.weights
    chosen["--weight-name"] = args.weight_name
    chosen["--format"] = args.format
    for flag, value in chosen.items():
        if value is not None:
            raise ParameterError(f"{flag} is for files; a sample is made as its name says")
    from sample_graphs import open_sample

    return open_sample(name)
