"""One or two runs between two moments.

Counters are read from the last sample at or before each moment. Values that hold until the next
sample (work at once, Δ) are averaged over time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu.study.compare import Side, column
from gpu.words import (
    NO_VALUE,
    brief_time,
    mean as mean_words,
    ratio_words,
    short,
    thousands,
    time_words,
)

COUNTERS = ("processed_vertices", "relaxed_edges")


@dataclass(frozen=True)
class Interval:
    """One run between two moments of its own clock; None where that is not known.

    processed, relaxed : vertices and arcs, counted ; settled : vertices, at probe level 2
    parallelism : edges in hand, mean over time
    delta, last_delta : weight units, mean over time and at the end of it
    """

    time_ns: float
    clock: str
    processed: int
    relaxed: int
    parallelism: float | None
    delta: float | None
    last_delta: float | None
    settled: int | None


@dataclass(frozen=True)
class Quantity:
    """A column of the table: its title, its term in the glossary, and how a value is written."""

    key: str
    title: str
    term: str
    written: Callable[[Any], str]


QUANTITIES = (
    Quantity("time_ns", "Δt", "interval", time_words),
    Quantity("processed", "processed", "processed", thousands),
    Quantity("relaxed", "relaxed", "relaxed", thousands),
    Quantity("settled", "settled", "settled", thousands),
    Quantity("parallelism", "mean work", "assigned", short),
    Quantity("delta", "mean Δ", "delta", mean_words),
    Quantity("last_delta", "last Δ", "delta", mean_words),
)


def interval(side: Side, first_ns: float, last_ns: float) -> Interval:
    """Return the interval between two moments of a run's clock, first_ns <= last_ns."""
    samples = side.samples
    ends = np.array([first_ns, last_ns])
    processed, relaxed = (np.diff(np.nan_to_num(column(samples, name, ends))) for name in COUNTERS)
    inside = min(last_ns, side.time_ns)
    bucketed = side.algorithm.bucketed and len(samples) > 0 and inside >= first_ns
    return Interval(
        last_ns - first_ns,
        side.clock,
        int(processed[0]),
        int(relaxed[0]),
        _mean(side, "assigned_edges", first_ns, last_ns),
        _mean(side, "delta", first_ns, inside) if bucketed else None,
        float(column(samples, "delta", np.array([inside]))[0]) if bucketed else None,
        _settled(side, first_ns, last_ns),
    )


def table(a: Interval, b: Interval | None = None) -> list[tuple[str, tuple[str, ...]]]:
    """Return rows (name, a value for each of QUANTITIES) in words; of two runs also B / A."""
    mine = [getattr(a, one.key) for one in QUANTITIES]
    if b is None:
        return [("", _row(mine))]
    other = [getattr(b, one.key) for one in QUANTITIES]
    like = mine if a.clock == b.clock else [None, *mine[1:]]  # unlike times have no ratio
    return [("A", _row(mine)), ("B", _row(other)), ("B / A", tuple(map(_ratio, like, other)))]


def words(a: Interval, b: Interval | None = None) -> str:
    """Return an interval as a sentence."""
    rows = table(a, b)[: 1 if b is None else 2]
    parts = [f"{brief_time(a.time_ns)} {a.clock}" if b is None else brief_time(a.time_ns)]
    for place, one in enumerate(QUANTITIES[1:], 1):
        values = [f"{name} {row[place]}".strip() for name, row in rows]
        if any(row[place] != NO_VALUE for _, row in rows):
            parts.append(f"{one.title} {', '.join(values)}")
    return "; ".join(parts)


def _row(values: list[Any]) -> tuple[str, ...]:
    return tuple(
        NO_VALUE if value is None else one.written(value)
        for one, value in zip(QUANTITIES, values, strict=True)
    )


def _ratio(mine: Any, other: Any) -> str:
    comparable = mine is not None and other is not None and mine > 0
    return ratio_words(other / mine) if comparable else NO_VALUE


def _mean(side: Side, name: str, first_ns: float, last_ns: float) -> float | None:
    """Return the mean of a value that holds until the next sample, 0 before and after the run."""
    times = side.samples["t_ns"]
    if not len(times) or last_ns <= first_ns:
        return None
    low, high = np.searchsorted(times, [first_ns, last_ns], side="right")
    marks = np.concatenate(([first_ns], times[low:high], [last_ns]))
    values = np.nan_to_num(column(side.samples, name, marks[:-1]))
    held = np.where(marks[:-1] < side.time_ns, values, 0.0)
    return float((held * np.diff(marks)).sum() / (last_ns - first_ns))


def _settled(side: Side, first_ns: float, last_ns: float) -> int | None:
    matrix = side.dist is not None and side.dist.ndim == 2
    if side.vertices is None or matrix or side.outcome == "running":
        return None
    when = side.vertices.last_improved_ns
    return int(np.count_nonzero((when > first_ns) & (when <= last_ns)))
