"""Near-Far on the modelled GPU: the engine function, and the run as the driver sees it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpu.delta import near_far_delta
from gpu.devices import Preset, find_preset
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.graph import CSRGraph
from gpu.model import near_far_loop
from gpu.model.driver import drive
from gpu.model.log import Log, check_probe, make_log, note
from gpu.model.modelled_run import (
    ModelledRun,
    fill_superstep,
    graph_arrays,
    make_state,
    wave_arrays,
)
from gpu.record.events import EventKind
from gpu.record.trace import Reason, RunSettings


class Piles(NamedTuple):
    """Arrays of one run, n vertices; a wave covers len(snapshot) of them."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    dist: np.ndarray
    first_ns: np.ndarray
    last_ns: np.ndarray
    times: np.ndarray
    near: np.ndarray  # int32 (n,)
    following: np.ndarray  # int32 (n,), the next near pile
    far: np.ndarray  # int32 (n,)
    near_mark: np.ndarray  # int64 (n,): superstep whose near pile holds the vertex
    far_mark: np.ndarray  # uint8 (n,): whether far holds it
    snapshot: np.ndarray  # distances read at the start of a wave
    block_ns: np.ndarray  # float64 (blocks,): until when each block is busy
    fullest: np.ndarray  # int64 (blocks,): arcs of its fullest warp in this wave
    arcs: np.ndarray  # int64 (blocks,): of the block in this wave
    hub_trips: np.ndarray  # int64 (blocks,): parts of hubs that it does in this wave
    hubs: np.ndarray  # int64 (blocks,): hubs that it has put aside in this wave
    log: Log  # probe level 3


def run(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
) -> EngineOutcome:
    """Run Near-Far on a modelled device.

    Its supersteps have no arbitration to vary, so `seed` changes nothing.
    """
    check_probe(settings.probe, graph)
    delta = settings.delta
    if delta is None:
        delta = near_far_delta(graph.mean_weight, graph.mean_degree, graph.integer)
    return drive(NearFarRun(graph, settings, buffers, delta), graph, observer, settings.device)


class NearFarRun(ModelledRun):
    """One modelled run of Near-Far; see `gpu.model.driver.Slices`.

    A person's delta moves the split from the next split on.
    """

    def __init__(
        self,
        graph: CSRGraph,
        settings: RunSettings,
        buffers: RunBuffers,
        delta: float,
        has_delta: bool = True,
    ) -> None:
        preset, source = find_preset(settings.device), settings.source
        piles = _make_piles(graph, preset, settings.probe, buffers)
        state = make_state(near_far_loop.PILES, graph, settings, 0.0)  # every superstep
        fill_superstep(state[0], graph, preset, delta)
        state[0].threshold = delta
        super().__init__(piles, state, near_far_loop, delta)
        piles.near[0] = source
        self.reach_source(settings)
        start_ns = state[0].t_ns
        if has_delta:
            note(self.log, start_ns, EventKind.DELTA, int(Reason.START), 1, delta)
        note(self.log, start_ns, EventKind.PUSH, source)


def _make_piles(graph: CSRGraph, preset: Preset, probe: int, buffers: RunBuffers) -> Piles:
    return Piles(
        *graph_arrays(graph, buffers),
        np.empty(graph.n, np.int32),
        np.empty(graph.n, np.int32),
        np.empty(graph.n, np.int32),
        np.zeros(graph.n, np.int64),
        np.zeros(graph.n, np.uint8),
        *wave_arrays(graph, preset),
        make_log(probe),
    )
