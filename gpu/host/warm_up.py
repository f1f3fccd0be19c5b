"""What the engine process does before it is asked: import, compile, run once on 4 vertices.

Compiled loops are cached on disk by Numba: the first start of a version of the sources
takes long and says so, later ones about a second. Only what the first minute needs is
compiled now: the first rows of the registry (what the window runs first, and what it
compares that with) on whole weights. Every other row, and float32, is compiled when it is first
asked for; the run says so in words.
"""

from __future__ import annotations

import contextlib
import importlib
import threading
from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from gpu.algorithms import ALGORITHMS
from gpu.engine import run
from gpu.graph import CSRGraph
from gpu.record.trace import Probe

COMPILING = "compiling the model, first run only"
FIRST_ROWS = 2  # of the registry: what the window runs first, and what it compares that with
SAY_AFTER_S = 1.0  # shorter waits are not worth words


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


def warm_up(say: Callable[[str], object]) -> None:
    """Compile what the first runs on the model and their proofs need."""
    importlib.import_module("gpu.compiled")  # Numba: a second that is no compiling
    with say_if_slow(lambda: say(COMPILING)):
        from gpu.proof.verify import verify

        graph = _tiny_graph()
        for row in islice(ALGORITHMS.values(), FIRST_ROWS):
            trace = run(graph, row.key, "model", probe=Probe.VERTICES)
            verify(graph, 0, trace.dist)


def _tiny_graph() -> CSRGraph:
    tails, heads = np.array([0, 0, 1, 2]), np.array([1, 2, 3, 3])
    return CSRGraph.from_arcs(tails, heads, np.array([1, 2, 2, 1], np.int32), 4)
