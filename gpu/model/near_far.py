"""Near-Far on the modelled GPU: supersteps over two piles, and the split between them.

A vertex enters next near at most once a superstep and far at most once until the next split
(marks). The kernel's piles hold it again for each improvement; those items are counted, since they
decide the mode and the cost of a split. With a target (Asynchronous Near-Far) the threshold moves
as soon as fewer vertices are near, to delta beyond the nearest that is far, without a barrier.

Splitting far is a superstep of its own: entries below the old threshold were improved into near
since and are dropped, those below the new one become near.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from gpu.algorithms.async_near_far import strides_of, target_of
from gpu.compiled import compiled_inline
from gpu.delta import near_far_delta, usable_width
from gpu.devices import find_preset
from gpu.engine import RunBuffers
from gpu.graph import CSRGraph
from gpu.loops import codes
from gpu.loops.log import Log, make_log, record
from gpu.loops.state import graph_arrays
from gpu.model import superstep
from gpu.model.modelled_run import SuperstepRun, run_modelled, wave_arrays
from gpu.model.superstep import charge_split, improves, step_dtype
from gpu.record.trace import RunSettings

PILES = step_dtype(
    ("threshold", "<f8"),  # near is below, weight units
    ("next", "<i8"),  # vertices in the next near pile
    ("target", "<i8"),  # near vertices below which the threshold moves on; 0: when there is none
)


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


@superstep.rule(superstep.announce, Piles)
def _announce(piles, s):  # type: ignore[no-untyped-def]
    record(piles.log, s.t_ns, codes.SUPERSTEP, -1, s.round, s.near, s.threshold)
    s.lowest = s.base
    if s.errors and (s.target > 0 or s.threshold == np.inf):  # near has no lower end: its closest
        s.lowest = np.inf
        for place in range(s.near):
            s.lowest = min(s.lowest, np.float64(piles.dist[piles.near[place]]))


@superstep.rule(superstep.waits_again, Piles)
def _waits_again(piles, s, vertex):  # type: ignore[no-untyped-def]
    return piles.near_mark[vertex] == s.round + 1


@superstep.rule(superstep.relax, Piles)
def _relax(piles, s, worker, vertex, from_dist):  # type: ignore[no-untyped-def]
    """Relax the arcs of one vertex; sort what improved into next near or far."""
    dist, start, end = piles.dist, piles.indptr[vertex], piles.indptr[vertex + 1]
    s.relaxed += end - start
    for arc in range(start, end):
        if improves(piles, s, worker, vertex, from_dist, arc):
            to = piles.indices[arc]
            if dist[to] < s.threshold:
                s.next_items += 1
                if piles.near_mark[to] != s.round + 1:
                    piles.near_mark[to] = s.round + 1
                    piles.following[s.next] = to
                    s.next += 1
                    record(piles.log, s.t_ns, codes.PUSH, worker, to, 0, np.float64(dist[to]))
            else:
                s.far_items += 1
                if piles.far_mark[to] == 0:
                    piles.far_mark[to] = 1
                    piles.far[s.waiting] = to
                    s.waiting += 1
                    record(piles.log, s.t_ns, codes.PUSH, worker, to, 1, np.float64(dist[to]))


@superstep.rule(superstep.refill, Piles)
def _refill(piles, s):  # type: ignore[no-untyped-def]
    """Take up the next near pile; where it is empty, what a split of far gives."""
    for place in range(s.next):
        piles.near[place] = piles.following[place]
    s.near, s.next = s.next, 0
    s.round += 1
    if s.target > 0:
        return s.near >= s.target or (s.waiting > 0 and _split(piles, s)) or s.near > 0
    record(piles.log, s.t_ns, codes.BARRIER, -1, s.round - 1, s.near, 0.0)
    return s.near > 0 or _split(piles, s)


@compiled_inline
def _split(piles, s):  # type: ignore[no-untyped-def]
    """Move the threshold on and refill near from far; False when far is used up."""
    lowest = np.inf
    kept = 0
    for place in range(s.waiting):
        vertex = piles.far[place]
        if piles.dist[vertex] < s.threshold:
            piles.far_mark[vertex] = 0
            record(piles.log, s.t_ns, codes.SKIP, -1, vertex, 1, np.float64(piles.dist[vertex]))
        else:
            lowest = min(lowest, np.float64(piles.dist[vertex]))
            piles.far[kept] = vertex
            kept += 1
    charge_split(s)
    s.waiting = kept
    if kept == 0:
        return False
    if s.target > 0:
        s.threshold = lowest + s.delta
    else:
        s.threshold += s.delta * max(1.0, np.floor((lowest - s.threshold) / s.delta) + 1.0)
    if s.threshold <= lowest:  # float rounding: a delta too small to move the threshold
        s.threshold = np.nextafter(lowest, np.inf)
    s.base = s.threshold - s.delta
    kept, had = 0, s.near
    for place in range(s.waiting):
        vertex = piles.far[place]
        if piles.dist[vertex] < s.threshold:
            piles.far_mark[vertex] = 0
            piles.near[s.near] = vertex
            s.near += 1
        else:
            piles.far[kept] = vertex
            kept += 1
    s.waiting = s.far_items = kept
    s.next_items = s.near
    s.head += 1
    s.switches += 1
    record(piles.log, s.t_ns, codes.SPLIT, -1, s.near - had, s.waiting, s.threshold)
    s.flags |= codes.BUCKET_SWITCHED
    return True


class NearFarRun(SuperstepRun):
    """One modelled run of Near-Far; a person's delta moves the split from the next one on."""

    def __init__(self, graph: CSRGraph, settings: RunSettings, buffers: RunBuffers) -> None:
        delta = settings.delta
        if delta is None:
            delta = self.first_delta(graph)
        piles = make_piles(graph, settings, buffers)
        super().__init__(graph, settings, piles, PILES, delta)
        self.sim[0].threshold = delta

    @staticmethod
    def first_delta(graph: CSRGraph) -> float:
        """Return delta where none is given, weight units."""
        return near_far_delta(graph.mean_weight, graph.mean_degree, graph.integer)

    def set_delta(self, delta: float | None) -> None:
        """A person's delta holds from the next split on; None hands it back."""
        super().set_delta(delta)
        self.sim[0].base = self.sim[0].threshold - self.sim[0].delta


def make_piles(graph: CSRGraph, settings: RunSettings, buffers: RunBuffers) -> Piles:
    """Return the arrays of a run, with nothing in any pile."""
    return Piles(
        *graph_arrays(graph, buffers),
        np.empty(graph.n, np.int32),
        np.empty(graph.n, np.int32),
        np.empty(graph.n, np.int32),
        np.zeros(graph.n, np.int64),
        np.zeros(graph.n, np.uint8),
        *wave_arrays(graph, find_preset(settings.device)),
        make_log(settings.probe),
    )


class BellmanFordRun(SuperstepRun):
    """One modelled run of Bellman-Ford: a threshold that is never reached, so nothing is far."""

    def __init__(self, graph: CSRGraph, settings: RunSettings, buffers: RunBuffers) -> None:
        piles = make_piles(graph, settings, buffers)
        super().__init__(graph, settings, piles, PILES, 0.0)
        self.sim[0].threshold = np.inf


class AsyncNearFarRun(NearFarRun):
    """One modelled run with a target and no barrier; a delta holds from the next move on.

    The model takes the kernel's free warps in rounds of the cost of a hop (`alone_ns`).
    """

    def __init__(self, graph: CSRGraph, settings: RunSettings, buffers: RunBuffers) -> None:
        super().__init__(graph, settings, buffers)
        self.sim[0].target = target_of(graph.mean_degree)
        self.sim[0].superstep_ns = self.sim[0].alone_ns

    @staticmethod
    def first_delta(graph: CSRGraph) -> float:
        """Return how far the threshold moves at a time, weight units."""
        width = strides_of(graph.mean_degree) * graph.mean_weight / max(graph.mean_degree, 1e-9)
        return usable_width(width, graph.integer)


# The engine functions. Nothing is arbitrated, so `seed` changes nothing.
run = partial(run_modelled, NearFarRun)
run_bellman_ford = partial(run_modelled, BellmanFordRun)
run_async = partial(run_modelled, AsyncNearFarRun)
