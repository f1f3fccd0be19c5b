"""R-MAT: a power-law graph with a few huge hubs (Chakrabarti, Zhan, Faloutsos 2004).

The idea    To place an arc, halve the adjacency matrix again and again and choose one of
            the four quarters with probabilities a, b, c, d, until one cell is left. Big a
            makes few vertices gather most arcs. The ids are shuffled afterwards, or the
            hubs would be the low numbers.

Kept        parallel arcs and self-loops, as in the usual benchmark generators; the
            graph is directed, so some vertices cannot be reached from anywhere.

Rounding    probabilities are multiples of 1/65536: one 16-bit draw a halving.
"""

from __future__ import annotations

import numpy as np

from gpu.graph import CSRGraph

ARCS_PER_VERTEX = 16
A, B, C = 0.57, 0.19, 0.19  # d is the rest, 0.05
LARGEST_WEIGHT = 100
AT_ONCE = 65_536  # arcs placed at a time: they stay in the processor's cache


def rmat_scale(n: int) -> int:
    """Return k where 2^k is the power of two nearest to n on a logarithmic scale."""
    return max(3, round(np.log2(n)))


def rmat(n: int, seed: int) -> CSRGraph:
    """Return 2^rmat_scale(n) vertices, 16 arcs each on average, weights 1..100."""
    scale = rmat_scale(n)
    count = ARCS_PER_VERTEX << scale
    rng = np.random.Generator(np.random.PCG64(seed))
    shuffled = rng.permutation(1 << scale).astype(np.int32)
    tails, heads = np.empty(count, np.int32), np.empty(count, np.int32)
    for first in range(0, count, AT_ONCE):
        size = min(AT_ONCE, count - first)
        tail, head = _cells(rng, scale, size)
        tails[first : first + size] = shuffled[tail]
        heads[first : first + size] = shuffled[head]
    weights = rng.integers(1, LARGEST_WEIGHT + 1, count, dtype=np.int8).astype(np.float32)
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
