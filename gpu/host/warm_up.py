"""What the engine process does before it is asked: import, compile, run once on 4 vertices.

Compiled loops are cached on disk by Numba: the first start of a version of the sources
takes long and says so, later ones about a second. The same loop is compiled once for
whole weights and once for float32.
"""

from __future__ import annotations

import contextlib
import importlib
import threading
from collections.abc import Callable, Iterator

import numpy as np

from gpu.algorithms import ALGORITHMS
from gpu.engine import run
from gpu.graph import CSRGraph
from gpu.trace import Probe

COMPILING = "compiling the model, first run only"
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
    """Compile everything that a run from one source on the model and its proofs need."""
    importlib.import_module("gpu.compiled")  # Numba: a second that is no compiling
    with say_if_slow(lambda: say(COMPILING)):
        for dtype in (np.int32, np.float32):
            _run_everything(_tiny_graph(dtype))


def _tiny_graph(dtype: type) -> CSRGraph:
    tails, heads = np.array([0, 0, 1, 2]), np.array([1, 2, 3, 3])
    return CSRGraph.from_arcs(tails, heads, np.array([1, 2, 2, 1], dtype), 4)


def _run_everything(graph: CSRGraph) -> None:
    from gpu.verify import verify

    for row in ALGORITHMS.values():
        if "model" in row.engines and row.result == "row":  # matrices: when one is asked for
            trace = run(graph, row.key, "model", probe=Probe.VERTICES)
            verify(graph, 0, trace.dist)
