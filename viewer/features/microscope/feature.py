"""The microscope in the window: docks, the marks on the graph, one click to a recording.

One click (`open`) shows the recording of the current run if there is one; else it runs the graph
shown. A file that is being opened is waited for, a run that is going is stopped first. The two
panels stand in an arrangement of their own. The Run panel offers the same in words while the graph
is small.

While one of its panels is seen, the event shown is marked on the map, and the keys that step and
play go through events.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QPushButton

from gpu.algorithms import Algorithm, find
from gpu.graph import CSRGraph
from gpu.record.events import MOST_ARCS, EventKind
from gpu.record.trace import Probe, RunSettings
from sample_graphs import open_sample
from viewer.docks import FIRST
from viewer.feature import Microscope, Window
from viewer.features.microscope import graph_marks as graph_events
from viewer.features.microscope.code import CodePanel
from viewer.features.microscope.model import COUNTERS, MicroscopeModel
from viewer.features.microscope.panel import MicroscopePanel
from viewer.graph.vertex_words import Tentative
from viewer.models.session import PROGRESS_DONE, Notice, RunRecord

if TYPE_CHECKING:
    from PyQt6.QtGui import QPainter
    from PyQt6.QtWidgets import QWidget

    from viewer.common.theme import Theme
    from viewer.plots.timeline import Timeline

EXAMPLE = "sample:figure_6"
DEVICE = "Classroom GPU"
COMFORTABLE_ARCS = 400  # of a larger graph the Run panel does not offer it
ARRANGEMENT = "microscope"
RECORDING = "Every event is being recorded."
DOCKS = ("microscope", "code")
SOUGHT = {
    "improve": [EventKind.IMPROVE],
    "head": [EventKind.HEAD, EventKind.SPLIT, EventKind.EDGE],
    "delta": [EventKind.DELTA, EventKind.OPEN],
}


class MicroscopeFeature(Microscope):
    """Makes the docks and draws on the graph; see the module docstring."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.model = MicroscopeModel(window.session, window.playback)
        self._before = FIRST  # the arrangement when it was opened
        self._made: RunRecord | None = None  # the run that it asked for last
        self._algorithm = ""  # that it shall run, if not the Run panel's
        self._wanted = False  # a run was asked for: show it from its first event
        self._waits = False  # for a file that is being opened
        self._shown: CSRGraph | None = None  # the graph when that was last looked at
        self._progress = ""  # of what is under way, in words
        self._seen: set[str] = set()  # of DOCKS
        self._theme: Theme = window.theme
        self._beginning = QTimer(self.model)
        self._beginning.setSingleShot(True)
        self._beginning.timeout.connect(self._begin)
        self._soon = QTimer(self.model)  # once whoever changed something has changed all of it
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._go_on)
        self._offer = self._make_offer()
        self._connect()
        self._show_replay()
        self._show_offer()

    def _connect(self) -> None:
        window = self._window
        self.model.moved.connect(self._show_event)
        self.model.replay_changed.connect(self._show_replay)
        window.session.graph_changed.connect(self._show_offer)
        window.modes.drawing_changed.connect(self._show_offer)
        window.session.graph_changed.connect(self._soon.start)
        window.session.progress_changed.connect(self._show_progress)
        window.session.current_changed.connect(self._show_under_way)
        window.session.run_changed.connect(self._show_under_way)
        window.controller.running_changed.connect(self._run_ended)
        window.controller.engine_changed.connect(self._show_under_way)
        window.graph_view.more_marks.append(self._paint)
        window.docks.chosen.connect(window.enable_actions)
        for key in DOCKS:
            window.docks[key].visibilityChanged.connect(partial(self._see, key))

    def _make_offer(self) -> QPushButton:
        """Put the button that opens the microscope into the Run panel."""
        button = QPushButton("Look at every event")
        button.setToolTip("Run this graph with every event recorded and step through it")
        button.clicked.connect(self.look)
        self._window.run_panel.offer(button)
        return button

    def _show_offer(self) -> None:
        graph = self._window.session.graph
        here = not self._window.modes.drawing  # else Run takes what is being drawn, not this
        self._offer.setVisible(here and graph is not None and 0 < graph.m <= COMFORTABLE_ARCS)

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
        """Stop playing; the arrangement before is the one to come back to."""
        self.model.pause()
        if self._window.docks.arrangement == ARRANGEMENT:
            self._window.docks.choose(self._before)

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

    def look(self) -> None:
        """Record what the Run panel says, every event, and show it."""
        self.show()
        self.record()

    def show(self) -> None:
        """Put up the arrangement of the microscope."""
        docks = self._window.docks
        if docks.arrangement != ARRANGEMENT:
            self._before = docks.arrangement
        if not (docks.arrangement == ARRANGEMENT and self.is_shown):
            docks.gather(ARRANGEMENT, DOCKS)

    def _focus(self) -> None:
        """Give its panel the keys."""
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
        self._window.docks.choose(self._before)
        self._show_under_way()

    def record(self, algorithm: str = "") -> None:
        """Run the graph shown, or that is being opened, with every event kept.

        algorithm : a key of the registry; "" for what the Run panel says.
        """
        self._algorithm, self._wanted = algorithm, True
        self._focus()
        self._go_on()

    def record_example(self) -> None:
        """Record a small example in place of the graph shown."""
        self._window.controller.show_graph(open_sample(EXAMPLE))
        self.record()

    def seek(self, what: str) -> None:
        """Go to the next event of some kinds: a key of SOUGHT."""
        self.model.seek(SOUGHT[what])

    def go(self, events: int) -> None:
        """Show the state after so many events; where that is a counter's, one steps to all."""
        self.model.go(events)
        if self.model.kind in COUNTERS:
            self.model.set_every(True)

    # --- what happens

    def _go_on(self) -> None:
        """Do what is next on the way to a recording: wait, refuse, stop another run, or begin."""
        session, controller = self._window.session, self._window.controller
        graph = session.graph
        waited, self._waits = self._waits, bool(controller.opening)
        if waited and not self._waits and graph is self._shown:
            self._wanted = False  # the file could not be read, or was given up
        self._shown = graph
        if self._wanted and not controller.opening:
            if graph is None:
                self.record_example()
            elif not 0 < graph.m <= MOST_ARCS:
                self._wanted = False
                self.model.refuse(graph)
            elif controller.running and not recording(session.current):
                controller.stop()
            elif not controller.running:
                settings = self._settings(graph)
                controller.run_when_ready(lambda: self._run(settings))
        self._show_under_way()

    def _settings(self, graph: CSRGraph) -> RunSettings:
        settings = self._window.run_panel.run_settings()
        if self._algorithm and self._algorithm != settings.algorithm:
            settings = replace(settings, algorithm=self._algorithm, delta=None, parameters={})
        if settings.delta is None:
            settings = replace(settings, delta=visible_delta(graph, find(settings.algorithm)))
        return replace(settings, engine="model", device=DEVICE, probe=int(Probe.EVENTS))

    def _run(self, settings: RunSettings) -> None:
        controller = self._window.controller
        if controller.running or controller.opening:
            return
        controller.start_run(settings, None)
        if controller.running:
            self._made = self._window.session.current
        else:
            self._wanted = False

    def _run_ended(self, running: bool) -> None:
        """Begin ours once another run has ended; one of ours that failed is not tried again."""
        if not running and self._made is not None and self._window.session.current is self._made:
            self._wanted = False
        elif not running:
            self._soon.start()
        self._show_under_way()

    def _show_progress(self, fraction: float, words: str) -> None:
        self._progress = words if fraction < PROGRESS_DONE else ""
        if fraction >= PROGRESS_DONE and self._wanted:
            self._soon.start()
        self._show_under_way()

    def _show_under_way(self, _news: object = None) -> None:
        """Tell the panels what is being done so that there will be events."""
        controller = self._window.controller
        if not (self._wanted or recording(self._window.session.current)):
            self.model.set_under_way("")
        elif controller.opening:
            opened = f"{controller.opening} is being opened; then every event is recorded."
            self.model.set_under_way(opened)
        elif not controller.ready:
            self.model.set_under_way(f"{controller.preparing} Then every event is recorded.")
        else:
            self.model.set_under_way(f"{RECORDING} {self._progress}".rstrip())

    def _show_replay(self) -> None:
        if self.model.replay is not None and self._wanted:
            self._wanted = False
            self._beginning.start()  # after the window began its replay
        self._window.enable_actions()
        self._show_presence()

    def _see(self, key: str, visible: bool) -> None:
        self._seen = self._seen | {key} if visible else self._seen - {key}
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

    def _show_event(self) -> None:
        self._window.graph_view.refresh()

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
