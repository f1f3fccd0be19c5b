"""The table of runs as a Qt model: one row a run, sortable by what the cells stand for.

A column is a title, words for the cell and a value to sort by; to add one is to add a row to
`COLUMNS`. Cells of runs that go on change a few times a second at most (`LIVE_MS`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PyQt6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt, QTimer
from PyQt6.QtGui import QColor

from gpu.study.compare_words import name_of
from gpu.words import SENTENCE, distance, in_sight, percent, thousands, time_words
from viewer.common.glossary import explain
from viewer.common.theme import THEMES, Theme
from viewer.models.comparison import ComparisonModel
from viewer.models.machines import engine_of
from viewer.models.session import RunRecord, SessionModel

LIVE_MS = 250
SORT_ROLE = int(Qt.ItemDataRole.UserRole)
NOTHING = "–"
MAKER = "NVIDIA "  # before the names of GPUs
LAST = float("inf")  # what is not known sorts to the end
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True)
class Column:
    """One column: title, what it means, words of a cell, value to sort by."""

    title: str
    tip: str
    words: Callable[[RunRecord], str]
    value: Callable[[RunRecord], Any]
    number: bool = False


def _time_ns(record: RunRecord) -> float:
    return float(record.samples["t_ns"][-1]) if len(record.samples) else LAST


def _source_words(record: RunRecord) -> str:
    more = f" + {thousands(record.source_count - 1)}" if record.source_count > 1 else ""
    return f"{record.graph_reference.source_id}{more}"


def _time_words(record: RunRecord) -> str:
    if not len(record.samples):
        return NOTHING
    level = record.settings.probe
    probed = f", level {level}" if record.clock == "measured" and level else ""
    recorded = "recorded, " if record.recorded_on else ""
    return f"{time_words(_time_ns(record))} {recorded}{record.clock}{probed}"


def _work(record: RunRecord) -> float:
    counted = len(record.samples) and (record.trace is None or record.trace.counted)
    return float(record.samples["processed_vertices"][-1]) if counted else LAST


def _efficiency(record: RunRecord) -> float:
    trace = record.trace
    counted = trace is not None and trace.counted and record.state == "finished"
    if trace is None or not counted or record.reached is None:
        return -1.0
    return record.reached / max(trace.processed_vertices, 1)


def _delta_words(record: RunRecord) -> str:
    if not record.algorithm.bucketed:
        return "none"
    delta = record.settings.delta
    if delta is not None:
        return distance(delta)
    if record.algorithm.dynamic and len(record.samples):
        first, last = (float(record.samples["delta"][place]) for place in (0, -1))
        return (
            f"auto {distance(first)} → {distance(last)}"
            if first != last
            else f"auto {distance(first)}"
        )
    return f"auto {distance(record.samples['delta'][-1])}" if len(record.samples) else "auto"


def _delta(record: RunRecord) -> float:
    if not record.algorithm.bucketed:
        return LAST
    return float(
        record.settings.delta or (record.samples["delta"][-1] if len(record.samples) else 0)
    )


def _proof_words(record: RunRecord) -> str:
    if record.state != "finished":
        return record.state
    proofs = record.verification
    return "not yet" if proofs is None else "✓ yes" if proofs.passed else "✗ no"


def _device_words(record: RunRecord) -> str:
    """Return the device; of a real GPU its name."""
    device, trace = record.settings.device, record.trace
    if trace is None or engine_of(device) != "cuda":
        return device
    name = record.recorded_on or str(trace.environment.get("device", device))
    return in_sight(name.removeprefix(MAKER))


COLUMNS = (
    Column("Algorithm", "What ran", lambda r: name_of(r.settings), lambda r: name_of(r.settings)),
    Column("Time", "Length on its own clock; measured with probes on it is no speed", _time_words,
           _time_ns),
    Column("Device", "What it ran on", _device_words, _device_words),
    Column("Δ", "Bucket width: as given, or automatic, at first and at the end", _delta_words,
           _delta),
    Column("Graph", "The graph it ran on", lambda r: r.graph_reference.name,
           lambda r: r.graph_reference.name),
    Column("Source", "The vertex it started from, or the first of many", _source_words,
           lambda r: r.settings.source, number=True),
    Column("Work", explain("processed", "wasted"),
           lambda r: thousands(_work(r)) if _work(r) != LAST else NOTHING, _work, number=True),
    Column("Efficiency", explain("efficiency"),
           lambda r: percent(_efficiency(r)) if _efficiency(r) >= 0 else NOTHING,
           lambda r: -_efficiency(r), number=True),
    Column("Verified", "Whether its distances were proved right", _proof_words, _proof_words),
)  # fmt: skip


class RunsTable(QAbstractTableModel):
    """Session's runs, newest last; the first column says which is A, B or shown."""

    def __init__(
        self, session: SessionModel, pair: ComparisonModel, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._pair = session, pair
        self._theme = THEMES["light"]
        self._runs = list(session.runs)
        self._live = QTimer(self)
        self._live.setSingleShot(True)
        self._live.setInterval(LIVE_MS)
        self._live.timeout.connect(self._show_all)
        session.run_added.connect(self._add)
        session.run_removed.connect(self._remove)
        session.run_changed.connect(self._change)
        session.samples_appended.connect(self._grow)
        session.current_changed.connect(self._show_all)
        pair.pair_changed.connect(self._show_all)

    def run_at(self, row: int) -> RunRecord:
        """Return the run of a row."""
        return self._runs[row]

    def row_of(self, record: RunRecord) -> int:
        """Return the row of a run."""
        return self._runs.index(record)

    def mark_of(self, record: RunRecord) -> str:
        """Return "A", "B", "•" for the one that is shown alone, or ""."""
        alone = "•" if record is self._session.current else ""
        return self._pair.letters.get(record.run_id, alone)

    def shared_columns(self) -> list[int]:
        """Return columns that may be left out: they say the same of every run, best first."""
        columns = []
        for title in ("Device", "Source", "Graph"):
            place = next(place for place, row in enumerate(COLUMNS) if row.title == title)
            if len({COLUMNS[place].words(record) for record in self._runs}) == 1:
                columns.append(1 + place)
        return columns

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        """Return how many runs there are."""
        return 0 if parent is not None and parent.isValid() else len(self._runs)

    def columnCount(self, parent: QModelIndex | None = None) -> int:
        """Return the columns and the mark before them."""
        return 0 if parent is not None and parent.isValid() else 1 + len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return titles and what they mean."""
        if orientation == Qt.Orientation.Vertical:
            return None
        column = COLUMNS[section - 1] if section else None
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title if column is not None else "Run"
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.tip if column is not None else "A and B, or • for the run that is shown"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column is not None and column.number else LEFT
        return None

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return words, values to sort by, tooltips."""
        if not index.isValid():
            return None
        record = self._runs[index.row()]
        column = COLUMNS[index.column() - 1] if index.column() else None
        if role == SORT_ROLE:
            return column.value(record) if column else record.run_id
        if role == Qt.ItemDataRole.DisplayRole:
            return in_sight(column.words(record)) if column else self.mark_of(record)
        if role == Qt.ItemDataRole.ToolTipRole:
            return in_sight(record.failure or record.title, SENTENCE)
        if role == Qt.ItemDataRole.TextAlignmentRole and column:
            return RIGHT if column.number else LEFT
        return None if column else self._letter(record, role)

    def _letter(self, record: RunRecord, role: int) -> Any:
        """Return how the first column looks: A and B on the colour of their run."""
        letter = self._pair.letters.get(record.run_id, "")
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignCenter
        if role == Qt.ItemDataRole.BackgroundRole and letter:
            return QColor(self._theme.runs["AB".index(letter)])
        if role == Qt.ItemDataRole.ForegroundRole and letter:
            return QColor(self._theme.plot)
        return None

    def show_theme(self, theme: Theme) -> None:
        """Take the colours of A and B."""
        self._theme = theme
        self._show_all()

    def _add(self, record: RunRecord) -> None:
        row = len(self._runs)
        self.beginInsertRows(QModelIndex(), row, row)
        self._runs.append(record)
        self.endInsertRows()

    def _remove(self, record: RunRecord) -> None:
        row = self._runs.index(record)
        self.beginRemoveRows(QModelIndex(), row, row)
        del self._runs[row]
        self.endRemoveRows()

    def _change(self, record: RunRecord) -> None:
        if record in self._runs:
            row = self._runs.index(record)
            self.dataChanged.emit(self.index(row, 0), self.index(row, len(COLUMNS)))

    def _grow(self, _record: RunRecord, _first: int, _last: int) -> None:
        if not self._live.isActive():
            self._live.start()

    def _show_all(self, _news: object = None) -> None:
        if self._runs:
            corner = self.index(len(self._runs) - 1, len(COLUMNS))
            self.dataChanged.emit(self.index(0, 0), corner)
