"""All pairs on the modelled GPU: the engine functions, and the run as the driver sees it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from gpu.algorithms.all_pairs import C_DELTA, C_FAST, source_range, wanted_delta
from gpu.devices import Preset, find_preset
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.graph import CSRGraph
from gpu.loops.log import Log, make_log, note
from gpu.loops.run import LoopRun
from gpu.loops.state import make_state, records, vertex_arrays
from gpu.model import apsp_loop
from gpu.model.machine import WAVE_ROUNDS
from gpu.model.modelled_run import run_modelled
from gpu.numbers import unreached
from gpu.record.events import EventKind
from gpu.record.trace import Reason, RunSettings

TAKEN = 1024  # vertices of one sweep at most, as in the kernel


class Rows(NamedTuple):
    """Arrays of one run; k rows, W blocks."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    tails: np.ndarray  # int32 (m,), or (1,) where arcs are found by their vertices
    dist: np.ndarray  # (k, n)
    unreached: np.ndarray  # (1,), of the distances' type
    first_ns: np.ndarray  # per-vertex arrays of probe level 2, by source
    last_ns: np.ndarray
    times: np.ndarray
    blocks: np.ndarray  # BLOCK (W,)
    bits: np.ndarray  # uint32 (2, W, n / 32): who waits, whose heavy arcs do; or (1, 1, 1)
    taken: np.ndarray  # int32 (TAKEN,)
    snapshot: np.ndarray  # distances as they were read
    log: Log  # probe level 3


@dataclass(frozen=True)
class Kind:
    """One of the algorithms of all pairs.

    factor : of the default delta    split : light and heavy arcs    edges : goes by arcs, no delta
    """

    factor: float
    split: bool = False
    edges: bool = False

    def run(
        self, graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
    ) -> EngineOutcome:
        """Run on a modelled device. Nothing is arbitrated, so `seed` changes nothing."""
        return run_modelled(partial(ApspRun, self), graph, settings, buffers, observer)


run_edge = Kind(0.0, edges=True).run
run_delta = Kind(C_DELTA, split=True).run
run_fast = Kind(C_FAST).run


class ApspRun(LoopRun):
    """One modelled run from many sources."""

    def __init__(
        self, kind: Kind, graph: CSRGraph, settings: RunSettings, buffers: RunBuffers
    ) -> None:
        preset, parameters = find_preset(settings.device), settings.parameters
        delta = settings.delta
        if delta is None:
            delta = wanted_delta(kind.factor, graph.mean_weight, graph.mean_degree, graph.integer)
        first, count = source_range(parameters, graph.n)
        blocks = min(parameters["workers"] or preset.workers, count)
        rows = _make_rows(graph, preset, blocks, buffers, kind, settings.probe)
        own_delta = 0.0 if kind.edges else delta
        state = make_state(apsp_loop.STATE, graph, settings, preset.sample_period_ns)
        s = state[0]
        s.hop_ns, s.arc_ns = preset.hop_ns, preset.arc_ns(graph.n, graph.m)
        s.lanes, s.wave = preset.worker_threads, WAVE_ROUNDS * preset.worker_threads
        s.reason = int(Reason.START)
        s.first, s.delta, s.edges, s.split = first, own_delta, int(kind.edges), int(kind.split)
        super().__init__(rows, state, apsp_loop)
        if not kind.edges:
            note(self.log, 0.0, EventKind.DELTA, int(Reason.START), 1, delta)


def _make_rows(
    graph: CSRGraph, preset: Preset, blocks: int, buffers: RunBuffers, kind: Kind, probe: int
) -> Rows:
    words = (graph.n + 31) // 32
    bits = (1, 1, 1) if kind.edges else (1 + int(kind.split), blocks, words)
    tails = np.zeros(1, np.int32)
    if kind.edges:
        tails = np.repeat(np.arange(graph.n, dtype=np.int32), np.diff(graph.indptr))
    weight = graph.weights.dtype
    state = records(blocks, apsp_loop.BLOCK)
    state["doing"] = apsp_loop.FREE
    return Rows(
        graph.indptr,
        graph.indices,
        graph.weights,
        tails,
        np.asarray(buffers.dist),
        np.full(1, unreached(weight)),
        *vertex_arrays(buffers),
        state,
        np.zeros(bits, np.uint32),
        np.zeros(TAKEN, np.int32),
        np.zeros(max(TAKEN, WAVE_ROUNDS * preset.worker_threads), weight),
        make_log(probe),
    )
