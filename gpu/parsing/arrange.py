"""Compiled loops that turn arcs into rows: a stable sort in O(n + m), cache by cache.

A plain counting sort writes each arc to a random place: a cache miss each. So arcs
are first dealt into at most GROUPS groups of neighbouring tails (few streams,
written in order), then each group, small enough for a core's cache, is counted and
placed; groups are independent, so threads share them.

This module imports Numba: `gpu.parsing.csr` imports it for large graphs only.
Weights travel as the bits of an integer of their size, whatever they are, so that each loop is
compiled at most twice.
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
PAIRED = np.uint64(32)  # arcs of a row whose heads are compared; more are marked in a table
NO_HEADS, TOP_SIX = np.uint64(0), np.uint64(58)
SCATTER = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio: neighbours fall apart
MAGNITUDE = {4: np.int32(2**31 - 1), 8: np.int64(2**63 - 1)}  # all bits of a weight but its sign
LOOPS, PARALLEL, ZEROS, BROKEN, LOW, HIGH, FACTS = range(7)  # what is found of rows


def group_shift(n: int) -> int:
    """Return s such that v >> s numbers at most GROUPS groups of the vertices v < n."""
    return max(0, (max(n, 1) - 1).bit_length() - (GROUPS.bit_length() - 1))


@compiled
def mark_used(ids, low, used):  # type: ignore[no-untyped-def]
    """Set used[id - low] of each id; threads may share `used`, bool, since all write the same."""
    for k in range(len(ids)):
        used[np.uint64(ids[k] - low)] = True


@compiled
def put_ranks(ids, low, rank):  # type: ignore[no-untyped-def]
    """Put rank[id - low] in the place of each id, in arrays of one type."""
    for k in range(len(ids)):
        ids[k] = rank[np.uint64(ids[k] - low)]


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

    Reads    weights int32 or int64 (m,), any bits
    Writes   pairs int64 (total,), tail << 32 | head; dealt (total,), the weights;
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

    Writes   indptr int64 (n+1,), indices int32 (total,) and weights of these groups;
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
def check_rows(indptr, indices, weights, magnitude, first, last, facts):  # type: ignore[no-untyped-def]
    """Check the rows first..last-1 into `facts`; plain loops, so that vectors do them.

    Reads    weights (m,), their bits as int32 or int64; magnitude, of that type, all but the
             sign; indices int32 (m,)
    Writes   facts int64[FACTS]: BROKEN 1 where rows fall or a head is no vertex; ZEROS; LOW
             and HIGH, the least and the largest bits of a weight (0 is one of them)
    """
    n, m = len(indptr) - 1, len(indices)
    falls = indptr[first] < 0 or indptr[last] > m
    for vertex in range(first, last):
        falls |= indptr[vertex + 1] < indptr[vertex]
    if falls:
        facts[BROKEN] = 1
        return
    heads = indices[indptr[first] : indptr[last]].view(np.uint32)  # below zero: above all
    high_head = np.uint32(0)
    for arc in range(len(heads)):
        high_head = max(high_head, heads[arc])
    bits = weights[indptr[first] : indptr[last]]
    zero = magnitude ^ magnitude
    low, high, zeros = zero, zero, np.int32(0)
    for arc in range(len(bits)):
        low, high = min(low, bits[arc]), max(high, bits[arc])
        zeros = np.int32(zeros + np.int32(bits[arc] & magnitude == zero))
    facts[ZEROS], facts[LOW], facts[HIGH] = zeros, low, high
    facts[BROKEN] = len(heads) > 0 and high_head >= n


@compiled
def count_facts(indptr, indices, first, last, last_tail, facts):  # type: ignore[no-untyped-def]
    """Count loops and parallel arcs (beyond the first) of checked rows first..last-1.

    A short row's heads are sought in a word of 64 bits first, and compared with each other
    only where that may hold them; a long row's heads are marked in a table.

    Scratch  last_tail int32 (n,), -1 before; empty: none made yet
    Writes   facts int64[FACTS]: LOOPS and PARALLEL are added to
    Returns  `last`, or the first row that needs `last_tail`: call again from there
    """
    loops, parallel = 0, 0
    tail = first
    while tail < last:
        begin, end = np.uint64(indptr[tail]), np.uint64(indptr[tail + 1])
        if end - begin > PAIRED:
            if len(last_tail) == 0:
                break
            for arc in range(begin, end):
                head = indices[arc]
                loops += head == tail
                parallel += last_tail[head] == tail
                last_tail[head] = tail
        else:
            seen = NO_HEADS
            for arc in range(begin, end):
                head = indices[arc]
                loops += head == tail
                bit = ONE << (np.uint64(head) * SCATTER >> TOP_SIX)
                if seen & bit:  # perhaps: heads share bits
                    met = 0
                    for other in range(begin, arc):
                        met |= indices[other] == head
                    parallel += met
                seen |= bit
        tail += 1
    facts[LOOPS] += loops
    facts[PARALLEL] += parallel
    return tail
