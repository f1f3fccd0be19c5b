"""A panel made ready for paper while it is drawn: large enough for all of it, without controls.

All happens within one turn of the event loop, so nothing is seen in the window. A panel may have
`to_paper(on) -> QSize | None`, which prepares or restores it and returns the size that holds all of
it, and `paper_note`, a sentence about what is left out. A form (a scroll area of widgets) keeps its
fields, and grows by the part below its edge.
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
    QScrollArea,
    QToolButton,
    QWidget,
)

COMFORTABLE = QSize(840, 480)  # pixels, at least: no caption of ours is cut there
LARGEST = QSize(6000, 8000)  # pixels; a picture has a few times as many
PRESSED = (QToolButton, QPushButton, QComboBox, QLineEdit, QAbstractSpinBox, QProgressBar)


@contextmanager
def on_paper(panel: QWidget, least: QSize = COMFORTABLE) -> Iterator[str]:
    """Give a panel at least that size, without controls; yield its `paper_note`."""
    before, focus = panel.size(), QApplication.focusWidget()
    hidden: list[QWidget] = []
    ready: Any = getattr(panel, "to_paper", lambda _on: None)
    updates, above = panel.updatesEnabled(), panel.parentWidget()
    around = above.layout() if above is not None else None
    if around is not None:
        around.setEnabled(False)  # else it takes the size back as soon as a child is hidden
    panel.setUpdatesEnabled(False)
    try:
        panel.resize(_size_of(panel, ready(True), least).boundedTo(LARGEST))
        lay_out(panel)  # what folds by its size shows other controls now
        hidden = pressed_in(panel)
        for part in hidden:
            part.hide()
        _settle(panel)
        panel.setUpdatesEnabled(updates)
        yield str(getattr(panel, "paper_note", ""))
    finally:
        ready(False)
        for part in hidden:
            part.show()
        panel.resize(before)
        lay_out(panel)  # it draws itself anew when the event loop is back
        if around is not None:
            around.setEnabled(True)
        panel.setUpdatesEnabled(updates)
        if focus is not None and focus in hidden:
            focus.setFocus()


def lay_out(panel: QWidget) -> None:
    """Give every part its place now."""
    for part in [panel, *panel.findChildren(QWidget)]:
        inner = part.layout()
        if inner is not None:
            inner.activate()


def _settle(panel: QWidget) -> None:
    """Lay out and draw now what would wait for the event loop."""
    lay_out(panel)
    flush = getattr(panel, "flush", None)
    if flush is not None:
        flush()


def pressed_in(panel: QWidget) -> list[QWidget]:
    """Return the controls that are shown, and their labels."""
    if _forms(panel):
        return []
    parts = [
        part
        for part in panel.findChildren(QWidget)
        if isinstance(part, PRESSED) and part.isVisibleTo(panel) and not _belongs(part, panel)
    ]
    words = [label for label in panel.findChildren(QLabel) if label.buddy() in parts]
    return [*parts, *(label for label in words if label.isVisibleTo(panel))]


def _belongs(part: QWidget, panel: QWidget) -> bool:
    """Whether a control is a piece of another one, which is hidden whole."""
    above = part.parentWidget()
    while above is not None and above is not panel:
        if isinstance(above, PRESSED):
            return True
        above = above.parentWidget()
    return False


def _forms(panel: QWidget) -> list[QScrollArea]:
    return [area for area in panel.findChildren(QScrollArea) if area.isVisibleTo(panel)]


def _size_of(panel: QWidget, own: QSize | None, least: QSize) -> QSize:
    """Return what it wants, else at least `least`; a form grows by what is below its edge."""
    if own is not None:
        return own
    forms = _forms(panel)
    if not forms:
        return panel.size().expandedTo(least)
    size = panel.size().expandedTo(QSize(least.width() // 2, 0))
    for area in forms:
        inner = area.widget()
        if inner is not None:
            more = inner.sizeHint().height() - area.height()
            size.setHeight(size.height() + max(more, 0))
    return size
