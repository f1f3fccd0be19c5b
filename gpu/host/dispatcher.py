"""Which request the child works on, and what becomes of it when the child dies.

Requests wait in a queue here and go to the child one at a time, so a request that was
replaced before it began costs nothing, and a child that dies takes at most one with it:
the one it had begun. Those behind it go to the next child, and so does a graph, by
the name of its segment.

What the child says is taken up in `gpu.host.replies`.
"""

from __future__ import annotations

from time import monotonic

from gpu.algorithms.all_pairs import ADVICE
from gpu.errors import CancelledByUserError, EngineError, GpuError, MemoryNeededError
from gpu.graph import CSRGraph
from gpu.host.jobs import GRACE_S, Job, LayoutJob, LoadJob, RunJob, cut_off_trace
from gpu.host.memory import Memory, Segment, share
from gpu.host.messages import (
    Command,
    EngineLost,
    Entries,
    Failed,
    LayoutCommand,
    LoadCommand,
    Message,
    RunCommand,
    RunFinished,
)
from gpu.host.process import Child, Spawn
from gpu.host.replies import Replies
from gpu.host.ring import FRAME
from gpu.host.shared_graph import SharedGraph, buffer_shapes, graph_tag
from gpu.host.state import HostState

ATTEMPTS = 2  # children that died before they began a request, until it is given up


class Dispatcher(HostState):
    """Requests in, messages out: what an EngineHost asks of, and polls."""

    def __init__(self, memory: Memory, entries: Entries, spawn: Spawn) -> None:
        super().__init__(memory)
        self._entries, self._spawn_child = entries, spawn
        self.started = False
        self._replies = Replies(self)
        self._children = self._failed_starts = 0

    # life

    def start(self) -> None:
        """Start the child; what was asked for before goes to it."""
        self.started = True
        self._spawn()
        self._pump()

    def close(self) -> None:
        """End the child and give every name back."""
        job, self.current, self.live = self.current, None, None
        if self.process is not None:
            self.process.end(GRACE_S)
            self.process = None
        for left in (*self.queue, job):
            if left is not None:
                left.finish()
        self.queue.clear()
        self._forget_orphans(job)
        if self.graph is not None:
            self.graph.segment.unlink()
        self.memory.sweep()

    def wait(self, seconds: float) -> None:
        """Wait until the child says something or dies, unless there is something to tell."""
        if self.process is not None and not self.outbox:
            self.process.wait(seconds)

    @property
    def alive(self) -> bool:
        """Whether there is a child."""
        return self.process is not None and self.process.exit_code is None

    @property
    def busy(self) -> bool:
        """Whether a request waits or goes on; proofs of a finished run do not count."""
        job = self.current
        return bool(self.queue) or (job is not None and not job.silent and not job.over)

    @property
    def idle(self) -> bool:
        """Whether the child has nothing at all to do, proofs neither."""
        return self.current is None and not self.queue

    def show_knobs(self) -> None:
        """Let the child see what the user holds."""
        if self.process is not None:
            self.process.ring.set_knobs(self.knobs)

    # requests

    def ask(self, job: Job) -> None:
        """Queue a request; it goes to the child now if the child is free."""
        self.queue.append(job)
        if self.started and self.process is None:  # it died too often; the user insists
            self._failed_starts = 0
            self._spawn()
        self._pump()

    def expected_graph(self) -> int:
        """Return the token of the graph that a request made now is meant for."""
        for job in (*reversed(self.queue), self.current):
            if isinstance(job, LoadJob) and not (job.silent or job.over or job.stopping):
                return job.run_id
        return self.graph.handle.token if self.graph is not None else 0

    def replace_everything(self) -> None:
        """End all that was asked for; only runs are told of."""
        self.drop_queued(Job, "replaced by a newer graph before it started")
        job = self.current
        if job is not None:
            job.silent, job.again = not isinstance(job, RunJob), False
            self.interrupt(job)

    def drop_queued(self, kind: type[Job], words: str = "", *, tell_all: bool = False) -> None:
        """Take requests of one kind out of the queue; say so of runs, or of all."""
        for job in [job for job in self.queue if isinstance(job, kind)]:
            self.queue.remove(job)
            job.finish()
            if tell_all or isinstance(job, RunJob):
                self.outbox.append(Failed(job.run_id, CancelledByUserError(words)))

    # polling

    def poll(self) -> list[Message]:
        """Take up what the child said, start what can start, return what to tell."""
        if self.run is None or self.run.over:
            self.live = None
        if self.process is not None:
            self._replies.take(self.process)
            self.collect(FRAME)
            self._enforce_deadline(self.process)
            if self.process.exit_code is not None:
                self._bury(self.process)
            self._pump()
        messages, self.outbox = self.outbox, []
        return messages

    def _enforce_deadline(self, process: Child) -> None:
        job = self.current
        if job is not None and job.deadline is not None and monotonic() > job.deadline:
            process.kill()

    # to the child

    def _spawn(self) -> None:
        self._children += 1
        try:
            self.process = self._spawn_child(self.memory, self._entries, self._children, self.knobs)
        except (OSError, GpuError) as error:
            self._give_up(f"The engine process cannot be started: {error}")

    def _pump(self) -> None:
        """Give the child its next request: loads and runs in order, then layouts."""
        while self.process is not None and self.current is None and self.queue:
            first = [job for job in self.queue if not isinstance(job, LayoutJob)]
            job = (first or self.queue)[0]
            self.queue.remove(job)
            try:
                command = self._command(job)
            except GpuError as error:
                job.finish()
                self.outbox.append(Failed(job.run_id, error))
                continue
            self.current = job
            self.process.ring.stop(0)
            self.process.send(command)  # if it is dead, the next poll notices

    def _command(self, job: Job) -> Command:
        if isinstance(job, LoadJob):
            return LoadCommand(job.run_id, job.request)
        assert isinstance(job, RunJob | LayoutJob)
        graph = self._graph_for(job.token)
        if isinstance(job, LayoutJob):
            if job.dist is not None and job.segment is None:
                job.segment = share(self.memory, f"o{job.run_id}", {"dist": job.dist})
            arrays = job.segment.shared if job.segment is not None else None
            return LayoutCommand(job.run_id, graph.handle, job.kind, job.delta, arrays)
        if job.segment is None:
            job.segment = self._run_segment(job, graph.graph)
        job.graph = graph
        return RunCommand(
            job.run_id, graph.handle, job.settings, job.segment.shared, job.verify, job.steps
        )

    def _run_segment(self, job: RunJob, graph: CSRGraph) -> Segment:
        """Make what the run writes into; a matrix that does not fit is refused with advice."""
        shapes = buffer_shapes(graph, job.settings)
        try:
            return self.memory.create(f"r{job.run_id}", shapes)
        except MemoryNeededError as error:
            _, shape = shapes["dist"]
            if len(shape) == 1:
                raise
            raise MemoryNeededError(f"{error}; or {ADVICE}") from error

    def _graph_for(self, token: int) -> SharedGraph:
        if self.graph is None:
            raise EngineError("there is no graph yet; load one first")
        if self.graph.handle.token != token:
            raise EngineError("the graph that this was meant for could not be loaded")
        return self.graph

    # the child's death

    def _bury(self, process: Child) -> None:
        """Take up the last words of a dead child, conclude its request, start another."""
        self._replies.take(process)
        self.collect()
        job, self.current, self.process = self.current, None, None
        words = process.death_words(job.doing if job is not None else "idle")
        if process.killed or (job is not None and job.stopping and not job.begun):
            self._conclude_stopped(job, GRACE_S + process.delay_s)
        elif process.greeted:
            self._conclude_lost(job, words)
        elif job is not None:  # it did not even start; the next one will
            self.queue.appendleft(job)
        self._forget_orphans(job)
        process.bury()
        self._failed_starts = 0 if process.greeted else self._failed_starts + 1
        if self._failed_starts < process.starts:
            self._spawn()
        else:
            self._give_up(f"The engine process does not start. {words}")

    def _conclude_stopped(self, job: Job | None, grace_s: float) -> None:
        """End a request that was asked to end, in a child that is dead by now."""
        if job is not None and job.again:
            job.reset()
            self.queue.append(job)
        elif job is not None:
            if isinstance(job, RunJob) and job.live is not None and not job.over:
                words = f"killed: it did not stop within {grace_s:g} s"
                self.outbox.append(RunFinished(job.run_id, cut_off_trace(job, words)))
            elif not (job.silent or job.over):
                self.outbox.append(Failed(job.run_id, CancelledByUserError("stopped")))
            job.finish()

    def _conclude_lost(self, job: Job | None, words: str) -> None:
        """Tell of a child that died by itself, and whom it took with it."""
        if job is None or job.silent or job.over:
            self.outbox.append(EngineLost(0, words))
        elif not job.begun and job.attempts + 1 < ATTEMPTS:
            job.attempts += 1
            self.queue.appendleft(job)
            self.outbox.append(EngineLost(0, words))
            return
        else:
            trace = None
            if isinstance(job, RunJob) and job.live is not None:
                trace = cut_off_trace(job, words)
            self.outbox.append(EngineLost(job.run_id, words, trace))
        if job is not None:
            job.finish()

    def _forget_orphans(self, job: Job | None) -> None:
        """Remove what the child may have made for a request and not handed over."""
        if job is None:
            return
        kept = self.graph is not None and self.graph.handle.token == job.run_id
        for tag in (f"e{job.run_id}", f"p{job.run_id}", *([] if kept else [graph_tag(job.run_id)])):
            self.memory.remove(tag)

    def _give_up(self, words: str) -> None:
        """Say that there is no child; the next request will try again."""
        self.outbox.append(EngineLost(0, words))
        while self.queue:
            job = self.queue.popleft()
            job.finish()
            self.outbox.append(Failed(job.run_id, EngineError(words)))
