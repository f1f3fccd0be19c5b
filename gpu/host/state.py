"""What a host knows: the child, what it works on, what waits, what is to be told.

`gpu.host.dispatcher` decides what happens next, `gpu.host.replies` takes up what the child says;
both act on this one state.
"""

from __future__ import annotations

from collections import deque
from time import monotonic

from gpu.host.jobs import GRACE_S, YIELD_S, Job, LayoutJob, RunJob
from gpu.host.memory import Memory
from gpu.host.messages import LiveRun, Message
from gpu.host.process import Child
from gpu.host.ring import RING, Knobs
from gpu.host.shared_graph import SharedGraph


class HostState:
    """The state behind an EngineHost.

    current : what the child has; queue : what waits
    run : the last run that started; live : the same while it goes on
    graph : what a new run would use
    outbox : messages for the next poll
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.knobs = Knobs()
        self.queue: deque[Job] = deque()
        self.current: Job | None = None
        self.run: RunJob | None = None
        self.live: LiveRun | None = None
        self.graph: SharedGraph | None = None
        self.outbox: list[Message] = []
        self.process: Child | None = None

    def set_graph(self, shared: SharedGraph) -> None:
        """Use this graph from now on; only the name of the one before is given back."""
        if self.graph is not None:
            self.graph.segment.unlink()
        self.graph = shared

    def interrupt(self, job: Job, *, at_once: bool = False) -> None:
        """Ask the current request to end; the child is killed if it does not.

        at_once : even a layout has only GRACE_S
        """
        if self.process is None:
            return
        job.stopping = True
        self.process.ring.stop(job.run_id)
        patient = job.over or (isinstance(job, LayoutJob) and not at_once)
        if self.process.greeted:
            grace_s = YIELD_S if patient else GRACE_S
            job.end_by(monotonic() + grace_s + self.process.delay_s)

    def collect(self, limit: int = RING) -> None:
        """Copy new samples of the run that goes on out of the ring."""
        if self.process is None or self.run is None or self.run.over:
            return
        for samples in self.process.ring.waiting(limit):
            self.run.store.append(samples)
            self.process.ring.release(len(samples))
