"""What the engine process does before it is asked: import, compile, run once on a star.

Only what the first minute needs is compiled: the first rows of the registry on whole weights, for
the GPU where there is one, else for the modelled GPU. The rest is compiled when it is first run.

Steps are done between two requests: none takes Python's lock or a core from a measured run.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

import numpy as np

from gpu.algorithms import ALGORITHMS
from gpu.engine import run
from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.record.trace import Probe, RunSettings

PREPARING = "preparing {}: compiled once for each kind of run"  # an algorithm
FIRST_ROWS = 2  # of the registry: what the window runs first, and what it compares that with
LEVELS = (Probe.VERTICES, Probe.OFF)  # that kernels are compiled for: to watch, and to compare
SAY_AFTER_S = 1.0  # shorter waits are not worth words

Step = tuple[str, Callable[[], object]]  # what is said where it takes long; what is done


@contextlib.contextmanager
def say_if_slow(say: Callable[[], object]) -> Iterator[Callable[[], None]]:
    """Call `say` on another thread if the block takes long; yields how to call that off."""
    timer = threading.Timer(SAY_AFTER_S, say)
    timer.daemon = True
    timer.start()
    try:
        yield timer.cancel
    finally:
        timer.cancel()


def warm_up() -> list[Step]:
    """Return what the first runs need, in the order in which they will be asked for."""
    from gpu.cuda.device import why_not

    rows = list(islice(ALGORITHMS.values(), FIRST_ROWS))
    pairs = [(row, level) for level in LEVELS for row in rows]
    engine = "cuda"
    if why_not() is not None:
        pairs, engine = pairs[:FIRST_ROWS], "model"
    runs = [
        (PREPARING.format(row.title), partial(_run_once, RunSettings(row.key, engine, probe=level)))
        for row, level in pairs
    ]
    return [*runs, ("preparing the proofs", _prove)]


def _run_once(settings: RunSettings) -> None:
    """Compile and load a row; a GPU that others have filled says so when it is used."""
    with contextlib.suppress(GpuError):
        run(star(), settings)


def _prove() -> None:
    from gpu.proof.verify import verify

    graph = star()
    dist = np.ones(graph.n, np.int32)
    dist[0] = 0
    verify(graph, 0, dist)


def star() -> CSRGraph:
    """Return a graph just too large to be run uncompiled."""
    from gpu.compiled import PLAIN_ARCS

    leaves = np.arange(1, PLAIN_ARCS + 2)
    return CSRGraph.from_arcs(
        np.zeros(len(leaves), np.int64), leaves, np.ones(len(leaves), np.int32), len(leaves) + 1
    )
