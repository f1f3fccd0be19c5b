"""Whole runs through the real engine process, by clicks and keys, as a user makes them."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from screen import all_controls
from test_window import close_for_good

import sample_graphs
from gpu.algorithms import ALGORITHMS
from gpu.host import EngineHost
from gpu.host.messages import Entries
from gpu.proof.verify import verify
from viewer.main_window import MainWindow
from viewer.models.machines import CPU_DEVICE
from viewer.models.session import RunRecord

LEFT = Qt.MouseButton.LeftButton
MODELLED = [k for k, r in ALGORITHMS.items() if "model" in r.engines and r.result == "row"]
PATIENCE_MS = 120_000  # the first run on a machine compiles the model


@pytest.fixture
def window(
    qapp: QApplication, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[MainWindow]:
    """A window whose engine process is on its way up; it warms up for the tests of this file."""
    warm_up = Entries.warm_up if request.module.__name__ == __name__ else ""
    host = EngineHost(Entries(warm_up=warm_up))
    window = MainWindow(all_controls(tmp_path / "window.ini"), host)
    window.show()
    window.controller.start()
    window._frame.start()
    yield window
    close_for_good(window)
    assert host._child is None


def press_run(window: MainWindow, qtbot: QtBot) -> RunRecord:
    qtbot.mouseClick(window.run_panel._run, LEFT)
    record = window.session.current
    assert record is not None
    return record


def wait_for(record: RunRecord, state: str, qtbot: QtBot) -> None:
    def there() -> None:
        assert record.state == state, f"{record.state} {record.failure}"

    qtbot.waitUntil(there, timeout=PATIENCE_MS)


def wait_for_proof(record: RunRecord, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: record.verification is not None, timeout=PATIENCE_MS)


def run_slowly(window: MainWindow, qtbot: QtBot) -> RunRecord:
    """Start a run that lasts for minutes unless somebody ends it, and see it run."""
    window.controller.show_graph(sample_graphs.make("grid", n=2_500))
    window.controller.start_run(window.run_panel.run_settings(), pace=1.0)
    record = window.session.current
    qtbot.waitUntil(lambda: len(record.samples) > 0, timeout=PATIENCE_MS)
    return record


def test_open_run_finish_verify(window: MainWindow, qtbot: QtBot) -> None:
    """One engine process for all three, as in real life: open, run each algorithm, compare."""
    window.open_path("sample:grid?n=400&seed=2")
    qtbot.waitUntil(lambda: window.session.graph is not None, timeout=PATIENCE_MS)
    graph = window.session.graph
    assert graph.n == 400
    for key in MODELLED:
        window.run_panel._algorithm.setCurrentIndex(window.run_panel._algorithm.findData(key))
        record = press_run(window, qtbot)
        wait_for(record, "finished", qtbot)
        wait_for_proof(record, qtbot)
        assert record.verification.passed
        assert verify(graph, record.settings.source, record.dist).passed
        assert len(record.samples) == len(record.trace.samples) > 0
        assert window.status_bar._verified.text().startswith("✓")
        assert not window.controller.running
        qtbot.waitUntil(lambda: not window.plots["buckets"].pending, timeout=PATIENCE_MS)
    assert len(window.session.runs) == len(MODELLED)
    window.actions_by_key["to_end"].trigger()
    assert window.playback.cursor_ns == window.playback.duration_ns > 0


def test_runs_on_this_computers_cpu(window: MainWindow, qtbot: QtBot) -> None:
    """Measured, by threads: nothing of the window may take it for the model or break on it."""
    window.open_path("sample:city_roads?n=2000&seed=2")
    qtbot.waitUntil(lambda: window.session.graph is not None, timeout=PATIENCE_MS)
    panel = window.run_panel
    panel._device.setCurrentIndex(panel._device.findData(CPU_DEVICE))
    for key in (k for k, r in ALGORITHMS.items() if "cpu" in r.engines and r.result == "row"):
        panel._algorithm.setCurrentIndex(panel._algorithm.findData(key))
        record = press_run(window, qtbot)
        wait_for(record, "finished", qtbot)
        wait_for_proof(record, qtbot)
        assert record.verification.passed
        assert record.clock == record.trace.clock == "measured"
        assert record.trace.vertices is not None
        window.playback.pause()  # of the replay
        window.playback.set_cursor(record.trace.time_ns)
        qtbot.waitUntil(lambda: not window.plots["buckets"].pending, timeout=PATIENCE_MS)
        assert window.plots["buckets"].summary_text().startswith("Waiting: 0 in ")
        assert not window.grab().isNull()
    assert "CPU, measured" in window.status_bar._engine.text()
    assert "Modelled" not in window.status_bar._engine.toolTip()


def test_run_on_a_fresh_window_makes_the_pair_that_was_recorded(
    window: MainWindow, qtbot: QtBot
) -> None:
    """Also before its graph is there; the paper's point holds on the modelled GPU too."""
    window.start()
    assert window.session.current.recorded_on
    assert window.session.arcs_missing
    record = press_run(window, qtbot)
    wait_for(record, "finished", qtbot)
    qtbot.waitUntil(lambda: window.comparison.b is not None, timeout=PATIENCE_MS)
    other = window.comparison.b
    assert other is not None
    wait_for(other, "finished", qtbot)
    assert not window.session.arcs_missing
    summary = window.comparison.summary()
    assert summary.numbers["b_time_over_a"] > 2
    assert summary.numbers["b_work_over_a"] < 0.5
    assert "was faster in spite of its extra work" in summary.words
    wait_for_proof(record, qtbot)
    assert record.verification.passed
    assert record.settings.algorithm == next(iter(ALGORITHMS))
    window.playback.advance(60.0)
    assert not window.playback.playing
    assert window.playback.cursor_ns == window.comparison.telling_ns  # where the two differ most


def test_stop_keeps_what_was_recorded(window: MainWindow, qtbot: QtBot) -> None:
    record = run_slowly(window, qtbot)
    assert window.playback.following
    qtbot.mouseClick(window.run_panel._run, LEFT)
    wait_for(record, "stopped", qtbot)
    assert record.trace.outcome == "stopped"
    assert len(record.samples) > 0
    assert window.session.notice is None
    window.run_panel.set_choices(window.run_panel.choices())
    again = press_run(window, qtbot)
    wait_for(again, "finished", qtbot)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills as POSIX does")
def test_a_killed_engine_costs_one_run(window: MainWindow, qtbot: QtBot) -> None:
    record = run_slowly(window, qtbot)
    os.kill(window.controller.host._child.pid, signal.SIGKILL)
    wait_for(record, "failed", qtbot)
    assert window.notice_bar.isVisible()
    assert record.failure in window.notice_bar.text()
    again = press_run(window, qtbot)
    wait_for(again, "finished", qtbot)
    wait_for_proof(again, qtbot)
    assert again.verification.passed
    assert not window.notice_bar.isVisible()
