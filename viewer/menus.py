"""Submenus whose rows are data: samples, recent files, ways to colour.

The window listens to `QMenu.triggered` and reads the data of the row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QMenu

from sample_graphs import CATALOGUE


def fill_samples(menu: QMenu) -> None:
    """Add one row per sample of the catalogue, its data is "sample:<key>"."""
    menu.setToolTipsVisible(True)
    for key, sample in CATALOGUE.items():
        action = QAction(sample.title, menu)
        action.setToolTip(sample.sentence)
        action.setStatusTip(sample.sentence)
        action.setData(f"sample:{key}")
        menu.addAction(action)


def fill_recent(menu: QMenu, paths: Iterable[str]) -> None:
    """Show one row per path, its data, newest first, in place of what was there."""
    menu.clear()
    menu.setToolTipsVisible(True)
    for path in paths:
        action = QAction(Path(path).name, menu)
        action.setToolTip(path)
        action.setData(path)
        menu.addAction(action)
    if menu.isEmpty():
        nothing = QAction("Nothing opened yet", menu)
        nothing.setEnabled(False)
        menu.addAction(nothing)


def fill_colours(menu: QMenu, modes: Mapping[str, str]) -> None:
    """Add one checkable row per way of colouring, its data: key -> title."""
    for key, title in modes.items():
        action = QAction(title, menu)
        action.setCheckable(True)
        action.setData(key)
        menu.addAction(action)
