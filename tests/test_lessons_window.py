"""Lessons in the window: every kind of question by real clicks, and a lesson walked to its end."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lesson_files import ASKED, HEAD, ONE, RUNS, TEXT, TWO, write
from PyQt6.QtCore import QEvent, Qt
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpu.lessons.lesson import Question
from gpu.lessons.read import find_lessons
from viewer.main_window import MainWindow
from viewer.models.settings import Settings
from viewer.widgets.lesson_questions import make_question

LEFT = Qt.MouseButton.LeftButton
PATIENCE_MS = 180_000  # the first run on a machine compiles the model


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    """A window whose engine process is on its way up."""
    window = MainWindow(Settings(tmp_path / "window.ini"))
    window.run_on_start = False
    window.resize(1280, 800)
    window.show()
    window.build_plots()
    while window.features.install_next():
        pass
    window.start()
    yield window
    window.close()
    window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    vars(window).clear()


def settle(window: MainWindow, qtbot: QtBot) -> None:
    model = window.features.lessons.model
    qtbot.wait(60)
    qtbot.waitUntil(lambda: model.phase != "working", timeout=PATIENCE_MS)
    assert model.problem == ""


def answer(window: MainWindow, qtbot: QtBot, right: bool) -> None:
    """Answer the step's question by mouse and keys, then press Check."""
    feature = window.features.lessons
    asked, shown, bench = feature.model.question, feature.panel.question, feature.model.bench
    names = feature.model.needed_for_answer()
    if asked.kind == "choice":
        place = int(bench.right_answer(asked))
        wrong = next(k for k in range(len(asked.choices)) if not bench.is_right(asked, float(k)))
        qtbot.mouseClick(shown.group.button(place if right else wrong), LEFT)
    elif asked.kind == "bucket":
        place = int(bench.right_answer(asked))
        other = int(asked.low) if place != int(asked.low) else int(asked.high)
        qtbot.mouseClick(shown.group.button(place if right else other), LEFT)
    elif asked.kind == "vertex":
        count = window.session.graph.n
        vertex = next(v for v in range(count) if bench.is_right(asked, float(v)) == right)
        at = window.graph_view.place_of(vertex)
        qtbot.mouseClick(window.graph_view, LEFT, pos=at.toPoint())
    elif asked.kind == "number":
        true = bench.right_answer(asked)
        ends = sorted((asked.low, asked.high), key=lambda end: abs(end - true))
        shown.box.setFocus()
        shown.box.selectAll()
        qtbot.keyClicks(shown.box, f"{true if right else ends[-1]:.6g}")
        qtbot.keyClick(shown.box, Qt.Key.Key_Return)
    else:
        times = bench.curve_times(asked)
        ranks = sorted(range(len(times)), key=lambda k: times[k] if right else -times[k])
        for rank, index in enumerate(ranks):
            at = shown.canvas.place(index, (rank + 0.5) / len(times))
            qtbot.mouseClick(shown.canvas, LEFT, pos=at.toPoint())
    assert feature.panel.check.isEnabled(), (asked.kind, names)
    qtbot.mouseClick(feature.panel.check, LEFT)


def drive(window: MainWindow, qtbot: QtBot) -> None:
    panel = window.features.lessons.panel
    qtbot.mouseClick(panel.check, LEFT)
    delta = window.plots["delta"]
    qtbot.waitUntil(lambda: delta.steerable, timeout=PATIENCE_MS)
    qtbot.mouseClick(delta.double_button, LEFT)
    qtbot.mouseClick(panel.hurry, LEFT)


def walk(window: MainWindow, qtbot: QtBot, right: bool) -> list[bool | None]:
    """Go from the first step to the last; return what each answer was judged."""
    feature = window.features.lessons
    model, judged = feature.model, []
    settle(window, qtbot)
    for _step in model.lesson.steps:
        if model.question is not None or model.step.drive:
            answer(window, qtbot, right) if model.question is not None else drive(window, qtbot)
            settle(window, qtbot)
            if model.question is not None:
                judged.append(model.answered.right)
                assert model.answered.words
                assert feature.panel.told.isVisible()
        assert "…" not in model.text(model.step.text), model.step.key
        assert feature.panel.isVisible()
        qtbot.mouseClick(feature.panel.next, LEFT)
        if model.lesson is not None:
            settle(window, qtbot)
    assert model.lesson is None
    return judged


WALKED = ("1_", "2_")  # the others are walked by hand so far: SSSP_SCOPE_ALL_WALKS=1


def walked() -> list[Path]:
    everything = os.environ.get("SSSP_SCOPE_ALL_WALKS") == "1"
    return [path for path in find_lessons() if everything or path.stem.startswith(WALKED)]


@pytest.mark.slow
@pytest.mark.parametrize("path", walked(), ids=lambda path: path.stem)
@pytest.mark.parametrize("right", [True, False], ids=["right", "wrong"])
def test_walk_through_a_lesson(window: MainWindow, qtbot: QtBot, path: Path, right: bool) -> None:
    window.features.lessons.open_path(str(path))
    assert set(walk(window, qtbot, right)) == {right}


@pytest.mark.slow
@pytest.mark.parametrize("right", [True, False])
def test_a_small_lesson_is_walked_and_remembered(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, right: bool
) -> None:
    before = window.session.graph
    path = write(tmp_path, HEAD + ONE + RUNS + ASKED + TWO, TEXT)
    feature = window.features.lessons
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
