"""Shows what a step of a lesson is about: arrangement, panels, vertices, a moment, the microscope.

Empty panels are hidden: before the first run a lesson shows its text and the graph; the Sweep panel
takes the place of two plots when a question about a sweep has been answered.
"""

from __future__ import annotations

from collections.abc import Mapping

from PyQt6.QtCore import QObject, Qt
from PyQt6.QtGui import QColor, QPainter, QPen

from gpu.errors import GpuError
from gpu.lessons.lesson import Step
from gpu.lessons.quantities import EVENT, event_index, moment_ns
from viewer.common.later import later
from viewer.docks import ARRANGEMENTS
from viewer.feature import Microscope, Window
from viewer.graph.colours import COLOUR_MODES
from viewer.models.session import RunRecord

LESSON_SHARE, SCOPE_SHARE = 0.28, 0.38  # of the window's width, beside the microscope
RING = 24.0  # pixels, the least radius of a ring around a vertex
LARGE_SHARE = 0.32  # in a presentation, of the window's width
BARE_SHARE = 0.38  # of the window's width, beside a graph and nothing else
DOCK = "lesson"  # key of the dock, and of the arrangement round it
DOCKS = (DOCK, "run", "buckets", "delta", "timeline")
SCOPED = ("microscope", "code")  # docks that a step shows by `microscope`


class Look(QObject):
    """Directs the eye. `graph_left`: it has asked for the graph of another run."""

    def __init__(self, window: Window) -> None:
        super().__init__(window.as_widget())
        self._window = window
        self.graph_left = False
        self.vertices: list[int] = []  # to be pointed out
        self.right = -1  # of them, the right answer, which is marked too
        self._scoped = False
        self._layout = DOCK  # a lasting arrangement that the lesson asked for, or its own
        self._docks: tuple[str, ...] = ()  # of its own arrangement
        window.graph_view.more_marks.append(self._paint)

    def begin(self) -> None:
        """Another lesson, or none."""
        self._layout, self._docks = DOCK, ()

    def point_out(self, step: Step, colour_by: str = "") -> None:
        """Put up arrangement, panels, colours and marked vertices of a step.

        colour_by : what it, or the nearest step before it, asks for; "" as it is
        """
        window = self._window
        stays = step.microscope and self.in_microscope
        fresh = bool(step.layout) or (self._scoped and not stays)
        if fresh:
            self._scoped, self._docks = False, ()
            self._layout = step.layout or self._layout
            if self._layout in ARRANGEMENTS:
                window.docks.choose(self._layout)
        if colour_by in COLOUR_MODES:
            window.graph_view.set_colour_by(colour_by)
        graph, self.vertices = window.session.graph, []
        for name in step.vertices if graph is not None else ():
            try:
                self.vertices.append(graph.vertex_of(name))  # type: ignore[union-attr]
            except GpuError:
                continue
        window.graph_view.refresh()
        self.bring_panels(step)
        if fresh:
            window.show_dock(DOCK).setFocus()

    def bring_panels(self, step: Step, *, before: bool = True) -> None:
        """Bring the panels of a step to the front, as far as they are not empty.

        before : the step's question is still open, so that its own sweep is not there yet
        """
        if self._scoped:
            return
        window, bare = self._window, self._window.session.current is None
        swept = "sweep" in step.panels and not (before and step.sweeps)
        plots = () if bare else ("run", "timeline") if swept else DOCKS[1:]
        own = (DOCK, *plots, *(("sweep",) if swept else ()))
        if self._layout not in ARRANGEMENTS and own != self._docks:
            self._docks = own
            window.docks.gather(DOCK, own)
            self.spread()
        for key in step.panels:
            empty = not swept if key == "sweep" else bare
            if key in window.docks.by_key and key not in SCOPED and not empty:
                window.show_dock(key)
                window.docks[key].raise_()

    def put_up(self, step: Step, *, before: bool) -> None:
        """Show once more what a step shows: the docks were put otherwise."""
        microscope = self._window.part(Microscope) if self._scoped else None
        self._scoped, self._docks = False, ()
        if microscope is not None:
            self._open_microscope(microscope)
        self.bring_panels(step, before=before)

    def spread(self) -> None:
        """Give the lesson its share of the width: beside the microscope, large type or nothing."""
        window, shares = self._window, {}
        bare = window.session.current is None
        if self.in_microscope:
            shares = {DOCK: LESSON_SHARE, "microscope": SCOPE_SHARE}
        elif bare or window.modes.presenting:
            shares = {DOCK: BARE_SHARE if bare else LARGE_SHARE}
        docks, main = [window.docks[key] for key in shares], window.as_widget()
        widths = [int(share * main.width()) for share in shares.values()]
        main.resizeDocks(docks, widths, Qt.Orientation.Horizontal)

    @property
    def in_microscope(self) -> bool:
        """Whether the lesson stands beside the microscope."""
        return self._scoped and self._window.docks.arrangement == "microscope"

    def show_result(self, step: Step, records: Mapping[str, RunRecord]) -> str:
        """Compare, show and seek as the step says; return what cannot be shown, or ""."""
        window, problem = self._window, ""
        if step.compare and all(name in records for name in step.compare):
            a, b = (records[name] for name in step.compare)
            self._front(a)
            window.comparison.compare_or_say(b)
        elif step.show in records:
            self._front(records[step.show])
        if step.seek is not None and step.seek.run in records:
            record = records[step.seek.run]
            if not step.compare:
                self._front(record)
            if record.trace is not None:
                window.playback.pause()
                problem = self._seek(record, step)
        self.bring_panels(step, before=False)
        return problem

    def _open_microscope(self, microscope: Microscope) -> None:
        """Show the microscope; it puts every other dock aside, the lesson comes back at once."""
        window, docks = self._window, self._window.docks
        if self.in_microscope:
            return
        microscope.show()
        main = window.as_widget()
        main.removeDockWidget(docks["lesson"])
        main.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, docks["lesson"])
        docks["run"].hide()
        docks["lesson"].show()
        docks["microscope"].raise_()
        self._scoped = True
        self.spread()

    def _front(self, record: RunRecord) -> None:
        session = self._window.session
        self._window.comparison.end()
        if record in session.runs:
            same = session.graph is not None and (session.graph.hash == record.graph_reference.hash)
            if same:
                session.set_current(record)
            else:
                self.graph_left = True
                self._window.controller.show_run(record)

    def _seek(self, record: RunRecord, step: Step) -> str:
        """Go to the moment of a step; return why that is not possible, or ""."""
        assert step.seek is not None
        assert record.trace is not None
        window, to = self._window, step.seek.to
        scope = window.part(Microscope) if step.microscope else None
        try:
            place = 1 if to == "start" else None
            if isinstance(to, str) and to.startswith(EVENT) and record.trace.events is not None:
                place = event_index(record.trace, to) + 1
            if scope is not None and record.trace.events is not None:
                self._open_microscope(scope)
                if place is not None:
                    events = place
                    later(self, lambda: scope.go(events))
                    return ""
            window.playback.set_cursor(moment_ns(record.trace, to))
        except GpuError as error:
            return str(error)
        return ""

    def _paint(self, painter: QPainter) -> None:
        view = self._window.graph_view
        painter.save()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        theme, radius = self._window.theme, max(RING, view.clear_radius)
        for vertex in {*self.vertices, self.right}:
            colour = theme.success if vertex == self.right else theme.accent
            painter.setPen(QPen(QColor(colour), 3.0, Qt.PenStyle.DotLine))
            place = view.place_of(vertex)
            if place is not None:
                painter.drawEllipse(place, radius, radius)
        painter.restore()
