"""Painting a scene one by one: a few hundred discs, arcs, labels, as in a textbook.

Sizes follow the drawing: a disc is at most a third of the distance to its neighbours.
Small discs sit on coloured streets (each half in the colour of its end, as in the
raster, so that zooming in changes nothing but detail). From `LABEL_RADIUS` on a disc
carries its name, the arcs recede to a neutral ink, and where there is room each
carries its weight; the distance stands under the disc.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from PyQt6.QtCore import QLineF, QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from viewer.raster import View
from viewer.theme import Theme, luminance, mix
from viewer.widgets.graph_scene import Arc, Scene

LABEL_RADIUS = 9.0  # pixels: a disc this large holds a name
TEXTBOOK_RADIUS = 15.0  # pixels: from here on, distances stand under the discs
SMALLEST, LARGEST = 2.2, 26.0  # pixels
ROOM_FOR_WEIGHT = 56.0  # pixels between two discs
ROOM_FOR_ARROW = 20.0
ARROW = 9.0  # pixels, length of a head
BEND = 26.0  # pixels between neighbours in a fan
ARC_INK = 0.45  # of the text colour in the background
NAME_ROOM = 46.0  # pixels to the next vertex, for a name beside a small disc


@dataclass(frozen=True)
class Names:
    """Words beside the items: by vertex, its name and (may be empty) its distance."""

    names: dict[int, str]
    distances: dict[int, str]


def radius_of(scene: Scene, places: np.ndarray) -> float:
    """Return the radius of a disc, pixels, that leaves room between neighbours.

    places : float64 (n, 2), pixel coordinates of all vertices
    """
    spans = [
        float(np.hypot(*(places[arc.head] - places[arc.tail])))
        for arc in scene.arcs
        if arc.head != arc.tail
    ]
    k = max(len(scene.vertices), 1)
    room = float(np.sqrt(scene.view.width * scene.view.height / k))
    gap = min(float(np.quantile(spans, 0.3)), room) if spans else room
    return min(max(0.2 * gap, SMALLEST), LARGEST)


class ItemPainter:
    """Paints one scene on one view; made anew for every frame."""

    def __init__(
        self,
        painter: QPainter,
        theme: Theme,
        view: View,
        scene: Scene,
        places: np.ndarray,
        radius: float,
    ) -> None:
        self._painter, self._theme, self._view, self._scene = painter, theme, view, scene
        self._places, self.radius = places, radius

    def point(self, vertex: int) -> QPointF:
        """Return where a vertex is, in pixels."""
        return QPointF(float(self._places[vertex, 0]), float(self._places[vertex, 1]))

    def paint(self, colours: dict[int, QColor], names: Names) -> None:
        """Paint arcs, discs, names, weights, in this order; `colours` by vertex in view."""
        self._painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.radius < LABEL_RADIUS:
            self._paint_streets(colours)
        else:
            self._paint_arcs()
        self._paint_discs(colours)
        self._paint_names(colours, names)
        if self.radius >= LABEL_RADIUS:
            self._paint_weights()

    def _paint_streets(self, colours: dict[int, QColor]) -> None:
        lines: dict[int, list[QLineF]] = defaultdict(list)
        neutral = QColor(mix(self._theme.plot, self._theme.text, ARC_INK))
        for arc in self._scene.arcs:
            start, end = self.point(arc.tail), self.point(arc.head)
            middle = (start + end) / 2
            lines[colours.get(arc.tail, neutral).rgb()].append(QLineF(start, middle))
            lines[colours.get(arc.head, neutral).rgb()].append(QLineF(middle, end))
        for colour, group in lines.items():
            pen = QPen(QColor.fromRgb(colour), min(2.6, max(1.2, 0.55 * self.radius)))
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            self._painter.setPen(pen)
            self._painter.drawLines(group)
        if self._scene.directed:
            self._paint_heads(neutral)

    def _paint_arcs(self) -> None:
        colour = QColor(mix(self._theme.plot, self._theme.text, ARC_INK))
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.setPen(QPen(colour, 1.6))
        for arc in self._scene.arcs:
            self._painter.drawPath(self.arc_path(arc))
        if self._scene.directed:
            self._paint_heads(colour)

    def arc_path(self, arc: Arc) -> QPainterPath:
        """Return the line of an arc from disc to disc, bent as its fan asks."""
        path = QPainterPath()
        if arc.tail == arc.head:
            return self._loop_path(arc)
        start, control, end = self._curve(arc)
        path.moveTo(start)
        if arc.bend:
            path.quadTo(control, end)
        else:
            path.lineTo(end)
        return path

    def _loop_path(self, arc: Arc) -> QPainterPath:
        size = self.radius * (1.1 + 0.35 * abs(arc.bend))
        centre = self.point(arc.tail) + QPointF(0.0, -self.radius - 0.6 * size)
        path = QPainterPath()
        path.addEllipse(centre, 0.7 * size, size)
        return path

    def _curve(self, arc: Arc) -> tuple[QPointF, QPointF, QPointF]:
        start, end = self.point(arc.tail), self.point(arc.head)
        along = end - start
        length = max(float(np.hypot(along.x(), along.y())), 1e-9)
        ahead = along / length
        aside = QPointF(-ahead.y(), ahead.x())
        bend = 2.0 * arc.bend * min(BEND, 0.25 * length)
        control = (start + end) / 2 + aside * bend
        leave, arrive = _unit(control - start), _unit(end - control)
        room = min(self.radius, 0.45 * length)
        return start + leave * room, control, end - arrive * room

    def _paint_heads(self, colour: QColor) -> None:
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(colour)
        for arc in self._scene.arcs:
            if arc.tail == arc.head or arc.both_ways:
                continue
            start, control, end = self._curve(arc)
            span = QLineF(start, end).length()
            if span < ROOM_FOR_ARROW:
                continue
            ahead = _unit(end - control) if arc.bend else _unit(end - start)
            aside = QPointF(-ahead.y(), ahead.x())
            size = min(ARROW, 0.35 * span)
            back = end - ahead * size
            head = QPolygonF([end, back + aside * (0.42 * size), back - aside * (0.42 * size)])
            self._painter.drawPolygon(head)

    def _paint_discs(self, colours: dict[int, QColor]) -> None:
        outlined = self.radius >= LABEL_RADIUS
        edge = QPen(QColor(mix(self._theme.plot, self._theme.text, 0.75)), 1.4)
        self._painter.setPen(edge if outlined else Qt.PenStyle.NoPen)
        for vertex, colour in colours.items():
            self._painter.setBrush(colour)
            self._painter.drawEllipse(self.point(vertex), self.radius, self.radius)

    def _paint_names(self, colours: dict[int, QColor], names: Names) -> None:
        if self.radius < LABEL_RADIUS:
            room = np.sqrt(self._view.width * self._view.height / max(len(colours), 1))
            if room >= NAME_ROOM:
                self._paint_names_beside(names)
            return
        font = QFont(self._painter.font())
        self._painter.save()
        for vertex, colour in colours.items():
            words = names.names[vertex]
            inside = 1.7 * self.radius
            font.setPixelSize(max(7, int(min(0.95 * self.radius, 16, 1.7 * inside / len(words)))))
            font.setBold(True)
            self._painter.setFont(font)
            dark_ink = luminance(colour.name()) > 0.32
            self._painter.setPen(QColor("#101418" if dark_ink else "#ffffff"))
            box = QRectF(-inside / 2, -inside / 2, inside, inside)
            box.translate(self.point(vertex))
            self._painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
        self._painter.restore()
        if self.radius >= TEXTBOOK_RADIUS:
            for vertex, words in names.distances.items():
                below = self.point(vertex) + QPointF(0, self.radius + 11)
                self.paint_words(below, words, QColor(self._theme.text))

    def _paint_names_beside(self, names: Names) -> None:
        colour = QColor(self._theme.muted)
        metrics = QFontMetricsF(self._painter.font())
        for vertex, words in names.names.items():
            shift = self.radius + 4 + metrics.horizontalAdvance(words) / 2
            self.paint_words(self.point(vertex) + QPointF(shift, 0), words, colour)

    def _paint_weights(self) -> None:
        colour = QColor(self._theme.muted)
        for arc in self._scene.arcs:
            words = f"{arc.weight:g}"
            if arc.tail == arc.head:
                top = self._loop_path(arc).boundingRect().top()
                self.paint_words(QPointF(self.point(arc.tail).x(), top - 8), words, colour)
                continue
            start, control, end = self._curve(arc)
            along = end - start
            if np.hypot(along.x(), along.y()) < ROOM_FOR_WEIGHT:
                continue
            middle = (start + end) / 4 + control / 2 if arc.bend else (start + end) / 2
            aside = _unit(QPointF(-along.y(), along.x()))
            if not arc.bend and aside.y() > 0:
                aside = -aside
            side = 1.0 if arc.bend >= 0 else -1.0
            reach = 8.0 + 3.0 * len(words) * abs(aside.x())
            self.paint_words(middle + aside * (side * reach), words, colour)

    def paint_words(self, centre: QPointF, words: str, colour: QColor) -> None:
        """Paint words on a veil of the background, so that lines do not cross them out."""
        metrics = QFontMetricsF(self._painter.font())
        width, height = metrics.horizontalAdvance(words) + 4, metrics.height() - 2
        box = QRectF(centre.x() - width / 2, centre.y() - height / 2, width, height)
        veil = QColor(self._theme.plot)
        veil.setAlpha(200)
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(veil)
        self._painter.drawRoundedRect(box, 3, 3)
        self._painter.setPen(colour)
        self._painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)


def _unit(vector: QPointF) -> QPointF:
    length = float(np.hypot(vector.x(), vector.y()))
    return vector / length if length > 0 else QPointF(0.0, 0.0)
