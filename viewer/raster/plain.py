"""The pixel map drawn by plain NumPy: what the window shows before Numba is loaded.

Same functions, same arguments and the same result, pixel by pixel, as
`raster_kernels`; that module says what each one does. Ten to fifty times slower,
but needs no second of import, so the first picture of a sample is on screen while
the compiled version is still being loaded.
"""

from __future__ import annotations

import numpy as np

SHORT = 1.5  # pixels: arcs up to this long are left to the discs of their ends
CHUNK = 8_000  # arcs at a time: bounds memory, and how long `maximum.at` holds the GIL
POINTS = 200_000  # vertices at a time, for the same reason


def bin_points(
    positions: np.ndarray,
    keys: np.ndarray,
    scale: float,
    cx: float,
    cy: float,
    width: int,
    height: int,
    radius: float,
    step: int,
) -> int:
    """Draw every `step`-th vertex as a disc into `keys`; return how many lie in view."""
    seen = 0
    for first in range(0, len(positions), step * POINTS):
        vertices = np.arange(first, min(len(positions), first + step * POINTS), step)
        x = (positions[vertices, 0].astype(np.float64) - cx) * scale + width * 0.5
        y = height * 0.5 - (positions[vertices, 1].astype(np.float64) - cy) * scale
        seen += int(((x >= 0) & (x < width) & (y >= 0) & (y < height)).sum())
        reach = radius + 1.0
        near = (x > -reach) & (x < width + reach) & (y > -reach) & (y < height + reach)
        _discs(keys, x[near], y[near], vertices[near], (width, height), radius)
    return seen


def _discs(
    keys: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    vertices: np.ndarray,
    size: tuple[int, int],
    radius: float,
) -> None:
    """Draw discs at pixel coordinates, one place of their square at a time."""
    column, row = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    extra = 0 if radius < 0.5 else int(radius + 0.5) + 1
    for dj in range(-extra, extra + 1):
        for di in range(-extra, extra + 1):
            i, j = column + di, row + dj
            away = np.sqrt((i + 0.5 - x) ** 2 + (j + 0.5 - y) ** 2)
            level = _levels(radius + 0.5 - away)
            nearness = 255 - np.minimum(255, (away * 16.0).astype(np.int64))
            if radius < 0.5:
                level, nearness = np.full(len(x), 15), np.zeros(len(x), np.int64)
            inside = (level > 0) & (i >= 0) & (i < size[0]) & (j >= 0) & (j < size[1])
            key = (level.astype(np.int64) << 40) | (nearness << 32) | vertices
            np.maximum.at(keys, (j * size[0] + i)[inside], key[inside])


def bin_lines(
    indptr: np.ndarray,
    indices: np.ndarray,
    positions: np.ndarray,
    keys: np.ndarray,
    scale: float,
    cx: float,
    cy: float,
    width: int,
    height: int,
    line_width: float,
    margin: float,
) -> None:
    """Draw every arc longer than SHORT pixels as a line whose halves belong to its ends."""
    tails = np.repeat(np.arange(len(indptr) - 1, dtype=np.int64), np.diff(indptr))
    u, v = np.minimum(tails, indices), np.maximum(tails, indices)
    x = (positions[:, 0].astype(np.float64) - cx) * scale + width * 0.5
    y = height * 0.5 - (positions[:, 1].astype(np.float64) - cy) * scale
    reach = line_width + 1.0
    inside = (x > -margin) & (x < width + margin) & (y > -margin) & (y < height + margin)
    with np.errstate(invalid="ignore"):
        wide = np.abs(positions[v] - positions[u]).max(axis=1, initial=0)
        kept = inside[tails] & (wide > np.float32(SHORT / scale))
    kept &= (np.maximum(x[u], x[v]) > -reach) & (np.minimum(x[u], x[v]) < width + reach)
    kept &= (np.maximum(y[u], y[v]) > -reach) & (np.minimum(y[u], y[v]) < height + reach)
    kept &= np.isfinite(x[u]) & np.isfinite(x[v]) & np.isfinite(y[u]) & np.isfinite(y[v])
    n = len(positions)
    pairs = np.unique(u[kept] * n + v[kept])
    u, v = pairs // n, pairs % n
    flat = np.abs(x[v] - x[u]) >= np.abs(y[v] - y[u])
    for along_x in (True, False):
        a, b = u[flat == along_x], v[flat == along_x]
        for first in range(0, len(a), CHUNK):
            part = slice(first, first + CHUNK)
            ends = (x, y) if along_x else (y, x)
            sizes = (width, height) if along_x else (height, width)
            _lines_along(keys, ends, a[part], b[part], sizes, along_x, line_width)


def _lines_along(
    keys: np.ndarray,
    ends: tuple[np.ndarray, np.ndarray],
    u: np.ndarray,
    v: np.ndarray,
    sizes: tuple[int, int],
    along_x: bool,
    line_width: float,
) -> None:
    """Draw arcs u -> v whose longer side runs along the first coordinate of `ends`."""
    major0, major1, minor0, minor1 = ends[0][u], ends[0][v], ends[1][u], ends[1][v]
    low, high = np.minimum(major0, major1), np.maximum(major0, major1)
    first = np.maximum(0, np.floor(low)).astype(np.int64)
    last = np.minimum(sizes[0] - 1, np.floor(high)).astype(np.int64)
    counts = np.maximum(0, last - first + 1)
    slope = (minor1 - minor0) / (major1 - major0)
    half = 0.5 * line_width * np.sqrt(1.0 + slope * slope)
    line = np.repeat(np.arange(len(u)), counts)
    step = first[line] + np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    at = np.minimum(np.maximum(step + 0.5, low[line]), high[line])
    middle = minor0[line] + (at - major0[line]) * slope[line]
    owner = np.where(
        np.abs(at - major0[line]) + np.abs(at - major0[line]) < np.abs(major1[line] - major0[line]),
        u[line],
        v[line],
    )
    bottom, top = middle - half[line], middle + half[line]
    start = np.floor(bottom).astype(np.int64)
    spread = int(np.ceil(half.max() * 2)) + 1 if len(half) else 0
    for extra in range(spread + 1):
        across = start + extra
        overlap = np.minimum(across + 1.0, top) - np.maximum(across.astype(np.float64), bottom)
        level = _levels(overlap)
        inside = (level > 0) & (across >= 0) & (across < sizes[1])
        row, column = (across, step) if along_x else (step, across)
        width = sizes[0] if along_x else sizes[1]
        key = (level << 40) | owner
        np.maximum.at(keys, (row * width + column)[inside], key[inside])


def _levels(cover: np.ndarray) -> np.ndarray:
    """Return coverage 0..1 as a level 0 to 15, int64."""
    return (np.minimum(1.0, np.maximum(0.0, cover)) * 15.0 + 0.5).astype(np.int64)


def bin_density(
    indptr: np.ndarray,
    indices: np.ndarray,
    positions: np.ndarray,
    counts: np.ndarray,
    scale: float,
    cx: float,
    cy: float,
    width: int,
    height: int,
    step: int,
    margin: float,
) -> None:
    """Count, in `counts`, how many of every `step`-th arc cross each pixel."""
    arcs = np.arange(0, len(indices), step)
    u = np.searchsorted(indptr, arcs, side="right") - 1
    v = indices[arcs]
    x = (positions[:, 0].astype(np.float64) - cx) * scale + width * 0.5
    y = height * 0.5 - (positions[:, 1].astype(np.float64) - cy) * scale
    kept = np.isfinite(x[u]) & np.isfinite(x[v]) & np.isfinite(y[u]) & np.isfinite(y[v]) & (u != v)
    inside = (x > -margin) & (x < width + margin) & (y > -margin) & (y < height + margin)
    kept &= inside[u]
    u, v = u[kept], v[kept]
    flat = np.abs(x[v] - x[u]) >= np.abs(y[v] - y[u])
    for along_x in (True, False):
        major, minor = (x, y) if along_x else (y, x)
        sizes = (width, height) if along_x else (height, width)
        a, b = u[flat == along_x], v[flat == along_x]
        low, high = np.minimum(major[a], major[b]), np.maximum(major[a], major[b])
        for start in range(0, len(a), CHUNK // 2):
            part = slice(start, start + CHUNK // 2)
            bounds = (
                np.maximum(0, np.floor(low[part])),
                np.minimum(sizes[0] - 1, np.floor(high[part])),
            )
            first, last = bounds[0].astype(np.int64), bounds[1].astype(np.int64)
            reach = np.maximum(0, last - first + 1)
            line = np.repeat(np.arange(len(first)), reach)
            at = first[line] + np.arange(reach.sum()) - np.repeat(np.cumsum(reach) - reach, reach)
            tail, head = a[part][line], b[part][line]
            span = major[head] - major[tail]
            span[span == 0] = 1.0
            centre = np.minimum(np.maximum(at + 0.5, low[part][line]), high[part][line])
            slope = (minor[head] - minor[tail]) / span
            across = np.floor(minor[tail] + (centre - major[tail]) * slope).astype(np.int64)
            inside = (across >= 0) & (across < sizes[1])
            pixel = across * width + at if along_x else at * width + across
            counts += np.bincount(pixel[inside], minlength=len(counts)).astype(np.int32)


def compact(keys: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Return pixel int32, vertex int32, cover uint8 of the inked pixels, and owners counted."""
    pixel = np.flatnonzero(keys)
    found = keys[pixel]
    vertex = (found & 0xFFFFFFFF).astype(np.int32)
    seen = np.zeros(n, bool)
    seen[vertex] = True
    cover = (found >> 40).astype(np.uint8)
    return pixel.astype(np.int32), vertex, cover, int(np.count_nonzero(seen))


def sorted_places(vertex: np.ndarray) -> np.ndarray | None:
    """Return None: gathering by NumPy gains nothing from an order."""
    return None


def distance_index(
    dist: np.ndarray,
    vertex: np.ndarray,
    first: np.ndarray,
    cursor: float,
    unit: float,
    unreached: np.generic,
    out: np.ndarray,
) -> float:
    """Write 0 where unreached at the cursor, else 1 + d * (1 / unit); return the largest d met."""
    values = dist[vertex]
    shown = values < unreached
    if len(first):
        times = first[vertex]
        shown &= (times >= 0) & (times <= cursor)
    values = values[shown]
    out[:] = 0
    levels = values.astype(np.float32) * np.float32(1.0 / unit)
    out[shown] = 1 + np.minimum(levels, np.float32(254.0)).astype(np.int32)
    return float(values.max()) if len(values) else 0.0


def state_index(
    first: np.ndarray, last: np.ndarray, vertex: np.ndarray, cursor: float, out: np.ndarray
) -> None:
    """Write 0 unreached, 1 tentative, 2 settled at time `cursor`, ns, for each owner."""
    start = first[vertex]
    reached = (start >= 0) & (start <= cursor)
    out[:] = np.where(reached, np.where(last[vertex] > cursor, 1, 2), 0)


def time_index(
    times: np.ndarray, vertex: np.ndarray, cursor: float, unit: float, out: np.ndarray
) -> None:
    """Write 0 where the time is past the cursor or never, else 1 + time / unit, to 255."""
    values = times[vertex]
    level = 1 + np.minimum(254.0, np.maximum(values, 0) / unit).astype(np.int64)
    out[:] = np.where((values >= 0) & (values <= cursor), level, 0)


def count_index(counts: np.ndarray, vertex: np.ndarray, levels: np.ndarray, out: np.ndarray) -> int:
    """Write levels[count], the last level for any larger count; return the largest count."""
    values = counts[vertex]
    out[:] = levels[np.clip(values, 0, len(levels) - 1)]
    return int(values.max(initial=0))


def scatter(order: np.ndarray, sorted_index: np.ndarray, index: np.ndarray) -> None:
    """Put sorted_index[k] at index[order[k]]."""
    index[order] = sorted_index


def paint(
    pixel: np.ndarray, cover: np.ndarray, index: np.ndarray, table: np.ndarray, out: np.ndarray
) -> None:
    """Write the colour table[cover * 256 + index] into each inked pixel of `out`."""
    out[pixel] = table[cover.astype(np.int64) * 256 + index]
