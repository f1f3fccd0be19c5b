"""What several commands take to run on other computers: `--on` by ssh, `--cluster` by Dask."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gpu.cli.terminal import ProgressLine, note
from gpu.record.trace import Trace

if TYPE_CHECKING:
    from gpu.study.cluster_tasks import WorkerShare
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


class SharedLine:
    """The progress line of work that a cluster shares out: how far it is, and each worker."""

    def __init__(self, progress: ProgressLine, doing: str, word: Callable[[Any], str]) -> None:
        self.progress, self._doing, self._word = progress, doing, word
        self._share, self._workers = 0.0, ""

    def show(self, share: float) -> None:
        """Show how much of it is done, 0..1."""
        self._share = share
        self.progress.show(share, f"{self._doing}{self._workers}")

    def tell(self, shares: tuple[WorkerShare, ...]) -> None:
        """Show what the workers do; as `gpu.study.cluster.Cluster` wants it."""
        from gpu.study.cluster_tasks import shares_words

        self._workers = f" ({shares_words(shares, self._word)})" if shares else ""
        self.show(self._share)


@contextmanager
def runner(args: argparse.Namespace, progress: ProgressLine) -> Iterator[Run]:
    """Give what runs: `gpu.engine.run` here, or the same on the computer that `--on` names."""
    if args.on is None:
        from gpu.engine import run

        yield run
        return
    from gpu.remote import COMMAND, Elsewhere
    from gpu.remote.run import There

    address, _, command = args.on.partition(" ")
    with There(Elsewhere(address, command.strip() or COMMAND), progress.show) as there:
        yield there.run
