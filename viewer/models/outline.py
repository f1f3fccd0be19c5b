"""A graph whose arcs are still being made: enough of it to show a run that was recorded on it.

Making a graph of 200,000 vertices takes seconds where loops are to be compiled first. What a
recording brings along, where the vertices are, is drawn meanwhile. Counts, name and hash of an
outline are those of the graph; its arcs are not: each is a loop of weight 0, which nobody draws.
So nothing may be read off them: the engine process makes the graph by its name and seed, runs wait
for it there, and `SessionModel.complete` puts it in the outline's place.
"""

from __future__ import annotations

import numpy as np

from gpu.graph import CSRGraph, Provenance
from gpu.record.trace import GraphReference
from sample_graphs import remembered_reference


class GraphOutline(CSRGraph):
    """The vertices of a sample; see the module docstring."""

    @classmethod
    def of(cls, graph: GraphReference, positions: np.ndarray) -> GraphOutline:
        """Return the outline of a graph, drawn at float32 (n, 2) positions."""
        indptr = np.arange(graph.n + 1, dtype=np.int64) * graph.m // max(graph.n, 1)
        heads = np.repeat(np.arange(graph.n, dtype=np.int32), np.diff(indptr))
        nothing = np.zeros(1, np.int32 if graph.integer else np.float64)
        weights = np.broadcast_to(nothing, graph.m)
        made = Provenance(graph.origin, "sample", graph.options)
        outline = cls(indptr, heads, weights, positions, name=graph.name, provenance=made)
        vars(outline)["hash"] = graph.hash
        return outline

    @property
    def reference(self) -> str:
        """What `sample_graphs.open_sample` makes the graph from."""
        return remembered_reference(self.provenance.origin, self.provenance.options)
