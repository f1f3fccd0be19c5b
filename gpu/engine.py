"""`run(graph, settings, observer) -> Trace`: the only way to make a run.

An engine is a function `engine(graph, settings, buffers, observer) -> EngineOutcome`, with settings
as `checked_settings` returns them. It writes `buffers` in place, passes every SAMPLE to
`observer.on_samples` in order, the last with Flag.FINISHED or Flag.STOPPED (at probe 0 only that
one), and returns. Where the registry row says `result="matrix"`, `buffers.dist` has shape (k, n):
row i holds the distances from source `settings.source` + i, and entry s of the per-vertex arrays is
source s: when it began, when it finished, how many rounds it took.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from gpu.algorithms import ALGORITHMS, OURS, find
from gpu.algorithms.all_pairs import check_events, require_room, source_range
from gpu.devices import DEFAULT_PRESET
from gpu.errors import DistanceRangeError, ParameterError, QueuesFullError
from gpu.graph import CSRGraph
from gpu.numbers import check_choice, in_numbers, judge_range, unreached, wider
from gpu.policy import check_runs
from gpu.record.trace import (
    NEVER,
    NOT_RANKED,
    SAMPLE,
    VERTEX_TYPES,
    GraphReference,
    Probe,
    RunSettings,
    Trace,
    VertexProbe,
    remember,
)

DEVICES = {"model": DEFAULT_PRESET, "cuda": "cuda:0"}  # where none is named; the CPU is one device


@dataclass(frozen=True)
class RunBuffers:
    """Where an engine writes results, readable by others while it runs.

    dist : (n,), or (k, n), in the type of the weights; filled with "unreached"
    vertices : per-vertex arrays from probe 2, filled with NEVER and 0, else None
    """

    dist: np.ndarray
    vertices: VertexProbe | None = None

    @classmethod
    def allocate(
        cls, graph: CSRGraph, probe: int, shape: tuple[int, ...] | None = None
    ) -> RunBuffers:
        """Make fresh arrays in this process's memory.

        shape : of `dist`, see `result_shape`; None: (n,). MemoryNeededError where a matrix
        does not fit, before anything is taken
        """
        shape = (graph.n,) if shape is None else shape
        if len(shape) == 2:
            require_room(*shape, graph.weights.dtype.itemsize)
        vertices = None
        if probe >= Probe.VERTICES:
            vertices = VertexProbe(*(np.empty(graph.n, kind) for kind in VERTEX_TYPES.values()))
        buffers = cls(np.empty(shape, graph.weights.dtype), vertices)
        buffers.clear()
        return buffers

    def clear(self) -> None:
        """Set every vertex to unreached, never processed."""
        self.dist.fill(unreached(self.dist.dtype))
        if self.vertices is not None:
            self.vertices.first_reached_ns.fill(NEVER)
            self.vertices.last_improved_ns.fill(NEVER)
            self.vertices.times_processed.fill(0)


@dataclass(frozen=True)
class EngineOutcome:
    """What an engine knows once it ends."""

    clock: str  # "modelled" or "measured"
    outcome: str  # "finished" or "stopped"
    environment: dict[str, Any] = field(default_factory=dict)  # engine, device, versions
    events: np.ndarray | None = None  # EVENT (e,)
    overflowed: bool = False  # a relax passed the range of the number type and was left out


class Observer:
    """Watches a run on the engine's thread, and keeps a copy of every sample.

    on_samples : receives SAMPLE (k,), k >= 1. May wait (pace)
    should_stop : whether to end the run now; called at least every 50 ms of wall time
    delta_by_hand : the delta that the user holds, None while the algorithm drives
    """

    def __init__(
        self,
        on_samples: Callable[[np.ndarray], object] | None = None,
        should_stop: Callable[[], bool] | None = None,
        delta_by_hand: Callable[[], float | None] | None = None,
    ) -> None:
        self._batches: list[np.ndarray] = []
        self._on_samples, self._should_stop = on_samples, should_stop
        self._delta_by_hand = delta_by_hand

    def begin(self, graph: CSRGraph, settings: RunSettings) -> RunBuffers | None:
        """Return the arrays that the run is to write, or None for fresh ones.

        Called again where the run is repeated. graph : its weights have the type of the run
        """
        self._batches = []
        return None

    def on_samples(self, samples: np.ndarray) -> None:
        """Copy SAMPLE (k,), a view that is valid during the call, and pass it on."""
        self._batches.append(samples.copy())
        if self._on_samples is not None:
            self._on_samples(self._batches[-1])

    def should_stop(self) -> bool:
        """Return whether to end the run now."""
        return self._should_stop is not None and self._should_stop()

    def delta_by_hand(self) -> float | None:
        """Return the delta that the user holds."""
        return self._delta_by_hand() if self._delta_by_hand is not None else None

    def samples_per_slice(self) -> int:
        """Return how many samples to make before the next call; small for a slow pace."""
        return 256

    def samples(self) -> np.ndarray:
        """Return everything received since `begin`, SAMPLE (k,)."""
        return np.concatenate(self._batches) if self._batches else np.zeros(0, SAMPLE)


def run(graph: CSRGraph, settings: RunSettings, observer: Observer | None = None) -> Trace:
    """Run one algorithm to its end and return its trace. Every run is made here.

    Where "auto" finds int32 too small for a distance, a run is repeated in int64; where the queues
    of the GPU were too small, once with larger ones (environment "queues"). The observer sees both.

    Raises SourceError, ParameterError, MemoryNeededError, EngineError (no GPU), WeightError (a
    weight does not fit the type), DistanceRangeError (a distance does not).
    """
    settings, observer = checked_settings(graph, settings), observer or Observer()
    notes: dict[str, str] = {}  # for the trace's environment
    while True:
        in_type = in_numbers(graph, settings.numbers)
        buffers = observer.begin(in_type, settings)
        if buffers is None:
            shape = result_shape(in_type, settings)
            buffers = RunBuffers.allocate(in_type, settings.probe, shape)
        try:
            outcome = execute(in_type, settings, buffers, observer)
        except DistanceRangeError:
            numbers = wider(graph, settings.numbers)
            if numbers is None:
                raise
            settings = replace(settings, numbers=numbers)
        except QueuesFullError as error:
            notes["queues"] = f"{error}: run again with more"
        else:
            date = datetime.now(UTC).isoformat(timespec="seconds")
            return Trace(
                settings=settings,
                graph=graph_reference(graph, settings.source),
                samples=observer.samples(),
                dist=buffers.dist,
                clock=outcome.clock,
                outcome=outcome.outcome,
                environment={"date": date, **outcome.environment, **notes},
                vertices=buffers.vertices,
                events=outcome.events,
            )


def run_named(
    graph: CSRGraph,
    algorithm: str = "adds",
    engine: str = "model",
    source: int = 0,
    delta: float | None = None,
    probe: int = Probe.SAMPLES,
    *,
    on_samples: Callable[[np.ndarray], object] | None = None,
    should_stop: Callable[[], bool] | None = None,
    delta_by_hand: Callable[[], float | None] | None = None,
    **fields: Any,
) -> Trace:
    """Run one algorithm to its end and return its trace: `gpu.run`, for scripts.

    Parameters
    ----------
    graph : see `gpu.load_graph` and `sample_graphs`
    algorithm, engine : a key of `gpu.algorithms.ALGORITHMS`, one of its engines
    source : 0-based index (`graph.vertex_of(id)` finds the index of a file's own id)
    delta : bucket width, weight units, > 0; None lets the algorithm choose
    probe : 0 nothing, 1 samples, 2 per-vertex times, 3 every event (small graphs)
    on_samples : receives SAMPLE batches while it runs
    should_stop : called often; True ends the run, the trace says "stopped"
    delta_by_hand : called often; a number overrides the controller, None hands back
    fields : the other fields of `gpu.record.trace.RunSettings`: device, parameters, seed,
        sample_period_ns, numbers

    Raises what `run` raises.
    """
    settings = RunSettings(algorithm, engine, source=source, delta=delta, probe=probe, **fields)
    return run(graph, settings, Observer(on_samples, should_stop, delta_by_hand))


def checked_settings(graph: CSRGraph, settings: RunSettings) -> RunSettings:
    """Return the settings with defaults filled in. Raises ParameterError, SourceError."""
    row = find(settings.algorithm)
    row.check_engine(settings.engine)
    if settings.delta is not None and not 0 < settings.delta < float("inf"):
        raise ParameterError(f"delta = {settings.delta}; allowed: a finite number above 0")
    if settings.probe not in tuple(Probe):
        raise ParameterError(f"probe = {settings.probe}; allowed: 0, 1, 2 or 3")
    parameters, source = row.checked_parameters(settings.parameters or {}), settings.source
    if row.result == "matrix":
        source, count = source_range(parameters, graph.n)
        if settings.probe >= Probe.EVENTS:
            check_events(count, graph.m)
    if settings.policy is not None:
        check_runs(settings.policy, row.key, row.dynamic)
    return replace(
        settings,
        algorithm=row.key,
        device=settings.device or DEVICES.get(settings.engine, settings.engine),
        source=graph.check_source(source),
        delta=settings.delta if row.bucketed else None,
        probe=int(settings.probe),
        parameters=parameters,
        numbers=check_choice(settings.numbers),
    )


def result_shape(graph: CSRGraph, settings: RunSettings) -> tuple[int, ...]:
    """Return the shape of a run's distances: (n,), or (k, n) from k sources. ParameterError."""
    row = ALGORITHMS.get(settings.algorithm)  # an unknown one is reported by `checked_settings`
    if row is None or row.result == "row":
        return (graph.n,)
    _, count = source_range(row.checked_parameters(settings.parameters), graph.n)
    return (count, graph.n)


def execute(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
) -> EngineOutcome:
    """Call the engine that checked settings name. DistanceRangeError."""
    graph = in_numbers(graph, settings.numbers)
    engine = find(settings.algorithm).engine(settings.engine)
    outcome: EngineOutcome = engine(graph, settings, buffers, observer)
    if outcome.overflowed and outcome.outcome == "finished":
        judge_range(graph, buffers.dist)
    if outcome.clock == "modelled" and settings.algorithm not in OURS:
        outcome.environment[NOT_RANKED] = "an installed algorithm's package models its own times"
    return outcome


def graph_reference(graph: CSRGraph, source: int) -> GraphReference:
    """Return what a trace remembers of its graph."""
    remember(graph)
    return GraphReference(
        graph.name,
        graph.provenance.origin,
        graph.hash,
        graph.n,
        graph.m,
        graph.integer,
        graph.id_of(source),
        dict(graph.provenance.options),
    )
