"""A sweep as the window knows it: its plan, its points as they come, cancel.

`gpu.study.sweep` does the work in processes of its own; a thread waits for them. One sweep at a
time; a new one replaces the points of the one before.
"""

from __future__ import annotations

import threading

from PyQt6.QtCore import QObject, pyqtSignal

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
from viewer.common.background import Task


class SweepModel(QObject):
    """Points of the last sweep; see the module docstring."""

    changed = pyqtSignal()  # points, or whether it runs
    failed = pyqtSignal(str)  # in words
    _arrived = pyqtSignal(object, float)  # SweepPoint, share done; sent by the sweep's thread

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.plan: SweepPlan | None = None
        self.graph_name = ""
        self.graph_hash = ""
        self.recorded_on = ""  # the device, of a sweep that travels with the program
        self.points: list[SweepPoint] = []
        self.fraction = 0.0
        self._stop = threading.Event()
        self._task: Task | None = None
        self._arrived.connect(self._take)

    @property
    def running(self) -> bool:
        """Whether points may still come."""
        return self._task is not None

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
        self._stop.clear()
        arrived, stopped = self._arrived.emit, self._stop.is_set
        self._task = Task(lambda: run_sweep(graph, plan, arrived, processes, stopped), self)
        self._task.ended.connect(self._end)
        self.changed.emit()

    def show_saved(self, saved: SavedSweep, recorded_on: str = "") -> None:
        """Show a sweep that was made before, in place of what is shown."""
        self.recorded_on = recorded_on
        self.plan, self.points = saved, list(saved.points)
        self.graph_name, self.graph_hash = saved.graph_name, saved.graph_hash
        self.changed.emit()

    def cancel(self) -> None:
        """End the sweep soon; the points that are there stay."""
        self._stop.set()
        if self.running:
            self.changed.emit()

    def close(self) -> None:
        """Cancel, and wait until the sweep's processes are gone. Idempotent."""
        self._stop.set()
        if self._task is not None:
            self._task.wait()

    def _take(self, point: SweepPoint, share: float) -> None:
        self.points, self.fraction = in_order([*self.points, point]), share
        self.changed.emit()

    def _end(self, problem: BaseException | None) -> None:
        self._task = None
        self.changed.emit()
        if isinstance(problem, GpuError | OSError):
            self.failed.emit(str(problem))
        elif problem is not None:
            raise problem
