"""The sweep panel as a person uses it: a real sweep by clicks, its points, cancel, bad values."""

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot
from screen import grabbed
from test_window_engine import LEFT, PATIENCE_MS, window

import sample_graphs
from viewer.main_window import MainWindow

__all__ = ["window"]  # the fixture, as it stands there


def test_a_sweep_by_menu_then_a_click_on_a_point_makes_that_run(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(1500, 950)
    window.controller.show_graph(sample_graphs.make("city_roads", n=1_200, seed=2))
    window.actions_by_key["sweep"].trigger()
    panel, model = window.panels["sweep"], window.sweep
    qtbot.waitUntil(lambda: not model.running, timeout=PATIENCE_MS)
    assert window.session.notice is None, window.session.notice
    found = model.findings
    assert found.best_work is not None
    assert found.controller is not None
    assert len(model.points) == 13
    assert "best time" in panel.words.text()
    assert panel.words.text() == panel.accessibleDescription()
    QApplication.processEvents()
    errors = np.array([point.distance_error for point in panel._shown])
    assert panel._curves["disorder"].getData()[1] == pytest.approx(np.log10(errors / errors.min()))
    image, ink = grabbed(panel.view), QColor(panel._theme.data.relaxed).rgb()
    drawn = [image.pixel(x, y) for x in range(image.width()) for y in range(image.height())]
    assert drawn.count(ink) > 200  # line and marks
    assert "disorder" in panel._legend.text()
    xs, ys = panel._curves["time"].getData()
    k = panel._shown.index(found.best_time)
    place = panel.view.mapFromScene(panel.plot.getViewBox().mapViewToScene(QPointF(xs[k], ys[k])))
    panel._hover(panel.view.mapToScene(QPoint(round(place.x()), round(place.y()))))
    assert "Click to run it" in QToolTip.text()
    QToolTip.hideText()
    qtbot.mouseClick(panel.view.viewport(), LEFT, pos=QPoint(round(place.x()), round(place.y())))
    record = window.session.current
    qtbot.waitUntil(lambda: record.state == "finished", timeout=PATIENCE_MS)
    assert record.settings.delta == found.best_time.delta
    assert record.trace.time_ns == found.best_time.time_ns
    name = window.session.graph.name
    window.controller.show_graph(sample_graphs.make("grid", n=100))
    assert f" on {name}: best time" in panel.words.text()  # whose sweep it is
    panel.run_requested.emit(found.best_time)
    assert "was made on" in window.session.notice.words


def test_cancel_and_values_that_are_none(window: MainWindow, qtbot: QtBot) -> None:
    window.controller.show_graph(sample_graphs.make("grid", n=900))
    window.features["sweep"]  # built after the first paint, or now
    panel = window.show_dock("sweep")
    qtbot.keyClicks(panel.values, "2, 8, many")
    qtbot.keyClick(panel.values, Qt.Key.Key_Return)
    assert "allowed: numbers" in window.session.notice.words
    panel.values.clear()
    qtbot.keyClicks(panel.values, "2 8")
    qtbot.mouseClick(panel.button, LEFT)
    model = window.sweep
    assert model.running
    assert panel.button.text() == "Cancel"
    qtbot.mouseClick(panel.button, LEFT)
    qtbot.waitUntil(lambda: not model.running, timeout=PATIENCE_MS)
    assert len(model.points) < 3
    assert panel.button.text() == "Sweep"
