"""Delta-stepping on all cores of this computer: the engine function, its arrays, its threads.

The threads run compiled code (`gpu.cpu.threads`). This thread, the engine's, sleeps meanwhile and
wakes every LOOK_S: it hands samples over, asks for Stop and for a delta held by hand. Time is
measured from before the threads are called to the end of the last bucket.

Slots are made for the largest weight and the first delta, with room for a delta a fraction of that
by hand; a smaller one is taken as the smallest that the slots allow, which the samples show.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import numba
import numpy as np

from gpu.cpu import delta_stepping_loop as loop, delta_stepping_state as state, host
from gpu.cpu.threads import Crew
from gpu.delta import usable_width
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.files import require_memory
from gpu.graph import CSRGraph
from gpu.interpreter import cores
from gpu.loops.log import Log, make_log
from gpu.loops.run import MOST_SAMPLES
from gpu.loops.state import vertex_arrays
from gpu.numbers import bits_dtype, bits_of, unreached
from gpu.record.trace import SAMPLE, Flag, Probe, RunSettings

PERIOD_NS = 50_000  # between samples, unless another is asked for; one costs up to 3 us
LOOK_S = 0.01  # between two looks at Stop
FEWEST_SLOTS, MOST_SLOTS = 1024, 2**16
SLOTS_SPARE = 16  # slots for delta 1/16 of the first, while that fits
C_CPU, C_HUBS = 5.0, 8.0  # of 1, 2, 4, ... 32 those that were good on roads, grids, R-MATs (ours)
C_LOCAL, THREADS_POWER = 1.8, 0.2  # x mean weight x threads ^ this, where a search spreads slowly
THREAD_SHARE = 2**13  # vertices of a graph that are many for a thread
KEPT_BYTES = 2**26  # of buckets, from one run to the next
RING = 2**13  # samples between two looks; further ones are left out
SPARE_CHUNKS = 256  # a thread's, beside a share of the vertices; pools grow when one runs dry


class Shared(NamedTuple):
    """What all threads see; n vertices, T threads, C slots, P chunks."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    dist: np.ndarray
    bits: np.ndarray  # int32 or int64 (n,): `dist` as numbers that sort like them
    first_ns: np.ndarray
    last_ns: np.ndarray
    times: np.ndarray
    control: np.ndarray  # int64, see the state
    offers: np.ndarray  # int64, see the state
    hands: np.ndarray  # float64 (2,): delta from the next bucket on, delta in force
    threads: np.ndarray  # THREAD (T,)
    totals: np.ndarray  # TOTALS (1,)
    counts: np.ndarray  # int32 (T, C): vertices in a thread's buckets
    top: np.ndarray  # int32 (T, C): last chunk of a bucket that is not empty
    link: np.ndarray  # int32 (T, P): the chunk before
    pool: np.ndarray  # ENTRY (T, P, CHUNK)
    samples: np.ndarray  # SAMPLE, a ring; behind it the last one, the run's totals
    log: Log  # of no events
    probe: int
    source: int
    unreached: int  # bits
    clock: int
    clock_kind: int
    yielder: int


Work = Callable[[Shared, int], object]  # what each thread calls, with its place


class Kit:
    """What the next run may use again: threads' buckets, whose pages need not be cleared again.

    counts, top, pool, link, samples : see Shared; `counts` is all 0, as a run leaves it at its end
    """

    def __init__(self, threads: int, slots: int, chunks: int, entry: np.dtype, what: str) -> None:
        self.pool, self.link = _pools(threads, chunks, entry, what)
        self.counts = np.zeros((threads, slots), np.int32)
        self.top = np.empty_like(self.counts)
        self.samples = np.zeros(1 + RING, SAMPLE)


def run(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
) -> EngineOutcome:
    """Run delta-stepping on this computer's cores; `seed` changes nothing."""
    host.check_device(settings.device)
    host.check_probe(settings.probe)
    threads, delta = settings.parameters["threads"] or cores(), settings.delta
    if delta is None:
        delta = own_delta(graph, threads)
    slots = slots_for(graph.largest_weight, delta)
    least = graph.largest_weight / (slots - 4)
    largest = graph.largest_degree  # its row may need a chunk for each of its arcs' buckets
    row = min(largest, slots) + largest // state.CHUNK
    chunks = slots + row + SPARE_CHUNKS + graph.n // (state.CHUNK * threads)
    kit = _take_kit(graph, threads, slots, chunks)
    team = Team(graph, kit, _make_shared(graph, settings, buffers, kit), max(delta, least))
    ending, overflowed = team.run(observer, least)
    return EngineOutcome("measured", ending, host.environment(threads), overflowed=overflowed)


def own_delta(graph: CSRGraph, threads: int) -> float:
    """Return the bucket width, which is wider for more threads where buckets may lack work.

    C_CPU x mean weight / root mean square degree, C_HUBS where there are hubs. Where a search
    spreads slowly several threads get a width that goes with the mean weight alone.
    """
    factor = C_CPU
    if graph.rms_degree > 2 * graph.mean_degree:
        factor = C_HUBS
    elif threads > 1 and not graph.spreads_fast:
        width = C_LOCAL * graph.mean_weight * threads**THREADS_POWER
        return usable_width(width, graph.integer)
    elif graph.n < THREAD_SHARE * threads:
        factor *= math.sqrt(threads)
    return usable_width(factor * graph.mean_weight / max(graph.rms_degree, 1e-9), graph.integer)


def slots_for(largest: float, delta: float) -> int:
    """Return how many slots hold all that can wait, for weights up to `largest`."""
    slots = SLOTS_SPARE * min(largest / delta, MOST_SLOTS) + 4
    return min(max(math.ceil(slots), FEWEST_SLOTS), MOST_SLOTS)


class Team:
    """The threads of one run."""

    def __init__(self, graph: CSRGraph, kit: Kit, shared: Shared, delta: float) -> None:
        self._graph, self._kit, self._shared, self._delta = graph, kit, shared, delta
        self._handed = 0
        shared.hands[:] = delta

    def run(self, observer: Observer, least_delta: float) -> tuple[str, bool]:
        """Run to the end or to Stop; return which, and whether an arc was left out.

        Raises EngineError, MemoryNeededError.
        """
        control = self._shared.control
        work = _compiled_work(self._shared)
        self._take_delta(observer, least_delta)
        crew = Crew.take(len(self._shared.threads))
        control[state.STARTED] = time.perf_counter_ns()
        try:
            while self._take_part(crew, work, observer, least_delta):
                self._grow()
            ended = time.perf_counter_ns() - control[state.STARTED]
        finally:
            crew.give_back()
        stopped = bool(control[state.STOP] == state.BY_USER)
        if self._shared.probe >= Probe.VERTICES:  # each thread looks at the clock by itself
            np.maximum(self._shared.first_ns, self._shared.last_ns, out=self._shared.last_ns)
        if self._shared.probe > Probe.OFF:
            self._hand_over(observer)
        self._finish(observer, stopped, ended)
        if self._kit.pool.nbytes <= KEPT_BYTES:
            if stopped:
                self._kit.counts.fill(0)
            _kept.append(self._kit)
        overflowed = bool(self._shared.totals["overflowed"][0])
        return "stopped" if stopped else "finished", overflowed

    def _take_part(self, crew: Crew, work: Work, observer: Observer, least_delta: float) -> bool:
        """Wake all threads and wait until they have left; whether their pools must grow."""
        control = self._shared.control
        control[state.STOP] = state.GO_ON
        crew.call(work, self._shared)
        try:
            while True:
                if observer.should_stop():
                    control[state.STOP] = state.BY_USER
                self._take_delta(observer, least_delta)
                if crew.wait(LOOK_S):
                    return bool(control[state.STOP] == state.TO_GROW)
                self._hand_over(observer)
        except BaseException:
            control[state.STOP] = state.BY_ERROR
            while not crew.wait(LOOK_S):  # they read and write our arrays
                pass
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
        self._kit.pool, self._kit.link = pool, link
        self._shared = old._replace(pool=pool, link=link)

    def _hand_over(self, observer: Observer) -> None:
        control, ring = self._shared.control, self._shared.samples
        read, written = int(control[state.READ]), int(control[state.WRITTEN])
        if written > read:
            places = np.arange(read, written) % (len(ring) - 1)
            observer.on_samples(ring[places])
            control[state.READ] = written
            self._handed += written - read
        if self._handed >= MOST_SAMPLES:
            control[state.PERIOD] = max(1000, 2 * control[state.PERIOD])
            self._handed = MOST_SAMPLES // 2

    def _finish(self, observer: Observer, stopped: bool, t_ns: int) -> None:
        """Hand over the last sample, the run's totals; t_ns : when all threads had left."""
        control, last = self._shared.control, self._shared.samples[-1:]
        t_ns = t_ns if stopped else int(control[state.ENDED_NS])
        loop.write_sample(self._shared, t_ns, len(self._shared.samples) - 1, 0)
        ending = Flag.STOPPED if stopped else Flag.FINISHED
        last["flags"] = last["flags"] & ~np.uint32(Flag.FINISHED) | np.uint32(ending)
        observer.on_samples(last)


def _compiled_work(shared: Shared) -> Work:
    """Return `loop.work`, compiled for these types; it does not look at the types again."""
    arrays = shared.indptr, shared.indices, shared.weights, shared.dist, shared.first_ns
    types = tuple((array.dtype, array.flags.writeable) for array in arrays)
    if types not in _compiled:
        loop.work(shared, loop.NO_THREAD)
        signature = numba.typeof(shared), numba.int64
        _compiled[types] = loop.work.overloads[signature].entry_point
    return _compiled[types]


_compiled: dict[tuple[Any, ...], Work] = {}


def _take_kit(graph: CSRGraph, threads: int, slots: int, chunks: int) -> Kit:
    """Return the kit of the run before where it fits, else a new one."""
    entry = state.entry_dtype(bits_dtype(graph.weights.dtype))
    chunks = _whole_lines(state.FIRST_CHUNK + chunks)
    with suppress(IndexError):
        kit = _kept.pop()
        is_like = kit.pool.dtype == entry and kit.counts.shape == (threads, slots)
        if is_like and kit.link.shape[1] >= chunks:
            return kit
    what = f"Δ-stepping on {graph.name}, {threads} threads"
    return Kit(threads, slots, chunks, entry, what)


def _make_shared(graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, kit: Kit) -> Shared:
    """Return what all threads see, ready for a run."""
    threads = len(kit.counts)
    control, totals = np.zeros(state.CONTROL_WORDS, np.int64), np.zeros(1, state.TOTALS)
    control[state.BUSY], control[state.LOWEST] = threads, state.NOBODY
    control[state.PERIOD] = settings.sample_period_ns or PERIOD_NS
    totals["mean_degree"] = graph.mean_degree
    return Shared(
        graph.indptr,
        graph.indices,
        graph.weights,
        buffers.dist,
        bits_of(buffers.dist),
        *vertex_arrays(buffers),
        control,
        np.zeros(threads * state.OFFER_WORDS, np.int64),
        np.zeros(2),
        np.zeros(threads, state.THREAD),
        totals,
        kit.counts,
        kit.top,
        kit.link,
        kit.pool,
        kit.samples,
        _no_log,
        min(settings.probe, 2),
        settings.source,
        int(bits_of(np.array([unreached(buffers.dist.dtype)]))[0]),
        *host.clock(),
        host.yielder(),
    )


def _pools(threads: int, chunks: int, entry: np.dtype, what: str) -> tuple[np.ndarray, np.ndarray]:
    """Return chunks and links of all threads; MemoryNeededError says what they are for."""
    require_memory(threads * chunks * (state.CHUNK * entry.itemsize + 4), what)
    return np.empty((threads, chunks, state.CHUNK), entry), np.empty((threads, chunks), np.int32)


def _whole_lines(chunks: int) -> int:
    """Return a number of chunks with which each thread's links begin on a cache line."""
    return -(-chunks // 16) * 16


_no_log = make_log(Probe.OFF)  # nobody writes it
_kept: deque[Kit] = deque(maxlen=1)  # its pages need not be cleared again
