"""Where the parts of a drawing are on the canvas, in pixels: for painting and for hit tests.

The drawing is painted by the map's own `ItemPainter`, so a graph looks the same while it is drawn
and when it is used. Edges between the same two vertices fan out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

import numpy as np
from PyQt6.QtCore import QPointF, QRectF

from viewer.features.draw.drawing import Drawing
from viewer.graph.items import Curves
from viewer.graph.scene import Arc as Line, Placed, Scene
from viewer.raster.raster import View

RIM = 9.0  # pixels around a vertex from which an edge can be drawn
INSIDE = 3.0  # pixels inside its outline that count as rim
REACH = 7.0  # pixels from a line to the pointer that hits it
WEIGHT = (14.0, 9.0)  # pixels, half the size of the box of a weight
SAMPLES = np.linspace(0.0, 1.0, 25)[:, None, None]  # along a curve
NONE = -1


class Layout:
    """A drawing under a view; vertices and edges are named by their keys.

    moved : places of vertices that are being dragged, drawing units
    """

    def __init__(
        self, drawing: Drawing, moved: Mapping[int, tuple[float, float]], view: View, radius: float
    ) -> None:
        self.drawing, self.radius = drawing, radius
        self.index_of = {vertex.key: k for k, vertex in enumerate(drawing.vertices)}
        spots = [moved.get(vertex.key, (vertex.x, vertex.y)) for vertex in drawing.vertices]
        positions = np.array(spots, np.float32).reshape(-1, 2)
        everyone = np.arange(len(spots), dtype=np.int32)
        lines = _fanned(drawing, self.index_of)
        scene = Scene(view, positions, everyone, lines, drawing.directed, True)
        self.placed = Placed(scene, view)
        self.curves = Curves(self.placed, radius) if lines else None
        self._at = {arc.key: place for place, arc in enumerate(drawing.arcs)}

    def vertex_at(self, place: QPointF) -> tuple[int, bool]:
        """Return the vertex at a place, NONE for none, and whether the place is on its rim."""
        discs = self.placed.discs
        if not len(discs):
            return NONE, False
        away = np.hypot(discs[:, 0] - place.x(), discs[:, 1] - place.y())
        nearest = int(np.argmin(away))
        if away[nearest] > self.radius + RIM:
            return NONE, False
        key = self.drawing.vertices[nearest].key
        return key, bool(away[nearest] > self.radius - INSIDE)

    def arc_at(self, place: QPointF) -> int:
        """Return the edge whose line or weight is at a place, NONE for none."""
        if self.curves is None:
            return NONE
        here = np.array([place.x(), place.y()])
        away = np.hypot(*(self.curves.point(SAMPLES) - here).transpose(2, 0, 1)).min(axis=0)
        for number, arc in enumerate(self.drawing.arcs):
            beside = self.weight_place(arc.key) - place
            if abs(beside.x()) <= WEIGHT[0] and abs(beside.y()) <= WEIGHT[1]:
                return arc.key
            if arc.tail == arc.head:
                away[number] = self._from_loop(number, place)
        nearest = int(np.argmin(away))
        return self.drawing.arcs[nearest].key if away[nearest] <= REACH else NONE

    def _from_loop(self, number: int, place: QPointF) -> float:
        box = self.curves.loop_box(number) if self.curves is not None else QRectF()
        across = (place.x() - box.center().x()) / (box.width() / 2)
        down = (place.y() - box.center().y()) / (box.height() / 2)
        return float(abs(np.hypot(across, down) - 1) * box.width() / 2)

    def vertex_place(self, key: int) -> QPointF:
        """Return the middle of a vertex."""
        return QPointF(*self.placed.discs[self.index_of[key]].tolist())

    def weight_place(self, key: int) -> QPointF:
        """Return the middle of an edge's weight: where it was painted, or will be about."""
        assert self.curves is not None
        place = self._at[key]
        painted, _ = next(iter(self.placed.scene.weights.values()), ({}, None))
        spot = painted.get(place, self.curves.beside(place, np.array([4.0, 8.0])))
        return QPointF(*spot.tolist())

    def place_of(self, key: int) -> QPointF | None:
        """Return where a vertex or the weight of an edge is, None where neither has this key."""
        if key in self.index_of:
            return self.vertex_place(key)
        return self.weight_place(key) if key in self._at else None


def _fanned(drawing: Drawing, index_of: Mapping[int, int]) -> list[Line]:
    """Return the edges as lines of a scene, in their order, each bent to its place in its fan."""
    ends = [(min(arc.tail, arc.head), max(arc.tail, arc.head)) for arc in drawing.arcs]
    sizes = Counter(ends)
    placed: defaultdict[tuple[int, int], int] = defaultdict(int)
    lines = []
    for arc, pair in zip(drawing.arcs, ends, strict=True):
        place = placed[pair]
        placed[pair] += 1
        fan = float(place) if arc.tail == arc.head else place - (sizes[pair] - 1) / 2
        bend = fan if arc.tail == pair[0] else -fan
        tail, head = index_of[arc.tail], index_of[arc.head]
        lines.append(Line(tail, head, float(arc.weight), bend, not drawing.directed))
    return lines
