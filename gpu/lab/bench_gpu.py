"""`sssp-scope bench gpu`: how fast the kernels are on this GPU.

    sssp-scope bench gpu [--graphs ny=FILE,grid_1024,...] [--algorithms adds,...]
                         [--numbers TYPE] [-o FILE]
    sssp-scope bench gpu --graphs 12800:51200,25600:25600 --algorithms apsp_fast

Each algorithm runs WARM_UPS times, then RUNS times (SHORT_RUNS where a run takes less than
SHORT_MS), on each graph and probe level; the levels take turns. `kernel_ms` lies between two
events around everything that the run does on the device. `end_to_end_ms` adds the launch and the
copy of the distances to the host. A certificate proves every answer, of a matrix PROVED rows; a run
that fails it is reported as WRONG.

Levels 1 and 2 are printed as overhead over level 0; all pairs run at level 0 alone.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gpu.algorithms import find
from gpu.engine import run
from gpu.graph import NUMBER_TYPES, CSRGraph
from gpu.lab import Rows, benchmark_graphs, laboratory, spread
from gpu.proof.verify import certificate, verify_rows
from gpu.record.trace import RunSettings, Trace

WARM_UPS, RUNS = 2, 9
SHORT_RUNS, SHORT_MS = 31, 6.0
LEVELS = (0, 1, 2)
LEVEL_COST = {1: 0.03, 2: 0.15}  # allowed over level 0
PROVED = 2000  # rows of a matrix
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "adds_as_published": ("adds", {"as_published": True, "workers": 127}),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Fill the parser of `bench gpu`."""
    names = ",".join(benchmark_graphs.MAKERS)
    words = f"of these; N:M, sample:KEY, NAME=FILE [{names}]"
    parser.add_argument("--graphs", metavar="NAMES", default=names, help=words)
    words = f"keys, or {', '.join(VARIANTS)} [adds,near_far]"
    parser.add_argument("--algorithms", default="adds,near_far", metavar="NAMES", help=words)
    parser.add_argument("--device", default="cuda:0", help="[cuda:0]")
    parser.add_argument("--runs", type=int, help=f"of each [{RUNS}; {SHORT_RUNS} of short ones]")
    parser.add_argument("--numbers", choices=NUMBER_TYPES, default="int32", help="[int32]")


def measure(graph: CSRGraph, kinds: Sequence[RunSettings], runs: int | None = None) -> Rows:
    """Run each of these settings, in turns; return a row for each: times (ms), work, `fault`.

    runs : of each, after WARM_UPS; None: RUNS, or SHORT_RUNS where a run is short
    """
    last: list[Trace] = []
    times: list[list[tuple[float, float, int]]] = [[] for _ in kinds]
    turn, most = 0, WARM_UPS + (runs or SHORT_RUNS)
    while turn < most:
        last.clear()  # one trace of each is kept
        for settings, kept in zip(kinds, times, strict=True):
            begin = time.perf_counter()
            trace = run(graph, settings)
            whole_ms = (time.perf_counter() - begin) * 1e3
            last.append(trace)
            facts, changes = trace.environment, int(trace.last["delta_changes"])
            kernel_ms = facts.get("kernel_ms", trace.time_ns / 1e6)
            kept.append((kernel_ms, facts.get("end_to_end_ms", whole_ms), changes))
        if turn == WARM_UPS and runs is None and times[0][-1][0] > SHORT_MS:
            most = WARM_UPS + RUNS
        turn += 1
    rows = zip(last, times, strict=True)
    return [_row(graph, trace, kept[WARM_UPS:]) for trace, kept in rows]


def _row(graph: CSRGraph, trace: Trace, times: list[tuple[float, float, int]]) -> dict[str, Any]:
    kernel, whole, changes = zip(*times, strict=True)
    settings, last = trace.settings, trace.last
    if trace.dist.ndim == 2:
        proof = verify_rows(graph, 0, trace.dist, rows=PROVED)
        fault = None if proof.passed else proof.detail
    else:
        fault = certificate(graph, settings.source, trace.dist)
    return {
        "graph": graph.name,
        "n": graph.n,
        "m": graph.m,
        "weights": str(graph.weights.dtype),
        "source": settings.source,
        "algorithm": settings.algorithm,
        "parameters": settings.parameters,
        "threads": settings.parameters.get("threads", 1),
        "probe": int(settings.probe),
        "kernel_ms": spread(kernel),
        "end_to_end_ms": spread(whole),
        "processed": int(last["processed_vertices"]),
        "relaxed": int(last["relaxed_edges"]),
        "efficiency": trace.work_efficiency,
        "delta": float(last["delta"]) if find(settings.algorithm).bucketed else None,
        "bucket_switches": int(last["bucket_switches"]),
        "delta_changes": statistics.median(changes),
        "samples": len(trace.samples),
        "workers": trace.environment.get("workers"),
        "fault": fault,
    }


def line(row: dict[str, Any], level_0: dict[str, Any]) -> str:
    """Return one printed line: level 0 in full, the others as overhead."""
    kernel, delta = row["kernel_ms"], row["delta"] or 0.0
    text = f"{row['graph']:<10} {row['algorithm']:<14} level {row['probe']}  Δ {delta:<9g}"
    text += f"  {kernel['median']:8.3f} ms ({kernel['min']:.3f} to {kernel['max']:.3f})"
    if row["probe"]:
        cost = kernel["median"] / level_0["kernel_ms"]["median"] - 1.0
        text += f"  {cost:+.1%} (allowed {LEVEL_COST[row['probe']]:.0%}), {row['samples']} samples"
    else:
        text += f"  end to end {row['end_to_end_ms']['median']:.2f}  processed {row['processed']:,}"
        text += f"  relaxed {row['relaxed']:,}  efficiency {row['efficiency']:.2f}"
    return text + ("" if row["fault"] is None else f"  WRONG: {row['fault']}")


def main(argv: Sequence[str]) -> int:
    """Measure, print, write the results; return the exit code. GpuError."""
    return laboratory("gpu", __doc__, argv, add_arguments, _measured)


def _measured(args: argparse.Namespace) -> tuple[Rows, dict[str, Any]]:
    from gpu.cuda.device import find_device

    facts, rows = find_device(args.device).facts(), Rows()
    for name in args.graphs.split(","):
        label, graph, source = benchmark_graphs.make(name, args.numbers)
        for algorithm in args.algorithms.split(","):
            key, parameters = VARIANTS.get(algorithm, (algorithm, {}))
            settings = RunSettings(
                key,
                "cuda",
                args.device,
                source,
                probe=0,
                parameters=parameters,
                numbers=str(graph.weights.dtype),
            )
            levels = (0,) if find(key).result == "matrix" else LEVELS
            kinds = [replace(settings, probe=level) for level in levels]
            measured = measure(graph, kinds, args.runs)
            for row in measured:
                row |= {"graph": label, "algorithm": algorithm}
                print(line(row, measured[0]), flush=True)
            rows += measured
    return rows, {"kind": "bench_gpu", "warm_ups": WARM_UPS, **facts}
