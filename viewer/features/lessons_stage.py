"""What a step of a lesson does to the window: graph, runs in order, a moment, what to look at.

Everything goes through the window's own parts (controller, sweep, comparison, layouts), one thing
after another: a job begins something and ends when a signal says so. Runs made here are handed to
the bench of the lesson, so that the numbers in the text are those of the runs on screen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from PyQt6.QtCore import QEvent, QObject, QRect, Qt, QTimer
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QMainWindow, QWidget

from gpu.errors import GpuError
from gpu.lessons.answers import Bench
from gpu.lessons.lesson import RunSpec, Step, SweepSpec
from gpu.lessons.moments import EVENT, event_index, moment_ns
from viewer.features.base import Window
from viewer.models.session import RunRecord
from viewer.widgets.graph_colours import COLOUR_MODES

OUTLINE_MS = 2600  # how long a panel is outlined
DRIVE_S = 40.0  # wall time of a run that is driven by hand, about
DRIVE_SAMPLES = 400  # where nobody knows how many samples a run has
LESSON_SHARE, SCOPE_SHARE = 0.28, 0.38  # of the window's width, beside the microscope
Done = Callable[[], None]


class Outline(QWidget):
    """A border around a dock for a moment; clicks go through."""

    def __init__(self, over: QWidget, colour: str) -> None:
        super().__init__(over)
        self._colour = colour
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setGeometry(QRect(0, 0, over.width(), over.height()))
        over.installEventFilter(self)
        self.show()
        self.raise_()
        QTimer.singleShot(OUTLINE_MS, self.deleteLater)

    def eventFilter(self, a0: QObject | None, a1: QEvent | None) -> bool:
        """Stay as large as the dock."""
        parent = self.parentWidget()
        if parent is not None and a1 is not None and a1.type() == QEvent.Type.Resize:
            self.setGeometry(parent.rect())
        return False

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Paint the border."""
        painter = QPainter(self)
        painter.setPen(QPen(QColor(self._colour), 4.0))
        painter.drawRect(self.rect().adjusted(2, 2, -2, -2))


class Stage(QObject):
    """Makes what a lesson needs; one list of names at a time."""

    def __init__(self, window: Window) -> None:
        super().__init__(window.as_widget())
        self._window = window
        self.bench: Bench | None = None
        self.records: dict[str, RunRecord] = {}
        self.vertices: list[int] = []  # to be pointed out
        self.busy = self._scoped = False
        self._shown, self._graph = "", window.session.graph  # reference, what we opened
        self._token = 0  # a later wish makes answers to an older one void
        self._waits: Callable[[], bool | None] | None = None
        self._fail: Callable[[str], None] = lambda _words: None
        self._say: Callable[[str], None] = lambda _words: None
        self._made: Callable[[str], None] = lambda _name: None
        session, controller = window.session, window.controller
        session.graph_changed.connect(self._look)
        session.notice_changed.connect(self._look)
        controller.running_changed.connect(self._look)
        window.features.sweep.model.changed.connect(self._look)
        window.graph_view.more_marks.append(self._paint)

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
        self.abandon()

    def abandon(self) -> None:
        """Forget what is under way."""
        self._token += 1
        self._waits, self.busy = None, False
        self.vertices = []

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
        self._window.controller.open(reference)

        def there() -> bool | None:
            return True if session.graph is not before else False if self._trouble() else None

        def done() -> None:
            assert self.bench is not None
            assert session.graph is not None
            self._shown, self._graph = reference, session.graph
            self.bench.adopt_graph(reference, session.graph)
            try:
                self._set_source(step, spec)
            except GpuError:  # it was not the graph of this step
                self._shown = ""
                self._give_up("Another graph was opened meanwhile.")
            else:
                then()

        self._wait(there, done, "The graph could not be opened.")

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
        window.features.compare.model.end()
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
        model = self._window.features.sweep.model
        assert graph is not None
        try:
            plan = bench.sweep_plan(step, spec)
        except GpuError as error:
            self._give_up(str(error))
            return
        self._say(f"Sweeping {_title(spec)}…")
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
                QTimer.singleShot(0, lambda: then() if token == self._token else None)
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
        self.abandon()
        self._fail(words)

    # --- what to look at

    def point_out(self, step: Step) -> None:
        """Put up layout, panels, colours and marked vertices of a step."""
        window = self._window
        if step.layout or self._scoped:
            self._scoped = False
            window.features.layouts.use(step.layout or "lesson")
            window.show_dock("lesson").setFocus()
        if step.colour_by in COLOUR_MODES:
            window.graph_view.set_colour_by(step.colour_by)
        graph, self.vertices = window.session.graph, []
        for name in step.vertices if graph is not None else ():
            try:
                self.vertices.append(graph.vertex_of(name))  # type: ignore[union-attr]
            except GpuError:
                continue
        window.graph_view.refresh()
        for key in step.panels:
            self._outline(key)

    def _outline(self, key: str) -> None:
        window = self._window
        if key not in window.docks.by_key or key in ("microscope", "code"):
            return
        window.show_dock(key)
        dock = window.docks[key]
        dock.raise_()
        for old in dock.findChildren(Outline):
            old.hide()
            old.deleteLater()
        Outline(dock, window.theme.accent)

    def show_result(self, step: Step, reveal: bool = True) -> None:
        """Compare, show and seek as the step says, once its runs are there."""
        window, compare = self._window, self._window.features.compare
        if step.compare and all(name in self.records for name in step.compare):
            a, b = (self.records[name] for name in step.compare)
            self._front(a)
            compare.compare_with(b)
        elif step.show in self.records:
            self._front(self.records[step.show])
        if step.seek is not None and step.seek.run in self.records and reveal:
            record = self.records[step.seek.run]
            if not step.compare:
                self._front(record)
            if record.trace is not None:
                window.playback.pause()
                self._seek(record, step)
        for key in () if self._scoped else step.panels:
            self._outline(key)

    def _open_microscope(self) -> None:
        """Show the microscope; it puts every other dock aside, the lesson comes back at once."""
        window, docks = self._window, self._window.docks
        window.features.microscope.show()
        main = cast("QMainWindow", window.as_widget())
        main.removeDockWidget(docks["lesson"])
        main.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, docks["lesson"])
        docks["run"].hide()
        docks["lesson"].show()
        docks["microscope"].raise_()
        wide = main.width()
        parts = [int(LESSON_SHARE * wide), int(SCOPE_SHARE * wide)]
        both = [docks["lesson"], docks["microscope"]]
        main.resizeDocks(both, parts, Qt.Orientation.Horizontal)
        self._scoped = True

    def _front(self, record: RunRecord) -> None:
        session = self._window.session
        if record in session.runs:
            same = session.graph is not None and (session.graph.hash == record.graph_reference.hash)
            if same:
                session.set_current(record)
            else:
                self._shown = ""
                self._window.features.compare.show_run(record)

    def _seek(self, record: RunRecord, step: Step) -> None:
        assert step.seek is not None
        assert record.trace is not None
        window, to = self._window, step.seek.to
        try:
            if step.microscope and record.trace.events is not None:
                scope = window.features.microscope
                self._open_microscope()
                first = 1 if to == "start" else None
                if isinstance(to, str) and to.startswith(EVENT):
                    first = event_index(record.trace, to) + 1
                place = first
                if place is not None:
                    QTimer.singleShot(0, lambda: scope.model.go(place))
                    return
            window.playback.set_cursor(moment_ns(record.trace, to))
        except GpuError as error:
            self._fail(str(error))

    def _paint(self, painter: QPainter) -> None:
        """Ring the vertices that the step points out."""
        view = self._window.graph_view
        painter.save()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(self._window.theme.accent), 3.0, Qt.PenStyle.DotLine))
        for vertex in self.vertices:
            place = view.place_of(vertex)
            if place is not None:
                painter.drawEllipse(place, 24.0, 24.0)
        painter.restore()

    def drive_pace(self, spec: RunSpec) -> float:
        """Return samples a second for a run that a person drives."""
        known = [r for r in self.records.values() if r.settings.algorithm == spec.algorithm]
        samples = len(known[-1].samples) if known else DRIVE_SAMPLES
        return max(1.0, samples / DRIVE_S)


def _title(spec: RunSpec | SweepSpec) -> str:
    from gpu.algorithms import find

    return find(spec.algorithm).title
