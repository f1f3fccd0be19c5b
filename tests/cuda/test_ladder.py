"""The ladder: every step compiles for the GPU, and gives the oracle's distances on fibers.

`fibers.cpp` runs the kernels' own text on one CPU thread, its threads in a random order; it takes a
C++17 compiler. What a GPU alone can show is in test_ladder_gpu.py.
"""

import ctypes
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from processes import cpp_compiler
from test_nvrtc import compiled_bytes

import assets
from gpu.cuda import ladder
from gpu.cuda.ladder import OPTIONS, STEPS, Run, Step, prepare
from gpu.cuda.module import KERNELS
from gpu.errors import EngineError
from gpu.graph import INT_UNREACHED, CSRGraph
from gpu.proof.verify import oracle_distances

HERE = Path(__file__).parent
NAMES = [step.file for step in STEPS]
ADDS = [step for step in STEPS if step.kernel == "adds"]
Libraries = dict[str, ctypes.CDLL]


@pytest.mark.parametrize("architecture", [75, 90])
@pytest.mark.parametrize("step", STEPS, ids=NAMES)
def test_nvrtc_compiles_every_step(step: Step, architecture: int) -> None:
    assert compiled_bytes(step.file, step.source, list(OPTIONS), architecture) > 1000


def test_the_steps_are_all_there_is_and_each_is_numbered() -> None:
    assert {path.name for path in (KERNELS / "ladder").glob("*.cu")} == set(NAMES)
    for kernel, count in (("near_far", 4), ("adds", 3)):
        steps = [step for step in STEPS if step.file.startswith(kernel)]
        for number, step in enumerate(steps, 1):
            text = (KERNELS / "ladder" / step.file).read_text(encoding="utf-8")
            assert text.startswith(f"/*\n{step.file}: ")
            assert f"Step {number} of {count}" in text.splitlines()[1]
            assert "#include" not in step.source


class FiberMachine:
    """The CPU: blocks whose threads are fibers, in an order by the seed."""

    xp: Any = SimpleNamespace(**{**vars(np), "empty": np.zeros})
    threads = 64

    def __init__(self, library: ctypes.CDLL, seed: int = 0, blocks: int = 3) -> None:
        self._library, self._seed, self.most_blocks = library, seed, blocks

    def launch(self, kernel: str, blocks: int, *arguments: Any) -> None:
        """Run a kernel as the driver does: with the addresses of its arguments."""
        values = [np.array([a.ctypes.data if isinstance(a, np.ndarray) else a]) for a in arguments]
        addresses = np.array([value.ctypes.data for value in values], np.uint64)
        self._seed += 1
        launch = getattr(self._library, f"launch_{kernel}")
        launch.restype = ctypes.c_bool
        ended = launch(blocks, self.threads, self._seed, ctypes.c_void_p(addresses.ctypes.data))
        assert ended, f"{kernel} waits for ever, seed {self._seed}"


def compiled(folder: Path, step: Step, source: str) -> ctypes.CDLL:
    """Compile a kernel's text, for blocks of 64, with its memory watched; link it to the fibers."""
    source = source.replace("#define THREADS 256", "#define THREADS 64")
    source = source.replace('asm("mov.u32 %0, %%laneid;" : "=r"(lane));', "lane = lane_id();")
    if not sys.platform.startswith("linux"):
        pytest.skip("the fibers need Linux")
    kernels = ["relax_near", "split_far"] if step.kernel is None else [step.kernel]
    lines = ['#include "fibers.h"', source, *(f"LAUNCHER({kernel})" for kernel in kernels)]
    text, kernel, library = (folder / f"{step.name}{end}" for end in (".cpp", ".o", ".so"))
    text.write_text("\n".join(lines), encoding="utf-8")
    fibers = folder / "fibers.o"
    flags = ["-std=c++17", "-O1", "-fPIC", "-Wall", "-Werror", "-Wno-unused-function"]
    flags += ["-Wno-unknown-pragmas"]
    commands = [["-fsanitize=thread", f"-I{HERE}", "-c", str(text), "-o", str(kernel)]]
    commands += [] if fibers.exists() else [["-c", str(HERE / "fibers.cpp"), "-o", str(fibers)]]
    commands += [["-shared", str(fibers), str(kernel), "-o", str(library)]]
    for arguments in commands:
        subprocess.run([cpp_compiler(), *flags, *arguments], check=True, timeout=120)
    return ctypes.CDLL(str(library))


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Libraries:
    folder = tmp_path_factory.mktemp("ladder")
    return {step.file: compiled(folder, step, step.source) for step in STEPS}


def graph_of(arcs: list[tuple[int, int, int]], n: int) -> CSRGraph:
    columns = np.array(arcs, np.int64).reshape(-1, 3).T
    return CSRGraph.from_arcs(columns[0], columns[1], columns[2].astype(np.int32), n)


def assert_right(graph: CSRGraph, dist: np.ndarray) -> None:
    assert dist.dtype == np.int32
    as_oracle = np.where(dist == INT_UNREACHED, np.inf, dist)
    np.testing.assert_array_equal(as_oracle, oracle_distances(graph, 0))


def finish(run: Run) -> np.ndarray:
    """Make one run; return its distances."""
    run.start()
    run.go()
    run.check()
    return run.distances()


def distances(
    step: Step, machine: Any, graph: CSRGraph, source: int, delta: int | None = None
) -> np.ndarray:
    return finish(prepare(step, machine, graph, source, delta))


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
    "one bucket": (random_arcs(40, 200, 40, 2), 10_000),
    "a bucket a distance": (random_arcs(30, 60, 9, 3), 1),
}


@pytest.mark.parametrize("case", GRAPHS)
@pytest.mark.parametrize("step", STEPS, ids=NAMES)
def test_every_step_is_right_on_fibers(libraries: Libraries, step: Step, case: str) -> None:
    graph, delta = GRAPHS[case]
    machine = FiberMachine(libraries[step.file])
    assert_right(graph, distances(step, machine, graph, 0, delta))


@pytest.mark.parametrize("step", STEPS, ids=NAMES)
def test_random_graphs_in_random_orders(libraries: Libraries, step: Step) -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n, heaviest = int(rng.integers(2, 80)), int(rng.choice([1, 2, 10, 1000]))
        graph = random_arcs(n, int(rng.integers(0, 5 * n)), heaviest, seed)
        machine = FiberMachine(libraries[step.file], 10 * seed, int(rng.integers(2, 6)))
        assert_right(graph, distances(step, machine, graph, 0, rng.choice([None, 1, 64])))


def test_the_last_step_goes_wide_and_comes_back(libraries: Libraries) -> None:
    """A star of 1,500 leaves, between two paths: more than one block's shared memory holds."""
    leaves = range(3, 1503)
    arcs = [(0, 1, 1), (1, 2, 1), *((2, v, 1) for v in leaves), *((v, 1503, 2) for v in leaves)]
    graph = graph_of([*arcs, (1503, 1504, 1), (1504, 1505, 3)], 1506)
    for step in (*(step for step in STEPS if step.kernel == "near_far"), *ADDS):
        assert_right(graph, distances(step, FiberMachine(libraries[step.file]), graph, 0, 50))


@pytest.mark.parametrize("step", STEPS, ids=NAMES)
def test_a_full_pile_or_bucket_is_refused(
    libraries: Libraries, step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = graph_of([(0, v, 3) for v in range(1, 600)], 600)
    run = prepare(step, FiberMachine(libraries[step.file]), graph, 0, 1)
    run.room = 20
    if step.name in ("adds_pool", "adds_rounds"):
        monkeypatch.setattr(ladder, "AHEAD", 2)
        run._buckets()
    with pytest.raises(EngineError, match="room for 20 items"):
        finish(run)


FAULTS = {  # what a rule of the queue is for: a text, and one without the rule
    "a bucket that is only empty is not finished": (
        "if (m.done[slot] != m.reserved[slot]) break;",
        "if (m.read[slot] != m.reserved[slot]) break;",
    ),
    "a worker reports after its pushes": ("order);\n        __syncthreads();", "order);"),
}


@pytest.mark.parametrize("rule", FAULTS)
def test_fibers_see_what_a_rule_is_for(rule: str, tmp_path: Path) -> None:
    right, wrong = FAULTS[rule]
    (step,) = (step for step in STEPS if step.name == "adds_simple")
    assert step.source.count(right) == 1
    library = compiled(tmp_path, step, step.source.replace(right, wrong))

    def is_right(seed: int) -> bool:
        graph = random_arcs(60, 240, 40, seed)
        try:
            assert_right(graph, distances(step, FiberMachine(library, seed), graph, 0, 4))
        except AssertionError:  # also where some threads have left and others wait for them
            return False
        return True

    assert not all(is_right(seed) for seed in range(60))


def test_the_manual_names_functions_that_are_there() -> None:
    text = (Path(assets.__file__).parent / "manual" / "panels.md").read_text(encoding="utf-8")
    page = text.split("# kernels: ")[1].split("\n# ")[0]
    named = re.findall(r"`(\w+)` in `([\w./]+)`", page)
    assert len(named) == 20
    for name, file in named:
        kernel = (KERNELS / file).read_text(encoding="utf-8")
        defined = rf"^ *(?:template .*)?(?:__device__|DEVICE|TWIN)\b.*\b{name}\(.*(?:{{|,$)"
        assert re.search(defined, kernel, re.MULTILINE), (name, file)
    assert len(page.split()) <= 400
