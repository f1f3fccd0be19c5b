"""Submenus whose rows are data: samples, recent files, ways to colour.

The window listens to `QMenu.triggered` and reads the data of the row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QMenu

from gpu.words import SENTENCE, in_sight
from sample_graphs import CATALOGUE
from viewer.common.foreign_words import button_words
from viewer.models.open_choices import words_of

OPTIONS = "open_options"  # property of a row


def fill_samples(menu: QMenu) -> None:
    """Add one row per sample of the catalogue, its data is "sample:<key>"."""
    menu.setToolTipsVisible(True)
    for key, sample in CATALOGUE.items():
        action = QAction(sample.title, menu)
        action.setToolTip(sample.sentence)
        action.setStatusTip(sample.sentence)
        action.setData(f"sample:{key}")
        menu.addAction(action)


def fill_recent(
    menu: QMenu, paths: Iterable[str], options: Mapping[str, dict[str, Any]] | None = None
) -> None:
    """Show one row per path, its data, newest first, in place of what was there.

    options : how a file was read, by path; also the row's property OPTIONS
    """
    menu.clear()
    menu.setToolTipsVisible(True)
    for path in paths:
        how = (options or {}).get(path, {})
        said = f" ({words_of(how)})" if how else ""
        action = QAction(button_words(f"{Path(path).name}{said}"), menu)
        action.setToolTip(in_sight(f"{path}{said}", SENTENCE))
        action.setData(path)
        action.setProperty(OPTIONS, how or None)
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
