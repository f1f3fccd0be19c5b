"""Submenus whose entries are data: recent files, ways to colour."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QMenu

from gpu.words import SENTENCE, in_sight
from viewer.common.foreign_words import button_words
from viewer.graph.colours import COLOUR_MODES
from viewer.graph.view import GraphView
from viewer.models.settings import Settings

Open = Callable[[str, dict[str, Any] | None], None]  # path, options of the reader


def offer_recent(menu: QMenu, settings: Settings, open_path: Open) -> None:
    """Offer the files that were opened before, newest first, whenever the menu opens."""
    menu.setToolTipsVisible(True)
    menu.aboutToShow.connect(partial(_fill_recent, menu, settings, open_path))


def offer_colours(menu: QMenu, view: GraphView) -> None:
    """Offer the ways to colour, with a mark at the one in use."""

    def mark() -> None:
        for action in menu.actions():
            action.setChecked(action.data() == view.colour_by)

    for key, title in COLOUR_MODES.items():
        action = QAction(title, menu)
        action.setCheckable(True)
        action.setData(key)
        menu.addAction(action)
    menu.aboutToShow.connect(mark)
    menu.triggered.connect(lambda action: view.set_colour_by(action.data()))


def _fill_recent(menu: QMenu, settings: Settings, open_path: Open) -> None:
    menu.clear()
    for path, options in settings.recent.items():
        how = " (with options)" if options else ""
        action = QAction(button_words(f"{Path(path).name}{how}"), menu)
        action.setToolTip(in_sight(f"{path}{how}", SENTENCE))
        action.triggered.connect(lambda _on, of=(path, options): open_path(*of))
        menu.addAction(action)
    if menu.isEmpty():
        nothing = QAction("Nothing opened yet", menu)
        nothing.setEnabled(False)
        menu.addAction(nothing)
