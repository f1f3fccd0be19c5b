"""All pairs, our own: one block a source, near and far by a bit or two a vertex.

Returns     dist of shape (k, n): row i holds the distances from source first_source + i; by
            default from every vertex. A `source` given to the run is ignored.

The idea    What makes one source slow on a GPU, too little to do at a time, is no trouble
            where n sources wait: a small block has enough with one. So the whole
            state of a source is made to fit into shared memory, where an atomic min
            takes nanoseconds: its row of distances, and bits for "improved, not yet
            processed", near and far. A round empties the near ones and relaxes all their
            arcs; where there are none, the threshold moves on by delta, or to the nearest
            far vertex and delta beyond. Several blocks share a
            multiprocessor, so that one computes while another waits at its barrier.

Not done    Light and heavy arcs, queues, duplicates: the bits remove all three. Processing
            many sources per arc read (distances interleaved by source): on random graphs
            some source improves nearly every vertex in nearly every round, which is the
            work of `edge_apsp`, eleven times ours, and the arcs are in the cache anyway.

Limits      The matrix itself: at n = 12,800 it takes longer to leave the device than to
            compute. Where a row does not fit shared memory it is worked on in place.

Samples     as `delta_apsp`: sources waiting, running, done; rounds and times by source.

To tune     delta; the default is a fixed multiple of mean weight / mean degree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from gpu.algorithms import edge_apsp


def reference(
    indptr: Sequence[int],
    indices: Sequence[int],
    weights: Sequence[float],
    sources: Sequence[int],
    delta: float,
) -> list[list[float]]:
    """Return a row of dist for each source, by two bits a vertex: near and far.

    delta : the width of the near range, weight units, > 0
    """
    rows = []
    for source in sources:  # on the device each has a block of its own
        dist = [math.inf] * (len(indptr) - 1)
        dist[source] = 0
        near, far, edge = {source}, set[int](), delta
        while near or far:
            if not near:
                far = {u for u in far if dist[u] >= edge}  # the others were near meanwhile
                nearest = min((dist[u] for u in far), default=edge)
                edge = edge + delta if nearest < edge + delta else nearest + delta
                near = {u for u in far if dist[u] < edge}
                far -= near
            taken, near = near, set()
            for u in taken:
                for arc in range(indptr[u], indptr[u + 1]):
                    v, reach = indices[arc], dist[u] + weights[arc]
                    if reach < dist[v]:
                        dist[v] = reach
                        (near if reach < edge else far).add(v)
        rows.append(dist)
    return rows


ALGORITHM = replace(
    edge_apsp.ALGORITHM,
    key="apsp_fast",
    title="All pairs, fast",
    summary="from every vertex: a block a source, its whole state in shared memory",
    engines={"model": "gpu.model.apsp:run_fast", "cuda": "gpu.cuda.apsp:run_fast"},
    bucketed=True,
    source="ours",
)
