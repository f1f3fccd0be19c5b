"""The command `lesson`: which there are, what is wrong with one, one as a page to hand out.

    lesson list                     our own lessons, and those of SSSP_SCOPE_LESSONS
    lesson check FILE.toml          every mistake with its place; the engine is run
    lesson html KEY -o page.html    one page that needs nothing else (`page KEY`: one that asks)
    lesson moodle KEY -o quiz.xml   its questions for a course, other graphs by seeds; the answers
    lesson results FOLDER           what a class answered, as a table, a page, CSV

Pictures need Qt, which this package does not know: `viewer.app` hands a maker of pictures in
(`use_pictures`) before it calls this command. Without one the page has text, numbers and curves.
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from gpu.cli.inputs import add_examples, find_lesson, output_of, print_table
from gpu.cli.outcome import CHECK_FAILED
from gpu.cli.parser import Parser
from gpu.cli.teacher import add_moodle, add_results
from gpu.cli.terminal import is_quiet, progress_line
from gpu.errors import GpuError

if TYPE_CHECKING:
    from gpu.lessons.html import Pictures

_maker: dict[str, Any] = {}


def use_pictures(pictures: Pictures | None) -> None:
    """Let `lesson html` draw with this."""
    _maker["pictures"] = pictures


def add_lesson(parser: Parser) -> None:
    """Fill the parser of `lesson`."""
    what = parser.add_subparsers(
        title="what to do", metavar="WHAT", required=True, parser_class=Parser
    )
    listed = what.add_parser("list", help="name the lessons that there are")
    listed.add_argument("--json", action="store_true", help="one JSON list on stdout")
    _add_folder(listed)
    listed.set_defaults(handle=_list)
    check = what.add_parser("check", help="tell what is wrong with a lesson")
    check.add_argument("file", metavar="LESSON", help="a .toml file, or a lesson's key")
    check.add_argument("--json", action="store_true", help="one JSON object on stdout")
    _add_folder(check)
    check.set_defaults(handle=_check)
    html = what.add_parser("html", help="write a lesson as one web page")
    html.add_argument("file", metavar="LESSON", help="a .toml file, or a lesson's key")
    html.add_argument("-o", "--output", metavar="PAGE", help="[the lesson's key with .html]")
    html.add_argument("--no-pictures", action="store_true", help="text, numbers and curves only")
    _add_folder(html)
    html.set_defaults(handle=_html)
    moodle = what.add_parser("moodle", help="write its questions as Moodle XML")
    results = what.add_parser("results", help="put the results of a class together")
    add_moodle(moodle)
    add_results(results)
    _add_folder(moodle)
    add_examples(listed, "sssp-scope lesson list --folder ~/lessons")
    add_examples(check, "sssp-scope lesson check my_lesson.toml")
    add_examples(html, "sssp-scope lesson html 3_the_u_curve -o u-curve.html")
    add_examples(
        parser,
        "sssp-scope lesson list",
        "sssp-scope lesson check my_lesson.toml",
        "sssp-scope lesson html 3_the_u_curve -o u-curve.html",
    )


def _list(args: argparse.Namespace) -> int:
    from gpu.lessons.read import find_lessons, read_lesson

    rows: list[dict[str, Any]] = []
    for path in find_lessons(args.folder):
        try:
            lesson = read_lesson(path)
            told: dict[str, Any] = {"title": lesson.title, "idea": lesson.idea}
            told |= {"minutes": lesson.minutes, "figure": lesson.figure}
        except GpuError as error:
            told = {"problem": str(error)}
        rows.append({"key": path.stem, "file": str(path), **told})
    if args.json:
        print(json.dumps(rows))
    else:
        print_table([(row["key"], _words(row)) for row in rows])
    return 0


def _words(row: dict[str, Any]) -> str:
    if "problem" in row:
        return f"cannot be read: {row['problem']}"
    return f"{row['title']} ({row['minutes']} min, {row['figure']}): {row['idea']}"


def _check(args: argparse.Namespace) -> int:
    from gpu.lessons.check import check_file

    path = find_lesson(args.file, args.folder)
    problems = check_file(path)
    if args.json:
        print(json.dumps({"file": str(path), "problems": problems}))
    else:
        for problem in problems:
            print(problem)
        if not problems and not is_quiet():
            print(f"{path}: nothing is wrong")
    return CHECK_FAILED if problems else 0


def _html(args: argparse.Namespace) -> int:
    from gpu.lessons.answers import Bench
    from gpu.lessons.html import page
    from gpu.lessons.read import read_lesson
    from gpu.wholefile import check_writable, written_whole

    path = find_lesson(args.file, args.folder)
    output = output_of(args.output or f"{path.stem}.html")
    check_writable(output)
    bench = Bench(read_lesson(path))
    pictures = None if args.no_pictures else _maker.get("pictures")
    with progress_line() as progress:
        text = page(bench, pictures, lambda share: progress.show(share, "writing"))
    with written_whole(output) as file:
        file.write(text.encode())
    if output != "-" and not is_quiet():
        print(output)
    return 0


def _add_folder(parser: Parser) -> None:
    parser.add_argument(
        "--folder", help="a folder of lessons of one's own [environment: SSSP_SCOPE_LESSONS]"
    )
