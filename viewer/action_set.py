"""The actions of one window as QActions: menus, toolbar, shortcuts, palette, tests."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from PyQt6.QtCore import QObject, Qt
from PyQt6.QtGui import QAction, QActionGroup, QKeySequence
from PyQt6.QtWidgets import QMenu, QMenuBar, QToolBar, QToolButton, QWidget

from viewer.actions import LINE, Action, Menu
from viewer.common.icons import stroke_icon
from viewer.common.small_widgets import OnePress
from viewer.common.theme import Theme


class ActionSet(QObject):
    """The QActions of one window, by key; `part` returns a feature by key, built when triggered."""

    def __init__(
        self, owner: QWidget, menus: tuple[Menu, ...], part: Callable[[str], object]
    ) -> None:
        super().__init__(owner)
        self._owner = owner
        self._part = part
        self.menus = menus
        self.table = {action.key: action for menu in menus for action in menu.actions}
        self._submenus: dict[str, QMenu] = {}
        self._groups: dict[str, QActionGroup] = {}
        self._actions = {key: self._make(action) for key, action in self.table.items()}

    def __getitem__(self, key: str) -> QAction:
        return self._actions[key]

    def find(self, key: str) -> QAction | None:
        """Return an action that another feature may bring; None if that feature is not there."""
        return self._actions.get(key)

    def handler(self, action: Action) -> Any:
        """Return what an action calls."""
        path = action.handler.removeprefix("window.")
        of_window = not action.by or path != action.handler
        return attrgetter(path)(self._owner if of_window else self._part(action.by))

    def menu(self, key: str) -> QMenu:
        """Return a submenu, which its owner fills."""
        return self._submenus[key]

    def fill_menu_bar(self, bar: QMenuBar | None) -> None:
        """Add every menu that has any action."""
        assert bar is not None
        for menu in self.menus:
            top = bar.addMenu(menu.title)
            assert top is not None
            entry = top.menuAction()
            assert entry is not None
            entry.setVisible(bool(menu.actions))
            for one in menu.entries:  # Qt shows a line only between two actions
                top.addSeparator() if one is None else top.addAction(self._actions[one.key])

    def fill_toolbar(self, bar: QToolBar) -> None:
        """Add the actions marked for the toolbar, with a line between menus and sections."""
        line = False
        for entry in (entry for menu in self.menus for entry in (*menu.entries, LINE)):
            if entry is None:
                line = bool(bar.actions())
            elif entry.toolbar:
                if line:
                    bar.addSeparator()
                line = False
                self._add_button(bar, entry)
        self._one_press = OnePress(*bar.findChildren(QToolButton))  # lives while it is referred to

    def enable(self, state: dict[str, bool]) -> None:
        """Enable the actions whose `needs` is met; `state` says which needs are."""
        for action in self.table.values():
            if action.needs:
                self._actions[action.key].setEnabled(state.get(action.needs, False))
            if action.needs.startswith(("drawn", "drawing")):  # hidden while nothing is drawn
                self._actions[action.key].setVisible(state.get("drawing", False))

    def apply_theme(self, theme: Theme) -> None:
        """Draw every icon in the theme's text colour."""
        for action in self.table.values():
            if action.icon:
                icon = stroke_icon(action.icon, theme.text, theme.border)
                self._actions[action.key].setIcon(icon)

    def _make(self, action: Action) -> QAction:
        text = f"{action.text}\t{action.hint}" if action.hint else action.text
        made = QAction(text, self._owner)
        made.setObjectName(action.key)
        made.setShortcuts([QKeySequence(keys) for keys in action.shortcuts])
        keys = ", ".join(keys_of(action))
        made.setToolTip(f"{action.tooltip} ({keys})" if keys else action.tooltip)
        made.setStatusTip(action.tooltip)
        made.setCheckable(action.checkable)
        if action.submenu:
            self._submenus[action.key] = QMenu(self._owner)
            made.setMenu(self._submenus[action.key])
        if action.group:
            group = self._groups.setdefault(action.group, QActionGroup(self._owner))
            group.addAction(made)
        if action.handler:
            made.triggered.connect(self._trigger)
        self._owner.addAction(made)  # keys work while menu bar and toolbar are hidden
        return made

    def _add_button(self, bar: QToolBar, action: Action) -> None:
        made = self._actions[action.key]
        bar.addAction(made)
        button = bar.widgetForAction(made)
        assert isinstance(button, QToolButton)
        button.setAccessibleName(plain(action.text))
        if action.label:
            made.setIconText(action.label)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        if action.submenu:
            button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)

    def _trigger(self, checked: bool) -> None:
        sender = self.sender()
        assert sender is not None
        action = self.table[sender.objectName()]
        handler = self.handler(action)
        if action.argument is not None:
            handler(action.argument)
        elif action.checkable and not action.group:
            handler(checked)
        else:
            handler()


def keys_of(action: Action) -> list[str]:
    """Return the keys of an action as this system writes them."""
    native = QKeySequence.SequenceFormat.NativeText
    keys = [QKeySequence(keys).toString(native) for keys in action.shortcuts]
    return [*keys, action.hint] if action.hint else keys


def plain(text: str) -> str:
    """Return a menu text without its mnemonic mark and dots."""
    return text.replace("&", "").removesuffix("…")
