"""The two printed all-pairs listings as they stand: nine faults, each runnable, each wrong.

For the lesson that shows them; no registry row names these functions. Each takes a small graph and
runs a block of `THREADS` modelled threads for every source the way the listing is written, with
*one* fault left in and all others mended. A loop that would never end is cut after `ROUNDS`.

Plain Python on purpose: a reader should see the fault in the code. The threads of a block take
turns, one edge each, which is one of the orders that a GPU may choose.

    flag_set_once                the flag "something changed" is set before the source loop
    flag_reset_races             a thread resets the flag after another has set it: no barrier
    every_thread_walks_all_arcs  the threads do not share the edges: right, but THREADS x the work
    both_directions              an edge is relaxed backwards too: right only if undirected
    infinity_overflows           largest int + weight is negative, and so less than any distance
    source_never_queued          no bucket holds the source, so nothing happens
    vertices_never_leave         a bucket that is never emptied never ends
    bucket_zero_is_skipped       buckets are counted from 1, so the nearest one is never taken
    row_index_overflows          s x n in 32 bits: rows land before the matrix (n > 46,340)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from gpu.errors import ParameterError
from gpu.graph import INT_UNREACHED, CSRGraph

THREADS = 4  # of a modelled block
BLOCKS = 2  # sources are dealt to them in turn
ROUNDS = 100  # after which a loop that would not end is cut
MOST_ARCS = 20_000  # larger graphs are not for a lesson in plain Python
DELTA = 8.0  # bucket width of the delta-stepping listing, weight units
TOO_MANY = 46_341  # vertices, from which s x n does not fit into 32 bits


@dataclass(frozen=True)
class Fault:
    """The result of one fault.

    rows : int32 (n, n); wrong : how many entries differ from the truth
    sentence : what happened, for a reader
    work : edges relaxed; least : how many the same listing relaxes when it is mended
    """

    key: str
    rows: np.ndarray
    wrong: int
    sentence: str
    work: int
    least: int


def right_rows(graph: CSRGraph) -> np.ndarray:
    """Return the rows of the mended edge listing, int32 (n, n). ParameterError: too large."""
    return _edges(graph)[0]


def _fault(
    key: str, listing: Callable[..., Any], options: dict[str, Any], sentence: str, graph: CSRGraph
) -> Fault:
    rows, work = listing(graph, **options)
    least = listing(graph)[1]
    wrong = int(np.count_nonzero(rows != right_rows(graph)))
    return Fault(key, rows, wrong, sentence, work, least)


def row_index_overflows(graph: CSRGraph, n: int = TOO_MANY) -> Fault:
    """Show where the last row of a matrix of n columns lands when s x n is 32 bits wide.

    The graph's own rows are computed and laid out with that index, so that nobody needs 8.6 GB.
    """
    rows, work = _edges(graph)
    exact = n * n - 1
    index = int(np.int64(exact).astype(np.int32))
    moved = np.roll(rows, int(index != exact), axis=0)  # every row where another one is read
    sentence = (
        f"with {n:,} vertices the last entry is number {exact:,}, but a 32-bit int holds "
        f"{index:,}; to show it here, each row is written one too far"
    )
    wrong = int(np.count_nonzero(moved != rows))
    return Fault("row_index_overflows", moved, wrong, sentence, work, work)


def _check(graph: CSRGraph) -> None:
    if not graph.integer or graph.m > MOST_ARCS:
        raise ParameterError(
            f"{graph.name} has {graph.m:,} edges of {graph.weights.dtype}; the faulty listings "
            f"take up to {MOST_ARCS:,} edges with whole weights: use a small sample"
        )


def _arcs(graph: CSRGraph) -> list[tuple[int, int, int]]:
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr)).tolist()
    return list(zip(tails, graph.indices.tolist(), graph.weights.tolist(), strict=True))


def _turns(count: int, share: bool) -> Iterator[tuple[int, int]]:
    """Yield thread and arc, threads taking turns; each walks its share, or all of them."""
    step = THREADS if share else 1
    for turn in range(0, count, step):
        for thread in range(THREADS):
            arc = turn + thread if share else turn
            if arc < count:
                yield thread, arc


def _edges(
    graph: CSRGraph,
    *,
    flag_per_source: bool = True,
    late_reset: bool = False,
    share_arcs: bool = True,
    backwards: bool = False,
    wrap: bool = False,
) -> tuple[np.ndarray, int]:
    """Return rows and arcs relaxed of the edge listing; the defaults are the mended one."""
    _check(graph)
    arcs, none = _arcs(graph), int(INT_UNREACHED)
    rows, work = np.full((graph.n, graph.n), none, np.int32), 0
    flags = [True] * BLOCKS
    for source in range(graph.n):
        block = source % BLOCKS
        dist = [none] * graph.n
        dist[source] = 0
        if flag_per_source:
            flags[block] = True
        for _ in range(ROUNDS if wrap else graph.n + 1):
            if not flags[block]:
                break
            flags[block] = False
            for thread, arc in _turns(len(arcs), share_arcs):
                u, v, w = arcs[arc]
                work += 1
                for a, b in ((u, v), (v, u)) if backwards else ((u, v),):
                    reach = _sum(dist[a], w, wrap, none)
                    if reach < dist[b]:
                        dist[b] = reach
                        flags[block] = True
                if late_reset and thread == THREADS - 1:
                    flags[block] = False  # this thread had not got to its reset before
        rows[source] = dist
    return rows, work


def _sum(dist: int, weight: int, wrap: bool, none: int) -> int:
    if not wrap:
        return none if dist == none else dist + weight
    return (dist + weight + 2**31) % 2**32 - 2**31


def _buckets(
    graph: CSRGraph, *, queue_source: bool = True, leave: bool = True, first_bucket: int = 0
) -> tuple[np.ndarray, int]:
    """Return rows and arcs relaxed of the delta-stepping listing, light arcs and heavy."""
    _check(graph)
    arcs, none = _arcs(graph), int(INT_UNREACHED)
    rows, work = np.full((graph.n, graph.n), none, np.int32), 0
    for source in range(graph.n):
        dist = [none] * graph.n
        dist[source] = 0
        held = {source: 0} if queue_source else {}  # vertex -> bucket
        bucket, rounds = first_bucket, 0
        while any(number >= bucket for number in held.values()) and rounds < ROUNDS:
            done: set[int] = set()
            while bucket in held.values() and rounds < ROUNDS:
                rounds += 1
                taken = {u for u, number in held.items() if number == bucket}
                if leave:
                    held = {u: number for u, number in held.items() if number != bucket}
                done |= taken
                work += _relax(arcs, dist, held, taken, light=True)
            work += _relax(arcs, dist, held, done, light=False)
            bucket += 1
        rows[source] = dist
    return rows, work


def _relax(
    arcs: list[tuple[int, int, int]],
    dist: list[int],
    held: dict[int, int],
    taken: set[int],
    *,
    light: bool,
) -> int:
    """Relax light or heavy arcs of `taken`; what improves moves to its bucket."""
    work = 0
    for u, v, w in arcs:
        if u in taken and (w <= DELTA) == light:
            work += 1
            if dist[u] + w < dist[v]:
                dist[v] = dist[u] + w
                held[v] = int(dist[v] // DELTA)
    return work


_SENTENCES = {
    "flag_set_once": "each block did its first source; after that the flag was 0, and no later "
    "source began",
    "flag_reset_races": "a slow thread reset the flag after faster threads had set it, so the "
    "block stopped while distances were still changing",
    "every_thread_walks_all_arcs": f"the distances are right, but each of the {THREADS} threads "
    "relaxed every edge",
    "both_directions": "every edge was used in both directions, as if there were no one-way "
    "streets",
    "infinity_overflows": "infinity plus a weight became negative, smaller than any distance, and "
    "spread",
    "source_never_queued": "all buckets were empty, so the loop ended before it began",
    "vertices_never_leave": "no vertex left its bucket, so the bucket never became empty (cut "
    f"after {ROUNDS} rounds)",
    "bucket_zero_is_skipped": "the source lay in bucket 0, and the loop began with bucket 1",
}
_EDGE_FAULTS: dict[str, dict[str, Any]] = {
    "flag_set_once": {"flag_per_source": False},
    "flag_reset_races": {"late_reset": True},
    "every_thread_walks_all_arcs": {"share_arcs": False},
    "both_directions": {"backwards": True},
    "infinity_overflows": {"wrap": True},
}
_BUCKET_FAULTS: dict[str, dict[str, Any]] = {
    "source_never_queued": {"queue_source": False},
    "vertices_never_leave": {"leave": False},
    "bucket_zero_is_skipped": {"first_bucket": 1},
}
FAULTS: dict[str, Callable[[CSRGraph], Fault]] = {
    **{key: partial(_fault, key, _edges, o, _SENTENCES[key]) for key, o in _EDGE_FAULTS.items()},
    **{
        key: partial(_fault, key, _buckets, o, _SENTENCES[key]) for key, o in _BUCKET_FAULTS.items()
    },
    "row_index_overflows": row_index_overflows,
}
