"""Columns of a growing trace, ready to draw: appending is cheap, a window is cheap.

A plot is a few hundred to a few thousand pixels wide, a trace up to a million samples
long. Each class here takes samples in batches, in order of time, and answers a window
[first_ns, last_ns] with about one entry per pixel column:

    TimeSeries     a value that jitters: least, greatest and mean of each column
    StepSeries     a value that rarely changes: its steps, nothing between them
    CounterSeries  a total that only grows: its rate
    HeatSeries     a column of bucket sizes: the greatest per row, as a table index

Columns follow time, not the sample number. A window of a million samples takes 2 ms. No Qt here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

FIRST_CAPACITY = 1024
ROUNDED = 1e-7  # of a value: a change that is none
MOST_STEPS = 4096  # changes that a staircase draws
HEAT_LEVELS = 256  # table indices; 0 is "empty"
HEAT_TOP = 31.0  # log2 of the largest count that a table index can stand for


class Growing:
    """An array that grows at the end; `view()` is its filled part, without a copy.

    rows : where given, the array is (rows, size), each row in one piece of memory
    """

    def __init__(self, dtype: np.dtype | type, rows: int | None = None) -> None:
        shape = (FIRST_CAPACITY,) if rows is None else (rows, FIRST_CAPACITY)
        self._store = np.empty(shape, dtype)
        self.size = 0

    def extend(self, values: np.ndarray) -> None:
        """Append along the last axis, doubling the store when it is full."""
        end = self.size + values.shape[-1]
        capacity = self._store.shape[-1]
        if end > capacity:
            shape = (*self._store.shape[:-1], max(2 * capacity, end))
            grown = np.empty(shape, self._store.dtype)
            grown[..., : self.size] = self.view()
            self._store = grown
        self._store[..., self.size : end] = values
        self.size = end

    def view(self) -> np.ndarray:
        """Return the filled part; valid until the next `extend`, never resized in place."""
        return self._store[..., : self.size]


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

    def _extend(self, times: np.ndarray, values: np.ndarray) -> None:
        self._times.extend(times)
        self._values.extend(values)


class TimeSeries(_Series):
    """A value over time, as least, greatest and mean of each column."""

    def append(self, times: np.ndarray, values: np.ndarray) -> None:
        """Add k samples, times in ns and never falling."""
        self._extend(times, values)

    def window(self, first_ns: float, last_ns: float, columns: int) -> Window:
        """Return the samples of a window, or, of more than `columns`, columns of equal time."""
        times, values = self.times, self.values
        first, last = window_range(times, first_ns, last_ns)
        if last - first <= columns:
            shown = values[first:last]
            return Window(times[first:last], shown, shown, shown, True)
        starts = column_starts(times, first, last, columns)
        inside, places = values[first:last], starts - first
        mean = np.add.reduceat(inside, places) / np.diff(np.append(starts, last))
        low, high = np.minimum.reduceat(inside, places), np.maximum.reduceat(inside, places)
        return Window(times[starts], mean, low, high, False)


class StepSeries(_Series):
    """A value that holds until it changes; only the changes are kept, the first sample is one."""

    def append(self, times: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Add k samples; return the indices, within the batch, where the value changed."""
        values = np.asarray(values, np.float64)
        if not len(values):
            return np.zeros(0, np.int64)
        before = np.concatenate(([self.values[-1] if len(self) else np.nan], values[:-1]))
        # NaN differs from all: the first is kept; what a GPU rounded otherwise is no change
        changed = np.flatnonzero(~np.isclose(values, before, rtol=ROUNDED, atol=0))
        self._extend(times[changed], values[changed])
        return changed

    def window(
        self, first_ns: float, last_ns: float, most: int = MOST_STEPS
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return corners (x, y) of the staircase over the window, of at most `most` changes."""
        chosen = changes_within(self.times, first_ns, last_ns, most)
        return staircase(self.times[chosen], self.values[chosen], last_ns)


class CounterSeries(TimeSeries):
    """A total since the start of the run, which never falls, and the rate at which it grows."""

    def rate(self, first_ns: float, last_ns: float, columns: int) -> tuple[np.ndarray, np.ndarray]:
        """Return (x, growth per second) of columns of equal time, steady between samples."""
        times, totals = self.times, self.values
        if len(times):
            first_ns, last_ns = max(first_ns, times[0]), min(last_ns, times[-1])
        if len(times) < 2 or last_ns <= first_ns:
            return np.zeros(0), np.zeros(0)
        first, last = window_range(times, first_ns, last_ns)
        edges = np.linspace(first_ns, last_ns, columns + 1)
        if last - first <= columns:
            edges = np.unique(np.clip(times[first:last], first_ns, last_ns))
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
        self._cells = Growing(np.uint8, rows)

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
        self._cells.extend(heat_index(counts).T)

    def image(self, first_ns: float, last_ns: float, columns: int) -> np.ndarray:
        """Return uint8 (rows, columns): the greatest in each column of equal time.

        A column without a sample shows the sample before it; outside the run it is 0.
        """
        times, cells = self._times.view(), self._cells.view()
        picture = np.zeros((self.rows, columns), np.uint8)
        if not len(times) or last_ns <= first_ns:
            return picture
        edges = np.linspace(first_ns, last_ns, columns + 1)
        places = np.searchsorted(times, edges, side="left")
        starts, stops = places[:-1], places[1:]
        full = np.flatnonzero(stops > starts)
        if len(full):
            inside = cells[:, : stops[full[-1]]]
            picture[:, full] = np.maximum.reduceat(inside, starts[full], axis=1)
        held = np.flatnonzero((stops == starts) & (starts > 0) & (edges[:-1] <= times[-1]))
        picture[:, held] = cells[:, starts[held] - 1]
        return picture


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


def column_starts(times: np.ndarray, first: int, last: int, columns: int) -> np.ndarray:
    """Return where the columns of equal time of samples [first, last) begin, none empty."""
    edges = np.linspace(times[first], times[last - 1], columns + 1)[1:-1]
    inner = first + np.searchsorted(times[first:last], edges, side="right")
    starts = np.unique(np.concatenate(([first], inner)))
    return starts[starts < last]
