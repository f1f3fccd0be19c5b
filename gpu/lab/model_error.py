"""How far the modelled H100 is from the measured one: the same deltas, run on the model.

    python -m gpu.lab.model_error NEW_YORK.gr.gz [-o FILE.json]

Takes the delta sweeps that `sweep_gpu` measured (gpu/lab/results/sweep_gpu_*.json, our
kernels, fixed deltas) and repeats every second point on the modelled H100 with as many
workers, on graphs of the same families made by `sample_graphs` (other random numbers, the
same sizes). Prints, per graph and algorithm, the range of modelled over measured time, the
rank correlation (Spearman) over the sweep, by how much the counters err (vertices processed and
bucket switches, or moves of the threshold: mean absolute error over the sweep), and whether the
constants were fitted on that graph (`gpu.lab.calibrate` says which and why) or it was held out.
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
from gpu.record.trace import Trace

RESULTS = Path(__file__).resolve().parent / "results"
DEVICE = "H100"
SAMPLES = {
    "grid_1024": "sample:grid?n=1048576",
    "mesh_100": "sample:mesh?n=1000000",
    "rmat_20": "sample:rmat?n=1048576",
    "grid_4096": "sample:grid?n=16777216",
    "rmat_22": "sample:rmat?n=4194304",
}
FITTED = ("grid_1024", "mesh_100", "rmat_20")  # named before the form was tried
PARAMETERS = {"adds": {"drop_stale": True}, "near_far": {}}
EVERY = 2  # points of a sweep
LEAST = 10  # of what is counted, for an error in percent


def main(argv: list[str] | None = None) -> int:
    """Print the table; write it as JSON where asked."""
    parser = argparse.ArgumentParser(prog="python -m gpu.lab.model_error", description=__doc__)
    parser.add_argument("new_york", help="USA-road-d.NY.gr[.gz]")
    parser.add_argument("--sweep", type=Path, default=newest_sweep())
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args(argv)
    measured = json.loads(args.sweep.read_text(encoding="utf-8"))["rows"]
    rows = []
    for name in ("ny", *SAMPLES):
        graph = open_graph(name, args.new_york)
        for algorithm in PARAMETERS:
            points = points_of(measured, name, algorithm, EVERY)
            rows.append(compare(name, graph, algorithm, points))
            print(_line(rows[-1]), flush=True)
    if args.output:
        document = {"device": DEVICE, "measured": args.sweep.name, "rows": rows}
        args.output.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


def newest_sweep() -> Path:
    """Return the newest file of measured sweeps."""
    return max(RESULTS.glob("sweep_gpu_*.json"))


def points_of(
    measured: list[dict[str, Any]], name: str, algorithm: str, every: int
) -> list[dict[str, Any]]:
    """Return every so many of the measured rows of one sweep."""
    rows = [row for row in measured if (row["graph"], row["algorithm"]) == (name, algorithm)]
    return rows[::every]


def compare(
    name: str, graph: CSRGraph, algorithm: str, measured: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return modelled beside measured ms of one sweep, their ratios and rank correlation."""
    from scipy.stats import spearmanr

    from sample_graphs import suggested_source

    points = []
    for row in measured:
        trace = gpu.run(
            graph,
            algorithm,
            source=suggested_source(graph),
            delta=row["delta"],
            device=DEVICE,
            probe=0,
            parameters=_parameters(algorithm, row),
        )
        points.append(
            {
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
        )
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


def error_percent(points: list[dict[str, Any]], what: str) -> float | None:
    """Return a counter's mean absolute error, %, None where fewer than `LEAST` were ever counted.

    A run of two buckets that becomes one of three is not off by 50 % in any useful sense.
    """
    counted = [point for point in points if point[f"measured_{what}"] >= LEAST]
    shares = [point[f"modelled_{what}"] / point[f"measured_{what}"] for point in counted]
    return 100 * sum(abs(share - 1) for share in shares) / len(shares) if shares else None


def kernel_ms(trace: Trace) -> float:
    """Return what a device's events would measure: the run, and launching and clearing before."""
    return (trace.time_ns + PRESETS[DEVICE].begin_ns) / 1e6


def _parameters(algorithm: str, row: dict[str, Any]) -> dict[str, Any]:
    if "workers" not in row or algorithm != "adds":
        return PARAMETERS[algorithm]
    return {**PARAMETERS[algorithm], "workers": row["workers"]}


def open_graph(name: str, new_york: str) -> CSRGraph:
    """Return the graph that stands for a benchmark graph."""
    from sample_graphs import open_sample

    return gpu.load_graph(new_york) if name == "ny" else open_sample(SAMPLES[name])


def _line(row: dict[str, Any]) -> str:
    return (
        f"{row['graph']:10s} {row['algorithm']:9s} modelled / measured "
        f"{row['ratio_low']:.2f} to {row['ratio_high']:.2f}, "
        f"rank correlation {row['rank_correlation']:+.2f}, "
        f"processed off by {_percent(row['processed_error_percent'])}, "
        f"switches by {_percent(row['switches_error_percent'])}, "
        f"{'fitted' if row['fitted'] else 'held out'}"
    )


def _percent(value: float | None) -> str:
    return "few" if value is None else f"{value:.0f} %"


if __name__ == "__main__":
    sys.exit(main())
