"""The lessons feature at work: from a step of the model to the stage, and back.

Opening a lesson remembers how the window stood, leaving it puts that back. While a vertex is asked
for, a click in the graph is an answer and no new source.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, cast

from PyQt6.QtCore import QObject, QProcess, QTimer
from PyQt6.QtWidgets import QFileDialog, QMainWindow, QWidget

from gpu.errors import GpuError
from gpu.lessons.lesson import Lesson
from gpu.lessons.read import find_lessons, read_lesson
from viewer.features.base import Window
from viewer.features.lessons_stage import Stage
from viewer.models.decisions import score_words
from viewer.models.lesson import LessonModel, Progress
from viewer.models.session import Notice
from viewer.theme import Theme
from viewer.widgets.lesson import LessonPanel
from viewer.widgets.lesson_questions import CurveQuestion, VertexQuestion

NAME = "lessons"  # key in Settings: progress by lesson
NOT_DRIVEN = (
    "You did not touch Δ, so the controller drove. Go back and drag the line in the Δ panel, "
    "or press ÷2 and ×2."
)


class LessonsFeature(QObject):
    """Owns the lesson's model and stage; makes the panel."""

    def __init__(self, window: Window) -> None:
        super().__init__(window.as_widget())
        self._window = window
        self.model, self.stage = LessonModel(self), Stage(window)
        self.panel: LessonPanel | None = None
        self._before: dict[str, Any] = {}
        self._asking_vertex = False
        self._process: QProcess | None = None
        self.stage.listen(self._take, self.model.work, self.model.fail)
        self.model.step_changed.connect(self._enter_soon)
        self.model.changed.connect(window.enable_actions)
        self.model.lesson_changed.connect(window.enable_actions)
        window.session.graph_changed.connect(self._know_graph)

    # --- for the window

    def make_panel(self, _dock: str) -> QWidget:
        """Return the panel."""
        self.panel = panel = LessonPanel(self.model)
        panel.lesson_requested.connect(self.open_path)
        panel.check_requested.connect(self.check)
        panel.leave_requested.connect(self.lesson_leave)
        panel.hurry_requested.connect(lambda: self._window.controller.set_pace(None))
        panel.question_shown.connect(self._show_question)
        self._list()
        return panel

    def needs(self) -> dict[str, bool]:
        """Whether a lesson is open."""
        return {"lesson": self.model.lesson is not None}

    def close(self) -> None:
        """The window closes."""
        self.stage.abandon()
        if self._process is not None:
            self._process.kill()
            self._process.waitForFinished(2000)

    # --- handlers

    def lessons(self) -> None:
        """Show the list of lessons, or the lesson that is open."""
        if self.model.lesson is None:
            self._list()
        self._show_dock()

    def first_lesson(self) -> None:
        """Open the first lesson."""
        self.start(1)

    def start(self, number: int) -> None:
        """Open a lesson by its number in the list, from 1."""
        self.open_path(str(find_lessons()[number - 1]))

    def open_path(self, path: str) -> None:
        """Open a lesson by its file."""
        try:
            lesson = read_lesson(path)
        except GpuError as error:
            self._window.session.set_notice(Notice("error", str(error)))
            return
        if self.model.lesson is None:
            self._remember_window()
        progress = self._progress(lesson)
        if progress.finished and progress.step == len(lesson.steps) - 1:
            progress.step = 0
        self._show_dock()
        self.stage.open(None)
        self.model.begin(lesson, progress, lambda known: self._keep(lesson.key, known))

    def lesson_next(self) -> None:
        """Go on."""
        if self.panel is not None:
            self.panel.forward()

    def lesson_back(self) -> None:
        """Go back."""
        self.model.go(self.model.place - 1)

    def lesson_restart(self) -> None:
        """Forget the answers of this lesson."""
        self.model.restart()

    def lesson_leave(self) -> None:
        """Close the lesson, put the window back."""
        self.stage.open(None)
        self._ask_vertex(asking=False)
        self.model.leave()
        self._list()
        self._restore_window()

    def lesson_results(self) -> None:
        """Ask where to write the answers."""
        self._ask_save("Results for the teacher", ".json", self._write_results)

    def lesson_page(self) -> None:
        """Ask where to write the page."""
        self._ask_save("Lesson as a web page", ".html", self._write_page)

    # --- a step

    def _enter_soon(self) -> None:
        self.stage.abandon()
        QTimer.singleShot(0, self._enter)  # once the panel shows the step

    def _enter(self) -> None:
        model = self.model
        if model.bench is None:
            return
        self.stage.abandon()
        if self.stage.bench is not model.bench:
            self.stage.open(model.bench)
        step = model.step
        self.stage.show_graph(step, self._set_up)

    def _set_up(self) -> None:
        """The graph is there: point things out, make what the text speaks of."""
        model, step = self.model, self.model.step
        self.stage.point_out(step)
        told = model.question is None or model.answered is not None
        names = model.needed_for_text()
        if told and not step.drive:
            names = sorted({*names, *model.needed_for_answer()}, key=self._order)
        self.stage.make(names, lambda: self._ready(told=told and not step.drive))

    def _order(self, name: str) -> int:
        lesson = self.model.lesson
        assert lesson is not None
        known = [one.name for s in lesson.steps for one in s.runs]
        known += [one.name for s in lesson.steps for one in s.sweeps]
        return known.index(name)

    def _ready(self, *, told: bool) -> None:
        step = self.model.step
        self.stage.show_graph(step, lambda: self._reveal(reveal=told))

    def check(self) -> None:
        """Keep the answer, run the experiment, tell."""
        model = self.model
        if model.lesson is None or model.phase != "open":
            return
        model.commit()
        self._ask_vertex(asking=False)
        names, pace = model.needed_for_answer(), None
        if model.step.drive and model.step.runs:
            names = names or [run.name for run in model.step.runs]
            pace = self.stage.drive_pace(model.step.runs[-1])
        model.work("Setting it up…")
        self.stage.make(names, self._told, pace)

    def _told(self) -> None:
        step = self.model.step
        if step.compare or step.show:
            self._reveal(reveal=True)
        else:
            self.stage.show_graph(step, lambda: self._reveal(reveal=True))

    def _reveal(self, *, reveal: bool) -> None:
        model, step = self.model, self.model.step
        if reveal:
            self.stage.show_result(step)
        if reveal and step.drive:
            model.score = self._score()
        model.finish(reveal)
        question = self.panel.question if self.panel is not None else None
        if reveal and isinstance(question, CurveQuestion) and model.bench is not None:
            question.show_truth(model.bench.curve_times(question.question))
        self._ask_vertex(asking=isinstance(question, VertexQuestion) and model.phase == "open")

    def _score(self) -> str:
        from viewer.models.decisions import by_hand, rivals

        mine = self.stage.records.get(self.model.step.runs[-1].name)
        if mine is None:
            return ""
        pair = rivals(mine, self._window.session.runs) if by_hand(mine) else None
        return score_words(*pair) if pair is not None else NOT_DRIVEN

    def _take(self, name: str) -> None:
        self.model.made.add(name)

    # --- questions that the graph answers

    def _show_question(self, question: object) -> None:
        self._ask_vertex(asking=False)
        self._know_graph()

    def _know_graph(self) -> None:
        question = self.panel.question if self.panel is not None else None
        if isinstance(question, VertexQuestion):
            question.set_graph(self._window.session.graph)
            question.show_given(self.model.given)

    def _ask_vertex(self, *, asking: bool) -> None:
        if asking == self._asking_vertex:
            return
        self._asking_vertex = asking
        clicked, choose = self._window.graph_view.source_requested, self._window.controller
        if asking:
            clicked.disconnect(choose.set_source)
            clicked.connect(self._clicked)
        else:
            clicked.disconnect(self._clicked)
            clicked.connect(choose.set_source)

    def _clicked(self, vertex: int) -> None:
        question = self.panel.question if self.panel is not None else None
        if isinstance(question, VertexQuestion):
            question.choose(vertex)
            self.stage.vertices = [vertex]
            self._window.graph_view.refresh()

    # --- the window before and after

    def _show_dock(self) -> None:
        dock = self._window.docks["lesson"]
        if not dock.isVisible():
            self._window.features.layouts.use("lesson")
        self._window.show_dock("lesson")
        dock.raise_()

    def _remember_window(self) -> None:
        window = self._window
        main = cast("QMainWindow", window.as_widget())
        self._before = {
            "state": main.saveState(window.docks.version),
            "layout": window.docks.layout,
            "colour": window.graph_view.colour_by,
            "graph": window.session.graph,
            "source": window.session.source,
            "run": window.session.current,
        }

    def _restore_window(self) -> None:
        window, before, self._before = self._window, self._before, {}
        if not before:
            return
        window.features.compare.model.end()
        window.controller.stop()
        window.features.layouts.use(before["layout"])
        main = cast("QMainWindow", window.as_widget())
        main.restoreState(before["state"], window.docks.version)
        window.show_dock("lesson").setFocus()
        window.graph_view.set_colour_by(before["colour"])
        graph, run = before["graph"], before["run"]
        if graph is not None and graph is not window.session.graph:
            window.controller.show_graph(graph)
            window.controller.set_source(before["source"])
        if run in window.session.runs:
            window.session.set_current(run)

    # --- progress and files

    def _known(self) -> dict[str, Any]:
        known = self._window.settings.value(NAME, {})
        return known if isinstance(known, dict) else {}

    def _progress(self, lesson: Lesson) -> Progress:
        return Progress.from_dict(self._known().get(lesson.key))

    def _keep(self, key: str, progress: dict[str, Any]) -> None:
        self._window.settings.set_value(NAME, {**self._known(), key: progress})

    def _list(self) -> None:
        if self.panel is None:
            return
        found, problems = [], []
        for path in find_lessons():
            try:
                lesson = read_lesson(path)
            except GpuError as error:
                problems.append(str(error))
            else:
                found.append((str(path), lesson, self._progress(lesson)))
        self.panel.show_home(found, "\n".join(problems))

    def _ask_save(self, title: str, suffix: str, write: Any) -> None:
        lesson = self.model.lesson
        if lesson is None:
            return
        kind = f"{suffix[1:].upper()} (*{suffix})"
        dialog = QFileDialog(self._window.as_widget(), title, str(Path.home()), kind)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(suffix)
        dialog.selectFile(lesson.key + suffix)
        dialog.fileSelected.connect(write)
        dialog.open()

    def _write_results(self, path: str) -> None:
        results = self.model.results()
        words = json.dumps(results, ensure_ascii=False, indent=1) + "\n"
        self._window.files.save(path, lambda to: _write(to, words))

    def _write_page(self, path: str) -> None:
        """Let a process of its own write the page: it makes every run and picture."""
        lesson = self.model.lesson
        if lesson is None or self._process is not None:
            return
        self._process = process = QProcess(self)
        process.finished.connect(lambda code, _how: self._page_written(path, code))
        run = "import sys; from viewer.app import main; sys.exit(main(sys.argv[1:]))"
        process.start(sys.executable, ["-c", run, "lesson", "html", lesson.path, "-o", path])
        self._window.session.set_notice(Notice("info", f"Writing {path}…"))

    def _page_written(self, path: str, code: int) -> None:
        process, self._process = self._process, None
        assert process is not None
        said = bytes(process.readAllStandardError().data()).decode(errors="replace").strip()
        process.deleteLater()
        words = f"Saved {path}" if code == 0 else f"{path} was not written: {said[-300:]}"
        self._window.session.set_notice(Notice("info" if code == 0 else "error", words))

    def apply_theme(self, _theme: Theme) -> None:
        """Draw marks in the new colours."""
        self._window.graph_view.refresh()


def _write(path: str, words: str) -> None:
    Path(path).write_text(words, encoding="utf-8")
