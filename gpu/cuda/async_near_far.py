"""Asynchronous Near-Far on the device: the engine function, and how big everything is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpu.algorithms.async_near_far import DENSE, strides_of, target_of
from gpu.cuda import launch
from gpu.cuda.device import Device
from gpu.cuda.module import THREADS, function
from gpu.cuda.records import entry_bytes, item_bytes
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.errors import EngineError
from gpu.graph import CSRGraph
from gpu.record.trace import RunSettings

FILE, NAME = "async_near_far.cu", "async_near_far"
RING, MINE = 2048, 32  # entries of a block's ring, and of a warp's own; as in async_block.cuh
CHUNK = 64  # items, as in async_far.cuh
PACKETS, PACKET_ENTRIES = 1024, 32  # as in async_herald.cuh
MOST_WORKERS = 192  # blocks that the pacer can look after, as in async_pacer.cuh
MOST_PLACES = 1 << 31  # of items, whose number has 32 bits
SHARED_WORDS = 64  # words of `table` that the grid shares


@dataclass(frozen=True)
class Tuning:
    """What was tuned on an H100; nothing of it changes a result."""

    settle: int = 3  # readings of the pacer between two moves
    give_above: int = 32  # near vertices from which a block gives to idle ones
    packet: int = 8  # how many at a time
    dense_give_above: int = 64
    dense_packet: int = 16
    take_below: int = 4  # near vertices below which a block takes


TUNED = Tuning()


def run(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
) -> EngineOutcome:
    """Run on the GPU. The device arbitrates by itself: `seed` changes nothing."""
    return launch.go(graph, settings, buffers, observer, make_plan)[0]


def make_plan(graph: CSRGraph, settings: RunSettings, device: Device) -> launch.Plan:
    """Size queues and grid, and fill the kernel's record."""
    numbers, threads = graph.weights.dtype, THREADS[FILE]
    kernel = function(device.number, FILE, NAME, settings.probe, numbers.name)
    shared = shared_bytes(threads, numbers)
    offer_shared(kernel, shared, device)
    workers = min(device.multiprocessors - 1, MOST_WORKERS)
    launch.refuse_workers(
        workers, launch.resident_blocks(device, kernel, threads, shared) - 1, device, threads
    )
    dense = graph.mean_degree >= DENSE
    launch.device_graph(graph, device)  # before the queues: it is the larger demand
    places = far_places(graph, workers * threads // 32)
    record = launch.new_record(
        source=settings.source,
        workers=workers,
        threads=workers * threads,
        drop_stale=1,
        buckets=target_of(graph.mean_degree),
        flush_rounds=TUNED.settle,
        keep=TUNED.dense_give_above if dense else TUNED.give_above,
        chunk_smallest=TUNED.take_below,
        chunk_largest=TUNED.dense_packet if dense else TUNED.packet,
        pile_room=places,
    )
    record["rule"]["given"] = settings.delta or 0.0
    record["rule"]["start_factor"] = strides_of(graph.mean_degree)
    plan = launch.Plan(FILE, NAME, threads, workers, record, shared)
    _allocate(plan, places, numbers)
    return plan


def far_places(graph: CSRGraph, warps: int) -> int:
    """Return the items that chunks hold: 2n, every arc, two chunks a warp; more where full."""
    items = 2 * graph.n + graph.m + 2 * warps * CHUNK
    place_bytes = item_bytes(graph.weights.dtype) + 1  # and the link of a chunk
    items = launch.places_for(graph, FILE, items, place_bytes, MOST_PLACES)
    return -(-items // CHUNK) * CHUNK


def shared_bytes(threads: int, numbers: np.dtype) -> int:
    """Return the shared memory of a block: `BlockShared` of async_block.cuh."""
    warps, wide = threads // 32, numbers.itemsize == 8
    pile = 96 if wide else 128
    entries = RING + warps * (MINE + pile)
    return entries * entry_bytes(numbers) + warps * (48 if wide else 32) + 80


def offer_shared(kernel: object, size: int, device: Device) -> None:
    """Let a kernel's blocks have so much shared memory; EngineError where the device has less."""
    import cupy

    try:
        kernel.max_dynamic_shared_size_bytes = size  # type: ignore[attr-defined]
    except cupy.cuda.driver.CUDADriverError as error:
        raise EngineError(
            f"{device.name} has less than the {size / 1024:.0f} KiB of shared memory a block that "
            "async_near_far needs: use near_far or adds"
        ) from error


def _allocate(plan: launch.Plan, places: int, numbers: np.dtype) -> None:
    import cupy

    item, packets = item_bytes(numbers), PACKETS * PACKET_ENTRIES * entry_bytes(numbers)
    chunks = places // CHUNK
    needed = places * item + 4 * chunks + packets + launch.SPARE_BYTES
    launch.refuse_beyond(needed, f"what is far ({places:,} places)")
    plan.arrays["items"] = cupy.empty(places * item // 8, np.uint64)
    plan.arrays["written"] = cupy.empty(chunks, np.uint32)
    plan.arrays["far"] = cupy.empty(packets // 8, np.uint64)
    shared = {"slots": (PACKETS, np.uint32), "table": (SHARED_WORDS, np.uint32)}
    per_worker = {"assign": (plan.workers, np.uint64), "reports": (4 * plan.workers, np.uint32)}
    launch.zeroed(plan, **shared, **per_worker)
