"""`sssp-scope bench cpu`: the algorithms on this computer's cores, measured.

    sssp-scope bench cpu [GRAPH...] [--threads 1,2,16] [--deltas 12] [-o FILE]

A graph is a sample (`sample:rmat?n=1048576`) or a file, FILE@VERTEX where the source is not 0; New
York's roads where none is named and they are at hand. Every algorithm of the engine `cpu` runs on
each: RUNS times after WARM_UPS, and a certificate proves every answer. An algorithm with the
parameter `threads` runs with each number asked for, by default powers of two up to the cores that
this process may use. With the most threads it also runs at the other probe levels and at powers of
two around its own delta. Times are of whole runs: from the call with the graph in memory to the
finished trace.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import sample_graphs
from gpu.algorithms import ALGORITHMS, find
from gpu.cpu import host
from gpu.engine import run
from gpu.errors import GpuError
from gpu.formats import load_graph
from gpu.graph import CSRGraph
from gpu.interpreter import cores
from gpu.lab import Rows, laboratory, spread
from gpu.lab.bench import graph_file
from gpu.proof.verify import certificate
from gpu.record.trace import Probe, RunSettings, Trace

RUNS, WARM_UPS = 9, 2
LEVELS = (Probe.SAMPLES, Probe.VERTICES)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Fill the parser of `bench cpu`."""
    parser.add_argument("graphs", metavar="GRAPH", nargs="*", help="[New York, if at hand]")
    parser.add_argument("--threads", metavar="T,T,...", type=_numbers, help="[all powers of 2]")
    parser.add_argument("--algorithms", metavar="KEY,...", help="[all on the engine cpu]")
    parser.add_argument("--deltas", type=int, default=8, help="how many beside its own [8]")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"[{RUNS}]")


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def thread_counts() -> list[int]:
    """Return powers of two up to the cores, and all of them."""
    most = cores()
    return sorted({2**k for k in range(most.bit_length()) if 2**k <= most} | {most})


def keys_of(text: str | None) -> list[str]:
    """Return the algorithms to measure."""
    if text is None:
        return [k for k, row in ALGORITHMS.items() if "cpu" in row.engines and row.result == "row"]
    keys = text.split(",")
    for key in keys:
        find(key).check_engine("cpu")
    return keys


def measure(name: str | None, args: argparse.Namespace) -> Rows:
    """Return the rows of all algorithms on one graph, printed as they come."""
    graph, source = _opened(name)
    rows = []
    for key in keys_of(args.algorithms):
        threaded = any(knob.key == "threads" for knob in ALGORITHMS[key].parameters)
        counts = (args.threads or thread_counts()) if threaded else [None]
        for settings in _settings(key, source, counts):
            rows.append(_row(graph, settings, args.runs))
        own = rows[-1]["delta"]
        if own is not None:
            parameters = {"threads": counts[-1]}
            for step in range(-(args.deltas // 2), (args.deltas + 1) // 2 + 1):
                if step:
                    settings = RunSettings(
                        key, "cpu", "cpu", source, own * 2.0**step, 0, parameters=parameters
                    )
                    rows.append(_row(graph, settings, args.runs))
    return rows


def _settings(key: str, source: int, counts: list[Any]) -> list[RunSettings]:
    """Return level 0 with each number of threads, and the other levels with the most."""
    kinds = [(threads, Probe.OFF) for threads in counts]
    kinds += [(counts[-1], level) for level in LEVELS]
    return [
        RunSettings(
            key,
            "cpu",
            "cpu",
            source,
            probe=level,
            parameters={} if threads is None else {"threads": threads},
        )
        for threads, level in kinds
    ]


def _row(graph: CSRGraph, settings: RunSettings, runs: int) -> dict[str, Any]:
    """Run WARM_UPS and `runs` times; print and return the row. Only the last trace is kept."""
    whole_ms, clock_ms = [], []
    for _ in range(WARM_UPS + runs):
        begun = time.perf_counter()
        trace = run(graph, settings)
        whole_ms.append((time.perf_counter() - begun) * 1e3)
        clock_ms.append(trace.time_ns / 1e6)
    row = {
        "graph": graph.name,
        "n": graph.n,
        "m": graph.m,
        "source": settings.source,
        "algorithm": settings.algorithm,
        "threads": settings.parameters.get("threads", 1),
        "probe": int(settings.probe),
        "delta": _delta(trace),
        "own_delta": settings.delta is None,
        "ms": spread(whole_ms[WARM_UPS:]),
        "clock_ms": spread(clock_ms[WARM_UPS:])["median"],
        "processed": trace.processed_vertices,
        "relaxed": trace.relaxed_edges,
        "fault": certificate(graph, settings.source, trace.dist),
    }
    print(line(row), flush=True)
    return row


def _delta(trace: Trace) -> float | None:
    bucketed = ALGORITHMS[trace.settings.algorithm].bucketed
    return float(trace.last["delta"]) if bucketed else None


def line(row: dict[str, Any]) -> str:
    """Return one printed line."""
    times, delta = row["ms"], row["delta"]
    width = "" if delta is None else f"  Δ {delta:g}{' (its own)' if row['own_delta'] else ''}"
    text = f"{row['graph']:<16} {row['algorithm']:<14} {row['threads']:>3} threads"
    text += f" level {row['probe']}  {times['median']:8.2f} ms ({times['min']:.2f} to"
    text += f" {times['max']:.2f}){width}"
    return text + ("" if row["fault"] is None else f"  WRONG: {row['fault']}")


def verdict(rows: list[dict[str, Any]]) -> str:
    """Return each graph's best figure of level 0."""
    words = []
    for graph in dict.fromkeys(row["graph"] for row in rows):
        here = [row for row in rows if row["graph"] == graph and row["probe"] == 0]
        best = min(here, key=lambda row: float(row["ms"]["median"]))
        words.append(
            f"{graph}: best {best['algorithm']}, {best['threads']} threads "
            f"on {cores()} cores, {best['ms']['median']:.2f} ms"
        )
    return "\n".join(words)


def _opened(name: str | None) -> tuple[CSRGraph, int]:
    """Return a graph and its source."""
    if name is not None and name.startswith(sample_graphs.PREFIX):
        graph = sample_graphs.open_sample(name)
        return graph, sample_graphs.suggested_source(graph)
    given, _, vertex = (name or "").partition("@")
    file = Path(graph_file(given or None, Path(sample_graphs.PREFIX)))
    if not file.is_file():
        raise GpuError("New York's roads are not beside the checkout; name a graph file")
    graph = load_graph(file)
    return graph, graph.check_source(int(vertex or 0))


def main(argv: Sequence[str]) -> int:
    """Measure, print, write the results; return the exit code. GpuError."""
    return laboratory("cpu", __doc__, argv, add_arguments, _measured)


def _measured(args: argparse.Namespace) -> tuple[Rows, dict[str, Any]]:
    rows = [row for name in args.graphs or [None] for row in measure(name, args)]
    print(verdict(rows))
    facts = {"verdict": verdict(rows), "runs": args.runs} | host.environment(cores())
    return rows, facts
