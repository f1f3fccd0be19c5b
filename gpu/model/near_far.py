"""Near-Far on the modelled GPU: the engine function, and the run as the driver sees it."""

from __future__ import annotations

import numpy as np

from gpu.delta import near_far_delta
from gpu.devices import find_preset
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.graph import CSRGraph
from gpu.loops.log import make_log
from gpu.loops.state import graph_arrays
from gpu.model.modelled_run import SuperstepRun, run_modelled, wave_arrays
from gpu.model.near_far_loop import PILES, Piles
from gpu.record.trace import RunSettings


def run(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
) -> EngineOutcome:
    """Run Near-Far on a modelled device.

    Its supersteps have no arbitration to vary, so `seed` changes nothing.
    """
    return run_modelled(NearFarRun, graph, settings, buffers, observer)


class NearFarRun(SuperstepRun):
    """One modelled run of Near-Far; a person's delta moves the split from the next one on."""

    def __init__(self, graph: CSRGraph, settings: RunSettings, buffers: RunBuffers) -> None:
        delta = settings.delta
        if delta is None:
            delta = self.first_delta(graph)
        piles = make_piles(graph, settings, buffers)
        super().__init__(graph, settings, piles, PILES, delta)
        self.sim[0].threshold = delta

    @staticmethod
    def first_delta(graph: CSRGraph) -> float:
        """Return delta where none is given, weight units."""
        return near_far_delta(graph.mean_weight, graph.mean_degree, graph.integer)

    def set_delta(self, delta: float | None) -> None:
        """A person's delta holds from the next split on; None hands it back."""
        super().set_delta(delta)
        self.sim[0].base = self.sim[0].threshold - self.sim[0].delta


def make_piles(graph: CSRGraph, settings: RunSettings, buffers: RunBuffers) -> Piles:
    """Return the arrays of a run, with nothing in any pile."""
    return Piles(
        *graph_arrays(graph, buffers),
        np.empty(graph.n, np.int32),
        np.empty(graph.n, np.int32),
        np.empty(graph.n, np.int32),
        np.zeros(graph.n, np.int64),
        np.zeros(graph.n, np.uint8),
        *wave_arrays(graph, find_preset(settings.device)),
        make_log(settings.probe),
    )
