"""The lesson that is open: step, answers, and the work that a step does in the window.

A step is *open* while its question (or its button) waits, *working* while its runs are made,
*judged* once it is answered and explained, *done* where it asks nothing. An answer is kept when it
is checked, before any run begins: an engine that is lost costs a run and no answer.

The work of a step is a generator that goes through the parts of the window (controller, sweep,
comparison): it yields a condition and goes on when a signal of theirs makes it true. Another step
ends it. Runs made here are handed to the lesson's `Bench`, so the numbers in the text are those of
the runs on screen; until a run is made, its numbers read "(running…)".
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from PyQt6.QtCore import QObject, pyqtSignal

from gpu.errors import GpuError, ParameterError
from gpu.graph import CSRGraph
from gpu.lessons.answers import CURVE_RIGHT, PLACE, Bench, values_in
from gpu.lessons.figures import Figure, figures
from gpu.lessons.lesson import Lesson, Question, RunSpec, Step, SweepSpec, Value
from gpu.schema import SchemaError, checked
from viewer.common.later import later
from viewer.feature import Window
from viewer.features.lessons.look import Look
from viewer.models.session import RunRecord

Phase = Literal["open", "working", "judged", "done"]
Answer = float | list[float]
Condition = Callable[[], bool | None]  # True: go on; False: it came to nothing; None: wait
Work = Generator[Condition, bool | None, None]
NAME = "lessons"  # key in Settings: progress by lesson
PENDING = "(running…)"  # in place of a number whose run has not been made yet
DRIVE_S = 40.0  # wall time of a run that is driven by hand, about
DRIVE_SAMPLES = 400  # of such a run, while none has been made
AGAIN = "your answer is kept. Try again."
NOT_DRIVEN = (
    "You did not touch Δ, so the controller drove. Press *Drive again*, then drag the line in the "
    "Δ panel, or press ÷2 and ×2."
)


@dataclass
class Answered:
    """One answer. `right` is None until it has been judged."""

    given: Answer
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
    def from_dict(cls, values: Any) -> Progress:
        """Read what `as_dict` made; what cannot be read is a fresh start."""
        try:
            return checked(cls, values)
        except SchemaError:
            return cls()


class LessonModel(QObject):
    """See the module docstring."""

    lesson_changed = pyqtSignal()  # another lesson, or none
    step_changed = pyqtSignal()  # another step
    changed = pyqtSignal()  # phase, answer, words

    def __init__(self, window: Window) -> None:
        super().__init__(window.as_widget())
        self._window = window
        self.look = Look(window)
        self.bench: Bench | None = None
        self.progress = Progress()
        self.place = 0
        self.phase: Phase = "open"
        self.given: Answer | None = None  # by the question's widget, not judged yet
        self.doing = ""  # what is being made, in words
        self.right_answer: float | None = None  # a choice or a vertex, once it is judged
        self.problem = ""  # why the last attempt came to nothing
        self.score = ""  # of a step that was driven by hand
        self.made: set[str] = set()  # runs and sweeps that the bench has
        self.records: dict[str, RunRecord] = {}
        self._work: Work | None = None
        self._condition: Condition | None = None
        self._active = False  # the work goes on right now
        self._reference, self._graph = "", window.session.graph  # the last that was opened
        self._opening = False
        self._graphs: list[CSRGraph] = []  # of the lesson, as they were opened
        session, controller = window.session, window.controller
        session.graph_changed.connect(self._notice)
        session.notice_changed.connect(self._notice)
        controller.running_changed.connect(self._notice)
        window.sweep.changed.connect(self._notice)

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
    def is_last(self) -> bool:
        """Whether this is the last step."""
        return self.lesson is not None and self.place == len(self.lesson.steps) - 1

    @property
    def question(self) -> Question | None:
        """What the step asks, if it asks."""
        return self.step.question

    @property
    def answered(self) -> Answered | None:
        """What was answered at this step, judged."""
        answer = self.progress.answers.get(self.step.key)
        return answer if answer is not None and answer.right is not None else None

    @property
    def asks_vertex(self) -> bool:
        """Whether a click in the graph is an answer now."""
        if self.lesson is None or self.phase != "open" or self._work is not None:
            return False
        return self.question is not None and self.question.kind == "vertex"

    @property
    def can_drive_again(self) -> bool:
        """Whether the step's run was driven, and may be driven once more."""
        return self.lesson is not None and self.step.drive and self.phase == "done"

    def is_foreign(self, graph: CSRGraph | None) -> bool:
        """Return whether a graph is none of the lesson that is open: a person opened it."""
        if self.bench is None or self._opening or graph is None:
            return False
        return not any(
            graph is one or (graph.name, graph.hash) == (one.name, one.hash) for one in self._graphs
        )

    def progress_of(self, lesson: Lesson) -> Progress:
        """Return how far somebody is, as it was kept."""
        return Progress.from_dict(self._kept().get(lesson.key))

    def begin(self, lesson: Lesson, progress: Progress) -> None:
        """Open a lesson where somebody left it."""
        self._close()
        self.bench, self.progress = Bench(lesson), progress
        self.place = min(max(progress.step, 0), len(lesson.steps) - 1)
        self._keep()
        self.lesson_changed.emit()
        self._enter()

    def leave(self) -> None:
        """Close the lesson; its progress is kept."""
        if self.bench is not None:
            self._close()
            self.bench = None
            self.lesson_changed.emit()

    def go(self, place: int) -> None:
        """Go to a step; kept within the lesson. Not while something is being made."""
        if self.lesson is None or self.phase == "working":
            return
        self.place = min(max(place, 0), len(self.lesson.steps) - 1)
        self.progress.step = self.place
        if self.is_last:
            self.progress.finished = True
        self._keep()
        self._enter()

    def _close(self) -> None:
        self.made, self.records, self._reference = set(), {}, ""
        self._opening, self._graphs = False, []
        self.abandon()
        self.look.begin()

    def _enter(self) -> None:
        self.abandon()
        answer = self.progress.answers.get(self.step.key)
        self.given = answer.given if answer is not None else None
        self.phase, self.problem, self.doing, self.score = "open", "", "", ""
        self.right_answer = None
        self.step_changed.emit()
        self.changed.emit()
        bench = self.bench
        later(self, lambda: self._perform(self._set_up()) if bench is self.bench else None)

    # --- answering

    def give(self, answer: Answer | None) -> None:
        """Take the answer of the question's widget, not judged yet."""
        if self.phase == "open" and answer != self.given:
            self.given = answer
            self.changed.emit()

    def check(self) -> None:
        """Keep the answer, run the experiment, tell the result."""
        if self.lesson is None or not (self.phase == "open" or self.can_drive_again):
            return
        if self.given is not None and self.answered is None:
            self.progress.answers[self.step.key] = Answered(self.given)
            self._keep()
        self._say("Setting it up…")
        self._perform(self._experiment())

    def retry(self) -> None:
        """Make once more what came to nothing; an answer that was given is still there."""
        if self.lesson is None or self.phase != "open":
            return
        if self.step.key in self.progress.answers or self.step.drive:
            self.check()
        else:
            self._say("Setting it up…")
            self._perform(self._set_up())

    def hurry(self) -> None:
        """Let the rest of a run that is driven go at full speed."""
        self._window.controller.set_pace(None)

    def figures(self) -> list[Figure]:
        """Return the figures of the step. Empty while its question is open."""
        if self.bench is None or self.phase not in ("judged", "done"):
            return []
        return figures(self.bench, self.step, self.made)

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
            if not isinstance(answer.given, list):  # of equally good ones, the one given
                right = self.bench.right_answer(question)
                self.right_answer = answer.given if answer.right else right
            words = question.right if answer.right else question.wrong
            answer.words = self.text(words)
        except GpuError as error:
            self.problem = str(error)
        self._keep()

    def _kept(self) -> dict[str, Any]:
        kept = self._window.settings.value(NAME, {})
        return kept if isinstance(kept, dict) else {}

    def _keep(self) -> None:
        if self.lesson is not None:
            kept = {**self._kept(), self.lesson.key: self.progress.as_dict()}
            self._window.settings.set_value(NAME, kept)

    # --- the work of a step

    def _set_up(self) -> Work:
        """Point things out, and make the runs that the text speaks of."""
        step = self.step
        yield from self._open_graph(step)
        self.look.point_out(step, self._colour())
        finished = not step.drive and (self.question is None or self.answered is not None)
        names = self.needed_for_text()
        if finished:
            names = self._ordered({*names, *self.needed_for_answer()})
        yield from self._make(names)
        yield from self._open_graph(step)
        self._finish(finished)

    def _experiment(self) -> Work:
        """Make the runs of an answer, and show them."""
        step, pace, self.score = self.step, None, ""
        names = self.needed_for_answer()
        if step.drive and step.runs:
            names = names or [run.name for run in step.runs]
            pace = self._drive_pace(step.runs[-1])
        yield from self._make(names, pace)
        if not (step.compare or step.show):
            yield from self._open_graph(step)
        self._finish(finished=True)

    def _finish(self, finished: bool) -> None:
        """The work is done; if `finished`, show its result and judge the answer."""
        step, self._work, self.doing = self.step, None, ""
        if finished:
            problem = self.look.show_result(step, self.records)
            if problem:
                self._fail(problem)
                return
        else:
            self.look.bring_panels(step)  # there may be a run now
        if finished and step.drive:
            self.score = self._score()
        if not finished:
            self.phase = "open"
        elif self.question is None:
            self.phase = "done"
        else:
            self._judge(self.question)
            self.phase = "judged"
            if self.question.kind == "vertex" and self.right_answer is not None:
                self.look.right = int(self.right_answer)
        self.changed.emit()

    def _colour(self) -> str:
        """Return how the step, or the nearest one before it, colours the graph; "" for no wish."""
        assert self.lesson is not None
        steps = self.lesson.steps[: self.place + 1]
        return next((one.colour_by for one in reversed(steps) if one.colour_by), "")

    def _open_graph(self, step: Step, spec: RunSpec | SweepSpec | None = None) -> Work:
        """Open the graph of a step, or of a run, unless it is shown."""
        assert self.bench is not None
        session, before = self._window.session, self._window.session.graph
        try:
            reference = self.bench.reference(step, spec)
        except GpuError:
            return
        left, self.look.graph_left = self.look.graph_left, False
        if left or before is not self._graph or self._reference != reference:
            self._say("Opening the graph…")
            self._opening = True
            self._window.controller.open(reference)
            arrived = lambda: True if session.graph is not before else self._refused()  # noqa: E731
            yield from self._until(arrived, "The graph could not be opened.")
            assert session.graph is not None
            self._reference, self._graph, self._opening = reference, session.graph, False
            self._graphs.append(session.graph)
            self.bench.adopt_graph(reference, session.graph)
        name = self.bench.source(step) if spec is None or not spec.graph else None
        if name is not None and session.graph is not None:
            try:
                self._window.controller.set_source(session.graph.vertex_of(name))
            except GpuError:  # it was not the graph of this step
                self._reference = ""
                raise ParameterError("Another graph was opened meanwhile.") from None

    def _make(self, names: list[str], pace: float | None = None) -> Work:
        assert self.bench is not None
        for name in names:
            run, sweep = self.bench.lesson.run(name), self.bench.lesson.sweep(name)
            if run is not None and run[1].variant:
                self.bench.trace(name)  # no engine makes it; at once
            elif run is not None:
                yield from self._open_graph(*run)
                yield from self._run(*run, pace)
            elif sweep is not None:
                yield from self._open_graph(*sweep)
                yield from self._sweep(*sweep)
            self.made.add(name)

    def _run(self, step: Step, spec: RunSpec, pace: float | None) -> Work:
        assert self.bench is not None
        window, session = self._window, self._window.session
        if window.controller.running:
            window.controller.stop()
            yield lambda: not window.controller.running or None
        settings = self.bench.settings(step, spec)
        self._say(f"Running {_title(spec)}…")
        count = len(session.runs)
        window.comparison.end()
        window.controller.start_run(settings, pace)
        record = session.runs[-1] if session.runs else None
        if record is None or (len(session.runs) == count and session.current is not record):
            raise ParameterError(session.notice.words if session.notice else "No run began.")
        self.records[spec.name] = record

        def arrived() -> bool | None:
            return False if record.state == "failed" else record.trace is not None or None

        if not (yield arrived):
            raise ParameterError(f"{record.failure}. The run was lost; {AGAIN}")
        assert record.trace is not None
        self.bench.adopt(spec.name, record.trace)

    def _sweep(self, step: Step, spec: SweepSpec) -> Work:
        assert self.bench is not None
        window, model = self._window, self._window.sweep
        graph = window.session.graph
        assert graph is not None
        plan = self.bench.sweep_plan(step, spec)
        self._say(f"Sweeping {_title(spec)}…")
        if "sweep" in window.docks.by_key:
            window.show_dock("sweep")
        model.cancel()
        model.close()
        model.start(graph, plan)
        count = len(plan.values) + bool(plan.controller)

        def arrived() -> bool | None:
            if model.running:
                self._say(f"Sweeping: {len(model.points)} of {count} runs…")
                return None
            return len(model.points) == count

        yield from self._until(arrived, f"The sweep did not finish; {AGAIN}")
        self.bench.adopt_sweep(spec.name, model.points)

    def _until(self, arrived: Condition, trouble: str) -> Work:
        if not (yield arrived):
            raise ParameterError(trouble)

    def _refused(self) -> bool | None:
        notice = self._window.session.notice
        return False if notice is not None and notice.level == "error" else None

    def _drive_pace(self, spec: RunSpec) -> float:
        """Return samples a second for a run that a person drives."""
        runs = [r for r in self.records.values() if r.settings.algorithm == spec.algorithm]
        samples = len(runs[-1].samples) if runs else DRIVE_SAMPLES
        return max(1.0, samples / DRIVE_S)

    def _score(self) -> str:
        from viewer.models.decisions import by_hand, rivals, score_words

        mine = self.records.get(self.step.runs[-1].name)
        if mine is None:
            return ""
        pair = rivals(mine, self._window.session.runs) if by_hand(mine) else None
        return score_words(*pair) if pair is not None else NOT_DRIVEN

    # --- going on with the work

    def abandon(self) -> None:
        """Give up the work under way."""
        self._work, self._opening = None, False
        self.look.vertices, self.look.right = [], -1

    def _perform(self, work: Work) -> None:
        self._work, self._condition = work, None
        self._advance(work)

    def _notice(self, _news: object = None) -> None:
        """A part of the window changed: go on if that was waited for, once all have seen it."""
        if self._work is None or self._active or self._condition is None:
            return
        if self._condition() is not None:
            later(self, partial(self._advance, self._work))

    def _advance(self, work: Work) -> None:
        if work is not self._work or self._active:
            return
        arrived = self._condition() if self._condition is not None else None
        if arrived is None and self._condition is not None:
            return
        self._active = True
        try:
            self._condition = work.send(arrived)
        except StopIteration:
            self._work = self._work if self._work is not work else None
        except GpuError as error:
            if work is self._work:
                self._fail(str(error))
        finally:
            self._active = False
        self._notice()

    def _say(self, words: str) -> None:
        self.phase, self.doing, self.problem = "working", words, ""
        self.changed.emit()

    def _fail(self, words: str) -> None:
        """It came to nothing; the answer stays, and one may try again."""
        self.abandon()
        self.phase, self.problem = "open", words
        self.changed.emit()

    # --- words and what they need

    def text(self, words: str) -> str:
        """Return Markdown with its numbers, PENDING where a run is missing."""
        bench = self.bench
        if bench is None:
            return words

        def one(match: Any) -> str:
            ready = all(value.of in self.made for value in values_in(match[0]))
            return bench.filled(match[0]) if ready else PENDING

        return PLACE.sub(one, words)

    def needed_for_text(self) -> list[str]:
        """Return runs and sweeps that the step speaks of before it makes its own."""
        question = self.question
        words = self.step.text + (question.ask if question is not None else "")
        names = {value.of for value in values_in(words)}
        if question is not None and question.kind == "curve":
            names.discard(question.answer.of if question.answer else "")
        if question is None and self.lesson is not None:
            before = {run.name for one in self.lesson.steps[: self.place] for run in one.runs}
            names |= before & {run for pair in self.lesson.dots.values() for run in pair}
        first = question is not None or self.step.drive  # asked or driven before its runs are made
        return self._ordered(names - set(sorted_names(self.step)) if first else names)

    def needed_for_answer(self) -> list[str]:
        """Return every run and sweep that the step makes, shows or is judged by, in order."""
        step, question = self.step, self.question
        names = set(sorted_names(step)) | set(step.compare or ())
        names |= {step.show} if step.show else set()
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

    def _ordered(self, names: set[str]) -> list[str]:
        assert self.lesson is not None
        order = [name for step in self.lesson.steps for name in sorted_names(step)]
        return [name for name in order if name in names and name not in self.made]


def sorted_names(step: Step) -> list[str]:
    """Return what a step makes, runs first, in its order."""
    return [run.name for run in step.runs] + [sweep.name for sweep in step.sweeps]


def _title(spec: RunSpec | SweepSpec) -> str:
    from gpu.algorithms import find

    return find(spec.algorithm).title
