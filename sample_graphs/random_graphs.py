"""Erdős-Rényi, R-MAT and band: random graphs without places.

Erdős-Rényi [1]  directed G(n, m): 8 n arcs, both ends uniform, no loops; two arcs may be parallel.
R-MAT [2]        to place an arc, halve the adjacency matrix again and again and choose one of the
                 four quarters with probabilities a, b, c, d, until one cell is left. Big a makes
                 few vertices gather most arcs. The ids are shuffled afterwards. Directed; parallel
                 arcs and loops are kept, as in the usual benchmark generators. Probabilities are
                 multiples of 1/65536: one 16-bit draw a halving.
Band             vertices in a row, each joined with the next one and with `degree` / 2 - 1 random
                 ones among the next `span`, both ways. The span is what makes the way from end to
                 end about `diameter` edges long.

[1] E. N. Gilbert, 1959; P. Erdős, A. Rényi, 1959.  [2] Chakrabarti, Zhan, Faloutsos 2004.
"""

from __future__ import annotations

import numpy as np

from gpu.graph import CSRGraph

UNIFORM_ARCS = 8  # arcs a vertex: Erdős-Rényi
UNIFORM_WEIGHT = 1000  # largest
RMAT_ARCS = 16  # arcs a vertex
RMAT_WEIGHT = 100  # largest
BAND_WEIGHT = 1000  # largest
A, B, C = 0.57, 0.19, 0.19  # d is the rest, 0.05
AT_ONCE = 65_536  # arcs placed at a time: they stay in the processor's cache


def erdos_renyi(n: int, seed: int) -> CSRGraph:
    """Return n vertices and 8 n directed arcs between uniform ends, weights 1..1000."""
    rng = np.random.Generator(np.random.PCG64(seed))
    tails = rng.integers(0, n, UNIFORM_ARCS * n, dtype=np.int32)
    heads = rng.integers(0, n - 1, UNIFORM_ARCS * n, dtype=np.int32)
    heads += heads >= tails
    weights = rng.integers(1, UNIFORM_WEIGHT + 1, len(tails), dtype=np.int16)
    return CSRGraph.from_arcs(tails, heads, weights.astype(np.float32), n)


def band(n: int, seed: int, degree: int, diameter: int) -> CSRGraph:
    """Return a band of n vertices: `degree` arcs each on average, weights 1..1000.

    A step goes as far as the longest of `degree` / 2 - 1 random ones: its mean is most of the span.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    draws = max(degree // 2 - 1, 0)
    span = max(degree, round(n / diameter * (draws + 1) / max(draws, 1)))
    ahead = np.ones((n, draws + 1), np.int64)
    ahead[:, 1:] = rng.integers(1, span + 1, (n, draws))
    tails = np.repeat(np.arange(n), draws + 1)
    heads = tails + ahead.ravel()
    tails, heads = tails[heads < n], heads[heads < n]
    weights = rng.integers(1, BAND_WEIGHT + 1, len(tails), dtype=np.int16).astype(np.float32)
    both = np.concatenate([tails, heads]), np.concatenate([heads, tails])
    return CSRGraph.from_arcs(*both, np.concatenate([weights, weights]), n)


def rmat_scale(n: int) -> int:
    """Return k where 2^k is the power of two nearest to n on a logarithmic scale."""
    return max(3, round(np.log2(n)))


def rmat(n: int, seed: int) -> CSRGraph:
    """Return 2^rmat_scale(n) vertices, 16 arcs each on average, weights 1..100."""
    scale = rmat_scale(n)
    count = RMAT_ARCS << scale
    rng = np.random.Generator(np.random.PCG64(seed))
    shuffled = rng.permutation(1 << scale).astype(np.int32)
    tails, heads = np.empty(count, np.int32), np.empty(count, np.int32)
    for first in range(0, count, AT_ONCE):
        size = min(AT_ONCE, count - first)
        tail, head = _cells(rng, scale, size)
        tails[first : first + size] = shuffled[tail]
        heads[first : first + size] = shuffled[head]
    weights = rng.integers(1, RMAT_WEIGHT + 1, count, dtype=np.int8).astype(np.float32)
    return CSRGraph.from_arcs(tails, heads, weights, 1 << scale)


def _cells(rng: np.random.Generator, scale: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns, int32 (count,), of cells drawn by `scale` halvings."""
    row, column = np.zeros(count, np.int32), np.zeros(count, np.int32)
    upper_left, upper, three = (round(p * 65536) for p in (A, A + B, A + B + C))
    for _ in range(scale):
        draw = rng.integers(0, 65536, count, dtype=np.uint16)
        lower = draw >= upper
        right = ((draw >= upper_left) & ~lower) | (draw >= three)
        row += row + lower
        column += column + right
    return row, column
