"""Delta-stepping on the modelled GPU: the engine function, and the run as the driver sees it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gpu.delta import near_far_delta
from gpu.devices import Preset, find_preset
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.graph import CSRGraph
from gpu.model import delta_stepping_loop
from gpu.model.driver import drive
from gpu.model.log import Log, check_probe, make_log, note
from gpu.model.modelled_run import (
    ModelledRun,
    fill_superstep,
    graph_arrays,
    make_state,
    wave_arrays,
)
from gpu.record.events import EventKind
from gpu.record.trace import Reason, RunSettings

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
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
) -> EngineOutcome:
    """Run delta-stepping on a modelled device.

    Its phases have no arbitration to vary, so `seed` changes nothing.
    """
    check_probe(settings.probe, graph)
    return drive(DeltaSteppingRun(graph, settings, buffers), graph, observer, settings.device)


class DeltaSteppingRun(ModelledRun):
    """One modelled run of delta-stepping; see `gpu.model.driver.Slices`."""

    def __init__(self, graph: CSRGraph, settings: RunSettings, buffers: RunBuffers) -> None:
        preset, source, delta = find_preset(settings.device), settings.source, settings.delta
        if delta is None:
            delta = near_far_delta(graph.mean_weight, graph.mean_degree, graph.integer)
        buckets = _make_buckets(graph, preset, delta, settings.probe, buffers)
        state = make_state(delta_stepping_loop.STEPPING, graph, settings, 0.0)  # every phase
        fill_superstep(state[0], graph, preset, delta)
        state[0].wanted = delta
        super().__init__(buckets, state, delta_stepping_loop, delta)
        buckets.frontier[0] = source
        self.reach_source(settings)
        start_ns = state[0].t_ns
        note(self.log, start_ns, EventKind.DELTA, int(Reason.START), 1, delta)
        note(self.log, start_ns, EventKind.PUSH, source)

    def set_delta(self, delta: float | None) -> None:
        """A person makes buckets wider or narrower from the next one on, or hands back."""
        state = self.sim[0]
        state.wanted = self._own_delta if delta is None else delta
        state.by_hand = int(delta is not None)
        state.reason = int(Reason.START if delta is None else Reason.BY_HAND)


def slots_for(graph: CSRGraph, delta: float) -> int:
    """Return how many slots hold every bucket from the head to the largest weight beyond it."""
    largest = float(graph.weights.max()) if graph.m else 0.0
    return min(max(math.ceil(min(largest / delta, MOST_SLOTS)) + 3, FEWEST_SLOTS), MOST_SLOTS)


def _make_buckets(
    graph: CSRGraph, preset: Preset, delta: float, probe: int, buffers: RunBuffers
) -> Buckets:
    return Buckets(
        *graph_arrays(graph, buffers),
        np.full(slots_for(graph, delta), -1, np.int32),
        np.empty(graph.n, np.int32),
        np.empty(graph.n, np.int32),
        np.full(graph.n, -1, np.int32),
        np.empty(graph.n, np.int32),
        np.empty(graph.n, np.int32),
        np.full(graph.n, -1, np.int64),
        *wave_arrays(graph, preset),
        make_log(probe),
    )
