"""Kernels for a class: Near-Far in four steps and ADDS in three, with the host code that they need.

    python -m gpu.cuda.ladder adds_simple roads.gr [--source 0] [--delta D]

runs one step, prints its time and checks its distances. `sssp-scope lab run ladder` compares all.
No engine uses them. int32 weights alone. Steps 1 and 2 of Near-Far are driven from here, a launch
a superstep; any other step is one launch. A machine allocates (`xp`: CuPy or NumPy) and launches:
`CupyMachine`; tests have one of fibers.
"""

from __future__ import annotations

import argparse
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu.cuda.device import find_device
from gpu.cuda.launch import memory_refusals
from gpu.cuda.module import source_of
from gpu.delta import near_far_delta, power_of_two
from gpu.errors import EngineError, GpuError, WeightError
from gpu.graph import INT_UNREACHED, CSRGraph
from gpu.proof.verify import verify

THREADS, RESIDENT = 256, 1024  # a block; of steps 3 and 4 of Near-Far
ITEM_INTS = 2  # an item of a pile or bucket: vertex, distance
SPARE = 4096  # items that a pile or bucket has room for, beside those that follow from the graph
NEAR, FAR, NEAREST = range(3)  # of Counts, steps 1 and 2
STATE_INTS = 128  # of State, and more
FULL = 7  # its place in State, as `near[3], far[2], nearest[2]` before it
SLOTS, ORDER_INTS = 32, 8  # of ADDS: buckets, and the size of an Order
BLOCK, AHEAD = 256, 3  # of adds_pool: items of a block; blocks for each slot, beside those of items
BLOCKS_OF_SLOT = 8  # that a slot can have in the whole run, x the pool's
CLIP = 16  # delta is not halved below the largest weight / CLIP, so that nothing is clipped
START_SHARE = 4  # delta is doubled up to Near-Far's, and begins at that / START_SHARE
FINISHED, ADDS_FULL = 1, 2  # `ended` in State of ADDS


@dataclass(frozen=True)
class Step:
    """One rung: its file, what it adds to the one before, the kernel that is the whole run."""

    file: str
    adds: str
    kernel: str | None  # None: a launch a superstep
    threads: int = THREADS  # a block

    @property
    def name(self) -> str:
        """As the command line knows it."""
        return self.file.removesuffix(".cu")

    @property
    def source(self) -> str:
        """The text of the kernel file, with what it includes."""
        return source_of(f"ladder/{self.file}")


STEPS = (
    Step("near_far_simple.cu", "a launch a superstep, a thread a vertex", None),
    Step("near_far_lanes.cu", "edges dealt to lanes, an atomic a warp", None),
    Step("near_far_persistent.cu", "one launch, a barrier of all blocks", "near_far", RESIDENT),
    Step("near_far_one_block.cu", "a small frontier in one block's memory", "near_far", RESIDENT),
    Step("adds_simple.cu", "a manager, 32 buckets, no barrier", "adds"),
    Step("adds_pool.cu", "buckets share a pool of blocks", "adds"),
    Step("adds_rounds.cu", "workers go on with what belongs to their bucket", "adds"),
)


OPTIONS = ("--std=c++17",)  # of compilation, without the architecture


class CupyMachine:
    """A GPU: the step's file compiled by NVRTC through CuPy."""

    def __init__(self, step: Step, number: int = 0) -> None:
        import cupy

        self.xp, self.threads = cupy, step.threads
        self._step, self._number = step, number
        self._module = cupy.RawModule(code=step.source, options=OPTIONS, backend="nvrtc")

    @property
    def most_blocks(self) -> int:
        """Blocks of a one-launch step that are resident at once, at most one a multiprocessor."""
        function = self._module.get_function(self._step.kernel)
        driver = self.xp.cuda.driver
        fit = driver.occupancyMaxActiveBlocksPerMultiprocessor(function.kernel.ptr, self.threads, 0)
        attributes = self.xp.cuda.Device(self._number).attributes
        return int(attributes["MultiProcessorCount"]) * min(int(fit), 1)

    def launch(self, kernel: str, blocks: int, *arguments: Any) -> None:
        """Run a kernel on the current stream; a one-launch step so that all blocks are resident."""
        function = self._module.get_function(kernel)
        if self._step.kernel is None:
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


def prepare(
    step: Step, machine: Any, graph: CSRGraph, source: int, delta: int | None = None
) -> Run:
    """Return a run of one step; delta None: its own. Raises WeightError, SourceError."""
    kinds = {None: SuperstepsRun, "near_far": NearFarRun, "adds": AddsRun}
    return kinds[step.kernel](step, machine, graph, source, delta)


class Run(ABC):
    """Arrays of one graph on a machine; `start`, `go` and `check` may be called many times."""

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
        self.dist = xp.empty(graph.n, xp.int32)
        self._state = xp.empty(STATE_INTS, xp.int32)
        self.room = 2 * (graph.n + graph.m) + SPARE  # items that wait in a pile or bucket
        self._allocate(graph, delta is not None)

    @abstractmethod
    def _allocate(self, graph: CSRGraph, held: bool) -> None:
        """Allocate what the step needs; held : delta was given."""

    def start(self) -> None:
        """Every distance unreached but the source's; the source in the first pile or bucket."""
        self.dist.fill(INT_UNREACHED)
        self.dist[self._source] = 0
        self._state.fill(0)

    @abstractmethod
    def go(self) -> None:
        """Run from `start` on."""

    @abstractmethod
    def check(self) -> None:
        """Wait for the end of `go`; raises EngineError where that was no answer."""

    def distances(self) -> np.ndarray:
        """Return dist, int32 (n,), in the host's memory."""
        return np.asarray(self.dist.get() if hasattr(self.dist, "get") else self.dist)

    def _refuse_full(self, full: bool) -> None:
        if full:
            raise EngineError(
                f"a pile or bucket has room for {self.room:,} items and was to hold more: "
                "take another delta"
            )


class NearFarRun(Run):
    """Steps 3 and 4 of Near-Far: one launch."""

    def _allocate(self, graph: CSRGraph, held: bool) -> None:
        del graph, held
        self._near = self._xp.empty((2, self.room, ITEM_INTS), self._xp.int32)
        self._far = self._xp.empty((2, self.room, ITEM_INTS), self._xp.int32)

    def start(self) -> None:
        """The source is in near."""
        super().start()
        self._near[0, 0] = self._xp.asarray([self._source, 0], self._xp.int32)
        self._state[NEAR] = 1

    def go(self) -> None:
        """One launch."""
        arrays = (*self._graph, self.dist, self._near, self._far)
        more = (np.int32(self.room), self._state, np.int64(self.delta))
        self._machine.launch("near_far", self._machine.most_blocks, *arrays, *more)

    def check(self) -> None:
        """A pile that was too small set `full`."""
        self._refuse_full(bool(self._state[FULL]))


class SuperstepsRun(NearFarRun):
    """Steps 1 and 2 of Near-Far: the host's loop."""

    def go(self) -> None:
        """A launch for each superstep and for each split; EngineError where a pile was full."""
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
        self._refuse_full(max(counts[NEAR], counts[FAR]) > self.room)
        return counts


class AddsRun(Run):
    """A step of ADDS: one launch, block 0 is the manager."""

    def _allocate(self, graph: CSRGraph, held: bool) -> None:
        xp = self._xp
        self.workers = min(self._machine.most_blocks - 1, THREADS)
        self._orders = xp.empty((max(self.workers, 1), ORDER_INTS), xp.int32)
        clip = float(graph.weights.max(initial=0)) / CLIP
        most = float(self.delta if held else max(clip, self.delta))
        least = most if held else clip
        widths = (max(least, most / START_SHARE), least, most)
        self._widths = [np.int32(np.log2(power_of_two(max(width, 1.0)))) for width in widths]
        self._buckets()

    def _buckets(self) -> None:
        """Allocate the buckets: an array each, or a pool that is as large as one of these."""
        xp = self._xp
        if self._step.name == "adds_simple":
            self._first = xp.zeros(SLOTS, xp.int32)
            items = SLOTS * self.room
        else:
            self._blocks = self.room // BLOCK + AHEAD * SLOTS
            blocks = np.arange(self._blocks, dtype=np.int32)
            counts = np.array([self._blocks] + 2 * SLOTS * [0], np.int32)
            table = np.full(SLOTS * BLOCKS_OF_SLOT * self._blocks, -1, np.int32)
            self._first = xp.asarray(np.concatenate([0 * blocks, blocks, counts, table]))
            items = self._blocks * BLOCK
        self._written = xp.empty_like(self._first)
        self._items = xp.empty((items, ITEM_INTS), xp.int32)

    def start(self) -> None:
        """All counters are 0; the manager pushes the source."""
        super().start()
        self._orders.fill(0)
        self._written[:] = self._first

    def go(self) -> None:
        """One launch."""
        room = self.room if self._step.name == "adds_simple" else self._blocks
        arrays = (*self._graph, self.dist, np.int32(self._source), self._state, self._orders)
        more = (self._items, np.int32(room), self._written, *self._widths)
        self._machine.launch("adds", self.workers + 1, *arrays, *more)

    def check(self) -> None:
        """The kernel says how it ended."""
        ended = int(self._state[0])
        self._refuse_full(ended == ADDS_FULL)
        if ended != FINISHED:
            raise EngineError("the kernel had not finished in its time: take another delta")


def timed(run: Run) -> float:
    """Return one run's time on a GPU in ms, from the initial distances to the end of the kernel."""
    import cupy

    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    run.start()
    begin.record()
    run.go()
    end.record()
    end.synchronize()
    run.check()
    return float(cupy.cuda.get_elapsed_time(begin, end))


def main(argv: Sequence[str] | None = None) -> int:
    """Run one step on a graph; return 0, 1 on a reported error, 3 on a wrong distance."""
    parser = argparse.ArgumentParser("python -m gpu.cuda.ladder", description="Run one kernel.")
    parser.add_argument("step", choices=[step.name for step in STEPS])
    parser.add_argument("graph", help="a file, or sample:KEY, with int32 weights")
    parser.add_argument("--source", type=int, default=0, help="vertex, counted from 0 [0]")
    parser.add_argument("--delta", type=int, help="held there [its own]")
    parser.add_argument("--runs", type=int, default=1, help="whose times are printed [1]")
    args = parser.parse_args(argv)
    try:
        return _run(args)
    except GpuError as error:
        print(f"gpu: {error}", file=sys.stderr)
        return 1


def _run(args: argparse.Namespace) -> int:
    device = find_device()
    from gpu.formats import load_graph
    from sample_graphs import open_sample

    graph = open_sample(args.graph) if args.graph.startswith("sample:") else load_graph(args.graph)
    (step,) = (step for step in STEPS if step.name == args.step)
    with memory_refusals(graph):
        run = prepare(step, CupyMachine(step, device.number), graph, args.source, args.delta)
    timed(run)  # the driver loads the kernel
    times = [timed(run) for _ in range(args.runs)]
    proof = verify(graph, args.source, run.distances())
    print(f"{step.file} on {graph.name} ({graph.n:,} vertices, {graph.m:,} edges), {device.name}")
    print("\n".join(f"{took_ms:.3f} ms" for took_ms in times))
    print(proof.detail)
    return 0 if proof.passed else 3


if __name__ == "__main__":
    sys.exit(main())
