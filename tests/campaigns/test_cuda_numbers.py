"""The fuzzer of number types: its truth is right, and it notices each kind of fault."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cuda_numbers
import numpy as np
import pytest
from cuda_numbers import exact_distances, exact_units, fits_type, make_case

import gpu
from gpu.errors import DistanceRangeError, EngineError
from gpu.graph import CSRGraph
from gpu.numbers import NUMBER_TYPES, unreached


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


def run_with(change: Any, monkeypatch: pytest.MonkeyPatch, path: Path) -> dict[str, Any]:
    """Fuzz an engine whose answers `change` makes; return the report's sums."""

    def run(graph: CSRGraph, *_: Any, **__: Any) -> Any:
        return SimpleNamespace(dist=change(graph))

    monkeypatch.setattr(gpu, "run", run)
    monkeypatch.setattr(cuda_numbers, "LARGEST", 300)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)  # no other processes
    arguments = ["60", "--engine", "model", "--rows", "adds", "--graphs", "150"]
    arguments += ["--json", str(path)]
    status = cuda_numbers.main(arguments)
    report = json.loads(path.read_text("utf-8"))
    assert status == (report["bad"] > 0)
    names = cuda_numbers.COLUMNS
    return {name: sum(row[name] for row in report["rows"]) for name in names}


def test_right_answers_pass(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sums = run_with(answers, monkeypatch, tmp_path / "report.json")
    assert sums["graphs"] >= 150
    assert sums["refused"] > 0
    assert sums["wrong"] == sums["false refusals"] == sums["missed refusals"] == sums["errors"] == 0


def test_wrong_distances_are_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def first_lost(graph: CSRGraph) -> np.ndarray:
        dist = answers(graph)
        dist[1] = unreached(dist.dtype)
        return dist

    sums = run_with(first_lost, monkeypatch, tmp_path / "report.json")
    assert sums["wrong"] >= 4


def test_refusals_are_noticed_both_ways(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(graph: CSRGraph) -> np.ndarray:
        raise DistanceRangeError("no")

    def accept(graph: CSRGraph) -> np.ndarray:
        return np.zeros(graph.n, graph.weights.dtype)

    def fail(graph: CSRGraph) -> np.ndarray:
        raise EngineError("lost")

    path = tmp_path / "report.json"
    assert run_with(refuse, monkeypatch, path)["false refusals"] > 0
    assert run_with(accept, monkeypatch, path)["missed refusals"] > 0
    assert run_with(fail, monkeypatch, path)["errors"] > 0


def test_the_truth_is_exact() -> None:
    ends = np.array([0, 0, 2]), np.array([1, 2, 1])
    assert exact_distances(4, *ends, [2**31 - 1, 1, 1]) == [0, 2, 1, None]
    assert exact_units(np.array([2.0**-1074, 1.0])) == [1, 2**1074]
    assert exact_units(np.array([3 * 2.0**-149], np.float32)) == [3]
    assert fits_type([0, 2**31 - 2], 2, "int32")
    assert not fits_type([0, 2**31 - 1], 2, "int32")
    assert fits_type([0, int(np.finfo(np.float64).max) << 1074], 2, "float64") is None


@pytest.mark.parametrize("kind", NUMBER_TYPES)
def test_weights_reach_both_ends_of_a_type(kind: str) -> None:
    rng = np.random.default_rng(1)
    cases = [make_case(rng, kind, int(rng.integers(5, 61))) for _ in range(200)]
    weights = np.concatenate([case.weights for case in cases])
    assert weights.dtype == kind
    assert weights.min() == 0
    top = np.iinfo(kind).max if kind.startswith("int") else np.finfo(kind).max
    assert weights.max() > top / 4
    assert {case.fits for case in cases} >= {True, False}
    if kind.startswith("float"):
        assert ((weights > 0) & (weights < np.finfo(kind).tiny)).any()


def test_a_turn_has_small_graphs_or_a_large_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_numbers, "LARGEST", 300)
    sizes = [[len(cases) for cases in cuda_numbers.packs(1, turn)[1]] for turn in range(12)]
    assert [size for size in sizes[:4] if size] == [[1]] * len([size for size in sizes[:4] if size])
    assert all(size[0] == cuda_numbers.PACK for size in sizes[4:])
    assert cuda_numbers.packs(1, 5)[1][0][0].weights.dtype == "int64"
