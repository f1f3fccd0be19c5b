"""The command `page`: runs, a sweep or a lesson as one web page that needs nothing else.

    page run.npz                  one run
    page a.npz b.npz              two runs of one graph on one clock
    page d16.npz d64.npz ...      three and more that differ in one knob: a sweep
    page LESSON                   a lesson with its questions, by key or as a .toml file

The graph of a saved run is opened only in the run's own folder; with --anywhere where the run says.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from gpu.cli.inputs import add_examples, find_lesson, open_trace, output_of
from gpu.cli.parser import Parser
from gpu.cli.terminal import is_quiet, note, progress_line
from gpu.errors import ParameterError
from gpu.graph import CSRGraph
from gpu.record.trace import Trace
from gpu.wholefile import check_writable, written_whole
from gpu.words import size_words

TRACE_SUFFIX = ".npz"


def add_page(parser: Parser) -> None:
    """Fill the parser of `page`."""
    parser.add_argument(
        "what", metavar="WHAT", nargs="+", help="saved runs (RUN.npz), or one LESSON: key or .toml"
    )
    parser.add_argument(
        "-o", "--output", metavar="PAGE", help="[the first input's name with .html]"
    )
    parser.add_argument(
        "--anywhere",
        action="store_true",
        help="open the graph that a run names also outside the run's folder",
    )
    parser.add_argument(
        "--folder", help="a folder of lessons of one's own [environment: SSSP_SCOPE_LESSONS]"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.set_defaults(handle=_page, usage_error=parser.error)
    add_examples(
        parser,
        "sssp-scope page run.npz",
        "sssp-scope page adds.npz near_far.npz -o two.html",
        "sssp-scope page delta_16.npz delta_64.npz delta_256.npz -o sweep.html",
        "sssp-scope page 3_the_u_curve -o u-curve.html",
    )


def _page(args: argparse.Namespace) -> int:
    runs = [name for name in args.what if Path(name).suffix == TRACE_SUFFIX]
    if runs and len(runs) != len(args.what):
        other = next(name for name in args.what if name not in runs)
        args.usage_error(f"{other}: a page shows saved runs (.npz) or one lesson, not both")
    if not runs and len(args.what) > 1:
        args.usage_error(f"{len(args.what)} lessons; a page shows one")
    output = output_of(args.output or f"{Path(args.what[0]).stem}.html")
    if args.json and output == "-":
        args.usage_error("--json and -o -: only one of them can have standard output")
    check_writable(output)
    text, missing = _of_runs(runs, args.anywhere) if runs else (_of_lesson(args), "")
    held = text.encode()
    with written_whole(output) as file:
        file.write(held)
    if missing:
        note(missing)
    if args.json:
        told = {"file": output, "bytes": len(held), "notes": [missing] if missing else []}
        print(json.dumps(told))
    elif output != "-" and not is_quiet():
        print(f"{output}: {size_words(len(held))}")
    return 0


def _of_runs(names: list[str], anywhere: bool) -> tuple[str, str]:
    """Return the page of saved runs, and why there is no map, "" where there is one."""
    from gpu.page.runs import pair_page, run_page
    from gpu.page.sweep import sweep_page

    traces = [open_trace(name) for name in names]
    graph, missing = _graph_of(names, traces, anywhere)
    if len(traces) == 1:
        return run_page(traces[0], graph, missing), missing
    if len(traces) == 2:
        return pair_page(traces[0], traces[1], graph, missing), missing
    return sweep_page(traces, graph, missing), missing


def _graph_of(names: list[str], traces: list[Trace], anywhere: bool) -> tuple[CSRGraph | None, str]:
    """Return the graph of the runs, looked for beside each of them in turn."""
    from gpu.page.graph import find_graph

    missing = ""
    for name, trace in zip(names, traces, strict=True):
        graph, why = find_graph(trace, None if anywhere else Path(name).resolve().parent)
        if graph is not None:
            return graph, ""
        missing = missing or why
    return None, missing


def _of_lesson(args: argparse.Namespace) -> str:
    from gpu.lessons.answers import Bench
    from gpu.lessons.read import read_lesson
    from gpu.page.lesson import lesson_page

    name = args.what[0]
    if Path(name).suffix and Path(name).suffix != ".toml":
        raise ParameterError(f"{name}: a page shows saved runs (.npz) or a lesson (key or .toml)")
    bench = Bench(read_lesson(find_lesson(name, args.folder)))
    with progress_line() as progress:
        return lesson_page(bench, lambda share: progress.show(share, "writing"))
