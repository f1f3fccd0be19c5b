"""A closed window leaves its session; the next start offers to continue with it."""

from pathlib import Path
from typing import Any

import pytest
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from screen import all_controls
from test_window import close_for_good
from test_workspace_window import arrive, new_window, roads

import sample_graphs
from gpu.record.trace import RunSettings
from viewer.features.lessons.feature import LAST, all_lessons
from viewer.features.workspace import last_session
from viewer.models.session import RunRecord


def leave_session(tmp_path: Path, alone: bool = False) -> tuple[Path, Any]:
    """Close a window in the middle of a run on a file; return the file and its graph."""
    file, graph, trace = roads(tmp_path)
    window = new_window(tmp_path, "first")
    window.controller.show_graph(graph)
    window.session.add_run(RunRecord.from_trace(2, trace), show=False)  # only what is shown stays
    window.session.add_run(RunRecord.from_trace(1, trace))
    rival = RunSettings("bellman_ford", source=1)
    window.session.add_run(RunRecord(3, rival, trace.graph, "modelled"), show=False)
    show = window.session.set_current if alone else window.comparison.compare_with
    show(window.session.runs[-1])  # it goes on
    window.session.set_source(1)
    window.docks.choose("compare")
    window.playback.pause()
    window.playback.set_cursor(0.5 * window.playback.duration_ns)
    close_for_good(window)
    assert last_session().is_file()
    return file, graph


@pytest.mark.parametrize("alone", [False, True])
def test_the_next_start_continues(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, alone: bool
) -> None:
    file, graph = leave_session(tmp_path, alone)
    path, lesson = all_lessons()[0][0]
    all_controls(tmp_path / "second.ini").set_value(LAST, path)
    window = new_window(tmp_path, "second")
    for words in ("Your last session is here", f"You were in the lesson {lesson.title}"):
        assert words in window.notice_bar.text()
    buttons = {button.text(): button for button in window.notice_bar.offers}
    assert sorted(buttons) == ["Continue with it", "Go on with the lesson"]
    buttons["Continue with it"].click()
    host: Any = window.controller.host
    qtbot.waitUntil(lambda: bool(host.asked("load")))
    assert host.asked("load")[-1].what == str(file)  # our own file: nothing is asked
    arrive(window, graph)
    qtbot.waitUntil(lambda: window.session.current is not None)
    assert window.docks.arrangement == "compare"
    assert window.session.source == 1
    assert window.playback.cursor_ns == (0 if alone else 0.5 * window.playback.duration_ns)
    assert "Bellman-Ford was still running at the close and was not" in window.notice_bar.text()
    buttons = {button.text(): button for button in window.notice_bar.offers}
    assert sorted(buttons) == ["Go on with the lesson", "Run it"]  # the lesson is not forgotten
    buttons["Run it"].click()
    assert host.asked("run")[-1].algorithm == window.comparison.b.settings.algorithm
    assert window.comparison.rival == "bellman_ford"
    close_for_good(window)
    assert last_session().is_file()


def test_who_only_looks_leaves_it_for_the_next_start(qapp: QApplication, tmp_path: Path) -> None:
    leave_session(tmp_path)
    before = last_session().read_bytes()
    window = new_window(tmp_path, "second")
    window.controller.show_graph(sample_graphs.make("figure_6"))
    close_for_good(window)
    assert last_session().read_bytes() == before
