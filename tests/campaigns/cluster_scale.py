"""How much faster rows and sweeps are with two workers of a cluster than with one, in turns.

    python tests/campaigns/cluster_scale.py tcp://ONE tcp://TWO -o FILE.json [--tries 5]

ONE and TWO are Dask schedulers with one worker and with two, each with a GPU of its own by
CUDA_VISIBLE_DEVICES. Both must give the same bytes. The first try is a warm-up.
"""

import argparse
import hashlib
import json
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

import sample_graphs
from gpu.record.trace import RunSettings
from gpu.study import apsp, sweep
from gpu.study.elsewhere import cluster


def rows(there, graph, engine):
    """1,024 reduced rows."""
    settings = RunSettings("apsp_fast", engine)
    plan = apsp.make_plan(graph, settings, "1024", least=apsp.SHARED_BLOCKS, reduced=True)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "far.csv")
        apsp.from_sources(graph, plan, out, there=there)
        return out.read_bytes()


def runs(there, graph, engine):
    """A sweep of 64 runs of Near-Far, each certified."""
    values = np.geomspace(graph.mean_weight / 8, graph.mean_weight * 512, 64).tolist()
    plan = sweep.make_plan(graph, RunSettings("near_far", engine), values=values)
    points = sweep.run_sweep(graph, plan, there=there)
    return repr([(point.value, point.failure, point.certificate) for point in points]).encode()


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("where", nargs=2)
parser.add_argument("-o", required=True)
parser.add_argument("--tries", type=int, default=5)
parser.add_argument("--engine", default="cuda")
args = parser.parse_args()
result = {}
with cluster(args.where[0]) as one, cluster(args.where[1]) as two:
    for name, work, side in (("sweep", runs, 1024), ("rows", rows, 2048)):
        graph, hashes = sample_graphs.make("grid", n=side**2, seed=1), set()
        seconds = {1: [], 2: []}
        for turn in range(args.tries + 1):
            for count, there in ((1, one), (2, two))[:: 1 if turn % 2 else -1]:
                begin = time.perf_counter()
                hashes.add(hashlib.sha256(work(there, graph, args.engine)).hexdigest())
                seconds[count].append(round(time.perf_counter() - begin, 3))
        medians = [statistics.median(tries[1:]) for tries in seconds.values()]
        result[name] = {"seconds": seconds, "ratio": medians[0] / medians[1]}
        result[name]["same_bytes"] = len(hashes) == 1
        print(name, result[name], flush=True)
        Path(args.o).write_text(json.dumps(result, indent=1), encoding="utf-8")
