"""The graph, coloured by what a run did: the picture in the middle of the window.

The widget shows session and playback and asks for a source. It owns the camera, the vertex pointed
at and the way of colouring. The canvas draws (`viewer.graph.canvas`); `viewer.graph.colours` knows
what colours mean.

Mouse: wheel zooms about the pointer, dragging moves, double-click fits, click chooses the source,
Shift+click shows the shortest path, a right click offers what can be done with a vertex (the menu
key: with the one pointed at, the end of the path, or the source). Keys: + - 0 and arrows (with
Shift while arrows step through events); Esc removes the path.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from PyQt6.QtCore import QEvent, QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter, QWheelEvent
from PyQt6.QtWidgets import QApplication, QMenu, QWidget

from gpu.words import in_sight
from viewer.common.foreign_words import button_words
from viewer.graph.canvas import GraphCanvas
from viewer.graph.colours import COLOUR_MODES, Look, Moment, Scale, look_at
from viewer.graph.items import Names
from viewer.graph.overlay import paint_next_source, paint_note
from viewer.graph.path import Path, parents_of, path_to
from viewer.graph.picture import NewestFirst
from viewer.graph.vertex_words import (
    Tentative,
    distance_labels,
    tentative,
    tentative_labels,
    vertex_words,
)
from viewer.models.notes import Pin
from viewer.models.playback import PlaybackModel
from viewer.models.session import Notice, RunRecord, SessionModel

__all__ = ["COLOUR_MODES", "GraphView"]

Traced = tuple[RunRecord, int, int, Path | None]  # run, from, to, path
LIVE_SHARE = 3  # at least this many times the cost of a frame lies between two
WHEEL_ZOOM = 1.0015  # per eighth of a degree
KEY_ZOOM, KEY_PAN = 1.25, 0.25  # factor; share of the view
KEYS = {
    Qt.Key.Key_Left: (1, 0),
    Qt.Key.Key_Right: (-1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}


class GraphView(GraphCanvas):
    """Shows session and playback; see the module docstring."""

    source_requested = pyqtSignal(int)  # 0-based vertex
    target_requested = pyqtSignal(int)  # 0-based vertex that a path is wanted to
    colour_by_changed = pyqtSignal(str)  # a key of COLOUR_MODES
    path_changed = pyqtSignal(object)  # Path or None

    def __init__(
        self, session: SessionModel, playback: PlaybackModel, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._playback = session, playback
        self._colour_by = "distance"
        self.more_looks: dict[str, Callable[[Moment], Look]] = {}  # colour_by -> who knows it
        self.distances_now: Callable[[], Tentative] | None = None  # of an event
        self.more_menu: list[Callable[[QMenu, int], None]] = []  # of a vertex: who adds to it
        self.click_goes_to: Callable[[int], None] | None = None  # in place of a new source
        self.arrows_move = True  # the map; else they step, and Shift with an arrow moves
        self._scale = Scale()
        self._pressed: QPointF | None = None  # where the button went down
        self._dragged = False
        self._next_source = -1
        self.more_marks += [self._paint_notes, self._paint_next_source]
        self.lead: GraphView = self  # takes the clicks: of two views of a graph, the first
        self._tracer = NewestFirst(self)
        self._refreshed = 0.0  # when a live frame was asked for, seconds
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._connect()
        self._show_graph()
        self.show_source(session.source)
        self._show_current(session.current)

    def _connect(self) -> None:
        self._session.graph_changed.connect(self._show_graph)
        self._session.positions_changed.connect(self._show_graph)
        self._session.graph_completed.connect(self._show_arcs)
        self._session.source_changed.connect(self.show_source)
        self._session.current_changed.connect(self._show_current)
        self._session.run_changed.connect(self._show_run)
        self._session.row_changed.connect(self._show_row)
        self._session.samples_appended.connect(self._show_samples)
        self._session.notes.changed.connect(self.update)
        self._playback.cursor_changed.connect(self.refresh)
        self._playback.duration_changed.connect(self.refresh)
        self._playback.following_changed.connect(self.refresh)
        self._tracer.done.connect(self._take_path)

    # --- colour

    @property
    def colour_by(self) -> str:
        """The way of colouring, a key of COLOUR_MODES."""
        return self._colour_by

    def set_colour_by(self, colour_by: str) -> None:
        """Colour by another value; raise ValueError where there is none such."""
        if colour_by not in COLOUR_MODES:
            raise ValueError(f"colour by {colour_by!r}; allowed: {', '.join(COLOUR_MODES)}")
        if colour_by != self._colour_by:
            self._colour_by = colour_by
            self._scale.forget()
            self.refresh()
            self.colour_by_changed.emit(colour_by)

    def share_scale(self, other: RunRecord | None) -> None:
        """Let colours mean in this picture what they mean in the picture of another run."""
        if self._scale.share(other):
            self.refresh()

    def _look(self) -> Look:
        if self._colour_by in self.more_looks:
            return self.more_looks[self._colour_by](self._moment())
        graph = self._session.graph
        n = graph.n if graph is not None else 0
        look = look_at(self._session.current, self._colour_by, self._moment(), self._scale, n)
        return look if self.distances_now is None else tentative(look, self.distances_now())

    def _saw(self, top: float) -> bool:
        record = self._session.current
        return record is not None and record.running and self._scale.saw(top)

    def _moment(self) -> Moment:
        play = self._playback
        return Moment(play.cursor_ns, play.following, play.duration_ns)

    def _names(self, vertices: list[int]) -> Names:
        graph, record = self._session.graph, self._session.current
        if graph is None:
            return Names({}, {})
        names = {vertex: str(graph.id_of(vertex)) for vertex in vertices}
        if self.distances_now is not None:
            return Names(names, tentative_labels(self.distances_now().dist, vertices))
        if record is None or record.dist is None or len(record.dist) != graph.n:
            return Names(names, {})
        return Names(names, distance_labels(record, vertices, self._moment()))

    def _card(self) -> str:
        graph = self._session.graph
        if graph is None:
            return ""
        name, played = graph.id_of(self.pointed), self.click_goes_to is not None
        record = None if played else self._session.current  # which would give the game away
        words = vertex_words(record, self.pointed, name, graph.n, self._moment())
        notes = [pin.note.text for pin in self._pins() if pin.at == self.pointed]
        first, last = graph.indptr[self.pointed : self.pointed + 2]
        ends = [] if last > first or self._session.arcs_missing else ["no edge leaves it"]
        return " · ".join([*notes, words, *ends])

    def _pins(self) -> list[Pin]:
        """Return the notes at vertices of the graph that is shown."""
        return self._session.notes.at_vertices(self._session.notes.graph_shown())

    def _paint_notes(self, painter: QPainter) -> None:
        room = QRectF(self.rect())
        for pin in self._pins():
            place = self.place_of(pin.at)
            if place is not None and room.contains(place):
                paint_note(painter, self._theme, place, self.disc_radius(), pin.note.text, room)

    # --- the models change

    def _show_graph(self) -> None:
        self._tracer.clear()
        self._fitted = True
        self.show_graph(self._session.graph, self._session.positions)

    def _show_arcs(self) -> None:
        if self._session.graph is not None and self._session.positions is not None:
            self.complete(self._session.graph, self._session.positions)

    def show_source(self, source: int) -> None:
        """Star where the distances shown begin; a vertex chosen since is the next source."""
        graph, record = self._session.graph, self._session.current
        ran = graph is not None and record is not None and record.graph_reference.n == graph.n
        chosen = -1 if graph is None else source
        self.source = record.shown_source if record is not None and ran else chosen
        self._next_source = -1 if chosen == self.source else chosen
        self.update()

    def _paint_next_source(self, painter: QPainter) -> None:
        place = self.place_of(self._next_source)
        if place is not None and self.click_goes_to is None:
            paint_next_source(painter, self._theme, place, self.disc_radius(), QRectF(self.rect()))

    def _show_current(self, record: RunRecord | None) -> None:
        self._set_path(None)
        self.show_source(self._session.source)
        self._show_run(record)

    def _show_run(self, record: RunRecord | None) -> None:
        if record is self._session.current:
            self.refresh()

    def _show_row(self, record: RunRecord) -> None:
        if record is self._session.current:
            self._show_current(record)

    def _show_samples(self, record: RunRecord, _first: int, _last: int) -> None:
        """Ask for a frame, less often where a frame takes long (a 4K screen)."""
        rested = time.monotonic() - self._refreshed
        if record is self._session.current and rested > LIVE_SHARE * self.frame_seconds:
            self._refreshed = time.monotonic()
            self.refresh()

    # --- paths

    def show_path(self, vertex: int) -> None:
        """Show the shortest path to a vertex, here and to whoever asks for targets."""
        self.trace_path(vertex)
        self.target_requested.emit(vertex)

    def forget_path(self) -> None:
        """Show no path."""
        self._set_path(None)

    def map_text(self) -> str:
        """Return what the map shows, and the path drawn on it with its length and arcs."""
        words, graph = super().map_text(), self._session.graph
        if self.path is None or graph is None:
            return words
        end = in_sight(str(graph.id_of(int(self.path.vertices[-1]))))
        return f"{words}; shortest path to {end}: {self.path.words}"

    def trace_path(self, vertex: int) -> None:
        """Find the shortest path to a vertex in the current run; `path_changed` brings it."""
        graph, record = self._session.graph, self._session.current
        dist = record.dist if record is not None else None
        if graph is None or record is None or dist is None or len(dist) != graph.n:
            return
        if self._session.arcs_missing:
            words = "The edges of this graph are still being prepared."
            self._session.set_notice(Notice("info", words, "Ask for the path again in a moment."))
            return
        source = record.shown_source

        def job() -> Traced:
            parents = parents_of(graph, dist, source)
            return record, source, vertex, path_to(parents, dist, source, vertex)

        self._tracer.submit(job)

    def _take_path(self, result: Traced) -> None:
        record, source, vertex, path = result
        graph = self._session.graph
        if record is self._session.current and source == record.shown_source and graph is not None:
            self._set_path(path)
            if path is None:
                name = in_sight(str(graph.id_of(vertex)))
                words = f"No path to {name} is known: this run has not settled it."
                self._session.set_notice(Notice("info", words))

    def _set_path(self, path: Path | None) -> None:
        changed = path is not self.path
        self.path = path
        if changed:
            self.update()
            self._describe()
            self.path_changed.emit(path)

    # --- mouse and keys

    def wheelEvent(self, a0: QWheelEvent | None) -> None:
        """Zoom about the pointer."""
        if a0 is not None:
            turn = a0.angleDelta().y() or a0.angleDelta().x()
            self.zoom(WHEEL_ZOOM**turn, a0.position().x(), a0.position().y())
            a0.accept()

    def mousePressEvent(self, a0: QMouseEvent | None) -> None:
        """Remember where a click or a drag begins."""
        if a0 is not None and a0.button() in (
            Qt.MouseButton.LeftButton,
            Qt.MouseButton.MiddleButton,
        ):
            self._pressed, self._dragged = a0.position(), False

    def mouseMoveEvent(self, a0: QMouseEvent | None) -> None:
        """Drag the picture, or point at a vertex."""
        if a0 is None:
            return
        here = a0.position()
        if self._pressed is not None:
            moved = here - self._pressed
            if self._dragged or moved.manhattanLength() >= QApplication.startDragDistance():
                self._dragged = True
                self._point_at(-1, here)
                self.pan(moved.x(), moved.y())
                self._pressed = here
            return
        self._point_at(self.vertex_at(here.x(), here.y()), here)

    def mouseReleaseEvent(self, a0: QMouseEvent | None) -> None:
        """A click, unless it was a drag, chooses the source or shows a path."""
        pressed, self._pressed = self._pressed, None
        if a0 is None or pressed is None or self._dragged:
            return
        vertex = self.vertex_at(a0.position().x(), a0.position().y())
        if vertex < 0 or a0.button() != Qt.MouseButton.LeftButton:
            return
        if a0.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.show_path(vertex)
        else:
            (self.lead.click_goes_to or self.lead.source_requested.emit)(vertex)

    def mouseDoubleClickEvent(self, a0: QMouseEvent | None) -> None:
        """Show everything; the first click chose what it was on, as every click does."""
        self._pressed = None
        self.fit()

    def contextMenuEvent(self, a0: QContextMenuEvent | None) -> None:
        """Offer what can be done with a vertex."""
        if a0 is None or self._session.graph is None:
            return
        if a0.reason() == QContextMenuEvent.Reason.Keyboard:
            ends = [self.pointed, int(self.path.vertices[-1]) if self.path else -1, self.source]
            vertex = next((end for end in ends if end >= 0), -1)
            place = self.place_of(vertex)
            where = self.rect().center() if place is None else place.toPoint()
        else:
            vertex, where = self.vertex_at(a0.pos().x(), a0.pos().y()), a0.pos()
        if vertex >= 0:
            self.vertex_menu(vertex).popup(self.mapToGlobal(where))

    def vertex_menu(self, vertex: int) -> QMenu:
        """Return a menu of what can be done with a vertex; it deletes itself when closed."""
        graph = self._session.graph
        assert graph is not None
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addSection(button_words(f"Vertex {graph.id_of(vertex)}"))
        menu.addAction("&Start from here", lambda: self.lead.source_requested.emit(vertex))
        path = menu.addAction("Shortest &path to here", lambda: self.show_path(vertex))
        assert path is not None
        path.setEnabled(self._session.current is not None and not self._session.arcs_missing)
        if self.path is not None:
            menu.addAction("&Forget the path", self.forget_path)
        for add in self.more_menu:
            add(menu, vertex)
        return menu

    def leaveEvent(self, a0: QEvent | None) -> None:
        """Point at nothing."""
        self._point_at(-1, self._pointer)
        super().leaveEvent(a0)

    def keyPressEvent(self, a0: QKeyEvent | None) -> None:
        """Zoom, fit, move, forget the path."""
        if a0 is None:
            return
        key = a0.key()
        if key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(KEY_ZOOM)
        elif key == Qt.Key.Key_Minus:
            self.zoom(1 / KEY_ZOOM)
        elif key == Qt.Key.Key_0:
            self.fit()
        elif key == Qt.Key.Key_Escape and self.path is not None:
            self.forget_path()
        elif key in KEYS and self._moves(a0.modifiers()):
            dx, dy = KEYS[Qt.Key(key)]
            self.pan(dx * KEY_PAN * self.width(), dy * KEY_PAN * self.height())
        else:
            super().keyPressEvent(a0)

    def _moves(self, modifiers: Qt.KeyboardModifier) -> bool:
        shifted = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
        others = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        return not modifiers & others and (self.arrows_move or shifted)

    def _point_at(self, vertex: int, here: QPointF) -> None:
        self._pointer = here
        if vertex != self.pointed:
            self.pointed = vertex
            self.update()
        elif vertex >= 0:
            self.update()
