"""The docks around the graph: what they are called and where they stand.

A dock is there from the start, so that the window's remembered arrangement fits; what
it holds may come later (`fill`), with no change of size that one could see.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QDockWidget, QMainWindow, QTabWidget, QWidget

TITLES = {
    "run": "Run",
    "buckets": "Buckets",
    "delta": "Δ",
    "parallelism": "Parallelism",
    "work": "Work",
    "timeline": "Timeline",
}
WIDE = ("runs",)  # docks of features that stand under the graph where the window is tall
PLOTS = ("timeline", "buckets", "delta", "parallelism", "work")  # the order they are built in
SIDE = ("buckets", "delta", "parallelism", "work")  # top to bottom
SIDE_HEIGHTS = (4, 3, 4, 4)  # at first, relative
SIDE_SHARE = 0.34  # of the window's width, the plots at first
RUN_WIDTH = 290  # pixels, the Run panel at first
TIMELINE_HEIGHT = 112  # pixels
PLOT_SIZE = (200, 120)  # pixels, the least that a plot asks for
TALL = 940  # pixels: a lower window has its last two plots as tabs
LEFT, RIGHT = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea


class Docks:
    """The QDockWidgets of one window, by key."""

    def __init__(self, window: QMainWindow, more: Mapping[str, str] | None = None) -> None:
        self._window = window
        self.titles = {**TITLES, **(more or {})}
        self.extra = tuple(more or ())  # docks of features, hidden until asked for
        self.by_key: dict[str, QDockWidget] = {}
        window.setDockNestingEnabled(True)
        window.setCorner(Qt.Corner.BottomLeftCorner, LEFT)
        window.setCorner(Qt.Corner.BottomRightCorner, BOTTOM)
        window.setTabPosition(RIGHT, QTabWidget.TabPosition.North)
        for key, title in self.titles.items():
            dock = QDockWidget(title, window)
            dock.setObjectName(f"dock_{key}")
            window.addDockWidget(RIGHT, dock)
            self.by_key[key] = dock
            self.fill(key, _nothing_yet(key))
        for key in self.extra:
            self.by_key[key].hide()
        self.by_key["timeline"].setTitleBarWidget(QWidget())  # it needs the height, not a name

    def __getitem__(self, key: str) -> QDockWidget:
        return self.by_key[key]

    def fill(self, key: str, widget: QWidget) -> None:
        """Put a widget into a dock; what was there goes."""
        dock = self.by_key[key]
        before = dock.widget()
        dock.setWidget(widget)
        widget.setAccessibleName(self.titles[key])
        if before is not None:
            before.deleteLater()

    def arrange(self) -> None:
        """Stand as "Explore": Run left, plots right, the timeline under the picture."""
        window, docks = self._window, self.by_key
        for dock in docks.values():
            window.removeDockWidget(dock)
            dock.setFloating(False)
        window.addDockWidget(LEFT, docks["run"])
        window.addDockWidget(BOTTOM, docks["timeline"])
        side = [docks[key] for key in SIDE]
        window.addDockWidget(RIGHT, side[0])
        for above, below in pairwise(side):
            window.splitDockWidget(above, below, Qt.Orientation.Vertical)
        for key in TITLES:
            docks[key].show()
        for key in self.extra:
            if key in WIDE and window.height() >= TALL:
                window.addDockWidget(BOTTOM, docks[key])
                window.splitDockWidget(docks[key], docks["timeline"], Qt.Orientation.Vertical)
            else:
                window.addDockWidget(RIGHT, docks[key])
                window.tabifyDockWidget(side[0], docks[key])
            docks[key].hide()
        if window.height() < TALL:
            window.tabifyDockWidget(side[-2], side[-1])
            side[-2].raise_()
        self._give_sizes(side)

    def _give_sizes(self, side: list[QDockWidget]) -> None:
        window, run, timeline = self._window, self.by_key["run"], self.by_key["timeline"]
        across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        widths = [RUN_WIDTH, int(window.width() * SIDE_SHARE)]
        window.resizeDocks([run, side[0]], widths, across)
        window.resizeDocks(side, [100 * part for part in SIDE_HEIGHTS], down)
        window.resizeDocks([timeline], [TIMELINE_HEIGHT], down)


def _nothing_yet(key: str) -> QWidget:
    widget = QWidget()
    if key == "timeline":
        widget.setMinimumHeight(TIMELINE_HEIGHT)
    else:
        widget.setMinimumSize(*PLOT_SIZE)
    return widget
