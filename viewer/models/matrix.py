"""The part and the cell of a matrix that are looked at, and which sources are at work.

The row is the session's source; the column is kept here. `SourceStates` are exact at probe level 2;
below it samples count the sources, which are begun in order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PyQt6.QtCore import QObject, pyqtSignal

from gpu.record.trace import reached_mask
from gpu.words import thousands, time_words
from viewer.models.session import RunRecord, SessionModel
from viewer.raster.matrix import Window

WAITING, RUNNING, DONE, BEGUN = range(4)  # BEGUN: running or done, nobody knows which
STATE_NAMES = ("waiting", "running", "done", "begun")


@dataclass(frozen=True, eq=False)
class SourceStates:
    """The sources of a run at a moment: `state` uint8 (k,), and how many wait, run, are done."""

    state: np.ndarray
    waiting: int
    running: int
    done: int

    @property
    def words(self) -> str:
        """Return "12 done, 4 running, 84 waiting"."""
        named = ((self.done, "done"), (self.running, "running"), (self.waiting, "waiting"))
        return ", ".join(f"{thousands(count)} {word}" for count, word in named)


def states_at(record: RunRecord, cursor_ns: float) -> SourceStates:
    """Return what the sources do at a moment, infinite for the newest state known."""
    count = record.source_count
    state = np.zeros(count, np.uint8)
    waiting, running, done = _counts_at(record, cursor_ns, count)
    probe = record.sources
    if probe is not None:
        part = slice(record.settings.source, record.settings.source + count)
        begun, ended = probe.first_reached_ns[part], probe.last_improved_ns[part]
        state[(begun >= 0) & (begun <= cursor_ns)] = RUNNING
        state[(ended >= 0) & (ended <= cursor_ns) & (state == RUNNING)] = DONE
    first = state[: running + done]  # begun in order; a kernel may tell the times at its end only
    if record.running or probe is None:
        first[first == WAITING] = BEGUN if running else DONE
    if probe is not None and not (state == BEGUN).any():
        each = np.bincount(state, minlength=3)
        waiting, running, done = int(each[WAITING]), int(each[RUNNING]), int(each[DONE])
    return SourceStates(state, waiting, running, done)


def _counts_at(record: RunRecord, cursor_ns: float, count: int) -> tuple[int, int, int]:
    """Return how many sources wait, run and are done by the last sample before a moment."""
    samples = record.samples
    if not len(samples):
        return count, 0, 0
    place = int(np.searchsorted(samples["t_ns"], cursor_ns, side="right")) - 1
    if place < 0:
        return count, 0, 0
    waiting, running, done = (int(value) for value in samples["occupancy"][place][:3])
    return waiting, running, done


class MatrixModel(QObject):
    """The chosen cell and the part shown; see the module docstring."""

    cell_changed = pyqtSignal()  # another row or column
    window_changed = pyqtSignal()  # another part of the matrix
    record_changed = pyqtSignal()

    def __init__(self, session: SessionModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.record: RunRecord | None = None
        self.column = -1  # 0-based vertex, -1: none chosen
        self.window = Window(0, 1, 0, 1)
        session.current_changed.connect(self._take_current)
        session.row_changed.connect(self._take_row)
        self._take_current(session.current)

    @property
    def row(self) -> int:
        """The chosen row; 0 where there is no matrix."""
        return self.record.row if self.record is not None else 0

    @property
    def whole(self) -> Window:
        """All of the matrix."""
        if self.record is None:
            return Window(0, 1, 0, 1)
        return Window(0, self.record.source_count, 0, max(self.record.graph_reference.n, 1))

    # --- wishes

    def choose(self, row: int, column: int) -> None:
        """Choose a cell, clamped to the matrix; the row becomes the session's source."""
        if self.record is None:
            return
        whole = self.whole
        row = max(0, min(row, whole.rows - 1))
        column = max(-1, min(column, whole.columns - 1))
        changed, self.column = column != self.column, column
        if row != self.row:
            self._session.set_source(self.record.settings.source + row)
        elif changed:
            self.cell_changed.emit()
        self._keep_in_sight()

    def choose_column(self, vertex: int) -> None:
        """Choose a column: a 0-based vertex."""
        self.choose(self.row, vertex)

    def move(self, rows: int, columns: int) -> None:
        """Go to a neighbouring cell."""
        self.choose(self.row + rows, max(self.column, 0) + columns)

    def set_window(self, window: Window) -> None:
        """Show a part of the matrix."""
        window = window.inside(self.whole)
        if window != self.window:
            self.window = window
            self.window_changed.emit()

    def fit(self) -> None:
        """Show all of it."""
        self.set_window(self.whole)

    def zoom(self, factor: float, row: float, column: float) -> None:
        """Show `factor` times as much; `row`, `column` (entries) stay where they are."""
        self.set_window(self.window.zoomed(factor, row, column, self.whole))

    # --- the session changed

    def _take_current(self, record: RunRecord | None) -> None:
        chosen = record if record is not None and record.is_matrix else None
        before, self.record = self.whole, chosen
        if self.whole != before:
            self.column = -1
            self.window = self.whole
            self.window_changed.emit()
        self.record_changed.emit()
        self.cell_changed.emit()

    def _take_row(self, record: RunRecord) -> None:
        if record is self.record:
            self._keep_in_sight()
            self.cell_changed.emit()

    def _keep_in_sight(self) -> None:
        """Move the part shown so that the chosen cell is in it."""
        window, column = self.window, max(self.column, 0)
        rows = _overhang(self.row, window.first_row, window.rows)
        columns = _overhang(column, window.first_column, window.columns) if self.column >= 0 else 0
        if rows or columns:
            self.set_window(window.moved(rows, columns, self.whole))


def _overhang(place: int, first: int, count: int) -> int:
    """Return how far a window must move for a place to be in it."""
    return min(place - first, 0) or max(place - (first + count - 1), 0)


def name_of(session: SessionModel, vertex: int) -> str:
    """Return the file's own name of a 0-based vertex of the session's graph."""
    graph = session.graph
    return str(graph.id_of(vertex)) if graph is not None and 0 <= vertex < graph.n else str(vertex)


def cell_words(session: SessionModel, record: RunRecord, row: int, column: int) -> str:
    """Return "row 3, column 7: distance 12 · source from 1.0 ms to 1.2 ms, 9 rounds"."""
    matrix = record.matrix
    source = record.settings.source + row
    words = f"row {name_of(session, source)}, column {name_of(session, column)}: "
    if matrix is None:
        return f"{words}not known"
    value = matrix[row, column]
    if reached_mask(matrix[row : row + 1, column])[0]:
        words += f"distance {value:,}" if matrix.dtype.kind == "i" else f"distance {value:g}"
    else:
        words += "unreached so far" if record.running else "unreached"
    return f"{words}{_source_words(record, source)}"


def _source_words(record: RunRecord, source: int) -> str:
    probe = record.sources
    if probe is None or probe.first_reached_ns[source] < 0:
        return ""
    begun, ended = int(probe.first_reached_ns[source]), int(probe.last_improved_ns[source])
    if ended < 0:
        return f" · source begun at {time_words(begun)}, not done"
    rounds = int(probe.times_processed[source])
    return f" · source from {time_words(begun)} to {time_words(ended)}, {rounds:,} rounds"
