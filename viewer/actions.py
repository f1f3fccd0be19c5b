"""Every action of the window, once, as QActions: menus, toolbar, shortcuts, palette, tests.

The rows are in `viewer.action_rows` and, for what a feature adds, in `viewer.features`.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from PyQt6.QtCore import QObject, Qt
from PyQt6.QtGui import QAction, QActionGroup, QKeySequence
from PyQt6.QtWidgets import QMenu, QMenuBar, QToolBar, QToolButton, QWidget

from viewer.action_rows import ACTIONS, MENUS, ActionRow
from viewer.common.icons import stroke_icon
from viewer.common.theme import Theme


class ActionSet(QObject):
    """The table as QActions of one window; `handler` names a method of `owner`."""

    def __init__(self, owner: QWidget, rows: Iterable[ActionRow] = ACTIONS) -> None:
        super().__init__(owner)
        self.rows = {row.key: row for row in sorted(rows, key=_place)}
        self._owner = owner
        self._actions: dict[str, QAction] = {}
        self._menus: dict[str, QMenu] = {}
        self._groups: dict[str, QActionGroup] = {}
        for row in self.rows.values():
            self._actions[row.key] = self._make(row)

    def __getitem__(self, key: str) -> QAction:
        return self._actions[key]

    def menu(self, key: str) -> QMenu:
        """Return the submenu that the window is to fill."""
        return self._menus[key]

    def fill_menu_bar(self, bar: QMenuBar | None) -> None:
        """Add every menu with its rows."""
        assert bar is not None
        for key, title in MENUS:
            menu = bar.addMenu(title)
            assert menu is not None
            rows = [row for row in self.rows.values() if row.menu == key]
            entry = menu.menuAction()
            assert entry is not None
            entry.setVisible(bool(rows))
            for before, row in zip([None, *rows], rows, strict=False):
                if before is not None and before.section != row.section:
                    menu.addSeparator()
                menu.addAction(self._actions[row.key])

    def fill_toolbar(self, bar: QToolBar) -> None:
        """Add the rows marked for the toolbar, a line between menus and sections."""
        rows = [row for row in self.rows.values() if row.toolbar]
        for before, row in zip([None, *rows], rows, strict=False):
            if before is not None and (before.menu, before.section) != (row.menu, row.section):
                bar.addSeparator()
            bar.addAction(self._actions[row.key])
            button = bar.widgetForAction(self._actions[row.key])
            if isinstance(button, QToolButton):
                button.setAccessibleName(plain(row.text))
                if row.label:
                    self._actions[row.key].setIconText(row.label)
                    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
                if row.submenu:
                    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)

    def enable(self, state: dict[str, bool]) -> None:
        """Enable the actions whose `needs` is met; `state` says which needs are."""
        for row in self.rows.values():
            if row.needs:
                self._actions[row.key].setEnabled(state.get(row.needs, False))

    def apply_theme(self, theme: Theme) -> None:
        """Draw every icon in the theme's text colour."""
        for row in self.rows.values():
            if row.icon:
                self._actions[row.key].setIcon(stroke_icon(row.icon, theme.text, theme.border))

    def _make(self, row: ActionRow) -> QAction:
        action = QAction(f"{row.text}\t{row.hint}" if row.hint else row.text, self._owner)
        action.setObjectName(row.key)
        action.setShortcuts([QKeySequence(keys) for keys in row.shortcuts])
        keys = ", ".join(keys_of(row))
        action.setToolTip(f"{row.tooltip} ({keys})" if keys else row.tooltip)
        action.setStatusTip(row.tooltip)
        action.setCheckable(row.checkable)
        if row.submenu:
            self._menus[row.key] = QMenu(self._owner)
            action.setMenu(self._menus[row.key])
        if row.group:
            group = self._groups.setdefault(row.group, QActionGroup(self._owner))
            group.addAction(action)
        if row.handler:
            action.triggered.connect(self._trigger)
        self._owner.addAction(action)  # keys work while menu bar and toolbar are hidden
        return action

    def _trigger(self, checked: bool) -> None:
        """Look the handler up now: parts of the window come later than its actions."""
        action = self.sender()
        assert action is not None
        row = self.rows[action.objectName()]
        handler: Any = attrgetter(row.handler)(self._owner)
        if row.checkable and not row.group:
            handler(checked)
        else:
            handler()


def _place(row: ActionRow) -> tuple[int, int]:
    """Return where a row stands: its menu, then its section (the sort keeps the rest)."""
    return [key for key, _ in MENUS].index(row.menu), row.section


def keys_of(row: ActionRow) -> list[str]:
    """Return the keys of a row as this system writes them."""
    native = QKeySequence.SequenceFormat.NativeText
    return [QKeySequence(keys).toString(native) for keys in row.shortcuts] + (
        [row.hint] if row.hint else []
    )


def plain(text: str) -> str:
    """Return a menu text without its mnemonic mark and dots."""
    return text.replace("&", "").removesuffix("…")
