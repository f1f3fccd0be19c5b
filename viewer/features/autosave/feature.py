"""Keeps the session every half minute and at the end; the next start offers to continue with it.

What is kept is a workspace like those that people save: the graph as a reference (a small one
whole), the newest runs that fit into `MOST_BYTES`, cursor and arrangement. It is written whole or
not at all, in the background while the window is open. The next window offers what the last one
left in a line of the bar, once, and brings all of it back together or nothing. It is gone when a
window ends that had something of its own to leave; one that only looked leaves it as it is.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QTimer

from gpu.errors import CancelledByUserError, GpuError
from gpu.record.reach import SAMPLE
from gpu.record.trace import RECORDED_ON, Trace
from gpu.record.workspace import Workspace, save_workspace, summary
from viewer.common.background import Task
from viewer.common.kept_graphs import kept_folder
from viewer.common.later import later
from viewer.feature import FeaturePart, Window, Workspaces
from viewer.features.autosave.kept import KeptSession, forget, left_behind
from viewer.models.session import Notice, Offer

EVERY_MS = 30_000
LEFT = "Your last session is here."
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
        if self._task is not None:
            return
        workspace = self._changed()
        if workspace is not None:
            graph, path = self._window.session.graph, self._kept.path
            self._task = Task(lambda: save_workspace(workspace, path, graph), self)
            self._task.ended.connect(self._have_kept)

    def close(self) -> None:
        """A clean end: what there is to continue with is left for the next start."""
        self._timer.stop()
        if self._task is not None:
            self._task.give_up()
            self._last = ()
        if not self._has_own:
            self._kept.remove()
            forget(self._old[1:])
            return
        workspace = self._changed()
        if workspace is not None:
            with suppress(GpuError, OSError):  # then what was kept last is what is left
                save_workspace(workspace, self._kept.path, self._window.session.graph)
        self._kept.leave()
        if self._kept.path.exists():
            forget(self._old)

    @property
    def _has_own(self) -> bool:
        """Whether a person made runs here, or opened a file."""
        session = self._window.session
        if any(run.trace is not None and not run.recorded_on for run in session.runs):
            return True
        graph = session.graph
        return graph is not None and not graph.provenance.origin.startswith(SAMPLE)

    def _changed(self) -> Workspace | None:
        """Return the session, None where it is as it was kept, or nobody would miss it."""
        part = self._window.part(Workspaces)
        runs = self._window.session.runs
        if part is None or not self._kept.held or (runs and all(run.recorded_on for run in runs)):
            return None
        whole = part.workspace(str(self._kept.path))
        workspace = bounded(without_recordings(whole), MOST_BYTES)
        now = _standing(workspace)
        if now == self._last or (workspace.graph is None and not workspace.runs):
            return None
        self._last = now
        return workspace

    def _have_kept(self, problem: BaseException | None) -> None:
        self._task = None
        if problem is None:
            return
        self._last = ()
        if not isinstance(problem, GpuError | OSError | CancelledByUserError):
            raise problem

    def _offer(self) -> None:
        if not self._old or not self._window.provides(Workspaces):
            return
        last = self._old[0]
        if self._window.named_file and not last.crashed:
            return  # somebody knows what to begin with
        try:
            words = summary(last.path)
        except GpuError:
            forget([last])  # nothing can be made of it
            return
        said = "The last session ended without saying goodbye." if last.crashed else LEFT
        offer = Offer(f"Continue with {words}", Restore(last.path))
        self._window.session.set_notice(Notice("info", said, offers=(offer,)))

    def _offer_again(self, running: bool) -> None:
        """The first run of a start clears the bar: after a crash, say it once more."""
        if running and not self._offered:
            self._offered = True
            if self._old and self._old[0].crashed:
                later(self, self._offer)

    def _take(self, what: object) -> None:
        part = self._window.part(Workspaces)
        if isinstance(what, Restore) and part is not None:
            self._offered = True
            part.restore(str(what.path))


def without_recordings(workspace: Workspace) -> Workspace:
    """Return a workspace without the runs that come with the program, but for those in sight."""
    seen = (workspace.current, workspace.b)
    kept = [
        (number, trace)
        for number, trace in workspace.runs
        if number in seen or not trace.environment.get(RECORDED_ON)
    ]
    return replace(workspace, runs=tuple(kept))


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
    runs = tuple(
        (number, id(trace.dist), trace.notes, trace.verification)
        for number, trace in workspace.runs
    )
    return (
        workspace.graph,
        runs,
        workspace.current,
        workspace.b,
        workspace.source,
        workspace.window,
    )


install = AutosaveFeature
