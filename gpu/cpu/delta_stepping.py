"""Delta-stepping on all cores of this computer: the engine function, its arrays, its threads.

The threads are the system's own and run compiled code only (`gpu.cpu.threads`). This thread, the
engine's, sleeps meanwhile and looks in every LOOK_S: it hands samples over, asks for Stop and for
a delta held by hand. Time is measured from before the first thread is started to the end of the
last bucket, without what clearing the buffers takes.

Slots are made for the largest weight and the first delta, with room for a delta a fraction
of that by hand; a smaller one is taken as the smallest that the slots allow, which the
samples show.
"""

from __future__ import annotations

import math
import time
from collections import deque
from typing import Any, NamedTuple

import numpy as np

from gpu.cpu import delta_stepping_loop as loop, delta_stepping_state as state, host
from gpu.cpu.threads import OPENER, STARTER, Latch, room
from gpu.delta import usable_width
from gpu.engine import EngineOutcome, Observer, RunBuffers, clears_buffers
from gpu.errors import EngineError
from gpu.graph import CSRGraph
from gpu.loops.driver import MOST_SAMPLES
from gpu.loops.log import Log, make_log
from gpu.loops.state import graph_arrays, make_state, records, sample_buffer
from gpu.memory import require_memory
from gpu.numbers import bits_of, unreached
from gpu.record.trace import Flag, Probe, RunSettings

PERIOD_NS = 50_000  # between samples, unless another is asked for; one costs up to 3 us
LOOK_S = 0.01  # between two looks at Stop
FEWEST_SLOTS, MOST_SLOTS = 1024, 2**16
SLOTS_SPARE = 16  # slots for delta 1/16 of the first, while that fits
C_CPU, C_HUBS = 5.0, 8.0  # of 1, 2, 4, ... 32 those that were good on roads, grids, R-MATs (ours)
KEPT_BYTES = 2**26  # of pools, from one run to the next
RING = 2**13  # samples between two looks; further ones are left out
SPARE_CHUNKS = 256  # a thread's, beside a share of the vertices; pools grow when one runs dry


class Shared(NamedTuple):
    """What all threads see; n vertices, T threads, C slots, P chunks."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    dist: np.ndarray
    first_ns: np.ndarray
    last_ns: np.ndarray
    times: np.ndarray
    bits: np.ndarray  # int32 or int64 (n,): `dist` as numbers that sort like it
    control: np.ndarray  # int64, see the state
    offers: np.ndarray  # int64, see the state
    hands: np.ndarray  # float64 (2,): delta from the next bucket on, delta in force
    threads: np.ndarray  # THREAD (T,)
    totals: np.ndarray  # TOTALS (1,)
    counts: np.ndarray  # int32 (T, C): vertices in a thread's buckets
    top: np.ndarray  # int32 (T, C): last chunk of a bucket that is not empty
    link: np.ndarray  # int32 (T, P): the chunk before
    pool: np.ndarray  # ENTRY (T, P, CHUNK)
    notes: np.ndarray  # int64 (T * NOTES,): 2 x a vertex, + 1 where it was not reached before
    samples: np.ndarray  # SAMPLE, a ring
    log: Log  # of no events
    probe: int
    source: int
    unreached: int  # bits
    clock: int
    clock_kind: int
    yielder: int
    latch: int
    opener: int


@clears_buffers
def run(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
) -> EngineOutcome:
    """Run delta-stepping on this computer's cores.

    The cores arbitrate by themselves: `seed` changes nothing. A sample is taken at the start of
    a bucket, every PERIOD_NS.
    """
    host.check_device(settings.device)
    host.check_probe(settings.probe)
    threads, delta = settings.parameters["threads"] or host.cores(), settings.delta
    if delta is None:
        delta = own_delta(graph, threads)
    slots = slots_for(graph.largest_weight, delta)
    least = graph.largest_weight / (slots - 4)
    chunks = slots + SPARE_CHUNKS + graph.n // (state.CHUNK * threads)
    team = Team(graph, _make_shared(graph, settings, buffers, threads, slots), max(delta, least))
    team.make_pools(chunks, settings.source)
    outcome = team.run(observer, least)
    if buffers.vertices is not None and outcome == "stopped":  # else the threads have seen to it
        last = buffers.vertices.last_improved_ns
        np.maximum(last, buffers.vertices.first_reached_ns, out=last)
    return EngineOutcome(
        "measured", outcome, host.environment(threads), overflowed=team.has_overflowed
    )


def own_delta(graph: CSRGraph, threads: int) -> float:
    """Return the bucket width: C_CPU x mean weight / root mean square degree, wider for threads.

    Where there are hubs, even a narrow bucket has enough for all threads.
    """
    hubs = graph.rms_degree > 2 * graph.mean_degree
    factor = C_HUBS if hubs else C_CPU * math.sqrt(threads)
    return usable_width(factor * graph.mean_weight / max(graph.rms_degree, 1e-9), graph.integer)


def slots_for(largest: float, delta: float) -> int:
    """Return how many slots hold all that can wait, for weights up to `largest`."""
    wanted = SLOTS_SPARE * min(largest / delta, MOST_SLOTS) + 4
    return min(max(math.ceil(wanted), FEWEST_SLOTS), MOST_SLOTS)


class Team:
    """The threads of one run."""

    def __init__(self, graph: CSRGraph, shared: Shared, delta: float) -> None:
        self._graph, self._shared, self._delta = graph, shared, delta
        shared.hands[:] = shared.totals["delta"] = shared.threads["delta"] = delta
        shared.threads["inverse"] = 1.0 / delta
        self._memory, self._handed = room(), 0

    def make_pools(self, chunks: int, source: int) -> None:
        """Make every thread's pool; the source is in the first one's first bucket."""
        shared, entry = self._shared, state.entry_dtype(self._shared.bits.dtype)
        count, chunks = len(shared.threads), _whole_lines(state.FIRST_CHUNK + chunks)
        kept = _kept.pop() if _kept else None
        if kept is None or kept[0].dtype != entry or kept[1].shape != (count, chunks):
            what = f"Δ-stepping on {self._graph.name}, {count} threads"
            kept = _pools(count, chunks, entry, what)
        pool, link = kept
        first = state.FIRST_CHUNK
        shared.threads["spare"], shared.threads["fresh"] = -1, first
        shared.threads["free"] = chunks - first
        lead = shared.threads[0]
        pool[0, first, 0] = 0, source
        shared.counts[0, 0], shared.top[0, 0] = 1, first
        lead.fresh, lead.free, lead.waiting = first + 1, chunks - first - 1, 1
        self._shared = shared._replace(pool=pool, link=link)

    @property
    def has_overflowed(self) -> bool:
        """Whether an arc was left out: its sum passes the range of the type."""
        return bool(self._shared.threads["overflowed"].any())

    def run(self, observer: Observer, least_delta: float) -> str:
        """Run to the end or to Stop; return which. Raises EngineError, MemoryNeededError."""
        control, latch = self._shared.control, Latch()
        self._shared = self._shared._replace(latch=latch.address)
        _compile(self._shared, self._memory)
        self._take_delta(observer, least_delta)
        if self._shared.probe > Probe.OFF:
            loop.write_sample(self._shared, 0, 0, 1)
            control[state.WRITTEN] = 1
            self._shared.totals["next_sample_ns"] = control[state.PERIOD]
        control[state.STARTED] = time.perf_counter_ns()
        while self._take_part(latch, observer, least_delta):
            self._grow()
        ended = time.perf_counter_ns() - control[state.STARTED]
        latch.give_back()
        if self._shared.pool.nbytes <= KEPT_BYTES:
            _kept.append((self._shared.pool, self._shared.link))
        stopped = control[state.STOP] == state.BY_USER
        self._hand_over(observer)
        self._finish(observer, stopped, int(ended if stopped else control[state.ENDED_NS] or ended))
        return "stopped" if stopped else "finished"

    def _take_part(self, latch: Latch, observer: Observer, least_delta: float) -> bool:
        """Start all threads and wait until they have left; whether their pools must grow."""
        shared, control = self._shared, self._shared.control
        control[state.STOP], control[state.TICKET], control[state.LEFT] = state.GO_ON, 0, 0
        wanted = len(shared.threads)
        started = loop.start(shared, wanted, self._memory.ctypes.data, STARTER)
        try:
            if started < wanted:
                raise EngineError(
                    f"the system gave {started} of {wanted} threads; ask for fewer (threads)"
                )
            while True:
                if observer.should_stop():
                    control[state.STOP] = state.BY_USER
                self._take_delta(observer, least_delta)
                if latch.wait(LOOK_S):
                    return bool(control[state.STOP] == state.TO_GROW)
                self._hand_over(observer)
        except BaseException:
            control[state.STOP] = state.BY_ERROR
            while control[state.LEFT] < started:  # they read and write our arrays
                time.sleep(LOOK_S / 10)
            raise

    def _take_delta(self, observer: Observer, least: float) -> None:
        held = observer.delta_by_hand()
        self._shared.hands[0] = self._delta if held is None else max(held, least)
        self._shared.control[state.HELD] = int(held is not None)

    def _grow(self) -> None:
        """Double the pools, and more where a vertex needs more."""
        old = self._shared
        count, chunks = old.link.shape
        more = _whole_lines(2 * chunks + int(old.threads["needed"].max()))
        what = f"Δ-stepping's buckets on {self._graph.name}"
        pool, link = _pools(count, more, old.pool.dtype, what)
        for me, used in enumerate(old.threads["fresh"]):
            pool[me, :used], link[me, :used] = old.pool[me, :used], old.link[me, :used]
        old.threads["free"] += more - chunks
        self._shared = old._replace(pool=pool, link=link)

    def _hand_over(self, observer: Observer) -> None:
        control, ring = self._shared.control, self._shared.samples
        read, written = int(control[state.READ]), int(control[state.WRITTEN])
        if written > read:
            places = np.arange(read, written) % len(ring)
            observer.on_samples(ring.view(np.ndarray)[places])
            control[state.READ] = written
            self._handed += written - read
        if self._handed >= MOST_SAMPLES:
            control[state.PERIOD] = max(1000, 2 * control[state.PERIOD])
            self._handed = MOST_SAMPLES // 2

    def _finish(self, observer: Observer, stopped: bool, t_ns: int) -> None:
        """Hand over the last sample: the run's totals."""
        loop.write_sample(self._shared, t_ns, 0, 0)
        plain = self._shared.samples[:1].view(np.ndarray)
        plain["flags"] |= int(Flag.STOPPED if stopped else Flag.FINISHED)
        observer.on_samples(plain.copy())


def _compile(shared: Shared, memory: np.ndarray) -> None:
    """Compile for this type of number, before the clock starts: no thread is started."""
    kind = shared.dist.dtype
    if kind not in _compiled:
        loop.start(shared, 0, memory.ctypes.data, STARTER)
        _compiled.add(kind)


_compiled: set[np.dtype] = set()


def _make_shared(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, threads: int, slots: int
) -> Shared:
    bits = bits_of(buffers.dist)
    never = np.full(1, unreached(buffers.dist.dtype), buffers.dist.dtype)
    control = np.zeros(state.CONTROL_WORDS, np.int64)
    control[state.BUSY], control[state.LOWEST] = threads, state.NOBODY
    control[state.PERIOD] = settings.sample_period_ns or PERIOD_NS
    team: Any = records(threads, state.THREAD)
    team["wanted"] = 1
    clock, kind = host.clock()
    nothing = np.empty((threads, 0), np.int32)
    return Shared(
        *graph_arrays(graph, buffers),
        bits,
        control,
        np.zeros(threads * state.OFFER_WORDS, np.int64),
        np.zeros(2),
        team,
        make_state(state.TOTALS, graph, settings, PERIOD_NS),
        np.zeros((threads, slots), np.int32),
        np.empty((threads, slots), np.int32),
        nothing,
        nothing,
        np.empty(threads * state.NOTES, np.int64),
        sample_buffer(RING if settings.probe > Probe.OFF else 1),
        make_log(Probe.OFF),
        min(settings.probe, 2),
        settings.source,
        int(bits_of(never)[0]),
        clock,
        kind,
        host.yielder(),
        0,
        OPENER,
    )


def _pools(threads: int, chunks: int, entry: np.dtype, what: str) -> tuple[Any, np.ndarray]:
    """Return chunks and links of all threads; MemoryNeededError says what they are for."""
    require_memory(threads * chunks * (state.CHUNK * entry.itemsize + 4), what)
    pool = np.empty((threads, chunks, state.CHUNK), entry).view(np.recarray)
    return pool, np.empty((threads, chunks), np.int32)


def _whole_lines(chunks: int) -> int:
    """Return a number of chunks with which each thread's links begin on a cache line."""
    return -(-chunks // 16) * 16


_kept: deque[tuple[Any, np.ndarray]] = deque(maxlen=1)  # its pages need not be cleared again
