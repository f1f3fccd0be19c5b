"""What several commands take to run on other computers: `--on` by ssh, `--cluster` by Dask."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gpu.cli.terminal import ProgressLine, note
from gpu.record.trace import Trace

if TYPE_CHECKING:
    from gpu.study.sources import Spread

Run = Callable[..., Trace]


def add_on(group: argparse._ArgumentGroup) -> None:
    """Add where it runs."""
    words = "run there, by ssh; or 'USER@HOST COMMAND' [here]"
    group.add_argument("--on", metavar="USER@HOST", help=words)


def add_cluster(group: argparse._ArgumentGroup) -> None:
    """Add which cluster shares the work."""
    words = "of Dask: local:N, tcp:// or tls://HOST:PORT, file"
    group.add_argument("--cluster", metavar="WHERE", help=words)


def is_here(args: argparse.Namespace) -> bool:
    """Whether the work is shared out on this computer alone."""
    return args.cluster is None or args.cluster.startswith("local:")


@contextmanager
def cluster(args: argparse.Namespace) -> Iterator[Spread]:
    """Give what computes blocks: this process, or the cluster that `--cluster` names."""
    from gpu.study.sources import here

    if args.cluster is None:
        yield here
        return
    from gpu.study.cluster import Cluster

    with Cluster(args.cluster, note) as found:
        yield found.blocks


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
