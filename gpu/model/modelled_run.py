"""What modelled runs share: the engine function around them, and the base of supersteps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from gpu.devices import Preset, find_preset
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.graph import CSRGraph
from gpu.loops.log import check_probe, note
from gpu.loops.run import LoopRun, drive
from gpu.loops.state import make_state, reach_source
from gpu.model import superstep
from gpu.model.accuracy import not_ranked
from gpu.model.machine import WARP, arc_ns, late_ns
from gpu.record.events import EventKind
from gpu.record.trace import NOT_RANKED, Reason, RunSettings

Array = np.ndarray
Six = tuple[Array, Array, Array, Array, Array, Array]
STEP_THREADS = 1024  # of a block that works on supersteps (kernel)


def run_modelled(
    make: Callable[[CSRGraph, RunSettings, RunBuffers], LoopRun],
    graph: CSRGraph,
    settings: RunSettings,
    buffers: RunBuffers,
    observer: Observer,
) -> EngineOutcome:
    """Make a run and drive it to its end; ParameterError where it cannot be recorded."""
    check_probe(settings.probe, graph)
    environment = {
        "engine": "model",
        "device": settings.device,
        "numba": numba.__version__,
        "numpy": np.__version__,
    }
    unfit = not_ranked(settings.algorithm, graph)
    if unfit:
        environment[NOT_RANKED] = unfit
    return drive(make(graph, settings, buffers), observer, "modelled", environment)


class SuperstepRun(LoopRun):
    """One modelled run of an algorithm of supersteps, its source in near.

    arrays : the algorithm's bundle, whose type says which rules hold; dtype : its state's
    delta : the first, weight units; 0 for an algorithm that has none
    """

    def __init__(
        self, graph: CSRGraph, settings: RunSettings, arrays: Any, dtype: np.dtype, delta: float
    ) -> None:
        preset = find_preset(settings.device)
        state = make_state(dtype, graph, settings, 0.0)  # by default every superstep
        s = state[0]
        s.superstep_ns, s.alone_ns = preset.superstep_ns, preset.alone_ns
        waited_ns = late_ns(graph, preset)
        s.round_ns, s.trip_ns = preset.round_ns + waited_ns, preset.trip_ns + waited_ns
        s.t_ns = preset.start_ns(graph.n, graph.m)
        s.arc_ns = arc_ns(graph, preset)
        s.near = 1
        s.lanes, s.workers = step_threads(preset), step_blocks(preset)
        s.warp = min(WARP, s.lanes)
        s.delta = delta
        super().__init__(arrays, state, superstep)
        arrays.near[0] = settings.source
        reach_source(arrays, settings)
        if delta:
            s.reason = int(Reason.START)
            note(self.log, s.t_ns, EventKind.DELTA, int(Reason.START), 1, delta)
        note(self.log, s.t_ns, EventKind.PUSH, settings.source)


def wave_arrays(graph: CSRGraph, preset: Preset) -> Six:
    """Return what a wave of supersteps needs: `snapshot` to `hubs` of `near_far.Piles`."""
    blocks = step_blocks(preset)
    wave = blocks * step_threads(preset)
    snapshot = np.empty(min(wave, max(graph.n, 1)), graph.weights.dtype)
    fullest, arcs, hub_trips, hubs = np.zeros((4, blocks), np.int64)
    return snapshot, np.zeros(blocks), fullest, arcs, hub_trips, hubs


def step_threads(preset: Preset) -> int:
    """Return the threads of a block: as many as a multiprocessor holds, at most STEP_THREADS."""
    return min(STEP_THREADS, preset.threads_per_sm)


def step_blocks(preset: Preset) -> int:
    """Return the blocks that share a wide frontier: one a multiprocessor, less the courier."""
    return max(1, preset.sms - 1)
