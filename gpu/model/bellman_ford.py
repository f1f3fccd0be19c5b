"""Bellman-Ford on the modelled GPU: Near-Far's loop with a threshold that is never reached.

With everything near, the loop of `near_far_loop` *is* frontier Bellman-Ford, wave by wave,
and costs what Near-Far costs: so any difference between two runs is one of order. What is
said about piles and thresholds is taken out of the samples: there is no delta, no base
and nothing far.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.graph import CSRGraph
from gpu.model.driver import drive
from gpu.model.log import check_probe
from gpu.model.near_far import NearFarRun
from gpu.record.trace import RunSettings

ANY_DELTA = 1.0  # never used: the threshold does not move


def run(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
) -> EngineOutcome:
    """Run Bellman-Ford on a modelled device.

    There is no delta, no parameter and nothing for `seed` to vary.
    """
    check_probe(settings.probe, graph)
    return drive(BellmanFordRun(graph, settings, buffers), graph, observer, settings.device)


class BellmanFordRun(NearFarRun):
    """One modelled run of Bellman-Ford; see `gpu.model.driver.Slices`."""

    def __init__(self, graph: CSRGraph, settings: RunSettings, buffers: RunBuffers) -> None:
        super().__init__(graph, settings, buffers, ANY_DELTA, has_delta=False)
        self.sim[0].threshold = np.inf

    def advance(self, samples: np.ndarray, arcs: int) -> int:
        """Advance by a slice."""
        written = super().advance(samples, arcs)
        _forget_delta(samples[:written])
        return written

    def set_delta(self, delta: float | None) -> None:
        """Bellman-Ford has no delta: nothing to take over."""

    def final_sample(self, sample: Any) -> None:
        """Write the state as it is."""
        super().final_sample(sample)
        sample.delta = sample.base = 0.0
        sample.reason = 0


def _forget_delta(samples: np.ndarray) -> None:
    for name in ("delta", "base", "reason"):
        samples[name] = 0
