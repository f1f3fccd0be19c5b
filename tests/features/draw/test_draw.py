"""The canvas of a drawing, by real clicks, drags and keys."""

from __future__ import annotations

import draw_stage
import numpy as np
import pytest
from draw_stage import (
    CTRL,
    LEFT,
    NONE,
    SHIFT,
    Key,
    arcs,
    drag,
    figure_1,
    names,
    place,
    spot,
    type_in,
)
from PyQt6.QtCore import QPoint
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from test_controller import FakeHost

from gpu.formats import load_graph
from viewer.features.draw.feature import DrawFeature
from viewer.main_window import MainWindow

host, window, feature = draw_stage.host, draw_stage.window, draw_stage.feature  # fixtures


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
    assert not feature.page.use.isEnabled()


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
    qtbot.keyClick(canvas, Key.Key_F2)
    type_in(qtbot, canvas, "4.5")
    assert arcs(model) == ["S' → B' 4.5"]
    assert "weight 4.5" in canvas.accessibleDescription()
    qtbot.keyClick(canvas, Key.Key_Tab)
    moved = model.drawing.by_key[model.current]
    for key in (Key.Key_Up, Key.Key_Up, Key.Key_Right):
        qtbot.keyClick(canvas, key)
    now = model.drawing.by_key[model.current]
    assert (now.x - moved.x, now.y - moved.y) == (10, 20)
    for _ in range(3):
        qtbot.keyClick(canvas, Key.Key_Z, CTRL)
    assert model.drawing.by_key[moved.key] == moved
    # E walks the edges, Tab leaves the canvas after the last vertex
    for _ in range(2):
        qtbot.keyClick(canvas, Key.Key_Backtab)
    qtbot.keyClick(canvas, Key.Key_E)
    assert len(model.selected_arcs) == 1
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
    # from an edge, Tab goes to its end, also where that is the last vertex
    model.select([], [model.drawing.arcs[1].key])
    qtbot.keyClick(canvas, Key.Key_Tab)
    assert canvas.hasFocus()
    assert model.drawing.by_key[model.current].name == "B"
    model.select([model.drawing.vertices[0].key])
    qtbot.keyClick(canvas, Key.Key_Return)
    type_in(qtbot, canvas, "A")
    assert "already" in canvas.field.problem
    qtbot.mouseClick(canvas, LEFT, NONE, place(canvas, 0, -150))
    assert names(model) == ["S", "A", "B"]
