"""The modelled H100 beside the measured one on graphs of many kinds, each row at its own delta.

    python -m gpu.lab.model_rows [--measured FILE] [-o FILE.json]

Takes what `bench_rows` measured and makes every run again on the modelled H100, on graphs of the
same families and sizes (NumPy draws them where CuPy did: other random numbers). Prints, and writes,
of each row: modelled over measured time, graph by graph; the mean absolute error; the same of the
relaxed arcs; and of all pairs of rows whose measured times differ by more than CLEAR, how many the
model ranks as the device does, and of how many it says that they are too close to tell.

Tuned on, that is looked at while the constants of `gpu.devices` were chosen by hand on 2026-11-23:
the graphs of TUNED_ON. Others of a file were not.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import mean
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

import gpu
from gpu.algorithms import ALGORITHMS
from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.lab import held_out_graphs
from gpu.lab.bench_gpu import RESULTS
from gpu.lab.model_error import DEVICE, kernel_ms
from gpu.lab.tables import newest
from gpu.model.accuracy import CLOSE, not_ranked

MOST_ARCS = 10_000_000  # of a graph that is modelled: seconds each
MOST_RELAXED = 100_000_000  # measured arcs of a run that is modelled
ALIKE = 0.01  # of the arcs, by which two drawings of one graph may differ
CLEAR = (1.1, 1.25)  # times, from which on two measured times are told apart
TUNED_ON = "bench_rows_2026-11-23_0234.json"


def main(argv: list[str] | None = None) -> int:
    """Model every run, print the table, write it where asked."""
    parser = argparse.ArgumentParser(prog="python -m gpu.lab.model_rows", description=__doc__)
    parser.add_argument("--measured", type=Path, default=newest("bench_rows"))
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args(argv)
    measured = json.loads(args.measured.read_text(encoding="utf-8"))
    looked_at = json.loads((RESULTS / TUNED_ON).read_text(encoding="utf-8"))["rows"]
    rows = list(modelled(measured["rows"], looked_at))
    document = {
        "device": DEVICE,
        "measured": args.measured.name,
        "card": measured["device"],
        "rows": rows,
        "summary": summaries(rows),
    }
    print(json.dumps(document["summary"], indent=1))
    if args.output:
        args.output.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


def summaries(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return four summaries: of graphs tuned on and held out, of times ranked and not."""
    return {
        f"{name}, {kind}": summary([row for row in rows if row["tuned_on"] == tuned_on], ranked)
        for name, tuned_on in (("tuned on", True), ("held out", False))
        for kind, ranked in (("ranked", True), ("not ranked", False))
    }


def modelled(
    measured: list[dict[str, Any]], looked_at: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield of each graph that can be made here modelled beside measured times and arcs."""
    for graph in graphs():
        row = row_of(measured, graph)
        if row is None or graph.m > MOST_ARCS:
            continue
        source = held_out_graphs.source_of(graph)
        found: dict[str, Any] = {"graph": graph.name, "n": graph.n, "m": graph.m}
        found["tuned_on"] = row_of(looked_at, graph) is not None
        found["runs"] = {}
        for key, ms in row["ms"].items():
            if "model" not in ALGORITHMS[key].engines or row["relaxed"][key] > MOST_RELAXED:
                continue
            try:
                trace = gpu.run(graph, key, source=source, device=DEVICE, probe=0)
            except GpuError as error:
                found["runs"][key] = {"fault": str(error)}
                continue
            found["runs"][key] = {
                "measured_ms": ms,
                "modelled_ms": kernel_ms(trace),
                "measured_relaxed": row["relaxed"][key],
                "modelled_relaxed": int(trace.last["relaxed_edges"]),
                "ranked": not not_ranked(key, graph),
            }
        print(graph.name, {key: _ratio(run) for key, run in found["runs"].items()}, flush=True)
        yield found


def row_of(measured: list[dict[str, Any]], graph: CSRGraph) -> dict[str, Any] | None:
    """Return what was measured of a graph, None where it was not: two have one name, band_16."""
    for row in measured:
        alike = abs(row["m"] - graph.m) <= ALIKE * graph.m  # other random numbers, other arcs
        if (row["graph"], row["n"]) == (graph.name, graph.n) and alike:
            return row
    return None


def graphs() -> Iterator[CSRGraph]:
    """Yield the graphs of `held_out_graphs`, drawn by NumPy where there is no CuPy."""
    with numpy_for_cupy():
        for make in itertools.chain(*held_out_graphs.SETS.values()):
            yield make()


@contextmanager
def numpy_for_cupy() -> Iterator[None]:
    """Let what asks for CuPy's arrays have NumPy's, in this process, for a while."""
    stand_in = ModuleType("cupy")
    stand_in.__dict__.update({name: getattr(np, name) for name in np.__all__})
    stand_in.__dict__["asnumpy"] = np.asarray
    pool = SimpleNamespace(free_all_blocks=lambda: None)
    stand_in.__dict__["get_default_memory_pool"] = lambda: pool
    before = sys.modules.get("cupy")
    sys.modules["cupy"] = stand_in
    try:
        yield
    finally:
        del sys.modules["cupy"]
        if before is not None:
            sys.modules["cupy"] = before


def summary(rows: list[dict[str, Any]], ranked: bool) -> dict[str, Any]:
    """Return the errors of each row, of the runs whose times the program ranks, or does not.

    And of pairs of them, how many the model ranks as the device does.
    """
    runs: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        for key, run in row["runs"].items():
            if run.get("ranked") == ranked:
                runs.setdefault(key, []).append(run)
    pairs = {f"{least:g}": _pairs(rows, ranked, least) for least in CLEAR}
    return {"pairs": pairs, "rows": {key: _of(found) for key, found in runs.items()}}


def _pairs(rows: list[dict[str, Any]], ranked: bool, least: float) -> dict[str, int]:
    """Count the pairs whose measured times differ so many times, by what the model says."""
    counts = {"right": 0, "wrong": 0, "too close": 0}
    for row in rows:
        found = [run for run in row["runs"].values() if run.get("ranked") == ranked]
        for a, b in itertools.combinations(found, 2):
            times = a["measured_ms"], b["measured_ms"]
            told = a["modelled_ms"], b["modelled_ms"]
            if max(times) > least * min(times):
                same = (times[0] < times[1]) == (told[0] < told[1])
                apart = max(told) >= CLOSE * min(told)
                counts[("right" if same else "wrong") if apart else "too close"] += 1
    return counts


def _of(runs: list[dict[str, Any]]) -> dict[str, Any]:
    times = [run["modelled_ms"] / run["measured_ms"] for run in runs]
    arcs = [run["modelled_relaxed"] / max(run["measured_relaxed"], 1) for run in runs]
    return {
        "runs": len(runs),
        "time_error_percent": 100 * mean(abs(ratio - 1) for ratio in times),
        "time_ratio_low": min(times),
        "time_ratio_high": max(times),
        "geomean": math.exp(mean(map(math.log, times))),
        "outside_half_to_double": sum(not 0.5 <= ratio <= 2 for ratio in times),
        "relaxed_error_percent": 100 * mean(abs(ratio - 1) for ratio in arcs),
    }


def _ratio(run: dict[str, Any]) -> Any:
    return run.get("fault") or round(run["modelled_ms"] / run["measured_ms"], 2)


if __name__ == "__main__":
    sys.exit(main())
