"""Asynchronous Near-Far on the modelled GPU: Near-Far's loop with a target, and no barrier.

The kernel's warps go on whenever they like. The model takes them in rounds: in each, everything
that is near is processed once, and a round costs what a hop of the kernel does, however wide it
is (`alone_ns`, and beyond that what any wave costs).
"""

from __future__ import annotations

from gpu.algorithms.async_near_far import strides_of, target_of
from gpu.delta import usable_width
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.graph import CSRGraph
from gpu.model.modelled_run import run_modelled
from gpu.model.near_far import NearFarRun
from gpu.record.trace import RunSettings


def run(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
) -> EngineOutcome:
    """Run on a modelled device; nothing is arbitrated, so `seed` changes nothing."""
    return run_modelled(AsyncNearFarRun, graph, settings, buffers, observer)


class AsyncNearFarRun(NearFarRun):
    """One modelled run; a person's delta moves the threshold from its next move on."""

    def __init__(self, graph: CSRGraph, settings: RunSettings, buffers: RunBuffers) -> None:
        super().__init__(graph, settings, buffers)
        self.sim[0].target = target_of(graph.mean_degree)
        self.sim[0].superstep_ns = self.sim[0].alone_ns

    @staticmethod
    def first_delta(graph: CSRGraph) -> float:
        """Return how far the threshold moves at a time, weight units."""
        width = strides_of(graph.mean_degree) * graph.mean_weight / max(graph.mean_degree, 1e-9)
        return usable_width(width, graph.integer)
