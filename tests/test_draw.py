"""Drawing a graph in the window, by real clicks, drags and keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt
from PyQt6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMenu
from pytestqt.qtbot import QtBot
from test_controller import FakeHost, path_graph, say, trace_of
from test_window import close_for_good

import sample_graphs
from gpu.errors import EngineError
from gpu.formats import load_graph
from gpu.host import Failed, Ready, RunFinished
from viewer.features import draw_files
from viewer.features.draw_parts import DrawFeature
from viewer.main_window import MainWindow
from viewer.models.drawing import EMPTY, DrawingModel
from viewer.models.settings import Settings
from viewer.text_size import scaled
from viewer.theme import THEMES
from viewer.widgets.draw_canvas import DrawCanvas
from viewer.widgets.draw_page import DrawPage
from viewer.widgets.draw_paste import PasteDialog

LEFT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton
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
    window = MainWindow(Settings(tmp_path_factory.mktemp("draw") / "w.ini"), host)  # type: ignore[arg-type]
    window.show()
    window.build_plots()
    for key in ("compare", "undo", "microscope", "workspace", "layouts", "draw"):
        getattr(window.features, key)
    yield window
    close_for_good(window)


@pytest.fixture
def feature(window: MainWindow, host: FakeHost, qtbot: QtBot) -> DrawFeature:
    """The page, open and empty, the canvas in focus."""
    feature = window.features.draw
    window.features.microscope._wanted = False  # nothing is left of a recording
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
    feature.model.forget_history(EMPTY)
    window.actions_by_key["draw"].trigger()
    assert feature.page.isVisible()
    feature.page.canvas.set_tool("select")
    feature.page.canvas.set_snap(False)
    feature.fit()
    window.activateWindow()
    qtbot.waitUntil(feature.page.canvas.hasFocus)
    return feature


def place(canvas: DrawCanvas, x: float, y: float) -> QPoint:
    """Return the pixel of a place in the drawing's units (y up)."""
    return canvas.mapFromScene(QPointF(x, -y))


def spot(canvas: DrawCanvas, name: str, rim: bool = False) -> QPoint:
    """Return the middle of a vertex, or a pixel on its rim, to the lower left."""
    outline = canvas.vertices[canvas.model.drawing.key_of_name[name]].outline
    off = outline.radius * 0.74 if rim else 0.0
    return canvas.mapFromScene(QPointF(outline.x - off, outline.y + off))


def drag(qtbot: QtBot, canvas: DrawCanvas, start: QPoint, end: QPoint, held: Any = NONE) -> None:
    view = canvas.viewport()
    qtbot.mousePress(view, LEFT, held, start)
    for k in range(1, 5):
        qtbot.mouseMove(view, start + (end - start) * (k / 4))
    qtbot.mouseRelease(view, LEFT, held, end)


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
    canvas, model, view = feature.page.canvas, feature.model, feature.page.canvas.viewport()
    for x, y in ((-120, 0), (0, 90)):
        qtbot.mouseDClick(view, LEFT, NONE, place(canvas, x, y))
    assert names(model) == ["A", "B"]
    # a drag from the rim to another vertex, the weight typed at once
    drag(qtbot, canvas, spot(canvas, "A", rim=True), spot(canvas, "B"))
    assert arcs(model) == ["A → B 1"]
    qtbot.keyClicks(canvas, "1")
    type_in(qtbot, canvas, "0")
    # a drag let go over nothing brings a vertex; back on itself it is a loop
    drag(qtbot, canvas, spot(canvas, "B", rim=True), place(canvas, 120, 0))
    drag(qtbot, canvas, spot(canvas, "C", rim=True), spot(canvas, "C"))
    assert arcs(model) == ["A → B 10", "B → C 1", "C → C 1"]
    # a double click edits the name, a double click on the number its weight
    qtbot.mouseDClick(view, LEFT, NONE, spot(canvas, "A"))
    type_in(qtbot, canvas, "S")
    label = canvas.arcs[model.drawing.arcs[1].key].weight_box.center()
    qtbot.mouseDClick(view, LEFT, NONE, canvas.mapFromScene(label))
    type_in(qtbot, canvas, "3")
    assert names(model) == ["S", "B", "C"]
    assert arcs(model)[1] == "B → C 3"
    # a drag moves, and what hangs on it with it
    before = model.drawing.vertices[1]
    drag(qtbot, canvas, spot(canvas, "B"), spot(canvas, "B") + QPoint(0, -60))
    after = model.drawing.vertices[1]
    assert after.x == pytest.approx(before.x, abs=1)
    assert after.y - before.y == pytest.approx(60 / canvas.zoom, abs=2)
    # it is run as it is
    qtbot.mouseClick(feature.page.use, LEFT)
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


def test_each_step_is_taken_back_by_the_windows_undo(
    feature: DrawFeature, window: MainWindow, qtbot: QtBot
) -> None:
    canvas, model = feature.page.canvas, feature.model
    for x in (-100, 100):
        qtbot.mouseDClick(canvas.viewport(), LEFT, NONE, place(canvas, x, 0))
    drag(qtbot, canvas, spot(canvas, "A", rim=True), spot(canvas, "B"))
    undo, redo = window.actions_by_key["undo"], window.actions_by_key["redo"]
    assert undo.text() == "&Undo arc A → B"
    qtbot.keyClick(canvas, Key.Key_Z, CTRL)
    assert arcs(model) == []
    undo.trigger()
    assert names(model) == ["A"]
    assert redo.text() == "&Redo vertex B"
    qtbot.keyClick(canvas, Key.Key_Y, CTRL)
    assert names(model) == ["A", "B"]
    while undo.isEnabled():
        undo.trigger()
    assert names(model) == []
    window.actions_by_key["draw_leave"].trigger()
    assert "vertex" not in redo.text()  # the window's own history again


def test_frames_shift_and_delete(feature: DrawFeature, window: MainWindow, qtbot: QtBot) -> None:
    canvas, model = feature.page.canvas, feature.model
    figure_1(model)
    delete = window.actions_by_key["draw_delete"]
    drag(qtbot, canvas, place(canvas, -170, 130), place(canvas, 40, -50))
    chosen = {model.drawing.by_key[key].name for key in model.selected_vertices}
    assert chosen == {"S", "A"}
    assert len(model.selected_arcs) == 2  # between them, and one by its weight
    qtbot.mouseClick(canvas.viewport(), LEFT, SHIFT, spot(canvas, "B"))
    assert len(model.selected_vertices) == 3
    qtbot.mouseClick(canvas.viewport(), LEFT, SHIFT, spot(canvas, "S"))
    assert len(model.selected_vertices) == 2
    before = {v.name: v.y for v in model.drawing.vertices}
    drag(qtbot, canvas, spot(canvas, "A"), spot(canvas, "A") + QPoint(0, 40))
    moved = {v.name for v in model.drawing.vertices if v.y != before[v.name]}
    assert moved == {"A", "B"}
    qtbot.mouseClick(canvas.viewport(), LEFT, NONE, place(canvas, 0, -150))
    assert not delete.isEnabled()
    qtbot.mouseClick(canvas.viewport(), LEFT, NONE, spot(canvas, "B"))
    qtbot.keyClick(canvas, Key.Key_Delete)
    assert arcs(model) == ["S → A 10"]
    qtbot.keyClick(canvas, Key.Key_A, CTRL)
    qtbot.keyClick(canvas, Key.Key_Backspace)
    assert names(model) == []
    assert not feature.page.use.isEnabled()


def test_everything_by_keys(
    feature: DrawFeature, window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    canvas, model = feature.page.canvas, feature.model
    for _ in range(3):
        qtbot.keyClick(canvas, Key.Key_N)
    assert names(model) == ["A", "B", "C"]
    spots = {(round(v.x), round(v.y)) for v in model.drawing.vertices}
    assert len(spots) == 3
    for letter in "SAB":  # Tab walks, Enter renames
        qtbot.keyClick(canvas, Key.Key_Escape)
        for _ in range("SAB".index(letter) + 1):
            qtbot.keyClick(canvas, Key.Key_Tab)
        qtbot.keyClick(canvas, Key.Key_Return)
        type_in(qtbot, canvas, f"{letter}'")
    assert names(model) == ["S'", "A'", "B'"]
    qtbot.keyClick(canvas, Key.Key_Backtab)
    qtbot.keyClick(canvas, Key.Key_Backtab)  # at S'
    qtbot.keyClick(canvas, Key.Key_C)
    assert "From S': an arc to A'" in feature.page.words.text()
    qtbot.keyClick(canvas, Key.Key_Tab)
    qtbot.keyClick(canvas, Key.Key_Return)
    assert arcs(model) == ["S' → B' 1"]
    qtbot.keyClick(canvas, Key.Key_F2)
    type_in(qtbot, canvas, "4.5")
    assert arcs(model) == ["S' → B' 4.5"]
    assert "weight 4.5" in canvas.accessibleDescription()
    # the arrows move, quick moves are one step
    qtbot.keyClick(canvas, Key.Key_Tab)
    moved = model.drawing.by_key[model.current]
    for key in (Key.Key_Up, Key.Key_Up, Key.Key_Right):
        qtbot.keyClick(canvas, key)
    qtbot.keyClick(canvas, Key.Key_Left, SHIFT)
    now = model.drawing.by_key[model.current]
    assert (now.x - moved.x, now.y - moved.y) == (9, 20)
    qtbot.keyClick(canvas, Key.Key_Z, CTRL)
    assert model.drawing.by_key[moved.key] == moved
    # E walks the arcs, Escape leaves step by step
    for _ in range(2):
        qtbot.keyClick(canvas, Key.Key_Backtab)
    qtbot.keyClick(canvas, Key.Key_E)
    assert len(model.selected_arcs) == 1
    qtbot.keyClick(canvas, Key.Key_V)
    assert canvas.tool == "vertex"
    assert window.actions_by_key["draw_tool_vertex"].isChecked()
    qtbot.keyClick(canvas, Key.Key_Escape)
    assert canvas.tool == "select"
    # Tab leaves the canvas after the last vertex
    for _ in range(4):
        qtbot.keyClick(QApplication.focusWidget(), Key.Key_Tab)
    assert not canvas.hasFocus()
    canvas.setFocus()
    qtbot.keyClick(canvas, Key.Key_Return, CTRL)
    assert window.session.graph.weights.tolist() == [4.5]
    assert len(host.asked("run")) == 1


def test_wrong_weights_are_refused_at_the_field(feature: DrawFeature, qtbot: QtBot) -> None:
    canvas, model = feature.page.canvas, feature.model
    figure_1(model)
    model.select([], [model.drawing.arcs[0].key])
    for text, word in (("-4", "negative"), ("nan", "not a weight"), ("1e99", "too large")):
        qtbot.keyClick(canvas, Key.Key_Return)
        type_in(qtbot, canvas, text)
        assert canvas.field.isVisible()
        assert word in canvas.field.problem
        assert word in feature.page.words.text()
        qtbot.keyClick(canvas.field, Key.Key_Escape)
        assert not canvas.field.isVisible()
        assert canvas.hasFocus()
    assert arcs(model)[0] == "S → A 10"
    qtbot.keyClick(canvas, Key.Key_Return)
    type_in(qtbot, canvas, "7", Key.Key_Tab)  # goes on to the next arc
    assert arcs(model)[0] == "S → A 7"
    type_in(qtbot, canvas, "8")
    assert arcs(model)[1] == "S → B 8"
    model.select([model.drawing.vertices[0].key])
    qtbot.keyClick(canvas, Key.Key_Return)
    type_in(qtbot, canvas, "A")
    assert "already" in canvas.field.problem
    qtbot.mouseClick(canvas.viewport(), LEFT, NONE, place(canvas, 0, -150))
    assert names(model) == ["S", "A", "B"]


def test_tools_grid_zoom_and_menu(feature: DrawFeature, window: MainWindow, qtbot: QtBot) -> None:
    canvas, model, view = feature.page.canvas, feature.model, feature.page.canvas.viewport()
    window.actions_by_key["draw_snap"].trigger()
    window.actions_by_key["draw_tool_vertex"].trigger()
    for x, y in ((-113, 8), (118, -7)):
        qtbot.mouseClick(view, LEFT, NONE, place(canvas, x, y))
    assert [(v.x, v.y) for v in model.drawing.vertices] == [(-120, 0), (120, 0)]
    qtbot.keyClick(canvas, Key.Key_A)
    for name in "AB":  # two clicks, tail and head
        qtbot.mouseClick(view, LEFT, NONE, spot(canvas, name))
    drag(qtbot, canvas, spot(canvas, "B"), spot(canvas, "A"))
    assert arcs(model) == ["A → B 1", "B → A 1"]
    qtbot.keyClick(canvas, Key.Key_S)
    first, second = (canvas.arcs[arc.key].weight_box for arc in model.drawing.arcs)
    assert not first.intersects(second)  # the two lie apart
    zoom = canvas.zoom
    qtbot.keyClick(canvas, Key.Key_Plus)
    assert canvas.zoom > zoom
    middle = canvas.mapToScene(view.rect().center())
    qtbot.mousePress(view, MIDDLE, NONE, QPoint(200, 200))
    qtbot.mouseMove(view, QPoint(230, 200))
    qtbot.mouseRelease(view, MIDDLE, NONE, QPoint(230, 200))
    assert canvas.mapToScene(view.rect().center()).x() < middle.x()
    qtbot.keyClick(canvas, Key.Key_F)
    assert canvas.rect().contains(spot(canvas, "A"))
    # what the menu offers depends on what is under the mouse
    canvas.hand.pick_for_menu(spot(canvas, "B"))
    canvas.menu_requested.emit(canvas.mapToGlobal(spot(canvas, "B")))
    menu = feature.page.findChild(QMenu)
    assert menu.isVisible()
    words = [action.text() for action in menu.actions()]
    assert words[0] == "Rename…"
    next(action for action in menu.actions() if "here" in action.text()).trigger()
    menu.close()
    assert model.drawing.source_vertex.name == "B"
    model.select([], [model.drawing.arcs[0].key])
    window.actions_by_key["draw_reverse"].trigger()
    assert arcs(model) == ["B → A 1", "B → A 1"]
    # a drag that is given up changes nothing
    before = model.drawing
    qtbot.mousePress(view, LEFT, NONE, spot(canvas, "A"))
    qtbot.mouseMove(view, spot(canvas, "A") + QPoint(50, 50))
    qtbot.keyClick(canvas, Key.Key_Escape)
    qtbot.mouseRelease(view, LEFT, NONE, QPoint(300, 300))
    assert model.drawing == before


def test_the_table_and_the_canvas_are_one(feature: DrawFeature, qtbot: QtBot) -> None:
    page, model = feature.page, feature.model
    table, rows = page.table, page.table.model()

    def write(row: int, column: int, text: str) -> None:
        table.setCurrentIndex(rows.index(row, column))
        table.setFocus()
        qtbot.keyClicks(table, text[0])
        field = QApplication.focusWidget()
        assert isinstance(field, QLineEdit)
        qtbot.keyClicks(field, text[1:])
        qtbot.keyClick(field, Key.Key_Return)
        qtbot.waitUntil(lambda: table.state() != table.State.EditingState)

    write(0, 0, "Ulm")
    assert names(model) == []
    write(0, 1, "Bonn")
    assert arcs(model) == ["Ulm → Bonn 1"]
    qtbot.keyClick(table, Key.Key_Z, CTRL)
    assert names(model) == []  # vertices and arc are one step
    qtbot.keyClick(table, Key.Key_Y, CTRL)
    write(0, 2, "12")
    write(1, 2, "-3")
    assert "negative" in page.words.text()
    assert arcs(model) == ["Ulm → Bonn 12"]
    write(1, 0, "Bonn")
    write(1, 1, "Kiel")
    write(1, 0, "Kiel")
    assert arcs(model) == ["Ulm → Bonn 12", "Kiel → Kiel 1"]
    # what is selected here is selected there
    table.selectRow(0)
    assert model.selected_arcs == {model.drawing.arcs[0].key}
    model.select([], [model.drawing.arcs[1].key])
    assert {index.row() for index in table.selectionModel().selectedRows()} == {1}
    qtbot.keyClick(table, Key.Key_Delete)
    assert arcs(model) == ["Ulm → Bonn 12"]
    # direction and kind of weights
    page.ways.setCurrentIndex(1)
    page.ways.activated.emit(1)
    assert arcs(model) == ["Ulm – Bonn 12"]
    assert rows.headerData(0, Qt.Orientation.Horizontal) == "End"
    write(0, 2, "2.5")
    assert page.kinds.currentText() == "Decimals"
    page.kinds.setCurrentIndex(0)
    page.kinds.activated.emit(0)
    assert "rounded" in page.words.text()
    assert arcs(model) == ["Ulm – Bonn 2"]


def test_a_list_is_pasted_and_copied(
    feature: DrawFeature, window: MainWindow, qtbot: QtBot
) -> None:
    model, canvas = feature.model, feature.page.canvas
    figure_1(model)
    before = model.drawing
    QApplication.clipboard().setText("A -> B -4\nB C 2")
    qtbot.keyClick(canvas, Key.Key_V, CTRL)
    dialog = window.findChild(PasteDialog)
    assert "Line 1: -4 is negative" in dialog.found.text()
    assert not dialog.draw.isEnabled()
    dialog.text.selectAll()
    qtbot.keyClicks(dialog.text, "x -- y 3")
    qtbot.keyClick(dialog.text, Key.Key_Return)
    qtbot.keyClicks(dialog.text, "y -- z")
    qtbot.waitUntil(lambda: dialog.found.text().startswith("3 vertices, 2 edges"))
    qtbot.mouseClick(dialog.draw, LEFT)
    assert arcs(model) == ["x – y 3", "y – z 1"]
    window.activateWindow()
    qtbot.waitUntil(canvas.hasFocus)
    qtbot.keyClick(canvas, Key.Key_C, CTRL)
    assert QApplication.clipboard().text() == "x -- y 3\ny -- z 1\n"
    qtbot.keyClick(canvas, Key.Key_Z, CTRL)
    assert model.drawing == before  # nothing is lost by it


def test_it_is_saved_in_the_formats_that_are_written(
    feature: DrawFeature, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    figure_1(feature.model)
    for suffix in (".npz", ".csv", ".gr", ".wel", ".mtx", ".tsv"):
        qtbot.keyClick(feature.page.canvas, Key.Key_S, CTRL)
        dialog = window.findChild(QFileDialog)
        assert "keeps names and places" in dialog.nameFilters()[0]
        dialog.fileSelected.emit(str(tmp_path / f"mine{suffix}"))
        dialog.reject()
        QApplication.sendPostedEvents(dialog, QEvent.Type.DeferredDelete.value)
        graph = load_graph(tmp_path / f"mine{suffix}")
        assert (graph.n, graph.m) == (3, 3), suffix
        assert sorted(graph.weights.tolist()) == [1, 1, 10]
        named = suffix in (".npz", ".csv", ".tsv")
        assert {str(graph.id_of(v)) for v in range(3)} == ({*"SAB"} if named else {*"123"}) or (
            suffix == ".wel"
        )
    feature.save_as(str(tmp_path / "mine.graph"))  # METIS knows no direction
    assert window.session.notice.level == "error"
    window.actions_by_key["draw_use"].trigger()
    assert window.session.graph.provenance.origin == str(tmp_path / "mine.npz")


def opened(settings: Settings) -> MainWindow:
    window = MainWindow(settings, FakeHost())  # type: ignore[arg-type]
    window.show()
    window.build_plots()
    window.controller.show_graph(path_graph())
    return window


def test_the_drawing_is_kept(qapp: QApplication, tmp_path: Path, qtbot: QtBot) -> None:
    window = opened(Settings(tmp_path / "window.ini"))
    feature = window.features.draw
    assert window.docks["buckets"].isVisible()
    window.actions_by_key["draw"].trigger()
    figure_1(feature.model)
    drawn = feature.model.drawing
    assert not window.docks["buckets"].isVisible()
    window.session.set_graph(sample_graphs.make("figure_6"))  # something else is opened
    assert not feature.page.isVisible()
    assert window.docks["buckets"].isVisible()
    window.actions_by_key["draw"].trigger()
    assert feature.model.drawing == drawn
    # the graph shown comes into the drawing as a step
    window.actions_by_key["draw"].trigger()
    window.actions_by_key["draw_edit"].trigger()
    assert len(names(feature.model)) == 9
    assert "Undo" in feature.page.words.text()
    window.actions_by_key["undo"].trigger()
    assert feature.model.drawing == drawn
    close_for_good(window)
    # and it is there again next time; the docks were remembered as they stood before
    window = opened(Settings(tmp_path / "window.ini"))
    assert window.features.draw.model.drawing == drawn
    assert window.docks["buckets"].isVisible()
    window.actions_by_key["draw"].trigger()
    assert window.features.draw.page.name.text() == "Drawing"
    close_for_good(window)


def test_a_kept_page_that_is_broken_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / draw_files.LATEST).write_text('{"format": "sssp-scope drawing", "version": 7}')
    assert draw_files.latest(tmp_path) is None
    assert draw_files.latest(tmp_path / "nowhere") is None


def test_run_from_anywhere_is_of_the_drawing_and_waits_for_the_run_that_goes(
    feature: DrawFeature, window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    figure_1(feature.model)
    feature.model.set_source(feature.model.drawing.key_of_name["B"])
    qtbot.mouseClick(window.run_panel._run, LEFT)
    assert window.session.graph.name == "Drawing"
    assert window.session.graph.id_of(host.asked("run")[0].source) == "B"
    record = window.session.current
    # while it goes on, the drawing is changed and used again
    window.actions_by_key["draw"].trigger()
    feature.model.set_weight([feature.model.drawing.arcs[0].key], 2)
    feature.page.use_requested.emit()
    assert len(host.asked("run")) == 1
    assert host.asked("stop")
    trace = trace_of(window.session.graph, record.settings, "stopped")
    say(window.controller, host, RunFinished(record.run_id, trace))
    assert len(host.asked("run")) == 2
    assert window.session.graph.weights.tolist() == [2, 1, 1]
    assert not feature.page.isVisible()


def test_watch_shows_every_event_and_refuses_what_is_too_much(
    feature: DrawFeature, window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    say(window.controller, host, Ready(0, 0.0))
    feature.model.add_vertex(0, 200, "T")
    qtbot.mouseClick(feature.page.watch, LEFT)
    assert "0 arcs" in feature.page.words.text()
    figure_1(feature.model)
    qtbot.mouseClick(feature.page.watch, LEFT)
    assert window.docks["microscope"].isVisible()
    assert window.session.graph.n == 4
    assert [asked.probe for asked in host.asked("run")] == [3]


def test_it_can_be_presented(
    feature: DrawFeature, window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    figure_1(feature.model)
    before = {key for key, dock in window.docks.by_key.items() if dock.isVisible()}
    small = feature.page.canvas.height()
    window.features.present.begin()
    assert not any(dock.isVisible() for dock in window.docks.by_key.values())
    assert window.theme.name == "projector"
    assert feature.page.canvas.height() > small / 2
    window.activateWindow()
    feature.page.canvas.setFocus()
    qtbot.waitUntil(feature.page.canvas.hasFocus)
    qtbot.keyClick(feature.page.canvas, Key.Key_Return, CTRL)  # though the menus are hidden
    assert len(host.asked("run")) == 1
    assert not feature.page.isVisible()
    assert window.docks["timeline"].isVisible()
    window.features.present.end()
    assert window.theme.name == "light"
    shown = {key for key, dock in window.docks.by_key.items() if dock.isVisible()}
    assert before == {"run"}
    assert {"run", "buckets", "timeline"} <= shown
    # ended with the page open, all is as it was
    window.actions_by_key["draw"].trigger()
    window.features.present.begin()
    window.features.present.end()
    assert feature.page.isVisible()
    feature.leave()
    assert {key for key, dock in window.docks.by_key.items() if dock.isVisible()} == shown


@pytest.mark.parametrize("size", [(1024, 768), (700, 560)])
def test_it_fits_small_windows_and_large_text(
    feature: DrawFeature, window: MainWindow, qtbot: QtBot, size: tuple[int, int]
) -> None:
    figure_1(feature.model)
    page = feature.page
    window.resize(*size)
    for name in THEMES:
        window.set_theme(name)
        QApplication.processEvents()
        assert page.canvas.width() >= 160
        assert page.canvas.height() >= 120
        for button in (page.leave, page.watch, page.use):
            assert page.rect().contains(button.geometry()), (name, size)
            assert button.width() >= button.sizeHint().width()
        feature.fit()
        for key in "SAB":
            assert page.canvas.rect().contains(spot(page.canvas, key)), (name, key)


def test_it_fits_a_dock(qtbot: QtBot) -> None:
    model = DrawingModel()
    figure_1(model)
    page = DrawPage(model)
    qtbot.addWidget(page)
    page.apply_theme(THEMES["light"])
    page.resize(300, 520)
    page.show()
    QApplication.processEvents()
    page.resize(300, 520)  # now that it is arranged for little room
    assert page.width() <= scaled(300)
    assert page.split.orientation() == Qt.Orientation.Vertical
    for button in (page.leave, page.watch, page.use):
        assert page.rect().contains(button.geometry())
    page.resize(900, 520)
    assert page.split.orientation() == Qt.Orientation.Horizontal
