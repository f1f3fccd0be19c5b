"""The two printed all-pairs listings as they stand: nine faults, each runnable, each wrong.

For the lesson that shows them; nothing else offers these functions, and no registry row
names them. Each takes a small graph, runs a block of `THREADS` modelled threads for every
source the way the listing is written, with *one* fault left in and all others mended, and
returns a `Fault`: the rows that came out and a sentence on what happened. What would never
end is cut after `ROUNDS`.

Plain Python on purpose: a reader should see the fault in the code. Threads of a block take
turns, one arc each, which is one of the orders that a GPU may choose.

    flag_set_once                "something changed" is set before the source loop, not inside
    flag_reset_races             a thread resets it while another has already set it: no barrier
    every_thread_walks_all_arcs  the threads do not share the arcs: right, and THREADS x the work
    both_directions              an arc is relaxed backwards as well: right only if undirected
    infinity_overflows           largest int + weight is negative, and so the nearest of all
    source_never_queued          no bucket holds the source, so there is nothing to do
    vertices_never_leave         a bucket that is never emptied never ends
    bucket_zero_is_skipped       bucket numbers begin at 1, so what is nearest is never taken
    row_index_overflows          s x n in 32 bits: rows land before the matrix (n > 46,340)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from gpu.errors import ParameterError
from gpu.graph import INT_UNREACHED, CSRGraph

THREADS = 4  # of a modelled block
BLOCKS = 2  # sources are dealt to them in turn
ROUNDS = 100  # after which a loop that would not end is cut
MOST_ARCS = 20_000  # larger graphs are not for a lesson in plain Python
DELTA = 8.0  # bucket width of the delta-stepping listing, weight units


@dataclass(frozen=True)
class Fault:
    """What one fault did.

    rows : int32 (n, n), as they came out; wrong : how many entries differ from the truth
    sentence : what happened, for a reader
    work : arcs relaxed; least : how many the mended listing needs
    """

    key: str
    rows: np.ndarray
    wrong: int
    sentence: str
    work: int
    least: int


def right_rows(graph: CSRGraph) -> np.ndarray:
    """Return what the mended edge listing finds, int32 (n, n). ParameterError: too large."""
    _check(graph)
    return _edges(graph)[0]


def flag_set_once(graph: CSRGraph) -> Fault:
    """Run the edge listing with its flag set before the source loop."""
    rows, work = _edges(graph, flag_per_source=False)
    return _fault(
        "flag_set_once",
        graph,
        rows,
        work,
        f"each of the {BLOCKS} blocks did its first source; the flag was 0 from then on, so every "
        "later source ended before its first round",
    )


def flag_reset_races(graph: CSRGraph) -> Fault:
    """Run the edge listing where the last thread resets the flag after others have set it."""
    rows, work = _edges(graph, late_reset=True)
    return _fault(
        "flag_reset_races",
        graph,
        rows,
        work,
        "a slow thread reset the flag when quicker ones had already set it; rounds that "
        "changed something looked like the last",
    )


def every_thread_walks_all_arcs(graph: CSRGraph) -> Fault:
    """Run the edge listing whose threads do not share the arcs."""
    rows, work = _edges(graph, share_arcs=False)
    return _fault(
        "every_thread_walks_all_arcs",
        graph,
        rows,
        work,
        f"the distances are right, but each of the {THREADS} threads relaxed every arc: nothing "
        "was won by having them",
    )


def both_directions(graph: CSRGraph) -> Fault:
    """Run the edge listing that relaxes every arc backwards too."""
    rows, work = _edges(graph, backwards=True)
    return _fault(
        "both_directions",
        graph,
        rows,
        work,
        "arcs were walked against their direction, so distances are those of another graph, "
        "where every road goes both ways",
    )


def infinity_overflows(graph: CSRGraph) -> Fault:
    """Run the edge listing that adds weights to infinity in 32 bits."""
    rows, work = _edges(graph, wrap=True)
    return _fault(
        "infinity_overflows",
        graph,
        rows,
        work,
        "infinity is the largest int; plus a weight it is negative, less than any distance, "
        f"and spreads (cut after {ROUNDS} rounds where circles kept falling)",
    )


def source_never_queued(graph: CSRGraph) -> Fault:
    """Run the delta-stepping listing that puts no source into a bucket."""
    rows, work = _buckets(graph, queue_source=False)
    return _fault(
        "source_never_queued",
        graph,
        rows,
        work,
        "all buckets were empty at the start, so the outer loop ended at once: every source "
        "knows itself and nothing else",
    )


def vertices_never_leave(graph: CSRGraph) -> Fault:
    """Run the delta-stepping listing that takes no vertex out of its bucket."""
    rows, work = _buckets(graph, leave=False)
    return _fault(
        "vertices_never_leave",
        graph,
        rows,
        work,
        "what is in a bucket stays there, so the first bucket that holds anything is never "
        f"empty; cut after {ROUNDS} rounds, everything beyond it is unreached",
    )


def bucket_zero_is_skipped(graph: CSRGraph) -> Fault:
    """Run the delta-stepping listing whose buckets are counted from 1."""
    rows, work = _buckets(graph, first_bucket=1)
    return _fault(
        "bucket_zero_is_skipped",
        graph,
        rows,
        work,
        "the source lies in bucket 0 and the loop began with bucket 1: it was never taken, and "
        "nobody else was ever put into a bucket",
    )


def row_index_overflows(graph: CSRGraph, n: int = 46_341) -> Fault:
    """Show where row n - 1 of a matrix of n columns lands when s x n is a 32-bit int.

    The graph's own rows are computed and laid out with that index; n stands for the
    size at which it passes 2^31, so that nobody needs the 8.6 GB.
    """
    rows, work = _edges(graph)
    last = n - 1
    exact = last * n + last
    index = int(np.int64(exact).astype(np.int32))
    if index != exact:
        rows = np.roll(rows, 1, axis=0)  # every row where another is looked for
    return _fault(
        "row_index_overflows",
        graph,
        rows,
        work,
        f"with n = {n:,} the last entry is number {exact:,}; a 32-bit int calls it {index:,}: the "
        "row is written somewhere else, here one row further on",
    )


FAULTS: dict[str, Callable[[CSRGraph], Fault]] = {
    function.__name__: function
    for function in (
        flag_set_once,
        flag_reset_races,
        every_thread_walks_all_arcs,
        both_directions,
        infinity_overflows,
        source_never_queued,
        vertices_never_leave,
        bucket_zero_is_skipped,
        row_index_overflows,
    )
}


def _fault(key: str, graph: CSRGraph, rows: np.ndarray, work: int, sentence: str) -> Fault:
    truth, least = _edges(graph)
    return Fault(key, rows, int(np.count_nonzero(rows != truth)), sentence, work, least)


def _check(graph: CSRGraph) -> None:
    if not graph.integer or graph.m > MOST_ARCS:
        raise ParameterError(
            f"{graph.name} has {graph.m:,} arcs of {graph.weights.dtype}; the faulty listings "
            f"take up to {MOST_ARCS:,} arcs with whole weights: use a small sample"
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
