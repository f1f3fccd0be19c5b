"""What the child says, taken up: the state moves on, messages go to the outbox.

The order of things that makes samples complete: the child pushes the last sample
before it says Ended, and is given the next run only after Ended was read here. So
whatever lies in the ring when Ended is read belongs to that run, and all of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import monotonic
from typing import Any

import numpy as np

from gpu.errors import CancelledByUserError, DistanceRangeError
from gpu.host.jobs import YIELD_S, Job, RunJob, trace_of
from gpu.host.memory import SharedArrays
from gpu.host.messages import (
    Begun,
    Described,
    Done,
    Ended,
    Failed,
    GraphLoaded,
    Hello,
    LaidOut,
    LayoutDone,
    LiveRun,
    Loaded,
    Progress,
    Ready,
    RunFinished,
    RunStarted,
    Started,
    Verified,
    WarmedUp,
)
from gpu.host.process import Child
from gpu.host.shared_graph import open_buffers, open_graph
from gpu.host.state import HostState
from gpu.numbers import wider

AGAIN = "distances pass 2^31 - 1: running again in int64"


class Replies:
    """Handlers by type of reply; all that concern a request concern the current one."""

    def __init__(self, state: HostState) -> None:
        self._state = state
        self._handlers: dict[type, Callable[[Any], None]] = {
            Hello: self._on_hello,
            WarmedUp: self._on_warmed_up,
            Begun: self._on_begun,
            Progress: self._pass_on,
            Loaded: self._on_loaded,
            Described: self._on_described,
            LaidOut: self._on_laid_out,
            Started: self._on_started,
            Ended: self._on_ended,
            Verified: self._pass_on,
            Failed: self._on_failed,
            Done: self._on_done,
        }

    def take(self, process: Child) -> None:
        """Take up everything that the child has said by now."""
        for reply in process.receive():
            self._handlers[type(reply)](reply)

    def _job(self) -> Job:
        job = self._state.current
        assert job is not None, "the child answered a request that it does not have"
        return job

    def _run_job(self) -> RunJob:
        job = self._job()
        assert isinstance(job, RunJob)
        return job

    def _is_told(self, run_id: int) -> bool:
        return run_id == 0 or not self._job().silent

    def _pass_on(self, message: Progress | Verified) -> None:
        if self._is_told(message.run_id):
            self._state.outbox.append(message)

    # life

    def _on_hello(self, _reply: Hello) -> None:
        process, job = self._state.process, self._state.current
        assert process is not None
        process.greeted = True
        if job is not None and job.stopping:  # asked before anyone could listen
            self._state.interrupt(job, at_once=True)

    def _on_warmed_up(self, _reply: WarmedUp) -> None:
        process = self._state.process
        assert process is not None
        self._state.outbox.append(Ready(0, monotonic() - process.started_at))

    # requests

    def _on_begun(self, _reply: Begun) -> None:
        self._job().begun = True

    def _on_failed(self, message: Failed) -> None:
        if not self._is_told(message.run_id):
            return
        if message.run_id:
            job = self._job()
            if job.again and isinstance(message.error, CancelledByUserError):
                return
            if isinstance(message.error, DistanceRangeError) and self._again_wider(job):
                self._state.outbox.append(Progress(message.run_id, -1.0, AGAIN))
                return
            job.again = False
            self._state.collect()
            job.finish()
        self._state.outbox.append(message)

    def _again_wider(self, job: Job) -> bool:
        """Whether the run is to be made again in a type that holds its distances."""
        graph = self._state.graph
        if not isinstance(job, RunJob) or graph is None or job.stopping:
            return False
        choice = wider(graph.graph, job.settings.numbers)
        if choice is not None:
            self._state.collect()
            job.make_again(replace(job.settings, numbers=choice))
        return choice is not None

    def _on_done(self, _reply: Done) -> None:
        job, self._state.current = self._job(), None
        if job.again and not job.silent:
            job.reset()
            self._state.queue.append(job)
        else:
            job.finish()

    def _on_loaded(self, reply: Loaded) -> None:
        state = self._state
        segment = state.memory.attach(reply.handle.shared, owner=True)
        if self._job().silent:
            segment.unlink()
            return
        shared = open_graph(reply.handle, segment, writeable=False)
        state.set_graph(shared)
        self._job().finish()
        state.outbox.append(GraphLoaded(reply.run_id, shared.graph, shared.picture))

    def _on_described(self, reply: Described) -> None:
        graph = self._state.graph
        if graph is not None and graph.handle.token == reply.run_id:
            graph.graph.__dict__.update(hash=reply.hash, mean_weight=reply.mean_weight)

    def _on_laid_out(self, reply: LaidOut) -> None:
        positions = self._adopt(reply.arrays)["positions"]
        job = self._job()
        job.again = False
        job.finish()
        if not job.silent:
            self._state.outbox.append(LayoutDone(reply.run_id, positions))

    def _on_started(self, reply: Started) -> None:
        job = self._run_job()
        assert job.graph is not None
        assert job.segment is not None
        job.graph.graph.__dict__["hash"] = reply.reference.hash  # cached_property: known now
        buffers = open_buffers(job.segment, writeable=False)
        job.live = LiveRun(reply.run_id, job.graph.graph, reply.settings, buffers)
        self._state.run, self._state.live = job, job.live
        self._state.outbox.append(RunStarted(reply.run_id))

    def _on_ended(self, reply: Ended) -> None:
        job = self._run_job()
        self._state.collect()
        events = self._adopt(reply.events)["events"] if reply.events is not None else None
        trace = trace_of(job, replace(reply.outcome, events=events))
        self._state.outbox.append(RunFinished(reply.run_id, trace))
        job.finish()
        if job.deadline is not None:  # it did end; the proofs may take a little longer
            assert self._state.process is not None
            job.deadline = monotonic() + YIELD_S + self._state.process.delay_s

    def _adopt(self, arrays: SharedArrays) -> dict[str, np.ndarray]:
        """Map a result of the child and give its name back at once."""
        segment = self._state.memory.attach(arrays, owner=True)
        views = segment.arrays(writeable=False)
        segment.unlink()
        return views
