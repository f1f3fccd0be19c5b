"""One picture of a run, or of two runs on one clock: maps, plots, title and totals.

The widgets are those of the window, laid out for paper. `fill` takes the runs and their graph,
`grab_picture` draws a moment. A picture has the size that was asked for, whatever the font: where
words and plots need more room, everything is laid out larger and drawn smaller.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import pyqtgraph as pg
from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QImage, QPainter, QPixmap
from PyQt6.QtWidgets import QApplication, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from gpu.graph import CSRGraph
from gpu.page.words import notes_words, pair_title_words, subtitle_words, totals_words
from gpu.record.trace import Trace
from gpu.words import SENTENCE, in_sight
from viewer.common.small_widgets import label
from viewer.common.theme import SPACING, Theme
from viewer.export.paper import hide_controls, lay_out
from viewer.export.pictures import DENSER, paint
from viewer.graph.view import GraphView
from viewer.models.comparison import ComparisonModel
from viewer.models.playback import PlaybackModel
from viewer.models.session import RunRecord, SessionModel
from viewer.plots.buckets import BucketPanel
from viewer.plots.delta import DeltaPanel
from viewer.plots.parallelism import ParallelismPanel
from viewer.plots.plot_base import PlotPanel
from viewer.plots.work import WorkPanel

SMALLEST_PANEL = (200, 84)  # pixels
PANELS = {"Buckets": BucketPanel, "Δ": DeltaPanel}
PANELS |= {"Parallelism": ParallelismPanel, "Work": WorkPanel}


class Dashboard(QWidget):
    """The picture as a widget; never shown on a screen. `pair`: it has room for two runs."""

    def __init__(self, *, pair: bool = False) -> None:
        super().__init__()
        self.session, self.playback = SessionModel(self), PlaybackModel(self)
        self.playback.watch(self.session)
        self.comparison = ComparisonModel(self.session, self)
        self.graph_view = GraphView(self.session, self.playback)
        self._second = SessionModel(self), PlaybackModel(self)
        self._second[1].watch(self._second[0])
        self.second_view = GraphView(*self._second) if pair else None
        left_out = "Buckets" if pair else ""  # no room for all four
        self.panels: dict[str, PlotPanel] = {
            title: kind(self.session, self.playback)
            for title, kind in PANELS.items()
            if title != left_out
        }
        for panel in self.panels.values():
            panel.set_comparison(self.comparison)
        self.covers: list[pg.LinearRegionItem] = []
        self._build()

    def grow(self, theme: Theme) -> None:
        """Cover the plots after the cursor from now on, so that they grow with it."""
        for panel in self.panels.values():
            cover = pg.LinearRegionItem(
                brush=theme.plot, pen=pg.mkPen(None), movable=False, span=(-0.1, 1.1)
            )  # a little higher than the plot: curves lie half a line below 0
            cover.setZValue(45)  # above all data, under the cursor's line
            panel.plot.addItem(cover, ignoreBounds=True)
            self.covers.append(cover)

    def _build(self) -> None:
        self.title, self.totals = label("", "heading"), label()
        self.subtitle, self.missing = label("", "muted"), label("", "muted")
        self.names = [_heading(""), _heading("")]
        self.missing.hide()
        font = self.title.font()
        font.setPointSizeF(font.pointSizeF() * 1.5)
        font.setBold(True)
        self.title.setFont(font)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(*([2 * SPACING] * 4))
        whole.setSpacing(SPACING)
        for words in (self.title, self.subtitle, self.missing):
            whole.addWidget(words)
        whole.addLayout(self._plots_below() if self.second_view else self._plots_beside(), 1)
        whole.addWidget(self.totals)

    def _plots_beside(self) -> QHBoxLayout:
        side = QGridLayout()
        side.setSpacing(SPACING)
        for place, (title, panel) in enumerate(self.panels.items()):
            side.addWidget(_heading(title), 2 * place, 0)
            panel.setMinimumSize(*SMALLEST_PANEL)
            side.addWidget(panel, 2 * place + 1, 0)
            side.setRowStretch(2 * place + 1, 1)
        middle = QHBoxLayout()
        middle.setSpacing(2 * SPACING)
        middle.addWidget(self.graph_view, 3)
        middle.addLayout(side, 2)
        return middle

    def _plots_below(self) -> QVBoxLayout:
        maps, plots = QGridLayout(), QGridLayout()
        for column, view in enumerate((self.graph_view, self.second_view)):
            maps.addWidget(self.names[column], 0, column)
            maps.addWidget(view, 1, column)
        maps.setRowStretch(1, 1)
        for column, (title, panel) in enumerate(self.panels.items()):
            plots.addWidget(_heading(title), 0, column)
            panel.setMinimumSize(*SMALLEST_PANEL)
            plots.addWidget(panel, 1, column)
            plots.setColumnStretch(column, 1)
        plots.setRowStretch(1, 1)
        middle = QVBoxLayout()
        middle.addLayout(maps, 5)
        middle.addLayout(plots, 4)
        return middle

    def fill(self, traces: Sequence[Trace], graph: CSRGraph | None, missing: str = "") -> None:
        """Show one run or two; without their graph, say why it is missing. CompareError."""
        first = traces[0]
        records = [RunRecord.from_trace(place, trace) for place, trace in enumerate(traces)]
        for record, session in zip(records, (self.session, self._second[0]), strict=False):
            if graph is not None:
                session.set_graph(graph)
                session.set_source(record.settings.source)
            session.add_run(record)
        for view in filter(None, (self.graph_view, self.second_view, *self.names)):
            view.setVisible(graph is not None)
        self.missing.setVisible(bool(missing))
        self.missing.setText(in_sight(missing, SENTENCE))
        self.title.setText(records[0].title)
        self.subtitle.setText(subtitle_words(first))
        lines = [totals_words(first), notes_words(first)]
        if len(records) > 1:
            lines = self._fill_pair(records, traces)
        self.totals.setText("\n".join(filter(None, lines)))

    def _fill_pair(self, records: list[RunRecord], traces: Sequence[Trace]) -> list[str]:
        """Compare the second run with the first; return what is said of them."""
        a, b = records
        self.session.add_run(b)
        self.session.set_current(a)
        self.comparison.compare_with(b)
        self.playback.set_least(float(traces[1].time_ns))
        assert self.second_view is not None
        self.graph_view.share_scale(b)
        self.second_view.share_scale(a)
        for heading, letter, name in zip(self.names, "AB", self.comparison.names, strict=True):
            heading.setText(f"{letter}  {name}")
        self.title.setText(pair_title_words(*traces))
        summary = self.comparison.summary()
        return [summary.words] if summary is not None else []

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        for view in filter(None, (self.graph_view, self.second_view)):
            view.apply_theme(theme)
        for panel in self.panels.values():
            panel.apply_theme(theme)

    def grab_picture(self, size: QSize, time_ns: float | None = None) -> QPixmap:
        """Return a picture of that size, pixels, at `time_ns`, at the end of the run if None."""
        self.stand_at(size, time_ns)
        return QPixmap.fromImage(self.picture(size))

    def stand_at(self, size: QSize, time_ns: float | None) -> None:
        """Lay everything out for a picture of that size, and go to a moment."""
        self.resize(self._room_for(size))
        self.go(self.playback.duration_ns if time_ns is None else time_ns)
        self.grab()  # lays everything out; never shown, since not every platform has windows
        for panel in self.panels.values():
            hide_controls(panel)
        QApplication.processEvents()
        lay_out(self)  # what hidden buttons gave back
        self.grab()  # plots find their own place when they are painted
        self.go(self.playback.cursor_ns)

    def go(self, time_ns: float) -> None:
        """Go to a moment on A's clock, and draw it."""
        self.playback.set_cursor(time_ns)
        self._second[1].set_cursor(time_ns)
        for cover in self.covers:
            cover.setRegion((time_ns, 2.0 * self.playback.duration_ns))
        for panel in self.panels.values():
            panel.flush()
        for view in filter(None, (self.graph_view, self.second_view)):
            view.flush()

    def picture(self, size: QSize) -> QImage:
        """Return the moment as an image of that size."""
        if self.size() == size:
            return self._drawn(1.0)
        image = self._drawn(DENSER)  # letters keep their places when it is made small
        smooth = Qt.TransformationMode.SmoothTransformation
        image = image.scaled(size, Qt.AspectRatioMode.IgnoreAspectRatio, smooth)
        image.setDevicePixelRatio(1.0)
        return image

    def _drawn(self, denser: float) -> QImage:
        image = QImage(self.size() * denser, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(denser)
        painter = QPainter(image)
        paint(painter, [self])
        painter.end()
        return image

    def _room_for(self, size: QSize) -> QSize:
        """Return `size`, or the least of its shape that holds all words and plots."""
        self.ensurePolished()
        parts = self.layout()
        assert parts is not None
        parts.activate()
        wide = max(size.width(), parts.minimumSize().width())
        high = max(size.height(), parts.minimumHeightForWidth(wide))
        larger = max(wide / size.width(), high / size.height())
        return QSize(ceil(size.width() * larger), ceil(size.height() * larger))


def _heading(words: str) -> QLabel:
    made = QLabel(words)
    made.setProperty("role", "heading")
    return made
