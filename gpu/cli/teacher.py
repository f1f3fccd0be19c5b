"""For a teacher: `lesson moodle`, questions for a course; `lesson results`, what a class said."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from gpu.cli.inputs import add_examples, find_lesson, output_of
from gpu.cli.parser import Parser
from gpu.cli.terminal import is_quiet, note, progress_line
from gpu.errors import ParameterError
from gpu.wholefile import check_writable, written_whole

SEEDS = 1  # variants of each question, unless more are asked for


def add_moodle(parser: Parser) -> None:
    """Fill the parser of `lesson moodle`."""
    parser.add_argument("file", metavar="LESSON", help="a .toml file, or a lesson's key")
    parser.add_argument("-o", "--output", metavar="QUIZ", help="[the lesson's key with .xml]")
    parser.add_argument(
        "--seeds",
        metavar="N",
        type=int,
        default=SEEDS,
        help=f"variants of each question, on graphs of seeds 1 to N [{SEEDS}]",
    )
    parser.add_argument("--sheet", metavar="SHEET", help="write the answers too, as CSV")
    parser.set_defaults(handle=_moodle)
    add_examples(
        parser, "sssp-scope lesson moodle 4_why --seeds 10 -o quiz.xml --sheet answers.csv"
    )


def add_results(parser: Parser) -> None:
    """Fill the parser of `lesson results`."""
    parser.add_argument("folder", metavar="FOLDER", help="with one results file (.json) a student")
    parser.add_argument(
        "-o", "--output", metavar="OUT", help=".html: table and histograms; .csv: the table"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.set_defaults(handle=_results, usage_error=parser.error)
    add_examples(parser, "sssp-scope lesson results class_of_2026/ -o class.html")


def _moodle(args: argparse.Namespace) -> int:
    from gpu.lessons.moodle import MOST_SEEDS, asked_of, quiz_of, sheet_of
    from gpu.lessons.read import read_lesson
    from gpu.study.export_runs import write_table

    if not 1 <= args.seeds <= MOST_SEEDS:
        raise ParameterError(f"--seeds {args.seeds}; allowed: 1 to {MOST_SEEDS}")
    path = find_lesson(args.file, args.folder)
    output = output_of(args.output or f"{path.stem}.xml")
    for target in filter(None, (output, args.sheet)):
        check_writable(target)
    lesson = read_lesson(path)
    with progress_line() as progress:
        seeds = range(1, args.seeds + 1)
        asked = asked_of(lesson, seeds, lambda share: progress.show(share, "asking the engine"))
    if not asked:
        raise ParameterError(f"{path.stem}: it asks nothing that Moodle could ask")
    with written_whole(output) as file:
        file.write(quiz_of(lesson, asked))
    if args.sheet:
        write_table(*sheet_of(asked), args.sheet)
    if sum(step.question is not None for step in lesson.steps) > len({a.step.key for a in asked}):
        note("a drawn curve is no question of Moodle's: it was left out")
    if output != "-" and not is_quiet():
        print(f"{output}: {len(asked)} questions")
    return 0


def _results(args: argparse.Namespace) -> int:
    from gpu.lessons.results import read_class
    from gpu.page.classroom import class_page
    from gpu.study.export_runs import write_table

    if args.output is not None and Path(args.output).suffix not in (".html", ".csv"):
        args.usage_error(f"-o {args.output}; allowed: a name that ends in .html or .csv")
    if args.output is not None:
        check_writable(args.output)
    found = read_class(args.folder)
    for problem in found.problems:
        note(problem)
    if args.output is not None and args.output.endswith(".csv"):
        write_table(*found.table(), args.output)
    elif args.output is not None:
        with written_whole(args.output) as file:
            file.write(class_page(found).encode())
    if args.json:
        told = {"lesson": found.lesson, "title": found.title, "questions": found.questions}
        told |= {"students": [dict(zip(*pair, strict=True)) for pair in _rows(found.table())]}
        told |= {"asked": [asdict(one) for one in found.asked()], "problems": found.problems}
        print(json.dumps(told))
    elif not is_quiet():
        print(f"{found.title}: {len(found.students)} students")
        for asked in found.asked():
            print(f"  {asked.step}: {asked.right} of {asked.answered} right")
    return 0


def _rows(table: tuple[list[str], list[list[object]]]) -> list[tuple[list[str], list[object]]]:
    header, rows = table
    return [(header, row) for row in rows]
