"""The command `policy`: score a scheduler of one's own on the graphs of a suite."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from gpu.cli.parser import Parser
from gpu.cli.terminal import check_failed, progress_line, report, result
from gpu.compiled import cache_folder
from gpu.policy import load_policy, translated


def add_policy(parser: Parser) -> None:
    """Fill the parser of `policy`."""
    parser.add_argument("policy", metavar="POLICY", help="a policy, a .py")
    parser.add_argument("--suite", default="class", help="a suite of lab, or a .toml [class]")
    parser.add_argument("--engine", choices=("model", "cuda"), default="", help="[the suite's]")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.set_defaults(handle=_policy, usage_error=parser.error)
    parser.epilog = "examples:\n  sssp-scope policy mine.py --suite class --json"


def _policy(args: argparse.Namespace) -> int:
    policy = load_policy(args.policy)
    translated(policy)
    from gpu.lab.score import score, speedups
    from gpu.lab.suite import entries_of, read_suite

    suite, folder = read_suite(args.suite, args.engine)
    entries, made = entries_of(suite, folder, Path(cache_folder().parent / "paper")), []
    with progress_line() as progress:
        for place, entry in enumerate(entries):
            progress.show(place / len(entries), entry.name)
            made.append(score(policy, suite, entry))
    found = speedups(made)
    if args.json:
        named = {"name": policy.name, "digest": policy.digest}
        rows = [asdict(one) for one in made]
        whole = {"policy": named, "suite": suite.title, "graphs": rows, "speedups": found}
        result(whole, is_json=True)
    else:
        report(f"{policy.name}, {suite.title}; milliseconds")
        for one in made:
            times = "".join(f"  {name} {ms:.4f}" for name, ms in one.ms.items())
            report(f"{one.graph:<38}{times}")
        for name, mean in found.items():
            report(f"{mean:.3f}x as fast as {name}")
    failed = next((one for one in made if one.failure), None)
    return check_failed(f"on {failed.graph}: {failed.failure}") if failed else 0
