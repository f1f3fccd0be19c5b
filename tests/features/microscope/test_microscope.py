"""The microscope: its model against the replay, its panels by clicks and keys, its data."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication, QScrollArea
from pytestqt.qtbot import QtBot
from screen import grabbed
from test_controller import FakeHost, say
from whole_window import whole_window

import gpu
from gpu.algorithms import ALGORITHMS
from gpu.errors import EngineError
from gpu.graph import CSRGraph
from gpu.host import Failed, Progress, Ready, RunFinished
from gpu.record.events import EventKind
from gpu.record.trace import Probe, RunSettings, Trace
from gpu.replay.pseudocode import pseudocode_of
from sample_graphs import open_sample
from viewer.features.microscope.board import Board
from viewer.features.microscope.code import CodePanel
from viewer.features.microscope.feature import visible_delta
from viewer.features.microscope.model import COUNTERS, NO_RUN, MicroscopeModel
from viewer.features.microscope.panel import GOALS, MicroscopePanel
from viewer.main_window import MainWindow
from viewer.models.playback import PlaybackModel
from viewer.models.session import RunRecord, SessionModel

LEFT = Qt.MouseButton.LeftButton
MODELLED = [key for key, row in ALGORITHMS.items() if "model" in row.engines]
DEVICE = "Classroom GPU"


@cache
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
def test_every_algorithm_is_painted(stage: tuple, qtbot: QtBot, key: str) -> None:
    session, _, model = stage
    board, code = Board(model), CodePanel(model)
    for part in (board, code):
        qtbot.addWidget(part)
        part.resize(520, 700)
        part.show()
    shown = pseudocode_of(show(session, recorded(key)).algorithm.key)
    pictures = set()
    for position in range(1, len(model.replay) + 1, 9):
        model.go(position)
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
    with qtbot.waitSignal(panel.record_requested):
        qtbot.mouseClick(panel.record, LEFT)
    show(session, recorded("adds"))
    panel.slider.setValue(0)
    assert model.position == 0
    assert panel.sentence.text() == "Nothing has happened yet."
    assert not panel.back.isEnabled()
    qtbot.mouseClick(panel.forward, LEFT)
    assert panel.sentence.text() == model.sentence != ""
    panel.goal.setCurrentIndex([key for key, _, _ in GOALS].index("improve"))
    qtbot.mouseClick(panel.forward, LEFT)
    assert model.kind == EventKind.IMPROVE
    panel.goal.setCurrentIndex([key for key, _, _ in GOALS].index("head"))
    qtbot.mouseClick(panel.forward, LEFT)
    assert model.kind == EventKind.HEAD
    qtbot.mouseClick(panel.back, LEFT)
    assert not panel.back.isEnabled()
    panel.goal.setCurrentIndex(0)
    qtbot.mouseClick(panel.play, LEFT)
    assert panel.play.text() == "Pause"
    qtbot.mouseClick(panel.play, LEFT)
    assert not model.playing
    qtbot.mouseClick(panel.back, LEFT)
    assert f"event {model.number} of {model.count}" in panel.where.text()


@pytest.mark.parametrize("key", MODELLED)
def test_heat_counts_what_the_run_did(stage: tuple, qtbot: QtBot, key: str) -> None:
    session, _, model = stage
    panel = CodePanel(model)
    qtbot.addWidget(panel)
    trace = recorded(key)
    code = pseudocode_of(show(session, trace).algorithm.key)
    events = [(EventKind(kind), a) for kind, a in trace.events[["kind", "a"]].tolist()]
    for position in (len(events) // 3, 2 * len(events) // 3, len(events)):
        model.go(position)
        for k, line in enumerate(code.lines):
            done = [a for kind, a in events[:position] if kind in line.kinds]
            wanted = len(done) if line.only is None else sum(a in line.only for a in done)
            if code.begins_at >= 0 and EventKind.PUSH in line.kinds:
                wanted -= 1  # the source, which enters by the first line
            if k == code.begins_at:
                wanted = 1
            assert panel.pseudo.counts[k] == wanted
    last = trace.samples[-1]
    counts = {line.text.strip(): panel.pseudo.counts[k] for k, line in enumerate(code.lines)}
    arcs = next(count for words, count in counts.items() if "(u, v, w)" in words)
    assert arcs == last["relaxed_edges"]
    assert sum(count for words, count in counts.items() if "]: " in words) == last["improved"]


def test_a_bucket_width_that_one_can_see() -> None:
    graph = open_sample("sample:figure_6")
    for key in MODELLED:
        row = ALGORITHMS[key]
        width = visible_delta(graph, row)
        assert (width is None) == (row.dynamic or not row.bucketed)
        if width is not None:
            assert 2 < gpu.run(graph, "dijkstra").dist.max() / width < 32


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path, host: FakeHost) -> Iterator[MainWindow]:
    with whole_window(qtbot, tmp_path, host, (1024, 768)) as window:
        window.controller.show_graph(open_sample("sample:figure_6"))
        yield window


def opened(window: MainWindow, host: FakeHost, qtbot: QtBot) -> MicroscopeModel:
    """One click, the run that it asks for, and the first event of it."""
    model: MicroscopeModel = window.features["microscope"].model
    say(window.controller, host, Ready(0))
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
    window.resize(1280, 800)
    code = window.docks["code"].widget()
    bars = [scroll.horizontalScrollBar() for scroll in code.findChildren(QScrollArea)]
    qtbot.waitUntil(lambda: window.docks["code"].width() > 1200)
    qtbot.waitUntil(lambda: not any(bar.isVisible() for bar in bars))


def test_what_was_compared_is_compared_again(
    window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    """A run on the classroom's GPU is compared with no run on another one."""
    pair = []
    for name in ("near_far", "adds"):
        window.controller.start_run(RunSettings(name, "model"))
        pair.append(finish(window, host, window.session.graph))
    window.comparison.compare_with(pair[0])
    opened(window, host, qtbot)
    assert not window.comparison.active
    window.back()
    assert [window.comparison.b, window.comparison.a] == pair


def finish(window: MainWindow, host: FakeHost, graph: CSRGraph) -> RunRecord:
    """Answer the newest run that was asked for; return it."""
    record = window.session.runs[-1]
    settings = record.settings
    trace: Trace = gpu.run(
        graph, settings.algorithm, "model", source=settings.source, probe=settings.probe
    )
    say(window.controller, host, RunFinished(record.run_id, replace(trace, settings=settings)))
    return record


def test_a_graph_that_is_too_large_is_refused(
    window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    say(window.controller, host, Ready(0))
    window.controller.show_graph(open_sample("sample:grid?n=10000"))
    window.actions_by_key["microscope"].trigger()
    panel = window.docks["microscope"].widget()
    assert "every event is recorded of up to 20,000" in panel.problem.text()
    assert not host.asked("run")
    assert not panel.record.isVisible()
    qtbot.mouseClick(panel.example, LEFT)
    qtbot.waitUntil(lambda: len(host.asked("run")) == 1)
    assert window.session.graph.n == 9


def test_leaving_brings_back_the_keys_of_before(
    window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    view = window.graph_view
    say(window.controller, host, Ready(0))
    window.start_run()
    first = finish(window, host, window.session.graph)
    assert first.settings.device != "Classroom GPU"
    model = opened(window, host, qtbot)
    assert window.focusWidget() is window.docks["microscope"].widget()
    assert view.distances_now is not None
    for widget in (window.docks["microscope"].widget(), view):
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
    window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    window.controller.start()
    window.actions_by_key["microscope"].trigger()
    panel, code = window.docks["microscope"].widget(), window.docks["code"].widget()
    assert "Starting the engine" in panel.problem.text()
    say(window.controller, host, Ready(0))
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


def test_a_run_that_is_going_and_a_drawing_come_first(window: MainWindow, host: FakeHost) -> None:
    say(window.controller, host, Ready(0))
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
