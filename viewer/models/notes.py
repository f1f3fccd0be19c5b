"""Notes pinned to moments of runs and to vertices of graphs, as long as the window is open.

While two runs are compared, the notes of both are shown on A's clock (`flags`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject, pyqtSignal

from gpu.graph import CSRGraph
from gpu.record.notes import MOST_NOTES, Note
from gpu.record.trace import Trace

if TYPE_CHECKING:
    from viewer.models.session import RunRecord


@dataclass(frozen=True)
class Pin:
    """A note and where it belongs: the run of a moment (else 0), the hash of the graph."""

    note: Note
    run_id: int
    graph: str

    @property
    def at(self) -> int:
        """Its moment, ns, or its vertex."""
        place = self.note.t_ns if self.note.vertex is None else self.note.vertex
        assert place is not None
        return place


@dataclass(frozen=True)
class Flag:
    """A moment's note as it is shown: when, ns on A's clock, and the letter of its run.

    letter : "A" or "B", "" where one run is shown
    """

    pin: Pin
    time_ns: float
    letter: str


class NotesModel(QObject):
    """All notes, in the order in which they were made; see the module docstring."""

    changed = pyqtSignal()

    def __init__(
        self,
        parent: QObject,
        current: Callable[[], RunRecord | None],
        graph: Callable[[], CSRGraph | None],
    ) -> None:
        super().__init__(parent)
        self._current, self._graph = current, graph
        self._b: RunRecord | None = None  # where two runs are compared
        self.pinned: tuple[Pin, ...] = ()

    def show_pair(self, b: RunRecord | None) -> None:
        """Show B's notes too; None for one run alone."""
        self._b = b
        self.changed.emit()

    # --- what there is

    def moments(self, run: RunRecord | None) -> list[Pin]:
        """Return the notes at moments of a run, in order of time."""
        of = [pin for pin in self.pinned if run is not None and pin.run_id == run.run_id]
        return sorted((pin for pin in of if pin.note.t_ns is not None), key=lambda pin: pin.at)

    def at_vertices(self, graph: str) -> list[Pin]:
        """Return the notes at vertices of the graph of that hash."""
        return [pin for pin in self.pinned if pin.note.vertex is not None and pin.graph == graph]

    def flags(self) -> list[Flag]:
        """Return the notes at moments of the run shown, or of A and B, by time on A's clock."""
        run = self._current()
        if self._b is None or run is None:
            return [Flag(pin, pin.at, "") for pin in self.moments(run)]
        flags = [Flag(pin, pin.at, "A") for pin in self.moments(run)]
        flags += [Flag(pin, pin.at, "B") for pin in self.moments(self._b)]
        return sorted(flags, key=lambda flag: flag.time_ns)

    def shown(self) -> list[Pin]:
        """Return what concerns the runs and the graph that are shown: moments first."""
        return [*(flag.pin for flag in self.flags()), *self.at_vertices(self.graph_shown())]

    def of_other_runs(self) -> int:
        """Return how many notes stand at moments of runs of this graph that are not shown."""
        shown, here = self.shown(), self.graph_shown()
        return sum(pin.graph == here and pin not in shown for pin in self.pinned)

    def at_moment(self, run: RunRecord, time_ns: float) -> int:
        """Return the whole ns nearest to a time that a note of this run can stand at."""
        last = int(run.samples["t_ns"][-1]) if len(run.samples) else 0
        return min(max(round(time_ns), 0), last)

    def graph_shown(self) -> str:
        """Return the hash of the graph that is shown, as far as it is known, else ""."""
        run, graph = self._current(), self._graph()
        if run is not None:
            return run.graph_reference.hash
        return "" if graph is None or "hash" not in vars(graph) else graph.hash

    def trace_of(self, run: RunRecord) -> Trace:
        """Return the trace of a run that ended, with the notes and the proofs that it has now."""
        assert run.trace is not None
        trace = run.trace
        notes = tuple(pin.note for pin in self._kept_with(run)[:MOST_NOTES])
        if notes == trace.notes and run.verification is trace.verification:
            return trace
        return replace(trace, notes=notes, verification=run.verification)

    def _kept_with(self, run: RunRecord) -> list[Pin]:
        return [*self.moments(run), *self.at_vertices(run.graph_reference.hash)]

    # --- what a person does

    def pin(self, pin: Pin) -> bool:
        """Add a note; False where there are as many as a trace can hold."""
        run = self._current()
        there = self.at_vertices(self.graph_shown()) if run is None else self._kept_with(run)
        if len(there) >= MOST_NOTES:
            return False
        self._edit((*self.pinned, pin))
        return True

    def change(self, before: Pin, after: Pin) -> None:
        """Put a note in the place of another: with other words, or elsewhere."""
        self._edit(tuple(after if pin == before else pin for pin in self.pinned))

    def remove(self, gone: Pin) -> None:
        """Take a note away."""
        self._edit(tuple(pin for pin in self.pinned if pin != gone))

    def _edit(self, pinned: tuple[Pin, ...]) -> None:
        self.pinned = tuple(dict.fromkeys(pinned))
        self.changed.emit()

    # --- runs come and go

    def take_run(self, run: RunRecord) -> None:
        """Add the notes of a run that came from a file."""
        trace = run.trace
        if trace is not None and trace.notes:
            self.take(trace.notes, run.graph_reference.hash, run.run_id)

    def take(self, notes: tuple[Note, ...], graph: str, run_id: int = 0) -> None:
        """Add the notes of a file."""
        fresh = [Pin(one, run_id if one.vertex is None else 0, graph) for one in notes]
        self._edit((*self.pinned, *fresh))

    def drop_run(self, run: RunRecord) -> None:
        """Delete the notes of a run that was deleted."""
        if self.moments(run):
            self._edit(tuple(pin for pin in self.pinned if pin.run_id != run.run_id))
