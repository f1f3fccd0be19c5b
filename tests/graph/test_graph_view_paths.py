"""Shortest paths in the graph view, recovered from distances."""

import numpy as np
import pytest
from graph_stage import SIDE, Stage, grid_dist, grid_graph
from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gpu.graph import INT_UNREACHED, CSRGraph
from gpu.proof.verify import oracle_distances
from viewer.graph.path import Path, parents_of, path_to


@pytest.fixture
def streets(qtbot: QtBot) -> Stage:
    return Stage(qtbot, grid_graph())


def test_shift_click_shows_a_shortest_path(streets: Stage, qtbot: QtBot) -> None:
    graph = grid_graph()
    streets.run(grid_dist(graph))
    target = 5 * SIDE + 9
    with qtbot.waitSignal(streets.view.path_changed) as shown:
        qtbot.mouseClick(
            streets.view,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.ShiftModifier,
            streets.place(target),
        )
    path = shown.args[0]
    assert path.vertices[0] == 0
    assert path.vertices[-1] == target
    assert len(path.vertices) == 15
    assert path.length == 70
    streets.view.repaint()
    with qtbot.waitSignal(streets.view.path_changed):
        qtbot.keyClick(streets.view, Qt.Key.Key_Escape)
    assert streets.view.path is None


def follow(graph: CSRGraph, dist: np.ndarray, source: int, target: int) -> Path | None:
    return path_to(parents_of(graph, dist, source), dist, source, target)


def test_paths_survive_zero_weights_and_cycles() -> None:
    arcs = np.array([[0, 1], [1, 2], [2, 1], [2, 3], [3, 2], [0, 4], [4, 4]])
    weights = np.array([3, 0, 0, 0, 0, 9, 0], np.int32)
    graph = CSRGraph.from_arcs(arcs[:, 0], arcs[:, 1], weights, 6)
    dist = np.array([0, 3, 3, 3, 9, INT_UNREACHED], np.int32)
    found = follow(graph, dist, 0, 3)
    assert found.vertices.tolist() == [0, 1, 2, 3]
    assert follow(graph, dist, 0, 5) is None
    only = follow(graph, dist, 0, 0)
    assert only.vertices.tolist() == [0]


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
def test_paths_have_the_length_of_the_distance(dtype: type) -> None:
    rng = np.random.default_rng(4)
    tails, heads = rng.integers(0, 80, (2, 400))
    _, first = np.unique(tails * 80 + heads, return_index=True)
    tails, heads = tails[first], heads[first]
    weights = rng.integers(1, 9, len(tails)).astype(dtype)
    graph = CSRGraph.from_arcs(tails, heads, weights, 80)
    dist = oracle_distances(graph, 0)
    reached = np.isfinite(dist)
    far = INT_UNREACHED if dtype is np.int32 else np.inf
    exact = np.where(reached, dist, far).astype(dtype)
    weight = {(t, h): w for t, h, w in zip(tails, heads, weights, strict=True)}
    for target in np.flatnonzero(reached):
        found = follow(graph, exact, 0, int(target))
        steps = zip(found.vertices[:-1], found.vertices[1:], strict=True)
        assert sum(weight[step] for step in steps) == exact[target] == found.length
