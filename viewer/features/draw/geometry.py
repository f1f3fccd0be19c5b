"""Where the parts of a drawing stand: outlines of vertices, curves of arcs, places of weights.

Scene coordinates: x to the right, y down. A vertex is a disc, or, where its name is longer, a pill
as high. Arcs between the same two vertices fan out; loops stand in the widest gap between a
vertex's arcs, each around the one before; a straight arc that would cross a third vertex bends
around it. A weight sits on the middle of its arc, or, where another weight or arc is in the
way, a little way along.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from PyQt6.QtCore import QPointF, QRectF
from PyQt6.QtGui import QPainterPath, QPolygonF

from viewer.features.draw.drawing import Arc, Drawing

FAN = 34.0  # units between the middles of neighbours in a fan
ARROW, ARROW_HALF = 11.0, 4.6  # length and half the width of a head
PLACES = (0.5, 0.4, 0.6, 0.32, 0.68, 0.25, 0.75)  # along an arc, for its weight
CELL = 48.0  # of the table that finds what overlaps
SAMPLES = 32  # places of a line that are looked at, to see what it crosses
MOST_LINES = 120  # arcs whose crossings are looked at
Box = Sequence[float]  # left, top, right, bottom
HIDDEN, BESIDE = 1.7, 1.0  # arcs shorter than so many weights have it beside, units away
MOST_CROSSINGS = 200_000  # arcs times vertices that are looked at


@dataclass(frozen=True)
class Outline:
    """A vertex as a shape: its middle, its radius, half the length of a pill's straight part."""

    x: float
    y: float
    radius: float
    half: float = 0.0

    def reach(self, dx: float, dy: float) -> float:
        """Return how far the rim is from the middle in a direction of length 1."""
        if self.half and abs(dy) * self.half > self.radius * abs(dx) * 0.999999:
            return self.radius / abs(dy)
        along = abs(dx) * self.half
        return along + math.sqrt(max(along * along - self.half**2 + self.radius**2, 0.0))

    @property
    def box(self) -> QRectF:
        """The smallest rectangle around it."""
        wide = self.half + self.radius
        return QRectF(self.x - wide, self.y - self.radius, 2 * wide, 2 * self.radius)


@dataclass(frozen=True)
class Curve:
    """An arc as a shape.

    path : from rim to rim; head : the arrow's polygon, empty where it has none
    points : the four of a cubic curve, for places along it
    """

    path: QPainterPath
    head: QPolygonF
    points: tuple[QPointF, QPointF, QPointF, QPointF]

    def at(self, share: float) -> QPointF:
        """Return the place a share (0..1) of the way along."""
        a, b, c, d = self.points
        t, s = share, 1 - share
        return a * (s * s * s) + b * (3 * s * s * t) + c * (3 * s * t * t) + d * (t * t * t)


def curve_between(tail: Outline, head: Outline, bend: float, arrow: bool) -> Curve:
    """Return the arc between two vertices; `bend` in steps of a fan, to the left of its way."""
    dx, dy = head.x - tail.x, head.y - tail.y
    length = math.hypot(dx, dy) or 1e-6
    aside_x, aside_y = dy / length, -dx / length
    shift = 2 * bend * min(FAN, length / 3)
    control = QPointF(
        (tail.x + head.x) / 2 + aside_x * shift, (tail.y + head.y) / 2 + aside_y * shift
    )
    start, end = _rim(tail, control), _rim(head, control)
    return _curve(start, control, control, end, arrow)


def loop_at(vertex: Outline, place: int, arrow: bool, away: float = math.pi / 2) -> Curve:
    """Return a loop at a vertex; `place` 0, 1 ... from the inside, `away` its direction, radians.

    At a pill it stands on top or below.
    """
    if vertex.half:
        away = math.copysign(math.pi / 2, math.sin(away) or 1.0)
    size = vertex.radius * (2.6 + 1.1 * place)
    spread = math.radians(32 + 7 * place)
    out = QPointF(math.cos(away), -math.sin(away))
    aside = QPointF(-out.y(), out.x())
    middle = QPointF(vertex.x, vertex.y)
    foot, wide = out * (vertex.radius * math.cos(spread)), aside * (0.85 * size)
    half = aside * (vertex.radius * math.sin(spread))
    top = middle + out * (vertex.radius + 1.35 * size)
    return _curve(middle + foot - half, top - wide, top + wide, middle + foot + half, arrow)


def free_directions(drawing: Drawing, outlines: dict[int, Outline]) -> dict[int, float]:
    """Return where the loops of each vertex that has some point: the middle of the widest gap."""
    looped = {arc.tail for arc in drawing.arcs if arc.tail == arc.head}
    angles: dict[int, list[float]] = {key: [] for key in looped}
    for arc in drawing.arcs:
        for here, there in ((arc.tail, arc.head), (arc.head, arc.tail)):
            if here in looped and there != here:
                one, other = outlines[here], outlines[there]
                angles[here].append(math.atan2(one.y - other.y, other.x - one.x))
    return {key: _widest_gap(sorted(set(found))) for key, found in angles.items()}


def _widest_gap(angles: list[float]) -> float:
    """Return the middle of the widest gap between directions; up, where that is as free."""
    up = math.pi / 2
    if not angles or all(abs(math.remainder(up - one, math.tau)) > 0.9 for one in angles):
        return up
    gaps = [
        (after - one, one + (after - one) / 2)
        for one, after in pairwise([*angles, angles[0] + math.tau])
    ]
    return max(gaps)[1]


def _rim(vertex: Outline, towards: QPointF) -> QPointF:
    dx, dy = towards.x() - vertex.x, towards.y() - vertex.y
    length = math.hypot(dx, dy) or 1e-6
    dx, dy = dx / length, dy / length
    reach = min(vertex.reach(dx, dy), 0.96 * length)
    return QPointF(vertex.x + dx * reach, vertex.y + dy * reach)


def _curve(start: QPointF, first: QPointF, second: QPointF, end: QPointF, arrow: bool) -> Curve:
    """Return a curve; a quadratic one is a cubic one whose controls are two thirds of the way."""
    if first == second:
        first, second = start + (first - start) * (2 / 3), end + (second - end) * (2 / 3)
    head, stop = QPolygonF(), end
    if arrow:
        back = second - end
        length = math.hypot(back.x(), back.y()) or 1e-6
        back = back * (1 / length)
        side = QPointF(-back.y(), back.x()) * ARROW_HALF
        base = end + back * ARROW
        head = QPolygonF([end, base + side, base - side])
        stop = end + back * (0.7 * ARROW)
    path = QPainterPath(start)
    path.cubicTo(first, second, stop)
    return Curve(path, head, (start, first, second, end))


def fans(drawing: Drawing, outlines: dict[int, Outline]) -> dict[int, float]:
    """Return how each arc bends, by its key; of loops, which place they have."""
    groups: dict[tuple[int, int], list[Arc]] = defaultdict(list)
    for arc in drawing.arcs:
        groups[min(arc.tail, arc.head), max(arc.tail, arc.head)].append(arc)
    bends: dict[int, float] = {}
    for (low, high), group in groups.items():
        for place, arc in enumerate(group):
            fan = float(place) if low == high else place - (len(group) - 1) / 2
            if low != high and len({one.tail for one in group}) > 1 and drawing.directed:
                fan = _opposed(group, arc)
            bends[arc.key] = fan if low in (arc.tail, high) else -fan
    for key in _through_others(drawing, outlines, bends):
        bends[key] = 1.3
    return bends


def _opposed(group: list[Arc], arc: Arc) -> float:
    """Return the fan of an arc among some that lead the other way: each way on its own side."""
    same = [one for one in group if one.tail == arc.tail]
    side = 1.0 if arc.tail < arc.head else -1.0
    return side * (0.5 + same.index(arc))


def _through_others(
    drawing: Drawing, outlines: dict[int, Outline], bends: dict[int, float]
) -> list[int]:
    """Return keys of straight arcs that cross a vertex which is not one of their ends."""
    arcs = [arc for arc in drawing.arcs if not bends[arc.key] and arc.tail != arc.head]
    if not arcs or len(arcs) * len(outlines) > MOST_CROSSINGS:
        return []
    keys = np.array(list(outlines), np.int64)
    spots = np.array([(one.x, one.y) for one in outlines.values()])
    places = {key: k for k, key in enumerate(outlines)}
    first = spots[[places[arc.tail] for arc in arcs]]
    last = spots[[places[arc.head] for arc in arcs]]
    along = last - first
    square = np.maximum((along**2).sum(axis=1), 1e-9)
    to = spots[None] - first[:, None]
    share = (to * along[:, None]).sum(axis=2) / square[:, None]
    off = np.abs(to[..., 0] * along[:, None, 1] - to[..., 1] * along[:, None, 0])
    radius = next(iter(outlines.values())).radius
    hit = (share > 0.02) & (share < 0.98) & (off < 0.9 * radius * np.sqrt(square)[:, None])
    for k, arc in enumerate(arcs):
        hit[k, [places[arc.tail], places[arc.head]]] = False
    assert len(keys) == hit.shape[1]
    return [arc.key for k, arc in enumerate(arcs) if hit[k].any()]


class Crowd:
    """Boxes of a picture in a table of cells, so that what is near is found at once."""

    def __init__(self) -> None:
        self._boxes: dict[tuple[int, int], list[Box]] = defaultdict(list)

    def put(self, box: Box) -> None:
        """Keep a box."""
        for cell in _cells(box):
            self._boxes[cell].append(box)

    def free(self, box: Box) -> bool:
        """Whether a box overlaps none that is kept."""
        left, top, right, bottom = box
        return not any(
            one[0] < right and left < one[2] and one[1] < bottom and top < one[3]
            for cell in _cells(box)
            for one in self._boxes[cell]
        )


def _cells(box: Box) -> list[tuple[int, int]]:
    columns = range(int(box[0] // CELL), int(box[2] // CELL) + 1)
    rows = range(int(box[1] // CELL), int(box[3] // CELL) + 1)
    return [(column, row) for column in columns for row in rows]


def label_shares(
    curves: Sequence[tuple[int, Curve, float, float]], blocked: Iterable[QRectF] = ()
) -> dict[int, float]:
    """Return where on its arc each weight stands, by the arc's key: the first place that is free.

    curves : key, curve, width and height of the weight's box
    blocked : boxes that no weight should cover

    Up to MOST_LINES arcs, a place where another arc crosses is taken only if there is no better.
    """
    if not curves:
        return {}
    crowd = Crowd()
    for one in blocked:
        crowd.put((one.left(), one.top(), one.right(), one.bottom()))
    points = np.array([[(p.x(), p.y()) for p in curve.points] for _, curve, _, _ in curves])
    halves = np.array([(width / 2, height / 2) for *_, width, height in curves])
    aside = [aside_of(curve, width, height) for _, curve, width, height in curves]
    shifts = np.array([(one.x(), one.y()) for one in aside])
    middles = _along(points, np.array(PLACES)) + shifts[:, None]
    lines = _along(points, np.linspace(0.03, 0.97, SAMPLES)) if len(curves) <= MOST_LINES else None
    boxes = np.concatenate([middles - halves[:, None], middles + halves[:, None]], axis=2).tolist()
    shares: dict[int, float] = {}
    for k, (key, *_) in enumerate(curves):
        free = [place for place, box in enumerate(boxes[k]) if crowd.free(box)]
        clear = (
            place
            for place in free
            if lines is None or not _crossed(lines, k, middles[k, place], halves[k])
        )
        place = next(clear, free[0] if free else 0)
        shares[key] = PLACES[place]
        crowd.put(boxes[k][place])
    return shares


def aside_of(curve: Curve, width: float, height: float) -> QPointF:
    """Return how far beside its arc a weight stands: not at all, unless it would hide the arc."""
    way = curve.points[3] - curve.points[0]
    length = math.hypot(way.x(), way.y()) or 1e-6
    dx, dy = way.x() / length, way.y() / length
    if length > HIDDEN * (abs(dx) * width + abs(dy) * height):
        return QPointF()
    off = (abs(dy) * width + abs(dx) * height) / 2 + BESIDE
    return QPointF(dy, -dx) * (off if dy > 0 or (dy == 0 and dx > 0) else -off)


def _along(points: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return places on cubic curves: points (m, 4, 2), shares (s,) -> (m, s, 2)."""
    t, u = shares[:, None], 1 - shares[:, None]
    factors = np.concatenate([u**3, 3 * u * u * t, 3 * u * t * t, t**3], axis=1)
    return np.asarray(np.einsum("sp,mpx->msx", factors, points))


def _crossed(lines: np.ndarray, own: int, middle: np.ndarray, half: np.ndarray) -> bool:
    """Whether a line that is not `own` runs through a box; lines (m, s, 2)."""
    inside = (np.abs(lines - middle) < half + 1).all(axis=2).any(axis=1)
    return bool(inside.sum() > inside[own])


def box_around(middle: QPointF, width: float, height: float) -> QRectF:
    """Return a box around a place."""
    return QRectF(middle.x() - width / 2, middle.y() - height / 2, width, height)
