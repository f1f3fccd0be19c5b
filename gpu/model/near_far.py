"""Near-Far on the modelled GPU: the engine function, and the run as the driver sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from gpu.delta import near_far_delta
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.events import EventKind
from gpu.graph import INT_UNREACHED, CSRGraph
from gpu.model import near_far_loop
from gpu.model.driver import drive, sampling_period
from gpu.model.log import LOG_FULL, Log, check_probe, grown, make_log, note
from gpu.model.machine import NO_SAMPLES_NS, WARP, arc_ns, records, vertex_arrays
from gpu.model.presets import Preset, find_preset
from gpu.trace import Flag, Probe, Reason

STEP_THREADS = 1024  # of a block (kernel)


class Piles(NamedTuple):
    """Arrays of one run, n vertices; a wave covers len(snapshot) of them."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    dist: np.ndarray
    first_ns: np.ndarray
    last_ns: np.ndarray
    times: np.ndarray
    near: np.ndarray  # int32 (n,)
    following: np.ndarray  # int32 (n,), the next near pile
    far: np.ndarray  # int32 (n,)
    near_mark: np.ndarray  # int64 (n,): superstep whose near pile holds the vertex
    far_mark: np.ndarray  # uint8 (n,): whether far holds it
    snapshot: np.ndarray  # distances read at the start of a wave
    block_ns: np.ndarray  # float64 (blocks,): until when each block is busy
    fullest: np.ndarray  # int64 (blocks,): arcs of its fullest warp in this wave
    arcs: np.ndarray  # int64 (blocks,): of the block in this wave
    hub_trips: np.ndarray  # int64 (blocks,): parts of hubs that it does in this wave
    hubs: np.ndarray  # int64 (blocks,): hubs that it has put aside in this wave
    log: Log  # probe level 3


def run(
    graph: CSRGraph,
    source: int,
    *,
    delta: float | None,
    parameters: Mapping[str, Any],
    device: str,
    probe: int,
    period_ns: int,
    seed: int,
    buffers: RunBuffers,
    observer: Observer,
) -> EngineOutcome:
    """Run Near-Far on a modelled device; the signature is that of `gpu.engine`.

    Its supersteps have no arbitration to vary, so `seed` changes nothing.
    """
    check_probe(probe, graph)
    preset = find_preset(device)
    if delta is None:
        delta = near_far_delta(graph.mean_weight, graph.mean_degree, graph.integer)
    period = sampling_period(probe, period_ns, 0.0)  # by default every superstep
    piles = NearFarRun(graph, source, preset, delta, probe, period, buffers)
    return drive(piles, graph, observer, device)


class NearFarRun:
    """One modelled run of Near-Far; see `gpu.model.driver.Slices`."""

    def __init__(
        self,
        graph: CSRGraph,
        source: int,
        preset: Preset,
        delta: float,
        probe: int,
        period_ns: float,
        buffers: RunBuffers,
        has_delta: bool = True,
    ) -> None:
        self._piles = _make_piles(graph, preset, probe, buffers)
        self.sim = _make_state(graph, preset, delta, probe, period_ns)
        self._own_delta = delta
        self._piles.near[0] = source
        self._piles.dist[source] = 0
        if probe >= Probe.VERTICES:
            self._piles.first_ns[source] = self._piles.last_ns[source] = 0
        start_ns = self.sim[0].t_ns
        if has_delta:
            note(self.log, start_ns, EventKind.DELTA, int(Reason.START), 1, delta)
        note(self.log, start_ns, EventKind.PUSH, source)

    def advance(self, samples: np.ndarray, arcs: int) -> int:
        """Advance by a slice."""
        written = near_far_loop.advance(self._piles, self.sim, samples, arcs)
        if self.sim[0].status == LOG_FULL:
            self._piles = self._piles._replace(log=grown(self.log))
        return int(written)

    @property
    def log(self) -> Log:
        """What probe level 3 recorded so far."""
        return self._piles.log

    def set_delta(self, delta: float | None) -> None:
        """A person moves the split by another delta from the next split on, or hands back."""
        state = self.sim[0]
        wanted = self._own_delta if delta is None else delta
        if wanted != state.delta:
            raised = wanted > state.delta
            state["flags"] |= int(Flag.DELTA_RAISED if raised else Flag.DELTA_LOWERED)
            state.delta_changes += 1
            note(self.log, state.t_ns, EventKind.DELTA, int(Reason.BY_HAND), 1, wanted)
        state.delta, state.by_hand = wanted, int(delta is not None)
        state.reason = int(Reason.START if delta is None else Reason.BY_HAND)

    def final_sample(self, sample: Any) -> None:
        """Write the state as it is."""
        near_far_loop.write_sample(self.sim[0], self.log, sample)


def _make_piles(graph: CSRGraph, preset: Preset, probe: int, buffers: RunBuffers) -> Piles:
    blocks = step_blocks(preset)
    wave = blocks * step_threads(preset)
    return Piles(
        graph.indptr,
        graph.indices,
        graph.weights,
        buffers.dist,
        *vertex_arrays(buffers),
        np.empty(graph.n, np.int32),
        np.empty(graph.n, np.int32),
        np.empty(graph.n, np.int32),
        np.zeros(graph.n, np.int64),
        np.zeros(graph.n, np.uint8),
        np.empty(min(wave, max(graph.n, 1)), graph.weights.dtype),
        np.zeros(blocks),
        np.zeros(blocks, np.int64),
        np.zeros(blocks, np.int64),
        np.zeros(blocks, np.int64),
        np.zeros(blocks, np.int64),
        make_log(probe),
    )


def step_threads(preset: Preset) -> int:
    """Return the threads of a block: as many as a multiprocessor holds, at most STEP_THREADS."""
    return min(STEP_THREADS, preset.threads_per_sm)


def step_blocks(preset: Preset) -> int:
    """Return the blocks that share a wide frontier: one a multiprocessor, less the courier."""
    return max(1, preset.sms - 1)


def _make_state(
    graph: CSRGraph, preset: Preset, delta: float, probe: int, period_ns: float
) -> np.ndarray:
    state = records(1, near_far_loop.PILES)
    s = state[0]
    s.period_ns = period_ns
    s.next_sample_ns = 0.0 if period_ns < NO_SAMPLES_NS else NO_SAMPLES_NS
    s.threshold = s.delta = delta
    s.superstep_ns, s.alone_ns = preset.superstep_ns, preset.alone_ns
    late_ns = preset.miss_ns * preset.arc_miss(graph.m)
    s.round_ns, s.trip_ns = preset.round_ns + late_ns, preset.trip_ns + late_ns
    s.t_ns = preset.start_ns(graph.n, graph.m)
    s.arc_ns = arc_ns(graph, preset)
    s.mean_degree = graph.mean_degree
    s.unreached = float(INT_UNREACHED) if graph.integer else np.inf
    s.near = 1
    s.lanes, s.workers = step_threads(preset), step_blocks(preset)
    s.warp = min(WARP, s.lanes)
    s.vertices = int(probe >= Probe.VERTICES)
    s.reason = int(Reason.START)
    return state
