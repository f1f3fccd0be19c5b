"""Near-Far, Bellman-Ford and delta-stepping on the device: one launcher, and all sizes.

An algorithm is a `Kernel`, made of `kernels/superstep.cuh`; `Kernel.run` is its engine function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gpu.cuda import launch
from gpu.cuda.device import Device
from gpu.cuda.module import function
from gpu.cuda.records import bits_of, entry_bytes, item_bytes
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.graph import CSRGraph
from gpu.record.trace import RunSettings

LOG_WORDS = 4096 * 12  # int32: superstep records on their way to the courier
MOST_PLACES = 1 << 31  # of a pile, whose number has 32 bits
SETTLED = 2  # which pile of items is that of settled vertices, where there are so many


@dataclass(frozen=True)
class Tuning:
    """What was tuned on an H100; nothing of it changes a result."""

    threads: int = 1024  # a block
    blocks_per_sm: int = 1  # that share a wide frontier
    wide_enter: int = 640  # vertices in near at which all blocks join
    wide_leave: int = 512  # and leave again


TUNED = Tuning()


def twice_and_half(graph: CSRGraph) -> int:
    """Return the places of a pile that grows for a bucket: every vertex twice, half of the arcs."""
    return 2 * graph.n + graph.m // 2 + 4096


def every_arc(graph: CSRGraph) -> int:
    """Return the places of a pile of one superstep, which queues at most m items."""
    return graph.m + 4096


def nothing(graph: CSRGraph, settings: RunSettings) -> dict[str, int]:
    """Return no fields of RUN: the common ones are enough."""
    return {}


@dataclass(frozen=True)
class Kernel:
    """One algorithm of supersteps."""

    file: str  # kernel source
    name: str  # and its entry
    piles: int  # of items: two for far, one (`SETTLED`) for settled vertices
    room: Callable[[CSRGraph], int] = twice_and_half  # places of one pile
    own: Callable[[CSRGraph, RunSettings], dict[str, int]] = nothing  # fields of RUN

    def run(
        self, graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
    ) -> EngineOutcome:
        """Run on the GPU. The device arbitrates by itself: `seed` changes nothing.

        Every superstep is a sample, so the period is not used; where supersteps come faster
        than samples can leave, some are left out.
        """
        return launch.go(graph, settings, buffers, observer, self.make_plan)[0]

    def make_plan(self, graph: CSRGraph, settings: RunSettings, device: Device) -> launch.Plan:
        """Size piles and grid, and fill the kernel's record."""
        variant = (settings.probe, graph.weights.dtype.name, TUNED.threads)
        kernel = function(device.number, self.file, self.name, *variant)
        workers = max(TUNED.blocks_per_sm * device.multiprocessors - 1, 1)
        most = launch.resident_blocks(device, kernel, TUNED.threads) - 1  # one block is the courier
        launch.refuse_workers(workers, most, device, TUNED.threads)
        launch.device_graph(graph, device)  # before the piles: it is the larger demand
        place_bytes = self.needed_bytes(1, graph.weights.dtype)
        room = launch.places_for(graph, self.file, self.room(graph), place_bytes, MOST_PLACES)
        record = launch.new_record(
            source=settings.source,
            workers=workers,
            threads=workers * TUNED.threads,
            drop_stale=1,  # one vertex is processed at most once a superstep
            pile_room=room,
            wide_enter=TUNED.wide_enter,
            wide_leave=TUNED.wide_leave,
            **self.own(graph, settings),
        )
        record["rule"]["given"] = settings.delta or 0.0
        plan = launch.Plan(self.file, self.name, TUNED.threads, workers, record)
        self._allocate(plan, graph, room, settings.probe)
        return plan

    def needed_bytes(self, room: int, numbers: np.dtype) -> int:
        """Return the bytes of all piles of `room` places, for a number type."""
        return (2 * entry_bytes(numbers) + self.piles * item_bytes(numbers)) * room

    def _allocate(self, plan: launch.Plan, graph: CSRGraph, room: int, probe: int) -> None:
        import cupy

        numbers = graph.weights.dtype
        piles = f"the piles (near twice, {self.piles} others, of {room:,} places)"
        launch.refuse_beyond(self.needed_bytes(room, numbers) + launch.SPARE_BYTES, piles)
        plan.arrays["items"] = cupy.empty(2 * room * entry_bytes(numbers) // 8, np.uint64)
        far = self.piles * room * item_bytes(numbers) // 8
        plan.arrays["far"] = cupy.empty(max(far, 1), np.uint64)
        plan.arrays["readings"] = cupy.empty(LOG_WORDS, np.int32)
        if self.piles > SETTLED:
            plan.arrays["written"] = cupy.empty(-(-graph.n // 16) * 16, bits_of(numbers))
            plan.clear.append((plan.arrays["written"], 0))
        if probe:
            plan.clear.append((plan.arrays["readings"], 0))


NEAR_FAR = Kernel("near_far.cu", "near_far", piles=2)
BELLMAN_FORD = Kernel("bellman_ford.cu", "bellman_ford", piles=0, room=every_arc)
DELTA_STEPPING = Kernel("delta_stepping.cu", "delta_stepping", piles=3)
near_far, bellman_ford, delta_stepping = NEAR_FAR.run, BELLMAN_FORD.run, DELTA_STEPPING.run
