"""Layouts are finite and put near vertices near each other; `places.json` has each as it is."""

import networkx as nx
import numpy as np
import pytest

from gpu.errors import CancelledByUserError, ParameterError
from gpu.graph import INT_UNREACHED, CSRGraph
from gpu.placement.placements import WIDTH, layout, provisional
from gpu.placement.small import MOST as SMALL, auto_kind
from gpu.proof.verify import oracle_distances
from sample_graphs import make


def graph_of(pairs: list[tuple[int, int]], n: int) -> CSRGraph:
    ends = np.array(pairs, np.int64).reshape(-1, 2)
    return CSRGraph.from_arcs(ends[:, 0], ends[:, 1], np.ones(len(ends), np.int32), n)


def order_kept(graph: CSRGraph, points: np.ndarray) -> float:
    """Return the correlation of distances on the screen and hops, over some vertices."""
    chosen = np.random.default_rng(3).choice(graph.n, 12, replace=False)
    unit = CSRGraph(graph.indptr, graph.indices, np.ones(graph.m, np.int32))
    hops = [oracle_distances(unit, int(vertex)) for vertex in chosen]
    off = [np.hypot(*(points - points[vertex]).T) for vertex in chosen]
    return float(np.corrcoef(np.concatenate(hops), np.concatenate(off))[0, 1])


def check_points(points: np.ndarray, n: int) -> None:
    assert points.shape == (n, 2)
    assert points.dtype == np.float32
    assert np.isfinite(points).all()


@pytest.mark.parametrize("kind", ["pivot_mds", "kamada_kawai", "spring"])
def test_grid_comes_out_as_a_grid(kind: str) -> None:
    graph = make("grid", n=900 if kind == "pivot_mds" else 100)
    points = layout(graph, kind)
    check_points(points, graph.n)
    assert order_kept(graph, points) > 0.9
    extent = np.ptp(points, axis=0)
    assert extent[0] == pytest.approx(WIDTH)
    assert extent[1] <= extent[0] * 1.001


@pytest.mark.parametrize(
    ("key", "disc"),
    [("figure_1", 0.08), ("figure_6", 0.06), ("petersen", 0.09), ("karate_club", 0.04)],
)
def test_no_edge_passes_behind_a_third_disc(key: str, disc: float) -> None:
    graph = make(key)
    points = layout(graph) if graph.positions is None else graph.positions
    size = np.ptp(points, axis=0).max()
    for arc, head in enumerate(graph.indices):
        tail = graph.tail_of(arc)
        along = points[head] - points[tail]
        off = np.delete(points, [tail, head], axis=0) - points[tail]
        share = np.clip(off @ along / (along @ along), 0, 1)
        gaps = np.hypot(*(off - share[:, None] * along).T)
        assert gaps.min() > disc * size


def test_refining_does_not_turn_the_picture_over() -> None:
    graph = make("city_roads", n=5000)
    before, after = provisional(graph), layout(graph, "pivot_mds")
    for axis in (0, 1):
        assert np.corrcoef(before[:, axis], after[:, axis])[0, 1] > 0.9


@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("joined", [False, True])
def test_tiny_graphs(n: int, joined: bool) -> None:
    graph = graph_of([(i, i + 1) for i in range(n - 1)] if joined else [], n)
    dist = np.where(np.arange(n) == 0, 0, INT_UNREACHED).astype(np.int32)
    check_points(provisional(graph), n)
    for kind in ("auto", "pivot_mds", *SMALL, "lanes", "rings"):
        points = layout(graph, kind, dist=dist)
        check_points(points, n)
        if kind != "lanes" and kind != "rings":
            assert len(np.unique(points, axis=0)) == n


def test_other_components_lie_below() -> None:
    pairs = [(i, i + 1) for i in range(59)] + [(60 + i, 61 + i) for i in range(19)]
    graph = graph_of(pairs, 100)
    for kind in ("pivot_mds", *SMALL):
        points = layout(graph, kind)
        check_points(points, 100)
        main, second, dots = points[:60], points[60:80], points[80:]
        assert main[:, 1].min() > second[:, 1].max()
        assert second[:, 1].min() > dots[:, 1].max()
        assert len(np.unique(dots, axis=0)) == 20


@pytest.mark.parametrize("delta", [None, 40.0])
def test_lanes_are_buckets(delta: float | None) -> None:
    graph = make("grid", n=400)
    dist = oracle_distances(graph, 0).astype(np.int32)
    points = layout(graph.with_positions(None), "lanes", dist=dist, delta=delta)
    check_points(points, graph.n)
    width = delta or dist.max() / 31.5
    bucket = np.floor(dist / width)
    lanes = np.unique(points[:, 0])
    assert len(lanes) == len(np.unique(bucket))
    assert (np.diff(points[np.argsort(bucket, kind="stable"), 0]) >= 0).all()


def test_progress_and_stop() -> None:
    graph = make("grid", n=2500)
    seen: list[float] = []
    layout(graph, "pivot_mds", progress=lambda fraction, words: seen.append(fraction))
    assert len(seen) > 20
    assert seen == sorted(seen)
    assert 0 <= seen[0] <= seen[-1] <= 1
    with pytest.raises(CancelledByUserError):
        layout(graph, "pivot_mds", should_stop=lambda: True)
    with pytest.raises(CancelledByUserError):
        layout(make("grid", n=100), "spring", should_stop=lambda: True)


@pytest.mark.parametrize("kind", SMALL)
def test_some_layouts_are_for_small_graphs(kind: str) -> None:
    most = SMALL[kind]
    with pytest.raises(ParameterError, match=f"up to {most} and .*; use pivot_mds"):
        layout(graph_of([(i, i + 1) for i in range(most)], most + 1), kind)
    assert auto_kind(make("grid", n=49)) == "kamada_kawai"
    assert auto_kind(make("grid", n=10_000)) == "spring"
    assert auto_kind(make("grid", n=10_201)) == "pivot_mds"


def test_forces_draw_every_vertex_of_a_crowded_graph_apart() -> None:
    edges = nx.powerlaw_cluster_graph(1_500, 12, 0.6, seed=1).edges
    graph = graph_of(list(edges), 1_500)
    places = layout(graph, "auto").round(-1)
    assert len(np.unique(places, axis=0)) > 0.98 * graph.n
    shares: list[float] = []
    layout(graph, progress=lambda share, _words: shares.append(share))
    assert shares == sorted(shares)
