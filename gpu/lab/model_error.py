"""How far the modelled H100 is from the measured one: the same deltas, run on the model.

    python -m gpu.lab.model_error NEW_YORK.gr.gz [-o FILE.json]

Takes the delta sweeps that `sweep_gpu` measured (gpu/lab/results/sweep_gpu_*.json, our
kernels, fixed deltas) and repeats every second point on the modelled H100, with the graphs
of the same families made by `sample_graphs` (other random numbers, the same sizes; the
two largest graphs are left out). Prints, per graph and algorithm, the range of modelled
over measured time and the rank correlation (Spearman) over the sweep.

The kernels are ours, the model is of the paper's design: ours keep work inside a worker,
which the model does not do. What this prints is the error that stands, before any fit.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import gpu
from gpu.graph import CSRGraph

RESULTS = Path(__file__).resolve().parent / "results"
DEVICE = "H100"
SAMPLES = {
    "grid_1024": "sample:grid?n=1048576",
    "mesh_100": "sample:mesh?n=1000000",
    "rmat_20": "sample:rmat?n=1048576",
}
PARAMETERS = {"adds": {"drop_stale": True}, "near_far": {}}
EVERY = 2  # points of a sweep


def main(argv: list[str] | None = None) -> int:
    """Print the table; write it as JSON where asked."""
    parser = argparse.ArgumentParser(prog="python -m gpu.lab.model_error", description=__doc__)
    parser.add_argument("new_york", help="USA-road-d.NY.gr[.gz]")
    parser.add_argument("--sweep", type=Path, default=max(RESULTS.glob("sweep_gpu_*.json")))
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args(argv)
    measured = json.loads(args.sweep.read_text(encoding="utf-8"))["rows"]
    rows = []
    for name in ("ny", *SAMPLES):
        graph = _graph(name, args.new_york)
        for algorithm in PARAMETERS:
            points = [r for r in measured if (r["graph"], r["algorithm"]) == (name, algorithm)]
            rows.append(compare(name, graph, algorithm, points[::EVERY]))
            print(_line(rows[-1]), flush=True)
    if args.output:
        document = {"device": DEVICE, "measured": args.sweep.name, "rows": rows}
        args.output.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


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
            parameters=PARAMETERS[algorithm],
        )
        points.append(
            {
                "delta": row["delta"],
                "measured_ms": row["kernel_ms"]["median"],
                "modelled_ms": trace.time_ns / 1e6,
                "measured_efficiency": row["efficiency"],
                "modelled_efficiency": trace.work_efficiency,
            }
        )
    ratios = [point["modelled_ms"] / point["measured_ms"] for point in points]
    ranks = spearmanr(
        [point["modelled_ms"] for point in points], [point["measured_ms"] for point in points]
    )
    return {
        "graph": name,
        "algorithm": algorithm,
        "ratio_low": min(ratios),
        "ratio_high": max(ratios),
        "rank_correlation": float(ranks.statistic),
        "points": points,
    }


def _graph(name: str, new_york: str) -> CSRGraph:
    from sample_graphs import open_sample

    return gpu.load_graph(new_york) if name == "ny" else open_sample(SAMPLES[name])


def _line(row: dict[str, Any]) -> str:
    return (
        f"{row['graph']:10s} {row['algorithm']:9s} modelled / measured "
        f"{row['ratio_low']:.2f} to {row['ratio_high']:.2f}, "
        f"rank correlation {row['rank_correlation']:+.2f}"
    )


if __name__ == "__main__":
    sys.exit(main())
