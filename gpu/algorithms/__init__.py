"""Every algorithm of SSSP Scope: each module of this package that has an `ALGORITHM`.

After them those of other packages (entry points of GROUP), which are looked for when they are
needed: a key is not one of ours, or a list goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from gpu.algorithms.registry import Algorithm, Parameter
from gpu.errors import ParameterError
from gpu.words import SENTENCE, did_you_mean, in_sight

FIRST = (  # in menus and lists; others follow by name
    *("adds", "near_far", "async_near_far", "delta_stepping", "bellman_ford", "dijkstra"),
    *("adds_static", "adds_two_buckets", "cugraph", "edge_apsp", "delta_apsp", "apsp_fast"),
)

GROUP = "sssp_scope.algorithms"  # entry points, each a module with an `ALGORITHM`

__all__ = ["ALGORITHMS", "OURS", "Algorithm", "Parameter", "essay", "find", "outside"]


def _modules() -> dict[str, ModuleType]:
    names = sorted(info.name for info in iter_modules(__path__))
    modules = [import_module(f"{__name__}.{name}") for name in names]
    by_key = {module.ALGORITHM.key: module for module in modules if hasattr(module, "ALGORITHM")}
    order = [*(key for key in FIRST if key in by_key), *(key for key in by_key if key not in FIRST)]
    return {key: by_key[key] for key in order}


_MODULES = _modules()
OURS: dict[str, Algorithm] = {key: module.ALGORITHM for key, module in _MODULES.items()}


@cache
def outside() -> tuple[dict[str, ModuleType], list[str]]:
    """Return other packages' modules by key, and a sentence for each that is left out."""
    from importlib.metadata import entry_points

    modules: dict[str, ModuleType] = {}
    left_out = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            module = point.load()
            if not isinstance(module.ALGORITHM, Algorithm):
                raise ParameterError("its ALGORITHM is not a gpu.algorithms.Algorithm")
            key = module.ALGORITHM.key
            if key in _MODULES or key in modules:
                raise ParameterError(f"another algorithm has the key {key!r}; choose a new key")
            modules[key] = module
        except (Exception, SystemExit) as error:  # it costs itself
            words = in_sight(f"{type(error).__name__}: {error}", SENTENCE)
            left_out.append(f"algorithm {point.name} ({point.value}) is left out: {words}")
    return modules, left_out


class _Rows(Mapping[str, Algorithm]):
    def __getitem__(self, key: str) -> Algorithm:
        return OURS[key] if key in OURS else outside()[0][key].ALGORITHM

    def __iter__(self) -> Iterator[str]:
        yield from OURS
        yield from outside()[0]

    def __len__(self) -> int:
        return len(OURS) + len(outside()[0])


ALGORITHMS: Mapping[str, Algorithm] = _Rows()


def essay(key: str) -> str:
    """Return the docstring of an algorithm's module: its essay, in named parts."""
    return (_MODULES.get(key) or outside()[0][key]).__doc__ or ""


def find(key: str) -> Algorithm:
    """Return the row called `key`, or raise ParameterError naming those that exist."""
    if key not in ALGORITHMS:
        near = did_you_mean(key, ALGORITHMS)
        words = "; ".join([", ".join(ALGORITHMS), *outside()[1]])
        raise ParameterError(f"no algorithm {key!r}{near}; there are: {words}")
    return ALGORITHMS[key]
