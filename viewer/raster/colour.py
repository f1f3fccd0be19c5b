"""Colours from values: each vertex shows a number 0 to 255, and a frame is painted from these.

A `Colouring` names an array and how a value becomes a table index: 0 is "unreached" (or "not
yet"), 1 to 255 go along a colour map. `index_of` applies it to a list of vertices: the owners of
a map's pixels, or the few vertices that are drawn one by one. `recolour` paints a whole frame.

States at a moment are exact in both directions of time, because they come from two times per
vertex: unreached before it was first reached, tentative until it was last improved, then settled.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from gpu.numbers import unreached
from viewer.raster.raster import COVERS, PixelMap, kernels

Kind = Literal["plain", "distance", "state", "count"]
LEVELS = 254  # steps of a colour map: indices 1 to 255
MAX_COUNT_LEVELS = 4096  # counts from here on share the last colour
NO_TIMES = np.empty(0, np.int64)
NEVER_SHOWN = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Colouring:
    """How vertices get their index.

    kind : "plain" gives 0 to everyone
    values : "distance": of a number type (n,); "count": int32 (n,); else None
    first, last : int64 (n,) ns, first reached and last improved; (0,) where unknown. With
        "distance", vertices not reached at the cursor are unreached
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


@dataclass(frozen=True, eq=False)
class Replay:
    """What a finished run shows at each inked pixel: kept while only the cursor moves.

    level : uint8 (k,), the index once reached; when : int64 (k,) ns, NEVER_SHOWN if never
    """

    values: np.ndarray
    first: np.ndarray
    unit: float
    level: np.ndarray
    when: np.ndarray
    top: float

    def shows(self, colouring: Colouring) -> bool:
        """Whether it was made from the same arrays and scale."""
        same = self.values is colouring.values and self.first is colouring.first
        return same and self.unit == colouring.unit


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
    out[shown] = _level(here[shown].astype(np.float32) * np.float32(1.0 / unit))
    return float(here[shown].max(initial=0))


def _level(steps: np.ndarray) -> np.ndarray:
    index: np.ndarray = 1 + np.minimum(steps, np.float32(LEVELS)).astype(np.int32)
    return index


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
    if pixels.kept and pixels.kept[0].shows(colouring):
        kept: Replay = pixels.kept[0]
        return kept
    timeless = replace(colouring, first=NO_TIMES, cursor=np.inf)
    level, top = index_of(timeless, pixels.vertex)
    when = colouring.first[pixels.vertex]
    when[when < 0] = NEVER_SHOWN
    assert colouring.values is not None
    made = Replay(colouring.values, colouring.first, colouring.unit, level, when, top)
    pixels.kept[:] = [made]
    return made


def background(pixels: PixelMap, paper: int, ink: int) -> np.ndarray:
    """Return uint32 (height * width,): paper, with the grey layer in `ink` upon it.

    paper, ink : 0xffRRGGBB
    """
    count = pixels.view.width * pixels.view.height
    if pixels.density is None:
        return np.full(count, paper, np.uint32)
    shades = np.empty(COVERS, np.uint32)
    for level in range(COVERS):
        shades[level] = mixed(paper, ink, level / (COVERS - 1))
    return shades[pixels.density]


def mixed(first: int, second: int, share: float) -> int:
    """Return `first` with `share` (0..1) of `second`, both 0xffRRGGBB."""
    result = 0xFF
    for shift in (16, 8, 0):
        a, b = (first >> shift) & 255, (second >> shift) & 255
        result = (result << 8) | round(a + (b - a) * share)
    return result
