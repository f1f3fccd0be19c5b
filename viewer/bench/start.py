"""Two clocks inside the window: time to the first paint, and the longest stall.

A stall is the lateness of a 5 ms timer of the GUI thread while a run streams. The hidden
switches of `viewer.app` use both for `sssp-scope bench`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PyQt6.QtCore import QEvent, QObject, Qt, QTimer

from viewer.docks import EXPLORE
from viewer.raster import raster

if TYPE_CHECKING:
    from viewer.main_window import MainWindow
    from viewer.models.session import RunRecord

TICK_MS = 5
LOOK_MS = 200  # between two checks whether everything is loaded
SETTLE_MS = 1500  # after the proofs: the replay starts here


class _PaintWatch(QObject):
    """Calls back once, after the first paint of a widget."""

    def __init__(self, widget: QObject, call: Callable[[], None]) -> None:
        super().__init__(widget)
        self._call = call
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Look for the paint; never eat an event."""
        if watched is not None and event is not None and event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self._call)  # after this paint has been done
        return False


def when_painted(window: MainWindow, call: Callable[[], None]) -> None:
    """Call back once `window` and everything in it has been painted for the first time."""
    _PaintWatch(window, call)


class StallWatch(QObject):
    """The longest lateness of a 5 ms timer, in ms, since `restart`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.longest_ms = 0.0
        self._last = time.perf_counter()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)

    def restart(self) -> None:
        """Start from zero."""
        self.longest_ms = 0.0
        self._last = time.perf_counter()
        self._timer.start()

    def _tick(self) -> None:
        now = time.perf_counter()
        self.longest_ms = max(self.longest_ms, (now - self._last) * 1e3 - TICK_MS)
        self._last = now


def print_stall(window: MainWindow) -> None:
    """Watch one run with all controls shown; print the longest stall in ms and close.

    The run starts once the graph is drawn and the compiled loops are loaded. No other run follows.
    """
    window.run_on_start = False
    window.docks.choose(EXPLORE)
    watch = StallWatch(window)

    def added(_record: RunRecord) -> None:
        watch.restart()

    def changed(record: RunRecord) -> None:
        if record.verification is not None or record.state == "failed":
            QTimer.singleShot(SETTLE_MS, report)

    def report() -> None:
        print(f"{watch.longest_ms:.1f}", flush=True)
        window.close()

    def press_run() -> None:
        if window.controller.ready and raster.kernels() is not None:
            poll.stop()
            window.start_run()

    poll = QTimer(window)
    poll.setInterval(LOOK_MS)
    poll.timeout.connect(press_run)
    window.session.graph_changed.connect(poll.start)
    window.session.run_added.connect(added)
    window.session.run_changed.connect(changed)
