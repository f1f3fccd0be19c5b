"""Dijkstra on one core of this computer: the engine function and its run."""

from __future__ import annotations

import time

import numpy as np

from gpu.cpu import dijkstra_loop, host
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.files import require_memory
from gpu.graph import CSRGraph
from gpu.loops.codes import FINISHED
from gpu.loops.heap import HeapRun
from gpu.loops.run import drive
from gpu.loops.state import make_state, sample_buffer
from gpu.record.trace import Flag, RunSettings

PERIOD_NS = 100_000  # between samples, unless another is asked for
SLICE_ARCS = 50_000  # between two looks at Stop: under 20 ms on any core


def run(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
) -> EngineOutcome:
    """Run Dijkstra on one core; there is nothing for `seed` to vary."""
    host.check_device(settings.device)
    host.check_probe(settings.probe)
    require_memory(2 * graph.weights.itemsize * (graph.m + 1), f"Dijkstra's heap on {graph.name}")
    heap = DijkstraRun(graph, settings, buffers)
    return drive(heap, observer, "measured", host.environment(threads=1))


class DijkstraRun(HeapRun):
    """One measured run of Dijkstra; its clock stands still between two slices."""

    measured = True

    def __init__(self, graph: CSRGraph, settings: RunSettings, buffers: RunBuffers) -> None:
        state = make_state(dijkstra_loop.HEAP_STATE, graph, settings, PERIOD_NS)
        state[0].clock, state[0].clock_kind = host.clock()
        key = settings.source if graph.weights.itemsize == 4 else 0
        super().__init__(graph, settings, buffers, state, dijkstra_loop, key)
        super().advance(sample_buffer(0), 0)  # compiles it

    def advance(self, samples: np.ndarray, arcs: int) -> int:
        """Advance by a slice and say how long it took."""
        s = self.sim[0]
        begun, before = time.perf_counter_ns(), int(s.t_ns)
        s.started_ns = begun - before
        written = super().advance(samples, min(arcs, SLICE_ARCS))
        s.t_ns = max(s.t_ns, before + time.perf_counter_ns() - begun)
        if s.status == FINISHED:
            s["flags"] |= int(Flag.FINISHED)
            self.final_sample(samples[written])
            return written + 1
        return written
