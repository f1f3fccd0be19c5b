"""The fuzzer of number types: its truth is right, and it notices each kind of fault."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import cuda_numbers
import numpy as np
import pytest
from cuda_numbers import exact_distances, exact_units, fits_type

import gpu
from gpu.algorithms import ALGORITHMS
from gpu.errors import DistanceRangeError, EngineError
from gpu.graph import CSRGraph
from gpu.numbers import unreached


def answers(graph: CSRGraph) -> np.ndarray:
    """Return exact distances from 0, rounded once; DistanceRangeError where one does not fit."""
    kind = graph.weights.dtype
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    exact = exact_distances(graph.n, tails, graph.indices, exact_units(graph.weights))
    if not fits_type(exact, graph.n, kind.name):
        raise DistanceRangeError("too far")
    unit = 1 << cuda_numbers.SMALLEST_BIT.get(kind.name, 0)
    found = [unreached(kind) if e is None else (e if kind.kind == "i" else e / unit) for e in exact]
    return np.array(found, kind)


def sums_with(change: Any, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Fuzz an engine whose answers `change` makes; return the sums."""

    def run(graph: CSRGraph, *_: Any, **__: Any) -> Any:
        return SimpleNamespace(dist=change(graph))

    monkeypatch.setattr(gpu, "run", run)
    monkeypatch.setattr(cuda_numbers, "LARGEST", 300)
    tally = cuda_numbers.fuzz([ALGORITHMS["adds"]], "model", 150, 1, 60.0)
    return {name: tally.total(name) for name in cuda_numbers.COLUMNS}


def test_right_answers_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    sums = sums_with(answers, monkeypatch)
    assert sums["graphs"] >= 150
    assert sums["refused"] > 0
    assert not any(sums[name] for name in cuda_numbers.FAULTS)


def lost(graph: CSRGraph) -> np.ndarray:
    dist = answers(graph)
    dist[1] = unreached(dist.dtype)
    return dist


def refuse(graph: CSRGraph) -> np.ndarray:
    raise DistanceRangeError("no")


def accept(graph: CSRGraph) -> np.ndarray:
    return np.zeros(graph.n, graph.weights.dtype)


def fail(graph: CSRGraph) -> np.ndarray:
    raise EngineError("lost")


@pytest.mark.parametrize(
    ("change", "column"),
    list(zip((lost, refuse, accept, fail), cuda_numbers.FAULTS, strict=True)),
)
def test_each_kind_of_fault_is_noticed(
    change: Any, column: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sums_with(change, monkeypatch)[column] > 0


def test_the_truth_is_exact() -> None:
    ends = np.array([0, 0, 2]), np.array([1, 2, 1])
    assert exact_distances(4, *ends, [2**31 - 1, 1, 1]) == [0, 2, 1, None]
    assert exact_units(np.array([2.0**-1074, 1.0])) == [1, 2**1074]
    assert exact_units(np.array([3 * 2.0**-149], np.float32)) == [3]
    assert fits_type([0, 2**31 - 2], 2, "int32")
    assert not fits_type([0, 2**31 - 1], 2, "int32")
    assert fits_type([0, int(np.finfo(np.float64).max) << 1074], 2, "float64") is None
