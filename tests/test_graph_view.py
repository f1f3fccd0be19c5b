"""The graph view: both directions of each model, mouse, keys, paths, odd graphs."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QWheelEvent
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpu.engine import RunBuffers, graph_reference
from gpu.graph import INT_UNREACHED, CSRGraph
from gpu.trace import SAMPLE, RunSettings, Trace, VertexProbe
from viewer import raster
from viewer.models.playback import PlaybackModel
from viewer.models.session import RunRecord, SessionModel
from viewer.theme import THEMES
from viewer.widgets.graph_colours import (
    COLOUR_MODES,
    Moment,
    Scale,
    farthest,
    look_at,
    tick_values,
)
from viewer.widgets.graph_path import Path, parents_of, path_to
from viewer.widgets.graph_scene import cut_scene
from viewer.widgets.graph_view import GraphView

SIDE = 30


def grid_graph(side: int = SIDE, weight: int = 5, dtype: type = np.int32) -> CSRGraph:
    """A square street grid, both directions, vertex row * side + column."""
    steps = np.arange(side * side).reshape(side, side)
    tails = np.concatenate([steps[:, :-1].ravel(), steps[:-1].ravel()])
    heads = np.concatenate([steps[:, 1:].ravel(), steps[1:].ravel()])
    places = np.stack(np.meshgrid(np.arange(side), np.arange(side)), -1).reshape(-1, 2)
    return CSRGraph.from_arcs(
        np.concatenate([tails, heads]),
        np.concatenate([heads, tails]),
        np.full(2 * len(tails), weight, dtype),
        side * side,
        positions=places.astype(np.float32),
        id_base=1,
        name="streets",
    )


def triangle() -> CSRGraph:
    """S -> A 10, S -> B 1, B -> A 1, with names."""
    places = np.array([[0, 0], [1, 1], [2, 0]], np.float32)
    arcs = np.array([0, 0, 2]), np.array([1, 2, 1]), np.array([10, 1, 1], np.int32)
    return CSRGraph.from_arcs(*arcs, 3, positions=places, ids=np.array(["S", "A", "B"]))


def grid_dist(graph: CSRGraph, weight: int = 5) -> np.ndarray:
    assert graph.positions is not None
    return (graph.positions.sum(axis=1) * weight).astype(np.int32)


def make_trace(graph: CSRGraph, dist: np.ndarray, probe: int = 2) -> Trace:
    """A finished run in which distance d is first reached at 10 d and settled at 12 d ns."""
    reached = dist < INT_UNREACHED
    samples = np.zeros(11, SAMPLE)
    end = 12 * int(dist[reached].max(initial=1))
    samples["t_ns"] = np.linspace(0, end, 11)
    samples["delta"] = 10.0
    vertices = None
    if probe >= 2:
        whole = dist.astype(np.int64)
        times = (np.where(reached, whole * by, -1) for by in (10, 12))
        vertices = VertexProbe(*times, np.where(reached, 1 + whole % 3, 0).astype(np.int32))
    settings = RunSettings("adds", "model", "RTX 2080 Ti", 0, None, probe)
    reference = graph_reference(graph, 0)
    return Trace(settings, reference, samples, dist, "modelled", "finished", {}, vertices)


class Stage:
    """A view with its models, 400 x 300, shown."""

    def __init__(self, qtbot: QtBot, graph: CSRGraph | None = None) -> None:
        self.session, self.playback = SessionModel(), PlaybackModel()
        self.playback.watch(self.session)
        self.view = GraphView(self.session, self.playback)
        self.view.resize(400, 300)
        qtbot.addWidget(self.view)
        if graph is not None:
            self.session.set_graph(graph)
        self.view.show()
        qtbot.waitExposed(self.view)
        self.settle()

    def settle(self) -> None:
        self.view.flush()
        QApplication.processEvents()
        self.view.repaint()

    def run(self, dist: np.ndarray, probe: int = 2) -> RunRecord:
        assert self.session.graph is not None
        record = RunRecord.from_trace(1, make_trace(self.session.graph, dist, probe))
        self.session.add_run(record)
        self.settle()
        return record

    def place(self, vertex: int) -> QPoint:
        place = self.view.place_of(vertex)
        assert place is not None
        return place.toPoint()

    def colour_at(self, vertex: int) -> str:
        self.view.repaint()
        picture = self.view.grab().toImage()
        return picture.pixelColor(self.place(vertex)).name()

    def table_colour(self, table: str, index: int, steps: int = 255) -> str:
        from viewer import colormaps

        rows = colormaps.table_for(table, self.view._theme, steps)
        return "#" + "".join(f"{channel:02x}" for channel in rows[index])


@pytest.fixture
def streets(qtbot: QtBot) -> Stage:
    return Stage(qtbot, grid_graph())


def hide_source(stage: Stage) -> None:
    """The ring of the source would cover its colour."""
    stage.session.set_source(SIDE * SIDE - 1)


# --- colours


def test_neutral_until_there_is_a_run(streets: Stage) -> None:
    assert streets.colour_at(100) == streets.table_colour("plain", 0)
    assert streets.view.legend.legend().title == "No run yet"
    streets.run(grid_dist(grid_graph()))
    assert streets.colour_at(100) != streets.table_colour("plain", 0)
    assert "Distance from 1" in streets.view.legend.legend().title


def test_distance_honours_the_cursor(streets: Stage) -> None:
    hide_source(streets)
    streets.run(grid_dist(grid_graph()))
    vertex = 10 * SIDE + 10  # distance 100, first reached at 1000 ns
    later = streets.colour_at(vertex)
    for cursor, seen in ((999.0, False), (1000.0, True), (400.0, False), (1100.0, True)):
        streets.playback.set_cursor(cursor)
        expected = later if seen else streets.table_colour("distance", 0)
        assert streets.colour_at(vertex) == expected


def test_state_forwards_and_backwards(streets: Stage) -> None:
    streets.run(grid_dist(grid_graph()))
    streets.view.set_colour_by("state")
    vertex = 10 * SIDE + 10  # reached at 1000, settled at 1200 ns
    for cursor, state in ((0.0, 0), (1000.0, 1), (1199.0, 1), (1200.0, 2), (1100.0, 1), (5.0, 0)):
        streets.playback.set_cursor(cursor)
        assert streets.colour_at(vertex) == streets.table_colour("state", state)
    assert "modelled" in streets.view.legend.legend().title


def test_without_times_it_says_so(streets: Stage) -> None:
    streets.run(grid_dist(grid_graph()), probe=1)
    for mode in ("state", "processed", "settled_time"):
        streets.view.set_colour_by(mode)
        streets.view.repaint()
        assert "needs probe level 2" in streets.view.legend.legend().note
    streets.view.set_colour_by("distance")
    streets.playback.set_cursor(100.0)
    streets.view.repaint()
    assert "final distances" in streets.view.legend.legend().note


@pytest.mark.parametrize("mode", sorted(COLOUR_MODES))
def test_every_mode_has_a_legend_that_fits(mode: str, streets: Stage) -> None:
    streets.run(grid_dist(grid_graph()))
    streets.view.set_colour_by(mode)
    streets.settle()
    legend = streets.view.legend
    assert legend.isVisible()
    assert streets.view.rect().contains(legend.geometry())
    assert all(0 <= share <= 1 for share, _ in legend.legend().ticks)
    assert legend.accessibleDescription()


def test_colour_by_refuses_what_it_does_not_know(streets: Stage, qtbot: QtBot) -> None:
    with pytest.raises(ValueError, match="allowed: distance"):
        streets.view.set_colour_by("beauty")
    with qtbot.waitSignal(streets.view.colour_by_changed) as changed:
        streets.view.set_colour_by("bucket")
    assert changed.args == ["bucket"]
    assert streets.view.colour_by == "bucket"


def test_a_live_run_is_followed(streets: Stage, qtbot: QtBot) -> None:
    graph = streets.session.graph
    assert graph is not None
    buffers = RunBuffers.allocate(graph, 1)
    settings = RunSettings("adds", "model", "RTX 2080 Ti", 0)
    record = RunRecord(7, settings, graph_reference(graph, 0), "modelled", buffers)
    hide_source(streets)
    streets.session.add_run(record)
    vertex = 10 * SIDE + 10
    assert streets.colour_at(vertex) == streets.table_colour("distance", 0)
    buffers.dist[:] = grid_dist(graph)  # the engine writes; nobody is told
    unreached = streets.table_colour("distance", 0)
    qtbot.waitUntil(lambda: streets.colour_at(vertex) != unreached, timeout=3000)
    streets.session.finish_run(7, make_trace(graph, grid_dist(graph), 1))
    assert not streets.view._live.isActive()


def test_a_live_scale_grows_and_holds_still() -> None:
    graph = grid_graph()
    settings = RunSettings("adds", "model", "RTX 2080 Ti", 0)
    buffers = RunBuffers.allocate(graph, 1)
    record = RunRecord(1, settings, graph_reference(graph, 0), "modelled", buffers)
    scale = Scale()
    assert scale.top(record, "distance") == 1.0
    assert scale.saw(100.0)
    assert not scale.saw(120.0)
    assert scale.top(record, "distance") == 125.0
    assert scale.saw(126.0)


def test_bucket_at_the_cursor_uses_the_delta_of_then() -> None:
    graph = grid_graph()
    trace = make_trace(graph, grid_dist(graph))
    trace.samples["delta"][6:] = 40.0
    record = RunRecord.from_trace(1, trace)
    end = float(trace.time_ns)
    units = [
        look_at(record, "bucket", Moment(cursor, False, end), Scale(), graph.n).colouring.unit
        for cursor in (0.0, end / 2, end, end * 0.7)
    ]
    assert units == [10.0, 10.0, 40.0, 40.0]


def test_a_few_far_vertices_do_not_stretch_the_scale() -> None:
    graph = grid_graph()
    dist = grid_dist(graph)
    dist[-3:] = 100_000
    record = RunRecord.from_trace(1, make_trace(graph, dist))
    look = look_at(record, "distance", Moment(np.inf, False, 1.0), Scale(), graph.n)
    assert look.colouring.unit * 254 < 300
    assert look.legend.ticks[-1][1].startswith("≥")


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
def test_farthest_is_the_largest_finite_distance(dtype: type) -> None:
    far = INT_UNREACHED if dtype is np.int32 else np.inf
    assert farthest(np.array([far, 3, 7, far], dtype)) == 7
    assert farthest(np.array([far], dtype)) == 0
    assert farthest(np.array([], dtype)) == 0


def test_runs_of_another_graph_are_not_shown() -> None:
    graph = grid_graph()
    record = RunRecord.from_trace(1, make_trace(graph, grid_dist(graph)))
    assert look_at(record, "distance", Moment(), Scale(), 17).table == "plain"


@pytest.mark.parametrize("top", [1e-9, 0.7, 1.0, 3.0, 99.0, 100.0, 1_440_081.0, 2**31 - 1.0])
def test_ticks_are_few_and_round(top: float) -> None:
    ticks = tick_values(top)
    assert 2 <= len(ticks) <= 6
    assert ticks[0] == 0
    assert ticks[-1] <= top * 1.000001


# --- mouse and keys


def test_hover_finds_every_vertex(streets: Stage, qtbot: QtBot) -> None:
    for vertex in (0, 17, 31 * 7, SIDE * SIDE - 1):
        with qtbot.waitSignal(streets.view.hovered) as hovered:
            qtbot.mouseMove(streets.view, streets.place(vertex))
        assert hovered.args == [vertex]
    qtbot.mouseMove(streets.view, QPoint(1, 1))
    assert streets.view.pointed == -1


def test_hover_words(streets: Stage) -> None:
    streets.run(grid_dist(grid_graph()))
    vertex = 10 * SIDE + 10
    streets.view._point_at(vertex, QPointF(streets.place(vertex)))
    words = f"vertex {vertex + 1} · distance 100 · bucket 10 · processed 2 times"
    assert streets.view._card() == words


def test_click_asks_for_a_source(streets: Stage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(streets.view.source_requested) as asked:
        qtbot.mouseClick(streets.view, Qt.MouseButton.LeftButton, pos=streets.place(123))
    assert asked.args == [123]
    assert streets.view.source == 0  # it asks; the model decides
    streets.session.set_source(123)
    assert streets.view.source == 123
    with qtbot.assertNotEmitted(streets.view.source_requested):
        qtbot.mouseClick(streets.view, Qt.MouseButton.LeftButton, pos=QPoint(1, 1))


def test_a_drag_moves_and_asks_for_nothing(streets: Stage, qtbot: QtBot) -> None:
    start = streets.place(100)
    left = Qt.MouseButton.LeftButton
    with qtbot.assertNotEmitted(streets.view.source_requested):
        qtbot.mousePress(streets.view, left, pos=start)
        for step in (5, 20, 40):
            qtbot.mouseMove(streets.view, start + QPoint(step, step))
        qtbot.mouseRelease(streets.view, left, pos=start + QPoint(40, 40))
    assert streets.place(100) == start + QPoint(40, 40)


def test_double_click_fits_and_keeps_the_source(streets: Stage, qtbot: QtBot) -> None:
    streets.view.source_requested.connect(streets.session.set_source)
    before = streets.view.camera
    streets.view.zoom(3)
    qtbot.mouseClick(streets.view, Qt.MouseButton.LeftButton, pos=QPoint(200, 150))
    qtbot.mouseDClick(streets.view, Qt.MouseButton.LeftButton, pos=QPoint(200, 150))
    assert streets.view.camera == before
    assert streets.session.source == 0


def test_wheel_zooms_about_the_pointer(streets: Stage) -> None:
    vertex = 7 * SIDE + 9
    before = streets.place(vertex)
    scale = streets.view.camera.scale
    for turn in (120, 240, -120):
        event = QWheelEvent(
            QPointF(before),
            QPointF(before),
            QPoint(0, 0),
            QPoint(0, turn),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(streets.view, event)
        moved = streets.place(vertex) - before
        assert moved.manhattanLength() <= 2
    assert streets.view.camera.scale > scale


def test_keys(streets: Stage, qtbot: QtBot) -> None:
    view = streets.view
    fitted = view.camera
    qtbot.keyClick(view, Qt.Key.Key_Plus)
    assert view.camera.scale == pytest.approx(fitted.scale * 1.25)
    qtbot.keyClick(view, Qt.Key.Key_Minus)
    assert view.camera.scale == pytest.approx(fitted.scale)
    place = streets.place(50)
    qtbot.keyClick(view, Qt.Key.Key_Left)
    qtbot.keyClick(view, Qt.Key.Key_Up)
    assert streets.place(50) == place + QPoint(60, 60)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert streets.place(50) == place
    qtbot.keyClick(view, Qt.Key.Key_Left)
    qtbot.keyClick(view, Qt.Key.Key_0)
    assert view.camera == fitted


def test_zoom_has_limits(streets: Stage) -> None:
    for factor in (1e-9, 1e30):
        streets.view.zoom(factor)
        streets.settle()
        assert 1e-4 < streets.view.camera.scale < 1e8


def test_zoomed_in_it_paints_items_and_finds_them(streets: Stage) -> None:
    streets.run(grid_dist(grid_graph()))
    vertex = 12 * SIDE + 12
    place = streets.place(vertex)
    streets.view.zoom(8, place.x(), place.y())
    streets.settle()
    sheet = streets.view.picture.sheet
    assert sheet is not None
    assert sheet.scene is not None
    assert sheet.scene.item_wise
    place = streets.place(vertex)
    assert streets.view.vertex_at(place.x() + 2, place.y() - 2) == vertex
    assert f"(of {SIDE * SIDE} in all)" in streets.view.drawn_text()


# --- paths


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
    assert found is not None
    assert found.vertices.tolist() == [0, 1, 2, 3]
    assert follow(graph, dist, 0, 5) is None
    only = follow(graph, dist, 0, 0)
    assert only is not None
    assert only.vertices.tolist() == [0]


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
def test_paths_have_the_length_of_the_distance(dtype: type) -> None:
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import dijkstra

    rng = np.random.default_rng(4)
    tails, heads = rng.integers(0, 80, (2, 400))
    _, first = np.unique(tails * 80 + heads, return_index=True)
    tails, heads = tails[first], heads[first]
    weights = rng.integers(1, 9, len(tails)).astype(dtype)
    graph = CSRGraph.from_arcs(tails, heads, weights, 80)
    dist = dijkstra(csr_matrix((weights, (tails, heads)), shape=(80, 80)), indices=0)
    reached = np.isfinite(dist)
    far = INT_UNREACHED if dtype is np.int32 else np.inf
    exact = np.where(reached, dist, far).astype(dtype)
    weight = {(t, h): w for t, h, w in zip(tails, heads, weights, strict=True)}
    for target in np.flatnonzero(reached):
        found = follow(graph, exact, 0, int(target))
        assert found is not None
        steps = zip(found.vertices[:-1], found.vertices[1:], strict=True)
        assert sum(weight[step] for step in steps) == exact[target] == found.length


def test_a_path_goes_with_its_run(streets: Stage, qtbot: QtBot) -> None:
    streets.run(grid_dist(grid_graph()))
    with qtbot.waitSignal(streets.view.path_changed):
        streets.view.trace_path(77)
    with qtbot.waitSignal(streets.view.path_changed):
        streets.session.set_current(None)
    assert streets.view.path is None


# --- graphs, sizes, themes


def test_empty_until_a_graph_is_there(qtbot: QtBot) -> None:
    stage = Stage(qtbot)
    assert stage.view.drawn_text() == ""
    assert stage.view.vertex_at(10, 10) == -1
    assert not stage.view.legend.isVisible()
    assert _ink(stage) > 0.001  # the hint
    stage.session.set_graph(grid_graph())
    stage.settle()
    assert stage.view.drawn_text() == "900 of 900 drawn"
    stage.session.set_graph(None)
    stage.settle()
    assert stage.view.drawn_text() == ""


def test_positions_may_come_later(qtbot: QtBot) -> None:
    graph = grid_graph()
    stage = Stage(qtbot, graph.with_positions(None))
    assert stage.view.drawn_text() == ""
    assert graph.positions is not None
    stage.session.set_positions(graph.positions)
    stage.settle()
    assert stage.view.drawn_text() == "900 of 900 drawn"
    before = stage.place(1)
    stage.session.set_positions(graph.positions[:, ::-1] * 7)
    stage.settle()
    assert stage.place(30) == before


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
        loops,
        np.roll(loops, 1),
        np.ones(n, np.int32),
        n,
        positions=positions.astype(np.float32),
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


def test_parallel_arcs_bend_apart_and_streets_do_not() -> None:
    arcs = np.array([[0, 1], [1, 0], [1, 2], [1, 2], [2, 1], [2, 2]])
    weights = np.array([4, 4, 1, 2, 3, 5], np.int32)
    places = np.array([[0, 0], [1, 0], [2, 0]], np.float32)
    graph = CSRGraph.from_arcs(arcs[:, 0], arcs[:, 1], weights, 3, positions=places)
    scene = cut_scene(graph, places, raster.View(100, 1, 0, 400, 300))
    assert scene is not None
    assert scene.directed
    street, *rest = scene.arcs
    assert street.both_ways
    assert street.bend == 0
    sides = {arc.weight: arc.bend * (1 if arc.tail == 1 else -1) for arc in rest[:3]}
    assert len(set(sides.values())) == 3
    assert sum(sides.values()) == pytest.approx(0)
    assert (rest[3].tail, rest[3].head) == (2, 2)


def test_figure_1_is_painted_with_names(qtbot: QtBot) -> None:
    stage = Stage(qtbot, triangle())
    stage.run(np.array([0, 2, 1], np.int32))
    sheet = stage.view.picture.sheet
    assert sheet is not None
    assert sheet.pixels is None  # item by item
    names = stage.view._names([0, 1, 2])
    assert list(names.names.values()) == ["S", "A", "B"]
    assert list(names.distances.values()) == ["0", "2", "1"]
    assert stage.view._radius() > 20
    assert stage.view.drawn_text() == "3 of 3 drawn"


def _ink(stage: Stage) -> float:
    """Share of the picture that is not background."""
    image = stage.view.grab().toImage()
    paper = image.pixel(2, 2)
    places = [(x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)]
    return sum(image.pixel(x, y) != paper for x, y in places) / len(places)


def test_themes_change_everything(streets: Stage) -> None:
    streets.run(grid_dist(grid_graph()))
    for name in ("dark", "light"):
        theme = THEMES[name]
        streets.view.apply_theme(theme)
        streets.settle()
        image = streets.view.grab().toImage()
        assert image.pixelColor(2, 2).name() == theme.plot
        assert streets.colour_at(10 * SIDE + 10) != theme.plot
        assert _ink(streets) > 0.05


def test_an_old_picture_moves_at_once(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    raster.load_kernels()
    stage = Stage(qtbot, grid_graph())
    gate = threading.Event()
    real = raster.bin_graph

    def slow(*arguments: object) -> raster.PixelMap:
        gate.wait(10)
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(raster, "bin_graph", slow)
    monkeypatch.setattr("viewer.widgets.graph_picture.AT_ONCE", 0)
    stage.view.pan(50, 30)
    stage.view.repaint()  # does not wait
    assert stage.view.picture.busy
    assert stage.colour_at(10 * SIDE + 10) == stage.table_colour("plain", 0)
    assert stage.view.vertex_at(*_xy(stage.place(77))) == 77
    gate.set()
    stage.settle()
    sheet = stage.view.picture.sheet
    assert sheet is not None
    assert sheet.camera == stage.view.camera


def _xy(point: QPoint) -> tuple[int, int]:
    return point.x(), point.y()


def test_numpy_draws_until_the_kernels_are_there(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(raster, "kernels", lambda: None)
        patch.setattr("viewer.raster_colour.kernels", lambda: None)
        patch.setattr(raster, "load_kernels", lambda: None)
        stage = Stage(qtbot, grid_graph())
        sheet = stage.view.picture.sheet
        assert sheet is not None
        assert not sheet.compiled
        assert stage.colour_at(100) == stage.table_colour("plain", 0)
    raster.load_kernels()
    stage.view.picture.sharpened.emit()
    stage.settle()
    sheet = stage.view.picture.sheet
    assert sheet is not None
    assert sheet.compiled


def test_closing_while_drawing_leaves_nothing(qtbot: QtBot) -> None:
    before = threading.active_count()
    for _ in range(5):
        view = GraphView(SessionModel(), PlaybackModel())
        view.resize(300, 200)
        view._session.set_graph(grid_graph(120))
        view.show()
        view.zoom(1.1)
        view.repaint()
        view.close()
        view.deleteLater()
    QApplication.processEvents()
    qtbot.waitUntil(lambda: threading.active_count() <= before, timeout=5000)
