"""What several commands take to run on another computer: `--on`, through the system's ssh."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gpu.cli.terminal import ProgressLine
from gpu.record.trace import Trace

Run = Callable[..., Trace]


def add_on(group: argparse._ArgumentGroup) -> None:
    """Add where it runs."""
    words = "run there, by ssh; or 'USER@HOST COMMAND' [here]"
    group.add_argument("--on", metavar="USER@HOST", help=words)


@contextmanager
def runner(args: argparse.Namespace, progress: ProgressLine) -> Iterator[Run]:
    """Give what runs: `gpu.run` here, or the same on the computer that `--on` names."""
    if args.on is None:
        from gpu.engine import run

        yield run
        return
    from gpu.remote import COMMAND, Elsewhere
    from gpu.remote.run import There

    address, _, command = args.on.partition(" ")
    with There(Elsewhere(address, command.strip() or COMMAND), progress.show) as there:
        yield there.run
