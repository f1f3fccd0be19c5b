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
    parser.add_argument("policy", metavar="POLICY", help="a policy, .py; on a GPU also .cuh")
    parser.add_argument("--suite", default="class", help="a suite of lab, or a .toml [class]")
    parser.add_argument("--engine", choices=("model", "cuda"), default="", help="[the suite's]")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.set_defaults(handle=_policy, usage_error=parser.error)
    parser.epilog = (
        "examples:\n  sssp-scope policy mine.py\n  sssp-scope policy mine.py --suite class --json"
    )


def _policy(args: argparse.Namespace) -> int:
    policy = load_policy(args.policy)
    translated(policy)
    from gpu.lab.score import scores, totals
    from gpu.lab.suite import entries_of, read_suite

    suite, folder = read_suite(args.suite, args.engine)
    entries = entries_of(suite, folder, Path(cache_folder().parent / "paper"))
    with progress_line() as progress:
        made = scores(policy, suite, entries, progress.show)
    found = totals(made)
    rows = [asdict(one) for one in made]
    if args.json:
        named = {"name": policy.name, "digest": policy.digest}
        means = {name: {"speedup": mean, "faster_on": on} for name, (mean, on) in found.items()}
        result(
            {"policy": named, "suite": suite.title, "graphs": rows, "totals": means}, is_json=True
        )
    else:
        columns = dict.fromkeys(["policy", *made[0].ms])
        report(f"{policy.name}, {suite.title}; milliseconds")
        report("".join([f"{'':<38}", *(f"{name:>15}" for name in columns)]))
        for one in made:
            times = (
                f"{one.ms[name]:>15.4f}" if name in one.ms else f"{'–':>15}" for name in columns
            )
            report("".join([f"{one.graph:<38}", *times, f"  (C = {one.best_c:g})"]))
        for name, (mean, on) in found.items():
            report(f"{mean:.3f}x as fast as {name}, faster on {on} of {len(made)} graphs")
    failed = next((one for one in made if one.failure), None)
    return check_failed(f"on {failed.graph}: {failed.failure}") if failed else 0
