"""Two runs on one clock: which may be compared, and how B's times are mapped to A's.

Run A keeps its own clock. Run B is laid on it in one of three ways:

    time    both started at 0: B's times as they are
    share   where B had settled as large a share of the vertices as A had
    bucket  where B's head bucket began at as large a distance as A's did

The last two are rising maps of B's times to A's, straight between two points, so everything about
B can be drawn at A's times, and one cursor moves through both. Bucket *numbers* cannot align two
runs, since their Δ differ; the lowest distance of the head bucket (`base`) can.

The share settled at a moment is exact where both runs kept per-vertex times (probe level 2): the
vertices that will not improve any more. Otherwise it is the vertices below the head bucket, by the
final distances. Of large graphs every k-th vertex is counted (`LOOKED_AT`).

Runs on different graphs are refused in words (`obstacle`). Other differences (source, device, kind
of clock, probes) become cautions in `gpu.study.compare_words`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from gpu.algorithms import Algorithm, find
from gpu.errors import GpuError
from gpu.record.trace import (
    RECORDED_ON,
    GraphReference,
    RunSettings,
    Trace,
    Verification,
    VertexProbe,
    mean_over_time,
    reached_mask,
)

Align = Literal["time", "share", "bucket"]
ALIGNMENTS: dict[Align, str] = {"time": "time", "share": "share settled", "bucket": "bucket"}
LOOKED_AT = 1 << 18  # vertices that a share is counted over
MARKS = 1 << 16  # samples of a run that its clock is laid by: finer than a screen is wide
SECOND_NS = 1e9
MOMENTS = 512  # of the shorter run, looked at to find where two runs differ most
LAST_MOMENT = 0.9  # of the shorter run: both still work then


class CompareError(GpuError):
    """Two runs that cannot be aligned; the reason in words."""


@dataclass(frozen=True)
class Side:
    """One of two runs, finished or not; its arrays are views.

    samples : SAMPLE (k,); dist : (n,) int32 or float32, final, None while it runs
    outcome : "running", "finished", "stopped" or "failed"
    """

    settings: RunSettings
    graph: GraphReference
    samples: np.ndarray
    clock: str
    outcome: str
    dist: np.ndarray | None = None
    vertices: VertexProbe | None = None
    verification: Verification | None = None
    environment: dict[str, Any] | None = None

    @classmethod
    def of(cls, trace: Trace) -> Side:
        """Return a finished trace as a side."""
        return cls(
            trace.settings,
            trace.graph,
            trace.samples,
            trace.clock,
            trace.outcome,
            trace.dist,
            trace.vertices,
            trace.verification,
            trace.environment,
        )

    @property
    def algorithm(self) -> Algorithm:
        """The registry row."""
        return find(self.settings.algorithm)

    @property
    def finished(self) -> bool:
        """Whether it ran to its end."""
        return self.outcome == "finished"

    @property
    def time_ns(self) -> float:
        """Length so far, ns on its own clock; 0 before the first sample."""
        return float(self.samples["t_ns"][-1]) if len(self.samples) else 0.0

    @property
    def processed(self) -> int:
        """Vertices processed so far: the paper's work."""
        return int(self.samples["processed_vertices"][-1]) if len(self.samples) else 0

    @property
    def counted(self) -> bool:
        """Whether it counted its work (`Trace.counted`)."""
        return not self.finished or self.processed > 0

    @cached_property
    def reached(self) -> int | None:
        """Vertices with a finite distance, None while that is not known."""
        reached = (self.environment or {}).get("reached")  # a matrix: counted by the engine
        if reached is not None or self.dist is None or self.dist.ndim == 2:
            return None if reached is None else int(reached)
        return int(np.count_nonzero(reached_mask(self.dist)))

    @cached_property
    def workers(self) -> int | None:
        """Workers of its device; None: unknown."""
        workers = (self.environment or {}).get("workers")
        if workers or self.settings.engine != "model":
            return int(workers) if workers else None
        from gpu.devices import PRESETS

        preset = PRESETS.get(self.settings.device)
        parameter = self.settings.parameters.get("workers")
        return int(parameter or preset.workers) if preset is not None else None

    @property
    def recorded_on(self) -> str:
        """The device that it was recorded on, of runs that travel with the program; else ""."""
        return str((self.environment or {}).get(RECORDED_ON, ""))

    @property
    def supersteps(self) -> int | None:
        """How many supersteps it took, each ended by a barrier; None where it has none."""
        each = self.settings.sample_period_ns == 0 and self.algorithm.in_supersteps
        return len(self.samples) - 1 if each and len(self.samples) > 1 else None

    @cached_property
    def in_hand(self) -> float | None:
        """Edges that its workers had to work on, mean over time; None below probe level 1."""
        if len(self.samples) < 2 or self.time_ns <= 0:
            return None
        return mean_over_time(self.samples, "assigned_edges")

    @cached_property
    def busy_share(self) -> float | None:
        """Share 0..1 of the workers that had work, mean over time; None where unknown.

        Each sample's number holds until the next sample, as a superstep's does. A GPU's blocks all
        take part in a superstep: of those, as many have work as its edges fill.
        """
        if self.workers is None or len(self.samples) < 2 or self.time_ns <= 0:
            return None
        lasted = np.diff(self.samples["t_ns"]).astype(np.float64)
        had_work = self.samples["busy_workers"][:-1]
        threads = (self.environment or {}).get("threads_per_worker")
        if threads and self.algorithm.in_supersteps:
            filled = np.ceil(self.samples["assigned_edges"][:-1] / float(threads))
            had_work = np.minimum(had_work, filled)
        busy = float((had_work * lasted).sum())
        return min(busy / (self.workers * float(lasted.sum())), 1.0) if lasted.sum() else None


@dataclass(frozen=True)
class ClockMap:
    """A map of B's times to A's and back: rising knots, straight lines between them.

    a_ns, b_ns : float64 (k,), k >= 2, strictly rising; beyond the ends time passes alike
    """

    a_ns: np.ndarray
    b_ns: np.ndarray

    @property
    def same(self) -> bool:
        """Whether a time of B is that time of A."""
        return bool(np.array_equal(self.a_ns, self.b_ns))

    def to_a(self, times_ns: ArrayLike) -> Any:
        """Return when, on A's clock, B's times are shown; float64 of the same shape."""
        return _bent(np.asarray(times_ns, np.float64), self.b_ns, self.a_ns)

    def to_b(self, times_ns: ArrayLike) -> Any:
        """Return which of B's times are shown at A's times; float64 of the same shape."""
        return _bent(np.asarray(times_ns, np.float64), self.a_ns, self.b_ns)


SAME_CLOCK = ClockMap(np.array([0.0, SECOND_NS]), np.array([0.0, SECOND_NS]))


@dataclass(frozen=True)
class VertexDifference:
    """Differences of two runs at each vertex, arrays of shape (n,).

    known : bool, reached by both
    later_ns : float64, when B settled it less when A did, on A's clock; 0 where not known
    more_work : int32, times processed by B less times processed by A
    settled_ns : float64, when the first of the two had settled it, on A's clock
    """

    known: np.ndarray
    later_ns: np.ndarray
    more_work: np.ndarray
    settled_ns: np.ndarray

    @property
    def counts(self) -> dict[str, int]:
        """How many vertices A settled first, B settled first, both at once."""
        later = self.later_ns[self.known]
        return {
            "a_first": int(np.count_nonzero(later > 0)),
            "b_first": int(np.count_nonzero(later < 0)),
            "together": int(np.count_nonzero(later == 0)),
        }


def obstacle(a: Side, b: Side) -> str:
    """Return why two runs cannot be compared at all, one sentence; "" where they can."""
    if a.graph.hash != b.graph.hash:
        return (
            f"B ran on another graph ({_graph_words(b.graph)}) than A ({_graph_words(a.graph)}): "
            "choose two runs of one graph"
        )
    if a.algorithm.result != b.algorithm.result:
        return (
            f"{a.algorithm.title} and {b.algorithm.title} answer different questions, one source "
            "and all pairs: choose two runs of one kind"
        )
    return ""


def align(a: Side, b: Side, how: Align) -> ClockMap:
    """Return B's clock laid upon A's; raise CompareError where that cannot be done."""
    if how == "time":
        return SAME_CLOCK
    marks = share_marks(a, b) if how == "share" else bucket_marks(a, b)
    for side, name, mark in zip((a, b), "AB", marks, strict=True):
        if len(mark[0]) < 2:
            raise CompareError(_no_marks(side, name, how))
    (a_times, a_marks), (b_times, b_marks) = marks
    top = min(a_marks[-1], b_marks[-1])
    grid = np.union1d(a_marks, b_marks)
    grid = grid[grid <= top]
    a_ns, b_ns = np.interp(grid, a_marks, a_times), np.interp(grid, b_marks, b_times)
    if a.finished and b.finished:  # the ends meet
        before = (a_ns < a.time_ns) & (b_ns < b.time_ns)
        a_ns, b_ns = np.append(a_ns[before], a.time_ns), np.append(b_ns[before], b.time_ns)
    kept = np.concatenate(([True], (np.diff(a_ns) > 0) & (np.diff(b_ns) > 0)))
    if np.count_nonzero(kept) < 2:
        raise CompareError(_no_marks(b, "B", how))
    return ClockMap(a_ns[kept], b_ns[kept])


def bucket_marks(a: Side, b: Side) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """Return (times, lowest distance of the head bucket) of A and B, strictly rising."""
    far = _farthest(a, b)
    return tuple(_rising(s, _thin(s)["base"].astype(np.float64), far) for s in (a, b))


def share_marks(a: Side, b: Side) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """Return (times, share settled 0..1) of A and B, strictly rising; see the module."""
    if _exact(a, b):
        return tuple(_rising(s, _settled_by_times(s), 1.0) for s in (a, b))
    dist = a.dist if a.dist is not None else b.dist
    if dist is None or dist.ndim != 1 or a.settings.source != b.settings.source:
        return ((_NOTHING, _NOTHING), (_NOTHING, _NOTHING))
    few = _few(dist)
    few = np.sort(few[reached_mask(few)].astype(np.float64))
    shares = (np.searchsorted(few, _thin(s)["base"]) / max(len(few), 1) for s in (a, b))
    return tuple(_rising(s, share, 1.0) for s, share in zip((a, b), shares, strict=True))


def column(samples: np.ndarray, name: str, times_ns: np.ndarray) -> np.ndarray:
    """Return a field of SAMPLE at given times, float64: the last sample at or before each.

    NaN before the first sample, and where there is none; the last value holds after the end.
    """
    if not len(samples):
        return np.full(np.shape(times_ns), np.nan)
    at = np.searchsorted(samples["t_ns"], times_ns, side="right") - 1
    values = samples[name].astype(np.float64)
    return np.where(at >= 0, values[np.maximum(at, 0)], np.nan)


def common_axis(a: Side, b: Side, clocks: ClockMap, points: int) -> tuple[np.ndarray, np.ndarray]:
    """Return (times of A, times of B), float64 (points,): one moment in both, evenly on A's."""
    end = max(a.time_ns, float(clocks.to_a(b.time_ns)))
    times = np.linspace(0.0, end, points)
    return times, np.maximum(clocks.to_b(times), 0.0)


def difference(a: Side, b: Side, clocks: ClockMap) -> VertexDifference:
    """Return what differs at each vertex; raise CompareError where that is not known."""
    for side, name in ((a, "A"), (b, "B")):
        if side.outcome == "running":
            raise CompareError(f"{name} still runs: differences are known at its end")
        if side.vertices is None:
            raise CompareError(f"{name} kept no times of vertices: run it at probe level 2")
    if a.settings.source != b.settings.source:
        raise CompareError(f"A and B start from {a.graph.source_id} and {b.graph.source_id}")
    if clocks.same and a.clock != b.clock:
        raise CompareError(f"A's time is {a.clock}, B's {b.clock}: align by share settled")
    assert a.vertices is not None
    assert b.vertices is not None
    when_a, when_b = a.vertices.last_improved_ns, b.vertices.last_improved_ns
    both = (when_a >= 0) & (when_b >= 0)
    on_a = clocks.to_a(when_b)
    return VertexDifference(
        both,
        np.where(both, on_a - when_a, 0.0),
        b.vertices.times_processed - a.vertices.times_processed,
        np.where(both, np.minimum(when_a, on_a), np.inf),
    )


def telling_moment(a: Side, b: Side) -> float:
    """Return when the shares of vertices reached differ most, ns on the clock of both.

    Without times of vertices: near the end of the shorter run.
    """
    last = LAST_MOMENT * min(a.time_ns, b.time_ns)
    if not _exact(a, b):
        return last
    times = np.linspace(0.0, last, MOMENTS)
    first, second = (_reached_by(side, times) for side in (a, b))
    return float(times[np.argmax(np.abs(first - second))])


_NOTHING = np.zeros(0)


def _reached_by(side: Side, times_ns: np.ndarray) -> np.ndarray:
    """Return the share of the vertices reached at each of these times."""
    assert side.vertices is not None
    times = _few(side.vertices.first_reached_ns)
    times = np.sort(times[times >= 0])
    return np.searchsorted(times, times_ns, side="right") / max(len(times), 1)


def _exact(a: Side, b: Side) -> bool:
    return all(s.vertices is not None and s.outcome != "running" for s in (a, b))


def _few(values: np.ndarray) -> np.ndarray:
    return values[:: max(1, len(values) // LOOKED_AT)]


def _thin(side: Side) -> np.ndarray:
    """Return at most about MARKS samples, the last among them."""
    step = max(1, len(side.samples) // MARKS)
    return side.samples[(len(side.samples) - 1) % step :: step] if step > 1 else side.samples


def _settled_by_times(side: Side) -> np.ndarray:
    """Return the share of vertices that will not improve any more, at each sample."""
    assert side.vertices is not None
    times = _few(side.vertices.last_improved_ns)
    times = np.sort(times[times >= 0])
    return np.searchsorted(times, _thin(side)["t_ns"], side="right") / max(len(times), 1)


def _rising(side: Side, marks: np.ndarray, top: float) -> tuple[np.ndarray, np.ndarray]:
    """Keep the samples at which a mark that never falls has risen; at the end stands `top`."""
    times = _thin(side)["t_ns"].astype(np.float64)
    if not len(times):
        return _NOTHING, _NOTHING
    marks = np.maximum.accumulate(marks)
    moved = float(marks[-1]) > float(marks[0])
    if side.finished and moved:
        marks = np.concatenate((np.minimum(marks[:-1], top), [top]))
    risen = np.concatenate(([True], np.diff(marks) > 0))
    times, marks = times[risen], marks[risen]
    later = np.concatenate(([True], np.diff(times) > 0))
    return times[later], marks[later]


def _farthest(a: Side, b: Side) -> float:
    """Return a distance that both runs end at: the largest, where it is known."""
    ends = [float(_thin(s)["base"].max()) for s in (a, b) if len(s.samples)]
    for side in (a, b):
        if side.dist is not None and side.dist.ndim == 1 and (side.reached or 0) > 0:
            ends.append(float(side.dist[reached_mask(side.dist)].max()))
    return max(ends, default=0.0)


def _no_marks(side: Side, name: str, how: Align) -> str:
    title = side.algorithm.title
    if len(side.samples) < 2:
        advice = "" if side.outcome == "running" else ": run it at probe level 1"
        return f"{name} ({title}) has no samples to align by{advice}"
    what = "share settled" if how == "share" else "bucket"
    return f"{name} ({title}) does not say where it is by {what}: align by time"


def _bent(times: np.ndarray, knots: np.ndarray, shown: np.ndarray) -> np.ndarray:
    """Interpolate between knots; before the first and after the last time passes alike."""
    inside = np.interp(times, knots, shown)
    before, after = np.minimum(times - knots[0], 0.0), np.maximum(times - knots[-1], 0.0)
    return np.asarray(inside + before + after, np.float64)


def _graph_words(graph: GraphReference) -> str:
    return f"{graph.name}, {graph.n:,} vertices, {graph.m:,} arcs"
