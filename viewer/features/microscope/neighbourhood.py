"""The part of a graph around a vertex that is small enough to be watched event by event.

Vertices are taken by their distance from the source (Dijkstra's order), with all arcs between them,
as long as these are few enough. So a shortest path to any of them stays inside, and distances are
those of the whole graph.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from heapq import heappop, heappush

import numpy as np

from gpu.formats import save_graph
from gpu.graph import CSRGraph, Provenance
from viewer.common.kept_graphs import forget_old, kept_folder, kept_path


def neighbourhood(
    graph: CSRGraph, source: int, most_arcs: int, positions: np.ndarray | None
) -> CSRGraph:
    """Return the vertices nearest to `source` with at most `most_arcs` arcs; it is vertex 0.

    positions : float32 (n, 2), where the whole graph is drawn, or None
    """
    nearest = _nearest(graph, source, most_arcs)
    place = {vertex: number for number, vertex in enumerate(nearest)}
    rows = [np.arange(graph.indptr[v], graph.indptr[v + 1], dtype=np.int64) for v in nearest]
    arcs = np.concatenate(rows)
    tails = np.repeat(np.arange(len(nearest)), [len(row) for row in rows])
    heads = np.array([place.get(head, -1) for head in graph.indices[arcs].tolist()], np.int64)
    inside = heads >= 0
    return CSRGraph.from_arcs(
        tails[inside],
        heads[inside],
        graph.weights[arcs[inside]],
        len(nearest),
        positions=None if positions is None else positions[nearest],
        ids=np.array([graph.id_of(vertex) for vertex in nearest]),
        name=f"{graph.name} around {graph.id_of(source)}",
    )


def kept(graph: CSRGraph) -> CSRGraph:
    """Return the graph as that of a file that holds it: its runs can be opened again.

    Raises GpuError, OSError.
    """
    path = kept_path(kept_folder("graphs"), graph.name, graph.hash)
    save_graph(graph, path)
    forget_old(path)
    return replace(graph, provenance=Provenance(str(path), "npz"))


def _nearest(graph: CSRGraph, source: int, most_arcs: int) -> list[int]:
    """Return vertices by distance from `source`, as many as have `most_arcs` arcs between them."""
    waiting, settled = [(0.0, source)], dict[int, None]()
    arcs_into: Counter[int] = Counter()  # from what is settled
    arcs = 0
    while waiting:
        dist, vertex = heappop(waiting)
        if vertex in settled:
            continue
        row = slice(int(graph.indptr[vertex]), int(graph.indptr[vertex + 1]))
        heads = graph.indices[row].tolist()
        settled[vertex] = None
        arcs += arcs_into[vertex] + sum(head in settled for head in heads)
        if arcs > most_arcs:
            del settled[vertex]
            break
        for head, weight in zip(heads, graph.weights[row].tolist(), strict=True):
            arcs_into[head] += 1
            if head not in settled:
                heappush(waiting, (dist + weight, head))
    return list(settled) or [source]
