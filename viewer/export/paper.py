"""A panel made ready for paper while it is drawn: large enough for all of it, without controls.

All of it happens in one turn of the event loop, so the window shows nothing of it. A panel may have
`to_paper(on) -> QSize | None`, which prepares or restores the panel and returns the size that holds
all of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from PyQt6.QtCore import QSize
from PyQt6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QToolButton,
    QWidget,
)

COMFORTABLE = QSize(840, 480)  # pixels, at least: no caption of ours is cut there
LARGEST = QSize(6000, 8000)  # pixels; a picture has a few times as many
CONTROLS = (QToolButton, QPushButton, QComboBox, QLineEdit, QAbstractSpinBox, QProgressBar)


@contextmanager
def on_paper(panel: QWidget, least: QSize = COMFORTABLE) -> Iterator[None]:
    """Give a panel at least that size, without controls."""
    before, focus = panel.size(), QApplication.focusWidget()
    prepare: Any = getattr(panel, "to_paper", lambda _on: None)
    above = panel.parentWidget()
    around = above.layout() if above is not None else None
    if around is not None:
        around.setEnabled(False)  # else it takes the size back as soon as a child is hidden
    hidden: list[QWidget] = []
    try:
        size = prepare(True) or panel.size().expandedTo(least)
        panel.resize(size.boundedTo(LARGEST))
        lay_out(panel)  # what folds by its size shows other controls now
        hidden = hide_controls(panel)
        lay_out(panel)
        getattr(panel, "flush", lambda: None)()
        yield
    finally:
        prepare(False)
        for part in hidden:
            part.show()
        panel.resize(before)
        lay_out(panel)
        if around is not None:
            around.setEnabled(True)
        if focus is not None and focus in hidden:
            focus.setFocus()


def lay_out(panel: QWidget) -> None:
    """Give every part its place now."""
    for part in [panel, *panel.findChildren(QWidget)]:
        inner = part.layout()
        if inner is not None:
            inner.activate()


def hide_controls(panel: QWidget) -> list[QWidget]:
    """Hide the controls that are shown, and their labels; return them."""
    parts = [part for part in panel.findChildren(QWidget) if isinstance(part, CONTROLS)]
    labels = [label for label in panel.findChildren(QLabel) if label.buddy() in parts]
    every: list[QWidget] = [*parts, *labels]
    shown = [part for part in every if part.isVisibleTo(panel)]
    for part in shown:
        part.hide()
    return shown
