"""Places for the vertices of a drawing: circle, spring, grid.

`spring` is Fruchterman and Reingold's (1991) for what a hand can draw, in a few milliseconds: up to
SPRING_MOST vertices, all pairs repel and arcs attract, from a circle in the order of a walk
through the graph, the same every time. Larger ones stand on a grid in that order: the window may
wait for none of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

GAP = 120.0  # units between neighbours
SPRING_MOST, STEPS = 120, 120
Pairs = Sequence[tuple[int, int]]


def circle(n: int) -> np.ndarray:
    """Return n places on a circle, float64 (n, 2), the first at the top, clockwise."""
    radius = max(GAP * n / (2 * math.pi), 0.75 * GAP) if n > 1 else 0.0
    angle = math.pi / 2 - 2 * math.pi * np.arange(n) / max(n, 1)
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def grid(n: int, columns: int) -> np.ndarray:
    """Return n places on a grid, float64 (n, 2), row by row from the top left."""
    places = np.arange(n)
    return GAP * np.stack([places % columns, -(places // columns)], axis=1).astype(np.float64)


def spring(n: int, pairs: Pairs) -> np.ndarray:
    """Return places that show the arcs, float64 (n, 2), about GAP apart."""
    order = _walk(n, pairs)
    rank = np.empty(n, np.int64)
    rank[order] = np.arange(n)
    if n > SPRING_MOST:
        return grid(n, math.ceil(math.sqrt(n)))[rank]
    spots = circle(n)[rank]
    if n < 3:
        return grid(n, max(n, 1))
    ends = np.array(pairs, np.int64).reshape(-1, 2)
    ends = ends[ends[:, 0] != ends[:, 1]]
    heat = 0.1 * GAP * math.sqrt(n)
    for step in range(STEPS):
        spots = spots + _push(spots, ends, heat * (1 - step / STEPS))
    return _turned(spots - spots.mean(axis=0))


def _push(spots: np.ndarray, ends: np.ndarray, heat: float) -> np.ndarray:
    """Return how each vertex moves, at most `heat`."""
    apart = spots[:, None] - spots[None]
    far = np.maximum(np.hypot(apart[..., 0], apart[..., 1]), 0.01 * GAP)
    force = (apart * (GAP**2 / far**2)[..., None]).sum(axis=1)
    along = spots[ends[:, 1]] - spots[ends[:, 0]]
    pull = along * (np.hypot(*along.T) / GAP)[:, None]
    np.add.at(force, ends[:, 0], pull)
    np.add.at(force, ends[:, 1], -pull)
    force -= 0.05 * spots * math.sqrt(len(spots))  # parts that hang on nothing stay near
    size = np.maximum(np.hypot(*force.T), 1e-9)[:, None]
    return force / size * np.minimum(size, heat)


def _turned(spots: np.ndarray) -> np.ndarray:
    """Return the picture turned so that it is wide rather than high, its first vertex left."""
    _, _, main = np.linalg.svd(spots, full_matrices=False)
    turned = spots @ main.T
    if turned[0, 0] > 0:
        turned[:, 0] *= -1
    return turned


def _walk(n: int, pairs: Pairs) -> list[int]:
    """Return the vertices in the order of a walk in depth that begins at the first."""
    beside: list[list[int]] = [[] for _ in range(n)]
    for tail, head in pairs:
        beside[tail].append(head)
        beside[head].append(tail)
    order, seen = [], [False] * n
    for start in range(n):
        waiting = [start]
        while waiting:
            vertex = waiting.pop()
            if not seen[vertex]:
                seen[vertex] = True
                order.append(vertex)
                waiting += reversed(beside[vertex])
    return order
