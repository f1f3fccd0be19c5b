"""Whole modelled runs in a few numbers each: `tests/model/modelled_runs.json`.

    PYTHONPATH=.:tests/helpers python -m modelled_runs

writes them again, after a change of the model that is meant. Every figure that the project
quotes of a modelled device rests on these loops, so a run must not change by accident: neither
a count nor a time.
"""

import json
from pathlib import Path

import numpy as np

import gpu
from gpu.algorithms import ALGORITHMS
from gpu.graph import CSRGraph

FILE = Path(__file__).resolve().parents[1] / "model" / "modelled_runs.json"
MODELLED = [key for key, row in ALGORITHMS.items() if "model" in row.engines]
SMALL, LARGE = "Classroom GPU", "RTX 2080 Ti"
RUNS: dict[str, tuple[str, dict[str, object]]] = {
    "whole numbers": (LARGE, {}),
    "fractions": (SMALL, {}),
    "hubs": (LARGE, {"delta": 40.0}),
    "long": (SMALL, {"seed": 5}),
}


def graph_of(name: str) -> CSRGraph:
    """Return one of four graphs: a power law, a lattice, two stars on a random graph, a chain."""
    rng = np.random.default_rng(11)
    if name == "fractions":
        at = np.arange(30 * 30).reshape(30, 30)
        tails = np.concatenate([at[:, :-1].ravel(), at[:-1].ravel()])
        heads = np.concatenate([at[:, 1:].ravel(), at[1:].ravel()])
        weights = (rng.random(len(tails)) * 9).astype(np.float32)
        return CSRGraph.from_arcs(tails, heads, weights, at.size, name=name)
    if name == "whole numbers":
        n, tails = 2000, (rng.zipf(1.6, 9000) - 1) % 2000
        heads = rng.integers(0, n, len(tails))
    elif name == "hubs":
        n, spokes = 6000, rng.integers(0, 6000, 4000)
        tails = np.concatenate([np.zeros(4000, int), np.full(4000, 7), rng.integers(0, n, 3000)])
        heads = np.concatenate([spokes, rng.integers(0, n, 4000), rng.integers(0, n, 3000)])
    else:
        n, tails = 500, np.concatenate([np.arange(499), np.arange(0, 490, 7)])
        heads = np.concatenate([np.arange(1, 500), np.arange(9, 499, 7)])
    weights = rng.integers(0, 300, len(tails)).astype(np.int32)
    return CSRGraph.from_arcs(tails, heads, weights, n, name=name)


def numbers_of(algorithm: str, name: str) -> dict[str, float]:
    """Return one run's totals, and of every column a sum that tells its order as well."""
    device, options = RUNS[name]
    row = ALGORITHMS[algorithm]
    if row.result == "matrix":
        options = {"parameters": {"sources": 24}}
    elif not row.bucketed:
        options = {key: value for key, value in options.items() if key != "delta"}
    graph = graph_of(name)
    options = options | {"numbers": str(graph.weights.dtype)}
    trace = gpu.run(graph, algorithm, "model", device=device, probe=2, **options)  # type: ignore[arg-type]
    found: dict[str, float] = {"samples": len(trace.samples), "time_ns": trace.time_ns}
    for column in (trace.samples.dtype.names or ())[:-2]:  # see test_disorder.py
        found[column] = _weighed(trace.samples[column])
    found["reserved"] = 0.0  # what stood in their place when the file was written
    if trace.vertices is not None:
        found["first_reached_ns"] = _weighed(trace.vertices.first_reached_ns)
        found["last_improved_ns"] = _weighed(trace.vertices.last_improved_ns)
        found["times_processed"] = _weighed(trace.vertices.times_processed)
    return found


def _weighed(values: np.ndarray) -> float:
    """Return the mean of finite values, each weighed by its place."""
    flat = values.reshape(len(values), -1).astype(np.float64)
    flat = np.where(np.isfinite(flat), flat, -1.0)
    down, across = np.arange(1, len(flat) + 1) / len(flat), np.arange(1, flat.shape[1] + 1)
    return float(down @ flat @ across) / flat.size


def every_run() -> dict[str, dict[str, float]]:
    """Return the numbers of every algorithm on every graph."""
    return {f"{key}, {name}": numbers_of(key, name) for key in MODELLED for name in RUNS}


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {json.dumps(found)}" for name, found in every_run().items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
