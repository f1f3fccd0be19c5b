"""What the engine process does before it is asked: import, compile, run once on a star.

Numba and CuPy keep compiled code on disk, so the first start of a version of the sources takes long
and says so, later ones about a second. Only what the first minute needs is compiled: the first rows
of the registry (what the window runs first, and what it compares that with) on whole weights, for
the GPU where there is one, else for the modelled one. Every other row, and decimals, are compiled
when they are first run; the run says so.

A measured run waits for the step under way, and no other step begins until it is over: a thread
that compiles takes Python's lock, and cores. On an H200 up to 54 ms lay between the start of a
run's clock and its kernel, of a run of 1.3 ms.
"""

from __future__ import annotations

import contextlib
import importlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice

import numpy as np

from gpu.algorithms import ALGORITHMS
from gpu.engine import run
from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.record.trace import Probe, RunSettings

COMPILING = "compiling the model, first run of {} only"  # an algorithm
COMPILING_KERNELS = "compiling the kernels for this GPU, first run of {} only"
FIRST_ROWS = 2  # of the registry: what the window runs first, and what it compares that with
LEVELS = (Probe.VERTICES, Probe.OFF)  # that kernels are compiled for: to watch, and to compare
LOOK_S = 0.02  # between two looks at Stop while a measured run waits
SAY_AFTER_S = 1.0  # shorter waits are not worth words

warm_models: set[str] = set()  # rows that are compiled for the modelled GPU, on whole weights


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


@dataclass(frozen=True)
class Step:
    """One thing to be done before it is asked for.

    words : what it is, said where it takes long
    needed : the process counts as ready only after it
    """

    act: Callable[[], object]
    words: str = ""
    needed: bool = True


class Warming(threading.Thread):
    """Does steps on a thread of its own, none during a measured run."""

    def __init__(
        self,
        steps: Callable[[], list[Step]],
        say: Callable[[str], object],
        ready: Callable[[], object],
        fail: Callable[[Exception], object],
    ) -> None:
        super().__init__(name="warm-up", daemon=True)
        self._steps, self._say, self._ready, self._fail = steps, say, ready, fail
        self._free = threading.Event()  # no measured run waits or goes on
        self._free.set()
        self._step = threading.Lock()  # held by a step, or by a measured run
        self.done = threading.Event()

    def run(self) -> None:
        """Do every step; one that fails ends the warm-up and is reported."""
        is_ready = False
        try:
            for step in self._steps():
                if not (is_ready or step.needed):
                    self._ready()
                    is_ready = True
                self._do(step)
        except Exception as error:
            self._fail(error)
        self.done.set()
        if not is_ready:
            self._ready()

    def _do(self, step: Step) -> None:
        while True:
            self._free.wait()
            with self._step:
                if self._free.is_set():
                    with say_if_slow(lambda: self._say(step.words) if step.words else None):
                        step.act()
                    return

    def hold(self, give_up: Callable[[], bool]) -> bool:
        """Wait for the step under way, and let none begin; False where `give_up` says so first."""
        self._free.clear()
        while not self._step.acquire(timeout=LOOK_S):
            if give_up():
                self._free.set()
                return False
        return True

    def release(self) -> None:
        """Let steps go on."""
        self._free.set()
        self._step.release()


def warm_up() -> list[Step]:
    """Return what the first runs need, in the order in which they will be asked for."""
    rows = [row.key for row in islice(ALGORITHMS.values(), FIRST_ROWS)]
    if _has_gpu():
        return [
            Step(
                partial(_run_kernel, key, level),
                COMPILING_KERNELS.format(ALGORITHMS[key].title),
                needed=number == 0,
            )
            for number, (level, key) in enumerate((level, key) for level in LEVELS for key in rows)
        ] + [Step(_prove, needed=False)]
    return [
        Step(lambda: importlib.import_module("gpu.compiled")),  # a second that is no compiling
        *(Step(partial(_run_model, key), COMPILING.format(ALGORITHMS[key].title)) for key in rows),
        Step(_prove),
    ]


def _has_gpu() -> bool:
    from gpu.cuda.device import why_not

    return why_not() is None


def _run_model(key: str) -> None:
    """Compile a row for the modelled GPU."""
    run(_star(), RunSettings(key, "model", probe=Probe.VERTICES))
    warm_models.add(key)


def _run_kernel(key: str, level: Probe) -> None:
    """Compile and load a row's kernel; a GPU that others have filled says so when it is used."""
    with contextlib.suppress(GpuError):
        run(_star(), RunSettings(key, "cuda", probe=level))


def _prove() -> None:
    """Compile what proves distances."""
    from gpu.proof.verify import verify

    star = _star()
    dist = np.ones(star.n, np.int32)
    dist[0] = 0
    verify(star, 0, dist)


def _star() -> CSRGraph:
    """Return a graph just too large to be run uncompiled."""
    from gpu.compiled import PLAIN_ARCS

    leaves = np.arange(1, PLAIN_ARCS + 2)
    return CSRGraph.from_arcs(
        np.zeros(len(leaves), np.int64), leaves, np.ones(len(leaves), np.int32), len(leaves) + 1
    )
