"""Notes at vertices: a label beside each, with a leader, where it covers nothing that is told.

A label keeps inside the picture, and off the legend, other labels, vertices that carry notes and,
where there are few, every vertex drawn. Where none of the places around it is free, a note is a
ring alone: the card of its vertex has the words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from viewer.common.text_size import scaled
from viewer.common.theme import SPACING, Theme

WIDEST = 210  # pixels of a label's words, at the reference text size
AWAY = (16.0, 34.0, 60.0, 92.0)  # pixels from a vertex's rim to its label
TURNS = (
    -45,
    0,
    45,
    -90,
    90,
    -135,
    180,
    135,
)  # degrees clockwise from the right: first choice first
CLEAR = 3.0  # pixels around a label
DOT = 5.0  # pixels around a vertex that no label covers


def paint_notes(
    painter: QPainter,
    theme: Theme,
    notes: Sequence[tuple[QPointF, str]],
    radius: float,
    room: QRectF,
    taken: Sequence[QRectF],
) -> list[QRectF | None]:
    """Paint notes (where the vertex is, words); return where their labels stand, None for a ring.

    radius : of a vertex, pixels ; taken : what no label may cover
    """
    metrics = QFontMetricsF(painter.font())
    full = [*taken, *(_around(centre, radius) for centre, _ in notes)]
    placed: list[QRectF | None] = []
    for centre, words in notes:
        shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, scaled(WIDEST))
        size = metrics.horizontalAdvance(shown) + 2 * SPACING, metrics.height() + SPACING / 2
        box = free_place(centre, radius, size, room, full)
        _paint_ring(painter, theme, centre, radius)
        placed.append(box)
        if box is not None:
            full.append(box.adjusted(-CLEAR, -CLEAR, CLEAR, CLEAR))
            _paint_label(painter, theme, centre, radius, box, shown)
    return placed


def free_place(
    centre: QPointF,
    radius: float,
    size: tuple[float, float],
    room: QRectF,
    taken: Sequence[QRectF],
) -> QRectF | None:
    """Return where a label of that size is free, the nearest to its vertex; None where nowhere."""
    width, height = size
    for away in AWAY:
        for turn in TURNS:
            right, down = math.cos(math.radians(turn)), math.sin(math.radians(turn))
            x = centre.x() + right * (radius + away)
            y = centre.y() + down * (radius + away)
            left = x - width * (0.5 - 0.5 * _sign(right))
            top = y - height * (0.5 - 0.5 * _sign(down))
            box = QRectF(left, top, width, height)
            if room.contains(box) and not any(box.intersects(other) for other in taken):
                return box
    return None


def _sign(value: float) -> float:
    return 0.0 if abs(value) < 0.01 else math.copysign(1.0, value)


def _around(centre: QPointF, radius: float) -> QRectF:
    reach = radius + DOT
    return QRectF(centre.x() - reach, centre.y() - reach, 2 * reach, 2 * reach)


def _paint_ring(painter: QPainter, theme: Theme, centre: QPointF, radius: float) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, width in ((theme.plot, 4.0), (theme.text, 1.6)):
        painter.setPen(QPen(QColor(colour), width))
        painter.drawEllipse(centre, radius + 3.0, radius + 3.0)


def _paint_label(
    painter: QPainter, theme: Theme, centre: QPointF, radius: float, box: QRectF, words: str
) -> None:
    end = QPointF(
        min(max(centre.x(), box.left()), box.right()),
        min(max(centre.y(), box.top()), box.bottom()),
    )
    way = end - centre
    length = max(math.hypot(way.x(), way.y()), 1e-9)
    start = centre + way * (min(radius + 3.0, length) / length)
    for colour, width in ((theme.plot, 4.0), (theme.text, 1.2)):
        painter.setPen(QPen(QColor(colour), width))
        painter.drawLine(start, end)
    painter.setPen(QPen(QColor(theme.text), 1.0))
    painter.setBrush(QColor(theme.base))
    painter.drawRoundedRect(box, 3, 3)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
