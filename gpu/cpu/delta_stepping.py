"""Delta-stepping on all cores of this computer: the engine function, its arrays, its threads.

The threads are Python's, but they run compiled code without the interpreter's lock and meet
at barriers of their own. This thread, the engine's, only looks in every LOOK_S: it hands
samples over, asks for Stop and for a delta held by hand. Time is measured from the barrier
at which all threads have started to the last one's end.

Slots are made for the largest weight and the first delta, with room for a delta a fraction
of that by hand; a smaller one is taken as the smallest that the slots allow, which the
samples show.
"""

from __future__ import annotations

import math
import threading
import time
from typing import Any, NamedTuple

import numpy as np

from gpu.cpu import delta_stepping_loop as loop, delta_stepping_state as state, host
from gpu.delta import near_far_delta
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.loops.driver import MOST_SAMPLES
from gpu.loops.log import Log, make_log
from gpu.loops.state import graph_arrays, make_state, reach_source, records, sample_buffer
from gpu.memory import require_memory
from gpu.numbers import bits_of, unreached as none_of
from gpu.record.trace import Flag, Probe, RunSettings

LOOK_S = 0.01  # between two looks at Stop
FEWEST_SLOTS, MOST_SLOTS = 1024, 2**16
SLOTS_SPARE = 16  # slots for delta 1/16 of the first, while that fits
RING = 2**13  # samples between two looks; further ones are left out
SPARE_CHUNKS = 256  # a thread's, beside a share of the vertices; a pool grows when it runs dry


class Shared(NamedTuple):
    """What all threads see; n vertices, T threads, C slots."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    dist: np.ndarray
    first_ns: np.ndarray
    last_ns: np.ndarray
    times: np.ndarray
    bits: np.ndarray  # int32 or int64 (n,): `dist` as numbers that sort like it
    done: np.ndarray  # the same type (n,): bits at which the vertex was last processed
    mark: np.ndarray  # int32 (n,): visit in which it was kept for its heavy arcs
    frontier: np.ndarray  # int32 (2, n + 1): of even and of odd rounds
    control: np.ndarray  # int64, see the loop
    hands: np.ndarray  # float64 (3,): delta from the next bucket on; asked, even, odd rounds
    threads: np.ndarray  # THREAD (T,)
    totals: np.ndarray  # TOTALS (1,)
    counts: np.ndarray  # int32 (T, C + 1): vertices in own buckets, then kept for heavy arcs
    samples: np.ndarray  # SAMPLE, a ring
    log: Log  # of no events
    probe: int
    unreached: int  # bits
    limit: float  # no distance reaches it
    clock: int
    clock_kind: int
    yielder: int


class Own(NamedTuple):
    """What one thread has for itself; P chunks."""

    counts: np.ndarray  # its row of Shared.counts
    top: np.ndarray  # int32 (C + 1,): last chunk of a bucket, -1 where it is empty
    pool: np.ndarray  # int32 (P, CHUNK)
    link: np.ndarray  # int32 (P,): the chunk before
    spare: np.ndarray  # int32 (P,): a stack of free chunks


def run(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
) -> EngineOutcome:
    """Run delta-stepping on this computer's cores.

    The cores arbitrate by themselves: `seed` changes nothing. A sample is taken every round.
    """
    host.check_device(settings.device)
    host.check_probe(settings.probe)
    threads, delta = settings.parameters["threads"] or host.cores(), settings.delta
    if delta is None:
        delta = near_far_delta(graph.mean_weight, graph.mean_degree, graph.integer)
    largest = float(graph.weights.max()) if graph.m else 0.0
    slots = slots_for(largest, delta)
    chunks = slots + SPARE_CHUNKS + graph.n // (state.CHUNK * threads)
    needed = (12 + graph.weights.itemsize) * graph.n + threads * (
        8 * slots + chunks * (4 * state.CHUNK + 8)
    )
    require_memory(needed, f"Δ-stepping on {graph.name}, {threads} threads")
    shared = _make_shared(graph, settings, buffers, threads, slots)
    team = Team(graph, shared, chunks, max(delta, largest / (slots - 4)))
    outcome = team.run(observer, largest / (slots - 4))
    if buffers.vertices is not None:  # threads stamp a few vertices apart
        last = buffers.vertices.last_improved_ns
        np.maximum(last, buffers.vertices.first_reached_ns, out=last)
    overflowed = bool(shared.threads["overflowed"].any())
    return EngineOutcome("measured", outcome, host.environment(threads), overflowed=overflowed)


def slots_for(largest: float, delta: float) -> int:
    """Return how many slots hold all that can wait, for weights up to `largest`."""
    wanted = SLOTS_SPARE * min(largest / delta, MOST_SLOTS) + 4
    return min(max(math.ceil(wanted), FEWEST_SLOTS), MOST_SLOTS)


class Team:
    """The threads of one run."""

    def __init__(self, graph: CSRGraph, shared: Shared, chunks: int, delta: float) -> None:
        self._graph, self._shared, self._delta = graph, shared, delta
        self._own = [_make_own(shared.counts[me], chunks) for me in range(len(shared.threads))]
        for thread in shared.threads:
            thread.delta, thread.inverse, thread.free = delta, 1.0 / delta, chunks
        shared.hands[:] = delta
        self._error: GpuError | MemoryError | None = None
        self._handed = 0

    def run(self, observer: Observer, least_delta: float) -> str:
        """Run to the end or to Stop; return which. Raises WeightError, MemoryNeededError."""
        self._compile()
        control = self._shared.control
        team = [
            threading.Thread(target=self._work, args=(me,), daemon=True, name=f"sssp-cpu-{me}")
            for me in range(len(self._own))
        ]
        begun = time.perf_counter_ns()
        for thread in team:
            thread.start()
        try:
            self._watch(team, observer, least_delta)
        except BaseException:
            control[state.STOP] = state.BY_ERROR
            raise
        finally:
            for thread in team:
                thread.join()
        if self._error is not None:
            raise self._error
        stopped = control[state.STOP] == state.BY_USER
        ended = time.perf_counter_ns() - (control[state.STARTED] or begun)
        self._hand_over(observer)
        self._finish(observer, stopped, int(ended if stopped else control[state.ENDED_NS] or ended))
        return "stopped" if stopped else "finished"

    def _compile(self) -> None:
        """Compile before the clock starts: with Stop set, a thread returns at once."""
        control = self._shared.control
        control[state.STOP] = state.BY_ERROR
        loop.work(self._shared, self._own[0], 0)
        control[state.STOP], control[state.ARRIVED], control[state.GENERATION] = state.GO_ON, 0, 0

    def _work(self, me: int) -> None:
        """Be thread `me`; give it a larger pool where it asks for one."""
        try:
            while loop.work(self._shared, self._own[me], me) == state.GROW:
                self._grow(me)
        except (GpuError, MemoryError) as error:
            self._error = error
            self._shared.control[state.STOP] = state.BY_ERROR

    def _grow(self, me: int) -> None:
        thread, own = self._shared.threads[me], self._own[me]
        old = len(own.spare)
        new = 2 * old + int(thread.needed)
        require_memory(4 * new * (state.CHUNK + 2), f"Δ-stepping's buckets on {self._graph.name}")
        pool, link = np.empty((new, state.CHUNK), np.int32), np.empty(new, np.int32)
        pool[:old], link[:old] = own.pool, own.link
        spare = np.empty(new, np.int32)
        spare[: new - old] = np.arange(old, new)
        spare[new - old : new - old + thread.free] = own.spare[: thread.free]
        thread.free += new - old
        self._own[me] = own._replace(pool=pool, link=link, spare=spare)

    def _watch(self, team: list[threading.Thread], observer: Observer, least: float) -> None:
        control, hands = self._shared.control, self._shared.hands
        for thread in team:
            while thread.is_alive():
                if observer.should_stop():
                    control[state.STOP] = state.BY_USER
                    return
                held = observer.delta_by_hand()
                hands[0] = self._delta if held is None else max(held, least)
                control[state.HELD] = int(held is not None)
                thread.join(LOOK_S)
                self._hand_over(observer)

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
        lead, last = self._shared.threads[0], sample_buffer(1)
        lead.now_ns = t_ns
        loop.write_sample(self._shared, lead, last[0], 0)
        last[0]["flags"] |= int(Flag.STOPPED if stopped else Flag.FINISHED)
        observer.on_samples(last.view(np.ndarray))


def _make_shared(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, threads: int, slots: int
) -> Shared:
    bits = bits_of(buffers.dist)
    unreached = int(bits[settings.source])
    frontier = np.empty((2, graph.n + 1), np.int32)
    frontier[0, 0] = settings.source
    control = np.zeros(state.CONTROL_WORDS, np.int64)
    control[state.SIZE], control[state.PERIOD] = 1, settings.sample_period_ns
    control[state.LOWEST] = control[state.LOWEST + state.NEXT] = state.NOBODY
    team: Any = records(threads, state.THREAD)
    clock, kind = host.clock()
    shared = Shared(
        *graph_arrays(graph, buffers),
        bits,
        np.full(graph.n, -1, bits.dtype),
        np.full(graph.n, -1, np.int32),
        frontier,
        control,
        np.zeros(3),
        team,
        make_state(state.TOTALS, graph, settings, 0.0),
        np.zeros((threads, slots + 1), np.int32),
        sample_buffer(RING if settings.probe > Probe.OFF else 1),
        make_log(Probe.OFF),
        min(settings.probe, 2),
        unreached,
        float(none_of(graph.weights.dtype)),
        clock,
        kind,
        host.yielder(),
    )
    reach_source(shared, settings)
    return shared


def _make_own(counts: np.ndarray, chunks: int) -> Own:
    return Own(
        counts,
        np.full(len(counts), -1, np.int32),
        np.empty((chunks, state.CHUNK), np.int32),
        np.empty(chunks, np.int32),
        np.arange(chunks, dtype=np.int32),
    )
