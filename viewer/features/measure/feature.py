"""Measuring at work: the keys, and the strip below the graph."""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QEvent, QObject
from PyQt6.QtWidgets import QApplication, QVBoxLayout, QWidget

from gpu.words import time_unit, time_words
from viewer.common.theme import Theme
from viewer.docks import PLOTS
from viewer.feature import FeaturePart, Window
from viewer.features.measure.strip import MeasureStrip
from viewer.models.measure import readout
from viewer.models.session import Notice


class Seen(QObject):
    """Puts the strip away while another page stands in the graph's place."""

    def __init__(self, graph: QWidget, strip: MeasureStrip) -> None:
        super().__init__(strip)
        self._strip = strip
        graph.installEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Follow the graph."""
        if event is not None and event.type() in {
            QEvent.Type.ShowToParent,
            QEvent.Type.HideToParent,
        }:
            self._strip.put_away(event.type() == QEvent.Type.HideToParent)
        return super().eventFilter(watched, event)


class MeasureFeature(FeaturePart):
    """Puts marks, shows and copies what lies between them."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._measure = window.playback.measure
        self.strip = MeasureStrip(window.session, window.playback, window.comparison)
        centre = window.graph_view.parentWidget()
        column = centre.layout() if centre is not None else None
        assert isinstance(column, QVBoxLayout)
        column.addWidget(self.strip)
        self.strip.apply_theme(window.theme)
        self._seen = Seen(window.graph_view, self.strip)
        self.strip.copy_button.clicked.connect(self.copy)
        self.strip.end_button.clicked.connect(self._measure.clear)
        self._measure.changed.connect(window.enable_actions)
        for key in PLOTS:
            for row in ("mark_1", "mark_2"):
                window.docks.offer(key, window.actions_by_key[row])
        window.comparison.clocks_changed.connect(self._know_b)
        window.comparison.pair_changed.connect(self._know_b)
        self._know_b()

    def needs(self) -> dict[str, bool]:
        """Say whether anything is measured."""
        return {"measuring": self._measure.active}

    def apply_theme(self, theme: Theme) -> None:
        """Pass a theme on."""
        self.strip.apply_theme(theme)

    def put(self, place: int) -> None:
        """Put mark 1 (place 0) or 2 (place 1) at the sample nearest to the cursor; say so."""
        cursor = self._window.playback.cursor_ns
        self._measure.put(place, cursor)
        mark = self._measure.marks[place]
        assert mark is not None
        unit = time_unit(self._window.playback.duration_ns)
        stands, asked = time_words(mark, unit), time_words(cursor, unit)
        if stands != asked:
            words = f"Mark {place + 1} is at {stands}, the sample nearest to {asked}."
            self._window.session.set_notice(Notice("info", words))

    def copy(self) -> None:
        """Put the table on the clipboard."""
        window = self._window
        found, clipboard = (
            readout(window.session, window.playback, window.comparison),
            QApplication.clipboard(),
        )
        if found is not None and clipboard is not None:
            clipboard.setText(found.text())

    def _know_b(self) -> None:
        """Let marks past the end of A stand at samples of B."""
        pair = self._window.comparison
        if pair.b is not None:
            self._measure.set_more_instants(pair.clocks.to_a(pair.b.samples["t_ns"]))
        else:
            self._measure.set_more_instants(np.zeros(0))


install = MeasureFeature
