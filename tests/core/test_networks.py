"""NetworkX's graphs and ours: names, directions, parallel edges, weights, and its distances."""

import math
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import gpu
from gpu.errors import GraphError, ParameterError, WeightError
from gpu.graph import CSRGraph

KINDS = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)


@st.composite
def networks(draw: st.DrawFn) -> Any:
    """Return a graph of any kind, with loops, and weights that some edges lack."""
    network = draw(st.sampled_from(KINDS))()
    n = draw(st.integers(1, 8))
    names = draw(st.sampled_from((list(range(n)), list("abcdefgh"[:n]), [3 * v for v in range(n)])))
    network.add_nodes_from(names)
    decimals = draw(st.booleans())
    weight = st.floats(0, 50, width=32) if decimals else st.integers(0, 50)
    ends = st.sampled_from(names)
    for tail, head, value in draw(st.lists(st.tuples(ends, ends, weight | st.none()), max_size=20)):
        network.add_edge(tail, head, **({} if value is None else {"weight": value}))
    return network


@settings(max_examples=60, deadline=None)
@given(network=networks())
def test_distances_are_those_of_networkx(network: Any) -> None:
    graph = gpu.from_networkx(network)
    source = next(iter(network))
    trace = gpu.run(graph, "dijkstra", "model", graph.vertex_of(source), probe=0)
    expected = nx.single_source_dijkstra_path_length(network, source)
    for vertex in range(graph.n):
        found = trace.dist[vertex]
        name = graph.id_of(vertex)
        if name in expected:
            assert found == pytest.approx(expected[name])
        else:
            assert not np.isfinite(found) or found == np.iinfo(graph.weights.dtype).max


@settings(max_examples=60, deadline=None)
@given(network=networks())
def test_the_way_back_has_the_same_edges(network: Any) -> None:
    graph = gpu.from_networkx(network)
    back = graph.to_networkx(directed=network.is_directed())
    assert list(back) == list(network)
    assert back.is_directed() == network.is_directed()

    def edges_of(one: Any) -> list[Any]:
        edges = ((u, v, float(w)) for u, v, w in one.edges(data="weight", default=1))
        if not one.is_directed():
            edges = ((*sorted((u, v), key=str), w) for u, v, w in edges)
        return sorted(edges, key=str)

    assert edges_of(back) == edges_of(network)


def test_names_positions_and_types_are_kept() -> None:
    network = nx.Graph(name="roads")
    network.add_node("b", pos=(1.0, 2.0))
    network.add_node("a", pos=(3, 4))
    network.add_edge("b", "a", weight=2.0, km=0.5)
    graph = gpu.from_networkx(network)
    assert (graph.name, graph.n, graph.m) == ("roads", 2, 2)
    assert [graph.id_of(0), graph.id_of(1)] == ["b", "a"]
    assert graph.weights.dtype == np.int32  # 2.0 is whole
    assert graph.positions.tolist() == [[1, 2], [3, 4]]
    back = graph.to_networkx()
    assert isinstance(back, nx.DiGraph)
    assert back.nodes["a"]["pos"] == (3.0, 4.0)
    assert (back.graph["name"], back["b"]["a"]["weight"]) == ("roads", 2)
    assert gpu.from_networkx(network, weight="km").weights.tolist() == [0.5, 0.5]
    assert gpu.from_networkx(network, weight=None).weights.tolist() == [1, 1]
    assert gpu.from_networkx(network, weight="hours").weights.tolist() == [1, 1]
    del network.nodes["a"]["pos"]
    assert gpu.from_networkx(network).positions is None


@pytest.mark.parametrize(
    ("nodes", "first", "last"),
    [
        ([1, 2, 3], 1, 3),
        ([7, 3, 5], 7, 5),
        ([(0, 1), (1, 0)], "(0, 1)", "(1, 0)"),
        ([2**70, 1], str(2**70), "1"),
    ],
)
def test_ids(nodes: list[Any], first: Any, last: Any) -> None:
    network = nx.path_graph(nodes)
    graph = gpu.from_networkx(network)
    assert (graph.id_of(0), graph.id_of(graph.n - 1)) == (first, last)
    assert graph.vertex_of(last) == graph.n - 1


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        (-1, r"edge a -> b has weight -1 \(2 of 2 bad\)"),
        (math.nan, "has weight nan"),
        (math.inf, "has weight inf"),
        ("5", "edge a -> b has weight '5'; weights must be numbers"),
        (None, "has weight None"),
        (2**64, "below 2\\^63"),
    ],
)
def test_wrong_weights_are_refused(weight: Any, words: str) -> None:
    network = nx.Graph()
    network.add_edge("a", "b", weight=weight)
    with pytest.raises(WeightError, match=words):
        gpu.from_networkx(network)


def test_what_is_no_graph_and_what_has_no_edges() -> None:
    with pytest.raises(ParameterError, match="list given; allowed: a NetworkX graph"):
        gpu.from_networkx([(0, 1)])
    with pytest.raises(GraphError, match="two nodes are called '1'"):
        gpu.from_networkx(nx.Graph([(1, "1")]))
    assert gpu.from_networkx(nx.DiGraph()).n == 0
    one_way = CSRGraph.from_arcs(np.array([0]), np.array([1]), np.ones(1, np.int32), 2)
    with pytest.raises(GraphError, match="is directed"):
        one_way.to_networkx(directed=False)
    assert gpu.from_networkx(one_way.to_networkx()).hash == one_way.hash


def test_large_whole_numbers_stay_exact() -> None:
    network = nx.DiGraph()
    network.add_edge(0, 1, weight=2**62 + 1)
    graph = gpu.from_networkx(network)
    assert graph.weights.tolist() == [2**62 + 1]
    assert graph.to_networkx()[0][1]["weight"] == 2**62 + 1
