"""`sssp-scope bench cpu`: the algorithms on this computer's cores, measured.

    sssp-scope bench cpu [GRAPH...] [--threads 1,2,16] [-o FILE]

A graph is a sample (`sample:rmat?n=1048576`) or a file, FILE@VERTEX where the source is not 0.
Every algorithm of the engine `cpu` runs on each, RUNS times after the warm-ups of `bench gpu`, and
a certificate proves every answer. An algorithm with the parameter `threads` runs with each number
asked for, by default powers of two up to the cores that this process may use; with the most threads
also at the other probe levels. `end_to_end_ms` is a whole run: from the call with the graph in
memory to the finished trace; `kernel_ms` is the run's own clock.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import sample_graphs
from gpu.algorithms import ALGORITHMS, find
from gpu.cpu import host
from gpu.formats import load_graph
from gpu.graph import CSRGraph
from gpu.interpreter import cores
from gpu.lab import Rows, laboratory
from gpu.lab.bench_gpu import LEVELS, measure
from gpu.record.trace import RunSettings

RUNS = 9
DEFAULT_GRAPH = "sample:city_roads?n=264346"  # as many vertices as New York's roads


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Fill the parser of `bench cpu`."""
    default = [DEFAULT_GRAPH]
    parser.add_argument("graphs", metavar="GRAPH", nargs="*", default=default, help=f"{default}")
    parser.add_argument("--threads", metavar="T,T,...", type=_numbers, help="[all powers of 2]")
    parser.add_argument("--algorithms", metavar="KEY,...", help="[all on the engine cpu]")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"[{RUNS}]")


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def thread_counts() -> list[int]:
    """Return powers of two up to the cores, and all of them."""
    most = cores()
    return sorted({2**k for k in range(most.bit_length()) if 2**k <= most} | {most})


def kinds_of(key: str, source: int, threads: list[int] | None) -> list[RunSettings]:
    """Return level 0 with each number of threads, and the other levels with the most."""
    find(key).check_engine("cpu")
    threaded = any(knob.key == "threads" for knob in ALGORITHMS[key].parameters)
    counts: list[dict[str, Any]] = [{}]
    if threaded:
        counts = [{"threads": count} for count in threads or thread_counts()]
    pairs = [(0, one) for one in counts] + [(level, counts[-1]) for level in LEVELS[1:]]
    return [
        RunSettings(key, "cpu", "cpu", source, probe=level, parameters=one) for level, one in pairs
    ]


def line(row: dict[str, Any]) -> str:
    """Return one printed line."""
    times, delta = row["end_to_end_ms"], row["delta"]
    text = f"{row['graph']:<16} {row['algorithm']:<14} {row['threads']:>3} threads"
    text += f" level {row['probe']}  {times['median']:8.2f} ms ({times['min']:.2f} to"
    text += f" {times['max']:.2f})" + ("" if delta is None else f"  Δ {delta:g}")
    return text + ("" if row["fault"] is None else f"  WRONG: {row['fault']}")


def _opened(name: str) -> tuple[CSRGraph, int]:
    if name.startswith(sample_graphs.PREFIX):
        graph = sample_graphs.open_sample(name)
        return graph, sample_graphs.suggested_source(graph)
    file, _, vertex = name.partition("@")
    graph = load_graph(file)
    return graph, graph.check_source(int(vertex or 0))


def main(argv: Sequence[str]) -> int:
    """Measure, print, write the results; return the exit code. GpuError."""
    return laboratory("cpu", __doc__, argv, add_arguments, _measured)


def _measured(args: argparse.Namespace) -> tuple[Rows, dict[str, Any]]:
    able = [k for k, row in ALGORITHMS.items() if "cpu" in row.engines and row.result == "row"]
    rows = Rows()
    for name in args.graphs:
        graph, source = _opened(name)
        for key in args.algorithms.split(",") if args.algorithms else able:
            measured = measure(graph, kinds_of(key, source, args.threads), args.runs)
            print("\n".join(map(line, measured)), flush=True)
            rows += measured
    return rows, {"runs": args.runs} | host.environment(cores())
