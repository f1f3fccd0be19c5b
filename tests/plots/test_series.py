"""Pyramids against brute force, and what a window promises."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from viewer.plots.series import CounterSeries, HeatSeries, StepSeries, TimeSeries, heat_index

LENGTHS = st.lists(st.integers(0, 40), min_size=1, max_size=12)  # sizes of the batches


def growing_times(random: np.random.Generator, count: int) -> np.ndarray:
    """Times that never fall, uneven, some equal."""
    return np.cumsum(random.integers(0, 50, count) * random.integers(1, 100, count)).astype(float)


def batches(sizes: list[int]) -> list[slice]:
    ends = np.cumsum(sizes)
    return [slice(int(end - size), int(end)) for end, size in zip(ends, sizes, strict=True)]


@given(LENGTHS, st.integers(0, 2**32 - 1), st.integers(1, 30))
def test_window_covers_every_sample_once(sizes: list[int], seed: int, columns: int) -> None:
    random = np.random.default_rng(seed)
    count = sum(sizes)
    times, values = growing_times(random, count), random.normal(size=count)
    series = TimeSeries()
    for part in batches(sizes):
        series.append(times[part], values[part])
    if not count:
        assert len(series.window(0, 1, columns).x) == 0
        return
    first, last = sorted(random.uniform(-10, times[-1] + 10, 2))
    window = series.window(first, last, columns)
    low = max(int(np.searchsorted(times, first)) - 1, 0)
    high = min(int(np.searchsorted(times, last, side="right")) + 1, count)
    inside = values[low : max(low, high)]
    if window.exact:
        assert window.mean.tolist() == inside.tolist()
        return
    assert len(window.x) <= columns
    assert window.low.min() == inside.min()
    assert window.high.max() == inside.max()
    assert (window.low <= window.mean + 1e-9).all()
    assert (window.mean <= window.high + 1e-9).all()
    assert (np.diff(window.x) >= 0).all()
    assert window.x.flags.c_contiguous
    bounds = np.searchsorted(times, window.x, side="left")
    for place in range(len(window.x) - 1):  # each column is the samples up to the next
        if bounds[place] < bounds[place + 1]:
            part = values[max(bounds[place], low) : bounds[place + 1]]
            assert window.high[place] <= part.max() or window.x[place] == window.x[place + 1]


@given(LENGTHS, st.integers(0, 2**32 - 1))
def test_steps_keep_changes_only(sizes: list[int], seed: int) -> None:
    random = np.random.default_rng(seed)
    count = sum(sizes)
    times, values = growing_times(random, count), random.integers(0, 3, count).astype(float)
    series, changed = StepSeries(), []
    for part in batches(sizes):
        changed += (part.start + series.append(times[part], values[part])).tolist()
    expected = [i for i in range(count) if i == 0 or values[i] != values[i - 1]]
    assert changed == expected
    assert series.values.tolist() == values[expected].tolist()
    if count:
        x, y = series.window(times[0] - 1, times[-1] + 1)
        assert (x[-1], y[-1]) == (times[-1] + 1, values[-1])
        assert len(x) == len(y) == 2 * len(expected)


@pytest.mark.parametrize("count", [3, 50, 5000])
def test_rate_adds_up_to_the_total(count: int) -> None:
    random = np.random.default_rng(4)
    times = np.cumsum(random.uniform(1, 100, count))
    totals = np.cumsum(random.integers(0, 50, count))
    series = CounterSeries()
    series.append(times, totals)
    x, rate = series.rate(0, times[-1] + 99, 40)
    area = (np.diff(x)[::2] * rate[::2]).sum() / 1e9
    assert area == pytest.approx(totals[-1] - totals[0])
    assert len(x) <= 2 * 41
    assert series.value_at(times[1]) == totals[1]


@given(LENGTHS, st.integers(0, 2**32 - 1), st.integers(1, 20))
def test_heat_image_equals_brute_force(sizes: list[int], seed: int, columns: int) -> None:
    random = np.random.default_rng(seed)
    count = sum(sizes)
    times = growing_times(random, count)
    counts = random.integers(0, 2**31, (count, 4)) >> random.integers(0, 31, (count, 4))
    series = HeatSeries(4)
    for part in batches(sizes):
        series.append(times[part], counts[part])
    end = times[-1] + 1 if count else 10.0
    picture = series.image(0.0, end, columns)
    assert picture.shape == (4, columns)
    assert series.peak == (counts.max() if count else 0)
    edges = np.linspace(0.0, end, columns + 1)
    cells = heat_index(counts)
    for column in range(columns):
        first, last = np.searchsorted(times, edges[column : column + 2])
        first = first if last > first else first - 1
        expected = np.zeros(4, np.uint8)
        if first >= 0 and count and edges[column] <= times[-1]:
            expected = cells[first : max(last, first + 1)].max(axis=0)
        assert picture[:, column].tolist() == expected.tolist()
