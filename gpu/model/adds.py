"""ADDS on the modelled GPU: the engine function, and the run as the driver sees it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gpu import delta as rules
from gpu.compiled import uncompiled
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.errors import MemoryNeededError
from gpu.graph import CSRGraph
from gpu.loops.codes import POOL_DRY
from gpu.loops.log import note
from gpu.loops.run import LoopRun
from gpu.loops.state import make_state, reach_source
from gpu.model import adds_loop, machine
from gpu.model.modelled_run import run_modelled
from gpu.record.events import EventKind
from gpu.record.trace import Flag, Reason, RunSettings

ARRAY_SHARE = 4  # bytes per word of the device's own arrays
GOLDEN = 0x9E3779B97F4A7C15  # spreads seeds


def run(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
) -> EngineOutcome:
    """Run ADDS on a modelled device; the environment says with how many workers."""
    make = AddsRun
    if settings.policy is not None:
        from gpu.model import policy

        make = policy.SteeredRun
    outcome = run_modelled(make, graph, settings, buffers, observer)
    device = machine.device_for(graph, settings)
    workers = machine.workers_of(graph, settings, device)
    sizes = {"workers": workers, "threads_per_worker": device.worker_threads}
    return replace(outcome, environment=outcome.environment | sizes)


class AddsRun(LoopRun):
    """One modelled run of ADDS, its source in the head bucket, all workers idle."""

    def __init__(self, graph: CSRGraph, settings: RunSettings, buffers: RunBuffers) -> None:
        preset = machine.device_for(graph, settings)
        self._graph, self._preset = graph, preset
        arrays = machine.make_machine(graph, preset, settings, buffers)
        sim = make_state(machine.SIM, graph, settings, preset.sample_period_ns)
        s, k = sim[0], arrays.controller[0]
        s.t_ns = s.next_sweep_ns = preset.start_ns(graph.n, graph.m)
        s.idle, s.free_blocks = len(arrays.workers), len(arrays.free)
        s.random = (settings.seed * GOLDEN + 1) % 2**64
        s.reason = int(Reason.START)
        super().__init__(arrays, sim, adds_loop)
        note(self.log, s.t_ns, EventKind.DELTA, int(Reason.START), k.open_heads, k.delta)
        reach_source(arrays, settings)
        uncompiled(adds_loop.queue_source, arrays, sim, settings.source)

    def advance(self, samples: np.ndarray, arcs: int) -> int:
        """Advance by a slice; grow the pool where it ran dry."""
        written = super().advance(samples, arcs)
        if self.sim[0].status == POOL_DRY:
            self._grow()
        return written

    def set_delta(self, delta: float | None) -> None:
        """A person takes delta over, or hands it back."""
        controller = self.arrays.controller
        before = float(controller[0].delta)
        if delta is None:
            rules.hand_back(controller)
            return
        rules.take_over(controller, delta)
        self.note_delta(before, Reason.BY_HAND)

    def note_delta(self, before: float, reason: Reason) -> None:
        """Record that delta is another one, if it is."""
        sim, k = self.sim[0], self.arrays.controller[0]
        if k.delta != before:
            sim.delta_changes += 1
            note(self.log, sim.t_ns, EventKind.DELTA, int(reason), k.open_heads, k.delta)
            sim["flags"] |= int(Flag.DELTA_RAISED if k.delta > before else Flag.DELTA_LOWERED)

    def _grow(self) -> None:
        """Double the pool, unless the modelled device's memory would not hold it."""
        items = self.arrays.pool.size
        needed = ARRAY_SHARE * (2 * items + self._graph.n) + self._graph.nbytes
        if needed > self._preset.memory_bytes:
            raise MemoryNeededError(
                f"the bucket pool ran dry at {items:,} items; twice as many need "
                f"{needed / 1e9:.1f} GB of the {self._preset.memory_bytes / 1e9:.0f} GB that "
                f"{self._preset.name} has: use a larger delta or another device"
            )
        self.arrays = machine.grow_pool(self.arrays, self.sim)
