"""What a notebook shows of a record: asked here, answered by `gpu.page`, which lies above.

IPython asks the object that a cell ends with for `_repr_mimebundle_`. The room that draws is found
by its name, as an engine is, so that a trace knows nothing of pages. A trace holds no graph: those
that something ran on are remembered here as long as somebody else keeps them.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any
from weakref import WeakValueDictionary

from gpu.graph import CSRGraph

NOTEBOOK = "gpu.page.notebook"
_graphs: WeakValueDictionary[str, CSRGraph] = WeakValueDictionary()


class Shown:
    """Something that a notebook can show."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Return text, a drawing and a page, by MIME type."""
        bundle: dict[str, str] = import_module(NOTEBOOK).bundle(self)
        return bundle


def remember(graph: CSRGraph) -> None:
    """Let a run on this graph be drawn with it, while the graph is there."""
    _graphs[graph.hash] = graph


def remembered(graph_hash: str) -> CSRGraph | None:
    """Return the graph of that hash, None where nobody has it any more."""
    return _graphs.get(graph_hash)
