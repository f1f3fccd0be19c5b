"""What lies on top of the picture: the source, the hovered vertex, a path, a few words.

Plain functions with a painter: they draw what they are given and know no model.
"""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QLineF, QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from viewer.common.text_size import scaled
from viewer.common.theme import SPACING, Theme

STAR_POINTS = 5
PATH_POINTS = 20_000  # of a path, at most; a longer one is thinned
NEXT_SOURCE = "next source"
NOTE_WIDTH = 210  # pixels of a note's words, at the reference text size
HOVER_ARCS = 300  # lit up around a hovered vertex, at most


def paint_source(painter: QPainter, theme: Theme, centre: QPointF, radius: float) -> None:
    """Ring a vertex, with a star upon it where the disc is small."""
    ring(painter, centre, radius + 4.0, (theme.plot, 5.0), (theme.error, 2.2))
    if radius < 9:
        painter.setPen(QPen(QColor(theme.plot), 1.0))
        painter.setBrush(QColor(theme.error))
        painter.drawPolygon(star(centre, max(6.0, radius)))


def paint_next_source(
    painter: QPainter, theme: Theme, centre: QPointF, radius: float, room: QRectF
) -> None:
    """Ring the vertex that the next run starts from, with a word beside it."""
    ring(painter, centre, max(radius, 6.0) + 4.0, (theme.plot, 5.0), (theme.error, 2.0))
    paint_card(painter, theme, centre, NEXT_SOURCE, room)


def paint_note(
    painter: QPainter, theme: Theme, centre: QPointF, radius: float, words: str, room: QRectF
) -> None:
    """Ring a vertex that has a note, and put the beginning of the note beside it."""
    ring(painter, centre, radius + 3.0, (theme.plot, 4.0), (theme.text, 1.6))
    metrics = QFontMetricsF(painter.font())
    shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, scaled(NOTE_WIDTH))
    paint_card(painter, theme, centre, shown, room, theme.text)


def ring(painter: QPainter, centre: QPointF, radius: float, *inks: tuple[str, float]) -> None:
    """Draw circles upon each other: (colour, width)."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, width in inks:
        painter.setPen(QPen(QColor(colour), width))
        painter.drawEllipse(centre, radius, radius)


def star(centre: QPointF, radius: float) -> QPolygonF:
    """Return a five-pointed star, one point up."""
    turns = np.arange(2 * STAR_POINTS) * np.pi / STAR_POINTS - np.pi / 2
    reach = np.where(np.arange(2 * STAR_POINTS) % 2, 0.42 * radius, radius)
    return QPolygonF(
        [
            QPointF(centre.x() + r * np.cos(turn), centre.y() + r * np.sin(turn))
            for r, turn in zip(reach.tolist(), turns.tolist(), strict=True)
        ]
    )


def paint_hover_arcs(painter: QPainter, theme: Theme, centre: QPointF, ends: np.ndarray) -> None:
    """Light up the arcs of a vertex; `ends` float64 (k, 2), pixels."""
    lines = [QLineF(centre, QPointF(x, y)) for x, y in ends[:HOVER_ARCS].tolist()]
    painter.setPen(QPen(QColor(theme.accent), 2.0))
    painter.drawLines(lines)  # type: ignore[call-overload]


def paint_path(painter: QPainter, theme: Theme, points: np.ndarray, radius: float = 0.0) -> None:
    """Draw a thick line with a casing through float64 (k, 2) pixel points.

    radius : of the disc that will lie on its end, which is ringed; 0 for none
    """
    step = max(1, len(points) // PATH_POINTS)
    kept = np.concatenate([points[:-1:step], points[-1:]]) if len(points) > 1 else points
    line = QPolygonF([QPointF(x, y) for x, y in kept.tolist()])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, width in ((theme.plot, 7.0), (theme.error, 3.4)):
        pen = QPen(QColor(colour), width)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        painter.drawPolyline(line)
    painter.setBrush(QColor(theme.plot))
    painter.setPen(QPen(QColor(theme.error), 2.4))
    end = radius + 4.0 if radius else 5.0
    painter.drawEllipse(line[-1], end, end)


def paint_card(
    painter: QPainter, theme: Theme, at: QPointF, words: str, room: QRectF, strong: str = ""
) -> None:
    """Paint words on a card beside a point, kept inside `room`, in as many lines as they need."""
    flags = int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap)
    most = QRectF(0, 0, room.width() - 2 * SPACING, room.height())
    size = painter.boundingRect(most, flags, words)
    box = QRectF(at.x() + 14, at.y() + 16, size.width() + 2 * SPACING, size.height() + SPACING)
    if box.right() > room.right():
        box.moveRight(max(room.right(), room.left() + box.width()))
    if box.bottom() > room.bottom():
        box.moveBottom(at.y() - 10)
    painter.setPen(QPen(QColor(strong or theme.border), 1.0))
    painter.setBrush(QColor(theme.base))
    painter.drawRoundedRect(box, 4, 4)
    painter.setPen(QColor(theme.text))
    painter.drawText(box, flags, words)


def paint_hint(painter: QPainter, theme: Theme, room: QRectF, words: str, detail: str) -> None:
    """Paint what to do next in the middle of an empty picture."""
    small = painter.font()
    large = painter.font()
    large.setPointSizeF(small.pointSizeF() * 1.25)
    upper, lower = QRectF(room), QRectF(room)
    upper.setBottom(room.center().y())
    lower.setTop(room.center().y() + 6)
    side, wrapped = Qt.AlignmentFlag, Qt.TextFlag.TextWordWrap
    for font, ink, box, end, text in (
        (large, theme.text, upper, side.AlignBottom, words),
        (small, theme.muted, lower, side.AlignTop, detail),
    ):
        painter.setFont(font)
        painter.setPen(QColor(ink))
        painter.drawText(box, int(side.AlignHCenter | end) | int(wrapped), text)
