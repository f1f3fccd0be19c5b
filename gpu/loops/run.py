"""One run of a compiled loop, and what drives it: slices, samples, Stop, pace, errors.

Between two slices `drive` hands the samples over, asks for Stop and for a delta held by hand, and
doubles the sampling period where the recording grows too long.
"""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np

from gpu.compiled import PLAIN_ARCS, at_once, uncompiled
from gpu.engine import EngineOutcome, Observer
from gpu.loops.codes import FINISHED, LOG_FULL
from gpu.loops.log import Log, events_of, grown, note
from gpu.loops.state import sample_buffer
from gpu.record.events import EventKind
from gpu.record.trace import Flag, Reason

ARCS_PER_SLICE = 200_000  # about 10 ms of wall time between two looks at Stop
MOST_SAMPLES = 2**17  # from here on the period doubles
PLAIN_SLICE = 400  # arcs of a slice that runs uncompiled: a tenth of a second


class LoopRun:
    """One run of a compiled loop, which `drive` advances a slice at a time.

    arrays : the loop's bundle, a NamedTuple with a `log`; sim : its state, one record
    loop : the module with `advance(arrays, state, samples, arcs)` and
        `write_sample(arrays, s, sample)`
    own_delta : the algorithm's, where no person holds it; 0: it has none

    On a small graph it runs uncompiled, slice by slice, until the loop is compiled.
    """

    measured = False  # by a clock: then it is compiled first, whatever the graph

    def __init__(self, arrays: Any, sim: Any, loop: ModuleType) -> None:
        self.arrays = arrays
        self.sim = sim
        self._loop = loop
        self.own_delta = float(sim[0].delta)
        rows = len(arrays.dist) if arrays.dist.ndim > 1 else 1
        self._arcs = math.inf if self.measured else len(arrays.indices) * rows
        self._slice = math.inf if self._arcs > PLAIN_ARCS else PLAIN_SLICE

    @property
    def log(self) -> Log:
        """What probe level 3 recorded so far."""
        log: Log = self.arrays.log
        return log

    def advance(self, samples: np.ndarray, arcs: int) -> int:
        """Advance by a slice; return how many samples were written."""
        most = int(min(arcs, self._slice))
        written = at_once(self._loop.advance, self._arcs, self.arrays, self.sim, samples, most)
        if self.sim[0].status == LOG_FULL:
            self.arrays = self.arrays._replace(log=grown(self.log))
        return int(written)

    def set_delta(self, delta: float | None) -> None:
        """A person's delta holds from the next decision of the loop on; None hands it back."""
        state = self.sim[0]
        if not self.own_delta:
            return
        chosen = self.own_delta if delta is None else delta
        if chosen != state.delta:
            raised = chosen > state.delta
            state["flags"] |= int(Flag.DELTA_RAISED if raised else Flag.DELTA_LOWERED)
            state.delta_changes += 1
            note(self.log, state.t_ns, EventKind.DELTA, int(Reason.BY_HAND), 1, chosen)
        state.delta, state.by_hand = chosen, int(delta is not None)
        state.reason = int(Reason.START if delta is None else Reason.BY_HAND)

    def final_sample(self, sample: Any) -> None:
        """Write the state as it is."""
        uncompiled(self._loop.write_sample, self.arrays, self.sim[0], sample)


def drive(
    run: LoopRun, observer: Observer, clock: str, environment: dict[str, Any]
) -> EngineOutcome:
    """Advance to the end or to Stop.

    clock : "modelled" or "measured"; environment : what ran
    """
    by_hand, handed = None, 0
    stopped = False
    while run.sim[0].status != FINISHED:
        if observer.should_stop():
            stopped = True
            break
        held = observer.delta_by_hand()
        if held != by_hand:
            run.set_delta(held)
            by_hand = held
        samples = sample_buffer(max(1, min(observer.samples_per_slice(), 4096)))
        written = run.advance(samples, ARCS_PER_SLICE)
        if written:
            observer.on_samples(samples.view(np.ndarray)[:written])
        handed += written
        if handed >= MOST_SAMPLES:
            run.sim[0].period_ns = max(run.sim[0].period_ns, 1.0) * 2.0
            handed = MOST_SAMPLES // 2
    if stopped:
        last = sample_buffer(1)
        run.final_sample(last[0])
        last[0]["flags"] |= int(Flag.STOPPED)  # not .flags: a record has flags of its own
        observer.on_samples(last.view(np.ndarray))
    note(run.log, run.sim[0].t_ns, EventKind.END, int(stopped))
    ending = "stopped" if stopped else "finished"
    overflowed = bool(run.sim[0].overflowed)
    return EngineOutcome(clock, ending, environment, events_of(run.log), overflowed)
