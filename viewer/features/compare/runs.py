"""The table of runs: choose the run that is shown and the two that are compared, delete runs.

    Enter, double click   show this run              Delete   forget it
    Ctrl+C                copy it as a command
    A                     show it, as run A          B        compare it with the one shown

Buttons below and the context menu do the same. The first column says A and B.
"""

from __future__ import annotations

from functools import partial

from PyQt6.QtCore import QSize, QSortFilterProxyModel, Qt, pyqtBoundSignal, pyqtSignal
from PyQt6.QtGui import QAction, QKeySequence, QResizeEvent
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QStackedLayout,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from viewer.common.small_widgets import centred_hint, chip
from viewer.common.theme import SPACING, Theme
from viewer.features.compare.runs_table import COLUMNS, SORT_ROLE, RunsTable
from viewer.models.comparison import ComparisonModel
from viewer.models.session import RunRecord, SessionModel

HINT = "Press Run: every run is listed here, and any two of one graph can be compared."
MARK_WIDTH, WIDEST = 50, 200  # pixels: of the first column, and of any other
ROOM = 12  # pixels: more than the words of a cell need
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
        self._whole = False  # on paper nothing is left out
        self.model = RunsTable(session, pair, self)
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self.model)
        self._sorted.setSortRole(SORT_ROLE)
        self._build()
        self._connect()
        self._show_rows()

    def _build(self) -> None:
        self.table = QTableView()
        self.table.setAccessibleName("Runs")
        self.table.setModel(self._sorted)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setFrameShape(self.table.Shape.NoFrame)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.table.setTabKeyNavigation(False)
        rows, columns = self.table.verticalHeader(), self.table.horizontalHeader()
        assert rows is not None
        assert columns is not None
        rows.hide()
        rows.setDefaultSectionSize(self.fontMetrics().height() + 8)
        columns.setHighlightSections(False)
        titles = [column.title for column in COLUMNS]
        columns.moveSection(1 + titles.index("Graph"), 2)  # two runs are told apart by it
        columns.setStretchLastSection(True)
        columns.setMinimumSectionSize(MARK_WIDTH)
        columns.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
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
        self._hint = centred_hint(HINT, margin=0)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(SPACING, SPACING // 2, SPACING, SPACING // 2)
        column.setSpacing(SPACING // 2)
        column.addWidget(self.table, 1)
        column.addLayout(foot)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self._hint)
        self._pages.addWidget(page)
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
        self.table.doubleClicked.connect(self.wishes["a"].trigger)
        # the models change
        self.model.rowsInserted.connect(self._show_rows)
        self.model.rowsRemoved.connect(self._show_rows)
        self._session.current_changed.connect(self._select_current)
        self._session.run_changed.connect(self._show_change)
        self._pair.pair_changed.connect(self._show_wishes)
        selection = self.table.selectionModel()
        assert selection is not None
        selection.selectionChanged.connect(self._show_wishes)

    # ---- what the user can do -----------------------------------------------------------

    @property
    def chosen(self) -> RunRecord | None:
        """The run of the selected row."""
        index = self.table.currentIndex()
        chosen = self.table.selectionModel()
        if not index.isValid() or chosen is None or not chosen.hasSelection():
            return None
        return self.model.run_at(self._sorted.mapToSource(index).row())

    def select(self, record: RunRecord) -> None:
        """Select the row of a run."""
        index = self._sorted.mapFromSource(self.model.index(self.model.row_of(record), 0))
        self.table.selectRow(index.row())

    def _ask(self, signal: pyqtBoundSignal) -> None:
        if self.chosen is not None:
            signal.emit(self.chosen)

    # ---- what it shows ------------------------------------------------------------------

    def to_paper(self, on: bool) -> QSize | None:
        """Show whole cells of all columns; return the size that holds every row."""
        self._whole = on
        off, needed = Qt.ScrollBarPolicy.ScrollBarAlwaysOff, Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self.table.setVerticalScrollBarPolicy(off if on else needed)
        self.table.setHorizontalScrollBarPolicy(off if on else needed)
        columns, rows = self.table.horizontalHeader(), self.table.verticalHeader()
        self._fit_columns()
        if not on or not self.model.rowCount() or columns is None or rows is None:
            return None
        height = columns.height() + rows.length() + 3 * SPACING
        return QSize(columns.length() + 3 * SPACING, height)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of the letters."""
        self.model.show_theme(theme)

    def _show_rows(self, *_: object) -> None:
        self._pages.setCurrentIndex(1 if self.model.rowCount() else 0)
        self._fit_columns()
        self._select_current(self._session.current)

    def _fit_columns(self) -> None:
        """Give each column its room; where that is too much, leave out what all rows share."""
        if self.model.rowCount():
            for column in range(self.model.columnCount()):
                self.table.setColumnHidden(column, False)
            self.table.resizeColumnsToContents()
            self.table.setColumnWidth(0, MARK_WIDTH)
            for column in range(1, self.model.columnCount()):
                width = self.table.columnWidth(column) + ROOM
                self.table.setColumnWidth(column, width if self._whole else min(width, WIDEST))
            view, header = self.table.viewport(), self.table.horizontalHeader()
            assert view is not None
            assert header is not None
            for column in self.model.shared_columns():
                if header.length() > view.width() and not self._whole:
                    self.table.setColumnHidden(column, True)

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Fit the columns into the new width."""
        super().resizeEvent(a0)
        self._fit_columns()

    def _show_change(self, _record: RunRecord) -> None:
        self._fit_columns()
        self._show_wishes()

    def _select_current(self, record: RunRecord | None) -> None:
        if record is not None and record in self._session.runs:
            self.select(record)
        self._show_wishes()

    def _show_wishes(self, *_: object) -> None:
        record, shown = self.chosen, self._session.current
        self.wishes["a"].setEnabled(record is not None and record is not shown)
        other = shown is not None and record is not shown and record is not self._pair.b
        self.wishes["b"].setEnabled(record is not None and other)
        self.wishes["delete"].setEnabled(record is not None and not record.running)
        self.wishes["copy"].setEnabled(record is not None)
