"""Delta-stepping on the modelled GPU: the engine function, and the run as the driver sees it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from gpu.delta import near_far_delta
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.events import EventKind
from gpu.graph import INT_UNREACHED, CSRGraph
from gpu.model import delta_stepping_loop
from gpu.model.driver import drive, sampling_period
from gpu.model.log import LOG_FULL, Log, check_probe, grown, make_log, note
from gpu.model.machine import NO_SAMPLES_NS, WARP, arc_ns, records, vertex_arrays
from gpu.model.near_far import step_blocks, step_threads
from gpu.model.presets import Preset, find_preset
from gpu.trace import Probe, Reason

FEWEST_SLOTS, MOST_SLOTS = 64, 2**16


class Buckets(NamedTuple):
    """Arrays of one run, n vertices, C slots; a wave covers len(snapshot) vertices."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    dist: np.ndarray
    first_ns: np.ndarray
    last_ns: np.ndarray
    times: np.ndarray
    first: np.ndarray  # int32 (C,): a slot's first vertex, -1 where it is empty
    following: np.ndarray  # int32 (n,), links of the slot's list
    before: np.ndarray  # int32 (n,)
    slot_of: np.ndarray  # int32 (n,), -1 where the vertex does not wait
    frontier: np.ndarray  # int32 (n,): what this light phase works on
    kept: np.ndarray  # int32 (n,): what the heavy phase will work on
    mark: np.ndarray  # int64 (n,): visit in which `kept` took the vertex
    snapshot: np.ndarray  # distances read at the start of a wave
    block_ns: np.ndarray  # these five as Near-Far's `Piles`, one entry a block
    fullest: np.ndarray
    arcs: np.ndarray
    hub_trips: np.ndarray
    hubs: np.ndarray
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
    """Run delta-stepping on a modelled device; the signature is that of `gpu.engine`.

    Its phases have no arbitration to vary, so `seed` changes nothing.
    """
    check_probe(probe, graph)
    preset = find_preset(device)
    if delta is None:
        delta = near_far_delta(graph.mean_weight, graph.mean_degree, graph.integer)
    period = sampling_period(probe, period_ns, 0.0)  # by default every phase
    stepping = DeltaSteppingRun(graph, source, preset, delta, probe, period, buffers)
    return drive(stepping, graph, observer, device)


class DeltaSteppingRun:
    """One modelled run of delta-stepping; see `gpu.model.driver.Slices`."""

    def __init__(
        self,
        graph: CSRGraph,
        source: int,
        preset: Preset,
        delta: float,
        probe: int,
        period_ns: float,
        buffers: RunBuffers,
    ) -> None:
        self._buckets = _make_buckets(graph, preset, delta, probe, buffers)
        self.sim = _make_state(graph, preset, delta, probe, period_ns)
        self._own_delta = delta
        self._buckets.frontier[0] = source
        self._buckets.dist[source] = 0
        if probe >= Probe.VERTICES:
            self._buckets.first_ns[source] = self._buckets.last_ns[source] = 0
        start_ns = self.sim[0].t_ns
        note(self.log, start_ns, EventKind.DELTA, int(Reason.START), 1, delta)
        note(self.log, start_ns, EventKind.PUSH, source)

    def advance(self, samples: np.ndarray, arcs: int) -> int:
        """Advance by a slice."""
        written = delta_stepping_loop.advance(self._buckets, self.sim, samples, arcs)
        if self.sim[0].status == LOG_FULL:
            self._buckets = self._buckets._replace(log=grown(self.log))
        return int(written)

    @property
    def log(self) -> Log:
        """What probe level 3 recorded so far."""
        return self._buckets.log

    def set_delta(self, delta: float | None) -> None:
        """A person makes buckets wider or narrower from the next one on, or hands back."""
        state = self.sim[0]
        state.wanted = self._own_delta if delta is None else delta
        state.by_hand = int(delta is not None)
        state.reason = int(Reason.START if delta is None else Reason.BY_HAND)

    def final_sample(self, sample: Any) -> None:
        """Write the state as it is."""
        delta_stepping_loop.write_sample(self.sim[0], self.log, sample)


def slots_for(graph: CSRGraph, delta: float) -> int:
    """Return how many slots hold every bucket from the head to the largest weight beyond it."""
    largest = float(graph.weights.max()) if graph.m else 0.0
    return min(max(math.ceil(min(largest / delta, MOST_SLOTS)) + 3, FEWEST_SLOTS), MOST_SLOTS)


def _make_buckets(
    graph: CSRGraph, preset: Preset, delta: float, probe: int, buffers: RunBuffers
) -> Buckets:
    blocks = step_blocks(preset)
    wave = blocks * step_threads(preset)
    slots = slots_for(graph, delta)
    return Buckets(
        graph.indptr,
        graph.indices,
        graph.weights,
        buffers.dist,
        *vertex_arrays(buffers),
        np.full(slots, -1, np.int32),
        np.empty(graph.n, np.int32),
        np.empty(graph.n, np.int32),
        np.full(graph.n, -1, np.int32),
        np.empty(graph.n, np.int32),
        np.empty(graph.n, np.int32),
        np.full(graph.n, -1, np.int64),
        np.empty(min(wave, max(graph.n, 1)), graph.weights.dtype),
        np.zeros(blocks),
        np.zeros(blocks, np.int64),
        np.zeros(blocks, np.int64),
        np.zeros(blocks, np.int64),
        np.zeros(blocks, np.int64),
        make_log(probe),
    )


def _make_state(
    graph: CSRGraph, preset: Preset, delta: float, probe: int, period_ns: float
) -> np.ndarray:
    state = records(1, delta_stepping_loop.STEPPING)
    s = state[0]
    s.period_ns = period_ns
    s.next_sample_ns = 0.0 if period_ns < NO_SAMPLES_NS else NO_SAMPLES_NS
    s.delta = s.wanted = delta
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
