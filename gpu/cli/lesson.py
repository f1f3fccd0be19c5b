"""The command `lesson`: list the lessons, or check one.

    lesson list               our own lessons, and those of SSSP_SCOPE_LESSONS
    lesson check FILE.toml    every mistake with its place; the engine is run

A lesson as a web page is written by `page`.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from gpu.cli.inputs import add_examples, find_lesson, print_table
from gpu.cli.outcome import CHECK_FAILED
from gpu.cli.parser import Parser
from gpu.cli.terminal import is_quiet
from gpu.errors import GpuError


def add_lesson(parser: Parser) -> None:
    """Fill the parser of `lesson`."""
    what = parser.add_subparsers(
        title="what to do", metavar="WHAT", required=True, parser_class=Parser
    )
    listed = what.add_parser("list", help="list the lessons")
    listed.add_argument("--json", action="store_true", help="one JSON list on stdout")
    _add_folder(listed)
    listed.set_defaults(handle=_list)
    check = what.add_parser("check", help="report every mistake of a lesson")
    check.add_argument("file", metavar="LESSON", help="a .toml file, or a lesson's key")
    check.add_argument("--json", action="store_true", help="one JSON object on stdout")
    _add_folder(check)
    check.set_defaults(handle=_check)
    add_examples(listed, "sssp-scope lesson list --folder ~/lessons")
    add_examples(check, "sssp-scope lesson check my_lesson.toml")
    add_examples(
        parser,
        "sssp-scope lesson list",
        "sssp-scope lesson check my_lesson.toml",
        "sssp-scope page my_lesson.toml -o my_lesson.html",
    )


def _list(args: argparse.Namespace) -> int:
    from gpu.lessons.read import find_lessons, read_lesson

    rows: list[dict[str, Any]] = []
    for path in find_lessons(args.folder):
        row: dict[str, Any] = {"key": path.stem, "file": str(path)}
        try:
            lesson = read_lesson(path)
            row |= {"title": lesson.title, "idea": lesson.idea}
            row |= {"minutes": lesson.minutes, "figure": lesson.figure}
        except GpuError as error:
            row["problem"] = str(error)
        rows.append(row)
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


def _add_folder(parser: Parser) -> None:
    parser.add_argument(
        "--folder", help="a folder with your own lessons [environment: SSSP_SCOPE_LESSONS]"
    )
