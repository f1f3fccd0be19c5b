"""`sssp-scope bench cpu`: the baselines on this computer's cores, measured.

    sssp-scope bench cpu [FILE] [--threads 1,2,16] [--deltas 12] [--json FILE]

Every row of the registry with the engine `cpu` runs on one graph, New York's roads where they
are at hand: RUNS times after WARM_UPS, at probe level 0, and every answer is proved by its
certificate. A row with the knob `threads` runs with each number asked for, by default powers of
two up to the cores that this process may use. A bucketed row runs at its own delta, then at powers
of two around it: what others publish is mostly their best delta.

The goal is GAP's delta-stepping: 9.5 ms for New York on 16 cores, ours within twice that. On
fewer cores the figure says nothing about the goal, so the core count stands in every line.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gpu.algorithms import ALGORITHMS
from gpu.cpu import host
from gpu.engine import run as run_engine
from gpu.errors import GpuError
from gpu.formats import load_graph
from gpu.graph import CSRGraph
from gpu.lab import command_line
from gpu.proof.verify import certificate
from gpu.record.trace import Probe

RUNS, WARM_UPS = 9, 2
RESULTS = Path(__file__).resolve().parent / "results"
GAP_NEW_YORK_MS, GAP_CORES = 9.5, 16
LEVELS = (Probe.OFF, Probe.SAMPLES, Probe.VERTICES)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Fill the parser of `bench cpu`."""
    parser.add_argument("file", metavar="FILE", nargs="?", help="a graph [New York, if at hand]")
    parser.add_argument("--threads", metavar="T,T,...", help="[1, 2, 4, ... and all cores]")
    parser.add_argument("--deltas", type=int, default=8, help="how many beside its own [8]")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"[{RUNS}]")
    parser.add_argument("--json", type=Path, metavar="FILE", help="[gpu/lab/results/<date>.json]")


def thread_counts(text: str | None) -> list[int]:
    """Return the numbers asked for; None: powers of two up to the cores, and all of them."""
    cores = host.cores()
    if text is None:
        return sorted({2**k for k in range(cores.bit_length()) if 2**k <= cores} | {cores})
    return [int(part) for part in text.split(",")]


def measure(
    graph: CSRGraph,
    key: str,
    threads: int | None,
    delta: float | None,
    runs: int,
    probe: int = Probe.OFF,
) -> dict[str, Any]:
    """Return times (ms) and work of one row; `fault` where its answer is wrong."""
    parameters = {} if threads is None else {"threads": threads}
    traces = [
        run_engine(graph, key, "cpu", 0, delta, probe, parameters=parameters)
        for _ in range(WARM_UPS + runs)
    ][WARM_UPS:]
    times = [trace.time_ns / 1e6 for trace in traces]
    last = traces[-1]
    return {
        "graph": graph.name,
        "n": graph.n,
        "m": graph.m,
        "algorithm": key,
        "threads": threads or 1,
        "probe": int(probe),
        "delta": float(last.last["delta"]) if ALGORITHMS[key].bucketed else None,
        "own_delta": delta is None,
        "ms": {"median": statistics.median(times), "min": min(times), "max": max(times)},
        "processed": last.processed_vertices,
        "relaxed": last.relaxed_edges,
        "fault": certificate(graph, 0, last.dist),
    }


def measure_row(graph: CSRGraph, key: str, args: argparse.Namespace) -> list[dict[str, Any]]:
    """Return what is measured of one row of the registry, printed as it comes."""
    row = ALGORITHMS[key]
    threaded = any(knob.key == "threads" for knob in row.parameters)
    found = []

    def add(*what: Any) -> dict[str, Any]:
        found.append(measure(graph, key, *what))
        print(line(found[-1]), flush=True)
        return found[-1]

    counts = thread_counts(args.threads) if threaded else [None]
    own = [add(threads, None, args.runs) for threads in counts][-1]
    for level in LEVELS[1:]:
        add(counts[-1], None, args.runs, level)
    if row.bucketed:
        for step in range(-(args.deltas // 2), args.deltas - args.deltas // 2 + 1):
            if step:
                add(counts[-1], own["delta"] * 2.0**step, args.runs)
    return found


def line(row: dict[str, Any]) -> str:
    """Return one printed line."""
    times, delta = row["ms"], row["delta"]
    width = "" if delta is None else f"  Δ {delta:g}{' (its own)' if row['own_delta'] else ''}"
    text = f"{row['graph']:<16} {row['algorithm']:<14} {row['threads']:>3} threads"
    text += f" level {row['probe']}  {times['median']:8.2f} ms ({times['min']:.2f} to"
    text += f" {times['max']:.2f})  processed {row['processed']:,}{width}"
    return text + ("" if row["fault"] is None else f"  WRONG: {row['fault']}")


def verdict(rows: list[dict[str, Any]]) -> str:
    """Return the best figure of level 0 beside GAP's, in words."""
    best = min((r for r in rows if r["probe"] == 0), key=lambda r: float(r["ms"]["median"]))
    ms = best["ms"]["median"]
    words = f"best: {best['algorithm']}, {best['threads']} threads on {host.cores()} cores, "
    words += f"{ms:.2f} ms; GAP on {GAP_CORES} cores, New York: {GAP_NEW_YORK_MS} ms"
    return f"{words}, {ms / GAP_NEW_YORK_MS:.2f} times that"


def main(argv: list[str] | None = None) -> int:
    """Measure, print, write the JSON; 0 on success, 1 on a reported error, 3 on a wrong answer."""
    parser = argparse.ArgumentParser(prog="sssp-scope bench cpu", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add_arguments(parser)
    args = parser.parse_args(argv)
    try:
        thread_counts(args.threads)
        return _bench(args)
    except (GpuError, ValueError) as error:
        print(f"sssp-scope: {error}", file=sys.stderr)
        return 1


def _bench(args: argparse.Namespace) -> int:
    from gpu.lab.bench import graph_file

    file = graph_file(args.file, Path("sample:"))
    if not Path(file).is_file():
        raise GpuError("New York's roads are not beside the checkout; name a graph file")
    graph = load_graph(file)
    rows: list[dict[str, Any]] = []
    for key, row in ALGORITHMS.items():
        if "cpu" in row.engines and row.result == "row":
            rows += measure_row(graph, key, args)
    print(verdict(rows))
    now = datetime.now(UTC).isoformat(timespec="seconds")
    done = {
        "command": command_line("bench", "cpu"),
        "date": now,
        **host.environment(host.cores()),
        "runs": args.runs,
        "warm_ups": WARM_UPS,
        "rows": rows,
        "verdict": verdict(rows),
    }
    target = args.json or RESULTS / f"bench_cpu_{now[:10]}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(done, indent=1) + "\n", encoding="utf-8")
    print(f"written to {target}")
    return 3 if any(row["fault"] for row in rows) else 0


if __name__ == "__main__":
    raise SystemExit(main())
