"""From arcs to a CSRGraph: plain NumPy for small graphs, compiled loops for large ones.

Both ways give the same graph. Small graphs do without Numba, whose import alone takes
a second: the window opens with one.
"""

from __future__ import annotations

import numpy as np

from gpu.graph import CSRGraph

COMPILED_FROM = 400_000  # arcs: from here on a compiled loop repays the import


def from_arcs(tails: np.ndarray, heads: np.ndarray, weights: np.ndarray, n: int) -> CSRGraph:
    """Return the graph of arcs (m,) in any order; arcs of a vertex keep their order."""
    if len(tails) < COMPILED_FROM:
        return CSRGraph.from_arcs(tails, heads, weights, n)
    from sample_graphs.kernels import place

    indptr = np.zeros(n + 1, np.int64)
    indices = np.empty(len(heads), np.int32)
    placed = np.empty_like(weights)
    place(tails, heads, weights, indptr, indices, placed)
    return CSRGraph(indptr, indices, placed)


def components(n: int, tails: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """Return int64 (n,): the smallest vertex of each vertex's connected part."""
    label = np.arange(n)
    if len(tails) >= COMPILED_FROM:
        from sample_graphs.kernels import join

        join(tails, heads, label)
        return label
    while True:
        a, b = label[tails], label[heads]
        low, high = np.minimum(a, b), np.maximum(a, b)
        if np.array_equal(low, high):
            return label
        np.minimum.at(label, high, low)
        while not np.array_equal(shorter := label[label], label):
            label = shorter
