"""Delta-stepping on the modelled GPU: the engine function, and the run as the driver sees it."""

from __future__ import annotations

import math

import numpy as np

from gpu.delta import near_far_delta
from gpu.devices import find_preset
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.graph import CSRGraph
from gpu.loops.log import make_log
from gpu.loops.state import graph_arrays
from gpu.model.delta_stepping_loop import STEPPING, Buckets
from gpu.model.modelled_run import SuperstepRun, run_modelled, wave_arrays
from gpu.record.trace import Reason, RunSettings

FEWEST_SLOTS, MOST_SLOTS = 64, 2**16


def run(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
) -> EngineOutcome:
    """Run delta-stepping on a modelled device.

    Its phases have no arbitration to vary, so `seed` changes nothing.
    """
    return run_modelled(DeltaSteppingRun, graph, settings, buffers, observer)


class DeltaSteppingRun(SuperstepRun):
    """One modelled run of delta-stepping."""

    def __init__(self, graph: CSRGraph, settings: RunSettings, buffers: RunBuffers) -> None:
        delta = settings.delta
        if delta is None:
            delta = near_far_delta(graph.mean_weight, graph.mean_degree, graph.integer)
        buckets = _make_buckets(graph, settings, buffers, delta)
        super().__init__(graph, settings, buckets, STEPPING, delta)
        self.sim[0].wanted = delta

    def set_delta(self, delta: float | None) -> None:
        """A person makes buckets wider or narrower from the next one on, or hands back."""
        state = self.sim[0]
        state.wanted = self.own_delta if delta is None else delta
        state.by_hand = int(delta is not None)
        state.reason = int(Reason.START if delta is None else Reason.BY_HAND)


def slots_for(graph: CSRGraph, delta: float) -> int:
    """Return how many slots hold every bucket from the head to the largest weight beyond it."""
    largest = float(graph.weights.max()) if graph.m else 0.0
    return min(max(math.ceil(min(largest / delta, MOST_SLOTS)) + 3, FEWEST_SLOTS), MOST_SLOTS)


def _make_buckets(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, delta: float
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
        *wave_arrays(graph, find_preset(settings.device)),
        make_log(settings.probe),
    )
