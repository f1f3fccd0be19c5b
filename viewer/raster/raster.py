"""Pixels from vertices: a map made once per view, a gather per frame.

Drawing a million vertices afresh for every frame would take a second. So the work is cut in two.
When the view changes (pan, zoom, resize) every vertex is drawn once as a disc, and every arc as a
line whose two halves belong to the two ends, into a *pixel -> vertex* map: for each inked pixel
the vertex that owns it and how much of the pixel is covered. When only colours change (a run goes
on, the cursor moves) the picture is a gather through that map and a colour table, which costs
O(pixels) whatever the size of the graph: `recolour`.

Who owns a pixel. Each drawing proposes a key: coverage in sixteenths, then nearness to the
vertex, then the vertex's number; the largest key wins. A maximum does not depend on the order of
drawing, so the picture is deterministic, and an arc and its reverse may both be drawn. The loops
are compiled (`kernels`); until they are loaded vertices are single pixels.

Lines are drawn only where they make a map. In a hairball they would hide the vertices: there the
arcs, thinned if need be, go to a grey density layer behind the discs, and `PixelMap.arc_step`
says how many were left out.

A `Colouring` names an array and how a value becomes a table index: 0 is "unreached" (or "not
yet"), 1 to 255 go along a colour map. States at a moment are exact in both directions of time,
because they come from two times per vertex: unreached before it was first reached, tentative until
it was last improved, then settled.

Coordinates: world positions have y up; pixels have y down, pixel (i, j) covers
[i, i+1) x [j, j+1). Positions that are not finite are not drawn.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Literal

import numpy as np

from gpu.numbers import unreached
from viewer.common.colormaps import blended

COVERS = 16  # levels of coverage in the map and in the colour tables
MAP_INK = 4.0  # inked pixels per pixel of the drawing, above which lines would hide the vertices
DENSITY_INK = 3  # pixels of grey lines per pixel of the picture, at most, within the next two
DENSITY_LEAST, DENSITY_MOST = 2_400_000, 12_000_000  # pixels; 10 ns each where lines are long
DENSITY_ARCS = 1_500_000  # arcs at most in the grey layer: their heads are anywhere in memory
QUANTILE_OF = 50_000  # inked pixels looked at to find the darkest grey
DENSE = 0.9  # logical pixels between vertices; below, each is exactly one pixel
SUBPIXEL = 0.6  # logical pixels: arcs and gaps shorter than this cannot be seen
CROWD_RADIUS = 1.0  # logical pixels: the smallest disc on the grey layer
SAMPLED_ARCS = 20_000  # arcs looked at to judge a drawing
WHOLE_VIEW = 500_000  # vertices; above, arcs that begin far outside the picture are not drawn
FAR, FAR_ARCS = 64.0, 20.0  # that is pixels, and usual arcs, beyond its rim
ALL_SHOWN = 10_000  # vertices up to which each has a pixel of its own, as far as there are enough
NEAR = range(-2, 3)  # pixels from a hidden vertex to one that it may take
NEAR_PIXELS = sorted(
    ((dy, dx) for dy in NEAR for dx in NEAR), key=lambda at: at[0] ** 2 + at[1] ** 2
)
LEVELS = 254  # steps of a colour map: indices 1 to 255
MAX_COUNT_LEVELS = 4096  # counts from here on share the last colour
NO_TIMES = np.empty(0, np.int64)
NEVER_SHOWN = np.iinfo(np.int64).max
Kind = Literal["plain", "distance", "state", "count"]


@dataclass(frozen=True)
class View:
    """Which part of the world a picture shows.

    scale : pixels per unit of the positions, > 0
    cx, cy : the world point at the centre of the picture
    width, height : pixels
    """

    scale: float = 1.0
    cx: float = 0.0
    cy: float = 0.0
    width: int = 1
    height: int = 1

    def to_pixels(self, positions: np.ndarray) -> np.ndarray:
        """Return float64 (k, 2) pixel coordinates of world positions (k, 2)."""
        out = np.empty((len(positions), 2))
        out[:, 0] = (positions[:, 0].astype(np.float64) - self.cx) * self.scale + self.width * 0.5
        out[:, 1] = self.height * 0.5 - (positions[:, 1].astype(np.float64) - self.cy) * self.scale
        return out

    def to_world(self, x: float, y: float) -> tuple[float, float]:
        """Return the world point under a pixel coordinate."""
        dx, dy = (x - self.width * 0.5) / self.scale, (self.height * 0.5 - y) / self.scale
        return self.cx + dx, self.cy + dy

    def panned(self, dx: float, dy: float) -> View:
        """Return the view after the picture was dragged by (dx, dy) pixels."""
        return replace(self, cx=self.cx - dx / self.scale, cy=self.cy + dy / self.scale)

    def zoomed(self, factor: float, x: float, y: float) -> View:
        """Return the view scaled by `factor`, the world point under (x, y) kept in place."""
        wx, wy = self.to_world(x, y)
        moved = replace(self, scale=self.scale * factor)
        nx, ny = moved.to_world(x, y)
        return replace(moved, cx=moved.cx + wx - nx, cy=moved.cy + wy - ny)

    def resized(self, width: int, height: int) -> View:
        """Return the same centre and scale in a picture of another size."""
        return replace(self, width=max(1, width), height=max(1, height))

    def times(self, ratio: float) -> View:
        """Return the view in finer pixels (a high-density screen)."""
        size = max(1, round(self.width * ratio)), max(1, round(self.height * ratio))
        return View(self.scale * ratio, self.cx, self.cy, *size)


@dataclass(frozen=True)
class Extent:
    """What a drawing is like, measured once per graph and positions.

    bounds : (xmin, ymin, xmax, ymax) of the finite positions
    edge_length : median length of an arc that is not a loop, world units; 0 if none
    spacing : sqrt(area / vertices), world units
    ink : total length of all arcs, each pair of opposite arcs once, world units
    """

    bounds: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    edge_length: float = 0.0
    spacing: float = 0.0
    ink: float = 0.0

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in world units."""
        xmin, ymin, xmax, ymax = self.bounds
        return xmax - xmin, ymax - ymin

    def fitted(self, width: int, height: int, margin: int = 24) -> View:
        """Return the view that shows everything, `margin` pixels free around it."""
        xmin, ymin, xmax, ymax = self.bounds
        margin = min(margin, width // 5, height // 5)
        room = max(1, width - 2 * margin), max(1, height - 2 * margin)
        spans = [r / s for r, s in zip(room, self.size, strict=True) if s > 0]
        scale = min(spans) if spans else 1.0
        return View(scale, (xmin + xmax) / 2, (ymin + ymax) / 2, max(1, width), max(1, height))


@dataclass(frozen=True)
class Style:
    """How large things are drawn, in pixels of the picture.

    radius : of a disc; under 0.5 every vertex is exactly one pixel
    line_width : of an arc; 0 draws no coloured lines
    density : whether arcs go to the grey layer
    """

    radius: float = 0.5
    line_width: float = 0.0
    density: bool = False


@dataclass(eq=False)
class PixelMap:
    """The picture without its colours: k inked pixels, in reading order.

    pixel : int32 (k,), row * width + column, rising
    vertex : int32 (k,), who owns it
    cover : uint8 (k,), 1 to 15, how much of it is inked
    density : uint8 (height * width,), 0 to 15, the grey layer, or None
    in_view : vertices whose position lies in the picture
    drawn : vertices that own at least one pixel
    arc_step : one arc in this many is in the grey layer; 0 means that no arcs are shown
    replay : what a finished run shows here, if it was shown
    """

    view: View
    style: Style
    pixel: np.ndarray
    vertex: np.ndarray
    cover: np.ndarray
    density: np.ndarray | None
    in_view: int
    drawn: int
    arc_step: int
    replay: Replay | None = None

    def vertex_at(self, x: float, y: float, radius: float = 0.0) -> int:
        """Return the owner of the inked pixel nearest to (x, y) within `radius`, or -1."""
        best, owner = radius * radius + 1.0, -1
        width, reach = self.view.width, int(radius) + 1
        for row in range(max(0, int(y) - reach), min(self.view.height, int(y) + reach + 1)):
            low = row * width + max(0, int(x) - reach)
            high = row * width + min(width, int(x) + reach + 1)
            first, last = np.searchsorted(self.pixel, (low, high))
            if first == last:
                continue
            columns = self.pixel[first:last] - row * width + 0.5
            away = (columns - x) ** 2 + (row + 0.5 - y) ** 2
            nearest = int(np.argmin(away))
            if away[nearest] < best:
                best, owner = float(away[nearest]), int(self.vertex[first + nearest])
        return owner


@dataclass(frozen=True, eq=False)
class Replay:
    """What a finished run shows at each inked pixel: kept while only the cursor moves.

    level : uint8 (k,), the index once reached; when : int64 (k,) ns, NEVER_SHOWN if never
    """

    of: Colouring
    level: np.ndarray
    when: np.ndarray
    top: float

    def shows(self, colouring: Colouring) -> bool:
        """Whether it was made from the same arrays and scale."""
        same = self.of.values is colouring.values and self.of.first is colouring.first
        return same and self.of.unit == colouring.unit


@dataclass(frozen=True)
class Colouring:
    """How vertices get their index.

    kind : "plain" gives 0 to everyone
    values : "distance": of a number type (n,); "count": int32 (n,); else None
    first, last : int64 (n,) ns, first reached and last improved; (0,) where unknown. With
        "distance" and "count", vertices not reached at the cursor are unreached
    cursor : ns
    unit : "distance": value units per step of the map, > 0
    top : "count": the count that gets the last colour
    final : the arrays will not change any more, so what was looked up may be kept
    """

    kind: Kind = "plain"
    values: np.ndarray | None = None
    first: np.ndarray = field(default_factory=lambda: NO_TIMES)
    last: np.ndarray = field(default_factory=lambda: NO_TIMES)
    cursor: float = np.inf
    unit: float = 1.0
    top: int = 1
    final: bool = False


def kernels() -> ModuleType | None:
    """Return the compiled kernels if they are loaded already, else None."""
    module = sys.modules.get("viewer.raster.kernels")
    return module if module is not None and getattr(module, "READY", False) else None


def load_kernels() -> ModuleType:
    """Import and, the first time on a machine, compile the kernels; takes seconds.

    Call it on a worker thread: importing Numba takes about a second.
    """
    import viewer.raster.kernels as module

    return module


def measure(indptr: np.ndarray, indices: np.ndarray, positions: np.ndarray) -> Extent:
    """Return the Extent of a drawing: O(n), and at most SAMPLED_ARCS arcs are looked at.

    indptr int64 (n+1,), indices int32 (m,), positions float32 (n, 2)
    """
    if not len(positions):
        return Extent()
    columns = positions[:, 0], positions[:, 1]
    low = np.array([column.min() for column in columns], float)
    high = np.array([column.max() for column in columns], float)
    if not np.isfinite(high - low).all():  # NaN and infinity spread through min and max
        finite = positions[np.isfinite(positions).all(axis=1)].astype(float)
        if not len(finite):
            return Extent()
        low, high = finite.min(axis=0), finite.max(axis=0)
    width, height = high - low
    longest = max(width, height)
    area = max(width, longest / 20) * max(height, longest / 20)
    spacing = float(np.sqrt(area / len(positions)))
    bounds = (float(low[0]), float(low[1]), float(high[0]), float(high[1]))
    m = len(indices)
    arcs = np.arange(0, m, max(1, m // SAMPLED_ARCS))
    tails = np.searchsorted(indptr, arcs, side="right") - 1
    heads = indices[arcs]
    lengths = np.hypot(*(positions[heads].astype(float) - positions[tails]).T)
    lengths = lengths[np.isfinite(lengths) & (heads != tails)]
    if not len(lengths):
        return Extent(bounds, 0.0, spacing, 0.0)
    return Extent(bounds, float(np.median(lengths)), spacing, float(lengths.mean()) * m / 2)


def style_for(extent: Extent, view: View, ratio: float = 1.0) -> Style:
    """Choose sizes for a drawing at a scale; `ratio` is pixels per logical pixel."""
    scale = view.scale / ratio  # sizes below are in logical pixels
    edge, spacing = extent.edge_length * scale, extent.spacing * scale
    unit = min(edge, 1.6 * spacing) if edge > 0 else spacing
    line = min(max(0.32 * unit, 1.0), 2.4)
    width, height = extent.size
    area = max(width, height / 20) * max(height, width / 20) * scale
    if 0 < edge < SUBPIXEL and spacing < SUBPIXEL:
        return Style(0.0)
    if 0 < edge < 1.5 or 0 < extent.ink * line <= MAP_INK * area:
        radius = min(max(0.5 * line, 0.14 * unit), 6.0) if unit > DENSE else 0.0
        return Style(radius * ratio, line * ratio, False)
    crowd = CROWD_RADIUS if extent.ink > 0 and spacing > DENSE else 0.0
    radius = min(max(0.32 * spacing, crowd), 6.0)
    return Style(radius * ratio if radius * ratio >= 0.5 else 0.0, 0.0, extent.ink > 0)


def bin_graph(
    indptr: np.ndarray,
    indices: np.ndarray,
    positions: np.ndarray,
    view: View,
    style: Style,
    extent: Extent,
) -> PixelMap:
    """Draw a graph into a PixelMap; vertices alone, a pixel each, until the kernels are loaded.

    indptr int64 (n+1,), indices int32 (m,), positions float32 (n, 2), C order.
    """
    draw = kernels()
    if draw is None:
        return _sketched(positions, view)
    keys = np.zeros(view.width * view.height, np.int64)
    place = (view.scale, view.cx, view.cy, view.width, view.height)
    n, m = len(indptr) - 1, len(indices)
    in_view = draw.bin_points(positions, keys, *place, style.radius)
    arc_step = 0
    density = None
    if style.line_width > 0:
        margin = np.inf if n <= WHOLE_VIEW else FAR + FAR_ARCS * extent.edge_length * view.scale
        draw.bin_lines(indptr, indices, positions, keys, *place, style.line_width, margin)
        arc_step = 1
    elif style.density:
        margin = np.inf if n <= WHOLE_VIEW else FAR
        arc_step = density_step(extent, view, m, margin)
        counts = np.zeros(view.width * view.height, np.int32)
        draw.bin_density(indptr, indices, positions, counts, *place, arc_step, margin)
        density = _grey(counts)
    pixel, vertex, cover, drawn = draw.compact(keys, n)
    if drawn < in_view and n <= ALL_SHOWN:
        drawn = _show_all(pixel, vertex, positions, view)
    return PixelMap(view, style, pixel, vertex, cover, density, in_view, drawn, arc_step)


def _show_all(pixel: np.ndarray, vertex: np.ndarray, positions: np.ndarray, view: View) -> int:
    """Give each hidden vertex a pixel near it, of an owner that keeps others; count owners."""
    owned = np.bincount(vertex, minlength=len(positions))
    places = np.nan_to_num(view.to_pixels(positions), nan=-1.0)
    inside = ((places >= 0) & (places < (view.width, view.height))).all(axis=1)
    for dy, dx in NEAR_PIXELS:
        hidden = np.flatnonzero(inside & (owned == 0))
        if not len(hidden):
            break
        columns, rows = places[hidden].astype(np.int64).T
        target = (rows + dy) * view.width + columns + dx
        at = np.minimum(np.searchsorted(pixel, target), len(pixel) - 1)
        free = (pixel[at] == target) & (owned[vertex[at]] > 1)
        _, first = np.unique(vertex[at[free]], return_index=True)  # one of each owner
        taken, shown = at[free][first], hidden[free][first]
        owned[vertex[taken]] -= 1
        owned[shown] += 1
        vertex[taken] = shown
    return int(np.count_nonzero(owned))


def _sketched(positions: np.ndarray, view: View) -> PixelMap:
    """Return single pixels; where several vertices share a pixel the last one owns it."""
    places = view.to_pixels(positions)
    with np.errstate(invalid="ignore"):
        inside = ((places >= 0) & (places < (view.width, view.height))).all(axis=1)
    vertices = np.flatnonzero(inside).astype(np.int32)
    columns, rows = places[vertices].astype(np.int32).T
    owner = np.full(view.width * view.height, -1, np.int32)
    owner[rows * view.width + columns] = vertices
    pixel = np.flatnonzero(owner >= 0).astype(np.int32)
    cover = np.full(len(pixel), COVERS - 1, np.uint8)
    return PixelMap(
        view, Style(0.0), pixel, owner[pixel], cover, None, len(vertices), len(pixel), 0
    )


def density_step(extent: Extent, view: View, m: int, margin: float) -> int:
    """Return k: one arc in k goes to the grey layer, so that it costs no more than allowed.

    margin : infinite, or pixels around the picture within which arcs must begin
    """
    size = extent.size[0] * extent.size[1] * view.scale**2
    share = min(1.0, view.width * view.height / size) if size > 0 else 1.0
    if np.isinf(margin):
        arcs, pixels = float(m), 2 * extent.ink * view.scale * share
    else:
        arcs = m * share
        pixels = arcs * min(2 * extent.ink / max(m, 1) * view.scale, max(view.width, view.height))
    most = min(max(DENSITY_INK * view.width * view.height, DENSITY_LEAST), DENSITY_MOST)
    return max(1, int(np.ceil(pixels / most)), int(np.ceil(arcs / DENSITY_ARCS)))


def _grey(counts: np.ndarray) -> np.ndarray:
    """Return the grey layer of int32 counts, uint8, 0 to 15, logarithmic in the count."""
    inked = counts[counts > 0]
    top = int(np.quantile(inked[:: 1 + len(inked) // QUANTILE_OF], 0.995)) if len(inked) else 1
    crowd = len(inked) / max(len(counts), 1)
    least = 1 + 5 * max(0.0, 1 - 2 * crowd)  # few lines must not be faint
    ranks = np.log1p(np.arange(top + 1)) / np.log1p(max(top, 4))
    table = np.rint(least + (COVERS - 1 - least) * ranks).astype(np.uint8)
    table[0] = 0
    return table[np.minimum(counts, top)]


# ---------------------------------------------------------------- colours


def index_of(colouring: Colouring, vertices: np.ndarray) -> tuple[np.ndarray, float]:
    """Return uint8 (k,) table indices of int32 vertices (k,), and the largest value met."""
    out = np.zeros(len(vertices), np.uint8)
    values, cursor = colouring.values, colouring.cursor
    if colouring.kind == "state":
        first = colouring.first[vertices]
        reached = (first >= 0) & (first <= cursor)
        out[:] = reached * (1 + (colouring.last[vertices] <= cursor))
    elif colouring.kind == "count" and values is not None:
        counts, levels = values[vertices], count_levels(colouring.top)
        out[:] = levels[np.clip(counts, 0, len(levels) - 1)]
        if len(colouring.first):
            first = colouring.first[vertices]
            out[(first < 0) | (first > cursor)] = 0
        return out, float(counts.max(initial=0))
    elif colouring.kind == "distance" and values is not None:
        return out, _distance_index(colouring, values, vertices, out)
    return out, 0.0


def _distance_index(
    colouring: Colouring, dist: np.ndarray, vertices: np.ndarray, out: np.ndarray
) -> float:
    """Write the index of each distance into `out`; return the largest one met."""
    draw, first, ends = kernels(), colouring.first, unreached(dist.dtype)
    cursor, unit = float(colouring.cursor), float(colouring.unit)
    if draw is not None:
        top: float = draw.distance_index(dist, vertices, first, cursor, unit, ends, out)
        return top
    here = dist[vertices]
    shown = here < ends
    if len(first):
        shown &= (first[vertices] >= 0) & (first[vertices] <= cursor)
    steps = here[shown].astype(np.float32) * np.float32(1.0 / unit)
    out[shown] = 1 + np.minimum(steps, np.float32(LEVELS)).astype(np.int32)
    return float(here[shown].max(initial=0))


def count_levels(top: int) -> np.ndarray:
    """Return uint8 (k,): the index of each count, logarithmic, 0 for 0 and 255 for `top`."""
    counts = np.arange(min(max(top, 1), MAX_COUNT_LEVELS) + 1, dtype=np.float64)
    levels = np.zeros(len(counts), np.uint8)
    share = np.log(counts[1:]) / max(np.log(counts[-1]), 1e-9)
    levels[1:] = 1 + np.rint(LEVELS * share)
    return levels


def recolour(pixels: PixelMap, colouring: Colouring, table: np.ndarray, out: np.ndarray) -> float:
    """Paint the inked pixels of a frame; return the largest value met.

    table : uint32 (COVERS * 256,), see `colormaps.blended`
    out : uint32 (height * width,), 0xffRRGGBB, the background already there
    """
    draw = kernels()
    if draw is None:
        index, top = index_of(colouring, pixels.vertex)
        out[pixels.pixel] = table[pixels.cover.astype(np.int64) * 256 + index]
        return top
    if colouring.final and len(colouring.first):
        replay = _replay(pixels, colouring)
        places = (pixels.pixel, pixels.cover, replay.level, replay.when)
        draw.paint_until(*places, float(colouring.cursor), table, out)
        return replay.top
    index, top = index_of(colouring, pixels.vertex)
    draw.paint(pixels.pixel, pixels.cover, index, table, out)
    return top


def _replay(pixels: PixelMap, colouring: Colouring) -> Replay:
    """Return the pixels' levels and times of a finished run, looked up once."""
    if pixels.replay is not None and pixels.replay.shows(colouring):
        return pixels.replay
    timeless = replace(colouring, first=NO_TIMES, cursor=np.inf)
    level, top = index_of(timeless, pixels.vertex)
    when = colouring.first[pixels.vertex]
    when[when < 0] = NEVER_SHOWN
    pixels.replay = Replay(colouring, level, when, top)
    return pixels.replay


def background(
    pixels: PixelMap, paper: tuple[int, int, int], ink: np.ndarray | tuple[int, int, int]
) -> np.ndarray:
    """Return uint32 (height * width,): paper, with the grey layer in `ink` upon it, both 0..255."""
    shades = blended(np.rint(np.array([ink])), paper)
    if pixels.density is None:
        return np.full(pixels.view.width * pixels.view.height, shades[0])
    return shades[pixels.density]
