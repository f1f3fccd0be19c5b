"""Both proofs accept right distances and catch every kind of wrong one."""

import heapq
import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st

from gpu.errors import CancelledByUserError, SourceError
from gpu.graph import INT_UNREACHED, CSRGraph
from gpu.proof.verify import HALF, certificate, oracle_distances, rounding_of, verify
from sample_graphs import make, suggested_source

SAMPLES = ["city_roads", "grid", "mesh", "rmat", "figure_1", "figure_6"]


def graph_of(arcs: list[tuple[int, int, float]], n: int, dtype: type = np.int32) -> CSRGraph:
    table = np.array(arcs, float).reshape(-1, 3)
    ends = table[:, :2].astype(np.int64)
    return CSRGraph.from_arcs(ends[:, 0], ends[:, 1], table[:, 2].astype(dtype), n)


def plain_dijkstra(graph: CSRGraph, source: int) -> np.ndarray:
    """Return distances of the weights' dtype, by a heap and float32 or integer sums."""
    whole = graph.integer
    dist = np.full(graph.n, INT_UNREACHED if whole else np.inf, graph.weights.dtype)
    dist[source] = 0
    heap = [(dist[source], source)]
    while heap:
        near, u = heapq.heappop(heap)
        if near > dist[u]:
            continue
        for arc in range(graph.indptr[u], graph.indptr[u + 1]):
            v, reach = graph.indices[arc], near + graph.weights[arc]
            if reach < dist[v]:
                dist[v] = reach
                heapq.heappush(heap, (reach, v))
    return dist


@pytest.fixture(scope="module", params=["int", "float"])
def city(request: pytest.FixtureRequest) -> tuple[CSRGraph, int, np.ndarray]:
    graph = make("city_roads", n=1500, weights=request.param)
    source = suggested_source(graph)
    return graph, source, plain_dijkstra(graph, source)


@pytest.mark.parametrize("weights", ["int", "float"])
@pytest.mark.parametrize("key", SAMPLES)
def test_right_distances_pass(key: str, weights: str) -> None:
    graph = make(key, n=None if key.startswith("figure") else 1000, weights=weights)
    result = verify(graph, 0, plain_dijkstra(graph, 0))
    assert result.passed, result.detail
    assert (result.oracle, result.certificate) == (True, True)
    assert "Dijkstra" in result.detail
    assert "no edge can shorten any distance" in result.detail


def both_fail(graph: CSRGraph, source: int, dist: np.ndarray) -> str:
    result = verify(graph, source, dist)
    assert (result.oracle, result.certificate) == (False, False), result.detail
    return result.detail


@pytest.mark.parametrize("change", [-1, 1])
def test_too_near_or_too_far(city: tuple[CSRGraph, int, np.ndarray], change: int) -> None:
    graph, source, dist = city
    order = np.argsort(dist, kind="stable")
    for vertex in (order[1], order[len(order) // 2], order[-1]):
        wrong = dist.copy()
        wrong[vertex] += change if graph.integer else np.float32(change * 1e-3) * wrong[vertex]
        words = both_fail(graph, source, wrong)
        assert str(vertex) in words


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
def test_unreachable_marked_reached(dtype: type) -> None:
    graph = graph_of([(0, 1, 3), (2, 1, 1)], 3, dtype)
    wrong = np.array([0, 3, 7], dtype)
    assert "no path from the source has that length" in both_fail(graph, 0, wrong)


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
def test_a_circle_of_zero_weights_holds_nothing_up(dtype: type) -> None:
    graph = graph_of([(0, 1, 5), (2, 3, 0), (3, 2, 0), (1, 1, 0)], 4, dtype)
    wrong = np.array([0, 5, 4, 4], dtype)
    assert "vertex 2" in both_fail(graph, 0, wrong)
    hung = graph_of([(0, 1, 5), (1, 2, 4), (2, 3, 0), (3, 2, 0)], 4, dtype)
    too_near = np.array([0, 5, 6, 6], dtype)
    assert "vertex 2" in both_fail(hung, 0, too_near)


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
def test_an_arc_that_can_be_relaxed_by_one_where_all_hang_on_tight_arcs(dtype: type) -> None:
    """Vertex 1 hangs on 2 by a tight arc, and the arc from the source is shorter by one.

    0 --3--> 1 <--2-- 2 <--2-- 0
    """
    graph = graph_of([(0, 1, 3), (0, 2, 2), (2, 1, 2)], 3, dtype)
    assert verify(graph, 0, np.array([0, 3, 2], dtype)).passed
    fault = certificate(graph, 0, np.array([0, 4, 2], dtype))
    if dtype is np.int32:
        assert fault == "edge 0 -> 1 shortens a distance: 0 has 0, the edge 3, but 1 has 4"
    assert "1 has 4" in both_fail(graph, 0, np.array([0, 4, 2], dtype))


@pytest.mark.parametrize("bad", [np.nan, -1.0])
def test_nan_and_negative(bad: float) -> None:
    graph = graph_of([(0, 1, 1)], 2, np.float32)
    assert "vertex 1" in both_fail(graph, 0, np.array([0, bad], np.float32))


def test_wrong_shape_or_dtype_is_a_result_too() -> None:
    graph = graph_of([(0, 1, 1)], 2)
    assert "2 vertices" in both_fail(graph, 0, np.zeros(3, np.int32))
    assert "float16" in both_fail(graph, 0, np.zeros(2, np.float16))
    for dtype in (np.int64, np.float32, np.float64):  # Numbers chosen for whole weights
        assert verify(graph, 0, np.array([0, 1], dtype)).passed
    assert verify(graph_of([(0, 1, 1)], 2, np.float64), 0, np.array([0, 1], np.int32)).passed


def test_words_name_vertices_as_the_file_does() -> None:
    graph = make("figure_1")
    assert "B -> A shortens a distance" in str(certificate(graph, 0, np.array([0, 10, 1], "i4")))


def test_float_rounding_is_no_fault() -> None:
    rng = np.random.default_rng(5)
    weights = rng.random(5000, np.float32) * np.float32(0.1)
    chain = [(i, i + 1, w) for i, w in enumerate(weights)]
    chain += [(i + 1, i, w) for i, w in enumerate(weights)]
    graph = graph_of(chain, 5001, np.float32)
    true = oracle_distances(graph, 0)
    rounded_once = true.astype(np.float32)
    summed = plain_dijkstra(graph, 0)
    assert (rounded_once != summed).sum() > 100
    for dist in (rounded_once, summed):
        result = verify(graph, 0, dist)
        assert result.passed, result.detail
    assert "within 3.0e-04, the rounding of float32 over 5,000 edges" in result.detail
    for share in (1 - 2e-5, 1 + 2e-5):
        assert "Dijkstra's is" in both_fail(graph, 0, (true * share).astype(np.float32))


def test_errors_that_add_up_are_found() -> None:
    count = 2000
    graph = graph_of([(i, i + 1, 1.0) for i in range(count)], count + 1, np.float32)
    creeping = np.arange(count + 1, dtype=np.float64)
    creeping[1:] += np.arange(count) * 1e-4
    assert "Dijkstra's is" in both_fail(graph, 0, creeping.astype(np.float32))


def test_a_way_that_only_rounding_calls_shortest_gives_way_to_the_shorter_one() -> None:
    """v -> next, and the shorter v -> x -> next, which is found when next was looked at already."""
    half, layers = float(np.float32(0.05)), 400
    true = np.concatenate([np.arange(layers + 1) * 2 * half, np.arange(layers) * 2 * half + half])
    arcs: list[tuple[int, int, float]] = []
    for v in range(layers):
        x = layers + 1 + v
        detour = 2 * half + 3.5 * 2.0**-24 * true[v + 1]  # within 4 roundings of the distance
        arcs += [(v, v + 1, detour), (v, x, half), (x, v + 1, half)]
    graph = graph_of(arcs, len(true), np.float32)
    result = verify(graph, 0, true.astype(np.float32))
    assert result.passed, result.detail


def test_oracle_keeps_the_lightest_of_parallel_arcs_and_zero_weights() -> None:
    arcs = [(0, 1, 9), (0, 1, 2), (0, 1, 4), (1, 2, 0), (2, 2, 3), (2, 3, 5), (0, 3, 0), (3, 0, 0)]
    distances = oracle_distances(graph_of(arcs, 5), 0)
    assert distances.tolist() == [0, 2, 2, 0, np.inf]


def test_graph_without_arcs() -> None:
    graph = graph_of([], 2)
    assert verify(graph, 1, np.array([INT_UNREACHED, 0], np.int32)).passed


def test_source_out_of_range_and_cancel() -> None:
    graph = graph_of([(0, 1, 1)], 2)
    with pytest.raises(SourceError, match="indices are 0 to 1"):
        verify(graph, 2, np.zeros(2, np.int32))
    with pytest.raises(CancelledByUserError):
        verify(graph, 0, np.array([0, 1], np.int32), should_stop=lambda: True)


def test_a_large_graph_is_proved_by_the_certificate_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graph_of([(0, 1, 3), (1, 2, 2)], 3)
    monkeypatch.setattr("gpu.proof.verify.ORACLE_SIZE", 4)
    for distances, right in (([0, 3, 5], True), ([0, 3, 4], False)):
        alone = verify(graph, 0, np.array(distances, np.int32))
        assert (alone.oracle, alone.certificate, alone.passed) == (None, right, right)
        assert ("Dijkstra, slow here, was not run" in alone.detail) == right
        assert verify(graph, 0, np.array(distances, np.int32), oracle=True).oracle is right


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_what_both_proofs_say_word_for_word(dtype: type) -> None:
    """0 --3--> 1 --2--> 2, and 3 is never reached."""
    graph = graph_of([(0, 1, 3), (1, 2, 2)], 4, dtype)
    none = np.inf if dtype in (np.float32, np.float64) else np.iinfo(dtype).max
    right = np.array([0, 3, 5, none], dtype)
    words = "every distance equals SciPy's Dijkstra, and no edge can shorten any distance"
    if none == np.inf:
        kind, within = ("float32", "3.6e-07") if dtype is np.float32 else ("float64", "1.3e-15")
        words += f", within {within}, the rounding of {kind} over 2 edges"
    assert verify(graph, 0, right).detail == words
    wrong = np.array([0, 3, none, none], dtype)
    assert both_fail(graph, 0, wrong) == (
        "certificate: edge 1 -> 2 shortens a distance: 1 has 3, the edge 2, but 2 has unreached; "
        "oracle: vertex 2 has distance unreached, Dijkstra's is 5 (1 of 4 differ)"
    )
    assert both_fail(graph, 0, np.array([0, 3, 5, 4], dtype)) == (
        "certificate: vertex 3 has distance 4, but no path from the source has that length; "
        "oracle: vertex 3 has distance 4, Dijkstra's is unreached (1 of 4 differ)"
    )
    assert str(certificate(graph, 0, np.array([1, 3, 5, none], dtype))) == (
        "source 0 has distance 1, must be 0"
    )
    assert str(certificate(graph, 0, np.zeros(3, dtype))) == (
        "distances have shape (3,), the graph has 4 vertices"
    )


def test_the_tolerance_is_half_a_unit_an_arc_and_four_to_spare() -> None:
    assert rounding_of(np.dtype(np.int64), 9) == 0.0
    assert rounding_of(np.dtype(np.float64), 6) == 10 * (2.0**-53 + HALF)
    assert rounding_of(np.dtype(np.float32), 0) == 4 * (2.0**-24 + 2.0**-53)
    one = graph_of([(0, 1, 3)], 2, np.float64)
    words = verify(one, 0, np.array([0.0, 3.0]), stored=1e-3).detail
    assert words.endswith(
        "within 1.0e-03, the rounding of float64 over 1 edge and of the file's digits"
    )
    for off, proofs in (
        (0.9e-3, (True, True)),
        (1.1e-3, (False, True)),  # both ends of an arc may be off: tight within twice as much
        (2.1e-3, (False, False)),
        (-0.9e-3, (True, True)),
        (-1.1e-3, (False, False)),
    ):
        found = verify(one, 0, np.array([0.0, 3.0 * (1 + off)]), stored=1e-3)
        assert (found.oracle, found.certificate) == proofs


ARCS = st.integers(0, 1).flatmap(
    lambda least: st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(least, 5)), max_size=25
    )
)


@given(ARCS, st.integers(0, 6), st.integers(-3, 3), st.booleans(), st.booleans())
def test_proofs_agree_with_each_other(
    arcs: list[tuple[int, int, float]], vertex: int, change: int, whole: bool, plain: bool
) -> None:
    graph = graph_of(arcs, 7, np.int32 if whole else np.float32)
    dist = plain_dijkstra(graph, 0)
    reached = dist[vertex] != (INT_UNREACHED if whole else np.inf)
    dist[vertex] = dist[vertex] + change if reached else abs(change)
    right = reached and change == 0
    with pytest.MonkeyPatch.context() as patch:
        if plain:  # as if nothing compiled were loaded: NumPy proves what is positive
            patch.delitem(sys.modules, "gpu.proof.walks", raising=False)
            patch.setattr("gpu.proof.verify.PIECE_ARCS", 3)  # in pieces, on threads
        result = verify(graph, 0, dist)
    assert (result.oracle, result.certificate) == (right, right), result.detail
