"""Layout by forces (Fruchterman and Reingold 1991): all vertices repel, edges attract.

Every step moves each vertex along the sum of its forces, at most so far as the step allows; that
shrinks to nothing. Attraction is divided by the mean degree, so that dense clusters stay open.
O(n^2 + m) a step: a twentieth of a second for 10,000 vertices.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gpu.compiled import compiled

STEPS = 100
FIRST_STEP = 0.1  # of the picture's size
NEAR = np.float32(1e-9)  # added to squared distances: no division by zero


def by_forces(
    indptr: np.ndarray, indices: np.ndarray, start: np.ndarray, at: Callable[[float], None]
) -> np.ndarray:
    """Return float32 (n, 2) of a connected graph whose arcs lead both ways.

    start : (n, 2) within 0..1, no two places equal
    at : called with the share done before each step; may raise to stop
    """
    x, y = start.T.astype(np.float32).copy()
    push = np.empty((2, len(x)), np.float32)
    apart = np.float32(1 / np.sqrt(len(x)))  # the distance at which an edge is at rest
    pull = np.float32(len(x) / max(len(indices), 1)) / apart
    for step in range(STEPS):
        at(step / STEPS)
        push[:] = 0
        _repel(x, y, push[0], push[1], apart * apart)
        _attract(indptr, indices, x, y, push, pull)
        length = np.maximum(np.hypot(*push), np.float32(1e-12))
        most = np.float32(FIRST_STEP * (1 - step / STEPS))
        push *= np.minimum(length, most) / length
        x += push[0]
        y += push[1]
    return np.column_stack([x, y])


@compiled
def _repel(
    x: np.ndarray, y: np.ndarray, push_x: np.ndarray, push_y: np.ndarray, strength: np.float32
) -> None:
    """Add strength / distance for every pair; the inner loop has no sum, so it is vectorised."""
    for u in range(len(x)):
        ux, uy = x[u], y[u]
        for v in range(len(x)):
            dx, dy = x[v] - ux, y[v] - uy
            force = strength / (dx * dx + dy * dy + NEAR)
            push_x[v] += dx * force
            push_y[v] += dy * force


@compiled
def _attract(
    indptr: np.ndarray,
    indices: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    push: np.ndarray,
    strength: np.float32,
) -> None:
    """Add strength * distance^2 along every arc, at its tail."""
    for u in range(len(x)):
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            dx, dy = x[v] - x[u], y[v] - y[u]
            force = np.sqrt(dx * dx + dy * dy) * strength
            push[0, u] += dx * force
            push[1, u] += dy * force
