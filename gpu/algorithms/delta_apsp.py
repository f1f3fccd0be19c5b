"""All pairs by delta-stepping: one block a source, buckets inside the block.

Returns     dist of shape (k, n): row i holds the distances from source first_source + i; by
            default from every vertex. A `source` given to the run is ignored.

The idea    Delta-stepping within a block (Meyer, Sanders). The bucket is what lies below
            (i + 1) x delta and is unsettled: its *light* arcs (weight <= delta) are
            relaxed until the bucket stops refilling, then the *heavy* arcs of everything
            that was ever in it, once, because those cannot lead back into it. Barriers
            are inside the block, so sources never wait for each other.

Made right  A listing that is handed around in print puts no source into a bucket, never
            takes a vertex out of one, misses a barrier and walks empty buckets one by one
            (`gpu.lessons.printed_listings` shows what that does). Here a bucket is never stored:
            one bit a vertex says that it waits, its distance says where. A second array of
            distances is not needed either, since the bits, not a comparison of two arrays,
            say who improved.

Ours        Row and bits are in shared memory, if they fit; an empty bucket costs nothing:
            the next one is that of the nearest waiting vertex.

Samples     occupancy: sources waiting, running, done; bucket_switches: buckets drained,
            over all sources. A round is one pass over the bits. assigned_vertices,
            assigned_edges: running sources times what a round had of them so far. Probe level
            2: entry s of the per-vertex arrays is source s: begun, finished, rounds.

To tune     delta: small saves work, large saves rounds.

Reference   Meyer and Sanders, "Delta-stepping", J. Algorithms 49 (2003).
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
    """Return a row of dist for each source: that a vertex waits is a bit, where is its distance.

    delta : the width of a bucket, weight units, > 0
    """

    def relax(dist: list[float], vertices: set[int], heavy: bool) -> set[int]:
        improved = set()
        for u in vertices:
            for arc in range(indptr[u], indptr[u + 1]):
                v, reach = indices[arc], dist[u] + weights[arc]
                if (weights[arc] > delta) == heavy and reach < dist[v]:
                    dist[v] = reach
                    improved.add(v)
        return improved

    rows = []
    for source in sources:  # on the device each has a block of its own
        dist = [math.inf] * (len(indptr) - 1)
        dist[source] = 0
        waits, edge = {source}, delta  # the bits; where the bucket ends
        while waits:
            was_in: set[int] = set()  # bits too: everything that was ever in this bucket
            while taken := {u for u in waits if dist[u] < edge}:
                was_in |= taken
                waits = (waits - taken) | relax(dist, taken, heavy=False)
            waits |= relax(dist, was_in, heavy=True)  # leads beyond the bucket
            nearest = min((dist[u] for u in waits), default=edge)
            edge = max(edge, delta * (nearest // delta)) + delta  # past buckets that are empty
        rows.append(dist)
    return rows


ALGORITHM = replace(
    edge_apsp.ALGORITHM,
    key="delta_apsp",
    title="All pairs, Δ-stepping",
    summary="from every vertex: a block takes a source and does Δ-stepping by itself",
    engines={"model": "gpu.model.apsp:run_delta", "cuda": "gpu.cuda.apsp:run_delta"},
    bucketed=True,
    source="Meyer and Sanders 2003, in a block",
)
