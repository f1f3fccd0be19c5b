"""Why did Δ change? Each decision of the run as a line: when, what, why, with its numbers.

The line in force at the cursor is marked; a click, or Enter, puts the cursor at the decision.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
from PyQt6.QtCore import QSize, Qt
from PyQt6.QtWidgets import QStackedLayout, QTableWidgetItem, QVBoxLayout, QWidget

from gpu.words import distance, time_words
from viewer.common.small_widgets import centred_hint, plain_table
from viewer.common.theme import SPACING
from viewer.feature import FeaturePart, Table
from viewer.models.decisions import Decision, decisions
from viewer.models.session import RunRecord
from viewer.plots.live import LivePanel

MOST_ROWS = 2_000  # a table that a person can scroll
PAPER_ROWS = 200  # of them on a picture
COLUMNS = ("Time", "What", "Why")
AUTOMATIC = "Tick Automatic in the Run panel to let it move."
FIELDS = (  # of Decision, in the order of the table on paper
    *("sample", "t_ns", "what", "why", "before", "after"),
    *("heads_before", "heads", "changes", "assigned"),
)
PAPER_HEADER = (
    *("sample", "t_ns", "what", "why", "delta_before_weight_units", "delta_weight_units"),
    *("open_buckets_before", "open_buckets", "delta_changes", "assigned_edges"),
    *("band_low_edges", "band_high_edges", "clip_share_0_to_1", "clock", "probe"),
)


class WhyPanel(LivePanel):
    """The log of decisions; see the module docstring."""

    TITLE = "Why Δ changed"
    HINT = "Press Run: every change of Δ will stand here with its reason and numbers."

    def _build(self) -> None:
        self._rows: list[Decision] = []
        self._times: list[float] = []
        self.paper_note = ""
        self.table = plain_table(COLUMNS, "Changes of Δ")
        self.table.setWordWrap(False)
        down = self.table.verticalHeader()
        assert down is not None
        down.setDefaultSectionSize(self.fontMetrics().height() + 6)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(SPACING, SPACING // 2, SPACING, SPACING // 2)
        column.addWidget(self.table, 1)
        self.hint = centred_hint(self.HINT)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self.hint)
        self._pages.addWidget(page)
        self.setMinimumSize(220, 120)
        self.table.cellClicked.connect(self._go)
        self.table.cellActivated.connect(self._go)

    def paper_table(self) -> Table:
        """Return header and a row for each decision; raise GpuError where no run is over."""
        trace = self._session.finished_trace()
        end = trace.clock, int(trace.settings.probe)
        rows = (
            [*(getattr(one, name) for name in FIELDS), *one.band, one.clip_share, *end]
            for one in decisions(trace.samples)
        )
        return PAPER_HEADER, rows

    def _reset(self, record: RunRecord | None) -> None:
        self._rows, self._times = [], []
        self.table.setRowCount(0)
        self._pages.setCurrentIndex(0 if record is None else 1)

    def _consume(self, samples: np.ndarray) -> None:
        assert self._record is not None
        last = self._consumed
        before = self._record.samples[:last]
        room = MOST_ROWS - len(self._rows)
        fresh = decisions(before, last - len(samples))[: max(room, 0)]
        self._rows += fresh
        self._times += [row.t_ns for row in fresh]
        self.table.setRowCount(len(self._rows))
        for place, row in enumerate(fresh, len(self._rows) - len(fresh)):
            for column, words in enumerate((time_words(row.t_ns), row.what, row.why)):
                item = QTableWidgetItem(words)
                item.setToolTip(words)
                self.table.setItem(place, column, item)

    def _draw_data(self) -> None:
        record = self._record
        if record is None:
            return
        if not self._rows and not record.running:
            delta = record.settings.delta
            steady = "Δ did not change during this run."
            if delta is not None and record.algorithm.dynamic:
                steady = f"Δ was given, {distance(delta)}, so the controller left it. {AUTOMATIC}"
            self.hint.setText(steady if record.algorithm.bucketed else "This algorithm has no Δ.")
        self._pages.setCurrentIndex(1 if self._rows else 0)

    def _draw_cursor(self) -> None:
        row = bisect_right(self._times, self._playback.cursor_ns) - 1
        if row < 0:
            self.table.clearSelection()
        elif row != self.table.currentRow() or not self.table.selectedItems():
            self.table.selectRow(row)

    def _go(self, row: int, _column: int) -> None:
        if row < len(self._times):
            self._playback.set_cursor(self._times[row])

    def to_paper(self, on: bool) -> QSize | None:
        """Show whole cells; return the size that holds the first PAPER_ROWS rows."""
        off, needed = Qt.ScrollBarPolicy.ScrollBarAlwaysOff, Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self.table.setVerticalScrollBarPolicy(off if on else needed)
        self.table.setHorizontalScrollBarPolicy(off if on else needed)
        across, down = self.table.horizontalHeader(), self.table.verticalHeader()
        left_out = len(self._rows) > PAPER_ROWS
        self.paper_note = (
            f"the first {PAPER_ROWS} of {len(self._rows):,} changes" if left_out else ""
        )
        if not on or not self._rows or across is None or down is None:
            return None
        self.table.scrollToTop()
        rows = min(len(self._rows), PAPER_ROWS)
        widths = [max(self.table.sizeHintForColumn(k), across.sectionSize(k)) for k in range(2)]
        width = sum(widths) + self.table.sizeHintForColumn(2) + 4 * SPACING
        height = across.height() + rows * down.defaultSectionSize() + 3 * SPACING
        return QSize(width, height)

    def summary_text(self) -> str:
        """Return the decision in force at the cursor."""
        row = bisect_right(self._times, self._playback.cursor_ns) - 1
        if self._record is None or row < 0:
            return self.hint.text()
        decision = self._rows[row]
        words = f"{time_words(decision.t_ns)}: {decision.what}, {decision.why}"
        return f"{words}; {len(self._rows)} in all"


class WhyFeature(FeaturePart):
    """Makes the panel."""

    def make_panel(self, _dock: str) -> QWidget:
        """Return the panel."""
        return WhyPanel(self._window.session, self._window.playback)


install = WhyFeature
