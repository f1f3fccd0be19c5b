"""The table of runs: choose the run that is shown and the two that are compared, delete runs.

    Enter, double click   show this run              Delete   forget it
    Ctrl+C                copy it as a command
    A                     show it, as run A          B        compare it with the one shown

Buttons below and the context menu do the same. The first column says A and B. A column is a title,
words for the cell and a value to sort by. Cells of runs that go on change every `LIVE_MS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from PyQt6.QtCore import QSize, Qt, pyqtBoundSignal, pyqtSignal
from PyQt6.QtGui import QAction, QColor, QKeySequence
from PyQt6.QtWidgets import QHBoxLayout, QTableWidgetItem, QWidget

from gpu.record import disorder
from gpu.study.compare_words import name_of
from gpu.words import SENTENCE, distance, in_sight, mean, percent, thousands, time_words
from viewer.common.glossary import explain
from viewer.common.later import once
from viewer.common.small_widgets import centred_hint, chip, hint_or_page, panel_column, plain_table
from viewer.common.theme import SPACING, THEMES, Theme
from viewer.models.comparison import ComparisonModel
from viewer.models.machines import engine_of
from viewer.models.session import RunRecord, SessionModel

HINT = "Run it: every run is listed here, and any two of one graph can be compared."
LIVE_MS = 250
SORT_ROLE = int(Qt.ItemDataRole.UserRole)
NOTHING = "–"
MAKER = "NVIDIA "  # before the names of GPUs
LAST = float("inf")  # unknown values sort to the end
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
ACTIONS = (  # key, words, tip, keys
    (
        "a",
        "Show (A)",
        "Show this run in every panel; of two that are compared it is A (Enter, A)",
        ("A", "Return", "Enter"),
    ),
    ("b", "Compare (B)", "Lay this run upon the one that is shown, as run B (B)", ("B",)),
    ("delete", "Delete", "Forget this run and what it recorded (Delete)", ("Del", "Backspace")),
    (
        "copy",
        "Copy as command",
        "Copy a line for a shell that makes this run again (Ctrl+C)",
        ("Ctrl+C",),
    ),
)


@dataclass(frozen=True)
class Column:
    """One column: title, what it means, words of a cell, value to sort by (else the words)."""

    title: str
    tip: str
    words: Callable[[RunRecord], str]
    value: Callable[[RunRecord], Any] | None = None
    number: bool = False


class Cell(QTableWidgetItem):
    """A cell that is sorted by its value."""

    def __init__(self, words: str, value: Any) -> None:
        super().__init__(words)
        self.value = value

    def __lt__(self, other: QTableWidgetItem) -> bool:
        return bool(self.value < other.value) if isinstance(other, Cell) else False


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


def _error(record: RunRecord) -> float:
    if not len(record.samples):
        return LAST
    error = disorder.distance_error(record)
    return LAST if error is None else error


def _delta_words(record: RunRecord) -> str:
    graph, given = record.graph_reference, record.settings.parameters
    for knob in record.algorithm.parameters:
        if knob.taken is not None:  # it orders by count
            return f"{knob.title} {thousands(knob.taken(given.get(knob.key), graph.n, graph.m))}"
    if not record.algorithm.bucketed:
        return "none"
    delta = record.settings.delta
    if delta is not None:
        return distance(delta)
    if not len(record.samples):
        return "auto"
    first, last = (mean(float(record.samples["delta"][place])) for place in (0, -1))
    changed = record.algorithm.dynamic and first != last
    return f"auto {first} → {last}" if changed else f"auto {last}"


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
    if proofs is None or proofs.passed:
        return "not yet" if proofs is None else "✓ yes"
    return "✗ wrong" if False in (proofs.oracle, proofs.certificate) else "no"


def _device_words(record: RunRecord) -> str:
    device, trace = record.settings.device, record.trace
    if trace is None or engine_of(device) != "cuda":
        return device
    name = record.recorded_on or str(trace.environment.get("device", device))
    return in_sight(name.removeprefix(MAKER))


COLUMNS = (  # what a person compares comes first: the last ones may be out of sight
    Column("Algorithm", "What ran", lambda r: name_of(r.settings)),
    Column("Time", "Length on its own clock. With probes it is no measure of speed; (+9 %) is what "
           "they cost, where the run was repeated without them", _time_words, _time_ns),
    Column("Δ", "Bucket width: as given, or automatic, at first and at the end", _delta_words,
           _delta),
    Column("Work", explain("processed", "wasted"),
           lambda r: thousands(_work(r)) if _work(r) != LAST else NOTHING, _work, number=True),
    Column("Efficiency", explain("efficiency"),
           lambda r: percent(r.efficiency) if r.efficiency else NOTHING,
           lambda r: -r.efficiency, number=True),
    Column("Verified", "Whether its distances were proved right", _proof_words),
    Column("Disorder", explain("disorder"),
           lambda r: NOTHING if _error(r) == LAST else distance(_error(r)), _error, number=True),
    Column("Source", "The vertex it started from, or the first of many", _source_words,
           lambda r: r.settings.source, number=True),
    Column("Graph", "The graph it ran on", lambda r: r.graph_reference.name),
    Column("Device", "What it ran on", _device_words),
)  # fmt: skip


class RunsPanel(QWidget):
    """The table with its buttons; see the module docstring."""

    show_requested = pyqtSignal(object)  # RunRecord
    compare_requested = pyqtSignal(object)  # RunRecord, as B
    delete_requested = pyqtSignal(object)  # RunRecord
    copy_requested = pyqtSignal(object)  # RunRecord, as a command

    def __init__(
        self, session: SessionModel, pair: ComparisonModel, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._pair = session, pair
        self._theme = THEMES["light"]
        self._live = once(self, self._fill, LIVE_MS)
        self._build()
        self._connect()
        self._fill()

    def _build(self) -> None:
        self.table = plain_table(["Run", *(column.title for column in COLUMNS)], "Runs")
        self.setFocusProxy(self.table)
        tips = ["A and B, or • for the run that is shown", *(column.tip for column in COLUMNS)]
        for place, tip in enumerate(tips):
            title = self.table.horizontalHeaderItem(place)
            assert title is not None
            title.setToolTip(tip)
        self.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
        self.table.setWordWrap(False)
        self.table.setFrameShape(self.table.Shape.NoFrame)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.table.setTabKeyNavigation(False)
        foot = QHBoxLayout()
        foot.setSpacing(SPACING)
        self.wishes = {key: QAction(words, self.table) for key, words, *_ in ACTIONS}
        self.buttons = {}
        for key, words, tip, keys in ACTIONS:
            self.wishes[key].setToolTip(tip)
            self.wishes[key].setShortcuts([QKeySequence(key) for key in keys])
            self.wishes[key].setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            if key != "copy":
                self.buttons[key] = chip(words, tip)
                self.buttons[key].setDefaultAction(self.wishes[key])
                foot.addWidget(self.buttons[key])
        self.table.addActions(list(self.wishes.values()))
        foot.addStretch(1)
        page = QWidget()
        column = panel_column(page)
        column.addWidget(self.table, 1)
        column.addLayout(foot)
        self._pages = hint_or_page(self, centred_hint(HINT, margin=0), page)
        self.setMinimumSize(200, 120)

    def _connect(self) -> None:
        # the user asks
        signals = {
            "a": self.show_requested,
            "b": self.compare_requested,
            "delete": self.delete_requested,
            "copy": self.copy_requested,
        }
        for key, signal in signals.items():
            self.wishes[key].triggered.connect(partial(self._ask, signal))
        self.wishes["delete"].triggered.connect(self.table.clearSelection)  # one a double click
        self.table.doubleClicked.connect(self.wishes["a"].trigger)
        self.table.itemSelectionChanged.connect(self._show_wishes)
        # the models change
        session = self._session
        for news in (session.run_added, session.run_removed, session.run_changed):
            news.connect(self._fill)
        self._pair.pair_changed.connect(self._fill)
        session.current_changed.connect(self._take_current)
        session.samples_appended.connect(self._grow)

    # ---- what the user can do -----------------------------------------------------------

    def run_at(self, row: int) -> RunRecord | None:
        """Return the run of a row."""
        mark = self.table.item(row, 0)
        record = mark.data(SORT_ROLE) if mark is not None else None
        return record if isinstance(record, RunRecord) else None

    @property
    def chosen(self) -> RunRecord | None:
        """The run of the selected row."""
        return self.run_at(self.table.currentRow()) if self.table.selectedItems() else None

    def select(self, record: RunRecord) -> None:
        """Select the row of a run."""
        for row in range(self.table.rowCount()):
            if self.run_at(row) is record:
                self.table.selectRow(row)

    def _ask(self, signal: pyqtBoundSignal) -> None:
        if self.chosen is not None:
            signal.emit(self.chosen)

    # ---- what it shows ------------------------------------------------------------------

    def to_paper(self, on: bool) -> QSize | None:
        """Leave the scroll bars out; return the size that holds every row."""
        off, needed = Qt.ScrollBarPolicy.ScrollBarAlwaysOff, Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self.table.setVerticalScrollBarPolicy(off if on else needed)
        self.table.setHorizontalScrollBarPolicy(off if on else needed)
        columns, rows = self.table.horizontalHeader(), self.table.verticalHeader()
        if not on or not self.table.rowCount() or columns is None or rows is None:
            return None
        height = columns.height() + rows.length() + 3 * SPACING
        return QSize(columns.length() + 3 * SPACING, height)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of the letters."""
        self._theme = theme
        self._fill()

    def _fill(self, _news: object = None) -> None:
        """Write every row anew; the same run stays selected."""
        chosen = self.chosen
        self.table.setSortingEnabled(False)
        self.table.setRowCount(len(self._session.runs))
        for row, record in enumerate(self._session.runs):
            self.table.setItem(row, 0, self._mark(record))
            for place, column in enumerate(COLUMNS, 1):
                cost = self._probe_cost(record) if column.title == "Time" else ""
                words = in_sight(column.words(record) + cost)
                cell = Cell(words, column.value(record) if column.value else words)
                cell.setToolTip(in_sight(record.failure or record.title, SENTENCE))
                if column.number:
                    cell.setTextAlignment(RIGHT)
                self.table.setItem(row, place, cell)
        self.table.setSortingEnabled(True)
        self._pages.setCurrentIndex(1 if self._session.runs else 0)
        shown = chosen or self._session.current
        if shown is not None:
            self.select(shown)
        self._show_wishes()

    def _probe_cost(self, record: RunRecord) -> str:
        bare = self._pair.rerun_of(record)
        if bare is None or not len(record.samples):
            return ""
        return f" ({100 * (_time_ns(record) / max(_time_ns(bare), 1) - 1):+.0f} %)"

    def _mark(self, record: RunRecord) -> QTableWidgetItem:
        """Return A or B on the colour of the run, or • for the one that is shown alone."""
        letter = self._pair.letters.get(record.run_id, "")
        alone = "•" if record is self._session.current else ""
        cell = Cell(letter or alone, record.run_id)
        cell.setData(SORT_ROLE, record)
        cell.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
        if letter:
            cell.setBackground(QColor(self._theme.runs["AB".index(letter)]))
            cell.setForeground(QColor(self._theme.plot))
        return cell

    def _grow(self, *_: object) -> None:
        if not self._live.isActive():
            self._live.start()

    def _take_current(self, record: RunRecord | None) -> None:
        self._fill()
        if record is not None:
            self.select(record)

    def _show_wishes(self) -> None:
        record, shown = self.chosen, self._session.current
        self.wishes["a"].setEnabled(record is not None and record is not shown)
        other = shown is not None and record is not shown and record is not self._pair.b
        self.wishes["b"].setEnabled(record is not None and other)
        self.wishes["delete"].setEnabled(record is not None and not record.running)
        self.wishes["copy"].setEnabled(record is not None)
