"""The driver of a compiled loop: slices, samples, stop, pace, errors.

Between two slices this driver hands the samples over, asks for Stop and for a delta held by hand,
and doubles the sampling period where the recording grows too long.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu.engine import EngineOutcome, Observer
from gpu.loops.codes import FINISHED
from gpu.loops.log import events_of, note
from gpu.loops.run import LoopRun
from gpu.loops.state import sample_buffer
from gpu.record.events import EventKind
from gpu.record.trace import Flag

ARCS_PER_SLICE = 200_000  # about 10 ms of wall time between two looks at Stop
MOST_SAMPLES = 2**17  # from here on the period doubles


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
