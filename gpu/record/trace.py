"""The result of a run: samples, per-vertex times, events, distances.

SAMPLE is one record of 256 bytes, the same in a CUDA kernel's pinned ring, in the modelled GPU, in
shared memory and on disk. All counters are totals since the start of the run, so a lost sample
loses detail, never truth. Time is in nanoseconds since the kernel started, *measured* or *modelled*
(the trace's `clock`), and every axis must say which.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any
from weakref import WeakValueDictionary

import numpy as np
from msgspec import Meta

from gpu.graph import MAX_COUNT, CSRGraph
from gpu.numbers import AUTO, unreached
from gpu.policy import CHANGED, Policy
from gpu.record.notes import Note
from gpu.schema import Count
from gpu.words import in_sight

if TYPE_CHECKING:
    from gpu.record.disorder import OrderErrors

PART_ENTRIES = 1 << 22  # distances of a matrix that are looked at together
BUCKETS = 32  # slots of the occupancy array, and the paper's ring size

SAMPLE = np.dtype(
    [
        ("t_ns", "<i8"),  # since the start of the run
        ("head_bucket", "<i8"),  # absolute number of the bucket being drained
        ("bucket_switches", "<i8"),  # total: times the head moved on
        ("processed_vertices", "<i8"),  # total: vertices taken from a work list
        ("relaxed_edges", "<i8"),  # total: arcs examined
        ("improved", "<i8"),  # total: relaxes that lowered a distance
        ("delta", "<f8"),  # bucket width in force, weight units
        ("base", "<f8"),  # lowest distance of the head bucket, weight units
        ("band_low", "<f4"),  # the controller's band, in edges, as assigned_edges
        ("band_high", "<f4"),
        ("clip_share", "<f4"),  # of the pushes since the last reading, past the ring, 0..1
        ("assigned_edges", "<f4"),  # assigned vertices x mean degree: the paper's parallelism
        ("assigned_vertices", "<i4"),  # handed to workers and not finished
        ("busy_workers", "<i4"),
        ("open_buckets", "<i4"),  # head buckets that work is taken from
        ("flags", "<u4"),  # Flag, since the last sample
        ("reason", "<u4"),  # Reason of the last change of delta or of the open heads
        ("delta_changes", "<u4"),  # total
        ("occupancy", "<i4", (BUCKETS,)),  # vertices waiting, head first
        ("sequence", "<i8"),  # number of this sample, from 0
        # total: how far processed vertices were beyond the base of the lowest bucket in which
        # something waits, not below 0, weight units; and of how many, 0 where not measured
        ("distance_error", "<f8"),
        ("error_vertices", "<i8"),
    ]
)
assert SAMPLE.itemsize == 256

EVENT = np.dtype(  # probe level 3; what a, b and c mean stands beside each EventKind
    [
        ("t_ns", "<i8"),
        ("kind", "<i4"),
        ("worker", "<i4"),  # -1: the manager
        ("a", "<i8"),
        ("b", "<i8"),
        ("c", "<f8"),
    ]
)


class Flag(enum.IntFlag):
    """What happened since the sample before."""

    DELTA_RAISED = 1
    DELTA_LOWERED = 2
    BUCKET_SWITCHED = 4
    CLIPPED = 8
    DELTA_BY_HAND = 16
    FINISHED = 32
    STOPPED = 64


class Reason(enum.IntEnum):
    """Why delta, or the number of open heads, last changed."""

    NONE = 0
    START = 1  # the initial value
    STARVED_OPEN = 2  # utilisation under the band: one more head opened
    STARVED_RAISE = 3  # still under the band with all heads open: delta doubled
    FLOODED_CLOSE = 4  # utilisation over the band: one head closed
    FLOODED_LOWER = 5  # still over with one head open: delta halved
    CLIPPING = 6  # too much work beyond the ring: delta doubled, lower bound set
    BY_HAND = 7  # the user took over
    PROBING = 8  # start-up: doubled without waiting for the settling time
    POLICY = CHANGED  # the policy of the run


REASON_WORDS = {
    Reason.NONE: "unchanged",
    Reason.START: "initial value",
    Reason.STARVED_OPEN: "workers starved: opened one more bucket",
    Reason.STARVED_RAISE: "workers starved: Δ doubled",
    Reason.FLOODED_CLOSE: "more work than workers: closed one bucket",
    Reason.FLOODED_LOWER: "more work than workers: Δ halved",
    Reason.CLIPPING: "too much work past the last bucket: Δ doubled",
    Reason.BY_HAND: "set by hand",
    Reason.PROBING: "start-up: Δ doubled to find work for all",
    Reason.POLICY: "set by the policy",
}

RECORDED_ON = "recorded_on"  # in the environment of runs that travel with the program: the device
NOT_RANKED = "not_ranked"  # key of a modelled run's environment: why its time ranks nothing
NEVER = np.int64(-1)  # a per-vertex time that did not happen


class Probe(enum.IntEnum):
    """How much a run records; what each level may cost stands in `gpu/cuda/README.md`."""

    OFF = 0
    SAMPLES = 1
    VERTICES = 2
    EVENTS = 3


@dataclass(frozen=True)
class VertexProbe:
    """Per-vertex record of probe level 2, arrays of shape (n,), of sources where there are many."""

    first_reached_ns: np.ndarray  # int64, NEVER where it did not happen
    last_improved_ns: np.ndarray  # the same; of a source: when it was finished
    times_processed: np.ndarray  # int32; of a source: its rounds


VERTEX_TYPES: dict[str, np.dtype] = {  # of the fields of VertexProbe
    "first_reached_ns": np.dtype(np.int64),
    "last_improved_ns": np.dtype(np.int64),
    "times_processed": np.dtype(np.int32),
}


@dataclass(frozen=True)
class RunSettings:
    """How a run is made; `gpu.engine.checked_settings` fills in defaults."""

    algorithm: str = "adds"
    engine: str = "model"
    device: str = ""
    source: Count = 0  # 0-based index
    delta: Annotated[float, Meta(gt=0, le=1e300)] | None = None  # weight units; None: automatic
    probe: Annotated[int, Meta(ge=0, le=3)] = Probe.SAMPLES
    seed: Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)] = 1  # of the modelled GPU's arbitration
    sample_period_ns: Count = 0  # 0: the device's own
    parameters: dict[str, Any] = field(default_factory=dict)
    numbers: str = AUTO  # what weights and distances are computed in, see `gpu.numbers`
    policy: Policy | None = None  # in place of the algorithm's own controller


@dataclass(frozen=True)
class GraphReference:
    """Which graph a run was made on, without its arrays: enough to open it again."""

    name: str
    origin: str
    hash: str
    n: Annotated[int, Meta(ge=1, le=MAX_COUNT)]
    m: Annotated[int, Meta(ge=0, le=MAX_COUNT)]
    integer: bool
    source_id: Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)] | str  # as the file names it
    options: dict[str, Any] = field(default_factory=dict)  # given to the reader or generator

    def __post_init__(self) -> None:
        """Make the name, which may be of a stranger's file, one that can be shown."""
        object.__setattr__(self, "name", in_sight(self.name))


@dataclass(frozen=True)
class Verification:
    """Outcome of the two proofs of `gpu.proof.verify`; `detail` is one sentence."""

    oracle: bool | None  # None: not tried
    certificate: bool | None
    detail: str

    @property
    def passed(self) -> bool:
        """Whether at least one proof ran and none failed."""
        tried = [proof for proof in (self.oracle, self.certificate) if proof is not None]
        return bool(tried) and all(tried)


@dataclass(frozen=True)
class Trace:
    """One run, whole and immutable."""

    settings: RunSettings
    graph: GraphReference
    samples: np.ndarray  # SAMPLE (k,), k >= 1, times never falling; the last holds the totals
    dist: np.ndarray  # (n,), or (k, n): row i from settings.source + i; see `gpu.numbers`
    clock: str  # "modelled" or "measured": what t_ns is
    outcome: str  # "finished" or "stopped"
    environment: dict[str, Any]  # engine, device and library versions, date
    vertices: VertexProbe | None = None  # from probe level 2
    events: np.ndarray | None = None  # EVENT (e,), probe level 3
    verification: Verification | None = None
    notes: tuple[Note, ...] = ()  # pinned to its moments, and to vertices of its graph
    notes_left_out: str = ""  # why a file's notes could not be read

    @property
    def last(self) -> np.void:
        """The final sample: the run's totals."""
        return self.samples[-1]

    @property
    def time_ns(self) -> int:
        """Length of the run on its own clock, ns."""
        return int(self.last["t_ns"])

    @property
    def processed_vertices(self) -> int:
        """Vertices taken from work lists: the paper's work."""
        return int(self.last["processed_vertices"])

    @property
    def counted(self) -> bool:
        """Whether it counted its work; a library that shows nothing of its schedule ends at 0."""
        return self.outcome != "finished" or self.processed_vertices > 0

    @property
    def relaxed_edges(self) -> int:
        """Arcs examined."""
        return int(self.last["relaxed_edges"])

    @property
    def reached(self) -> int:
        """Vertices with a finite distance; of a matrix, in all rows together."""
        # counting a large matrix takes a second: the engine process has done it
        reached = self.environment.get("reached")
        if reached is not None:
            return int(reached)
        return int(sum(np.count_nonzero(reached_mask(part)) for part in _parts(self.dist)))

    @cached_property
    def errors(self) -> OrderErrors | None:
        """How far each vertex was taken out of order, exact; None below probe level 3."""
        from gpu.record.disorder import errors_of

        if self.events is None or self.dist.ndim > 1:
            return None
        return errors_of(self.events, self.settings.source)

    @property
    def work_efficiency(self) -> float:
        """Settled over processed vertices, 1 for a perfect schedule."""
        return self.reached / self.processed_vertices if self.processed_vertices else 0.0

    def _repr_svg_(self) -> str:
        """Return a drawing for a notebook, with its map while the graph is in memory."""
        drawing = import_module("gpu.page.drawing")  # lies above this room
        return str(drawing.run_drawing(self, _graphs.get(self.graph.hash)))

    def distance_summary(self) -> dict[str, int | float]:
        """Return reached, sum and max of the finite distances; exact integers for whole ones."""
        whole = self.dist.dtype.kind == "i"
        reached, total, largest = 0, 0 if whole else 0.0, 0 if whole else 0.0
        for part in _parts(self.dist):
            finite = part[reached_mask(part)]
            if len(finite):
                reached += len(finite)
                if whole:  # in halves: the sum of many may pass int64
                    total += int((finite >> 31).sum(dtype=np.int64)) << 31
                    total += int((finite & (2**31 - 1)).sum(dtype=np.int64))
                else:
                    total += finite.sum(dtype=np.float64).item()
                largest = max(largest, finite.max().item())
        return {"reached": reached, "sum": total, "max": largest}


_graphs: WeakValueDictionary[str, CSRGraph] = WeakValueDictionary()


def remember(graph: CSRGraph) -> None:
    """Remember the graph of a run, for its drawing, while something else holds it."""
    _graphs[graph.hash] = graph


def _parts(dist: np.ndarray) -> Iterator[np.ndarray]:
    """Yield a row, or a matrix a few rows at a time: it may be larger than memory."""
    if dist.ndim == 1:
        yield dist
        return
    rows = max(1, PART_ENTRIES // max(dist.shape[1], 1))
    for first in range(0, len(dist), rows):
        yield dist[first : first + rows]


def mean_over_time(samples: np.ndarray, column: str) -> float:
    """Return a column's mean over time: SAMPLE (k,), each value holds until the next sample."""
    steps = np.diff(samples["t_ns"])
    total = float(steps.sum())
    return float((samples[column][:-1] * steps).sum() / total) if total else 0.0


def reached_mask(dist: np.ndarray) -> np.ndarray:
    """Return which distances are finite: bool of the same shape."""
    if dist.dtype.kind == "i":
        return dist != unreached(dist.dtype)
    return np.isfinite(dist)
