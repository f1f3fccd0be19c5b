"""Layouts that show distance itself: what a run found out decides where a vertex stands.

lanes   columns by bucket of width delta, as the scheduler sees the graph; up and down as in the
        picture it has otherwise (its own positions, or provisional ones). Unreached vertices
        stand in a column of their own at the right, behind an empty one.
rings   radius by distance; direction from the source as in that picture: a map on which equal
        travel times are circles. Unreached vertices stand on a circle outside.

Sorting once and a handful of passes over n: O(n log n), `DISTANCE_BYTES` a vertex.
"""

from __future__ import annotations

import math

import numpy as np

from gpu.errors import ParameterError
from gpu.graph import CSRGraph
from gpu.record.trace import reached_mask

BY_DISTANCE = ("lanes", "rings")
WIDTH = 1000.0  # of a finished layout
HEIGHT_SHARE = 0.6  # of lanes
DEFAULT_LANES = 32  # lanes where no delta is given
MOST_LANES = 64  # more cannot be told apart: then a lane is several buckets wide
OUTSIDE = 1.15  # radius of what is not reached, where 1 is the farthest vertex
DISTANCE_BYTES = 120  # a vertex, at the peak


def checked_distances(
    graph: CSRGraph, kind: str, dist: np.ndarray | None, delta: float | None
) -> np.ndarray:
    """Return `dist`, (n,), if a layout can be made of it; raise ParameterError if not."""
    if dist is None or dist.shape != (graph.n,):
        words = "no distances" if dist is None else f"{len(dist)} distances"
        raise ParameterError(f"layout {kind}: {words} for {graph.n} vertices; run first")
    if delta is not None and not 0 < delta < math.inf:
        raise ParameterError(f"layout {kind}: delta = {delta}; allowed: a finite number above 0")
    return dist


def lane_buckets(dist: np.ndarray, delta: float) -> int:
    """Return how many buckets of width `delta` share a lane: a power of two, 1 if few enough."""
    reached = dist[reached_mask(dist)]
    lanes = float(reached.max()) / delta + 1 if len(reached) else 1.0
    return 1 << max(0, math.ceil(math.log2(lanes / MOST_LANES)))


def by_distance(
    kind: str, dist: np.ndarray, delta: float | None, place: np.ndarray | None
) -> np.ndarray:
    """Return float32 (n, 2), finite.

    kind : one of BY_DISTANCE
    dist : int32 or float32 (n,); delta : width of a lane, weight units, None for 32 lanes
    place : float (n, 2), the picture that directions and heights are taken from; None if n = 0
    """
    if place is None or not len(dist):
        return np.zeros((0, 2), np.float32)
    reached = reached_mask(dist)
    depth = np.where(reached, dist, 0).astype(np.float64)
    farthest = max(float(depth.max()), 1e-30)
    if kind == "lanes":
        width = delta or farthest / (DEFAULT_LANES - 0.5)
        return _lanes(depth, reached, width, place[:, 1])
    return _rings(depth / farthest, reached, place)


def _lanes(depth: np.ndarray, reached: np.ndarray, width: float, height: np.ndarray) -> np.ndarray:
    n = len(depth)
    lane = np.floor(depth / width)
    step = WIDTH / (lane.max() + 1)
    lane[~reached] = lane.max() + 2
    points = np.empty((n, 2), np.float32)
    points[:, 0] = lane * step
    points[np.argsort(height, kind="stable"), 1] = np.arange(n) * (HEIGHT_SHARE * WIDTH / n)
    return points


def _rings(share: np.ndarray, reached: np.ndarray, place: np.ndarray) -> np.ndarray:
    source = int(np.argmin(np.where(reached, share, np.inf)))
    off = place.astype(np.float64) - place[source]
    angle = np.arctan2(off[:, 1], off[:, 0])
    radius = np.where(reached, share, OUTSIDE) * (WIDTH / 2)
    return np.column_stack((radius * np.cos(angle), radius * np.sin(angle))).astype(np.float32)
