"""A curve that a student draws: points at equal steps, by mouse or keys; the truth beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPen, QPolygonF
from PyQt6.QtWidgets import QWidget

from viewer.common.text_size import scaled
from viewer.common.theme import LIGHT, SPACING


class CurveCanvas(QWidget):
    """Points at equal steps, 0..1 high, dragged by the mouse or moved by keys."""

    changed = pyqtSignal()
    STEP = 0.05

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self.names, self.theme = list(names), LIGHT
        self.heights = [0.5] * len(self.names)
        self.truth: list[float] = []
        self.chosen = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(scaled(190))

    def sizeHint(self) -> QSize:
        """Wide and low."""
        return QSize(scaled(320), scaled(200))

    def place(self, index: int, height: float) -> QPointF:
        """Return where a point of that height lies, pixels of the widget."""
        room, count = self._room(), max(1, len(self.names) - 1)
        return QPointF(
            room.left() + room.width() * index / count, room.bottom() - height * room.height()
        )

    def _room(self) -> QRectF:
        below = 2 * self.fontMetrics().height()
        return QRectF(self.rect()).adjusted(3 * SPACING, SPACING, -2 * SPACING, -below - SPACING)

    def mousePressEvent(self, a0: QMouseEvent | None) -> None:
        """Take hold of the nearest point."""
        if a0 is not None:
            self._drag(a0.position())

    def mouseMoveEvent(self, a0: QMouseEvent | None) -> None:
        """Draw on: every point passed takes the pointer's height."""
        if a0 is not None and a0.buttons() & Qt.MouseButton.LeftButton:
            self._drag(a0.position())

    def _drag(self, at: QPointF) -> None:
        room = self._room()
        share = (at.x() - room.left()) / max(1.0, room.width())
        self.chosen = min(max(round(share * (len(self.names) - 1)), 0), len(self.names) - 1)
        self._set((room.bottom() - at.y()) / max(1.0, room.height()))

    def _set(self, height: float) -> None:
        if self.isEnabled():
            self.heights[self.chosen] = min(max(height, 0.0), 1.0)
            self.update()
            self.changed.emit()

    def keyPressEvent(self, a0: QKeyEvent | None) -> None:
        """Left, right choose; up, down move."""
        if a0 is None:
            return
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(a0.key()))
        lift = {Qt.Key.Key_Up: self.STEP, Qt.Key.Key_Down: -self.STEP}.get(Qt.Key(a0.key()))
        if step is not None:
            self.chosen = min(max(self.chosen + step, 0), len(self.names) - 1)
            self.update()
        elif lift is not None:
            self._set(self.heights[self.chosen] + lift)
        else:
            super().keyPressEvent(a0)

    def focusInEvent(self, a0: QFocusEvent | None) -> None:
        """Show which point the keys move."""
        super().focusInEvent(a0)
        self.update()

    def paintEvent(self, _event: Any) -> None:
        """Axes, the names of the values, the curve drawn, the curve found."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, room = self.theme, self._room()
        painter.fillRect(self.rect(), QColor(theme.plot))
        painter.setPen(QPen(QColor(theme.border), 1.0))
        painter.drawLine(room.bottomLeft(), room.bottomRight())
        painter.drawLine(room.bottomLeft(), room.topLeft())
        self._paint_words(painter, room)
        self._paint_line(painter, self.heights, theme.data.by_hand, dots=True)
        if self.truth:
            self._paint_line(painter, self.truth, theme.data.time, dots=False)

    def _paint_words(self, painter: QPainter, room: QRectF) -> None:
        painter.setPen(QColor(self.theme.muted))
        metrics = self.fontMetrics()
        high, free = metrics.height(), -1e9
        for index, name in enumerate(self.names):
            at, wide = self.place(index, 0.0), metrics.horizontalAdvance(name)
            if at.x() - wide / 2 > free:
                painter.drawText(QPointF(at.x() - wide / 2, at.y() + high), name)
                free = at.x() + wide / 2 + SPACING
        data, muted = self.theme.data, self.theme.muted
        words = [("Δ →", muted)]
        if self.truth:
            words += [("● yours", data.by_hand), ("― the runs", data.time)]
        else:
            words.append(("drag the points", muted))
        left = room.left()
        for said, colour in words:
            painter.setPen(QColor(colour))
            painter.drawText(QPointF(left, room.bottom() + 2 * high), said)
            left += metrics.horizontalAdvance(said) + 2 * SPACING
        painter.setPen(QColor(muted))
        painter.save()
        painter.translate(2 * SPACING, room.center().y() + metrics.horizontalAdvance("time →") / 2)
        painter.rotate(-90)
        painter.drawText(QPointF(0, 0), "time →")
        painter.restore()

    def _paint_line(
        self, painter: QPainter, heights: list[float], colour: str, *, dots: bool
    ) -> None:
        points = [self.place(index, height) for index, height in enumerate(heights)]
        painter.setPen(QPen(QColor(colour), 2.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF(points))
        painter.setBrush(QColor(colour))
        for index, point in enumerate(points if dots else []):
            chosen = self.hasFocus() and index == self.chosen
            painter.drawEllipse(point, 7 if chosen else 4, 7 if chosen else 4)
