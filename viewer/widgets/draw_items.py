"""The vertices and arcs of the canvas as items: they paint and say what they cover, no more.

What a person does with them is the canvas's business (`viewer.widgets.draw_canvas`). Selected is
the accent colour and a thicker line; what the keys act on has a second, dashed outline; the vertex
that runs start from a second ring. Nothing is said by colour alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from PyQt6.QtCore import QRectF, Qt
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

from viewer.models.drawing import Arc, Vertex
from viewer.models.drawing_rules import weight_words
from viewer.text_size import scaled
from viewer.theme import Theme, mix
from viewer.widgets.draw_geometry import Curve, Outline, box_around

RADIUS = 17  # of a vertex, at the reference text size
RIM = 9.0  # units around a vertex from which an arc can be drawn
PILL_ROOM = 7.0  # between a long name and the ends of its pill
LINE, SELECTED_LINE = 1.8, 3.0
HIT = 12.0  # width of the band in which an arc is hit
ARCS, WEIGHTS, VERTICES = 1.0, 1.6, 2.0  # layers


@dataclass(frozen=True)
class Style:
    """What all items of a canvas share: colours, fonts, sizes."""

    theme: Theme
    name_font: QFont
    weight_font: QFont
    grow: float = 1.0  # times the usual size, where all is seen from afar

    @classmethod
    def of(cls, theme: Theme, font: QFont, grow: float = 1.0) -> Style:
        """Return the style of a theme at a font's size."""
        weight = QFont(font)
        if font.pointSizeF() > 0:
            weight.setPointSizeF(font.pointSizeF() * grow)
        else:
            weight.setPixelSize(round(font.pixelSize() * grow))
        name = QFont(weight)
        name.setBold(True)
        return cls(theme, name, weight, grow)

    def outline(self, vertex: Vertex, x: float, y: float) -> Outline:
        """Return the shape of a vertex: a disc, a pill for a long name."""
        radius = scaled(RADIUS) * self.grow
        width = QFontMetricsF(self.name_font).horizontalAdvance(vertex.name)
        return Outline(x, y, radius, max(0.0, width / 2 + PILL_ROOM - radius))

    def weight_size(self, arc: Arc) -> tuple[float, float]:
        """Return width and height of a weight's box."""
        metrics = QFontMetricsF(self.weight_font)
        words = weight_words(arc.weight)
        return metrics.horizontalAdvance(words) + 8, metrics.height() + 1


class VertexItem(QGraphicsItem):
    """A vertex; its place is its own, so that it can be dragged before the drawing changes."""

    def __init__(self, vertex: Vertex, style: Style) -> None:
        super().__init__()
        self.setZValue(VERTICES)
        self.vertex, self.style = vertex, style
        self.selected = self.current = self.start = self.lit = False
        self.outline = style.outline(vertex, vertex.x, -vertex.y)

    def take(self, vertex: Vertex, style: Style) -> None:
        """Show another state of the vertex."""
        self.prepareGeometryChange()
        self.vertex, self.style = vertex, style
        self.outline = style.outline(vertex, vertex.x, -vertex.y)
        self.update()

    def put(self, x: float, y: float) -> None:
        """Stand elsewhere for now, scene coordinates."""
        self.prepareGeometryChange()
        self.outline = Outline(x, y, self.outline.radius, self.outline.half)

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
        return self.outline.box.adjusted(-RIM - 2, -RIM - 2, RIM + 2, RIM + 2)

    def paint(
        self,
        painter: QPainter | None,
        option: QStyleOptionGraphicsItem | None,
        widget: QWidget | None = None,
    ) -> None:
        """Paint disc, rings and name."""
        assert painter is not None
        theme, box = self.style.theme, self.outline.box
        if self.lit:
            glow = QColor(theme.accent)
            glow.setAlpha(70)
            self._pill(painter, box, RIM - 1, Qt.PenStyle.NoPen, glow)
        ink = theme.accent if self.selected else mix(theme.plot, theme.text, 0.75)
        fill = QColor(mix(theme.base, theme.accent, 0.22) if self.selected else theme.base)
        width = SELECTED_LINE if self.selected else LINE
        self._pill(painter, box, 0.0, QPen(QColor(ink), width * theme.line_width**0.5), fill)
        if self.start:
            self._pill(painter, box, -3.6, QPen(QColor(ink), 1.2))
        if self.current:
            pen = QPen(QColor(theme.text), 1.4, Qt.PenStyle.DashLine)
            self._pill(painter, box, 4.5, pen)
        painter.setFont(self.style.name_font)
        painter.setPen(QColor(theme.text))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self.vertex.name)

    def _pill(
        self,
        painter: QPainter,
        box: QRectF,
        grow: float,
        pen: QPen | Qt.PenStyle,
        fill: QColor | None = None,
    ) -> None:
        painter.setPen(pen)
        painter.setBrush(fill if fill is not None else Qt.BrushStyle.NoBrush)
        round_ = self.outline.radius + grow
        painter.drawRoundedRect(box.adjusted(-grow, -grow, grow, grow), round_, round_)


class ArcItem(QGraphicsItem):
    """An arc; its weight is an item of its own, `label`."""

    def __init__(self, arc: Arc, style: Style) -> None:
        super().__init__()
        self.setZValue(ARCS)
        self.arc, self.style = arc, style
        self.selected = self.current = False
        self.curve: Curve | None = None
        self.bend, self.share = 0.0, 0.5
        self._hit = QPainterPath()
        self.label = WeightItem(self)

    def take(self, arc: Arc, style: Style) -> None:
        """Show another state of the arc."""
        self.prepareGeometryChange()
        self.arc, self.style = arc, style
        self._hit = QPainterPath()
        self.label.follow()
        self.update()

    def run(self, curve: Curve, share: float) -> None:
        """Run along a curve, the weight a share of the way."""
        self.prepareGeometryChange()
        self.curve, self.share = curve, share
        self._hit = QPainterPath()
        self.label.follow()

    def mark(self, *, selected: bool, current: bool) -> None:
        """Say how it is to look."""
        if (selected, current) != (self.selected, self.current):
            self.selected, self.current = selected, current
            self.setZValue(ARCS + 0.5 * selected)
            self.label.follow()
            self.update()

    @property
    def weight_box(self) -> QRectF:
        """Where the weight stands, scene coordinates."""
        if self.curve is None:
            return QRectF()
        return box_around(self.curve.at(self.share), *self.style.weight_size(self.arc))

    def boundingRect(self) -> QRectF:
        """Return what it may paint on."""
        if self.curve is None:
            return QRectF()
        room = HIT
        return (
            self.curve.path.controlPointRect()
            .united(self.weight_box)
            .adjusted(-room, -room, room, room)
        )

    def shape(self) -> QPainterPath:
        """Return the band in which it is hit, the weight's box included."""
        if self._hit.isEmpty() and self.curve is not None:
            stroker = QPainterPathStroker()
            stroker.setWidth(HIT)
            self._hit = stroker.createStroke(self.curve.path)
            self._hit.addRect(self.weight_box)
            self._hit.setFillRule(Qt.FillRule.WindingFill)
        return self._hit

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
        theme = self.style.theme
        ink = QColor(theme.accent if self.selected else mix(theme.plot, theme.text, 0.55))
        width = (SELECTED_LINE if self.selected else LINE) * theme.line_width**0.5
        painter.setPen(QPen(ink, width, cap=Qt.PenCapStyle.FlatCap))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(self.curve.path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        painter.drawPolygon(self.curve.head)


class WeightItem(QGraphicsItem):
    """The weight of an arc, above all lines: none crosses it out."""

    def __init__(self, arc: ArcItem) -> None:
        super().__init__()
        self.setZValue(WEIGHTS)
        self._arc = arc

    def follow(self) -> None:
        """The arc runs elsewhere, or weighs something else."""
        self.prepareGeometryChange()
        self.setZValue(WEIGHTS + 0.25 * self._arc.selected)
        self.update()

    def boundingRect(self) -> QRectF:
        """Return what it may paint on."""
        return self._arc.weight_box.adjusted(-5, -5, 5, 5)

    def paint(
        self,
        painter: QPainter | None,
        option: QStyleOptionGraphicsItem | None,
        widget: QWidget | None = None,
    ) -> None:
        """Paint the number on a veil."""
        assert painter is not None
        arc, theme = self._arc, self._arc.style.theme
        box = arc.weight_box
        painter.setBrush(QColor(theme.plot))
        ink = QPen(QColor(theme.accent), 1.2)
        painter.setPen(ink if arc.selected else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(box, 4, 4)
        if arc.current:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(theme.text), 1.4, Qt.PenStyle.DashLine))
            painter.drawRoundedRect(box.adjusted(-3.5, -3.5, 3.5, 3.5), 6, 6)
        painter.setFont(arc.style.weight_font)
        painter.setPen(QColor(theme.text))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, weight_words(arc.arc.weight))
