"""Notes on the map, and the menu of a vertex."""

from graph_stage import Stage, grid_dist, grid_graph
from PyQt6.QtGui import QContextMenuEvent
from PyQt6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot
from screen import grabbed

from gpu.record.notes import Note
from viewer.models.notes import Pin


def test_a_note_is_seen_on_the_map_and_in_the_card(qtbot: QtBot) -> None:
    graph = grid_graph()
    stage = Stage(qtbot, graph)
    stage.run(grid_dist(graph))
    stage.view.flush()
    before = grabbed(stage.view)
    stage.session.notes.pin(Pin(Note("the corner", vertex=435), 0, graph.hash))
    assert grabbed(stage.view) != before
    stage.view.pointed = 435
    assert "the corner" in stage.view._card()
    stage.session.notes.pin(Pin(Note("of another graph", vertex=435), 0, "another"))
    assert "another" not in stage.view._card()


def test_the_menu_of_a_vertex_starts_there_and_shows_the_path(qtbot: QtBot) -> None:
    graph = grid_graph()
    stage = Stage(qtbot, graph)
    stage.run(grid_dist(graph))
    stage.view.flush()
    stage.view.repaint()
    place = stage.view.place_of(77)
    at = place.toPoint()
    reason = QContextMenuEvent.Reason.Mouse
    event = QContextMenuEvent(reason, at, stage.view.mapToGlobal(at))
    QApplication.sendEvent(stage.view, event)
    menu = stage.view.findChild(QMenu)
    texts = [action.text() for action in menu.actions()]
    assert texts[:3] == ["Vertex 78", "&Start from here", "Shortest &path to here"]
    with qtbot.waitSignal(stage.view.path_changed):
        menu.actions()[2].trigger()
    menu.close()
    path = stage.view.path
    arcs = len(path.vertices) - 1
    assert path.length == 5 * arcs == grid_dist(graph)[77]
    assert f"shortest path to 78: length {path.length:g} · {arcs} edges" in stage.view.map_text()
    assert stage.view.map_text() == stage.view.accessibleDescription()
    chosen: list[int] = []
    stage.view.source_requested.connect(chosen.append)
    again = stage.view.vertex_menu(5)
    again.actions()[1].trigger()
    assert chosen == [5]
    forget = next(action for action in again.actions() if "Forget" in action.text())
    forget.trigger()
    assert stage.view.path is None
    again.deleteLater()
