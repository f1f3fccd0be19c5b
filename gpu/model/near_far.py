"""Near-Far on the modelled GPU: the engine function, and the run as the driver sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from gpu.delta import near_far_delta
from gpu.devices import Preset, find_preset
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.graph import CSRGraph
from gpu.model import near_far_loop
from gpu.model.driver import drive, sampling_period
from gpu.model.log import Log, check_probe, make_log, note
from gpu.model.modelled_run import (
    ModelledRun,
    fill_superstep,
    graph_arrays,
    make_state,
    wave_arrays,
)
from gpu.record.events import EventKind
from gpu.record.trace import Reason


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
    graph: CSRGraph,
    source: int,
    *,
    delta: float | None,
    parameters: Mapping[str, Any],
    device: str,
    probe: int,
    period_ns: int,
    seed: int,
    buffers: RunBuffers,
    observer: Observer,
) -> EngineOutcome:
    """Run Near-Far on a modelled device; the signature is that of `gpu.engine`.

    Its supersteps have no arbitration to vary, so `seed` changes nothing.
    """
    check_probe(probe, graph)
    preset = find_preset(device)
    if delta is None:
        delta = near_far_delta(graph.mean_weight, graph.mean_degree, graph.integer)
    period = sampling_period(probe, period_ns, 0.0)  # by default every superstep
    piles = NearFarRun(graph, source, preset, delta, probe, period, buffers)
    return drive(piles, graph, observer, device)


class NearFarRun(ModelledRun):
    """One modelled run of Near-Far; see `gpu.model.driver.Slices`.

    A person's delta moves the split from the next split on.
    """

    def __init__(
        self,
        graph: CSRGraph,
        source: int,
        preset: Preset,
        delta: float,
        probe: int,
        period_ns: float,
        buffers: RunBuffers,
        has_delta: bool = True,
    ) -> None:
        piles = _make_piles(graph, preset, probe, buffers)
        state = make_state(near_far_loop.PILES, graph, probe, period_ns)
        fill_superstep(state[0], graph, preset, delta)
        state[0].threshold = delta
        super().__init__(piles, state, near_far_loop, delta)
        piles.near[0] = source
        self.reach_source(source, probe)
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
