"""Requests on their way through the host, and the trace of a run that was cut off."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gpu.engine import EngineOutcome, make_trace
from gpu.host.memory import Segment
from gpu.host.messages import LiveRun, LoadRequest
from gpu.host.ring import SampleStore
from gpu.host.shared_graph import SharedGraph
from gpu.record.trace import (
    SAMPLE,
    Flag,
    RunSettings,
    Trace,
)

GRACE_S = 0.25  # from a stop to the kill
YIELD_S = 2.0  # the same for a layout, or for proofs, that stand in the way of a request


@dataclass(eq=False, kw_only=True)
class Job:
    """One request, waiting or under way.

    segment : what the parent made for it and gives back when it is over
    begun : the child took it up
    stopping : it was asked to end
    over : its result was told; what the child still does for it gives way to anything
    silent : it was replaced; nothing of it is told any more
    again : it only gave way, and is to be done again
    deadline : when a child that has not ended it is killed, by time.monotonic
    attempts : children that died before they began it
    """

    run_id: int
    segment: Segment | None = None
    begun: bool = False
    stopping: bool = False
    over: bool = False
    silent: bool = False
    again: bool = False
    deadline: float | None = None
    attempts: int = 0

    @property
    def doing(self) -> str:
        """What the child does for it, to end the sentence "it died while ..."."""
        raise AssertionError("a job is a load, a layout or a run")

    def end_by(self, deadline: float) -> None:
        """Set the deadline, or keep an earlier one."""
        self.deadline = deadline if self.deadline is None else min(deadline, self.deadline)

    def reset(self) -> None:
        """Make it new, to be done again."""
        self.begun = self.stopping = self.again = False
        self.deadline = None

    def finish(self) -> None:
        """Note that its result was told, or never will be."""
        self.over = True
        if self.segment is not None:
            self.segment.unlink()
            self.segment = None


@dataclass(eq=False, kw_only=True)
class LoadJob(Job):
    """Read a graph."""

    request: LoadRequest

    @property
    def doing(self) -> str:
        """What the child does for it."""
        return "reading a graph"


@dataclass(eq=False, kw_only=True)
class LayoutJob(Job):
    """Find positions for the graph `token`; `dist` for the layouts that want it."""

    token: int
    kind: str
    delta: float | None = None
    dist: np.ndarray | None = None

    @property
    def doing(self) -> str:
        """What the child does for it."""
        return "laying out the graph"


@dataclass(eq=False, kw_only=True)
class RunJob(Job):
    """Run on the graph `token`; `steps`: steps allowed when it was asked for.

    graph : set when it is sent
    live : set when it starts, `store` fills from then on until it is over
    """

    token: int
    settings: RunSettings
    verify: bool
    steps: int
    graph: SharedGraph | None = None
    live: LiveRun | None = None
    store: SampleStore = field(default_factory=SampleStore)

    def make_again(self, settings: RunSettings) -> None:
        """Have it done again from the start, with other settings."""
        self.settings, self.again = settings, True
        self.store = SampleStore()
        if self.segment is not None:
            self.segment.unlink()
            self.segment = None

    @property
    def doing(self) -> str:
        """What the child does for it."""
        return "checking the distances" if self.over else "running an algorithm"


def trace_of(job: RunJob, outcome: EngineOutcome) -> Trace:
    """Return the trace of a run that ended by itself, or stopped when it was asked to."""
    live = _live(job)
    return make_trace(live.graph, live.settings, live.buffers, outcome, job.store.everything())


def cut_off_trace(job: RunJob, words: str) -> Trace:
    """Return what a killed run has left; its last sample is made up from the one before.

    `words` (how it ended) stand in the trace's environment.
    """
    settings = _live(job).settings
    final = int(Flag.FINISHED | Flag.STOPPED)
    last = job.store.last()
    if last is None or not int(last["flags"][0]) & final:
        closing = np.zeros(1, SAMPLE) if last is None else last
        closing["sequence"] += 0 if last is None else 1
        closing["flags"] = Flag.STOPPED
        job.store.append_sample(closing)
    clock = "modelled" if settings.engine == "model" else "measured"
    environment = {"engine": settings.engine, "device": settings.device, "ended": words}
    return trace_of(job, EngineOutcome(clock, "stopped", environment))


def _live(job: RunJob) -> LiveRun:
    assert job.live is not None, "only a run that started leaves a trace"
    return job.live
