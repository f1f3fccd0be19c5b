"""Every plain reference against an oracle that shares nothing with it, and every row has one.

The oracle is SciPy's Dijkstra (test_algorithms.oracle): no reference is made of that, and whole
distances are equal, not close.
"""

import inspect
import math
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from test_algorithms import oracle

from gpu.algorithms import ALGORITHMS
from gpu.graph import CSRGraph

WITHOUT = {"cugraph"}  # a black box: its essay says so
MOST_LINES = 40
Lists = tuple[list[int], list[int], list[float]]


def module_of(key: str) -> Any:
    return import_module(f"gpu.algorithms.{key}")


def lists_of(graph: CSRGraph) -> Lists:
    return graph.indptr.tolist(), graph.indices.tolist(), graph.weights.tolist()


def rows_by(key: str, graph: CSRGraph, source: int, delta: float | None) -> list[list[float]]:
    """Return what a reference says from the source; that of all pairs also from vertex 0."""
    reference: Callable[..., Any] = module_of(key).reference
    wants_delta = "delta" in inspect.signature(reference).parameters
    more = {"delta": delta} if wants_delta and delta is not None else {}
    if ALGORITHMS[key].result == "matrix":
        rows: list[list[float]] = reference(*lists_of(graph), [source, 0], **more)
        return rows
    return [reference(*lists_of(graph), source, **more)]


def assert_references(graph: CSRGraph, source: int, delta: float) -> None:
    for key in ALGORITHMS.keys() - WITHOUT:
        for row, start in zip(rows_by(key, graph, source, delta), (source, 0), strict=False):
            expected = oracle(graph, start)
            assert len(row) == graph.n
            if graph.integer:
                assert row == expected.round().tolist(), key
                assert all(isinstance(d, int) or d == math.inf for d in row), key
            else:
                np.testing.assert_allclose(row, expected, rtol=1e-9, atol=1e-9, err_msg=key)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[CSRGraph, int, float]:
    """Return a graph with loops, parallel arcs and zeros, a source, and a delta of any size."""
    n = draw(st.integers(1, 12))
    vertex = st.integers(0, n - 1)
    heaviest = draw(st.sampled_from([0, 1, 20, 3000]))
    arcs = draw(st.lists(st.tuples(vertex, vertex, st.integers(0, heaviest)), max_size=50))
    tails, heads, weights = np.array(arcs, np.int64).reshape(-1, 3).T
    kind = draw(st.sampled_from([np.int32, np.float32]))
    scaled = weights.astype(kind) if kind is np.int32 else (weights * 0.37).astype(kind)
    delta = draw(st.sampled_from([1, 3, 64, 5000]))
    return CSRGraph.from_arcs(tails, heads, scaled, n), draw(vertex), delta


@given(graphs())
def test_every_reference_is_right(case: tuple[CSRGraph, int, float]) -> None:
    assert_references(*case)


HAND = {  # arcs (tail, head, weight), vertices, source
    "one vertex": ([], 1, 0),
    "a source without arcs": ([(1, 2, 5)], 3, 0),
    "unreachable": ([(0, 1, 2), (2, 3, 1)], 4, 0),
    "zero weights": ([(0, 1, 0), (1, 2, 0), (2, 0, 0), (2, 3, 4)], 4, 1),
    "parallel arcs": ([(0, 1, 9), (0, 1, 3), (0, 1, 7), (1, 2, 1)], 3, 0),
    "loops": ([(0, 0, 0), (0, 1, 2), (1, 1, 5), (1, 2, 2)], 3, 0),
    "the long way is the short one": ([(0, 3, 10), (0, 1, 1), (1, 2, 1), (2, 3, 1)], 4, 0),
    "an empty stretch": ([(0, 1, 1), (1, 2, 2000), (2, 3, 1)], 4, 0),
    "two hundred in a row": ([(u, u + 1, 3) for u in range(200)], 201, 0),
    "a star whose leaves meet": (
        [(0, u, 100 - u) for u in range(1, 90)] + [(u, 90, u) for u in range(1, 90)],
        91,
        0,
    ),
}


@pytest.mark.parametrize("kind", [np.int32, np.float32])
@pytest.mark.parametrize("delta", [1, 7, 500])
@pytest.mark.parametrize("case", HAND)
def test_by_hand(case: str, delta: float, kind: type) -> None:
    arcs, n, source = HAND[case]
    columns = np.array(arcs, np.int64).reshape(-1, 3).T
    graph = CSRGraph.from_arcs(columns[0], columns[1], columns[2].astype(kind), n)
    assert_references(graph, source, delta)


@pytest.mark.parametrize("key", sorted(ALGORITHMS))
def test_every_row_has_a_reference_that_reads_in_one_sitting(key: str) -> None:
    module = module_of(key)
    if key in WITHOUT:
        assert "no plain reference" in module.__doc__
        assert not hasattr(module, "reference")
        return
    assert module.ALGORITHM is ALGORITHMS[key]
    reference = module.reference
    assert reference.__module__ == module.__name__
    assert reference.__doc__.startswith("Return ")
    assert len(inspect.getsourcelines(reference)[0]) <= MOST_LINES
