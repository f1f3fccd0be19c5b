"""A matrix of distances as a picture of any size: no Qt, NumPy on the calling thread.

A pixel is a block of `row_step` x `column_step` entries, all of them read: it holds the mean of the
reached ones and the number of unreached ones. In a small matrix a block is one entry. The picture
is filled in stripes of about `STRIPE` entries: the caller can show the stripes that are there, and
stops by asking for no more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpu.record.trace import reached_mask
from viewer.raster.raster import LEVELS

STRIPE = 1 << 22  # entries looked at in one piece: some 20 ms
PART = 1 << 18  # entries looked at together: they stay in the cache
SUMS = {"i4": np.int64, "i8": np.float64, "f4": np.float64, "f8": np.float64}  # to add up in


@dataclass(frozen=True)
class Window:
    """The part of a matrix that is shown, in entries; rows and columns at least 1."""

    first_row: int
    rows: int
    first_column: int
    columns: int

    def zoomed(self, factor: float, row: float, column: float, whole: Window) -> Window:
        """Return `factor` times as many entries each way; `row`, `column` stay where they are."""
        rows = _clamped(round(self.rows * factor), 1, whole.rows)
        columns = _clamped(round(self.columns * factor), 1, whole.columns)
        share = (row - self.first_row) / self.rows, (column - self.first_column) / self.columns
        first_row, first_column = row - share[0] * rows, column - share[1] * columns
        return Window(round(first_row), rows, round(first_column), columns).inside(whole)

    def moved(self, rows: int, columns: int, whole: Window) -> Window:
        """Return the window further down and to the right, as far as the matrix goes."""
        first = self.first_row + rows, self.first_column + columns
        return Window(first[0], self.rows, first[1], self.columns).inside(whole)

    def inside(self, whole: Window) -> Window:
        """Return the window moved so that all of it is in the matrix."""
        return Window(
            _clamped(self.first_row, 0, whole.rows - self.rows),
            self.rows,
            _clamped(self.first_column, 0, whole.columns - self.columns),
            self.columns,
        )


@dataclass(frozen=True)
class Grid:
    """How a window is cut into pixels: entries to a pixel, each way."""

    window: Window
    row_step: int
    column_step: int

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of the picture."""
        return -(-self.window.rows // self.row_step), -(-self.window.columns // self.column_step)

    @property
    def entries(self) -> int:
        """How many entries the picture is of."""
        return self.window.rows * self.window.columns

    @property
    def rows_at_once(self) -> int:
        """How many pixel rows are one stripe."""
        return max(1, STRIPE // (self.row_step * self.window.columns))


def grid_of(window: Window, height: int, width: int) -> Grid:
    """Return the finest grid of a window with at most height x width pixels."""
    return Grid(window, -(-window.rows // max(height, 1)), -(-window.columns // max(width, 1)))


@dataclass(frozen=True, eq=False)
class Stripe:
    """Pixel rows from `first` on: float32 (k, width), NaN where nothing is reached.

    unreached : int64 (k, width), entries of each pixel; top : the largest distance met
    """

    first: int
    mean: np.ndarray
    unreached: np.ndarray
    top: float


def look(dist: np.ndarray, grid: Grid, first: int, last: int) -> Stripe:
    """Look at the entries of pixel rows [first, last) of a matrix (k, n) of a number type."""
    width = grid.shape[1]
    mean = np.full((last - first, width), np.nan, np.float32)
    unreached = np.zeros((last - first, width), np.int64)
    top = 0.0
    for place in range(last - first):
        total, count, high = _pixel_row(dist, grid, first + place)
        reached = count > 0
        mean[place, reached] = total[reached] / count[reached]
        unreached[place] = _entries(grid, first + place) - count
        top = max(top, high)
    return Stripe(first, mean, unreached, top)


def _pixel_row(
    dist: np.ndarray, grid: Grid, pixel_row: int
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return sum and count of the reached entries in each pixel of a row, and the largest."""
    window, step = grid.window, grid.row_step
    begin = window.first_row + pixel_row * step
    end = min(begin + step, window.first_row + window.rows)
    columns = slice(window.first_column, window.first_column + window.columns)
    total, count = np.zeros(window.columns), np.zeros(window.columns, np.int64)
    high = 0.0
    at_once = max(1, PART // window.columns)
    for row in range(begin, end, at_once):
        block = dist[row : min(row + at_once, end), columns]
        largest = block.max()
        if not reached_mask(np.atleast_1d(largest))[0]:  # else all are reached: no mask needed
            reached = reached_mask(block)
            block = np.where(reached, block, 0)
            count -= np.sum(~reached, axis=0, dtype=np.int32)
            largest = block.max()
        count += len(block)
        total += np.add.reduce(block, axis=0, dtype=SUMS[block.dtype.str[1:]])
        high = max(high, float(largest))
    if grid.column_step > 1:
        starts = np.arange(0, window.columns, grid.column_step)
        total, count = np.add.reduceat(total, starts), np.add.reduceat(count, starts)
    return total, count, high


def _entries(grid: Grid, pixel_row: int) -> np.ndarray:
    """Return int64 (width,): how many entries each pixel of a row has."""
    window, width = grid.window, grid.shape[1]
    rows = min(grid.row_step, window.rows - pixel_row * grid.row_step)
    wide = np.full(width, grid.column_step, np.int64)
    wide[-1] = window.columns - (width - 1) * grid.column_step
    return wide * rows


def colour_index(values: np.ndarray, top: float) -> np.ndarray:
    """Return uint8 of the same shape: 0 where NaN, else 1 to 255 along a colour map up to `top`."""
    reached = np.isfinite(values)
    share = np.clip(np.where(reached, values, 0.0) / max(top, 1e-30), 0.0, 1.0)
    index: np.ndarray = np.where(reached, 1 + np.rint(LEVELS * share), 0).astype(np.uint8)
    return index


def packed_pixels(index: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Return uint32 0xffRRGGBB of the same shape; table : uint8 (256, 3)."""
    red, green, blue = table.astype(np.uint32).T
    pixels: np.ndarray = (np.uint32(0xFF000000) | red << 16 | green << 8 | blue)[index]
    return pixels


def _clamped(value: int, low: int, high: int) -> int:
    return max(low, min(value, max(high, low)))
