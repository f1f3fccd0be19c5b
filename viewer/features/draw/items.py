"""The vertices and arcs of the canvas as items: they paint and say what they cover, no more.

What a person does with them is the canvas's business (`viewer.features.draw.canvas`). Selected is
the accent colour and a thicker line; what the keys act on has a second, dashed outline; the vertex
that runs start from a second ring. Nothing is said by colour alone.
"""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPainterPathStroker,
    QPen,
)
from PyQt6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from viewer.common.text_size import grown, scaled
from viewer.common.theme import Theme, mix
from viewer.features.draw.drawing import Arc, Vertex
from viewer.features.draw.geometry import (
    Curve,
    Outline,
    aside_of,
    box_around,
)
from viewer.features.draw.rules import weight_words

RADIUS = 17  # of a vertex, at the reference text size
RIM = 9.0  # units around a vertex from which an arc can be drawn
PILL_ROOM = 7.0  # between a long name and the ends of its pill
LINE, SELECTED_LINE = 1.8, 3.0
HIT = 12.0  # width of the band in which an arc is hit
ARCS, WEIGHTS, VERTICES = 1.0, 1.6, 2.0  # layers


class Style:
    """What all items of a canvas share: colours, pens, fonts, sizes, made once."""

    def __init__(self, theme: Theme, font: QFont, grow: float = 1.0) -> None:
        self.theme = theme
        self.grow = grow  # times the usual size, where all is seen from afar
        self.weight_font = grown(font, grow)
        self.name_font = QFont(self.weight_font)
        self.name_font.setBold(True)
        self.radius = scaled(RADIUS) * grow
        self._names, self._weights = QFontMetricsF(self.name_font), QFontMetricsF(self.weight_font)
        wide = theme.line_width**0.5
        self.text, self.accent = QColor(theme.text), QColor(theme.accent)
        self.plot, self.base = QColor(theme.plot), QColor(theme.base)
        self.picked = QColor(mix(theme.base, theme.accent, 0.22))
        self.ring = QColor(mix(theme.plot, theme.text, 0.75))
        self.line = QColor(mix(theme.plot, theme.text, 0.55))
        self.line_pens = _pens(self.line, self.accent, wide)
        self.ring_pens = _pens(self.ring, self.accent, wide)
        self.focus = QPen(self.text, 1.4, Qt.PenStyle.DashLine)
        self.frame = QPen(self.accent, 1.2)
        self.text_pen = QPen(self.text)
        self.glow = QColor(theme.accent)
        self.glow.setAlpha(70)

    def outline(self, vertex: Vertex, x: float, y: float) -> Outline:
        """Return the shape of a vertex: a disc, a pill for a long name."""
        width = self._names.horizontalAdvance(vertex.name)
        return Outline(x, y, self.radius, max(0.0, width / 2 + PILL_ROOM - self.radius))

    def weight_size(self, arc: Arc) -> tuple[float, float]:
        """Return width and height of a weight's box."""
        words = weight_words(arc.weight)
        return self._weights.horizontalAdvance(words) + 8, self._weights.height() + 1


def _pens(plain: QColor, picked: QColor, wide: float) -> tuple[QPen, QPen]:
    """Return the pen of what is not selected, and of what is."""
    flat = Qt.PenCapStyle.FlatCap
    return (
        QPen(plain, LINE * wide, Qt.PenStyle.SolidLine, flat),
        QPen(picked, SELECTED_LINE * wide, Qt.PenStyle.SolidLine, flat),
    )


class VertexItem(QGraphicsItem):
    """A vertex; its place is its own, so that it can be dragged before the drawing changes."""

    def __init__(self, vertex: Vertex, style: Style) -> None:
        super().__init__()
        self.setZValue(VERTICES)
        self.vertex, self.style = vertex, style
        self.selected = self.current = self.start = self.lit = False
        self._shape(style.outline(vertex, vertex.x, -vertex.y))

    def _shape(self, outline: Outline) -> None:
        self.outline, self.box = outline, outline.box
        self._bounds = self.box.adjusted(-RIM - 2, -RIM - 2, RIM + 2, RIM + 2)

    def take(self, vertex: Vertex, style: Style) -> None:
        """Show another state of the vertex."""
        self.prepareGeometryChange()
        self.vertex, self.style = vertex, style
        self._shape(style.outline(vertex, vertex.x, -vertex.y))
        self.update()

    def put(self, x: float, y: float) -> None:
        """Stand elsewhere for now, scene coordinates."""
        self.prepareGeometryChange()
        self._shape(Outline(x, y, self.outline.radius, self.outline.half))

    def mark(self, *, selected: bool, current: bool, start: bool) -> None:
        """Say how it is to look."""
        if (selected, current, start) != (self.selected, self.current, self.start):
            self.selected, self.current, self.start = selected, current, start
            self.update()

    def light(self, on: bool) -> None:
        """Light the rim: an arc may begin or end here."""
        if on != self.lit:
            self.lit = on
            self.update()

    def distance(self, x: float, y: float) -> float:
        """Return how far outside the rim a place is; negative inside."""
        shape = self.outline
        dx = max(abs(x - shape.x) - shape.half, 0.0)
        return float((dx * dx + (y - shape.y) ** 2) ** 0.5 - shape.radius)

    def boundingRect(self) -> QRectF:
        """Return what it may paint on."""
        return self._bounds

    def paint(
        self,
        painter: QPainter | None,
        option: QStyleOptionGraphicsItem | None,
        widget: QWidget | None = None,
    ) -> None:
        """Paint disc, rings and name."""
        assert painter is not None
        style = self.style
        if self.lit:
            self._pill(painter, RIM - 1, Qt.PenStyle.NoPen, style.glow)
        pen = style.ring_pens[self.selected]
        self._pill(painter, 0.0, pen, style.picked if self.selected else style.base)
        if self.start:
            self._pill(painter, -3.6, QPen(pen.color(), 1.2))
        if self.current:
            self._pill(painter, 4.5, style.focus)
        painter.setFont(style.name_font)
        painter.setPen(style.text_pen)
        painter.drawText(self.box, Qt.AlignmentFlag.AlignCenter, self.vertex.name)

    def _pill(
        self,
        painter: QPainter,
        grow: float,
        pen: QPen | Qt.PenStyle,
        fill: QColor | None = None,
    ) -> None:
        painter.setPen(pen)
        painter.setBrush(fill if fill is not None else Qt.BrushStyle.NoBrush)
        round_ = self.outline.radius + grow
        painter.drawRoundedRect(self.box.adjusted(-grow, -grow, grow, grow), round_, round_)


class ArcItem(QGraphicsItem):
    """An arc; its weight is an item of its own, `label`."""

    def __init__(self, arc: Arc, style: Style) -> None:
        super().__init__()
        self.setZValue(ARCS)
        self.arc, self.style = arc, style
        self.selected = self.current = False
        self.curve: Curve | None = None
        self.bend, self.share = 0.0, 0.5
        self.weight_box, self._bounds = QRectF(), QRectF()
        self._hit = QPainterPath()
        self.label = WeightItem(self)

    def take(self, arc: Arc, style: Style) -> None:
        """Show another state of the arc."""
        self.arc, self.style = arc, style
        self._measure()

    def run(self, curve: Curve, share: float) -> None:
        """Run along a curve, the weight a share of the way."""
        self.curve, self.share = curve, share
        self._measure()

    def _measure(self) -> None:
        """Know where line and weight are."""
        self.prepareGeometryChange()
        self._hit = QPainterPath()
        if self.curve is not None:
            size = self.style.weight_size(self.arc)
            middle = self.curve.at(self.share) + aside_of(self.curve, *size)
            self.weight_box = box_around(middle, *size)
            self._bounds = self.curve.path.controlPointRect().adjusted(-HIT, -HIT, HIT, HIT)
        self.label.follow()
        self.update()

    def mark(self, *, selected: bool, current: bool) -> None:
        """Say how it is to look."""
        if (selected, current) != (self.selected, self.current):
            self.selected, self.current = selected, current
            self.setZValue(ARCS + 0.5 * selected)
            self.label.follow()
            self.update()

    def boundingRect(self) -> QRectF:
        """Return what it may paint on."""
        return self._bounds

    def hit(self, place: QPointF) -> bool:
        """Whether a place is on the line, near enough for a hand, or on the weight."""
        if self.weight_box.contains(place):
            return True
        if self.curve is None or not self._bounds.contains(place):
            return False
        if self._hit.isEmpty():
            stroker = QPainterPathStroker()
            stroker.setWidth(HIT)
            self._hit = stroker.createStroke(self.curve.path)
        return self._hit.contains(place)

    def paint(
        self,
        painter: QPainter | None,
        option: QStyleOptionGraphicsItem | None,
        widget: QWidget | None = None,
    ) -> None:
        """Paint line and head."""
        assert painter is not None
        if self.curve is None:
            return
        pen = self.style.line_pens[self.selected]
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(self.curve.path)
        if not self.curve.head.isEmpty():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(pen.color())
            painter.drawPolygon(self.curve.head)


class WeightItem(QGraphicsItem):
    """The weight of an arc, above all lines: none crosses it out."""

    def __init__(self, arc: ArcItem) -> None:
        super().__init__()
        self.setZValue(WEIGHTS)
        self._arc = arc
        self._words, self._bounds = "", QRectF()

    def follow(self) -> None:
        """The arc runs elsewhere, or weighs something else, or looks otherwise."""
        self.prepareGeometryChange()
        self._words = weight_words(self._arc.arc.weight)
        self._bounds = self._arc.weight_box.adjusted(-5, -5, 5, 5)
        self.setZValue(WEIGHTS + 0.25 * self._arc.selected)
        self.update()

    def boundingRect(self) -> QRectF:
        """Return what it may paint on."""
        return self._bounds

    def paint(
        self,
        painter: QPainter | None,
        option: QStyleOptionGraphicsItem | None,
        widget: QWidget | None = None,
    ) -> None:
        """Paint the number on a veil."""
        assert painter is not None
        arc, style = self._arc, self._arc.style
        box = arc.weight_box
        if arc.selected:
            painter.setBrush(style.plot)
            painter.setPen(style.frame)
            painter.drawRoundedRect(box, 4, 4)
        else:
            painter.fillRect(box, style.plot)
        if arc.current:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(style.focus)
            painter.drawRoundedRect(box.adjusted(-3.5, -3.5, 3.5, 3.5), 6, 6)
        painter.setFont(style.weight_font)
        painter.setPen(style.text_pen)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._words)
