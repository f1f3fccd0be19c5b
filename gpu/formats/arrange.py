"""Compiled loops that turn arcs into rows: a stable sort in O(n + m), cache by cache.

A plain counting sort writes each arc to a random place: a cache miss each. So arcs
are first dealt into at most GROUPS groups of neighbouring tails (few streams,
written in order), then each group, small enough for a core's cache, is counted and
placed; groups are independent, so threads share them.

This module imports Numba: `gpu.formats.csr` imports it for large graphs only.
Weights travel as int32 bits, whatever they are, so that each loop is compiled once.
Numba 0.68 counts references of arrays passed to helpers, so the loops call none.
"""

from __future__ import annotations

import numpy as np

from gpu.compiled import compiled

GROUPS = 256
OUT_OF_RANGE = -1
LOW_HALF = 2**32 - 1
ONE = np.uint64(1)
HALF = np.uint64(32)
ZERO_BITS, MINUS_ZERO_BITS = 0, np.int32(-(2**31))  # of int32 0, float32 0.0 and -0.0


def group_shift(n: int) -> int:
    """Return s such that v >> s numbers at most GROUPS groups of the vertices v < n."""
    return max(0, (max(n, 1) - 1).bit_length() - (GROUPS.bit_length() - 1))


@compiled
def count_groups(tails, heads, base, both, n, shift, starts):  # type: ignore[no-untyped-def]
    """Count the arcs of each group and sum up.

    Reads    tails, heads int64 (m,), numbered from `base`
    Writes   starts int64 (groups+1,), zero before: where each group begins
    Returns  number of arcs, each counted twice if `both`, loops once;
             OUT_OF_RANGE if an end is no vertex
    """
    limit, by = np.uint64(n), np.uint64(shift)
    total = len(tails)
    for arc in range(len(tails)):
        tail, head = np.uint64(tails[arc] - base), np.uint64(heads[arc] - base)
        if tail >= limit or head >= limit:
            return OUT_OF_RANGE
        starts[(tail >> by) + ONE] += 1
        if both and tail != head:
            starts[(head >> by) + ONE] += 1
            total += 1
    for group in range(1, len(starts)):
        starts[group] += starts[group - 1]
    return total


@compiled
def deal_arcs(tails, heads, weights, base, both, shift, next_slot, pairs, dealt):  # type: ignore[no-untyped-def]
    """Write each arc to its group, in the order of the file.

    Reads    weights int32 (m,), any bits
    Writes   pairs int64 (total,), tail << 32 | head; dealt int32 (total,), the weights;
             next_slot int64, a copy of `starts`, used up
    """
    by = np.uint64(shift)
    for arc in range(len(tails)):
        tail, head = np.uint64(tails[arc] - base), np.uint64(heads[arc] - base)
        slot = np.uint64(next_slot[tail >> by])
        next_slot[tail >> by] += 1
        pairs[slot] = np.int64((tail << HALF) | head)
        dealt[slot] = weights[arc]
        if both and tail != head:
            slot = np.uint64(next_slot[head >> by])
            next_slot[head >> by] += 1
            pairs[slot] = np.int64((head << HALF) | tail)
            dealt[slot] = weights[arc]


@compiled
def sort_groups(pairs, dealt, starts, shift, first, last, indptr, indices, weights):  # type: ignore[no-untyped-def]
    """Sort the groups first..last-1 by tail, stably.

    Writes   indptr int64 (n+1,) and indices, weights int32 (total,) of these groups;
             indptr[n] is the caller's
    """
    n = len(indptr) - 1
    for group in range(first, last):
        low, high = group << shift, min(n, (group + 1) << shift)
        begin, end = np.uint64(starts[group]), np.uint64(starts[group + 1])
        for vertex in range(low, high):
            indptr[vertex] = 0
        for slot in range(begin, end):
            indptr[np.uint64(pairs[slot]) >> HALF] += 1
        total = np.int64(begin)
        for vertex in range(low, high):
            degree = indptr[vertex]
            indptr[vertex] = total
            total += degree
        for slot in range(begin, end):
            tail = np.uint64(pairs[slot]) >> HALF
            place = np.uint64(indptr[tail])
            indptr[tail] += 1
            indices[place] = pairs[slot] & LOW_HALF
            weights[place] = dealt[slot]
        for vertex in range(high - 1, low, -1):  # each now holds its end: the next one's start
            indptr[vertex] = indptr[vertex - 1]
        if high > low:
            indptr[low] = np.int64(begin)


@compiled
def count_facts(indptr, indices, weights, last_tail, facts):  # type: ignore[no-untyped-def]
    """Count loops, parallel arcs (beyond the first) and zero weights into facts[0:3].

    Reads    weights int32 (m,), the bits of int32 or non-negative float32
    Scratch  last_tail int32 (n,), -1 before
    """
    loops, parallel, zeros = 0, 0, 0
    for tail in range(len(indptr) - 1):
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = np.uint64(indices[arc])
            loops += np.int64(head) == tail
            parallel += last_tail[head] == tail
            last_tail[head] = tail
            zeros += weights[arc] == ZERO_BITS or weights[arc] == MINUS_ZERO_BITS
    facts[0], facts[1], facts[2] = loops, parallel, zeros
