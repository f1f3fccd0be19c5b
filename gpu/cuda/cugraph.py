"""cuGraph's SSSP as an engine function: arrays in, one call, distances out."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from gpu.cuda.device import find_device
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.errors import EngineError, MemoryNeededError, ParameterError
from gpu.graph import CSRGraph
from gpu.numbers import EXACT_FLOAT64, unreached
from gpu.record.trace import SAMPLE, Flag, Probe, RunSettings

BYTES_PER_ARC = 48  # an estimate: the edge list, and three times that for the library


def run(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
) -> EngineOutcome:
    """Run cuGraph's SSSP on the GPU; whole weights are computed in float64.

    Raises ParameterError at probe levels 2 and 3, MemoryNeededError, EngineError (no GPU; a whole
    distance passes 2^53, where float64 is no longer exact).
    """
    if settings.probe >= Probe.VERTICES:
        raise ParameterError(
            f"probe = {settings.probe}; cuGraph shows nothing of its schedule: "
            "levels 0 and 1 are allowed"
        )
    device = find_device(settings.device)
    import cupy
    import pylibcugraph

    cupy.cuda.Device(device.number).use()
    free = int(cupy.cuda.runtime.memGetInfo()[0])
    needed = BYTES_PER_ARC * graph.m + 32 * graph.n
    if needed > free:
        raise MemoryNeededError(
            f"cuGraph on {graph.name}: needs about {needed / 1e9:.1f} GB of the device's memory, "
            f"{free / 1e9:.1f} GB are free; use another algorithm or a smaller graph"
        )
    stopped, elapsed_ns, overflowed = observer.should_stop(), 0, False
    if not stopped:
        dist, elapsed_ns = solve(cupy, pylibcugraph, graph, settings.source)
        overflowed = write_distances(graph, dist, buffers.dist)
    last = np.zeros(1, SAMPLE)
    last["t_ns"] = elapsed_ns
    last["flags"] = int(Flag.STOPPED if stopped else Flag.FINISHED)
    observer.on_samples(last)
    facts = {**device.facts(), "pylibcugraph": getattr(pylibcugraph, "__version__", "unknown")}
    outcome = "stopped" if stopped else "finished"
    return EngineOutcome("measured", outcome, facts, overflowed=overflowed)


def solve(cupy: Any, library: Any, graph: CSRGraph, source: int) -> tuple[np.ndarray, int]:
    """Return distances (n,), inf where unreached, and the call's time, ns.

    float64 for whole weights, else the weights' own type. A source without out-arcs is answered
    here, and so are weights that are all 0: the library derives its delta from their mean.
    """
    kind = np.dtype(np.float64) if graph.integer else graph.weights.dtype
    dist = np.full(graph.n, np.inf, kind)
    dist[source] = 0
    if graph.indptr[source] == graph.indptr[source + 1]:
        return dist, 0
    handle = library.ResourceHandle()
    tails = np.repeat(np.arange(graph.n, dtype=np.int32), np.diff(graph.indptr))
    weights = graph.weights.astype(kind)
    whole = library.SGGraph(
        handle,
        library.GraphProperties(is_symmetric=False, is_multigraph=True),
        cupy.asarray(tails),
        cupy.asarray(graph.indices),
        cupy.asarray(weights if weights.any() else np.ones_like(weights)),
        store_transposed=False,
        renumber=True,
        do_expensive_check=False,
    )
    elapsed_ns = 0
    for _ in range(2):
        cupy.cuda.runtime.deviceSynchronize()
        begun = time.perf_counter_ns()
        vertices, distances, _ = library.sssp(handle, whole, source, np.inf, True, False)
        cupy.cuda.runtime.deviceSynchronize()
        elapsed_ns = time.perf_counter_ns() - begun
    vertices, distances = cupy.asnumpy(vertices), cupy.asnumpy(distances)
    far = distances >= np.finfo(kind).max
    dist[vertices] = np.where(far, np.inf, distances if weights.any() else 0)
    return dist, elapsed_ns


def write_distances(graph: CSRGraph, dist: np.ndarray, into: np.ndarray) -> bool:
    """Write distances in the graph's type; return whether a sum may have passed it. EngineError."""
    reached = np.isfinite(dist)
    if not graph.integer:
        into[:] = dist
        farthest, heaviest = dist[reached].max(), graph.weights.max(initial=0)
        with np.errstate(over="ignore"):
            return not bool(np.isfinite(farthest + heaviest))
    fits = reached & (dist < unreached(into.dtype))
    inexact = np.flatnonzero(fits & (dist >= EXACT_FLOAT64))
    if len(inexact):
        vertex = graph.id_of(int(inexact[0]))
        raise EngineError(
            f"cuGraph computes in float64, which counts exactly to 2^53; the distance of {vertex} "
            f"is about {dist[inexact[0]]:.6g}: use another algorithm, or --numbers float64"
        )
    into[fits] = dist[fits].astype(into.dtype)
    return bool((reached & ~fits).any())
