"""Graph formats, shortest-path algorithms, the three engines and traces. Contains no GUI code.

    import gpu
    graph = gpu.load_graph("roads.gr.gz")
    trace = gpu.run(graph, algorithm="adds", on_samples=print)

Heavy libraries (Numba, SciPy, CuPy, NetworkX) are imported when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpu.engine import run_named as run
    from gpu.formats import load_graph
    from gpu.graph import CSRGraph
    from gpu.networks import from_networkx
    from gpu.record.trace import Trace

__all__ = ["CSRGraph", "Trace", "from_networkx", "load_graph", "run"]

_HOMES = {
    "run": ("gpu.engine", "run_named"),
    "load_graph": ("gpu.formats", "load_graph"),
    "from_networkx": ("gpu.networks", "from_networkx"),
    "CSRGraph": ("gpu.graph", "CSRGraph"),
    "Trace": ("gpu.record.trace", "Trace"),
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that `import gpu` costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'gpu' has no attribute {name!r}")
    from importlib import import_module

    module, its_name = _HOMES[name]
    return getattr(import_module(module), its_name)
