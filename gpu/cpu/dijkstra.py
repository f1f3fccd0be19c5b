"""Dijkstra on one core of this computer: the engine function and its run."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from gpu.cpu import dijkstra_loop, host
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.graph import INT_UNREACHED, CSRGraph
from gpu.memory import require_memory
from gpu.model.driver import drive
from gpu.model.log import make_log
from gpu.model.machine import FINISHED, POOL_DRY, records, sample_buffer, vertex_arrays
from gpu.record.trace import Flag, Probe, RunSettings

PERIOD_NS = 100_000  # between samples, unless another is asked for
NEVER_NS = 2**62  # a sample that does not come: probe level 0
SLICE_ARCS = 50_000  # between two looks at Stop: under 20 ms on any core


class HeapArrays(NamedTuple):
    """Arrays of one run; the heap starts at n / 4 entries and doubles when full."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    dist: np.ndarray
    first_ns: np.ndarray
    last_ns: np.ndarray
    times: np.ndarray
    heap: np.ndarray  # uint64: bits of the distance, then the vertex


def run(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
) -> EngineOutcome:
    """Run Dijkstra on one core.

    There is no delta, no parameter and nothing for `seed` to vary.
    """
    host.check_device(settings.device)
    host.check_probe(settings.probe)
    require_memory(8 * (graph.m + 1), f"Dijkstra's heap on {graph.name}")
    outcome = drive(DijkstraRun(graph, settings, buffers), graph, observer, settings.device)
    return replace(outcome, clock="measured", environment=host.environment(threads=1))


class DijkstraRun:
    """One measured run of Dijkstra; see `gpu.model.driver.Slices`.

    Its clock stands still between two slices, while samples are handed over.
    """

    def __init__(self, graph: CSRGraph, settings: RunSettings, buffers: RunBuffers) -> None:
        probe, source = settings.probe, settings.source
        widest = int(np.diff(graph.indptr).max()) if graph.n else 0
        heap = np.zeros(max(1024, graph.n // 4, 2 * widest), np.uint64)
        vertices = vertex_arrays(buffers)
        arrays = (graph.indptr, graph.indices, graph.weights, buffers.dist, *vertices)
        self._arrays = HeapArrays(*arrays, heap)
        self.log = make_log(Probe.OFF)  # every event is recorded by the model alone
        self.sim = records(1, dijkstra_loop.HEAP_STATE)
        s = self.sim[0]
        s.period_ns = settings.sample_period_ns or PERIOD_NS
        s.next_sample_ns = 0 if probe > Probe.OFF else NEVER_NS
        s.clock, s.clock_kind = host.clock()
        s.mean_degree = graph.mean_degree
        s.unreached = float(INT_UNREACHED) if graph.integer else np.inf
        s.vertices = int(probe >= Probe.VERTICES)
        buffers.dist[source] = 0
        if probe >= Probe.VERTICES:
            self._arrays.first_ns[source] = self._arrays.last_ns[source] = 0
        dijkstra_loop.push(heap, s, buffers.dist[source], source)
        dijkstra_loop.advance(self._arrays, self.sim, sample_buffer(0), 0)  # compiles it

    def advance(self, samples: np.ndarray, arcs: int) -> int:
        """Advance by a slice; double the heap where it is full."""
        s = self.sim[0]
        begun = time.perf_counter_ns()
        s.started_ns = begun - s.t_ns
        before = int(s.t_ns)
        written = int(dijkstra_loop.advance(self._arrays, self.sim, samples, min(arcs, SLICE_ARCS)))
        s.t_ns = max(int(s.t_ns), before + time.perf_counter_ns() - begun)
        if s.status == FINISHED:
            s["flags"] |= int(Flag.FINISHED)
            self.final_sample(samples[written])
            return written + 1
        if s.status == POOL_DRY:
            heap = np.zeros(2 * len(self._arrays.heap), np.uint64)
            heap[: len(self._arrays.heap)] = self._arrays.heap
            self._arrays = self._arrays._replace(heap=heap)
        return written

    def set_delta(self, delta: float | None) -> None:
        """Dijkstra has no delta: nothing to take over."""

    def final_sample(self, sample: Any) -> None:
        """Write the state as it is."""
        dijkstra_loop.write_sample(self.sim[0], sample)
