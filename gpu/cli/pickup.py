"""The command pickup: runs elsewhere whose connection broke while nobody here waited for them."""

from __future__ import annotations

import argparse

from gpu.cli.inputs import add_examples
from gpu.cli.parser import Parser
from gpu.cli.terminal import is_quiet, progress_line
from gpu.errors import EngineError
from gpu.words import in_sight


def add_pickup(parser: Parser) -> None:
    """Fill the parser of `pickup`."""
    parser.add_argument(
        "-o", "--output", metavar="RUN.npz", help="fetch the newest and write its trace [list them]"
    )
    parser.set_defaults(handle=_pickup)
    add_examples(parser, "sssp-scope pickup", "sssp-scope pickup -o run.npz")


def _pickup(args: argparse.Namespace) -> int:
    from gpu.record.tracefile import save_trace
    from gpu.remote.pickup import pick_up, waiting
    from gpu.wholefile import check_writable

    found = waiting()
    if args.output is None:
        for note in found:
            settings, graph = note.settings, note.graph
            print(f"{settings.algorithm} on {in_sight(graph.name)}, {in_sight(note.address)}")
        return 0
    if not found:
        raise EngineError("no run waits elsewhere; each is kept there for ten minutes")
    check_writable(args.output)
    with progress_line() as progress:
        progress.show(-1, f"asking {in_sight(found[0].address)}")
        trace = pick_up(found[0])
        save_trace(trace, args.output)
    if not is_quiet():
        proof = trace.verification
        words = "not proved" if proof is None else proof.detail
        print(f"{args.output}: {trace.settings.algorithm} on {trace.settings.device}; {words}")
    return 0
