"""Two clocks inside the window: when it was first painted, and how long it stalled.

A stall is the time by which a 5 ms timer of the GUI thread came late while a run
streamed: what a user feels as a window that does not answer. Both are read by
`sssp-scope bench` from the hidden switches of `viewer.app`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PyQt6.QtCore import QEvent, QObject, Qt, QTimer

from viewer.raster import raster

if TYPE_CHECKING:
    from viewer.main_window import MainWindow
    from viewer.models.session import RunRecord

TICK_MS = 5
LOOK_MS = 200  # between two looks at whether everything is loaded
SETTLE_MS = 1500  # watched after the run has been verified: the replay starts here


class _PaintWatch(QObject):
    """Calls back once, after the first paint of a widget."""

    def __init__(self, widget: QObject, call: Callable[[], None]) -> None:
        super().__init__(widget)
        self._call: Callable[[], None] | None = call
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Look for the paint; never eat an event."""
        if event is not None and event.type() == QEvent.Type.Paint and self._call is not None:
            QTimer.singleShot(0, self._call)  # after this paint has been done
            self._call = None
        return False


def when_painted(window: MainWindow, call: Callable[[], None]) -> None:
    """Call back once `window` and everything in it has been painted for the first time."""
    _PaintWatch(window, call)


class StallWatch(QObject):
    """The longest lateness of a 5 ms timer, in ms, since `restart`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.longest_ms = 0.0
        self.ticks = 0
        self._last = time.perf_counter()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)

    def restart(self) -> None:
        """Forget what was seen and watch."""
        self.longest_ms, self.ticks, self._last = 0.0, 0, time.perf_counter()
        self._timer.start()

    def stop(self) -> None:
        """Stop watching."""
        self._timer.stop()

    def _tick(self) -> None:
        now = time.perf_counter()
        self.longest_ms = max(self.longest_ms, (now - self._last) * 1e3 - TICK_MS)
        self.ticks += 1
        self._last = now


def print_stall(window: MainWindow) -> None:
    """Watch the first run that `window` makes; print the longest stall in ms and close.

    The run is started as a user would, once the graph is seen and everything is loaded.
    """
    window.run_on_start = False
    watch = StallWatch(window)

    def added(_record: RunRecord) -> None:
        watch.restart()

    def changed(record: RunRecord) -> None:
        if record.verification is not None or record.state == "failed":
            QTimer.singleShot(SETTLE_MS, report)

    def report() -> None:
        watch.stop()
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
