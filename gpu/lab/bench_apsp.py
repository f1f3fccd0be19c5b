"""`sssp-scope bench apsp`: how fast all pairs are on this GPU.

    sssp-scope bench apsp [--sizes 12800:51200,...] [--runs 5] [-o FILE]

Random directed graphs, weights 1..100, seed 1, of N vertices and M arcs, each algorithm of all
pairs, probe level 0. `kernel_ms` lies between two events around all kernels of the run,
`end_to_end_ms` adds copying the matrix to the host's array. Certificates prove PROVED rows.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np

import gpu
from gpu.algorithms import ALGORITHMS
from gpu.graph import CSRGraph
from gpu.lab import Rows, laboratory, spread
from gpu.proof.verify import verify_rows

SIZES = "12800:51200,25600:25600"
PROVED = 2000  # rows


def random_graph(n: int, m: int) -> CSRGraph:
    """Return a random directed graph with weights 1..100 from seed 1."""
    rng = np.random.default_rng(1)
    tails, heads = rng.integers(0, n, m), rng.integers(0, n, m)
    weights = rng.integers(1, 101, m).astype(np.int32)
    return CSRGraph.from_arcs(tails, heads, weights, n, name=f"random_{n}_{m}")


def measure(graph: CSRGraph, key: str, runs: int, device: str) -> dict[str, Any]:
    """Return one row: times over `runs` after one run that is not counted."""
    traces = [gpu.run(graph, key, "cuda", probe=0, device=device) for _ in range(1 + runs)][1:]
    last = traces[-1]
    proof = verify_rows(graph, 0, last.dist, rows=PROVED)
    row = {
        "graph": graph.name,
        "n": graph.n,
        "m": graph.m,
        "algorithm": key,
        **last.environment,
        "processed": last.processed_vertices,
        "relaxed": last.relaxed_edges,
        "delta": float(last.last["delta"]),
        "proof": proof.detail,
        "fault": None if proof.passed else proof.detail,
    }
    for name in ("kernel_ms", "end_to_end_ms"):
        row[name] = spread([trace.environment[name] for trace in traces])
    print(
        f"{graph.name} {key}: kernel {row['kernel_ms']['median']:.2f} ms, end to end "
        f"{row['end_to_end_ms']['median']:.1f} ms; {proof.detail}",
        flush=True,
    )
    return row


def main(argv: Sequence[str]) -> int:
    """Measure, print, write the results; return the exit code. GpuError."""
    return laboratory("apsp", __doc__, argv, _add_options, _measured)


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sizes", default=SIZES, metavar="N:M,...", help=f"[{SIZES}]")
    parser.add_argument("--runs", type=int, default=5, help="timed runs of each [5]")
    parser.add_argument("--device", default="cuda:0", help="[cuda:0]")


def _measured(args: argparse.Namespace) -> tuple[Rows, dict[str, Any]]:
    from gpu.cuda.device import find_device

    facts = find_device(args.device).facts()
    keys = [key for key, row in ALGORITHMS.items() if row.result == "matrix"]
    rows = []
    for size in args.sizes.split(","):
        graph = random_graph(*map(int, size.split(":")))
        rows += [measure(graph, key, args.runs, args.device) for key in keys]
    return rows, facts
