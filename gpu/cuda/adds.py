"""ADDS on the device: the engine function, and how big everything is."""

from __future__ import annotations

import math
import weakref
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gpu.cuda import launch, records
from gpu.cuda.device import Device
from gpu.cuda.module import THREADS, function
from gpu.delta import DEGREE_SPLIT, StartRule, Weights, band, published, start
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.graph import HUBS, CSRGraph, are_hubs
from gpu.record.trace import RunSettings

_OWNERS: weakref.WeakKeyDictionary[launch.DeviceGraph, Any] = weakref.WeakKeyDictionary()
FILE, WIDE_FILE = "adds.cu", "adds_wide.cu"
MOST_BLOCKS = 65_000  # of the pool, whose number has 16 bits
READINGS_ROOM = 1 << 17  # manager sweeps that are recorded from probe level 1 on


@dataclass(frozen=True)
class Tuning:
    """What was tuned on an H100; nothing of it changes a result."""

    threads: int = 256  # a worker block
    blocks_per_sm: int = 3  # worker blocks, where none are named
    steered: float = 0.72  # of the threads, that the band reckons with: more only hide waiting
    many_arcs: int = 2_000_000  # from here on one worker more a multiprocessor
    skew: float = HUBS  # x mean degree: a graph has hubs, and gets one worker more
    skewed_factor: float = 32.0  # start_factor on graphs with hubs
    chunk_smallest: int = 2  # vertices that a worker is given at a time
    chunk_largest: int = 512
    keep: int = 64  # vertices that a worker keeps in its own queue while others are idle
    flush_rounds: int = 2  # rounds between two exports while others are idle
    start_factor: float = 8.0  # initial delta, x mean weight / mean degree
    ceiling_factor: float = 128.0  # largest; on dense graphs the initial one
    large_arcs: int = 8_000_000  # from here on half of that: a wide frontier has work without it
    floor_share: float = 1.0  # smallest delta, x the initial one


TUNED = Tuning()
AS_PUBLISHED = replace(
    TUNED,
    threads=768,
    blocks_per_sm=1,
    steered=1.0,
    many_arcs=2**62,
    skew=math.inf,
    chunk_smallest=8,
)
WIDE_AS_PUBLISHED = replace(AS_PUBLISHED, threads=256, blocks_per_sm=3)  # shared memory: 48 KB


def run(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
) -> EngineOutcome:
    """Run ADDS on the GPU. The device arbitrates by itself: `seed` changes nothing."""
    return launch.go(graph, settings, buffers, observer, make_plan)[0]


def largest_beside(graph: CSRGraph, source: int) -> int:
    """Return the largest degree of all but the source, whose row is relaxed before any waits."""
    first, end = graph.indptr[source : source + 2]
    if end - first < graph.largest_degree:
        return graph.largest_degree
    degrees = np.diff(graph.indptr)
    degrees[source] = 0
    return int(degrees.max())


def tuning_for(graph: CSRGraph, settings: RunSettings) -> Tuning:
    """Return the tuning of a run: ours, or workers as large as the authors'."""
    if not settings.parameters["as_published"]:
        return TUNED
    return AS_PUBLISHED if graph.weights.itemsize == 4 else WIDE_AS_PUBLISHED


def file_for(graph: CSRGraph) -> str:
    """Return the kernel file: the one for wide graphs has no code for warps that go on."""
    return FILE if graph.mean_degree <= launch.NARROW_DEGREE else WIDE_FILE


def make_plan(graph: CSRGraph, settings: RunSettings, device: Device) -> launch.Plan:
    """Size queues and grid, and fill the kernel's record."""
    tuning = tuning_for(graph, settings)
    parameters, probe = settings.parameters, settings.probe
    variant = probe, graph.weights.dtype.name, tuning.threads, settings.policy
    kernel = function(device.number, file_for(graph), "adds", *variant)
    resident = launch.resident_blocks(device, kernel, tuning.threads) - 1
    most = min(resident, records.most_workers(tuning.threads))
    uploaded = launch.device_graph(graph, device)  # before the queues: it is the larger demand
    skewed = are_hubs(largest_beside(graph, settings.source), graph.mean_degree, tuning.skew)
    per_sm = tuning.blocks_per_sm + (graph.m >= tuning.many_arcs or skewed)
    usual = per_sm * device.multiprocessors - 1
    workers = parameters["workers"] or min(usual, most)
    launch.refuse_workers(workers, most, device, tuning.threads)
    threads = workers * tuning.threads
    steered = int(tuning.steered * threads)
    rule = start_rule(graph, settings, tuning, skewed, steered)
    low, _, high, _ = band(graph.mean_degree)
    blocks = pool_blocks(graph, rule.buckets, parameters["as_published"])
    record = launch.new_record(
        source=settings.source,
        workers=workers,
        threads=threads,
        buckets=rule.buckets,
        as_published=int(parameters["as_published"]),
        drop_stale=int(parameters["drop_stale"] and not parameters["as_published"]),
        band_low=low * steered,
        band_high=high * steered,
        pool_blocks=blocks,
        table_mask=(1 << (blocks - 1).bit_length()) - 1,  # a bucket's table holds all blocks
        readings_room=READINGS_ROOM if probe else 0,
        chunk_smallest=tuning.chunk_smallest,
        chunk_largest=tuning.chunk_largest,
        keep=tuning.keep,
        flush_rounds=tuning.flush_rounds,
        # the kernel sums the weights itself: what is derived from them here, it replaces
        controller=start(rule, Weights(1.0, 1.0, graph.mean_degree, graph.integer))[0],
    )
    fill_rule(record, rule, graph.integer)
    plan = launch.Plan(file_for(graph), "adds", tuning.threads, workers, record)
    _allocate(plan, blocks, workers, probe, records.item_bytes(graph.weights.dtype))
    plan.arrays["owners"] = owners_of(uploaded, device)
    return plan


def start_rule(
    graph: CSRGraph, settings: RunSettings, tuning: Tuning, skewed: bool, threads: int
) -> StartRule:
    """Return how delta begins on this graph, and between what it moves."""
    first = tuning.skewed_factor if skewed else tuning.start_factor
    dense = graph.mean_degree >= DEGREE_SPLIT
    most = tuning.ceiling_factor / (1 + (graph.m >= tuning.large_arcs))
    rule = StartRule(
        threads=threads,
        buckets=settings.parameters["buckets"],
        max_open=settings.parameters["open_heads"],
        given=settings.delta,
        dynamic=settings.parameters["dynamic_delta"],
        start_factor=first,
        ceiling_factor=first if dense else most,
        floor_share=tuning.floor_share,
    )
    return published(rule, graph.n, graph.m) if settings.parameters["as_published"] else rule


def fill_rule(record: np.ndarray, rule: StartRule, integer: bool) -> None:
    """Write into RUN (1,) what of the rule the kernel needs once it knows the weights."""
    into = record["rule"]
    for name in ("start_factor", "ceiling_factor", "floor_share", "dynamic"):
        into[name] = getattr(rule, name)
    into["start_floor"] = rule.start_floor if integer else 0.0
    into["given"] = rule.given or 0.0
    into["integer"] = integer


def pool_blocks(graph: CSRGraph, buckets: int, as_published: bool = False) -> int:
    """Return the blocks of the pool: two a bucket, and room for every push in flight."""
    items = 2 * graph.n + (3 * graph.m if as_published else graph.m) // 2
    blocks = 4 * buckets + items // records.BLOCK_ITEMS
    block_bytes = records.BLOCK_ITEMS * (records.item_bytes(graph.weights.dtype) + 1)
    return launch.places_for(graph, file_for(graph), blocks, block_bytes, MOST_BLOCKS)


def owners_of(uploaded: launch.DeviceGraph, device: Device) -> Any:
    """Return uint32 (pieces,) on the device: whose row a piece of arcs is in; made once a graph."""
    import cupy

    if uploaded not in _OWNERS:
        owners = cupy.empty((uploaded.m >> records.PIECE_SHIFT) + 1, np.uint32)
        find = function(device.number, "prepare.cu", "find_owners", 0, "int32")
        arguments = (uploaded.rows, owners, np.uint32(uploaded.n))
        find((8 * device.multiprocessors,), (THREADS["prepare.cu"],), arguments)
        cupy.cuda.get_current_stream().synchronize()
        _OWNERS[uploaded] = owners
    return _OWNERS[uploaded]


def _allocate(plan: launch.Plan, blocks: int, workers: int, probe: int, item_bytes: int) -> None:
    import cupy

    items = blocks * records.BLOCK_ITEMS
    needed = item_bytes * items + 4 * items // records.SEGMENT + launch.SPARE_BYTES
    launch.refuse_beyond(needed, f"the bucket queue ({items:,} places)")
    plan.arrays |= {
        "items": cupy.empty(items * item_bytes // 8, np.uint64),
        "written": cupy.empty(items // records.SEGMENT, np.uint32),
        "taken": cupy.empty(blocks, np.uint32),
        "table": cupy.empty(32 * (int(plan.record["table_mask"][0]) + 1), np.uint32),
        "free_blocks": cupy.empty(blocks, np.uint32),
        "readings": cupy.empty((READINGS_ROOM if probe else 1) * records.READING_WORDS, np.int32),
    }
    per_worker = {"assign": (workers, np.uint64), "reports": (4 * workers, np.uint32)}
    launch.zeroed(plan, slots=(32 * 8, np.uint32), **per_worker)
    plan.clear.append((plan.arrays["table"], 0xFF))
