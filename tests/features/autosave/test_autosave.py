"""A window leaves its session, killed or closed; the next one offers to continue with it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from test_controller import FakeHost
from test_features import opened
from test_window import close_for_good
from test_workspace_window import arrive

import gpu
import sample_graphs
from gpu.formats import load_graph
from gpu.record.trace import RECORDED_ON, SAMPLE, Verification
from gpu.record.workspace import Workspace, load_workspace
from viewer.common.kept_graphs import kept_folder
from viewer.features import Features
from viewer.features.autosave.feature import LEFT, bounded, bytes_of, without_recordings
from viewer.main_window import MainWindow
from viewer.models.session import RunRecord
from viewer.models.settings import Settings

SESSION = """
import os, signal, sys
sys.path[:0] = {paths!r}
from PyQt6.QtCore import QCoreApplication, QSettings
from PyQt6.QtWidgets import QApplication
app = QApplication(["sssp-scope"])
QCoreApplication.setApplicationName({name!r})
from test_controller import FakeHost
from test_features import opened
import gpu, sample_graphs
from gpu.formats import load_graph
from viewer.models.session import RunRecord
from viewer.models.settings import Settings
window = opened(Settings({ini!r}), FakeHost())
graph = load_graph({graph!r})
window.controller.show_graph(graph)
window.session.add_run(RunRecord.from_trace(1, gpu.run(graph, "adds", probe=2, source=1)))
window.playback.pause()
window.playback.set_cursor(0.5 * window.playback.duration_ns)
part = window.features["autosave"]
part.keep()
while part._task is not None:
    app.processEvents()
if {clean!r}:
    window.close()
else:
    os.kill(os.getpid(), signal.SIGKILL)
"""


def session(tmp_path: Path, clean: bool) -> None:
    """Let a process of its own open a window, keep its session, and end."""
    graph = tmp_path / "roads.gr"
    graph.write_text("p sp 4 4\na 1 2 5\na 2 3 4\na 3 4 1\na 1 4 30\n")
    root = Path(__file__).parents[2]
    paths = [str(root / "window"), str(root / "helpers")]
    text = SESSION.format(
        paths=paths,
        name=QApplication.applicationName(),
        ini=str(tmp_path / "first.ini"),
        graph=str(graph),
        clean=clean,
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, check=False)
    assert done.returncode == (0 if clean else -9), done.stderr.decode()


def kept() -> list[str]:
    folder = kept_folder("sessions")
    return sorted(path.suffix for path in folder.iterdir()) if folder.is_dir() else []


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    window = opened(Settings(tmp_path / "window.ini"), FakeHost())
    yield window
    if not window.isHidden():
        close_for_good(window)


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a POSIX thing")
def test_a_killed_window_s_session_is_offered_and_comes_back(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    session(tmp_path, clean=False)
    assert ".ssspw" in kept()
    window = opened(Settings(tmp_path / "second.ini"), FakeHost())
    window.controller.start()
    assert "ended without saying goodbye" in window.notice_bar.text()
    window.session.set_notice(None)  # as the first run of a start does
    window.controller.running_changed.emit(True)
    qtbot.waitUntil(lambda: bool(window.notice_bar.offers))
    (button,) = window.notice_bar.offers
    assert button.text() == "Continue with roads, 1 run"
    button.click()
    host: Any = window.controller.host
    qtbot.waitUntil(lambda: bool(host.asked("load")))
    assert host.asked("load")[-1].what == str(tmp_path / "roads.gr")  # ours: nothing is asked
    assert window.session.notice is None
    arrive(window, load_graph(tmp_path / "roads.gr"))
    qtbot.waitUntil(lambda: window.session.current is not None)
    assert window.session.current.trace is not None
    assert window.playback.cursor_ns == pytest.approx(0.5 * window.playback.duration_ns)
    close_for_good(window)
    assert kept() == [".ssspw"]  # its own, in place of the one that it took up


def with_roads(tmp_path: Path, settings: str) -> MainWindow:
    """Return a window that stands on a run of its own, as a person might leave it."""
    path = tmp_path / "roads.gr"
    path.write_text("p sp 4 4\na 1 2 5\na 2 3 4\na 3 4 1\na 1 4 30\n")
    window = opened(Settings(tmp_path / settings), FakeHost())
    graph = load_graph(path)
    window.controller.show_graph(graph)
    window.session.add_run(RunRecord.from_trace(1, gpu.run(graph, "adds", probe=2, source=1)))
    window.session.set_source(1)
    window.docks.choose("compare")
    window.playback.pause()
    window.playback.set_cursor(0.5 * window.playback.duration_ns)
    return window


def test_a_closed_window_is_continued_all_together(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    close_for_good(with_roads(tmp_path, "first.ini"))
    assert kept() == [".ssspw"]
    window = opened(Settings(tmp_path / "second.ini"), FakeHost())
    window.controller.start()
    assert window.notice_bar.text() == LEFT
    (button,) = window.notice_bar.offers
    assert button.text() == "Continue with roads, 1 run"
    button.click()
    host: Any = window.controller.host
    qtbot.waitUntil(lambda: bool(host.asked("load")))
    assert (window.docks.arrangement, window.session.runs) == ("explore", [])  # nothing yet
    arrive(window, load_graph(tmp_path / "roads.gr"))
    qtbot.waitUntil(lambda: window.session.current is not None)
    assert window.session.graph is not None
    assert window.session.graph.n == 4
    assert window.docks.arrangement == "compare"
    assert window.session.source == 1
    assert window.playback.cursor_ns == pytest.approx(0.5 * window.playback.duration_ns)
    close_for_good(window)


@pytest.mark.parametrize("by_now", ["gone", "another"])
def test_without_its_graph_nothing_of_it_comes_back(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_now: str
) -> None:
    monkeypatch.setattr("gpu.record.workspace.SMALL_ARCS", 0)  # as a large one: it is only named
    close_for_good(with_roads(tmp_path, "first.ini"))
    path = tmp_path / "roads.gr"
    if by_now == "gone":
        path.unlink()
    else:
        path.write_text("p sp 2 1\na 1 2 5\n")
    window = opened(Settings(tmp_path / "second.ini"), FakeHost())
    window.controller.start()
    before = sample_graphs.make("figure_6")
    window.controller.show_graph(before)
    (button,) = window.notice_bar.offers
    button.click()
    if by_now == "another":
        host: Any = window.controller.host
        qtbot.waitUntil(lambda: bool(host.asked("load")))
        arrive(window, load_graph(path))
    qtbot.waitUntil(lambda: "does not come back" in window.notice_bar.text())
    assert (window.session.graph, window.session.runs) == (before, [])
    assert window.docks.arrangement == "explore"
    close_for_good(window)


def test_who_only_looks_leaves_it_for_the_next_start(qapp: QApplication, tmp_path: Path) -> None:
    close_for_good(with_roads(tmp_path, "first.ini"))
    for name in ("second.ini", "third.ini"):
        window = opened(Settings(tmp_path / name), FakeHost())
        assert window.notice_bar.text() == LEFT
        window.session.set_notice(None)  # dismissed
        close_for_good(window)
    assert kept() == [".ssspw"]


def test_who_names_a_file_is_not_asked(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    close_for_good(with_roads(tmp_path, "first.ini"))
    monkeypatch.setattr(Features, "install_next", lambda _self: False)
    window = opened(Settings(tmp_path / "second.ini"), FakeHost())
    monkeypatch.undo()
    window.named_file = "other.gr"
    while window.features.install_next():
        pass
    assert window.session.notice is None
    close_for_good(window)


def test_a_window_with_nothing_of_its_own_leaves_nothing(
    qapp: QApplication, tmp_path: Path
) -> None:
    window = opened(Settings(tmp_path / "first.ini"), FakeHost())
    window.controller.show_graph(sample_graphs.make("figure_6"))
    part: Any = window.features["autosave"]
    part.keep()
    finish(part)
    close_for_good(window)
    assert kept() == []


def test_what_cannot_be_read_is_not_offered(qapp: QApplication, tmp_path: Path) -> None:
    folder = kept_folder("sessions")
    folder.mkdir(parents=True)
    (folder / "broken.ssspw").write_bytes(b"PK nothing")
    window = opened(Settings(tmp_path / "first.ini"), FakeHost())
    assert window.session.notice is None
    close_for_good(window)
    assert kept() == []


def test_a_clean_end_of_a_process_leaves_its_session(qapp: QApplication, tmp_path: Path) -> None:
    session(tmp_path, clean=True)
    assert kept() == [".ssspw"]


def test_a_window_that_lives_is_not_offered(window: MainWindow, tmp_path: Path) -> None:
    window.controller.show_graph(sample_graphs.make("figure_6"))
    part: Any = window.features["autosave"]
    part.keep()
    finish(part)
    assert kept() == [".lock", ".ssspw"]
    other = opened(Settings(tmp_path / "other.ini"), FakeHost())
    assert other.session.notice is None
    close_for_good(other)
    assert kept() == [".lock", ".ssspw"]


def finish(part: Any) -> None:
    while part._task is not None:
        QApplication.processEvents()


def test_it_is_written_where_something_changed(window: MainWindow) -> None:
    part: Any = window.features["autosave"]
    part.keep()
    assert part._task is None  # an empty window is nothing to keep
    graph = sample_graphs.make("grid", n=64)
    window.controller.show_graph(graph)
    part.keep()
    finish(part)
    path = part._kept.path
    written = path.stat().st_mtime_ns
    part.keep()
    assert part._task is None
    window.session.add_run(RunRecord.from_trace(1, gpu.run(graph, "adds")))
    part.keep()
    finish(part)
    assert path.stat().st_mtime_ns > written
    found = load_workspace(path)
    assert found.graph is not None
    assert found.graph.origin == "sample:grid"
    assert len(found.runs) == 1
    assert found.runs[0][1].verification is None
    written = path.stat().st_mtime_ns
    window.session.set_verification(1, Verification(True, True, ""))  # proofs come later
    part.keep()
    finish(part)
    assert path.stat().st_mtime_ns > written
    proved = load_workspace(path).runs[0][1].verification
    assert proved is not None
    assert proved.passed


def test_it_starts_by_itself(window: MainWindow) -> None:
    timer = window.features["autosave"]._timer
    assert timer.isActive()
    assert timer.interval() == 30_000


def test_the_newest_runs_that_fit_are_kept() -> None:
    graph = sample_graphs.make("grid", n=64)
    trace = gpu.run(graph, "adds", probe=2)
    size = bytes_of(trace)
    assert size >= trace.samples.nbytes + trace.dist.nbytes
    workspace = Workspace(None, ((1, trace), (2, trace), (3, trace)))
    assert [number for number, _ in bounded(workspace, 2 * size).runs] == [2, 3]
    assert bounded(workspace, size - 1).runs == ()
    assert np.dtype(SAMPLE).itemsize * len(trace.samples) == trace.samples.nbytes


def test_a_full_disk_is_no_fault(window: MainWindow, tmp_path: Path) -> None:
    part: Any = window.features["autosave"]
    window.controller.show_graph(sample_graphs.make("figure_6"))
    (tmp_path / "no folder").write_text("a file")
    part._kept.path = tmp_path / "no folder" / "at.ssspw"
    part.keep()
    finish(part)
    assert window.session.notice is None
    assert part._last == ()  # tried again at the next tick


def test_runs_that_come_with_the_program_are_left_out_but_for_those_in_sight() -> None:
    graph = sample_graphs.make("grid", n=64)
    own = gpu.run(graph, "adds")
    recorded = replace(own, environment={RECORDED_ON: "NVIDIA H100"})
    runs = ((1, recorded), (2, own), (3, recorded))
    kept = without_recordings(Workspace(None, runs, current=2))
    assert [number for number, _ in kept.runs] == [2]
    kept = without_recordings(Workspace(None, runs, current=2, b=3))
    assert [number for number, _ in kept.runs] == [2, 3]
