"""The command `lab`: run a suite, report on its results, fetch the paper's graphs.

lab run SUITE -o RESULTS     a shipped suite or a .toml file; the same command goes on after a kill
lab report RESULTS           one web page; of two RESULTS, what became faster or slower
lab fetch paper              the graphs of the paper, from their collection
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from gpu.cli.inputs import option_positive
from gpu.cli.parser import Command, Parser
from gpu.cli.terminal import FAILED, check_failed, note, progress_line, report, result
from gpu.compiled import cache_folder
from gpu.files import check_writable, write_whole
from gpu.words import size_words

ENGINES = ("model", "cuda", "cpu")
MOST_SAID = 5  # failures; all of them are in RESULTS


def add_lab(parser: Parser) -> None:
    """Fill the parser of `lab`."""
    title = "what to do"
    parts = parser.add_subparsers(title=title, metavar="WHAT", required=True, parser_class=Command)
    run = parts.add_parser("run", help="run a suite, or the rest of it")
    run.add_argument("suite", metavar="SUITE", help="a shipped suite, or a .toml")
    run.add_argument("-o", "--output", metavar="RESULTS", required=True, help="JSON lines")
    run.add_argument("--engine", choices=ENGINES, default="", help="[the suite's]")
    words = "share the graphs with Dask: local:N, tcp://HOST:PORT, a file"
    run.add_argument("--cluster", metavar="ADDRESS", default="", help=words)
    _add_report(parts.add_parser("report", help="write tables, figures and claims as a web page"))
    fetch = parts.add_parser("fetch", help="fetch graphs of the paper")
    fetch.add_argument("what", metavar="paper", choices=["paper"], help="the paper's 226 graphs")
    fetch.add_argument("--only", metavar="NAME", nargs="+", default=["*"], help="these alone")
    fetch.add_argument("--mirror", metavar="URL", help="URL/GROUP/NAME.tar.gz [the collection]")
    for part in (run, fetch):
        part.add_argument("--graphs", metavar="FOLDER", help="of the paper's graphs [the cache]")
    for part, handle in zip(parts.choices.values(), (_run, _report, _fetch), strict=True):
        part.add_argument("--json", action="store_true", help="one JSON object on stdout")
        part.set_defaults(handle=handle, usage_error=part.error)
    parser.epilog = (
        "examples:\n"
        "  sssp-scope lab run small -o small.jsonl\n"
        "  sssp-scope lab run mine.toml --engine cuda -o mine.jsonl\n"
        "  sssp-scope lab fetch paper --only msdoor BenElechi1\n"
        "  sssp-scope lab report small.jsonl -o small.html\n"
        "  sssp-scope lab report old.jsonl new.jsonl --fail-if-slower 1.1"
    )


def _add_report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("results", metavar="RESULTS", help="of lab run")
    parser.add_argument("after", metavar="AFTER", nargs="?", help="newer ones: what changed")
    parser.add_argument("-o", "--output", metavar="PAGE", help="[RESULTS with .html]")
    words = "also tables as CSV and LaTeX, figures as SVG"
    parser.add_argument("--parts", metavar="FOLDER", help=words)
    words = "exit 3 if a code became slower by more, beyond noise"
    parser.add_argument("--fail-if-slower", metavar="FACTOR", type=option_positive, help=words)


def _run(args: argparse.Namespace) -> int:
    from gpu.lab.campaign import run_suite
    from gpu.lab.suite import entries_of, read_suite

    suite, folder = read_suite(args.suite, args.engine)
    entries = entries_of(suite, folder, _paper_folder(args.graphs))
    with progress_line() as progress:
        results = run_suite(suite, entries, Path(args.output), progress.show, args.cluster)
    for line in [*results.failed.values()][:MOST_SAID]:
        note(f"{line.graph}{line.code and f', {line.code}'}: {line.reason}")
    wrong = [line for line in results.failed.values() if line.wrong]
    numbers = {"runs": len(results.runs), "graphs": len(results.graphs)}
    result(numbers | {"failed": len(results.failed), "file": args.output}, is_json=args.json)
    if wrong:
        return check_failed(f"{wrong[0].graph}, {wrong[0].code}: {wrong[0].reason}")
    return 0


def _report(args: argparse.Namespace) -> int:
    from gpu.lab.records import Results
    from gpu.lab.report import Report, compared, page

    if args.fail_if_slower and args.after is None:
        args.usage_error("--fail-if-slower compares two RESULTS: name AFTER too")
    output = args.output or f"{Path(args.results).with_suffix('.html')}"
    check_writable(output)
    first, numbers = Results(args.results), dict[str, Any](file=output)
    slower: list[tuple[str, str, float]] = []
    if args.after is None:
        whole = Report(first)
        text = whole.html()
        if args.parts is not None:
            whole.write_parts(Path(args.parts))
    else:
        table, slower = compared(first, Results(args.after))
        text = page(f"{args.results}, then {args.after}", table.html())
        numbers |= {"slower": len(slower), "faster": len(table.rows) - len(slower)}
    write_whole(output, text.encode())
    result(numbers, is_json=args.json)
    for graph, code, ratio in slower:
        if args.fail_if_slower and ratio > args.fail_if_slower:
            return check_failed(f"{code} on {graph} is {ratio:.2f}x slower")
    return 0


def _fetch(args: argparse.Namespace) -> int:
    from gpu.lab import fetch
    from gpu.lab.suite import paper_facts

    facts, folder = paper_facts(tuple(args.only)), _paper_folder(args.graphs)
    wanted = fetch.missing(facts, folder)
    arriving, kept = map(size_words, fetch.space(wanted))
    if not args.json:
        report(f"{len(wanted)} of {len(facts)} graphs are missing in {folder}")
        report(f"about {arriving} will arrive, {kept} will be kept")
    with progress_line() as progress:
        problems = fetch.fetch(facts, folder, args.mirror or fetch.MIRROR, progress.show)
    for name, why in problems.items():
        note(f"{name}: {why}")
    numbers = {"folder": str(folder), "fetched": len(wanted) - len(problems)}
    result(numbers | {"missing": len(problems)}, is_json=args.json)
    return FAILED if problems else 0


def _paper_folder(name: str | None) -> Path:
    return Path(name).resolve() if name else cache_folder().parent / "paper"
