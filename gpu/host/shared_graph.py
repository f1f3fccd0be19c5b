"""Graphs and run buffers as segments: put in by one process, seen by the other.

One segment holds a whole graph, with room for a provisional picture where the graph
has no positions of its own. The parent sees it read-only; in the child, arrays stay
writeable, because Numba compiles a second version of every loop for read-only arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gpu.engine import RunBuffers, result_shape
from gpu.graph import CSRGraph
from gpu.host.memory import Memory, Segment, Shapes, share
from gpu.host.messages import GraphHandle
from gpu.numbers import type_for
from gpu.record.trace import Probe, RunSettings, VertexProbe

PICTURE = "provisional"  # name of the provisional positions in a graph's segment


@dataclass(frozen=True)
class SharedGraph:
    """A mapped graph; `picture` is float32 (n, 2), or None."""

    handle: GraphHandle
    segment: Segment
    graph: CSRGraph
    picture: np.ndarray | None


def share_graph(memory: Memory, token: int, graph: CSRGraph) -> SharedGraph:
    """Copy a graph into a fresh segment; the picture is zeros. MemoryNeededError."""
    arrays = {
        name: np.asarray(array)
        for name in ("indptr", "indices", "weights", "positions", "ids")
        if (array := getattr(graph, name)) is not None
    }
    picture: Shapes = {PICTURE: (np.float32, (graph.n, 2))} if graph.positions is None else {}
    segment = share(memory, graph_tag(token), arrays, picture)
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


def with_note(shared: SharedGraph, note: str) -> SharedGraph:
    """Return the same graph without a picture and with one more note on its provenance."""
    provenance = shared.handle.provenance
    provenance = replace(provenance, notes=(*provenance.notes, note))
    handle = replace(shared.handle, provenance=provenance)
    graph = replace(shared.graph, provenance=provenance)
    return without_picture(SharedGraph(handle, shared.segment, graph, None))


def without_picture(shared: SharedGraph) -> SharedGraph:
    """Return the same graph with no room for a picture."""
    places = {name: p for name, p in shared.handle.shared.places.items() if name != PICTURE}
    handle = replace(shared.handle, shared=replace(shared.handle.shared, places=places))
    return SharedGraph(handle, shared.segment, shared.graph, None)


def graph_tag(token: int) -> str:
    """Name a graph's segment by the request that made it, so that orphans are found."""
    return f"g{token}"


def buffer_shapes(graph: CSRGraph, settings: RunSettings) -> Shapes:
    """Return what a run on `graph` writes. Raises ParameterError: no such algorithm or sources."""
    shape = result_shape(graph, settings)
    shapes: dict[str, tuple[object, tuple[int, ...]]] = {
        "dist": (type_for(graph, settings.numbers), shape)
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
