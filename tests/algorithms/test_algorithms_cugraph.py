"""The optional engine cuGraph: refused in one sentence, wired rightly where it is there."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from test_algorithms import assert_equal, oracle, random_graph

import gpu
from gpu.algorithms import ALGORITHMS, registry
from gpu.algorithms.cugraph import INSTALL
from gpu.cuda import cugraph
from gpu.errors import DistanceRangeError, EngineError, ParameterError
from gpu.graph import CSRGraph
from gpu.numbers import NUMBER_TYPES, judge_range


class FakeLibrary:
    """pylibcugraph's five names, answered by SciPy; vertices come back in another order."""

    ResourceHandle = SimpleNamespace

    def GraphProperties(self, *, is_symmetric: bool, is_multigraph: bool) -> tuple[bool, bool]:
        return is_symmetric, is_multigraph

    def SGGraph(self, handle: Any, properties: Any, *arrays: np.ndarray, **options: Any) -> Any:
        assert properties == (False, True)
        assert not options["store_transposed"]
        return arrays

    def sssp(self, handle: Any, graph: Any, source: int, *rest: Any) -> tuple[np.ndarray, ...]:
        tails, heads, weights = graph
        n = int(max(tails.max(), heads.max())) + 1
        dist = oracle(CSRGraph.from_arcs(tails, heads, weights.astype(np.float32), n), source)
        order = np.unique(np.r_[tails, heads])[::-1]  # vertices without arcs are left out
        top = np.finfo(weights.dtype).max
        return order, np.where(np.isinf(dist[order]), top, dist[order]), order


FAKE_CUPY = SimpleNamespace(
    asarray=np.asarray,
    asnumpy=np.asarray,
    cuda=SimpleNamespace(runtime=SimpleNamespace(deviceSynchronize=lambda: None)),
)


def test_without_the_library_it_is_one_sentence_with_the_pip_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "_is_installed", lambda module: module != "pylibcugraph")
    with pytest.raises(EngineError) as refused:
        gpu.run(random_graph(1), "cugraph", "cuda")
    words = str(refused.value)
    assert words == f"cuGraph needs pylibcugraph, which is not installed: {INSTALL}"
    assert "\n" not in words


@pytest.mark.parametrize("seed", range(8))
def test_distances_come_back_in_the_graphs_own_type(seed: int) -> None:
    graph = random_graph(seed)
    source = seed % graph.n
    dist, elapsed_ns = cugraph.solve(FAKE_CUPY, FakeLibrary(), graph, source)
    buffers = gpu.engine.RunBuffers.allocate(graph, 0)
    cugraph.write_distances(graph, dist, buffers.dist)
    assert_equal(graph, buffers.dist, oracle(graph, source), f"seed {seed}")
    assert elapsed_ns >= 0


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


@pytest.mark.parametrize("numbers", NUMBER_TYPES)
def test_the_library_gets_float64_for_whole_weights(numbers: str) -> None:
    dist, _ = cugraph.solve(FAKE_CUPY, FakeLibrary(), path(3, numbers), 0)
    assert dist.dtype == (numbers if numbers.startswith("float") else "float64")
    assert dist.tolist() == [0, 3, 6]


def test_level_2_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_is_installed", lambda module: True)
    assert ALGORITHMS["cugraph"].problem("cuda") is None
    with pytest.raises(ParameterError, match="levels 0 and 1 are allowed"):
        gpu.run(random_graph(1), "cugraph", "cuda", probe=2)
