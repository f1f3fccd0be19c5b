"""Layouts for small graphs, each component by itself.

planar        NetworkX's: no two edges cross; only for graphs that can be drawn so
kamada_kawai  NetworkX's: distances on the screen follow distances in hops; of sparse graphs, no
              edge then passes behind a vertex that is not its end: it would read as two edges
spring        all vertices repel, edges attract: `gpu.placement.forces`

MOST and MOST_ARCS limit the size: each ends within seconds. NetworkX's cannot be stopped. Both
iterative ones start from PivotMDS, moved a little so that no two vertices stand on one point.
"""

from __future__ import annotations

import numpy as np

from gpu.errors import ParameterError
from gpu.graph import CSRGraph

MOST = {"planar": 2_000, "kamada_kawai": 100, "spring": 10_000}  # vertices
MOST_ARCS = {"planar": 20_000, "kamada_kawai": 20_000, "spring": 1_000_000}
AUTO = {"kamada_kawai": 50, "spring": 10_000}  # vertices up to which "auto" takes it
ROOM = 0.45  # of the size / sqrt(n): from a vertex to an edge of others
CLEARED = 20_000  # vertices times arcs of such a graph, at most: 1 s
GAIN, ROUNDS = 0.1, 150  # share of what is missing that a round gives
JITTER = 0.02  # of the mean distance between neighbouring places


def fits(graph: CSRGraph, kind: str) -> bool:
    """Whether a graph is small enough for one of these layouts."""
    return graph.n <= MOST[kind] and graph.m <= MOST_ARCS[kind]


def auto_kind(graph: CSRGraph) -> str:
    """Return the layout that "auto" stands for."""
    for kind, most in AUTO.items():
        if graph.n <= most and fits(graph, kind):
            return kind
    return "pivot_mds"


def check_size(graph: CSRGraph, kind: str) -> None:
    """Raise ParameterError where the graph is too large for the layout."""
    if not fits(graph, kind):
        raise ParameterError(
            f"layout {kind}: {graph.n} vertices and {graph.m} edges; "
            f"allowed: up to {MOST[kind]} and {MOST_ARCS[kind]}; use pivot_mds"
        )


def by_networkx(
    kind: str, indptr: np.ndarray, indices: np.ndarray, start: np.ndarray
) -> np.ndarray:
    """Return float64 (n, 2) of a connected graph whose arcs lead both ways.

    kind : planar or kamada_kawai
    start : float (n, 2), as `apart` returns it
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
    else:
        places = nx.kamada_kawai_layout(network, pos=dict(enumerate(start)), weight=None)
    points = np.array([places[vertex] for vertex in range(n)], np.float64)
    if kind == "planar" or n * len(tails) > CLEARED:
        return points
    edges = tails != indices
    return clear_of_edges(points, tails[edges], indices[edges])


def clear_of_edges(points: np.ndarray, tails: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """Return points (n, 2), the size 1: vertices and edges of others push each other away."""
    points = points / np.ptp(points, axis=0).max()
    n, least = len(points), np.finfo(np.float64).tiny
    room, of_all = ROOM / np.sqrt(n), np.arange(n)[:, None]
    ends = (of_all == tails) | (of_all == heads)
    for _ in range(ROUNDS):
        along = points[heads] - points[tails]
        away = points[:, None] - points[tails]
        share = (away * along).sum(2) / np.maximum((along**2).sum(1), least)
        share = np.clip(share, 0, 1)[..., None]
        away -= share * along
        gaps = np.where(ends, room, np.hypot(away[..., 0], away[..., 1]))
        push = GAIN * np.maximum(room / np.maximum(gaps, least) - 1, 0)[..., None] * away
        points += push.sum(1)
        np.add.at(points, tails, ((share - 1) * push).sum(0))
        np.add.at(points, heads, (-share * push).sum(0))
    return points


def apart(start: np.ndarray) -> np.ndarray:
    """Return places (n, 2) in 0..1, no two of them equal."""
    size = max(float(np.ptp(start, axis=0).max()), 1e-12)
    places = (start - start.min(axis=0)) / size
    rng = np.random.Generator(np.random.PCG64(1))
    moved: np.ndarray = places + (rng.random(places.shape) - 0.5) * (JITTER / np.sqrt(len(places)))
    return moved
