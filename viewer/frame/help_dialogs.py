"""Two quiet windows: every keyboard shortcut, and what this program is."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QIcon
from PyQt6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from viewer.action_set import keys_of, plain
from viewer.actions import Menu
from viewer.common.fault_log import log_path, version
from viewer.common.theme import SPACING

MOUSE: list[tuple[str, list[tuple[str, str]]]] = [
    (
        "Graph",
        [
            ("Click", "Choose the source"),
            ("Shift+click", "Show the shortest path"),
            ("Right click, menu key", "What can be done with a vertex"),
            ("Wheel, + and -", "Zoom"),
            ("Drag, arrow keys", "Move"),
            ("Double click, 0", "Show the whole graph"),
        ],
    ),
    (
        "Plots",
        [
            ("Click, drag the cursor's line", "Put the cursor there"),
            ("Wheel", "Zoom time, in all plots together"),
            ("Drag beside it", "Move the window of time, where one has zoomed in"),
            ("Ctrl+drag", "Measure from here to there"),
            ("Ctrl+click", "Put a mark of measuring"),
            ("Double click", "Show the whole run"),
        ],
    ),
    (
        "Drawing",
        [
            ("Double click", "Add a vertex, edit a name or a weight"),
            ("Drag from a rim", "Draw an arc"),
            ("Tab, E", "Go to the next vertex, to its next arc"),
            ("N, C", "Add a vertex, begin an arc"),
            ("Enter, a digit", "Edit the name or the weight, type a weight"),
            ("Arrow keys, with Shift", "Move what is selected, by one unit"),
            ("S, V, A", "Choose a tool: select, vertices, arcs"),
        ],
    ),
]
ROUND_IT = 110  # pixels: title, margins and button around the sheet
ABOUT = """\
An oscilloscope for shortest-path schedulers: load a graph, run a GPU shortest-path
algorithm on it, and watch the scheduler think.

Without an NVIDIA GPU the algorithms run on a modelled one: the same decisions, and
times from a small cost model. Every time axis says which it shows.

Free software under the GNU General Public License, version 3 or later."""


class _Dialog(QDialog):
    """A window with a heading and a Close button, deleted when closed."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(*([2 * SPACING] * 4))
        self.column.setSpacing(2 * SPACING)

    def add_close_button(self) -> None:
        """Close the column with the one button."""
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        for button in buttons.buttons():
            button.setIcon(QIcon())
        self.column.addWidget(buttons)


class ShortcutsDialog(_Dialog):
    """Every key that does something; from the tables of actions and of widgets."""

    def __init__(self, menus: tuple[Menu, ...], parent: QWidget) -> None:
        super().__init__("Keyboard shortcuts", parent)
        sheet = QWidget()
        columns = QHBoxLayout(sheet)
        columns.setContentsMargins(0, 0, 2 * SPACING, 0)
        columns.setSpacing(5 * SPACING)
        groups: list[tuple[str, list[tuple[str, str]]]] = []
        for menu in menus:
            with_keys = [action for action in menu.actions if keys_of(action)]
            keys = [(", ".join(keys_of(action)), plain(action.text)) for action in with_keys]
            if keys:
                groups.append((plain(menu.title), keys))
        groups += MOUSE
        half = (sum(len(keys) + 2 for _, keys in groups) + 1) // 2
        columns.addLayout(self._column(groups, 0, half))
        columns.addLayout(self._column(groups, half, 10**6))
        self._add_scrolled(sheet)
        self.add_close_button()

    def _add_scrolled(self, sheet: QWidget) -> None:
        """Show the sheet, with a scroll bar where the screen is too low for it."""
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(sheet)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setAccessibleName("Keyboard shortcuts")
        bar = area.verticalScrollBar()
        wanted = sheet.sizeHint()
        area.setMinimumWidth(wanted.width() + (bar.sizeHint().width() if bar is not None else 0))
        self.column.addWidget(area)
        screen = self.screen()
        room = screen.availableSize().height() if screen is not None else wanted.height()
        self.resize(self.sizeHint().width(), min(wanted.height() + ROUND_IT, int(0.9 * room)))

    def _column(
        self, groups: list[tuple[str, list[tuple[str, str]]]], first: int, last: int
    ) -> QGridLayout:
        """Lay out the groups that begin at a line in [first, last)."""
        grid = QGridLayout()
        grid.setHorizontalSpacing(3 * SPACING)
        grid.setVerticalSpacing(SPACING // 2)
        line = 0
        for title, keys in groups:
            if first <= line < last:
                self._add_group(grid, title, keys)
            line += len(keys) + 2
        grid.setRowStretch(grid.rowCount(), 1)
        return grid

    def _add_group(self, grid: QGridLayout, title: str, keys: list[tuple[str, str]]) -> None:
        heading = QLabel(title)
        heading.setProperty("role", "heading")
        row = grid.rowCount()
        grid.addWidget(heading, row, 0, 1, 2)
        for offset, (key, words) in enumerate(keys, 1):
            name = QLabel(key)
            name.setProperty("role", "strong")
            grid.addWidget(name, row + offset, 0)
            grid.addWidget(QLabel(words), row + offset, 1)
        grid.setRowMinimumHeight(row + len(keys) + 1, SPACING)


class AboutDialog(_Dialog):
    """Name, version, licence, log file."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("About SSSP Scope", parent)
        row = QHBoxLayout()
        row.setSpacing(2 * SPACING)
        picture = QLabel()
        picture.setPixmap(QApplication.windowIcon().pixmap(64, 64))
        row.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        name = QLabel(f"SSSP Scope {version()}")
        name.setProperty("role", "heading")
        words.addWidget(name)
        words.addWidget(QLabel(ABOUT))
        log = QLabel(f"Log file: {log_path()}")
        log.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        words.addWidget(log)
        row.addLayout(words)
        self.column.addLayout(row)
        self.add_close_button()
