"""Submenus whose rows are data: samples, recent files, ways to colour."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QMenu

from sample_graphs import CATALOGUE


def fill_samples(menu: QMenu, choose: Callable[[str], None]) -> None:
    """Add one row per sample of the catalogue; `choose` gets "sample:<key>"."""
    menu.setToolTipsVisible(True)
    for key, sample in CATALOGUE.items():
        action = QAction(sample.title, menu)
        action.setToolTip(sample.sentence)
        action.setStatusTip(sample.sentence)
        action.triggered.connect(lambda _on, name=f"sample:{key}": choose(name))
        menu.addAction(action)


def fill_recent(menu: QMenu, paths: Iterable[str], choose: Callable[[str], None]) -> None:
    """Show one row per path, newest first, in place of what was there."""
    menu.clear()
    menu.setToolTipsVisible(True)
    for path in paths:
        action = QAction(Path(path).name, menu)
        action.setToolTip(path)
        action.triggered.connect(lambda _on, path=path: choose(path))
        menu.addAction(action)
    if menu.isEmpty():
        nothing = QAction("Nothing opened yet", menu)
        nothing.setEnabled(False)
        menu.addAction(nothing)


def fill_colours(menu: QMenu, modes: Mapping[str, str], choose: Callable[[str], None]) -> None:
    """Add one checkable row per way of colouring: key -> title."""
    for key, title in modes.items():
        action = QAction(title, menu)
        action.setCheckable(True)
        action.setData(key)
        action.triggered.connect(lambda _on, key=key: choose(key))
        menu.addAction(action)
