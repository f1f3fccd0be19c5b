"""What the window knows of a feature, and a feature of the window.

What one feature can do for others is a class here that it derives from (`Microscope`) and names in
its data (`provides`); they ask `window.part(Microscope)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from PyQt6.QtCore import QObject, pyqtSignal

if TYPE_CHECKING:
    from PyQt6.QtWidgets import QMainWindow, QWidget

    from gpu.record.trace import RunSettings
    from viewer.action_set import ActionSet
    from viewer.common.theme import Theme
    from viewer.controller import Controller
    from viewer.docks import Docks
    from viewer.frame.file_dialogs import FileDialogs
    from viewer.frame.notice_bar import NoticeBar
    from viewer.frame.run_panel import RunPanel
    from viewer.frame.status_bar import StatusBar
    from viewer.graph.view import GraphView
    from viewer.models.comparison import ComparisonModel
    from viewer.models.playback import PlaybackModel
    from viewer.models.session import Modes, SessionModel
    from viewer.models.settings import Settings
    from viewer.models.sweep import SweepModel
    from viewer.plots.live import LivePanel

T = TypeVar("T")


class Window(Protocol):
    """The main window as features see it; it is also the QMainWindow (`as_widget`)."""

    # what is known
    session: SessionModel
    playback: PlaybackModel
    comparison: ComparisonModel
    sweep: SweepModel
    modes: Modes
    settings: Settings
    theme: Theme
    named_file: str  # by the command line, "" for none
    # who acts
    controller: Controller
    files: FileDialogs
    actions_by_key: ActionSet
    docks: Docks
    # what is seen
    graph_view: GraphView
    run_panel: RunPanel
    status_bar: StatusBar
    notice_bar: NoticeBar
    plots: dict[str, LivePanel]

    def as_widget(self) -> QMainWindow:
        """Return the window itself, as parent of dialogs."""

    def part(self, kind: type[T]) -> T | None:
        """Return the feature that provides this, built if need be, None where there is none."""

    @property
    def complete(self) -> bool:
        """Whether every plot and feature is built."""

    def build_plots(self) -> None:
        """Build now the plots that are not built yet."""

    def show_dock(self, key: str) -> QWidget:
        """Show a dock, in front, filled; return its panel."""

    def toggle_dock(self, key: str) -> None:
        """Show a dock in front; close it where it is."""

    def enable_actions(self) -> None:
        """Ask again which actions can be used (a feature's `needs` changed)."""

    def start_run(self) -> None:
        """Run what the Run panel says."""

    def set_theme(self, name: str, text: int = 0) -> None:
        """Put a theme on everything, and remember it; `text`: another height of text, pixels."""

    def open_path(self, path: str, options: dict[str, Any] | None = None) -> None:
        """Open a file, read by options of `gpu.load_graph`, or "sample:..."."""


@dataclass(frozen=True)
class Feature:
    """One part of the window, as data.

    key : the name of its module or folder; its actions in `viewer.actions` name it in `by`
    docks : the titles of its panels by dock, hidden at first
    provides : what it does for other features, a class of this module
    opens_files : it opens files that are no graphs, and is asked before a file is opened
    """

    key: str
    docks: Mapping[str, str] = field(default_factory=dict)
    provides: type | None = None
    opens_files: bool = False


class FeaturePart(QObject):
    """What a feature does in one window. A feature overrides what concerns it."""

    def __init__(self, window: Window) -> None:
        super().__init__(window.as_widget())
        self._window = window

    def make_panel(self, dock: str) -> QWidget:
        """Return a new panel; called when a dock of the feature is first seen."""
        raise LookupError(f"{type(self).__name__} brings no dock {dock!r}")

    def needs(self) -> dict[str, bool]:
        """Return states for `Action.needs`; asked whenever they may change."""
        return {}

    def apply_theme(self, theme: Theme) -> None:
        """Take another theme; panels in docks get it by themselves."""

    def back(self) -> bool:
        """Leave what this feature has put up, on Esc; return whether there was anything."""
        return False

    def refuses_run(self) -> bool:
        """A person asks for a run; return whether it cannot be made, and say why."""
        return False

    def before_run(self) -> None:
        """A person asked for a run, which begins after this."""

    def open_file(self, _path: str, _options: dict[str, Any] | None) -> bool:
        """Open a file if that is for this feature to do; return whether it was."""
        return False

    def close(self) -> None:
        """The window closes: stop timers and tasks, keep what is to be remembered."""

    def _trigger(self, key: str, _checked: bool = False) -> None:
        """Trigger an action, if its feature is installed; a button may call it."""
        action = self._window.actions_by_key.find(key)
        if action is not None:
            action.trigger()


class Microscope(FeaturePart):
    """Steps through every event of a run on a small graph."""

    @property
    def events_done(self) -> int | None:
        """How many events have happened where it stands; None where it shows none."""
        return None

    def show(self) -> None:
        """Show its panels."""

    def record(self) -> None:
        """Run the graph shown with every event kept."""

    def go(self, events: int) -> None:
        """Show the state after so many events of the run shown."""


class Pairs(FeaturePart):
    """Makes the two runs of a comparison."""

    def make_b(self, settings: RunSettings) -> None:
        """Run B beside the current run, and show both."""

    def make_pair(self, a: RunSettings, b: RunSettings) -> None:
        """Run A on the graph shown, B once A is over and proved, and show both."""


class DrawnGraph(FeaturePart):
    """Has a graph drawn by hand."""

    def give(self) -> None:
        """Make the drawing the window's graph."""


class Scheduler(FeaturePart):
    """Lets a person make every pop on the graph shown."""

    finished = pyqtSignal(object)  # the gpu.study.play.Score of a game that is over

    def open(self, *, beside: bool = False) -> None:
        """Show the game alone, or beside what is shown."""


class Opening(FeaturePart):
    """Shows something before anything was run."""

    def begin(self) -> bool:
        """Show it, in a window that has just been opened; return whether there is anything."""
        return False

    def open_sample(self, _key: str) -> bool:
        """Show what was made of a sample before; return whether there is anything."""
        return False


class Screen(FeaturePart):
    """Shows the bars of the simple screen; it is built with the window."""


@runtime_checkable
class Themed(Protocol):
    """A panel with colours of its own."""

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
