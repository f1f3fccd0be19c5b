"""Runs of the window on another computer: named, tested, used, left; over a stand-in for ssh."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import host_driver
import pytest
from host_driver import elsewhere
from PyQt6.QtCore import QEvent
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from test_window_engine import LEFT, PATIENCE_MS, press_run, wait_for, wait_for_proof

import gpu
import sample_graphs
from gpu.compiled import cache_folder
from gpu.record.trace import RunSettings
from gpu.record.tracefile import load_trace, save_trace
from gpu.remote.pickup import Note
from viewer.features.compare.runs_table import COLUMNS
from viewer.features.computers.feature import ComputersFeature
from viewer.frame.run_panel import ANOTHER
from viewer.main_window import MainWindow
from viewer.models.computers import Computer, known_computers, remember_computers
from viewer.models.settings import Settings

ADDRESS = "somebody@elsewhere"
CPU = f"cpu on {ADDRESS}"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the stand-in for ssh is a shell script")


@pytest.fixture
def far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Computer]:
    """Another computer with the real engine, and a cache of its own but for compiled code."""
    compiled, cache = cache_folder(), tmp_path / "cache"
    compiled.mkdir(parents=True, exist_ok=True)
    cache.mkdir()
    (cache / compiled.name).symlink_to(compiled)
    monkeypatch.setenv("SSSP_SCOPE_CACHE", str(cache))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    command = f"exec {shlex.join([sys.executable, '-m', 'gpu.cli', 'engine', '--stdio'])}"
    with elsewhere(tmp_path):
        yield Computer(ADDRESS, command)


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path, far: Computer) -> Iterator[MainWindow]:
    window = MainWindow(Settings(tmp_path / "window.ini"))
    window.show()
    window.controller.start()
    window._frame.start()
    window.controller.show_graph(sample_graphs.make("grid", n=400))
    yield window
    window.close()
    assert not window.controller.host.alive
    assert window.controller._far is None
    window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    vars(window).clear()


def feature_of(window: MainWindow) -> ComputersFeature:
    feature = window.features["computers"]
    assert isinstance(feature, ComputersFeature)
    return feature


def test_a_computer_is_named_tested_used_and_left(
    window: MainWindow, qtbot: QtBot, far: Computer, tmp_path: Path
) -> None:
    panel, feature = window.run_panel, feature_of(window)
    before = panel._device.currentData()
    panel.choose_machine(ANOTHER)
    assert panel._device.currentData() == before
    dialog = feature.dialog
    assert dialog is not None
    assert not dialog.test.isEnabled()
    dialog.address.setText(far.address)
    dialog.command.setText(far.command)
    qtbot.mouseClick(dialog.test, LEFT)
    qtbot.waitUntil(lambda: "SSSP Scope" in dialog.answer.text(), timeout=PATIENCE_MS)
    gpus = "" if "no NVIDIA GPU there" not in dialog.answer.text() else "none"
    qtbot.mouseClick(dialog.use, LEFT)
    assert [one.address for one in known_computers(window.settings)] == [ADDRESS]
    if gpus == "none":
        assert panel._device.currentData() == CPU
    panel.choose_machine(CPU)
    assert window.status_bar._engine.text() == f"CPU of {ADDRESS}, measured"
    record = press_run(window, qtbot)
    wait_for(record, "finished", qtbot)
    wait_for_proof(record, qtbot)
    assert record.verification is not None
    assert record.verification.passed
    assert record.clock == "measured"
    assert record.trace is not None
    assert record.trace.settings.device == CPU
    assert record.trace.environment["machine"] == ADDRESS
    device = next(column for column in COLUMNS if column.title == "Device")
    assert device.words(record) == CPU
    save_trace(record.trace, tmp_path / "run.npz")
    assert load_trace(tmp_path / "run.npz").settings.device == CPU
    panel.choose_machine("H100")
    assert window.controller._far is None
    own = press_run(window, qtbot)
    wait_for(own, "finished", qtbot)
    assert own.settings.device == "H100"
    assert own.run_id > record.run_id
    again = RunSettings("dijkstra", "cpu", CPU, 3)
    window.controller.start_run(again)
    wait_for(window.session.runs[-1], "finished", qtbot)
    assert window.session.runs[-1].settings.source == 3


def test_the_engine_there_dies_and_the_next_run_works(
    window: MainWindow, qtbot: QtBot, far: Computer
) -> None:
    window.use_computers([far])
    window.run_panel.choose_machine(CPU)
    window.controller.show_graph(sample_graphs.make("grid", n=400))
    connection = window.controller._far
    assert connection is not None
    qtbot.waitUntil(lambda: connection.alive and window.controller.ready, timeout=PATIENCE_MS)
    os.kill(connection.child_pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: window.session.notice is not None, timeout=PATIENCE_MS)
    assert window.session.notice is not None
    assert window.session.notice.words.startswith(ADDRESS)
    record = press_run(window, qtbot)
    wait_for(record, "finished", qtbot)
    assert window.controller.host.alive


def test_a_sweep_goes_there_too(window: MainWindow, qtbot: QtBot, far: Computer) -> None:
    window.use_computers([far])
    panel = window.run_panel
    panel.choose_machine(CPU)
    panel._algorithm.setCurrentIndex(panel._algorithm.findData("delta_stepping"))
    window.features["sweep"].start("delta", "4, 16")  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: not window.sweep.running, timeout=PATIENCE_MS)
    assert [point.value for point in window.sweep.points] == [4, 16]
    assert {point.settings.device for point in window.sweep.points} == {CPU}


def test_a_run_there_is_live_driven_and_stopped_over_a_slow_link(
    window: MainWindow, qtbot: QtBot
) -> None:
    """100 ms of delay: samples, distances, Δ by hand and Stop, and which GPU it was."""
    helpers = Path(host_driver.__file__).parent
    proxy = helpers.parent / "remote" / "proxy.py"
    words = [sys.executable, str(proxy), "delay:0.1", sys.executable, str(helpers / "slow_far.py")]
    window.use_computers([Computer(ADDRESS, f"exec {shlex.join(words)}", ("NVIDIA H100",))])
    panel, session = window.run_panel, window.session
    panel.choose_machine(f"cuda:0 on {ADDRESS}")
    assert panel._device.currentText() == f"NVIDIA H100 on {ADDRESS} (measured)"
    record = press_run(window, qtbot)
    qtbot.waitUntil(lambda: len(record.samples) > 20, timeout=PATIENCE_MS)
    graph = session.graph
    assert graph is not None

    def is_drawn() -> bool:
        return record.dist is not None and record.dist.tolist() == list(range(graph.n))

    qtbot.waitUntil(is_drawn, timeout=PATIENCE_MS)
    assert record.running
    window.controller.set_delta(12.5)
    qtbot.waitUntil(lambda: float(record.samples[-1]["delta"]) == 12.5, timeout=PATIENCE_MS)
    window.controller.release_delta()
    qtbot.waitUntil(lambda: float(record.samples[-1]["delta"]) == 1.0, timeout=PATIENCE_MS)
    qtbot.mouseClick(panel._run, LEFT)
    wait_for(record, "stopped", qtbot)
    assert record.trace is not None
    assert "ended" not in record.trace.environment  # it listened; nobody was killed
    device = next(column for column in COLUMNS if column.title == "Device")
    assert device.words(record) == f"H100 80GB HBM3 on {ADDRESS}"


def test_what_a_window_left_there_is_fetched_and_offered(
    window: MainWindow, qtbot: QtBot, far: Computer, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = window.session.graph
    assert graph is not None
    trace = gpu.run(graph, "dijkstra", "cpu")
    settings = replace(trace.settings, device=CPU)
    note = Note("0" * 32, (), ADDRESS, settings, trace.graph)
    other = replace(note, token="1" * 32, address="another@place")
    monkeypatch.setattr("gpu.remote.pickup.waiting", lambda: [other, note])
    monkeypatch.setattr(
        "gpu.remote.pickup.pick_up", lambda asked: replace(trace, settings=asked.settings)
    )
    feature_of(window)
    window.features["workspace"]
    window.use_computers([far])
    window.run_panel.choose_machine(CPU)
    session = window.session
    qtbot.waitUntil(lambda: bool(session.notice and session.notice.offers), timeout=PATIENCE_MS)
    assert session.notice is not None
    assert "whose connection broke was fetched" in session.notice.words
    window.notice_bar.offer_taken.emit(session.notice.offers[0].what)
    qtbot.waitUntil(lambda: bool(session.runs), timeout=PATIENCE_MS)
    assert session.runs[-1].settings.device == CPU


def test_what_is_wrong_there_is_said_in_the_dialog(
    window: MainWindow, qtbot: QtBot, far: Computer
) -> None:
    feature = feature_of(window)
    feature.ask()
    dialog = feature.dialog
    assert dialog is not None
    dialog.address.setText(far.address)
    dialog.command.setText("no-such-command-of-ours")
    qtbot.mouseClick(dialog.test, LEFT)
    qtbot.waitUntil(lambda: "install SSSP Scope there" in dialog.answer.text(), timeout=PATIENCE_MS)
    assert dialog.test.isEnabled()
    dialog.address.setText("-oProxyCommand=x")
    qtbot.mouseClick(dialog.test, LEFT)
    assert "is no computer" in dialog.answer.text()
    dialog.close()
    assert feature.dialog is None


def test_a_device_of_a_stranger_is_not_gone_to(window: MainWindow) -> None:
    window.controller.start_run(RunSettings("dijkstra", "cpu", "cpu on evil@example", 0))
    assert window.session.notice is not None
    assert "none of your computers" in window.session.notice.words
    assert window.controller._far is None


def test_computers_are_remembered_and_removed(tmp_path: Path, window: MainWindow) -> None:
    settings = Settings(tmp_path / "other.ini")
    settings.set_value("computers", [{"address": "-bad"}, 7, {"address": "box", "gpus": 3}])
    assert known_computers(settings) == [Computer("box")]
    remember_computers(settings, [Computer("box"), Computer("me@big", "run it", ("T4", "T4"))])
    assert known_computers(settings)[1] == Computer("me@big", "run it", ("T4", "T4"))
    window.settings.set_value("computers", [{"address": "me@big", "gpus": ["T4", "T4"]}])
    feature = feature_of(window)
    window.use_computers(feature.known)
    rows = [window.run_panel._device.itemData(i) for i in range(window.run_panel._device.count())]
    assert rows[-4:] == ["cuda:0 on me@big", "cuda:1 on me@big", "cpu on me@big", ANOTHER]
    feature.remove("me@big")
    assert known_computers(window.settings) == []
    assert window.run_panel._device.findData("cpu on me@big") < 0
