"""What several commands share: opening FILE, choosing the source, showing progress."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gpu.errors import GpuError, ParameterError
from gpu.graph import CSRGraph

SAMPLE_PREFIX = "sample:"
WEIGHTS = ("file", "unit", "random", "absolute")
PROGRESS_S = 0.1  # between two updates of the progress line


class ProgressLine:
    """One line on stderr that is overwritten; nothing where stderr is no terminal."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._due = 0.0
        self._length = 0

    def show(self, fraction: float, words: str) -> None:
        """Show words, and a percentage where `fraction` is 0..1 (negative: unknown)."""
        now = time.monotonic()
        if not self._shown or now < self._due:
            return
        self._due = now + PROGRESS_S
        line = f"{words} {fraction:.0%}" if fraction >= 0 else words
        print(f"\r{line:<{self._length}}", end="", file=sys.stderr, flush=True)
        self._length = len(line)

    def clear(self) -> None:
        """Leave an empty line behind."""
        if self._length:
            print(f"\r{'':<{self._length}}\r", end="", file=sys.stderr, flush=True)
        self._due, self._length = 0.0, 0


@contextmanager
def progress_line() -> Iterator[ProgressLine]:
    """Give a ProgressLine that is cleared at the end, also after an error."""
    line = ProgressLine()
    try:
        yield line
    finally:
        line.clear()


def add_graph_options(parser: argparse.ArgumentParser, file: str = "file") -> None:
    """Add FILE and how to read it."""
    parser.add_argument(file, metavar="FILE", help="a graph on disk, or sample:KEY?n=..&seed=..")
    direction = parser.add_mutually_exclusive_group()
    direction.add_argument(
        "--undirected",
        action="store_true",
        default=None,
        help="every arc goes both ways [as the format says; edge lists: as written]",
    )
    direction.add_argument(
        "--directed",
        dest="undirected",
        action="store_false",
        default=None,
        help="no arc is doubled, whatever the format says",
    )
    parser.add_argument(
        "--weights",
        choices=WEIGHTS,
        default="file",
        help="as in the file, all 1, seeded 1..100, or without their sign [file]",
    )
    parser.add_argument(
        "--weight-name",
        metavar="NAME",
        help="the column or attribute that is the weight: length in TNTP, km in a table [usual]",
    )


def add_source_options(parser: argparse.ArgumentParser) -> None:
    """Add the two ways to name the source."""
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--source", metavar="ID", help="the file's own vertex id [the lowest; a sample's own]"
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
            name,
            undirected=args.undirected,
            weights=args.weights,
            weight_name=args.weight_name,
            progress=progress.show,
        )
    except GpuError as error:
        if name in str(error):
            raise
        raise GpuError(f"{name}: {error}") from error
    except MemoryError as error:
        raise GpuError(f"{name}: does not fit into memory") from error


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
    for flag, value in chosen.items():
        if value is not None:
            raise ParameterError(f"{flag} is for files; a sample is made as its name says")
    from sample_graphs import open_sample

    return open_sample(name)
