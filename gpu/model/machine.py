"""State of the modelled ADDS run: records and arrays, so that a run can pause anywhere.

SIM is one record of scalars, COST the price list of a device, Machine the bundle of arrays that the
compiled loop of `adds_loop` works on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from gpu.delta import C_CEILING, C_START, DEGREE_SPLIT, StartRule, Weights, band, published, start
from gpu.devices import Preset, find_preset
from gpu.engine import RunBuffers
from gpu.graph import CSRGraph
from gpu.loops.log import Log, make_log
from gpu.loops.state import graph_arrays, records, state_dtype
from gpu.record.trace import RunSettings

BLOCK_WORDS = 1024  # items per pool block; the CUDA kernel's blocks are 16K
BLOCKS_PER_BUCKET = 3  # in the pool at the start, beside room for 2 n items
WAVE_ROUNDS = 4  # arcs per lane between two looks at shared memory, all pairs
WARP = 32  # lanes that go together
IN_FLIGHT = 4  # arcs of a lane that do not wait for each other (kernel: UNROLL)
HUB_ARCS = 16 * WARP  # a vertex of more arcs is left to the whole block (kernel: HUB_DEGREE)
PIECE_ARCS = 1024  # of a long row that others may relax (kernel)
SPLIT_ARCS = 4 * PIECE_ARCS  # a row of so many is shared while others are idle (kernel)
QUEUE_ROOM = 1024  # items of a worker's own queue, a power of two (kernel)
OUT_ROOM = 1024  # items that a worker collects; what exceeds it goes out at once (kernel)
KEEP = 64  # items that a worker keeps while others are idle (kernel)
READABLE = 8192  # items of a bucket that the manager finds in a sweep (kernel: one warp looks)
ALIGNED = 256  # counted from a multiple of these (kernel)
FLUSH_ROUNDS = 4  # rounds between two exports while others are idle (kernel)
LOOKED_AT = 65_536  # arcs, to tell local graphs from others
SECTOR = 8  # distances in 32 bytes
PUBLISHED = {4: (768, 1), 8: (256, 3)}  # bytes of a weight: threads of a worker as published, and
# workers a multiprocessor (launcher)
SKEWED_CHUNK = 4  # vertices that a worker is given at least, there
MANY_ARCS = 2_000_000  # here, and where there are hubs, a worker more a multiprocessor (launcher)
JITTER = 0.05  # spread of a wave's duration: what makes two seeds differ

SIM = state_dtype(
    ("next_sweep_ns", "<f8"),
    ("head_slot", "<i8"),  # head mod buckets
    ("assigned", "<i8"),  # vertices handed out and not finished
    ("pushes", "<i8"),  # since the last sample
    ("kept", "<i8"),  # improved vertices that stayed with their worker
    ("kept_mark", "<i8"),  # kept when the controller's window began
    ("clipped", "<i8"),
    ("random", "<u8"),
    ("quiet_sweeps", "<i4"),
    ("heap_size", "<i4"),
    ("idle", "<i4"),
    ("free_blocks", "<i4"),
    ("steered", "<i4"),  # by a policy
    ("window", "<f8", (5,)),  # what a policy is asked about, but for the switches of the head
)

COST = np.dtype(
    [
        ("sweep_ns", "<f8"),
        ("order_ns", "<f8"),
        ("narrow_ns", "<f8"),
        ("round_ns", "<f8"),
        ("trip_ns", "<f8"),
        ("push_ns", "<f8"),
        ("arc_ns", "<f8"),  # of one multiprocessor
        ("lanes", "<i8"),
        ("warp", "<i8"),  # lanes of a warp
        ("chunk_smallest", "<i8"),
        ("chunk_largest", "<i8"),
        ("buckets", "<i8"),
        ("workers", "<i8"),
        ("drop_stale", "<i8"),
        ("as_published", "<i8"),
        ("queue_losers", "<i8"),  # 1: what looked better is queued, though another was first
        ("sms", "<i8"),
        ("band_low", "<f8"),  # edges
        ("band_high", "<f8"),
    ]
)


SLOT = np.dtype(  # one ring slot; counters only grow
    [
        ("reserved", "<i8"),
        ("read", "<i8"),
        ("completed", "<i8"),
        ("mark", "<i8"),  # reserved when the controller's window began
        ("block", "<i8"),  # pool block that is being written
    ]
)

WORKER = np.dtype(
    [
        ("bucket", "<i8"),  # absolute number of the bucket worked on
        ("head", "<i8"),  # of its own queue; counters only grow
        ("tail", "<i8"),
        ("arc", "<i8"),  # arcs of the current hub already relaxed
        ("wave_arc", "<i8"),  # the same where the round under way ends
        ("given_first", "<i8"),  # arcs of that hub left to others: from here, -1 for none
        ("given_end", "<i8"),  # up to here
        ("decided", "<i4"),  # whether it is known what of that hub is left to others
        ("counted", "<i4"),  # whether that hub counts as processed by now
        ("count", "<i4"),  # vertices that the manager handed out
        ("take", "<i4"),  # vertices of the round under way; 0: arcs of a hub
        ("hubs", "<i4"),  # put aside
        ("out", "<i4"),  # collected for the buckets
        ("since", "<i4"),  # rounds since it last wrote to the buckets
        ("phase", "<i4"),  # 0 sees its flag, 1 relaxes, 2 writes to the buckets
    ]
)

HEAP = np.dtype([("key", "<f8"), ("value", "<i8")])  # next event of each busy worker: ns, worker


class Machine(NamedTuple):
    """Arrays of one run; W workers, B ring slots, P pool blocks, L lanes of a worker."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    dist: np.ndarray
    first_ns: np.ndarray  # int64 (n,) or (1,) where not recorded
    last_ns: np.ndarray
    times: np.ndarray
    slots: np.ndarray  # SLOT (B,)
    pool: np.ndarray  # int32 (P, BLOCK_WORDS)
    pool_dist: np.ndarray  # the same shape where stale items are dropped, else (1, 1)
    table: np.ndarray  # int32 (B, P): block of each 1024 items, circular
    free: np.ndarray  # int32 (P,), a stack
    heap: np.ndarray  # HEAP (W,)
    idle: np.ndarray  # int32 (W,), a stack
    workers: np.ndarray  # WORKER (W,)
    items: np.ndarray  # int32 (W, QUEUE_ROOM): each worker's own queue; -1 - v: nothing to do
    queued: np.ndarray  # (W, QUEUE_ROOM): distance with which each was queued
    snapshot: np.ndarray  # (W, L): distance read at the start of its round
    served_ns: np.ndarray  # float64 (multiprocessors,): when each will have relaxed what it has
    hubs: np.ndarray  # int32 (W, L)
    hub_dist: np.ndarray  # (W, L)
    out: np.ndarray  # int32 (W, OUT_ROOM): collected for the buckets
    out_dist: np.ndarray  # (W, OUT_ROOM)
    improved_ns: np.ndarray  # float64 (n,): the last round's end that improved it; (1,) elsewhere
    before: np.ndarray  # the same shape: its distance before that round
    cost: np.ndarray  # COST (1,)
    controller: np.ndarray  # CONTROLLER (1,)
    log: Log  # probe level 3


def device_for(graph: CSRGraph, settings: RunSettings) -> Preset:
    """Return the device of a run: as published its workers are as large as the authors'."""
    preset = find_preset(settings.device)
    threads, workers = PUBLISHED[graph.weights.itemsize]
    room = preset.threads_per_sm // threads
    if not settings.parameters["as_published"] or not room:
        return preset
    workers = preset.sms * min(workers, room) - 1
    return replace(preset, workers=workers, worker_threads=threads)


def make_machine(
    graph: CSRGraph, preset: Preset, settings: RunSettings, buffers: RunBuffers
) -> Machine:
    """Allocate the arrays of a run; the pool starts small and grows, see `grow_pool`."""
    buckets, workers = settings.parameters["buckets"], workers_of(graph, settings, preset)
    kind = graph.weights.dtype
    of_a_round = HUB_ARCS * preset.worker_threads // BLOCK_WORDS  # what its pushes fill at most
    blocks = int(buckets * (1 + BLOCKS_PER_BUCKET)) + of_a_round + 2 * graph.n // BLOCK_WORDS + 3
    stale, losers = drops_stale(settings), queues_losers(graph, settings)
    return Machine(
        *graph_arrays(graph, buffers),
        records(buckets, SLOT),
        np.zeros((blocks, BLOCK_WORDS), np.int32),
        np.zeros((blocks, BLOCK_WORDS) if stale else (1, 1), kind),
        np.zeros((buckets, blocks), np.int32),
        np.arange(blocks, dtype=np.int32)[::-1].copy(),
        records(workers, HEAP),
        np.arange(workers, dtype=np.int32)[::-1].copy(),
        records(workers, WORKER),
        np.zeros((workers, QUEUE_ROOM), np.int32),
        np.zeros((workers, QUEUE_ROOM), kind),
        np.zeros((workers, preset.worker_threads), kind),
        np.zeros(preset.sms),
        np.zeros((workers, preset.worker_threads), np.int32),
        np.zeros((workers, preset.worker_threads), kind),
        np.zeros((workers, OUT_ROOM), np.int32),
        np.zeros((workers, OUT_ROOM), kind),
        np.full(graph.n if losers else 1, -np.inf),
        np.zeros(graph.n if losers else 1, kind),
        make_cost(graph, preset, settings),
        controller_for(graph, preset, settings),
        make_log(settings.probe),
    )


def workers_of(graph: CSRGraph, settings: RunSettings, preset: Preset) -> int:
    """Return the workers of a run: what was asked for, or what the kernel starts on that device."""
    chosen: int | None = settings.parameters["workers"]
    more = graph.m >= MANY_ARCS or graph.has_hubs
    usual = preset.workers + preset.sms * (more and not settings.parameters["as_published"])
    return chosen or max(preset.workers, min(usual, preset.most_workers))


def drops_stale(settings: RunSettings) -> bool:
    """Whether items are dropped whose vertex improved meanwhile: asked for, not the paper's."""
    parameters = settings.parameters
    return bool(parameters["drop_stale"]) and not parameters["as_published"]


def queues_losers(graph: CSRGraph, settings: RunSettings) -> bool:
    """Whether what lost the race to improve its vertex is queued, as in the authors' int32 code."""
    return bool(settings.parameters["as_published"]) and graph.weights.dtype == np.int32


def grow_pool(machine: Machine, sim: np.ndarray) -> Machine:
    """Return the machine with twice the pool blocks; queued items keep their indices."""
    old = len(machine.free)
    new = 2 * old
    pool = np.zeros((new, BLOCK_WORDS), np.int32)
    pool[:old] = machine.pool
    pool_dist = machine.pool_dist
    if pool_dist.shape[0] == old:
        pool_dist = np.zeros((new, BLOCK_WORDS), pool_dist.dtype)
        pool_dist[:old] = machine.pool_dist
    table = np.zeros((len(machine.slots), new), np.int32)
    for slot, pointers in enumerate(machine.slots):
        first, end = pointers.read // BLOCK_WORDS, -(-pointers.reserved // BLOCK_WORDS)
        blocks = np.arange(first, end)
        table[slot, blocks % new] = machine.table[slot, blocks % old]
    free = np.zeros(new, np.int32)
    left = int(sim[0].free_blocks)
    free[: new - old] = np.arange(new - 1, old - 1, -1)
    free[new - old : new - old + left] = machine.free[:left]
    sim[0].free_blocks = new - old + left
    return machine._replace(pool=pool, pool_dist=pool_dist, table=table, free=free)


def make_cost(graph: CSRGraph, preset: Preset, settings: RunSettings) -> np.ndarray:
    """Return COST (1,): the device's price list for this graph."""
    cost: np.ndarray = records(1, COST)
    c: Any = cost[0]
    workers = workers_of(graph, settings, preset)
    hubs = graph.has_hubs and not settings.parameters["as_published"]
    c.sweep_ns, c.order_ns = preset.sweep_ns, preset.order_ns
    waited_ns = late_ns(graph, preset)
    c.narrow_ns = preset.narrow_ns + waited_ns
    c.round_ns, c.trip_ns = preset.round_ns + waited_ns, preset.trip_ns + waited_ns
    c.push_ns = preset.push_ns
    c.sms = preset.sms
    c.arc_ns = arc_ns(graph, preset)
    c.lanes, c.warp = preset.worker_threads, min(preset.worker_threads, WARP)
    c.chunk_smallest, c.chunk_largest = preset.chunk_smallest, preset.chunk_largest
    if hubs:
        c.chunk_smallest = min(SKEWED_CHUNK, preset.chunk_smallest)
    c.buckets, c.workers = settings.parameters["buckets"], workers
    c.drop_stale = int(drops_stale(settings))
    c.as_published = int(settings.parameters["as_published"])
    c.queue_losers = int(queues_losers(graph, settings))
    low, _, high, _ = band(graph.mean_degree)
    threads = workers * preset.worker_threads
    c.band_low, c.band_high = low * threads, high * threads
    return cost


def late_ns(graph: CSRGraph, preset: Preset) -> float:
    """Return what a trip for arcs waits longer, ns: in proportion to those that L2 cannot hold."""
    return preset.miss_ns * max(0.0, 1.0 - preset.l2_bytes / (8.0 * max(graph.m, 1)))


def arc_ns(graph: CSRGraph, preset: Preset) -> float:
    """Return the time per arc of one multiprocessor, ns, from how the graph's heads lie.

    Read off LOOKED_AT arcs. Distant: further in the distance array than half of L2, so that
    a frontier that moves along the array does not find it there. A new sector: not in the
    same 32 bytes of distances as the arc before it.
    """
    if graph.m < 2:
        return preset.sms * preset.arc_ns(graph.n, graph.m, 0.0)
    arcs = np.linspace(1, graph.m - 1, min(graph.m, LOOKED_AT)).astype(np.int64)
    heads = graph.indices[arcs].astype(np.int64)
    tails = np.searchsorted(graph.indptr, arcs, side="right") - 1
    distant = float((8 * np.abs(tails - heads) > preset.l2_bytes).mean())
    sectors = float((heads // SECTOR != graph.indices[arcs - 1] // SECTOR).mean())
    return preset.sms * preset.arc_ns(graph.n, graph.m, distant, sectors)


def controller_for(graph: CSRGraph, preset: Preset, settings: RunSettings) -> np.ndarray:
    """Return the controller's record for this graph and device."""
    parameters = settings.parameters
    first = preset.skewed_factor if graph.has_hubs else preset.start_factor
    tuned = preset.start_factor > C_START
    dense = tuned and graph.mean_degree >= DEGREE_SPLIT  # its frontier is wide at once
    rule = StartRule(
        threads=workers_of(graph, settings, preset) * preset.worker_threads,
        buckets=parameters["buckets"],
        max_open=parameters["open_heads"],
        given=settings.delta,
        dynamic=parameters["dynamic_delta"],
        start_factor=first,
        ceiling_factor=first if dense else C_CEILING,
        floor_share=1.0 if tuned else 0.0,
    )
    if parameters["as_published"]:
        rule = published(rule, graph.n, graph.m)
    largest = float(graph.weights.max()) if graph.m else 0.0
    return start(rule, Weights(graph.mean_weight, largest, graph.mean_degree, graph.integer))
