"""Measuring: the keys, and the strip below the graph with both marks and a small table.

The table has a row for each run; where there is little room it scrolls.
"""

from __future__ import annotations

from functools import partial

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QSizePolicy,
    QTableWidget,
    QVBoxLayout,
)

from gpu.study.interval import QUANTITIES
from gpu.words import time_words
from viewer.common.elided import ElidedLabel
from viewer.common.glossary import explain
from viewer.common.later import once
from viewer.common.small_widgets import chip, fill, packed, panel_column, plain_table
from viewer.common.theme import LIGHT, SPACING, Theme
from viewer.docks import PLOTS
from viewer.feature import FeaturePart, Window
from viewer.models.comparison import ComparisonModel
from viewer.models.playback import PlaybackModel
from viewer.models.run_words import readout
from viewer.models.session import SessionModel
from viewer.plots.live import REFRESH_MS


class MeasureStrip(QFrame):
    """Shows what is measured; hidden while nothing is. See the module docstring."""

    def __init__(
        self, session: SessionModel, playback: PlaybackModel, pair: ComparisonModel
    ) -> None:
        super().__init__()
        self._session, self._playback, self._pair = session, playback, pair
        self.setAccessibleName("Measured between the marks")
        self.marks = tuple(chip("", f"Mark {place}: go there") for place in (1, 2))
        self.note = ElidedLabel()
        self.end_button = chip("✕", "Take the marks away")
        self.cells = _table()
        self._theme = LIGHT
        self._timer = once(self, self.refresh, REFRESH_MS)
        self._build()
        self._connect()
        self.setVisible(playback.measure.active)

    def _build(self) -> None:
        head = packed(QHBoxLayout(), *self.marks, spacing=SPACING // 2)
        head.addWidget(self.note, 1)
        head.addStretch()
        head.addWidget(self.end_button)
        column = panel_column(self)
        column.addLayout(head)
        column.addWidget(self.cells)

    def _connect(self) -> None:
        playback, pair = self._playback, self._pair
        for place, mark in enumerate(self.marks):
            mark.clicked.connect(partial(self._go, place))
        playback.measure.changed.connect(lambda: self.setVisible(playback.measure.active))
        for news in (
            playback.measure.changed,
            playback.cursor_changed,
            playback.duration_changed,
            pair.pair_changed,
            self._session.run_changed,
            self._session.samples_appended,
        ):
            news.connect(self._schedule)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.setStyleSheet(f"MeasureStrip {{ border-top: 1px solid {theme.border}; }}")
        self._theme = theme
        self.refresh()

    def refresh(self) -> None:
        """Read off anew, now."""
        self._timer.stop()
        result = readout(self._session, self._playback, self._pair)
        if result is None:
            return
        marks = zip(self.marks, self._playback.measure.marks, strict=True)
        for place, (button, mark) in enumerate(marks, 1):
            at = "cursor" if mark is None else time_words(mark, result.unit)
            button.setText(f"{place}: {at}")
            button.setAccessibleName(f"Mark {place} at {at}")
        run = self._session.current
        self.note.setText(run.clock_words if run is not None else "")
        self._fill(result.rows())
        self.setAccessibleDescription(result.words)

    def _fill(self, rows: list[tuple[str, tuple[str, ...]]]) -> None:
        table = self.cells
        inks = {"A": self._theme.runs[0], "B": self._theme.runs[1]}
        fill(table, [(name, *values) for name, values in rows])
        for row, (name, _) in enumerate(rows):
            first = table.item(row, 0)
            assert first is not None
            first.setForeground(QColor(inks.get(name, self._theme.muted)))
        table.resizeRowsToContents()
        table.updateGeometry()

    def _schedule(self, *_: object) -> None:
        if self._playback.measure.active and not self._timer.isActive():
            self._timer.start()

    def _go(self, place: int) -> None:
        mark = self._playback.measure.marks[place]
        if mark is not None:
            self._playback.set_cursor(mark)


def _table() -> QTableWidget:
    """Return the table of what is measured: a column for each quantity, explained by its tip."""
    table = plain_table(["", *(one.title for one in QUANTITIES)], "What is measured")
    for column, one in enumerate(QUANTITIES, 1):
        item = table.horizontalHeaderItem(column)
        assert item is not None
        item.setToolTip(explain(one.term) if one.term else "")
    table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
    table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    table.setFrameShape(QFrame.Shape.NoFrame)
    table.setSizeAdjustPolicy(QTableWidget.SizeAdjustPolicy.AdjustToContents)
    table.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Maximum)
    return table


class MeasureFeature(FeaturePart):
    """Puts marks, shows what lies between them."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._measure = window.playback.measure
        self.strip = MeasureStrip(window.session, window.playback, window.comparison)
        centre = window.graph_view.parentWidget()
        column = centre.layout() if centre is not None else None
        assert isinstance(column, QVBoxLayout)
        column.addWidget(self.strip)
        self.strip.apply_theme(window.theme)
        window.modes.drawing_changed.connect(self._measure.clear)
        self.strip.end_button.clicked.connect(self._measure.clear)
        self._measure.changed.connect(window.enable_actions)
        for key in PLOTS:
            marks = [window.actions_by_key[row] for row in ("mark_1", "mark_2")]
            window.docks[key].addActions(marks)

    def needs(self) -> dict[str, bool]:
        """Say whether anything is measured."""
        return {"measuring": self._measure.active}

    def apply_theme(self, theme: Theme) -> None:
        """Pass a theme on."""
        self.strip.apply_theme(theme)

    def put(self, place: int) -> None:
        """Put mark 1 (place 0) or 2 (place 1) at the cursor."""
        self._measure.put(place, self._window.playback.cursor_ns)


install = MeasureFeature
