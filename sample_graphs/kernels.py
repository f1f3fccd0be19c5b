"""Compiled loops for graphs too large for NumPy's sorting. Import lazily: imports Numba."""

from __future__ import annotations

import numpy as np

from gpu.compiled import compiled


@compiled
def place(
    tails: np.ndarray,
    heads: np.ndarray,
    weights: np.ndarray,
    indptr: np.ndarray,
    indices: np.ndarray,
    placed: np.ndarray,
) -> None:
    """Sort arcs (m,) by tail, stably, by counting.

    Writes indptr int64 (n+1,), zeros at entry; indices int32 (m,); placed (m,).
    """
    n = len(indptr) - 1
    for arc in range(len(tails)):
        indptr[tails[arc] + 1] += 1
    for vertex in range(n):
        indptr[vertex + 1] += indptr[vertex]
    following = indptr[:n].copy()
    for arc in range(len(tails)):
        slot = following[tails[arc]]
        following[tails[arc]] = slot + 1
        indices[slot] = heads[arc]
        placed[slot] = weights[arc]


@compiled
def join(tails: np.ndarray, heads: np.ndarray, label: np.ndarray) -> None:
    """Union by smallest vertex; label int64 (n,), 0..n-1 at entry, ends as the roots."""
    for edge in range(len(tails)):
        a, b = tails[edge], heads[edge]
        while label[a] != a:
            label[a] = label[label[a]]
            a = label[a]
        while label[b] != b:
            label[b] = label[label[b]]
            b = label[b]
        if a < b:
            label[b] = a
        elif b < a:
            label[a] = b
    for vertex in range(len(label)):
        label[vertex] = label[label[vertex]]
