"""Lessons in the window: opening and leaving one, clicks that are answers, progress, the menu.

Opening a lesson remembers how the window stood; leaving it puts that back. While a vertex is asked
for, a click in the graph is an answer and no new source.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QWidget

from gpu.errors import GpuError
from gpu.lessons.lesson import Lesson
from gpu.lessons.read import find_lessons, read_lesson
from viewer.common.background import run_command
from viewer.common.foreign_words import button_words
from viewer.common.later import later
from viewer.common.theme import Theme
from viewer.feature import FeaturePart, Scheduler, Window
from viewer.features.lessons.look import DOCK, DOCKS
from viewer.features.lessons.model import LessonModel, Progress
from viewer.features.lessons.panel import LessonPanel
from viewer.features.lessons.questions import ScheduleQuestion, VertexQuestion
from viewer.models.session import Notice, Offer

LAST = "last_lesson"  # key in Settings: the path of the lesson in which the window was closed


class LessonsFeature(FeaturePart):
    """Owns the lesson's model; makes the panel."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.model = LessonModel(window)
        self.panel: LessonPanel | None = None
        self._before: dict[str, Any] = {}  # how the window stood
        self._asking_vertex = False
        self._presented: tuple[object, ...] | None = None  # where a presentation began
        self._connect()
        if not window.named_file:
            self._offer_last()

    def _connect(self) -> None:
        window, model = self._window, self.model
        model.changed.connect(window.enable_actions)
        model.lesson_changed.connect(window.enable_actions)
        model.changed.connect(self._ask_vertex)
        model.lesson_changed.connect(self._ask_vertex)
        window.docks[DOCK].visibilityChanged.connect(self._ask_vertex)
        window.session.graph_changed.connect(self._take_graph)
        window.notice_bar.offer_taken.connect(self._take_offer)
        menu = window.actions_by_key.menu("open_lesson")
        menu.aboutToShow.connect(self._fill_menu)
        menu.triggered.connect(lambda row: self.open_path(row.data()))

    # --- for the window

    def make_panel(self, _dock: str) -> QWidget:
        """Return the panel."""
        self.panel = LessonPanel(self.model)
        self.panel.lesson_requested.connect(self.open_path)
        self.panel.leave_requested.connect(self.lesson_leave)
        self.model.step_changed.connect(self._pass_names)  # after the panel made its question
        self.model.step_changed.connect(self._offer_game)
        self._list()
        return self.panel

    def needs(self) -> dict[str, bool]:
        """Whether a lesson is open."""
        return {"lesson": self.model.lesson is not None}

    def close(self) -> None:
        """The window closes: panels stand as before the lesson."""
        self._window.settings.set_value(LAST, getattr(self.model.lesson, "path", ""))
        self.model.abandon()
        if self._before:
            self._put_looks_back(self._before)

    def back(self) -> bool:
        """Leave the lesson."""
        is_open = self.model.lesson is not None
        if is_open:
            self.lesson_leave()
        return is_open

    def apply_theme(self, theme: Theme) -> None:
        """A presentation may have begun or ended: its list does not say how a person did."""
        self._list()
        model, presenting = self.model, self._window.modes.presenting
        now = (model.lesson, model.place, model.phase)
        if presenting and model.lesson is not None:
            later(self, model.look.spread)  # once the window is full
        elif self._presented not in (None, now):
            later(self, self._stand_again)  # once the window stands as it was
        self._presented = (self._presented or now) if presenting else None

    # --- actions

    def lessons(self) -> None:
        """Show the list of lessons, or the lesson that is open."""
        if self.model.lesson is None:
            self._list()
        self._show_dock()

    def start(self, number: int) -> None:
        """Open a lesson by its number in the list, from 1."""
        self.open_path(str(find_lessons()[number - 1]))

    def open_path(self, path: str, anew: bool | None = None) -> None:
        """Open a lesson by its file, `anew` without its answers; None: anew if it is finished."""
        try:
            lesson = read_lesson(Path(path))
        except GpuError as error:
            self._window.session.set_notice(Notice("error", str(error)))
            return
        if self.model.lesson is None:
            self._remember_window()
        else:
            self._window.graph_view.set_colour_by(self._before["colour"])
        progress = self.model.progress_of(lesson)
        if progress.finished if anew is None else anew:
            progress = Progress()
        self._show_dock()
        self.model.begin(lesson, progress)

    def lesson_next(self) -> None:
        """Go on; the last step is left by its button or the menu."""
        if not self.model.is_last:
            self.model.go(self.model.place + 1)

    def lesson_back(self) -> None:
        """Go back."""
        self.model.go(self.model.place - 1)

    def lesson_leave(self) -> None:
        """Close the lesson, put the window back."""
        self._end()
        self._restore_window()

    def lesson_page(self) -> None:
        """Ask where to write the lesson as a web page; a process of its own makes its runs."""
        lesson = self.model.lesson
        if lesson is None:
            return
        files, path = self._window.files, lesson.path

        def save(to: str) -> None:
            files.save_in_background(to, lambda file: run_command("page", path, "-o", file))

        files.ask_save("Lesson as a web page", "Web pages (*.html)", ".html", save, lesson.key)

    # --- leaving

    def _stand_again(self) -> None:
        """A presentation ended elsewhere than it began: show its panels, or the list."""
        if self.model.lesson is not None:
            self.model.look.put_up(self.model.step, before=self.model.phase == "open")
        else:
            self._window.docks.return_to(self._window.docks.base)
            self._window.show_dock(DOCK)
        self._window.status_bar.clearMessage()  # else it stands on the words of the run

    def _end(self) -> None:
        self.model.leave()
        self._list()

    def _take_graph(self) -> None:
        """Another graph is shown: one of the lesson, or a person went elsewhere."""
        if self.model.is_foreign(self._window.session.graph):
            self._make_way()
        else:
            self._pass_names()

    def _make_way(self) -> None:
        """Leave the lesson for a graph that a person opened, and offer to go on with it."""
        lesson, place = self.model.lesson, self.model.place
        if lesson is None:
            return
        self._end()
        before, self._before = self._before, {}
        self._window.docks.forget(DOCK)
        if self._window.docks[DOCK].isVisible():  # else another arrangement was put up
            self._put_looks_back(before)
        else:
            self._window.graph_view.set_colour_by(before["colour"])
        words = f"Lesson left at step {place + 1} of {len(lesson.steps)}: {lesson.title}"
        notice = Notice("info", words, "Your answers are kept.", (Offer("Go on", lesson),))
        later(self, lambda: self._window.session.set_notice(notice))  # once the graph is open

    def _offer_last(self) -> None:
        """The window was closed in a lesson: offer to go on with it."""
        left = self._window.settings.value(LAST, "")
        for lesson in [one for path, one in all_lessons()[0] if path == left] if left else ():
            words = f"You were in the lesson {lesson.title}."
            offers = (Offer("Go on with the lesson", lesson),)
            notice = Notice("info", words, "Your answers are kept.", offers)
            self._window.session.add_notice(notice)

    def _take_offer(self, what: object) -> None:
        if isinstance(what, Lesson):
            self.open_path(what.path, anew=False)

    # --- a question that the graph answers

    def _vertex_question(self) -> VertexQuestion | None:
        question = self.panel.question if self.panel and self.model.lesson else None
        return question if isinstance(question, VertexQuestion) else None

    def _offer_game(self) -> None:
        """Let a question open the game beside the lesson, and take its score."""
        question = self.panel.question if self.panel is not None else None
        scheduler = self._window.part(Scheduler)
        if isinstance(question, ScheduleQuestion) and scheduler is not None:
            question.play.clicked.connect(lambda: scheduler.open(beside=True))
            scheduler.finished.connect(question.take)

    def _pass_names(self) -> None:
        question = self._vertex_question()
        if question is not None:
            question.graph = self._window.session.graph
            question.show_given(self.model.given)

    def _ask_vertex(self, _news: object = None) -> None:
        """Let clicks in the graph be answers, or choose the source."""
        asking = self.model.asks_vertex and not self._window.docks[DOCK].isHidden()
        if asking == self._asking_vertex:
            return
        self._asking_vertex = asking
        self._window.graph_view.click_goes_to = self._clicked if asking else None

    def _clicked(self, vertex: int) -> None:
        question = self._vertex_question()
        if question is not None:
            question.choose(vertex)
            self.model.look.vertices = [vertex]
            self._window.graph_view.refresh()

    # --- the window before and after

    def _show_dock(self) -> None:
        dock = self._window.docks[DOCK]
        if not dock.isVisible():
            self._window.docks.gather(DOCK, DOCKS)
        self._window.show_dock(DOCK)
        dock.raise_()

    def _remember_window(self) -> None:
        window = self._window
        self._before = {
            "state": window.as_widget().saveState(window.docks.version),
            "arrangement": window.docks.arrangement,
            "colour": window.graph_view.colour_by,
            "graph": window.session.graph,
            "source": window.session.source,
            "run": window.session.current,
            "other": window.comparison.b,
            "cursor": window.playback.cursor_ns,
        }

    def _restore_window(self) -> None:
        window, before, self._before = self._window, self._before, {}
        if not before:
            return
        window.comparison.end()
        window.controller.stop()
        window.docks.forget(DOCK)
        self._put_looks_back(before)
        window.show_dock(DOCK).setFocus()
        graph, run = before["graph"], before["run"]
        comes = bool(window.controller.opening)  # a graph of the lesson would come after it
        if graph is not None and (comes or graph is not window.session.graph):
            window.controller.show_graph(graph)
            window.controller.set_source(before["source"])
        if run in window.session.runs:
            window.session.set_current(run)
        if before["other"] in window.session.runs:
            window.comparison.compare_or_say(before["other"])
        window.playback.set_cursor(before["cursor"])

    def _put_looks_back(self, before: dict[str, Any]) -> None:
        self._window.graph_view.set_colour_by(before["colour"])
        docks = self._window.docks
        docks.return_to(before["arrangement"])
        if docks.arrangement == before["arrangement"]:
            self._window.as_widget().restoreState(before["state"], docks.version)

    # --- progress, the list, the menu

    def _list(self) -> None:
        if self.panel is not None:
            lessons, problems = all_lessons()
            rows = [(path, lesson, self.model.progress_of(lesson)) for path, lesson in lessons]
            self.panel.show_home(rows, "\n".join(problems), self._window.modes.presenting)

    def _fill_menu(self) -> None:
        menu = self._window.actions_by_key.menu("open_lesson")
        menu.clear()
        menu.setToolTipsVisible(True)
        for place, (path, lesson) in enumerate(all_lessons()[0], 1):
            row = QAction(button_words(f"{place}. {lesson.title}"), menu)
            row.setToolTip(lesson.idea)
            row.setStatusTip(f"{lesson.idea} About {lesson.minutes} minutes.")
            row.setData(path)
            menu.addAction(row)


def all_lessons() -> tuple[list[tuple[str, Lesson]], list[str]]:
    """Return path and lesson of each that can be read, and what is wrong with the others."""
    lessons, problems = [], []
    for path in find_lessons():
        try:
            lessons.append((str(path), read_lesson(path)))
        except GpuError as error:
            problems.append(str(error))
    return lessons, problems


install = LessonsFeature
