"""Graphs and run buffers as segments: put in by one process, seen by the other.

One segment holds a whole graph, and a first picture where the graph has no positions. The parent
sees it read-only; in the child arrays stay writeable, because Numba compiles a second version of
every loop for read-only arrays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpu.engine import RunBuffers, result_shape
from gpu.graph import CSRGraph
from gpu.host.memory import Memory, Segment, Shapes, share
from gpu.host.messages import GraphHandle
from gpu.record.trace import Probe, RunSettings, VertexProbe

PICTURE = "provisional"  # name of the first picture's array
RUN_TAGS = "rstu"  # begin the names of a run's buffers, one for each time it is made again


@dataclass(frozen=True)
class SharedGraph:
    """A mapped graph; `picture` is float32 (n, 2), or None."""

    handle: GraphHandle
    segment: Segment
    graph: CSRGraph
    picture: np.ndarray | None


def share_graph(
    memory: Memory, token: int, graph: CSRGraph, picture: np.ndarray | None = None
) -> SharedGraph:
    """Copy a graph into a fresh segment. MemoryNeededError."""
    names = ("indptr", "indices", "weights", "positions", "ids")
    parts = {name: getattr(graph, name) for name in names} | {PICTURE: picture}
    arrays = {name: np.asarray(array) for name, array in parts.items() if array is not None}
    segment = share(memory, graph_tag(token), arrays)
    handle = GraphHandle(token, segment.shared, graph.id_base, graph.name, graph.provenance)
    return open_graph(handle, segment, writeable=True)


def open_graph(handle: GraphHandle, segment: Segment, *, writeable: bool) -> SharedGraph:
    """Return the graph that lies in a mapped segment."""
    arrays = segment.arrays(writeable=writeable)
    graph = CSRGraph(
        arrays["indptr"],
        arrays["indices"],
        arrays["weights"],
        arrays.get("positions"),
        arrays.get("ids"),
        handle.id_base,
        handle.name,
        handle.provenance,
    )
    return SharedGraph(handle, segment, graph, arrays.get(PICTURE))


def graph_tag(token: int) -> str:
    """Return the name of a graph's segment, after the request that made it."""
    return f"g{token}"


def buffer_shapes(graph: CSRGraph, settings: RunSettings) -> Shapes:
    """Return what a run writes on `graph`, whose weights have the type of the run."""
    shapes: dict[str, tuple[object, tuple[int, ...]]] = {
        "dist": (graph.weights.dtype, result_shape(graph, settings))
    }
    if settings.probe >= Probe.VERTICES:
        shapes["first_reached_ns"] = (np.int64, (graph.n,))
        shapes["last_improved_ns"] = (np.int64, (graph.n,))
        shapes["times_processed"] = (np.int32, (graph.n,))
    return shapes


def open_buffers(segment: Segment, *, writeable: bool) -> RunBuffers:
    """Return the run buffers that lie in a mapped segment."""
    arrays = segment.arrays(writeable=writeable)
    dist = arrays.pop("dist")
    return RunBuffers(dist, VertexProbe(**arrays) if arrays else None)
