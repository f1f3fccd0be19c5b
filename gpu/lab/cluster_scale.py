"""What a second GPU gives: the same work on one worker and on several, each with its own GPU.

    python -m gpu.lab.cluster_scale OUT.json [--parts pairs,large] [--workers 2] [--runs 3]

pairs      all pairs of a random graph of 46,341 vertices, every row written, a file a block
large      the same of 100,000 vertices, 40 GB
one_file   as pairs, into one file
reduced    those rows reduced on the way, none written
sweep      200 values of delta on a grid, and the controller's run
sources    10,000 sources on a grid of roads with 4 M vertices, reduced on the way; where the time
           does not allow all of them on one worker, one worker gets fewer, and rates are compared

Both sides take turns on one cluster of one worker a GPU (CUDA_VISIBLE_DEVICES), the other one
first each time; for the side of one the other workers are paused. Every worker computes a block
before the clock runs: compilers and the graph's way there are not measured. The first row of every
block is proved, and every run of the sweep. Rows should be written to memory (--folder), or a disk
is timed. It ends within --budget-s, or a little later.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.interpreter import version
from gpu.lab.bench_apsp import random_graph
from gpu.record.trace import RunSettings
from gpu.study.cluster import Cluster
from gpu.study.sources import SourcesPlan, chosen_sources, from_sources, make_plan
from gpu.study.sweep import SweepPoint, make_plan as plan_sweep
from sample_graphs import make

DEGREE = 4  # arcs a vertex of the random graphs
LEAST_BLOCKS = 8  # a worker, so that all end together


def main(argv: list[str] | None = None) -> int:
    """Measure, print, write JSON after each part; return 0, or 1 where something failed."""
    args = _parser().parse_args(argv)
    args.begun = time.monotonic()
    args.told = {**about("cluster_scale"), "budget_s": args.budget_s}
    try:
        with Sides(args.workers) as cluster:
            for name in args.parts.split(","):
                PARTS[name](args, cluster)
    except GpuError as error:
        args.told["problem"] = str(error)
        print(error, file=sys.stderr)
    _write(args)
    return 1 if "problem" in args.told else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m gpu.lab.cluster_scale", description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--engine", choices=("cuda", "cpu", "model"), default="cuda")
    parser.add_argument("--parts", default=",".join(PARTS), help="which, with commas between [all]")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--n", type=int, default=46_341, help="vertices of pairs")
    parser.add_argument("--large", type=int, default=100_000, help="vertices of large")
    parser.add_argument("--grid", type=int, default=4_000_000, help="vertices of the grid")
    parser.add_argument("--sources", type=int, default=10_000)
    parser.add_argument("--swept", type=int, default=250_000, help="vertices of the sweep's grid")
    parser.add_argument("--values", type=int, default=200)
    parser.add_argument("--budget-s", type=float, default=330.0)
    parser.add_argument("--folder", help="where rows are written [the temporary folder]")
    return parser


class Sides(Cluster):
    """A cluster here, of which all workers work, or one."""

    def __init__(self, count: int) -> None:
        super().__init__(f"local:{count}", print)

    def use(self, count: int) -> None:
        """Let so many workers take tasks."""
        for place, address in enumerate(sorted(self._workers.names)):
            self._client.run(_pause, place >= count, workers=[address])


def _pause(paused: bool, dask_worker: Any) -> None:
    from distributed.core import Status

    dask_worker.status = Status.paused if paused else Status.running


def _pairs(args: argparse.Namespace, cluster: Sides) -> None:
    _all_rows(args, cluster, "pairs", args.n, args.runs)


def _one_file(args: argparse.Namespace, cluster: Sides) -> None:
    _all_rows(args, cluster, "one_file", args.n, args.runs)


def _large(args: argparse.Namespace, cluster: Sides) -> None:
    _all_rows(args, cluster, "large", args.large, args.runs)


def _reduced(args: argparse.Namespace, cluster: Sides) -> None:
    _all_rows(args, cluster, "reduced", args.large, 1, reduced=True)


def _all_rows(
    args: argparse.Namespace, cluster: Sides, name: str, n: int, runs: int, reduced: bool = False
) -> None:
    graph, least = random_graph(n, DEGREE * n), LEAST_BLOCKS * args.workers
    plan = make_plan(graph, _settings(args), range(graph.n), least=least, reduced=reduced)
    cluster.warm(graph, plan)
    _timed_rows(args, name, graph, {1: plan, args.workers: plan}, cluster, runs)


def _settings(args: argparse.Namespace) -> RunSettings:
    return RunSettings("dijkstra" if args.engine == "cpu" else "apsp_fast", args.engine, "", 0)


def _many_sources(args: argparse.Namespace, cluster: Sides) -> None:
    graph = make("grid", n=args.grid)
    chosen = chosen_sources(f"random:{min(args.sources, graph.n)}", graph)
    whole = make_plan(
        graph, _settings(args), chosen, least=LEAST_BLOCKS * args.workers, reduced=True
    )
    cluster.warm(graph, whole)
    cluster.use(1)
    first = replace(whole, sources=chosen[: whole.rows])
    block_s = _rows_s(args, graph, first, cluster, "rows.npy")
    left_s = args.budget_s - (time.monotonic() - args.begun)
    left_s -= whole.blocks * block_s / args.workers  # all of them, on several
    fit = max(LEAST_BLOCKS, int(left_s / max(block_s, 1e-3)))
    part = replace(whole, sources=chosen[: min(whole.blocks, fit) * whole.rows])
    _timed_rows(args, "sources", graph, {1: part, args.workers: whole}, cluster, 1)


def _timed_rows(
    args: argparse.Namespace,
    name: str,
    graph: CSRGraph,
    plans: dict[int, SourcesPlan],
    cluster: Sides,
    runs: int,
) -> None:
    """Time a plan for each number of workers."""
    plan = plans[args.workers]
    about: dict[str, Any] = {
        "algorithm": plan.settings.algorithm,
        "engine": plan.settings.engine,
        "rows_a_block": plan.rows,
        "reduced": plan.reduced,
        "folder": args.folder or tempfile.gettempdir(),
    }
    about["out"] = out = "far.rows" if name in ("pairs", "large") else "rows.npy"
    counts = {workers: len(given.sources) for workers, given in plans.items()}

    def seconds(workers: int) -> float:
        return _rows_s(args, graph, plans[workers], cluster, out)

    _taking_turns(
        args, name, {"graph": _graph_words(graph), **about}, cluster, counts, runs, seconds
    )


def _rows_s(
    args: argparse.Namespace, graph: CSRGraph, plan: SourcesPlan, cluster: Cluster, out: str
) -> float:
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        begun = time.monotonic()
        from_sources(graph, plan, Path(folder) / out, spread=cluster.blocks)
        return time.monotonic() - begun


def _sweep(args: argparse.Namespace, cluster: Sides) -> None:
    graph = make("grid", n=args.swept)
    engine = "model" if args.engine == "cpu" else args.engine
    mean = graph.mean_weight
    values = np.unique(np.geomspace(mean / 4, 256 * mean, args.values).round(3)).tolist()
    plan = plan_sweep(graph, RunSettings("adds", engine, "", 0), "delta", values)
    cluster.sweep(graph, plan_sweep(graph, plan.settings, "delta", values[: 4 * args.workers]))
    found: dict[int, list[SweepPoint]] = {}

    def seconds(workers: int) -> float:
        begun = time.monotonic()
        found[workers] = cluster.sweep(graph, plan)
        return time.monotonic() - begun

    about = {"graph": _graph_words(graph), "algorithm": "adds", "engine": engine}
    counts = dict.fromkeys((1, args.workers), len(values))
    told = _taking_turns(args, "sweep", about, cluster, counts, 2, seconds)
    one, several = found[1], found[args.workers]
    told["same_points"] = list(map(_agreed, one)) == list(map(_agreed, several))
    told["certified"] = sum(not p.failure and p.certificate is None for p in several)


def _agreed(point: SweepPoint) -> tuple[Any, ...]:
    """Return what two GPUs must agree on: no times, no work, which are a race."""
    return (point.value, point.delta if point.value else None, point.reached, point.certificate)


def _taking_turns(
    args: argparse.Namespace,
    name: str,
    about: dict[str, Any],
    cluster: Sides,
    counts: dict[int, int],
    runs: int,
    seconds: Callable[[int], float],
) -> dict[str, Any]:
    """Time both sides in turns, as many as `runs` and the budget; compare their rates."""
    times: dict[int, list[float]] = {workers: [] for workers in counts}
    for turn in range(runs):
        if turn and time.monotonic() - args.begun > args.budget_s:
            break
        for workers in sorted(times, reverse=turn % 2 == 0):
            cluster.use(workers)
            took = seconds(workers)
            times[workers].append(took)
            print(f"{name:8} {workers} workers: {counts[workers]} in {took:.3f} s", flush=True)
    told = args.told[name] = about
    for workers, kept in times.items():
        median = statistics.median(kept)
        side = {"count": counts[workers], "s": kept, "median_s": median}
        told[f"workers_{workers}"] = {**side, "per_s": counts[workers] / median}
    several, one = told[f"workers_{args.workers}"], told["workers_1"]
    told["ratio"] = several["per_s"] / one["per_s"]
    print(f"{name:8} {told['ratio']:.2f} times one worker's rate", flush=True)
    _write(args)
    return told


def _graph_words(graph: CSRGraph) -> dict[str, Any]:
    return {"name": graph.name, "n": graph.n, "m": graph.m, "hash": graph.hash}


def _write(args: argparse.Namespace) -> None:
    args.told["seconds"] = time.monotonic() - args.begun
    args.output.write_text(json.dumps(args.told, indent=1) + "\n", encoding="utf-8")


def about(name: str) -> dict[str, Any]:
    """Return by what, when, on what and with what versions this module of the lab measures."""
    query = ("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
    gpus: list[str] = []
    with suppress(OSError, subprocess.SubprocessError):
        told = subprocess.run(query, capture_output=True, text=True, timeout=20, check=True)
        gpus = told.stdout.splitlines()
    versions = {}
    for package in ("distributed", "numpy", "numba", "cupy-cuda13x", "cupy-cuda12x"):
        with suppress(metadata.PackageNotFoundError):
            versions[package] = metadata.version(package)
    return {
        "command": f"python -m gpu.lab.{name} {' '.join(map(str, sys.argv[1:]))}",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": platform.machine(),
        "gpus": gpus,
        "version": version(),
        "versions": versions,
        "python": platform.python_version(),
    }


PARTS = {
    "pairs": _pairs,
    "one_file": _one_file,
    "large": _large,
    "reduced": _reduced,
    "sweep": _sweep,
    "sources": _many_sources,
}


if __name__ == "__main__":
    sys.exit(main())
