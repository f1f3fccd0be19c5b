"""One panel a turn: panels that want to draw at the same time do so one after another.

What a person feels is not the time that all panels take together but the longest time in which
the window answers nothing. When five panels draw in one turn of the event loop, they are all
painted in it too: 40 to 60 ms. So a panel asks for a turn; each turn of the loop gives one, paints
what that panel changed, and looks at mouse, keys and timers before the next. A panel that asks
again waits behind those that asked before. Panels that have little to do (a cursor that moved)
share a turn, as many as fit into `SHARED_MS`.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

from PyQt6.QtCore import QObject, QTimer

SHARED_MS = 4.0
BETWEEN_MS = 1  # not 0: what fell due meanwhile, a timer or a paint, comes first


class Turns(QObject):
    """Gives a turn to each who asks, in that order; see the module docstring."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._waiting: OrderedDict[object, Callable[[], None]] = OrderedDict()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._next)

    @classmethod
    def of(cls, owner: QObject) -> Turns:
        """Return the turns of whatever panels have in common, made when first asked for."""
        existing = owner.findChild(cls)
        return existing if existing is not None else cls(owner)

    def ask(self, who: object, call: Callable[[], None]) -> None:
        """Call once, soon; nothing changes for somebody who waits already."""
        if who not in self._waiting:
            self._waiting[who] = call
            if not self._timer.isActive():
                self._timer.start(0)

    def forget(self, who: object) -> None:
        """Somebody no longer wants a turn, or is gone."""
        self._waiting.pop(who, None)

    def waits(self, who: object) -> bool:
        """Whether somebody's turn is still to come."""
        return who in self._waiting

    def _next(self) -> None:
        began = time.perf_counter()
        while self._waiting and (time.perf_counter() - began) * 1e3 < SHARED_MS:
            self._waiting.popitem(last=False)[1]()
        if self._waiting:
            self._timer.start(BETWEEN_MS)
