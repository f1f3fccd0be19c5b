"""The docks around the graph: what they are called and where they stand.

A dock is there from the start, so that the window's remembered arrangement fits; what
it holds may come later (`fill`), with no change of size that one could see.

A named arrangement (`Arrangement`) is data: what stands left, right and under the graph, and
how much of the window it takes. Arrangements name docks of features too, and one that is not
there is left out. The cells of a side are as many as fit: from the bottom, what does not fit
becomes tabs of the cell above. Docks that an arrangement does not show wait as tabs of the right
side's first cell, wide ones under the graph; when one is shown (`show`), it is given the height
that it needs, if need be by making tabs of the cells below; when it is closed again, the others
stand as before, unless a person has moved one meanwhile. When the window gets another size, docks
keep their share of it, arranged or dragged.

    Explore      Run | graph, timeline | every plot
    Compare      graph, runs, timeline | what differs
    Lesson       lesson | graph, timeline | buckets and Δ
    Present      graph, one plot, timeline
    All pairs    Run | graph, timeline | the matrix of distances, as high as the window
    Microscope   graph | workers and buckets, the code under both
    Sweep        graph, timeline | time and work against Δ, as high as the window
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from PyQt6.QtCore import QByteArray, QEvent, QObject, QSize, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QDockWidget, QMainWindow, QTabBar, QTabWidget, QWidget

from viewer.common.later import later
from viewer.common.text_size import scaled
from viewer.models.settings import STATE_VERSION

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
RUN_WIDTH = 300  # pixels, the Run panel at first (all lengths: at the reference text size)
LEFT_SHARE = 0.32  # of the window's width, the left side at most
TIMELINE_HEIGHT = 112
PLOT_SHARE = 0.24  # of the window's height: a plot under the graph
RUNS_HEIGHT, RUNS_SHARE = 128, 0.16  # at least; of the window's height
CODE_HEIGHT, CODE_SHARE = 170, 0.30
PLOT_SIZE = (200, 96)  # pixels, whatever the text: the least that a plot asks for
TITLE = 25  # height of a dock's title
CELL = 132  # the least height of a plot that is worth a cell of its own, title included
LEAST_CELL = 100  # two cells lower than this are one with tabs: text is large
ROOMY = 165  # of the others, beside a panel that was just shown and is large
AXIS = 28  # what the lowest plot of a column needs more: the numbers of time and their name
USEFUL, USEFUL_SHARE = 340, 0.36  # height that a feature's panel wants when it is shown
PEACE_MS = 200  # without a new size: the window and its docks are as large as they shall be
BARS = 96  # menu, toolbar and status bar
TALL = 940  # a lower window shows the table of runs as a tab
LOW = 540  # in a lower one it waits as a tab, also where it stands under the graph: text is large
LEFT, RIGHT = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea
ACROSS, DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical


@dataclass(frozen=True)
class Arrangement:
    """One arrangement; docks by key.

    left : tabs, the first in front; width `left_width` pixels
    right : cells, top to bottom; `parts` their heights, relative; `share` of the window's width
    bottom : cells under the graph, top to bottom; heights by `heights`, pixels
    at_start : off where it shows what a start does not bring back: events, a lesson
    """

    title: str
    tip: str
    left: tuple[str, ...]
    right: tuple[str, ...]
    parts: tuple[int, ...]
    share: float
    bottom: tuple[str, ...] = ("timeline",)
    left_width: int = RUN_WIDTH
    whole_right: bool = False  # the right side goes down to the status bar
    at_start: bool = True  # it is put up again at the next start

    @property
    def docks(self) -> frozenset[str]:
        """Every dock that it shows."""
        return frozenset((*self.left, *self.right, *self.bottom))


ARRANGEMENTS: dict[str, Arrangement] = {
    "explore": Arrangement(
        "Explore",
        "Every plot beside the graph, and what to run",
        ("run",),
        ("buckets", "delta", "parallelism", "work"),
        (4, 3, 4, 4),
        0.34,
    ),
    "compare": Arrangement(
        "Compare",
        "Two runs: their maps, the table of runs, the plots that differ",
        (),
        ("parallelism", "work", "delta", "buckets"),
        (4, 4, 3, 4),
        0.38,
        ("runs", "timeline"),
        whole_right=True,
    ),
    "lesson": Arrangement(
        "Lesson",
        "Room for a lesson beside the graph, with buckets and Δ",
        ("lesson", "run"),
        ("buckets", "delta"),
        (4, 3),
        0.30,
        left_width=380,
        whole_right=True,
        at_start=False,
    ),
    "present": Arrangement(
        "Present",
        "A large graph, one plot and the timeline",
        (),
        (),
        (),
        0.30,
        ("parallelism", "timeline"),
    ),
    "pairs": Arrangement(
        "All pairs",
        "The matrix of all pairs, large, beside the graph",
        ("run",),
        ("matrix",),
        (1,),
        0.36,
        whole_right=True,
    ),
    "microscope": Arrangement(
        "Microscope",
        "Every event: workers and buckets beside the graph, the code below both",
        (),
        ("microscope",),
        (1,),
        0.48,
        ("code",),
        at_start=False,
    ),
    "sweep": Arrangement(
        "Sweep",
        "Time and work against Δ, large, beside the graph",
        (),
        ("sweep",),
        (1,),
        0.54,
        whole_right=True,
    ),
}
FIRST = "explore"


def need(key: str) -> str:
    """Return the state of `Action.needs`: the docks of this arrangement are there."""
    return f"docks_of_{key}"


class Docks(QObject):
    """The QDockWidgets of one window, by key, and which arrangement they stand in."""

    chosen = pyqtSignal(str)  # it stands
    named = pyqtSignal(str)  # which arrangement this is

    def __init__(self, window: QMainWindow, more: Mapping[str, str] | None = None) -> None:
        super().__init__(window)
        self._window = window
        self.titles = {**TITLES, **(more or {})}
        self.extra = tuple(more or ())  # docks of features, hidden until asked for
        self.by_key: dict[str, QDockWidget] = {}
        self.arrangement = FIRST
        self.over: set[str] = set()  # arrangements that nobody wants back: a lesson's after it
        self._arranged: tuple[list[list[str]], dict[str, object]] = ([], {})
        self._made_room: dict[str, tuple[QByteArray, dict[str, object]]] = {}  # before, after
        self._settled: tuple[QSize, dict[str, QSize]] | None = None  # window and docks, in peace
        self._peace = QTimer(window)
        self._peace.setSingleShot(True)
        self._peace.setInterval(PEACE_MS)
        self._peace.timeout.connect(self._settle)
        window.installEventFilter(self)
        self._ghosts = QTimer(window)
        self._ghosts.setSingleShot(True)
        self._ghosts.setInterval(0)
        self._ghosts.timeout.connect(self._hide_ghosts)
        window.setDockNestingEnabled(True)
        window.setAnimated(False)  # each change of arrangement would make twenty animations
        window.setCorner(Qt.Corner.BottomLeftCorner, LEFT)
        for area in (LEFT, RIGHT):
            window.setTabPosition(area, QTabWidget.TabPosition.North)
        for key, title in self.titles.items():
            dock = QDockWidget(title, window)
            dock.setObjectName(f"dock_{key}")
            window.addDockWidget(RIGHT, dock)
            self.by_key[key] = dock
            dock.installEventFilter(self)
            self.fill(key, _nothing_yet(key))
        for key in self.extra:
            self.by_key[key].hide()
            self.by_key[key].visibilityChanged.connect(partial(self._close_soon, key))
        self.by_key["timeline"].setTitleBarWidget(QWidget())  # it needs the height, not a name

    def __getitem__(self, key: str) -> QDockWidget:
        return self.by_key[key]

    @property
    def version(self) -> int:
        """For saveState: another set of docks, or another STATE_VERSION, is another number."""
        names = ",".join(sorted(self.by_key)).encode()
        return STATE_VERSION << 16 | zlib.crc32(names) & 0xFFFF

    def fill(self, key: str, widget: QWidget) -> None:
        """Put a widget into a dock; what was there goes."""
        dock = self.by_key[key]
        before = dock.widget()
        dock.setWidget(widget)
        widget.setAccessibleName(self.titles[key])
        if before is not None:
            before.deleteLater()

    def arrange(self, name: str = FIRST) -> None:
        """Stand as a named arrangement says; as the first one where there is none such."""
        self.arrangement = name = name if name in ARRANGEMENTS else FIRST
        self._made_room.clear()
        self._settled = None
        plan, docks, size = ARRANGEMENTS[name], self.by_key, self._window.size()
        corner = RIGHT if plan.whole_right else BOTTOM
        self._window.setCorner(Qt.Corner.BottomRightCorner, corner)
        for dock in docks.values():
            self._window.removeDockWidget(dock)
            dock.setFloating(False)
        left = self._stack(LEFT, [[key for key in plan.left if key in docks]])
        bottom = self._stack(BOTTOM, [[key] for key in self._under(plan)])
        right = self._stack(RIGHT, self._cells(plan))
        shown = {key for cell in (*left, *right) for key in cell} | set(plan.bottom)
        shown -= {key for key in WIDE if [key] not in bottom and [key] not in right}
        waiting = [key for key in docks if key not in shown]
        for key in waiting:
            if [key] not in bottom:
                self._put_aside(key, right)
        for cell in (*left, *bottom, *right):
            docks[cell[0]].raise_()
        for key in waiting:
            docks[key].hide()
        self._keep_size(size)
        self._give_sizes(plan, left, bottom, [cell for cell in right if cell[0] in shown])
        self._ghosts.start()  # Qt has set its tab bars up by then
        self._arranged = self._cells(plan), self._standing()

    def needs(self) -> dict[str, bool]:
        """Say which arrangements have their docks: a feature may have been taken away."""
        return {need(key): row.docks <= self.by_key.keys() for key, row in ARRANGEMENTS.items()}

    def choose(self, name: str) -> None:
        """Put up what a person chose, as designed."""
        self.arrange(name)
        self.mark(self.arrangement)
        self.chosen.emit(self.arrangement)

    def go_back(self, name: str) -> None:
        """Put up what stood here before, or the first arrangement where its time is over."""
        self.choose(FIRST if name in self.over else name)

    def mark(self, name: str) -> None:
        """Say which arrangement this is."""
        self.arrangement = name
        self.named.emit(name)

    def reset(self) -> None:
        """Put every dock back where the arrangement has it."""
        self.choose(self.arrangement)

    def refit(self) -> None:
        """Text has another size: share the plots among the cells that have room for it now.

        Only where docks stand as the arrangement put them; what a person moved stays.
        """
        cells, standing = self._arranged
        if standing == self._standing() and cells != self._cells(ARRANGEMENTS[self.arrangement]):
            self.arrange(self.arrangement)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Hear of new sizes of the window and of its docks."""
        if event is not None and event.type() == QEvent.Type.Resize:
            self._peace.start()
        return super().eventFilter(watched, event)

    def _settle(self) -> None:
        """Sizes have come to rest: of a window that grew or shrank, docks keep their shares.

        Qt gives the graph all that a window grows by, and takes from it alone what it shrinks by.
        """
        window, before = self._window, self._settled
        if not window.isVisible() or window.isMinimized():
            return
        if before is not None and before[0] != window.size():
            self._keep_shares(*before)
        docked = (key for key, dock in self.by_key.items() if not dock.isFloating())
        self._settled = window.size(), {key: self.by_key[key].size() for key in docked}

    def _keep_shares(self, was: QSize, sizes: dict[str, QSize]) -> None:
        """Give the right side its share of the window's width, wide docks theirs of its height."""
        window, size = self._window, self._window.size()
        seen = [key for key, dock in self.by_key.items() if key in sizes and self.is_in_front(key)]
        right = [key for key in seen if window.dockWidgetArea(self.by_key[key]) == RIGHT]
        low = [key for key in seen if window.dockWidgetArea(self.by_key[key]) == BOTTOM]
        for key in right[:1]:
            wide = round(sizes[key].width() * size.width() / was.width())
            window.resizeDocks([self.by_key[key]], [wide], ACROSS)
        if low and low != ["timeline"]:
            share = size.height() / was.height()
            high = [sizes[key].height() * (1 if key == "timeline" else share) for key in low]
            window.resizeDocks([self.by_key[key] for key in low], [round(h) for h in high], DOWN)

    def _standing(self, without: str = "") -> dict[str, object]:
        """Return where each dock is, and with which others, whatever its size; one left out."""
        window, left_out = self._window, {f"dock_{without}"}
        return {
            key: (
                window.dockWidgetArea(dock),
                dock.isFloating(),
                dock.isHidden(),
                {other.objectName() for other in window.tabifiedDockWidgets(dock)} - left_out,
            )
            for key, dock in self.by_key.items()
            if key != without
        }

    def _hide_ghosts(self) -> None:
        """Hide tab bars that no cell has any more: Qt forgets some of a cell that was taken apart.

        Of several with the tabs of one cell, the newest is its own.
        """
        cells: set[frozenset[str]] = set()
        for dock in self.by_key.values():
            tabs = [dock, *self._window.tabifiedDockWidgets(dock)]
            shown = frozenset(tab.windowTitle() for tab in tabs if not tab.isHidden())
            if len(shown) > 1:
                cells.add(shown)
        here = Qt.FindChildOption.FindDirectChildrenOnly
        for bar in reversed(self._window.findChildren(QTabBar, options=here)):
            tabs_of_it = frozenset(bar.tabText(place) for place in range(bar.count()))
            if tabs_of_it in cells:
                cells.remove(tabs_of_it)
            else:
                bar.hide()

    def _stay(self, size: QSize) -> None:
        """Keep the window's size while Qt lays docks anew: at once, and when tab bars stand."""
        self._keep_size(size)
        later(self, partial(self._keep_size, size))

    def _keep_size(self, size: QSize) -> None:
        """Give the window its size back: on the way, docks may have needed more together."""
        inner = self._window.layout()
        if self._window.size() != size and inner is not None:
            inner.activate()
            self._window.resize(size)

    def _under(self, plan: Arrangement) -> list[str]:
        """Return what stands under the graph; wide docks wait above the timeline, with room."""
        low = self._window.height() < scaled(LOW)
        keys = [key for key in plan.bottom if key in self.by_key and not (low and key in WIDE)]
        if self._window.height() >= scaled(TALL):
            keys[-1:-1] = [key for key in WIDE if key in self.by_key and key not in keys]
        return keys

    def _cells(self, plan: Arrangement) -> list[list[str]]:
        """Share the right side's plots among as many cells as its height has room for."""
        height = self._right_height(plan)
        keys = [key for key in plan.right if key in self.by_key]
        least = 2 if height >= 2 * scaled(LEAST_CELL) else 1
        room = max(least, height // scaled(CELL))
        cells = [[key] for key in keys]
        while len(cells) > room:
            last = cells.pop()
            cells[-1] += last
        return cells

    def _right_height(self, plan: Arrangement) -> int:
        below = 0 if plan.whole_right else scaled(TIMELINE_HEIGHT)
        return self._window.height() - scaled(BARS) - below

    def _stack(self, area: Qt.DockWidgetArea, cells: list[list[str]]) -> list[list[str]]:
        """Put cells of tabs below each other; return those that hold anything."""
        cells = [cell for cell in cells if cell]
        docks = self.by_key
        for place, cell in enumerate(cells):
            if place == 0:
                self._window.addDockWidget(area, docks[cell[0]])
            else:
                self._window.splitDockWidget(docks[cells[place - 1][0]], docks[cell[0]], DOWN)
            docks[cell[0]].show()  # now: Qt splits beside a hidden one as it likes
        for cell in cells:
            for key in cell:
                docks[key].show()
            for before, key in pairwise(cell):
                self._window.tabifyDockWidget(docks[before], docks[key])
        return cells

    def _put_aside(self, key: str, right: list[list[str]]) -> None:
        """Let a hidden dock wait where it will come up; on an empty right side it begins one."""
        dock, docks = self.by_key[key], self.by_key
        if key == "run":
            self._window.addDockWidget(LEFT, dock)
        else:
            self._window.addDockWidget(RIGHT, dock)
            if right:
                self._window.tabifyDockWidget(docks[right[0][0]], dock)
            else:
                right.append([key])

    def _give_sizes(self, plan: Arrangement, *areas: list[list[str]]) -> None:
        window, docks = self._window, self.by_key
        left, bottom, right = ([docks[cell[0]] for cell in cells] for cells in areas)
        most = int(LEFT_SHARE * window.width())
        widths = [min(scaled(plan.left_width), most)] * len(left)
        widths += [int(window.width() * plan.share)] * len(right[:1])
        window.resizeDocks([*left, *right[:1]], widths, ACROSS)
        parts = [plan.parts[plan.right.index(cell[0])] for cell in areas[2]]
        axis = scaled(AXIS) if len(parts) > 1 else 0
        unit = max(self._right_height(plan) - axis, 1) / max(sum(parts), 1)
        high = [int(unit * part) for part in parts]
        window.resizeDocks(right, [*high[:-1], *(last + axis for last in high[-1:])], DOWN)
        runs = max(scaled(RUNS_HEIGHT), int(RUNS_SHARE * window.height()))
        code = max(scaled(CODE_HEIGHT), int(CODE_SHARE * window.height()))
        heights = {"timeline": scaled(TIMELINE_HEIGHT), "runs": runs, "code": code}
        plot = max(scaled(PLOT_SIZE[1] + TITLE), int(PLOT_SHARE * window.height()))
        wanted = [heights.get(cell[0], plot) for cell in areas[1]]
        window.resizeDocks(bottom, wanted, DOWN)

    def offer(self, key: str, action: QAction) -> None:
        """Have an action in the menu of a dock, which the right button opens."""
        self.by_key[key].addAction(action)
        self.by_key[key].setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def is_in_front(self, key: str) -> bool:
        """Whether a dock is seen: of tabs, the one on top."""
        return self.by_key[key].isVisible() and not self.by_key[key].visibleRegion().isEmpty()

    def show(self, key: str) -> None:
        """Show a dock in front, with the height that it needs; remember how the others stood."""
        dock, size = self.by_key[key], self._window.size()
        before = self._window.saveState(self.version) if dock.isHidden() else None
        dock.show()
        self._make_room(key)
        self._stay(size)
        if before is not None and key in self.extra:
            self._made_room[key] = before, self._standing(key)

    def _close_soon(self, key: str, visible: bool) -> None:
        if not visible and key in self._made_room:
            later(self, partial(self._give_back, key))

    def _give_back(self, key: str) -> None:
        """Let the others stand as they did before a dock was shown that is closed by now."""
        if key not in self._made_room or not self.by_key[key].isHidden():
            return  # a tab of its cell was brought in front, or the window is closed
        before, after = self._made_room.pop(key)
        if self._standing(key) == after:
            size = self._window.size()
            self._window.restoreState(before, self.version)
            self._stay(size)
            self._ghosts.start()

    def _make_room(self, key: str) -> None:
        """Give a dock that was just shown the height it needs, the cells below become tabs."""
        dock, window = self.by_key[key], self._window
        dock.raise_()
        self._ghosts.start()
        if dock.isFloating() or window.dockWidgetArea(dock) != RIGHT or key not in self.extra:
            return
        wanted = max(scaled(USEFUL), int(USEFUL_SHARE * window.height()))
        with_it = [dock, *window.tabifiedDockWidgets(dock)]
        others = [
            other
            for other in self.by_key.values()
            if other not in with_it
            and other.isVisible()
            and not other.isFloating()
            and window.dockWidgetArea(other) == RIGHT
        ]
        others.sort(key=lambda other: other.y())
        cells = [[other] for other in others if not other.visibleRegion().isEmpty()] or [[]]
        height = self._right_height(ARRANGEMENTS[self.arrangement]) - wanted
        if height < scaled(ROOMY) * len(cells) and others:
            for other in others[1:]:
                window.tabifyDockWidget(others[0], other)
            others[0].raise_()
            window.resizeDocks([dock, others[0]], [wanted, 1], DOWN)  # 1: as low as it goes
        else:
            window.resizeDocks([dock], [wanted], DOWN)


def _nothing_yet(key: str) -> QWidget:
    widget = QWidget()
    if key == "timeline":
        widget.setMinimumHeight(scaled(TIMELINE_HEIGHT))
    else:
        widget.setMinimumSize(*PLOT_SIZE)
    return widget
