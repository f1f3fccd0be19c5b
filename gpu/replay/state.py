"""What a microscope draws: everything that the events so far say about a run; no Qt.

`State` is filled by the rules of `gpu.replay.rules`. It knows nothing of any algorithm.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gpu.record.events import MANAGER


@dataclass
class Item:
    """One entry of a bucket's queue or of a pile; place -1: in its worker's own queue."""

    place: int
    vertex: int
    dist: float
    written: bool = True  # ADDS: the write is complete (its segment's WCC counts it)
    worker: int = MANAGER  # whom it was assigned to
    taken: bool = False


@dataclass
class Pointers:
    """The manager's counters of one bucket (ADDS), or just what came and went."""

    reserved: int = 0  # resv_ptr: places given to writers
    written: int = 0  # sum of the segments' write-completed counters, WCC
    read: int = 0  # read_ptr: places handed to workers
    completed: int = 0  # completed work counter, CWC
    blocks: list[int] = field(default_factory=list)


@dataclass
class Hand:
    """What a worker holds; `bucket` -1 where it is idle."""

    bucket: int = -1
    first: int = 0
    count: int = 0
    vertex: int = -1
    arc: int = -1
    collected: list[tuple[int, float]] = field(default_factory=list)  # to be written: vertex, dist
    source: int = -1  # all pairs
    heavy: int = 0

    @property
    def idle(self) -> bool:
        """Whether its assignment flag says that it may be given work."""
        return self.bucket < 0 and self.source < 0 and self.vertex < 0


@dataclass
class State:
    """Everything that a microscope draws, after some events.

    dist : float64 (n,), inf where unreached; all pairs: unused, see `rows`
    processed : int64 (n,), times taken    relaxed : int64 (m,), times examined
    waiting : int64 (n,), entries of the vertex that were not taken yet
    buckets : bucket -> entries not finished, in the order in which they came
    deferred : bucket -> vertices whose heavy arcs wait
    rows : all pairs: source -> float64 (n,)    rounds : source -> rounds begun
    ring : slots of ADDS's ring, 0 for others: a slot's pointers go on from bucket to bucket
    """

    dist: np.ndarray
    processed: np.ndarray
    relaxed: np.ndarray
    waiting: np.ndarray
    ring: int = 0
    buckets: dict[int, list[Item]] = field(default_factory=dict)
    pointers: dict[int, Pointers] = field(default_factory=dict)
    workers: dict[int, Hand] = field(default_factory=dict)
    deferred: dict[int, list[int]] = field(default_factory=dict)
    rows: dict[int, np.ndarray] = field(default_factory=dict)
    rounds: dict[int, int] = field(default_factory=dict)
    t_ns: int = 0
    delta: float = 0.0
    reason: int = 0
    open_heads: int = 1
    head: int = 0
    base: float = 0.0
    switches: int = 0
    round: int = -1
    threshold: float = 0.0
    phase: int = -1
    sources_done: int = 0
    samples: int = 0
    pushes: int = 0
    improved: int = 0
    stale: int = 0
    ended: bool = False
    reserved_by: dict[int, tuple[int, int]] = field(default_factory=dict)  # worker: bucket, place

    @classmethod
    def before(cls, n: int, m: int, *, ring: int = 0, delta: float = 0.0) -> State:
        """Return the state before any event of a run on n vertices and m arcs."""
        counts = (np.zeros(n, np.int64), np.zeros(m, np.int64), np.zeros(n, np.int64))
        return cls(np.full(n, np.inf), *counts, ring=ring, delta=delta)

    @property
    def total_processed(self) -> int:
        """Vertices taken from work lists so far."""
        return int(self.processed.sum())

    @property
    def total_relaxed(self) -> int:
        """Arcs examined so far."""
        return int(self.relaxed.sum())

    @property
    def running(self) -> int:
        """All pairs: sources that a block works on."""
        return sum(hand.source >= 0 for hand in self.workers.values())

    def occupancy(self, bucket: int) -> int:
        """Return how many entries of a bucket wait: not handed out, not taken."""
        return sum(
            not item.taken and item.worker == MANAGER for item in self.buckets.get(bucket, ())
        )

    def distances(self, source: int = -1) -> np.ndarray:
        """Return the tentative distances, float64 (n,); all pairs: from a source."""
        return self.rows.get(source, self.dist)
