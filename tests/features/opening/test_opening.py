"""What the window opens on: a recorded pair, its graph to come, runs made here instead of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from screen import grabbed
from test_controller import FakeHost, say
from test_window import close_for_good

from gpu.graph import CSRGraph
from gpu.host import GraphLoaded
from sample_graphs import open_sample
from viewer.features import opening as module
from viewer.main_window import MainWindow
from viewer.models.settings import Settings

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path, host: FakeHost) -> Iterator[MainWindow]:
    window = MainWindow(Settings(tmp_path / "window.ini"), host)  # type: ignore[arg-type]
    window.show()
    window.start()
    yield window
    close_for_good(window)


@pytest.fixture(scope="module")
def roads() -> CSRGraph:
    return open_sample("sample:city_roads?n=200000&seed=1")


def shows(window: MainWindow, qtbot: QtBot, name: str) -> None:
    """Wait until a recorded pair is there, whole."""

    def is_there() -> bool:
        graph, current = window.session.graph, window.session.current
        recorded = current is not None and current.recorded_on != ""
        told = graph is not None and graph.name.startswith(name)
        return told and recorded and window.comparison.active

    qtbot.waitUntil(is_there)


def test_the_first_paint_shows_a_recorded_pair(window: MainWindow, qtbot: QtBot) -> None:
    a, b = window.comparison.a, window.comparison.b
    assert (a.algorithm.title, b.algorithm.title) == ("ADDS", "Near-Far")
    assert a.clock_words == b.clock_words == "recorded on an NVIDIA H100, measured"
    assert 0 < window.playback.cursor_ns < a.samples["t_ns"][-1]
    assert not window.playback.playing
    summary = window.comparison.summary()
    assert "sooner" in summary.words
    assert "was faster in spite of its extra work" in summary.words
    assert summary.numbers["b_time_over_a"] > 1.5
    assert summary.numbers["b_work_over_a"] < 0.5
    qtbot.waitUntil(lambda: window.graph_view.drawn_text() != "")
    image = grabbed(window.graph_view)
    pixels = [image.pixelColor(x, y) for x in range(0, image.width(), 3) for y in range(0, 400, 3)]
    hues = {pixel.hue() // 10 for pixel in pixels if pixel.saturation() > 80}
    assert len(hues) > 8  # from the source outwards


def test_the_graph_takes_the_place_of_its_outline(
    window: MainWindow, host: FakeHost, roads: CSRGraph
) -> None:
    session, view = window.session, window.graph_view
    request = host.asked("load")[0]
    assert request.what == "sample:city_roads?n=200000&seed=1"
    outline = session.graph
    assert (outline.n, outline.m, outline.hash) == (roads.n, roads.m, roads.hash)
    assert session.arcs_missing
    assert not window.actions_by_key["sweep"].isEnabled()
    assert window.actions_by_key["run"].isEnabled()
    current, camera, cursor = session.current, view.camera, window.playback.cursor_ns
    say(window.controller, host, GraphLoaded(window.controller._arcs_id, roads, None))
    assert session.graph is roads
    assert session.positions is roads.positions
    assert not session.arcs_missing
    assert (session.current, view.camera, window.playback.cursor_ns) == (current, camera, cursor)
    assert window.actions_by_key["sweep"].isEnabled()


def test_the_mesh_comes_under_the_graph_choice(window: MainWindow, qtbot: QtBot) -> None:
    graph = window.features["simple"].top.graph
    graph.setCurrentIndex(graph.findData("mesh"))
    graph.activated.emit(graph.currentIndex())
    shows(window, qtbot, "3-D mesh")
    summary = window.comparison.summary()
    assert summary.numbers["b_time_over_a"] > 1.1
    assert summary.numbers["b_work_over_a"] > 1.1
    assert graph.currentData() == "mesh"


def test_the_sweep_stands_large_beside_its_graph(window: MainWindow, qtbot: QtBot) -> None:
    window.actions_by_key["recorded_sweep"].trigger()
    qtbot.waitUntil(lambda: window.docks.arrangement == "sweep")
    assert window.docks["sweep"].isVisible()
    findings = window.sweep.findings
    assert findings.best_time.value != findings.best_work.value
    assert "(recorded on an NVIDIA H100, measured)" in window.panels["sweep"].summary_text()
    window.actions_by_key["recorded_roads"].trigger()
    assert window.docks.arrangement == "simple"


def test_a_recording_that_is_not_there_is_said(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_file", lambda name: Path("/nowhere") / name)
    window.actions_by_key["recorded_mesh"].trigger()
    qtbot.waitUntil(lambda: window.session.notice is not None)
    assert window.session.notice.words.startswith("No recording: ")
    shows(window, qtbot, "City roads")
