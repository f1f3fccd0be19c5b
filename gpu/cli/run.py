"""The commands about runs: run and verify."""

from __future__ import annotations

import argparse
import json
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np

from gpu.algorithms import ALGORITHMS, Parameter
from gpu.cli.elsewhere import add_on, runner
from gpu.cli.inputs import (
    add_examples,
    add_graph_options,
    add_source_options,
    choose_source,
    file_of,
    note_formulas,
    open_graph,
    open_trace,
    output_of,
    print_table,
)
from gpu.cli.outcome import CHECK, CHECK_FAILED
from gpu.cli.parser import Parser
from gpu.cli.terminal import ProgressLine, fault, is_quiet, note, progress_line, results_on_stderr
from gpu.errors import GpuError, ParameterError
from gpu.graph import CSRGraph
from gpu.numbers import AUTO, CHOICES, numbers_words
from gpu.proof.distances import Distances, read_distances
from gpu.record.export import (
    summary,
    write_csv,
    write_distances,
    write_perfetto,
)
from gpu.record.trace import Probe, RunSettings, Trace, Verification
from gpu.record.tracefile import save_trace
from gpu.regular import STDIN
from gpu.wholefile import check_writable
from gpu.words import NOT_KNOWN

COMPILING = "running; the first run of an algorithm compiles it"
_OUTPUTS = ("trace", "distances", "csv", "perfetto")


def add_run(parser: Parser) -> None:
    """Fill the parser of `run`; the algorithms' own options come from the registry."""
    add_graph_options(parser)
    add_source_options(parser)
    what = add_what_runs(parser)
    levels = [int(p) for p in Probe]
    words = "off, samples, vertices, events [1]"
    what.add_argument("--probe", type=int, choices=levels, default=1, help=words)
    what.add_argument(
        "--period-ns",
        metavar="NS",
        type=option_period,
        default=0,
        help="between samples [the device's own]",
    )
    out = parser.add_argument_group("what comes out")
    out.add_argument("--json", action="store_true", help="one JSON object on stdout")
    out.add_argument("--verify", action="store_true", help="check the distances by both proofs")
    out.add_argument("--trace", metavar="RUN.npz", help="save the whole trace")
    out.add_argument("--distances", metavar="D.csv", help="save id,distance (unreached: empty)")
    out.add_argument("--csv", metavar="S.csv", help="save the samples")
    out.add_argument("--perfetto", metavar="P.json", help="save a trace for Perfetto")
    parser.set_defaults(handle=_run, usage_error=parser.error)
    add_examples(
        parser,
        "sssp-scope run roads.gr.gz --algorithm near_far --delta 5000 --source 1 --json",
        "zcat roads.gr.gz | sssp-scope run - --distances - | sort -t, -k2n",
    )


def add_what_runs(parser: Parser) -> argparse._ArgumentGroup:
    """Add algorithm, engine, device, delta, seed and every parameter of any algorithm."""
    first = next(iter(ALGORITHMS))
    what = parser.add_argument_group("what runs")
    what.add_argument(
        "--algorithm",
        metavar="KEY",
        choices=list(ALGORITHMS),
        help=f"{', '.join(ALGORITHMS)} [{first}]",
    )
    add_engine(what)
    what.add_argument(
        "--delta", metavar="W", type=option_positive, help="bucket width, weight units [automatic]"
    )
    group = _add_parameters(parser)
    add_seed(group)
    add_on(group)
    add_numbers(what)
    return what


def add_engine(group: argparse._ArgumentGroup) -> None:
    """Add what runs it: an engine, and a device of that engine."""
    engines = sorted({engine for row in ALGORITHMS.values() for engine in row.engines})
    group.add_argument(
        "--engine",
        metavar="NAME",
        choices=engines,
        default="model",
        help=f"{', '.join(engines)} [model]",
    )
    group.add_argument("--device", metavar="NAME", help="a device of the engine [its default]")


def add_seed(group: argparse._ArgumentGroup) -> None:
    """Add the seed of everything that the modelled GPU leaves to chance."""
    group.add_argument(
        "--seed", metavar="N", type=int, default=1, help="of the modelled GPU's arbitration [1]"
    )


def add_numbers(group: argparse._ArgumentGroup) -> None:
    """Add what distances are computed in."""
    group.add_argument(
        "--numbers",
        metavar="TYPE",
        choices=CHOICES,
        default=AUTO,
        help=f"of distances: {', '.join(CHOICES)}".replace(AUTO, f"[{AUTO}]"),
    )


def chosen_algorithm(args: argparse.Namespace) -> str:
    """Return the algorithm asked for, else the first that the engine has; say so if unusual."""
    if args.algorithm is not None:
        return str(args.algorithm)
    first = next(iter(ALGORITHMS))
    able = [key for key, row in ALGORITHMS.items() if row.problem(args.engine) is None]
    if not able or first in able:
        return first
    note(
        f"{first} does not run on the engine {args.engine}; --algorithm {able[0]} "
        f"is taken (there are: {', '.join(able)})"
    )
    return able[0]


def parameters_of(args: argparse.Namespace) -> dict[str, Any]:
    """Return what `--set` and the parameters' own options ask for."""
    given = dict(args.set)
    for key, value in vars(args).items():
        if key.startswith("set_") and value is not None:
            given[key.removeprefix("set_")] = value
    return given


def add_verify(parser: Parser) -> None:
    """Fill the parser of `verify`."""
    add_graph_options(parser)
    add_source_options(parser)
    parser.add_argument("table", metavar="D.csv", nargs="?", help="columns id,distance; or -")
    parser.add_argument("--trace", metavar="RUN.npz", help="check the distances of a saved run")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.set_defaults(handle=_verify, usage_error=parser.error)
    add_examples(
        parser,
        "sssp-scope verify roads.gr.gz distances.csv --source 1",
        "sssp-scope verify roads.gr.gz --trace run.npz",
    )


def _run(args: argparse.Namespace) -> int:
    taken = _check_outputs(args)
    with progress_line() as progress:
        graph = open_graph(args.file, args, progress)
        trace = _traced(graph, args, progress)
    try:
        _write_outputs(graph, trace, args)
    finally:  # a full disk must not cost the result as well
        with results_on_stderr() if taken else nullcontext():
            _print_result(trace, args, taken)
    return _check(trace.verification)


def _check_outputs(args: argparse.Namespace) -> bool:
    """Refuse outputs that cannot be written; return whether one of them is standard output."""
    taken = ["--json"] if args.json else []
    for key in _OUTPUTS:
        name = getattr(args, key)
        if name is None:
            continue
        setattr(args, key, output_of(name))
        if output_of(name) == "-":
            taken.append(f"--{key} -")
        check_writable(output_of(name))
    if len(taken) > 1:
        args.usage_error(f"{' and '.join(taken)}: only one of them can have standard output")
    return bool(taken) and not args.json


def _print_result(trace: Trace, args: argparse.Namespace, taken: bool) -> None:
    if args.json:
        print(json.dumps(summary(trace)))
    elif not (taken and is_quiet()):
        _print_run(trace)


def _traced(graph: CSRGraph, args: argparse.Namespace, progress: ProgressLine) -> Trace:
    from gpu.engine import CallingObserver
    from gpu.host.warm_up import say_if_slow

    algorithm, source = chosen_algorithm(args), choose_source(graph, args)
    with (
        runner(args, progress) as run,
        say_if_slow(lambda: progress.show(-1, COMPILING)) as running,
    ):

        def on_samples(samples: np.ndarray) -> None:
            running()
            progress.show(-1, f"running: {int(samples[-1]['processed_vertices']):,} processed")

        settings = RunSettings(
            algorithm,
            args.engine,
            args.device or "",
            source,
            args.delta,
            args.probe,
            args.seed,
            args.period_ns,
            parameters_of(args),
            args.numbers,
        )
        trace = run(graph, settings, CallingObserver(on_samples))
    if not args.verify:
        return trace
    from gpu.proof.verify import verify

    progress.show(-1, "verifying")
    return replace(trace, verification=verify(graph, trace.settings.source, trace.dist))


def _write_outputs(graph: CSRGraph, trace: Trace, args: argparse.Namespace) -> None:
    if args.trace is not None:
        save_trace(trace, args.trace)
    if args.distances is not None:
        write_distances(graph, trace.dist, args.distances)
        note_formulas(graph)
    if args.csv is not None:
        write_csv(trace, args.csv)
    if args.perfetto is not None:
        write_perfetto(trace, args.perfetto)


def _print_run(trace: Trace) -> None:
    told = summary(trace)
    row, graph, found = ALGORITHMS[told["algorithm"]], told["graph"], told["distances"]
    print(f"{row.title} on {graph['name']}, from vertex {told['source']['id']}")
    rows = [
        ("graph", f"{graph['n']:,} vertices, {graph['m']:,} arcs"),
        ("engine", f"{told['engine']}: {told['device']}, probe level {told['probe']}"),
        ("numbers", numbers_words(trace.settings.numbers, trace.dist.dtype)),
        ("time", f"{told['time_ns'] / 1e6:.6g} ms ({told['clock']})"),
        *_work_rows(trace, told),
        ("distances", f"{found['reached']:,} reached, sum {found['sum']}, max {found['max']}"),
    ]
    if "queues" in trace.environment:
        rows.insert(3, ("queues", trace.environment["queues"]))
    if told["delta"] is not None:
        change = f"{told['delta']:g}, at the end {told['delta_final']:g}"
        rows.insert(3, ("Δ", f"{change}, changed {told['delta_changes']} times"))
    if trace.verification is not None:
        rows.append(("verified", _verdict(trace.verification)))
    print_table(rows)


def _work_rows(trace: Trace, told: dict[str, Any]) -> list[tuple[str, str]]:
    if not trace.counted:
        return [("work", f"{NOT_KNOWN}: the library shows nothing of its schedule")]
    return [
        ("processed", f"{told['processed_vertices']:,} vertices"),
        ("efficiency", f"{told['work_efficiency']:.3f} (settled / processed)"),
        ("relaxed", f"{told['relaxed_edges']:,} edges, {told['improved']:,} improved"),
    ]


def _verify(args: argparse.Namespace) -> int:
    if (args.table is None) == (args.trace is None):
        args.usage_error("name one thing to check: D.csv, or --trace RUN.npz")
    if args.table is not None and file_of(args.table) == file_of(args.file) == STDIN:
        args.usage_error("the graph and the distances cannot both be standard input")
    trace = None if args.trace is None else open_trace(args.trace)
    with progress_line() as progress:
        graph = open_graph(args.file, args, progress)
        if trace is None:
            source = choose_source(graph, args)
            found = read_distances(file_of(args.table), graph, source)
        else:
            source, dist = _of_trace(trace, graph, args)
            found = Distances(dist)
        unreached = found.unreached
        from gpu.proof.verify import verify

        progress.show(-1, "verifying")
        proofs = (verify(graph, source, dist, stored=by) for dist, by in found.readings())
        first = next(proofs)
        outcome = first if first.passed else next((p for p in proofs if p.passed), first)
    if args.json:
        told: dict[str, Any] = {"verified": outcome.passed, "oracle": outcome.oracle}
        told |= {"certificate": outcome.certificate, "detail": outcome.detail}
        told |= {"unreached": unreached}
        print(json.dumps(told | {"source": {"id": graph.id_of(source), "index": source}}))
    else:
        print(f"{args.table or args.trace}: {_verdict(outcome)}")
        if unreached:
            print(f"  {unreached}")
    return _check(outcome)


def _of_trace(trace: Trace, graph: CSRGraph, args: argparse.Namespace) -> tuple[int, np.ndarray]:
    """Return source and distances of a trace that was made on this very graph."""
    if trace.graph.hash != graph.hash:
        made = f"{trace.graph.name} ({trace.graph.n:,} vertices, {trace.graph.m:,} arcs)"
        raise GpuError(
            f"{args.trace} was made on {made}, and {args.file} is another graph, or the same "
            "read otherwise (--undirected, --weights)"
        )
    if args.source is not None or args.source_index is not None:
        given = choose_source(graph, args)
        if given != trace.settings.source:
            raise GpuError(f"{args.trace} started from vertex {trace.graph.source_id}")
    return trace.settings.source, trace.dist


def _check(outcome: Verification | None) -> int:
    """Return 0, or 3 with a line on stderr where a proof failed."""
    if outcome is None or outcome.passed:
        return 0
    return fault(CHECK, f"verification failed: {outcome.detail}", CHECK_FAILED)


def _verdict(outcome: Verification) -> str:
    return f"{'yes' if outcome.passed else 'NO'}: {outcome.detail}"


def _add_parameters(parser: Parser) -> argparse._ArgumentGroup:
    """Return a group of `--set` and one option for each parameter of any algorithm."""
    group = parser.add_rare_group("parameters of the algorithms")
    group.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        type=option_pair,
        help="any parameter, as in --set buckets=8",
    )
    known: dict[str, tuple[Parameter, list[str]]] = {}
    for row in ALGORITHMS.values():
        for parameter in row.parameters:
            known.setdefault(parameter.key, (parameter, []))[1].append(row.key)
    for parameter, algorithms in known.values():
        flag = f"--{parameter.key.replace('_', '-')}"
        words = f"{', '.join(algorithms)}: {parameter.help}".replace("%", "%%")
        if parameter.kind == "bool" and parameter.default is False:
            kept: dict[str, Any] = {"action": "store_true"}
        elif parameter.kind == "bool":
            kept = {"action": argparse.BooleanOptionalAction}
        else:
            kept = {"type": _kind(parameter), "metavar": parameter.kind.upper()}
        default = "" if parameter.default is None else f" [{parameter.default}]"
        kept |= {"dest": f"set_{parameter.key}", "default": None, "help": words + default}
        group.add_argument(flag, **kept)
    return group


def option_pair(text: str) -> tuple[str, Any]:
    """Read KEY=VALUE; values are numbers, true, false or auto."""
    key, equals, value = text.partition("=")
    if not (key and equals):
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE, as in buckets=8")
    words = {"true": True, "false": False, "auto": None}
    return key.replace("-", "_"), words.get(value.lower(), value)


def _kind(parameter: Parameter) -> Any:
    def read(text: str) -> Any:
        try:
            return parameter.checked(text)
        except ParameterError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return read


def option_period(text: str) -> int:
    """Read a time between samples, ns: a whole number >= 0, where 0 is the device's own."""
    try:
        period = int(text)
    except ValueError:
        period = -1
    if period < 0:
        raise argparse.ArgumentTypeError(f"{text!r}; allowed: a whole number >= 0 (0: automatic)")
    return period


def option_positive(text: str) -> float:
    """Read a finite number above 0; argparse's own error says what was given."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r}; allowed: a finite number above 0")
    return number
