"""Back to the view before and forward again: one step a movement, nothing for what moves alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QMouseEvent, QWheelEvent
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from test_controller import FakeHost, path_graph
from whole_window import finished_run, whole_window

from gpu.record.trace import Trace
from viewer.features.history.feature import LIMIT, HistoryFeature
from viewer.main_window import MainWindow
from viewer.models.session import RunRecord

Key, Held = Qt.Key, Qt.KeyboardModifier


@pytest.fixture
def host() -> FakeHost:
    return FakeHost()


@pytest.fixture
def window(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, host: FakeHost
) -> Iterator[MainWindow]:
    with whole_window(qtbot, tmp_path, host, (1000, 700)) as window:
        run_once(window, host)
        window.graph_view.flush()
        yield window


def run_once(window: MainWindow, host: FakeHost) -> RunRecord:
    return finished_run(window, host, slower)


def slower(trace: Trace) -> Trace:
    trace.samples["t_ns"] *= 1000
    return trace


def history_of(window: MainWindow) -> HistoryFeature:
    part = window.features["history"]
    assert isinstance(part, HistoryFeature)
    return part


def rest(window: MainWindow) -> None:
    """Let a movement be over, without waiting for the clock."""
    history_of(window)._rest.timeout.emit()


def back(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(window, Key.Key_Left, Held.AltModifier)


def forward(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(window, Key.Key_Right, Held.AltModifier)


def test_zooms_of_plots_and_map_go_back_and_forward_in_order(
    window: MainWindow, qtbot: QtBot
) -> None:
    playback, view = window.playback, window.graph_view
    assert not window.actions_by_key["look_back"].isEnabled()
    playback.set_view(100_000.0, 300_000.0)
    rest(window)
    view.zoom(4.0)
    rest(window)
    zoomed = view.sight
    assert zoomed is not None
    playback.set_view(150_000.0, 200_000.0)
    back(window, qtbot)  # at once: the movement is over by that
    assert playback.view_ns == (100_000.0, 300_000.0)
    assert view.sight == zoomed
    back(window, qtbot)
    assert view.sight is None
    assert not playback.fitted
    back(window, qtbot)
    assert playback.fitted
    assert not window.actions_by_key["look_back"].isEnabled()
    back(window, qtbot)
    forward(window, qtbot)
    assert playback.view_ns == (100_000.0, 300_000.0)
    forward(window, qtbot)
    assert view.sight == zoomed
    forward(window, qtbot)
    assert playback.view_ns == (150_000.0, 200_000.0)
    assert not window.actions_by_key["look_forward"].isEnabled()


def test_a_drag_and_a_turn_of_the_wheel_are_one_step_each(window: MainWindow, qtbot: QtBot) -> None:
    view = window.graph_view
    where = QPointF(200, 150)
    for _ in range(5):
        none = Qt.MouseButton.NoButton
        phase = Qt.ScrollPhase.NoScrollPhase
        turn = QWheelEvent(
            where, view.mapToGlobal(where), QPoint(), QPoint(0, 120), none,
            Held.NoModifier, phase, False,
        )  # fmt: skip
        QApplication.sendEvent(view, turn)
    rest(window)
    zoomed = view.sight
    left, kinds = Qt.MouseButton.LeftButton, QMouseEvent.Type
    path = [where + QPointF(12 * k, 0) for k in range(6)]
    steps = [kinds.MouseButtonPress, *[kinds.MouseMove] * 4, kinds.MouseButtonRelease]
    for kind, at in zip(steps, path, strict=True):
        button = Qt.MouseButton.NoButton if kind == kinds.MouseMove else left
        held = Qt.MouseButton.NoButton if kind == kinds.MouseButtonRelease else left
        event = QMouseEvent(kind, at, view.mapToGlobal(at), button, held, Held.NoModifier)
        QApplication.sendEvent(view, event)
    rest(window)
    assert view.sight != zoomed
    back(window, qtbot)
    assert view.sight == zoomed
    back(window, qtbot)
    assert view.sight is None


def test_a_new_view_ends_what_lay_ahead(window: MainWindow, qtbot: QtBot) -> None:
    playback = window.playback
    playback.set_view(0.0, 200_000.0)
    rest(window)
    back(window, qtbot)
    assert window.actions_by_key["look_forward"].isEnabled()
    playback.set_view(100_000.0, 200_000.0)
    rest(window)
    assert not window.actions_by_key["look_forward"].isEnabled()


def test_what_moves_by_itself_is_no_step(window: MainWindow, qtbot: QtBot) -> None:
    playback, view = window.playback, window.graph_view
    window.resize(900, 650)
    playback.set_cursor(100.0)
    assert not window.actions_by_key["look_back"].isEnabled()
    playback.set_view(0.0, 100_000.0)
    rest(window)
    playback.set_cursor(300_000.0)  # the window of time follows
    followed = playback.view_ns
    assert followed != (0.0, 100_000.0)
    view.zoom(3.0)
    rest(window)
    back(window, qtbot)
    assert view.sight is None
    assert playback.view_ns == followed
    back(window, qtbot)
    assert playback.fitted


def test_how_runs_are_seen_and_edges_go_back_too(
    window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    window.comparison.set_view("single")
    rest(window)
    window.actions_by_key["edges"].trigger()
    rest(window)
    assert not window.graph_view.picture.edges
    back(window, qtbot)
    assert window.graph_view.picture.edges
    assert window.actions_by_key["edges"].isChecked()
    back(window, qtbot)
    assert window.comparison.view == "split"
    qtbot.keyClick(window.graph_view, Key.Key_Left, Held.AltModifier)  # nothing is left
    assert window.graph_view.sight is None  # and the map takes no such arrow


def test_another_graph_begins_anew_and_another_run_keeps_its_own_time(
    window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    window.playback.set_view(0.0, 100_000.0)
    rest(window)
    window.graph_view.zoom(2.0)
    rest(window)
    run_once(window, host)
    assert window.playback.fitted
    back(window, qtbot)
    assert window.graph_view.sight is None
    assert window.playback.fitted
    window.controller.show_graph(path_graph(6))
    window.enable_actions()
    assert not window.actions_by_key["look_back"].isEnabled()
    assert not window.actions_by_key["look_forward"].isEnabled()


def test_there_is_an_end_to_it(window: MainWindow, qtbot: QtBot) -> None:
    for step in range(LIMIT + 20):
        window.playback.set_view(1000.0 * step, 1000.0 * step + 5000.0)
        rest(window)
    assert len(history_of(window)._past) == LIMIT
    for _ in range(LIMIT + 20):
        back(window, qtbot)
    assert not window.playback.fitted
    assert len(history_of(window)._future) == LIMIT
