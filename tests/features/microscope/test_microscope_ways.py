"""Ways into the microscope and out of it: what it waits for, asks, says, and puts back."""

from __future__ import annotations

from dataclasses import replace

from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot
from test_controller import FakeHost, say
from test_microscope import host, opened, recorded, window  # noqa: F401 (fixtures)

import gpu
from gpu.errors import EngineError
from gpu.graph import CSRGraph
from gpu.host import Failed, Progress, Ready, RunFinished
from gpu.record.trace import Trace
from sample_graphs import open_sample
from viewer.features.microscope.panel import MicroscopePanel
from viewer.main_window import MainWindow
from viewer.models.session import RunRecord

LEFT = Qt.MouseButton.LeftButton
FIGURE = "sample:figure_6"


def panel_of(window: MainWindow) -> MicroscopePanel:  # noqa: F811
    panel = window.docks["microscope"].widget()
    assert isinstance(panel, MicroscopePanel)
    return panel


def finish(window: MainWindow, host: FakeHost, graph: CSRGraph) -> RunRecord:  # noqa: F811
    """Answer the newest run that was asked for; return it."""
    record = window.session.runs[-1]
    settings = record.settings
    trace: Trace = gpu.run(
        graph, settings.algorithm, "model", source=settings.source, probe=settings.probe
    )
    say(window.controller, host, RunFinished(record.run_id, replace(trace, settings=settings)))
    return record


def test_a_graph_that_is_too_large_is_refused(
    window: MainWindow,  # noqa: F811
    host: FakeHost,  # noqa: F811
    qtbot: QtBot,
) -> None:
    say(window.controller, host, Ready(0, 0.1))
    window.controller.show_graph(open_sample("sample:grid?n=10000"))
    window.actions_by_key["microscope"].trigger()
    panel = panel_of(window)
    assert "every event is recorded of up to 20,000" in panel.problem.text()
    assert not host.asked("run")
    assert not panel.record.isVisible()
    qtbot.mouseClick(panel.example, LEFT)
    qtbot.waitUntil(lambda: len(host.asked("run")) == 1)
    assert window.session.graph.n == 9


def test_leaving_brings_back_the_keys_of_before(
    window: MainWindow,  # noqa: F811
    host: FakeHost,  # noqa: F811
    qtbot: QtBot,
) -> None:
    view = window.graph_view
    say(window.controller, host, Ready(0, 0.1))
    window.start_run()
    first = finish(window, host, window.session.graph)
    assert first.settings.device != "Classroom GPU"
    model = opened(window, host, qtbot)
    assert window.focusWidget() is panel_of(window)
    assert view.distances_now is not None
    for widget in (panel_of(window), view):
        widget.setFocus()
        at, camera = model.number, view.camera
        qtbot.keyClick(widget, Qt.Key.Key_Right)
        assert model.number == at + 1
        qtbot.keyClick(widget, Qt.Key.Key_Left)
        assert model.number == at
        assert view.camera == camera
    qtbot.keyClick(view, Qt.Key.Key_Space)
    assert model.playing
    assert not window.playback.playing
    qtbot.keyClick(view, Qt.Key.Key_Space)
    assert not model.playing
    qtbot.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert view.camera != camera
    window.actions_by_key["microscope_leave"].trigger()
    assert view.distances_now is None
    camera = view.camera
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.camera != camera
    window.timeline.setFocus()
    window.playback.set_cursor(0.0)
    qtbot.keyClick(window.timeline, Qt.Key.Key_Right)
    samples = window.session.current.samples
    assert window.playback.cursor_ns == samples["t_ns"][window.playback.sample_index] > 0


def test_both_panels_say_what_is_under_way(
    window: MainWindow,  # noqa: F811
    host: FakeHost,  # noqa: F811
    qtbot: QtBot,
) -> None:
    window.controller.start()
    window.actions_by_key["microscope"].trigger()
    panel, code = panel_of(window), window.docks["code"].widget()
    assert "Starting the engine" in panel.problem.text()
    say(window.controller, host, Ready(0, 0.1))
    record = window.session.runs[-1]
    for share in (-1.0, 0.25):
        say(window.controller, host, Progress(record.run_id, share, "compiling the model"))
        assert "Compiling the model" in panel.problem.text() == code.hint.text()
    assert not panel.record.isVisible()
    say(window.controller, host, Failed(record.run_id, EngineError("the engine broke")))
    assert panel.problem.text() == "the engine broke" == code.hint.text()
    assert panel.record.isVisible()
    qtbot.wait(50)
    assert len(host.asked("run")) == 1  # it is not tried again and again


def test_a_run_that_is_going_and_a_drawing_come_first(
    window: MainWindow,  # noqa: F811
    host: FakeHost,  # noqa: F811
) -> None:
    say(window.controller, host, Ready(0, 0.1))
    window.start_run()
    window.actions_by_key["microscope"].trigger()
    assert len(host.asked("run")) == 1
    assert "Another run is going on" in window.session.notice.words
    finish(window, host, window.session.graph)
    window.actions_by_key["microscope_leave"].trigger()
    window.actions_by_key["draw"].trigger()
    shown = {key for key, dock in window.docks.by_key.items() if dock.isVisible()}
    window.actions_by_key["microscope"].trigger()  # nothing vanishes, and it is said why
    assert {key for key, dock in window.docks.by_key.items() if dock.isVisible()} == shown
    assert "run the drawing first" in window.session.notice.words
    window.actions_by_key["draw"].trigger()
