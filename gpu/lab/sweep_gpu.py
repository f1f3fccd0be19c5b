"""Kernel time against delta, for both algorithms: what the cost model is fitted to and judged by.

    python -m gpu.lab.sweep_gpu [--new-york FILE] [--graphs ...] [--json FILE]

SWEEP values of delta a graph, powers of two around mean weight / mean degree, static: level 0,
median of RUNS after WARM_UPS runs, every answer verified by certificate.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from datetime import UTC, datetime
from pathlib import Path

from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.lab import benchmark_graphs
from gpu.lab.bench_gpu import PARAMETERS, RESULTS, add_arguments, chosen_graphs, measure

SWEEP = 12
LOWEST = -1  # power of two of the smallest delta, x mean weight / mean degree
RUNS = 3


def deltas(graph: CSRGraph) -> list[float]:
    """Return SWEEP powers of two, weight units, at least 1 for integer weights."""
    unit = graph.mean_weight / max(graph.mean_degree, 1e-9)
    first = round(math.log2(unit)) + LOWEST
    return [2.0 ** (max(first, 0) + step) for step in range(SWEEP)]


def sweep(name: str, graph: CSRGraph, source: int, device: str) -> list[dict]:
    """Return one row for each algorithm and delta."""
    rows = []
    for algorithm in PARAMETERS:
        for delta in deltas(graph):
            row = measure(graph, source, algorithm, 0, device, RUNS, delta)
            row["graph"], row["delta"] = name, delta
            rows.append(row)
            median = row["kernel_ms"]["median"]
            fault = f"  WRONG: {row['fault']}" if row["fault"] else ""
            text = f"{name:<10} {algorithm:<9} delta {delta:9g}  {median:9.3f} ms"
            print(f"{text}  processed {row['processed']:,}{fault}", flush=True)
    return rows


def main(argv: list[str] | None = None) -> int:
    """Sweep, print, write the JSON; 0 on success, 1 on a reported error."""
    parser = argparse.ArgumentParser(prog="python -m gpu.lab.sweep_gpu", description=__doc__)
    add_arguments(parser)
    args = parser.parse_args(argv)
    try:
        from gpu.cuda.device import find_device

        device = find_device(args.device)
    except GpuError as error:
        print(f"sssp-scope: {error}", file=sys.stderr)
        return 1
    rows = []
    for name in chosen_graphs(args):
        graph = benchmark_graphs.make(name, args.new_york, args.numbers)
        rows += sweep(name, graph, benchmark_graphs.source_of(name, graph), args.device)
    date = datetime.now(UTC).isoformat(timespec="seconds")
    command = "python -m gpu.lab.sweep_gpu " + " ".join(sys.argv[1:])
    done = {"command": command, "date": date, **device.facts(), "rows": rows}
    target: Path = args.json or RESULTS / f"sweep_gpu_{date[:10]}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(done, indent=1) + "\n", encoding="utf-8")
    print(f"written to {target}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
