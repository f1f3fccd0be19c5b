"""Every action of the window, once, as QActions: menus, toolbar, shortcuts, palette, tests.

What a person can do is data, an `ActionRow`: the window's own are in `viewer.action_rows`, a
feature's in its `rows.py`. A submenu has no handler: who brings it fills it. Rows stand in menus
in the order of the tables, with a line between two whose `section` differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from PyQt6.QtCore import QObject, Qt
from PyQt6.QtGui import QAction, QActionGroup, QKeySequence
from PyQt6.QtWidgets import QMenu, QMenuBar, QToolBar, QToolButton, QWidget

from viewer.common.icons import stroke_icon
from viewer.common.theme import Theme

MENUS = (
    ("file", "&File"),
    ("edit", "&Edit"),
    ("run", "&Run"),
    ("playback", "&Playback"),
    ("compare", "&Compare"),
    ("draw", "&Draw"),
    ("view", "&View"),
    ("help", "&Help"),
)


@dataclass(frozen=True)
class ActionRow:
    """One action.

    key : unique, also the QAction's object name
    text : as in the menu, & before the mnemonic
    tooltip : one sentence, also the status tip and accessible help
    shortcuts : Qt's portable names, the first is shown
    handler : what is called on trigger, as a path from who brings the row: the window, or the
        feature (then "window.timeline.faster" is the window's)
    argument : what it is called with; a checkable row outside a group passes its new state
    hint : a key that works without being a shortcut, so that fields may use it themselves
    group : rows of one group exclude each other
    needs : "" always, "graph", "run" (a run to look at), "trace" (a finished one),
        "running", "idle" (no run going, a graph there)
    """

    key: str
    text: str
    menu: str
    section: int
    tooltip: str
    handler: str = ""
    shortcuts: tuple[str, ...] = ()
    icon: str = ""
    toolbar: bool = False
    checkable: bool = False
    group: str = ""
    needs: str = ""
    submenu: bool = False
    hint: str = ""
    argument: str | int | None = None
    label: str = ""  # beside the icon in the toolbar; none: the icon alone


class ActionSet(QObject):
    """The rows as QActions of one window.

    bringer_of : who brings a row; asked on trigger, since parts come later than their actions
    """

    def __init__(
        self, owner: QWidget, rows: Iterable[ActionRow], bringer_of: Callable[[ActionRow], object]
    ) -> None:
        super().__init__(owner)
        self._bringer_of = bringer_of
        self.rows = {row.key: row for row in sorted(rows, key=_place)}
        self._owner = owner
        self._actions: dict[str, QAction] = {}
        self._menus: dict[str, QMenu] = {}
        self._groups: dict[str, QActionGroup] = {}
        for row in self.rows.values():
            self._actions[row.key] = self._make(row)

    def __getitem__(self, key: str) -> QAction:
        return self._actions[key]

    def find(self, key: str) -> QAction | None:
        """Return an action that another feature may bring; None where it was taken away."""
        return self._actions.get(key)

    def handler(self, row: ActionRow) -> Any:
        """Return what a row calls."""
        inside = row.handler.removeprefix("window.")
        return attrgetter(inside)(self._owner if inside != row.handler else self._bringer_of(row))

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
        action = self.sender()
        assert action is not None
        row = self.rows[action.objectName()]
        handler = self.handler(row)
        if row.argument is not None:
            handler(row.argument)
        elif row.checkable and not row.group:
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
