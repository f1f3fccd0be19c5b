"""Graphs of one size: two figures of the ADDS paper, and classics from NetworkX's generators.

The karate club and Les Misérables have weights of their own: how often two people met. A shortest
path wants small numbers for what is close, but the weights are taken as they are. The Petersen
graph gets whole weights from 1 to MOST, drawn from a fixed seed. NetworkX is imported when one of
them is made.
"""

from __future__ import annotations

import numpy as np

from gpu.graph import CSRGraph

SEED, MOST = 1, 10
Arc = tuple[str, str, int]

FIGURE_1: tuple[Arc, ...] = (("S", "A", 10), ("S", "B", 1), ("B", "A", 1))
FIGURE_1_PLACES = {"S": (0.0, 0.0), "A": (1.0, 0.8), "B": (2.0, 0.0)}

# A, B, C, D have the distances of the figure. They all lead to E, whose distance is
# right only if A comes first; E begins a tail that every wrong order walks again.
FIGURE_6: tuple[Arc, ...] = (
    ("S", "A", 16),
    ("S", "B", 37),
    ("S", "C", 55),
    ("S", "D", 74),
    ("A", "E", 70),
    ("B", "E", 52),
    ("C", "E", 38),
    ("D", "E", 23),
    ("E", "F", 6),
    ("F", "G", 9),
    ("G", "H", 14),
    ("A", "B", 25),
    ("B", "C", 21),
    ("C", "D", 22),
)
FIGURE_6_PLACES = {
    "S": (0.0, 0.0),
    "A": (1.6, 2.4),
    "B": (2.1, 0.8),
    "C": (2.1, -0.8),
    "D": (1.6, -2.4),
    "E": (3.7, 0.0),
    "F": (4.5, 0.9),
    "G": (5.2, 0.0),
    "H": (6.0, 0.9),
}


def figure_1(n: int, seed: int) -> CSRGraph:
    """Return figure 1: the direct arc S -> A is longer than the way through B."""
    return _drawn(FIGURE_1, FIGURE_1_PLACES)


def figure_6(n: int, seed: int) -> CSRGraph:
    """Return figure 6: four vertices at distances 16, 37, 55 and 74, and what follows."""
    return _drawn(FIGURE_6, FIGURE_6_PLACES)


def _drawn(arcs: tuple[Arc, ...], places: dict[str, tuple[float, float]]) -> CSRGraph:
    names = list(places)
    ends = np.array([[names.index(tail), names.index(head)] for tail, head, _ in arcs])
    weights = np.array([weight for *_, weight in arcs], np.float32)
    return CSRGraph.from_arcs(
        ends[:, 0],
        ends[:, 1],
        weights,
        len(names),
        ids=np.array(names),
        positions=np.array(list(places.values()), np.float32),
    )


def karate_club(n: int, seed: int) -> CSRGraph:
    """Return Zachary's karate club: 34 members, weighted."""
    return _made("karate_club_graph")


def les_miserables(n: int, seed: int) -> CSRGraph:
    """Return the characters of Les Misérables that meet: 77, weighted."""
    return _made("les_miserables_graph")


def petersen(n: int, seed: int) -> CSRGraph:
    """Return the Petersen graph: 10 vertices of degree 3."""
    return _made("petersen_graph")


def _made(generator: str) -> CSRGraph:
    import networkx as nx

    from gpu.networks import from_networkx

    network = getattr(nx, generator)()
    nodes = list(network)
    if isinstance(nodes[0], int):
        nodes.sort()
    place = {node: k for k, node in enumerate(nodes)}
    edges = sorted(sorted((place[tail], place[head])) for tail, head in network.edges)
    drawn = np.random.Generator(np.random.PCG64(SEED)).integers(1, MOST + 1, len(edges))
    ordered = nx.Graph()
    ordered.add_nodes_from(nodes)
    for (tail, head), weight in zip(edges, drawn.tolist(), strict=True):
        ends = nodes[tail], nodes[head]
        ordered.add_edge(*ends, weight=network.edges[ends].get("weight", weight))
    graph = from_networkx(ordered)
    return CSRGraph(
        graph.indptr,
        graph.indices,
        graph.weights.astype(np.float32),
        ids=graph.ids,
        id_base=graph.id_base,
    )
