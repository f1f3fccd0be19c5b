"""The docks around the graph: their titles, and the arrangements in which they stand.

A dock exists from the start, so that the window's saved state fits; its panel comes later (`fill`).
The Run panel and lessons stand left, the timeline, the table of runs and the code under the graph,
everything else right. An arrangement names the docks that it shows:

    simple       graph | the three plots that make the point; bars of its own (`features/simple.py`)
    explore      Run | graph, timeline | every plot: all controls
    compare      graph, runs, timeline | every plot

A feature gathers the docks that it needs (`gather`). A panel opened beside an arrangement is a tab
of the uppermost cell of its side, which is high while the panel is shown.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from functools import partial

from PyQt6.QtCore import QByteArray, QEvent, QObject, QSize, Qt, pyqtSignal
from PyQt6.QtWidgets import QAbstractButton, QDockWidget, QMainWindow, QTabBar, QTabWidget, QWidget

from viewer.common.later import later, once
from viewer.common.text_size import scaled

TITLES = {
    "run": "Run",
    "buckets": "Buckets",
    "delta": "Δ",
    "parallelism": "Parallelism",
    "work": "Work",
    "timeline": "Timeline",
}
PLOTS = ("timeline", "buckets", "delta", "parallelism", "work")  # the order they are built in
LEFT, RIGHT = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea
SIDES = {"run": LEFT, "lesson": LEFT, "runs": BOTTOM, "code": BOTTOM, "timeline": BOTTOM}
ACROSS, DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
LEFT_SHARE, LOW_SHARE = 0.24, 0.3  # of the window, at most: the left side, a dock under the graph
PLOTS_SHARE, PANEL_SHARE = 0.34, 0.5  # of what is left of its width: plots, or a feature's panel
PANEL_HEIGHT = 12  # of a cell with a feature's panel, where a plot has 4
LOW = ("notes",)  # panels of a few lines: as high as a plot
WHOLE_TABS = 3  # tabs whose names there is room for; arrows bring more into view
LEAST_PLOT = (160, 40)  # pixels, before a plot is built
CELL = 165  # pixels at the reference text size: the least height of a plot that is no tab
SIMPLE_CELL = 110  # the same, on the simple screen: three plots make the point
BARS = 80  # pixels, the same: menu, toolbar and status bar
HERE = Qt.FindChildOption.FindDirectChildrenOnly
PEACE_MS = 200  # without a new size: a person has let go of an edge
STATE_VERSION = 3  # raise when docks are rearranged
SIMPLE, EXPLORE, COMPARE = "simple", "explore", "compare"
FIRST = SIMPLE
ARRANGEMENTS: dict[str, tuple[str, ...]] = {
    SIMPLE: ("buckets", "delta", "parallelism"),
    EXPLORE: ("run", "buckets", "delta", "parallelism", "work", "timeline"),
    COMPARE: ("parallelism", "work", "delta", "buckets", "runs", "timeline"),
}

ICONS = {QEvent.Type.Enter, QEvent.Type.Leave, QEvent.Type.StyleChange, QEvent.Type.Show}


class Docks(QObject):
    """The QDockWidgets of one window, by key, and the arrangement in which they stand."""

    chosen = pyqtSignal(str)  # an arrangement that was asked for stands
    named = pyqtSignal(str)  # which arrangement this is

    def __init__(self, window: QMainWindow, more: Mapping[str, str] | None = None) -> None:
        super().__init__(window)
        self._window = window
        self.titles = {**TITLES, **(more or {})}
        self.extra = tuple(more or ())  # docks of features, hidden until asked for
        self._order = list(self.extra)  # the one shown last is the last
        self.asked: set[str] = set()  # panels opened by hand over the arrangement that stands
        self.by_key: dict[str, QDockWidget] = {}
        self.arrangement = self.base = FIRST  # base: the last one of ARRANGEMENTS
        self._gathered: dict[str, tuple[str, ...]] = {}  # by features: name, docks
        self._kept: dict[str, QByteArray] = {}  # how an arrangement stood when it was left
        self._peace = once(self, self._keep_share, PEACE_MS)
        self._width, self._share = 0, 0.0  # at peace: of the window; of its right side, 0: unknown
        self._gave = False  # the right side has its share back, as far as it goes
        window.installEventFilter(self)
        window.setDockNestingEnabled(True)
        window.setAnimated(False)  # each change of arrangement would make twenty animations
        window.setCorner(Qt.Corner.BottomLeftCorner, LEFT)
        for area in (LEFT, RIGHT):
            window.setTabPosition(area, QTabWidget.TabPosition.North)
        for key, title in self.titles.items():
            self._make(key, title)
        for key in self.extra:
            self.by_key[key].hide()
            self.by_key[key].visibilityChanged.connect(partial(self._close_soon, key))
        self.by_key["timeline"].setTitleBarWidget(QWidget())  # it needs the height, not a name

    def _make(self, key: str, title: str) -> None:
        dock = self.by_key[key] = QDockWidget(title, self._window)
        dock.setObjectName(f"dock_{key}")
        self._window.addDockWidget(_side(key), dock)
        dock.installEventFilter(self)
        dock.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        nothing = QWidget()
        nothing.setMinimumSize(*LEAST_PLOT)
        self.fill(key, nothing)

    def __getitem__(self, key: str) -> QDockWidget:
        return self.by_key[key]

    @property
    def version(self) -> int:
        """For saveState: other docks, or another STATE_VERSION, are another number."""
        names = ",".join(sorted(self.by_key)).encode()
        return STATE_VERSION << 16 | zlib.crc32(names) & 0xFFFF

    def fill(self, key: str, widget: QWidget) -> None:
        """Put a widget into a dock; the widget before it is deleted."""
        dock = self.by_key[key]
        before = dock.widget()
        dock.setWidget(widget)
        widget.setAccessibleName(self.titles[key])
        if before is not None:
            before.deleteLater()

    # --- arrangements

    def choose(self, name: str) -> None:
        """Put up an arrangement that was asked for, or the last lasting one if that is gone."""
        if self.arrangement in ARRANGEMENTS:
            self._kept[self.arrangement] = self._window.saveState(self.version)
        self.asked.clear()
        self.arrange(name)
        self.mark(self.arrangement)
        self.chosen.emit(self.arrangement)

    def gather(self, name: str, keys: tuple[str, ...]) -> None:
        """Show the docks that a feature needs and no others, under a name of its own."""
        self._gathered[name] = keys
        self.choose(name)

    def back(self) -> None:
        """Leave what a feature gathered; else the panel shown last, else all controls."""
        if self.arrangement not in ARRANGEMENTS:
            self.return_to(self.base)
        elif not self.close_last(self.extra) and self.arrangement == EXPLORE:
            self.toggle_controls(False)

    @property
    def beside(self) -> list[str]:
        """The panels opened beside what the arrangement shows, the last one last."""
        shown = self._shown()
        return [key for key in self._order if key not in shown and not self[key].isHidden()]

    def close_last(self, keys: Iterable[str]) -> bool:
        """Close the panel, of these, that was opened last; return whether there was one."""
        opened = [key for key in self.beside if key in keys]
        for key in opened[-1:]:
            self[key].close()
        return bool(opened)

    def return_to(self, name: str) -> None:
        """Put up an arrangement as it was left, with the panels that were opened beside it."""
        self.choose(name)
        if self.arrangement in self._kept:
            self._window.restoreState(self._kept[self.arrangement], self.version)
            self.named.emit(self.arrangement)

    def has(self, name: str) -> bool:
        """Whether there is an arrangement of that name."""
        return name in ARRANGEMENTS or name in self._gathered

    def forget(self, name: str) -> None:
        """Do not go back to what a feature gathered: it shows nothing any more."""
        self._gathered.pop(name, None)

    def toggle_controls(self, shown: bool) -> None:
        """Show all controls, or the simple screen; each stands as it was left."""
        self.return_to(EXPLORE if shown else SIMPLE)

    def reset(self) -> None:
        """Put every dock back where the arrangement has it; floating ones too."""
        self.choose(self.arrangement)

    def mark(self, name: str) -> None:
        """Say which arrangement this is."""
        self.arrangement = name
        self._share = 0.0
        if name in ARRANGEMENTS:
            self.base = name
        self.named.emit(name)
        later(self, self._hide_ghosts)  # whoever restores a state marks it first

    def arrange(self, name: str = FIRST) -> None:
        """Stand as an arrangement says; as the last lasting one if there is none of that name."""
        self.arrangement = name if self.has(name) else self.base
        size = self._window.size()
        for dock in self.by_key.values():
            dock.setFloating(False)  # before it is removed: a removed dock stays afloat
            self._window.removeDockWidget(dock)
        across = "code" in self._shown()  # its lines are long
        self._window.setCorner(Qt.Corner.BottomRightCorner, BOTTOM if across else RIGHT)
        for side in (LEFT, BOTTOM, RIGHT):
            self._stack(side)
        self._keep_size(size)
        self._give_widths()
        self._give_heights()
        later(self, self._hide_ghosts)

    def _shown(self) -> list[str]:
        keys = ARRANGEMENTS.get(self.arrangement) or self._gathered[self.arrangement]
        return [key for key in keys if key in self.by_key]

    def _cells(self, side: Qt.DockWidgetArea) -> list[list[str]]:
        """Return what an arrangement shows on a side: cells of tabs, top to bottom."""
        keys = [key for key in self._shown() if _side(key) == side]
        if side == LEFT:
            return [keys] if keys else []
        cells = [[key] for key in keys]
        least = SIMPLE_CELL if self.arrangement == SIMPLE else CELL
        room = max((self._window.height() - scaled(BARS)) // scaled(least), 1)
        while side == RIGHT and len(cells) > room:
            last = cells.pop()
            cells[-1] += last
        return cells

    def _stack(self, side: Qt.DockWidgetArea) -> None:
        """Put the cells of a side below each other; hidden docks wait where they will come up."""
        window, docks, cells, shown = self._window, self.by_key, self._cells(side), self._shown()
        waiting = [key for key in docks if _side(key) == side and key not in shown]
        if side == BOTTOM:
            cells = [*([key] for key in waiting), *cells]
        elif cells:
            cells = [[*cells[0], *waiting], *cells[1:]]
        else:
            cells = [waiting]
        for cell in cells:
            for place, key in enumerate(cell):
                if place:
                    window.tabifyDockWidget(docks[cell[0]], docks[key])
                else:
                    window.addDockWidget(side, docks[key], DOWN)
                docks[key].setVisible(key in shown)
            docks[cell[0]].raise_()

    def _first(self, side: Qt.DockWidgetArea) -> list[QDockWidget]:
        """Return a dock of each cell that an arrangement shows on a side."""
        docks = [self.by_key[cell[0]] for cell in self._cells(side)]
        return [dock for dock in docks if not (dock.isHidden() or dock.isFloating())]

    def _give_widths(self) -> None:
        left, right, wide = self._first(LEFT), self._first(RIGHT)[:1], self._window.width()
        widths = [min(int(LEFT_SHARE * wide), dock.sizeHint().width()) for dock in left]
        gathered = any(key in self.extra and _side(key) == RIGHT for key in self._shown())
        share = PANEL_SHARE if gathered else PLOTS_SHARE
        widths += [int(share * (wide - sum(widths))) for _ in right]
        self._window.resizeDocks([*left, *right], widths, ACROSS)

    def _give_heights(self) -> None:
        right = self._first(RIGHT)
        low = [key for key, dock in self.by_key.items() if _side(key) == BOTTOM]
        low = [key for key in low if not (self[key].isHidden() or self[key].isFloating())]
        heights = [4] * len(right[1:]) + [5] * len(right[:1])  # the lowest plot has the time axis
        panels = [self.by_key[key] for key in self.extra if _side(key) == RIGHT and key not in LOW]
        tabs = self._window.tabifiedDockWidgets(right[0]) if right else []
        if any(not panel.isHidden() for panel in panels if panel in tabs):
            heights[0] = PANEL_HEIGHT
        self._window.resizeDocks(right, heights, DOWN)
        most = int(LOW_SHARE * self._window.height())
        heights = [most if key in self.extra else self[key].sizeHint().height() for key in low]
        self._window.resizeDocks([self[key] for key in low], heights, DOWN)

    # --- one panel

    def is_in_front(self, key: str) -> bool:
        """Whether a dock is seen: of tabs, the one on top."""
        return self.by_key[key].isVisible() and not self.by_key[key].visibleRegion().isEmpty()

    def show(self, key: str) -> None:
        """Show a dock in front."""
        dock, size = self.by_key[key], self._window.size()
        dock.show()
        dock.raise_()
        self._order.sort(key=key.__eq__)  # it goes to the end, the others stay
        self._give_heights()
        self._keep_size(size)
        later(self, partial(self._keep_size, size))  # and when tab bars stand
        later(self, self._hide_ghosts)

    def _close_soon(self, key: str, visible: bool) -> None:
        """Deal the heights again when a panel was closed, not when another tab is in front."""
        if not visible and self.by_key[key].isHidden():
            later(self, self._give_heights)

    # --- sizes, and what Qt leaves behind

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Hear of new sizes of the window and its docks, and of the pointer over a dock."""
        if event is not None and event.type() == QEvent.Type.Resize:
            self._peace.start()
        if isinstance(watched, QDockWidget) and event is not None and event.type() in ICONS:
            later(self, partial(self._show_icons, watched))
        return super().eventFilter(watched, event)

    def _show_icons(self, dock: QDockWidget) -> None:
        """Show a dock's icons while the pointer is over it; the simple screen's plots have none."""
        plain = ARRANGEMENTS[SIMPLE] if self.arrangement == SIMPLE else ()
        shown = dock.underMouse() and all(dock is not self.by_key[key] for key in plain)
        for icon in dock.findChildren(QAbstractButton, options=HERE):
            icon.setVisible(shown)

    def _keep_share(self) -> None:
        """Give the right side its share of the width back: Qt gives the graph every change."""
        now, before = self._window.width(), self._width
        sides = {key: dock for key, dock in self.by_key.items() if not dock.isFloating()}
        right = [sides[key] for key in sides if _side(key) == RIGHT and self.is_in_front(key)][:1]
        if not right:
            return
        moves = bool(self._share) and before != now
        if moves:
            self._window.resizeDocks(right, [round(self._share * now)], ACROSS)
            self._peace.start()  # a small window gives less: that is no new share
        elif not self._gave:
            self._share = right[0].width() / now
        self._width, self._gave = now, moves

    def _hide_ghosts(self) -> None:
        """Hide the tab bars that Qt keeps for docks that are no tabs any more."""
        real = set()
        for dock in self.by_key.values():
            tabs = self._window.tabifiedDockWidgets(dock)
            real.add(frozenset(one.windowTitle() for one in (dock, *tabs)))
        for bar in self._window.findChildren(QTabBar, options=HERE):
            titles = frozenset(bar.tabText(tab) for tab in range(bar.count()))
            if bar.count() > WHOLE_TABS and bar.elideMode() != Qt.TextElideMode.ElideNone:
                bar.setElideMode(Qt.TextElideMode.ElideNone)
            if bar.count() < 2 or titles not in real:
                bar.hide()

    def _keep_size(self, size: QSize) -> None:
        """Give the window its size back: on the way, docks may have needed more together."""
        inner = self._window.layout()
        if self._window.size() != size and inner is not None:
            inner.activate()
            self._window.resize(size)


def _side(key: str) -> Qt.DockWidgetArea:
    return SIDES.get(key, RIGHT)
