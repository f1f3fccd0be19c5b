"""What the engine process does before it is asked: import, compile, run once on a star.

Numba and CuPy keep compiled code on disk, so only the first start of a version takes long. Only
what the first minute needs is compiled: the first rows of the registry on whole weights, for the
GPU where there is one, else for the modelled GPU. The rest is compiled when it is first run.

A measured run waits for the step under way and holds the next ones back: a thread that compiles
takes Python's lock, and cores. On an H200 up to 54 ms lay between the start of a run's clock and
its kernel, of a run of 1.3 ms.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

import numpy as np

from gpu.algorithms import ALGORITHMS
from gpu.engine import run
from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.record.trace import Probe, RunSettings

PREPARING = "preparing {}: its first run here compiles it"  # an algorithm
FIRST_ROWS = 2  # of the registry: what the window runs first, and what it compares that with
LEVELS = (Probe.VERTICES, Probe.OFF)  # that kernels are compiled for: to watch, and to compare
LOOK_S = 0.02  # between two looks at Stop while a measured run waits
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


class Warming(threading.Thread):
    """Does steps on a thread of its own, none during a measured run.

    ready : called once, after the first step; fail : called with what a step raised, the last
    """

    def __init__(
        self,
        steps: Callable[[], list[Step]],
        say: Callable[[str], object],
        ready: Callable[[], object],
        fail: Callable[[Exception], object],
    ) -> None:
        super().__init__(name="warm-up", daemon=True)
        self._steps, self._say, self._ready, self._fail = steps, say, ready, fail
        self._turn = threading.Lock()  # held by a step, or by a measured run

    def run(self) -> None:
        """Do every step; the first that fails is the last."""
        is_ready = False
        try:
            for words, act in self._steps():
                with self._turn, say_if_slow(partial(self._say, words)):
                    act()
                if not is_ready:
                    self._ready()
                is_ready = True
                time.sleep(2 * LOOK_S)  # a run that waits for its turn gets it
        except Exception as error:
            self._fail(error)
        if not is_ready:
            self._ready()

    def hold(self, give_up: Callable[[], bool]) -> bool:
        """Wait for the step under way, and let none begin; False where `give_up` says so first."""
        while not self._turn.acquire(timeout=LOOK_S):
            if give_up():
                return False
        return True

    def release(self) -> None:
        """Let steps go on."""
        self._turn.release()


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
