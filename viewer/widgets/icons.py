"""Transport icons, drawn: fonts and systems differ in what they have for ⏮ ▶ ⏸."""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QIcon, QPainter, QPixmap, QPolygonF

from viewer.theme import Theme, mix

SIDE = 64  # pixels drawn; Qt scales down
_BAR, _RIGHT, _LEFT = "bar", "right", "left"

SHAPES: dict[str, tuple[tuple[str, float, float], ...]] = {  # shape, left and right edge 0..1
    "play": ((_RIGHT, 0.22, 0.86),),
    "pause": ((_BAR, 0.24, 0.42), (_BAR, 0.58, 0.76)),
    "forward": ((_RIGHT, 0.24, 0.66), (_BAR, 0.68, 0.78)),
    "back": ((_BAR, 0.22, 0.32), (_LEFT, 0.34, 0.76)),
    "end": ((_RIGHT, 0.06, 0.44), (_RIGHT, 0.44, 0.82), (_BAR, 0.84, 0.94)),
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
        else:
            base, tip = (x0, x1) if shape == _RIGHT else (x1, x0)
            corners = [QPointF(base, top), QPointF(base, bottom), QPointF(tip, middle)]
            painter.drawPolygon(QPolygonF(corners))
    painter.end()
    return picture
