"""Two marks on the shared axis of time.

A mark stands at a sample: it goes to the nearest one. With one mark only, the other end is the
cursor. Marks are called 1 and 2, since A and B are runs. Another run has other times, so its marks
are cleared.
"""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QObject, pyqtSignal

Marks = tuple[float | None, float | None]  # ns of marks 1 and 2
NO_MARKS: Marks = (None, None)


class MeasureModel(QObject):
    """Where the two marks stand; see the module docstring."""

    changed = pyqtSignal()  # a mark stands elsewhere

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.marks: Marks = NO_MARKS
        self._instants = (np.zeros(0), np.zeros(0))  # of the run's samples, and of B's

    @property
    def active(self) -> bool:
        """Whether a mark is set."""
        return self.marks != NO_MARKS

    def set_instants(self, times_ns: np.ndarray) -> None:
        """Know when the run's samples are, ns, rising."""
        self._instants = (times_ns, self._instants[1])

    def set_more_instants(self, times_ns: np.ndarray) -> None:
        """Know when B's samples are shown: past the end of A marks stand at those."""
        self._instants = (self._instants[0], times_ns)
        first, last = (None if mark is None else self.snapped(mark) for mark in self.marks)
        self.set_marks((first, last))

    def put(self, place: int, time_ns: float) -> None:
        """Put mark 1 (place 0) or 2 (place 1) at the sample nearest to a time."""
        marks = list(self.marks)
        marks[place] = self.snapped(time_ns)
        self.set_marks((marks[0], marks[1]))

    def put_next(self, time_ns: float) -> None:
        """Put mark 1 where there is none yet, else mark 2."""
        self.put(0 if self.marks[0] is None else 1, time_ns)

    def put_both(self, first_ns: float, last_ns: float) -> None:
        """Put both marks at the samples nearest to two times."""
        self.set_marks((self.snapped(first_ns), self.snapped(last_ns)))

    def step(self, place: int, samples: int) -> None:
        """Move a mark by so many samples."""
        here = self.marks[place]
        times = self._times(0.0 if here is None else here)
        if here is not None and len(times):
            at = int(np.searchsorted(times, here))
            self.put(place, float(times[min(max(at + samples, 0), len(times) - 1)]))

    def set_marks(self, marks: Marks) -> None:
        """Put both marks where they are said to be."""
        news = marks != self.marks
        self.marks = marks
        if news:
            self.changed.emit()

    def remove(self, place: int) -> None:
        """Take one mark away."""
        self.set_marks((None, self.marks[1]) if place == 0 else (self.marks[0], None))

    def clear(self) -> None:
        """Take both marks away."""
        self.set_marks(NO_MARKS)

    def snapped(self, time_ns: float) -> float:
        """Return when the sample nearest to a time is."""
        times = self._times(time_ns)
        if not len(times):
            return max(float(time_ns), 0.0)
        after = min(int(np.searchsorted(times, time_ns)), len(times) - 1)
        near = times[max(after - 1, 0) : after + 1]
        return float(near[np.argmin(np.abs(near - time_ns))])

    def ends(self, cursor_ns: float) -> tuple[float, float] | None:
        """Return the interval that is measured, ns, rising; None where no mark is set."""
        if not self.active:
            return None
        first, last = (cursor_ns if mark is None else mark for mark in self.marks)
        return min(first, last), max(first, last)

    def _times(self, time_ns: float) -> np.ndarray:
        own, more = self._instants
        return more if len(own) and len(more) and time_ns > max(own[-1], 0) else own
