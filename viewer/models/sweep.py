"""A sweep as the window knows it: its plan, its points as they come, cancel.

`gpu.study.sweep` does the work in processes of its own; a thread waits for them, and this model's
timer takes the points from the thread. One sweep at a time; a new one replaces the points of the
one before. Nothing here blocks the window, and `close` waits until all processes are gone.
"""

from __future__ import annotations

import threading
from collections import deque

from PyQt6.QtCore import QObject, QTimer, pyqtSignal

from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.study.sweep import (
    SavedSweep,
    SweepFindings,
    SweepPlan,
    SweepPoint,
    findings,
    in_order,
    run_sweep,
)

POLL_MS = 50


class SweepModel(QObject):
    """Points of the last sweep; see the module docstring."""

    changed = pyqtSignal()  # points, or whether it runs
    progress_changed = pyqtSignal(float)  # 0..1
    failed = pyqtSignal(str)  # in words

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.plan: SweepPlan | None = None
        self.graph_name = ""
        self.graph_hash = ""
        self.recorded_on = ""  # the device, of a sweep that travels with the program
        self.points: list[SweepPoint] = []
        self.fraction = 0.0
        self._news: deque[tuple[SweepPoint, float]] = deque()
        self._fault = ""
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(POLL_MS)
        self._timer.timeout.connect(self._poll)

    @property
    def running(self) -> bool:
        """Whether points may still come."""
        return self._thread is not None

    @property
    def cancelling(self) -> bool:
        """Whether it was cancelled and ends soon."""
        return self.running and self._stop.is_set()

    def clock_words(self, clock: str) -> str:
        """Return what the times of its points are: modelled, measured, or recorded where."""
        return f"recorded on an {self.recorded_on}, {clock}" if self.recorded_on else clock

    @property
    def findings(self) -> SweepFindings:
        """The marked points of what is there so far."""
        return findings(self.points)

    def start(self, graph: CSRGraph, plan: SweepPlan, processes: int | None = None) -> None:
        """Begin; ignored while another sweep runs."""
        if self.running:
            return
        self.plan, self.points, self.fraction = plan, [], 0.0
        self.graph_name, self.graph_hash, self.recorded_on = graph.name, graph.hash, ""
        self._fault = ""
        self._stop.clear()
        self._thread = threading.Thread(
            target=self._work,
            args=(graph, plan, processes),
            name="sweep",
            daemon=True,
        )
        self._thread.start()
        self._timer.start()
        self.changed.emit()

    def show_saved(self, saved: SavedSweep, recorded_on: str = "") -> None:
        """Show a sweep that was made before, in place of what is shown."""
        self.recorded_on = recorded_on
        self.plan, self.points = saved.plan, list(saved.points)
        self.graph_name, self.graph_hash = saved.graph_name, saved.graph_hash
        self.changed.emit()

    def cancel(self) -> None:
        """End the sweep soon; the points that are there stay."""
        self._stop.set()
        if self.running:
            self.changed.emit()

    def close(self) -> None:
        """Cancel, and wait until the sweep's thread is gone. Idempotent."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self._timer.stop()

    def _work(self, graph: CSRGraph, plan: SweepPlan, processes: int | None) -> None:
        def on_point(point: SweepPoint, share: float) -> None:
            self._news.append((point, share))

        try:
            run_sweep(graph, plan, on_point, processes, self._stop.is_set)
        except (GpuError, OSError) as error:
            self._fault = str(error)

    def _poll(self) -> None:
        over = self._thread is not None and not self._thread.is_alive()
        fresh = bool(self._news)
        while self._news:
            point, self.fraction = self._news.popleft()
            self.points = in_order([*self.points, point])
        if fresh:
            self.progress_changed.emit(self.fraction)
        if over:
            self.close()
        if fresh or over:
            self.changed.emit()
        if over and self._fault:
            self.failed.emit(self._fault)
