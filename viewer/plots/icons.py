"""Transport icons, drawn: fonts and systems differ in what they have for ⏮ ▶ ⏸."""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF

from viewer.common.theme import Theme, mix

SIDE = 64  # pixels drawn; Qt scales down
_BAR, _RIGHT, _LEFT, _DIAMOND, _RING = "bar", "right", "left", "diamond", "ring"

SHAPES: dict[str, tuple[tuple[str, float, float], ...]] = {  # shape, left and right edge 0..1
    "play": ((_RIGHT, 0.22, 0.86),),
    "pause": ((_BAR, 0.24, 0.42), (_BAR, 0.58, 0.76)),
    "forward": ((_RIGHT, 0.24, 0.66), (_BAR, 0.68, 0.78)),
    "back": ((_BAR, 0.22, 0.32), (_LEFT, 0.34, 0.76)),
    "end": ((_RIGHT, 0.06, 0.44), (_RIGHT, 0.44, 0.82), (_BAR, 0.84, 0.94)),
    "mark_forward": ((_RIGHT, 0.1, 0.48), (_DIAMOND, 0.52, 0.94)),
    "mark_back": ((_DIAMOND, 0.06, 0.48), (_LEFT, 0.52, 0.9)),
    "loop": ((_RING, 0.12, 0.88),),
    "start": ((_BAR, 0.06, 0.16), (_LEFT, 0.18, 0.56), (_LEFT, 0.56, 0.94)),
}


def transport_icon(name: str, theme: Theme) -> QIcon:
    """Return the icon called `name` (a key of SHAPES) for a theme, faded when disabled."""
    icon = QIcon(_drawn(name, theme.text))
    icon.addPixmap(_drawn(name, mix(theme.text, theme.window, 0.6)), QIcon.Mode.Disabled)
    return icon


def _drawn(name: str, colour: str) -> QPixmap:
    picture = QPixmap(SIDE, SIDE)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    top, bottom, middle = 0.2 * SIDE, 0.8 * SIDE, 0.5 * SIDE
    for shape, left, right in SHAPES[name]:
        x0, x1 = left * SIDE, right * SIDE
        if shape == _BAR:
            painter.drawRect(QRectF(x0, top, x1 - x0, bottom - top))
        elif shape == _DIAMOND:
            wide, mid = (x1 - x0) / 2, (x0 + x1) / 2
            ends = [(x0, middle), (mid, middle - wide), (x1, middle), (mid, middle + wide)]
            painter.drawPolygon(QPolygonF([QPointF(*end) for end in ends]))
        elif shape == _RING:
            _draw_ring(painter, QRectF(x0, x0, x1 - x0, x1 - x0), colour)
        else:
            base, tip = (x0, x1) if shape == _RIGHT else (x1, x0)
            corners = [QPointF(base, top), QPointF(base, bottom), QPointF(tip, middle)]
            painter.drawPolygon(QPolygonF(corners))
    painter.end()
    return picture


def _draw_ring(painter: QPainter, box: QRectF, colour: str) -> None:
    """Draw two arrows that chase each other around a box."""
    line = 0.11 * box.width()
    ring = box.adjusted(line, line, -line, -line)
    head = 2.1 * line
    for turn in (0, 180):
        painter.save()
        painter.translate(ring.center())
        painter.rotate(turn)
        painter.setPen(QPen(QColor(colour), line, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        around = QRectF(-ring.width() / 2, -ring.height() / 2, ring.width(), ring.height())
        painter.drawArc(around, 25 * 16, 130 * 16)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        x, y = ring.width() / 2, 0.0  # the arc begins near here; its head points down
        corners = [(x - head, y - head), (x + head, y - head), (x, y + 0.6 * head)]
        painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))
        painter.restore()
