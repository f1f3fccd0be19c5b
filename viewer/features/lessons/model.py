"""A lesson as somebody goes through it: which step, what was answered, what the engine found.

A step is in one of four phases. It is *open* while its question waits (or its button), *working*
while its runs are made, *told* once it has been answered and explained, and *done* where there is
nothing to ask. The model keeps answers at the moment they are given, before any run begins, so
that an engine that is lost in between costs a run and no answer.

Numbers in a text stay "…" until the run they belong to has been made in the window; the model never
runs anything itself. Progress is a plain dict by lesson, for the settings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from PyQt6.QtCore import QObject, pyqtSignal

from gpu.errors import GpuError
from gpu.lessons.answers import CURVE_RIGHT, PLACE, Bench, values_in
from gpu.lessons.lesson import Lesson, Question, Step, Value
from gpu.schema import SchemaError, checked

Phase = Literal["open", "working", "told", "done"]
Given = float | list[float]
Remember = Callable[[dict[str, Any]], None]
PENDING = "…"  # in place of a number whose run has not been made yet


@dataclass
class Answered:
    """One answer. `right` is None until it has been judged."""

    given: Given
    right: bool | None = None
    words: str = ""


@dataclass
class Progress:
    """How far somebody is in one lesson; answers by the step's key."""

    step: int = 0
    finished: bool = False
    answers: dict[str, Answered] = field(default_factory=dict)

    @property
    def begun(self) -> bool:
        """Whether there is anything to go on with."""
        return bool(self.step or self.answers)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        answers = {key: vars(answer) for key, answer in self.answers.items()}
        return {"step": self.step, "finished": self.finished, "answers": answers}

    @classmethod
    def from_dict(cls, given: Any) -> Progress:
        """Read what `as_dict` made; what cannot be read is a fresh start."""
        try:
            return checked(cls, given)
        except SchemaError:
            return cls()


class LessonModel(QObject):
    """The lesson that is open, if one is; see the module docstring."""

    lesson_changed = pyqtSignal()  # another lesson, or none
    step_changed = pyqtSignal()  # another step
    changed = pyqtSignal()  # phase, answer, words

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.bench: Bench | None = None
        self.progress = Progress()
        self.place = 0
        self.phase: Phase = "open"
        self.given: Given | None = None
        self.doing = ""  # what is being made, in words
        self.problem = ""  # why the last attempt came to nothing
        self.score = ""  # of a step that was driven by hand
        self.made: set[str] = set()  # runs and sweeps that the bench has
        self._remember: Remember = lambda _progress: None

    # --- where we are

    @property
    def lesson(self) -> Lesson | None:
        """The lesson that is open."""
        return self.bench.lesson if self.bench is not None else None

    @property
    def step(self) -> Step:
        """The step shown; there is one while a lesson is open."""
        assert self.lesson is not None
        return self.lesson.steps[self.place]

    @property
    def question(self) -> Question | None:
        """What the step asks, if it asks."""
        return self.step.question

    @property
    def answered(self) -> Answered | None:
        """What was answered at this step, judged."""
        found = self.progress.answers.get(self.step.key)
        return found if found is not None and found.right is not None else None

    def begin(self, lesson: Lesson, progress: Progress, remember: Remember) -> None:
        """Open a lesson where somebody left it."""
        self.bench, self.progress, self._remember = Bench(lesson), progress, remember
        self.made = set()
        self.place = min(max(progress.step, 0), len(lesson.steps) - 1)
        self.lesson_changed.emit()
        self._enter()

    def leave(self) -> None:
        """Close the lesson; its progress is kept."""
        if self.bench is not None:
            self.bench = None
            self.lesson_changed.emit()

    def restart(self) -> None:
        """Forget every answer and begin again."""
        self.progress = Progress()
        self.go(0)

    def go(self, place: int) -> None:
        """Go to a step; kept within the lesson. Not while something is being made."""
        if self.lesson is None or self.phase == "working":
            return
        self.place = min(max(place, 0), len(self.lesson.steps) - 1)
        self.progress.step = self.place
        if self.place == len(self.lesson.steps) - 1:
            self.progress.finished = True
        self._keep()
        self._enter()

    def _enter(self) -> None:
        answered = self.progress.answers.get(self.step.key)
        self.given = answered.given if answered is not None else None
        self.phase, self.problem, self.doing, self.score = "open", "", "", ""
        self.step_changed.emit()
        self.changed.emit()

    def faulty(self) -> list[tuple[str, Any]]:
        """Return the faulty runs of the step that were made: name of the fault, where it is wrong.

        The second is bool (n, n), by source and vertex. Empty while the question is open.
        """
        bench = self.bench
        if bench is None or self.phase not in ("told", "done"):
            return []
        runs = [run for run in self.step.runs if run.variant and run.name in self.made]
        return [(fault_title(run.variant), bench.wrong_entries(run.name)) for run in runs]

    # --- answering

    def give(self, given: Given | None) -> None:
        """Take what the question's widget says, not judged yet."""
        if self.phase == "open" and given != self.given:
            self.given = given
            self.changed.emit()

    def commit(self) -> None:
        """Keep the answer given: what follows may fail."""
        if self.given is not None and self.answered is None:
            self.progress.answers[self.step.key] = Answered(self.given)
            self._keep()

    def work(self, words: str) -> None:
        """Say what is being made."""
        self.phase, self.doing, self.problem = "working", words, ""
        self.changed.emit()

    def fail(self, words: str) -> None:
        """It came to nothing; the answer stays, and one may try again."""
        self.phase, self.problem = "open", words
        self.changed.emit()

    def finish(self, reveal: bool) -> None:
        """What was asked for has been made; with `reveal` the answer is judged."""
        self.doing = ""
        if not reveal:
            self.phase = "open"
        elif self.question is None:
            self.phase = "done"
        else:
            self._judge(self.question)
            self.phase = "told"
        self.changed.emit()

    def _judge(self, question: Question) -> None:
        answer = self.progress.answers.get(self.step.key)
        if answer is None or self.bench is None:
            return
        try:
            if isinstance(answer.given, list):
                score = self.bench.curve_score(question, answer.given)
                answer.right = score >= CURVE_RIGHT
            else:
                answer.right = self.bench.is_right(question, answer.given)
            words = question.right if answer.right else question.wrong
            answer.words = self.text(words)
        except GpuError as error:
            self.problem = str(error)
        self._keep()

    def _keep(self) -> None:
        self._remember(self.progress.as_dict())

    # --- words and what they need

    def text(self, words: str) -> str:
        """Return Markdown with its numbers, or PENDING where a run is missing."""
        bench = self.bench
        if bench is None:
            return words

        def one(match: Any) -> str:
            known = all(value.of in self.made for value in values_in(match[0]))
            return bench.filled(match[0]) if known else PENDING

        return PLACE.sub(one, words)

    def needed_for_text(self) -> list[str]:
        """Return runs and sweeps that the step speaks of before it makes its own."""
        question = self.question
        words = self.step.text + (question.ask if question is not None else "")
        names = {value.of for value in values_in(words)}
        if question is not None and question.kind == "curve":
            names.discard(question.answer.of if question.answer else "")
        first = question is not None or self.step.drive  # asked or driven before its runs are made
        return self._ordered(names - self._own() if first else names)

    def needed_for_answer(self) -> list[str]:
        """Return every run and sweep that the step makes, shows or is judged by, in order."""
        step, question = self.step, self.question
        names = self._own() | set(step.compare or ()) | ({step.show} if step.show else set())
        names |= {step.seek.run} if step.seek is not None else set()
        if question is not None:
            names |= {value.of for value in values_in(question.right + question.wrong)}
            values: list[Value | None] = [question.answer, *question.candidates]
            while values:
                value = values.pop()
                if value is not None:
                    names.add(value.of)
                    values.append(value.over)
        return self._ordered(names)

    def _own(self) -> set[str]:
        return set(sorted_names(self.step))

    def _ordered(self, names: set[str]) -> list[str]:
        assert self.lesson is not None
        order = [name for step in self.lesson.steps for name in sorted_names(step)]
        return [name for name in order if name in names and name not in self.made]


def fault_title(variant: str) -> str:
    """Return the name of a fault in words."""
    return variant.replace("_", " ").replace("arcs", "edges")


def sorted_names(step: Step) -> list[str]:
    """Return what a step makes, runs first, in its order."""
    return [run.name for run in step.runs] + [sweep.name for sweep in step.sweeps]
