"""The command `policy`: score a scheduler of one's own on the graphs of a suite.

Codes with values of `c` are one column, the best of them: what a sweep of a constant delta finds.
Every run is proved by certificate. On the modelled GPU the scores are the same on every computer.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

from gpu.cli.parser import Parser
from gpu.cli.terminal import check_failed, progress_line, report, result
from gpu.compiled import cache_folder
from gpu.errors import GpuError
from gpu.policy import Policy, load_policy, translated

if TYPE_CHECKING:
    from gpu.lab.suite import Entry, Suite

POLICY, BEST = "policy", "best of sweep"


def add_policy(parser: Parser) -> None:
    """Fill the parser of `policy`."""
    words = "a .py with one function, decide; the manual (F1) and lesson 10 show how"
    parser.add_argument("policy", metavar="POLICY", help=words)
    parser.add_argument("--suite", default="class", help="a suite of lab, or a .toml [class]")
    parser.add_argument("--engine", choices=("model", "cuda"), default="", help="[the suite's]")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.set_defaults(handle=_policy, usage_error=parser.error)
    parser.epilog = "examples:\n  sssp-scope policy mine.py --suite class --json"


def _policy(args: argparse.Namespace) -> int:
    policy = load_policy(args.policy)
    translated(policy)
    from gpu.lab.suite import entries_of, read_suite

    suite, folder = read_suite(args.suite, args.engine)
    entries = entries_of(suite, folder, Path(cache_folder().parent / "paper"))
    made: dict[str, dict[str, float]] = {}
    failed: dict[str, str] = {}
    with progress_line() as progress:
        for place, entry in enumerate(entries):
            progress.show(place / len(entries), entry.name)
            try:
                made[entry.name] = _times(policy, suite, entry)
            except GpuError as error:
                failed[entry.name] = str(error)
    rows = list(made.values())
    speedups = {
        column: math.prod(row[column] / row[POLICY] for row in rows) ** (1 / len(rows))
        for column in (rows[0] if rows else ())
        if column != POLICY
    }
    if args.json:
        named = {"name": policy.name, "digest": policy.digest}
        whole = {"policy": named, "suite": suite.title, "ms": made, "speedups": speedups}
        result(whole | {"failed": failed}, is_json=True)
    else:
        report(f"{policy.name}, {suite.title}; milliseconds")
        for name, row in made.items():
            report(f"{name:<38}{''.join(f'  {column} {ms:.4f}' for column, ms in row.items())}")
        for name, words in failed.items():
            report(f"{name:<38}  failed: {words}")
        for name, mean in speedups.items():
            ahead = sum(row[POLICY] < row[name] for row in rows)
            report(f"{mean:.3f}x as fast as {name}, quicker on {ahead} of {len(rows)}")
    if failed:
        return check_failed(f"{policy.name} failed on {len(failed)} of {len(entries)} graphs")
    return 0


def _times(policy: Policy, suite: Suite, entry: Entry) -> dict[str, float]:
    """Return milliseconds on one graph by column, the policy's first."""
    from gpu.lab.campaign import Bench, Job, opened
    from gpu.lab.suite import Code

    bench = Bench(Job(entry, suite, []), *opened(entry))
    ms = {POLICY: bench.ours(Code(algorithm="adds", engine=suite.engine), 1, policy).ms}
    for code in [code for code in suite.rows if isinstance(code, Code)]:
        column = BEST if code.c else code.name
        ms[column] = min(bench.ours(code, 1).ms, ms.get(column, math.inf))
    return ms
