"""The paper's central picture in three clicks, through the real engine process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import QEvent, Qt
from PyQt6.QtWidgets import QApplication, QComboBox, QToolButton
from pytestqt.qtbot import QtBot
from screen import all_controls

from gpu.algorithms import ALGORITHMS
from viewer.main_window import MainWindow

LEFT = Qt.MouseButton.LeftButton
PATIENCE_MS = 120_000  # the first run on a machine compiles the model
FIRST, RIVAL = list(ALGORITHMS.values())[:2]


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    window = MainWindow(all_controls(tmp_path / "window.ini"))
    window.resize(1280, 800)
    window.show()
    window.controller.start()
    window._frame.start()
    yield window
    window.close()
    assert not window.controller.host.alive
    window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    vars(window).clear()


def choose(box: QComboBox, words: str, qtbot: QtBot) -> None:
    """Open a chooser and click the row that says `words`."""
    box.showPopup()
    view = box.view()
    assert view is not None
    index = box.model().index(box.findText(words), 0)
    view.scrollTo(index)
    qtbot.mouseClick(view.viewport(), LEFT, pos=view.visualRect(index).center())


def test_three_clicks_to_the_central_picture(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: window.controller.ready, timeout=PATIENCE_MS)
    session = window.session
    choose(window.run_panel._graph, "City roads", qtbot)
    qtbot.waitUntil(lambda: session.graph is not None, timeout=PATIENCE_MS)
    qtbot.mouseClick(window.run_panel._run, LEFT)
    first = session.current
    qtbot.waitUntil(lambda: first.state == "finished", timeout=PATIENCE_MS)
    button = window.toolbar.widgetForAction(window.actions_by_key["compare_rival"])
    assert isinstance(button, QToolButton)
    qtbot.waitUntil(lambda: RIVAL.title in button.toolTip(), timeout=PATIENCE_MS)
    qtbot.mouseClick(button, LEFT)
    model, bar = window.comparison, window.features["compare"].bar
    qtbot.waitUntil(lambda: model.active and not model.b.running, timeout=PATIENCE_MS)
    qtbot.waitUntil(
        lambda: all(run.verification is not None for run in session.runs), timeout=PATIENCE_MS
    )
    assert (model.a, model.b) == (first, session.runs[1])
    assert (first.settings.algorithm, model.b.settings.algorithm) == (FIRST.key, RIVAL.key)
    assert f"{FIRST.title} finished " in bar.text()
    assert "modelled" in bar.text()
    assert "of the GPU busy" in bar.text()
    assert "not checked" not in bar.text()
    for plot in ("buckets", "delta", "parallelism", "work"):
        window.plots[plot].flush()
        assert window.plots[plot].comparing
    end = max(run.trace.time_ns for run in session.runs)
    assert window.playback.duration_ns == end
    second = window.features["compare"].view.second
    assert second.isVisible()
    assert second._session.current is model.b
    window.actions_by_key["to_end"].trigger()
    assert second._playback.cursor_ns == second._playback.duration_ns
    window.actions_by_key["align_share"].trigger()
    assert model.problem == ""
    assert window.playback.duration_ns == pytest.approx(first.trace.time_ns)
