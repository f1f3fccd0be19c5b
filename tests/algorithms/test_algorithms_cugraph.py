"""The optional engine cuGraph: refused in one sentence, its distances in the graph's own type."""

import numpy as np
import pytest
from test_algorithms import random_graph

import gpu
from gpu.algorithms import ALGORITHMS, registry
from gpu.algorithms.cugraph import INSTALL
from gpu.cuda import cugraph
from gpu.errors import DistanceRangeError, EngineError, ParameterError
from gpu.graph import CSRGraph
from gpu.numbers import judge_range


def test_without_the_library_it_is_one_sentence_with_the_pip_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "_is_installed", lambda module: module != "pylibcugraph")
    with pytest.raises(EngineError) as refused:
        gpu.run(random_graph(1), "cugraph", "cuda")
    words = str(refused.value)
    assert words == f"cuGraph needs pylibcugraph, which is not installed: {INSTALL}"
    assert "\n" not in words


def path(weight: float, numbers: str) -> CSRGraph:
    weights = np.full(2, weight, numbers)
    return CSRGraph.from_arcs(np.array([0, 1]), np.array([1, 2]), weights, 3, id_base=1)


def written(graph: CSRGraph, *dist: float) -> tuple[bool, list[float]]:
    into = gpu.engine.RunBuffers.allocate(graph, 0).dist
    kind = np.float64 if graph.integer else graph.weights.dtype
    return cugraph.write_distances(graph, np.array(dist, kind), into), into.tolist()


def test_a_distance_past_the_range_is_left_out_and_remembered() -> None:
    top = 2**31 - 1
    assert written(path(2e9, "int32"), 0, 2e9, 4e9) == (True, [0, 2_000_000_000, top])
    assert written(path(2e9, "int64"), 0, 2e9, 4e9) == (False, [0, 2_000_000_000, 4_000_000_000])
    assert written(path(1e308, "float64"), 0, 1e308, np.inf) == (True, [0, 1e308, np.inf])
    assert written(path(1.5, "float32"), 0, 1.5, np.inf) == (False, [0, 1.5, np.inf])
    graph = path(2e9, "int32")
    with pytest.raises(DistanceRangeError, match=r"edge 2 -> 3 .* passes 2\^31 - 1"):
        judge_range(graph, np.array([0, 2_000_000_000, top], np.int32))


def test_what_float64_does_not_count_exactly_is_refused() -> None:
    assert written(path(2**52 - 1, "int64"), 0, 2**52 - 1, 2**53 - 2)[1][2] == 2**53 - 2
    with pytest.raises(
        EngineError, match=r"exactly to 2\^53; the distance of 3 is about 9.0072e\+15"
    ):
        written(path(2**52, "int64"), 0, 2**52, 2**53)


def test_level_2_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_is_installed", lambda module: True)
    assert ALGORITHMS["cugraph"].problem("cuda") is None
    with pytest.raises(ParameterError, match="levels 0 and 1 are allowed"):
        gpu.run(random_graph(1), "cugraph", "cuda", probe=2)
