"""One picture of one run: the graph, the four panels, a title line and a line of totals.

The same widgets as in the window, laid out for paper instead of for work. `fill` puts a
run and its graph in, `grab_picture` returns what it looks like at a moment.

A picture is as large as was asked, whatever the font. Long lines are broken; where even so
words and plots need more room than there is, the whole is laid out larger and drawn smaller.
"""

from __future__ import annotations

from math import ceil

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QImage, QPainter, QPixmap
from PyQt6.QtWidgets import (
    QApplication,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gpu.graph import CSRGraph
from gpu.page.words import notes_words, subtitle_words, totals_words
from gpu.record.trace import Trace
from gpu.words import SENTENCE, in_sight
from viewer.common.theme import SPACING, Theme
from viewer.export.paper import lay_out
from viewer.export.pictures import DENSER, paint
from viewer.graph.view import GraphView
from viewer.models.measure import readout
from viewer.models.playback import PlaybackModel
from viewer.models.session import RunRecord, SessionModel
from viewer.plots.buckets import BucketPanel
from viewer.plots.delta import DeltaPanel
from viewer.plots.parallelism import ParallelismPanel
from viewer.plots.plot_base import PlotPanel
from viewer.plots.work import WorkPanel

SMALLEST_PANEL = (200, 84)  # pixels
PANEL_TITLES = ("Buckets", "Δ", "Parallelism", "Work")


class Dashboard(QWidget):
    """The picture as a widget; never shown on a screen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session, self.playback = SessionModel(self), PlaybackModel(self)
        self.playback.watch(self.session)
        models = (self.session, self.playback)
        self.graph_view = GraphView(*models)
        self.panels: tuple[PlotPanel, ...] = (
            BucketPanel(*models),
            DeltaPanel(*models),
            ParallelismPanel(*models),
            WorkPanel(*models),
        )
        self._build()

    def _build(self) -> None:
        self.title, self.subtitle, self.totals = QLabel(), QLabel(), QLabel()
        self.missing = QLabel()
        self.title.setProperty("role", "heading")
        for quiet in (self.subtitle, self.missing):
            quiet.setProperty("role", "muted")
        for long in (self.subtitle, self.missing, self.totals):
            long.setWordWrap(True)
        self.missing.hide()
        font = self.title.font()
        font.setPointSizeF(font.pointSizeF() * 1.5)
        self.title.setFont(font)
        side = QGridLayout()
        side.setSpacing(SPACING)
        for row, (name, panel) in enumerate(zip(PANEL_TITLES, self.panels, strict=True)):
            label = QLabel(name)
            label.setProperty("role", "heading")
            panel.setMinimumSize(*SMALLEST_PANEL)
            side.addWidget(label, 2 * row, 0)
            side.addWidget(panel, 2 * row + 1, 0)
            side.setRowStretch(2 * row + 1, 4 if 0 < row < len(self.panels) - 1 else 5)
        middle = QHBoxLayout()
        middle.setSpacing(2 * SPACING)
        middle.addWidget(self.graph_view, 3)
        middle.addLayout(side, 2)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(*([2 * SPACING] * 4))
        whole.setSpacing(SPACING)
        for part in (self.title, self.subtitle, self.missing):
            whole.addWidget(part)
        whole.addLayout(middle, 1)
        whole.addWidget(self.totals)

    def fill(self, trace: Trace, graph: CSRGraph | None, missing: str = "") -> None:
        """Show a run; without its graph, say in words why it is missing."""
        if graph is not None:
            self.session.set_graph(graph)
            self.session.set_source(trace.settings.source)
        self.graph_view.setVisible(graph is not None)
        self.missing.setVisible(bool(missing))
        self.missing.setText(in_sight(missing, SENTENCE))
        record = RunRecord.from_trace(0, trace)
        self.session.add_run(record)
        self.title.setText(record.title)
        self.subtitle.setText(subtitle_words(trace))
        self.totals.setText("\n".join(filter(None, (totals_words(trace), notes_words(trace)))))

    def measure(self, first_ns: float, last_ns: float) -> None:
        """Put marks at the samples nearest to two times, and their numbers below the totals."""
        self.playback.measure.put_both(first_ns, last_ns)
        found = readout(self.session, self.playback)
        if found is not None:
            self.totals.setText(f"{self.totals.text()}\n{found.words}")

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.graph_view.apply_theme(theme)
        for panel in self.panels:
            panel.apply_theme(theme)

    def grab_picture(self, size: QSize, time_ns: float | None = None) -> QPixmap:
        """Return a picture of that size, pixels, at `time_ns`, at the end of the run if None."""
        self.stand_at(size, time_ns)
        if self.size() == size:
            return QPixmap.fromImage(self._drawn(1.0))
        image = self._drawn(DENSER)  # letters keep their places when it is made small
        smooth = Qt.TransformationMode.SmoothTransformation
        image = image.scaled(size, Qt.AspectRatioMode.IgnoreAspectRatio, smooth)
        image.setDevicePixelRatio(1.0)
        return QPixmap.fromImage(image)

    def _drawn(self, denser: float) -> QImage:
        image = QImage(self.size() * denser, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(denser)
        painter = QPainter(image)
        paint(painter, self)
        painter.end()
        return image

    def stand_at(self, size: QSize, time_ns: float | None) -> None:
        """Lay everything out for a picture of that size, and draw it once unseen."""
        self.resize(self._room_for(size))
        self.playback.set_cursor(self.playback.duration_ns if time_ns is None else time_ns)
        self.grab()  # lays everything out; never shown, since not every platform has windows
        for panel in self.panels:
            for button in panel.findChildren(QToolButton):
                button.hide()  # nothing to press on paper
            panel.flush()
        self.graph_view.flush()
        QApplication.processEvents()
        lay_out(self)  # what hidden buttons gave back
        self.grab()  # plots find their own place when they are painted
        for panel in self.panels:
            panel.flush()  # and what stands beside a plot is drawn by that

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
