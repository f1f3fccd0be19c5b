"""The commands `page` and `lesson check`.

    page run.npz                  one run as a web page that needs nothing else
    page a.npz b.npz              two runs of one graph on one clock
    page LESSON                   a lesson with its questions, by key or as a .toml file
    lesson check FILE.toml        every mistake with its place; the engine is run

The graph of a saved run is opened only in the run's own folder; with --anywhere where the run says.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from gpu.cli.inputs import fill, open_trace, output_of
from gpu.cli.parser import Command, Parser
from gpu.cli.terminal import CHECK_FAILED, note, printable, progress_line, report, result
from gpu.errors import ParameterError
from gpu.files import check_writable, read_regular, write_whole
from gpu.words import did_you_mean

TRACE_SUFFIX = ".npz"


def add_page(parser: Parser) -> None:
    """Fill the parser of `page`."""
    fill(
        parser,
        _page,
        "WHAT ...",
        "WHAT output anywhere json",
        "page run.npz",
        "page adds.npz near_far.npz -o two.html",
        "page 3_the_u_curve -o u-curve.html",
    )


def _page(args: argparse.Namespace) -> int:
    runs = [name for name in args.what if Path(name).suffix == TRACE_SUFFIX]
    if runs and len(runs) != len(args.what):
        other = next(name for name in args.what if name not in runs)
        args.usage_error(f"{other}: a page shows saved runs (.npz) or one lesson, not both")
    if not runs and len(args.what) > 1:
        args.usage_error(f"{len(args.what)} lessons; a page shows one")
    if len(runs) > 2:
        args.usage_error(f"{len(runs)} runs; a page shows one, or two (sweep --page: a sweep)")
    output = output_of(args.output or f"{Path(args.what[0]).stem}.html")
    if args.json and output == "-":
        args.usage_error("--json and -o -: only one of them can have standard output")
    check_writable(output)
    text, missing = _of_runs(runs, args.anywhere) if runs else (_of_lesson(args), "")
    content = text.encode()
    write_whole(output, content)
    if output == "-" and missing:
        note(missing)
    if output != "-":
        notes = [missing] if missing else []
        numbers = {"file": output, "bytes": len(content), "notes": notes}
        result(numbers, is_json=args.json)
    return 0


def _of_runs(names: list[str], anywhere: bool) -> tuple[str, str]:
    """Return the page of saved runs, and why there is no map, "" where there is one."""
    from gpu.page.graph import find_graph
    from gpu.page.runs import runs_page

    traces = [open_trace(name) for name in names]
    beside = None if anywhere else Path(names[0]).resolve().parent
    graph, missing = find_graph(traces[0], beside)
    return runs_page(traces, graph, missing), missing


def _of_lesson(args: argparse.Namespace) -> str:
    from gpu.lessons.answers import Bench
    from gpu.lessons.check import check_lesson
    from gpu.lessons.read import LessonError, read_lesson
    from gpu.page.lesson import lesson_page

    name = args.what[0]
    if Path(name).suffix and Path(name).suffix != ".toml":
        raise ParameterError(f"{name}: a page shows saved runs (.npz) or a lesson (key or .toml)")
    bench = Bench(read_lesson(_find_lesson(name)))
    with progress_line() as progress:
        progress.show(-1, "checking")
        problems = check_lesson(bench)
        if problems:
            more = f" (and {len(problems) - 1} more: lesson check)" if len(problems) > 1 else ""
            raise LessonError(f"{problems[0]}{more}")
        return lesson_page(bench, lambda share: progress.show(share, "writing"))


def add_lesson(parser: Parser) -> None:
    """Fill the parser of `lesson`."""
    what = parser.add_subparsers(
        title="what to do", metavar="WHAT", required=True, parser_class=Command
    )
    check = what.add_parser("check", help="report every mistake of a lesson")
    fill(check, _check, "LESSON", "LESSON json", "lesson check my_lesson.toml")
    parser.epilog = check.epilog


def _find_lesson(name: str) -> Path:
    """Return the file of a lesson by path or key. ParameterError."""
    from gpu.lessons.read import MOST_BYTES, find_lessons

    if Path(name).suffix == ".toml":
        read_regular(name, MOST_BYTES)  # a missing file is reported before its content is judged
        return Path(name)
    lessons = {path.stem: path for path in find_lessons(None)}
    if name not in lessons:
        near, listed = did_you_mean(name, list(lessons)), ", ".join(lessons)
        raise ParameterError(f"no lesson {name!r}{near}; there are: {listed}; or name a .toml file")
    return lessons[name]


def _check(args: argparse.Namespace) -> int:
    from gpu.lessons.check import check_file

    path = _find_lesson(args.lesson)
    problems = check_file(path)
    if args.json:
        print(json.dumps({"file": str(path), "problems": problems}))
    else:
        for problem in problems:
            print(printable(problem))
        if not problems:
            report(f"{path}: nothing is wrong")
    return CHECK_FAILED if problems else 0
