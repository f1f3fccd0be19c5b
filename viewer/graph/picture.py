"""The picture of a graph as an image: binned in the background, coloured on demand.

`Picture` keeps the newest pixel map of a `Drawing` and one frame buffer, 0xffRRGGBB, that a QImage
reads without copying. Until the sheet of another view is there, the old image is painted stretched
to where it belongs, so that dragging and the wheel never wait. Small drawings are binned at once on
the GUI thread.

Until the compiled loops are loaded (on a thread, started by the first picture) vertices are
single pixels. Edges are part of a sheet, as coloured lines or as a grey layer (see
`viewer.raster`).
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from PyQt6.QtCore import QObject, QPointF, QRectF, pyqtSignal
from PyQt6.QtGui import QColor, QImage, QPainter
from PyQt6.sip import voidptr

from gpu.graph import CSRGraph
from gpu.words import thousands
from viewer.common import colormaps
from viewer.common.later import later
from viewer.common.theme import Theme
from viewer.graph.scene import Scene, cut_scene
from viewer.raster import raster
from viewer.raster.raster import Colouring, Extent, PixelMap, View

AT_ONCE = 150_000  # vertices + arcs that are binned on the GUI thread, compiled
SKETCH_AT_ONCE = 500_000  # vertices that are sketched on the GUI thread
PIXELS_AT_ONCE = 2_500_000  # of a picture that is binned on the GUI thread
LOAD_AFTER_MS = 300  # from a sketch to loading the kernels: let the window paint
SCENE_AT_ONCE = 20_000  # vertices + arcs whose scene is cut on the GUI thread

Job = Callable[[], Any]


@dataclass(frozen=True, eq=False)
class Drawing:
    """A graph and where its vertices are, float32 (n, 2), C order."""

    graph: CSRGraph
    positions: np.ndarray
    extent: Extent

    @property
    def size(self) -> int:
        """Vertices and arcs: what drawing costs."""
        return self.graph.n + self.graph.m

    @classmethod
    def of(cls, graph: CSRGraph, positions: np.ndarray) -> Drawing:
        """Measure a graph at positions (n, 2)."""
        places = np.ascontiguousarray(positions, np.float32)
        return cls(graph, places, raster.measure(graph.indptr, graph.indices, places))


@dataclass(frozen=True)
class Sheet:
    """One finished view: its pixel map (None if drawn item by item) and its scene."""

    drawing: Drawing
    camera: View
    ratio: float
    pixels: PixelMap | None
    scene: Scene | None
    compiled: bool


def make_sheet(drawing: Drawing, camera: View, ratio: float) -> Sheet:
    """Cut the scene and, unless it is painted one by one, bin the pixels. Any thread."""
    extent = drawing.extent
    graph, positions = drawing.graph, drawing.positions
    compiled = raster.kernels() is not None
    pixels = None
    scene = cut_scene(graph, positions, camera) if drawing.size <= SCENE_AT_ONCE else None
    if scene is None or not scene.item_wise:
        view = camera.times(ratio)
        style = raster.style_for(extent, view, ratio)
        pixels = raster.bin_graph(graph.indptr, graph.indices, positions, view, style, extent)
        if drawing.size > SCENE_AT_ONCE and pixels.in_view <= 3_000:
            scene = cut_scene(graph, positions, camera)
            pixels = None if scene is not None and scene.item_wise else pixels
    return Sheet(drawing, camera, ratio, pixels, scene, compiled)


@dataclass(frozen=True)
class Colours:
    """A colour table in three forms.

    rows : uint8 (256, 3); mixed : uint32 (4096,), with the background, see
    `colormaps.blended`; single : 256 QColors, for QPainter
    """

    rows: np.ndarray
    mixed: np.ndarray
    single: list[QColor]

    @classmethod
    def of(cls, table: str, steps: int, theme: Theme) -> Colours:
        """Make the table of a look (`colormaps.table_for`) for a theme."""
        rows = colormaps.table_for(table, theme, steps)
        mixed = colormaps.blended(rows, colormaps.rgb(theme.plot))
        return cls(rows, mixed, [QColor(*row) for row in rows.tolist()])


class NewestFirst(QObject):
    """Runs jobs on a thread of its own, the newest first; `done` brings each result.

    A view asks for far more pictures than it can show: every turn of the wheel makes the one before
    it worthless. So there is no queue: a request replaces the one that waits, and the result comes
    by a queued signal. The thread lives only while there is work. Jobs should release the GIL.
    """

    done = pyqtSignal(object)
    _rang = pyqtSignal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._waiting: Job | None = None
        self._thread: threading.Thread | None = None
        self._results: deque[Any] = deque()
        self._rang.connect(self._hand_over)

    @property
    def busy(self) -> bool:
        """Whether a job runs, waits, or its result has not been handed over."""
        with self._lock:
            return self._thread is not None or bool(self._results)

    def submit(self, job: Job) -> None:
        """Run `job()` soon; a job that still waits is dropped."""
        with self._lock:
            self._waiting = job
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()

    def clear(self) -> None:
        """Drop what waits and what is not handed over yet; a running job's result stays."""
        with self._lock:
            self._waiting = None
            self._results.clear()

    def wait(self) -> None:
        """Wait until nothing runs or waits, then hand over on this (the GUI's) thread."""
        while True:
            with self._lock:
                thread = self._thread
            if thread is None:
                break
            thread.join()
        self._hand_over()

    def _work(self) -> None:
        while True:
            with self._lock:
                job, self._waiting = self._waiting, None
                if job is None:
                    self._thread = None
                    return
            self._results.append(job())
            try:
                self._rang.emit()
            except RuntimeError:  # the view, and this object with it, is gone
                return

    def _hand_over(self) -> None:
        while self._results:
            self.done.emit(self._results.popleft())


class Picture(QObject):
    """Keeps the newest sheet and its frame; see the module docstring."""

    renewed = pyqtSignal()  # another sheet is there

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.sheet: Sheet | None = None
        self._worker = NewestFirst(self)
        self._worker.done.connect(self._take)
        self._loader = NewestFirst(self)
        self._loader.done.connect(self.again)
        self._frame = np.empty(0, np.uint32)
        self._image = QImage()
        self._request: tuple[Drawing, View, float] | None = None

    @property
    def busy(self) -> bool:
        """Whether a newer sheet is being made."""
        return self._worker.busy

    def clear(self) -> None:
        """Forget everything: another graph, or none."""
        self._worker.clear()
        self.sheet, self._request = None, None
        self._frame, self._image = np.empty(0, np.uint32), QImage()

    def want(self, drawing: Drawing, camera: View, ratio: float) -> None:
        """Make a sheet for this view, at once if that is quick, else in the background."""
        request = (drawing, camera, ratio)
        if request == self._request:
            return
        self._request = request
        compiled = raster.kernels() is not None
        small = drawing.size <= AT_ONCE if compiled else drawing.graph.n <= SKETCH_AT_ONCE
        if small and camera.width * camera.height * ratio * ratio <= PIXELS_AT_ONCE:
            self._worker.clear()
            self._take(make_sheet(drawing, camera, ratio))
        else:
            self._worker.submit(lambda: make_sheet(drawing, camera, ratio))

    def wait(self) -> None:
        """Return once nothing is under way any more."""
        self._worker.wait()

    def load_kernels(self) -> None:
        """Start loading the compiled kernels, once; then the sheet is made anew."""
        if raster.kernels() is not None:  # another picture has loaded them
            self.again()
        elif not self._loader.busy:
            self._loader.submit(raster.load_kernels)

    def again(self) -> None:
        """Make the wanted sheet anew: the kernels are better now."""
        request, self._request = self._request, None
        if request is not None:
            self.want(*request)

    def _take(self, result: Sheet) -> None:
        if self._request is None or result.drawing is not self._request[0]:
            return  # of a graph that is gone
        self.sheet = result
        self._frame, self._image = np.empty(0, np.uint32), QImage()
        self.renewed.emit()
        if result.pixels is not None and not result.compiled:
            later(self, self.load_kernels, LOAD_AFTER_MS)

    def prepare(self, paper: tuple[int, int, int], ink: np.ndarray) -> None:
        """Make an empty frame for the sheet, with its grey layer; colours 0..255."""
        if self.sheet is None or self.sheet.pixels is None:
            return
        pixels = self.sheet.pixels
        self._frame = raster.background(pixels, paper, ink)
        width, height = pixels.view.width, pixels.view.height
        memory = voidptr(self._frame.ctypes.data)  # looked at, not copied
        kind = QImage.Format.Format_RGB32
        self._image = QImage(memory, width, height, 4 * width, kind)  # type: ignore[call-overload]
        self._image.setDevicePixelRatio(self.sheet.ratio)

    def colour(self, colouring: Colouring, table: np.ndarray) -> float:
        """Recolour the frame; return the largest value met. `table`: see `recolour`."""
        if self.sheet is None or self.sheet.pixels is None or not len(self._frame):
            return 0.0
        return raster.recolour(self.sheet.pixels, colouring, table, self._frame)

    def paint(self, painter: QPainter, camera: View) -> None:
        """Paint the image where it belongs under `camera`, stretched if it is an old one."""
        if self.sheet is None or self._image.isNull():
            return
        made = self.sheet.camera
        if made == camera:
            painter.drawImage(QPointF(0, 0), self._image)
            return
        grown = camera.scale / made.scale
        x, y = camera.to_pixels(np.array([made.to_world(0, 0)]))[0].tolist()
        size = self._image.width() / self.sheet.ratio, self._image.height() / self.sheet.ratio
        if abs(x) + abs(y) < 1e7 and max(size) * grown < 1e7:
            painter.drawImage(QRectF(x, y, size[0] * grown, size[1] * grown), self._image)

    def drawn_words(self, camera: View) -> str:
        """Return "n of m drawn", m being the vertices in view, and what else is left out."""
        sheet = self.sheet
        if sheet is None:
            return ""
        graph = sheet.drawing.graph
        if sheet.pixels is None:
            near = sheet.scene.vertices if sheet.scene is not None else np.empty(0, np.int32)
            places = camera.to_pixels(sheet.drawing.positions[near])
            size = np.array([camera.width, camera.height])
            count = int(((places >= 0) & (places < size)).all(axis=1).sum())
            return _drawn(count, count, graph.n)
        pixels = sheet.pixels
        words = _drawn(min(pixels.drawn, pixels.in_view), pixels.in_view, graph.n)
        return words + _edge_words(pixels, graph)

    def vertex_at(self, camera: View, x: float, y: float, radius: float) -> int:
        """Return the vertex drawn nearest to (x, y), logical pixels, or -1."""
        if self.sheet is None or self.sheet.pixels is None:
            return -1
        made, ratio = self.sheet.camera, self.sheet.ratio
        px, py = made.to_pixels(np.array([camera.to_world(x, y)]))[0].tolist()
        reach = radius * made.scale / camera.scale
        if not (-reach <= px <= made.width + reach and -reach <= py <= made.height + reach):
            return -1
        return self.sheet.pixels.vertex_at(px * ratio, py * ratio, min(reach, 40.0) * ratio)


def _edge_words(pixels: PixelMap, graph: CSRGraph) -> str:
    """Return what is to be said of the edges: nothing where all are drawn as lines."""
    step = pixels.arc_step
    if not graph.m or (step == 1 and pixels.density is None):
        return ""
    if not step:
        return ", edges not drawn"
    return f", 1 edge in {thousands(step)} drawn, in grey" if step > 1 else ", edges drawn as grey"


def _drawn(drawn: int, in_view: int, n: int) -> str:
    words = f"{thousands(drawn)} of {thousands(in_view)} vertices visible"
    return words if in_view == n else f"{words} (of {thousands(n)} in all)"
