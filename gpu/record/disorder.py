"""How far a run is from Dijkstra's order, by the terms of "Engineering MultiQueues" [1].

A vertex waits from the moment its distance improves until it is processed. Of each vertex that is
taken from a queue

    rank error       is the number of waiting vertices that are closer,
    distance error   is how much closer the closest of them is, weight units.

Both are 0 everywhere for Dijkstra. They are exact at probe level 3, from the events: vertices that
a device takes at once are taken one after the other there, in the order of the events. Levels 1
and 2 have the distance error alone, and only against the base of the lowest bucket in which
something waits, so it is mostly too large, by up to a bucket. Where a pile has no lower end
(Bellman-Ford, Asynchronous Near-Far) the closest of the superstep stands for the base; on a GPU
these two are not measured below level 3. All pairs are not measured.

[1] Williams, Sanders: Engineering MultiQueues, arXiv 2504.11652
"""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from gpu.record.events import EventKind


@dataclass(frozen=True)
class OrderErrors:
    """Exact errors of the vertices taken, in their order, arrays of shape (k,)."""

    t_ns: np.ndarray  # int64
    rank: np.ndarray  # int64, waiting vertices that were closer
    distance: np.ndarray  # float64, how much closer the closest was, weight units


class Ordered(Protocol):
    """What has an order: a trace, or one side of a comparison."""

    @property
    def samples(self) -> np.ndarray:
        """SAMPLE (k,)."""

    @property
    def errors(self) -> OrderErrors | None:
        """The exact errors, None below probe level 3."""


def errors_of(events: np.ndarray, source: int) -> OrderErrors:
    """Return the errors of a run from one source; events : EVENT (e,)."""
    kinds = events["kind"]
    events = events[(kinds == EventKind.IMPROVE) | (kinds == EventKind.POP)]
    is_pop = events["kind"] == EventKind.POP
    waits: dict[int, float] = {source: 0.0}  # vertex: its distance
    order = [0.0]  # the same distances, rising
    rank, distance = [], []
    rows = (is_pop.tolist(), events["a"].tolist(), events["c"].tolist())
    for taken, vertex, dist in zip(*rows, strict=True):
        before = waits.pop(vertex, None)
        if before is not None:
            del order[bisect_left(order, before)]
        if not taken:
            waits[vertex] = dist
            insort(order, dist)
            continue
        closer = bisect_left(order, dist)
        rank.append(closer)
        distance.append(dist - order[0] if closer else 0.0)
    return OrderErrors(events["t_ns"][is_pop], np.array(rank, np.int64), np.array(distance, float))


def totals(run: Ordered) -> tuple[np.ndarray, np.ndarray]:
    """Return of each sample the distance errors so far, added up, and of how many vertices."""
    samples = run.samples
    if run.errors is None:
        return samples["distance_error"], samples["error_vertices"]
    count = np.searchsorted(run.errors.t_ns, samples["t_ns"], side="right")
    return np.append(0.0, np.cumsum(run.errors.distance))[count], count


def distance_error(run: Ordered) -> float | None:
    """Return the mean distance error of a processed vertex, weight units; None: not measured."""
    total, count = totals(run)
    return float(total[-1] / count[-1]) if len(count) and count[-1] else None


def rank_error(run: Ordered) -> float | None:
    """Return the mean rank error of a processed vertex, vertices; None below probe level 3."""
    return None if run.errors is None or not len(run.errors.rank) else run.errors.rank.mean().item()


def error_in_deltas(run: Ordered) -> float | None:
    """Return the mean distance error in units of the Δ in force; None where there is none."""
    total, count = totals(run)
    delta = run.samples["delta"][1:]
    if not len(delta) or not count[-1] or not (delta > 0).all():
        return None
    return float((np.diff(total) / delta).sum() / count[-1])


def as_json(run: Ordered) -> dict[str, Any] | None:
    """Return the errors as JSON values, None where they were not measured."""
    error = distance_error(run)
    if error is None:
        return None
    return {
        "distance_error": error,
        "distance_error_deltas": error_in_deltas(run),
        "rank_error": rank_error(run),
        "exact": run.errors is not None,
    }
