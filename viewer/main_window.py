"""The window: the graph in the middle, panels docked around it, wired in `_connect`.

State is in `viewer.models`. An action's `handler` (`viewer.actions`) is a path from here.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from PyQt6.QtCore import QSize, Qt, QTimer
from PyQt6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QPaintEvent,
    QResizeEvent,
)
from PyQt6.QtWidgets import QApplication, QMainWindow, QToolBar, QVBoxLayout, QWidget

import sample_graphs
from gpu.host import EngineHost
from gpu.model.accuracy import error_words
from gpu.words import in_sight
from viewer.action_set import ActionSet
from viewer.actions import menus_of
from viewer.common.fault_log import write_fault
from viewer.common.foreign_words import title_words
from viewer.common.small_widgets import packed
from viewer.common.text_size import scaled
from viewer.common.theme import apply_theme
from viewer.controller import Controller
from viewer.docks import ARRANGEMENTS, FIRST, PLOTS, SIMPLE, Docks
from viewer.feature import Opening, Pairs, Screen, Themed
from viewer.features import FEATURES, Features
from viewer.frame.file_dialogs import FileDialogs
from viewer.frame.help_dialogs import show_about, show_shortcuts
from viewer.frame.menus import offer_colours, offer_recent
from viewer.frame.notice_bar import NoticeBar
from viewer.frame.run_panel import RunPanel
from viewer.frame.status_bar import StatusBar
from viewer.frame.vertex_dialog import ask_vertex
from viewer.graph.view import GraphView
from viewer.models.comparison import ComparisonModel
from viewer.models.machines import engine_of, engine_words, machines
from viewer.models.playback import PlaybackModel
from viewer.models.run_choices import RunChoices
from viewer.models.session import Modes, Notice, SessionModel
from viewer.models.settings import Settings
from viewer.models.sweep import SweepModel
from viewer.plots.stack import Stack

if TYPE_CHECKING:
    from viewer.plots.live import LivePanel

T = TypeVar("T")

TOOLBAR_ICON = 20  # pixels, at the reference text size
QUICK_ARCS = 200_000  # a model run of about a second
LAYOUT = "arrangement"  # key in Settings: of the docks, one of ARRANGEMENTS
BACK, BACK_MS = "Esc goes back to what was shown before.", 6000
FRAME_MS = 33  # playback moves at 30 Hz
LARGE_SIZE = QSize(1760, 1100)  # at most, at first
FRAME = QSize(16, 48)  # pixels that a desktop puts around a window: its title and borders


class MainWindow(QMainWindow):
    """The whole program; see the module docstring."""

    def __init__(self, settings: Settings | None = None, host: EngineHost | None = None) -> None:
        super().__init__()
        self.settings = settings if settings is not None else Settings()
        self.session, self.playback = SessionModel(self), PlaybackModel(self)
        self.playback.watch(self.session)
        self.comparison, self.sweep = ComparisonModel(self.session, self), SweepModel(self)
        self.modes = Modes(self)
        self.controller = Controller(self.session, self.playback, host, self)
        self.files = FileDialogs(self, self.session, self.comparison, self.settings)
        self.features = Features(self, FEATURES)
        self._frame = QTimer(self)
        self._frame.setInterval(FRAME_MS)
        self._last_frame = time.monotonic()
        self.run_on_start = True
        self.named_file = ""  # by the command line
        self.plots: dict[str, LivePanel] = {}  # filled after the first paint
        self._is_painted = False
        self.stack = Stack(self)
        self.panels: dict[str, QWidget] = {}  # of features' docks, filled when first seen
        self._build_panels()
        self._build_actions()
        self._connect()
        self._restore()
        refuse_drops(self)

    # --- build

    def _build_panels(self) -> None:
        self.setObjectName("main_window")
        self.setAcceptDrops(True)
        self.notice_bar = NoticeBar(self.session)
        self.graph_view = GraphView(self.session, self.playback)
        self.graph_view.setObjectName("graph_view")
        self.graph_view.setAccessibleName("Graph")
        centre = QWidget()
        packed(QVBoxLayout(centre), self.notice_bar, spacing=0).addWidget(self.graph_view, 1)
        self.setCentralWidget(centre)
        self.status_bar = StatusBar(self.session)
        self.setStatusBar(self.status_bar)
        self.run_panel = RunPanel(self.session)
        self.docks = Docks(self, self.features.docks)
        self.docks.fill("run", self.run_panel)

    def _build_actions(self) -> None:
        self.actions_by_key = ActionSet(
            self, menus_of(self.features.keys), lambda key: self.features[key]
        )
        self.actions_by_key.fill_menu_bar(self.menuBar())
        self.toolbar = QToolBar("Toolbar", self)
        self.toolbar.setObjectName("toolbar")
        self.toolbar.setMovable(False)
        self.addToolBar(self.toolbar)
        self.actions_by_key.fill_toolbar(self.toolbar)
        submenu = self.actions_by_key.menu
        offer_recent(submenu("recent"), self.settings, self.open_path)
        offer_colours(submenu("colour_by"), self.graph_view)
        for key, title in self.docks.titles.items():
            row = submenu("panels").addAction(title, partial(self.toggle_dock, key))
            row.setCheckable(True)  # type: ignore[union-attr]
            self.docks[key].visibilityChanged.connect(row.setChecked)  # type: ignore[union-attr]

    def _connect(self) -> None:
        """Connect the window's own parts; plots and features are connected when they are built."""
        session, controller, panel = self.session, self.controller, self.run_panel
        # the user asks -> the controller acts
        panel.run_requested.connect(self._run_by_button)
        panel.stop_requested.connect(controller.stop)
        panel.open_requested.connect(self.open_path)
        panel.browse_requested.connect(self.files.ask_open)
        panel.source_requested.connect(controller.set_source)
        panel.choices_changed.connect(self._obey_choices)
        self.graph_view.source_requested.connect(self._choose_source)
        self.status_bar.cancel_requested.connect(controller.cancel)
        self.status_bar.cancel_requested.connect(self.files.cancel)
        self.status_bar.cancel_requested.connect(self.run_panel.show_graph)
        self.files.chosen.connect(self.open_path)
        # the controller reports -> the window shows
        controller.running_changed.connect(panel.set_running)
        controller.running_changed.connect(self.enable_actions)
        controller.file_opened.connect(self.settings.add_recent)
        controller.file_opened.connect(self._run_first)
        controller.file_failed.connect(self.settings.remove_recent)
        # the models change -> the window shows
        session.graph_changed.connect(self._show_graph)
        self.modes.drawing_changed.connect(self._show_graph)
        session.graph_completed.connect(self.enable_actions)
        session.run_changed.connect(self.enable_actions)
        session.current_changed.connect(self.enable_actions)
        session.positions_changed.connect(self._show_drawn)
        session.current_changed.connect(self._show_engine)
        self.playback.playing_changed.connect(self._take_playing)
        self._frame.timeout.connect(self._next_frame)
        self.docks.named.connect(self._mark_arrangement)
        for key in self.docks.extra:
            self.docks[key].visibilityChanged.connect(partial(self._fill_when_seen, key))

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Let the Run panel be narrow in a small window."""
        super().resizeEvent(a0)
        self.run_panel.updateGeometry()

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Build the plots once the window has been painted for the first time."""
        super().paintEvent(a0)
        if not self._is_painted:  # panels that were left open may have built some
            self._is_painted = True
            QTimer.singleShot(0, self._build_next_plot)

    def _build_next_plot(self) -> None:
        """Build one plot and come back for the next: the window answers in between."""
        missing = [key for key in PLOTS if key not in self.plots]
        if missing:
            self._build_plot(missing[0])
            QTimer.singleShot(0, self._build_next_plot)
        elif self.features.install_next():
            self.enable_actions()
            QTimer.singleShot(0, self._build_next_plot)

    def build_plots(self) -> None:
        """Build now what is not built yet."""
        for key in PLOTS:
            if key not in self.plots:
                self._build_plot(key)

    def _build_plot(self, key: str) -> None:
        from viewer.plots.delta import DeltaPanel
        from viewer.plots.panels import PANELS
        from viewer.plots.plot_base import PlotPanel

        panel = self.plots[key] = PANELS[key](self.session, self.playback)
        panel.apply_theme(self.theme)
        panel.set_plain(self.docks.arrangement == SIMPLE)
        self.docks.fill(key, panel)
        refuse_drops(panel)
        if isinstance(panel, PlotPanel):
            self.stack.add(panel)
        if isinstance(panel, DeltaPanel):
            panel.delta_requested.connect(self.controller.set_delta)
            panel.delta_released.connect(self.controller.release_delta)

    def _fill_when_seen(self, key: str, visible: bool) -> None:
        if visible and key not in self.panels:
            panel = self.panels[key] = self.features.panel(key)
            if isinstance(panel, Themed):
                panel.apply_theme(self.theme)
            self.docks.fill(key, panel)
            refuse_drops(panel)

    def show_dock(self, key: str) -> QWidget:
        """Show a dock, in front, filled; return its panel."""
        self._fill_when_seen(key, visible=key in self.docks.extra)
        self.docks.show(key)
        panel = self.docks[key].widget()
        assert panel is not None
        return panel

    def toggle_dock(self, key: str) -> None:
        """Show a dock in front; close it where it is."""
        if self.docks.is_in_front(key):
            self.docks[key].close()
        else:
            panel = self.show_dock(key)
            self.docks.asked.add(key)
            if panel.focusProxy() is not None:
                panel.setFocus()

    def as_widget(self) -> QMainWindow:
        """Return the window itself."""
        return self

    def part(self, kind: type[T]) -> T | None:
        """Return the feature that provides this, None where there is none."""
        return self.features.part(kind)

    @property
    def complete(self) -> bool:
        """Whether every plot and feature is built."""
        return len(self.features.built) == len(self.features.keys)

    @property
    def timeline(self) -> LivePanel:
        """The panel that owns the keys of playback."""
        self.build_plots()
        return self.plots["timeline"]

    # --- start and end

    def start(self, file: str | None = None) -> None:
        """Start the engine process and open a file, or what there is to begin with."""
        self._frame.start()
        self.controller.start()
        if file is not None:
            self.named_file = file
            self.open_path(file)
            return
        opening = self.part(Opening) if self.run_on_start else None
        if opening is not None and opening.begin():
            usual = RunChoices().algorithm  # the last one may not fit on the graph of the opening
            self.run_panel.set_choices(replace(self.run_panel.choices(), algorithm=usual))
            return
        self.controller.show_graph(sample_graphs.make(sample_graphs.FIRST_SAMPLE))
        if self.run_on_start:
            self.start_run()

    def keyPressEvent(self, a0: QKeyEvent | None) -> None:
        """Hand keys that no field wanted to the timeline: Space, arrows, Home; Esc goes back."""
        marked = self.playback.measure.active
        if a0 is not None and a0.key() == Qt.Key.Key_Escape and not marked:
            self.back()
        else:
            self.timeline.keyPressEvent(a0)

    def back(self) -> None:
        """Leave one thing: an opening, a panel, what a feature shows, a notice, an arrangement."""
        if self.controller.opening and self.status_bar.progress_shown():
            self.status_bar.cancel_requested.emit()
            return
        asked = self.docks.close_last(self.docks.asked)
        if asked or any(part.back() for part in reversed(self.features.built)):
            return
        if self.session.notice is None:
            self.docks.back()
        self.session.set_notice(None)

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Remember how the window stood, stop everything."""
        self._frame.stop()
        for part in self.features.built:
            part.close()  # a page, a presentation, a lesson: panels stand as before it
        if self.docks.arrangement not in ARRANGEMENTS:
            self.docks.return_to(self.docks.base)  # the next start has the bars of this one
        self.status_bar.clearMessage()  # and stop its timer
        self.settings.set_bytes("geometry", self.saveGeometry())
        self.settings.set_bytes("state", self.saveState(self.docks.version))
        self.settings.set_value("run_panel", self.run_panel.choices().as_dict())
        self.settings.sync()
        self.sweep.close()
        self.controller.close()
        self.files.close()
        super().closeEvent(event)

    def _restore(self) -> None:
        self.set_theme(self.settings.theme)
        choices = RunChoices.from_dict(self.settings.value("run_panel"), machines())
        self.run_panel.set_choices(replace(choices, delta=None))  # it was of another graph
        screen = self.screen()
        room = screen.availableSize() if screen is not None else LARGE_SIZE
        self.resize((room - FRAME).boundedTo(LARGE_SIZE))
        self.restoreGeometry(self.settings.bytes_value("geometry"))
        self.docks.arrange(str(self.settings.value(LAYOUT, FIRST)))
        self.part(Screen)  # its bars have a place in the state
        self.restoreState(self.settings.bytes_value("state"), self.docks.version)
        self.docks.mark(self.docks.arrangement)
        self._show_graph()
        self.enable_actions()

    # --- handlers of viewer.actions

    def open_path(self, path: str, options: dict[str, Any] | None = None) -> None:
        """Open a graph file, read by options; "sample:...", a saved run or a workspace."""
        if not any(part.open_file(path, options) for part in self.features.of_files()):
            self.controller.open(path, **(options or {}))

    def start_run(self) -> None:
        """Run what the Run panel says."""
        if self.comparison.b is not None:
            self.part(Pairs)  # not built yet, it would not make B again
        if any(part.refuses_run() for part in self.features.built):
            return
        for part in self.features.built:
            part.before_run()
        pace = self.run_panel.choices().samples_per_second
        self.controller.start_run(self.run_panel.run_settings(), pace)

    def _run_by_button(self) -> None:
        """Run; from now on Space plays instead of pressing the button again."""
        self.start_run()
        self.timeline.setFocus()

    def ask_path(self) -> None:
        """Show the shortest path to the vertex pointed at, or to one that is asked for by name."""
        view = self.graph_view
        if view.pointed >= 0:
            view.show_path(view.pointed)
        else:
            ask_vertex(self.session, "Shortest path to", view.show_path, self)

    def show_shortcuts(self) -> None:
        """Show every key."""
        show_shortcuts(self.actions_by_key.menus, self)

    def show_about(self) -> None:
        """Say what this is."""
        show_about(self)

    # --- slots

    def report_bug(self, error: BaseException) -> None:
        """Say that a part of the program failed; the details are on stderr and in the log file."""
        words = f"A fault inside SSSP Scope: {type(error).__name__}: {error}."
        path = write_fault(error)
        advice = f"The details are in {path}." if path is not None else "It could not be logged."
        self.session.set_notice(Notice("error", words, f"{advice} The window goes on."))

    def set_theme(self, name: str, text: int = 0) -> None:
        """Put a theme on everything, and remember it; `text`: another height of text, pixels."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        self.theme = apply_theme(app, name, text)
        self.settings.set_value("theme", name)
        self.actions_by_key.apply_theme(self.theme)
        self.actions_by_key[f"theme_{name}"].setChecked(True)
        self.toolbar.setIconSize(QSize(scaled(TOOLBAR_ICON), scaled(TOOLBAR_ICON)))
        parts: list[Themed] = [self.notice_bar, self.status_bar, self.graph_view]
        parts += [p for p in [*self.plots.values(), *self.panels.values()] if isinstance(p, Themed)]
        for part in [*parts, *self.features.built]:
            part.apply_theme(self.theme)

    def _obey_choices(self) -> None:
        choices = self.run_panel.choices()
        if self.controller.running:
            self.controller.set_pace(choices.samples_per_second)
        self._show_engine()

    def _show_engine(self, _news: object = None) -> None:
        """Say what machine is chosen, and that the run shown was not made on it."""
        choices, shown = self.run_panel.choices(), self.session.current
        words = detail = engine_words(choices.device)
        if engine_of(choices.device) == "model":
            detail += f"\n{error_words(choices.algorithm)}"
        if shown is not None and shown.settings.device != choices.device:
            words = f"Next run here: {words.partition(' (')[0]}"
        if any(part.needs().get("lesson") for part in self.features.built):
            words = ""  # a lesson chooses its own machine
        self.status_bar.show_engine(words, detail)

    def _show_graph(self) -> None:
        graph = self.session.graph
        name = graph.name if graph is not None else ""
        self.setWindowTitle(title_words("Drawing" if self.modes.drawing else name))
        self.enable_actions()
        self._show_engine()
        self._show_drawn()

    def _show_drawn(self) -> None:
        self.status_bar.show_drawn("" if self.modes.drawing else self.graph_view.drawn_text())

    def enable_actions(self, _news: object = None) -> None:
        """Enable the actions that can be used now."""
        run, running = self.session.current, self.controller.running
        graph = self.session.graph is not None
        state = {
            "graph": graph and not self.session.arcs_missing,
            "idle": graph and not running,
            "running": running,
            "run": run is not None,
            "trace": run is not None and run.trace is not None,
        }
        for part in self.features.built:
            state |= part.needs()
        self.actions_by_key.enable(state)

    def _mark_arrangement(self, name: str) -> None:
        self.settings.set_value(LAYOUT, self.docks.base)
        for_ms = 0 if name in ARRANGEMENTS else BACK_MS
        self.status_bar.showMessage(BACK if for_ms else "", for_ms)
        self.actions_by_key["stop"].setShortcut("" if for_ms else "Esc")  # else Esc goes back
        self.actions_by_key["all_controls"].setChecked(self.docks.base != SIMPLE)
        for plot in self.plots.values():
            plot.set_plain(name == SIMPLE)
        for action in self.actions_by_key.table.values():
            if action.group == "layout":
                self.actions_by_key[action.key].setChecked(action.argument == name)

    def _run_first(self, path: str, _options: object = None) -> None:
        """Run on the file that the command line names where that takes about a second."""
        graph = self.session.graph
        if path != self.named_file or graph is None or self.session.runs:
            return
        if graph.m <= QUICK_ARCS and graph.n:
            self.start_run()
        else:
            advice = "Run it (Ctrl+R); it is too large to run unasked."
            self.session.set_notice(Notice("info", f"{graph.name} is here.", advice))

    def _choose_source(self, vertex: int) -> None:
        self.controller.set_source(vertex)
        if self.session.graph is not None:
            name = in_sight(str(self.session.graph.id_of(vertex)))
            self.status_bar.showMessage(f"The next run starts from {name}.", BACK_MS)

    def _take_playing(self, playing: bool) -> None:
        if playing:
            self.status_bar.clearMessage()  # it said where it stopped

    def _next_frame(self) -> None:
        now = time.monotonic()
        self.playback.advance(now - self._last_frame)
        self._last_frame = now
        self._show_drawn()

    # --- files dropped anywhere

    def dragEnterEvent(self, a0: QDragEnterEvent | None) -> None:
        """Accept local files."""
        if a0 is not None and dropped_file(a0) is not None:
            a0.acceptProposedAction()

    def dropEvent(self, a0: QDropEvent | None) -> None:
        """Open the first one."""
        file = dropped_file(a0) if a0 is not None else None
        if a0 is not None and file is not None:
            a0.acceptProposedAction()
            self.open_path(file)


def refuse_drops(widget: QWidget) -> None:
    """A file dropped anywhere is for the window, not for a field inside it."""
    for part in widget.findChildren(QWidget):
        part.setAcceptDrops(False)


def dropped_file(event: QDropEvent) -> str | None:
    """Return the first local file that is being dropped, None for anything else."""
    mime = event.mimeData()
    urls = mime.urls() if mime is not None else []
    files = [url.toLocalFile() for url in urls if url.isLocalFile()]
    return files[0] if files else None
