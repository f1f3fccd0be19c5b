"""The command palette: find any action by typing a part of its name, press Enter.

Every word that is typed must be in the name of the action or of its menu; actions with words that
begin so come first. Else they stand as in the menus. What cannot be used now is greyed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PyQt6.QtCore import QEvent, QObject, Qt, pyqtSignal
from PyQt6.QtGui import QAction, QKeyEvent
from PyQt6.QtWidgets import (
    QDialog,
    QHeaderView,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from viewer.action_set import keys_of, plain
from viewer.actions import Action
from viewer.common.small_widgets import label
from viewer.common.theme import SPACING
from viewer.feature import FeaturePart

WIDTH, MOST_LINES = 560, 12  # pixels; lines seen at once
ENTRY = Qt.ItemDataRole.UserRole
MOVING_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


@dataclass(frozen=True)
class Entry:
    """One line: words to find it by, its menu, its keys, and what it does."""

    words: str
    menu: str
    keys: str
    action: QAction


class Palette(QDialog):
    """The list and its field; emits the entry that was chosen and closes."""

    chosen = pyqtSignal(object)  # Entry

    def __init__(self, entries: Sequence[Entry], parent: QWidget) -> None:
        super().__init__(parent)
        self._entries = entries
        self.setWindowTitle("Commands")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(min(WIDTH, max(parent.width() - 4 * SPACING, 240)))
        self.field = QLineEdit()
        self.field.setPlaceholderText("Type what you want to do")
        self.field.setAccessibleName("Find a command")
        self.field.setClearButtonEnabled(True)
        self.list = QTreeWidget()
        self.list.setColumnCount(3)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setAccessibleName("Commands")
        self.list.setMinimumHeight(MOST_LINES * (self.fontMetrics().height() + 12))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        header = self.list.header()
        assert header is not None
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.about = label("", "muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(*([SPACING] * 4))
        for part in (self.field, self.list, self.about):
            column.addWidget(part)
        self.field.textChanged.connect(self._fill)
        self.field.returnPressed.connect(lambda: self._choose(self.list.currentItem()))
        self.list.itemClicked.connect(self._choose)
        self.list.currentItemChanged.connect(self._describe)
        self.field.installEventFilter(self)
        self._fill("")

    def eventFilter(self, a0: QObject | None, a1: QEvent | None) -> bool:
        """Let the arrow keys of the field move in the list."""
        if isinstance(a1, QKeyEvent) and a1.key() in MOVING_KEYS:
            if a1.type() == QEvent.Type.KeyPress:
                self.list.keyPressEvent(a1)
            return True
        return super().eventFilter(a0, a1)

    def _fill(self, typed: str) -> None:
        self.list.clear()
        words = typed.casefold().split()
        names = {entry: f" {entry.menu} {entry.words}".casefold() for entry in self._entries}
        hits = [entry for entry in names if all(word in names[entry] for word in words)]

        def rank(entry: Entry) -> tuple[bool, bool, int]:
            begins = all(f" {word}" in names[entry] for word in words)
            before = entry.words.casefold().partition(words[0])[0] if words else ""
            return not begins, not entry.action.isEnabled(), len(before)

        hits.sort(key=rank)
        greyed = self.palette().placeholderText()
        for entry in hits:
            item = QTreeWidgetItem(self.list, [entry.words, entry.menu, entry.keys])
            item.setData(0, ENTRY, entry)
            item.setForeground(1, greyed)
            if not entry.action.isEnabled():
                item.setForeground(0, greyed)
        if hits:
            self.list.setCurrentItem(self.list.topLevelItem(0))
        else:
            self.about.setText(f"Nothing is called {typed!r}. Try a shorter word.")

    def _describe(self, item: QTreeWidgetItem | None) -> None:
        if item is not None:
            action: QAction = item.data(0, ENTRY).action
            now = "" if action.isEnabled() else " (not now: nothing here to use it on)"
            self.about.setText((action.statusTip() or action.toolTip()) + now)

    def _choose(self, item: QTreeWidgetItem | None) -> None:
        entry: Entry | None = item.data(0, ENTRY) if item is not None else None
        if entry is not None and entry.action.isEnabled():
            self.accept()
            self.chosen.emit(entry)


class PaletteFeature(FeaturePart):
    """Collects the entries and shows them."""

    def show(self) -> Palette:
        """Show the palette over the window."""
        palette = Palette(self.entries(), self._window.as_widget())
        palette.chosen.connect(lambda entry: entry.action.trigger())
        palette.open()
        return palette

    def entries(self) -> list[Entry]:
        """Return every action that is not a submenu, and the entries of submenus."""
        return [
            entry
            for menu in self._window.actions_by_key.menus
            for action in menu.actions
            if action.key != "palette"
            for entry in self._entries(action, plain(menu.title))
        ]

    def _entries(self, action: Action, menu: str) -> list[Entry]:
        actions = self._window.actions_by_key
        if not action.submenu:
            keys = ", ".join(keys_of(action))
            return [Entry(plain(action.text), menu, keys, actions[action.key])]
        submenu = actions.menu(action.key)
        submenu.aboutToShow.emit()  # some submenus are filled as they open
        return [
            Entry(f"{plain(action.text)}: {plain(inner.text())}", menu, "", inner)
            for inner in submenu.actions()
            if inner.text() and not inner.isSeparator()
        ]


install = PaletteFeature
