"""One run on the device: graph, queues, launch, watch, results.

A graph is uploaded once and kept while it lives. A run launches `begin`, which clears its arrays,
and the algorithm's kernel on a stream of its own between two events; no other call stands between
these, since each takes the host 5 to 9 us. It watches: samples out of the pinned ring, Stop and a
delta held by hand into it, and ten times a second a copy of the distances.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from gpu.cuda import records, watchdog
from gpu.cuda.device import Device, find_device
from gpu.cuda.module import THREADS, constant, function
from gpu.cuda.ring import RING_SAMPLES, HostRing
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.errors import EngineError, MemoryNeededError, ParameterError, QueuesFullError
from gpu.graph import CSRGraph
from gpu.policy import BAD_DELTA, BAD_HEADS, fault
from gpu.record.trace import SAMPLE, Flag, Probe, Reason, RunSettings

POLL_S = 2e-4  # between two looks at the ring
SNAPSHOT_S = 0.1  # between two copies of the distances mid-run
DEFAULT_PERIOD_NS = 10_000
ALIGNED = 256  # bytes, of arrays that share an allocation
SPARE_BYTES = 64 << 20  # left free on the device
OUT_OF_MEMORY = 2  # cudaErrorMemoryAllocation
L2_FETCH = 5  # cudaLimitMaxL2FetchGranularity
NARROW_DEGREE = 4.0  # mean, up to which little is in flight: a run is a chain of cache misses
UNREAD = RunBuffers(np.empty(0))  # of runs that are not read back: they fill none


class DeviceGraph:
    """A graph in device memory: rows (n, 2) uint32; arcs (m, 2), of head and weight bits."""

    def __init__(self, graph: CSRGraph, device: Device) -> None:
        import cupy

        self.n, self.m = graph.n, graph.m
        largest = graph.weights.max(initial=0).astype(graph.weights.dtype)
        self.largest_weight = int(largest.view(records.bits_of(graph.weights.dtype)))  # its bits
        self._check_room(graph)
        self.rows = cupy.empty((max(graph.n, 1), 2), np.uint32)
        numbers, bits = graph.weights.dtype.name, records.bits_of(graph.weights.dtype)
        self.arcs = cupy.empty((max(graph.m, 1), records.ARC_WORDS), bits)
        indptr = cupy.asarray(graph.indptr)
        pack = (device.number, "prepare.cu")
        grid, block = (8 * device.multiprocessors,), (THREADS["prepare.cu"],)
        rows = function(*pack, "pack_rows", 0, numbers)
        rows(grid, block, (indptr, self.rows, np.uint32(graph.n)))
        del indptr
        if graph.m:
            indices, weights = cupy.asarray(graph.indices), cupy.asarray(graph.weights)
            arcs = function(*pack, "pack_arcs", 0, numbers)
            arcs(grid, block, (indices, weights.view(bits), self.arcs, np.uint32(graph.m)))
        cupy.cuda.get_current_stream().synchronize()

    @staticmethod
    def _check_room(graph: CSRGraph) -> None:
        size = graph.weights.itemsize
        needed = (
            (20 + size) * graph.n + (4 + (1 + records.ARC_WORDS) * size) * graph.m + SPARE_BYTES
        )
        refuse_beyond(needed, f"{graph.name} ({graph.n:,} vertices, {graph.m:,} edges)")


_LAUNCHED: set[tuple[Any, ...]] = set()  # variants that this process has launched
_GRAPHS: weakref.WeakKeyDictionary[CSRGraph, tuple[int, DeviceGraph]] = weakref.WeakKeyDictionary()


def device_graph(graph: CSRGraph, device: Device) -> DeviceGraph:
    """Return the uploaded graph; only the newest one is kept."""
    kept = _GRAPHS.get(graph)
    if kept is not None and kept[0] == device.number:
        return kept[1]
    _GRAPHS.clear()
    uploaded = DeviceGraph(graph, device)
    _GRAPHS[graph] = (device.number, uploaded)
    return uploaded


# Graphs, and the kernel files whose queues were full on them.
_FULL: weakref.WeakKeyDictionary[CSRGraph, set[str]] = weakref.WeakKeyDictionary()
SHARE = 0.5  # of free device memory, for queues that were full before


def mark_as_full(graph: CSRGraph, file: str) -> bool:
    """Give the next run of a kernel on a graph larger queues. False: this run had them already."""
    files = _FULL.setdefault(graph, set())
    was_first = file not in files
    files.add(file)
    return was_first


def places_for(graph: CSRGraph, file: str, places: int, place_bytes: int, most: int) -> int:
    """Return the places of a run's queues: `places`; where those were full, a share of memory.

    most : that the kernel can count
    """
    if file not in _FULL.get(graph, ()):
        return min(places, most)
    import cupy

    cupy.get_default_memory_pool().free_all_blocks()  # else what is free lies in pieces
    return min(max(places, int(SHARE * free_bytes() / place_bytes)), most)


def free_bytes() -> int:
    """Return the bytes of device memory that a run can take."""
    import cupy

    pool = int(cupy.get_default_memory_pool().free_bytes())
    return int(cupy.cuda.runtime.memGetInfo()[0]) + pool


def refuse_beyond(needed: int, what: str) -> None:
    """Raise MemoryNeededError where the device has less than `needed` bytes free."""
    free = free_bytes()
    if needed > free:
        raise MemoryNeededError(
            f"{what} needs {needed / 1e9:.2f} GB of device memory, {free / 1e9:.2f} GB are free: "
            "close other programs that use the GPU, or take a smaller graph"
        )


@contextmanager
def memory_refusals(graph: CSRGraph) -> Iterator[None]:
    """Raise MemoryNeededError where memory that was free is taken by another program meanwhile."""
    import cupy

    try:
        yield
    except (cupy.cuda.memory.OutOfMemoryError, cupy.cuda.runtime.CUDARuntimeError) as error:
        if getattr(error, "status", OUT_OF_MEMORY) != OUT_OF_MEMORY:
            raise
        raise MemoryNeededError(
            f"the GPU's memory was taken while a run on {graph.name} ({graph.n:,} vertices, "
            f"{graph.m:,} edges) began: close other programs that use the GPU, and run again"
        ) from error


@dataclass(eq=False)
class Plan:
    """What an algorithm's launcher decides about one run."""

    file: str  # kernel source
    kernel: str  # and its entry
    threads: int  # a block
    workers: int  # blocks that keep statistics; the grid has one more, the manager or the courier
    record: np.ndarray  # RUN (1,), filled by the algorithm; addresses are filled in here
    shared_bytes: int = 0  # of a block, beside what the kernel declares
    arrays: dict[str, Any] = field(default_factory=dict)  # by RUN field, kept alive for the run
    clear: list[tuple[Any, int]] = field(default_factory=list)  # array, 0 or all bits


def zeroed(plan: Plan, **sizes: tuple[int, type]) -> None:
    """Add arrays of these lengths and types to a plan; one clearing sets them all to 0."""
    import cupy

    places, total = {}, 0
    for name, (length, kind) in sizes.items():
        places[name] = slice(total, total + length * np.dtype(kind).itemsize)
        total = -(-places[name].stop // ALIGNED) * ALIGNED
    together = cupy.empty(total, np.uint8)
    for name, place in places.items():
        plan.arrays[name] = together[place].view(sizes[name][1])
    plan.clear.append((together, 0))


def new_record(**values: Any) -> np.ndarray:
    """Return RUN (1,) with these fields, the others 0."""
    record = np.zeros(1, records.RUN)
    for name, value in values.items():
        record[name] = value
    return record


def resident_blocks(device: Device, kernel: Any, threads: int, shared_bytes: int = 0) -> int:
    """Return how many blocks of a kernel the whole device holds at once."""
    import cupy

    per_sm = cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(
        kernel.kernel.ptr, threads, shared_bytes
    )
    return int(per_sm) * device.multiprocessors


def refuse_workers(workers: int, most: int, device: Device, threads: int) -> None:
    """Raise ParameterError where not all blocks would be resident."""
    if workers > most:
        raise ParameterError(
            f"workers = {workers}; {device.name} holds at most {most} worker blocks of {threads} "
            "threads at once, and every worker must be resident"
        )


@lru_cache(maxsize=1)
def _set_fetch(device: int, size: int) -> None:
    """Let a miss in the L2 cache of `device` fetch so many bytes: a hint, which takes 0.5 ms."""
    import cupy

    with suppress(cupy.cuda.runtime.CUDARuntimeError):
        cupy.cuda.runtime.deviceSetLimit(L2_FETCH, size)


class CudaRun:
    """One run: allocated, launched, watched, read back."""

    def __init__(
        self,
        graph: CSRGraph,
        device: Device,
        plan: Plan,
        settings: RunSettings,
        buffers: RunBuffers,
    ) -> None:
        import cupy

        self._cupy, self._graph, self._device = cupy, graph, device
        self._buffers, self._probe, self.plan = buffers, settings.probe, plan
        self._stream = cupy.cuda.Stream(non_blocking=True)
        self._copies = cupy.cuda.Stream(non_blocking=True)
        self.ring = HostRing(cupy, RING_SAMPLES if settings.probe else 1)
        self._dist = cupy.empty(graph.n, records.bits_of(graph.weights.dtype))
        after = -(-records.STATE.itemsize // ALIGNED) * ALIGNED
        size = max(plan.workers, 1) * records.STATS.itemsize
        together = cupy.empty(after + size, np.uint8)
        self._state, self._stats = together[: records.STATE.itemsize], together[after:]
        self._vertex_arrays()
        self._clear_first(plan)
        self._fill_record(plan, settings.sample_period_ns)
        numbers = graph.weights.dtype.name
        self._policy = settings.policy
        variant = settings.probe, numbers, plan.threads, settings.policy
        self._kernel = function(device.number, plan.file, plan.kernel, *variant)
        self._constant = constant("RUN", device.number, plan.file, *variant)
        with self._stream:  # else a copy that the run's stream does not wait for
            self._record = cupy.asarray(plan.record.view(np.uint8))

    def _clear_first(self, plan: Plan) -> None:
        """Write into the record what `begin` is to clear."""
        record = plan.record[0]
        arrays = [(self._stats, 0), *plan.clear]
        for k, (array, value) in enumerate(arrays):
            record["clear_at"][k] = array.data.ptr
            record["clear_words"][k], left = divmod(array.nbytes, records.CLEAR_BYTES)
            record["clear_to"][k] = 0xFFFFFFFF if value else 0
            if left:
                raise EngineError(f"an array of {array.nbytes} bytes cannot be cleared, our fault")
        record["clears"] = len(arrays)

    def _vertex_arrays(self) -> None:
        cupy, n = self._cupy, self._graph.n
        self._ticks = self._times = None
        if self._probe >= Probe.VERTICES:
            self._ticks, self._times = cupy.empty((n, 2), np.int32), cupy.empty(n, np.int32)

    def _fill_record(self, plan: Plan, period_ns: int) -> None:
        """Write addresses and what every algorithm needs into the record."""
        graph, record = self._graph, plan.record
        self._uploaded = uploaded = device_graph(graph, self._device)
        arrays = {
            "rows": uploaded.rows,
            "arcs": uploaded.arcs,
            "dist": self._dist,
            "ticks": self._ticks,
            "times": self._times,
            "state": self._state,
            "stats": self._stats,
            **plan.arrays,
        }
        for name, array in arrays.items():
            record[name] = array.data.ptr if array is not None else 0
        record["host"], record["ring"] = self.ring.control_address, self.ring.ring_address
        record["n"], record["m"] = graph.n, graph.m
        record["mean_degree"], record["mean_weight"] = graph.mean_degree, graph.mean_weight
        record["weight_max"] = uploaded.largest_weight
        record["period_ns"] = period_ns or DEFAULT_PERIOD_NS
        record["limit_ns"] = int(watchdog.LIMIT_S * 1e9)
        record["ring_mask"] = self.ring.samples - 1

    def launch(self) -> None:
        """Start everything on the stream; returns at once."""
        cupy, stream = self._cupy, self._stream
        variant = (self._probe, self._graph.weights.dtype.name)
        begin = function(self._device.number, "prepare.cu", "begin", *variant)
        record = self._record
        grid, block = (8 * self._device.multiprocessors,), (THREADS["prepare.cu"],)
        self._events = cupy.cuda.Event(), cupy.cuda.Event()
        fetch = 128 if self._graph.mean_degree <= NARROW_DEGREE else 64
        _set_fetch(self._device.number, fetch)
        with stream:
            copied = (self._constant.ptr, record.data.ptr, record.nbytes)
            cupy.cuda.runtime.memcpyAsync(*copied, 3, stream.ptr)
            self.started = time.perf_counter()
            self._events[0].record(stream)
            begin(grid, block, (record,))
            launch_cooperative(cupy, self._kernel, self.plan, stream)
            self._events[1].record(stream)

    def wait(self) -> None:
        """Return when the kernel has ended; what went wrong on the device is raised."""
        with watchdog.waiting_for_gpu():
            self._stream.synchronize()

    def watch(self, observer: Observer) -> None:
        """Hand samples over and listen to the observer until the kernel has ended."""
        with watchdog.waiting_for_gpu() as hear:
            self._watch(observer, hear)

    def _watch(self, observer: Observer, hear: Callable[[], None]) -> None:
        held: float | None = None
        stopping = False
        copied = time.perf_counter()
        while not self._events[1].done:
            for batch in self.ring.take():
                hear()
                observer.on_samples(batch)
            if not stopping and observer.should_stop():
                self.ring.stop()
                stopping = True
            delta = observer.delta_by_hand()
            if delta != held:
                self.ring.hold_delta(delta)
                held = delta
            if time.perf_counter() - copied >= SNAPSHOT_S:
                self._copy(self._dist, self._buffers.dist, self._copies)
                self._copies.synchronize()
                copied = time.perf_counter()
            time.sleep(POLL_S)
        self._stream.synchronize()
        self.ended = time.perf_counter()
        for batch in self.ring.take():
            observer.on_samples(batch)

    def finish(self, observer: Observer) -> EngineOutcome:
        """Copy results out, hand the last sample over; raise what ended the run early."""
        stream = self._stream
        self._copy(self._dist, self._buffers.dist, stream)
        vertices = self._buffers.vertices
        if vertices is not None and self._ticks is not None:
            both = self._ticks.get(stream=stream)
            for ticks, target in (
                (both[:, 0], vertices.first_reached_ns),
                (both.max(axis=1), vertices.last_improved_ns),
            ):
                target[:] = ticks
                target[target >= 0] *= records.TICK_NS  # -1 is NEVER on both sides
            self._copy(self._times, vertices.times_processed, stream)
        stream.synchronize()
        elapsed_s = time.perf_counter() - self.started
        self.state = self._state.get(stream=self._stream).view(records.STATE)[0]
        self.stats = self._stats.get(stream=self._stream).view(records.STATS)
        self._raise_fault()
        stopped = int(self.state["status"]) == records.STOPPED
        observer.on_samples(self.last_sample(stopped))
        kernel_ms = self._cupy.cuda.get_elapsed_time(*self._events)
        facts = {
            **self._device.facts(),
            "kernel_ms": float(kernel_ms),
            "end_to_end_ms": elapsed_s * 1e3,
            "workers": self.plan.workers,
            "threads_per_worker": self.plan.threads,
        }
        outcome, overflowed = "stopped" if stopped else "finished", bool(self.state["overflowed"])
        return EngineOutcome("measured", outcome, facts, overflowed=overflowed)

    def last_sample(self, stopped: bool) -> np.ndarray:
        """Return SAMPLE (1,): the run's totals."""
        state, record = self.state, self.plan.record[0]
        sample = np.zeros(1, SAMPLE)
        sample["t_ns"] = int(state["end_ns"]) - int(state["start_ns"])
        sample["sequence"] = self.ring.written()
        sample["processed_vertices"] = self.stats["processed"].sum()
        sample["relaxed_edges"] = self.stats["relaxed"].sum()
        sample["improved"] = self.stats["improved"].sum()
        sample["distance_error"] = self.stats["error"].sum()
        sample["error_vertices"] = self.stats["measured"].sum()
        for name in ("head_bucket", "bucket_switches", "delta", "base", "open_buckets"):
            sample[name] = state[name]
        sample["delta_changes"] = state["delta_changes"]
        sample["reason"] = int(Reason.BY_HAND) if state["by_hand"] else state["reason"]
        sample["band_low"], sample["band_high"] = record["band_low"], record["band_high"]
        flags = Flag.STOPPED if stopped else Flag.FINISHED
        sample["flags"] = int(flags | (Flag.DELTA_BY_HAND if state["by_hand"] else Flag(0)))
        return sample

    def _copy(self, source: Any, target: np.ndarray, stream: Any) -> None:
        self._cupy.cuda.runtime.memcpyAsync(
            target.ctypes.data, source.data.ptr, target.nbytes, 2, stream.ptr
        )

    def _raise_fault(self) -> None:
        status, graph = int(self.state["status"]), self._graph
        if status == records.POOL_DRY:
            record = self.plan.record
            items = int(record["pool_blocks"][0]) * records.BLOCK_ITEMS
            items = items or int(record["pile_room"][0])
            size = records.item_bytes(graph.weights.dtype)
            full = f"the queues' {items:,} places ({size * items / 1e9:.2f} GB) were full"
            if mark_as_full(graph, self.plan.file):
                raise QueuesFullError(full)
            raise MemoryNeededError(
                f"{full} on {graph.n:,} vertices and {graph.m:,} edges, and there is no room for "
                "more: use another delta, or a device with more memory"
            )
        if self._policy is not None and status in {BAD_DELTA, BAD_HEADS}:
            state, most = self.state, int(self.plan.record["controller"]["max_open"][0])
            raise fault(self._policy, status, float(state["threshold"]), int(state["line"]), most)
        if status in (records.TIMED_OUT, records.RUNNING) or self.state["gave_up"]:
            raise EngineError(
                f"the kernel had not finished after {watchdog.LIMIT_S:g} s and ended itself; try "
                "another delta or the engine model"
            )
        if status not in (records.FINISHED, records.STOPPED):
            raise EngineError(f"the kernel ended with status {status}, which is a fault of ours")


def launch_cooperative(cupy: Any, kernel: Any, plan: Plan, stream: Any) -> None:
    """Launch a kernel without arguments; the driver refuses a grid that is not resident."""
    cupy.cuda.driver.launchCooperativeKernel(
        *(kernel.kernel.ptr, plan.workers + 1, 1, 1, plan.threads, 1, 1),
        *(plan.shared_bytes, stream.ptr, 0),
    )


def go(
    graph: CSRGraph,
    settings: RunSettings,
    buffers: RunBuffers,
    observer: Observer,
    make_plan: Callable[[CSRGraph, RunSettings, Device], Plan],
) -> tuple[EngineOutcome, CudaRun]:
    """Plan, launch, watch and finish one run; return it too, for its readings and state.

    make_plan : the algorithm's, called once the device is current
    """
    device = check_device(settings)
    with memory_refusals(graph):
        plan = make_plan(graph, settings, device)
        if _is_first(graph, device, plan, settings):
            rehearse(graph, device, plan, settings)
            del plan  # what it has allocated, the run takes
            plan = make_plan(graph, settings, device)
        run = CudaRun(graph, device, plan, settings, buffers)
    run.launch()
    run.watch(observer)
    return run.finish(observer), run


def _is_first(graph: CSRGraph, device: Device, plan: Plan, settings: RunSettings) -> bool:
    """Whether this process has not launched this variant of a kernel yet."""
    kind = settings.probe, graph.weights.dtype.name, settings.policy
    variant = (device.number, plan.file, plan.kernel, plan.threads, *kind)
    is_first = variant not in _LAUNCHED
    _LAUNCHED.add(variant)
    return is_first


def rehearse(graph: CSRGraph, device: Device, plan: Plan, settings: RunSettings) -> None:
    """Launch a kernel once and stop it at once: the driver loads it then, which takes 4 ms."""
    run = CudaRun(graph, device, plan, settings, UNREAD)
    run.ring.stop()
    run.launch()
    run.wait()


def check_device(settings: RunSettings) -> Device:
    """Return the device, made current; refuse the level that kernels do not record."""
    if settings.probe >= Probe.EVENTS:
        raise ParameterError(f"probe = {settings.probe}; the engine cuda records levels 0, 1 and 2")
    device = find_device(settings.device)
    import cupy

    cupy.cuda.Device(device.number).use()
    return device
