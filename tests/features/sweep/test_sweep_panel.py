"""The sweep panel as a person uses it: a real sweep by clicks, its points, cancel, bad values."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import dask_stage
import pytest
from page_stage import Parts
from PyQt6.QtCore import QEvent, QPoint, Qt
from PyQt6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot
from screen import grabbed

import sample_graphs
from gpu.study import cluster, cluster_tasks
from gpu.study.sweep import measure
from viewer.common.theme import THEMES
from viewer.features.sweep.panel import SweepPanel
from viewer.main_window import MainWindow
from viewer.models.settings import Settings

LEFT = Qt.MouseButton.LeftButton
PATIENCE_MS = 120_000


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    window = MainWindow(Settings(tmp_path / "window.ini"))
    window.resize(1500, 950)
    window.show()
    window.controller.start()
    window.controller.show_graph(sample_graphs.make("city_roads", n=1_200, seed=2))
    yield window
    window.close()
    assert not window.sweep.running
    window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    vars(window).clear()


def swept(window: MainWindow, qtbot: QtBot) -> SweepPanel:
    """Ask by the menu's action, as a person would, and wait for the whole curve."""
    window.actions_by_key["sweep"].trigger()
    panel = window.panels["sweep"]
    model = window.sweep
    qtbot.waitUntil(lambda: not model.running, timeout=PATIENCE_MS)
    assert window.session.notice is None, window.session.notice
    return panel


def test_a_sweep_by_menu_then_a_click_on_a_point_makes_that_run(
    window: MainWindow, qtbot: QtBot
) -> None:
    panel = swept(window, qtbot)
    model = window.sweep
    found = model.findings
    assert found.best_time is not None
    assert found.best_work is not None
    assert found.controller is not None
    assert len(model.points) == 13
    assert "Best time" in panel.words.text()
    assert panel.words.text() == panel.accessibleDescription()
    QApplication.processEvents()
    place, high = panel.place_of(found.best_time), panel.view.height()
    panel._hover(panel.view.mapToScene(QPoint(round(place.x()), round(place.y()))))
    assert "Click to run it" in panel.words.text()
    QApplication.processEvents()
    assert panel.view.height() == high, "less is said of a point, and it stays under the pointer"
    qtbot.mouseClick(panel.view.viewport(), LEFT, pos=QPoint(round(place.x()), round(place.y())))
    record = window.session.current
    assert record is not None
    qtbot.waitUntil(lambda: record.state == "finished", timeout=PATIENCE_MS)
    assert record.trace is not None
    assert record.settings.delta == found.best_time.delta
    assert record.trace.time_ns == found.best_time.time_ns
    window.controller.show_graph(sample_graphs.make("grid", n=100))
    panel.run_requested.emit(found.best_time)
    assert window.session.notice is not None
    assert "was made on" in window.session.notice.words


def test_another_knob_cancel_and_values_that_are_none(window: MainWindow, qtbot: QtBot) -> None:
    window.features["sweep"]  # built after the first paint, or now
    panel = window.show_dock("sweep")
    assert isinstance(panel, SweepPanel)
    titles = {panel.knob.itemData(k) for k in range(panel.knob.count())}
    assert {"delta", "c", "buckets", "workers", "open_heads"} <= titles
    panel.knob.setCurrentIndex(panel.knob.findData("buckets"))
    qtbot.keyClicks(panel.values, "2, 8, many")
    qtbot.keyClick(panel.values, Qt.Key.Key_Return)
    assert window.session.notice is not None
    assert "allowed: numbers" in window.session.notice.words
    panel.values.clear()
    qtbot.keyClicks(panel.values, "2, 8")
    qtbot.mouseClick(panel.button, LEFT)
    model = window.sweep
    assert model.running
    assert panel.button.text() == "Cancel"
    qtbot.mouseClick(panel.button, LEFT)
    qtbot.waitUntil(lambda: not model.running, timeout=PATIENCE_MS)
    assert len(model.points) < 3
    assert panel.button.text() == "Sweep"


def test_workers_of_a_cluster_make_the_runs_and_one_may_die(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    monkeypatch.setattr(cluster_tasks, "HEAR_S", 0.02)
    panel = window.show_dock("sweep")
    assert isinstance(panel, SweepPanel)
    model, told, killed = window.sweep, set[str](), list[int]()
    panel.values.setText(", ".join(str(value) for value in range(20, 600, 10)))
    qtbot.keyClicks(panel.cluster, "local:2")
    before = _children()

    def look() -> None:
        told.update(panel.workers.item(row).text() for row in range(panel.workers.count()))
        workers = _workers(before)
        if len(model.points) > 2 and len(workers) > 1 and not killed:
            killed.append(workers[0])
            os.kill(killed[0], signal.SIGKILL)

    model.workers_changed.connect(look)
    qtbot.keyClick(panel.cluster, Qt.Key.Key_Return)
    assert not panel.cluster.isEnabled()
    qtbot.waitUntil(lambda: not model.running, timeout=PATIENCE_MS)
    assert window.session.notice is None
    assert killed
    assert any(words.startswith("worker 0: ") and "under way" in words for words in told), told
    assert any(words.startswith("worker 1: ") for words in told), told
    assert not panel.workers.isVisible()
    plan = model.plan
    assert plan is not None
    found = model.points
    assert [point.value for point in found] == [None, *plan.values]
    graph = window.session.graph
    assert graph is not None
    assert found[1:3] == [measure(graph, plan, value) for value in plan.values[:2]]


def test_a_cluster_is_cancelled_warned_of_and_refused(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    panel = window.show_dock("sweep")
    assert isinstance(panel, SweepPanel)
    model = window.sweep
    panel.cluster.setText("nobody:7")
    qtbot.mouseClick(panel.button, LEFT)
    qtbot.waitUntil(lambda: not model.running, timeout=PATIENCE_MS)
    assert window.session.notice is not None
    assert "allowed: local:N" in window.session.notice.words
    panel.cluster.setText("local:1")
    panel.values.setText(", ".join(str(value) for value in range(20, 1000)))
    qtbot.mouseClick(panel.button, LEFT)
    qtbot.waitUntil(lambda: len(model.points) > 1, timeout=PATIENCE_MS)
    qtbot.mouseClick(panel.button, LEFT)
    assert model.cancelling
    assert not panel.button.isEnabled()
    qtbot.waitUntil(lambda: not model.running, timeout=PATIENCE_MS)
    assert panel.button.isEnabled()
    assert 1 < len(model.points) < 900
    monkeypatch.setattr(cluster, "is_open", lambda _address: True)
    panel.values.setText("50, 100")
    with dask_stage.scheduler() as (address, _process):
        panel.cluster.setText(address)
        qtbot.mouseClick(panel.button, LEFT)
        qtbot.waitUntil(lambda: not model.running, timeout=PATIENCE_MS)
    assert len(model.points) == 3
    assert window.session.notice.level == "warning"
    assert "not encrypted" in window.session.notice.words


def _children() -> set[int]:
    """Return every process below this one."""
    import psutil  # Dask brings it

    return {child.pid for child in psutil.Process().children(recursive=True)}


def _workers(before: set[int]) -> list[int]:
    """Return the workers of Dask: what was begun since by spawn."""
    import psutil

    found = []
    for pid in _children() - before:
        with suppress(psutil.Error):  # it goes just now
            if "spawn_main" in " ".join(psutil.Process(pid).cmdline()):
                found.append(pid)
    return found


def test_a_sweep_leaves_as_a_page(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    panel = window.show_dock("sweep")
    assert isinstance(panel, SweepPanel)
    panel.values.setText("50, 400")
    qtbot.mouseClick(panel.button, LEFT)
    qtbot.waitUntil(lambda: not window.sweep.running, timeout=PATIENCE_MS)
    points = {point.value: point.time_ns for point in window.sweep.points if point.value}
    path = tmp_path / "sweep.html"
    window.actions_by_key["sweep_page"].trigger()
    dialog = window.findChild(QFileDialog)
    assert dialog is not None
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    qtbot.waitUntil(path.exists, timeout=PATIENCE_MS)
    told = Parts(path.read_text(encoding="utf-8")).tree()["sweep"]["points"]
    assert {point["value"]: point["time_ns"] for point in told} == points
    notice = window.session.notice
    qtbot.waitUntil(lambda: window.session.notice is not None)
    assert notice is None or "Saved" in notice.words


@pytest.mark.parametrize("theme", list(THEMES))
def test_a_narrow_panel_of_each_theme_draws(window: MainWindow, qtbot: QtBot, theme: str) -> None:
    panel = window.show_dock("sweep")
    assert isinstance(panel, SweepPanel)
    panel.values.setText("50, 400, 3000")
    qtbot.mouseClick(panel.button, LEFT)
    qtbot.waitUntil(lambda: not window.sweep.running, timeout=PATIENCE_MS)
    panel.apply_theme(THEMES[theme])
    panel.setParent(None)
    panel.resize(300, 320)
    image = grabbed(panel)
    seen = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(60, 200)}
    assert {THEMES[theme].data.time, THEMES[theme].data.work} <= seen
    panel.deleteLater()
