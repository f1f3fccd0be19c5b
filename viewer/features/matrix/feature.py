"""The all-pairs feature at work: one model for matrix, graph and table.

A click in the graph chooses the row (it sets the session's source, which a matrix follows);
Shift+click, which shows the path, chooses the column. A cell chosen in the matrix shows its path
in the graph. The panel comes up by itself with the first run that has a matrix.
"""

from __future__ import annotations

from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QWidget

from viewer.common.later import once
from viewer.feature import FeaturePart, Window
from viewer.features.matrix.panel import MatrixPanel
from viewer.models.matrix import MatrixModel
from viewer.models.session import RunRecord

PATH_AFTER_MS = 120  # while an arrow key is held, no path is looked for


class MatrixFeature(FeaturePart):
    """Owns the matrix model; makes the panel."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.model = MatrixModel(window.session, self)
        self.panel: MatrixPanel | None = None
        self._came_up = False
        self._path = once(self, self._show_path, PATH_AFTER_MS)
        window.graph_view.target_requested.connect(self._take_target)
        window.session.current_changed.connect(self._take_current)
        self.model.cell_changed.connect(self._path.start)
        self._take_current(window.session.current)

    def make_panel(self, _dock: str) -> QWidget:
        """Return the panel."""
        self.panel = MatrixPanel(self._window.session, self._window.playback, self.model)
        return self.panel

    def needs(self) -> dict[str, bool]:
        """Say whether there is a matrix."""
        return {"matrix": self.model.record is not None}

    def close(self) -> None:
        """The window closes."""
        self._path.stop()
        if self.panel is not None:
            self.panel.canvas.look.close()

    # --- the models change

    def _take_current(self, record: RunRecord | None) -> None:
        if record is None or not record.is_matrix:
            return
        quiet = self._window.modes.presenting or self._window.docks.arrangement == "lesson"
        if not self._came_up and not quiet:
            self._came_up = True
            QTimer.singleShot(0, self._come_up)

    def _come_up(self) -> None:
        if self.model.record is not None:
            self._window.show_dock("matrix")

    def _take_target(self, vertex: int) -> None:
        """A path to a vertex was asked for in the graph: that is the column."""
        if self.model.record is not None:
            self.model.choose_column(vertex)

    def _show_path(self) -> None:
        if self.model.record is not None and self.model.column >= 0:
            self._window.graph_view.trace_path(self.model.column)


install = MatrixFeature
