"""The wiring of `viewer.features.microscope`: docks, the overlay on the graph, one click to all.

One click (`open`) shows the recording of the current run if there is one; else it runs the
graph shown, if it is small enough to be recorded, or opens an example first. The docks stand on
the right, in place of the plots; the usual arrangement brings those back.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtWidgets import QDockWidget, QTabBar

from gpu.algorithms import Algorithm, find
from gpu.events import MOST_ARCS, EventKind
from gpu.graph import CSRGraph
from gpu.trace import Probe
from viewer.models.microscope import MicroscopeModel
from viewer.models.session import Notice
from viewer.text_size import scaled
from viewer.widgets import graph_events
from viewer.widgets.microscope import MicroscopePanel
from viewer.widgets.microscope_code import CodePanel

if TYPE_CHECKING:
    from PyQt6.QtGui import QPainter
    from PyQt6.QtWidgets import QMainWindow, QWidget

    from viewer.features.base import Window
    from viewer.theme import Theme
    from viewer.widgets.graph_tentative import Tentative

EXAMPLE = "sample:figure_6"
DEVICE = "Classroom GPU"
COMFORTABLE_ARCS = 400  # a larger graph is recorded only when asked for by the Run panel
STAYING = ("run", "timeline", "microscope", "code")  # the other docks wait as tabs
RIGHT = Qt.DockWidgetArea.RightDockWidgetArea
PATIENCE_MS = 2000
SLOW = Notice(
    "info",
    "Recording every event:",
    "the first time of each algorithm its recorder is compiled, which takes up to half a minute.",
)
NARROW = 1500  # pixels: the Run panel makes room below
WIDTH_SHARE, CODE_SHARE = 0.46, 0.40  # of the window's width; of the height, for the code


class MicroscopeFeature:
    """Makes the docks and draws on the graph; see the module docstring."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self.model = MicroscopeModel(window.session, window.playback)
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
        self._show_replay()
        hide_empty_tabs(cast("QMainWindow", window.as_widget()))

    # --- for the window

    def make_panel(self, dock: str) -> QWidget:
        """Return a new panel of one of the docks."""
        if dock == "code":
            return CodePanel(self.model)
        panel = MicroscopePanel(self.model)
        panel.record_requested.connect(self.record)
        return panel

    def needs(self) -> dict[str, bool]:
        """Whether there are events to step through."""
        return {"events": self.model.replay is not None}

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

    def show(self) -> None:
        """Show the docks, on the right in place of the plots and down to the status bar."""
        window, docks = self._window, self._window.docks
        main = cast("QMainWindow", window.as_widget())
        upper, lower = docks["microscope"], docks["code"]
        if main.width() < scaled(NARROW):
            docks["run"].hide()
        if upper.isVisible() and lower.isVisible():
            hide_empty_tabs(main)
            return
        waiting = [key for key in docks.by_key if key not in STAYING]
        for key in (*waiting, "microscope", "code"):
            main.removeDockWidget(docks[key])  # out of the tabs in which it stands or waits
        main.setCorner(Qt.Corner.BottomRightCorner, RIGHT)
        main.addDockWidget(RIGHT, upper)
        main.splitDockWidget(upper, lower, Qt.Orientation.Vertical)
        upper.show()
        lower.show()
        for key in waiting:
            main.addDockWidget(RIGHT, docks[key])
            main.tabifyDockWidget(upper, docks[key])
            docks[key].hide()
        for key in ("code", "microscope"):
            window.show_dock(key)
        width, height = int(main.width() * WIDTH_SHARE), main.height()
        parts = [int(height * (1 - CODE_SHARE)), int(height * CODE_SHARE)]
        main.resizeDocks([upper], [width], Qt.Orientation.Horizontal)
        main.resizeDocks([upper, lower], parts, Qt.Orientation.Vertical)
        hide_empty_tabs(main)

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

    def event_next(self) -> None:
        """Go to the next event."""
        self.model.step(1)

    def event_back(self) -> None:
        """Go to the event before."""
        self.model.step(-1)

    def event_improve(self) -> None:
        """Go to the next improved distance."""
        self.model.seek([EventKind.IMPROVE])

    def event_head(self) -> None:
        """Go to where the head, the threshold or the edge moves."""
        self.model.seek([EventKind.HEAD, EventKind.SPLIT, EventKind.EDGE])

    def event_delta(self) -> None:
        """Go to the next decision on delta or the open heads."""
        self.model.seek([EventKind.DELTA, EventKind.OPEN])

    def event_play(self) -> None:
        """Let events go by, or stop."""
        self.model.toggle()

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
