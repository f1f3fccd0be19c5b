"""Bellman-Ford on the modelled GPU: Near-Far's loop with a threshold that is never reached.

With everything near, that loop is frontier Bellman-Ford and costs what Near-Far costs, so two
runs differ in order alone. There is no delta, no base and nothing far.
"""

from __future__ import annotations

import numpy as np

from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.graph import CSRGraph
from gpu.model.modelled_run import SuperstepRun, run_modelled
from gpu.model.near_far import PILES, make_piles
from gpu.record.trace import RunSettings


def run(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
) -> EngineOutcome:
    """Run Bellman-Ford on a modelled device.

    There is no delta, no parameter and nothing for `seed` to vary.
    """
    return run_modelled(BellmanFordRun, graph, settings, buffers, observer)


class BellmanFordRun(SuperstepRun):
    """One modelled run of Bellman-Ford."""

    def __init__(self, graph: CSRGraph, settings: RunSettings, buffers: RunBuffers) -> None:
        piles = make_piles(graph, settings, buffers)
        super().__init__(graph, settings, piles, PILES, 0.0)
        self.sim[0].threshold = np.inf

    def set_delta(self, delta: float | None) -> None:
        """Bellman-Ford has no delta: nothing to take over."""
