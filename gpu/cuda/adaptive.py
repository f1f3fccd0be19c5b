"""Adaptive on the device: a race of the forms, once a graph, and then the form that was first.

The scouts' choice starts first, so where they are right each other form is stopped soon after it.
A race is run from the source that was asked for, without probes, and its outcome holds for every
source, level and seed: a run goes everywhere. Where a later run processes many times what the
race's did, as when the race was run from a small part of the graph, the next one races again.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from gpu.algorithms import plain_rows
from gpu.algorithms.adaptive import ALGORITHM, Choice, choice_of
from gpu.cuda.launch import UNREAD, CudaRun, Lap, prepared
from gpu.cuda.race import RACING, Race, Racing, Won
from gpu.engine import EngineOutcome, Observer, RunBuffers, in_form
from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.record.trace import Probe, RunSettings

TUNED = RACING
GREW = 4.0  # times the vertices that the race processed: it was run from a small part


@dataclass(frozen=True)
class Kept:
    """What a race found, and the ms that it took, loading of kernels included."""

    won: Won
    ms: float


Races = dict[tuple[Any, ...], Kept]  # by device, delta asked for and tuning
_KEPT: weakref.WeakKeyDictionary[CSRGraph, Races] = weakref.WeakKeyDictionary()


def run(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
) -> EngineOutcome:
    """Run the fastest form on the GPU, which arbitrates by itself: `seed` changes nothing."""
    return run_tuned(graph, settings, buffers, observer, TUNED)[0]


def run_tuned(
    graph: CSRGraph,
    settings: RunSettings,
    buffers: RunBuffers,
    observer: Observer,
    tuning: Racing,
) -> tuple[EngineOutcome, CudaRun]:
    """Run with the forms' own tuning; the run comes along, for its state."""
    races = _KEPT.setdefault(graph, {})
    asked = (settings.device, settings.delta, tuning)
    kept = races.get(asked) or raced(graph, settings, observer.should_stop, tuning)
    choice = kept.won.choice
    given = in_form(settings, choice.form, choice.delta)
    maker, own = maker_of(choice.form), tuning_of(choice.form)
    outcome, done = maker.run_tuned(graph, given, buffers, observer, own)
    grew = int(done.stats["processed"].sum()) > GREW * kept.won.processed
    if grew:
        races.pop(asked, None)
    elif outcome.outcome == "finished":
        races[asked] = kept
    told = {"form": choice.form, "form_why": choice.why, "race_ms": kept.ms}
    return replace(outcome, environment=outcome.environment | told), done


def raced(
    graph: CSRGraph, settings: RunSettings, should_stop: Callable[[], bool], tuning: Racing
) -> Kept:
    """Run the race; a person who stops it gets the scouts' choice, which is then stopped too."""
    settings = replace(settings, probe=Probe.OFF)

    def timed(way: Choice, limit_s: float) -> Lap | None:
        if should_stop():
            return None
        given, own = in_form(settings, way.form, way.delta), tuning_of(way.form)
        try:
            run = prepared(graph, given, UNREAD, maker_of(way.form).make_plan, own)
        except GpuError:  # no memory, or another card: others may fit; if none, the run says so
            return None
        return run.lap(limit_s, should_stop)

    begun = time.perf_counter()
    race = Race(timed, tuning)
    won = race.run(ways_for(graph, settings.source), may_steer=settings.delta is None)
    return Kept(won, (time.perf_counter() - begun) * 1e3)


def ways_for(graph: CSRGraph, source: int) -> list[Choice]:
    """Return the forms that race, the scouts' choice first."""
    likely = choice_of(graph, source)
    return [likely, *(Choice(form, "") for form in forms() if form != likely.form)]


def forms() -> list[str]:
    """Return the rows that this one may run as: keys of the registry."""
    return [key for key in plain_rows("cuda") if key != ALGORITHM.key]


def maker_of(form: str) -> Any:
    """Return what plans and runs a form on the device."""
    module = import_module(f"gpu.cuda.{form}")
    return getattr(module, "KERNEL", module)


def tuning_of(form: str) -> Any:
    """Return a form's own tuning."""
    return import_module(f"gpu.cuda.{form}").TUNED
