"""What the engine process does before it is asked: import, compile, run once on a star.

Compiled code is cached on disk by Numba and by CuPy: the first start of a version of the sources
takes long and says so, later ones about a second. Only what the first minute needs is
compiled now: the first rows of the registry (what the window runs first, and what it
compares that with) on whole weights. Every other row, and float32, is compiled when it is first
asked for; the run says so in words.

It is done in steps, in the order in which they will be needed: where there is a GPU its kernels
come first, and the process is ready after the first of them has run; the modelled GPU comes last,
compiled by another process (`aside`).
A run that is measured waits for the step under way, and no other begins until it is over.
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
from gpu.engine import run_named as run
from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.host.aside import compile_aside
from gpu.record.trace import Probe

COMPILING = "compiling the model, first run of {} only"  # an algorithm
FIRST_ROWS = 2  # of the registry: what the window runs first, and what it compares that with
COMPILING_KERNELS = "compiling the kernels for this GPU, first run of {} only"
LEVELS = (Probe.VERTICES, Probe.OFF)  # that kernels are compiled for: to watch, and to compare
QUIET_S = 0.02  # between two looks at Stop while a measured run waits
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


@dataclass(frozen=True)
class Step:
    """One thing to be done before it is asked for.

    words : what it is, said where it takes long
    needed : the process counts as ready only after it
    aside : another process does it: a measured run goes on meanwhile, and waits for nothing
    """

    act: Callable[[], object]
    words: str = ""
    needed: bool = True
    aside: bool = False


class Warming(threading.Thread):
    """Does steps on a thread of its own, none while a measured run goes on.

    A thread that compiles takes the interpreter, and cores: on an H200 up to 54 ms lay between the
    start of a run's clock and its kernel.
    """

    def __init__(
        self,
        steps: Callable[[], list[Step]],
        say: Callable[[str], object],
        ready: Callable[[], object],
        fail: Callable[[Exception], object],
    ) -> None:
        super().__init__(daemon=True)
        self._steps, self._say, self._ready, self._fail = steps, say, ready, fail
        self._free = threading.Event()  # no measured run waits or goes on
        self._free.set()
        self._step = threading.Lock()  # held by a step, or by a measured run
        self.done = threading.Event()

    def run(self) -> None:
        """Do every step; one that fails ends it, and is told."""
        told = False
        try:
            steps = self._steps()
            for step in steps:
                if not (told or step.needed):
                    self._ready()
                    told = True
                self._do(step)
        except Exception as error:
            self._fail(error)
        self.done.set()
        if not told:
            self._ready()

    def _do(self, step: Step) -> None:
        if step.aside:
            step.act()
            return
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
        while not self._step.acquire(timeout=QUIET_S):
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
    rows = _first_rows()
    model = [
        Step(lambda: importlib.import_module("gpu.compiled")),  # a second that is no compiling
        *(Step(partial(_run_model, key), COMPILING.format(ALGORITHMS[key].title)) for key in rows),
    ]
    if _gpu() is None:
        return model
    kernels = [
        Step(
            partial(_run_kernel, key, level),
            COMPILING_KERNELS.format(ALGORITHMS[key].title),
            needed=False,
        )
        for level in LEVELS
        for key in rows
    ]
    first = Step(kernels[0].act, kernels[0].words)
    aside = Step(compile_aside, needed=False, aside=True)
    later = [Step(step.act, step.words, needed=False) for step in model]
    return [first, Step(_prove, needed=False), *kernels[1:], aside, *later]


def _gpu() -> str | None:
    """Return the device that the window runs on first, None where there is no GPU."""
    from gpu.cuda.device import why_not

    return "cuda:0" if why_not() is None else None


def run_model() -> None:
    """Compile for the modelled GPU what the window runs first."""
    for key in _first_rows():
        _run_model(key)


def _first_rows() -> list[str]:
    return [row.key for row in islice(ALGORITHMS.values(), FIRST_ROWS)]


def _run_model(key: str) -> None:
    """Compile a row for the modelled GPU, and what proves it."""
    run(_star(), key, "model", probe=Probe.VERTICES)
    _prove()


def _prove() -> None:
    """Compile what proves distances."""
    from gpu.proof.verify import verify

    star = _star()
    dist = np.ones(star.n, np.int32)
    dist[0] = 0
    verify(star, 0, dist)


def _run_kernel(key: str, level: Probe) -> None:
    """Compile and load a row's kernel; a GPU that others have filled says so when it is asked."""
    with contextlib.suppress(GpuError):
        run(_star(), key, "cuda", probe=level)


def _star() -> CSRGraph:
    """Return a graph just too large to be run uncompiled."""
    from gpu.compiled import PLAIN_ARCS

    leaves = np.arange(1, PLAIN_ARCS + 2)
    return CSRGraph.from_arcs(
        np.zeros(len(leaves), np.int64), leaves, np.ones(len(leaves), np.int32), len(leaves) + 1
    )
