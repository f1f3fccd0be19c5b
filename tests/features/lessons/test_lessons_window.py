"""Lessons in the window: every kind of question by real clicks, and a lesson walked to its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lesson_files import ASKED, HEAD, ONE, RUNS, TEXT, TWO, write
from lesson_stage import LEFT, close_window, open_window, walk
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpu.lessons.lesson import Question
from viewer.features.lessons.questions import make_question
from viewer.main_window import MainWindow


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    window = open_window(tmp_path / "window.ini")
    yield window
    close_window(window)


@pytest.mark.slow
@pytest.mark.parametrize("right", [True, False])
def test_a_small_lesson_is_walked_and_remembered(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, right: bool
) -> None:
    before = window.session.graph
    asked = ASKED.replace("a.processed", "a.processed").replace("high = 10", "high = 14")
    path = write(tmp_path, HEAD + ONE + RUNS + asked + TWO, TEXT)
    feature = window.features["lessons"]
    feature.open_path(str(path))
    assert walk(window, qtbot, right) == [right]
    assert window.session.graph is before
    known = window.settings.value("lessons")["mine"]
    assert known["finished"]
    assert known["answers"]["one"]["right"] is right


@pytest.mark.parametrize(
    ("question", "act", "expected"),
    [
        (
            Question("choice", "?", choices=("a", "b")),
            lambda shown, qtbot: qtbot.mouseClick(shown.group.button(1), LEFT),
            1.0,
        ),
        (
            Question("bucket", "?", low=0, high=3),
            lambda shown, qtbot: qtbot.mouseClick(shown.group.button(2), LEFT),
            2.0,
        ),
        (
            Question("number", "?", low=1, high=100, logarithmic=True),
            lambda shown, qtbot: shown.slider.setValue(600),
            16.0,
        ),
    ],
)
def test_a_question_says_what_was_clicked(
    qtbot: QtBot, question: Question, act: Callable[..., None], expected: float
) -> None:
    shown = make_question(question)
    qtbot.addWidget(shown)
    shown.show()
    heard: list[float] = []
    shown.answered.connect(heard.append)
    act(shown, qtbot)
    assert heard[-1] == pytest.approx(expected)


def test_a_curve_is_drawn_by_mouse_and_keys(qtbot: QtBot) -> None:
    shown = make_question(Question("curve", "?"), (1.0, 2.0, 4.0))
    qtbot.addWidget(shown)
    shown.show()
    qtbot.mouseClick(shown.canvas, LEFT, pos=shown.canvas.place(1, 0.2).toPoint())
    assert shown.canvas.heights[1] == pytest.approx(0.2, abs=0.03)
    qtbot.keyClick(shown.canvas, Qt.Key.Key_Right)
    qtbot.keyClick(shown.canvas, Qt.Key.Key_Up)
    assert shown.canvas.heights[2] == pytest.approx(0.55)
