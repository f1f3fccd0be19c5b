"""Lessons in the window: going on, keys, other graphs, a dead engine, room for every step."""

import os
import re
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from lesson_files import ASKED, HEAD, ONE, RUNS, TEXT, TWO, write
from lesson_stage import LEFT, PATHS, PATIENCE_MS, answer, answers, click, open_window, settle
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot
from test_window import close_for_good

import sample_graphs
from gpu.lessons.answers import Bench
from gpu.lessons.lesson import Question, Value
from gpu.lessons.read import read_lesson
from viewer.features.lessons.model import Answered, LessonModel, Progress, sorted_names
from viewer.features.lessons.panel import LessonPanel
from viewer.features.lessons.questions import NumberQuestion
from viewer.main_window import MainWindow

POINTS = 14  # of large text
SOON_MS = 30_000  # nothing is compiled for this
LARGE = 'graph = "sample:grid?n=20000"'  # a run on it takes long enough to be killed


@pytest.fixture(scope="module")
def shared(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    window = open_window(tmp_path_factory.mktemp("lessons") / "window.ini")
    yield window
    close_for_good(window)


@pytest.fixture
def own(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    window = open_window(tmp_path / "window.ini")
    yield window
    close_for_good(window)


@pytest.fixture
def window(shared: MainWindow) -> Iterator[MainWindow]:
    """One window for most tests, without a lesson, a notice or an answer of the test before."""
    shared.activateWindow()
    QApplication.processEvents()
    yield shared
    shared.features["lessons"].lesson_leave()
    QApplication.processEvents()
    shared.session.set_notice(None)
    shared.settings.set_value("lessons", {})


def test_a_lesson_goes_on_where_it_was_left_and_begins_again_once_finished(
    window: MainWindow, qtbot: QtBot
) -> None:
    feature = window.features["lessons"]
    feature.start(1)
    settle(window, qtbot)
    qtbot.mouseClick(feature.panel.next, LEFT)
    qtbot.mouseDClick(feature.panel.next, LEFT)  # it goes on one step only
    settle(window, qtbot)
    qtbot.mouseClick(feature.panel.leave, LEFT)
    first, second = feature.panel.cards[:2]
    assert first.button.text() == "Go on"
    assert first.button.property("role") == "primary"
    assert second.button.property("role") is None
    qtbot.mouseClick(first.button, LEFT)
    assert feature.model.place == 1, "it goes on where it was left"
    settle(window, qtbot)
    feature.lesson_leave()
    qtbot.mouseClick(feature.panel.cards[0].anew, LEFT)
    assert feature.model.place == feature.model.progress_of(feature.model.lesson).step == 0
    settle(window, qtbot)
    feature.lesson_leave()
    kept = {"step": 1, "finished": True, "answers": {"between": {"given": 1.0, "right": True}}}
    window.settings.set_value("lessons", {"1_order_matters": kept})
    feature.lessons()
    assert feature.panel.cards[1].button.property("role") == "primary", "the next one"
    for seen in (True, False, True):  # in the window, by a class, in the window again
        assert feature.panel.cards[0].button.text() == "Again"
        words = [label.text() for label in feature.panel.cards[0].findChildren(QLabel)]
        assert any("1 of 1 right" in line for line in words) is seen
        window.actions_by_key["present"].trigger()
    window.actions_by_key["present"].trigger()
    qtbot.mouseClick(feature.panel.cards[0].button, LEFT)
    assert (feature.model.place, feature.model.progress.answers) == (0, {})


def test_keys_turn_pages_but_do_not_leave_the_last_one(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = write(tmp_path, HEAD + ONE + TWO, TEXT.replace("{a.processed / b.processed|x}", "x"))
    feature = window.features["lessons"]
    feature.open_path(str(path))
    for _ in range(3):
        settle(window, qtbot)
        window.actions_by_key["lesson_next"].trigger()
        qtbot.keyClick(feature.panel, Qt.Key.Key_PageDown)
    assert feature.model.is_last
    settle(window, qtbot)
    assert feature.panel.next.text() == "Finish"
    qtbot.mouseClick(feature.panel.next, LEFT)
    assert feature.model.lesson is None


def test_every_lesson_is_in_the_menu_and_the_palette(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, HEAD + ONE + RUNS + ASKED.replace("high = 10", "high = 14") + TWO)
    monkeypatch.setenv("SSSP_SCOPE_LESSONS", str(tmp_path))
    menu = window.actions_by_key.menu("open_lesson")
    menu.aboutToShow.emit()
    assert [Path(row.data()).stem for row in menu.actions()] == [*PATHS, "mine"]
    entries = [entry.words for entry in window.features["palette"].entries()]
    assert sum(words.startswith("Open lesson: ") for words in entries) == len(PATHS) + 1


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills as POSIX does")
def test_an_engine_that_dies_costs_no_answer(own: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window, feature = own, own.features["lessons"]
    toml = HEAD + ONE.replace('graph = "sample:figure_1"', LARGE) + RUNS + ASKED + TWO
    toml = toml.replace("high = 10", "high = 4000000").replace("[1, 4, 20]", "[1000, 4000]")
    path = write(tmp_path, toml.replace("probe = 3", "probe = 1"))
    feature.open_path(str(path))
    model, panel = feature.model, feature.panel
    settle(window, qtbot)
    host = window.controller.host
    qtbot.waitUntil(lambda: window.controller.ready, timeout=PATIENCE_MS)
    answer(window, qtbot, right=True)
    qtbot.waitUntil(lambda: window.controller.running, timeout=PATIENCE_MS)
    os.kill(host._child.pid, signal.SIGKILL)
    settle(window, qtbot, problem="your answer is kept")
    assert "engine" in model.problem
    assert model.problem in panel.outcome.toPlainText()
    kept = window.settings.value("lessons")["mine"]["answers"]["one"]
    assert kept["right"] is None, "not judged yet"
    assert model.given == kept["given"]
    assert not panel.check.isVisible()
    click(window, qtbot, panel.retry)
    settle(window, qtbot)
    assert model.answered.right
    assert not panel.retry.isVisible()
    right = answers(str(path)).filled(model.step.question.right)
    assert model.answered.words == right


@pytest.mark.font
def test_every_step_of_every_lesson_fits_beside_the_graph_at_1024_by_768(
    own: MainWindow, qtbot: QtBot
) -> None:
    """Nothing is wider than the panel, every button is whole, and all have names."""
    app, window = QApplication.instance(), own
    before, larger = app.font(), app.font()
    larger.setPointSize(POINTS)
    app.setFont(larger)
    try:
        window.resize(1024, 768)
        window.features["lessons"].lessons()
        QApplication.processEvents()
        size = window.features["lessons"].panel.size()
        model = LessonModel(window)
        panel = LessonPanel(model)
        qtbot.addWidget(panel)
        panel.resize(size)
        panel.show()
        assert panel.width() == size.width(), "the window is not narrower than the panel may be"
        for path in PATHS.values():
            look_at_every_step(model, panel, str(path))
    finally:
        app.setFont(before)


class Filled(Bench):
    """A bench that makes no runs: a long number stands for each answer."""

    def filled(self, text: str) -> str:
        return re.sub(r"\{[^}]+\}", "1,234,567", text)


def look_at_every_step(model: LessonModel, panel: LessonPanel, path: str) -> None:
    bench = Filled(read_lesson(path))
    model.begin(bench.lesson, Progress())
    model.bench = bench
    names = [sorted_names(step) for step in bench.lesson.steps]
    model.made = {name for some in names for name in some}
    for place, step in enumerate(bench.lesson.steps):
        model.go(place)
        fits(panel, f"{bench.lesson.key}, {step.key}, asked")
        if step.question is not None:
            for right, words in ((True, step.question.right), (False, step.question.wrong)):
                told = Answered(0.0, right, bench.filled(words))
                model.progress.answers[step.key], model.phase = told, "judged"
                model.changed.emit()
                fits(panel, f"{bench.lesson.key}, {step.key}, {right}")
            model.phase = "open"


def fits(panel: LessonPanel, where: str) -> None:
    QApplication.processEvents()
    inside = panel.area.widget()
    assert inside.minimumSizeHint().width() <= panel.area.viewport().width(), where
    for text in (panel.text, panel.ask, panel.outcome):
        wide = text.document().idealWidth()
        assert text.isHidden() or wide <= text.viewport().width() + 1, where
    for button in (panel.back, panel.next, panel.check, panel.leave):
        if button.isVisible():
            needed = button.fontMetrics().horizontalAdvance(button.text())
            assert button.width() >= needed + 8, (where, button.text())
            assert panel.rect().contains(button.mapTo(panel, button.rect().center()).x(), 5), where
    for part in panel.question.stops if panel.question else []:
        assert part.accessibleName() or part.text(), where
    for text in (panel.text, panel.ask, panel.outcome):
        assert text.accessibleName()


def test_a_vertex_may_be_typed_and_tab_goes_down_the_page(window: MainWindow, qtbot: QtBot) -> None:
    feature = window.features["lessons"]
    feature.start(1)
    settle(window, qtbot)
    feature.lesson_next()
    settle(window, qtbot)
    window.activateWindow()
    panel = feature.panel
    panel.question.field.setFocus()
    qtbot.keyClicks(panel.question.field, "A")
    heights = []
    for _stop in range(3):
        part = QApplication.focusWidget()
        heights.append(part.mapToGlobal(part.rect().topLeft()).y())
        qtbot.keyClick(part, Qt.Key.Key_Tab)
    assert heights == sorted(heights)
    assert QApplication.focusWidget() is not panel.question.field
    click(window, qtbot, panel.check)
    settle(window, qtbot)
    assert feature.model.answered.right
    assert panel.question.field.text() == "A"


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


def test_an_answer_about_work_shows_the_counts_of_the_whole_run(
    window: MainWindow, qtbot: QtBot
) -> None:
    """And the answer is no vertex of the smaller graph that comes back after the lesson."""
    window.controller.show_graph(sample_graphs.make("figure_1"))
    feature, view = window.features["lessons"], window.graph_view
    feature.start(2)
    settle(window, qtbot)
    window.actions_by_key["present"].trigger()  # without a plot
    keys = [one.key for one in feature.model.lesson.steps]
    feature.model.go(keys.index("price"))
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
    assert most == ["E"]
    window.actions_by_key["present"].trigger()
    qtbot.waitUntil(window.docks["timeline"].isVisible)  # of the step that is shown now


def test_a_number_is_typed_over_the_question_mark(qtbot: QtBot) -> None:
    value = Value("run", "processed")
    question = NumberQuestion(Question("number", "How many?", value, high=1000, unit="vertices"))
    qtbot.addWidget(question)
    given: list[object] = []
    question.answered.connect(given.append)
    question.box.lineEdit().deselect()  # as after a click behind the "?"
    qtbot.keyClicks(question.box, "500")
    assert (question.box.text(), given[-1]) == ("500 vertices", 500)
    question = NumberQuestion(Question("bucket", "Which?", Value("run", "queued_in"), high=3))
    qtbot.addWidget(question)
    slider = question.slider
    slider.resize(300, slider.height())
    for share, bucket in ((0.95, 3), (0.6, 2), (0.05, 0)):  # where the groove is pressed
        qtbot.mouseClick(slider, LEFT, pos=QPoint(int(share * 300), slider.height() // 2))
        assert (question.box.value(), slider.value()) == (bucket, bucket)
