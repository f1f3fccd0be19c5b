"""Where a film is drawn: the window's own graph and plots, never shown, a part at a time.

A window must answer within a frame of its own while a film is made, so nothing here is done whole:
`build` and `draw` are generators that do one small piece (make a plot, draw one onto the frame)
and hand back. Whoever drives them gives each piece a turn of the event loop.

    +------------------------------------------+
    | title                      moment of run |
    | +--------------------+  Buckets          |
    | |  graph             |  +-------------+  |
    | |                    |  +-------------+  |
    | +--------------------+  ...              |
    | totals                                   |
    +------------------------------------------+
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from PyQt6.QtCore import QObject, QPoint, QRect, QSize, Qt
from PyQt6.QtGui import QColor, QFont, QImage, QPainter
from PyQt6.QtWidgets import QLabel, QWidget

from gpu.graph import CSRGraph
from gpu.page.words import subtitle_words, totals_words
from gpu.record.trace import Trace
from gpu.words import time_words
from viewer.common.theme import THEMES, palette_of, stylesheet_of
from viewer.export.film import PANELS, FilmPlan
from viewer.export.paper import PRESSED
from viewer.models.playback import PlaybackModel
from viewer.models.session import RunRecord, SessionModel

EDGE, BAND, NAME = 12, 44, 20  # pixels: around, for title and totals, for a panel's name
GRAPH_SHARE = 0.58  # of the width, where there are plots beside it


class FilmStage(QObject):
    """One run on paper that moves; see the module docstring."""

    def __init__(
        self,
        trace: Trace,
        graph: CSRGraph | None,
        positions: np.ndarray | None,
        plan: FilmPlan,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._trace, self._graph, self._positions, self._plan = trace, graph, positions, plan
        self.session, self.playback = SessionModel(self), PlaybackModel(self)
        self.playback.watch(self.session)
        self.parts: dict[str, Any] = {}
        self._places = places(plan, has_graph=graph is not None)
        self._font = QLabel().font()
        self._ground: QImage | None = None

    # --- pieces

    def build(self) -> Iterator[None]:
        """Make the parts, one at a time."""
        trace, record = self._trace, RunRecord.from_trace(0, self._trace)
        if self._graph is not None:
            self.session.set_graph(self._graph)
            self.session.set_source(trace.settings.source)
            self.session.set_positions(self._positions)
        self.session.add_run(record)
        self.playback.set_following(False)
        yield
        for key, place in self._places.items():
            part = self.parts[key] = self._make(key)
            yield
            theme = THEMES[self._plan.theme]
            part.setPalette(palette_of(theme))  # the window's own may be another
            part.setStyleSheet(stylesheet_of(theme))
            part.apply_theme(theme)
            part.resize(place.size())
            part.flush()
            yield
            for child in part.findChildren(QWidget):
                if isinstance(child, PRESSED):
                    child.hide()
            self._paint(key, QImage(place.size(), QImage.Format.Format_RGB32), QPoint())
            yield
        self._ground = self._painted_ground(record)
        yield

    def draw(self, time_ns: float) -> Iterator[QImage | None]:
        """Draw the frame of a moment; yield None after each piece, the frame at the end."""
        assert self._ground is not None
        frame = self._ground.copy()
        self.playback.set_cursor(time_ns)
        self._write_moment(frame, time_ns)
        yield None
        for key, place in self._places.items():
            self.parts[key].flush()
            yield None
            self._paint(key, frame, place.topLeft())
            yield None
        yield frame

    def close(self) -> None:
        """Let everything go."""
        for part in self.parts.values():
            part.close()
            part.deleteLater()
        self.parts.clear()

    # --- how

    def _make(self, key: str) -> Any:
        if key == "graph":
            from viewer.graph.view import GraphView

            return GraphView(self.session, self.playback)
        from viewer.plots.panels import make_panel

        return make_panel(key, self.session, self.playback)

    def _paint(self, key: str, image: QImage, place: QPoint) -> None:
        painter = QPainter(image)
        self.parts[key].render(painter, place)
        painter.end()

    def _painted_ground(self, record: RunRecord) -> QImage:
        theme, (width, height) = THEMES[self._plan.theme], self._plan.size
        image = QImage(QSize(width, height), QImage.Format.Format_RGB32)
        image.fill(QColor(theme.window))
        painter = QPainter(image)
        self._write(painter, QRect(EDGE, 4, width * 2 // 3, 22), record.title, theme.text, 1.15)
        about = QRect(EDGE, 24, width - 2 * EDGE, 18)
        self._write(painter, about, subtitle_words(self._trace), theme.muted, 0.8)
        below = QRect(EDGE, height - BAND + 12, width - 2 * EDGE, 20)
        self._write(painter, below, totals_words(self._trace), theme.text, 0.8)
        for key, place in self._places.items():
            if key != "graph":
                name = QRect(place.left(), place.top() - NAME, place.width(), NAME)
                self._write(painter, name, PANELS[key], theme.text, 0.9, bold=True)
        painter.end()
        return image

    def _write_moment(self, frame: QImage, time_ns: float) -> None:
        theme, width = THEMES[self._plan.theme], self._plan.size[0]
        painter = QPainter(frame)
        words = f"{time_words(time_ns)} {self._trace.clock}"
        place = QRect(width * 2 // 3, 4, width // 3 - EDGE, 22)
        self._write(painter, place, words, theme.text, 1.0, bold=True, right=True)
        painter.end()

    def _write(
        self,
        painter: QPainter,
        place: QRect,
        words: str,
        colour: str,
        scale: float,
        *,
        bold: bool = False,
        right: bool = False,
    ) -> None:
        font = QFont(self._font)
        font.setPointSizeF(font.pointSizeF() * scale)
        font.setBold(bold or scale > 1.1)
        painter.setFont(font)
        painter.setPen(QColor(colour))
        fits = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, place.width())
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(place, int(side | Qt.AlignmentFlag.AlignVCenter), fits)


def places(plan: FilmPlan, *, has_graph: bool) -> dict[str, QRect]:
    """Return where each panel of a film stands, pixels."""
    width, height = plan.size
    plots = [key for key in PANELS if key in plan.panels and key != "graph"]
    graph = "graph" in plan.panels and has_graph
    inner = QRect(EDGE, BAND, width - 2 * EDGE, height - 2 * BAND)
    found: dict[str, QRect] = {}
    left = 0
    if graph:
        share = GRAPH_SHARE if plots else 1.0
        found["graph"] = QRect(
            inner.left(), inner.top(), int(inner.width() * share), inner.height()
        )
        left = found["graph"].width() + EDGE
    room = inner.height() // max(len(plots), 1)
    for row, key in enumerate(plots):
        top = inner.top() + row * room + NAME
        found[key] = QRect(inner.left() + left, top, inner.width() - left, room - NAME - 2)
    return found
