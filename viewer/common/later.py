"""What is done when the events under way have been handled, if its owner still is."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QObject, QTimer


def once(owner: QObject, call: Callable[[], object], milliseconds: int = 0) -> QTimer:
    """Return a timer that calls once, so long after each `start()`; never after its owner's end."""
    timer = QTimer(owner)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    timer.timeout.connect(call)
    return timer


def later(owner: QObject, call: Callable[[], object], milliseconds: int = 0) -> None:
    """Call after so long, by default once the event loop comes round; never after the owner's end.

    `QTimer.singleShot` keeps that only for methods of a QObject; closures it calls anyway.
    """
    timer = once(owner, call, milliseconds)
    timer.timeout.connect(timer.deleteLater)
    timer.start()
