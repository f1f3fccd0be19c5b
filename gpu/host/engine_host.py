"""EngineHost: requests in, messages out, one child process behind.

Replaced    A load, or `put_graph`, ends everything before it. A run ends the run before it
            and waits for a load before it. A layout that stands in the way of a run is
            interrupted and done again afterwards. The proofs of a finished run
            give way to a load or a run.
Ended       Every run ends in exactly one RunFinished, Failed or EngineLost. A load or layout
            that was replaced is never heard of again.
Stopping    is asked for in shared memory; a child that does not answer in GRACE_S (YIELD_S
            where it only stands in the way) is killed, and a fresh one started. The
            run ends as "stopped" with what it had written.
Memory      The host owns every name: ring, graph, run buffers. Arrays that it handed out
            stay valid for as long as anyone keeps them.

Everything happens inside the caller's calls, above all `poll`; there are no threads. Call
them all from one thread.
"""

from __future__ import annotations

import atexit
import itertools
from collections.abc import Iterator

import numpy as np

from gpu.errors import EngineError
from gpu.graph import CSRGraph
from gpu.host.dispatcher import Dispatcher
from gpu.host.jobs import Job, LayoutJob, LoadJob, RunJob
from gpu.host.memory import Memory
from gpu.host.messages import Entries, LiveRun, LoadRequest, Message
from gpu.host.process import EngineProcess, Spawn
from gpu.host.ring import FRAME, Knobs
from gpu.host.shared_graph import open_graph, share_graph
from gpu.record.trace import SAMPLE, RunSettings


class EngineHost:
    """The engine process, seen from its owner.

    entries : what the child calls (tests supply their own)
    memory : where segments are made
    spawn : starts the child: here, or on another computer (`gpu.remote`)
    ids : where the run_id of a request comes from; hosts of one owner share it
    """

    def __init__(
        self,
        entries: Entries | None = None,
        memory: Memory | None = None,
        spawn: Spawn = EngineProcess,
        ids: Iterator[int] | None = None,
    ) -> None:
        self._memory = memory or Memory()
        self._dispatcher = Dispatcher(self._memory, entries or Entries(), spawn)
        self._knobs = self._dispatcher.knobs
        self._ids = itertools.count(1) if ids is None else ids
        self._run_id = 0  # of the run last asked for
        self._closed = False

    # life

    def start(self) -> None:
        """Start the child, which warms up by itself; returns at once."""
        self._check_open()
        if not self._dispatcher.started:
            atexit.register(self.close)
            self._dispatcher.start()

    def close(self) -> None:
        """End the child and give everything back; arrays handed out stay valid."""
        if not self._closed:
            self._closed = True
            atexit.unregister(self.close)
            self._dispatcher.close()

    def wait(self, seconds: float) -> None:
        """Wait until the child says something or dies; for scripts, which have no timer."""
        self._dispatcher.wait(seconds)

    # requests: each returns its run_id

    def load(self, request: LoadRequest) -> int:
        """Read a graph in the child."""
        run_id = self._new_id()
        self._dispatcher.replace_everything()
        self._dispatcher.ask(LoadJob(run_id=run_id, request=request))
        return run_id

    def put_graph(self, graph: CSRGraph) -> None:
        """Use a graph made here: it is copied to shared memory. MemoryNeededError."""
        shared = share_graph(self._memory, self._new_id(), graph)
        self._dispatcher.replace_everything()
        self._dispatcher.set_graph(open_graph(shared.handle, shared.segment, writeable=False))

    def run(self, settings: RunSettings, *, verify: bool = True) -> int:
        """Run on the graph last asked for. Pace and pause stay, a delta by hand does not."""
        run_id = self._run_id = self._new_id()
        dispatcher = self._dispatcher
        dispatcher.drop_queued(RunJob, "replaced by a newer run before it started")
        job = dispatcher.current
        if isinstance(job, RunJob | LayoutJob):
            again = isinstance(job, LayoutJob) and not job.over
            job.again = again and (job.again or not job.stopping)
            dispatcher.interrupt(job)
        self.set_delta(None)
        dispatcher.ask(
            RunJob(
                run_id=run_id,
                token=dispatcher.expected_graph(),
                settings=settings,
                verify=verify,
                steps=self._knobs.steps,
            )
        )
        return run_id

    def layout(
        self, kind: str = "auto", *, dist: np.ndarray | None = None, delta: float | None = None
    ) -> int:
        """Lay out the graph last asked for. See `gpu.placement.placements.layout`."""
        run_id = self._new_id()
        dispatcher = self._dispatcher
        dispatcher.drop_queued(LayoutJob)
        if isinstance(dispatcher.current, LayoutJob):
            dispatcher.current.silent = True
            dispatcher.interrupt(dispatcher.current)
        token = dispatcher.expected_graph()
        dispatcher.ask(LayoutJob(run_id=run_id, token=token, kind=kind, delta=delta, dist=dist))
        return run_id

    def stop(self) -> None:
        """End what goes on and what waits, within GRACE_S; the next polls tell how."""
        self._dispatcher.drop_queued(Job, "stopped before it started", tell_all=True)
        job = self._dispatcher.current
        if job is not None and not job.silent:
            job.again = False
            self._dispatcher.interrupt(job, at_once=True)

    # knobs, obeyed in the middle of a run

    def set_delta(self, delta: float | None) -> None:
        """Hold delta by hand, weight units; None hands it back to the algorithm."""
        self._knobs.delta = delta
        self._dispatcher.show_knobs()

    def set_pace(self, samples_per_second: float | None) -> None:
        """Slow runs down to this many samples per second of wall time; None: full speed."""
        self._knobs.pace = samples_per_second
        self._dispatcher.show_knobs()

    def pause(self) -> None:
        """Hold the run, and later ones, until `resume`."""
        self._knobs.paused = True
        self._dispatcher.show_knobs()

    def resume(self) -> None:
        """Let the run go on."""
        self._knobs.paused = False
        self._dispatcher.show_knobs()

    def step(self) -> None:
        """Let one sample through; pauses first."""
        self._knobs.steps += 1
        self.pause()

    def hold(self, knobs: Knobs) -> None:
        """Hold every knob as given, for an owner who passes on what another one holds."""
        self._knobs.delta, self._knobs.pace = knobs.delta, knobs.pace
        self._knobs.paused, self._knobs.steps = knobs.paused, knobs.steps
        self._dispatcher.show_knobs()

    # what happened

    def poll(self) -> list[Message]:
        """Return what happened since the last call; never waits. Call it at about 30 Hz."""
        return self._dispatcher.poll()

    def take_samples(self) -> np.ndarray:
        """Return SAMPLE (k,), new since the last call, of the run last asked for."""
        self._dispatcher.collect(FRAME)
        run = self._dispatcher.run
        if run is None or run.run_id != self._run_id:
            return np.empty(0, SAMPLE)
        return run.store.take()

    @property
    def live(self) -> LiveRun | None:
        """The run that goes on, or whose end the last poll told."""
        return self._dispatcher.live

    @property
    def graph(self) -> CSRGraph | None:
        """The graph that a run would use; views of shared memory, read-only."""
        shared = self._dispatcher.graph
        return shared.graph if shared is not None else None

    @property
    def busy(self) -> bool:
        """Whether a request waits or goes on; proofs of a finished run do not count."""
        return self._dispatcher.busy

    @property
    def idle(self) -> bool:
        """Whether the child has nothing at all to do, proofs neither."""
        return self._dispatcher.idle

    @property
    def alive(self) -> bool:
        """Whether there is a child."""
        return self._dispatcher.alive

    @property
    def child_pid(self) -> int:
        """Process id of the child, 0 where there is none."""
        process = self._dispatcher.process
        return process.pid if process is not None else 0

    def _new_id(self) -> int:
        self._check_open()
        return next(self._ids)

    def _check_open(self) -> None:
        if self._closed:
            raise EngineError("the engine host was closed; make a new one")
