"""Dijkstra on one worker of the modelled GPU: the engine function and its run."""

from __future__ import annotations

from functools import partial

import numpy as np

from gpu.devices import find_preset
from gpu.engine import RunBuffers
from gpu.graph import CSRGraph
from gpu.loops.heap import HeapRun
from gpu.loops.state import make_state
from gpu.model import dijkstra_loop
from gpu.model.modelled_run import run_modelled
from gpu.record.trace import RunSettings

SAMPLES_WANTED = 1000  # the default period divides the expected time by this


class DijkstraRun(HeapRun):
    """One modelled run of Dijkstra."""

    def __init__(self, graph: CSRGraph, settings: RunSettings, buffers: RunBuffers) -> None:
        preset = find_preset(settings.device)
        depth = np.log2(max(graph.n, 2))
        expected_ns = preset.hop_ns * (graph.n * (depth + 1) + graph.m / 2)
        state = make_state(dijkstra_loop.HEAP_STATE, graph, settings, expected_ns / SAMPLES_WANTED)
        state[0].hop_ns, state[0].lanes = preset.hop_ns, preset.worker_threads
        super().__init__(graph, settings, buffers, state, dijkstra_loop)


run = partial(run_modelled, DijkstraRun)  # nothing for `seed` to vary
