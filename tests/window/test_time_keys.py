"""Time travel in the whole window: menus, keys from anywhere, what is remembered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import numpy as np
import pytest
from panel_stage import make_record, make_samples, make_trace
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from test_controller import FakeHost
from test_window import close_for_good

from gpu.graph import CSRGraph
from viewer.main_window import MainWindow
from viewer.models.session import RunRecord
from viewer.models.settings import Settings
from viewer.plots.timeline import Timeline

CTRL = Qt.KeyboardModifier.ControlModifier


def opened(settings: Settings, host: FakeHost) -> MainWindow:
    window = MainWindow(settings, host)  # type: ignore[arg-type]
    window.show()
    window.build_plots()
    return window


@pytest.fixture
def window(qapp: QApplication, settings: Settings, host: FakeHost) -> Iterator[MainWindow]:
    window = opened(settings, host)
    yield window
    close_for_good(window)


def test_rows_and_keys_of_time_move_the_same_things(window: MainWindow, qtbot: QtBot) -> None:
    with_changes(window)
    playback, actions = window.playback, window.actions_by_key
    timeline = cast(Timeline, window.timeline)
    actions["to_end"].trigger()
    assert playback.cursor_ns == playback.duration_ns
    qtbot.keyClick(timeline, Qt.Key.Key_Home)
    assert playback.cursor_ns == 0
    before = playback.speed
    actions["slower"].trigger()
    assert playback.speed == before / 2
    actions["faster"].trigger()
    assert playback.speed == before
    actions["to_start"].trigger()
    actions["mark_forward"].trigger()
    assert playback.cursor_ns in timeline.marks.stops_at().tolist()


def test_keys_reach_the_timeline_from_the_graph(window: MainWindow, qtbot: QtBot) -> None:
    with_changes(window)
    camera = window.graph_view.camera
    window.playback.set_cursor(0)
    qtbot.keyClick(window.graph_view, Qt.Key.Key_Right, CTRL)  # Ctrl+arrow: not a pan
    assert window.graph_view.camera == camera
    assert window.playback.cursor_ns > 0
    qtbot.keyClick(window.graph_view, Qt.Key.Key_End)
    assert window.playback.cursor_ns == window.playback.duration_ns


def with_changes(window: MainWindow) -> None:
    """Show a finished run with marks; its vertices are not those of a graph on screen."""
    window.controller.show_graph(grid())
    window.session.add_run(RunRecord.from_trace(1, make_trace(make_samples(), make_record())))
    window.timeline.flush()


def grid() -> CSRGraph:
    places = np.stack(np.meshgrid(np.arange(5), np.arange(5)), -1).reshape(-1, 2)
    ends = np.arange(24), np.arange(1, 25)
    weights = np.ones(24, np.int32)
    return CSRGraph.from_arcs(*ends, weights, 25, positions=places.astype(np.float32))
