"""From NetworkX's graphs to ours; the way back is `CSRGraph.to_networkx`."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from gpu.errors import GraphError, ParameterError, WeightError
from gpu.graph import CSRGraph, Provenance

COORDINATES = (("x", "y"), ("lon", "lat"), ("longitude", "latitude"))  # of nodes, without "pos"
EXACT = 2.0**53  # whole floats below are whole numbers; larger ones may have been rounded


def from_networkx(network: Any, weight: str | None = "weight") -> CSRGraph:
    """Return the graph of a NetworkX graph, directed or not, with parallel edges or without.

    network : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph. An undirected edge becomes both
        arcs, a loop one. Nodes keep their order; whole numbers and words are kept as ids, other
        nodes by `str`. The node attribute "pos", or "x" and "y", gives positions where every node
        has it
    weight : edge attribute; an edge without it has weight 1. None: all weights are 1

    Raises ParameterError (no NetworkX graph), GraphError (two nodes of one name), WeightError.
    """
    if not all(hasattr(network, name) for name in ("is_directed", "edges", "nodes")):
        kind = type(network).__name__
        raise ParameterError(f"from_networkx: {kind} given; allowed: a NetworkX graph")
    nodes = list(network.nodes)
    index = {node: place for place, node in enumerate(nodes)}
    if weight is None:
        edges = [(tail, head, 1) for tail, head in network.edges()]
    else:
        edges = list(network.edges(data=weight, default=1))
    tails = np.fromiter((index[edge[0]] for edge in edges), np.int64, len(edges))
    heads = np.fromiter((index[edge[1]] for edge in edges), np.int64, len(edges))
    weights = _weights(edges)
    if not network.is_directed():
        back = tails != heads
        tails, heads = np.append(tails, heads[back]), np.append(heads, tails[back])
        weights = np.append(weights, weights[back])
    ids, id_base = _ids(nodes)
    return CSRGraph.from_arcs(
        tails,
        heads,
        weights,
        len(nodes),
        ids=ids,
        id_base=id_base,
        positions=_positions(network, nodes),
        name=str(network.graph.get("name") or "NetworkX graph"),
        provenance=Provenance(format="networkx", options={"weight": weight}),
    )


def _weights(edges: Sequence[tuple[Any, Any, Any]]) -> np.ndarray:
    """Return the edges' weights: int32 or int64 where all are whole, else float64."""
    for tail, head, value in edges:
        if not isinstance(value, numbers.Real):
            raise WeightError(
                f"edge {tail} -> {head} has weight {value!r}; weights must be numbers, "
                "finite and >= 0"
            )
    values = [value for *_, value in edges]
    if all(isinstance(value, numbers.Integral) for value in values):
        try:
            whole = np.array([int(value) for value in values], np.int64)
        except OverflowError:
            raise WeightError(
                f"a weight is {max(values, key=abs)}; whole weights must be below 2^63"
            ) from None
    else:
        decimals = np.array([float(value) for value in values], np.float64)
        if not (np.floor(decimals) == decimals).all() or np.abs(decimals).max() >= EXACT:
            return decimals
        whole = decimals.astype(np.int64)
    fits = len(whole) == 0 or np.abs(whole).max() <= np.iinfo(np.int32).max
    return whole.astype(np.int32) if fits else whole


def _ids(nodes: Sequence[Any]) -> tuple[np.ndarray | None, int]:
    """Return the ids of nodes, None for base, base + 1, ..., and that base."""
    if all(isinstance(node, numbers.Integral) for node in nodes):
        base = int(nodes[0]) if nodes else 0
        if list(nodes) == list(range(base, base + len(nodes))):
            return None, base
        if all(-(2**63) <= int(node) < 2**63 for node in nodes):
            return np.array([int(node) for node in nodes], np.int64), 0
    names = [str(node) for node in nodes]
    if len(set(names)) < len(names):
        double = next(name for place, name in enumerate(names) if name in names[:place])
        raise GraphError(f"two nodes are called {double!r}; names must differ as text")
    return np.array(names), 0


def _positions(network: Any, nodes: Sequence[Any]) -> np.ndarray | None:
    """Return float32 (n, 2) where every node has finite coordinates, else None."""
    attributes = [network.nodes[node] for node in nodes]
    for keys in (("pos",), *COORDINATES):
        if attributes and all(all(key in node for key in keys) for node in attributes):
            rows = [[node[key] for key in keys] for node in attributes]
            if keys == ("pos",):
                rows = [row[0] for row in rows]
            try:
                places = np.array(rows, np.float32)
            except (TypeError, ValueError):
                continue
            if places.shape == (len(nodes), 2) and np.isfinite(places).all():
                return places
    return None
