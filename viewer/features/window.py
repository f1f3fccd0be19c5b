"""What a feature may use of the window: a protocol, so that imports run one way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from PyQt6.QtWidgets import QWidget

    from viewer.actions import ActionSet
    from viewer.common.theme import Theme
    from viewer.controller import Controller
    from viewer.docks import Docks
    from viewer.features import Features
    from viewer.frame.file_dialogs import FileDialogs
    from viewer.frame.notice_bar import NoticeBar
    from viewer.frame.run_panel import RunPanel
    from viewer.frame.status_bar import StatusBar
    from viewer.graph.view import GraphView
    from viewer.models.playback import PlaybackModel
    from viewer.models.session import SessionModel
    from viewer.models.settings import Settings


class Window(Protocol):
    """The main window as features see it; it is also the QMainWindow (`as_widget`)."""

    session: SessionModel
    playback: PlaybackModel
    controller: Controller
    settings: Settings
    theme: Theme
    files: FileDialogs
    actions_by_key: ActionSet
    features: Features
    docks: Docks
    graph_view: GraphView
    run_panel: RunPanel
    status_bar: StatusBar
    notice_bar: NoticeBar
    plots: dict[str, Any]

    def as_widget(self) -> QWidget:
        """Return the window itself, as parent of dialogs."""

    def build_plots(self) -> None:
        """Build now the plots that are not built yet."""

    def show_dock(self, key: str) -> QWidget:
        """Show a dock, in front, filled; return its panel."""

    def enable_actions(self) -> None:
        """Ask again which actions can be used (a feature's `needs` changed)."""

    def start_run(self) -> None:
        """Run what the Run panel says."""

    def set_theme(self, name: str) -> None:
        """Put a theme on everything, and remember it."""

    def choose_theme(self, name: str) -> None:
        """Put on the theme that a person chose; docks make room for its text."""

    def open_path(self, path: str, options: dict[str, Any] | None = None) -> None:
        """Open a file, read by options of `gpu.load_graph`, or "sample:..."."""
