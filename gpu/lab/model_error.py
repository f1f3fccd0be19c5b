"""How far the modelled H100 is from the measured one: the same deltas, run on the model.

    python -m gpu.lab.model_error NEW_YORK.gr.gz [-o FILE.json]
    python -m gpu.lab.model_error NEW_YORK.gr.gz --fit STEPS

Reads the deltas that `sssp-scope bench gpu --sweep` measured and repeats every second point on the
modelled H100, with as many workers, on graphs of the same families and sizes made by
`sample_graphs`. Prints, for each graph and algorithm: modelled over measured time, the rank
correlation (Spearman) over the sweep, and the mean absolute error of the counters. The window
states the error from `results/model-error-h100.json` (`gpu.model.accuracy`).

`--fit` fits the cost constants (CONSTANTS of `gpu.devices`) on FITTED, one graph of each kind;
roads and the larger graphs are held out. A step multiplies each constant in turn by STEP and by
1 / STEP and keeps the change if it lowers the root mean square of log2(modelled / measured).
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import gpu
from gpu.devices import PRESETS
from gpu.graph import CSRGraph
from gpu.lab import RESULTS
from gpu.record.trace import Trace

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
EVERY, FIT_EVERY = 2, 4  # points of a sweep that are used
LEAST = 10  # counted in a run, for an error in percent
CONSTANTS = ("round_ns", "trip_ns", "miss_ns", "push_ns", "superstep_ns", "alone_ns")
STEP = 1.2  # factor


def main(argv: list[str] | None = None) -> int:
    """Print the table, and write it as JSON; or fit the constants."""
    parser = argparse.ArgumentParser(prog="python -m gpu.lab.model_error", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("new_york", help="USA-road-d.NY.gr[.gz]")
    parser.add_argument("--sweep", type=Path, default=newest_sweep())
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--fit", type=int, metavar="STEPS", help="fit the constants instead")
    args = parser.parse_args(argv)
    measured = json.loads(args.sweep.read_text(encoding="utf-8"))["rows"]
    if args.fit is not None:
        fit({name: open_graph(name, args.new_york) for name in FITTED}, measured, args.fit)
        return 0
    rows = []
    for name in ("ny", *SAMPLES):
        graph = open_graph(name, args.new_york)
        for algorithm in ALGORITHMS:
            rows.append(compare(name, graph, algorithm, measured, EVERY))
            print(_line(rows[-1]), flush=True)
    if args.output:
        document = {"device": DEVICE, "measured": args.sweep.name, "rows": rows}
        args.output.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


def newest_sweep() -> Path:
    """Return the newest file of measured sweeps."""
    return max(RESULTS.glob("sweep_gpu_*.json"))


def open_graph(name: str, new_york: str) -> CSRGraph:
    """Return the graph that stands for a benchmark graph."""
    from sample_graphs import open_sample

    return gpu.load_graph(new_york) if name == "ny" else open_sample(SAMPLES[name])


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
    from sample_graphs import suggested_source

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


def fit(graphs: dict[str, CSRGraph], measured: list[dict[str, Any]], steps: int) -> None:
    """Print the error of the constants in force, and better ones after each step."""
    constants = {name: getattr(PRESETS[DEVICE], name) for name in CONSTANTS}
    best = fit_error(graphs, measured, constants, FIT_EVERY)
    print(f"error {best:.3f} (log2), with {_words(constants)}", flush=True)
    for _ in range(steps):
        for name in CONSTANTS:
            for factor in (STEP, 1.0 / STEP):
                tried = {**constants, name: constants[name] * factor}
                error = fit_error(graphs, measured, tried, FIT_EVERY)
                if error < best:
                    best, constants = error, tried
                    break
        print(f"error {best:.3f} (log2), with {_words(constants)}", flush=True)


def fit_error(
    graphs: dict[str, CSRGraph],
    measured: list[dict[str, Any]],
    constants: dict[str, float],
    every: int,
) -> float:
    """Return the root mean square of log2(modelled / measured) over the sweeps of `graphs`."""
    squares: list[float] = []
    with _constants_set(constants):
        for name, graph in graphs.items():
            for algorithm in ALGORITHMS:
                points = compare(name, graph, algorithm, measured, every)["points"]
                squares += [
                    math.log2(point["modelled_ms"] / point["measured_ms"]) ** 2 for point in points
                ]
    return math.sqrt(sum(squares) / len(squares))


@contextmanager
def _constants_set(constants: dict[str, float]) -> Iterator[None]:
    """Give the modelled device other constants for a while."""
    before = PRESETS[DEVICE]
    PRESETS[DEVICE] = replace(before, **constants)  # type: ignore[arg-type]
    try:
        yield
    finally:
        PRESETS[DEVICE] = before


def _words(constants: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.0f}" for name, value in constants.items())


if __name__ == "__main__":
    sys.exit(main())
