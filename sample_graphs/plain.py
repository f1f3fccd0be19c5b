"""Plain shapes that push a scheduler to its limits: chain, star, band, complete.

Chain       no parallelism at all: one vertex after the other.
Star        two steps, and all the parallelism at once: the hub's arcs are one huge row.
Band        a banded matrix, as engineers have them: a narrow front that moves along.
Complete    every vertex with every other: the most work for a vertex count.

Weights are 1..1000, and the same in both directions but in the complete graph, where each arc
has its own. A chain and a band are drawn as a spiral, so that they fill the picture.
"""

from __future__ import annotations

import math

import numpy as np

from gpu.graph import CSRGraph
from sample_graphs.lattices import banded
from sample_graphs.random_graphs import ring

LARGEST_WEIGHT = 1000
BAND = 8  # neighbours on either side
TURN = 2.0  # between two turns of the spiral, in steps along it


def chain(n: int, seed: int) -> CSRGraph:
    """Return n vertices in a row, each joined with the next."""
    return banded(n, 1, LARGEST_WEIGHT, seed).with_positions(_spiral(n))


def band(n: int, seed: int) -> CSRGraph:
    """Return the graph of a banded matrix: each vertex with the 8 before and after it."""
    return banded(n, BAND, LARGEST_WEIGHT, seed).with_positions(_spiral(n))


def star(n: int, seed: int) -> CSRGraph:
    """Return vertex 0 joined with all others."""
    rng = np.random.Generator(np.random.PCG64(seed))
    out = rng.integers(1, LARGEST_WEIGHT + 1, n - 1, dtype=np.int16).astype(np.float32)
    indptr = np.concatenate(([0], np.arange(n - 1, 2 * n - 1, dtype=np.int64)))
    indices = np.zeros(2 * n - 2, np.int32)
    indices[: n - 1] = np.arange(1, n)
    places = np.concatenate((np.zeros((1, 2), np.float32), ring(n - 1)))
    return CSRGraph(indptr, indices, np.tile(out, 2), places)


def complete(n: int, seed: int) -> CSRGraph:
    """Return n (n - 1) arcs, each with a weight of its own."""
    rng = np.random.Generator(np.random.PCG64(seed))
    indptr = np.arange(n + 1, dtype=np.int64) * (n - 1)
    indices = np.empty((n, n - 1), np.int32)
    others = np.arange(n - 1, dtype=np.int32)
    for vertex in range(n):
        np.add(others, others >= vertex, out=indices[vertex], casting="unsafe")
    weights = np.empty(n * (n - 1), np.float32)
    for vertex in range(n):
        here = slice(vertex * (n - 1), (vertex + 1) * (n - 1))
        weights[here] = rng.integers(1, LARGEST_WEIGHT + 1, n - 1, dtype=np.int16)
    return CSRGraph(indptr, indices.reshape(-1), weights, ring(n))


def _spiral(n: int) -> np.ndarray:
    """Return n places one step apart on a spiral of Archimedes, float32 (n, 2)."""
    growth = TURN / (2 * math.pi)  # radius a radian
    angle = np.sqrt(2 * np.arange(1, n + 1) / growth)
    places = np.column_stack((np.sin(angle), np.cos(angle))) * (growth * angle)[:, None]
    return places.astype(np.float32)
