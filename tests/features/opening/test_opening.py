"""What the window opens on: a recorded pair, its graph to come, runs made here instead of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from screen import grabbed
from test_controller import FakeHost, say
from test_window import close_for_good

from gpu.graph import CSRGraph
from gpu.host import GraphLoaded, RunFinished, RunStarted, Verified
from gpu.record.trace import Trace, Verification
from sample_graphs import open_sample
from viewer.features import opening as module
from viewer.features.opening import OpeningFeature
from viewer.main_window import MainWindow
from viewer.models.run_choices import RunChoices
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


def opening(window: MainWindow) -> OpeningFeature:
    part = window.features["opening"]
    assert isinstance(part, OpeningFeature)
    return part


def comparing(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until the sentence is there."""


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
    assert a is not None
    assert b is not None
    assert (a.algorithm.title, b.algorithm.title) == ("ADDS", "Near-Far")
    assert a.clock_words == b.clock_words == "recorded on an NVIDIA H100, measured"
    assert 0 < window.playback.cursor_ns < a.samples["t_ns"][-1]
    assert not window.playback.playing
    comparing(window, qtbot)
    summary = window.comparison.summary()
    assert summary is not None
    assert "sooner" in summary.words
    assert "The extra work cost no time" in summary.words
    assert summary.numbers["b_time_over_a"] > 1.5
    assert summary.numbers["b_work_over_a"] < 0.5
    qtbot.waitUntil(lambda: window.graph_view.drawn_text() != "")
    image = grabbed(window.graph_view)
    pixels = [image.pixelColor(x, y) for x in range(0, image.width(), 3) for y in range(0, 400, 3)]
    hues = {pixel.hue() // 10 for pixel in pixels if pixel.saturation() > 80}
    assert len(hues) > 8  # from the source outwards, and grey where it was not reached yet
    assert sum(pixel.saturation() < 30 and 150 < pixel.value() < 230 for pixel in pixels) > 100


def test_the_graph_takes_the_place_of_its_outline(
    window: MainWindow, host: FakeHost, roads: CSRGraph
) -> None:
    session, view = window.session, window.graph_view
    request = host.asked("load")[0]
    assert request.what == "sample:city_roads?n=200000&seed=1"
    outline = session.graph
    assert outline is not None
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


def test_it_says_whose_run_is_shown_and_begins_with_the_usual_algorithm(
    window: MainWindow, tmp_path: Path, host: FakeHost
) -> None:
    assert window.status_bar._state.text().startswith("Recorded on an NVIDIA H100")
    settings = Settings(tmp_path / "again.ini")
    settings.run_panel = {"algorithm": "edge_apsp"}
    again = MainWindow(settings, host)  # type: ignore[arg-type]
    assert again.run_panel.choices().algorithm == "edge_apsp"
    again.start()
    assert again.run_panel.choices().algorithm == RunChoices().algorithm
    close_for_good(again)


def test_another_graph_is_not_taken_for_it(
    window: MainWindow, host: FakeHost, roads: CSRGraph
) -> None:
    other = open_sample("sample:grid?n=100")
    say(window.controller, host, GraphLoaded(window.controller._arcs_id, other, None))
    assert window.session.arcs_missing
    window.session.set_graph(other)
    window.session.complete(roads)
    assert window.session.graph is other


def test_runs_made_here_take_the_place_of_the_recorded(
    window: MainWindow, host: FakeHost, roads: CSRGraph, qtbot: QtBot
) -> None:
    """Run works before the graph is there, and the other algorithm follows by itself."""
    window.build_plots()
    window.features["compare"]
    window.start_run()
    assert not window.comparison.active
    first = window.session.current
    assert first is not None
    assert first.settings.engine == "model"
    recorded = next(run for run in window.session.runs if run.recorded_on)
    assert recorded.trace is not None
    made = Trace(
        first.settings,
        recorded.trace.graph,
        recorded.trace.samples,
        recorded.trace.dist,
        "modelled",
        "finished",
        {},
        recorded.trace.vertices,
    )
    say(window.controller, host, RunStarted(first.run_id), RunFinished(first.run_id, made))
    qtbot.wait(1)
    assert len(host.asked("run")) == 1  # not before it is proved
    say(window.controller, host, Verified(first.run_id, Verification(True, True, "both hold")))
    qtbot.waitUntil(lambda: len(host.asked("run")) == 2)
    assert [asked.algorithm for asked in host.asked("run")] == ["adds", "near_far"]
    b = window.comparison.b
    assert b is not None
    assert b.recorded_on == ""


def test_the_card_says_where_it_comes_from_and_leads_on(
    window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    card = opening(window)._card
    assert card is not None
    assert card.isVisible()
    assert card.words.text() == "Recorded on an H100:"
    qtbot.mouseClick(card.others["recorded_mesh"], LEFT)
    shows(window, qtbot, "3-D mesh")
    assert card.others["recorded_mesh"].isChecked()
    assert not card.others["recorded_roads"].isChecked()
    comparing(window, qtbot)
    summary = window.comparison.summary()
    assert summary is not None
    assert summary.numbers["b_time_over_a"] > 1.1
    assert summary.numbers["b_work_over_a"] > 1.1
    qtbot.mouseClick(card.run, LEFT)
    assert len(host.asked("run")) == 1
    assert card.isHidden()


def test_run_here_makes_the_pair_as_it_was_recorded(
    window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    """Not with a Δ that was left over from something else."""
    panel, card = window.run_panel, opening(window)._card
    assert card is not None
    left = panel.choices()
    over = {"adds": {**left.parameters["adds"], "dynamic_delta": False, "workers": 3}}
    panel.set_choices(
        replace(left, algorithm="dijkstra", delta=3.0, parameters={**left.parameters, **over})
    )
    recorded = window.session.current
    assert recorded is not None
    qtbot.mouseClick(card.run, LEFT)
    (made,) = host.asked("run")
    assert made.algorithm == recorded.settings.algorithm
    assert made.delta is None
    assert made.parameters["dynamic_delta"]
    assert made.parameters["workers"] is None
    assert made.device == left.device
    assert opening(window)._waiting  # and the other of the pair follows


def test_the_sweep_has_an_arrangement_of_its_own(window: MainWindow, qtbot: QtBot) -> None:
    card = opening(window)._card
    assert card is not None
    qtbot.mouseClick(card.others["recorded_sweep"], LEFT)
    qtbot.waitUntil(lambda: window.docks.arrangement == "sweep")
    assert window.docks["sweep"].isVisible()
    assert card.others["recorded_sweep"].isChecked()
    found = window.sweep.findings
    assert found.best_time is not None
    assert found.best_work is not None
    assert found.best_time.value != found.best_work.value
    assert "(recorded on an NVIDIA H100, measured)" in window.panels["sweep"].summary_text()
    qtbot.mouseClick(card.others["recorded_roads"], LEFT)
    assert window.docks.arrangement == "explore"


def test_a_recording_that_is_not_there_is_said(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_file", lambda name: Path("/nowhere") / name)
    window.actions_by_key["recorded_mesh"].trigger()
    qtbot.waitUntil(lambda: window.session.notice is not None)
    assert window.session.notice is not None
    assert window.session.notice.words.startswith("No recording: ")
    shows(window, qtbot, "City roads")
