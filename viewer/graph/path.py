"""The shortest path to a vertex, recovered from distances alone.

Engines leave distances, not parents: storing a parent at each improvement would cost
the kernels a second write. But in a finished run every reached vertex hangs on the
source by *tight* arcs, u -> v with dist[u] + w = dist[v]. One pass over all arcs
chooses a parent for every vertex; any number of paths then cost their own length.

An arc that raises the distance cannot close a cycle. Tight arcs that do not raise it
(zero weights, or floats so small that they vanish in the sum) can, so they are used
only to reach vertices that no other tight arc reaches, outwards from those reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gpu.graph import CSRGraph
from gpu.numbers import in_numbers
from gpu.record.trace import reached_mask
from gpu.words import thousands

CHUNK = 4_000_000  # arcs at a time, to bound memory
NO_PARENT = -1


@dataclass(frozen=True)
class Path:
    """A path from the source, int64 (k,) vertices, and its length in weight units."""

    vertices: np.ndarray
    length: float

    @property
    def words(self) -> str:
        """Its length, and of how many arcs it is made."""
        arcs = len(self.vertices) - 1
        return f"length {self.length:,.10g} · {thousands(arcs)} {'edge' if arcs == 1 else 'edges'}"


def parents_of(graph: CSRGraph, dist: np.ndarray, source: int) -> np.ndarray:
    """Return int32 (n,): a parent on a shortest path; -1 for the source and the unreached.

    dist : (n,) of a number type, final distances. A vertex whose distance is not final
    yet (a running or stopped run) may have no tight arc, and then has no parent.
    """
    parents = np.full(graph.n, NO_PARENT, np.int32)
    graph = in_numbers(graph, dist.dtype.name)
    reached = reached_mask(dist)
    flat: list[tuple[np.ndarray, np.ndarray]] = []
    rows = np.searchsorted(graph.indptr, np.arange(0, graph.m, CHUNK), side="right") - 1
    bounds = [*np.unique(rows).tolist(), graph.n] if graph.m else [0]
    for first, last in pairwise(bounds):
        arcs = slice(int(graph.indptr[first]), int(graph.indptr[last]))
        degrees = np.diff(graph.indptr[first : last + 1])
        tails = np.repeat(np.arange(first, last, dtype=np.int32), degrees)
        heads, weights = graph.indices[arcs], graph.weights[arcs]
        with np.errstate(over="ignore"):
            tight = reached[tails] & (dist[tails] + weights == dist[heads])
        tails, heads = tails[tight], heads[tight]
        rising = dist[tails] < dist[heads]
        parents[heads[rising]] = tails[rising]
        flat.append((tails[~rising], heads[~rising]))
    parents[source] = NO_PARENT
    _join_flat(parents, source, flat)
    return parents


def _join_flat(parents: np.ndarray, source: int, flat: list[tuple[np.ndarray, np.ndarray]]) -> None:
    """Hang the rest on vertices that already hang on the source, level by level."""
    tails = np.concatenate([pair[0] for pair in flat]) if flat else np.empty(0, np.int32)
    heads = np.concatenate([pair[1] for pair in flat]) if flat else np.empty(0, np.int32)
    joined = parents != NO_PARENT
    joined[source] = True
    while len(tails):
        new = joined[tails] & ~joined[heads]
        if not new.any():
            return
        parents[heads[new]] = tails[new]
        joined[heads[new]] = True
        open_arcs = ~joined[heads]
        tails, heads = tails[open_arcs], heads[open_arcs]


def path_to(parents: np.ndarray, dist: np.ndarray, source: int, target: int) -> Path | None:
    """Return the path from `source` to `target`, None where it cannot be followed."""
    vertices = [target]
    while vertices[-1] != source:
        parent = int(parents[vertices[-1]])
        if parent == NO_PARENT:
            return None
        vertices.append(parent)
    return Path(np.array(vertices[::-1], np.int64), float(dist[target]))
