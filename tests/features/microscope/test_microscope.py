"""The microscope: its model against the replay, its panels by clicks and keys, its data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QEvent, Qt
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from screen import all_controls, grabbed
from test_controller import FakeHost, say

import gpu
from gpu.algorithms import ALGORITHMS
from gpu.host import Ready, RunFinished
from gpu.record.events import EventKind
from gpu.record.trace import Probe, Trace
from gpu.replay.pseudocode import pseudocode_of
from gpu.replay.replay import Replay
from sample_graphs import open_sample
from viewer.common.theme import DARK, LIGHT
from viewer.features.microscope.board import Board
from viewer.features.microscope.code import CodePanel
from viewer.features.microscope.model import (
    COUNTERS,
    NO_RUN,
    MicroscopeModel,
)
from viewer.features.microscope.panel import GOALS, MicroscopePanel
from viewer.main_window import MainWindow
from viewer.models.playback import PlaybackModel
from viewer.models.session import RunRecord, SessionModel

LEFT = Qt.MouseButton.LeftButton
MODELLED = [key for key, row in ALGORITHMS.items() if "model" in row.engines]
DEVICE = "Classroom GPU"


def recorded(key: str, what: str = "sample:figure_6", probe: int = 3) -> Trace:
    return gpu.run(open_sample(what), key, "model", probe=probe, device=DEVICE)


@pytest.fixture
def stage(qapp: QApplication) -> Iterator[tuple[SessionModel, PlaybackModel, MicroscopeModel]]:
    session, playback = SessionModel(), PlaybackModel()
    playback.watch(session)
    model = MicroscopeModel(session, playback)
    session.set_graph(open_sample("sample:figure_6"))
    yield session, playback, model
    model.pause()


def show(session: SessionModel, trace: Trace) -> RunRecord:
    record = RunRecord.from_trace(len(session.runs) + 1, trace)
    session.add_run(record)
    return record


# --- the model


def test_cursor_and_position_move_each_other(stage: tuple) -> None:
    session, playback, model = stage
    trace = recorded("adds")
    show(session, trace)
    assert model.position == len(trace.events)  # a finished run is shown at its end
    model.go(20)
    assert playback.cursor_ns == trace.events[19]["t_ns"]
    model.step(1)
    at = model.position
    assert at > 20
    playback.set_cursor(float(trace.events[50]["t_ns"]))
    assert model.position == np.searchsorted(trace.events["t_ns"], playback.cursor_ns, "right")
    model.go(at)
    model.step(-1)
    assert model.position == 20


def test_counters_are_passed_over_until_one_asks_for_them(stage: tuple) -> None:
    session, _, model = stage
    trace = recorded("adds")
    show(session, trace)
    kinds = trace.events["kind"]
    for every, passed in ((False, {EventKind.SAMPLE, *COUNTERS}), (True, {EventKind.SAMPLE})):
        model.set_every(every)
        model.go(0)
        seen = []
        while model.number < model.count:
            model.step(1)
            seen.append(int(model.kind))
            assert model.number == len(seen)  # numbered as one steps
        assert seen == [int(kind) for kind in kinds if kind not in passed]
        assert not passed - set(kinds) - {EventKind.BLOCK_FREED}  # there was something to pass
        model.go_to_number(3)
        assert (model.number, int(model.kind)) == (3, seen[2])


@pytest.mark.parametrize("key", MODELLED)
def test_what_is_sought_is_found_for_every_algorithm(stage: tuple, key: str) -> None:
    session, _, model = stage
    show(session, recorded(key))
    model.go(0)
    assert model.seek([EventKind.IMPROVE])
    assert model.kind == EventKind.IMPROVE
    first = model.position
    assert model.seek([EventKind.IMPROVE])
    assert model.seek([EventKind.IMPROVE], -1)
    assert model.position == first
    assert not model.seek([EventKind.IMPROVE], -1)
    assert model.position == first
    assert model.counts[EventKind.IMPROVE] == 1
    fresh = Replay(model.replay.graph, model.replay.events).go(first)
    assert np.array_equal(model.distances(), fresh.distances(model.source_shown))


# --- the panels


@pytest.mark.parametrize("key", MODELLED)
def test_every_algorithm_is_painted(stage: tuple, qtbot: QtBot, key: str) -> None:
    session, _, model = stage
    board, code = Board(model), CodePanel(model)
    for part in (board, code):
        qtbot.addWidget(part)
        part.resize(520, 700)
        part.show()
    shown = pseudocode_of(show(session, recorded(key)).algorithm.key)
    pictures = set()
    for position in range(1, len(model.replay) + 1, 7):
        model.go(position)
        for theme in (LIGHT, DARK):
            board.apply_theme(theme)
            code.apply_theme(theme)
            picture = grabbed(board)
            pictures.add(bytes(picture.constBits().asarray(picture.sizeInBytes())))
            assert not code.grab().isNull()
        first = model.count_of([model.kind]) == 1
        lit = shown.lit_by(model.kind, int(model.shown["a"]), first)
        assert code.pseudo.lit == lit
        if lit >= 0:
            assert code.source.lit == shown.lines[lit].row
    assert len(pictures) > 4


def test_buttons_slider_and_choice(stage: tuple, qtbot: QtBot) -> None:
    session, _, model = stage
    panel = MicroscopePanel(model)
    qtbot.addWidget(panel)
    panel.resize(480, 700)
    panel.show()
    assert panel.problem.text() == NO_RUN
    with qtbot.waitSignal(panel.leave_requested):
        qtbot.mouseClick(panel.leave_empty, LEFT)
    with qtbot.waitSignal(panel.record_requested):
        qtbot.mouseClick(panel.record, LEFT)
    show(session, recorded("adds"))
    panel.slider.setValue(0)
    assert model.position == 0
    assert panel.sentence.text() == "Nothing has happened yet."
    assert not panel.back.isEnabled()
    qtbot.mouseClick(panel.forward, LEFT)
    assert panel.sentence.text() == model.sentence != ""
    qtbot.mouseClick(panel.next, LEFT)
    assert model.kind == EventKind.IMPROVE
    panel.goal.setCurrentIndex([key for key, _, _ in GOALS].index("head"))
    qtbot.mouseClick(panel.next, LEFT)
    assert model.kind == EventKind.HEAD
    qtbot.mouseClick(panel.last, LEFT)
    assert not panel.last.isEnabled()
    qtbot.mouseClick(panel.play, LEFT)
    assert panel.play.text() == "Pause"
    qtbot.mouseClick(panel.play, LEFT)
    assert not model.playing
    qtbot.mouseClick(panel.back, LEFT)
    assert f"event {model.number} of {model.count}" in panel.where.text()


# --- in the window


@pytest.fixture
def host() -> FakeHost:
    return FakeHost()


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path, host: FakeHost) -> Iterator[MainWindow]:
    window = MainWindow(all_controls(tmp_path / "window.ini"), host)  # type: ignore[arg-type]
    window.run_on_start = False
    window.resize(1024, 768)
    window.show()
    window.build_plots()
    assert window.features["microscope"].model is not None
    window.controller.show_graph(open_sample("sample:figure_6"))
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    yield window
    window.close()
    window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    vars(window).clear()


def opened(window: MainWindow, host: FakeHost, qtbot: QtBot) -> MicroscopeModel:
    """One click, the run that it asks for, and the first event of it."""
    model: MicroscopeModel = window.features["microscope"].model
    say(window.controller, host, Ready(0, 0.1))
    window.actions_by_key["microscope"].trigger()
    qtbot.waitUntil(lambda: bool(host.asked("run")))
    asked = host.asked("run")[-1]
    assert (asked.probe, asked.engine, asked.device) == (Probe.EVENTS, "model", DEVICE)
    record = window.session.runs[-1]
    trace = replace(recorded(asked.algorithm), settings=record.settings)
    say(window.controller, host, RunFinished(record.run_id, trace))
    qtbot.waitUntil(lambda: model.position == 1)
    return model


def test_one_click_records_and_shows(window: MainWindow, host: FakeHost, qtbot: QtBot) -> None:
    assert not window.actions_by_key["event_next"].isEnabled()
    model = opened(window, host, qtbot)
    assert not window.playback.playing
    assert window.docks["microscope"].isVisible()
    assert window.docks["code"].isVisible()
    assert window.docks.arrangement == "microscope"
    assert window.docks["code"].y() > window.docks["microscope"].y()
    assert window.height() == 768
    assert not window.docks["buckets"].isVisible()
    assert window.actions_by_key["event_next"].isEnabled()
    view = window.graph_view
    view.setFocus()
    qtbot.keyClick(view, ".")
    assert model.number == 2
    qtbot.keyClick(view, ",")
    assert model.position == 1
    model.seek([EventKind.IMPROVE])
    names = view._names(list(range(9)))
    assert names.distances[0] == "0"
    assert "∞" in names.distances.values()
    before = grabbed(view)
    model.seek([EventKind.IMPROVE])
    assert grabbed(view) != before
    window.playback.set_cursor(window.playback.duration_ns)
    assert model.position == len(model.replay)
