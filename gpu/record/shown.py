"""A trace as a drawing, where a notebook asks for one (`Trace._repr_svg_`).

`gpu.page` draws it. It lies above this room, so it is imported by name. A trace holds no graph:
the graphs of runs are remembered here while something else holds them.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any
from weakref import WeakValueDictionary

from gpu.graph import CSRGraph

DRAWING = "gpu.page.drawing"
_graphs: WeakValueDictionary[str, CSRGraph] = WeakValueDictionary()


def drawing_of(trace: Any) -> str:
    """Return a trace as SVG, with its map where the graph is still in memory."""
    return str(import_module(DRAWING).run_drawing(trace, _graphs.get(trace.graph.hash)))


def remember(graph: CSRGraph) -> None:
    """Remember the graph of a run while something else holds it."""
    _graphs[graph.hash] = graph
