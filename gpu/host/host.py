"""EngineHost: requests in, messages out, one child process behind.

A request waits in the queue here, then the child has it, then it is over: its result was returned,
and the proofs that still go on give way to anything. The child has one request at a time.

Order       hello, then for each command any progress, the result (loaded, laid_out, or started and
            ended; or a Failed), proofs, done. The child pushes its last sample before it sends
            ended, and gets the next run only after that: all samples in the ring are of that run.
Replaced    A load, or `put_graph`, ends everything before it. A run ends the run before it and
            waits for a load before it. A layout that stands in the way of a run is interrupted and
            done again afterwards. Proofs give way to a load or a run, and are told to be given up.
Ended       Every run ends in exactly one RunFinished, Failed or EngineLost. A load or layout that
            was replaced has no message.
Stopping    is requested in shared memory; a child that does not answer in GRACE_S (YIELD_S where
            it only stands in the way), or cannot run Python code for SILENCE_S (a hung driver), is
            killed, and a fresh one started. The run ends with what it had written.
Death       of the child costs the request that it has. Those behind go to the next child, and so
            does the graph, by the name of its segment.

Everything happens inside the caller's calls, above all `poll`. Call them all from one thread.
"""

from __future__ import annotations

import atexit
import itertools
import signal
import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from time import monotonic
from typing import Any

import numpy as np

from gpu.errors import CancelledByUserError, EngineError, GpuError
from gpu.graph import CSRGraph
from gpu.host import messages as say
from gpu.host.memory import (
    GraphHandle,
    Memory,
    Segment,
    SharedArrays,
    SharedGraph,
    open_buffers,
    open_graph,
    share,
    share_graph,
)
from gpu.host.ring import FRAME, RING, SampleRing, SampleStore
from gpu.host.worker import main
from gpu.interpreter import hidden_main
from gpu.record.trace import SAMPLE, Flag, GraphReference, RunSettings, Trace

GRACE_S = 0.25  # from a stop to the kill
KILL_WAIT_S = 0.01  # a killed process is normally gone in a few ms; else the next poll sees it
YIELD_S = 2.0  # the same for a layout, or for proofs, that stand in the way of a request
STARTS = 3  # children in a row that died before their hello, until there is no other
SILENCE_S = 180.0  # longer than a kernel's own limit, and than the child waits for its GPU
SILENCE_WORDS = (
    "The engine process did not answer for {:g} s and was ended. What the run had recorded is "
    "kept; run it again, or choose another machine"
)
LONGEST_LOOK_S = 1.0  # of silence, between two polls: this process may have been stopped itself
SIGNAL_WORDS = {
    "SIGKILL": "often: out of memory",
    "SIGSEGV": "a fault in compiled code",
    "SIGBUS": "often: shared memory is full",
}


@dataclass(eq=False, kw_only=True)
class Job:
    """One request, waiting or under way."""

    run_id: int
    doing: str  # to end the sentence "it died while ..."
    segment: Segment | None = None  # released when it is over
    stopping: bool = False  # it is to end
    over: bool = False  # its result was returned
    silent: bool = False  # it was replaced and has no more messages
    deadline: float | None = None  # by `monotonic`, when a child that has not ended it is killed

    def finish(self) -> None:
        """Note that its result was returned, or never will be."""
        self.over = True
        if self.segment is not None:
            self.segment.unlink()
            self.segment = None


@dataclass(eq=False, kw_only=True)
class LoadJob(Job):
    """Read a graph."""

    request: say.LoadRequest
    doing: str = "reading a graph"


@dataclass(eq=False, kw_only=True)
class LayoutJob(Job):
    """Find positions for the graph `token`; `dist` for the layouts that need it."""

    token: int
    kind: str
    delta: float | None = None
    dist: np.ndarray | None = None
    doing: str = "laying out the graph"


@dataclass(eq=False, kw_only=True)
class RunJob(Job):
    """Run on the graph `token`; `live` and `reference` are set when it starts."""

    token: int
    settings: RunSettings
    doing: str = "running an algorithm"
    live: say.LiveRun | None = None
    reference: GraphReference | None = None
    store: SampleStore = field(default_factory=SampleStore)

    def trace(self, part: Trace) -> Trace:
        """Return a trace with the arrays of this run."""
        assert self.live is not None, "only a run that started leaves a trace"
        buffers, samples = self.live.buffers, self.store.everything()
        return replace(part, samples=samples, dist=buffers.dist, vertices=buffers.vertices)

    def cut_off(self, words: str) -> Trace | None:
        """Return what a killed run has left, None where it never started; words : how it ended."""
        if self.live is None or self.over:
            return None
        assert self.reference is not None
        last, ends = self.store.last(), int(Flag.FINISHED | Flag.STOPPED)
        if last is None or not int(last["flags"][0]) & ends:
            closing = np.zeros(1, SAMPLE) if last is None else last
            closing["sequence"] += 0 if last is None else 1
            closing["flags"] = Flag.STOPPED
            self.store.append(closing.view(np.uint8).reshape(1, -1))
        settings, none = self.live.settings, np.empty(0, SAMPLE)
        clock = "modelled" if settings.engine == "model" else "measured"
        about = {"engine": settings.engine, "device": settings.device, "ended": words}
        dist = self.live.buffers.dist
        return self.trace(Trace(settings, self.reference, none, dist, clock, "stopped", about))


class Child:
    """One engine process, from its start to its death: its pipe and its ring."""

    def __init__(self, memory: Memory, entries: say.Entries, serial: int) -> None:
        self.greeted = False  # it said hello
        self.killed = False  # it did not end a request in time
        self.last_words = ""  # why it ends itself, or why we end it
        self._hung_up = False  # its end of the pipe is closed
        self.ring = SampleRing.create(memory, f"c{serial}")
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        arguments = theirs, self.ring.segment.shared, memory, entries
        name = "sssp-scope engine"
        self._process = context.Process(target=main, args=arguments, name=name, daemon=True)
        try:
            with hidden_main():
                self._process.start()
        except BaseException:
            self.ring.segment.unlink()
            raise
        finally:
            theirs.close()

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid or 0

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended."""
        return self._process.exitcode is None

    def send(self, name: str, *arguments: Any) -> None:
        """Send a command; where the child is dead, the next poll notices."""
        try:
            self._pipe.send((name, *arguments))
        except OSError:
            self._hung_up = True

    def replies(self) -> Iterator[Any]:
        """Yield the replies that are there, without waiting."""
        try:
            while not self._hung_up and self._pipe.poll(0):
                yield self._pipe.recv()
        except (EOFError, OSError):
            self._hung_up = True

    def kill(self) -> None:
        """End it at once; `is_alive` becomes False when it has ended."""
        self._process.kill()
        self._process.join(KILL_WAIT_S)

    def quit(self) -> None:
        """Ask it to end, kill it where it does not within GRACE_S, give everything back."""
        self.ring.stop(sys.maxsize)
        self.send("quit")
        self._process.join(GRACE_S)
        self._process.kill()
        self.bury()

    def bury(self) -> None:
        """Give back what belongs to a dead child."""
        self._pipe.close()
        self._process.join()
        self._process.close()
        self.ring.segment.unlink()

    def death_words(self, doing: str) -> str:
        """Return how it died, as one sentence."""
        if self.last_words:
            return self.last_words
        code = self._process.exitcode or 0
        if code >= 0:
            return f"The engine process ended by itself with exit code {code} while {doing}"
        name = next((known.name for known in signal.Signals if known == -code), "")
        hint = SIGNAL_WORDS.get(name, name)
        return f"The engine process was killed by signal {-code} ({hint}) while {doing}"


class EngineHost:
    """The engine process, seen from its owner."""

    def __init__(self, entries: say.Entries | None = None, memory: Memory | None = None) -> None:
        self._memory, self._entries = memory or Memory(), entries or say.Entries()
        self._ids = itertools.count(1)
        self._delta: float | None = None  # held by hand, weight units
        self._pace: float | None = None  # samples per second of wall time
        self._child: Child | None = None
        self._queue: deque[Job] = deque()
        self._current: Job | None = None  # what the child has
        self._started_run: RunJob | None = None  # the last one
        self._newest_run = 0  # run_id of the last request for a run
        self._shared: SharedGraph | None = None  # what a new run would use
        self._outbox: list[say.Message] = []
        self._serial = self._failed_starts = 0
        self._is_started = self._is_closed = False
        self._beats, self._silent_s, self._looked_at = 0, 0.0, monotonic()
        self.live: say.LiveRun | None = None  # goes on, or ended by the last poll

    # life

    def start(self) -> None:
        """Start the child, which warms up by itself; return at once."""
        self._check_open()
        if not self._is_started:
            atexit.register(self.close)
            self._is_started = True
            self._spawn()
            self._pump()

    def close(self) -> None:
        """End the child and give everything back; arrays handed out stay valid."""
        if self._is_closed:
            return
        self._is_closed = True
        atexit.unregister(self.close)
        job, self._current, self.live = self._current, None, None
        if self._child is not None:
            self._child.quit()
            self._child = None
        for left in (*self._queue, job):
            if left is not None:
                left.finish()
        self._queue.clear()
        self._memory.sweep()

    # requests: each returns its run_id

    def load(self, request: say.LoadRequest) -> int:
        """Read a graph in the child."""
        run_id = self._new_id()
        self._replace_everything()
        self._ask(LoadJob(run_id=run_id, request=request))
        return run_id

    def put_graph(self, graph: CSRGraph) -> None:
        """Use a graph made here: it is copied to shared memory. MemoryNeededError."""
        shared = share_graph(self._memory, self._new_id(), graph)
        self._replace_everything()
        self._use(open_graph(shared.handle, shared.segment, writeable=False))

    def run(self, settings: RunSettings) -> int:
        """Run on the graph last asked for. The pace stays, a delta by hand does not."""
        run_id = self._newest_run = self._new_id()
        self._drop_queued(RunJob, "replaced by a newer run before it started")
        job = self._current
        if isinstance(job, LayoutJob) and not (job.silent or job.over or job.stopping):
            self._queue.append(replace(job, segment=None))  # done again afterwards
            job.silent = True
        if isinstance(job, RunJob | LayoutJob):
            self._interrupt(job)
        self.set_delta(None)
        self._ask(RunJob(run_id=run_id, token=self._expected_graph(), settings=settings))
        return run_id

    def layout(
        self, kind: str = "auto", *, dist: np.ndarray | None = None, delta: float | None = None
    ) -> int:
        """Lay out the graph last asked for. See `gpu.placement.placements.layout`."""
        run_id = self._new_id()
        self._drop_queued(LayoutJob)
        if isinstance(self._current, LayoutJob):
            self._current.silent = True
            self._interrupt(self._current)
        token = self._expected_graph()
        self._ask(LayoutJob(run_id=run_id, token=token, kind=kind, delta=delta, dist=dist))
        return run_id

    def stop(self) -> None:
        """End what goes on and what waits, within GRACE_S; the next polls tell how."""
        self._drop_queued(Job, "stopped before it started", tell_all=True)
        job = self._current
        if job is not None and (not job.silent or isinstance(job, LayoutJob)):
            self._interrupt(job, at_once=True)

    # knobs, obeyed during a run

    def set_delta(self, delta: float | None) -> None:
        """Hold delta by hand, weight units; None hands it back to the algorithm."""
        self._delta = delta
        self._show_knobs()

    def set_pace(self, samples_per_second: float | None) -> None:
        """Slow runs down to this many samples per second of wall time; None: full speed."""
        self._pace = samples_per_second
        self._show_knobs()

    # what happened

    def poll(self) -> list[say.Message]:
        """Return what happened since the last call; never waits. Call it at about 30 Hz."""
        if self._started_run is None or self._started_run.over:
            self.live = None
        if self._child is not None:
            self._receive(self._child)
            self._collect(FRAME)
            self._enforce_limits(self._child)
            if not self._child.is_alive:
                self._bury(self._child)
            self._pump()
        messages, self._outbox = self._outbox, []
        return messages

    def take_samples(self) -> np.ndarray:
        """Return SAMPLE (k,), new since the last call, of the run last asked for."""
        self._collect(FRAME)
        run = self._started_run
        if run is None or run.run_id != self._newest_run:
            return np.empty(0, SAMPLE)
        return run.store.take()

    @property
    def graph(self) -> CSRGraph | None:
        """The graph that a run would use; views of shared memory, read-only."""
        return self._shared.graph if self._shared is not None else None

    @property
    def busy(self) -> bool:
        """Whether a request waits or goes on; proofs of a finished run do not count."""
        job = self._current
        return bool(self._queue) or (job is not None and not job.silent and not job.over)

    # to the child

    def _new_id(self) -> int:
        self._check_open()
        return next(self._ids)

    def _check_open(self) -> None:
        if self._is_closed:
            raise EngineError("the engine host was closed; make a new one")

    def _ask(self, job: Job) -> None:
        """Queue a request; it goes to the child now if the child is free."""
        self._queue.append(job)
        if self._is_started and self._child is None:  # it died too often; the user insists
            self._failed_starts = 0
            self._spawn()
        self._pump()

    def _expected_graph(self) -> int:
        """Return the token of the graph that a request made now is meant for."""
        for job in (*reversed(self._queue), self._current):
            if isinstance(job, LoadJob) and not (job.silent or job.over or job.stopping):
                return job.run_id
        return self._shared.handle.token if self._shared is not None else 0

    def _replace_everything(self) -> None:
        """End all queued and current jobs; only ended runs are reported."""
        self._drop_queued(Job, "replaced by a newer graph before it started")
        job = self._current
        if job is not None:
            job.silent = not isinstance(job, RunJob)
            self._interrupt(job)

    def _drop_queued(self, kind: type[Job], words: str = "", *, tell_all: bool = False) -> None:
        """Take requests of one kind out of the queue; tell of runs, or of all."""
        for job in [job for job in self._queue if isinstance(job, kind)]:
            self._queue.remove(job)
            job.finish()
            if tell_all or isinstance(job, RunJob):
                self._outbox.append(say.Failed(job.run_id, CancelledByUserError(words)))

    def _interrupt(self, job: Job, *, at_once: bool = False) -> None:
        """Ask the current request to end; the child is killed if it does not.

        at_once : even a layout has only GRACE_S
        """
        if self._child is None:
            return
        job.stopping = True
        self._child.ring.stop(job.run_id)
        if self._child.greeted:  # else nobody can hear it yet
            is_patient = job.over or (isinstance(job, LayoutJob) and not at_once)
            deadline = monotonic() + (YIELD_S if is_patient else GRACE_S)
            job.deadline = deadline if job.deadline is None else min(deadline, job.deadline)

    def _show_knobs(self) -> None:
        if self._child is not None:
            self._child.ring.set_knobs(self._delta, self._pace)

    def _spawn(self) -> None:
        self._serial += 1
        try:
            self._child = Child(self._memory, self._entries, self._serial)
        except (OSError, GpuError) as error:
            self._give_up(f"The engine process cannot be started: {error}")
        self._show_knobs()

    def _pump(self) -> None:
        """Give the child its next request: loads and runs in order, then layouts."""
        while self._child is not None and self._current is None and self._queue:
            job = min(self._queue, key=lambda job: isinstance(job, LayoutJob))
            self._queue.remove(job)
            try:
                name, *arguments = self._command(job)
            except GpuError as error:
                job.finish()
                self._outbox.append(say.Failed(job.run_id, error))
                continue
            self._current = job
            self._silent_s = 0.0
            self._child.ring.stop(0)
            self._child.send(name, job.run_id, *arguments)

    def _command(self, job: Job) -> tuple[Any, ...]:
        if isinstance(job, LoadJob):
            return "load", job.request
        assert isinstance(job, RunJob | LayoutJob)
        if self._shared is None:
            raise EngineError("there is no graph yet; load one first")
        if self._shared.handle.token != job.token:
            raise EngineError("the graph that this was meant for could not be loaded")
        handle = self._shared.handle
        if isinstance(job, RunJob):
            return "run", handle, job.settings
        if job.dist is not None and job.segment is None:
            self._serial += 1
            job.segment = share(self._memory, f"o{self._serial}", {"dist": job.dist})
        arrays = job.segment.shared if job.segment is not None else None
        return "lay_out", handle, job.kind, job.delta, arrays

    # from the child

    def _receive(self, child: Child) -> None:
        for name, *arguments in child.replies():
            getattr(self, f"_on_{name}")(*arguments)

    def _collect(self, limit: int = RING) -> None:
        run = self._started_run
        if self._child is None or run is None or run.over:
            return
        for samples in self._child.ring.waiting(limit):
            run.store.append(samples)
            self._child.ring.release(len(samples))

    def _job(self) -> Job:
        job = self._current
        assert job is not None, "the child answered a request that it does not have"
        return job

    def _on_hello(self) -> None:
        assert self._child is not None
        self._child.greeted = True
        if self._current is not None and self._current.stopping:
            self._interrupt(self._current, at_once=True)

    def _on_warmed_up(self) -> None:
        self._outbox.append(say.Ready(0))

    def _on_tell(self, message: say.Message) -> None:
        """Pass a message on, unless its request was replaced."""
        if message.run_id:
            job = self._job()
            if job.silent:
                return
            if isinstance(message, say.Failed):
                self._collect()
                job.finish()
        self._outbox.append(message)

    def _on_done(self) -> None:
        self._job().finish()
        self._current = None

    def _on_loaded(self, handle: GraphHandle, hash: str, mean_weight: float) -> None:
        segment = self._memory.attach(handle.shared)
        job = self._job()
        if job.stopping:  # it had been read before it was told
            segment.unlink()
            self._on_tell(say.Failed(job.run_id, CancelledByUserError("stopped")))
            return
        shared = open_graph(handle, segment, writeable=False)
        shared.graph.__dict__.update(hash=hash, mean_weight=mean_weight)  # cached properties
        self._use(shared)
        job.finish()
        self._outbox.append(say.GraphLoaded(job.run_id, shared.graph, shared.picture))

    def _use(self, shared: SharedGraph) -> None:
        """Use this graph from now on; only the name of the one before is given back."""
        if self._shared is not None:
            self._shared.segment.unlink()
        self._shared = shared

    def _on_laid_out(self, arrays: SharedArrays) -> None:
        positions = self._adopt(arrays)["positions"]
        job = self._job()
        job.finish()
        if not job.silent:
            self._outbox.append(say.LayoutDone(job.run_id, positions))

    def _on_started(
        self, settings: RunSettings, reference: GraphReference, arrays: SharedArrays
    ) -> None:
        job, shared = self._job(), self._shared
        assert isinstance(job, RunJob)
        assert shared is not None
        if job.segment is not None:  # it is made again
            self._collect()
            job.segment.unlink()
            job.store = SampleStore()
        shared.graph.__dict__["hash"] = reference.hash
        job.segment = self._memory.attach(arrays)
        buffers = open_buffers(job.segment, writeable=False)
        job.live = say.LiveRun(job.run_id, shared.graph, settings, buffers)
        job.reference = reference
        self._started_run, self.live = job, job.live
        self._outbox.append(say.RunStarted(job.run_id))

    def _on_ended(self, trace: Trace, arrays: SharedArrays | None) -> None:
        job = self._job()
        assert isinstance(job, RunJob)
        self._collect()
        events = self._adopt(arrays)["events"] if arrays is not None else None
        self._outbox.append(say.RunFinished(job.run_id, job.trace(replace(trace, events=events))))
        job.finish()
        job.doing = "checking the distances"
        if job.deadline is not None:  # it did end; the proofs may take a little longer
            job.deadline = monotonic() + YIELD_S

    def _on_silent(self, words: str) -> None:
        assert self._child is not None
        self._child.last_words = words

    def _adopt(self, arrays: SharedArrays) -> dict[str, np.ndarray]:
        """Map a result of the child and give its name back at once."""
        segment = self._memory.attach(arrays)
        segment.unlink()
        return segment.arrays(writeable=False)

    # the child's death

    def _enforce_limits(self, child: Child) -> None:
        """Kill a child that did not end a request in time, or that no longer answers."""
        now, job = monotonic(), self._current
        self._silent_s += min(now - self._looked_at, LONGEST_LOOK_S)
        self._looked_at = now
        if child.ring.beats != self._beats:
            self._beats, self._silent_s = child.ring.beats, 0.0
        if job is not None and job.deadline is not None and now > job.deadline:
            child.killed = True
            child.kill()
        elif self._silent_s > SILENCE_S and isinstance(job, RunJob):
            child.last_words = SILENCE_WORDS.format(SILENCE_S)
            child.kill()

    def _bury(self, child: Child) -> None:
        """Take up the last words of a dead child, conclude its request, start another."""
        self._receive(child)
        self._collect()
        job, self._current, self._child = self._current, None, None
        words = child.death_words(job.doing if job is not None else "idle")
        stopped = child.killed or (job is not None and job.stopping and not child.greeted)
        if stopped or child.greeted:
            self._conclude(job, words, stopped=stopped)
        elif job is not None:  # it did not even start; the next one will
            self._queue.appendleft(job)
        child.bury()
        kept = [job.segment for job in self._queue if job.segment is not None]
        kept += [self._shared.segment] if self._shared is not None else []
        self._memory.remove_others(kept)  # what it may have made and not handed over
        self._failed_starts = 0 if child.greeted else self._failed_starts + 1
        if self._failed_starts < STARTS:
            self._spawn()
        else:
            self._give_up(f"The engine process does not start. {words}")

    def _conclude(self, job: Job | None, words: str, *, stopped: bool) -> None:
        """Tell of the death of a child, and which request it took with it.

        stopped : the request was asked to end
        """
        run_id = 0 if job is None or job.silent or job.over else job.run_id
        if stopped:
            words = f"killed: it did not stop within {GRACE_S:g} s"
        trace = job.cut_off(words) if isinstance(job, RunJob) else None
        if not stopped:
            self._outbox.append(say.EngineLost(run_id, words, trace))
        elif trace is not None:
            self._outbox.append(say.RunFinished(run_id, trace))
        elif run_id:
            self._outbox.append(say.Failed(run_id, CancelledByUserError("stopped")))
        if isinstance(job, RunJob) and job.over:
            self._outbox.append(say.Verified(job.run_id, say.GIVEN_UP))
        if job is not None:
            job.finish()

    def _give_up(self, words: str) -> None:
        """Say that there is no child; the next request will try again."""
        self._outbox.append(say.EngineLost(0, words))
        while self._queue:
            job = self._queue.popleft()
            job.finish()
            self._outbox.append(say.Failed(job.run_id, EngineError(words)))
