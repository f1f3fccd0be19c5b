"""Every layout of small graphs, rounded: `tests/kept/places.json`.

A key is a sample and a kind of layout; without "of" it is the first picture.
"""

import kept
import numpy as np
import pytest

from gpu.errors import ParameterError
from gpu.graph import CSRGraph
from gpu.placement.placements import layout, provisional
from gpu.proof.verify import oracle_distances
from sample_graphs import make

NEAR = {"kamada_kawai": 3.0, "auto": 3.0, "spring": 1.0}  # of a thousand units; others: 0.3


def parts(sizes: list[int]) -> CSRGraph:
    """Return chains with a few short cuts, each a component of so many vertices."""
    arcs = []
    for first, size in zip(np.cumsum([0, *sizes]).tolist(), sizes, strict=False):
        arcs += [(first + k, first + k + 1) for k in range(size - 1)]
        arcs += [(first, first + k) for k in range(3, size - 1, 3)]
    tails, heads = np.array(arcs).T
    return CSRGraph.from_arcs(tails, heads, np.ones(len(tails), np.int32), sum(sizes))


GRAPHS = {
    "karate": lambda: make("karate_club"),
    "miserables": lambda: make("les_miserables"),
    "city": lambda: make("city_roads", n=60).with_positions(None),
    "parts": lambda: parts([20, 11, 14, 2, 5, 9, 3, 2, 1, 1]),
    "many": lambda: parts([30, *range(3, 29), *[1] * 430]),
}


@pytest.mark.parametrize("case", kept.cases("places"))
def test_a_picture_is_as_kept(case: str) -> None:
    kind, _, name = case.rpartition(" of ")
    graph = GRAPHS[name]()
    dist = oracle_distances(graph, 0).astype(np.float32)
    delta = 3.0 if kind == "lanes" and name == "karate" else None
    try:
        points = layout(graph, kind, dist=dist, delta=delta) if kind else provisional(graph)
    except ParameterError as error:
        kept.check("places", case, str(error))
    else:
        some = np.append(points[:: max(1, graph.n // 9)], points[-2:], axis=0)
        kept.check("places", case, some.round(1).astype(float), NEAR.get(kind, 0.3))
