"""The items of a drawing: they follow the model, and say what is where.

After each change only those are touched whose vertex or arc is another one. While something is
dragged items move by themselves; the drawing changes once, at the end.
"""

from __future__ import annotations

from collections.abc import Iterable

from PyQt6.QtCore import QObject, QPointF, QRectF
from PyQt6.QtGui import QFont
from PyQt6.QtWidgets import QGraphicsScene

from viewer.common.theme import Theme
from viewer.features.draw.drawing import DrawingModel
from viewer.features.draw.geometry import (
    Outline,
    curve_between,
    fans,
    free_directions,
    label_shares,
    loop_at,
)
from viewer.features.draw.items import (
    RIM,
    ArcItem,
    Style,
    VertexItem,
)

FAR = 1e6  # units: the edge of the canvas
RIM_INSIDE = 6.0  # units of a disc, a third of its radius, that count as its rim


class DrawScene(QGraphicsScene):
    """See the module docstring."""

    def __init__(self, model: DrawingModel, style: Style, parent: QObject | None = None) -> None:
        super().__init__(-FAR, -FAR, 2 * FAR, 2 * FAR, parent)
        self.setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
        self.model, self.style_now = model, style
        self.vertices: dict[int, VertexItem] = {}
        self.arcs: dict[int, ArcItem] = {}
        self._shapes: dict[int, tuple[object, ...]] = {}  # of arcs, as last drawn
        self._placed: object = None  # what the weights were placed for
        self._focus = False  # keys act here
        self._drawn_in: object = None  # theme, font, size
        self._sizes: object = None  # font, size, radius: what the places of all were made for

    def apply_theme(self, theme: Theme, font: QFont, grow: float = 1.0) -> None:
        """Take the colours of a theme, and a text size."""
        if self._drawn_in == (theme, font, grow):
            return
        self._drawn_in = (theme, font, grow)
        self.style_now = Style(theme, font, grow)
        before, self._sizes = self._sizes, (font, grow, self.style_now.radius)
        if self._sizes == before:  # other colours alone: all stays where it is
            for vertex in self.vertices.values():
                vertex.style = self.style_now
            for arc in self.arcs.values():
                arc.style = self.style_now
            self.update()
            return
        for vertex in self.vertices.values():
            vertex.take(vertex.vertex, self.style_now)
        for arc in self.arcs.values():
            arc.take(arc.arc, self.style_now)
        self._shapes.clear()
        self.sync()

    def sync(self) -> None:
        """Show what is drawn now."""
        drawing = self.model.drawing
        for key in self.vertices.keys() - drawing.by_key.keys():
            self.removeItem(self.vertices.pop(key))
        for key in self.arcs.keys() - drawing.arc_by_key.keys():
            gone = self.arcs.pop(key)
            self.removeItem(gone)
            self.removeItem(gone.label)
        for vertex in drawing.vertices:
            item = self.vertices.get(vertex.key)
            if item is None:
                self.vertices[vertex.key] = item = VertexItem(vertex, self.style_now)
                self.addItem(item)
            elif item.vertex != vertex or (item.outline.x, -item.outline.y) != (vertex.x, vertex.y):
                item.take(vertex, self.style_now)
        for arc in drawing.arcs:
            line = self.arcs.get(arc.key)
            if line is None:
                self.arcs[arc.key] = line = ArcItem(arc, self.style_now)
                self.addItem(line)
                self.addItem(line.label)
            elif line.arc != arc:
                line.take(arc, self.style_now)
        bends = fans(drawing, self._outlines())
        self._draw_arcs(drawing.arc_by_key, bends)
        self._place_weights()
        self.show_marks()

    def shift(self, places: dict[int, tuple[float, float]]) -> None:
        """Show vertices elsewhere, scene coordinates, for now."""
        for key, (x, y) in places.items():
            self.vertices[key].put(x, y)
        drawing = self.model.drawing
        near = [a.key for a in drawing.arcs if a.tail in places or a.head in places]
        self._draw_arcs(near, {key: self.arcs[key].bend for key in near})

    def _outlines(self) -> dict[int, Outline]:
        return {key: item.outline for key, item in self.vertices.items()}

    def _draw_arcs(self, keys: Iterable[int], bends: dict[int, float]) -> None:
        directed = self.model.drawing.directed
        away = free_directions(self.model.drawing, self._outlines())
        for key in keys:
            item = self.arcs[key]
            tail, head = (self.vertices[end].outline for end in (item.arc.tail, item.arc.head))
            turn = away.get(item.arc.tail) if item.arc.tail == item.arc.head else None
            shape = (tail, head, bends[key], directed, turn)
            if self._shapes.get(key) == shape and item.curve is not None:
                continue
            self._shapes[key], item.bend = shape, bends[key]
            if turn is not None:
                curve = loop_at(tail, int(bends[key]), directed, turn)
            else:
                curve = curve_between(tail, head, bends[key], directed)
            item.run(curve, item.share)

    def _place_weights(self) -> None:
        curves = [
            (key, item.curve, *self.style_now.weight_size(item.arc))
            for key, item in self.arcs.items()
            if item.curve is not None
        ]
        blocked = [item.box for item in self.vertices.values()]
        seen = [(key, id(curve), width) for key, curve, width, _ in curves], blocked
        if seen == self._placed:
            return
        self._placed = seen
        for key, share in label_shares(curves, blocked).items():
            item = self.arcs[key]
            if share != item.share and item.curve is not None:
                item.run(item.curve, share)

    def show_marks(self, focus: bool | None = None) -> None:
        """Show what is selected; `focus` says whether keys act here, None as before."""
        self._focus = self._focus if focus is None else focus
        model, focus = self.model, self._focus
        start = model.drawing.source_vertex
        for key, item in self.vertices.items():
            item.mark(
                selected=key in model.selected_vertices,
                current=focus and key == model.current,
                start=start is not None and key == start.key,
            )
        for key, line in self.arcs.items():
            line.mark(selected=key in model.selected_arcs, current=focus and key == model.current)

    def vertex_at(self, x: float, y: float) -> tuple[int, bool]:
        """Return the vertex at a place of the scene and whether that is on its rim; (-1, False)."""
        best, nearest = -1, RIM
        for key, item in self.vertices.items():
            distance = item.distance(x, y)
            if distance <= nearest:
                best, nearest = key, distance
        return best, best >= 0 and nearest > -RIM_INSIDE

    def arc_at(self, x: float, y: float) -> int:
        """Return the arc at a place of the scene, -1 for none; weights first."""
        place = QPointF(x, y)
        hits = [key for key, item in self.arcs.items() if item.hit(place)]
        named = [key for key in hits if self.arcs[key].weight_box.contains(place)]
        return (named or hits or [-1])[-1]

    def bounds(self) -> QRectF:
        """Return the box around all of it."""
        box = QRectF()
        for item in (*self.vertices.values(), *self.arcs.values()):
            box = box.united(item.boundingRect())
        return box
