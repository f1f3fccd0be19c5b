"""The drawing surface of the graph view: camera, picture, marks, legend; no models.

It paints a drawing with a `Look` (how to colour) that a subclass returns from `_look`, and knows
where vertices are on the screen. Three layers:

1. the picture: a raster binned in the background (`picture`) or, with few vertices in view, discs
   and arcs painted one by one (`items`);
2. marks: source, hovered vertex with its arcs, a shortest path (`overlay`);
3. the legend, a child widget.

Colours are computed in `paintEvent`, at most once a frame, whatever asked for them in between.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, pyqtSignal
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QResizeEvent
from PyQt6.QtWidgets import QSizePolicy, QWidget

from gpu.graph import CSRGraph
from viewer.common import colormaps
from viewer.common.text_size import REFERENCE_PIXELS, scaled, text_pixels
from viewer.common.theme import LIGHT, Theme
from viewer.graph import overlay
from viewer.graph.colours import Legend, Look
from viewer.graph.items import ARROW, CLEAR, OUTSIDE, TEXTBOOK_RADIUS, ItemPainter, Names
from viewer.graph.legend import LegendView
from viewer.graph.path import Path
from viewer.graph.picture import Colours, Drawing, Picture
from viewer.graph.scene import ITEM_VERTICES, Placed, radius_of
from viewer.graph.shapes import MOST_ARCS, paint_shapes
from viewer.raster import raster
from viewer.raster.raster import Colouring, View, index_of

ZOOM_IN, ZOOM_OUT = 2e5, 0.25  # limits, times the scale that fits
REACH = 10.0  # pixels from the pointer to a vertex that counts as pointed at
EMPTY = ("Open a graph or drop a file here", "File ▸ Open, or one of the samples")
MARGIN, MARGIN_FEW, MARGIN_SHARE = 20, 64, 6  # pixels around all; for few large discs, up to 1/6
LEGEND_ROOM, LEGEND_FROM = 62, 240  # pixels kept free for the legend, in a picture so high
LABEL_ROOM = 24  # pixels more where a distance stands below the lowest vertex
NO_PLACES = ("Placing the vertices …", "the graph has no coordinates of its own")


class GraphCanvas(QWidget):
    """Paints a drawing; see the module docstring."""

    camera_changed = pyqtSignal(object)  # View: somebody looks elsewhere

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.camera = View()
        self.source = -1  # vertex marked as the source, -1 for none
        self.pointed = -1  # vertex under the pointer, -1 for none
        self.path: Path | None = None
        self.frame_seconds = 0.0  # what the last frame cost
        self.more_marks: list[Callable[[QPainter], None]] = []  # painted on top, under cards
        self._theme = LIGHT
        self._graph: CSRGraph | None = None
        self._drawing: Drawing | None = None
        self._fitted = True
        self.stale = True  # colours were asked for and are not painted yet
        self._painting = False
        self._pointer = QPointF()
        self._on_paper = False
        self._tables: dict[tuple[str, int], Colours] = {}
        self._build()

    def _build(self) -> None:
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(80, 64)
        self.setAccessibleName("Graph")
        self.legend = LegendView(self)
        self.picture = Picture(self)
        self.picture.renewed.connect(self._show_renewed)

    # --- what is drawn

    def show_graph(self, graph: CSRGraph | None, positions: np.ndarray | None) -> None:
        """Draw a graph at float32 (n, 2) positions; None for either draws a hint."""
        self._graph, self._drawing = graph, None
        self.path, self.pointed = None, -1
        self.picture.clear()
        if graph is not None and positions is not None and graph.n:
            self._drawing = Drawing.of(graph, positions)
            if self._fitted or self.camera == View():
                self.fit()
        self.refresh()

    def complete(self, graph: CSRGraph, positions: np.ndarray) -> None:
        """Draw a graph in the place of its outline: the picture stays until another is there."""
        self._graph = graph
        self._drawing = Drawing.of(graph, positions)
        self.refresh()

    def fit(self) -> None:
        """Show everything, also after a resize, until the next zoom or drag."""
        self._fitted = True
        if self._drawing is not None:
            self._move_camera(self._fitting(self._drawing))

    def zoom(self, factor: float, x: float | None = None, y: float | None = None) -> None:
        """Zoom by a factor about a point of the widget, by default its centre."""
        if self._drawing is None:
            return
        whole = self._fitting(self._drawing).scale
        scale = min(max(self.camera.scale * factor, whole * ZOOM_OUT), whole * ZOOM_IN)
        factor = scale / self.camera.scale
        x = self.width() / 2 if x is None else x
        y = self.height() / 2 if y is None else y
        self._fitted = False
        self._move_camera(self.camera.zoomed(factor, x, y))

    def pan(self, dx: float, dy: float) -> None:
        """Drag the picture by pixels, as far as its middle shows something of the drawing."""
        if self._drawing is None:
            return
        self._fitted = False
        moved = self.camera.panned(dx, dy)
        xmin, ymin, xmax, ymax = self._drawing.extent.bounds
        cx, cy = min(max(moved.cx, xmin), xmax), min(max(moved.cy, ymin), ymax)
        self._move_camera(replace(moved, cx=cx, cy=cy))

    def look_at(self, vertex: int) -> None:
        """Have a vertex in sight: in the middle, where it is not."""
        place = self.place_of(vertex)
        if place is not None and not QRectF(self.rect()).contains(place):
            middle = QRectF(self.rect()).center()
            self.pan(middle.x() - place.x(), middle.y() - place.y())

    def look_like(self, other: GraphCanvas) -> None:
        """Show the same part of the same drawing as another canvas."""
        self._fitted = other._fitted
        self._move_camera(other.camera.resized(self.width(), self.height()))

    def refresh(self) -> None:
        """Colour again at the next paint."""
        self.stale = True
        self.update()

    def flush(self) -> None:
        """Return once the picture is final for this view: drawn by the kernels, complete."""
        self.picture.wait()
        self._ask()
        self.picture.wait()
        sheet = self.picture.sheet
        if sheet is not None and sheet.pixels is not None and not sheet.compiled:
            raster.load_kernels()
            self.picture.again()
            self.picture.wait()
        self.refresh()

    def to_paper(self, on: bool) -> None:
        """Draw shapes on white until `on` is False."""
        if on:
            self._screen = self._theme, self.palette()
            paper = self.palette()
            paper.setColor(QPalette.ColorRole.Window, QColor(LIGHT.plot))
            paper.setColor(QPalette.ColorRole.WindowText, QColor(LIGHT.text))
            self.setPalette(paper)
            self.apply_theme(LIGHT)
        else:
            theme, palette = self._screen
            self.setPalette(palette)
            self.apply_theme(theme)
        self._on_paper = on

    def drawn_text(self) -> str:
        """Return "n of m drawn", and what else is not shown; empty where there is no graph."""
        return self.picture.drawn_words(self.camera)

    def map_text(self) -> str:
        """Return what the colours mean at the cursor and how much is drawn, for screen readers."""
        legend = self.legend.legend()
        words = (legend.title, legend.note, self.drawn_text())
        return "; ".join(word for word in words if word)

    def _describe(self) -> None:
        words = self.map_text()
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        self._tables.clear()
        self.legend.apply_theme(theme)
        self._prepare()
        self.refresh()

    # --- where things are

    def vertex_at(self, x: float, y: float) -> int:
        """Return the vertex nearest to a point of the widget, within reach, or -1."""
        sheet = self.picture.sheet
        if sheet is None:
            return -1
        if sheet.pixels is not None:
            return self.picture.vertex_at(self.camera, x, y, REACH)
        scene = sheet.scene
        if scene is None or not len(scene.vertices):
            return -1
        places = self.camera.to_pixels(sheet.drawing.positions[scene.vertices])
        away = np.hypot(places[:, 0] - x, places[:, 1] - y)
        nearest = int(np.argmin(np.where(np.isfinite(away), away, np.inf)))
        reach = max(REACH, self.disc_radius() + 3)
        return int(scene.vertices[nearest]) if away[nearest] <= reach else -1

    def place_of(self, vertex: int) -> QPointF | None:
        """Return where a vertex is in the widget, None where it is nowhere."""
        if self._drawing is None or not 0 <= vertex < self._drawing.graph.n:
            return None
        x, y = self.camera.to_pixels(self._drawing.positions[vertex : vertex + 1])[0]
        if not abs(x) + abs(y) < 1e7:
            return None
        return QPointF(float(x), float(y))

    def _fitting(self, drawing: Drawing) -> View:
        """Return the view of everything, above the legend; discs have room at the rim."""
        few = drawing.graph.n <= ITEM_VERTICES
        below = LEGEND_ROOM + few * LABEL_ROOM if self.height() >= LEGEND_FROM else 0
        height = self.height() - below
        margin = max(MARGIN, min(scaled(MARGIN_FEW), height // MARGIN_SHARE)) if few else MARGIN
        view = drawing.extent.fitted(self.width(), height, margin)
        return replace(view, cy=view.cy - below / 2 / view.scale, height=max(1, self.height()))

    @property
    def clear_radius(self) -> float:
        """Radius round a vertex within which its disc, arcs' heads and its distance lie, pixels."""
        radius = self.disc_radius()
        below = OUTSIDE + self.fontMetrics().height() if radius >= TEXTBOOK_RADIUS else ARROW
        return radius + below + CLEAR

    def disc_radius(self) -> float:
        """Return the radius of the discs in view, pixels; 0 before there is a picture."""
        sheet = self.picture.sheet
        if sheet is None:
            return 0.0
        if sheet.pixels is not None:
            return max(2.0, sheet.pixels.style.radius / sheet.ratio)
        if sheet.scene is None:
            return 0.0
        return radius_of(Placed(sheet.scene, self.camera), text_pixels() / REFERENCE_PIXELS)

    # --- the picture is made and renewed

    def _move_camera(self, camera: View) -> None:
        if camera != self.camera:
            self.camera = camera
            self.update()
            self.camera_changed.emit(camera)

    def _ask(self) -> None:
        if self._drawing is not None:
            self.picture.want(self._drawing, self.camera, self.devicePixelRatioF())

    def _show_renewed(self) -> None:
        self._prepare()
        self.stale = True
        self._describe()
        if not self._painting:
            self.update()

    def _prepare(self) -> None:
        paper = colormaps.rgb(self._theme.plot)
        self.picture.prepare(paper, colormaps.ink(self._theme, colormaps.ARC_INK))

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Keep showing everything, or the same centre."""
        super().resizeEvent(a0)
        self.legend.fit_into(self.width(), self.height())
        if self._fitted:
            self.fit()
        else:
            self._move_camera(self.camera.resized(self.width(), self.height()))

    # --- painting

    def _look(self) -> Look:
        """Return how to colour; overridden by whoever knows a run."""
        return Look(Colouring(), "plain", Legend(""))

    def _names(self, vertices: list[int]) -> Names:
        """Return the words beside items; overridden by whoever knows a run."""
        return Names({vertex: str(vertex) for vertex in vertices}, {})

    def _saw(self, top: float) -> bool:
        """Take the largest value drawn; return whether that changes the look."""
        return False

    def _card(self) -> str:
        """Return the words about the vertex under the pointer."""
        return ""

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Paint picture, marks and words; the picture of another view is asked for."""
        started = time.perf_counter()
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.plot))
        if self._drawing is None:
            self.legend.hide()
            self._paint_hint(painter)
        else:
            self._painting = True
            self._ask()
            self._painting = False
            self._paint_picture(painter)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_marks(painter)
        painter.end()
        self.frame_seconds = time.perf_counter() - started

    def _paint_hint(self, painter: QPainter) -> None:
        words = EMPTY if self._graph is None else NO_PLACES
        if self._graph is not None and not self._graph.n:
            words = ("This graph has no vertices", self._graph.name)
        room = QRectF(self.rect()).adjusted(12, 8, -12, -8)
        overlay.paint_hint(painter, self._theme, room, *words)

    def _paint_picture(self, painter: QPainter) -> None:
        sheet = self.picture.sheet
        look = self._look()
        colours = self._colours(look)
        if sheet is None:
            return
        if sheet.pixels is None:
            top = self._paint_items(painter, look, colours)
            if self._saw(top):
                self.refresh()
        else:
            if self.stale:
                if self._saw(self.picture.colour(look.colouring, colours.mixed)):
                    look = self._look()
                    colours = self._colours(look)
                    self.picture.colour(look.colouring, colours.mixed)
                self.stale = False
            few = sheet.drawing.graph.m <= MOST_ARCS and sheet.camera == self.camera
            if self._on_paper and few:
                looks = look.colouring, colours
                paint_shapes(painter, self._theme, sheet, self.camera, looks)
            else:
                self.picture.paint(painter, self.camera)
        self.legend.show_legend(look.legend, colours.rows, look.steps)
        self._describe()

    def _colours(self, look: Look) -> Colours:
        key = (look.table, look.steps)
        if key not in self._tables:
            self._tables[key] = Colours.of(look.table, look.steps, self._theme)
        return self._tables[key]

    def _paint_items(self, painter: QPainter, look: Look, colours: Colours) -> float:
        sheet = self.picture.sheet
        if sheet is None or sheet.scene is None:
            return 0.0
        scene = sheet.scene
        placed, radius = Placed(scene, self.camera), self.disc_radius()
        index, top = index_of(look.colouring, scene.vertices)
        vertices = scene.vertices.tolist()
        single = {
            vertex: colours.single[place]
            for vertex, place in zip(vertices, index.tolist(), strict=True)
        }
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        items = ItemPainter(painter, self._theme, placed, radius)
        items.paint_below()
        self._paint_lines(painter, radius)  # discs and their names lie on top
        items.paint_above(single, self._names(vertices))
        return top

    def _paint_marks(self, painter: QPainter) -> None:
        theme, radius, sheet = self._theme, self.disc_radius(), self.picture.sheet
        if sheet is not None and sheet.pixels is not None:
            self._paint_lines(painter, 0.0)
        place = self.place_of(self.source)
        if place is not None:
            overlay.paint_source(painter, theme, place, radius)
        for paint in self.more_marks:
            paint(painter)
        hovered = self.place_of(self.pointed)
        if hovered is not None:
            inks = (theme.plot, 4.5), (theme.accent, 2.0)
            overlay.ring(painter, hovered, radius + 3.0, *inks)
        if self.path is not None:
            end = self.place_of(int(self.path.vertices[-1]))
            if end is not None:
                overlay.paint_card(
                    painter, theme, end, self.path.words, QRectF(self.rect()), theme.error
                )
        if hovered is not None:
            overlay.paint_card(painter, theme, self._pointer, self._card(), QRectF(self.rect()))

    def _paint_lines(self, painter: QPainter, radius: float) -> None:
        """Paint the path, and the arcs of the vertex under the pointer.

        radius : of the discs that will be painted on top, 0 where they are there already
        """
        assert self._drawing is not None
        graph, positions, theme = self._drawing.graph, self._drawing.positions, self._theme
        if self.path is not None:
            points = self._points(self.path.vertices)
            overlay.paint_path(painter, theme, points, radius)
        hovered = self.place_of(self.pointed)
        if hovered is not None:
            row = slice(int(graph.indptr[self.pointed]), int(graph.indptr[self.pointed + 1]))
            heads = graph.indices[row][: overlay.HOVER_ARCS]
            ends = self.camera.to_pixels(positions[heads])
            overlay.paint_hover_arcs(painter, theme, hovered, ends)

    def _points(self, vertices: np.ndarray) -> np.ndarray:
        assert self._drawing is not None
        points = self.camera.to_pixels(self._drawing.positions[vertices])
        return np.clip(np.nan_to_num(points), -1e6, 1e6)
