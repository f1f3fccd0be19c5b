"""Dijkstra on one worker of the modelled GPU: the engine function and its run."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpu.devices import find_preset
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.graph import CSRGraph
from gpu.model import dijkstra_loop
from gpu.model.driver import drive
from gpu.model.log import Log, check_probe, make_log, note
from gpu.model.machine import POOL_DRY, records
from gpu.model.modelled_run import ModelledRun, graph_arrays, make_state
from gpu.record.events import EventKind
from gpu.record.trace import RunSettings

SAMPLES_WANTED = 1000  # the default period divides the expected time by this


class HeapArrays(NamedTuple):
    """Arrays of one run; the heap starts at n / 4 entries and doubles when full."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    dist: np.ndarray
    first_ns: np.ndarray
    last_ns: np.ndarray
    times: np.ndarray
    heap: np.ndarray  # ENTRY
    log: Log  # probe level 3


def run(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
) -> EngineOutcome:
    """Run Dijkstra on one modelled worker.

    There is no delta, no parameter and nothing for `seed` to vary.
    """
    check_probe(settings.probe, graph)
    return drive(DijkstraRun(graph, settings, buffers), graph, observer, settings.device)


class DijkstraRun(ModelledRun):
    """One modelled run of Dijkstra; see `gpu.model.driver.Slices`."""

    def __init__(self, graph: CSRGraph, settings: RunSettings, buffers: RunBuffers) -> None:
        preset, source = find_preset(settings.device), settings.source
        widest = int(np.diff(graph.indptr).max()) if graph.n else 0
        heap = records(max(1024, graph.n // 4, 2 * widest), dijkstra_loop.ENTRY)
        depth = np.log2(max(graph.n, 2))
        expected_ns = preset.hop_ns * (graph.n * (depth + 1) + graph.m / 2)
        state = make_state(dijkstra_loop.HEAP_STATE, graph, settings, expected_ns / SAMPLES_WANTED)
        s = state[0]
        s.hop_ns, s.lanes = preset.hop_ns, preset.worker_threads
        s.mean_degree = graph.mean_degree
        arrays = HeapArrays(*graph_arrays(graph, buffers), heap, make_log(settings.probe))
        super().__init__(arrays, state, dijkstra_loop)
        self.reach_source(settings)
        dijkstra_loop.push(heap, s, 0.0, source)
        note(self.log, 0.0, EventKind.PUSH, source)

    def advance(self, samples: np.ndarray, arcs: int) -> int:
        """Advance by a slice; double the heap where it is full."""
        written = super().advance(samples, arcs)
        if self.sim[0].status == POOL_DRY:
            old = self.arrays.heap
            heap = records(2 * len(old), dijkstra_loop.ENTRY)
            heap[: len(old)] = old
            self.arrays = self.arrays._replace(heap=heap)
        return written

    def set_delta(self, delta: float | None) -> None:
        """Dijkstra has no delta: nothing to take over."""
