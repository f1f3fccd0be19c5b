"""The docks around the graph: their titles, and the arrangements in which they stand.

A dock exists from the start, so that the window's saved state fits; its panel comes later (`fill`).
Each dock has a side: the Run panel and lessons stand left, the timeline, the table of runs and the
code under the graph, everything else right. An arrangement names the docks that it shows and the
shares of the width that the sides take; all other sizes are Qt's, from size hints. Three
arrangements are in the menu; the others are put up by a feature, round its panel.

    Explore      Run | graph, timeline | every plot
    Compare      graph, runs, timeline | every plot
    Present      graph, timeline | one plot

Plots for which the right side is too low become tabs. So do plots that stand beside a feature's
panel, until it is closed: then they stand as before, unless a person has moved a dock meanwhile.
When the window gets another size, the right side keeps its share of the width.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

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
PLOTS = ("timeline", "buckets", "delta", "parallelism", "work")  # the order they are built in
LEFT, RIGHT = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea
SIDES = {"run": LEFT, "lesson": LEFT, "runs": BOTTOM, "code": BOTTOM, "timeline": BOTTOM}
ACROSS, DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
WIDEST = 1.25  # times the width that a panel hints at: the left side at most
LEAST_PLOT = (200, 96)  # pixels, before a plot is built
CELL = 165  # pixels at the reference text size: the least height of a plot that is no tab
BARS = 80  # pixels, the same: menu, toolbar and status bar
PEACE_MS = 200  # without a new size of the window: a person has let go of its edge


@dataclass(frozen=True)
class Arrangement:
    """Which docks are shown, on each side in this order.

    left, right : the sides' shares of the window's width
    low : share of its height, for each dock under the graph but the timeline
    lasting : put up again at the next start; not if it shows what a start does not bring back
    """

    docks: tuple[str, ...]
    left: float = 0.235
    right: float = 0.34
    low: float = 0.2
    lasting: bool = True


ARRANGEMENTS = {
    "explore": Arrangement(("run", "buckets", "delta", "parallelism", "work", "timeline")),
    "compare": Arrangement(("parallelism", "work", "delta", "buckets", "runs", "timeline")),
    "present": Arrangement(("parallelism", "timeline")),
    "lesson": Arrangement(
        ("lesson", "run", "buckets", "delta", "timeline"), left=0.3, lasting=False
    ),
    "pairs": Arrangement(("run", "matrix", "timeline")),
    "microscope": Arrangement(("microscope", "code"), right=0.48, low=0.3, lasting=False),
    "sweep": Arrangement(("sweep", "timeline"), right=0.54),
}
FIRST = "explore"


class Docks(QObject):
    """The QDockWidgets of one window, by key, and the arrangement in which they stand."""

    chosen = pyqtSignal(str)  # an arrangement that was asked for stands
    named = pyqtSignal(str)  # which arrangement this is

    def __init__(self, window: QMainWindow, more: Mapping[str, str] | None = None) -> None:
        super().__init__(window)
        self._window = window
        self.titles = {**TITLES, **(more or {})}
        self.extra = tuple(more or ())  # docks of features, hidden until asked for
        self.by_key: dict[str, QDockWidget] = {}
        self.arrangement = FIRST
        self.over: set[str] = set()  # arrangements not to go back to: a lesson's after it
        self._arranged: tuple[list[list[str]], dict[str, object]] = ([], {})
        self._beside: dict[str, tuple[QByteArray, dict[str, object]]] = {}  # before, after
        self._peace = _timer(window, PEACE_MS, self._keep_share)
        self._ghosts = _timer(window, 0, self._hide_ghosts)
        self._settled = 0, 0  # widths at peace: of the window, of its right side
        window.installEventFilter(self)
        window.setDockNestingEnabled(True)
        window.setAnimated(False)  # each change of arrangement would make twenty animations
        window.setCorner(Qt.Corner.BottomLeftCorner, LEFT)
        window.setCorner(Qt.Corner.BottomRightCorner, RIGHT)
        for area in (LEFT, RIGHT):
            window.setTabPosition(area, QTabWidget.TabPosition.North)
        for key, title in self.titles.items():
            dock = QDockWidget(title, window)
            dock.setObjectName(f"dock_{key}")
            window.addDockWidget(_side(key), dock)
            self.by_key[key] = dock
            dock.installEventFilter(self)
            nothing = QWidget()
            nothing.setMinimumSize(*LEAST_PLOT)
            self.fill(key, nothing)
        for key in self.extra:
            self.by_key[key].hide()
            self.by_key[key].visibilityChanged.connect(partial(self._close_soon, key))
        self.by_key["timeline"].setTitleBarWidget(QWidget())  # it needs the height, not a name

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

    def offer(self, key: str, action: QAction) -> None:
        """Have an action in the menu of a dock, which the right button opens."""
        self.by_key[key].addAction(action)
        self.by_key[key].setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    # --- arrangements

    def choose(self, name: str) -> None:
        """Put up an arrangement that was asked for."""
        self.arrange(name)
        self.mark(self.arrangement)
        self.chosen.emit(self.arrangement)

    def go_back(self, name: str) -> None:
        """Put up the arrangement that stood before, or the first one if its time is over."""
        self.choose(FIRST if name in self.over else name)

    def reset(self) -> None:
        """Put every dock back where the arrangement has it; floating ones too."""
        self.choose(self.arrangement)

    def mark(self, name: str) -> None:
        """Say which arrangement this is."""
        self.arrangement = name
        self.named.emit(name)

    def refit(self) -> None:
        """Text has another size: arrange anew if another number of plots fits.

        Only if the docks stand as arranged; what a person moved stays.
        """
        cells, standing = self._arranged
        if standing == self._standing() and cells != self._cells(RIGHT):
            self.arrange(self.arrangement)

    def arrange(self, name: str = FIRST) -> None:
        """Stand as an arrangement says; as the first one if there is none of that name."""
        self.arrangement = name if name in ARRANGEMENTS else FIRST
        self._beside.clear()
        self._settled = 0, 0
        size = self._window.size()
        for dock in self.by_key.values():
            dock.setFloating(False)  # before it is removed: a removed dock stays afloat
            self._window.removeDockWidget(dock)
        for side in (LEFT, BOTTOM, RIGHT):
            self._stack(side)
        self._keep_size(size)
        self._give_sizes()
        self._ghosts.start()  # Qt has set its tab bars up by then
        self._arranged = self._cells(RIGHT), self._standing()

    def _shown(self) -> list[str]:
        return [key for key in ARRANGEMENTS[self.arrangement].docks if key in self.by_key]

    def _cells(self, side: Qt.DockWidgetArea) -> list[list[str]]:
        """Return what an arrangement shows on a side: cells of tabs, top to bottom."""
        keys = [key for key in self._shown() if _side(key) == side]
        if side == LEFT:
            return [keys] if keys else []
        cells = [[key] for key in keys]
        room = max((self._window.height() - scaled(BARS)) // scaled(CELL), 1)
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

    def _give_sizes(self) -> None:
        window, plan = self._window, ARRANGEMENTS[self.arrangement]
        left, right = (
            [self.by_key[cell[0]] for cell in self._cells(side)] for side in (LEFT, RIGHT)
        )
        wide = window.width()
        widths = [int(min(plan.left * wide, WIDEST * dock.sizeHint().width())) for dock in left]
        widths += [int(plan.right * wide) for _ in right[:1]]
        window.resizeDocks([*left, *right[:1]], widths, ACROSS)
        heights = [4] * len(right[1:]) + [5] * len(right[:1])  # the lowest plot has the time axis
        window.resizeDocks(right, heights, DOWN)
        low = {cell[0]: int(plan.low * window.height()) for cell in self._cells(BOTTOM)}
        if "timeline" in low:
            low["timeline"] = self.by_key["timeline"].sizeHint().height()
        window.resizeDocks([self.by_key[key] for key in low], [*low.values()], DOWN)

    # --- one panel

    def is_in_front(self, key: str) -> bool:
        """Whether a dock is seen: of tabs, the one on top."""
        return self.by_key[key].isVisible() and not self.by_key[key].visibleRegion().isEmpty()

    def show(self, key: str) -> None:
        """Show a dock in front; a feature's panel gets more than half of its side."""
        dock, size = self.by_key[key], self._window.size()
        before = self._window.saveState(self.version) if dock.isHidden() else None
        dock.show()
        dock.raise_()
        self._ghosts.start()
        if key in self.extra and self._window.dockWidgetArea(dock) == RIGHT:
            self._make_room(dock)
        self._keep_size(size)
        later(self, partial(self._keep_size, size))  # and when tab bars stand
        if before is not None and key in self.extra:
            self._beside[key] = before, self._standing(key)

    def _make_room(self, dock: QDockWidget) -> None:
        """Make tabs of the other docks of the right side, below a feature's panel."""
        window = self._window
        if dock.isFloating():
            return
        here = [dock, *window.tabifiedDockWidgets(dock)]
        others = [
            other
            for other in self.by_key.values()
            if other not in here
            and other.isVisible()
            and not other.isFloating()
            and window.dockWidgetArea(other) == RIGHT
        ]
        others.sort(key=lambda other: other.y())
        if not others:
            return
        for other in others[1:]:
            window.tabifyDockWidget(others[0], other)
        others[0].raise_()
        window.resizeDocks([dock, others[0]], [3, 2], DOWN)

    def _close_soon(self, key: str, visible: bool) -> None:
        if not visible and key in self._beside:
            later(self, partial(self._give_back, key))

    def _give_back(self, key: str) -> None:
        """Let the others stand as they did before a dock was shown that is closed by now."""
        if key not in self._beside or not self.by_key[key].isHidden():
            return  # a tab of its cell was brought in front, or the window is closed
        before, after = self._beside.pop(key)
        if self._standing(key) == after:
            size = self._window.size()
            self._window.restoreState(before, self.version)
            self._keep_size(size)
            later(self, partial(self._keep_size, size))
            self._ghosts.start()

    # --- sizes, and what Qt leaves behind

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Hear of new sizes of the window and of its docks."""
        if event is not None and event.type() == QEvent.Type.Resize:
            self._peace.start()
        return super().eventFilter(watched, event)

    def _keep_share(self) -> None:
        """Give the right side its share back: Qt gives the graph all that a window grows by."""
        window, (before, length) = self._window, self._settled
        if not window.isVisible() or window.isMinimized():
            return
        seen = [dock for key, dock in self.by_key.items() if self.is_in_front(key)]
        right = [dock for dock in seen if window.dockWidgetArea(dock) == RIGHT]
        dock = next((dock for dock in right if not dock.isFloating()), None)
        width = dock.width() if dock is not None else 0
        if dock is not None and length and before != window.width():
            width = round(length * window.width() / before)
            window.resizeDocks([dock], [width], ACROSS)
        self._settled = window.width(), width

    def _standing(self, without: str = "") -> dict[str, object]:
        """Return where each dock in use is, and with which others as tabs, whatever its size."""
        window, used = self._window, [dock for dock in self.by_key.values() if not dock.isHidden()]
        used = [dock for dock in used if dock.objectName() != f"dock_{without}"]
        return {
            dock.objectName(): (
                window.dockWidgetArea(dock),
                dock.isFloating(),
                {tab.objectName() for tab in window.tabifiedDockWidgets(dock) if tab in used},
            )
            for dock in used
        }

    def _keep_size(self, size: QSize) -> None:
        """Give the window its size back: on the way, docks may have needed more together."""
        inner = self._window.layout()
        if self._window.size() != size and inner is not None:
            inner.activate()
            self._window.resize(size)

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


def _side(key: str) -> Qt.DockWidgetArea:
    return SIDES.get(key, RIGHT)


def _timer(parent: QObject, wait_ms: int, then: Callable[[], None]) -> QTimer:
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(wait_ms)
    timer.timeout.connect(then)
    return timer
