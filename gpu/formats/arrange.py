"""Compiled loops that turn arcs into rows: a stable counting sort, O(n + m).

This module imports Numba: `gpu.formats.csr` imports it for large graphs only.
Weights travel as int32 bits, whatever they are, so that each loop is compiled once.
"""

from __future__ import annotations

import numpy as np

from gpu.compiled import compiled

OUT_OF_RANGE = -1
ZERO_BITS, MINUS_ZERO_BITS = 0, np.int32(-(2**31))  # of int32 0, float32 0.0 and -0.0


@compiled
def count_rows(tails, heads, base, both, bounds):  # type: ignore[no-untyped-def]
    """Count the arcs of each vertex and sum up.

    Reads    tails, heads int64 (m,), numbered from `base`
    Writes   bounds int64 (n+2,), zero before: bounds[v+1] = where v's arcs begin
    Returns  number of arcs, each counted twice if `both`, loops once;
             OUT_OF_RANGE if an end is no vertex
    """
    n = len(bounds) - 2
    total = len(tails)
    for arc in range(len(tails)):
        tail, head = tails[arc] - base, heads[arc] - base
        if tail < 0 or tail >= n or head < 0 or head >= n:
            return OUT_OF_RANGE
        bounds[tail + 2] += 1
        if both and tail != head:
            bounds[head + 2] += 1
            total += 1
    for vertex in range(2, n + 2):
        bounds[vertex] += bounds[vertex - 1]
    return total


@compiled
def place_arcs(tails, heads, weights, base, both, bounds, indices, placed):  # type: ignore[no-untyped-def]
    """Write each arc into its row, in the order of the file.

    Reads    weights int32 (m,), any bits
    Writes   indices, placed int32 (total,); bounds, so that bounds[:n+1] is indptr
    Needs    bounds as `count_rows` left it
    """
    for arc in range(len(tails)):
        tail, head = tails[arc] - base, heads[arc] - base
        slot = bounds[tail + 1]
        bounds[tail + 1] = slot + 1
        indices[slot] = head
        placed[slot] = weights[arc]
        if both and tail != head:
            slot = bounds[head + 1]
            bounds[head + 1] = slot + 1
            indices[slot] = tail
            placed[slot] = weights[arc]


@compiled
def count_facts(indptr, indices, weights, last_tail, facts):  # type: ignore[no-untyped-def]
    """Count loops, parallel arcs (beyond the first) and zero weights into facts[0:3].

    Reads    weights int32 (m,), the bits of int32 or non-negative float32
    Scratch  last_tail int32 (n,), -1 before
    """
    loops, parallel, zeros = 0, 0, 0
    for tail in range(len(indptr) - 1):
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = indices[arc]
            loops += head == tail
            parallel += last_tail[head] == tail
            last_tail[head] = tail
            zeros += weights[arc] == ZERO_BITS or weights[arc] == MINUS_ZERO_BITS
    facts[0], facts[1], facts[2] = loops, parallel, zeros
