"""How far the modelled H100 is from the measured one: the same deltas, run on the model.

    python -m gpu.lab.model_error NEW_YORK.gr.gz [-o FILE.json]

Reads the deltas that `sssp-scope bench gpu --sweep` measured and repeats every second point on the
modelled H100, with as many workers, on graphs of the same families and sizes made by
`sample_graphs`. Prints, for each graph and algorithm: modelled over measured time, the rank
correlation (Spearman) over the sweep, and the mean absolute error of the counters. The window
states the error from `results/model-error-h100.json` (`gpu.model.accuracy`).

The cost constants of `gpu.devices` were fitted on FITTED; the other graphs were held out.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import gpu
from gpu.devices import PRESETS
from gpu.graph import CSRGraph
from gpu.lab import RESULTS
from gpu.record.trace import Trace
from sample_graphs import open_sample, suggested_source

DEVICE = "H100"
SAMPLES = {
    "grid_1024": "sample:grid?n=1048576",
    "mesh_100": "sample:mesh?n=1000000",
    "rmat_20": "sample:rmat?n=1048576",
    "grid_4096": "sample:grid?n=16777216",
    "rmat_22": "sample:rmat?n=4194304",
}
FITTED = ("grid_1024", "mesh_100", "rmat_20")  # chosen before the form of the model was tried
ALGORITHMS = ("adds", "near_far")
EVERY = 2  # of a sweep's points one is used
LEAST = 10  # counted in a run, for an error in percent


def main(argv: list[str] | None = None) -> int:
    """Print the table, and write it as JSON."""
    parser = argparse.ArgumentParser(prog="python -m gpu.lab.model_error", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("new_york", help="USA-road-d.NY.gr[.gz]")
    parser.add_argument("--sweep", type=Path, default=max(RESULTS.glob("sweep_gpu_*.json")))
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args(argv)
    measured = json.loads(args.sweep.read_text(encoding="utf-8"))["rows"]
    rows = []
    for name in ("ny", *SAMPLES):
        graph = gpu.load_graph(args.new_york) if name == "ny" else open_sample(SAMPLES[name])
        for algorithm in ALGORITHMS:
            rows.append(compare(name, graph, algorithm, measured, EVERY))
            print({key: value for key, value in rows[-1].items() if key != "points"}, flush=True)
    if args.output:
        document = {"device": DEVICE, "measured": args.sweep.name, "rows": rows}
        args.output.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


def compare(
    name: str, graph: CSRGraph, algorithm: str, measured: list[dict[str, Any]], every: int = 1
) -> dict[str, Any]:
    """Return modelled beside measured ms of one sweep, their ratios and rank correlation."""
    from scipy.stats import spearmanr

    rows = [row for row in measured if (row["graph"], row["algorithm"]) == (name, algorithm)]
    points = [_point(graph, algorithm, row) for row in rows[::every]]
    ratios = [point["modelled_ms"] / point["measured_ms"] for point in points]
    ranks = spearmanr(
        [point["modelled_ms"] for point in points], [point["measured_ms"] for point in points]
    )
    return {
        "graph": name,
        "algorithm": algorithm,
        "fitted": name in FITTED,
        "ratio_low": min(ratios),
        "ratio_high": max(ratios),
        "rank_correlation": float(ranks.statistic),
        "processed_error_percent": error_percent(points, "processed"),
        "switches_error_percent": error_percent(points, "switches"),
        "points": points,
    }


def _point(graph: CSRGraph, algorithm: str, row: dict[str, Any]) -> dict[str, Any]:
    trace = gpu.run(
        graph,
        algorithm,
        source=suggested_source(graph),
        delta=row["delta"],
        device=DEVICE,
        probe=0,
        parameters={"workers": row["workers"]} if algorithm == "adds" and "workers" in row else {},
    )
    return {
        "delta": row["delta"],
        "measured_ms": row["kernel_ms"]["median"],
        "modelled_ms": kernel_ms(trace),
        "measured_efficiency": row["efficiency"],
        "modelled_efficiency": trace.work_efficiency,
        "measured_processed": row["processed"],
        "modelled_processed": int(trace.last["processed_vertices"]),
        "measured_switches": row["bucket_switches"],
        "modelled_switches": int(trace.last["bucket_switches"]),
    }


def kernel_ms(trace: Trace) -> float:
    """Return what a device's events would measure: the run, and launching and clearing before."""
    return (trace.time_ns + PRESETS[DEVICE].begin_ns) / 1e6


def error_percent(points: list[dict[str, Any]], what: str) -> float | None:
    """Return a counter's mean absolute error, %, over the points that count at least `LEAST`."""
    counted = [point for point in points if point[f"measured_{what}"] >= LEAST]
    shares = [point[f"modelled_{what}"] / point[f"measured_{what}"] for point in counted]
    return 100 * sum(abs(share - 1) for share in shares) / len(shares) if shares else None


if __name__ == "__main__":
    sys.exit(main())
