"""Ways into the microscope and out of it: what it waits for, asks, says, and puts back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot
from test_controller import FakeHost, say
from test_microscope import host, opened, recorded, window  # noqa: F401 (fixtures)

import gpu
import sample_graphs
from gpu.errors import EngineError, FormatError
from gpu.graph import CSRGraph
from gpu.host import Failed, GraphLoaded, Progress, Ready, RunFinished
from gpu.record.trace import Probe, Trace
from sample_graphs import open_sample, suggested_source
from viewer.features.microscope.feature import COMFORTABLE_ARCS
from viewer.features.microscope.model import NO_EVENTS
from viewer.features.microscope.neighbourhood import neighbourhood
from viewer.features.microscope.panel import MicroscopePanel
from viewer.main_window import MainWindow
from viewer.models.session import RunRecord

LEFT = Qt.MouseButton.LeftButton
FIGURE = "sample:figure_6"
LARGE = "sample:grid?n=900"


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


@pytest.mark.parametrize("source", [0, 17, 899])
def test_distances_in_a_neighbourhood_are_those_of_the_whole_graph(source: int) -> None:
    graph = open_sample(LARGE)
    near = neighbourhood(graph, source, 100, graph.positions)
    assert 60 < near.m <= 100
    assert near.id_of(0) == graph.id_of(source)
    whole = gpu.run(graph, "dijkstra", "cpu", source=source).dist
    inside = [graph.vertex_of(near.id_of(vertex)) for vertex in range(near.n)]
    assert np.array_equal(gpu.run(near, "dijkstra", "cpu", source=0).dist, whole[inside])
    assert np.array_equal(near.positions, graph.positions[inside])
    every = neighbourhood(graph, source, graph.m, None)
    assert (every.n, every.m, every.positions) == (graph.n, graph.m, None)


def test_it_waits_for_the_file_that_is_being_opened(
    window: MainWindow,  # noqa: F811
    host: FakeHost,  # noqa: F811
    qtbot: QtBot,
) -> None:
    say(window.controller, host, Ready(0, 0.1))
    window.controller.open("/tmp/mine.gr")
    number = host._number
    window.actions_by_key["microscope"].trigger()
    panel = panel_of(window)
    assert "mine.gr is being opened" in panel.problem.text()
    assert panel.bar.isVisible()
    assert not panel.record.isVisible()
    assert not host.asked("run")
    graph = open_sample("sample:figure_1")
    say(window.controller, host, GraphLoaded(number, graph, None))
    qtbot.waitUntil(lambda: bool(host.asked("run")))
    assert window.session.graph is graph
    assert host.asked("run")[0].source == suggested_source(graph)
    finish(window, host, graph)
    model = window.features["microscope"].model
    qtbot.waitUntil(lambda: model.position == 1)


def test_a_file_that_cannot_be_read_ends_the_wait(
    window: MainWindow,  # noqa: F811
    host: FakeHost,  # noqa: F811
    qtbot: QtBot,
) -> None:
    say(window.controller, host, Ready(0, 0.1))
    shown = window.session.graph
    window.controller.open("/tmp/mine.gr")
    number = host._number
    window.actions_by_key["microscope"].trigger()
    say(window.controller, host, Failed(number, FormatError("mine.gr", "no graph")))
    panel = panel_of(window)
    qtbot.waitUntil(panel.record.isVisible)
    assert window.session.graph is shown
    assert not host.asked("run")
    qtbot.mouseClick(panel.record, LEFT)  # now what is shown is meant
    assert len(host.asked("run")) == 1


def test_a_large_graph_is_not_swapped_but_asked_about(
    window: MainWindow,  # noqa: F811
    host: FakeHost,  # noqa: F811
    qtbot: QtBot,
) -> None:
    say(window.controller, host, Ready(0, 0.1))
    whole = open_sample(LARGE)
    window.controller.show_graph(whole)
    window.controller.set_source(17)
    window.start_run()
    before = finish(window, host, whole)
    window.playback.pause()
    window.playback.set_cursor(window.playback.duration_ns / 2)
    cursor, places = window.playback.cursor_ns, window.session.positions
    window.actions_by_key["microscope"].trigger()
    panel = panel_of(window)
    assert window.session.graph is whole
    assert len(host.asked("run")) == 1
    assert f"{whole.m:,} edges" in panel.problem.text()
    assert panel.record.text() == f"Record all {whole.m:,} edges"
    assert panel.near.isVisible()
    assert panel.example.isVisible()
    qtbot.mouseClick(panel.near, LEFT)
    near = window.session.graph
    assert 0 < near.m <= COMFORTABLE_ARCS
    assert near.id_of(window.session.source) == whole.id_of(17)
    assert gpu.load_graph(near.provenance.origin).hash == near.hash
    qtbot.waitUntil(lambda: len(host.asked("run")) == 2)
    finish(window, host, near)
    model = window.features["microscope"].model
    qtbot.waitUntil(lambda: model.position == 1)
    qtbot.mouseClick(panel.leave, LEFT)
    assert window.session.graph is whole
    assert window.session.positions is places
    assert window.session.source == 17
    assert window.session.current is before
    assert window.playback.cursor_ns == cursor
    assert window.docks.arrangement == "explore"


def test_leaving_brings_back_the_run_and_the_keys_of_before(
    window: MainWindow,  # noqa: F811
    host: FakeHost,  # noqa: F811
    qtbot: QtBot,
) -> None:
    view = window.graph_view
    say(window.controller, host, Ready(0, 0.1))
    window.start_run()
    before = finish(window, host, window.session.graph)
    assert before.settings.device != "Classroom GPU"
    model = opened(window, host, qtbot)
    assert window.focusWidget() is panel_of(window)
    assert panel_of(window).machine.text().startswith("Classroom GPU. Left and Right step")
    assert "4 workers of 8 lanes" in panel_of(window).machine.detail
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
    assert window.session.current is before
    assert view.distances_now is None
    camera = view.camera
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.camera != camera
    window.timeline.setFocus()
    window.playback.set_cursor(0.0)
    qtbot.keyClick(window.timeline, Qt.Key.Key_Right)
    assert window.playback.cursor_ns == before.samples["t_ns"][window.playback.sample_index] > 0


@pytest.mark.parametrize("before", ["explore", "compare"])
def test_another_graph_that_a_person_opens_leaves(
    window: MainWindow,  # noqa: F811
    host: FakeHost,  # noqa: F811
    qtbot: QtBot,
    before: str,
) -> None:
    window.docks.choose(before)
    opened(window, host, qtbot)
    window.controller.open("/tmp/mine.gr")
    assert window.docks.arrangement == "microscope", "it is not here yet"
    graph = open_sample("sample:figure_1")
    say(window.controller, host, GraphLoaded(host._number, graph, None))
    qtbot.waitUntil(lambda: window.docks.arrangement == before)
    assert window.session.graph is graph
    assert window.session.current is None
    assert window.timeline.isVisible()
    assert window.docks["run"].isVisible() == (before == "explore")
    window.actions_by_key["microscope"].trigger()  # and Leave keeps the graph from then on
    qtbot.waitUntil(lambda: window.docks.arrangement == "microscope")
    window.actions_by_key["microscope_leave"].trigger()
    assert window.docks.arrangement == before
    assert window.session.graph is graph


def test_a_run_of_another_graph_is_no_graph_that_was_opened(
    window: MainWindow,  # noqa: F811
    host: FakeHost,  # noqa: F811
    qtbot: QtBot,
) -> None:
    say(window.controller, host, Ready(0, 0.1))
    other = open_sample("sample:figure_1")
    window.controller.show_graph(other)
    window.start_run()
    record = finish(window, host, other)
    window.controller.show_graph(open_sample(FIGURE))
    opened(window, host, qtbot)
    window.controller.show_run(record)
    say(window.controller, host, GraphLoaded(host._number, other, None))
    assert window.session.current is record
    qtbot.wait(50)
    assert window.docks.arrangement == "microscope"
    assert panel_of(window).problem.text() == NO_EVENTS


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
        assert panel.bar.isVisible()
        assert panel.bar.maximum() == (0 if share < 0 else 1000)
    assert panel.bar.value() == 250
    assert not panel.record.isVisible()
    say(window.controller, host, Failed(record.run_id, EngineError("the engine broke")))
    assert panel.problem.text() == "the engine broke" == code.hint.text()
    assert not panel.bar.isVisible()
    assert panel.record.isVisible()
    qtbot.wait(50)
    assert len(host.asked("run")) == 1  # it is not tried again and again


def test_a_run_that_is_going_is_stopped_first(
    window: MainWindow,  # noqa: F811
    host: FakeHost,  # noqa: F811
    qtbot: QtBot,
) -> None:
    say(window.controller, host, Ready(0, 0.1))
    window.start_run()
    other = window.session.current
    window.actions_by_key["microscope"].trigger()
    assert host.asked("stop")
    assert len(host.asked("run")) == 1
    trace = replace(recorded("adds", FIGURE, probe=1), settings=other.settings)
    say(window.controller, host, RunFinished(other.run_id, trace))
    qtbot.waitUntil(lambda: len(host.asked("run")) == 2)
    assert host.asked("run")[1].probe == Probe.EVENTS


def test_a_run_without_events_is_offered_to_be_recorded(
    window: MainWindow,  # noqa: F811
    host: FakeHost,  # noqa: F811
    qtbot: QtBot,
) -> None:
    opened(window, host, qtbot)
    window.start_run()
    finish(window, host, window.session.graph)
    panel = panel_of(window)
    assert panel.problem.text() == NO_EVENTS
    qtbot.mouseClick(panel.record, LEFT)
    assert host.asked("run")[-1].probe == Probe.EVENTS


def test_the_offer_of_the_run_panel_is_not_there_while_one_draws(
    window: MainWindow,  # noqa: F811
) -> None:
    offer = window.features["microscope"]._offer
    window.controller.show_graph(sample_graphs.make("figure_6"))
    assert not offer.isHidden()
    assert offer.y() < window.run_panel._run.y()
    window.actions_by_key["draw"].trigger()
    assert offer.isHidden(), "Run would take the drawing"
    window.actions_by_key["draw"].trigger()
    assert not offer.isHidden()
