"""What commands take: every option stands once in OPTIONS, and functions that read the arguments.

    fill(parser, _info, "FILE", f"{GRAPH} {SOURCE} json", "info roads.gr.gz", ...)

FILE may be a pipe (`<(zcat ...)`, /dev/stdin) or `-`, standard input; an output may be `-`,
standard output, where it takes the place of the report for people.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from gpu.algorithms import ALGORITHMS, OURS, outside
from gpu.cli.terminal import NAME, ProgressLine, note
from gpu.errors import GpuError, MemoryNeededError, ParameterError
from gpu.files import STDIN
from gpu.formats import READERS
from gpu.graph import CSRGraph
from gpu.numbers import AUTO, CHOICES
from gpu.policy import load_policy
from gpu.record.trace import Probe, RunSettings, Trace
from gpu.record.tracefile import load_trace
from gpu.record.workspace import reader_options

SAMPLE_PREFIX = "sample:"
STDOUT = "/dev/stdout"
READ_AS = ("undirected", "weights", "weight_name", "header", "format")  # options of a graph file
ENGINES = sorted({engine for row in OURS.values() for engine in row.engines})
KNOBS = dict.fromkeys(knob.key for row in OURS.values() for knob in row.parameters)
FIRST, SECOND = list(OURS)[:2]
ALL = "all"
PROBES = [int(probe) for probe in Probe]


def option_pair(text: str) -> tuple[str, Any]:
    """Read KEY=VALUE; values are numbers, true, false or auto."""
    key, equals, value = text.partition("=")
    if not (key and equals):
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE, as in buckets=8")
    words = {"true": True, "false": False, "auto": None}
    return key.replace("-", "_"), words.get(value.lower(), value)


def option_whole(text: str) -> int:
    """Read a whole number from 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r}; allowed: whole numbers from 0")
    return int(text)


def option_positive(text: str) -> float:
    """Read a finite number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r}; allowed: a finite number above 0")
    return number


def numbers(text: str) -> tuple[float, ...]:
    """Read numbers with commas between."""
    return tuple(map(float, text.split(",")))


def _flag(words: str, **more: Any) -> dict[str, Any]:
    return {"help": words, "action": "store_true", **more}


def _value(metavar: str, words: str, **more: Any) -> dict[str, Any]:
    return {"metavar": metavar, "help": words, **more}


def _choice(metavar: str, choices: list[str], **more: Any) -> dict[str, Any]:
    words = [f"[{choice}]" if choice == more.get("default") else choice for choice in choices]
    return _value(metavar, ", ".join(words), choices=choices, **more)


_PAIRS: dict[str, Any] = {"action": "append", "default": [], "type": option_pair}
_WHOLE: dict[str, Any] = {"type": int, "default": 1}
# what `add_argument` takes; an argument without -- is written in capitals
OPTIONS: dict[str, dict[str, Any]] = {
    "FILE": _value("FILE", "file, - (stdin) or sample:KEY?n=..&seed=.."),
    "format": _value("NAME", "read FILE as this format", choices=list(READERS)),
    "undirected": _flag("every edge goes both ways [as the format says]", default=None),
    "directed": _flag("every edge one way", dest="undirected", action="store_false", default=None),
    "weights": _choice("HOW", ["file", "unit", "random", "absolute"], default="file"),
    "weight-name": _value("NAME", "the column or attribute that is the weight"),
    "no-header": _flag("the first row of a table is an edge", dest="header", action="store_false"),
    "source": _value("ID", "the file's own id of the vertex [the lowest]"),
    "source-index": _value("I", "the 0-based index instead", type=int),
    "algorithm": {"metavar": "KEY", "choices": ALGORITHMS, "default": FIRST},  # listed by `fill`
    "engine": _choice("NAME", ENGINES, default="model"),
    "device": _value("NAME", "a device of the engine [its default]"),
    "numbers": _choice("TYPE", list(CHOICES), default=AUTO),
    "delta": _value("W", "bucket width, weight units [automatic]", type=option_positive),
    "policy": _value("FILE", "a policy in place of the controller, a .py"),
    "seed": _value("N", "of the modelled GPU's arbitration [1]", **_WHOLE),
    "set": _value("KEY=VALUE", f"as in buckets=8: {', '.join(KNOBS)}", **_PAIRS),
    "probe": _value("0..3", "off, samples, vertices, events [1]", choices=PROBES, **_WHOLE),
    "period-ns": _value("NS", "between samples [the device's own]", type=option_whole, default=0),
    "json": _flag("one JSON object on stdout"),
    "verify": _flag("check the distances by both proofs"),
    "trace": _value("RUN.npz", "the whole run, as a file"),
    "distances": _value("D.csv", "save id,distance (unreached: empty)"),
    "csv": _value("S.csv", "save the samples"),
    "TABLE": _value("D.csv", "columns id,distance; or -", nargs="?"),
    "OUT": _value("OUT", "the file to write; its suffix says the format"),
    "to": _choice("NAME", [key for key, row in READERS.items() if row.write is not None]),
    "algorithms": _value("KEY,KEY,...", f"or {ALL}: which is fastest, in place of --a and --b"),
    "knob": _value("KEY", "delta, c, or a parameter's key [delta]", default="delta"),
    "values": _value("V,V,...", "values [doublings around the automatic one]", type=numbers),
    "count": _value("N", "how many values, without --values [12]", type=int, default=12),
    "page": _value("PAGE", "record each run too, as one web page with a slider"),
    "cluster": _value("ADDRESS", "share the work with Dask: local:N, tcp://HOST:PORT, a file"),
    "sources": _value("WHICH", "A:B, 0-based, B not included; K, the first K [all]", default=":"),
    "reduce": _flag("a row a source: reached, eccentricity, closeness"),
    "matrix": _value("MATRIX.npy", "where the rows go; with --reduce a table, .csv", required=True),
    "WHAT": _value("WHAT", "saved runs (RUN.npz), or one LESSON: key or .toml", nargs="+"),
    "output": _value("PAGE", "[the first input's name with .html]"),
    "LESSON": _value("LESSON", "a .toml file, or a lesson's key"),
    "anywhere": _flag("open the run's graph even if it is outside the run's folder"),
    "a": _value("WHAT", f"an algorithm, or a saved RUN.npz [{FIRST}]", default=FIRST),
    "b": _value("WHAT", f"an algorithm, or a saved RUN.npz [{SECOND}]", default=SECOND),
}
for _side in "ab":
    for _name in ("delta", "policy", "set", "device", "engine"):
        OPTIONS[f"{_side}-{_name}"] = OPTIONS[_name] | {"help": f"--{_name} of --{_side}"}
    OPTIONS[f"{_side}-engine"]["default"] = None
FLAGS = {"matrix": ["-o", "--output"], "output": ["-o", "--output"]}  # others: --name
EXCLUSIVE = {"undirected": 1, "directed": 1, "source": 2, "source-index": 2}

GRAPH = "FILE format undirected directed weights weight-name no-header"
SOURCE = "source source-index"
RUNS = "algorithm engine device numbers delta policy seed set"


def fill(
    parser: argparse.ArgumentParser,
    handle: Callable[[argparse.Namespace], int],
    usage: str,
    names: str,
    *examples: str,
    **defaults: Any,
) -> None:
    """Give a command its options, by their names in OPTIONS, and what it does.

    defaults : in place of those of OPTIONS, of options with choices
    """
    groups: dict[int, Any] = {}
    for name in names.split():
        target: Any = parser
        if name in EXCLUSIVE:
            number = EXCLUSIVE[name]
            target = groups.get(number) or parser.add_mutually_exclusive_group()
            groups[number] = target
        flags = [name.lower()] if name.isupper() else FLAGS.get(name, [f"--{name}"])
        row = OPTIONS[name]
        if name in defaults or name == "algorithm":
            default = defaults.get(name, row["default"])
            row = _choice(row["metavar"], list(row["choices"]), default=default)
            for words in outside()[1] if name == "algorithm" else ():
                note(words)
        target.add_argument(*flags, **row)
    parser.usage = f"%(prog)s {usage} [options]"
    parser.set_defaults(handle=handle, usage_error=parser.error)
    parser.epilog = "\n".join(["examples:", *(f"  {NAME} {line}" for line in examples)])


def run_settings(graph: CSRGraph, args: argparse.Namespace, side: str = "") -> RunSettings:
    """Return the settings that the options ask for; an unknown parameter is wrong usage.

    side : "a_" or "b_", whose own options come before those of both
    """

    def chosen(name: str) -> Any:
        own = getattr(args, side + name, None)
        return getattr(args, name, None) if own is None else own

    algorithm = getattr(args, side.rstrip("_") or "algorithm")
    parameters = dict(getattr(args, f"{side}set"))
    if algorithm in ALGORITHMS:
        try:
            ALGORITHMS[algorithm].checked_parameters(parameters)
        except ParameterError as error:
            args.usage_error(str(error))
    return RunSettings(
        algorithm,
        chosen("engine"),
        chosen("device") or "",
        choose_source(graph, args),
        chosen("delta"),
        getattr(args, "probe", 1),
        getattr(args, "seed", 1),
        getattr(args, "period_ns", 0),
        parameters,
        args.numbers,
        load_policy(chosen("policy")) if chosen("policy") else None,
    )


def open_graph(name: str, args: argparse.Namespace, progress: ProgressLine) -> CSRGraph:
    """Return the graph called `name`; every error names it.

    Raises GpuError and its children.
    """
    options = {key: getattr(args, key) for key in READ_AS}
    try:
        if name.startswith(SAMPLE_PREFIX):
            return _open_sample(name, options)
        from gpu.formats import load_graph

        return load_graph(file_of(name), **options, progress=progress.show, pipe=True)
    except GpuError as error:
        if file_of(name) not in str(error):
            error.path, error.args = name, (f"{name}: {error}",)
        raise
    except MemoryError as error:
        raise MemoryNeededError(f"{name}: does not fit into memory") from error


def _open_sample(name: str, options: dict[str, Any]) -> CSRGraph:
    from sample_graphs import open_sample

    if unusual := reader_options(options):
        words = ", ".join(unusual).replace("_", " ")
        raise ParameterError(f"{words}: options of files; a sample is made as its name says")
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
    if getattr(args, "source", None) is not None:
        return graph.vertex_of(args.source)
    if getattr(args, "source_index", None) is not None:
        return graph.check_source(args.source_index)
    if graph.provenance.origin.startswith(SAMPLE_PREFIX):
        from sample_graphs import suggested_source

        return graph.check_source(suggested_source(graph))
    if graph.ids is not None and graph.ids.dtype.kind != "U" and graph.n:
        return int(graph.ids.argmin())
    return graph.check_source(0)
