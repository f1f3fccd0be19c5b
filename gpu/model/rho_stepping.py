"""Rho-stepping on the modelled GPU: supersteps over the closest of all that waits.

A vertex waits in far once (`far_mark`). Refilling near chooses a threshold from a sample of far
and takes what is below. Where the kernel needs no look at far (`algorithms.rho_stepping`), none is
charged. The kernel's piles hold a vertex again for each improvement; those items are counted.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from gpu.algorithms.rho_stepping import SAMPLE, rho_of
from gpu.compiled import compiled_inline
from gpu.engine import RunBuffers
from gpu.graph import CSRGraph
from gpu.loops import codes
from gpu.loops.log import record
from gpu.model import superstep
from gpu.model.modelled_run import SuperstepRun, run_modelled
from gpu.model.near_far import Piles, make_piles
from gpu.model.superstep import SPLIT_ALONE, charge_split, improves, step_dtype
from gpu.record.trace import RunSettings

STEPS = step_dtype(
    ("threshold", "<f8"),  # near is below, weight units
    ("rho", "<i8"),  # vertices that a step takes
    ("kept", "<i8"),  # vertices that the last threshold left in far
)


class Waiting(Piles):
    """Near-Far's arrays; `following` has a sample of far."""


@superstep.rule(superstep.announce, Waiting)
def _announce(piles, s):  # type: ignore[no-untyped-def]
    record(piles.log, s.t_ns, codes.SUPERSTEP, -1, s.round, s.near, s.threshold)
    s.lowest = s.base  # the closest of this step


@superstep.rule(superstep.waits_again, Waiting)
def _waits_again(piles, s, vertex):  # type: ignore[no-untyped-def]
    return piles.far_mark[vertex] == 1


@superstep.rule(superstep.relax, Waiting)
def _relax(piles, s, worker, vertex, from_dist):  # type: ignore[no-untyped-def]
    """Relax the arcs of one vertex; what improves waits."""
    dist, start, end = piles.dist, piles.indptr[vertex], piles.indptr[vertex + 1]
    s.relaxed += end - start
    for arc in range(start, end):
        if improves(piles, s, worker, vertex, from_dist, arc):
            to = piles.indices[arc]
            s.next_items += 1
            if piles.far_mark[to] == 0:
                piles.far_mark[to] = 1
                piles.far[s.waiting] = to
                s.waiting += 1
                record(piles.log, s.t_ns, codes.PUSH, worker, to, 1, np.float64(dist[to]))


@superstep.rule(superstep.refill, Waiting)
def _refill(piles, s):  # type: ignore[no-untyped-def]
    """Choose a threshold and take from far what is below; False where nothing waits."""
    record(piles.log, s.t_ns, codes.BARRIER, -1, s.round, s.waiting, 0.0)
    s.round += 1
    s.near = 0
    if s.waiting == 0:
        return False
    s.far_items = s.next_items + s.kept
    chooses = s.kept > 0 or s.next_items > s.rho
    if chooses:
        charge_split(s)
    s.threshold = _above(s, _closest(piles, s))
    kept, s.base = 0, np.inf
    for place in range(s.waiting):
        vertex = piles.far[place]
        current = np.float64(piles.dist[vertex])
        s.base = min(s.base, current)
        if current < s.threshold:
            piles.far_mark[vertex] = 0
            piles.near[s.near] = vertex
            s.near += 1
        else:
            piles.far[kept] = vertex
            kept += 1
    s.waiting = s.kept = kept
    if chooses:  # a far pile of many items keeps all blocks together
        s.next_items = s.far_items if s.far_items > SPLIT_ALONE else s.near
    s.head += 1
    s.switches += 1
    s.flags |= codes.BUCKET_SWITCHED
    record(piles.log, s.t_ns, codes.SPLIT, -1, s.near, s.waiting, s.threshold)
    return True


@compiled_inline
def _closest(piles, s):  # type: ignore[no-untyped-def]
    """Return the distance up to which about rho vertices wait, by a sample of them."""
    if s.waiting <= s.rho:
        farthest = 0.0
        for place in range(s.waiting):
            farthest = max(farthest, np.float64(piles.dist[piles.far[place]]))
        return farthest
    taken, sample = min(s.waiting, SAMPLE), piles.following
    for place in range(taken):
        sample[place] = piles.far[place * s.waiting // taken]
    wanted = (s.rho * taken + s.waiting - 1) // s.waiting - 1
    for place in range(taken):
        mine, closer = np.float64(piles.dist[sample[place]]), 0
        for other in range(taken):
            theirs = np.float64(piles.dist[sample[other]])
            closer += 1 if theirs < mine or (theirs == mine and other < place) else 0
        if closer == wanted:
            return mine
    return np.inf  # not reached: every rank is somebody's


@compiled_inline
def _above(s, dist):  # type: ignore[no-untyped-def]
    """Return the next distance: whole numbers have a largest one, `unreached`, that is finite."""
    after = np.nextafter(dist, np.inf)
    return max(dist + 1.0, after) if np.isfinite(s.unreached) else after


class RhoSteppingRun(SuperstepRun):
    """One modelled run of rho-stepping."""

    def __init__(self, graph: CSRGraph, settings: RunSettings, buffers: RunBuffers) -> None:
        piles = Waiting(*make_piles(graph, settings, buffers))
        super().__init__(graph, settings, piles, STEPS, 0.0)
        self.sim[0].rho = rho_of(settings.parameters["rho"], graph.n, graph.m)
        self.sim[0].threshold = 1.0


run = partial(run_modelled, RhoSteppingRun)  # nothing for `seed` to vary
