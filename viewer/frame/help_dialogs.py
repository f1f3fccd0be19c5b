"""Two quiet windows: every keyboard shortcut, and what this program is."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QMessageBox,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from gpu.interpreter import version
from viewer.action_set import keys_of, plain
from viewer.actions import Menu
from viewer.common.fault_log import log_path

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
SSSP Scope {version}

An oscilloscope for shortest-path schedulers: load a graph, run a GPU shortest-path \
algorithm on it, and watch the scheduler think.

Without an NVIDIA GPU the algorithms run on a modelled one: the same decisions, and \
times from a small cost model. Every time axis says which it shows.

Free software under the GNU General Public License, version 3 or later.

Log file: {log}"""


def show_shortcuts(menus: tuple[Menu, ...], parent: QWidget) -> None:
    """Show every key that does something: from the table of actions, and MOUSE."""
    groups = {plain(menu.title): _keys(menu) for menu in menus} | MOUSE
    sheet = QTextBrowser()
    sheet.setFrameShape(QFrame.Shape.NoFrame)
    sheet.setAccessibleName("Keyboard shortcuts")
    shown = [(escape(title), html_table(keys.items(), 2)) for title, keys in groups.items() if keys]
    sheet.setHtml("".join(f"<h3>{title}</h3>{table}" for title, table in shown))
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    dialog = QDialog(parent)
    dialog.setWindowTitle("Keyboard shortcuts")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    buttons.rejected.connect(dialog.reject)
    column = QVBoxLayout(dialog)
    column.addWidget(sheet)
    column.addWidget(buttons)
    dialog.resize(SHEET)
    dialog.open()


def _keys(menu: Menu) -> dict[str, str]:
    actions = [action for action in menu.actions if keys_of(action)]
    return {", ".join(keys_of(action)): plain(action.text) for action in actions}


def html_table(rows: Iterable[tuple[str, str]], padding: int) -> str:
    """Return two columns as HTML, the first in bold."""
    lines = (
        f"<tr><td><b>{escape(first)}</b></td><td>{escape(second)}</td></tr>"
        for first, second in rows
    )
    return f'<table cellpadding="{padding}">{"".join(lines)}</table>'


def show_about(parent: QWidget) -> None:
    """Show name, version, licence, log file."""
    words = ABOUT.format(version=version(), log=log_path())
    box = QMessageBox(QMessageBox.Icon.NoIcon, "About SSSP Scope", words, parent=parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setIconPixmap(QApplication.windowIcon().pixmap(64, 64))
    box.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    box.open()
