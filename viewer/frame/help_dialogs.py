"""Two quiet windows: every keyboard shortcut, and what this program is."""

from __future__ import annotations

from html import escape

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QIcon
from PyQt6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from viewer.action_set import keys_of, plain
from viewer.actions import Menu
from viewer.common.fault_log import log_path, version
from viewer.common.theme import SPACING

MOUSE: dict[str, dict[str, str]] = {  # group: what is done by mouse or key, and what it does
    "Graph": {
        "Click": "Choose the source",
        "Shift+click": "Show the shortest path",
        "Right click, menu key": "What can be done with a vertex",
        "Wheel, + and -": "Zoom",
        "Drag, arrow keys": "Move",
        "Double click, 0": "Show the whole graph",
    },
    "Plots": {
        "Click, drag the cursor's line": "Put the cursor there",
        "Wheel": "Zoom time, in all plots together",
        "Drag beside it": "Move the window of time, where one has zoomed in",
        "Ctrl+drag": "Measure from here to there",
        "Ctrl+click": "Put a mark of measuring",
        "Double click": "Show the whole run",
    },
    "Drawing": {
        "Double click": "Add a vertex, edit a name or a weight",
        "Drag from a rim": "Draw an edge",
        "Drag on nothing": "Move the view",
        "Tab, E": "Go to the next vertex, to its next edge",
        "N, C": "Add a vertex, begin an edge",
        "Enter": "Edit the name or the weight",
        "Arrow keys": "Move what is selected, else the view",
    },
}
SHEET = QSize(560, 640)
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
    """Every key that does something: from the table of actions, and MOUSE."""

    def __init__(self, menus: tuple[Menu, ...], parent: QWidget) -> None:
        super().__init__("Keyboard shortcuts", parent)
        groups = {plain(menu.title): _keys(menu) for menu in menus} | MOUSE
        sheet = QTextBrowser()
        sheet.setFrameShape(QFrame.Shape.NoFrame)
        sheet.setAccessibleName("Keyboard shortcuts")
        sheet.setHtml("".join(_group(title, keys) for title, keys in groups.items() if keys))
        self.column.addWidget(sheet)
        self.add_close_button()
        self.resize(SHEET)


def _keys(menu: Menu) -> dict[str, str]:
    actions = [action for action in menu.actions if keys_of(action)]
    return {", ".join(keys_of(action)): plain(action.text) for action in actions}


def _group(title: str, keys: dict[str, str]) -> str:
    """Return a group as HTML: a heading, then a line for each key."""
    rows = (
        f"<tr><td><b>{escape(key)}</b></td><td>{escape(words)}</td></tr>"
        for key, words in keys.items()
    )
    return f'<h3>{escape(title)}</h3><table cellpadding="2">{"".join(rows)}</table>'


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
