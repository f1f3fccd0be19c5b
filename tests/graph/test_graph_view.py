"""The graph view: colours at any moment, mouse and keys, both directions of each model."""

import pytest
from graph_stage import SIDE, Stage, grid_dist, grid_graph, make_trace
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QWheelEvent
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from screen import hover

from viewer.graph.colours import Moment, Scale, look_at
from viewer.models.session import RunRecord


@pytest.fixture
def streets(qtbot: QtBot) -> Stage:
    return Stage(qtbot, grid_graph())


def test_neutral_until_there_is_a_run(streets: Stage) -> None:
    assert streets.colour_at(100) == streets.table_colour("plain", 0)
    assert streets.view.legend.legend().title == "No run yet"
    streets.run(grid_dist(grid_graph()))
    assert streets.colour_at(100) != streets.table_colour("plain", 0)
    assert "Distance from 1" in streets.view.legend.legend().title


def test_distance_honours_the_cursor(streets: Stage) -> None:
    streets.session.set_source(SIDE * SIDE - 1)  # its ring would cover its colour
    streets.run(grid_dist(grid_graph()))
    vertex = 10 * SIDE + 10  # distance 100, first reached at 1000 ns
    later = streets.colour_at(vertex)
    for cursor, seen in ((999.0, False), (1000.0, True), (400.0, False), (1100.0, True)):
        streets.playback.set_cursor(cursor)
        expected = later if seen else streets.table_colour("distance", 0)
        assert streets.colour_at(vertex) == expected


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


def test_hover_finds_every_vertex(streets: Stage) -> None:
    for vertex in (0, 17, 31 * 7, SIDE * SIDE - 1):
        hover(streets.view, streets.place(vertex))
        assert streets.view.pointed == vertex
    hover(streets.view, QPoint(1, 1))
    assert streets.view.pointed == -1


def test_click_asks_for_a_source(streets: Stage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(streets.view.source_requested) as asked:
        qtbot.mouseClick(streets.view, Qt.MouseButton.LeftButton, pos=streets.place(123))
    assert asked.args == [123]
    assert streets.view.source == 0  # it asks; the model decides
    streets.session.set_source(123)
    assert streets.view.source == 123
    with qtbot.assertNotEmitted(streets.view.source_requested):
        qtbot.mouseClick(streets.view, Qt.MouseButton.LeftButton, pos=QPoint(1, 1))


def test_double_click_fits_and_chooses_what_it_is_on(streets: Stage, qtbot: QtBot) -> None:
    streets.view.source_requested.connect(streets.session.set_source)
    before = streets.view.camera
    streets.view.zoom(3)
    qtbot.mouseClick(streets.view, Qt.MouseButton.LeftButton, pos=QPoint(200, 150))
    chosen = streets.session.source
    assert chosen > 0
    qtbot.mouseDClick(streets.view, Qt.MouseButton.LeftButton, pos=QPoint(200, 150))
    assert streets.view.camera == before
    assert streets.session.source == chosen


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
    moved = streets.place(50) - place
    assert (moved.x(), moved.y()) == pytest.approx((view.width() / 4, view.height() / 4), abs=1.5)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert (streets.place(50) - place).manhattanLength() <= 2  # the middle stops at the rim
    for _ in range(9):
        qtbot.keyClick(view, Qt.Key.Key_Down)
    assert view.rect().contains(streets.place(0)), "the map does not leave the view"
    qtbot.keyClick(view, Qt.Key.Key_0)
    assert view.camera == fitted


def test_zoomed_in_it_paints_items_and_finds_them(streets: Stage) -> None:
    streets.run(grid_dist(grid_graph()))
    vertex = 12 * SIDE + 12
    place = streets.place(vertex)
    streets.view.zoom(12, place.x(), place.y())
    streets.settle()
    sheet = streets.view.picture.sheet
    assert sheet.scene.item_wise
    place = streets.place(vertex)
    assert streets.view.vertex_at(place.x() + 2, place.y() - 2) == vertex
    assert f"(of {SIDE * SIDE} in all)" in streets.view.drawn_text()
