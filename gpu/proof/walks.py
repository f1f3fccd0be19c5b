"""The walks of the certificate, compiled. This module imports Numba, which takes half a second."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpu.compiled import compiled

SPARE = 4  # roundings beside one an arc: of weights, of a comparison
HOLDS, RELAXABLE, ORPHAN, BELOW = 0, 1, 2, 3


class Claim(NamedTuple):
    """Distances from a source, on a graph."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    dist: np.ndarray
    source: int


class Paths(NamedTuple):
    """Real paths from the source: to each vertex one, of `length` (float64) and `hops` (int32)."""

    length: np.ndarray
    hops: np.ndarray
    queue: np.ndarray  # int32 (n,): vertices whose arcs are still to be looked at


@compiled
def prove_integers(claim: Claim, unreached: int) -> tuple[int, int, int]:
    """Return (HOLDS | RELAXABLE | ORPHAN, vertex, arc); dist[source] = 0 is checked before."""
    indptr, indices, weights, dist, source = claim
    n = len(dist)
    walked = np.zeros(n, np.bool_)
    queue = np.empty(n, np.int32)
    queue[0], filled = source, 1
    walked[source] = True
    taken = 0
    while taken < filled:
        u = queue[taken]
        taken += 1
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            if dist[v] > dist[u] and weights[arc] < dist[v] - dist[u]:
                return RELAXABLE, u, arc
            if dist[v] == unreached or walked[v]:
                continue
            if dist[v] >= dist[u] and weights[arc] == dist[v] - dist[u]:
                walked[v] = True
                queue[filled] = v
                filled += 1
    for u in range(n):
        if dist[u] != unreached and not walked[u]:
            return ORPHAN, u, -1
    return HOLDS, -1, -1


@compiled
def prove_floats(
    claim: Claim, each: float, stored: float, longer: float
) -> tuple[int, int, int, int]:
    """Return (HOLDS | RELAXABLE | ORPHAN | BELOW, vertex, arc, arcs of the longest path).

    each : tolerance of one arc, relative; stored : of a distance beside
    """
    dist, source = claim.dist, claim.source
    n = len(dist)
    paths = Paths(np.full(n, np.inf), np.zeros(n, np.int32), np.empty(n, np.int32))
    length, hops = paths.length, paths.hops
    length[source] = 0.0
    paths.queue[0] = source
    filled = _walk(claim, paths, 1, 0.0)
    filled = _walk(claim, paths, filled, SPARE * each + 2.0 * stored)
    made = hops.copy()  # along the paths that the distances came by
    tail, arc = _settle(claim, paths, filled, each, stored, longer)
    deepest = max(int(made.max()), int(hops.max()))
    if arc >= 0:
        return RELAXABLE, tail, arc, deepest
    for u in range(n):
        if dist[u] < np.inf:
            if length[u] == np.inf:
                return ORPHAN, u, -1, deepest
            if dist[u] < length[u] * (1.0 - (max(made[u], hops[u]) + SPARE) * each - stored):
                return BELOW, u, -1, deepest
    return HOLDS, -1, -1, deepest


@compiled
def _walk(claim: Claim, paths: Paths, filled: int, slack: float) -> int:
    """Walk on from queue[:filled] along arcs tight within `slack` of the distance.

    Gives `length` and `hops` to every vertex that it meets; returns the new end of the queue.
    """
    indptr, indices, weights, dist, _ = claim
    length, hops, queue = paths
    taken = 0
    while taken < filled:
        u = queue[taken]
        taken += 1
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            if length[v] < np.inf or dist[v] == np.inf:
                continue
            reach = dist[u] + weights[arc]  # in their own type
            if reach == dist[v] or abs(np.float64(reach) - dist[v]) <= slack * dist[v]:
                length[v] = length[u] + weights[arc]
                hops[v] = hops[u] + 1
                queue[filled] = v
                filled += 1
    return filled


@compiled
def _settle(
    claim: Claim, paths: Paths, count: int, each: float, stored: float, longer: float
) -> tuple[int, int]:
    """Relax `length` until no arc can be relaxed; `queue` is a ring, each vertex once in it.

    Returns (-1, -1), or the arc by which a length falls below the distance by more than the
    tolerance of its arcs.
    """
    indptr, indices, weights, dist, _ = claim
    length, hops, queue = paths
    n = len(dist)
    waiting = np.zeros(n, np.bool_)
    waiting[queue[:count]] = True
    taken = 0
    while count > 0:
        u = queue[taken]
        taken = taken + 1 if taken + 1 < n else 0
        count -= 1
        waiting[u] = False
        spare = SPARE + 1 + hops[u]
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            reach = length[u] + weights[arc]
            if not reach < length[v] * longer:
                continue
            if reach < dist[v] * (1.0 - spare * each - stored):
                return u, arc
            length[v] = reach
            hops[v] = hops[u] + 1
            if not waiting[v]:
                waiting[v] = True
                end = taken + count
                queue[end if end < n else end - n] = v
                count += 1
    return -1, -1
