"""Number types: what a graph becomes in each, when a distance does not fit, what `auto` does."""

import numpy as np
import pytest

import gpu
from gpu.algorithms import ALGORITHMS
from gpu.cuda.device import why_not
from gpu.errors import DistanceRangeError
from gpu.graph import CSRGraph
from gpu.numbers import in_numbers, judge_range, type_for
from gpu.proof.verify import verify

TOP32, TOP64 = 2**31 - 1, 2**63 - 1
ON_A_GPU = [pytest.mark.gpu, pytest.mark.skipif(bool(why_not()), reason=str(why_not()))]
ENGINES = [
    pytest.param(key, engine, marks=ON_A_GPU if engine == "cuda" else [])
    for key, row in ALGORITHMS.items()
    for engine in row.engines
    if not row.needs
]


def graph_of(arcs: list[tuple[int, int, float]], kind: str, n: int = 3) -> CSRGraph:
    tails, heads = (np.array([arc[end] for arc in arcs], np.int64) for end in (0, 1))
    weights = np.array([arc[2] for arc in arcs], kind)
    return CSRGraph.from_arcs(tails, heads, weights, n)


def distances(graph: CSRGraph, key: str, engine: str, numbers: str = "auto") -> np.ndarray:
    parameters = {"sources": 1} if ALGORITHMS[key].result == "matrix" else {}
    dist = gpu.run(graph, key, engine, numbers=numbers, parameters=parameters).dist
    return dist[0] if dist.ndim == 2 else dist


@pytest.mark.parametrize(
    ("held", "asked", "run"),
    [
        *(("int32", "auto", "int32"), ("int64", "auto", "int64")),
        *(("float32", "auto", "float64"), ("float64", "auto", "float64")),
        *(("int32", "float32", "float32"), ("float64", "float32", "float32")),
        ("int32", "auto-int64", "int64"),
    ],
)
def test_the_type_of_a_run(held: str, asked: str, run: str) -> None:
    graph = graph_of([(0, 1, 2)], held)
    assert type_for(graph, asked) == run
    cast = in_numbers(graph, asked)
    assert cast.weights.dtype == run
    assert (cast is graph) == (held == run)
    assert in_numbers(graph, asked) is cast  # kept for the next run


def test_a_wider_type_is_the_same_graph() -> None:
    whole, real = graph_of([(0, 1, 7)], "int32"), graph_of([(0, 1, 0.1)], "float32")
    assert in_numbers(whole, "int64").hash == whole.hash
    assert in_numbers(real, "float64").hash == real.hash
    assert graph_of([(0, 1, 0.1)], "float64").hash != real.hash
    assert graph_of([(0, 1, 7)], "float64").hash != whole.hash


@pytest.mark.parametrize(("key", "engine"), ENGINES)
def test_a_tentative_distance_is_not_judged_as_if_it_were_final(key: str, engine: str) -> None:
    for top, kind in ((TOP32, "int32"), (TOP64, "int64")):
        graph = graph_of([(0, 1, top), (0, 2, 1), (2, 1, 1)], kind)
        assert distances(graph, key, engine, kind).tolist() == [0, 2, 1]
    big = float(np.finfo(np.float64).max)
    late = graph_of([(0, 1, big), (1, 2, big), (0, 3, 1), (3, 2, 1)], "float64", 4)
    assert distances(late, key, engine).tolist() == [0, big, 2, 1]


@pytest.mark.parametrize(("key", "engine"), ENGINES)
def test_auto_widens_and_says_so(key: str, engine: str) -> None:
    graph = graph_of([(0, 1, TOP32), (1, 2, 1)], "int32")
    with pytest.raises(DistanceRangeError, match=r"edge 0 -> 1 .*passes 2\^31 - 1; use --numbers"):
        distances(graph, key, engine, "int32")
    parameters = {"sources": 1} if ALGORITHMS[key].result == "matrix" else {}
    trace = gpu.run(graph, key, engine, parameters=parameters)
    assert trace.dist.dtype == np.int64
    assert trace.dist.ravel().tolist() == [0, TOP32, TOP32 + 1]
    assert trace.settings.numbers == "auto-int64"
    assert verify(graph, 0, trace.dist).passed
    wide = graph_of([(0, 1, TOP64), (1, 2, 1)], "int64")
    with pytest.raises(DistanceRangeError, match=r"passes 2\^63 - 1; scale the weights down"):
        distances(wide, key, engine)


def test_a_stopped_run_is_not_judged() -> None:
    graph = graph_of([(0, 1, TOP32), (1, 2, 1)], "int32")
    assert gpu.run(graph, should_stop=lambda: True).outcome == "stopped"


def test_a_range_is_judged_in_every_row() -> None:
    n = 50
    graph = graph_of([(v, v + 1, 1) for v in range(n - 1)], "int32", n)
    dist = np.arange(n, dtype=np.int32)
    judge_range(graph, dist)
    judge_range(graph, np.tile(dist, (2, 1)))
    dist[41:] = TOP32
    with pytest.raises(DistanceRangeError, match="edge 40 -> 41 "):
        judge_range(graph, dist)
    with pytest.raises(DistanceRangeError, match="edge 40 -> 41 "):
        judge_range(graph, np.array([np.arange(n), dist], np.int32))


@pytest.mark.parametrize(("numbers", "within"), [("float32", "7.2e-05"), ("float64", "2.7e-13")])
def test_a_long_path_of_decimals_is_proved_within_what_its_type_can_do(
    numbers: str, within: str
) -> None:
    n = 1201
    graph = graph_of([(v, v + 1, 0.1) for v in range(n - 1)], "float64", n)
    dist = gpu.run(graph, "near_far", numbers=numbers).dist
    proof = verify(graph, 0, dist)
    assert proof.passed
    assert f"within {within}, the rounding of {numbers} over 1,200 edges" in proof.detail
    for wrong in (dist * (1 + 3e-4), dist * (1 - 3e-4)):
        assert not verify(graph, 0, wrong.astype(dist.dtype)).passed


def test_whole_distances_past_what_float64_holds_are_proved_exactly() -> None:
    graph = graph_of([(0, 1, 2**60 + 1), (1, 2, 2**60 + 1)], "int64")
    dist = gpu.run(graph, "dijkstra").dist
    assert dist.tolist() == [0, 2**60 + 1, 2**61 + 2]
    assert verify(graph, 0, dist).passed
    off = dist.copy()
    off[2] -= 1
    assert verify(graph, 0, off).certificate is False
