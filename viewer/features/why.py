"""Why did Δ change? Each decision of the run: when, what, and below it why, with its numbers.

The last one says why Δ stays as it is. The one in force at the cursor is marked; a click, or
Enter, puts the cursor there.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QListView, QListWidget, QWidget

from gpu.words import distance, time_words
from viewer.common.small_widgets import centred_hint, hint_or_page
from viewer.feature import FeaturePart
from viewer.models.decisions import decisions, staying
from viewer.plots.live import LivePanel

MOST_ROWS = 2_000  # a table that a person can scroll
AUTOMATIC = "Tick Automatic in the Run panel to let it move."


class WhyPanel(LivePanel):
    """The log of decisions; see the module docstring."""

    TITLE = "Why Δ changed"
    HINT = "Run it: every change of Δ will stand here with its reason and numbers."

    def _build(self) -> None:
        self._rows: list[tuple[float, str, str]] = []  # ns, what, why
        self._is_whole = False  # the last line says why Δ stays
        self.list = QListWidget()
        self.list.setAccessibleName("Changes of Δ")
        self.list.setWordWrap(True)
        self.list.setResizeMode(QListView.ResizeMode.Adjust)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setSpacing(2)
        self.hint = centred_hint(self.HINT)
        self._pages = hint_or_page(self, self.hint, self.list)
        self.setMinimumSize(220, 120)
        self.list.itemClicked.connect(self._go)
        self.list.itemActivated.connect(self._go)

    def _reset(self, _place: int) -> None:
        self._rows, self._is_whole = [], False
        self.list.clear()
        self._pages.setCurrentIndex(0 if self._record is None else 1)

    def _consume(self, _place: int, samples: np.ndarray) -> None:
        assert self._record is not None
        last = self._consumed[0]
        made = decisions(self._record.samples[:last], last - len(samples))
        self._add([(one.t_ns, one.what, one.why) for one in made])

    def _add(self, rows: list[tuple[float, str, str]]) -> None:
        fresh = rows[: max(MOST_ROWS - len(self._rows), 0)]
        self._rows += fresh
        self.list.addItems([f"{time_words(t_ns)}:  {what}\n{why}" for t_ns, what, why in fresh])

    def _draw_data(self) -> None:
        record = self._record
        if record is None:
            return
        graph = record.graph_reference
        if record.algorithm.dynamic and not record.running and self._rows and not self._is_whole:
            self._is_whole = True
            row = staying(record.samples, graph.m / max(graph.n, 1))
            self._add([row] if row is not None else [])
        if not self._rows and not record.running:
            delta = record.settings.delta
            steady = "Δ did not change during this run."
            if delta is not None and record.algorithm.dynamic:
                steady = f"You set Δ to {distance(delta)}, so it did not change. {AUTOMATIC}"
            self.hint.setText(steady if record.algorithm.bucketed else "This algorithm has no Δ.")
        self._pages.setCurrentIndex(1 if self._rows else 0)

    @property
    def _row_now(self) -> int:
        """The row in force at the cursor, -1 before the first."""
        return bisect_right(self._rows, self._playback.cursor_ns, key=lambda row: row[0]) - 1

    def _draw_cursor(self) -> None:
        row = self._row_now
        if row != self.list.currentRow():
            self.list.setCurrentRow(row)

    def _go(self, _item: object) -> None:
        self._playback.set_cursor(self._rows[self.list.currentRow()][0])

    def summary_text(self) -> str:
        """Return the decision in force at the cursor."""
        row = self._row_now
        if self._record is None or row < 0:
            return self.hint.text()
        t_ns, what, why = self._rows[row]
        return f"{time_words(t_ns)}: {what}, {why}; {len(self._rows)} in all"


class WhyFeature(FeaturePart):
    """Makes the panel."""

    def make_panel(self, _dock: str) -> QWidget:
        """Return the panel."""
        return WhyPanel(self._window.session, self._window.playback)


install = WhyFeature
