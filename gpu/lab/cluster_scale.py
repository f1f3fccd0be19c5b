"""What a second GPU gives: blocks of rows on one worker against several, each with its own GPU.

    python -m gpu.lab.cluster_scale OUT.json [--engine cuda] [--workers 2] [--runs 3]

all pairs    a random graph of 46,341 vertices, every row written into one file
sources      a grid of roads with 4 M vertices, reduced on the way: as many of 10,000 sources as the
             time allows, judged by the first block

Both sides go through the same scheduler, one worker a GPU (CUDA_VISIBLE_DEVICES). Every worker
computes a block before the clock runs: compilers and the graph's way there are not measured. The
first row of every block is proved. It ends within --budget-s, or a little later.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.interpreter import version
from gpu.lab.bench_apsp import random_graph
from gpu.record.trace import RunSettings
from gpu.study.cluster import Cluster
from gpu.study.sources import SourcesPlan, chosen_sources, from_sources, make_plan
from sample_graphs import make

DEGREE = 4  # arcs a vertex of the random graph
SHM = "/dev/shm"
SHARE = 0.15  # of the budget that one run of many sources takes on one worker


def main(argv: list[str] | None = None) -> int:
    """Measure, print, write JSON; return 0, or 1 where something failed."""
    args = _parser().parse_args(argv)
    begun = time.monotonic()
    told: dict[str, Any] = _about(args)
    try:
        told["all_pairs"] = _all_pairs(args, begun)
        told["sources"] = _many_sources(args, begun)
    except GpuError as error:
        told["problem"] = str(error)
        print(error, file=sys.stderr)
    told["seconds"] = time.monotonic() - begun
    args.output.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return 1 if "problem" in told else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m gpu.lab.cluster_scale", description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--engine", choices=("cuda", "cpu", "model"), default="cuda")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--n", type=int, default=46_341, help="vertices of all pairs")
    parser.add_argument("--grid", type=int, default=4_000_000, help="vertices of the grid")
    parser.add_argument("--sources", type=int, default=10_000)
    parser.add_argument("--rows", type=int, default=256, help="of a block of the grid")
    parser.add_argument("--budget-s", type=float, default=170.0)
    parser.add_argument("--folder", help="where rows are written [memory, if it is large enough]")
    return parser


def _settings(args: argparse.Namespace) -> RunSettings:
    return RunSettings("dijkstra" if args.engine == "cpu" else "apsp_fast", args.engine, "", 0)


def _all_pairs(args: argparse.Namespace, begun: float) -> dict[str, Any]:
    graph = random_graph(args.n, DEGREE * args.n)
    plan = make_plan(graph, _settings(args), range(graph.n), least=8 * args.workers)
    return _compared(args, graph, plan, args.runs, begun)


def _many_sources(args: argparse.Namespace, begun: float) -> dict[str, Any]:
    graph = make("grid", n=args.grid)
    count = min(args.sources, graph.n)
    chosen = chosen_sources(f"random:{count}", graph)
    rows = min(args.rows, max(1, count // args.workers))
    whole = make_plan(graph, _settings(args), chosen, rows=rows, reduced=True)
    first = make_plan(graph, whole.settings, chosen[:rows], rows=rows, reduced=True)
    with Cluster("local:1", print) as cluster:
        cluster.warm(graph, first)
        block_s = _timed(args, graph, first, cluster)
    fit = max(args.workers, int(args.budget_s * SHARE / max(block_s, 1e-3)))
    blocks = min(whole.blocks, fit - fit % args.workers)
    chosen = chosen[: blocks * rows]
    print(f"a block of {rows} sources takes {block_s:.2f} s on one worker; {len(chosen)} sources")
    plan = make_plan(graph, whole.settings, chosen, rows=rows, reduced=True)
    return _compared(args, graph, plan, 1, begun) | {"asked_sources": count, "block_s": block_s}


def _compared(
    args: argparse.Namespace, graph: CSRGraph, plan: SourcesPlan, runs: int, begun: float
) -> dict[str, Any]:
    """Return medians on one worker and on several, and their ratio."""
    told: dict[str, Any] = {
        "graph": {"name": graph.name, "n": graph.n, "m": graph.m, "hash": graph.hash},
        "algorithm": plan.settings.algorithm,
        "engine": plan.settings.engine,
        "sources": len(plan.sources),
        "rows_a_block": plan.rows,
        "reduced": plan.reduced,
        "folder": args.folder or _memory(plan, graph) or tempfile.gettempdir(),
    }
    for workers in (1, args.workers):
        with Cluster(f"local:{workers}", print) as cluster:
            cluster.warm(graph, plan)
            times: list[float] = []
            for _ in range(runs):
                if times and time.monotonic() - begun + times[-1] > args.budget_s:
                    break
                times.append(_timed(args, graph, plan, cluster))
        told[f"workers_{workers}_s"] = times
        told[f"workers_{workers}_median_s"] = statistics.median(times)
    told["ratio"] = told["workers_1_median_s"] / told[f"workers_{args.workers}_median_s"]
    told["sources_per_s"] = len(plan.sources) / told[f"workers_{args.workers}_median_s"]
    print(json.dumps({key: told[key] for key in told if key != "graph"}))
    return told


def _timed(args: argparse.Namespace, graph: CSRGraph, plan: SourcesPlan, cluster: Cluster) -> float:
    with tempfile.TemporaryDirectory(dir=args.folder or _memory(plan, graph)) as folder:
        begun = time.monotonic()
        from_sources(graph, plan, Path(folder) / "rows.npy", spread=cluster.blocks)
        return time.monotonic() - begun


def _memory(plan: SourcesPlan, graph: CSRGraph) -> str | None:
    """Return a folder in memory that holds the rows, None where there is none: no disk is timed."""
    needed = 1 << 20 if plan.reduced else 2 * 4 * len(plan.sources) * graph.n
    return SHM if Path(SHM).is_dir() and shutil.disk_usage(SHM).free > needed else None


def _about(args: argparse.Namespace) -> dict[str, Any]:
    query = ("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
    gpus: list[str] = []
    with suppress(OSError, subprocess.SubprocessError):
        told = subprocess.run(query, capture_output=True, text=True, timeout=20, check=True)
        gpus = told.stdout.splitlines()
    versions = {}
    for name in ("distributed", "numpy", "numba", "cupy-cuda13x", "cupy-cuda12x"):
        with suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return {
        "command": f"python -m gpu.lab.cluster_scale {' '.join(map(str, sys.argv[1:]))}",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": platform.machine(),
        "gpus": gpus,
        "version": version(),
        "versions": versions,
        "python": platform.python_version(),
        "budget_s": args.budget_s,
    }


if __name__ == "__main__":
    sys.exit(main())
