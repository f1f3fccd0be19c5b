"""Lessons in the window: every kind of question by real clicks, and a lesson walked to its end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from lesson_files import HEAD, ONE, TEXT, TWO, write
from lesson_stage import LEFT, answer, close_window, open_window, settle
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import sample_graphs
from viewer.main_window import MainWindow

SOON_MS = 30_000  # nothing is compiled for this


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    window = open_window(tmp_path / "window.ini")
    yield window
    close_window(window)


def test_another_graph_ends_the_lesson_and_offers_to_go_on(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    coloured = ONE + 'colour_by = "processed"\nvertices = ["A"]\n'
    path = write(
        tmp_path, HEAD + coloured + TWO, TEXT.replace("{a.processed / b.processed|x}", "x")
    )
    feature, view = window.features["lessons"], window.graph_view
    feature.open_path(str(path))
    settle(window, qtbot)
    qtbot.waitUntil(lambda: bool(feature.model.look.vertices), timeout=SOON_MS)
    assert view.colour_by == "processed"
    feature.model.go(1)  # this step says nothing of colours
    settle(window, qtbot)
    drawn = replace(sample_graphs.make("figure_1"), name="Drawing")  # a student draws it again
    window.controller.show_graph(drawn)
    qtbot.waitUntil(lambda: window.session.notice is not None, timeout=SOON_MS)
    assert feature.model.lesson is None
    assert feature.model.look.vertices == [], "no ring hangs about"
    assert view.colour_by == "distance"
    assert window.docks.arrangement == "explore"
    assert window.session.graph is drawn, "the graph that was opened stays"
    assert "step 2 of 2" in window.session.notice.words
    qtbot.mouseClick(window.notice_bar.offers[0], LEFT)
    settle(window, qtbot)
    assert feature.model.lesson is not None
    qtbot.waitUntil(lambda: view.colour_by == "processed", timeout=SOON_MS)


def test_the_arrows_step_where_the_microscope_says_so(window: MainWindow, qtbot: QtBot) -> None:
    feature = window.features["lessons"]
    feature.start(1)
    settle(window, qtbot)
    qtbot.mouseClick(feature.panel.next, LEFT)
    settle(window, qtbot)
    answer(window, qtbot, right=True)
    settle(window, qtbot)
    qtbot.waitUntil(window.docks["microscope"].isVisible, timeout=SOON_MS)
    scope, place = window.features["microscope"].model, feature.model.place
    qtbot.waitUntil(lambda: scope.position > 0, timeout=SOON_MS)
    qtbot.wait(50)
    window.activateWindow()
    feature.panel.setFocus()
    before = scope.number
    qtbot.keyClick(feature.panel, Qt.Key.Key_Left)
    assert (scope.number, feature.model.place) == (before - 1, place)
    window.actions_by_key["present"].trigger()
    qtbot.keyClick(feature.panel, Qt.Key.Key_Right)
    assert (scope.number, feature.model.place) == (before, place)
    qtbot.keyClick(feature.panel, Qt.Key.Key_PageDown)
    assert feature.model.place == place + 1
    window.actions_by_key["present"].trigger()


def test_a_lesson_takes_its_own_graphs_to_the_microscope(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    """A run of each of two graphs, both shown there: neither graph leaves it."""
    seek = 'microscope = true\n[step.seek]\nrun = "%s"\nto = "start"\n'
    run = '[[step.run]]\nname = "%s"\nalgorithm = "%s"\ndevice = "Classroom GPU"\nprobe = 3\n'
    two = '\n[[step]]\nkey = "two"\ngraph = "sample:figure_6"\n'
    steps = ONE + seek % "a" + run % ("a", "bellman_ford") + two + seek % "b"
    path = write(tmp_path, HEAD + steps + run % ("b", "dijkstra"), TEXT)
    feature, put_up = window.features["lessons"], []
    feature.open_path(str(path))
    settle(window, qtbot)
    qtbot.waitUntil(lambda: window.docks.arrangement == "microscope", timeout=SOON_MS)
    window.docks.chosen.connect(put_up.append)
    feature.model.go(1)
    settle(window, qtbot)
    qtbot.waitUntil(lambda: window.session.graph.n == 9, timeout=SOON_MS)
    settle(window, qtbot)
    assert window.docks.arrangement == "microscope"
    assert put_up == [], "it stays from step to step"
    feature.lesson_leave()


@pytest.mark.parametrize(("lesson", "step", "twice"), [(1, "between", None), (2, "price", "E")])
def test_an_answer_about_work_shows_the_counts_of_the_whole_run(
    window: MainWindow, qtbot: QtBot, lesson: int, step: str, twice: str | None
) -> None:
    feature, view = window.features["lessons"], window.graph_view
    feature.start(lesson)
    settle(window, qtbot)
    keys = [one.key for one in feature.model.lesson.steps]
    feature.model.go(keys.index(step))
    settle(window, qtbot)
    answer(window, qtbot, right=True)
    settle(window, qtbot)
    trace = window.session.current.trace
    qtbot.waitUntil(lambda: window.playback.cursor_ns == trace.time_ns, timeout=SOON_MS)
    qtbot.waitUntil(lambda: view._look().colouring.kind == "count", timeout=SOON_MS)
    qtbot.wait(50)
    counts = view._look().colouring.values
    assert counts.tolist() == trace.vertices.times_processed.tolist()
    graph = window.session.graph
    most = [str(graph.id_of(vertex)) for vertex in np.flatnonzero(counts > 1)]
    assert most == ([] if twice is None else [twice])
    assert (window.comparison.b is None) == (lesson == 2)
