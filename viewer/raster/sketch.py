"""The first picture, before the compiled loops are loaded: one pixel a vertex, by NumPy.

Loading Numba takes a second, and compiling takes several on the first start of all. Until
then a map shows its vertices as single pixels, without edges. `raster.bin_graph` and
`colour.index_of` call these functions; nobody else does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpu.numbers import unreached

if TYPE_CHECKING:
    from viewer.raster.colour import Colouring
    from viewer.raster.raster import View

FULL_COVER = 15
TOP_LEVEL = np.float32(254.0)


def points(positions: np.ndarray, view: View) -> tuple[np.ndarray, np.ndarray, int]:
    """Return pixel int32 and vertex int32 of the inked pixels, and how many vertices are in view.

    positions : float32 (n, 2). Where several vertices share a pixel the last one owns it.
    """
    places = view.to_pixels(positions)
    with np.errstate(invalid="ignore"):
        inside = ((places >= 0) & (places < (view.width, view.height))).all(axis=1)
    vertices = np.flatnonzero(inside).astype(np.int32)
    columns, rows = places[vertices].astype(np.int32).T
    owner = np.full(view.width * view.height, -1, np.int32)
    owner[rows * view.width + columns] = vertices
    pixel = np.flatnonzero(owner >= 0).astype(np.int32)
    return pixel, owner[pixel], len(vertices)


def index_of(
    colouring: Colouring, vertices: np.ndarray, levels: np.ndarray
) -> tuple[np.ndarray, float]:
    """Return what `colour.index_of` returns; `levels` : see `colour.count_levels`."""
    out = np.zeros(len(vertices), np.uint8)
    values, cursor = colouring.values, colouring.cursor
    first = colouring.first[vertices] if len(colouring.first) else None
    reached = True if first is None else (first >= 0) & (first <= cursor)
    if colouring.kind == "state":
        out[:] = reached * (1 + (colouring.last[vertices] <= cursor))
        return out, 0.0
    if values is None:
        return out, 0.0
    here = values[vertices]
    if colouring.kind == "count":
        out[:] = levels[np.clip(here, 0, len(levels) - 1)]
        return out, float(here.max(initial=0))
    if colouring.kind == "time":
        shown = (here >= 0) & (here <= cursor)
        scaled = here[shown] / colouring.unit
        out[shown] = 1 + np.minimum(scaled, TOP_LEVEL).astype(np.int32)
        return out, 0.0
    shown = (here < unreached(here.dtype)) & reached
    scaled = here[shown].astype(np.float32) * np.float32(1.0 / colouring.unit)
    out[shown] = 1 + np.minimum(scaled, TOP_LEVEL).astype(np.int32)
    return out, float(here[shown].max(initial=0))
