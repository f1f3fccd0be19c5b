"""All rows of `cuda` on graphs of many kinds, in one run on one card.

    python -m gpu.lab.bench_rows [--sets held_out,...] [--tuned NEW_YORK.gr.gz] [--json FILE]

Rows take turns, run by run; times are medians of the kernel's, with everything that a run needs.
The first row's distances are certified where no weight is 0, all others must equal them.
A graph's set is a key of `held_out_graphs.SETS`, with --tuned also "tuned".
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from gpu.algorithms import find, plain_rows
from gpu.engine import RecordingObserver, RunBuffers, execute
from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.lab import benchmark_graphs, held_out_graphs
from gpu.lab.bench_gpu import RESULTS
from gpu.record.trace import RunSettings

ROWS = plain_rows("cuda")
RUNS = 7
SHORT_MS, SHORT_RUNS = 10.0, 21  # where the fastest row's fastest run takes no longer: so many
SLOW_MS = 100.0  # a row that takes longer once is not run again on that graph


def measure(graph: CSRGraph, source: int) -> dict[str, Any]:
    """Return the graph's row of the table: times (ms) and relaxed arcs of each row."""
    times: dict[str, list[float]] = {key: [] for key in ROWS}
    relaxed: dict[str, int] = {}
    faults: dict[str, str] = {}
    known: np.ndarray | None = None
    for turn in range(SHORT_RUNS + 1):
        if turn > RUNS and min(map(min, filter(None, times.values()))) > SHORT_MS:
            break
        for key in ROWS:
            if key in faults or (turn > 1 and times[key][0] > SLOW_MS):
                continue
            buffers, observer = RunBuffers.allocate(graph, 0), RecordingObserver()
            chosen = find(key).checked_parameters({})
            settings = RunSettings(key, "cuda", "cuda:0", source, None, 0, parameters=chosen)
            try:
                outcome = execute(graph, settings, buffers, observer)
            except GpuError as error:
                faults[key] = str(error)
                continue
            if turn == 0:
                if known is None:
                    known = buffers.dist.copy()
                    fault = benchmark_graphs.certificate(graph, source, known)
                    if fault is not None and graph.weights.min(initial=1) > 0:
                        faults[key] = fault
                elif not np.array_equal(known, buffers.dist):
                    faults[key] = "other distances than the first row's"
                continue
            times[key].append(outcome.environment["kernel_ms"])
            relaxed[key] = int(observer.samples()[-1]["relaxed_edges"])
    medians = {key: median(found) for key, found in times.items() if found}
    return {
        "graph": graph.name,
        "n": graph.n,
        "m": graph.m,
        "ms": medians,
        "over_best_other": {key: ms / best_other(medians, key) for key, ms in medians.items()},
        "runs": times,
        "relaxed": relaxed,
        "faults": faults,
    }


def best_other(medians: dict[str, float], key: str) -> float:
    """Return the time of the fastest row but this one, ms."""
    return min((ms for other, ms in medians.items() if other != key), default=medians[key])


def summary(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Return by row, over some graphs: its time over that of the best other."""
    found: dict[str, dict[str, float]] = {}
    for key in ROWS:
        ratios = [row["over_best_other"][key] for row in rows if key in row["ms"]]
        mean = math.exp(sum(map(math.log, ratios)) / max(len(ratios), 1))
        worst = max(ratios, default=math.nan)
        found[key] = {"graphs": len(ratios), "geometric_mean": mean, "worst": worst}
    return found


def graphs(new_york: Path | None, sets: list[str]) -> Iterator[tuple[CSRGraph, int, str]]:
    """Yield graph, source and set."""
    for name in sets:
        for make in held_out_graphs.SETS[name]:
            graph = make()
            yield graph, held_out_graphs.source_of(graph), name
    if new_york is None:
        return
    for name in ("ny", "grid_1024", "mesh_100", "grid_4096", "rmat_20", "rmat_22"):
        graph = benchmark_graphs.make(name, new_york)
        yield graph, benchmark_graphs.source_of(name, graph), "tuned"


def main(argv: list[str] | None = None) -> int:
    """Measure, print a line a graph, write the JSON; 3 where an answer is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tuned", type=Path, metavar="NEW_YORK", help="USA-road-d.NY.gr[.gz]")
    parser.add_argument("--sets", default=",".join(held_out_graphs.SETS), metavar="SET,...")
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args(argv)
    unknown = sorted({*args.sets.split(",")} - {*held_out_graphs.SETS})
    if unknown:
        parser.error(f"--sets {','.join(unknown)}: there are {', '.join(held_out_graphs.SETS)}")
    from gpu.cuda.device import find_device

    device = find_device("cuda:0")
    date = datetime.now(UTC).isoformat(timespec="seconds")
    target = args.json or RESULTS / f"bench_rows_{date[:10]}.json"
    about = {"command": " ".join(("python -m gpu.lab.bench_rows", *sys.argv[1:])), "date": date}
    rows: list[dict[str, Any]] = []
    for graph, source, which in graphs(args.tuned, args.sets.split(",")):
        row = {**measure(graph, source), "set": which}
        rows.append(row)
        told = "  ".join(f"{key} {ms:.3f}" for key, ms in row["ms"].items())
        print(f"{row['graph']:<28} {told}  {row['faults'] or ''}", flush=True)
        sets = dict.fromkeys(row["set"] for row in rows)
        over = {name: summary([row for row in rows if row["set"] == name]) for name in sets}
        table = {**about, **device.facts(), "over_best_other": over, "rows": rows}
        target.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")  # as far as it is
    for name, told_of in over.items():
        for key, figures in told_of.items():
            print(f"{name:<9} {key:<16} over the best other: {figures}")
    return 3 if any(row["faults"] for row in rows) else 0


if __name__ == "__main__":
    raise SystemExit(main())
