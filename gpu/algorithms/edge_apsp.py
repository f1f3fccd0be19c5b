"""All pairs, edge by edge: one block a source, every arc in every round.

Returns     dist of shape (k, n): row i holds the distances from source first_source + i; by
            default from every vertex. A `source` given to the run is ignored.

The idea    A block takes a source and relaxes all m arcs, again and again, until a round
            changes nothing; then it takes the next source that nobody has. Nothing
            is queued and nothing sorted: as simple as a shortest-path algorithm can be.
            On a sparse graph with short paths that is quick, and the worst there is
            on a long one: as many rounds as the deepest path has hops.

Made right  A listing of it that is handed around in print does not work; its faults can be
            watched in `gpu.lessons.printed_listings`. Here "something changed" is decided
            behind a barrier and anew for every source, the threads share the arcs, arcs are
            directed, and a row is found by a 64-bit index.

Ours        The row is kept in shared memory while it is worked on, if it fits (up to
            58,000 vertices on an H100). Rows leave the device in chunks of sources.

Samples     occupancy: sources waiting, running, done. A round processes n vertices and
            relaxes m arcs. assigned_vertices, assigned_edges: running sources times what a
            round had of them so far. Probe level 2: entry s of the per-vertex arrays is source
            s: when it was begun, when it was finished, how many rounds it took.

Reference   Bellman-Ford, all arcs in every round, a source a block.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from gpu.algorithms.registry import Algorithm, Parameter


def reference(
    indptr: Sequence[int], indices: Sequence[int], weights: Sequence[float], sources: Sequence[int]
) -> list[list[float]]:
    """Return a row of dist for each source: every arc in every round, until nothing improves."""
    n = len(indptr) - 1
    tails = [u for u in range(n) for _ in range(indptr[u], indptr[u + 1])]
    rows = []
    for source in sources:  # on the device each has a block of its own
        dist = [math.inf] * n
        dist[source] = 0
        changed = True
        while changed:
            changed = False
            for u, v, weight in zip(tails, indices, weights, strict=True):
                if dist[u] + weight < dist[v]:
                    dist[v] = dist[u] + weight
                    changed = True
        rows.append(dist)
    return rows


ROW_PARAMETERS = (
    Parameter("first_source", "First source", "int", 0, "0-based index of the first row's source"),
    Parameter(
        "sources",
        "Sources",
        "int",
        None,
        "how many sources, from the first on; empty: all the rest",
        1,
        automatic="all",
    ),
    Parameter(
        "workers",
        "Workers",
        "int",
        None,
        "how many workers; empty: as many as this device holds",
        1,
        4096,
    ),
)

ALGORITHM = Algorithm(
    key="edge_apsp",
    title="All pairs, edges",
    summary="from every vertex: a block takes a source and relaxes all edges until none improves",
    engines={"model": "gpu.model.apsp:run_edge", "cuda": "gpu.cuda.apsp:run_edge"},
    parameters=ROW_PARAMETERS,
    occupancy=("waiting", "running", "done"),
    parallelism="assigned",
    bucketed=False,
    source="Bellman-Ford, in a block",
    result="matrix",
)
