"""Looks at a matrix, stripe by stripe on a worker thread, and keeps the picture of it.

A pixel row is final once all of its sources are done, or the run has ended; until then it is
looked at again and again, in turn, so that a running matrix is seen to fill. While a run goes on
the looker rests twice as long as it works: the engine needs the processor more.
"""

from __future__ import annotations

import time

import numpy as np
from PyQt6.QtCore import QObject, pyqtSignal

from viewer.common.later import once
from viewer.graph.colours import MOST, STRETCH
from viewer.graph.picture import NewestFirst
from viewer.models.matrix import DONE, WAITING, states_at
from viewer.models.session import RunRecord
from viewer.raster.matrix import Grid, Stripe, Window, look

REST = 2  # times the cost of a stripe between two, while a run goes on
LEAST_REST_MS = 60
AT_ONCE = 1 << 26  # entries that somebody may be made to wait for: some 0.3 s
Looked = tuple["RunRecord | None", "Grid | None", Stripe, np.ndarray, float]
NEVER, ONCE, FINAL = range(3)


class MatrixLook(QObject):
    """The picture of one run's matrix; `changed` when more of it is known."""

    changed = pyqtSignal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.record: RunRecord | None = None
        self.grid: Grid | None = None
        self.mean = np.zeros((0, 0), np.float32)
        self.unreached = np.zeros((0, 0), np.int64)
        self.top = 0.0  # the largest distance met, in any window
        self._looked = np.zeros(0, np.uint8)  # of each pixel row
        self._turn = 0
        self._requested = False
        self._worker = NewestFirst(self)
        self._worker.done.connect(self._take)
        self._rest = once(self, self._ask)

    @property
    def share(self) -> float:
        """How much of the picture is final, 0 to 1."""
        return float((self._looked == FINAL).mean()) if len(self._looked) else 1.0

    @property
    def final(self) -> bool:
        """Whether the run has ended and all of its matrix was looked at."""
        return self.record is not None and not self.record.running and self.share == 1

    @property
    def most(self) -> float:
        """The distance that all but a few pixels lie below, or the largest where that is near."""
        reached = self.mean[np.isfinite(self.mean)]
        most = float(np.quantile(reached, MOST)) if len(reached) else 0.0
        return most if 0 < most * STRETCH < self.top else self.top

    def show(self, record: RunRecord | None, grid: Grid | None) -> None:
        """Look at a run's matrix through a grid; the same ones again change nothing."""
        if record is not self.record:
            self.top = 0.0
        elif grid == self.grid:
            self._ask()
            return
        self.record, self.grid = record, grid
        shape = grid.shape if grid is not None and record is not None else (0, 0)
        self.mean = np.full(shape, np.nan, np.float32)
        self.unreached = np.zeros(shape, np.int64)
        self._looked = np.zeros(shape[0], np.uint8)
        self._turn = 0
        self._rest.stop()
        self._ask()

    def pixel(self, row: int, column: int) -> tuple[int, int] | None:
        """Return the pixel of an entry, None where it is not in the picture."""
        if self.grid is None:
            return None
        window = self.grid.window
        place = (row - window.first_row, column - window.first_column)
        if 0 <= place[0] < window.rows and 0 <= place[1] < window.columns:
            return place[0] // self.grid.row_step, place[1] // self.grid.column_step
        return None

    def finish(self) -> None:
        """Look at the rest now, for pictures and tests, unless that would take a while."""
        if self.grid is None or (1 - self.share) * self.grid.entries > AT_ONCE:
            return
        for _ in range(2 * len(self._looked) + 2):
            self._rest.stop()
            self._ask()
            if not self._requested:
                return
            self._worker.wait()

    def close(self) -> None:
        """Look no more."""
        self._rest.stop()
        self._worker.clear()
        self.record = self.grid = None
        self._looked = np.zeros(0, np.uint8)

    def _ask(self) -> None:
        record, grid = self.record, self.grid
        matrix = record.matrix if record is not None else None
        if self._requested or self._rest.isActive() or record is None or grid is None:
            return
        if matrix is None or matrix.shape[0] < grid.window.first_row + grid.window.rows:
            return
        begun, final = _rows_known(record, grid)
        waits = np.flatnonzero((self._looked < FINAL) & begun)
        if not len(waits):
            return
        fresh = waits[self._looked[waits] == NEVER]
        later = waits[waits >= self._turn]
        first = int(fresh[0] if len(fresh) else later[0] if len(later) else waits[0])
        last = min(first + grid.rows_at_once, grid.shape[0])
        self._turn = last if last < grid.shape[0] else 0
        state = np.where(final[first:last], FINAL, ONCE).astype(np.uint8)

        def job() -> Looked:
            begun_at = time.perf_counter()
            stripe = look(matrix, grid, first, last)
            return record, grid, stripe, state, time.perf_counter() - begun_at

        self._requested = True
        self._worker.submit(job)

    def _take(self, looked: Looked) -> None:
        record, grid, stripe, state, took = looked
        self._requested = False
        if record is self.record and grid == self.grid and record is not None:
            part = slice(stripe.first, stripe.first + len(stripe.mean))
            self.mean[part] = stripe.mean
            self.unreached[part] = stripe.unreached
            self._looked[part] = state
            self.top = max(self.top, stripe.top)
            self.changed.emit()
            if record.running:
                self._rest.start(max(LEAST_REST_MS, int(1000 * REST * took)))
        self._ask()


def _rows_known(record: RunRecord, grid: Grid) -> tuple[np.ndarray, np.ndarray]:
    """Return for each pixel row whether any of its sources was begun, and whether all are final."""
    height = grid.shape[0]
    if not record.running:
        return np.ones(height, np.bool_), np.ones(height, np.bool_)
    window: Window = grid.window
    state = states_at(record, np.inf).state[window.first_row : window.first_row + window.rows]
    starts = np.arange(0, window.rows, grid.row_step)
    begun = np.logical_or.reduceat(state != WAITING, starts)
    return begun, np.logical_and.reduceat(state == DONE, starts)
