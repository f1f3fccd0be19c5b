"""Small graphs of many shapes, by the form that Adaptive is to take on them; all from vertex 0."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gpu.graph import CSRGraph


def joined(name: str, here: np.ndarray, there: np.ndarray, n: int, top: int = 1000) -> CSRGraph:
    """Return the graph of edges, both ways, with weights 1 to `top`; 0: powers of two to 2^20."""
    rng = np.random.default_rng(5)
    weights = rng.integers(1, top + 1, len(here)) if top else 1 << rng.integers(0, 21, len(here))
    both = (np.r_[here, there], np.r_[there, here], np.r_[weights, weights].astype(np.int32))
    return CSRGraph.from_arcs(*both, n, name=name)


def grid(side: int, top: int = 1000) -> CSRGraph:
    """Return a grid of `side` x `side`."""
    cells = np.arange(side * side).reshape(side, side)
    here = np.r_[cells[:, :-1].ravel(), cells[:-1].ravel()]
    return joined("grid", here, np.r_[cells[:, 1:].ravel(), cells[1:].ravel()], side * side, top)


def mesh(side: int) -> CSRGraph:
    """Return a mesh of side^3 points, each with all 26 neighbours."""
    cells = np.arange(side**3).reshape(side, side, side)
    here, there = [], []
    for step in range(14, 27):
        shift = step // 9 - 1, step // 3 % 3 - 1, step % 3 - 1
        here.append(cells[tuple(slice(max(-s, 0), side - max(s, 0)) for s in shift)].ravel())
        there.append(cells[tuple(slice(max(s, 0), side - max(-s, 0)) for s in shift)].ravel())
    return joined("mesh", np.concatenate(here), np.concatenate(there), side**3)


def band(n: int, reach: int) -> CSRGraph:
    """Return a path of `n` vertices, each joined with the `reach` after it."""
    here = np.concatenate([np.arange(n - step) for step in range(1, reach + 1)])
    there = np.concatenate([np.arange(step, n) for step in range(1, reach + 1)])
    return joined("band", here, there, n)


def star(n: int) -> CSRGraph:
    """Return vertex 0 joined with all others."""
    return joined("star", np.zeros(n - 1, np.int64), np.arange(1, n), n)


def chains(count: int, length: int) -> CSRGraph:
    """Return chains from vertex 0, one way."""
    ids = 1 + np.arange(count * length).reshape(count, length)
    tails = np.r_[np.zeros(count, np.int64), ids[:, :-1].ravel()]
    heads = np.r_[ids[:, 0], ids[:, 1:].ravel()]
    weights = np.random.default_rng(6).integers(1, 1000, len(tails)).astype(np.int32)
    return CSRGraph.from_arcs(tails, heads, weights, 1 + count * length, name="chains")


def random(n: int, degree: int) -> CSRGraph:
    """Return vertices of `degree` arcs each, to heads drawn evenly."""
    rng = np.random.default_rng(7)
    tails = np.repeat(np.arange(n), degree)
    heads, weights = rng.integers(0, n, len(tails)), rng.integers(1, 1000, len(tails))
    return CSRGraph.from_arcs(tails, heads, weights.astype(np.int32), n, name="random")


def tree(n: int) -> CSRGraph:
    """Return a complete binary tree."""
    below = np.arange(1, n)
    return joined("tree", (below - 1) // 2, below, n)


SHAPES: dict[str, tuple[Callable[[], CSRGraph], ...]] = {
    "async_near_far": (
        lambda: grid(60),
        lambda: grid(60, top=0),
        lambda: chains(1, 500),
        lambda: band(800, 3),
    ),
    "adds": (
        lambda: star(300),
        lambda: mesh(17),
        lambda: chains(5000, 6),
    ),
    "near_far": (lambda: band(1200, 16), lambda: random(40_000, 13)),
    "bellman_ford": (
        lambda: tree(1 << 13),
        lambda: random(8000, 3),
        lambda: chains(64, 60),
        lambda: mesh(8),
    ),
}
