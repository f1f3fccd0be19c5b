"""Every algorithm of SSSP Scope: each module of this package that has an `ALGORITHM`."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from gpu.algorithms.registry import Algorithm, Parameter
from gpu.errors import ParameterError
from gpu.words import did_you_mean

FIRST = (  # in menus and lists; others follow by name
    *("adds", "near_far", "async_near_far", "delta_stepping", "bellman_ford", "dijkstra"),
    *("adds_static", "adds_two_buckets", "cugraph", "edge_apsp", "delta_apsp", "apsp_fast"),
)

__all__ = ["ALGORITHMS", "Algorithm", "Parameter", "essay", "find"]


def _modules() -> dict[str, ModuleType]:
    names = sorted(info.name for info in iter_modules(__path__))
    modules = [import_module(f"{__name__}.{name}") for name in names]
    by_key = {module.ALGORITHM.key: module for module in modules if hasattr(module, "ALGORITHM")}
    order = [*(key for key in FIRST if key in by_key), *(key for key in by_key if key not in FIRST)]
    return {key: by_key[key] for key in order}


_MODULES = _modules()
ALGORITHMS: dict[str, Algorithm] = {key: module.ALGORITHM for key, module in _MODULES.items()}


def essay(key: str) -> str:
    """Return the docstring of an algorithm's module: its essay, in named parts."""
    return _MODULES[key].__doc__ or ""


def find(key: str) -> Algorithm:
    """Return the row called `key`, or raise ParameterError naming those that exist."""
    if key not in ALGORITHMS:
        near = did_you_mean(key, ALGORITHMS)
        raise ParameterError(f"no algorithm {key!r}{near}; there are: {', '.join(ALGORITHMS)}")
    return ALGORITHMS[key]
