"""The graph view on odd graphs, sizes and themes, while it draws, and when it is closed."""

import threading
from itertools import combinations

import numpy as np
import pytest
from graph_stage import SIDE, Stage, grid_graph
from PyQt6.QtCore import QPointF
from PyQt6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot
from screen import grabbed

from gpu.graph import CSRGraph
from sample_graphs import open_sample
from viewer.common.theme import THEMES
from viewer.graph.items import ItemPainter, Names
from viewer.graph.scene import Placed, cut_scene, radius_of
from viewer.raster import raster


@pytest.mark.parametrize(
    "positions",
    [
        np.zeros((0, 2)),
        np.zeros((1, 2)),
        np.ones((7, 2)),
        np.array([[0, 0], [1, 0], [2, 0]]),
        np.array([[np.nan, 0], [1, 1]]),
    ],
)
def test_odd_graphs_are_painted(positions: np.ndarray, qtbot: QtBot) -> None:
    n = len(positions)
    loops = np.arange(n)
    graph = CSRGraph.from_arcs(
        loops, np.roll(loops, 1), np.ones(n, np.int32), n, positions=positions.astype(np.float32)
    )
    stage = Stage(qtbot, graph)
    if n:
        stage.run(np.zeros(n, np.int32))
        stage.view.trace_path(0)
        stage.view._tracer.wait()
    for size in ((1, 1), (0, 0), (97, 300), (400, 80), (300, 300)):
        stage.view.resize(*size)
        stage.settle()
        stage.view.zoom(3)
        stage.view.pan(10, 10)
        stage.settle()
        stage.view.fit()
        stage.settle()
    assert grabbed(stage.view).width() == 300


def test_parallel_arcs_bend_apart_and_streets_do_not() -> None:
    arcs = np.array([[0, 1], [1, 0], [1, 2], [1, 2], [2, 1], [2, 2]])
    weights = np.array([4, 4, 1, 2, 3, 5], np.int32)
    places = np.array([[0, 0], [1, 0], [2, 0]], np.float32)
    graph = CSRGraph.from_arcs(arcs[:, 0], arcs[:, 1], weights, 3, positions=places)
    scene = cut_scene(graph, places, raster.View(100, 1, 0, 400, 300))
    assert scene.directed
    street, *rest = scene.arcs
    assert street.both_ways
    assert street.bend == 0
    sides = {arc.weight: arc.bend * (1 if arc.tail == 1 else -1) for arc in rest[:3]}
    assert len(set(sides.values())) == 3
    assert sum(sides.values()) == pytest.approx(0)
    assert (rest[3].tail, rest[3].head) == (2, 2)


def test_a_small_graph_on_half_a_screen_keeps_its_names() -> None:
    graph = open_sample("sample:figure_6")
    for width, named in ((420, True), (120, False)):
        bounds = *graph.positions.min(axis=0).tolist(), *graph.positions.max(axis=0).tolist()
        view = raster.Extent(bounds).fitted(width, 600)
        scene = cut_scene(graph, graph.positions, view)
        assert scene.item_wise is named


def test_discs_do_not_cover_one_another() -> None:
    places = np.array([[0, 0], [0.1, 0], [1, 1]], np.float32)
    graph = CSRGraph.from_arcs(np.array([0, 1]), np.array([2, 2]), np.ones(2), 3, positions=places)
    scene = cut_scene(graph, places, raster.View(250, 0.5, 0.5, 400, 400))
    assert 10 < radius_of(Placed(scene, scene.view)) < 12.5


TOWNS = [[65, 120], [0, 0], [83, 32], [145, -70], [205, 33], [288, 0], [224, 150]]
ROADS = [[0, 0, 2, 2, 2, 1, 3, 3, 4, 4, 5, 6], [1, 2, 1, 4, 3, 3, 4, 5, 5, 6, 6, 0]]


@pytest.mark.parametrize("up", [1, -1])
def test_a_distance_stands_at_its_disc_where_no_arc_is(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, up: int
) -> None:
    places, weights = np.array(TOWNS, np.float32) * [1, up], np.arange(1, 13)
    stage = Stage(qtbot, CSRGraph.from_arcs(*np.array(ROADS), weights, 7, positions=places))
    stage.view.resize(400, 400)
    stage.run(np.arange(7, dtype=np.int32))
    stage.settle()
    sheet = stage.view.picture.sheet
    placed = Placed(sheet.scene, stage.view.camera)
    picture = QImage(400, 400, QImage.Format.Format_ARGB32)
    painter = QPainter(picture)
    items = ItemPainter(painter, THEMES["light"], placed, radius_of(placed))
    inked = np.concatenate([items._lines, items._weights[1][:, :2]])
    for spot in items._weights[0].values():
        assert not (np.abs(items._lines - spot) < 6).all(axis=1).any()
    for vertex in range(7):
        place = items.free_place(vertex, "10")
        away = np.abs(inked - np.array([place.x(), place.y()]))
        assert not ((away[:, 0] < 8) & (away[:, 1] < 8)).any()
        assert np.argmin(np.hypot(*(placed.discs - [place.x(), place.y()]).T)) == vertex
        assert 0 < place.x() < 400
        assert 0 < place.y() < 400
    spots: list[QPointF] = []
    monkeypatch.setattr(items, "_paint_words", lambda at, *_: spots.append(at))
    items.paint_above({}, Names({}, dict.fromkeys(range(7), "10")))
    painter.end()
    for a, b in combinations(spots, 2):  # two side by side read as one
        assert abs(a.y() - b.y()) > 10 or abs(a.x() - b.x()) > 50


def test_a_name_without_room_keeps_its_beginning_and_a_number_its_end(qtbot: QtBot) -> None:
    said: list[str] = []

    class Painter(QPainter):
        def drawText(self, *words: object) -> None:
            said.append(str(words[-1]))

    places = np.array([[0, 0], [1, 0], [2, 0], [3, 0]], np.float32)
    scene = cut_scene(
        CSRGraph.from_arcs(np.array([0]), np.array([3]), np.ones(1), 4, positions=places),
        places,
        raster.View(60, 1, 0, 400, 300),
    )
    picture = QImage(400, 300, QImage.Format.Format_ARGB32)
    painter = Painter(picture)
    names = dict(enumerate(("Amsterdam", "Arnhem", "1234567890", "S")))
    items = ItemPainter(painter, THEMES["light"], Placed(scene, scene.view), 14.0)
    items.paint_above(dict.fromkeys(range(4), QColor("white")), Names(names, {}))
    painter.end()
    amsterdam, arnhem, number, short = said
    assert amsterdam[:3] + arnhem[:2] + short == "AmsArS"
    assert amsterdam[-1] == "."
    assert number[-1] == "0"


def _ink(stage: Stage) -> float:
    """Share of the picture that is not background."""
    image = grabbed(stage.view)
    paper = image.pixel(2, 2)
    places = [(x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)]
    return sum(image.pixel(x, y) != paper for x, y in places) / len(places)


def test_an_old_picture_moves_at_once(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    raster.load_kernels()
    stage = Stage(qtbot, grid_graph())
    gate = threading.Event()
    real = raster.bin_graph

    def slow(*arguments: object) -> raster.PixelMap:
        gate.wait(10)
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(raster, "bin_graph", slow)
    monkeypatch.setattr("viewer.graph.picture.AT_ONCE", 0)
    stage.view.pan(50, 30)
    stage.view.repaint()  # does not wait
    assert stage.view.picture.busy
    assert stage.colour_at(10 * SIDE + 10) == stage.table_colour("plain", 0)
    place = stage.place(77)
    assert stage.view.vertex_at(place.x(), place.y()) == 77
    gate.set()
    stage.settle()
    sheet = stage.view.picture.sheet
    assert sheet.camera == stage.view.camera


def test_a_sketch_is_shown_until_the_kernels_are_there(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(raster, "kernels", lambda: None)
        patch.setattr(raster, "load_kernels", lambda: None)
        stage = Stage(qtbot, grid_graph())
        sheet = stage.view.picture.sheet
        assert not sheet.compiled
        assert stage.view.drawn_text() == "900 of 900 vertices visible, edges not drawn"
        assert _ink(stage) > 0.001
    raster.load_kernels()  # as another picture does
    stage.view.picture.load_kernels()
    stage.settle()
    sheet = stage.view.picture.sheet
    assert sheet.compiled
