"""One event on top of the graph: the arc that is relaxed, what it offers, who is at work.

A vertex that a worker has set aside, on its way to a bucket, has a dashed ring.

Painted by the graph view after its own marks (`GraphCanvas.more_marks`), only where vertices are
drawn one by one. The arc follows the curve of the picture (`ItemPainter.arc_path`).
"""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen

from gpu.record.events import EventKind
from gpu.replay.state import State
from gpu.words import distance
from viewer.common.theme import Theme
from viewer.features.microscope.board import hand_sign
from viewer.features.microscope.model import MicroscopeModel
from viewer.graph.canvas import GraphCanvas
from viewer.graph.items import ItemPainter
from viewer.graph.overlay import ring
from viewer.graph.scene import Placed, place_of_arc

ON_ARC = (EventKind.RELAX, EventKind.IMPROVE)
AT_VERTEX = {  # what is written at the vertex, before the distance
    EventKind.PUSH: "queued at",
    EventKind.POP: "taken at",
    EventKind.STALE: "stale:",
    EventKind.SKIP: "left out:",
    EventKind.STAY: "kept at",
    EventKind.COLLECT: "set aside at",
    EventKind.CLIP: "clipped at",
    EventKind.LEAVE: "leaves at",
    EventKind.DEFER: "heavy edges wait:",
    EventKind.RESUME: "heavy edges from",
}
OFFER_AT = 0.72  # of the arc, where what it offers is written
ROOM_ON_ARC = 2.2  # times what the words cover: else they would hide the weight in its middle
MARGIN = 3.0  # pixels between words and the edge of the picture
RING = 5.0  # pixels outside a disc


def paint_event(
    painter: QPainter, theme: Theme, canvas: GraphCanvas, model: MicroscopeModel
) -> None:
    """Paint the event shown on a canvas that shows the same graph."""
    sheet, state, event = canvas.picture.sheet, model.state, model.shown
    if sheet is None or sheet.scene is None or state is None:
        return
    placed, radius = Placed(sheet.scene, canvas.camera), canvas.disc_radius()
    in_flight = {vertex for hand in state.workers.values() for vertex, _ in hand.collected}
    for vertex in in_flight:
        place = canvas.place_of(vertex)
        if place is not None:
            _dashed(painter, theme, place, radius)
    noun = "block" if state.rows else "worker"
    for number_, hand in state.workers.items():
        place = canvas.place_of(hand.vertex)
        if place is not None:
            _ring(painter, theme, place, radius, hand_sign(noun, number_), theme.accent)
    if event is None:
        return
    kind = EventKind(int(event["kind"]))
    if kind in ON_ARC:
        arc = int(event["a"] if kind == EventKind.RELAX else event["b"])
        _arc(painter, theme, placed, radius, (arc, float(event["c"])), kind, model)
    elif kind in AT_VERTEX:
        vertex = int(event["a"])
        if vertex in placed.scene.vertices:
            words = f"{AT_VERTEX[kind]} {distance(float(event['c']))}"
            free = ItemPainter(painter, theme, placed, radius).free_place(vertex, f"  {words}  ")
            _chip(painter, theme, free, words, theme.data.event)


def lowers(state: State | None, event: np.void | None, head: int) -> bool:
    """Whether what an arc that is looked at offers is less than its head's distance."""
    if state is None or event is None:
        return False
    hand = state.workers.get(int(event["worker"]))
    dist = state.distances(hand.source if hand is not None else -1)
    return bool(event["c"] < dist[head])


def _dashed(painter: QPainter, theme: Theme, at: QPointF, radius: float) -> None:
    """Mark a vertex that a worker has set aside: it is on its way to a bucket."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.data.event), 2.0, Qt.PenStyle.DashLine))
    painter.drawEllipse(at, radius + RING, radius + RING)


def _ring(
    painter: QPainter, theme: Theme, at: QPointF, radius: float, words: str, colour: str
) -> None:
    ring(painter, at, radius + RING, (theme.plot, 5.5), (colour, 3.0))
    metrics = QFontMetricsF(painter.font())
    side = max(metrics.height(), metrics.horizontalAdvance(words) + 6)
    box = QRectF(at.x() + 0.7 * (radius + RING), at.y() - radius - RING - 4, side, metrics.height())
    painter.setPen(QPen(QColor(theme.plot), 1.5))
    painter.setBrush(QColor(colour))
    painter.drawRoundedRect(box, 4, 4)
    painter.setPen(QColor(theme.on_accent))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)


def _arc(
    painter: QPainter,
    theme: Theme,
    placed: Placed,
    radius: float,
    offer: tuple[int, float],
    kind: EventKind,
    model: MicroscopeModel,
) -> None:
    replay = model.replay
    assert replay is not None
    arc, reach = offer
    graph = replay.graph
    tail, head, weight = graph.tail_of(arc), int(graph.indices[arc]), float(graph.weights[arc])
    place = place_of_arc(placed.scene, graph, arc)
    if place is None or tail == head:
        return
    drawn = placed.scene.arcs[place]
    path = ItemPainter(painter, theme, placed, radius).arc_path(place)
    if drawn.tail != tail:
        path = path.toReversed()
    won = kind == EventKind.IMPROVE
    good = won or lowers(model.state, model.shown, head)
    colour = theme.data.improved if good else theme.data.wasted
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for width, ink in ((8.0, theme.plot), (4.5, colour)):
        pen = QPen(QColor(ink), width)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        painter.drawPath(path)
    tip, before = path.pointAtPercent(1.0), path.pointAtPercent(0.9)
    _head(painter, tip, before, colour)
    if np.isfinite(reach):
        total, parts = distance(reach), f"{distance(reach - weight)} + {distance(weight)}"
        words = f"now {total} = {parts}" if won else f"{parts} = {total}"
        _chip(painter, theme, _beside(painter, placed, path, words), words, colour)


def _beside(painter: QPainter, placed: Placed, path: QPainterPath, words: str) -> QPointF:
    """Return where words about an arc stand: on it, or outside of it where they would hide it."""
    at, metrics = path.pointAtPercent(OFFER_AT), QFontMetricsF(painter.font())
    width, height = metrics.horizontalAdvance(words) + 14, metrics.height() + 6
    run = path.pointAtPercent(1.0) - path.pointAtPercent(0.0)
    length = max(float(np.hypot(run.x(), run.y())), 1e-9)
    aside = QPointF(-run.y() / length, run.x() / length)
    if length > ROOM_ON_ARC * (width * abs(run.x()) + height * abs(run.y())) / length:
        return at
    middle = placed.discs.mean(axis=0)
    away = aside.x() * (at.x() - middle[0]) + aside.y() * (at.y() - middle[1])
    reach = 8 + (width * abs(aside.x()) + height * abs(aside.y())) / 2
    return at + aside * (reach if away > 0 else -reach)


def _head(painter: QPainter, tip: QPointF, before: QPointF, colour: str) -> None:
    ahead = np.array([tip.x() - before.x(), tip.y() - before.y()])
    ahead = ahead / max(float(np.hypot(*ahead)), 1e-9)
    aside = np.array([-ahead[1], ahead[0]]) * 7
    point = np.array([tip.x(), tip.y()])
    back = point - ahead * 15
    path = QPainterPath(tip)
    path.lineTo(*(back + aside).tolist())
    path.lineTo(*(back - aside).tolist())
    path.closeSubpath()
    painter.fillPath(path, QColor(colour))


def _chip(painter: QPainter, theme: Theme, at: QPointF, words: str, colour: str) -> None:
    metrics = QFontMetricsF(painter.font())
    width, height = metrics.horizontalAdvance(words) + 14, metrics.height() + 6
    box = QRectF(at.x() - width / 2, at.y() - height / 2, width, height)
    room = QRectF(painter.window()).adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
    box.moveLeft(max(room.left(), min(box.left(), room.right() - width)))
    box.moveTop(max(room.top(), min(box.top(), room.bottom() - height)))
    painter.setPen(QPen(QColor(colour), 2.0))
    painter.setBrush(QColor(theme.base))
    painter.drawRoundedRect(box, height / 2, height / 2)
    painter.setPen(QColor(theme.text))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
