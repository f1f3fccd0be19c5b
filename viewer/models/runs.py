"""One run as the window holds it, growing while it runs; and the messages of the bar."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from gpu.algorithms import Algorithm, find
from gpu.engine import RunBuffers
from gpu.record.disorder import OrderErrors
from gpu.record.trace import (
    RECORDED_ON,
    SAMPLE,
    GraphReference,
    RunSettings,
    Trace,
    Verification,
    VertexProbe,
)
from gpu.study.compare_words import name_of
from gpu.words import from_words

RunState = Literal["running", "finished", "stopped", "failed"]
NoticeLevel = Literal["info", "warning", "error"]
FIRST_CAPACITY = 256  # samples


@dataclass(frozen=True)
class Offer:
    """A button beside a message: its words, and what the bar hands on when it is pressed."""

    words: str
    what: Any


@dataclass(frozen=True)
class Notice:
    """One message for the bar: what happened, and what to do about it."""

    level: NoticeLevel
    words: str
    advice: str = ""
    offers: tuple[Offer, ...] = ()


@dataclass(eq=False)
class RunRecord:
    """One run as the window knows it, growing while it runs.

    buffers : arrays that the engine is writing, while it runs; None afterwards
    trace : the whole run once it ended; its arrays replace `buffers`
    row, row_id : of a run from many sources, the row that `dist` is, and its source's own name
    proofs_come : whether its distances will be proved by themselves; not of a run from a file
    folder : where the file lies that it was read from, as long as its graph was not; else None
    """

    run_id: int
    settings: RunSettings
    graph_reference: GraphReference
    clock: str  # "modelled" or "measured"
    buffers: RunBuffers | None = None
    title: str = ""
    state: RunState = "running"
    trace: Trace | None = None
    verification: Verification | None = None
    failure: str = ""
    row: int = 0
    row_id: int | str = ""
    proofs_come: bool = True
    folder: Path | None = None
    _store: np.ndarray = field(default_factory=lambda: np.empty(FIRST_CAPACITY, SAMPLE), repr=False)
    _count: int = 0

    def __post_init__(self) -> None:
        source = self.graph_reference.source_id
        if not self.title:
            begun = from_words(source, self.source_count, self.graph_reference.n)
            self.title = f"{name_of(self.settings)} on {self.graph_reference.name} {begun}"
        if self.row_id == "":
            self.row_id = source

    @classmethod
    def from_trace(cls, run_id: int, trace: Trace) -> RunRecord:
        """Return a finished record of a trace that was read from a file."""
        record = cls(run_id, trace.settings, trace.graph, trace.clock, proofs_come=False)
        record.adopt(trace)
        return record

    @property
    def algorithm(self) -> Algorithm:
        """The registry row of this run."""
        return find(self.settings.algorithm)

    @property
    def recorded_on(self) -> str:
        """The device that it was recorded on, of runs that travel with the program; else ""."""
        return str(self.trace.environment.get(RECORDED_ON, "")) if self.trace is not None else ""

    @property
    def clock_words(self) -> str:
        """What its times are: modelled, measured, or recorded on which device."""
        device = self.recorded_on
        return f"recorded on an {device}, {self.clock}" if device else self.clock

    @property
    def running(self) -> bool:
        """Whether more samples may come."""
        return self.state == "running"

    @property
    def samples(self) -> np.ndarray:
        """Every sample so far: SAMPLE (k,), a view that stays valid but does not grow."""
        return self._store[: self._count]

    @property
    def dist(self) -> np.ndarray | None:
        """Distances (n,), live or final, or the chosen row of a matrix; None before any."""
        held = self.trace or self.buffers
        if held is None:
            return None
        return held.dist[min(self.row, len(held.dist) - 1)] if held.dist.ndim == 2 else held.dist

    @property
    def is_matrix(self) -> bool:
        """Whether it has a result for every pair of vertices."""
        return self.algorithm.result == "matrix"

    @property
    def matrix(self) -> np.ndarray | None:
        """Distances (k, n) of a run from many sources, live or final; else None."""
        held = self.trace or self.buffers
        return held.dist if held is not None and held.dist.ndim == 2 else None

    @property
    def nbytes(self) -> int:
        """How many bytes its samples and its matrix take."""
        return self.samples.nbytes + (self.matrix.nbytes if self.matrix is not None else 0)

    @property
    def source_count(self) -> int:
        """How many sources it has: one, or the rows of its matrix."""
        if not self.is_matrix:
            return 1
        chosen = self.settings.parameters.get("sources")
        rest = self.graph_reference.n - self.settings.source
        return rest if chosen is None else int(chosen)

    @property
    def shown_source(self) -> int:
        """The 0-based source of `dist`."""
        return self.settings.source + self.row

    @property
    def vertices(self) -> VertexProbe | None:
        """Per-vertex times, live or final; None below probe level 2, and of many sources."""
        return None if self.is_matrix else self._probed

    @property
    def sources(self) -> VertexProbe | None:
        """Of a run from many sources: when each vertex, as source, was begun and finished."""
        return self._probed if self.is_matrix else None

    @property
    def _probed(self) -> VertexProbe | None:
        held = self.trace or self.buffers
        return held.vertices if held is not None else None

    @property
    def reached(self) -> int | None:
        """How many distances are finite, None where nobody has counted a matrix."""
        if self.trace is None or (self.is_matrix and "reached" not in self.trace.environment):
            return None
        return self.trace.reached

    @property
    def efficiency(self) -> float:
        """Reached over processed vertices of a finished run, 0 where it is not known."""
        if self.trace is None or self.state != "finished" or not self.trace.counted:
            return 0.0
        return (self.reached or 0) / max(self.trace.processed_vertices, 1)

    @property
    def errors(self) -> OrderErrors | None:
        """Exact errors of order of a finished run at probe level 3."""
        return self.trace.errors if self.trace is not None else None

    def append(self, batch: np.ndarray) -> tuple[int, int]:
        """Copy SAMPLE (k,) to the end; return the range [first, last) that it fills."""
        first, last = self._count, self._count + len(batch)
        if last > len(self._store):
            grown = np.empty(max(2 * len(self._store), last), SAMPLE)
            grown[:first] = self._store[:first]
            self._store = grown
        self._store[first:last] = batch
        self._count = last
        return first, last

    def adopt(self, trace: Trace) -> bool:
        """Take over a finished trace; return whether its samples differ from ours in number."""
        differs = len(trace.samples) != self._count
        self._store, self._count = trace.samples, len(trace.samples)
        self.trace, self.buffers, self.clock = trace, None, trace.clock
        self.state = "stopped" if trace.outcome == "stopped" else "finished"
        self.verification = trace.verification or self.verification
        return differs
