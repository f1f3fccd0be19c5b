"""`sssp-scope bench gpu`: how fast the kernels are on this GPU.

    sssp-scope bench gpu [--new-york FILE] [--graphs ny,grid_1024,...] [--algorithms adds,...]
                         [--numbers TYPE] [--sweep] [-o FILE]

Each algorithm runs WARM_UPS times, then RUNS times (SHORT_RUNS where a run takes less than
SHORT_MS), on each graph and probe level; the levels take turns. `kernel_ms` lies between two
events around everything that the run does on the device. `end_to_end_ms` adds the launch and the
copy of the distances to the host. The graph is on the device before. A certificate proves every
answer; a run that fails it is reported as WRONG.

Levels 1 and 2 are printed as overhead over level 0. `--graphs held_out` takes graphs that no rule
of the kernels was tuned on. `--sweep` runs level 0 at SWEEP powers of two around W/D instead:
`gpu.lab.model_error` reads that file.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gpu.algorithms import find
from gpu.engine import EngineOutcome, Observer, RunBuffers, execute
from gpu.graph import NUMBER_TYPES, CSRGraph
from gpu.lab import Rows, benchmark_graphs, laboratory, spread
from gpu.proof.verify import certificate
from gpu.record.trace import RunSettings, reached_mask

WARM_UPS, RUNS = 2, 9
SHORT_RUNS, SHORT_MS = 31, 6.0
LEVELS = (0, 1, 2)
LEVEL_COST = {1: 0.03, 2: 0.15}  # allowed over level 0
LOWEST, SWEEP, SWEEP_RUNS = -3, 16, 3  # exponent of the first delta over W/D, deltas, runs of each
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "adds_as_published": ("adds", {"as_published": True, "workers": 127}),
}
Run = tuple[EngineOutcome, np.ndarray]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Fill the parser of `bench gpu`."""
    names = ", ".join(["ny", *benchmark_graphs.MAKERS, "held_out"])
    parser.add_argument("--new-york", type=Path, metavar="FILE", help="USA-road-d.NY.gr[.gz]")
    parser.add_argument("--graphs", metavar="NAMES", help=f"of: {names} [all that can be made]")
    parser.add_argument(
        "--algorithms",
        default="adds,near_far",
        metavar="NAMES",
        help=f"keys, or {', '.join(VARIANTS)} [adds,near_far]",
    )
    parser.add_argument("--device", default="cuda:0", help="[cuda:0]")
    parser.add_argument("--runs", type=int, help=f"of each [{RUNS}; {SHORT_RUNS} of short ones]")
    parser.add_argument("--numbers", choices=NUMBER_TYPES, default="int32", help="[int32]")
    parser.add_argument("--sweep", action="store_true", help="level 0 at fixed deltas instead")


def measure(
    graph: CSRGraph,
    source: int,
    algorithm: str,
    levels: tuple[int, ...] = LEVELS,
    device: str = "cuda:0",
    runs: int | None = None,
    delta: float | None = None,
) -> list[dict[str, Any]]:
    """Return a row for each level: times (ms), work, and `fault` where the answer is wrong."""
    key, given = VARIANTS.get(algorithm, (algorithm, {}))
    parameters = find(key).checked_parameters(given)
    buffers = {level: RunBuffers.allocate(graph, level) for level in levels}
    done: dict[int, list[Run]] = {level: [] for level in levels}
    turn, most = 0, WARM_UPS + (runs or SHORT_RUNS)
    while turn < most:
        for level in levels:
            settings = RunSettings(
                key,
                "cuda",
                device,
                source,
                delta,
                level,
                parameters=parameters,
                numbers=str(graph.weights.dtype),
            )
            done[level].append(_run(graph, settings, buffers[level]))
        if turn == WARM_UPS and runs is None and _kernel_ms(done[levels[0]][-1]) > SHORT_MS:
            most = WARM_UPS + RUNS
        turn += 1
    return [
        {
            "graph": graph.name,
            "algorithm": algorithm,
            "probe": level,
            "parameters": parameters,
            **_row(graph, done[level][WARM_UPS:], buffers[level].dist),
            "fault": certificate(graph, source, buffers[level].dist),
        }
        for level in levels
    ]


def _run(graph: CSRGraph, settings: RunSettings, buffers: RunBuffers) -> Run:
    buffers.clear()
    observer = Observer()
    outcome = execute(graph, settings, buffers, observer)
    return outcome, observer.samples()


def _kernel_ms(run: Run) -> float:
    return float(run[0].environment["kernel_ms"])


def _row(graph: CSRGraph, runs: list[Run], dist: np.ndarray) -> dict[str, Any]:
    samples = runs[-1][1]
    last = samples[-1]
    processed = int(last["processed_vertices"])
    return {
        "n": graph.n,
        "m": graph.m,
        "weights": str(graph.weights.dtype),
        "kernel_ms": spread([_kernel_ms(run) for run in runs]),
        "end_to_end_ms": spread([run[0].environment["end_to_end_ms"] for run in runs]),
        "processed": processed,
        "relaxed": int(last["relaxed_edges"]),
        "efficiency": int(np.count_nonzero(reached_mask(dist))) / max(processed, 1),
        "delta": float(last["delta"]),
        "bucket_switches": int(last["bucket_switches"]),
        "delta_changes": statistics.median(int(run[1][-1]["delta_changes"]) for run in runs),
        "samples": len(samples),
        "workers": runs[-1][0].environment["workers"],
    }


def sweep_deltas(graph: CSRGraph) -> list[float]:
    """Return SWEEP powers of two from 2^LOWEST W/D on, at least 1 for integer weights."""
    first = round(math.log2(graph.mean_weight / max(graph.mean_degree, 1e-9))) + LOWEST
    return [2.0 ** (max(first, 0) + step) for step in range(SWEEP)]


def _sweep(graph: CSRGraph, source: int, algorithm: str, device: str) -> list[dict[str, Any]]:
    rows = []
    for delta in sweep_deltas(graph):
        row = measure(graph, source, algorithm, (0,), device, SWEEP_RUNS, delta)[0]
        rows.append(row | {"delta": delta})
    return rows


def chosen_graphs(args: argparse.Namespace) -> list[str]:
    """Return the names that the options ask for: all that can be made unless some are named."""
    if args.graphs == "held_out":
        return list(benchmark_graphs.HELD_OUT)
    names = args.graphs.split(",") if args.graphs else list(benchmark_graphs.MAKERS)
    if args.new_york is not None and "ny" not in names:
        names.insert(0, "ny")
    return names


def line(row: dict[str, Any], level_0: dict[str, Any]) -> str:
    """Return one printed line: level 0 in full, the others as overhead."""
    kernel = row["kernel_ms"]
    text = f"{row['graph']:<10} {row['algorithm']:<14} level {row['probe']}  Δ {row['delta']:<9g}"
    text += f"  {kernel['median']:8.3f} ms ({kernel['min']:.3f} to {kernel['max']:.3f})"
    if row["probe"]:
        cost = kernel["median"] / level_0["kernel_ms"]["median"] - 1.0
        text += f"  {cost:+.1%} (allowed {LEVEL_COST[row['probe']]:.0%}), {row['samples']} samples"
    else:
        text += f"  end to end {row['end_to_end_ms']['median']:.2f}  processed {row['processed']:,}"
        text += f"  relaxed {row['relaxed']:,}  efficiency {row['efficiency']:.2f}"
    return text + ("" if row["fault"] is None else f"  WRONG: {row['fault']}")


def bench(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure everything asked for; print a line each; return the rows."""
    rows: list[dict[str, Any]] = []
    for name in chosen_graphs(args):
        graph = benchmark_graphs.make(name, args.new_york, args.numbers)
        source = benchmark_graphs.source_of(name, graph)
        for algorithm in args.algorithms.split(","):
            if args.sweep:
                measured = _sweep(graph, source, algorithm, args.device)
            else:
                measured = measure(graph, source, algorithm, LEVELS, args.device, args.runs)
            for row in measured:
                row["graph"] = name
                print(line(row, measured[0]), flush=True)
            rows += measured
    return rows


def main(argv: Sequence[str]) -> int:
    """Measure, print, write the results; return the exit code. GpuError."""
    return laboratory("gpu", __doc__, argv, add_arguments, _measured)


def _measured(args: argparse.Namespace) -> tuple[Rows, dict[str, Any]]:
    from gpu.cuda.device import find_device

    facts = find_device(args.device).facts()
    kind = "sweep_gpu" if args.sweep else "bench_gpu"
    return bench(args), {"kind": kind, "warm_ups": WARM_UPS, **facts}
