"""The wiring of the microscope: docks, the overlay on the graph, one click to all.

One click (`open`) shows the recording of the current run if there is one; else it runs the
graph shown, if it is small enough to be recorded, or opens an example first. Its two panels
stand in an arrangement of their own (`viewer.docks`); leaving it puts the one before up again. The
Run panel offers the same in words while the graph is small.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtWidgets import QDockWidget, QPushButton, QTabBar

from gpu.algorithms import Algorithm, find
from gpu.graph import CSRGraph
from gpu.record.events import MOST_ARCS, EventKind
from gpu.record.trace import Probe
from viewer.docks import FIRST
from viewer.feature import Microscope, Window
from viewer.features.microscope import graph_marks as graph_events
from viewer.features.microscope.code import CodePanel
from viewer.features.microscope.model import MicroscopeModel
from viewer.features.microscope.panel import MicroscopePanel
from viewer.models.session import Notice

if TYPE_CHECKING:
    from PyQt6.QtGui import QPainter
    from PyQt6.QtWidgets import QMainWindow, QWidget

    from viewer.common.theme import Theme
    from viewer.graph.tentative import Tentative

EXAMPLE = "sample:figure_6"
DEVICE = "Classroom GPU"
COMFORTABLE_ARCS = 400  # a larger graph is recorded only when asked for by the Run panel
ARRANGEMENT = "microscope"
PATIENCE_MS = 2000
SOUGHT = {
    "improve": [EventKind.IMPROVE],
    "head": [EventKind.HEAD, EventKind.SPLIT, EventKind.EDGE],
    "delta": [EventKind.DELTA, EventKind.OPEN],
}
SLOW = Notice(
    "info",
    "Recording every event:",
    "the first time of each algorithm its recorder is compiled, which takes up to half a minute.",
)


class MicroscopeFeature(Microscope):
    """Makes the docks and draws on the graph; see the module docstring."""

    most_arcs = COMFORTABLE_ARCS

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.model = MicroscopeModel(window.session, window.playback)
        self._before = FIRST  # the arrangement to go back to
        self._algorithm = ""  # that it shall run, if not the Run panel's
        self._wanted = False  # a run was asked for: show it from its first event
        self._theme: Theme = window.theme
        self._beginning = QTimer(self.model)
        self._beginning.setSingleShot(True)
        self._beginning.timeout.connect(self._begin)
        self._patience = QTimer(self.model)
        self._patience.setSingleShot(True)
        self._patience.setInterval(PATIENCE_MS)
        self._patience.timeout.connect(self._say_slow)
        self.model.moved.connect(self._show_event)
        self.model.replay_changed.connect(self._show_replay)
        window.session.graph_changed.connect(self._run_wanted)
        window.graph_view.more_marks.append(self._paint)
        self._offer = self._make_offer()
        window.docks.chosen.connect(window.enable_actions)
        self._show_replay()
        self._show_offer()
        hide_empty_tabs(window.as_widget())

    def _make_offer(self) -> QPushButton:
        """Put the button of the Run panel that opens the microscope under its own."""
        button = QPushButton("Look at every event")
        button.setToolTip("Run this graph with every event recorded and step through it")
        button.clicked.connect(self.look)
        self._window.session.graph_changed.connect(self._show_offer)
        whole = self._window.run_panel.layout()
        if whole is not None:
            whole.addWidget(button)
        return button

    def _show_offer(self) -> None:
        graph = self._window.session.graph
        self._offer.setVisible(graph is not None and 0 < graph.m <= COMFORTABLE_ARCS)

    # --- for the window

    def make_panel(self, dock: str) -> QWidget:
        """Return a new panel of one of the docks."""
        if dock == "code":
            return CodePanel(self.model)
        panel = MicroscopePanel(self.model)
        panel.record_requested.connect(self.record)
        panel.leave_requested.connect(self.leave)
        return panel

    def needs(self) -> dict[str, bool]:
        """Whether there are events to step through."""
        shown = self._window.docks.arrangement == ARRANGEMENT or self.is_shown
        return {"events": self.model.replay is not None, "microscope": shown}

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme

    def close(self) -> None:
        """Stop playing."""
        self.model.pause()

    # --- handlers

    def open(self) -> None:
        """Show every event of the current run, of a new one, or of an example."""
        self.show()
        if self.model.replay is None:
            self.record()

    def look(self) -> None:
        """Record what the Run panel says, every event, and show it."""
        self.show()
        self.record()

    def show(self) -> None:
        """Put up the arrangement of the microscope; what was there before is remembered."""
        docks = self._window.docks
        if docks.arrangement != ARRANGEMENT:
            self._before = docks.arrangement
        if not (docks.arrangement == ARRANGEMENT and self.is_shown):
            docks.choose(ARRANGEMENT)
        hide_empty_tabs(self._window.as_widget())

    @property
    def is_shown(self) -> bool:
        """Whether its two panels are there."""
        return all(self._window.docks[key].isVisible() for key in ("microscope", "code"))

    def leave(self) -> None:
        """Put up the arrangement that was there before the microscope's."""
        self.model.pause()
        self._window.docks.choose(self._before)

    def record(self, algorithm: str = "") -> None:
        """Run the graph shown with every event kept; without a small one open an example.

        algorithm : a key of the registry; "" for what the Run panel says.
        """
        self._algorithm = algorithm
        graph = self._window.session.graph
        self._wanted = True
        if graph is None or not 0 < graph.m <= COMFORTABLE_ARCS:
            self._window.open_path(EXAMPLE)
        else:
            self._run_wanted()

    def seek(self, what: str) -> None:
        """Go to the next event of some kinds: a key of SOUGHT."""
        self.model.seek(SOUGHT[what])

    def go(self, events: int) -> None:
        """Show the state after so many events."""
        self.model.go(events)

    # --- what happens

    def _run_wanted(self) -> None:
        graph = self._window.session.graph
        if not self._wanted or graph is None or graph.m > MOST_ARCS:
            return
        settings = self._window.run_panel.run_settings()
        if self._algorithm and self._algorithm != settings.algorithm:
            settings = replace(settings, algorithm=self._algorithm, delta=None, parameters={})
        if settings.delta is None:
            settings = replace(settings, delta=visible_delta(graph, find(settings.algorithm)))
        settings = replace(settings, engine="model", device=DEVICE, probe=int(Probe.EVENTS))
        self._window.controller.run_when_ready(
            lambda: self._window.controller.start_run(settings, None)
        )
        self._patience.start()

    def _show_replay(self) -> None:
        view, replay = self._window.graph_view, self.model.replay
        view.distances_now = None if replay is None else self._tentative
        if replay is not None and self._wanted:
            self._wanted = False
            self._patience.stop()
            if self._window.session.notice is SLOW:
                self._window.session.set_notice(None)
            self._beginning.start()  # after the window began its replay
        self._window.enable_actions()
        view.refresh()

    def _say_slow(self) -> None:
        if self._wanted and self._window.controller.running:
            self._window.session.set_notice(SLOW)

    def _begin(self) -> None:
        if self.is_shown:
            self._window.docks["microscope"].raise_()  # a run may have brought its own panel up
        self._window.playback.pause()
        self.model.go(0)
        self.model.step(1)

    def _show_event(self) -> None:
        self._window.graph_view.refresh()

    def _tentative(self) -> Tentative:
        """Return the distances at the event, and from where they are."""
        dist, source = self.model.distances(), self.model.source_shown
        assert dist is not None
        graph = self._window.session.graph
        if source < 0 or graph is None:
            return dist, "tentative, at this event"
        return dist, f"of source {graph.id_of(source)}, tentative"

    def _paint(self, painter: QPainter) -> None:
        view = self._window.graph_view
        graph = self._window.session.graph
        if self.model.replay is not None and graph is not None:
            graph_events.paint_event(painter, self._theme, view, self.model)


def visible_delta(graph: CSRGraph, row: Algorithm) -> float | None:
    """Return a bucket width with which a small graph fills several buckets.

    None where the algorithm has none or finds its own. The rules of thumb are made for large
    graphs: on a dozen vertices they put everything into the first bucket.
    """
    if not row.bucketed or row.dynamic:
        return None
    width = graph.mean_weight / 2
    return max(float(round(width)), 1.0) if graph.integer else width or None


def hide_empty_tabs(main: QMainWindow) -> None:
    """Hide tab bars of which no dock is seen: Qt leaves them about after `restoreState`."""
    seen = {dock.windowTitle() for dock in main.findChildren(QDockWidget) if dock.isVisible()}
    for bar in main.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
        if not seen & {bar.tabText(k) for k in range(bar.count())}:
            bar.hide()


install = MicroscopeFeature
