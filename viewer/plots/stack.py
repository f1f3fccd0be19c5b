"""Plots that stand above each other share one time axis: the lowest has its numbers and its name.

Columns are found by place whenever a plot was moved, shown or hidden. All plots of a column leave
free on the right what one of them needs there (the ring), so that a moment is at the same x in
each. A panel that has words in place of its plot needs no axis.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

from PyQt6.QtCore import QEvent, QObject, QPoint
from PyQt6.QtWidgets import QDockWidget, QWidget

from viewer.common.later import later

if TYPE_CHECKING:
    from viewer.plots.plot_base import PlotPanel

MOVED = (
    QEvent.Type.Show,
    QEvent.Type.Hide,
    QEvent.Type.Move,
    QEvent.Type.Resize,
    QEvent.Type.ParentChange,
)


class Stack(QObject):
    """Says to each of its plots whether it has the axis of its column; see the module docstring."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._panels: list[PlotPanel] = []
        self._docks: list[QDockWidget] = []
        self._waits = False

    def add(self, panel: PlotPanel) -> None:
        """Look after a plot from now on."""
        self._panels.append(panel)
        panel.installEventFilter(self)
        panel.page_turned.connect(self._ask)
        self._ask()

    def eventFilter(self, a0: QObject | None, a1: QEvent | None) -> bool:
        """Look again once what moves stands still."""
        if a1 is not None and a1.type() in MOVED:
            self._ask()
        return False

    def share(self) -> None:
        """Give the axis of each column to its lowest plot."""
        self._waits = False
        columns: dict[tuple[QWidget | None, int, int], list[tuple[int, PlotPanel]]] = {}
        for panel in self._panels:
            self._watch_dock(panel)
            if not panel.isVisible() or panel.visibleRegion().isEmpty():
                continue
            window = panel.window()
            place = panel.mapTo(window, QPoint(0, 0))
            column = columns.setdefault((window, place.x(), panel.width()), [])
            column.append((place.y(), panel))
        for column in columns.values():
            beside = max(panel.room_beside() for _, panel in column)
            drawn = [one for one in column if one[1].has_plot]  # words need no axis
            _, lowest = max(drawn or column, key=itemgetter(0))
            for _, panel in column:
                panel.share_axis(panel is not lowest, beside)

    def _ask(self) -> None:
        if not self._waits:
            self._waits = True
            later(self, self.share)

    def _watch_dock(self, panel: PlotPanel) -> None:
        above = panel.parentWidget()
        while above is not None and not isinstance(above, QDockWidget):
            above = above.parentWidget()
        if above is not None and above not in self._docks:
            self._docks.append(above)
            above.installEventFilter(self)
