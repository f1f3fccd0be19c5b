"""Two runs in the window, by clicks and keys: with a host that says what the test wants."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot
from test_controller import FakeHost, path_graph, say, trace_of
from whole_window import whole_window

from gpu.algorithms import ALGORITHMS
from gpu.host import GraphLoaded, RunFinished, Verified
from gpu.record.trace import Trace, Verification, VertexProbe
from viewer.main_window import MainWindow
from viewer.models.session import RunRecord

LEFT = Qt.MouseButton.LeftButton
ALT, CTRL = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
FIRST, RIVAL = list(ALGORITHMS.values())[:2]


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path, host: FakeHost) -> Iterator[MainWindow]:
    """A window on a graph of four vertices, one run finished."""
    with whole_window(qtbot, tmp_path, host) as window:
        window.start_run()
        finish(window, host)
        window.controller.replay_short = True
        yield window


def traced(record: RunRecord, pace: int = 1) -> Trace:
    """A finished run of `path_graph` with times of every vertex."""
    trace = trace_of(path_graph(), replace(record.settings, probe=2))
    trace.samples["t_ns"] *= pace
    trace.samples["base"] = np.arange(5)
    times = 1000 * pace * np.arange(4, dtype=np.int64)
    probe = VertexProbe(times, times, np.full(4, pace, np.int32))
    return replace(trace, settings=record.settings, vertices=probe)


def finish(window: MainWindow, host: FakeHost, pace: int = 1) -> RunRecord:
    record = window.session.runs[-1]
    trace = traced(record, pace)
    proofs = Verification(True, True, "both hold")
    say(window.controller, host, RunFinished(record.run_id, trace), Verified(record.run_id, proofs))
    return record


def press(window: MainWindow, key: str, qtbot: QtBot) -> None:
    """Click a button of the toolbar."""
    button = window.toolbar.widgetForAction(window.actions_by_key[key])
    qtbot.mouseClick(button, LEFT)


def compared(window: MainWindow, host: FakeHost, qtbot: QtBot) -> tuple[RunRecord, RunRecord]:
    press(window, "compare_rival", qtbot)
    b = finish(window, host, pace=2)
    model = window.comparison
    assert (model.a, model.b) == (window.session.runs[0], b)
    return window.session.runs[0], b


def test_one_click_makes_b_from_a(window: MainWindow, host: FakeHost, qtbot: QtBot) -> None:
    press(window, "compare_rival", qtbot)
    asked = host.asked("run")[-1]
    assert asked.algorithm == RIVAL.key
    assert asked.source == window.session.current.settings.source
    model, bar = window.comparison, window.features["compare"].bar
    assert model.b.running  # compared while it runs
    assert bar.isVisible()
    assert "is still running" in bar.accessibleDescription()
    finish(window, host, pace=2)
    assert f"{FIRST.title} finished 2.0x sooner" in bar.accessibleDescription()
    assert window.playback.duration_ns == 8000  # the longer of the two
    assert window.playback.playing  # both are replayed
    second = window.features["compare"].view.second
    assert second.isVisible()
    window.playback.pause()
    window.playback.set_cursor(3000)
    assert second._playback.cursor_ns == 3000
    assert not window.actions_by_key["compare_rival"].isEnabled()  # they are compared


def test_keys_swap_and_end(window: MainWindow, host: FakeHost, qtbot: QtBot) -> None:
    a, b = compared(window, host, qtbot)
    feature = window.features["compare"]
    assert window.playback.duration_ns == 8000
    qtbot.keyClick(window, Qt.Key.Key_B, CTRL | SHIFT)
    assert (feature.model.a, feature.model.b) == (b, a)
    assert window.session.current is b
    qtbot.keyClick(window, Qt.Key.Key_E, CTRL | SHIFT)
    assert not feature.model.active
    assert feature.bar.isHidden()
    assert feature.view.second.isHidden()
    assert not window.actions_by_key["swap_runs"].isEnabled()
    assert window.playback.duration_ns == 8000  # B's own


def test_difference_in_the_graph(window: MainWindow, host: FakeHost, qtbot: QtBot) -> None:
    compared(window, host, qtbot)
    view, looks = window.graph_view, window.features["compare"].view.looks
    before = view.colour_by
    qtbot.keyClick(window, Qt.Key.Key_5, ALT)
    assert view.colour_by == "difference"
    assert window.features["compare"].view.second.isHidden()
    window.actions_by_key["to_end"].trigger()
    view.grab()
    looks.wait()
    view.grab()
    legend = view.legend.legend()
    assert "Settled earlier, by A or by B (modelled time)" in legend.title
    assert legend.ticks[0][1].startswith("A ")
    look = view._look()
    levels = look.colouring.values
    assert levels[0] == 127  # the source: both at once
    assert levels[3] == 0  # A was first by the most
    qtbot.keyClick(window, Qt.Key.Key_4, ALT)
    assert view.colour_by == before
    view.set_colour_by("difference")  # by the menu of colours
    assert window.actions_by_key["pair_difference"].isChecked()
    view.set_colour_by("distance")
    assert window.comparison.view == "single"


def test_the_table_chooses_a_and_b_and_deletes(
    window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    a, b = compared(window, host, qtbot)
    qtbot.keyClick(window, Qt.Key.Key_R, CTRL | SHIFT)
    panel = window.panels["runs"]
    assert panel.isVisible()
    panel.select(b)
    qtbot.keyClick(panel.table, Qt.Key.Key_A)
    assert window.session.current is b
    panel.select(b)
    for _ in range(2):  # as a double click on the button: one run is forgotten
        panel.wishes["delete"].trigger()
    assert window.session.runs == [a]
    assert window.session.current is a
    assert not window.comparison.active
    qtbot.mouseClick(window.notice_bar.offers[0], LEFT)  # it is brought back
    assert window.session.runs == [a, b]
    assert window.session.current is b


def test_b_on_another_graph_is_refused_in_words(
    window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    old = window.session.current
    window.controller.show_graph(path_graph(6))
    window.start_run()
    record = window.session.runs[-1]
    trace = trace_of(path_graph(6), record.settings)
    say(window.controller, host, RunFinished(record.run_id, trace))
    window.actions_by_key["show_runs"].trigger()
    panel = window.panels["runs"]
    panel.select(old)
    qtbot.mouseClick(panel.buttons["b"], LEFT)
    assert "B ran on another graph" in window.notice_bar.text()
    assert not window.comparison.active
    panel.select(old)
    qtbot.mouseClick(panel.buttons["a"], LEFT)  # a graph that no file holds
    assert "cannot be opened again" in window.notice_bar.text()


def test_a_run_of_another_sample_brings_its_graph_back(
    window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    import sample_graphs

    grid = sample_graphs.make("grid", n=100, seed=3)
    window.controller.show_graph(grid)
    window.start_run()
    record = window.session.runs[-1]
    say(window.controller, host, RunFinished(record.run_id, trace_of(grid, record.settings)))
    window.controller.show_graph(path_graph())
    window.controller.show_run(record)
    request = host.asked("load")[-1]
    assert request.what == "sample:grid?n=100&seed=3"
    loaded = GraphLoaded(window.controller._load_id, grid, grid.positions)
    say(window.controller, host, loaded)
    assert window.session.current is record


def test_measured_times_are_run_again_without_probes(
    window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    session = window.session
    pair = window.comparison
    for record, pace in zip(session.runs * 2, (1, 2), strict=True):
        settings = replace(record.settings, engine="cuda", device="cuda:0", seed=7 + pace)
        fresh = RunRecord(500 + pace, settings, record.graph_reference, "measured")
        session.add_run(fresh)
        trace = replace(traced(fresh, pace), clock="measured")
        session.finish_run(fresh.run_id, trace)
    fast, slow = session.runs[-2:]
    session.set_current(fast)
    pair.compare_with(slow)
    for pace in (1, 2):
        count = 1 + pace
        qtbot.waitUntil(lambda wanted=count: len(host.asked("run")) == wanted)
        assert host.asked("run")[-1].probe == 0
        again = session.runs[-1]
        trace = replace(traced(again, 3 * pace), clock="measured", vertices=None)
        say(window.controller, host, RunFinished(again.run_id, trace))
        assert session.current is fast
    assert (
        "Timed in a second run, without recording, which would slow it."
        in window.features["compare"].bar.accessibleDescription()
    )
    assert (
        "(12 µs against 24 µs, measured)" in window.features["compare"].bar.accessibleDescription()
    )
    table = window.show_dock("runs").table
    times = {table.item(row, 2).text() for row in range(table.rowCount())}
    assert "4.000 µs measured, level 2 (-67 %)" in times
