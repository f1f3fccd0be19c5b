"""All pairs on the device: the engine functions, which kernel a graph gets, and how big.

A block works on one source at a time. Where its row of distances and two or three bits a vertex fit
the shared memory of a multiprocessor they are kept there; where only the bits fit, the row is
worked on in the output; beyond half a million vertices the bits leave too.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpu.algorithms.all_pairs import C_DELTA, C_FAST, source_range, wanted_delta
from gpu.cuda.apsp_records import Shape
from gpu.cuda.apsp_stream import Conveyor
from gpu.cuda.device import Device
from gpu.cuda.launch import check_device, device_graph, memory_refusals
from gpu.cuda.module import function
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.graph import CSRGraph
from gpu.record.trace import RunSettings

MOST_THREADS, LEAST_THREADS = 1024, 128  # of a block
THREADS_PER_SM = 2048  # that share a multiprocessor: tuned on an H100
LIST_ITEMS = 1024  # LIST in apsp_sweep.cu
STATIC_BYTES = 512  # shared memory that the kernels declare themselves, at most
RESERVED_BYTES = 1024  # of each block's shared memory, for the system (compute capability 8 on)


@dataclass(frozen=True)
class Kind:
    """One of the algorithms: its kernels and what they keep of a vertex.

    factor : of the default delta; bits : bits a vertex, 0 where all arcs are relaxed anyway
    """

    file: str
    name: str
    factor: float
    bits: int

    def run(
        self, graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
    ) -> EngineOutcome:
        """Run on the GPU. Nothing is drawn at random: `seed` changes nothing."""
        device, delta = check_device(settings), settings.delta
        first, count = source_range(settings.parameters, graph.n)
        if delta is None:
            delta = wanted_delta(self.factor, graph.mean_weight, graph.mean_degree, graph.integer)
        with memory_refusals(graph):
            device_graph(graph, device)  # before anything else: what is free is counted after it
            shape = make_shape(graph, settings, self, device, count)
            conveyor = Conveyor(graph, settings, buffers, device, shape, first, count)
        return conveyor.run(observer, delta if self.bits else 0.0)


EDGE = Kind("apsp_edge.cu", "edge", 0.0, 0)
DELTA = Kind("apsp_sweep.cu", "delta", C_DELTA, 3)
FAST = Kind("apsp_sweep.cu", "fast", C_FAST, 2)
run_edge, run_delta, run_fast = EDGE.run, DELTA.run, FAST.run


def make_shape(
    graph: CSRGraph, settings: RunSettings, kind: Kind, device: Device, count: int
) -> Shape:
    """Choose kernel, threads and blocks for a graph of n vertices and `count` sources."""
    import cupy

    workers, probe = settings.parameters["workers"], settings.probe
    limits = cupy.cuda.Device(device.number).attributes
    most = int(limits["MaxSharedMemoryPerBlockOptin"]) - STATIC_BYTES
    place, shared = placed(kind, graph.n, most, graph.weights.itemsize)
    threads = MOST_THREADS  # rows beyond shared memory: few at once, that they stay in the cache
    if place == "shared":
        per_sm = int(limits["MaxSharedMemoryPerMultiprocessor"])
        threads = block_threads(shared, per_sm)
    name = f"{kind.name}_{place}"
    kernel = function(device.number, kind.file, name, probe, graph.weights.dtype.name, threads)
    if shared > 0:
        kernel.max_dynamic_shared_size_bytes = shared
    together = cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(
        kernel.kernel.ptr, threads, shared
    )
    together = max(int(together), 1) if place == "shared" else 1
    blocks = min(workers or together * device.multiprocessors, count)
    begin = function(device.number, kind.file, "begin", probe, graph.weights.dtype.name, threads)
    words = (graph.n + 31) // 32
    scratch = 3 * words if place == "global" and kind.bits else 0
    place_in = (threads, blocks, shared, words, scratch)
    return Shape(kernel, begin, name, *place_in, kind.bits == 0, workers is None)


def placed(kind: Kind, n: int, most: int, size: int) -> tuple[str, int]:
    """Return which variant of a kernel n vertices get, and its dynamic shared memory, bytes."""
    words = (n + 31) // 32
    row, bits = size * n, 4 * words * kind.bits
    short, long = (2 * LIST_ITEMS, 4 * LIST_ITEMS) if kind.bits else (0, 0)
    if row + bits + short <= most and n < 1 << 16:
        return "shared", row + bits + short
    if kind.bits == 0:
        return "global", 0
    if bits + long <= most:
        return "mixed", bits + long
    return "global", long


def block_threads(shared: int, per_sm: int) -> int:
    """Return the threads of a block, a power of two; shared : its memory, bytes."""
    together = max(per_sm // (shared + STATIC_BYTES + RESERVED_BYTES), 1)
    threads = MOST_THREADS
    while threads > LEAST_THREADS and threads * together > THREADS_PER_SM:
        threads //= 2
    return threads
