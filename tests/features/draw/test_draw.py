"""Drawing in the window, by real clicks, drags and keys: the canvas, text, files, runs."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot
from screen import all_controls
from test_controller import FakeHost, path_graph, say, trace_of
from test_features import opened
from test_window import close_for_good

import sample_graphs
from gpu.errors import EngineError
from gpu.formats import load_graph
from gpu.host import Failed, RunFinished
from viewer.features.draw.canvas import DrawCanvas
from viewer.features.draw.drawing import EMPTY, DrawingModel, Vertex
from viewer.features.draw.feature import DrawFeature
from viewer.features.draw.keys import free_place
from viewer.main_window import MainWindow
from viewer.models.settings import Settings

LEFT = Qt.MouseButton.LeftButton
NONE, SHIFT, CTRL = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)
Key = Qt.Key


@pytest.fixture(scope="module")
def host() -> FakeHost:
    return FakeHost()


@pytest.fixture(scope="module")
def window(
    qapp: QApplication, tmp_path_factory: pytest.TempPathFactory, host: FakeHost
) -> Iterator[MainWindow]:
    """One window for all tests here: `feature` begins each anew."""
    window = MainWindow(all_controls(tmp_path_factory.mktemp("draw") / "w.ini"), host)  # type: ignore[arg-type]
    window.show()
    window.build_plots()
    for key in ("compare", "microscope", "workspace", "draw"):
        window.features[key]
    held = QApplication.topLevelWidgets()  # else pyqtgraph's own look new after each collection
    yield window
    del held
    close_for_good(window)


@pytest.fixture
def feature(window: MainWindow, host: FakeHost, qtbot: QtBot) -> DrawFeature:
    """The page, open and empty, the canvas in focus."""
    feature = window.features["draw"]
    window.features["microscope"]._wanted = False  # nothing is left of a recording
    if window.controller.running:
        say(window.controller, host, Failed(window.controller._run_id, EngineError("over")))
    feature.leave()
    window.resize(1280, 800)
    if window.theme.name != "light":
        window.set_theme("light")
    if not window.docks["work"].isVisible():
        window.docks.arrange("explore")
    window.controller.show_graph(path_graph())
    host.calls.clear()
    feature.model.start_with(EMPTY)
    window.actions_by_key["draw"].trigger()
    assert feature.page.isVisible()
    feature.fit()
    window.activateWindow()
    qtbot.waitUntil(feature.page.canvas.hasFocus)
    return feature


def place(canvas: DrawCanvas, x: float, y: float) -> QPoint:
    """Return the pixel of a place in the drawing's units (y up)."""
    pixel = canvas.camera.to_pixels(np.array([[x, y]]))[0]
    return QPointF(*pixel.tolist()).toPoint()


def spot(canvas: DrawCanvas, name: str, rim: bool = False) -> QPoint:
    """Return the middle of a vertex, or a pixel on its rim, to the lower left."""
    middle = canvas.layout_now.vertex_place(canvas.model.drawing.key_of_name[name])
    off = canvas.radius * 0.74 if rim else 0.0
    return (middle + QPointF(-off, off)).toPoint()


def drag(qtbot: QtBot, canvas: DrawCanvas, start: QPoint, end: QPoint, held: Any = NONE) -> None:
    qtbot.mousePress(canvas, LEFT, held, start)
    for k in range(1, 5):
        qtbot.mouseMove(canvas, start + (end - start) * (k / 4))
    qtbot.mouseRelease(canvas, LEFT, held, end)


def type_in(qtbot: QtBot, canvas: DrawCanvas, text: str, end: Any = Key.Key_Return) -> None:
    assert canvas.field.active
    qtbot.keyClicks(canvas.field, text)
    qtbot.keyClick(canvas.field, end)


def names(model: DrawingModel) -> list[str]:
    return [vertex.name for vertex in model.drawing.vertices]


def arcs(model: DrawingModel) -> list[str]:
    drawing = model.drawing
    return [f"{drawing.arc_words(arc)} {arc.weight:g}" for arc in drawing.arcs]


def figure_1(model: DrawingModel) -> None:
    s, a, b = (
        model.add_vertex(x, y, name) for name, x, y in (("S", -120, 0), ("A", 0, 90), ("B", 120, 0))
    )
    for tail, head, weight in ((s, a, 10), (s, b, 1), (b, a, 1)):
        model.add_arc(tail, head, weight)


def test_a_graph_is_drawn_by_hand_and_run(
    feature: DrawFeature, window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    canvas, model = feature.page.canvas, feature.model
    for x, y in ((-120, 0), (0, 90)):
        qtbot.mouseDClick(canvas, LEFT, NONE, place(canvas, x, y))
    assert names(model) == ["A", "B"]
    type_in(qtbot, canvas, "Nice")  # the name of the one just added is asked for
    assert names(model) == ["A", "Nice"]
    qtbot.keyClick(canvas, Key.Key_Return)
    type_in(qtbot, canvas, "B")
    # a drag from the rim to another vertex, the weight typed at once
    drag(qtbot, canvas, spot(canvas, "A", rim=True), spot(canvas, "B"))
    assert arcs(model) == ["A → B 1"]
    qtbot.keyClicks(canvas.field, "10")  # what is typed is taken by the next click, too
    # a drag that ends over nothing adds a vertex; back on itself it is a loop
    drag(qtbot, canvas, spot(canvas, "B", rim=True), place(canvas, 120, 0))
    drag(qtbot, canvas, spot(canvas, "C", rim=True), spot(canvas, "C"))
    assert arcs(model) == ["A → B 10", "B → C 1", "C → C 1"]
    # a double click edits the name, a double click on the number its weight
    qtbot.mouseDClick(canvas, LEFT, NONE, spot(canvas, "A"))
    type_in(qtbot, canvas, "S")
    label = canvas.layout_now.weight_place(model.drawing.arcs[1].key)
    qtbot.mouseDClick(canvas, LEFT, NONE, label.toPoint())
    type_in(qtbot, canvas, "3")
    assert names(model) == ["S", "B", "C"]
    assert arcs(model)[1] == "B → C 3"
    # a drag moves
    before = model.drawing.vertices[1]
    drag(qtbot, canvas, spot(canvas, "B"), spot(canvas, "B") + QPoint(0, -60))
    after = model.drawing.vertices[1]
    assert after.x == pytest.approx(before.x, abs=1)
    assert after.y - before.y == pytest.approx(60 / canvas.camera.scale, abs=2)
    # it is run as it is
    feature.use()
    assert not feature.page.isVisible()
    assert window.graph_view.isVisible()
    graph = window.session.graph
    assert [graph.id_of(v) for v in range(3)] == ["S", "B", "C"]
    assert graph.weights.tolist() == [10, 3, 1]
    assert host.graph is graph
    (asked,) = host.asked("run")
    assert asked.source == 0
    record = window.session.current
    assert record.graph_reference.hash == graph.hash
    # the run names a file that is there and holds just this graph
    again = load_graph(record.graph_reference.origin)
    assert again.hash == graph.hash
    np.testing.assert_array_equal(again.positions, graph.positions)


def test_shift_selects_more_and_all_of_it_is_deleted(
    feature: DrawFeature, window: MainWindow, qtbot: QtBot
) -> None:
    canvas, model = feature.page.canvas, feature.model
    figure_1(model)
    delete = window.actions_by_key["draw_delete"]
    for name in "SAB":
        qtbot.mouseClick(canvas, LEFT, SHIFT, spot(canvas, name))
    qtbot.mouseClick(canvas, LEFT, SHIFT, spot(canvas, "S"))
    assert len(model.selected_vertices) == 2
    before = {v.name: v.y for v in model.drawing.vertices}
    drag(qtbot, canvas, spot(canvas, "A"), spot(canvas, "A") + QPoint(0, 40))
    assert {v.name for v in model.drawing.vertices if v.y != before[v.name]} == {"A", "B"}
    middle = spot(canvas, "S")
    drag(qtbot, canvas, place(canvas, 0, -150), place(canvas, 0, -150) + QPoint(30, 20))
    assert spot(canvas, "S") == middle + QPoint(30, 20)  # the view was moved
    qtbot.mouseClick(canvas, LEFT, NONE, place(canvas, 0, -150))
    assert not delete.isEnabled()
    qtbot.mouseClick(canvas, LEFT, NONE, spot(canvas, "B"))
    qtbot.keyClick(canvas, Key.Key_Delete)
    assert arcs(model) == ["S → A 10"]
    qtbot.keyClick(canvas, Key.Key_A, CTRL)
    qtbot.keyClick(canvas, Key.Key_Backspace)
    assert names(model) == []
    assert not window.actions_by_key["draw_use"].isEnabled()


def test_everything_by_keys(
    feature: DrawFeature, window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    canvas, model = feature.page.canvas, feature.model
    for name in ("S'", "A'", "B'"):
        qtbot.keyClick(canvas, Key.Key_N)
        type_in(qtbot, canvas, name)
    assert names(model) == ["S'", "A'", "B'"]
    assert len({(round(v.x), round(v.y)) for v in model.drawing.vertices}) == 3
    qtbot.keyClick(canvas, Key.Key_Backtab)
    qtbot.keyClick(canvas, Key.Key_Backtab)  # at S'
    qtbot.keyClick(canvas, Key.Key_C)
    type_in(qtbot, canvas, "nowhere")
    assert "There is no vertex nowhere" in canvas.field.problem
    canvas.field.clear()
    type_in(qtbot, canvas, "B'")
    assert arcs(model) == ["S' → B' 1"]
    type_in(qtbot, canvas, "4.5")
    assert arcs(model) == ["S' → B' 4.5"]
    assert "weight 4.5" in canvas.accessibleDescription()
    assert window.actions_by_key["lessons"].shortcut() == Key.Key_F2  # and no key of the canvas
    assert not canvas.keys.wants(QKeyEvent(QEvent.Type.KeyPress, Key.Key_F2, NONE))
    for edge in ("A' B' 2", "B' -> S' 3"):  # after an edge: both ends
        qtbot.keyClick(canvas, Key.Key_C)
        type_in(qtbot, canvas, edge)
    assert arcs(model)[1:] == ["A' → B' 2", "B' → S' 3"]
    qtbot.keyClick(canvas, Key.Key_Tab)  # begins at the first vertex
    moved = model.drawing.by_key[model.current]
    for key in (Key.Key_Up, Key.Key_Up, Key.Key_Right):
        qtbot.keyClick(canvas, key)
    now = model.drawing.by_key[model.current]
    assert (now.x - moved.x, now.y - moved.y) == (10, 20)
    for _ in range(3):
        qtbot.keyClick(canvas, Key.Key_Z, CTRL)
    assert model.drawing.by_key[moved.key] == moved
    # Tab goes round, E walks the edges, Ctrl+Tab leaves the canvas
    for _ in range(3):
        qtbot.keyClick(canvas, Key.Key_Tab)
    assert model.current == moved.key
    qtbot.keyClick(canvas, Key.Key_E)
    assert len(model.selected_arcs) == 1
    qtbot.keyClick(canvas, Key.Key_Tab, CTRL)
    assert not canvas.hasFocus()
    canvas.setFocus()
    qtbot.keyClick(canvas, Key.Key_Return, CTRL)
    assert sorted(window.session.graph.weights.tolist()) == [2, 3, 4.5]
    assert len(host.asked("run")) == 1


def test_vertices_added_by_keys_stand_in_no_row_and_close_together() -> None:
    drawing, x, y = EMPTY, 0.0, 0.0
    for key in range(8):
        x, y = free_place(drawing, x, y)
        drawing = replace(drawing, vertices=(*drawing.vertices, Vertex(key, str(key), x, y)))
    _, a, b, *_ = drawing.vertices
    assert abs(a.x * b.y - b.x * a.y) > 1000
    assert np.ptp([(vertex.x, vertex.y) for vertex in drawing.vertices], axis=0).max() < 300


def test_wrong_weights_are_refused_at_the_field(
    feature: DrawFeature, window: MainWindow, qtbot: QtBot
) -> None:
    canvas, model = feature.page.canvas, feature.model
    figure_1(model)
    model.select([], [model.drawing.arcs[0].key])
    for text, word in (("-4", "negative"), ("nan", "not a weight"), ("1e399", "too large")):
        qtbot.keyClick(canvas, Key.Key_Return)
        type_in(qtbot, canvas, text)
        assert canvas.field.isVisible()
        assert word in canvas.field.problem
        assert word in feature.page.words.text()
        qtbot.keyClick(canvas.field, Key.Key_Escape)
        assert not canvas.field.isVisible()
        assert canvas.hasFocus()
    assert arcs(model)[0] == "S → A 10"
    model.select([model.drawing.vertices[0].key])
    qtbot.keyClick(canvas, Key.Key_Return)
    type_in(qtbot, canvas, "A")
    assert "already" in canvas.field.problem
    window.start_run()
    assert feature.open
    assert "already" in feature.page.words.text()
    window.start_run()
    assert not feature.open
    assert names(model) == ["S", "A", "B"]
    feature.show()
    assert "already" not in feature.page.words.text()


def test_a_list_is_pasted_and_copied(
    feature: DrawFeature, window: MainWindow, qtbot: QtBot
) -> None:
    model, canvas = feature.model, feature.page.canvas
    figure_1(model)
    before = model.drawing
    QApplication.clipboard().setText("A -> B -4\nB C 2")
    qtbot.keyClick(canvas, Key.Key_V, CTRL)
    assert "Line 1: -4 is negative" in feature.page.words.text()
    assert model.drawing == before
    QApplication.clipboard().setText("x -- y 3\ny -- z")
    qtbot.keyClick(canvas, Key.Key_V, CTRL)
    assert arcs(model) == ["x – y 3", "y – z 1"]
    assert len({(vertex.x, vertex.y) for vertex in model.drawing.vertices}) == 3
    qtbot.keyClick(canvas, Key.Key_C, CTRL)
    assert QApplication.clipboard().text() == "x -- y\t3\ny -- z\t1\n"
    qtbot.keyClick(canvas, Key.Key_Z, CTRL)
    assert model.drawing == before  # nothing is lost by it


def test_it_is_saved_in_the_formats_that_are_written(
    feature: DrawFeature, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    figure_1(feature.model)
    for suffix in (".npz", ".csv", ".gr", ".mtx"):
        window.actions_by_key["draw_save"].trigger()
        dialog = window.findChildren(QFileDialog)[-1]
        assert "keeps names and places" in dialog.nameFilters()[0]
        dialog.fileSelected.emit(str(tmp_path / f"mine{suffix}"))
        dialog.reject()
        QApplication.sendPostedEvents(dialog, QEvent.Type.DeferredDelete.value)
        qtbot.waitUntil(lambda: window.files._task is None, timeout=5000)
        graph = load_graph(tmp_path / f"mine{suffix}")
        assert (graph.n, graph.m) == (3, 3), suffix
        assert sorted(graph.weights.tolist()) == [1, 1, 10]
        named = suffix in (".npz", ".csv")
        assert {str(graph.id_of(v)) for v in range(3)} == ({*"SAB"} if named else {*"123"})
    feature.save_as(str(tmp_path / "mine.graph"))  # METIS is only read
    qtbot.waitUntil(lambda: window.files._task is None, timeout=5000)
    assert window.session.notice.level == "error"


def test_the_drawing_is_kept(qapp: QApplication, tmp_path: Path, qtbot: QtBot) -> None:
    window = opened(Settings(tmp_path / "window.ini"), FakeHost())
    window.controller.show_graph(path_graph())
    feature = window.features["draw"]
    assert window.docks["buckets"].isVisible()
    window.actions_by_key["draw"].trigger()
    figure_1(feature.model)
    drawn = feature.model.drawing
    assert not window.docks["buckets"].isVisible()
    window.session.set_graph(sample_graphs.make("figure_6"))  # something else is opened
    assert not feature.page.isVisible()
    assert window.docks["buckets"].isVisible()
    feature.page.canvas.pan(9_000, 0)  # out of sight
    window.actions_by_key["draw"].trigger()
    assert feature.model.drawing == drawn
    canvas = feature.page.canvas
    qtbot.waitUntil(lambda: canvas.rect().contains(spot(canvas, "S")))
    # the graph shown comes into the drawing as a step
    window.actions_by_key["draw"].trigger()
    window.actions_by_key["draw_edit"].trigger()
    assert len(names(feature.model)) == 9
    assert "Undo" in feature.page.words.text()
    window.actions_by_key["draw_undo"].trigger()
    assert feature.model.drawing == drawn
    close_for_good(window)
    # and it is there again next time; the docks were remembered as they stood before
    window = opened(Settings(tmp_path / "window.ini"), FakeHost())
    window.controller.show_graph(path_graph())
    assert window.features["draw"].model.drawing == drawn
    assert window.docks["buckets"].isVisible()
    window.actions_by_key["draw"].trigger()
    close_for_good(window)


def test_run_from_anywhere_is_of_the_drawing(
    feature: DrawFeature, window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    qtbot.mouseClick(window.run_panel._run, LEFT)
    assert feature.open
    assert "Nothing is drawn yet" in feature.page.words.text()
    figure_1(feature.model)
    assert window.run_panel._graph.currentText() == "This drawing"
    assert not window.run_panel._source.isVisible()
    qtbot.mouseClick(window.run_panel._run, LEFT)
    assert window.session.graph.name == "Drawing"
    assert window.session.graph.id_of(host.asked("run")[0].source) == "S"
    record = window.session.current
    window.controller.set_source(window.session.graph.vertex_of("B"))
    # while it goes on, the drawing is not used again
    button = window.toolbar.widgetForAction(window.actions_by_key["draw"])
    for press in (qtbot.mouseClick, qtbot.mouseDClick, qtbot.mouseRelease):
        press(button, LEFT)
    assert feature.open
    feature.use()
    assert "run is going on" in feature.page.words.text()
    trace = trace_of(window.session.graph, record.settings, "stopped")
    say(window.controller, host, RunFinished(record.run_id, trace))
    feature.model.set_weight([feature.model.drawing.arcs[0].key], 2)
    feature.use()
    assert len(host.asked("run")) == 2
    assert window.session.graph.weights.tolist() == [2, 1, 1]
    assert window.session.graph.id_of(host.asked("run")[1].source) == "B"  # it stays
    assert not feature.page.isVisible()
    names = [window.run_panel._graph.itemText(row) for row in range(2)]
    assert names == ["Drawing", "City roads"]


def test_it_can_be_presented(
    feature: DrawFeature, window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    figure_1(feature.model)
    window.features["present"].begin()
    assert not feature.page.isVisible()  # a presentation begins with the graph
    window.actions_by_key["draw"].trigger()
    assert not any(dock.isVisible() for dock in window.docks.by_key.values())
    window.activateWindow()
    feature.page.canvas.setFocus()
    qtbot.waitUntil(feature.page.canvas.hasFocus)
    qtbot.keyClick(feature.page.canvas, Key.Key_Return, CTRL)  # though the menus are hidden
    assert len(host.asked("run")) == 1
    assert window.docks["buckets"].isVisible()
    window.actions_by_key["draw"].trigger()
    window.features["present"].close()
    assert not feature.page.isVisible()
    assert window.theme.name == "light"
    shown = {key for key, dock in window.docks.by_key.items() if dock.isVisible()}
    assert {"run", "buckets", "timeline"} <= shown
