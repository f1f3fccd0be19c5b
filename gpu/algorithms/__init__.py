"""Every algorithm that SSSP Scope knows: one file, one row."""

from __future__ import annotations

from gpu.algorithms import (
    adds,
    adds_static,
    adds_two_buckets,
    apsp_fast,
    async_near_far,
    bellman_ford,
    cugraph,
    delta_apsp,
    delta_stepping,
    dijkstra,
    edge_apsp,
    near_far,
)
from gpu.algorithms.registry import Algorithm, Parameter
from gpu.errors import ParameterError
from gpu.words import did_you_mean

_MODULES = {
    module.ALGORITHM.key: module
    for module in (
        adds,
        near_far,
        async_near_far,
        delta_stepping,
        bellman_ford,
        dijkstra,
        adds_static,
        adds_two_buckets,
        cugraph,
        edge_apsp,
        delta_apsp,
        apsp_fast,
    )
}
ALGORITHMS: dict[str, Algorithm] = {key: module.ALGORITHM for key, module in _MODULES.items()}

__all__ = ["ALGORITHMS", "Algorithm", "Parameter", "essay", "find", "plain_rows"]


def essay(key: str) -> str:
    """Return what a row's file begins with: what it is, in parts that have a name each."""
    return _MODULES[key].__doc__ or ""


def plain_rows(engine: str) -> tuple[str, ...]:
    """Return the keys of what an engine runs from one source: no ablations, no others' modules."""
    return tuple(
        key
        for key, row in ALGORITHMS.items()
        if engine in row.engines and row.result == "row" and not row.needs and not row.fixed
    )


def find(key: str) -> Algorithm:
    """Return the row called `key`, or raise ParameterError naming those that exist."""
    if key not in ALGORITHMS:
        near = did_you_mean(key, ALGORITHMS)
        raise ParameterError(f"no algorithm {key!r}{near}; there are: {', '.join(ALGORITHMS)}")
    return ALGORITHMS[key]
