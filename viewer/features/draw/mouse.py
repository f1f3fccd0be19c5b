"""The mouse on the canvas.

Select     click selects (Shift adds), drag moves, drag on nothing draws a frame, a drag from a
           vertex's rim, and one vertex dropped on another, draws an arc, double-click adds a
           vertex or edits what is there
Vertex     a click on nothing adds a vertex
Arc        a drag from anywhere on a vertex draws an arc; so do two clicks, tail and head

An arc let go over nothing brings a vertex there. The middle button, or Space held down, moves the
view; the wheel zooms. A drag that is given up (Escape) changes nothing.
"""

from __future__ import annotations

from PyQt6.QtCore import QPoint, QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QMouseEvent, QPainter, QPen
from PyQt6.QtWidgets import QApplication

from viewer.features.draw.geometry import Outline, curve_between, loop_at
from viewer.features.draw.surface import DrawSurface

NOTHING, FRAME, MOVE, ARC, PAN = "", "frame", "move", "arc", "pan"


class Hand:
    """What the mouse is doing; see the module docstring."""

    def __init__(self, canvas: DrawSurface) -> None:
        self._canvas = canvas
        self.doing = NOTHING
        self.tail = -1  # vertex from which an arc is being drawn
        self.space = False  # Space is held: drags move the view
        self._pressed = QPoint()
        self._from, self._to = QPointF(), QPointF()
        self._moved = False
        self._waits = False  # an arc waits for a click on its head
        self._before: dict[int, tuple[float, float]] = {}
        self._kept: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
        self._lit = -1

    # --- events

    def press(self, event: QMouseEvent) -> None:
        """A button goes down."""
        canvas = self._canvas
        canvas.field.leave()
        left = event.button() == Qt.MouseButton.LeftButton
        if event.button() == Qt.MouseButton.MiddleButton or (left and self.space):
            self.doing, self._pressed = PAN, event.pos()
            canvas.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)  # type: ignore[union-attr]
            return
        if not left:
            return
        self._pressed, self._moved = event.pos(), False
        self._from = self._to = canvas.mapToScene(event.pos())
        vertex, rim = canvas.items_of.vertex_at(self._from.x(), self._from.y())
        if self._waits:
            return  # the release says where the arc ends
        adds = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if vertex >= 0 and (canvas.tool == "arc" or (rim and not adds)):
            self.doing, self.tail = ARC, vertex
        elif vertex >= 0:
            self._pick(vertex, adds, vertex=True)
            self.doing = MOVE
            self._before = {
                key: (canvas.vertices[key].outline.x, canvas.vertices[key].outline.y)
                for key in canvas.model.selected_vertices
            }
        elif (arc := canvas.items_of.arc_at(self._from.x(), self._from.y())) >= 0:
            self._pick(arc, adds, vertex=False)
        else:
            self.doing = FRAME
            model = canvas.model
            self._kept = (
                (model.selected_vertices, model.selected_arcs)
                if adds
                else (frozenset(), frozenset())
            )

    def move(self, event: QMouseEvent) -> None:
        """The mouse moves, pressed or not."""
        canvas = self._canvas
        if self.doing == PAN:
            by = self._pressed - event.pos()
            self._pressed = event.pos()
            canvas.pan(by.x(), by.y())
            return
        self._to = canvas.mapToScene(event.pos())
        far = (event.pos() - self._pressed).manhattanLength()
        self._moved = self._moved or far >= QApplication.startDragDistance()
        if self.doing == ARC or self._waits:
            self._light(canvas.items_of.vertex_at(self._to.x(), self._to.y())[0])
        elif self.doing == MOVE and self._moved:
            canvas.items_of.shift(self._places())
            self._light(self._dropped_on())
            return
        elif self.doing == FRAME and self._moved:
            self._select_frame()
        elif not self.doing:
            self._hover()
            return
        canvas.viewport().update()  # type: ignore[union-attr]

    def release(self, event: QMouseEvent) -> None:
        """A button comes up."""
        canvas = self._canvas
        if self.doing == PAN:
            self.doing = NOTHING
            canvas.set_tool(canvas.tool)
            return
        if event.button() != Qt.MouseButton.LeftButton:
            return
        self._to = canvas.mapToScene(event.pos())
        doing, self.doing = self.doing, NOTHING
        if doing == ARC or self._waits:
            self._end_arc()
        elif doing == MOVE and self._moved and (head := self._dropped_on()) >= 0:
            canvas.items_of.sync()
            self._light(-1)
            canvas.attempt(canvas.model.add_arc, next(iter(self._before)), head)
        elif doing == MOVE and self._moved:
            moved = {key: (x, -y) for key, (x, y) in self._places().items()}
            canvas.model.move(moved)
            canvas.items_of.sync()  # back onto their places where nothing changed
        elif doing == FRAME and not self._moved:
            self._click_nothing()
        canvas.viewport().update()  # type: ignore[union-attr]

    def double_click(self, event: QMouseEvent) -> None:
        """Add a vertex, or edit what is there."""
        canvas = self._canvas
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if canvas.tool != "select":
            self.press(event)
            return
        self.give_up()
        place = canvas.mapToScene(event.pos())
        vertex, _ = canvas.items_of.vertex_at(place.x(), place.y())
        found = vertex if vertex >= 0 else canvas.items_of.arc_at(place.x(), place.y())
        if found >= 0:
            canvas.model.select([found] * (vertex >= 0), [found] * (vertex < 0))
            canvas.edit(found)
        else:
            self.add_vertex(place)

    def give_up(self) -> bool:
        """Let go of what is being dragged, unchanged; return whether there was anything."""
        busy = bool(self.doing) or self._waits
        if self.doing == MOVE:
            self._canvas.items_of.sync()
        self.doing, self._waits, self.tail = NOTHING, False, -1
        self._light(-1)
        self._canvas.viewport().update()  # type: ignore[union-attr]
        return busy

    def pick_for_menu(self, place: QPoint) -> QPoint:
        """Select what is under the mouse unless it is selected; return the place."""
        canvas = self._canvas
        self.give_up()
        spot = canvas.mapToScene(place)
        vertex, _ = canvas.items_of.vertex_at(spot.x(), spot.y())
        arc = canvas.items_of.arc_at(spot.x(), spot.y()) if vertex < 0 else -1
        model = canvas.model
        if vertex >= 0 and vertex not in model.selected_vertices:
            model.select([vertex])
        elif arc >= 0 and arc not in model.selected_arcs:
            model.select([], [arc])
        elif vertex < 0 and arc < 0:
            model.select()
        return place

    # --- what comes of it

    def add_vertex(self, place: QPointF) -> None:
        """Add a vertex at a place of the scene."""
        x, y = self._canvas.snapped(place.x(), place.y())
        self._canvas.attempt(self._canvas.model.add_vertex, x, -y)

    def _pick(self, key: int, adds: bool, vertex: bool) -> None:
        model = self._canvas.model
        vertices, arcs = model.selected_vertices, model.selected_arcs
        mine = vertices if vertex else arcs
        if adds:
            mine = mine ^ {key}
        elif key not in mine:
            vertices, arcs, mine = frozenset(), frozenset(), frozenset({key})
        if vertex:
            model.select(mine, arcs, key)
        else:
            model.select(vertices, mine, key)

    def _click_nothing(self) -> None:
        canvas = self._canvas
        if canvas.tool == "vertex":
            self.add_vertex(self._to)
        else:
            canvas.model.select(*self._kept)

    def _end_arc(self) -> None:
        canvas, tail = self._canvas, self.tail
        head, _ = canvas.items_of.vertex_at(self._to.x(), self._to.y())
        if not self._waits and not self._moved:
            canvas.model.select([tail])
            self._waits = canvas.tool == "arc"
            if self._waits:
                name = canvas.model.drawing.by_key[tail].name
                canvas.said.emit(f"From {name}: click the head of the arc, Escape gives up.")
            return
        self.give_up()
        if head >= 0:
            canvas.attempt(canvas.model.add_arc, tail, head)
        else:
            x, y = canvas.snapped(self._to.x(), self._to.y())
            canvas.attempt(canvas.model.add_arc_to_new, tail, x, -y)

    def _places(self) -> dict[int, tuple[float, float]]:
        """Return where what is dragged stands now, scene coordinates."""
        by = self._to - self._from
        return {
            key: self._canvas.snapped(x + by.x(), y + by.y())
            for key, (x, y) in self._before.items()
        }

    def _dropped_on(self) -> int:
        """Return the other vertex on which the one that is dragged is held, -1 for none."""
        vertices = self._canvas.vertices
        for key, item in vertices.items() if len(self._before) == 1 else ():
            if key not in self._before and item.distance(self._to.x(), self._to.y()) <= 0:
                return key
        return -1

    def _frame(self) -> QRectF:
        return QRectF(self._from, self._to).normalized()

    def _select_frame(self) -> None:
        canvas, frame = self._canvas, self._frame()
        inside = {
            key
            for key, item in canvas.vertices.items()
            if frame.contains(QPointF(item.outline.x, item.outline.y))
        }
        arcs = {
            key
            for key, item in canvas.arcs.items()
            if {item.arc.tail, item.arc.head} <= inside or frame.contains(item.weight_box.center())
        }
        canvas.model.select(self._kept[0] | inside, self._kept[1] | arcs)

    # --- what is seen of it

    def _hover(self) -> None:
        canvas = self._canvas
        vertex, rim = canvas.items_of.vertex_at(self._to.x(), self._to.y())
        draws = vertex >= 0 and (rim or canvas.tool == "arc")
        self._light(vertex if draws else -1)
        shape = Qt.CursorShape.ArrowCursor
        if draws or canvas.tool != "select":
            shape = Qt.CursorShape.CrossCursor
        elif vertex >= 0:
            shape = Qt.CursorShape.OpenHandCursor
        canvas.viewport().setCursor(shape)  # type: ignore[union-attr]

    def _light(self, key: int) -> None:
        vertices = self._canvas.vertices
        if self._lit in vertices and self._lit != key:
            vertices[self._lit].light(False)
        if key in vertices:
            vertices[key].light(True)
        self._lit = key

    def paint(self, painter: QPainter) -> None:
        """Paint the frame, or the arc that is being drawn."""
        theme = self._canvas.items_of.style_now.theme
        if self.doing == FRAME and self._moved:
            fill = QColor(theme.accent)
            fill.setAlpha(36)
            painter.setPen(QPen(QColor(theme.accent), 1 / self._canvas.zoom))
            painter.setBrush(fill)
            painter.drawRect(self._frame())
        elif self.tail in self._canvas.vertices and (self._waits or self._moved):
            self.paint_arc(painter, self.tail, self._lit, self._to)

    def paint_arc(self, painter: QPainter, tail: int, head: int, to: QPointF) -> None:
        """Paint an arc that is not there yet, to a vertex or to a place."""
        canvas = self._canvas
        start = canvas.vertices[tail].outline
        directed = canvas.model.drawing.directed
        if head == tail:
            curve = loop_at(start, 0, directed)
        else:
            end = canvas.vertices[head].outline if head >= 0 else Outline(to.x(), to.y(), 0.5)
            curve = curve_between(start, end, 0.0, directed)
        ink = QColor(canvas.items_of.style_now.theme.accent)
        painter.setPen(QPen(ink, 2.4, Qt.PenStyle.DashLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(curve.path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        painter.drawPolygon(curve.head)
