"""The canvas: a drawing, the mouse on it, and how it is seen.

Click selects (Shift adds), drag moves; drag on nothing moves the view, the wheel zooms. A drag from
a vertex's rim draws an edge; let go over nothing, it brings a vertex there. Double-click adds a
vertex or edits a name or weight. Escape gives a drag up.
The keyboard is `viewer.features.draw.keys`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from PyQt6.QtCore import QEvent, QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PyQt6.QtWidgets import QApplication, QWidget

from gpu.errors import ParameterError
from viewer.common.text_size import scaled
from viewer.common.theme import LIGHT, Theme, mix
from viewer.features.draw.drawing import DrawingModel
from viewer.features.draw.field import FieldInPlace
from viewer.features.draw.keys import Keys
from viewer.features.draw.layout import NONE, RIM, Layout
from viewer.features.draw.rules import read_weight, weight_words
from viewer.graph.items import ItemPainter, Names
from viewer.raster.raster import Extent, View

RADIUS = 17.0  # pixels of a vertex, at the reference text size and scale 1
GROWTH = (0.7, 1.5)  # bounds of the scale by which vertices grow
SMALLEST, LARGEST, COMFORTABLE = 0.08, 6.0, 1.3  # pixels a unit; at most, when all is fitted
MARGIN = 40  # pixels around all when it is fitted
FAR = 1e5  # units from the middle within which vertices are put
SHORT_NAME = 4  # characters that fit into a disc; longer names stand beside it
PLAIN, MOVE, ARC, PAN = "", "move", "arc", "pan"
FIRST_EDGE = "Drag from a vertex's rim to another vertex for an edge, and type the weight"
HINT = (
    "Double-click to add a vertex, and type its name",
    FIRST_EDGE,
    "Or paste an edge list: Ctrl+V",
    "By keys: N adds a vertex, C an edge, Tab goes round, Enter edits, Ctrl+Tab leaves",
)


@dataclass
class Drag:
    """What the mouse is doing; `start`, `now`: pixels, `tail`: of the edge that is being drawn."""

    kind: str = PLAIN
    start: QPointF = field(default_factory=QPointF)
    now: QPointF = field(default_factory=QPointF)
    moved: bool = False
    tail: int = NONE


class DrawCanvas(QWidget):
    """See the module docstring."""

    said = pyqtSignal(str)  # what happened, in words
    refused = pyqtSignal(str)  # what could not be done, and why

    def __init__(
        self, model: DrawingModel, theme: Theme = LIGHT, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.model = model
        self.camera = View(COMFORTABLE)
        self.drag = Drag()
        self._theme = theme
        self._layout: Layout | None = None
        self._untouched = True  # the view follows the drawing until a person zooms or moves it
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.setAccessibleName("Drawing")
        self.setMinimumSize(160, 120)
        self.field = FieldInPlace(self)
        self.keys = Keys(self)
        model.changed.connect(self._forget_layout)
        model.selection_changed.connect(self.update)
        self.field.refused.connect(self.refused)
        self.apply_theme(theme)

    # --- what is where

    @property
    def layout_now(self) -> Layout:
        """Where everything is, pixels."""
        if self._layout is None:
            moved = self._dragged() if self.drag.kind == MOVE else {}
            self._layout = Layout(self.model.drawing, moved, self.camera, self.radius)
        return self._layout

    @property
    def radius(self) -> float:
        """Radius of a vertex, pixels."""
        return scaled(RADIUS) * min(max(self.camera.scale, GROWTH[0]), GROWTH[1])

    def units_at(self, place: QPointF) -> tuple[float, float]:
        """Return the place of a pixel in units of the drawing, kept within bounds."""
        x, y = self.camera.to_world(place.x(), place.y())
        return min(max(x, -FAR), FAR), min(max(y, -FAR), FAR)

    def _forget_layout(self) -> None:
        self._layout = None
        self.update()

    # --- the view

    def fit(self) -> None:
        """Show all of the drawing."""
        spots = np.array([(v.x, v.y) for v in self.model.drawing.vertices]).reshape(-1, 2)
        view = View(COMFORTABLE, 0.0, 0.0, max(self.width(), 1), max(self.height(), 1))
        if len(spots):
            low, high = spots.min(axis=0), spots.max(axis=0)
            extent = Extent((float(low[0]), float(low[1]), float(high[0]), float(high[1])))
            view = extent.fitted(self.width(), self.height(), scaled(MARGIN))
            if not any(extent.size):
                view = replace(view, scale=COMFORTABLE)
            view = replace(view, scale=min(max(view.scale, SMALLEST), COMFORTABLE))
        self._look(view)
        self._untouched = True

    def zoom_by(self, factor: float, about: QPointF | None = None) -> None:
        """Zoom, within bounds, about a pixel, by default the middle."""
        factor = min(max(self.camera.scale * factor, SMALLEST), LARGEST) / self.camera.scale
        place = QRectF(self.rect()).center() if about is None else about
        self._look(self.camera.zoomed(factor, place.x(), place.y()))

    def pan(self, dx: float, dy: float) -> None:
        """Move the picture by pixels."""
        self._look(self.camera.panned(dx, dy))

    def _look(self, view: View) -> None:
        self.field.leave()
        self.camera = view
        self._untouched = False
        self._forget_layout()

    def show_current(self) -> None:
        """Move the view where that is needed to see what the keys act on."""
        place = self.layout_now.place_of(self.model.current)
        room = self.rect().adjusted(*(int(self.radius) * side for side in (1, 1, -1, -1)))
        if place is not None and not QRectF(room).contains(place):
            by = QRectF(self.rect()).center() - place
            self.pan(by.x(), by.y())

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Keep all in view until a person zooms or moves."""
        super().resizeEvent(a0)
        untouched = self._untouched
        self._look(self.camera.resized(self.width(), self.height()))
        if untouched:
            self.fit()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours and the text size of a theme."""
        self._theme = theme
        self.setFont(QApplication.font())
        self.field.setFont(QApplication.font())
        self.field.apply_theme(theme)
        self._forget_layout()

    # --- editing

    def edit(self, key: int) -> None:
        """Edit the name of a vertex or the weight of an edge where it stands."""
        drawing, model = self.model.drawing, self.model
        place = self.layout_now.place_of(key)
        if place is None:
            return
        if key in drawing.by_key:
            name = drawing.by_key[key].name
            take: Callable[[str], None] = lambda text: model.rename(key, text)  # noqa: E731
            self.field.edit(place.toPoint(), f"Name of vertex {name}", name, take)
            return
        arc, chosen = drawing.arc_by_key[key], model.selected_arcs | {key}
        words = f"Weight of {drawing.arc_words(arc)}"
        if len(chosen) > 1:
            words = f"Weight of {len(chosen)} edges"
        self.field.edit(
            place.toPoint(),
            words,
            weight_words(arc.weight),
            lambda text: model.set_weight(chosen, read_weight(text)),
        )

    def attempt(self, act: Callable[..., int], *arguments: object) -> None:
        """Add something to the drawing and edit it; say why where it is refused."""
        try:
            key = act(*arguments)
        except ParameterError as error:
            self.refused.emit(str(error))
            return
        self.show_current()
        self.edit(key)

    # --- the mouse

    def mousePressEvent(self, a0: QMouseEvent | None) -> None:
        """Begin a drag: what it is depends on what is under the pointer."""
        assert a0 is not None
        self.setFocus(Qt.FocusReason.MouseFocusReason)  # the field, if there is one, takes its text
        self.field.leave()
        here = a0.position()
        drag = self.drag = Drag(PLAIN, here, here)
        vertex, rim = self.layout_now.vertex_at(here)
        arc = self.layout_now.arc_at(here) if vertex == NONE else NONE
        if a0.button() == Qt.MouseButton.RightButton and max(vertex, arc) != NONE:
            self._pick(max(vertex, arc), False)
        if a0.button() != Qt.MouseButton.LeftButton:
            return
        adds = bool(a0.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if vertex != NONE and rim and not adds:
            drag.kind, drag.tail = ARC, vertex
        elif vertex != NONE:
            self._pick(vertex, adds)
            drag.kind = MOVE
        elif arc != NONE:
            self._pick(arc, adds)
        else:
            drag.kind = PAN

    def mouseMoveEvent(self, a0: QMouseEvent | None) -> None:
        """Go on with a drag, or show what one from here would do."""
        assert a0 is not None
        drag, here = self.drag, a0.position()
        before, drag.now = drag.now, here
        far = (here - drag.start).manhattanLength() >= QApplication.startDragDistance()
        drag.moved = drag.moved or (bool(drag.kind) and far)
        if drag.kind == PAN:
            self.pan(here.x() - before.x(), here.y() - before.y())
        elif not drag.kind:
            vertex, rim = self.layout_now.vertex_at(here)
            over = Qt.CursorShape.CrossCursor if rim else Qt.CursorShape.OpenHandCursor
            self.setCursor(over if vertex != NONE else Qt.CursorShape.ArrowCursor)
        if drag.kind == MOVE and drag.moved:
            self._layout = None
        self.update()

    def mouseReleaseEvent(self, a0: QMouseEvent | None) -> None:
        """End a drag: the drawing changes now."""
        assert a0 is not None
        drag, model = self.drag, self.model
        drag.now = a0.position()
        moved = self._dragged() if drag.kind == MOVE and drag.moved else {}
        self.give_up()
        if drag.kind == ARC and not drag.moved:
            model.select([drag.tail])
        elif drag.kind == ARC:
            head, _ = self.layout_now.vertex_at(drag.now)
            if head != NONE:
                self.attempt(model.add_arc, drag.tail, head)
            else:
                self.attempt(model.add_arc_to_new, drag.tail, *self.units_at(drag.now))
        elif moved:
            model.move(moved)
        elif drag.kind == PAN and not drag.moved:
            model.select()

    def mouseDoubleClickEvent(self, a0: QMouseEvent | None) -> None:
        """Add a vertex, or edit what is there."""
        assert a0 is not None
        if a0.button() != Qt.MouseButton.LeftButton:
            return
        self.give_up()
        vertex, _ = self.layout_now.vertex_at(a0.position())
        arc = self.layout_now.arc_at(a0.position()) if vertex == NONE else NONE
        if vertex == arc == NONE:
            self.attempt(self.model.add_vertex, *self.units_at(a0.position()))
            return
        self.model.select([vertex] * (vertex != NONE), [arc] * (arc != NONE))
        self.edit(max(vertex, arc))

    def wheelEvent(self, a0: QWheelEvent | None) -> None:
        """Zoom about the pointer."""
        assert a0 is not None
        self.zoom_by(1.0015 ** a0.angleDelta().y(), a0.position())
        a0.accept()

    def give_up(self) -> bool:
        """End a drag and change nothing; return whether there was one."""
        busy = bool(self.drag.kind)
        self.drag = Drag()
        self._forget_layout()
        return busy

    def _pick(self, key: int, adds: bool) -> None:
        model = self.model
        vertices, arcs = model.selected_vertices, model.selected_arcs
        is_vertex = key in model.drawing.by_key
        if not adds and key in vertices | arcs:
            model.select(vertices, arcs, key)
            return
        if not adds:
            vertices = arcs = frozenset()
        if is_vertex:
            model.select(vertices ^ {key}, arcs, key)
        else:
            model.select(vertices, arcs ^ {key}, key)

    def _dragged(self) -> dict[int, tuple[float, float]]:
        by = (self.drag.now - self.drag.start) / self.camera.scale
        drawing = self.model.drawing
        here = (drawing.by_key[key] for key in self.model.selected_vertices)
        return {vertex.key: (vertex.x + by.x(), vertex.y - by.y()) for vertex in here}

    # --- the keyboard

    def event(self, a0: QEvent | None) -> bool:
        """Keep the canvas's own keys from the window's shortcuts; take Tab before the focus."""
        if isinstance(a0, QKeyEvent):
            if a0.type() == QEvent.Type.ShortcutOverride and self.keys.wants(a0):
                a0.accept()
                return True
            tab = a0.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
            if a0.type() == QEvent.Type.KeyPress and tab:
                back = a0.key() == Qt.Key.Key_Backtab
                if a0.modifiers() & Qt.KeyboardModifier.ControlModifier:
                    return bool(self.focusNextPrevChild(not back))
                self.keys.walk_vertices(-1 if back else 1)
                return True
        return super().event(a0)

    def keyPressEvent(self, a0: QKeyEvent | None) -> None:
        """Act on a key; the rest goes to the page."""
        assert a0 is not None
        if not self.keys.press(a0):
            a0.ignore()

    # --- painting

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Paint the drawing, what is selected, and what is being dragged."""
        painter, theme = QPainter(self), self._theme
        painter.fillRect(self.rect(), QColor(theme.plot))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.model.drawing.vertices:
            self._paint_drawing(painter)
        else:
            painter.setPen(QColor(theme.muted))
            room = scaled(12)
            words = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            box = self.rect().adjusted(room, room, -room, -room)
            painter.drawText(box, words, "\n\n".join(HINT))
        self._paint_drag(painter)
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))

    def _paint_drawing(self, painter: QPainter) -> None:
        model, theme, layout = self.model, self._theme, self.layout_now
        vertices = model.drawing.vertices
        items = ItemPainter(painter, theme, layout.placed, self.radius)
        picked = QColor(mix(theme.base, theme.accent, 0.3))
        items.paint_below()
        arcs = enumerate(model.drawing.arcs)
        chosen = [place for place, arc in arcs if arc.key in model.selected_arcs]
        items.paint_arcs(chosen, QColor(theme.accent), 3.0)
        colours = {
            k: picked if vertex.key in model.selected_vertices else QColor(theme.base)
            for k, vertex in enumerate(vertices)
        }
        short = {
            k: vertex.name if len(vertex.name) <= SHORT_NAME else ""
            for k, vertex in enumerate(vertices)
        }
        beside = {k: vertex.name for k, vertex in enumerate(vertices) if not short[k]}
        items.paint_above(colours, Names(short, beside))
        self._paint_marks(painter)

    def _paint_marks(self, painter: QPainter) -> None:
        """Ring what is selected; dash the ring of what the keys act on."""
        model, theme, layout = self.model, self._theme, self.layout_now
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.accent), 3.0))
        for key in model.selected_vertices:
            painter.drawEllipse(layout.vertex_place(key), self.radius, self.radius)
        place = layout.place_of(model.current)
        if place is not None and self.hasFocus():
            painter.setPen(QPen(QColor(theme.text), 1.4, Qt.PenStyle.DashLine))
            reach = self.radius + 4.0 if model.current in layout.index_of else 12.0
            painter.drawEllipse(place, reach, reach)

    def _paint_drag(self, painter: QPainter) -> None:
        drag, end = self.drag, self.drag.now
        if drag.kind != ARC or not drag.moved:
            return
        head, _ = self.layout_now.vertex_at(end)
        if head != NONE:
            end = self.layout_now.vertex_place(head)
        painter.setPen(QPen(QColor(self._theme.accent), 2.4, Qt.PenStyle.DashLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawLine(self.layout_now.vertex_place(drag.tail), end)
        if head != NONE:
            painter.drawEllipse(end, self.radius + RIM / 2, self.radius + RIM / 2)
