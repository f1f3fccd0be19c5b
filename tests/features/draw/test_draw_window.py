"""A drawing in the window: table, text, files, runs, and how it is kept and presented."""

from __future__ import annotations

from pathlib import Path

import draw_stage
from draw_stage import CTRL, LEFT, Key, arcs, figure_1, names
from PyQt6.QtCore import QEvent
from PyQt6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot
from test_controller import FakeHost, path_graph, say, trace_of
from test_window import close_for_good

import sample_graphs
from gpu.formats import load_graph
from gpu.host import RunFinished
from viewer.features.draw.feature import DrawFeature
from viewer.main_window import MainWindow
from viewer.models.settings import Settings

host, window, feature = draw_stage.host, draw_stage.window, draw_stage.feature  # fixtures


def test_a_list_is_pasted_and_copied(
    feature: DrawFeature, window: MainWindow, qtbot: QtBot
) -> None:
    model, canvas = feature.model, feature.page.canvas
    figure_1(model)
    before = model.drawing
    QApplication.clipboard().setText("A -> B -4\nB C 2")
    qtbot.keyClick(canvas, Key.Key_V, CTRL)
    assert "Line 1: -4 is negative" in feature.page.words.text()
    assert model.drawing == before
    QApplication.clipboard().setText("x -- y 3\ny -- z")
    qtbot.keyClick(canvas, Key.Key_V, CTRL)
    assert arcs(model) == ["x – y 3", "y – z 1"]
    assert len({(vertex.x, vertex.y) for vertex in model.drawing.vertices}) == 3
    qtbot.keyClick(canvas, Key.Key_C, CTRL)
    assert QApplication.clipboard().text() == "x -- y\t3\ny -- z\t1\n"
    qtbot.keyClick(canvas, Key.Key_Z, CTRL)
    assert model.drawing == before  # nothing is lost by it


def test_it_is_saved_in_the_formats_that_are_written(
    feature: DrawFeature, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    figure_1(feature.model)
    for suffix in (".npz", ".csv", ".gr", ".mtx"):
        window.actions_by_key["draw_save"].trigger()
        dialog = window.findChild(QFileDialog)
        assert "keeps names and places" in dialog.nameFilters()[0]
        dialog.fileSelected.emit(str(tmp_path / f"mine{suffix}"))
        dialog.reject()
        QApplication.sendPostedEvents(dialog, QEvent.Type.DeferredDelete.value)
        graph = load_graph(tmp_path / f"mine{suffix}")
        assert (graph.n, graph.m) == (3, 3), suffix
        assert sorted(graph.weights.tolist()) == [1, 1, 10]
        named = suffix in (".npz", ".csv")
        assert {str(graph.id_of(v)) for v in range(3)} == ({*"SAB"} if named else {*"123"})
    feature.save_as(str(tmp_path / "mine.graph"))  # METIS is only read
    assert window.session.notice.level == "error"


def opened(settings: Settings) -> MainWindow:
    window = MainWindow(settings, FakeHost())  # type: ignore[arg-type]
    window.show()
    window.build_plots()
    while window.features.install_next():  # as a moment after the first paint
        pass
    window.controller.show_graph(path_graph())
    return window


def test_the_drawing_is_kept(qapp: QApplication, tmp_path: Path, qtbot: QtBot) -> None:
    window = opened(Settings(tmp_path / "window.ini"))
    feature = window.features["draw"]
    assert window.docks["buckets"].isVisible()
    window.actions_by_key["draw"].trigger()
    figure_1(feature.model)
    drawn = feature.model.drawing
    assert not window.docks["buckets"].isVisible()
    window.session.set_graph(sample_graphs.make("figure_6"))  # something else is opened
    assert not feature.page.isVisible()
    assert window.docks["buckets"].isVisible()
    window.actions_by_key["draw"].trigger()
    assert feature.model.drawing == drawn
    # the graph shown comes into the drawing as a step
    window.actions_by_key["draw"].trigger()
    window.actions_by_key["draw_edit"].trigger()
    assert len(names(feature.model)) == 9
    assert "Undo" in feature.page.words.text()
    window.actions_by_key["draw_undo"].trigger()
    assert feature.model.drawing == drawn
    close_for_good(window)
    # and it is there again next time; the docks were remembered as they stood before
    window = opened(Settings(tmp_path / "window.ini"))
    assert window.features["draw"].model.drawing == drawn
    assert window.docks["buckets"].isVisible()
    window.actions_by_key["draw"].trigger()
    close_for_good(window)


def test_run_from_anywhere_is_of_the_drawing(
    feature: DrawFeature, window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    figure_1(feature.model)
    assert window.run_panel._run.text() == "Run the drawing"
    qtbot.mouseClick(window.run_panel._run, LEFT)
    assert window.session.graph.name == "Drawing"
    assert window.session.graph.id_of(host.asked("run")[0].source) == "S"
    record = window.session.current
    window.controller.set_source(window.session.graph.vertex_of("B"))
    # while it goes on, the drawing is not used again
    window.actions_by_key["draw"].trigger()
    feature.page.use_requested.emit()
    assert "run is going on" in feature.page.words.text()
    trace = trace_of(window.session.graph, record.settings, "stopped")
    say(window.controller, host, RunFinished(record.run_id, trace))
    feature.model.set_weight([feature.model.drawing.arcs[0].key], 2)
    feature.page.use_requested.emit()
    assert len(host.asked("run")) == 2
    assert window.session.graph.weights.tolist() == [2, 1, 1]
    assert window.session.graph.id_of(host.asked("run")[1].source) == "B"  # it stays
    assert not feature.page.isVisible()


def test_it_can_be_presented(
    feature: DrawFeature, window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    figure_1(feature.model)
    window.features["present"].begin()
    assert not feature.page.isVisible()  # a presentation begins with the graph
    window.actions_by_key["draw"].trigger()
    assert not any(dock.isVisible() for dock in window.docks.by_key.values())
    window.activateWindow()
    feature.page.canvas.setFocus()
    qtbot.waitUntil(feature.page.canvas.hasFocus)
    qtbot.keyClick(feature.page.canvas, Key.Key_Return, CTRL)  # though the menus are hidden
    assert len(host.asked("run")) == 1
    assert window.docks["buckets"].isVisible()
    window.actions_by_key["draw"].trigger()
    window.features["present"].end()
    assert not feature.page.isVisible()
    assert window.theme.name == "light"
    shown = {key for key, dock in window.docks.by_key.items() if dock.isVisible()}
    assert {"run", "buckets", "timeline"} <= shown
