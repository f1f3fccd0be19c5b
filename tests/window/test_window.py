"""The window with a host that does nothing: actions, docks, themes, drops, settings."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from PyQt6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PyQt6.QtGui import QDragEnterEvent, QDropEvent, QKeySequence
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QDialog, QFileDialog, QLabel
from pytestqt.qtbot import QtBot
from test_controller import FakeHost, path_graph, say, trace_of

import sample_graphs
from gpu.host import RunFinished, RunStarted, Verified
from gpu.record.trace import Verification
from viewer.app import _reporter
from viewer.common.fault_log import log_path
from viewer.common.theme import THEMES
from viewer.main_window import MainWindow
from viewer.models.session import PROGRESS_UNKNOWN
from viewer.models.settings import Settings

LEFT = Qt.MouseButton.LeftButton


def close_for_good(window: MainWindow) -> None:
    """Close and delete; pytest keeps the fixture's value, so its parts are let go of here."""
    window.close()
    repeating = [timer for timer in window.findChildren(QTimer) if not timer.isSingleShot()]
    assert not [timer for timer in repeating if timer.isActive()]
    window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    vars(window).clear()


def with_finished_run(window: MainWindow, host: FakeHost) -> None:
    window.controller.show_graph(path_graph())
    window.start_run()
    record = window.session.current
    trace = trace_of(path_graph(), record.settings)
    say(window.controller, host, RunStarted(record.run_id), RunFinished(record.run_id, trace))
    say(window.controller, host, Verified(record.run_id, Verification(True, True, "both hold")))


def test_actions_are_enabled_as_they_make_sense(window: MainWindow, host: FakeHost) -> None:
    actions = window.actions_by_key
    assert not actions["run"].isEnabled()
    assert not actions["save_trace"].isEnabled()
    window.controller.show_graph(path_graph())
    assert actions["run"].isEnabled()
    assert not actions["stop"].isEnabled()
    window.start_run()
    assert not actions["run"].isEnabled()
    assert actions["stop"].isEnabled()
    record = window.session.current
    trace = trace_of(path_graph(), record.settings)
    say(window.controller, host, RunFinished(record.run_id, trace))
    assert actions["run"].isEnabled()
    assert actions["save_trace"].isEnabled()


@pytest.mark.parametrize("keys", ["Ctrl+R", "F9"])
def test_keys_run_and_stop(window: MainWindow, host: FakeHost, qtbot: QtBot, keys: str) -> None:
    window.controller.show_graph(path_graph())
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keySequence(window, QKeySequence(keys))
    assert len(host.asked("run")) == 1
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert len(host.asked("stop")) == 1


def test_the_run_button_runs_and_stops_and_leaves_space_to_playback(
    window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    window.controller.show_graph(path_graph())
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.mouseClick(window.run_panel._run, LEFT)
    assert len(host.asked("run")) == 1
    assert window.timeline.hasFocus() or window.timeline.isAncestorOf(QApplication.focusWidget())
    qtbot.mouseClick(window.run_panel._run, LEFT)
    assert host.asked("stop") == [None]


def test_starts_with_a_sample_on_screen(window: MainWindow, host: FakeHost, qtbot: QtBot) -> None:
    window.start()
    assert host.asked("start") == [None]
    graph = window.session.graph
    assert graph.provenance.origin.startswith(f"sample:{sample_graphs.FIRST_SAMPLE}")
    assert graph.positions is not None
    assert graph.name in window.windowTitle()
    qtbot.waitUntil(lambda: window.graph_view.drawn_text() != "")
    window._next_frame()
    assert window.status_bar._drawn.text() == window.graph_view.drawn_text()


def test_a_dropped_file_is_opened(window: MainWindow, host: FakeHost, tmp_path: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(tmp_path / "roads.gr"))])
    given = (Qt.DropAction.CopyAction, mime, LEFT, Qt.KeyboardModifier.NoModifier)
    enter = QDragEnterEvent(QPoint(400, 300), *given)
    window.dragEnterEvent(enter)
    assert enter.isAccepted()
    window.dropEvent(QDropEvent(QPointF(400, 300), *given))
    assert host.asked("load")[0].what == str(tmp_path / "roads.gr")
    mime.setUrls([QUrl("https://example.org/roads.gr")])
    enter = QDragEnterEvent(QPoint(400, 300), *given)
    enter.ignore()
    window.dragEnterEvent(enter)
    assert not enter.isAccepted()


def test_layout_and_choices_are_remembered(
    window: MainWindow, settings: Settings, qtbot: QtBot
) -> None:
    window.docks["work"].close()
    window.set_theme("dark")
    window.run_panel._automatic.setChecked(False)
    window.run_panel._delta.setValue(48.0)
    window.run_panel._probe.setCurrentIndex(1)
    watched = window.run_panel.choices().probe
    window.close()
    second = MainWindow(settings, FakeHost())  # type: ignore[arg-type]
    second.show()
    assert not second.docks["work"].isVisible()
    assert second.docks["delta"].isVisible()
    assert second.theme.name == "dark"
    assert second.run_panel.choices().probe == watched
    assert second.run_panel.choices().delta is None, "that was of the graph of then"
    close_for_good(second)


@pytest.mark.parametrize("name", THEMES)
def test_themes_reach_everything(window: MainWindow, settings: Settings, name: str) -> None:
    window.actions_by_key[f"theme_{name}"].trigger()
    assert window.theme is THEMES[name]
    assert settings.theme == name
    assert window.actions_by_key[f"theme_{name}"].isChecked()
    assert window.palette().window().color().name() == THEMES[name].window
    window.set_theme("light")


def test_a_fault_of_ours_is_said_and_written_into_the_log(
    window: MainWindow,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As in the program: a slot raises, and PyQt calls `sys.excepthook`."""
    monkeypatch.setattr(sys, "excepthook", _reporter(window))

    def broken() -> None:
        raise ZeroDivisionError("in a slot")

    QTimer.singleShot(0, broken)
    qtbot.waitUntil(lambda: window.session.notice is not None)
    words = window.notice_bar.text()
    assert "ZeroDivisionError: in a slot" in words
    assert str(log_path()) in words
    text = log_path().read_text(encoding="utf-8")
    assert "in broken" in text
    assert "Qt 6" in text
    assert "ZeroDivisionError" in capsys.readouterr().err
    repeated = RuntimeError("<b>odd</b>")
    for _ in range(50):  # in a paint, it comes back thirty times a second
        window.report_bug(repeated)
    assert log_path().read_text(encoding="utf-8").count("RuntimeError: ") == 1
    window.show_about()
    (dialog,) = window.findChildren(QDialog)
    words = " ".join(label.text() for label in dialog.findChildren(QLabel))
    assert str(log_path()) in words
    assert "GPU shortest-path algorithm" in words  # its lines break where the dialog ends
    dialog.reject()


def test_progress_shows_after_a_moment_with_cancel(
    window: MainWindow, host: FakeHost, qtbot: QtBot
) -> None:
    bar = window.status_bar
    window.open_path("roads.gr")
    assert not bar.progress_shown()
    assert bar._state.text() == "Opening roads.gr…"
    qtbot.waitUntil(bar.progress_shown)
    qtbot.mouseClick(bar._cancel, LEFT)
    assert not bar.progress_shown()
    assert len(host.asked("stop")) == 1
    window.controller.show_graph(sample_graphs.make("grid", n=100))
    window.run_panel._size.setValue(5000)
    qtbot.waitUntil(bar.progress_shown)
    window.back()
    assert len(host.asked("stop")) == 2
    assert window.run_panel._size.value() == 100
    window.session.set_progress(PROGRESS_UNKNOWN, "short")
    window.session.set_progress(None)
    assert not bar._timer.isActive()


def test_status_says_engine_and_proof(window: MainWindow, host: FakeHost) -> None:
    device = window.run_panel.choices().device
    assert window.status_bar._engine.text().startswith(f"Modelled GPU: {device} (")
    assert window.status_bar._verified.text() == ""
    with_finished_run(window, host)
    assert window.status_bar._engine.text().startswith(f"Modelled GPU: {device} (")
    panel = window.run_panel
    panel.set_choices(replace(panel.choices(), device="H100"))
    assert window.status_bar._engine.text().startswith("Next run here: Modelled GPU: H100")
    panel.set_choices(replace(panel.choices(), device=device))
    assert window.status_bar._verified.text().startswith("✓ verified against Dijkstra")
    assert window.status_bar._state.text().startswith("Finished: ")


def test_saving_says_where_or_why_not(
    window: MainWindow, host: FakeHost, tmp_path: Path, qtbot: QtBot
) -> None:
    with_finished_run(window, host)
    for ask, name in (
        (window.files.ask_save_trace, "run.npz"),
        (window.actions_by_key["export_csv"].trigger, "run.csv"),
        (window.files.ask_export_png, "run.png"),
    ):
        ask()
        dialog = window.findChild(QFileDialog)
        dialog.fileSelected.emit(str(tmp_path / name))
        dialog.reject()
        QApplication.processEvents()
        said = f"Saved {tmp_path / name}"
        qtbot.waitUntil(lambda said=said: getattr(window.session.notice, "words", "") == said)
        assert (tmp_path / name).stat().st_size > 0
    window.files.ask_save_trace()
    dialog = window.findChild(QFileDialog)
    dialog.fileSelected.emit(str(tmp_path / "no" / "such" / "run.npz"))
    dialog.reject()
    qtbot.waitUntil(lambda: window.session.notice.level == "error")
    assert "was not saved" in window.session.notice.words
