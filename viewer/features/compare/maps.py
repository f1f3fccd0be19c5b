"""The graph of two runs: B's picture beside A's, or one picture of what differs.

Beside each other: `SecondView` is a whole graph view on models of its own (`Mirror`), which hold
the same graph and run B; both show the same part of the map, whichever is moved, and the cursor
of the second stands where the cursor of the first falls on B's clock.

As a difference: every vertex takes the colour of the run that settled it first, the stronger
the earlier. At the cursor only those are coloured
that one of the runs had settled by then. The colours are those of the letters A and B on the
plots. It is exact (probe level 2 of both runs) or it is not shown, and the legend says why.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape

import numpy as np
from PyQt6.QtCore import QEvent, QObject, Qt, pyqtSignal
from PyQt6.QtGui import QMouseEvent
from PyQt6.QtWidgets import QLabel, QWidget

from gpu.errors import GpuError
from gpu.files import require_memory
from gpu.graph import INT_UNREACHED
from gpu.study.compare import VertexDifference, difference
from gpu.words import time_number, time_unit
from viewer.common.theme import SPACING, Theme
from viewer.graph.colours import NEEDS_PAIR, Legend, Look, Moment
from viewer.graph.picture import NewestFirst
from viewer.graph.view import GraphView
from viewer.models.comparison import ComparisonModel
from viewer.models.playback import PlaybackModel
from viewer.models.session import SessionModel
from viewer.raster.raster import LEVELS, Colouring

BYTES_A_VERTEX = 80  # while a difference is computed; 16 are kept
MOST = 0.98  # of the vertices lie on the bar
MIDDLE = LEVELS // 2
UNKNOWN = Look(Colouring(), "plain", Legend("Difference of A and B", note="being computed…"))


class Mirror(QObject):
    """Models for a second view: the window's graph, run B, B's time at the cursor."""

    def __init__(
        self,
        session: SessionModel,
        playback: PlaybackModel,
        pair: ComparisonModel,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._from, self._cursor_of, self._pair = session, playback, pair
        self.session, self.playback = SessionModel(self), PlaybackModel(self)
        self.session.notes = session.notes
        self.playback.watch(self.session)
        for news in (session.graph_changed, session.positions_changed, session.source_changed):
            news.connect(self._take_graph)
        session.graph_completed.connect(self._take_arcs)
        session.row_changed.connect(self._take_graph)
        for name in ("row_changed", "run_changed", "samples_appended"):
            getattr(session, name).connect(getattr(self.session, name))
        session.run_changed.connect(self._take_cursor)
        session.samples_appended.connect(self._take_cursor)
        pair.pair_changed.connect(self._take_pair)
        playback.cursor_changed.connect(self._take_cursor)
        self._take_graph()
        self._take_pair()

    def _take_graph(self, _news: object = None) -> None:
        if self.session.graph is not self._from.graph:
            self.session.set_graph(self._from.graph)
        if self.session.positions is not self._from.positions:
            self.session.set_positions(self._from.positions)
        if self.session.graph is not None:
            self.session.set_source(self._pair.b.shown_source if self._pair.b else 0)

    def _take_arcs(self) -> None:
        if self._from.graph is not None:
            self.session.complete(self._from.graph)

    def _take_pair(self) -> None:
        self.session.set_current(self._pair.b)
        self._take_graph()
        self._take_cursor()

    def _take_cursor(self, *_news: object) -> None:
        if self.session.current is not None:
            at = self._cursor_of.cursor_ns
            newest = self.session.current.running and at >= self.playback.duration_ns
            if newest != self.playback.following:
                self.playback.set_following(newest)
            if not newest:
                self.playback.set_cursor(at)


class SecondView(GraphView):
    """Run B's picture; looks where the first view looks."""

    def __init__(self, mirror: Mirror, first: GraphView) -> None:
        super().__init__(mirror.session, mirror.playback)
        self.setAccessibleName("Graph of B")
        self._first = self.lead = first
        self._led = False
        first.camera_changed.connect(self._follow)
        self.camera_changed.connect(self._lead)
        first.colour_by_changed.connect(self.set_colour_by)
        self.set_colour_by(first.colour_by)

    def _follow(self, _camera: object = None) -> None:
        if not self._led and self.isVisible():
            self._led = True
            self.look_like(self._first)
            self._led = False

    def _lead(self, _camera: object) -> None:
        if not self._led and self.isVisible():
            self._led = True
            self._first.look_like(self)
            self._led = False


class Badge(QLabel):
    """A letter and a name in the corner of a graph. B's is pressed to choose another B."""

    pressed = pyqtSignal()

    def __init__(self, place: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._place = place
        self.setTextFormat(Qt.TextFormat.RichText)
        self._chooses = place > 0
        if self._chooses:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.move(SPACING, SPACING)
        self.hide()

    def changeEvent(self, a0: QEvent | None) -> None:
        """Take the room that another size of text needs."""
        super().changeEvent(a0)
        if a0 is not None and a0.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.adjustSize()

    def mousePressEvent(self, a0: QMouseEvent | None) -> None:
        """Keep the press where it chooses: the map would begin a drag, and never see its end."""
        if a0 is not None and not self._chooses:
            a0.ignore()

    def mouseReleaseEvent(self, a0: QMouseEvent | None) -> None:
        """Ask for the choice."""
        if not self._chooses:
            super().mouseReleaseEvent(a0)
            return
        if a0 is not None and a0.button() == Qt.MouseButton.LeftButton:
            self.pressed.emit()

    def show_words(self, letter: str, words: str, about: str, theme: Theme) -> None:
        """Show "A ADDS" on the colour of the letter; `about`: what that is, for the tooltip."""
        click = "\nClick to compare with another algorithm, or another Δ."
        self.setToolTip(about + (click if self._chooses else ""))
        colour = theme.runs[self._place]
        self.setStyleSheet(
            f"QLabel {{ color: {theme.text}; background: {theme.plot}; padding: 2px 8px;"
            f" border: 1px solid {theme.border}; border-left: 4px solid {colour};"
            " border-radius: 3px; }"
        )
        more = "&nbsp; ▾" if self._chooses else ""
        self.setText(f"<b>{letter}</b>&nbsp; {escape(words)}{more}")
        self.adjustSize()
        self.show()
        self.raise_()


@dataclass(frozen=True, eq=False)
class Levels:
    """A difference made ready to draw: table levels, and where the bar ends."""

    first: np.ndarray  # int64 (n,) ns, when the first of the two settled it
    levels: np.ndarray  # int32 (n,)
    top: float  # ns at the ends of the bar


class DifferenceLooks(QObject):
    """How to colour by the difference of A and B; computed in the background, once a pair."""

    changed = pyqtSignal()

    def __init__(self, pair: ComparisonModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pair = pair
        self._result: Levels | str | None = None  # str: why there is none
        self._requested = False
        self._worker = NewestFirst(self)
        self._worker.done.connect(self._take)
        pair.pair_changed.connect(self.forget)
        pair.words_changed.connect(self._forget_refusal)

    def forget(self) -> None:
        """Another pair: compute again when asked."""
        self._worker.clear()
        self._result, self._requested = None, False
        self.changed.emit()

    def wait(self) -> None:
        """Return once nothing is being computed (tests, pictures)."""
        self._worker.wait()

    def by_time(self, moment: Moment) -> Look:
        """Return the look "who settled it first"."""
        ready = self._ready()
        if not isinstance(ready, Levels):
            return ready
        top, clock = ready.top, self._pair.a.clock_words if self._pair.a is not None else ""
        unit = time_unit(top)
        ends = [f"{time_number(top * share, unit)} {unit.word}" for share in (1.0, 0.5)]
        words = (f"A {ends[0]}", ends[1], "0", ends[1], f"B {ends[0]}")
        ticks = tuple((place / 4, tick) for place, tick in enumerate(words))
        past = moment.cursor_ns < moment.duration_ns
        colouring = Colouring("distance", ready.levels, unit=1.0, final=True)
        if past:
            colouring = replace(colouring, first=ready.first, cursor=moment.cursor_ns)
        title = f"Settled earlier, by A or by B ({clock} time)"
        nothing = "not settled yet" if past else "unreached"
        return Look(colouring, "difference", Legend(title, ticks, ((0, nothing),)))

    def _ready(self) -> Levels | Look:
        if self._result is None and not self._requested:
            self._ask()
        if isinstance(self._result, str):
            return replace(UNKNOWN, legend=replace(UNKNOWN.legend, note=self._result))
        return self._result if self._result is not None else UNKNOWN

    def _ask(self) -> None:
        sides = self._pair.sides()
        if sides is None:
            self._result = NEEDS_PAIR
            return
        self._requested = True

        def job() -> Levels | str:
            try:
                require_memory(BYTES_A_VERTEX * sides[0].graph.n, "the difference of two runs")
                return made_ready(difference(*sides))
            except GpuError as error:
                return str(error)

        self._worker.submit(job)

    def _take(self, ready: Levels | str) -> None:
        if self._requested:
            self._result = ready
            self.changed.emit()

    def _forget_refusal(self) -> None:
        if isinstance(self._result, str):
            self.forget()


def made_ready(ready: VertexDifference) -> Levels:
    """Return table levels of a difference: 0 A's end, MIDDLE none, 2 * MIDDLE B's end."""
    first = np.where(ready.known, ready.settled_ns, -1.0).astype(np.int64)
    sizes = np.abs(ready.later_ns[ready.known])
    sizes = sizes[sizes > 0]
    top = float(np.quantile(sizes[:: max(1, len(sizes) // 200_000)], MOST)) if len(sizes) else 1.0
    top = max(top, 1.0)
    levels = MIDDLE + np.rint(np.clip(-ready.later_ns / top, -1, 1) * MIDDLE)
    levels = np.where(ready.known, levels, INT_UNREACHED).astype(np.int32)
    return Levels(first, levels, top)
