"""Four kernels that lead to `near_far.cu`, and the host loops that they need (kernels/ladder).

For reading, for lectures and for `sssp-scope bench ladder`; no engine uses it. Steps 1 and 2
are driven from here, a launch a superstep; steps 3 and 4 are one launch. int32 weights alone.
A machine allocates (`xp`: CuPy or NumPy) and launches: `CupyMachine`; tests have one of threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu.cuda.module import source_of
from gpu.delta import near_far_delta
from gpu.errors import EngineError, WeightError
from gpu.graph import INT_UNREACHED, CSRGraph

THREADS, RESIDENT_THREADS = 256, 1024  # a block of steps 1 and 2; of those that stay
ITEM_INTS = 2  # an item of a pile: vertex, distance
NEAR, FAR, NEAREST = range(3)  # of Counts, steps 1 and 2
STATE_INTS = 16  # of State, steps 3 and 4, and more
FULL = 7  # its place in State, as `near[3], far[2], nearest[2]` before it


@dataclass(frozen=True)
class Step:
    """One rung: its file, what it adds to the one before, whether one launch is the whole run."""

    file: str
    adds: str
    persistent: bool

    @property
    def source(self) -> str:
        """The text of the kernel file."""
        return source_of(f"ladder/{self.file}")


STEPS = (
    Step("near_far_simple.cu", "a launch a superstep, a thread a vertex", False),
    Step("near_far_lanes.cu", "edges dealt to lanes, an atomic a warp", False),
    Step("near_far_persistent.cu", "one launch, a barrier of all blocks", True),
    Step("near_far_one_block.cu", "a small frontier in one block's shared memory", True),
)


OPTIONS = ("--std=c++17",)  # of compilation, without the architecture


class CupyMachine:
    """A GPU: the step's file compiled by NVRTC through CuPy."""

    def __init__(self, step: Step, number: int = 0) -> None:
        import cupy

        self.xp, self.threads = cupy, RESIDENT_THREADS if step.persistent else THREADS
        self._step, self._number = step, number
        self._module = cupy.RawModule(code=step.source, options=OPTIONS, backend="nvrtc")

    @property
    def most_blocks(self) -> int:
        """How many blocks of a persistent step stay on the device: one a multiprocessor."""
        return int(self.xp.cuda.Device(self._number).attributes["MultiProcessorCount"])

    def launch(self, kernel: str, blocks: int, *arguments: Any) -> None:
        """Run a kernel on the current stream; a persistent one so that all blocks are resident."""
        function = self._module.get_function(kernel)
        if not self._step.persistent:
            function((blocks,), (self.threads,), arguments)
            return
        pointers = [a.data.ptr if isinstance(a, self.xp.ndarray) else a for a in arguments]
        values = [np.array([p], np.uint64 if isinstance(p, int) else p.dtype) for p in pointers]
        addresses = np.array([value.ctypes.data for value in values], np.uint64)
        shape = (blocks, 1, 1, self.threads, 1, 1)
        stream = self.xp.cuda.get_current_stream().ptr
        self.xp.cuda.driver.launchCooperativeKernel(
            function.kernel.ptr, *shape, 0, stream, addresses.ctypes.data
        )


def distances(
    step: Step, machine: Any, graph: CSRGraph, source: int, delta: int | None = None
) -> np.ndarray:
    """Return dist, int32 (n,), by one step; delta None: its own. WeightError, EngineError."""
    run = Run(step, machine, graph, source, delta)
    run.start()
    run.go()
    run.check()
    dist = run.dist
    return np.asarray(dist.get() if hasattr(dist, "get") else dist)


class Run:
    """Arrays of one graph on a machine; `start` and `go` may be called many times."""

    def __init__(
        self, step: Step, machine: Any, graph: CSRGraph, source: int, delta: int | None
    ) -> None:
        kind = graph.weights.dtype
        if kind != np.int32:
            raise WeightError(f"{graph.name} has {kind} weights; the ladder takes int32 alone")
        xp = machine.xp
        self._step, self._machine, self._xp = step, machine, xp
        self._source = graph.check_source(source)
        usual = near_far_delta(graph.mean_weight, graph.mean_degree, integer=True)
        self.delta = max(int(usual if delta is None else delta), 1)
        self._graph = tuple(xp.asarray(a) for a in (graph.indptr, graph.indices, graph.weights))
        self.room = 2 * (graph.n + graph.m) + 4096  # items of a pile
        self.dist = xp.empty(graph.n, xp.int32)
        self._near = xp.empty((2, self.room, ITEM_INTS), xp.int32)
        self._far = xp.empty((2, self.room, ITEM_INTS), xp.int32)
        self._state = xp.empty(STATE_INTS, xp.int32)

    def start(self) -> None:
        """Every distance unreached but the source's; the source in near."""
        self.dist.fill(INT_UNREACHED)
        self.dist[self._source] = 0
        self._near[0, 0] = self._xp.asarray([self._source, 0], self._xp.int32)
        self._state.fill(0)
        self._state[NEAR] = 1

    def go(self) -> None:
        """Run from `start` on; steps 1 and 2 raise EngineError where a pile was too small."""
        if self._step.persistent:
            arrays = (*self._graph, self.dist, self._near, self._far)
            more = (np.int32(self.room), self._state, np.int64(self.delta))
            self._machine.launch("near_far", self._machine.most_blocks, *arrays, *more)
        else:
            self._supersteps()

    def check(self) -> None:
        """Wait for the end of `go`; raises EngineError where a pile of one launch was too small."""
        if self._step.persistent:
            self._check_full(bool(self._state[FULL]))

    def _supersteps(self) -> None:
        """The host loop of steps 1 and 2: a launch for each superstep and for each split."""
        threshold, near, far, side, turn = self.delta, 1, 0, 0, 0
        nearest: int | None = None  # of what the last split left, where it found nothing
        while near or far:
            split = near == 0
            if split:
                threshold += self.delta
                if nearest is not None:  # past stretches where nothing waits
                    threshold = (nearest // self.delta + 1) * self.delta
                near, left, nearest = self._split(far, side, turn, threshold)
                far, side = left, side ^ 1
                nearest = None if near else nearest
            else:
                near, far = self._superstep(near, far, side, turn, threshold)
                nearest = None
            turn ^= 1

    def _superstep(
        self, near: int, far: int, side: int, turn: int, threshold: int
    ) -> tuple[int, int]:
        """Relax the arcs of `near` vertices; return the items of the next near pile and of far."""
        lists = (self._near[turn], np.int32(near), self._near[turn ^ 1], self._far[side])
        arguments = (*self._graph, self.dist, *lists)
        counts = self._launch("relax_near", near, arguments, far, threshold)
        return counts[NEAR], counts[FAR]

    def _split(self, far: int, side: int, turn: int, threshold: int) -> tuple[int, int, int]:
        """Sort far again; return items that are near now, items left, the nearest of those."""
        lists = (self._far[side], np.int32(far), self._near[turn ^ 1], self._far[side ^ 1])
        counts = self._launch("split_far", far, (self.dist, *lists), 0, threshold)
        return counts[NEAR], counts[FAR], counts[NEAREST]

    def _launch(
        self, kernel: str, items: int, arguments: tuple[Any, ...], far: int, threshold: int
    ) -> list[int]:
        """Launch a thread an item; return NEAR, FAR and NEAREST as the kernel leaves them."""
        first = self._xp.asarray([0, far, INT_UNREACHED], self._xp.int32)
        self._state[:3] = first
        blocks = (items + self._machine.threads - 1) // self._machine.threads
        more = (np.int32(self.room), self._state, np.int64(threshold))
        self._machine.launch(kernel, blocks, *arguments, *more)
        counts: list[int] = self._state[:3].tolist()
        self._check_full(max(counts[NEAR], counts[FAR]) > self.room)
        return counts

    def _check_full(self, full: bool) -> None:
        if full:
            raise EngineError(
                f"a pile has room for {self.room:,} items and was to hold more: take another delta"
            )
