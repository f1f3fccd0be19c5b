"""The microscope in the window: docks, the marks on the graph, one click to a recording.

One click (`open`) shows the recording of the current run if there is one; else it runs the graph
shown. The two panels stand in an arrangement of their own. While one of them is seen, the event
shown is marked on the map, and the keys that step and play go through events.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from gpu.algorithms import Algorithm, find
from gpu.graph import CSRGraph
from gpu.record.events import MOST_ARCS
from gpu.record.trace import Probe, RunSettings
from sample_graphs import open_sample
from viewer.common.later import later
from viewer.docks import FIRST
from viewer.feature import Microscope, Window
from viewer.features.microscope import graph_marks as graph_events
from viewer.features.microscope.code import CodePanel
from viewer.features.microscope.model import COUNTERS, MicroscopeModel
from viewer.features.microscope.panel import DEVICE, MicroscopePanel
from viewer.graph.vertex_words import Tentative
from viewer.models.session import PROGRESS_DONE, Notice, RunRecord

if TYPE_CHECKING:
    from PyQt6.QtGui import QPainter
    from PyQt6.QtWidgets import QWidget

    from viewer.common.theme import Theme
    from viewer.plots.timeline import Timeline

EXAMPLE = "sample:figure_6"
ARRANGEMENT = "microscope"
RECORDING = "Every event is being recorded."
DOCKS = ("microscope", "code")


class MicroscopeFeature(Microscope):
    """Makes the docks and draws on the graph; see the module docstring."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.model = MicroscopeModel(window.session, window.playback)
        self.model.watch(False)
        self._before = FIRST  # the arrangement when it was opened
        self._pair: list[RunRecord] = []  # the runs shown then: A, and B if two were compared
        self._cursor_ns = 0.0  # then
        self._wanted = False  # a run was asked for: show it from its first event
        self._progress = ""  # of what is under way, in words
        self._seen: set[str] = set()  # of DOCKS
        self._theme: Theme = window.theme
        self._connect()
        self._show_replay()

    def _connect(self) -> None:
        window = self._window
        self.model.moved.connect(window.graph_view.refresh)
        self.model.replay_changed.connect(self._show_replay)
        window.session.progress_changed.connect(self._show_progress)
        window.session.current_changed.connect(self._show_under_way)
        window.session.run_changed.connect(self._show_under_way)
        window.controller.running_changed.connect(self._show_running)
        window.session.waiting_changed.connect(self._show_under_way)
        window.graph_view.more_marks.append(self._paint)
        window.docks.chosen.connect(window.enable_actions)
        for key in DOCKS:
            window.docks[key].visibilityChanged.connect(partial(self._see, key))

    # --- for the window

    def make_panel(self, dock: str) -> QWidget:
        """Return a new panel of one of the docks."""
        if dock == "code":
            return CodePanel(self.model)
        panel = MicroscopePanel(self.model)
        panel.record_requested.connect(self.record)
        panel.example_requested.connect(self.record_example)
        panel.leave_requested.connect(self.leave)
        return panel

    def needs(self) -> dict[str, bool]:
        """Whether there are events to step through."""
        shown = self._window.docks.arrangement == ARRANGEMENT or self.is_shown
        return {"events": self.model.replay is not None, "microscope": shown}

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme

    def back(self) -> bool:
        """Leave the microscope."""
        shown = self._window.docks.arrangement == ARRANGEMENT
        if shown:
            self.leave()
        return shown

    def before_run(self) -> None:
        """Another run was asked for: what was not begun yet is not wanted any more."""
        self._wanted = False
        self._show_under_way()

    def close(self) -> None:
        """Stop playing."""
        self.model.pause()

    # --- handlers

    def open(self) -> None:
        """Show every event of the current run, or of a new one; not of a drawing yet."""
        if self._window.modes.drawing:
            words = "The microscope shows runs: run the drawing first, or close it."
            self._window.session.set_notice(Notice("info", words))
            return
        self.show()
        self._focus()
        if self.model.replay is None:
            self.record()

    def show(self) -> None:
        """Put up the arrangement of the microscope."""
        docks = self._window.docks
        if docks.arrangement != ARRANGEMENT:
            self._before = docks.arrangement
            shown = self._window.session.current, self._window.comparison.b
            self._pair = [run for run in shown if run is not None]
            self._cursor_ns = self._window.playback.cursor_ns
        if not (docks.arrangement == ARRANGEMENT and self.is_shown):
            docks.gather(ARRANGEMENT, DOCKS)

    def _focus(self) -> None:
        panel = self._window.docks["microscope"].widget()
        if panel is not None:
            panel.setFocus()

    @property
    def events_done(self) -> int | None:
        """How many events have happened where it stands; None where it shows none."""
        return self.model.position if self._is_watched else None

    @property
    def is_shown(self) -> bool:
        """Whether its two panels are there."""
        return all(self._window.docks[key].isVisible() for key in DOCKS)

    def leave(self) -> None:
        """Put the arrangement before up again."""
        self.model.pause()
        self._wanted = False
        self._window.docks.return_to(self._before)
        self._show_pair_again()
        self._show_under_way()

    def _show_pair_again(self) -> None:
        """Compare again what a recording took the place of."""
        session, pair = self._window.session, self._pair
        here = bool(pair) and pair[0].graph_reference.hash == getattr(session.graph, "hash", "")
        if here and pair != [session.current] and all(run in session.runs for run in pair):
            session.set_current(pair[0])
            for other in pair[1:]:
                self._window.comparison.compare_or_say(other)
            self._window.playback.set_cursor(self._cursor_ns)

    def record(self) -> None:
        """Run the graph shown by the Run panel's algorithm, with every event kept."""
        self._focus()
        session, controller = self._window.session, self._window.controller
        graph = session.graph
        if controller.running and not recording(session.current):
            words = "Another run is going on."
            session.set_notice(Notice("info", words, "Stop it, then record every event."))
        elif graph is None:
            self.record_example()
        elif not 0 < graph.m <= MOST_ARCS:
            self.model.refuse(graph)
        elif not controller.running:
            self._wanted = not controller.opening
            settings = self._settings(graph)
            self._window.comparison.end()  # a GPU for classrooms is compared with no other
            controller.start_run(settings)
            self._show_under_way()

    def record_example(self) -> None:
        """Record a small example in place of the graph shown."""
        self._window.controller.show_graph(open_sample(EXAMPLE))
        self.record()

    def go(self, events: int) -> None:
        """Show the state after so many events; step to counters if that is a counter's."""
        self.model.go(events)
        self.model.set_every(self.model.kind in COUNTERS)

    # --- what happens

    def _settings(self, graph: CSRGraph) -> RunSettings:
        settings = self._window.run_panel.run_settings()
        if settings.delta is None:
            settings = replace(settings, delta=visible_delta(graph, find(settings.algorithm)))
        return replace(settings, engine="model", device=DEVICE, probe=int(Probe.EVENTS))

    def _show_running(self, running: bool) -> None:
        self._wanted = self._wanted and (running or self.model.replay is not None)
        self._show_under_way()

    def _show_progress(self, fraction: float, words: str) -> None:
        self._progress = words if fraction < PROGRESS_DONE else ""
        self._show_under_way()

    def _show_under_way(self, _news: object = None) -> None:
        """Tell the panels what is being done so that there will be events."""
        controller = self._window.controller
        if not (self._wanted or recording(self._window.session.current)):
            self.model.set_under_way("")
        elif not controller.ready:
            self.model.set_under_way(f"{controller.preparing} Then every event is recorded.")
        else:
            self.model.set_under_way(f"{RECORDING} {self._progress}".rstrip())

    def _show_replay(self) -> None:
        if self.model.replay is not None and self._wanted:
            self._wanted = False
            later(self, self._begin)  # after the window began its replay
        self._window.enable_actions()
        self._show_presence()

    def _see(self, key: str, visible: bool) -> None:
        self._seen = self._seen | {key} if visible else self._seen - {key}
        self.model.watch(bool(self._seen))
        self._show_presence()

    def _show_presence(self) -> None:
        """Where events are seen: step and play through them, and draw the distances at one."""
        view, seen = self._window.graph_view, self._is_watched
        view.distances_now = self._tentative if seen else None
        view.arrows_move = not seen
        timeline = cast("Timeline | None", self._window.plots.get("timeline"))
        if timeline is not None:
            timeline.hand_over(self.model if seen else None)
        view.refresh()

    @property
    def _is_watched(self) -> bool:
        return self.model.replay is not None and bool(self._seen)

    def _begin(self) -> None:
        if self.is_shown:
            self._window.docks["microscope"].raise_()  # a run may have brought its own panel up
        self._window.playback.pause()
        self.model.go(0)
        self.model.step(1)

    def _tentative(self) -> Tentative:
        """Return the distances at the event, from where they are, and the counts."""
        dist, source, state = self.model.distances(), self.model.source_shown, self.model.state
        assert dist is not None
        assert state is not None
        graph = self._window.session.graph
        if source < 0 or graph is None:
            return Tentative(dist, "tentative, at this event", state.processed)
        return Tentative(dist, f"of source {graph.id_of(source)}, tentative")

    def _paint(self, painter: QPainter) -> None:
        view = self._window.graph_view
        graph = self._window.session.graph
        if self._is_watched and graph is not None:
            graph_events.paint_event(painter, self._theme, view, self.model)


def recording(record: RunRecord | None) -> bool:
    """Whether a run is going of which every event is kept."""
    return record is not None and record.running and record.settings.probe >= Probe.EVENTS


def visible_delta(graph: CSRGraph, row: Algorithm) -> float | None:
    """Return a bucket width with which a small graph fills several buckets.

    None where the algorithm has none or finds its own. The rules of thumb are made for large
    graphs: on a dozen vertices they put everything into the first bucket.
    """
    if not row.bucketed or row.dynamic:
        return None
    width = graph.mean_weight / 2
    return max(float(round(width)), 1.0) if graph.integer else width or None


install = MicroscopeFeature
