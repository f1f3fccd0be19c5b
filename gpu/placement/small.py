"""NetworkX's layouts for small graphs, each component by itself.

planar        no two edges cross; only for graphs that can be drawn so
kamada_kawai  Kamada and Kawai 1989: distances on the screen follow distances in hops
spring        Fruchterman and Reingold 1991: all vertices repel, edges attract

They cannot be stopped and take up to O(n^2) a step, so MOST and MOST_ARCS limit the size: each
ends within seconds. Both iterative ones start from PivotMDS, moved a little so that no two
vertices stand on one point. NetworkX is imported when one of them is asked for.
"""

from __future__ import annotations

import numpy as np

from gpu.errors import ParameterError
from gpu.graph import CSRGraph

MOST = {"planar": 2_000, "kamada_kawai": 100, "spring": 500}  # vertices
MOST_ARCS = 20_000
AUTO = {"kamada_kawai": 50, "spring": 300}  # vertices up to which "auto" takes it
STEPS = 50  # of spring
JITTER = 0.02  # of the mean distance between neighbouring places


def fits(graph: CSRGraph, kind: str) -> bool:
    """Whether a graph is small enough for one of these layouts."""
    return graph.n <= MOST[kind] and graph.m <= MOST_ARCS


def auto_kind(graph: CSRGraph) -> str:
    """Return the layout that "auto" stands for."""
    for kind, most in AUTO.items():
        if graph.n <= most and graph.m <= MOST_ARCS:
            return kind
    return "pivot_mds"


def check_size(graph: CSRGraph, kind: str) -> None:
    """Raise ParameterError where the graph is too large for the layout."""
    if not fits(graph, kind):
        raise ParameterError(
            f"layout {kind}: {graph.n} vertices and {graph.m} arcs; "
            f"allowed: up to {MOST[kind]} and {MOST_ARCS}; use pivot_mds"
        )


def small_layout(
    kind: str, indptr: np.ndarray, indices: np.ndarray, start: np.ndarray
) -> np.ndarray:
    """Return float64 (n, 2) of a connected graph whose arcs lead both ways.

    kind : a key of MOST
    start : float (n, 2), from PivotMDS
    """
    import networkx as nx

    n = len(indptr) - 1
    tails = np.repeat(np.arange(n), np.diff(indptr))
    network = nx.Graph()
    network.add_nodes_from(range(n))
    network.add_edges_from(zip(tails.tolist(), indices.tolist(), strict=True))
    network.remove_edges_from(list(nx.selfloop_edges(network)))
    if kind == "planar":
        if not nx.check_planarity(network)[0]:
            raise ParameterError("layout planar: the graph cannot be drawn without crossings")
        places = nx.planar_layout(network)
    elif kind == "kamada_kawai":
        places = nx.kamada_kawai_layout(network, pos=_apart(start), weight=None)
    else:
        places = nx.spring_layout(network, pos=_apart(start), iterations=STEPS, seed=1)
    return np.array([places[vertex] for vertex in range(n)], np.float64)


def _apart(start: np.ndarray) -> dict[int, np.ndarray]:
    """Return places in 0..1 by vertex, no two of them equal."""
    size = max(float(np.ptp(start, axis=0).max()), 1e-12)
    places = (start - start.min(axis=0)) / size
    rng = np.random.Generator(np.random.PCG64(1))
    places = places + (rng.random(places.shape) - 0.5) * (JITTER / np.sqrt(len(places)))
    return dict(enumerate(places))
