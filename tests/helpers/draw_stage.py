"""What the tests of drawing share: one window, an empty page for each test, a hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from screen import all_controls
from test_controller import FakeHost, path_graph, say
from test_window import close_for_good

from gpu.errors import EngineError
from gpu.host import Failed
from viewer.features.draw.canvas import DrawCanvas
from viewer.features.draw.drawing import EMPTY, DrawingModel
from viewer.features.draw.feature import DrawFeature
from viewer.main_window import MainWindow

LEFT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton
NONE, SHIFT, CTRL = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)
Key = Qt.Key


@pytest.fixture(scope="module")
def host() -> FakeHost:
    return FakeHost()


@pytest.fixture(scope="module")
def window(
    qapp: QApplication, tmp_path_factory: pytest.TempPathFactory, host: FakeHost
) -> Iterator[MainWindow]:
    """One window for all tests here: `feature` begins each anew."""
    window = MainWindow(all_controls(tmp_path_factory.mktemp("draw") / "w.ini"), host)  # type: ignore[arg-type]
    window.show()
    window.build_plots()
    for key in ("compare", "microscope", "workspace", "draw"):
        window.features[key]
    held = QApplication.topLevelWidgets()  # else pyqtgraph's own look new after each collection
    yield window
    del held
    close_for_good(window)


@pytest.fixture
def feature(window: MainWindow, host: FakeHost, qtbot: QtBot) -> DrawFeature:
    """The page, open and empty, the canvas in focus."""
    feature = window.features["draw"]
    window.features["microscope"]._wanted = False  # nothing is left of a recording
    if window.controller.running:
        say(window.controller, host, Failed(window.controller._run_id, EngineError("over")))
    feature.leave()
    window.resize(1280, 800)
    if window.theme.name != "light":
        window.set_theme("light")
    if not window.docks["work"].isVisible():
        window.docks.arrange("explore")
    window.controller.show_graph(path_graph())
    host.calls.clear()
    feature.model.start_with(EMPTY)
    window.actions_by_key["draw"].trigger()
    assert feature.page.isVisible()
    feature.fit()
    window.activateWindow()
    qtbot.waitUntil(feature.page.canvas.hasFocus)
    return feature


def place(canvas: DrawCanvas, x: float, y: float) -> QPoint:
    """Return the pixel of a place in the drawing's units (y up)."""
    pixel = canvas.camera.to_pixels(np.array([[x, y]]))[0]
    return QPointF(*pixel.tolist()).toPoint()


def spot(canvas: DrawCanvas, name: str, rim: bool = False) -> QPoint:
    """Return the middle of a vertex, or a pixel on its rim, to the lower left."""
    middle = canvas.layout_now.vertex_place(canvas.model.drawing.key_of_name[name])
    off = canvas.radius * 0.74 if rim else 0.0
    return (middle + QPointF(-off, off)).toPoint()


def drag(qtbot: QtBot, canvas: DrawCanvas, start: QPoint, end: QPoint, held: Any = NONE) -> None:
    qtbot.mousePress(canvas, LEFT, held, start)
    for k in range(1, 5):
        qtbot.mouseMove(canvas, start + (end - start) * (k / 4))
    qtbot.mouseRelease(canvas, LEFT, held, end)


def type_in(qtbot: QtBot, canvas: DrawCanvas, text: str, end: Any = Key.Key_Return) -> None:
    assert canvas.field.active
    qtbot.keyClicks(canvas.field, text)
    qtbot.keyClick(canvas.field, end)


def names(model: DrawingModel) -> list[str]:
    return [vertex.name for vertex in model.drawing.vertices]


def arcs(model: DrawingModel) -> list[str]:
    drawing = model.drawing
    return [f"{drawing.arc_words(arc)} {arc.weight:g}" for arc in drawing.arcs]


def figure_1(model: DrawingModel) -> None:
    s, a, b = (
        model.add_vertex(x, y, name) for name, x, y in (("S", -120, 0), ("A", 0, 90), ("B", 120, 0))
    )
    for tail, head, weight in ((s, a, 10), (s, b, 1), (b, a, 1)):
        model.add_arc(tail, head, weight)
