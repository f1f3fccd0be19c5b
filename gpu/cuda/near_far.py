"""Near-Far on the device: the engine function, and how big everything is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu.cuda import layout
from gpu.cuda.device import Device
from gpu.cuda.launch import (
    SPARE_BYTES,
    CudaRun,
    Plan,
    check_device,
    device_graph,
    go,
    refuse_beyond,
    refuse_workers,
    resident_blocks,
)
from gpu.cuda.module import function
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.graph import CSRGraph

LOG_WORDS = 4096 * 12  # int32: superstep records on their way to the courier


@dataclass(frozen=True)
class Tuning:
    """What was tuned on an H100; nothing of it changes a result.

    threads : a block                   blocks_per_sm : blocks that share a wide frontier
    wide_enter, wide_leave : vertices in near at which all blocks join, and leave again
    """

    threads: int = 1024
    blocks_per_sm: int = 1
    wide_enter: int = 1024
    wide_leave: int = 512


TUNED = Tuning()


def run(
    graph: CSRGraph,
    source: int,
    *,
    delta: float | None,
    parameters: Mapping[str, Any],
    device: str,
    probe: int,
    period_ns: int,
    seed: int,
    buffers: RunBuffers,
    observer: Observer,
) -> EngineOutcome:
    """Run Near-Far on the GPU; the signature is that of `gpu.engine`.

    Every superstep is a sample, so the period is not used; where supersteps come faster
    than samples can leave, some are left out.
    """
    del seed, parameters, period_ns
    outcome, _ = run_tuned(graph, source, delta, device, probe, buffers, observer, TUNED)
    return outcome


def run_tuned(
    graph: CSRGraph,
    source: int,
    delta: float | None,
    device: str,
    probe: int,
    buffers: RunBuffers,
    observer: Observer,
    tuning: Tuning,
) -> tuple[EngineOutcome, CudaRun]:
    """Run with given tuning; the run comes along, for its state."""
    found = check_device(device, probe)
    plan = make_plan(graph, source, delta, found, probe, tuning)
    return go(graph, found, plan, buffers, probe, 0, observer)


def make_plan(
    graph: CSRGraph, source: int, delta: float | None, device: Device, probe: int, tuning: Tuning
) -> Plan:
    """Size piles and grid, and fill the kernel's record."""
    variant = (probe, not graph.integer, tuning.threads)
    kernel = function(device.number, "near_far.cu", "near_far", *variant)
    workers = max(tuning.blocks_per_sm * device.multiprocessors - 1, 1)
    most = resident_blocks(device, kernel, tuning.threads) - 1  # one block is the courier
    refuse_workers(workers, most, device, tuning.threads)
    record = np.zeros(1, layout.RUN)
    room = pile_room(graph)
    values = {
        "source": source,
        "workers": workers,
        "threads": workers * tuning.threads,
        "drop_stale": 1,  # one vertex is processed at most once a superstep
        "pile_room": room,
        "wide_enter": tuning.wide_enter,
        "wide_leave": tuning.wide_leave,
    }
    for name, value in values.items():
        record[name] = value
    record["rule"]["given"] = delta or 0.0
    device_graph(graph, device)  # before the piles: it is the larger demand
    plan = Plan("near_far.cu", "near_far", tuning.threads, workers + 1, workers, record)
    _allocate(plan, room)
    return plan


def pile_room(graph: CSRGraph) -> int:
    """Return the places of one pile: every vertex twice, and half of the arcs."""
    return 2 * graph.n + graph.m // 2 + 4096


def _allocate(plan: Plan, room: int) -> None:
    import cupy

    refuse_beyond(cupy, 4 * 8 * room + SPARE_BYTES, f"the piles (4 x {room:,} places)")
    plan.arrays["items"] = cupy.empty(2 * room, np.uint64)
    plan.arrays["far"] = cupy.empty(2 * room, np.uint64)
    plan.arrays["readings"] = cupy.empty(LOG_WORDS, np.int32)
    plan.clear.append((plan.arrays["readings"], 0))
