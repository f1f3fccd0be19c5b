"""Two runs on one clock: both start at 0, so one time is one moment in both.

Runs on different graphs are refused in words (`obstacle`). Other differences (source, device, kind
of clock, probes) become cautions in `gpu.study.compare_words`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from gpu.algorithms import Algorithm, find
from gpu.errors import GpuError
from gpu.record.disorder import OrderErrors
from gpu.record.trace import (
    RECORDED_ON,
    GraphReference,
    Reason,
    RunSettings,
    Trace,
    Verification,
    VertexProbe,
    mean_over_time,
    reached_mask,
)

LOOKED_AT = 1 << 18  # vertices that a share is counted over
MOMENTS = 512  # of the shorter run, looked at to find where two runs differ most
LAST_MOMENT = 0.9  # of the shorter run: both still work then


class CompareError(GpuError):
    """Two runs that cannot be compared; the reason in words."""


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
    errors: OrderErrors | None = None  # exact, at probe level 3

    @classmethod
    def of(cls, trace: Trace) -> Side:
        """Return a finished trace as a side."""
        return cls(*(getattr(trace, field.name) for field in fields(cls)))

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
    def steered(self) -> bool:
        """Whether a person moved its Δ while it ran."""
        return bool((self.samples["reason"] == Reason.BY_HAND).any())

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
        """Share 0..1 of the workers that had work, mean over time; None where not recorded.

        A GPU's blocks all take part in a superstep: of those, as many have work as its edges fill.
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
        return min(busy / (self.workers * float(lasted.sum())), 1.0) if busy else None


@dataclass(frozen=True)
class VertexDifference:
    """Differences of two runs at each vertex, arrays of shape (n,).

    known : bool, reached by both
    later_ns : float64, when B settled it less when A did, ns; 0 where not known
    settled_ns : float64, when the first of the two had settled it, ns
    """

    known: np.ndarray
    later_ns: np.ndarray
    settled_ns: np.ndarray


def obstacle(a: Side, b: Side) -> str:
    """Return why two runs cannot be compared at all, one sentence; "" where they can."""
    if a.graph.hash != b.graph.hash:
        there, here = (f"{g.name}, {g.n:,} vertices, {g.m:,} edges" for g in (b.graph, a.graph))
        return f"B ran on another graph ({there}) than A ({here}): choose two runs of one graph"
    if a.algorithm.result != b.algorithm.result:
        return (
            f"{a.algorithm.title} and {b.algorithm.title} answer different questions, one source "
            "and all pairs: choose two runs of one kind"
        )
    return ""


def column(samples: np.ndarray, name: str, times_ns: np.ndarray) -> np.ndarray:
    """Return a field of SAMPLE at given times, float64: the last sample at or before each.

    NaN before the first sample, and where there is none; the last value holds after the end.
    """
    if not len(samples):
        return np.full(np.shape(times_ns), np.nan)
    at = np.searchsorted(samples["t_ns"], times_ns, side="right") - 1
    values = samples[name].astype(np.float64)
    return np.where(at >= 0, values[np.maximum(at, 0)], np.nan)


def difference(a: Side, b: Side) -> VertexDifference:
    """Return what differs at each vertex; raise CompareError where that is not known."""
    for side, name in ((a, "A"), (b, "B")):
        if side.outcome == "running":
            raise CompareError(f"{name} still runs: differences are known at its end")
        if side.vertices is None:
            raise CompareError(f"{name} kept no times of vertices: run it at probe level 2")
    if a.settings.source != b.settings.source:
        raise CompareError(f"A and B start from {a.graph.source_id} and {b.graph.source_id}")
    if a.clock != b.clock:
        raise CompareError(f"A's time is {a.clock}, B's {b.clock}: they have no difference")
    assert a.vertices is not None
    assert b.vertices is not None
    when_a, when_b = a.vertices.last_improved_ns, b.vertices.last_improved_ns
    both = (when_a >= 0) & (when_b >= 0)
    return VertexDifference(
        both,
        np.where(both, when_b - when_a, 0.0),
        np.where(both, np.minimum(when_a, when_b), np.inf),
    )


def telling_moment(a: Side, b: Side) -> float:
    """Return when the shares of vertices reached differ most, ns.

    Without times of vertices: near the end of the shorter run.
    """
    last = LAST_MOMENT * min(a.time_ns, b.time_ns)
    if a.vertices is None or b.vertices is None:
        return last
    times = np.linspace(0.0, last, MOMENTS)
    first, second = (_reached_by(side, times) for side in (a, b))
    return float(times[np.argmax(np.abs(first - second))])


def _reached_by(side: Side, times_ns: np.ndarray) -> np.ndarray:
    """Return the share of the vertices reached at each of these times."""
    assert side.vertices is not None
    times = side.vertices.first_reached_ns
    times = np.sort(times[:: max(1, len(times) // LOOKED_AT)])
    times = times[np.searchsorted(times, 0) :]
    return np.searchsorted(times, times_ns, side="right") / max(len(times), 1)
