"""What each step of the ladder brings, from the simplest Near-Far and ADDS to the engine's kernels.

    sssp-scope bench ladder [GRAPH ...] [--runs N] [--device cuda:0] [-o FILE]

GRAPH is a file or `sample:KEY`, with int32 weights. The steps of `gpu.cuda.ladder` and the
engine's near_far and adds at probe level 0 take turns from vertex 0: WARM_UPS runs, then RUNS. A
time lies between two events: from the initial distances to the end of the last launch. The engine's
also clear the distances. Each answer must equal the oracle's.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np

import gpu
from gpu.cuda.device import Device, find_device
from gpu.cuda.ladder import STEPS, CupyMachine, prepare, timed
from gpu.graph import INT_UNREACHED, CSRGraph
from gpu.lab import Rows, laboratory, spread
from gpu.proof.verify import oracle_distances
from sample_graphs import open_sample

WARM_UPS, RUNS = 2, 15
SAMPLES = ("sample:city_roads", "sample:grid?n=250000")
ENGINE = ("near_far", "adds")


def measure(graph: CSRGraph, device: Device, runs: int) -> list[dict[str, Any]]:
    """Return a row a step, and two for the engine: times in ms, whether the answer is right."""
    expected = oracle_distances(graph, 0)
    ladder = [prepare(step, CupyMachine(step, device.number), graph, 0) for step in STEPS]
    kernels = {f"{algorithm}.cu": algorithm for algorithm in ENGINE}
    times: dict[str, list[float]] = {name: [] for name in (*(s.file for s in STEPS), *kernels)}
    right = dict.fromkeys(times, True)
    for turn in range(WARM_UPS + runs):
        results = {}
        for step, run in zip(STEPS, ladder, strict=True):
            results[step.file] = (timed(run), run.distances())
        for name, algorithm in kernels.items():
            trace = gpu.run(graph, algorithm, "cuda", device=f"cuda:{device.number}", probe=0)
            results[name] = (float(trace.environment["kernel_ms"]), trace.dist)
        for name, (elapsed_ms, dist) in results.items():
            right[name] &= np.array_equal(np.where(dist == INT_UNREACHED, np.inf, dist), expected)
            if turn >= WARM_UPS:
                times[name].append(elapsed_ms)
    adds = {step.file: step.adds for step in STEPS}
    return [
        {
            "graph": graph.name,
            "n": graph.n,
            "m": graph.m,
            "kernel": name,
            "adds": adds.get(name, "the kernel that is measured"),
            "ms": spread(values),
            "fault": None if right[name] else "the distances are not the oracle's",
        }
        for name, values in times.items()
    ]


def line(row: dict[str, Any], first_ms: float) -> str:
    """Return one printed line; `first_ms` is the time of step 1."""
    ms = row["ms"]["median"]
    text = f"{row['graph']:<22} {row['kernel']:<24} {ms:9.3f} ms  x{first_ms / ms:6.1f}  "
    return text + row["adds"] + ("" if row["fault"] is None else "  WRONG")


def main(argv: Sequence[str]) -> int:
    """Measure, print, write the results; return the exit code. GpuError."""
    return laboratory("ladder", __doc__, argv, _add_options, _measured)


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("graphs", nargs="*", metavar="GRAPH", help="file or sample:KEY [2 samples]")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"timed runs of each [{RUNS}]")
    parser.add_argument("--device", default="cuda:0", help="[cuda:0]")


def _measured(args: argparse.Namespace) -> tuple[Rows, dict[str, Any]]:
    device = find_device(args.device)
    rows: Rows = []
    for origin in args.graphs or SAMPLES:
        graph = open_sample(origin) if origin.startswith("sample:") else gpu.load_graph(origin)
        measured = measure(graph, device, args.runs)
        for row in measured:
            print(line(row, measured[0]["ms"]["median"]), flush=True)
        rows += measured
    return rows, {"warm_ups": WARM_UPS, "runs": args.runs, **device.facts()}
