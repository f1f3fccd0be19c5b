"""What the modelled GPU says: ADDS against Near-Far, the ablations, and a sweep of delta.

    python -m gpu.lab.model_report [ROADS.gr.gz] [-o FILE.json]

Four families (city roads, grid, 3-D mesh, R-MAT; with a file, that road network too) on one
device. Everything is modelled time of a deterministic simulation, so the figures are the
same on every machine; they say what the cost model of `gpu.devices` implies, whose
constants were fitted on an H100 (`gpu.lab.calibrate`) and scaled to this device, which
nothing checked. Work = processed / settled vertices.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import gpu
from gpu.graph import CSRGraph

SAMPLES = (
    "sample:city_roads?n=12000",
    "sample:city_roads?n=1000000",
    "sample:grid?n=250000",
    "sample:mesh?n=125000",
    "sample:rmat?n=65536",
    "sample:rmat?n=1048576",
)
SWEEP = tuple(2.0**power for power in range(-5, 11))  # C: delta = C x mean weight / mean degree
WHAT = "modelled; constants fitted on an H100, on half of the benchmark graphs, then scaled"
STATIC = {"dynamic_delta": False}
TWO_BUCKETS = {"dynamic_delta": False, "buckets": 2}


def main(argv: list[str] | None = None) -> int:
    """Print a table; write everything as JSON where asked."""
    parser = argparse.ArgumentParser(prog="python -m gpu.lab.model_report", description=__doc__)
    parser.add_argument("roads", nargs="?", help="a road network to add")
    parser.add_argument("--device", default="RTX 2080 Ti")
    parser.add_argument("-o", "--output", type=Path, help="JSON file to write")
    args = parser.parse_args(argv)
    rows = [report(graph, args.device) for graph in _graphs(args.roads)]
    for row in rows:
        _print(row)
    if args.output:
        document = {"what": WHAT, "device": args.device, "rows": rows}
        args.output.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


def report(graph: CSRGraph, device: str) -> dict[str, Any]:
    """Return one graph's figures: four schedules and the sweep."""
    from sample_graphs import suggested_source

    source = suggested_source(graph)

    def run(algorithm: str, **options: Any) -> dict[str, float]:
        trace = gpu.run(graph, algorithm, source=source, device=device, **options)
        return {
            "ms": trace.time_ns / 1e6,
            "work": trace.processed_vertices / trace.reached,
            "parallelism": float(trace.samples["assigned_edges"].mean()),
            "delta_first": float(trace.samples["delta"][0]),
            "delta_last": float(trace.last["delta"]),
        }

    unit = graph.mean_weight / graph.mean_degree
    return {
        "graph": graph.name,
        "n": graph.n,
        "m": graph.m,
        "near_far": run("near_far"),
        "adds": run("adds"),
        "static": run("adds", parameters=STATIC),
        "two_buckets": run("adds", parameters=TWO_BUCKETS),
        "sweep": [{"c": c, **run("adds", delta=max(c * unit, 1e-6))} for c in SWEEP],
    }


def _graphs(roads: str | None) -> list[CSRGraph]:
    from sample_graphs import open_sample

    files = [gpu.load_graph(roads)] if roads else []
    return files + [open_sample(reference) for reference in SAMPLES]


def _print(row: dict[str, Any]) -> None:
    base = row["near_far"]
    print(f"{row['graph']}: {row['n']} vertices, {row['m']} edges")
    for key in ("near_far", "adds", "static", "two_buckets"):
        found = row[key]
        print(
            f"  {key:12s} {found['ms']:9.3f} ms  x{base['ms'] / found['ms']:.2f} over Near-Far"
            f"  work {found['work']:6.2f}  parallelism {found['parallelism']:10.0f} edges"
        )
    best_time = min(row["sweep"], key=lambda point: point["ms"])
    best_work = min(row["sweep"], key=lambda point: point["work"])
    for name, point in (("best time", best_time), ("best work", best_work)):
        print(
            f"  sweep, {name}: C = {point['c']:g}: {point['ms']:.3f} ms, work {point['work']:.2f}"
        )
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
