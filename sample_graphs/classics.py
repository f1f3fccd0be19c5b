"""Small graphs that textbooks use, from NetworkX's generators.

The karate club and Les Miserables have weights of their own: how often two people met. A shortest
path wants small numbers for what is close, but the weights are taken as they are. The others have
none and get whole weights from 1 to MOST, drawn from a fixed seed. NetworkX is imported when one
of them is made.
"""

from __future__ import annotations

import numpy as np

from gpu.graph import CSRGraph
from gpu.networks import from_networkx

SEED, MOST = 1, 10


def karate_club(n: int, seed: int) -> CSRGraph:
    """Return Zachary's karate club: 34 members, weighted."""
    return _made("karate_club_graph")


def les_miserables(n: int, seed: int) -> CSRGraph:
    """Return the characters of Les Miserables that meet: 77, weighted."""
    return _made("les_miserables_graph")


def florentine_families(n: int, seed: int) -> CSRGraph:
    """Return 15 families of Florence, joined by marriage."""
    return _made("florentine_families_graph")


def southern_women(n: int, seed: int) -> CSRGraph:
    """Return 18 women and 14 events that they attended (Davis)."""
    return _made("davis_southern_women_graph")


def petersen(n: int, seed: int) -> CSRGraph:
    """Return the Petersen graph: 10 vertices of degree 3."""
    return _made("petersen_graph")


def tutte(n: int, seed: int) -> CSRGraph:
    """Return Tutte's graph: planar, 46 vertices of degree 3, without a Hamiltonian cycle."""
    return _made("tutte_graph")


def _made(generator: str) -> CSRGraph:
    """Return a graph of NetworkX with weights float32."""
    import networkx as nx

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
