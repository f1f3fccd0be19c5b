"""Be the scheduler, in a window with its engine process: clicks, keys, what is shown, leaving."""

import pytest
from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot

import gpu
import sample_graphs
from viewer.features.draw.graph import from_graph
from viewer.features.play import PlayPanel
from viewer.main_window import MainWindow
from viewer.models.session import RunRecord

Key = Qt.Key
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(autouse=True)
def _figure_1(window: MainWindow) -> None:
    window.resize(1280, 800)
    window.controller.show_graph(sample_graphs.make("figure_1"))


def opened(window: MainWindow, qtbot: QtBot) -> PlayPanel:
    window.actions_by_key["be_scheduler"].trigger()
    panel = window.panels["play"]
    qtbot.waitUntil(lambda: panel.game is not None and bool(panel.others), timeout=60_000)
    return panel


def rows(panel: PlayPanel) -> list[str]:
    return [panel.list.item(row).text() for row in range(panel.list.count())]


def test_a_game_with_keys_alone(window: MainWindow, qtbot: QtBot) -> None:
    panel = opened(window, qtbot)
    assert panel.scores.item(3, 0).text() == "Bellman-Ford"
    assert rows(panel) == ["S at 0, bucket 0"]
    qtbot.keyClick(panel.list, Key.Key_Return)
    assert [row.partition(",")[0] for row in rows(panel)] == ["B at 1", "A at 10"]
    qtbot.keyClick(panel.list, Key.Key_H)
    assert panel.words.text() == "The closest waiting vertex is B at 1."
    qtbot.keyClick(panel.list, Key.Key_Down)
    qtbot.keyClick(panel.list, Key.Key_Return)
    assert "1 waiting vertex closer than A, by up to 9" in panel.list.accessibleDescription()
    qtbot.keyClick(panel.list, Key.Key_Backspace)
    window.actions_by_key["draw"].trigger()
    assert panel.game is None
    window.back()
    qtbot.waitUntil(lambda: window.focusWidget() is panel.list)
    assert len(panel.game.pops) == 1  # a drawing lay over the game
    scores = []
    panel.finished.connect(scores.append)
    qtbot.keyClick(panel.list, Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(panel.list, Key.Key_Return)
    qtbot.waitUntil(lambda: bool(scores), timeout=60_000)
    assert panel.words.text().startswith("Every distance is proved right. You processed 3 ")
    assert scores[0].processed == 3
    panel.buttons["Show me the difference"].click()
    assert panel.words.text().startswith("So far yours is Dijkstra's order")
    qtbot.mouseClick(panel.buttons["Play again"], Qt.MouseButton.LeftButton)
    assert panel.window().focusWidget() is panel.list
    window.back()
    assert not panel.isVisible()
    assert window.graph_view.distances_now is None


def test_clicks_take_what_waits_and_choose_a_source_again_afterwards(
    window: MainWindow, qtbot: QtBot
) -> None:
    panel, view = opened(window, qtbot), window.graph_view
    graph = window.session.graph
    view.flush()

    def click(name: str) -> None:
        place = view.place_of(graph.vertex_of(name))
        assert place is not None
        qtbot.mouseClick(view, LEFT, pos=place.toPoint())

    click("A")
    assert panel.words.text().startswith("A does not wait. The closest waiting vertex is S at 0")
    click("S")
    click("A")
    view.flush()
    view.grab()  # rings are painted
    assert window.focusWidget() is panel.list
    assert [pop.dist for pop in panel.game.pops] == [0, 10]
    assert window.session.source == graph.vertex_of("S")
    assert view._names([graph.vertex_of("A")]).distances == {graph.vertex_of("A"): "10"}
    window.back()
    view.flush()
    click("B")
    assert window.session.source == graph.vertex_of("B")
    assert opened(window, qtbot).game.source == graph.vertex_of("B")


def test_a_large_graph_is_refused_and_a_drawing_is_played(window: MainWindow, qtbot: QtBot) -> None:
    window.controller.show_graph(sample_graphs.make("les_miserables"))
    window.actions_by_key["be_scheduler"].trigger()
    panel = window.panels["play"]
    qtbot.waitUntil(lambda: "77 vertices" in panel.words.text())
    assert not panel.list.isVisible()
    draw = window.features["draw"]
    draw.model.start_with(from_graph(sample_graphs.make("figure_6")))
    draw.show()
    assert opened(window, qtbot).game.graph.n == 9
    assert not window.session.runs


def test_the_next_start_shows_the_panels_of_before(window: MainWindow, qtbot: QtBot) -> None:
    before = window.docks.arrangement
    opened(window, qtbot)
    assert window.docks.arrangement != before
    window.close()
    assert window.docks.arrangement == before
    assert not window.docks["play"].isVisible()


def test_a_game_from_the_microscope_gives_the_pair_back(window: MainWindow, qtbot: QtBot) -> None:
    graph = window.session.graph
    for number, key in enumerate(("near_far", "adds"), 1):
        window.session.add_run(RunRecord.from_trace(number, gpu.run(graph, key)))
    b, a = window.session.runs
    window.comparison.compare_with(b)
    window.actions_by_key["microscope"].trigger()
    qtbot.waitUntil(lambda: window.session.current is not a, timeout=60_000)  # recorded anew
    opened(window, qtbot)
    window.back()
    assert (window.session.current, window.comparison.b) == (a, b)
