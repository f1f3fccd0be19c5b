"""Keeps the session every half minute, where something changed; offers it after a crash.

What is kept is a workspace like those that people save: the graph as a reference (a small one
whole), the newest runs that fit into `MOST_BYTES`, cursor and arrangement. It is written in the
background, whole or not at all. A clean end removes it. What a window left that ended otherwise is
offered by the next one in a line of the bar, and is gone after that one's clean end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QTimer

from gpu.errors import CancelledByUserError, GpuError
from gpu.record.trace import Trace
from gpu.record.workspace import Workspace, save_workspace
from viewer.common.background import Task
from viewer.common.kept_graphs import kept_folder
from viewer.feature import FeaturePart, Window, Workspaces
from viewer.features.autosave.kept import KeptSession, forget, left_behind
from viewer.models.session import Notice, Offer

EVERY_MS = 30_000
MOST_BYTES = 64 << 20  # of the runs, unpacked


@dataclass(frozen=True)
class Restore:
    """What the button asks for: the session in this file."""

    path: Path


class AutosaveFeature(FeaturePart):
    """Keeps one window's session; see the module docstring."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        folder = kept_folder("sessions")
        self._old = left_behind(folder)
        self._kept = KeptSession(folder)
        self._last: tuple[Any, ...] = ()
        self._task: Task | None = None
        self._offered = False
        window.notice_bar.offer_taken.connect(self._take)
        window.controller.running_changed.connect(self._offer_again)
        self._timer = QTimer(self)
        self._timer.setInterval(EVERY_MS)
        self._timer.timeout.connect(self.keep)
        self._timer.start()
        self._offer()

    def keep(self) -> None:
        """Write the session, if anything changed since it was last written."""
        part = self._window.part(Workspaces)
        runs = self._window.session.runs
        if runs and all(run.recorded_on for run in runs):
            return  # nobody would miss it
        if part is None or self._task is not None or not self._kept.held:
            return
        workspace = bounded(part.workspace(str(self._kept.path)), MOST_BYTES)
        now = _standing(workspace)
        if now == self._last or (workspace.graph is None and not workspace.runs):
            return
        graph, path = self._window.session.graph, self._kept.path
        self._last = now
        self._task = Task(lambda: save_workspace(workspace, path, graph), self)
        self._task.ended.connect(self._have_kept)

    def close(self) -> None:
        """A clean end: nothing is to be restored."""
        self._timer.stop()
        if self._task is not None:
            self._task.give_up()
        self._kept.remove()
        forget(self._old)

    def _have_kept(self, problem: BaseException | None) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.deleteLater()
        if problem is None:
            return
        self._last = ()
        if not isinstance(problem, GpuError | OSError | CancelledByUserError):
            raise problem

    def _offer(self) -> None:
        if self._old and self._window.provides(Workspaces):
            words = "The last session ended without saying goodbye: restore it?"
            offer = Offer("Restore", Restore(self._old[0]))
            self._window.session.set_notice(Notice("info", words, offers=(offer,)))

    def _offer_again(self, running: bool) -> None:
        """The first run of a start, which nobody asked for, clears the bar: say it once more."""
        if running and not self._offered:
            self._offered = True
            QTimer.singleShot(0, self._offer)

    def _take(self, what: object) -> None:
        part = self._window.part(Workspaces)
        if isinstance(what, Restore) and part is not None:
            self._offered = True
            part.restore(str(what.path))


def bounded(workspace: Workspace, most: int) -> Workspace:
    """Return a workspace with the newest of its runs that fit into `most` bytes together."""
    kept = []
    for number, trace in reversed(workspace.runs):
        most -= bytes_of(trace)
        if most >= 0:
            kept.append((number, trace))
    return replace(workspace, runs=tuple(reversed(kept)))


def bytes_of(trace: Trace) -> int:
    """Return the bytes of a trace's arrays."""
    arrays = [trace.samples, trace.dist, trace.events]
    if trace.vertices is not None:
        arrays += [trace.vertices.first_reached_ns, trace.vertices.last_improved_ns]
        arrays += [trace.vertices.times_processed]
    return sum(array.nbytes for array in arrays if array is not None)


def _standing(workspace: Workspace) -> tuple[Any, ...]:
    """Return what tells two sessions apart."""
    runs = tuple((number, id(trace)) for number, trace in workspace.runs)
    return (
        workspace.graph,
        runs,
        workspace.current,
        workspace.b,
        workspace.source,
        workspace.window,
    )


install = AutosaveFeature
