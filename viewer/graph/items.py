"""Painting a scene one by one: some hundred discs, arcs, labels, as in a textbook.

Each disc carries its name, the arcs are in a neutral ink, and where there is room each
carries its weight; the distance stands near the disc. Where discs are too small for names
the raster draws them, and its coloured streets.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from viewer.common.text_size import scaled
from viewer.common.theme import Theme, luminance, mix
from viewer.graph.scene import Placed

TEXTBOOK_RADIUS = 13.0  # pixels: from here on, distances stand under the discs
OUTLINE = 1.5  # pixels around a disc that holds a name
ROOM_FOR_WEIGHT = 50.0  # pixels between two discs
FEW_ARCS, LEAST_ROOM = 60, 16.0  # so few arcs show their weights down to this room
ROOM_FOR_ARROW = 20.0
ARROW = 11.0  # pixels, length of a head
BEND = 26.0  # pixels between neighbours in a fan
ARC_INK = 0.45  # of the text colour in the background
OUTSIDE = 8.0  # pixels from a disc to a distance: rings are drawn there
WAYS = (0.5, 0.35, 0.65, 0.2, 0.8)  # of an arc: where its weight may stand, on either side
ALONG, CLEAR = 40, 4.0  # points of an arc, and pixels, that a distance is kept clear of
APART = 4  # digits from the middle of a distance, which other distances leave free
NOTHING = np.zeros((0, 4))  # boxes
NEARER = 0.8  # of the way to any other disc: a distance is that near to its own
ON_DARK, ON_LIGHT = "#ffffff", "#101418"  # names, on a disc


@dataclass(frozen=True)
class Names:
    """Words beside the items: by vertex, its name and (may be empty) its distance."""

    names: dict[int, str]
    distances: dict[int, str]


class Curves:
    """Where the arcs of a scene run, from disc to disc: float64 (a, 2) pixels each.

    start, end : on the rims of the two discs
    control : of the quadratic curve; the middle of the line where it is straight
    ahead : unit vector at the end; span : from start to end, pixels
    """

    def __init__(self, placed: Placed, radius: float) -> None:
        first, last = placed.tails, placed.heads
        length = np.maximum(np.hypot(*(last - first).T), 1e-9)[:, None]
        along = (last - first) / length
        aside = np.stack([-along[:, 1], along[:, 0]], axis=1)
        self.bends = np.array([arc.bend for arc in placed.scene.arcs])
        shift = aside * (2 * self.bends[:, None] * np.minimum(BEND, length / 4))
        self.control = (first + last) / 2 + shift
        room = np.minimum(radius, 0.45 * length)
        self.start = first + _units(self.control - first) * room
        self.end = last - _units(last - self.control) * room
        self.ahead = _units(last - self.control)
        self.span = np.hypot(*(self.end - self.start).T)
        self._loops = np.array([arc.tail == arc.head for arc in placed.scene.arcs])
        self._tails, self._radius = first, radius

    def loop_box(self, place: int) -> QRectF:
        """Return the box of the ellipse of a loop, which stands above its vertex."""
        size = self._radius * (1.1 + 0.35 * abs(float(self.bends[place])))
        x, y = self._tails[place].tolist()
        return QRectF(x - 0.7 * size, y - self._radius - 1.6 * size, 1.4 * size, 2 * size)

    def point(self, t: float | np.ndarray, place: int | slice = slice(None)) -> np.ndarray:
        """Return the point of an arc, or of all, at a share t of its way."""
        ends = (1 - t) ** 2 * self.start[place] + t**2 * self.end[place]
        point: np.ndarray = ends + 2 * t * (1 - t) * self.control[place]
        return point

    def beside(self, place: int, half: np.ndarray, t: float = 0.5, side: int = 1) -> np.ndarray:
        """Return the middle of an arc's weight beside the arc; `half`: of its width and height.

        t : share of the way along the arc; side : -1 for the other side
        """
        if self._loops[place]:
            box = self.loop_box(place)
            return np.array([box.center().x(), box.top() - 8])
        along = (self.end[place] - self.start[place]) / max(self.span[place], 1e-9)
        aside = np.array([-along[1], along[0]])
        bend = self.bends[place]
        if bend < 0 or (not bend and aside[1] > 0):
            aside = -aside
        reach = CLEAR + float(np.abs(aside) @ half)
        return self.point(t, place) + side * aside * reach


class ItemPainter:
    """Paints one scene on one view, in two parts: the arcs below, the discs above."""

    def __init__(self, painter: QPainter, theme: Theme, placed: Placed, radius: float) -> None:
        self._painter, self._theme, self._placed, self._radius = painter, theme, placed, radius
        self._scene = placed.scene
        self._neutral = QColor(mix(theme.plot, theme.text, ARC_INK))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        points = (QPointF(x, y) for x, y in placed.discs.tolist())
        self._use_font(painter.font())
        self._points = dict(zip(self._scene.vertices.tolist(), points, strict=True))

    def _use_font(self, font: QFont) -> None:
        self._painter.setFont(font)
        self._metrics = QFontMetricsF(font)
        self._digit = self._metrics.horizontalAdvance("0")

    def _width(self, words: str) -> float:
        """Return how wide words are; digits are all as wide, and measuring is slow."""
        digits = words.isdigit()
        return self._digit * len(words) if digits else self._metrics.horizontalAdvance(words)

    # --- arcs

    def paint_below(self) -> None:
        """Paint arcs, arrowheads and weights."""
        if self._scene.arcs:
            wide = 1.6 if self._radius < TEXTBOOK_RADIUS else 2.0
            self.paint_arcs(range(len(self._scene.arcs)), self._neutral, wide)
            self._paint_weights()

    def paint_arcs(self, places: Iterable[int], ink: QColor, wide: float) -> None:
        """Paint some arcs, by their places in the scene, and their heads."""
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.setPen(QPen(ink, wide))
        for place in places:
            self._painter.drawPath(self.arc_path(place))
        if self._scene.directed:
            self._paint_heads(places, ink)

    @cached_property
    def curves(self) -> Curves:
        """Where the arcs run."""
        return Curves(self._placed, self._radius)

    def arc_path(self, place: int) -> QPainterPath:
        """Return the line of an arc, by its place in the scene."""
        path, arc, curves = QPainterPath(), self._scene.arcs[place], self.curves
        if arc.tail == arc.head:
            path.addEllipse(curves.loop_box(place))
            return path
        path.moveTo(*curves.start[place].tolist())
        if arc.bend:
            path.quadTo(*curves.control[place].tolist(), *curves.end[place].tolist())
        else:
            path.lineTo(*curves.end[place].tolist())
        return path

    def _paint_heads(self, places: Iterable[int], ink: QColor) -> None:
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(ink)
        for place in places:
            arc, span = self._scene.arcs[place], float(self.curves.span[place])
            if arc.tail == arc.head or arc.both_ways or span < ROOM_FOR_ARROW:
                continue
            tip, ahead = self.curves.end[place], self.curves.ahead[place]
            size = min(ARROW, 0.35 * span)
            aside = np.array([-ahead[1], ahead[0]]) * 0.42 * size
            back = tip - ahead * size
            corners = np.array([tip, back + aside, back - aside]).tolist()
            self._painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))

    def _paint_weights(self) -> None:
        theme, large = self._theme, self._radius >= TEXTBOOK_RADIUS
        self._painter.save()
        if large:
            self._use_font(_sized(self._painter.font(), scaled(15)))
        for place, spot in self._weights[0].items():
            words = f"{self._scene.arcs[place].weight:g}"
            self._paint_words(QPointF(*spot), words, QColor(theme.text if large else theme.muted))
        self._painter.restore()
        self._use_font(self._painter.font())

    @cached_property
    def _weights(self) -> tuple[dict[int, np.ndarray], np.ndarray]:
        """Where the weights of arcs stand, by place, and what they and the discs cover.

        Each stands beside its arc, clear of discs, of the others and, of few, of all arcs. Of many
        arcs, those that have no such place have none. Boxes: middle and half size, float64 (k, 4).
        """
        kept, key = self._scene.weights, (self._placed.view, self._radius, scaled(15))
        if key not in kept:
            kept.clear()
            kept[key] = self._spread_weights()
        return kept[key]

    def _spread_weights(self) -> tuple[dict[int, np.ndarray], np.ndarray]:
        arcs, curves, many = self._scene.arcs, self.curves, len(self._scene.arcs) > FEW_ARCS
        room = ROOM_FOR_WEIGHT if many else LEAST_ROOM
        if many and len({arc.weight for arc in arcs}) == 1:
            room = np.inf  # all the same: a hundred labels say nothing
        boxes = np.pad(self._placed.discs, ((0, 0), (0, 2)), constant_values=0.9 * self._radius)
        spots: dict[int, np.ndarray] = {}
        for place, arc in enumerate(arcs):
            if arc.tail != arc.head and curves.span[place] < room:
                continue
            half = np.array([self._width(f"{arc.weight:g}"), self._metrics.height()]) / 2
            tries = [curves.beside(place, half, t, side) for t in WAYS for side in (1, -1)]
            covered = [self._covered(boxes, spot, half) for spot in tries]
            best = int(np.argmin(covered))
            if not many or covered[best] < ALONG:
                spots[place] = tries[best]
                boxes = np.vstack([boxes, [*tries[best], *half]])
        return spots, boxes

    def _covered(self, boxes: np.ndarray, spot: np.ndarray, half: np.ndarray) -> int:
        """Return how many points of arcs words would cover, ALONG for a box."""
        over = (np.abs(boxes[:, :2] - spot) < boxes[:, 2:] + half).all(axis=1).any()
        return ALONG * int(over) + int((np.abs(self._lines - spot) < half).all(axis=1).sum())

    @cached_property
    def _lines(self) -> np.ndarray:
        """Points of the arcs of a small scene, float64 (k, 2)."""
        if not 0 < len(self._scene.arcs) <= FEW_ARCS:
            return np.zeros((0, 2))
        return self.curves.point(np.linspace(0, 1, ALONG)[:, None, None]).reshape(-1, 2)

    # --- discs

    def paint_above(self, colours: dict[int, QColor], names: Names) -> None:
        """Paint discs, names and distances; `colours` by vertex in view."""
        self._paint_discs(colours)
        self._paint_names_inside(colours, names)
        if self._radius < TEXTBOOK_RADIUS:
            return
        taken = NOTHING
        for vertex, words in names.distances.items():
            place = self.free_place(vertex, words, taken)
            room = (APART * self._digit, self._metrics.height() / 2)
            taken = np.vstack([taken, [place.x(), place.y(), *room]])
            self._paint_words(place, words, QColor(self._theme.text))

    def _paint_discs(self, colours: dict[int, QColor]) -> None:
        self._painter.setPen(Qt.PenStyle.NoPen)
        radius = self._radius  # two fills cost a third of one fill with an outline
        self._painter.setBrush(QColor(mix(self._theme.plot, self._theme.text, 0.75)))
        for vertex in colours:
            self._painter.drawEllipse(self._points[vertex], radius, radius)
        radius -= OUTLINE
        for vertex, colour in colours.items():
            self._painter.setBrush(colour)
            self._painter.drawEllipse(self._points[vertex], radius, radius)

    def _paint_names_inside(self, colours: dict[int, QColor], names: Names) -> None:
        inside = 2.4 * self._radius
        wide = QFontMetricsF(_sized(self._painter.font(), 100, bold=True)).horizontalAdvance
        widest = max((wide(words) for words in names.names.values()), default=0.0)
        room = 190 * self._radius / max(widest, 1.0)
        self._painter.save()
        size = max(scaled(8), int(min(1.3 * self._radius, scaled(20), room)))
        font = _sized(self._painter.font(), size, bold=True)
        self._painter.setFont(font)
        face, fits = QFontMetricsF(font), 0.9 * inside
        box = QRectF(-inside / 2, -inside / 2, inside, inside)
        for vertex, colour in colours.items():
            ink = ON_LIGHT if luminance(colour.name()) > 0.2 else ON_DARK
            self._painter.setPen(QColor(ink))
            place, name = box.translated(self._points[vertex]), names.names[vertex]
            while len(name) > 3 and not name[-2].isdigit() and face.horizontalAdvance(name) > fits:
                name = name[:-2] + "."  # letters tell most at the beginning, numbers at the end
            name = face.elidedText(name, Qt.TextElideMode.ElideMiddle, fits)
            self._painter.drawText(place, Qt.AlignmentFlag.AlignCenter, name)
        self._painter.restore()

    def free_place(self, vertex: int, words: str, taken: np.ndarray = NOTHING) -> QPointF:
        """Return where words of a vertex stand: clear of other discs, arcs and `taken`."""
        width = max(self._width(words), 3 * self._digit)  # ∞ stands where a distance will
        beside = self._radius + OUTSIDE
        down, across = beside + self._metrics.height() / 2, beside + 2 + width / 2
        sides = [(0, down), (across, 0), (-across, 0), (0, -down)]
        corners = [(0.85 * x, 0.85 * y) for y in (down, -down) for x in (across, -across)]
        half = np.array([width / 2 + CLEAR, self._metrics.height() / 2 + CLEAR])
        point, room = self._points[vertex], QRectF(self._painter.window())
        here = np.array([point.x(), point.y()])
        boxes = np.vstack([self._weights[1] if len(self._lines) else NOTHING, taken])
        spots, own = here + np.array([*sides, *corners]), self._scene.vertices == vertex
        away = np.hypot(*np.maximum(np.abs(self._placed.discs[:, None] - spots) - half, 0).T)
        foreign = away[:, own].min(axis=1) > NEARER * away[:, ~own].min(axis=1, initial=np.inf)
        covered = [
            self._covered(boxes, spot, half)
            + ALONG * (not room.contains(QRectF(*(spot - half), *(2 * half))))
            for spot in spots
        ]
        return QPointF(*spots[int(np.argmin(covered + 10 * ALONG * foreign))])

    def _paint_words(self, centre: QPointF, words: str, colour: QColor) -> None:
        """Paint words on a veil of the background, so that lines do not cross them out."""
        width, height = self._width(words) + 4, self._metrics.height() - 2
        box = QRectF(centre.x() - width / 2, centre.y() - height / 2, width, height)
        veil = QColor(self._theme.plot)
        veil.setAlpha(200)
        self._painter.fillRect(box, veil)
        self._painter.setPen(colour)
        self._painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)


def _units(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(np.hypot(*vectors.T), 1e-9)[:, None]


def _sized(font: QFont, pixels: int, bold: bool = False) -> QFont:
    sized = QFont(font)
    sized.setPixelSize(pixels)
    sized.setBold(bold)
    return sized
