"""What every modelled algorithm shares: slices, samples, stop, pace, errors.

A compiled loop advances a run by a slice and returns; between slices this driver hands
the samples over, asks for Stop and for a delta held by hand, and looks whether the
recording grows too long (then the sampling period doubles: detail is lost, truth is not).
"""

from __future__ import annotations

from typing import Any, Protocol

import numba
import numpy as np

from gpu.engine import EngineOutcome, Observer
from gpu.errors import WeightError
from gpu.graph import CSRGraph
from gpu.model.log import Log, events_of, note
from gpu.model.machine import FINISHED, NO_SAMPLES_NS, OVERFLOW, sample_buffer
from gpu.record.events import EventKind
from gpu.record.trace import Flag, Probe, RunSettings

ARCS_PER_SLICE = 200_000  # about 10 ms of wall time between two looks at Stop
MOST_SAMPLES = 2**17  # from here on the period doubles


class Slices(Protocol):
    """One modelled run, advanced a slice at a time."""

    sim: np.ndarray  # a record with t_ns, status, period_ns, overflow_arc, overflow_tail, flags

    @property
    def log(self) -> Log:
        """What probe level 3 recorded so far."""

    def advance(self, samples: np.ndarray, arcs: int) -> int:
        """Advance; return how many samples were written."""

    def set_delta(self, delta: float | None) -> None:
        """A person takes delta over, or hands it back (None)."""

    def final_sample(self, sample: Any) -> None:
        """Write the state as it is into one record."""


def drive(run: Slices, graph: CSRGraph, observer: Observer, device: str) -> EngineOutcome:
    """Advance to the end or to Stop; raise WeightError where a distance overflows."""
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
        if run.sim[0].status == OVERFLOW:
            raise overflow_error(graph, run.sim[0])
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
    return EngineOutcome("modelled", ending, environment(device), events_of(run.log))


def environment(device: str) -> dict[str, Any]:
    """Return what ran, for the trace."""
    return {
        "engine": "model",
        "device": device,
        "numba": numba.__version__,
        "numpy": np.__version__,
    }


def sampling_period(settings: RunSettings, default_ns: float) -> float:
    """Return the sampling period, ns; level 0 never samples before the end."""
    if settings.probe == Probe.OFF:
        return NO_SAMPLES_NS
    return float(settings.sample_period_ns) if settings.sample_period_ns > 0 else default_ns


def overflow_error(graph: CSRGraph, sim: Any) -> WeightError:
    """Return the error of the relax whose distance passes the type's range."""
    arc, tail = int(sim.overflow_arc), int(sim.overflow_tail)
    top = "2^31 - 1" if graph.integer else "the range of float32"
    advice = "use float weights" if graph.integer else "scale the weights down"
    return WeightError(
        f"the distance over arc {graph.id_of(tail)} -> {graph.id_of(int(graph.indices[arc]))} "
        f"(weight {graph.weights[arc]:g}) passes {top}; {advice}"
    )
