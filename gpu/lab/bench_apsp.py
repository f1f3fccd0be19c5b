"""How fast all pairs are on this GPU: the published sizes, all three algorithms, rows proved.

    python -m gpu.lab.bench_apsp [--runs 5] [--json FILE] [--sweep] [--large]

Random directed graphs, weights 1..100, seed 1. `kernel_ms` lies between two events around all
kernels of the run, `end_to_end_ms` adds copying the matrix to the host's array; graph,
array and pinned memory are there before. The listings' own figures (GPU unnamed)
stand beside. Probe level 0. Every answer is proved by certificate, all rows or a sample.

--sweep    delta, and threads that share a multiprocessor
--large    46,341 vertices to an array, 100,000 vertices to a memory map
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
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from gpu.cuda import apsp
from gpu.engine import RecordingObserver, RunBuffers
from gpu.graph import CSRGraph
from gpu.proof.verify import verify_rows
from gpu.record.trace import Probe, RunSettings

KINDS = {"edge_apsp": apsp.EDGE, "delta_apsp": apsp.DELTA, "apsp_fast": apsp.FAST}
SIZES = ((12_800, 51_200), (25_600, 25_600))
PUBLISHED_S = {  # the listings' project, GPU unnamed
    (12_800, "edge_apsp"): 1.80,
    (12_800, "delta_apsp"): 3.44,
    (25_600, "edge_apsp"): 6.38,
    (25_600, "delta_apsp"): 28.99,
}
DELTAS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 256.0)  # x mean weight / mean degree
THREADS = (512, 1024, 2048)


def random_graph(n: int, m: int) -> CSRGraph:
    """Return a random directed graph with weights 1..100 from seed 1."""
    rng = np.random.default_rng(1)
    tails, heads = rng.integers(0, n, m), rng.integers(0, n, m)
    weights = rng.integers(1, 101, m).astype(np.int32)
    return CSRGraph.from_arcs(tails, heads, weights, n, name=f"random_{n}_{m}")


def once(
    graph: CSRGraph,
    key: str,
    dist: np.ndarray,
    delta: float | None = None,
    tuning: apsp.Tuning = apsp.TUNED,
) -> dict[str, Any]:
    """Run one algorithm from the first len(dist) vertices; return times and counts."""
    observer = RecordingObserver()
    parameters = {"first_source": 0, "sources": len(dist), "workers": None}
    settings = RunSettings(key, "cuda", "cuda:0", 0, delta, Probe.OFF, parameters=parameters)
    outcome = apsp.run_tuned(graph, settings, RunBuffers(dist), observer, KINDS[key], tuning)
    last = observer.samples()[-1]
    counts = {name: int(last[name]) for name in ("processed_vertices", "relaxed_edges", "improved")}
    return {**outcome.environment, **counts, "delta": float(last["delta"])}


def measure(graph: CSRGraph, key: str, runs: int, **given: Any) -> dict[str, Any]:
    """Return one row of the table: medians over `runs`, one unseen run before."""
    dist = np.zeros((graph.n, graph.n), graph.weights.dtype)
    told = [once(graph, key, dist, **given) for _ in range(1 + runs)][1:]
    row = {"graph": graph.name, "n": graph.n, "m": graph.m, "algorithm": key, **told[-1]}
    for name in ("kernel_ms", "end_to_end_ms"):
        values = [one[name] for one in told]
        row[name] = {"median": statistics.median(values), "all": values}
    proof = verify_rows(graph, 0, dist, rows=2000)
    published = PUBLISHED_S.get((graph.n, key))
    row |= {"proof": proof.detail, "proved": proof.passed, "published_s": published}
    print(
        f"{graph.name} {key}: kernel {row['kernel_ms']['median']:.2f} ms, end to end "
        f"{row['end_to_end_ms']['median']:.1f} ms, processed "
        f"{row['processed_vertices'] / graph.n**2:.2f} a pair, {row['kernel']} "
        f"{row['workers']} x {row['threads_per_worker']}, {row['chunks']} chunks; {proof.detail}",
        flush=True,
    )
    return row


def sweep(graph: CSRGraph) -> list[dict[str, Any]]:
    """Return kernel times over delta and threads a multiprocessor."""
    rows = []
    dist = np.zeros((graph.n, graph.n), graph.weights.dtype)
    unit = graph.mean_weight / graph.mean_degree
    for key in KINDS:
        for threads in THREADS:
            for factor in DELTAS if key != "edge_apsp" else (0.0,):
                if threads != apsp.TUNED.threads_per_sm and factor not in {0.0, 8.0}:
                    continue
                tuning, delta = apsp.Tuning(threads), factor * unit or None
                told = [once(graph, key, dist, delta, tuning)["kernel_ms"] for _ in range(3)]
                rows.append(
                    {"graph": graph.name, "algorithm": key, "factor": factor, "threads": threads}
                    | {"kernel_ms": min(told)}
                )
                print(rows[-1], flush=True)
    return rows


def large(runs: int) -> list[dict[str, Any]]:
    """Return rows for 46,341 vertices in memory and 100,000 in a memory map."""
    rows = []
    graph = random_graph(46_341, 4 * 46_341)
    for key in KINDS:
        rows.append(measure(graph, key, runs))
    graph = random_graph(100_000, 400_000)
    roomy = max((tempfile.gettempdir(), "/dev/shm"), key=lambda f: shutil.disk_usage(f).free)
    rows_there = int(shutil.disk_usage(roomy).free * 0.9) // (4 * graph.n)
    with tempfile.NamedTemporaryFile(suffix=".npy", dir=roomy) as file:
        shape = (min(graph.n, rows_there), graph.n)
        dist = np.lib.format.open_memmap(file.name, "w+", np.int32, shape)
        free = _free_bytes()
        begun = time.perf_counter()
        told = once(graph, "apsp_fast", dist)
        seconds = time.perf_counter() - begun
        proof = verify_rows(graph, 0, dist, rows=200)
    rows.append(
        {"graph": graph.name, "n": graph.n, "m": graph.m, "algorithm": "apsp_fast"}
        | {
            **told,
            "rows": shape[0],
            "whole_s": seconds,
            "free_bytes": free,
            "proof": proof.detail,
            "proved": proof.passed,
        }
    )
    print(f"{graph.name}: {shape} in {seconds:.1f} s, {told}, {proof.detail}", flush=True)
    return rows


def main(argv: list[str] | None = None) -> int:
    """Measure, print, write JSON; return 0, or 3 where a proof failed."""
    parser = argparse.ArgumentParser(prog="python -m gpu.lab.bench_apsp")
    parser.add_argument("--runs", type=int, default=5, help="timed runs of each [5]")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--sweep", action="store_true", help="sweep delta and threads as well")
    parser.add_argument("--large", action="store_true", help="46,341 and 100,000 vertices too")
    args = parser.parse_args(argv)
    rows = [measure(random_graph(*size), key, args.runs) for size in SIZES for key in KINDS]
    swept = [row for size in SIZES for row in sweep(random_graph(*size))] if args.sweep else []
    if args.large:
        rows += large(2)
    told = {
        "command": "python -m gpu.lab.bench_apsp " + " ".join(argv or sys.argv[1:]),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {"numpy": np.__version__, "python": platform.python_version()},
        "driver_version": _driver(),
        "rows": rows,
        "sweep": swept,
    }
    if args.json is not None:
        args.json.write_text(json.dumps(told, indent=1), encoding="utf-8")
    return 0 if all(row["proved"] for row in rows) else 3


def _free_bytes() -> int:
    import cupy

    cupy.get_default_memory_pool().free_all_blocks()
    return int(cupy.cuda.runtime.memGetInfo()[0])


def _driver() -> str:
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


if __name__ == "__main__":
    sys.exit(main())
