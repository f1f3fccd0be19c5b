"""The lessons feature at work: from a step of the model to the stage, and back.

Opening a lesson remembers how the window stood, leaving it puts that back. While a vertex is asked
for, a click in the graph is an answer and no new source.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QEvent, QObject, QTimer
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QVBoxLayout, QWidget

from gpu.errors import GpuError
from gpu.lessons.lesson import Lesson
from viewer.common.foreign_words import button_words
from viewer.common.later import later
from viewer.common.theme import Theme
from viewer.feature import FeaturePart, Microscope, Window
from viewer.features.lessons.files import Saver, Shelf
from viewer.features.lessons.hint import LessonHint
from viewer.features.lessons.model import LessonModel, Progress
from viewer.features.lessons.panel import LessonPanel
from viewer.features.lessons.questions import CurveQuestion, VertexQuestion
from viewer.features.lessons.stage import Stage
from viewer.models.decisions import score_words
from viewer.models.session import Notice, Offer

NAME = "lessons"  # key in Settings: progress by lesson
DOCK = "lesson"  # key of the dock, and of the arrangement round it
GREETED = "lessons_greeted"  # key in Settings: the hint for newcomers is not shown again
NOT_DRIVEN = (
    "You did not touch Δ, so the controller drove. Go back and drag the line in the Δ panel, "
    "or press ÷2 and ×2."
)


class LessonsFeature(FeaturePart):
    """Owns the lesson's model and stage; makes the panel."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.model, self.stage = LessonModel(self), Stage(window)
        self.panel: LessonPanel | None = None
        self._before: dict[str, Any] = {}
        self._asking_vertex = False
        self.shelf, self._saver = Shelf(window), Saver(window)
        self.hint: LessonHint | None = None
        self.stage.listen(self._take, self.model.work, self.model.fail)
        self.model.step_changed.connect(self._enter_soon)
        self.model.changed.connect(window.enable_actions)
        self.model.lesson_changed.connect(window.enable_actions)
        window.session.graph_changed.connect(self._take_graph)
        window.notice_bar.offer_taken.connect(self._take_offer)
        menu = window.actions_by_key.menu("open_lesson")
        menu.aboutToShow.connect(self._fill_menu)
        menu.triggered.connect(lambda row: self.open_path(row.data()))
        window.docks[DOCK].installEventFilter(self)
        microscope = window.docks.by_key.get("microscope")
        if microscope is not None:
            microscope.visibilityChanged.connect(lambda _on: later(self, self._see_microscope))
        self._greet()

    # --- for the window

    def make_panel(self, _dock: str) -> QWidget:
        """Return the panel."""
        self.panel = panel = LessonPanel(self.model)
        panel.lesson_requested.connect(self.open_path)
        panel.check_requested.connect(self.check)
        panel.leave_requested.connect(self.lesson_leave)
        panel.retry_requested.connect(self.retry)
        panel.hurry_requested.connect(lambda: self._window.controller.set_pace(None))
        panel.question_shown.connect(self._show_question)
        panel.microscope_requested.connect(self._show_again)
        self._list()
        return panel

    def needs(self) -> dict[str, bool]:
        """Whether a lesson is open."""
        return {"lesson": self.model.lesson is not None}

    def close(self) -> None:
        """The window closes: panels stand as before the lesson."""
        self.stage.abandon()
        self._saver.close()
        if self._before:
            self._put_looks_back(self._before)

    # --- handlers

    def lessons(self) -> None:
        """Show the list of lessons, or the lesson that is open."""
        if self.model.lesson is None:
            self._list()
        self._show_dock()

    def start(self, number: int) -> None:
        """Open a lesson by its number in the list, from 1."""
        self.open_path(str(self.shelf.paths()[number - 1]))

    def lessons_folder(self) -> None:
        """Ask for a folder of one's own lessons."""
        self._saver.choose_folder()

    def open_path(self, path: str) -> None:
        """Open a lesson by its file."""
        try:
            lesson = self.shelf.read(Path(path))
        except GpuError as error:
            self._window.session.set_notice(Notice("error", str(error)))
            return
        self._window.docks.over.discard(DOCK)
        if self.model.lesson is None:
            self._remember_window()
        else:
            self._window.graph_view.set_colour_by(self._before["colour"])
        progress = self._progress(lesson)
        if progress.finished and progress.step == len(lesson.steps) - 1:
            progress.step = 0
        self._dismiss_hint()
        self._show_dock()
        self.stage.open(None)
        if any(step.sweeps for step in lesson.steps):  # their processes start while one reads
            sweeps = [sweep for step in lesson.steps for sweep in step.sweeps]
            self._window.sweep.hold(sweeps[0].algorithm)
        self.model.begin(lesson, progress, lambda known: self._keep(lesson.key, known))

    def lesson_next(self) -> None:
        """Go on."""
        if self.panel is not None:
            self.panel.forward()

    def lesson_back(self) -> None:
        """Go back."""
        self.model.go(self.model.place - 1)

    def lesson_leave(self) -> None:
        """Close the lesson, put the window back."""
        self._end()
        self._restore_window()

    def _end(self) -> None:
        """Close the lesson; its progress is kept."""
        self.stage.open(None)
        self._ask_vertex(asking=False)
        self._window.sweep.release()
        self.model.leave()
        self._list()

    def lesson_page(self) -> None:
        """Ask where to write the page."""
        if self.model.lesson is not None:
            self._saver.page(self.model.lesson)

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
        steps = model.lesson.steps[: model.place + 1] if model.lesson is not None else ()
        so_far = [one.colour_by for one in steps if one.colour_by]
        self.stage.look.point_out(step, so_far[-1] if so_far else "")
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

    def retry(self) -> None:
        """Make once more what came to nothing: the answer, if one was given, is still there."""
        model = self.model
        if model.lesson is None or model.phase != "open":
            return
        if model.step.key in model.progress.answers or model.step.drive:
            self.check()
        else:
            model.work("Setting it up…")
            self._enter()

    def _told(self) -> None:
        step = self.model.step
        if step.compare or step.show:
            self._reveal(reveal=True)
        else:
            self.stage.show_graph(step, lambda: self._reveal(reveal=True))

    def _reveal(self, *, reveal: bool) -> None:
        model, step = self.model, self.model.step
        if reveal:
            self.stage.look.show_result(step, self.stage.records)
        if reveal and step.drive:
            model.score = self._score()
        model.finish(reveal)
        question = self.panel.question if self.panel is not None else None
        if reveal and isinstance(question, CurveQuestion) and model.bench is not None:
            question.show_truth(model.bench.curve_times(question.question))
        self._ask_vertex(asking=isinstance(question, VertexQuestion) and model.phase == "open")

    def _see_microscope(self) -> None:
        if self.panel is not None:
            self.panel.set_microscope_seen(not self._window.docks["microscope"].isHidden())

    def _show_again(self) -> None:
        if self.model.lesson is not None:
            self.stage.look.show_result(self.model.step, self.stage.records)

    def _score(self) -> str:
        from viewer.models.decisions import by_hand, rivals

        mine = self.stage.records.get(self.model.step.runs[-1].name)
        if mine is None:
            return ""
        pair = rivals(mine, self._window.session.runs) if by_hand(mine) else None
        return score_words(*pair) if pair is not None else NOT_DRIVEN

    def _take_graph(self) -> None:
        """Another graph is shown: one of the lesson, or a person went elsewhere."""
        if self.stage.is_foreign(self._window.session.graph):
            self._make_way()
        else:
            self._know_graph()

    def eventFilter(self, a0: QObject | None, a1: QEvent | None) -> bool:
        """Leave the lesson where a person closes its dock."""
        if a1 is not None and a1.type() == QEvent.Type.Close and self.model.lesson is not None:
            later(self, partial(self._make_way, closed=True))
        return super().eventFilter(a0, a1)

    def _make_way(self, *, closed: bool = False) -> None:
        """Leave the lesson for a graph that a person opened, and offer to go on with it.

        closed : its dock was closed, which is why the lesson is left
        """
        lesson, place = self.model.lesson, self.model.place
        if lesson is None:
            return
        self._end()
        before, self._before = self._before, {}
        self._window.docks.over.add(DOCK)
        if closed or self._window.docks[DOCK].isVisible():  # else another arrangement was put up
            self._put_looks_back(before)
            if closed:
                self._window.docks[DOCK].hide()
        else:
            self._window.graph_view.set_colour_by(before["colour"])
        words = f"Lesson left at step {place + 1} of {len(lesson.steps)}: {lesson.title}"
        notice = Notice("info", words, "Your answers are kept.", (Offer("Go on", lesson),))
        later(self, lambda: self._window.session.set_notice(notice))  # once the graph is open

    def _take_offer(self, what: object) -> None:
        if isinstance(what, Lesson):
            self.open_path(what.path)

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
            self.stage.look.vertices = [vertex]
            self._window.graph_view.refresh()

    # --- the window before and after

    def _show_dock(self) -> None:
        dock = self._window.docks[DOCK]
        if not dock.isVisible():
            self._window.docks.choose(DOCK)
        self._window.show_dock(DOCK)
        dock.raise_()

    def _remember_window(self) -> None:
        window, scope = self._window, self._window.part(Microscope)
        main = window.as_widget()
        self._before = {
            "state": main.saveState(window.docks.version),
            "arrangement": window.docks.arrangement,
            "colour": window.graph_view.colour_by,
            "graph": window.session.graph,
            "source": window.session.source,
            "run": window.session.current,
            "cursor_ns": window.playback.cursor_ns,
            "events": scope.events_done if scope is not None else None,
        }

    def _restore_window(self) -> None:
        window, before, self._before = self._window, self._before, {}
        if not before:
            return
        window.comparison.end()
        window.controller.stop()
        window.docks.over.add(DOCK)
        self._put_looks_back(before)
        window.show_dock(DOCK).setFocus()
        graph, run = before["graph"], before["run"]
        if graph is not None and graph is not window.session.graph:
            window.controller.show_graph(graph)
            window.controller.set_source(before["source"])
        if run in window.session.runs:
            window.session.set_current(run)
            self._put_moment_back(before)

    def _put_moment_back(self, before: dict[str, Any]) -> None:
        """Stand at the moment of before; of the events of one instant, at the one of before."""
        window, events = self._window, before["events"]
        window.playback.pause()
        window.playback.set_cursor(before["cursor_ns"])
        scope = window.part(Microscope)
        if scope is not None and events is not None:
            scope.go(events)

    def _put_looks_back(self, before: dict[str, Any]) -> None:
        self._window.graph_view.set_colour_by(before["colour"])
        docks = self._window.docks
        docks.choose(before["arrangement"])
        self._window.as_widget().restoreState(before["state"], docks.version)

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
        lessons, problems = self.shelf.found()
        found = [(path, lesson, self._progress(lesson)) for path, lesson in lessons]
        self.panel.show_home(found, "\n".join(problems))

    def _fill_menu(self) -> None:
        menu = self._window.actions_by_key.menu("open_lesson")
        menu.clear()
        menu.setToolTipsVisible(True)
        for place, (path, lesson) in enumerate(self.shelf.found()[0], 1):
            row = QAction(button_words(f"{place}. {lesson.title}"), menu)
            row.setToolTip(lesson.idea)
            row.setStatusTip(f"{lesson.idea} About {lesson.minutes} minutes.")
            row.setData(path)
            menu.addAction(row)

    # --- the first time

    def _greet(self) -> None:
        """Tell a newcomer where to start: once, and not over a file that somebody named.

        While a recording is shown, its own line says what to do: then this one waits.
        """
        window = self._window
        if window.settings.value(GREETED, False) or self._known() or window.named_file:
            return
        paths = self.shelf.paths()
        first = self.shelf.lesson(paths[0]) if paths else ""
        centre = window.notice_bar.parentWidget()
        column = centre.layout() if centre is not None else None
        if isinstance(first, str) or not isinstance(column, QVBoxLayout):
            return
        words = f"New here? Start with lesson 1, “{first.title}”: about {first.minutes} minutes."
        self.hint = hint = LessonHint(words, "Start lesson 1")
        hint.start_requested.connect(lambda: self.start(1))
        hint.dismissed.connect(self._dismiss_hint)
        hint.apply_theme(window.theme)
        column.insertWidget(column.indexOf(window.notice_bar) + 1, hint)
        window.session.current_changed.connect(self._show_hint)
        self._show_hint()

    def _show_hint(self, _record: object = None) -> None:
        window, hint = self._window, self.hint
        if hint is None:
            return
        current = window.session.current
        recorded = current is not None and bool(current.recorded_on)
        hint.setVisible(not recorded and not window.modes.presenting)
        if not recorded:
            window.settings.set_value(GREETED, True)

    def _dismiss_hint(self) -> None:
        hint, self.hint = self.hint, None
        if hint is not None:
            hint.hide()
            hint.deleteLater()

    def apply_theme(self, theme: Theme) -> None:
        """Draw marks in the new colours."""
        self._window.graph_view.refresh()
        if self.hint is not None:
            self.hint.apply_theme(theme)
            self._show_hint()


install = LessonsFeature
