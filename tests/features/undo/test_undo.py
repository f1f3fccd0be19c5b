"""Undo and redo of what a person sets, by keys, in the window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6 import sip
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication, QSpinBox, QWidget
from pytestqt.qtbot import QtBot
from test_controller import FakeHost, path_graph, say, trace_of
from test_window import close_for_good

from gpu.host import RunFinished, RunStarted
from viewer.main_window import MainWindow
from viewer.models.settings import Settings

Key, Held = Qt.Key, Qt.KeyboardModifier
BOTH = Held.ControlModifier | Held.ShiftModifier


@pytest.fixture
def host() -> FakeHost:
    return FakeHost()


@pytest.fixture
def window(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, host: FakeHost
) -> Iterator[MainWindow]:
    window = MainWindow(Settings(tmp_path / "window.ini"), host)  # type: ignore[arg-type]
    window.show()
    window.controller.show_graph(path_graph())
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    while window.features.install_next():
        pass
    window.enable_actions()
    yield window
    window.choose_theme("light")
    close_for_good(window)


def undo(qtbot: QtBot, window: MainWindow, where: QWidget | None = None) -> None:
    qtbot.keyClick(where or window, Key.Key_Z, Held.ControlModifier)


def redo(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.keyClick(window, Key.Key_Z, BOTH)


def run_once(window: MainWindow, host: FakeHost) -> int:
    window.start_run()
    record = window.session.runs[-1]
    trace = trace_of(window.session.graph, record.settings)
    say(window.controller, host, RunStarted(record.run_id), RunFinished(record.run_id, trace))
    return record.run_id


def test_nothing_to_undo_at_first(window: MainWindow) -> None:
    assert not window.actions_by_key["undo"].isEnabled()
    assert not window.actions_by_key["redo"].isEnabled()


def test_a_typed_source_is_one_step_also_with_the_focus_in_its_field(
    window: MainWindow, qtbot: QtBot
) -> None:
    field, graph = window.run_panel._source, window.session.graph
    before = window.session.source
    wanted = (before + 1) % graph.n
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, str(graph.id_of(wanted)))
    qtbot.keyClick(field, Key.Key_Return)
    assert window.session.source == wanted
    assert window.actions_by_key["undo"].text() == "&Undo source"
    undo(qtbot, window, field)
    assert window.session.source == before
    assert field.text() == str(graph.id_of(before))
    redo(qtbot, window)
    assert window.session.source == wanted
    assert not window.actions_by_key["redo"].isEnabled()


def test_typing_belongs_to_the_field_until_it_is_taken(window: MainWindow, qtbot: QtBot) -> None:
    window.choose_theme("dark")
    field = window.run_panel._source
    field.setFocus()
    text = field.text()
    qtbot.keyClicks(field, "7")
    undo(qtbot, window, field)
    assert field.text() == text
    assert window.theme.name == "dark"
    undo(qtbot, window, field)
    assert window.theme.name == "light"


def test_quick_changes_of_one_field_are_one_step(window: MainWindow, qtbot: QtBot) -> None:
    panel = window.run_panel
    qtbot.mouseClick(panel._automatic, Qt.MouseButton.LeftButton)
    stack = window.features["undo"].stack
    before = (stack.count(), panel.choices().delta)
    panel._probe.setFocus()
    panel._delta.setFocus()
    for _ in range(3):
        qtbot.keyClick(panel._delta, Key.Key_Up)
    assert panel.choices().delta == 8 * before[1]
    assert stack.count() == before[0] + 1
    panel._probe.setFocus()
    panel._delta.setFocus()
    qtbot.keyClick(panel._delta, Key.Key_Up)
    assert stack.count() == before[0] + 2
    undo(qtbot, window)
    undo(qtbot, window)
    assert panel.choices().delta == before[1]


def test_choices_colours_theme_and_layout_come_back_in_order(
    window: MainWindow, qtbot: QtBot
) -> None:
    panel, actions = window.run_panel, window.actions_by_key
    first = panel.choices()
    others = [i for i in range(panel._algorithm.count()) if i != panel._algorithm.currentIndex()]
    panel._algorithm.setCurrentIndex(others[0])
    assert actions["undo"].text() == "&Undo algorithm"
    actions.menu("colour_by").actions()[1].trigger()
    actions["theme_projector"].trigger()
    actions["layout_present"].trigger()
    assert not window.docks["run"].isVisible()
    for text in ("layout", "theme", "colouring", "algorithm"):
        assert actions["undo"].text() == f"&Undo {text}"
        undo(qtbot, window)
    assert window.docks["run"].isVisible()
    assert window.docks.arrangement == "explore"
    assert actions["layout_explore"].isChecked()
    assert (window.theme.name, window.graph_view.colour_by) == ("light", "distance")
    assert panel.choices().algorithm == first.algorithm
    for _ in range(4):
        redo(qtbot, window)
    assert window.theme.name == "projector"
    assert panel.choices().algorithm == panel._algorithm.itemData(others[0])
    assert window.docks.arrangement == "present"


def test_runs_shown_are_undone_but_not_runs_made(
    window: MainWindow, qtbot: QtBot, host: FakeHost
) -> None:
    one, two = run_once(window, host), run_once(window, host)
    assert not window.actions_by_key["undo"].isEnabled()
    session, model = window.session, window.comparison
    session.set_current(session.run_by_id(one))
    model.compare_with(session.run_by_id(two))
    assert (model.a.run_id, model.b.run_id) == (one, two)
    undo(qtbot, window)
    assert model.b is None
    undo(qtbot, window)
    assert session.current.run_id == two
    redo(qtbot, window)
    redo(qtbot, window)
    assert (model.a.run_id, model.b.run_id) == (one, two)


def test_another_graph_has_other_sources(window: MainWindow, qtbot: QtBot) -> None:
    window.choose_theme("dark")
    window.controller.set_source(1)
    window.controller.show_graph(path_graph(9))
    source = window.session.source
    undo(qtbot, window)
    assert window.session.source == source
    assert window.theme.name == "light"
    assert not window.actions_by_key["undo"].isEnabled()


def test_a_field_that_went_without_a_word_is_let_go(window: MainWindow) -> None:
    feature = window.features["undo"]
    field = QSpinBox()
    feature._follow_focus(None, field)  # type: ignore[attr-defined]
    field.blockSignals(True)
    sip.delete(field)
    feature._follow_focus(None, None)  # type: ignore[attr-defined]
    assert feature._field is None  # type: ignore[attr-defined]
