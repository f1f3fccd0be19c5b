"""Graphs that no rule of the kernels was tuned on, made on the GPU from a seed.

small_world_20   ring of 2^20 vertices, 4 neighbours each side, 5 % of the edges rewired, 1..1000
mesh8_2048       2048 x 2048 grid with all 8 neighbours, weights 1..100
random_20        2^20 vertices, 8 arcs each to heads drawn evenly (Erdos-Renyi), weights 1..1000
geometric_20     2^20 points in a square, joined within a radius of mean degree 12, weight the
                 distance in thousandths of that radius, at least 1
band_18          a path of 2^18 vertices, each joined with the 16 before and after it, 1..1000

All but random_20 are undirected, with the same weight both ways; the source is vertex 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpu.graph import CSRGraph
from gpu.lab.benchmark_graphs import SEED, from_arcs, undirected

REWIRED = 0.05
RANDOM_DEGREE = 8
GEOMETRIC_DEGREE = 12.0


def small_world(scale: int, reach: int = 4) -> CSRGraph:
    """Return a Watts-Strogatz ring of 2^scale vertices, `reach` neighbours on each side."""
    import cupy

    n = 1 << scale
    rng = cupy.random.default_rng(SEED)
    here = cupy.arange(n, dtype=cupy.int32)
    pairs = []
    for step in range(1, reach + 1):
        elsewhere = rng.integers(0, n, n, dtype=cupy.int32)
        rewired = rng.random(n, dtype=cupy.float32) < REWIRED
        pairs.append((here, cupy.where(rewired, elsewhere, (here + step) % n)))
    return undirected(f"small_world_{scale}", pairs, n, 1000)


def mesh8(side: int) -> CSRGraph:
    """Return a side x side grid where each cell knows its 8 neighbours."""
    import cupy

    cells = cupy.arange(side * side, dtype=cupy.int32).reshape(side, side)
    pairs = [
        (cells[:, :-1], cells[:, 1:]),
        (cells[:-1], cells[1:]),
        (cells[:-1, :-1], cells[1:, 1:]),
        (cells[:-1, 1:], cells[1:, :-1]),
    ]
    return undirected(f"mesh8_{side}", pairs, side * side, 100)


def random(scale: int) -> CSRGraph:
    """Return 2^scale vertices with RANDOM_DEGREE arcs each, heads drawn evenly."""
    import cupy

    n = 1 << scale
    rng = cupy.random.default_rng(SEED)
    tails = cupy.repeat(cupy.arange(n, dtype=cupy.int32), RANDOM_DEGREE)
    heads = rng.integers(0, n, len(tails), dtype=cupy.int32)
    weights = rng.integers(1, 1001, len(tails), dtype=cupy.int32)
    return from_arcs(f"random_{scale}", tails, heads, weights, n)


def geometric(scale: int) -> CSRGraph:
    """Return 2^scale points in the unit square, joined within the radius of GEOMETRIC_DEGREE."""
    import cupy

    n = 1 << scale
    radius = float((GEOMETRIC_DEGREE / (cupy.pi * n)) ** 0.5)
    side = int(1 / radius)
    points = cupy.random.default_rng(SEED).random((2, n), dtype=cupy.float64)
    column, row = (points * side).astype(cupy.int64)
    order = cupy.argsort(row * side + column)
    points, column, row = points[:, order], column[order], row[order]
    starts = cupy.searchsorted(row * side + column, cupy.arange(side * side + 1))
    most = int(cupy.diff(starts).max())
    here = cupy.arange(n)
    pairs, lengths = [], []
    for right, down in ((0, 0), (1, 0), (-1, 1), (0, 1), (1, 1)):
        inside = (column + right >= 0) & (column + right < side) & (row + down < side)
        cell = cupy.where(inside, (row + down) * side + column + right, 0)
        for place in range(most):
            there = starts[cell] + place
            found = (
                inside & (there < starts[cell + 1]) & ((there > here) | (right != 0) | (down != 0))
            )
            a, b = here[found], there[found]
            length = cupy.sqrt(((points[:, a] - points[:, b]) ** 2).sum(axis=0))
            near = length <= radius
            pairs.append((a[near], b[near]))
            lengths.append(length[near])
    weights = cupy.maximum(cupy.concatenate(lengths) / radius * 1000, 1).astype(cupy.int32)
    return undirected(f"geometric_{scale}", pairs, n, weights=weights)


def band(scale: int, reach: int = 16) -> CSRGraph:
    """Return a path of 2^scale vertices, each joined with the `reach` before and after it."""
    import cupy

    here = cupy.arange(1 << scale, dtype=cupy.int32)
    pairs: list[tuple[Any, Any]] = [(here[:-step], here[step:]) for step in range(1, reach + 1)]
    return undirected(f"band_{scale}", pairs, 1 << scale, 1000)


MAKERS: dict[str, Callable[[], CSRGraph]] = {
    "small_world_20": lambda: small_world(20),
    "mesh8_2048": lambda: mesh8(2048),
    "random_20": lambda: random(20),
    "geometric_20": lambda: geometric(20),
    "band_18": lambda: band(18),
}
