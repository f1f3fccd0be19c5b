"""What several commands take: FILE and how to read it, a source, what runs, where results go.

FILE may be a pipe (`<(zcat ...)`, /dev/stdin) or `-`, standard input; an output may be `-`,
standard output, where it takes the place of the report for people.
"""

from __future__ import annotations

import argparse
from typing import Any

from gpu.algorithms import ALGORITHMS
from gpu.cli.terminal import ProgressLine, note
from gpu.errors import GpuError, MemoryNeededError, ParameterError
from gpu.files import STDIN
from gpu.graph import CSRGraph
from gpu.numbers import AUTO, CHOICES
from gpu.record.trace import RunSettings, Trace
from gpu.record.tracefile import load_trace

SAMPLE_PREFIX = "sample:"
STDOUT = "/dev/stdout"
WEIGHTS = ("file", "unit", "random", "absolute")
ENGINES = sorted({engine for row in ALGORITHMS.values() for engine in row.engines})
KEYS = dict.fromkeys(knob.key for row in ALGORITHMS.values() for knob in row.parameters)
FIRST = next(iter(ALGORITHMS))
Group = argparse._ActionsContainer


def option_pair(text: str) -> tuple[str, Any]:
    """Read KEY=VALUE; values are numbers, true, false or auto."""
    key, equals, value = text.partition("=")
    if not (key and equals):
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE, as in buckets=8")
    words = {"true": True, "false": False, "auto": None}
    return key.replace("-", "_"), words.get(value.lower(), value)


def option_whole(least: int, most: int = 10**18) -> Any:
    """Return a reader of whole numbers in a range."""

    def read(text: str) -> int:
        number = int(text) if text.lstrip("+-").isdecimal() else least - 1
        if not least <= number <= most:
            top = "" if most == 10**18 else f" to {most}"
            raise argparse.ArgumentTypeError(f"{text!r}; allowed: whole numbers from {least}{top}")
        return number

    return read


def option_positive(text: str) -> float:
    """Read a finite number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r}; allowed: a finite number above 0")
    return number


# options of several commands: what `add_argument` takes
OPTIONS: dict[str, dict[str, Any]] = {
    "weights": {
        "metavar": "HOW",
        "choices": WEIGHTS,
        "default": "file",
        "help": "unit, random (seeded, 1..100), absolute [file]",
    },
    "weight-name": {"metavar": "NAME", "help": "the column or attribute that is the weight"},
    "no-header": {
        "dest": "header",
        "action": "store_false",
        "help": "the first row of a table is an edge, never a heading",
    },
    "engine": {
        "metavar": "NAME",
        "choices": ENGINES,
        "default": "model",
        "help": f"{', '.join(ENGINES)} [model]",
    },
    "device": {"metavar": "NAME", "help": "a device of the engine [its default]"},
    "numbers": {
        "metavar": "TYPE",
        "choices": CHOICES,
        "default": AUTO,
        "help": f"of distances: {', '.join(CHOICES)}".replace(AUTO, f"[{AUTO}]"),
    },
    "algorithm": {
        "metavar": "KEY",
        "choices": list(ALGORITHMS),
        "help": f"{', '.join(ALGORITHMS)} [{FIRST}]",
    },
    "delta": {
        "metavar": "W",
        "type": option_positive,
        "help": "bucket width, weight units [automatic]",
    },
    "seed": {
        "metavar": "N",
        "type": int,
        "default": 1,
        "help": "of the modelled GPU's arbitration [1]",
    },
    "set": {
        "metavar": "KEY=VALUE",
        "action": "append",
        "default": [],
        "type": option_pair,
        "help": f"a parameter of the algorithm, as in buckets=8: {', '.join(KEYS)}",
    },
    "cluster": {
        "metavar": "ADDRESS",
        "help": "share the work with Dask: local:N, tcp://HOST:PORT, a file",
    },
    "folder": {"help": "a folder with your own lessons [environment: SSSP_SCOPE_LESSONS]"},
    "anywhere": {
        "action": "store_true",
        "help": "open the graph that a run names also outside the run's folder",
    },
    "json": {"action": "store_true", "help": "one JSON object on stdout"},
}


def add_options(group: Group, *names: str, side: str = "", **changed: Any) -> None:
    """Add options of the table; `side`: each for one of two sides, as in --a-delta."""
    for name in names:
        group.add_argument(f"--{side}{name}", **OPTIONS[name] | changed)


def add_graph_options(parser: argparse.ArgumentParser) -> None:
    """Add FILE and how to read it."""
    from gpu.formats import READERS

    parser.add_argument("file", metavar="FILE", help="file, - (stdin) or sample:KEY?n=..&seed=..")
    words = "read FILE as this, whatever its name and content say"
    parser.add_argument("--format", metavar="NAME", choices=list(READERS), help=words)
    ways = parser.add_mutually_exclusive_group()
    words = "every edge goes both ways [as the format says]"
    ways.add_argument("--undirected", action="store_true", default=None, help=words)
    kept: dict[str, Any] = {"dest": "undirected", "action": "store_false", "default": None}
    ways.add_argument("--directed", **kept, help="no edge is doubled")
    add_options(parser, "weights", "weight-name", "no-header")


def add_source_options(parser: argparse.ArgumentParser) -> None:
    """Add the two ways to name the source."""
    source = parser.add_mutually_exclusive_group()
    words = "the file's own id of the vertex [the lowest]"
    source.add_argument("--source", metavar="ID", help=words)
    words = "the 0-based index instead"
    source.add_argument("--source-index", metavar="I", type=int, help=words)


def add_what_runs(parser: argparse.ArgumentParser) -> Group:
    """Add algorithm, engine, delta, seed and parameters."""
    what = parser.add_argument_group("what runs")
    add_options(what, "algorithm", "engine", "device", "numbers", "delta", "seed", "set")
    return what


def add_examples(parser: argparse.ArgumentParser, *lines: str) -> None:
    """Show examples under the options of `--help`."""
    parser.epilog = "\n".join(["examples:", *(f"  {line}" for line in lines)])


def run_settings(graph: CSRGraph, args: argparse.Namespace) -> RunSettings:
    """Return the settings that `add_what_runs` and the source options ask for.

    An unknown or wrong parameter is wrong usage, as with every other option.
    """
    algorithm = _chosen_algorithm(args)
    parameters = dict(args.set)
    check_parameters(args, algorithm, parameters)
    return RunSettings(
        algorithm,
        args.engine,
        args.device or "",
        choose_source(graph, args),
        args.delta,
        getattr(args, "probe", 1),
        args.seed,
        getattr(args, "period_ns", 0),
        parameters,
        args.numbers,
    )


def check_parameters(args: argparse.Namespace, algorithm: str, values: dict[str, Any]) -> None:
    """Leave with wrong usage where an algorithm has no such parameter or value."""
    try:
        ALGORITHMS[algorithm].checked_parameters(values)
    except ParameterError as error:
        args.usage_error(str(error))


def _chosen_algorithm(args: argparse.Namespace) -> str:
    """Return the algorithm of the options, else the first that the engine has, and say which."""
    if args.algorithm is not None:
        return str(args.algorithm)
    able = [key for key, row in ALGORITHMS.items() if row.problem(args.engine) is None]
    if not able or FIRST in able:
        return FIRST
    note(
        f"{FIRST} does not run on the engine {args.engine}; --algorithm {able[0]} "
        f"is taken (there are: {', '.join(able)})"
    )
    return able[0]


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
            header=args.header,
            format=args.format,
            progress=progress.show,
            pipe=True,
        )
    except GpuError as error:
        if file_of(name) not in str(error):
            error.path, error.args = name, (f"{name}: {error}",)
        raise
    except MemoryError as error:
        raise MemoryNeededError(f"{name}: does not fit into memory") from error


def _open_sample(name: str, args: argparse.Namespace) -> CSRGraph:
    from sample_graphs import open_sample

    usual = {"undirected": None, "weights": "file", "weight_name": None, "format": None}
    for key, value in (usual | {"header": True}).items():
        if getattr(args, key) != value:
            flag = {"undirected": "undirected/--directed", "header": "no-header"}.get(key, key)
            words = f"--{flag.replace('_', '-')} is for files; a sample is made as its name says"
            raise ParameterError(words)
    return open_sample(name)


def open_trace(name: str) -> Trace:
    """Return the saved run called `name`. Raises TraceError and its kin, with the file."""
    try:
        trace = load_trace(name)
    except GpuError as error:
        error.path = name
        raise
    if trace.notes_left_out:
        note(f"{name}: {trace.notes_left_out}")
    return trace


def file_of(name: str) -> str:
    """Return the file that an argument names: `-` is standard input."""
    return STDIN if name == "-" else name


def output_of(name: str) -> str:
    """Return the one name for standard output, else the name."""
    return "-" if name == STDOUT else name


def has_source(args: argparse.Namespace) -> bool:
    """Whether a source is named."""
    return args.source is not None or args.source_index is not None


def choose_source(graph: CSRGraph, args: argparse.Namespace) -> int:
    """Return the index of the source named, else the sample's own, else the lowest id's."""
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
