"""Grid, mesh and chain: regular neighbours, random weights.

All are undirected: each edge is two arcs of the same weight. A weight belongs to a
vertex and a forward direction (right and up; 13 of the 26 neighbours in space); the arc
back reads it at the vertex it leads to. Arcs of a vertex stand in the order of their
offsets, heads rising, so no sorting is needed; vertices are numbered row by row.

Reference   benchmark graphs of the design: grids with weights 1..10000, a mesh with all
            26 neighbours and weights 1..1000, both from vertex 0.
"""

from __future__ import annotations

import math

import numpy as np

from gpu.graph import CSRGraph

GRID_WEIGHT = 10_000  # largest
MESH_WEIGHT = 1_000  # largest
CHAIN_WEIGHT = 1_000  # largest
TURN = 2.0  # between two turns of the spiral of a chain, in steps along it
AT_ONCE = 32_768  # vertices handled at a time

Offset = tuple[int, int, int]  # (z, y, x)


def grid_shape(n: int) -> tuple[int, int]:
    """Return (rows, columns) of nearly n vertices, rows = floor(sqrt(n)) <= columns."""
    rows = max(2, math.isqrt(n))
    return rows, max(rows, round(n / rows))


def mesh_side(n: int) -> int:
    """Return the side of the cube that is nearest to n vertices."""
    side = max(2, round(n ** (1 / 3)))
    return min((side - 1, side, side + 1), key=lambda s: (abs(s**3 - n), s)) if side > 2 else 2


def grid(n: int, seed: int) -> CSRGraph:
    """Return a grid of `grid_shape(n)`, 4 neighbours; positions are the cells."""
    rows, columns = grid_shape(n)
    graph = _lattice((1, rows, columns), [(0, 0, 1), (0, 1, 0)], GRID_WEIGHT, seed)
    y, x = np.divmod(np.arange(graph.n), columns)
    return graph.with_positions(np.column_stack((x, y)).astype(np.float32))


def mesh(n: int, seed: int) -> CSRGraph:
    """Return a cube of points, 26 neighbours; positions are its isometric picture.

    Points behind one another lie on one place, and a later one is drawn over an earlier. So it is
    seen from above, with vertex 0, the usual source, at the foot of the edge in front.
    """
    side = mesh_side(n)
    ring = (-1, 0, 1)
    every = [(z, y, x) for z in ring for y in ring for x in ring]
    graph = _lattice((side, side, side), every[14:], MESH_WEIGHT, seed)  # [13] is (0, 0, 0)
    z, rest = np.divmod(np.arange(graph.n), side * side)
    y, x = np.divmod(rest, side)
    east, north = (x - y) * math.sqrt(0.75), z + (x + y) * 0.5
    return graph.with_positions(np.column_stack((east, north)).astype(np.float32))


def chain(n: int, seed: int) -> CSRGraph:
    """Return n vertices in a row, drawn as a spiral of Archimedes with one unit between them."""
    growth = TURN / (2 * math.pi)  # radius a radian
    angle = np.sqrt(2 * np.arange(1, n + 1) / growth)
    places = np.column_stack((np.sin(angle), np.cos(angle))) * (growth * angle)[:, None]
    graph = _lattice((1, 1, n), [(0, 0, 1)], CHAIN_WEIGHT, seed)
    return graph.with_positions(places.astype(np.float32))


def _lattice(
    shape: tuple[int, int, int], forward: list[Offset], largest: int, seed: int
) -> CSRGraph:
    """Join every point of a box with its neighbours at plus and minus the forward offsets."""
    rng = np.random.Generator(np.random.PCG64(seed))
    n = math.prod(shape)
    weight = [rng.integers(1, largest + 1, n, dtype=np.int16) for _ in forward]
    offsets = [(-z, -y, -x) for z, y, x in reversed(forward)] + forward
    steps = np.array(offsets) @ np.array([shape[1] * shape[2], shape[2], 1])
    degree = np.empty(n, np.int8)
    for first in range(0, n, AT_ONCE):
        inside = _inside(shape, offsets, first, min(first + AT_ONCE, n))
        degree[first : first + AT_ONCE] = inside.sum(axis=1)
    indptr = np.concatenate(([0], np.cumsum(degree, dtype=np.int64)))
    indices, weights = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.float32)
    for first in range(0, n, AT_ONCE):
        last = min(first + AT_ONCE, n)
        inside = _inside(shape, offsets, first, last)
        here = slice(indptr[first], indptr[last])
        indices[here] = (np.arange(first, last)[:, None] + steps)[inside]
        weights[here] = _weights(weight, steps, first, last)[inside]
    return CSRGraph(indptr, indices, weights)


def _weights(weight: list[np.ndarray], steps: np.ndarray, first: int, last: int) -> np.ndarray:
    """Return (last - first, offsets): each arc's weight, anything where there is no arc."""
    forward, n = len(weight), len(weight[0])
    values = np.empty((last - first, len(steps)), np.float32)
    for column, step in enumerate(steps):
        if column >= forward:
            values[:, column] = weight[column - forward][first:last]
        else:
            heads = np.clip(np.arange(first, last) + step, 0, n - 1)
            values[:, column] = weight[forward - 1 - column][heads]
    return values


def _inside(
    shape: tuple[int, int, int], offsets: list[Offset], first: int, last: int
) -> np.ndarray:
    """Return bool (last - first, offsets): whether each neighbour is in the box."""
    z, rest = np.divmod(np.arange(first, last), shape[1] * shape[2])
    y, x = np.divmod(rest, shape[2])
    inside = np.ones((last - first, len(offsets)), bool)
    for axis, (place, size) in enumerate(zip((z, y, x), shape, strict=True)):
        for column, offset in enumerate(offsets):
            if offset[axis] < 0:
                inside[:, column] &= place >= -offset[axis]
            elif offset[axis] > 0:
                inside[:, column] &= place < size - offset[axis]
    return inside
