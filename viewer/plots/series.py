"""Columns of a growing trace, ready to draw: appending is cheap, a window is cheap.

A plot is a few hundred to a few thousand pixels wide, a trace up to a million samples
long. Each class here takes samples in batches, in order of time, and answers a window
[first_ns, last_ns] with about one entry per pixel column:

    TimeSeries     a value that jitters: least, greatest and mean of each column
    StepSeries     a value that rarely changes: its steps, nothing between them
    CounterSeries  a total that only grows: itself, or its rate
    HeatSeries     a column of bucket sizes: the greatest per row, as a table index

Least and greatest come from trees of pairs, so a window costs O(columns x log n). Columns follow
time, not the sample number. No Qt here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

FIRST_CAPACITY = 1024
MOST_STEPS = 4096  # changes that a staircase draws
HEAT_LEVELS = 256  # table indices; 0 is "empty"
HEAT_TOP = 31.0  # log2 of the largest count that a table index can stand for


class Growing:
    """An array that grows at the end; `view()` is its filled part, without a copy."""

    def __init__(self, dtype: np.dtype | type, row: tuple[int, ...] = ()) -> None:
        self._store = np.empty((FIRST_CAPACITY, *row), dtype)
        self.size = 0

    def extend(self, values: np.ndarray) -> None:
        """Append rows, doubling the store when it is full."""
        end = self.size + len(values)
        if end > len(self._store):
            grown = np.empty((max(2 * len(self._store), end), *self._store.shape[1:]), self.dtype)
            grown[: self.size] = self.view()
            self._store = grown
        self._store[self.size : end] = values
        self.size = end

    def view(self) -> np.ndarray:
        """Return the filled part; valid until the next `extend`, never resized in place."""
        return self._store[: self.size]

    @property
    def dtype(self) -> np.dtype:
        """Type of one value."""
        return self._store.dtype


class ExtremeTree:
    """Least or greatest (np.minimum, np.maximum) of many ranges of a growing array at once.

    Level k holds the extreme of every 2^k consecutive entries; `grow` follows each extension.
    """

    def __init__(self, operation: np.ufunc, base: Growing) -> None:
        self._operation = operation
        self._base = base
        self._levels: list[Growing] = []

    def grow(self) -> None:
        """Add the pairs that the base has completed since the last call."""
        below, level = self._base, 0
        while below.size >= 2:
            if level == len(self._levels):
                self._levels.append(Growing(below.dtype, below.view().shape[1:]))
            here = self._levels[level]
            fresh = below.view()[2 * here.size : 2 * (below.size // 2)]
            if len(fresh):
                here.extend(self._operation(fresh[0::2], fresh[1::2]))
            below, level = here, level + 1

    def query(self, starts: np.ndarray, stops: np.ndarray) -> np.ndarray:
        """Return the extreme of each [start, stop), stop > start: shape (len(starts), ...)."""
        low, high = starts.copy(), stops.copy()
        extremes = self._base.view()[low]
        for array in (self._base, *self._levels):
            if not (low < high).any():
                break
            values = array.view()
            self._take(extremes, values, low, (low < high) & (low & 1 == 1))
            low += low & 1
            self._take(extremes, values, high - 1, (low < high) & (high & 1 == 1))
            low, high = low >> 1, high >> 1
        return extremes

    def _take(
        self, extremes: np.ndarray, values: np.ndarray, at: np.ndarray, chosen: np.ndarray
    ) -> None:
        rows = np.flatnonzero(chosen)
        if len(rows):
            extremes[rows] = self._operation(extremes[rows], values[at[rows]])


@dataclass(frozen=True)
class Window:
    """What to draw of one series: float64, contiguous, all of one length.

    x : ns; mean, low, high : of the samples of each column
    exact : every sample is here by itself, so low, high and mean are the same array
    """

    x: np.ndarray
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    exact: bool


class _Series:
    """Times and values that grow together."""

    def __init__(self) -> None:
        self._times = Growing(np.float64)
        self._values = Growing(np.float64)

    def __len__(self) -> int:
        return self._times.size

    @property
    def times(self) -> np.ndarray:
        """When, float64 ns (k,); valid until the next `append`."""
        return self._times.view()

    @property
    def values(self) -> np.ndarray:
        """What, float64 (k,)."""
        return self._values.view()

    def value_at(self, time_ns: float) -> float:
        """Return the value of the last sample at or before a time, NaN before the first."""
        place = int(np.searchsorted(self.times, time_ns, side="right")) - 1
        return float(self.values[place]) if place >= 0 else float("nan")


class TimeSeries(_Series):
    """A value over time, as least, greatest and mean of each column."""

    def __init__(self) -> None:
        super().__init__()
        self._sums = Growing(np.float64)  # of the values before this one
        self._least = ExtremeTree(np.minimum, self._values)
        self._greatest = ExtremeTree(np.maximum, self._values)

    def append(self, times: np.ndarray, values: np.ndarray) -> None:
        """Add k samples, times in ns and never falling."""
        values = np.asarray(values, np.float64)
        before = float(self._sums.view()[-1] + self._values.view()[-1]) if len(self) else 0.0
        sums = np.cumsum(values)
        self._sums.extend(before + np.concatenate(([0.0], sums[:-1]))[: len(values)])
        self._times.extend(times)
        self._values.extend(values)
        self._least.grow()
        self._greatest.grow()

    def window(self, first_ns: float, last_ns: float, columns: int) -> Window:
        """Return the samples of a window, or, of more than `columns`, columns of equal time."""
        times, values = self._times.view(), self._values.view()
        first, last = window_range(times, first_ns, last_ns)
        if last - first <= columns:
            shown = values[first:last]
            return Window(times[first:last], shown, shown, shown, True)
        starts, stops = column_ranges(times, first, last, columns)
        sums = self._sums.view()
        totals = sums[stops - 1] + values[stops - 1] - sums[starts]
        return Window(
            times[starts],
            totals / (stops - starts),
            self._least.query(starts, stops),
            self._greatest.query(starts, stops),
            False,
        )


class StepSeries(_Series):
    """A value that holds until it changes; only the changes are kept, the first sample is one."""

    def append(self, times: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Add k samples; return the indices, within the batch, where the value changed."""
        values = np.asarray(values, np.float64)
        if not len(values):
            return np.zeros(0, np.int64)
        before = np.concatenate(([self._values.view()[-1] if len(self) else np.nan], values[:-1]))
        changed = np.flatnonzero(values != before)  # NaN differs from all: the first is kept
        self._times.extend(times[changed])
        self._values.extend(values[changed])
        return changed

    def window(
        self, first_ns: float, last_ns: float, most: int = MOST_STEPS
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return corners (x, y) of the staircase over the window, of at most `most` changes."""
        chosen = changes_within(self.times, first_ns, last_ns, most)
        return staircase(self.times[chosen], self.values[chosen], last_ns)


class CounterSeries(_Series):
    """A total since the start of the run, and the rate at which it grows."""

    def append(self, times: np.ndarray, totals: np.ndarray) -> None:
        """Add k samples, neither column falling."""
        self._times.extend(times)
        self._values.extend(totals)

    def totals(
        self, first_ns: float, last_ns: float, columns: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return (x, total), the last sample of each column; nothing is lost by that."""
        times, totals = self._times.view(), self._values.view()
        first, last = window_range(times, first_ns, last_ns)
        if last - first <= 2 * columns:
            return times[first:last], totals[first:last]
        _, stops = column_ranges(times, first, last, columns)
        kept = np.concatenate(([first], stops - 1))
        return times[kept], totals[kept]

    def rate(self, first_ns: float, last_ns: float, columns: int) -> tuple[np.ndarray, np.ndarray]:
        """Return (x, growth per second) of columns of equal time, steady between samples."""
        times, totals = self._times.view(), self._values.view()
        if len(times) < 2:
            return np.zeros(0), np.zeros(0)
        first_ns, last_ns = max(first_ns, times[0]), min(last_ns, times[-1])
        if last_ns <= first_ns:
            return np.zeros(0), np.zeros(0)
        first, last = window_range(times, first_ns, last_ns)
        edges = np.linspace(first_ns, last_ns, columns + 1)
        if last - first <= columns:
            inside = times[first:last]
            edges = np.unique(np.clip(inside, first_ns, last_ns))
        grown = np.diff(np.interp(edges, times, totals))
        x = np.repeat(edges, 2)[1:-1]
        return x, np.repeat(1e9 * grown / np.diff(edges), 2)


class HeatSeries:
    """Bucket sizes over time as table indices; `rows` buckets, head first."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.peak = 0  # greatest count so far
        self.used = 0  # rows up to the last one that ever held anything
        self._times = Growing(np.float64)
        self._cells = Growing(np.uint8, (rows,))
        self._greatest = ExtremeTree(np.maximum, self._cells)

    def __len__(self) -> int:
        return self._times.size

    def append(self, times: np.ndarray, counts: np.ndarray) -> None:
        """Add k samples; counts (k, rows), integers >= 0."""
        if not len(times):
            return
        self.peak = max(self.peak, int(counts.max()))
        held = np.flatnonzero(counts.any(axis=0))
        self.used = max(self.used, int(held[-1]) + 1 if len(held) else 0)
        self._times.extend(times)
        self._cells.extend(heat_index(counts))
        self._greatest.grow()

    def image(self, first_ns: float, last_ns: float, columns: int) -> np.ndarray:
        """Return uint8 (rows, columns): the greatest in each column of equal time.

        A column without a sample shows the sample before it; outside the run it is 0.
        """
        times = self._times.view()
        picture = np.zeros((columns, self.rows), np.uint8)
        if not len(times) or last_ns <= first_ns:
            return picture.T
        edges = np.linspace(first_ns, last_ns, columns + 1)
        places = np.searchsorted(times, edges, side="left")
        starts, stops = places[:-1], places[1:]
        starts = np.where(stops > starts, starts, starts - 1)
        shown = np.flatnonzero((starts >= 0) & (edges[:-1] <= times[-1]) & (starts < len(times)))
        stops = np.maximum(stops, starts + 1)
        if len(shown):
            picture[shown] = self._greatest.query(starts[shown], stops[shown])
        return np.ascontiguousarray(picture.T)


def heat_index(counts: np.ndarray) -> np.ndarray:
    """Return uint8 of the same shape: 0 for none, else 1..255 by the logarithm of the count."""
    top = HEAT_LEVELS - 2
    logarithm = np.log2(np.maximum(counts, 1).astype(np.float32))
    index = 1 + np.minimum(logarithm * (top / HEAT_TOP), top)
    return np.where(counts > 0, index, 0).astype(np.uint8)


def joint_steps(
    low: StepSeries, high: StepSeries, first_ns: float, last_ns: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (x, low, high): two staircases over one window, with corners in common."""
    times = np.union1d(low.times, high.times)
    times = times[changes_within(times, first_ns, last_ns, MOST_STEPS)]
    if not len(times):
        return np.zeros(0), np.zeros(0), np.zeros(0)
    lows = low.values[np.searchsorted(low.times, times, side="right") - 1]
    highs = high.values[np.searchsorted(high.times, times, side="right") - 1]
    x, lows = staircase(times, lows, last_ns)
    return x, lows, np.repeat(highs, 2)


def staircase(
    times: np.ndarray, values: np.ndarray, last_ns: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners of a value that holds from each time to the next, then to the end."""
    if not len(times):
        return np.zeros(0), np.zeros(0)
    x = np.append(times, max(last_ns, times[-1]))
    return np.repeat(x, 2)[1:-1], np.repeat(values, 2)


def changes_within(times: np.ndarray, first_ns: float, last_ns: float, most: int) -> np.ndarray:
    """Return indices of the change in force at `first_ns` and of those up to `last_ns`."""
    first = max(int(np.searchsorted(times, first_ns, side="right")) - 1, 0)
    last = int(np.searchsorted(times, last_ns, side="right"))
    if last <= first:
        return np.zeros(0, np.int64)
    return np.linspace(first, last - 1, min(last - first, most)).round().astype(np.int64)


def window_range(times: np.ndarray, first_ns: float, last_ns: float) -> tuple[int, int]:
    """Return [first, last) of the samples in a window and one more on each side."""
    first = max(int(np.searchsorted(times, first_ns, side="left")) - 1, 0)
    last = min(int(np.searchsorted(times, last_ns, side="right")) + 1, len(times))
    return first, max(first, last)


def column_ranges(
    times: np.ndarray, first: int, last: int, columns: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return (starts, stops) of samples [first, last) in columns of equal time, none empty."""
    edges = np.linspace(times[first], times[last - 1], columns + 1)[1:-1]
    inner = first + np.searchsorted(times[first:last], edges, side="right")
    bounds = np.unique(np.concatenate(([first], inner, [last])))
    return bounds[:-1], bounds[1:]
