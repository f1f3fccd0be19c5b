"""How much faster rows and sweeps are with two workers than with one, in turns.

    python tests/campaigns/cluster_scale.py tcp://ONE tcp://TWO -o FILE.json [--side 2048]
        [--sources 1024] [--runs 64] [--tries 5] [--engine cuda] [--parts sweep rows]

ONE and TWO are the addresses of two Dask schedulers: one with a single worker, one with two. Give
each worker a GPU of its own by CUDA_VISIBLE_DEVICES. Both must give the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import sample_graphs
from gpu.graph import CSRGraph
from gpu.record.trace import RunSettings
from gpu.study import apsp, sweep
from gpu.study.elsewhere import cluster


def rows(graph: CSRGraph, sources: int, engine: str) -> Callable[[Any], bytes]:
    """Return how to compute, in a cluster, a reduced row of each of the first `sources`."""
    settings = RunSettings("apsp_fast", engine)
    plan = apsp.make_plan(graph, settings, str(sources), least=apsp.SHARED_BLOCKS, reduced=True)

    def run(there: Any) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "far.csv")
            apsp.from_sources(graph, plan, out, there=there)
            return out.read_bytes()

    return run


def runs(graph: CSRGraph, count: int, engine: str) -> Callable[[Any], bytes]:
    """Return how to sweep delta with Near-Far, each run of which is certified."""
    values = np.geomspace(graph.mean_weight / 8, graph.mean_weight * 512, count).tolist()
    plan = sweep.make_plan(graph, RunSettings("near_far", engine), values=values)

    def run(there: Any) -> bytes:
        points = sweep.run_sweep(graph, plan, there=there)
        return json.dumps(
            [[point.value, point.failure, point.certificate] for point in points]
        ).encode()

    return run


def measured(work: Callable[[Any], bytes], where: list[str], tries: int) -> dict[str, Any]:
    """Return the seconds of each try by number of workers, and whether the bytes were the same."""
    seconds: dict[int, list[float]] = {1: [], 2: []}
    results = set()
    with cluster(where[0]) as one, cluster(where[1]) as two:
        for turn in range(tries + 1):
            for count, there in ((1, one), (2, two)) if turn % 2 else ((2, two), (1, one)):
                begin = time.perf_counter()
                results.add(hashlib.sha256(work(there)).hexdigest())
                seconds[count].append(time.perf_counter() - begin)
                print(count, round(seconds[count][-1], 3), flush=True)
    medians = {count: statistics.median(values[1:]) for count, values in seconds.items()}
    return {
        "seconds": seconds,  # the first of each is the warm-up
        "median_s": medians,
        "ratio": medians[1] / medians[2],
        "same_bytes": len(results) == 1,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("where", nargs=2)
    parser.add_argument("-o", required=True)
    parser.add_argument("--side", type=int, default=2048)
    parser.add_argument("--sweep-side", type=int, default=1024)
    parser.add_argument("--sources", type=int, default=1024)
    parser.add_argument("--runs", type=int, default=64)
    parser.add_argument("--tries", type=int, default=5)
    parser.add_argument("--engine", default="cuda")
    parser.add_argument("--parts", nargs="+", default=["sweep", "rows"])
    args = parser.parse_args()
    wide = sample_graphs.make("grid", n=args.side**2, seed=1)
    small = sample_graphs.make("grid", n=args.sweep_side**2, seed=1)
    work = {
        "sweep": runs(small, args.runs, args.engine),
        "rows": rows(wide, args.sources, args.engine),
    }
    result: dict[str, Any] = {"options": vars(args)}
    for part in args.parts:
        result[part] = measured(work[part], args.where, args.tries)
        Path(args.o).write_text(json.dumps(result, indent=1))
    print(
        json.dumps(
            {key: {k: v for k, v in part.items() if k != "seconds"} for key, part in result.items()}
        )
    )


if __name__ == "__main__":
    main()
