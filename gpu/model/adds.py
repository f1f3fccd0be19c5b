"""ADDS on the modelled GPU: the engine function, and the run as the driver sees it."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu import delta as rules
from gpu.devices import find_preset
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.errors import MemoryNeededError
from gpu.graph import CSRGraph
from gpu.model import adds_loop, machine
from gpu.model.driver import drive, sampling_period
from gpu.model.log import LOG_FULL, Log, check_probe, grown, note
from gpu.record.events import EventKind
from gpu.record.trace import Flag, Reason, RunSettings

ARRAY_SHARE = 4  # bytes per word of the device's own arrays


def run(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
) -> EngineOutcome:
    """Run ADDS on a modelled device."""
    check_probe(settings.probe, graph)
    return drive(AddsRun(graph, settings, buffers), graph, observer, settings.device)


class AddsRun:
    """One modelled run of ADDS; see `gpu.model.driver.Slices`."""

    def __init__(self, graph: CSRGraph, settings: RunSettings, buffers: RunBuffers) -> None:
        preset = find_preset(settings.device)
        workers = settings.parameters["workers"] or preset.workers
        self._graph, self._preset = graph, preset
        self._machine = machine.make_machine(graph, preset, workers, settings, buffers)
        self._cost = machine.make_cost(graph, preset, workers, settings)
        self.controller = machine.controller_for(graph, preset, workers, settings)
        period_ns = sampling_period(settings, preset.sample_period_ns)
        start_ns, blocks = preset.start_ns(graph.n, graph.m), len(self._machine.free)
        self.sim = machine.make_sim(period_ns, workers, blocks, settings.seed, start_ns)
        self.sim[0].reason = int(Reason.START)
        k = self.controller[0]
        note(self.log, start_ns, EventKind.DELTA, int(Reason.START), k.open_heads, k.delta)
        adds_loop.queue_source(
            self._machine, self.sim, self._cost, self.controller, settings.source
        )

    def advance(self, samples: np.ndarray, arcs: int) -> int:
        """Advance by a slice; grow the pool where it ran dry."""
        written = adds_loop.advance(
            self._machine, self.sim, self._cost, self.controller, samples, arcs
        )
        if self.sim[0].status == machine.POOL_DRY:
            self._grow()
        elif self.sim[0].status == LOG_FULL:
            self._machine = self._machine._replace(log=grown(self.log))
        return int(written)

    @property
    def log(self) -> Log:
        """What probe level 3 recorded so far."""
        return self._machine.log

    def set_delta(self, delta: float | None) -> None:
        """A person takes delta over, or hands it back."""
        before = float(self.controller[0].delta)
        if delta is None:
            rules.hand_back(self.controller)
            return
        rules.take_over(self.controller, delta)
        sim = self.sim[0]
        sim.delta_changes += int(delta != before)
        if delta != before:
            heads = self.controller[0].open_heads
            note(self.log, sim.t_ns, EventKind.DELTA, int(Reason.BY_HAND), heads, delta)
            sim["flags"] |= int(Flag.DELTA_RAISED if delta > before else Flag.DELTA_LOWERED)

    def final_sample(self, sample: Any) -> None:
        """Write the state as it is."""
        adds_loop.write_sample(
            self._machine, self.sim[0], self._cost[0], self.controller[0], sample
        )

    def _grow(self) -> None:
        """Double the pool, unless the modelled device's memory would not hold it."""
        items = self._machine.pool.size
        needed = ARRAY_SHARE * (2 * items + self._graph.n) + self._graph.nbytes
        if needed > self._preset.memory_bytes:
            raise MemoryNeededError(
                f"the bucket pool ran dry at {items:,} items; twice as many need "
                f"{needed / 1e9:.1f} GB of the {self._preset.memory_bytes / 1e9:.0f} GB that "
                f"{self._preset.name} has: use a larger delta or another device"
            )
        self._machine = machine.grow_pool(self._machine, self.sim)
