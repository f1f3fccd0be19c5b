"""The ladder: every step compiles for the GPU, and gives the oracle's distances on CPU threads.

What a GPU alone can show is in test_ladder_gpu.py. The shim takes a C++20 compiler and starts a
thread of the CPU for each CUDA thread, so graphs are small; races and barriers are real.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_nvrtc import compiled_bytes

from gpu.cuda.ladder import OPTIONS, STEPS, Run, Step, distances
from gpu.cuda.module import KERNELS
from gpu.errors import EngineError
from gpu.graph import INT_UNREACHED, CSRGraph
from gpu.proof.verify import oracle_distances

SHIM = Path(__file__).with_name("ladder_shim.cpp")
NAMES = [step.file for step in STEPS]


@pytest.mark.parametrize("architecture", [75, 80, 90])
@pytest.mark.parametrize("step", STEPS, ids=NAMES)
def test_nvrtc_compiles_every_step(step: Step, architecture: int) -> None:
    assert compiled_bytes(step.file, step.source, list(OPTIONS), architecture) > 1000


def test_the_steps_are_all_there_is_and_each_is_a_complete_file() -> None:
    assert {path.name for path in (KERNELS / "ladder").glob("*.cu*")} == set(NAMES)
    for number, step in enumerate(STEPS, 1):
        text = step.source
        assert text.startswith(f"/*\n{step.file}: ")
        assert f"Step {number} of {len(STEPS)}" in text.splitlines()[1]
        assert "#include" not in text
    assert len(STEPS[0].source.splitlines()) <= 65


class ThreadMachine:
    """The CPU: two blocks of 64 threads, kernels compiled by the C++ compiler."""

    xp: Any = np
    threads, most_blocks = 64, 2

    def __init__(self, library: ctypes.CDLL, blocks: int = 2) -> None:
        self._library, self.most_blocks = library, blocks

    def launch(self, kernel: str, blocks: int, *arguments: Any) -> None:
        given = [
            ctypes.c_void_p(a.ctypes.data)
            if isinstance(a, np.ndarray)
            else {4: ctypes.c_int, 8: ctypes.c_longlong}[a.itemsize](int(a))
            for a in arguments
        ]
        getattr(self._library, f"launch_{kernel}")(blocks, self.threads, *given)


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ctypes.CDLL]:
    compiler = next(
        (found for name in ("c++", "g++", "clang++") if (found := shutil.which(name))), None
    )
    if compiler is None:
        pytest.skip("no C++ compiler on this machine (c++, g++ or clang++)")
    folder = tmp_path_factory.mktemp("ladder")
    found = {}
    for step in STEPS:
        target = folder / f"{step.file}.so"
        define = [f'-DKERNEL_FILE="{KERNELS / "ladder" / step.file}"']
        define += ["-DPERSISTENT"] if step.persistent else []
        flags = ["-std=c++20", "-O1", "-pthread", "-shared", "-fPIC", "-Wall", "-Werror"]
        command = [compiler, *flags, "-Wno-unused-function", *define, str(SHIM), "-o", str(target)]
        subprocess.run(command, check=True, timeout=120)
        found[step.file] = ctypes.CDLL(str(target))
    return found


def graph_of(arcs: list[tuple[int, int, int]], n: int) -> CSRGraph:
    columns = np.array(arcs, np.int64).reshape(-1, 3).T
    return CSRGraph.from_arcs(columns[0], columns[1], columns[2].astype(np.int32), n)


def assert_right(graph: CSRGraph, dist: np.ndarray) -> None:
    expected = oracle_distances(graph, 0)
    assert dist.dtype == np.int32
    np.testing.assert_array_equal(np.where(dist == INT_UNREACHED, np.inf, dist), expected)


def finish(run: Run) -> None:
    run.go()
    run.check()


def random_arcs(n: int, m: int, heaviest: int, seed: int) -> CSRGraph:
    rng = np.random.default_rng(seed)
    tails, heads = rng.integers(0, n, (2, m))
    return CSRGraph.from_arcs(tails, heads, rng.integers(0, heaviest, m).astype(np.int32), n)


GRAPHS = {
    "one vertex": (graph_of([], 1), 1),
    "no way": (graph_of([(1, 2, 1)], 3), 5),
    "zeros, loops and parallels": (
        graph_of([(0, 0, 0), (0, 1, 0), (1, 2, 9), (1, 2, 4), (2, 0, 0), (2, 3, 1)], 4),
        2,
    ),
    "empty stretches": (graph_of([(0, 1, 1), (1, 2, 5000), (2, 3, 1), (0, 3, 9000)], 4), 7),
    "a hub": (
        graph_of([(0, v, v) for v in range(1, 90)] + [(v, 90, 1) for v in range(1, 90)], 91),
        16,
    ),
    "random": (random_arcs(60, 240, 40, 1), 10),
    "one bucket": (random_arcs(40, 200, 40, 2), 10_000),
    "a bucket a distance": (random_arcs(30, 60, 9, 3), 1),
}


@pytest.mark.parametrize("case", GRAPHS)
@pytest.mark.parametrize("step", STEPS, ids=NAMES)
def test_every_step_is_right_on_cpu_threads(
    libraries: dict[str, ctypes.CDLL], step: Step, case: str
) -> None:
    graph, delta = GRAPHS[case]
    machine = ThreadMachine(libraries[step.file])
    assert_right(graph, distances(step, machine, graph, 0, delta))


def test_the_last_step_goes_wide_and_comes_back(libraries: dict[str, ctypes.CDLL]) -> None:
    """A star of 1,500 leaves, between two paths: more than one block's shared memory holds."""
    leaves = range(3, 1503)
    arcs = [(0, 1, 1), (1, 2, 1), *((2, v, 1) for v in leaves), *((v, 1503, 2) for v in leaves)]
    graph = graph_of([*arcs, (1503, 1504, 1), (1504, 1505, 3)], 1506)
    step = STEPS[-1]
    run = Run(step, ThreadMachine(libraries[step.file]), graph, 0, 50)
    run.start()
    finish(run)
    assert_right(graph, run.dist)


@pytest.mark.parametrize("step", STEPS, ids=NAMES)
def test_a_full_pile_is_refused(libraries: dict[str, ctypes.CDLL], step: Step) -> None:
    graph = graph_of([(0, v, 3) for v in range(1, 40)], 40)
    run = Run(step, ThreadMachine(libraries[step.file]), graph, 0, 1)
    run.room = 20
    run.start()
    with pytest.raises(EngineError, match="room for 20 items"):
        finish(run)
