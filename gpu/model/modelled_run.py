"""What runs of one compiled loop share: a bundle of arrays, one state record, a log, a delta.

Near-Far, Bellman-Ford, delta-stepping, Dijkstra and the all-pairs kernels differ in the arrays
that they keep and in the loop that works on them. How the loop is called, how its log grows,
what the state says of graph, machine and sampling before the first slice, and how a person
takes delta over are the same, and stand here once. ADDS has a controller of its own instead of
a fixed delta; its run is in `gpu.model.adds`.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from gpu.devices import Preset
from gpu.engine import RunBuffers
from gpu.graph import INT_UNREACHED, CSRGraph
from gpu.model.driver import sampling_period
from gpu.model.log import LOG_FULL, Log, grown, note
from gpu.model.machine import NO_SAMPLES_NS, WARP, arc_ns, records, vertex_arrays
from gpu.record.events import EventKind
from gpu.record.trace import Flag, Probe, Reason, RunSettings

Array = np.ndarray
Seven = tuple[Array, Array, Array, Array, Array, Array, Array]
Six = tuple[Array, Array, Array, Array, Array, Array]
STEP_THREADS = 1024  # of a block that works on supersteps (kernel)


class ModelledRun:
    """One modelled run of a compiled loop; see `gpu.model.driver.Slices`.

    `arrays` is the loop's bundle (a NamedTuple with a `log`), `sim` its state, one record, and
    `loop` the module with `advance` and `write_sample`.
    """

    def __init__(self, arrays: Any, sim: np.ndarray, loop: ModuleType, delta: float = 0.0) -> None:
        self.arrays = arrays
        self.sim = sim
        self._loop = loop
        self._own_delta = delta

    @property
    def log(self) -> Log:
        """What probe level 3 recorded so far."""
        log: Log = self.arrays.log
        return log

    def advance(self, samples: np.ndarray, arcs: int) -> int:
        """Advance by a slice; return how many samples were written."""
        written = self._loop.advance(self.arrays, self.sim, samples, arcs)
        if self.sim[0].status == LOG_FULL:
            self.arrays = self.arrays._replace(log=grown(self.log))
        return int(written)

    def set_delta(self, delta: float | None) -> None:
        """A person's delta holds from the next decision of the loop on; None hands it back."""
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
        self._loop.write_sample(self.sim[0], self.log, sample)

    def reach_source(self, settings: RunSettings) -> None:
        """Give the source its distance, and from probe level 2 its times."""
        source, arrays = settings.source, self.arrays
        arrays.dist[source] = 0
        if settings.probe >= Probe.VERTICES:
            arrays.first_ns[source] = arrays.last_ns[source] = 0


def graph_arrays(graph: CSRGraph, buffers: RunBuffers) -> Seven:
    """Return what each bundle begins with: indptr, indices, weights, dist, per-vertex arrays."""
    first, last, times = vertex_arrays(buffers)
    return graph.indptr, graph.indices, graph.weights, buffers.dist, first, last, times


def wave_arrays(graph: CSRGraph, preset: Preset) -> Six:
    """Return what a wave of supersteps needs, for B blocks.

    The distances read at its start; float64 (B,), until when each block is busy; and four times
    int64 (B,): arcs of its fullest warp, arcs of the block, parts of hubs that it does and hubs
    that it has put aside, all in this wave.
    """
    blocks = step_blocks(preset)
    wave = blocks * step_threads(preset)
    snapshot = np.empty(min(wave, max(graph.n, 1)), graph.weights.dtype)
    fullest, arcs, hub_trips, hubs = np.zeros((4, blocks), np.int64)
    return snapshot, np.zeros(blocks), fullest, arcs, hub_trips, hubs


def make_state(
    dtype: np.dtype, graph: CSRGraph, settings: RunSettings, default_ns: float
) -> np.ndarray:
    """Return a state record (1,) that knows the graph and when to sample.

    default_ns : between samples, where the settings name no period; 0: as often as possible
    """
    state = records(1, dtype)
    s = state[0]
    s.period_ns = sampling_period(settings, default_ns)
    s.next_sample_ns = 0.0 if s.period_ns < NO_SAMPLES_NS else NO_SAMPLES_NS
    s.unreached = float(INT_UNREACHED) if graph.integer else np.inf
    s.vertices = int(settings.probe >= Probe.VERTICES)
    return state


def fill_superstep(s: Any, graph: CSRGraph, preset: Preset, delta: float) -> None:
    """Fill what supersteps on `preset` cost, who shares them, and the first delta."""
    s.delta = delta
    s.superstep_ns, s.alone_ns = preset.superstep_ns, preset.alone_ns
    late_ns = preset.miss_ns * preset.arc_miss(graph.m)
    s.round_ns, s.trip_ns = preset.round_ns + late_ns, preset.trip_ns + late_ns
    s.t_ns = preset.start_ns(graph.n, graph.m)
    s.arc_ns = arc_ns(graph, preset)
    s.mean_degree = graph.mean_degree
    s.near = 1
    s.lanes, s.workers = step_threads(preset), step_blocks(preset)
    s.warp = min(WARP, s.lanes)
    s.reason = int(Reason.START)


def step_threads(preset: Preset) -> int:
    """Return the threads of a block: as many as a multiprocessor holds, at most STEP_THREADS."""
    return min(STEP_THREADS, preset.threads_per_sm)


def step_blocks(preset: Preset) -> int:
    """Return the blocks that share a wide frontier: one a multiprocessor, less the courier."""
    return max(1, preset.sms - 1)
