"""The canvas: the surface of a drawing that hands mouse and keys to those who know what they mean.

The mouse is `viewer.features.draw.mouse`, the keyboard `viewer.features.draw.keys`.
"""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QPoint, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QWheelEvent,
)
from PyQt6.QtWidgets import QGraphicsView, QWidget

from viewer.common.text_size import scaled
from viewer.common.theme import LIGHT, Theme
from viewer.features.draw.drawing import DrawingModel
from viewer.features.draw.keys import Keys
from viewer.features.draw.mouse import Hand
from viewer.features.draw.surface import DrawSurface

HINT = (
    "Double-click to add a vertex",
    "Drag from its rim to another one for an arc, then type the weight",
    "Or paste an edge list: Ctrl+V",
    "By keys: N adds, C connects, Enter edits, Tab goes on",
)


class DrawCanvas(DrawSurface):
    """See the module docstring."""

    menu_requested = pyqtSignal(QPoint)  # on the screen

    def __init__(
        self, model: DrawingModel, theme: Theme = LIGHT, parent: QWidget | None = None
    ) -> None:
        super().__init__(model, theme, parent)
        self.hand = Hand(self)
        self.keys = Keys(self, self.hand)
        self.field.ended.connect(self._field_ended)

    def _field_ended(self, tab: bool) -> None:
        if tab:
            self.keys.walk_arcs(1, edit=True)

    def set_tool(self, tool: str) -> None:
        """Take a tool; what is being dragged is let go of."""
        self.hand.give_up()
        super().set_tool(tool)

    # --- events

    def event(self, a0: QEvent | None) -> bool:
        """Keep the keys that are the canvas's own from the window's shortcuts; see Tab first."""
        if isinstance(a0, QKeyEvent):
            if a0.type() == QEvent.Type.ShortcutOverride and self.keys.wants(a0):
                a0.accept()
                return True
            tab = a0.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
            if a0.type() == QEvent.Type.KeyPress and tab:
                back = a0.key() == Qt.Key.Key_Backtab
                if self.keys.walk_vertices(-1 if back else 1):
                    return True
                return bool(self.focusNextPrevChild(not back))
        return super().event(a0)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Hand a key to those who know what it means; the rest goes to the window."""
        assert event is not None
        if not self.keys.press(event):
            event.ignore()

    def keyReleaseEvent(self, event: QKeyEvent | None) -> None:
        """Hand the end of a key on."""
        assert event is not None
        self.keys.release(event)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Hand the mouse on."""
        assert event is not None
        self.hand.press(event)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """Hand the mouse on."""
        assert event is not None
        self.hand.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        """Hand the mouse on."""
        assert event is not None
        self.hand.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        """Hand the mouse on."""
        assert event is not None
        self.hand.double_click(event)

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:
        """Ask for a menu for what is under the mouse, or for the selection."""
        assert event is not None
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        place = self.hand.pick_for_menu(event.pos()) if by_mouse else self.keys.menu_place()
        self.menu_requested.emit(self.mapToGlobal(place))

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Zoom about the mouse."""
        assert event is not None
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.zoom_by(1.0015 ** event.angleDelta().y())
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorViewCenter)
        event.accept()

    def focusInEvent(self, event: QFocusEvent | None) -> None:
        """Show what the keys act on."""
        super().focusInEvent(event)
        self.keys.arrive(event)
        self.items_of.show_marks(True)

    def focusOutEvent(self, event: QFocusEvent | None) -> None:
        """The keys act elsewhere."""
        super().focusOutEvent(event)
        self.items_of.show_marks(False)

    def drawForeground(self, painter: QPainter | None, rect: QRectF) -> None:
        """Draw what is going on, or, on an empty canvas, how to begin."""
        assert painter is not None
        self.hand.paint(painter)
        self.keys.paint(painter)
        painter.resetTransform()
        theme = self.items_of.style_now.theme
        if not self.vertices:
            painter.setFont(self.items_of.style_now.weight_font)
            painter.setPen(QColor(theme.muted))
            words = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            room = scaled(12)
            box = self.rect().adjusted(room, room, -room, -room)
            painter.drawText(box, words, "\n\n".join(HINT))
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.viewport().rect().adjusted(1, 1, -1, -1))  # type: ignore[union-attr]
