"""What a step of a lesson does to the window: graph, runs in order, a moment, what to look at.

Everything goes through the window's own parts (controller, sweep, comparison, docks), one thing
after another: a job begins something and ends when a signal says so. Runs made here are handed to
the bench of the lesson, so that the numbers in the text are those of the runs on screen.
"""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QObject

from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.lessons.answers import Bench
from gpu.lessons.lesson import RunSpec, Step, SweepSpec
from viewer.common.later import later
from viewer.feature import Window
from viewer.features.lessons.look import Look
from viewer.models.session import RunRecord

DRIVE_S = 40.0  # wall time of a run that is driven by hand, about
DRIVE_SAMPLES = 400  # where nobody knows how many samples a run has
Done = Callable[[], None]


class Stage(QObject):
    """Makes what a lesson needs; one list of names at a time."""

    def __init__(self, window: Window) -> None:
        super().__init__(window.as_widget())
        self._window = window
        self.bench: Bench | None = None
        self.records: dict[str, RunRecord] = {}
        self.busy = False
        self._shown, self._graph = "", window.session.graph  # reference, what we opened
        self._opening = False  # a graph of the lesson is on its way
        self._ours: list[CSRGraph] = []  # the graphs of the lesson, as they were opened
        self._token = 0  # a later wish makes answers to an older one void
        self._waits: Callable[[], bool | None] | None = None
        self._fail: Callable[[str], None] = lambda _words: None
        self._say: Callable[[str], None] = lambda _words: None
        self._made: Callable[[str], None] = lambda _name: None
        self.look = Look(window, self._give_up, self._forget_graph)
        session, controller = window.session, window.controller
        session.graph_changed.connect(self._look)
        session.notice_changed.connect(self._look)
        controller.running_changed.connect(self._look)
        window.sweep.changed.connect(self._look)

    def listen(
        self,
        made: Callable[[str], None],
        say: Callable[[str], None],
        fail: Callable[[str], None],
    ) -> None:
        """Be told what has been made, what is being made, and what went wrong."""
        self._made, self._say, self._fail = made, say, fail

    def open(self, bench: Bench | None) -> None:
        """Work for another lesson, or none."""
        self.bench, self.records, self._shown = bench, {}, ""
        self._opening, self._ours = False, []
        self.look.begin()
        self.abandon()

    def abandon(self) -> None:
        """Forget what is under way."""
        self._token += 1
        self._waits, self.busy = None, False
        self.look.vertices = []

    def is_foreign(self, graph: CSRGraph | None) -> bool:
        """Return whether this graph is none of the lesson that is open: a person opened it."""
        if self.bench is None or self._opening or graph is None:
            return False
        return not any(
            graph is one or ((graph.n, graph.m) == (one.n, one.m) and graph.hash == one.hash)
            for one in self._ours
        )

    # --- one thing after another

    def show_graph(self, step: Step, then: Done, spec: RunSpec | SweepSpec | None = None) -> None:
        """Open the graph of a step (or of a run), unless it is the one shown."""
        assert self.bench is not None
        try:
            reference = self.bench.reference(step, spec)
        except GpuError:
            then()
            return
        session, before = self._window.session, self._window.session.graph
        if before is not None and self._shown == reference and before is self._graph:
            self._set_source(step, spec)
            then()
            return
        self._say("Opening the graph…")
        self._opening = True
        self._window.controller.open(reference)

        def there() -> bool | None:
            return True if session.graph is not before else False if self._trouble() else None

        def done() -> None:
            assert self.bench is not None
            assert session.graph is not None
            self._shown, self._graph = reference, session.graph
            self._opening = False
            self._ours.append(session.graph)
            self.bench.adopt_graph(reference, session.graph)
            try:
                self._set_source(step, spec)
            except GpuError:  # it was not the graph of this step
                self._shown = ""
                self._give_up("Another graph was opened meanwhile.")
            else:
                then()

        self._wait(there, done, "The graph could not be opened.")

    def _forget_graph(self) -> None:
        self._shown = ""

    def _set_source(self, step: Step, spec: RunSpec | SweepSpec | None) -> None:
        assert self.bench is not None
        graph = self._window.session.graph
        name = self.bench.source(step) if spec is None or not spec.graph else None
        if graph is not None and name is not None:
            self._window.controller.set_source(graph.vertex_of(name))

    def make(self, names: list[str], then: Done, pace: float | None = None) -> None:
        """Make runs and sweeps, in order, then go on."""
        if not names:
            self.busy = False
            then()
            return
        self.busy, name, rest = True, names[0], names[1:]
        assert self.bench is not None
        lesson = self.bench.lesson

        def go_on() -> None:
            self._made(name)
            self.make(rest, then, pace)

        run, sweep = lesson.run(name), lesson.sweep(name)
        if run is not None:
            step, spec = run
            if spec.variant:
                self._make_fault(step, spec, go_on)
            else:
                self.show_graph(step, lambda: self._run(step, spec, pace, go_on), spec)
        elif sweep is not None:
            where, plan = sweep
            self.show_graph(where, lambda: self._sweep(where, plan, go_on), plan)

    def _make_fault(self, step: Step, spec: RunSpec, then: Done) -> None:
        """A printed listing with its fault: no engine makes it, the bench does, at once."""
        assert self.bench is not None
        try:
            self.bench.trace(spec.name)
        except GpuError as error:
            self._give_up(str(error))
            return
        then()

    def _run(self, step: Step, spec: RunSpec, pace: float | None, then: Done) -> None:
        assert self.bench is not None
        window, session, bench = self._window, self._window.session, self.bench
        if window.controller.running:
            window.controller.stop()
            again = lambda: self._run(step, spec, pace, then)  # noqa: E731
            self._wait(lambda: not window.controller.running or None, again, "")
            return
        try:
            settings = bench.settings(step, spec)
        except GpuError as error:
            self._give_up(str(error))
            return
        self._say(f"Running {_title(spec)}…")
        before = len(session.runs)
        window.comparison.end()
        window.controller.start_run(settings, pace)
        record = session.runs[-1] if session.runs else None
        if record is None or (len(session.runs) == before and session.current is not record):
            self._give_up(session.notice.words if session.notice else "The run did not start.")
            return
        self.records[spec.name] = record

        def there() -> bool | None:
            if record.state == "failed":
                return False
            return True if record.trace is not None else None

        def done() -> None:
            assert record.trace is not None
            bench.adopt(spec.name, record.trace)
            then()

        self._wait(there, done, "The run was lost; your answer is kept. Try again.", record)

    def _sweep(self, step: Step, spec: SweepSpec, then: Done) -> None:
        assert self.bench is not None
        bench, graph = self.bench, self._window.session.graph
        model = self._window.sweep
        assert graph is not None
        try:
            plan = bench.sweep_plan(step, spec)
        except GpuError as error:
            self._give_up(str(error))
            return
        self._say(f"Sweeping {_title(spec)}…")
        if "sweep" in self._window.docks.by_key:
            self._window.show_dock("sweep")
        model.cancel()
        model.close()
        model.start(graph, plan)
        wanted = len(plan.values) + bool(plan.controller)

        def there() -> bool | None:
            if model.running:
                self._say(f"Sweeping: {len(model.points)} of {wanted} runs…")
                return None
            return len(model.points) == wanted

        def done() -> None:
            bench.adopt_sweep(spec.name, model.points)
            then()

        self._wait(there, done, "The sweep did not finish; your answer is kept. Try again.")

    # --- waiting

    def _wait(
        self,
        there: Callable[[], bool | None],
        then: Done,
        trouble: str,
        record: RunRecord | None = None,
    ) -> None:
        token = self._token

        def check() -> bool | None:
            found = there()
            if found is None or token != self._token:
                return found
            self._waits = None
            if found:
                later(self, lambda: then() if token == self._token else None)
            else:
                self._give_up(record.failure + " " + trouble if record is not None else trouble)
            return found

        self._waits = check
        self._look()

    def _look(self, _news: object = None) -> None:
        if self._waits is not None:
            self._waits()

    def _trouble(self) -> bool:
        notice = self._window.session.notice
        return notice is not None and notice.level == "error"

    def _give_up(self, words: str) -> None:
        self._opening = False
        self.abandon()
        self._fail(words)

    def drive_pace(self, spec: RunSpec) -> float:
        """Return samples a second for a run that a person drives."""
        known = [r for r in self.records.values() if r.settings.algorithm == spec.algorithm]
        samples = len(known[-1].samples) if known else DRIVE_SAMPLES
        return max(1.0, samples / DRIVE_S)


def _title(spec: RunSpec | SweepSpec) -> str:
    from gpu.algorithms import find

    return find(spec.algorithm).title
