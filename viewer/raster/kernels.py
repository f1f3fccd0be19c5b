"""The compiled loops: they draw a pixel map and colour it.

Every kernel has its types written down, so importing this module compiles everything or reads it
from Numba's cache (seconds the first time, on a worker thread). No frame waits for a compiler.

Keys  int64 per pixel, 0 where nothing is drawn: coverage 1..15 in bits 40-43,
      nearness 0..255 in bits 32-39, vertex in bits 0-31; the largest wins.
View  scale (pixels per world unit), cx, cy (world point at the centre), width, height

Loops go through the vertices in order: in most files neighbours have near numbers, so their
values are near in memory.
"""

# ruff: noqa: PLR1730 (Numba's min and max also order NaN: three times slower than `if`)
# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False, check-untyped-defs=False
from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from gpu.compiled import compiled
from gpu.numbers import bits_of

SHORT = 1.5  # pixels: arcs up to this long are left to the discs of their ends
PAGE = 4096  # vertices whose distances are gathered together: they stay in the cache
READY = False  # set by the last line: this module is usable only as a whole


def _read(scalar: Any, dimensions: int = 1) -> Any:
    """Type of an array that a kernel only reads; accepts read-only shared memory too."""
    return types.Array(scalar, dimensions, "C", readonly=True)


def _write(scalar: Any) -> Any:
    return types.Array(scalar, 1, "C")


_I8, _I4, _F4, _F8 = types.int64, types.int32, types.float32, types.float64
_POSITIONS, _KEYS = _read(_F4, 2), _write(_I8)
_VIEW = (_F8, _F8, _F8, _I8, _I8)
_ARCS = (_read(_I8), _read(_I4), _POSITIONS)


def _typed(*arguments: Any, returns: Any = types.void) -> Any:
    """Compile or load now, for exactly these types."""
    return compiled(signatures=[returns(*arguments)])


@_typed(_POSITIONS, _KEYS, *_VIEW, _F8, returns=_I8)
def bin_points(positions, keys, scale, cx, cy, width, height, radius):
    """Draw every vertex as a disc into `keys`; return how many lie in view.

    radius : pixels, the edge softened over one pixel; under 0.5 exactly one pixel each
    """
    seen = 0
    half_width, half_height = width * 0.5, height * 0.5
    if radius < 0.5:  # later vertices have larger keys: nothing to compare
        for vertex in range(len(positions)):
            x = (np.float64(positions[vertex, 0]) - cx) * scale + half_width
            y = half_height - (np.float64(positions[vertex, 1]) - cy) * scale
            if x >= 0 and x < width and y >= 0 and y < height:
                seen += 1
                pixel = np.uint32(y) * np.uint32(width) + np.uint32(x)
                keys[pixel] = (15 << 40) | vertex
        return seen
    reach = radius + 1.0
    extra = int(radius + 0.5) + 1
    for vertex in range(len(positions)):
        x = (np.float64(positions[vertex, 0]) - cx) * scale + half_width
        y = half_height - (np.float64(positions[vertex, 1]) - cy) * scale
        if not (x > -reach and x < width + reach and y > -reach and y < height + reach):
            continue
        seen += x >= 0 and x < width and y >= 0 and y < height
        column, row = np.int64(np.floor(x)), np.int64(np.floor(y))
        for j in range(max(0, row - extra), min(height, row + extra + 1)):
            for i in range(max(0, column - extra), min(width, column + extra + 1)):
                away = np.sqrt((i + 0.5 - x) ** 2 + (j + 0.5 - y) ** 2)
                cover = radius + 0.5 - away
                if not cover > 0.0:
                    continue
                level = 15 if cover >= 1.0 else np.int64(cover * 15.0 + 0.5)
                if level > 0:
                    near = 255 - min(255, np.int64(away * 16.0))
                    key = (level << 40) | (near << 32) | vertex
                    pixel = j * width + i
                    if key > keys[pixel]:
                        keys[pixel] = key
    return seen


@_typed(*_ARCS, _KEYS, *_VIEW, _F8, _F8)
def bin_lines(  # noqa: PLR0912, PLR0915
    indptr, indices, positions, keys, scale, cx, cy, width, height, line_width, margin
):
    """Draw every arc longer than SHORT pixels as a line whose halves belong to its ends.

    line_width : pixels, across the line. An arc is drawn from its lower-numbered end, so
    that a reverse arc draws the very same pixels; it is then skipped if the row of the
    lower end is short enough to look it up.
    margin : pixels; arcs whose tail lies further outside are not looked at
    """
    reach = line_width + 1.0
    shortest = np.float32(SHORT / scale)
    half_width, half_height = width * 0.5, height * 0.5
    for tail in range(len(indptr) - 1):
        tx = (np.float64(positions[tail, 0]) - cx) * scale + half_width
        ty = half_height - (np.float64(positions[tail, 1]) - cy) * scale
        if not (tx > -margin and tx < width + margin and ty > -margin and ty < height + margin):
            continue
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = np.int64(indices[arc])
            wx = abs(positions[head, 0] - positions[tail, 0])
            wy = abs(positions[head, 1] - positions[tail, 1])
            if not (max(wx, wy) > shortest and max(wx, wy) < np.inf):
                continue
            hx = (np.float64(positions[head, 0]) - cx) * scale + half_width
            hy = half_height - (np.float64(positions[head, 1]) - cy) * scale
            dx, dy = abs(hx - tx), abs(hy - ty)
            if not (max(tx, hx) > -reach and min(tx, hx) < width + reach):
                continue
            if not (max(ty, hy) > -reach and min(ty, hy) < height + reach):
                continue
            if tail > head:
                twin = indptr[head]
                stop = min(indptr[head + 1], twin + 8)
                while twin < stop and indices[twin] != tail:
                    twin += 1
                if twin < stop:
                    continue
            u, v, x0, y0, x1, y1 = tail, head, tx, ty, hx, hy
            if tail > head:
                u, v, x0, y0, x1, y1 = head, tail, hx, hy, tx, ty
            along_x = dx >= dy
            major0, major1, minor0, minor1 = x0, x1, y0, y1
            size, across_size = width, height
            if not along_x:
                major0, major1, minor0, minor1 = y0, y1, x0, x1
                size, across_size = height, width
            low, high = min(major0, major1), max(major0, major1)
            slope = (minor1 - minor0) / (major1 - major0)
            half = 0.5 * line_width * np.sqrt(1.0 + slope * slope)
            first = np.int64(max(0.0, np.floor(low)))
            last = np.int64(min(size - 1.0, np.floor(high)))
            for step in range(first, last + 1):
                at = min(max(step + 0.5, low), high)
                middle = minor0 + (at - major0) * slope
                away = abs(at - major0)
                owner = u if away + away < abs(major1 - major0) else v
                bottom, top = middle - half, middle + half
                if top < 0 or bottom >= across_size:
                    continue
                start = np.int64(np.floor(bottom))
                for across in range(max(0, start), min(across_size - 1, np.int64(top)) + 1):
                    low_side, high_side = np.float64(across), across + 1.0
                    if low_side < bottom:
                        low_side = bottom
                    if high_side > top:
                        high_side = top
                    level = np.int64((high_side - low_side) * 15.0 + 0.5)
                    if level > 0:
                        pixel = across * width + step if along_x else step * width + across
                        key = (level << 40) | owner
                        if key > keys[pixel]:
                            keys[pixel] = key


@_typed(*_ARCS, _write(_I4), *_VIEW, _I8, _F8)
def bin_density(indptr, indices, positions, counts, scale, cx, cy, width, height, step, margin):
    """Count, in `counts`, how many of every `step`-th arc cross each pixel; `margin`: as above."""
    half_width, half_height = width * 0.5, height * 0.5
    arc = 0
    for tail in range(len(indptr) - 1):
        stop = indptr[tail + 1]
        if arc >= stop:
            continue
        x0 = (np.float64(positions[tail, 0]) - cx) * scale + half_width
        y0 = half_height - (np.float64(positions[tail, 1]) - cy) * scale
        if not (x0 > -margin and x0 < width + margin and y0 > -margin and y0 < height + margin):
            arc = stop if step == 1 else arc
            while arc < stop:  # rows are short, and a division is slow
                arc += step
            continue
        while arc < stop:
            head = np.int64(indices[arc])
            arc += step
            x1 = (np.float64(positions[head, 0]) - cx) * scale + half_width
            y1 = half_height - (np.float64(positions[head, 1]) - cy) * scale
            if head == tail or not abs(x0) + abs(y0) + abs(x1) + abs(y1) < np.inf:
                continue
            if max(x0, x1) < 0 or min(x0, x1) >= width or max(y0, y1) < 0 or min(y0, y1) >= height:
                continue
            along_x = abs(x1 - x0) >= abs(y1 - y0)
            major0, major1, minor0, minor1, size, across_size = x0, x1, y0, y1, width, height
            if not along_x:
                major0, major1, minor0, minor1, size, across_size = y0, y1, x0, x1, height, width
            low, high = min(major0, major1), max(major0, major1)
            span = major1 - major0
            slope = (minor1 - minor0) / span if span != 0.0 else 0.0
            start, end = max(0.0, np.floor(low)), min(size - 1.0, np.floor(high))
            if abs(slope) > 1e-6:  # only where the line lies in the picture
                one, two = major0 - minor0 / slope, major0 + (across_size - minor0) / slope
                start = max(start, np.floor(min(one, two)) - 1.0)
                end = min(end, np.floor(max(one, two)) + 1.0)
            for at in range(np.int64(start), np.int64(end) + 1):
                centre = min(max(at + 0.5, low), high)
                across = np.int64(np.floor(minor0 + (centre - major0) * slope))
                if across >= 0 and across < across_size:
                    counts[across * width + at if along_x else at * width + across] += 1


@_typed(_read(_I8), _write(_I4), _write(_I4), _write(types.uint8), returns=_I8)
def _gather_inked(keys, pixel, vertex, cover):
    """Write the inked pixels in reading order; return how many there are."""
    count = 0
    for place in range(len(keys)):
        key = keys[place]
        if key:
            pixel[count], vertex[count] = place, key & 0xFFFFFFFF
            cover[count] = key >> 40
            count += 1
    return count


@_typed(_read(_I4), _write(types.uint8), returns=_I8)
def _count_owners(vertex, seen):
    """Count distinct vertices; `seen` uint8 (n,) must be zero."""
    count = 0
    for place in range(len(vertex)):
        owner = np.uint32(vertex[place])
        count += 1 - seen[owner]
        seen[owner] = 1
    return count


def compact(keys: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Return pixel int32, vertex int32, cover uint8 of the inked pixels, and owners counted."""
    arrays = np.empty(len(keys), np.int32), np.empty(len(keys), np.int32)
    cover = np.empty(len(keys), np.uint8)
    count = _gather_inked(keys, *arrays, cover)
    vertex = arrays[1][:count].copy()
    owners = _count_owners(vertex, np.zeros(n, np.uint8))
    return arrays[0][:count].copy(), vertex, cover[:count].copy(), owners


def _distance_index(dist, vertex, first, cursor, unit, unreached, bound_bits, out):
    """Write 0 where unreached at the cursor, else 1..255; return the largest distance met.

    dist of a number type (n,); first int64 (n,), times first reached, or (0,) for none;
    out uint8 (k,) for the k vertices of `vertex`; distance d becomes 1 + d * (1 / unit), float32;
    unreached, bound_bits : (1,), distances from this on are not distances, in the type of `dist`
    and as an integer of its size. A block is gathered, then computed upon without branches, as
    vectors; the bits of floats >= 0 rise like the floats
    """
    block = np.empty(PAGE + 1, unreached.dtype)
    bits = block.view(bound_bits.dtype)
    bound = bound_bits[0]
    zero = bound ^ bound
    top = zero
    per, last = np.float32(1.0 / unit), np.float32(254.0)
    for start in range(0, len(vertex), PAGE):
        owners, to = vertex[start : start + PAGE], out[start : start + PAGE]
        for place in range(len(owners)):
            block[place] = dist[np.uint32(owners[place])]
        if len(first):
            for place in range(len(owners)):
                time = first[np.uint32(owners[place])]
                bits[place] = bits[place] if time >= 0 and time <= cursor else bound
        for place in range(len(owners)):
            level = min(np.float32(block[place]) * per, last)
            to[place] = np.uint8(np.int32(bits[place] < bound) * (1 + np.int32(level)))
        for place in range(len(owners)):
            top = max(top, bits[place] if bits[place] < bound else zero)
    bits[PAGE] = top
    return np.float64(block[PAGE])


def _distance_types(scalar: Any, bits: Any) -> Any:
    arrays = (_read(scalar), _read(_I4), _read(_I8))
    return types.float64(*arrays, _F8, _F8, _read(scalar), _read(bits), _write(types.uint8))


_PAIRS = ((_I4, _I4), (_F8, _I8), (_I8, _I8), (_F4, _I4))  # a number type, integers of its size
_typed_distances = compiled(signatures=[_distance_types(*pair) for pair in _PAIRS])
_distance_index_compiled = _typed_distances(_distance_index)


def distance_index(
    dist: np.ndarray,
    vertex: np.ndarray,
    first: np.ndarray,
    cursor: float,
    unit: float,
    unreached: np.generic,
    out: np.ndarray,
) -> float:
    """Call the kernel of the type of `dist`; `unreached` : what distances are below."""
    ends = np.full(1, unreached, dist.dtype)
    top: float = _distance_index_compiled(
        dist, vertex, first, cursor, unit, ends, bits_of(ends), out
    )
    return top


@_typed(
    _read(_I4), _read(types.uint8), _read(types.uint8), _read(types.uint32), _write(types.uint32)
)
def paint(pixel, cover, index, table, out):
    """Write the colour table[cover * 256 + index] into each inked pixel of `out`."""
    for place in range(len(pixel)):
        colour = np.uint32(cover[place]) * np.uint32(256) + index[place]
        out[np.uint32(pixel[place])] = table[colour]


@_typed(
    _read(_I4),
    _read(types.uint8),
    _read(types.uint8),
    _read(_I8),
    _F8,
    _read(types.uint32),
    _write(types.uint32),
)
def paint_until(pixel, cover, level, when, cursor, table, out):
    """Paint level[k] where when[k] is a time up to the cursor, ns, and 0 elsewhere."""
    until = np.int64(min(cursor, 9.0e18))
    for place in range(len(pixel)):
        shown = np.uint32(when[place] <= until) * np.uint32(level[place])
        colour = np.uint32(cover[place]) * np.uint32(256) + shown
        out[np.uint32(pixel[place])] = table[colour]


READY = True
