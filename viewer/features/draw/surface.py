"""The surface that a drawing is seen on: zoom, grid, the field in place.

Its items are `viewer.features.draw.scene`. What mouse and keys mean is not known here: the canvas
(`viewer.features.draw.canvas`) hands their events on.
"""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QPainter, QPen, QPolygonF, QResizeEvent
from PyQt6.QtWidgets import QApplication, QGraphicsView, QWidget

from gpu.errors import ParameterError
from viewer.common.theme import LIGHT, Theme
from viewer.features.draw.drawing import DrawingModel
from viewer.features.draw.field import FieldInPlace
from viewer.features.draw.items import ArcItem, Style, VertexItem
from viewer.features.draw.rules import read_weight, weight_words
from viewer.features.draw.scene import FAR, DrawScene

GRID = 40.0  # units between the points of the grid
SMALLEST, LARGEST, COMFORTABLE = 0.08, 6.0, 1.3  # pixels a unit; at most, when all is fitted
MARGIN = 28.0  # pixels around all when it is fitted
GROWTH = ((0.85, 1.0), (0.62, 1.3), (0.0, 1.6))  # from which zoom on, how large


class DrawSurface(QGraphicsView):
    """See the module docstring."""

    tool_changed = pyqtSignal(str)
    said = pyqtSignal(str)  # what happened, in words
    refused = pyqtSignal(str)  # what could not be done, and why

    def __init__(
        self, model: DrawingModel, theme: Theme = LIGHT, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.model = model
        self.items_of = DrawScene(model, Style(theme, QApplication.font()), self)
        self.tool, self.snap = "select", False
        self._untouched = True  # nobody has zoomed since all was fitted
        self._build()
        self.field = FieldInPlace(self.viewport() or self)
        self.apply_theme(theme)
        model.changed.connect(self._show_drawing)
        model.selection_changed.connect(self.items_of.show_marks)
        self.field.refused.connect(self.refused)

    def _build(self) -> None:
        self.setScene(self.items_of)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.SmartViewportUpdate)
        for set_policy in (self.setHorizontalScrollBarPolicy, self.setVerticalScrollBarPolicy):
            set_policy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QGraphicsView.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Drawing")
        self.setMinimumSize(160, 120)
        viewport = self.viewport()
        assert viewport is not None
        viewport.setFocusProxy(self)

    @property
    def zoom(self) -> float:
        """Pixels a unit."""
        return self.transform().m11()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours and the text size of a theme."""
        self.setFont(QApplication.font())
        self.field.setFont(QApplication.font())
        self.field.apply_theme(theme)
        self.items_of.apply_theme(theme, QApplication.font(), self.items_of.style_now.grow)
        self.viewport().update()  # type: ignore[union-attr]

    @property
    def vertices(self) -> dict[int, VertexItem]:
        """The vertices as items, by key."""
        return self.items_of.vertices

    @property
    def arcs(self) -> dict[int, ArcItem]:
        """The arcs as items, by key."""
        return self.items_of.arcs

    def _show_drawing(self) -> None:
        self.items_of.sync()
        self.viewport().update()  # type: ignore[union-attr]

    # --- zoom, places

    def snapped(self, x: float, y: float) -> tuple[float, float]:
        """Return the nearest point of the grid where that is on, within the canvas."""
        x, y = (min(max(value, -FAR / 2), FAR / 2) for value in (x, y))
        return (round(x / GRID) * GRID, round(y / GRID) * GRID) if self.snap else (x, y)

    def fit(self) -> None:
        """Show all of it."""
        box, size = self.items_of.bounds(), self.size()
        room = max(size.width() - 2 * MARGIN, 1), max(size.height() - 2 * MARGIN, 1)
        scale = COMFORTABLE
        if not box.isEmpty():
            scale = min(room[0] / box.width(), room[1] / box.height(), COMFORTABLE)
        self.resetTransform()
        self.scale(max(scale, SMALLEST), max(scale, SMALLEST))
        self.centerOn(box.center())
        self._fit_sizes()
        self._untouched = True

    def zoom_by(self, factor: float) -> None:
        """Zoom, within bounds."""
        factor = min(max(self.zoom * factor, SMALLEST), LARGEST) / self.zoom
        self.field.leave()
        self.scale(factor, factor)
        self._fit_sizes()
        self._untouched = False

    def _fit_sizes(self) -> None:
        """Draw vertices and text larger where all is seen from afar, so that they can be read."""
        grow = next((grow for least, grow in GROWTH if self.zoom >= least), GROWTH[-1][1])
        style = self.items_of.style_now
        if grow != style.grow:
            self.items_of.apply_theme(style.theme, QApplication.font(), grow)

    def pan(self, dx: int, dy: int) -> None:
        """Move the view by pixels."""
        for bar, by in ((self.horizontalScrollBar(), dx), (self.verticalScrollBar(), dy)):
            assert bar is not None
            bar.setValue(bar.value() + by)
        self.field.leave()
        self._untouched = False

    def show_current(self) -> None:
        """Move the view where that is needed to see what the keys act on."""
        item = self.vertices.get(self.model.current) or self.arcs.get(self.model.current)
        if item is not None:
            untouched = self._untouched
            self.ensureVisible(item.boundingRect(), 20, 20)
            self._untouched = untouched

    # --- editing in place

    def edit(self, key: int, typed: str = "") -> None:
        """Edit the name of a vertex or the weight of an arc where it stands."""
        drawing = self.model.drawing
        if key in drawing.by_key:
            vertex, item = drawing.by_key[key], self.vertices[key]
            middle = self.mapFromScene(item.outline.x, item.outline.y)
            words = f"Name of vertex {vertex.name}"
            self.field.edit(middle, words, vertex.name, lambda t: self.model.rename(key, t), typed)
        elif key in drawing.arc_by_key:
            arc, line = drawing.arc_by_key[key], self.arcs[key]
            chosen = self.model.selected_arcs | {key}
            middle = self.mapFromScene(line.weight_box.center())
            words = f"Weight of {drawing.arc_words(arc)}"
            if len(chosen) > 1:
                words = f"Weight of {len(chosen)} arcs"
            self.field.edit(
                middle,
                words,
                weight_words(arc.weight),
                lambda text: self.model.set_weight(chosen, read_weight(text)),
                typed,
            )

    def attempt(self, act: object, *arguments: object) -> int:
        """Call an edit of the model; say why where it is refused. Returns its key, -1 for none."""
        try:
            key = act(*arguments)  # type: ignore[operator]
        except ParameterError as error:
            self.refused.emit(str(error))
            return -1
        return key if isinstance(key, int) else -1

    def set_tool(self, tool: str) -> None:
        """Take a tool: "select", "vertex" or "arc"."""
        if tool != self.tool:
            self.tool = tool
            self.tool_changed.emit(tool)
        shape = Qt.CursorShape.ArrowCursor if tool == "select" else Qt.CursorShape.CrossCursor
        self.viewport().setCursor(shape)  # type: ignore[union-attr]

    def set_snap(self, on: bool) -> None:
        """Let vertices stand on the points of a grid, or anywhere."""
        self.snap = on
        self.viewport().update()  # type: ignore[union-attr]

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Keep all in view while nobody has zoomed."""
        super().resizeEvent(event)
        self.field.leave()
        if self._untouched:
            self.fit()

    def drawBackground(self, painter: QPainter | None, rect: QRectF) -> None:
        """Fill with the colour of plots; dots where vertices snap to them."""
        assert painter is not None
        theme = self.items_of.style_now.theme
        painter.fillRect(rect, QColor(theme.plot))
        if self.snap and self.zoom * GRID >= 9:
            painter.setPen(QPen(QColor(theme.border), 2.4 / self.zoom, cap=Qt.PenCapStyle.RoundCap))
            left, top = int(rect.left() // GRID), int(rect.top() // GRID)
            right, bottom = int(rect.right() // GRID) + 1, int(rect.bottom() // GRID) + 1
            painter.drawPoints(
                QPolygonF(
                    [
                        QPointF(x * GRID, y * GRID)
                        for x in range(left, right + 1)
                        for y in range(top, bottom + 1)
                    ]
                )
            )
