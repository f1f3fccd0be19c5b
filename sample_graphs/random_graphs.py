"""Random graphs of the textbooks: Erdős-Rényi, Watts-Strogatz, Barabási-Albert, geometric.

Each is a few vectorised draws, with weights 1..1000 (geometric: the length).

Erdős-Rényi [1]     directed G(n, m): 8 n arcs, both ends uniform, no loops; two arcs
                    may be parallel, about 32 of them whatever n is.
Watts-Strogatz [2]  a ring where each vertex knows 3 on either side; one end of
                    each edge is moved to a random vertex with probability 0.05.
Barabási-Albert [3] each new vertex sends 4 edges to earlier ones, chosen by degree.
                    Batagelj and Brandes [4] draw a place in the list of all ends so far: every
                    vertex stands there as often as its degree. A place may be a draw
                    itself; these references are followed for all at once by halving.
Geometric           points in a square, joined where nearer than the radius that gives
                    8 neighbours on average; cells of one radius find the candidates.

The undirected ones hold each edge as two arcs of one weight, loops and doubles dropped.

[1] E. N. Gilbert, 1959; P. Erdős, A. Rényi, 1959.  [2] Nature 393, 1998.
[3] Science 286, 1999.  [4] Physical Review E 71, 2005.
"""

from __future__ import annotations

import math

import numpy as np

from gpu.graph import CSRGraph

ARCS_PER_VERTEX = 8  # Erdős-Rényi
RING_SIDE = 3  # Watts-Strogatz: neighbours on either side
REWIRED = 0.05
NEW_EDGES = 4  # Barabási-Albert
NEIGHBOURS = 8  # geometric: on average, away from the border
LARGEST_WEIGHT = 1000
CELLS_AHEAD = ((0, 1), (1, -1), (1, 0), (1, 1))  # with the own cell: each pair of cells once


def erdos_renyi(n: int, seed: int) -> CSRGraph:
    """Return n vertices and 8 n directed arcs between uniform ends, weights 1..1000."""
    rng = np.random.Generator(np.random.PCG64(seed))
    tails = rng.integers(0, n, ARCS_PER_VERTEX * n, dtype=np.int32)
    heads = rng.integers(0, n - 1, ARCS_PER_VERTEX * n, dtype=np.int32)
    heads += heads >= tails
    return CSRGraph.from_arcs(tails, heads, _weights(rng, len(tails)), n)


def watts_strogatz(n: int, seed: int) -> CSRGraph:
    """Return a ring with shortcuts, undirected; positions are the ring."""
    rng = np.random.Generator(np.random.PCG64(seed))
    tails = np.tile(np.arange(n, dtype=np.int64), RING_SIDE)
    heads = (tails + np.repeat(np.arange(1, RING_SIDE + 1), n)) % n
    moved = rng.random(len(heads)) < REWIRED
    heads[moved] = rng.integers(0, n, int(moved.sum()))
    return _undirected(rng, tails, heads, n).with_positions(ring(n))


def barabasi_albert(n: int, seed: int) -> CSRGraph:
    """Return a graph that grew by preferential attachment, undirected."""
    rng = np.random.Generator(np.random.PCG64(seed))
    tails = np.repeat(np.arange(1, n, dtype=np.int64), NEW_EDGES)
    ends = 2 * NEW_EDGES * (tails - 1)  # in the list before this vertex came
    drawn = (rng.random(len(tails)) * np.maximum(ends, 1)).astype(np.int64)
    is_tail = (drawn % 2 == 0) & (ends > 0)
    heads = np.where(is_tail, tails[drawn // 2], 0)
    leads_to = np.where(is_tail | (ends == 0), np.arange(len(tails)), drawn // 2)
    while not np.array_equal(further := leads_to[leads_to], leads_to):
        leads_to = further
    return _undirected(rng, tails, heads[leads_to], n)


def geometric(n: int, seed: int) -> CSRGraph:
    """Return points joined with those nearer than a radius, weights their distance in metres."""
    rng = np.random.Generator(np.random.PCG64(seed))
    side = 100.0 * math.sqrt(n)  # metres: a point on every hectare
    radius = 100.0 * math.sqrt(NEIGHBOURS / math.pi)
    cells = max(1, int(side / radius))
    xy = (rng.random((n, 2)) * side).astype(np.float32)
    column, row = np.minimum((xy / np.float32(side / cells)).astype(np.int64), cells - 1).T
    order = np.argsort(row * cells + column, kind="stable")
    xy, row, column = xy[order], row[order], column[order]
    tails, heads = _near(xy, row, column, cells, radius)
    length = np.hypot(*(xy[tails] - xy[heads]).T.astype(np.float64))
    both = np.concatenate((tails, heads)), np.concatenate((heads, tails))
    weights = np.maximum(np.tile(length, 2), 1).astype(np.float32)
    return CSRGraph.from_arcs(*both, weights, n).with_positions(xy - np.float32(side / 2))


def _near(
    xy: np.ndarray, row: np.ndarray, column: np.ndarray, cells: int, radius: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs of points, sorted by cell, that are nearer than the radius, each once."""
    cell = row * cells + column
    begin = np.searchsorted(cell, np.arange(cells * cells + 1))
    point = np.arange(len(cell))
    pairs = [_close(xy, point, point + 1, begin[cell + 1], radius)]
    for down, right in CELLS_AHEAD:
        inside = (row + down < cells) & (column + right >= 0) & (column + right < cells)
        other = np.where(inside, cell + down * cells + right, 0)
        last = np.where(inside, begin[other + 1], begin[other])
        pairs.append(_close(xy, point, begin[other], last, radius))
    return np.concatenate([u for u, _ in pairs]), np.concatenate([v for _, v in pairs])


def _close(
    xy: np.ndarray, point: np.ndarray, first: np.ndarray, last: np.ndarray, radius: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs of each point with those of first..last-1 that are near enough."""
    count = np.maximum(last - first, 0)
    tails = np.repeat(point, count)
    heads = np.arange(len(tails)) - np.repeat(np.cumsum(count) - count, count)
    heads += np.repeat(first, count)
    apart = xy[tails] - xy[heads]
    near = (apart * apart).sum(axis=1) < radius * radius
    return tails[near], heads[near]


def ring(n: int) -> np.ndarray:
    """Return n places on a circle with one unit between neighbours, float32 (n, 2)."""
    angle = np.arange(n) * (2 * math.pi / n)
    places = np.column_stack((np.sin(angle), np.cos(angle))) * (n / (2 * math.pi))
    return places.astype(np.float32)


def _undirected(rng: np.random.Generator, tails: np.ndarray, heads: np.ndarray, n: int) -> CSRGraph:
    """Return both arcs of each edge, loops and doubles dropped, one weight an edge."""
    low, high = np.minimum(tails, heads), np.maximum(tails, heads)
    keys = np.unique((low * n + high)[low != high])
    low, high = np.divmod(keys, n)
    weights = _weights(rng, len(keys))
    both = np.concatenate((low, high)), np.concatenate((high, low))
    return CSRGraph.from_arcs(*both, np.tile(weights, 2), n)


def _weights(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.integers(1, LARGEST_WEIGHT + 1, count, dtype=np.int16).astype(np.float32)
