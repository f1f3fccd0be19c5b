"""`sssp-scope bench cpu`: the baselines on this computer's cores, measured, beside other codes.

    sssp-scope bench cpu [GRAPH...] [--threads 1,2,16] [--deltas 12] [--peers DIR] [--json FILE]

A graph is a sample (`sample:rmat?n=1048576`) or a file, FILE@VERTEX where the source is not 0; New
York's roads where none is named and they are at hand. Every row of the registry with the engine
`cpu` runs on each: RUNS times after WARM_UPS, and every answer is proved by its certificate. A row
with the knob `threads` runs with each number asked for, by default powers of two up to the cores
that this process may use. A bucketed row runs at its own delta, with the most threads also at the
other probe levels, which take turns, and at powers of two around its delta.

Times are of whole runs: from the call with the graph in memory to the finished trace. With
--peers, the programs found in DIR (`gpu.lab.cpu_peers`) run on the same graphs: for each number of
threads their best delta is searched by doubling and halving, then they and our bucketed rows, at
their own delta, take turns.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import sample_graphs
from gpu.algorithms import ALGORITHMS, find
from gpu.cpu import host
from gpu.engine import run_named as run_engine
from gpu.errors import GpuError
from gpu.formats import load_graph
from gpu.graph import CSRGraph
from gpu.lab import command_line, cpu_peers
from gpu.proof.verify import certificate
from gpu.record.trace import Probe

RUNS, WARM_UPS, TURNS = 9, 2, 3
PEER_RUNS = 2  # of one delta, while the best is searched for
FIRST_FACTOR = 4.0  # of a peer's delta, x mean weight / mean degree
RESULTS = Path(__file__).resolve().parent / "results"
LEVELS = (Probe.OFF, Probe.SAMPLES, Probe.VERTICES)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Fill the parser of `bench cpu`."""
    parser.add_argument("graphs", metavar="GRAPH", nargs="*", help="[New York, if at hand]")
    parser.add_argument("--threads", metavar="T,T,...", help="[1, 2, 4, ... and all cores]")
    parser.add_argument("--algorithms", metavar="KEY,...", help="[all on the engine cpu]")
    parser.add_argument("--deltas", type=int, default=8, help="how many beside its own [8]")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"[{RUNS}]")
    parser.add_argument("--peers", type=Path, metavar="DIR", help="with gap_sssp, wasp")
    parser.add_argument("--json", type=Path, metavar="FILE", help="[gpu/lab/results/<date>.json]")


def thread_counts(text: str | None) -> list[int]:
    """Return the numbers asked for; None: powers of two up to the cores, and all of them."""
    cores = host.cores()
    if text is None:
        return sorted({2**k for k in range(cores.bit_length()) if 2**k <= cores} | {cores})
    return [int(part) for part in text.split(",")]


def keys_of(text: str | None) -> list[str]:
    """Return the rows of the registry to measure."""
    if text is None:
        return [k for k, row in ALGORITHMS.items() if "cpu" in row.engines and row.result == "row"]
    keys = text.split(",")
    for key in keys:
        find(key).check_engine("cpu")
    return keys


class Series(NamedTuple):
    """Runs of one setting: whole times and their own clock's, ms, and the last one's trace."""

    whole_ms: list[float]
    clock_ms: list[float]
    last: Any

    def and_then(self, more: Series) -> Series:
        """Return these and later runs."""
        return Series(self.whole_ms + more.whole_ms, self.clock_ms + more.clock_ms, more.last)


class Bench:
    """What is measured on one graph."""

    def __init__(self, name: str | None, args: argparse.Namespace) -> None:
        self._graph, self._source, self._file = _opened(name)
        self._args = args
        self._counts, self._keys = thread_counts(args.threads), keys_of(args.algorithms)
        self._proved: np.ndarray | None = None  # distances with a certificate
        self._rows: list[dict[str, Any]] = []

    def measure(self) -> list[dict[str, Any]]:
        """Return the rows of all codes, printed as they come."""
        for key in self._keys:
            threaded = any(knob.key == "threads" for knob in ALGORITHMS[key].parameters)
            self._of_row(key, self._counts if threaded else [None])
        peers = cpu_peers.programs(self._args.peers)
        if peers:
            with tempfile.TemporaryDirectory(prefix="sssp-scope-peers-") as folder:
                file = self._file
                if file is None or file.suffix != ".wsg":
                    file = Path(folder, "graph.wsg")
                    cpu_peers.write_graph(self._graph, file)
                best = dict.fromkeys(peers, FIRST_FACTOR)
                for threads in self._counts:
                    self._beside(peers, best, file, threads)
        return self._rows

    def _of_row(self, key: str, counts: list[int] | list[None]) -> None:
        """Measure one row of the registry by itself."""
        runs = self._args.runs
        for threads in counts[:-1]:
            self._add(key, threads, None, self._runs(key, threads, None, WARM_UPS + runs))
        most = counts[-1]
        levels: dict[int, Series] = {level: Series([], [], None) for level in LEVELS}
        for _ in range(WARM_UPS + runs):
            for level, done in levels.items():
                levels[level] = done.and_then(self._runs(key, most, None, 1, level))
        for level, done in levels.items():
            self._add(key, most, None, done, level)
        own = self._rows[-1]["delta"]
        if own is not None:
            for step in range(-(self._args.deltas // 2), (self._args.deltas + 1) // 2 + 1):
                if step:
                    delta = own * 2.0**step
                    self._add(key, most, delta, self._runs(key, most, delta, WARM_UPS + runs))

    def _runs(
        self, key: str, threads: int | None, delta: float | None, runs: int, probe: int = Probe.OFF
    ) -> Series:
        """Run so often. Only the last trace is kept, as the peers keep the last distances only.

        Distances of all runs would be fresh memory in each: 513 faults on a grid of 2^20.
        """
        parameters = {} if threads is None else {"threads": threads}
        whole_ms, clock_ms, trace = [], [], None
        for _ in range(runs):
            begun = time.perf_counter()
            trace = run_engine(
                self._graph, key, "cpu", self._source, delta, probe, parameters=parameters
            )
            whole_ms.append((time.perf_counter() - begun) * 1e3)
            clock_ms.append(trace.time_ns / 1e6)
        return Series(whole_ms, clock_ms, trace)

    def _add(
        self,
        key: str,
        threads: int | None,
        delta: float | None,
        done: Series,
        probe: int = Probe.OFF,
    ) -> None:
        last = done.last
        row = self._row(key, threads or 1, done.whole_ms[WARM_UPS:])
        row |= {
            "probe": int(probe),
            "delta": float(last.last["delta"]) if ALGORITHMS[key].bucketed else None,
            "own_delta": delta is None,
            "clock_ms": statistics.median(done.clock_ms[WARM_UPS:]),
            "processed": last.processed_vertices,
            "relaxed": last.relaxed_edges,
            "fault": self._fault(last.dist),
        }
        self._keep(row)

    def _fault(self, dist: np.ndarray) -> str | None:
        """Return what is wrong with distances; equal ones were proved before."""
        if self._proved is not None and np.array_equal(self._proved, dist):
            return None
        fault = certificate(self._graph, self._source, dist)
        if fault is None:
            self._proved = dist
        return fault

    def _beside(
        self, peers: dict[str, Path], best: dict[str, float], file: Path, threads: int
    ) -> None:
        """Measure the peers at their best delta and our bucketed rows at their own, in turns.

        best : the factor of each peer's delta, found with the last number of threads
        """
        unit = self._graph.mean_weight / max(self._graph.mean_degree, 1e-9)

        def of_peer(name: str, factor: float, *, runs: int) -> list[float]:
            delta, source = max(1.0, factor * unit), self._source
            return cpu_peers.times(
                peers[name], file, source, delta=delta, threads=threads, runs=runs
            )

        for name in peers:
            measure = functools.partial(of_peer, name, runs=PEER_RUNS)
            best[name] = _lowest(measure, best[name], 1 / max(unit, 1e-9))
        ours = [key for key in self._keys if ALGORITHMS[key].bucketed]
        taken: dict[str, list[float]] = {name: [] for name in (*peers, *ours)}
        for _ in range(TURNS):
            share = -(-self._args.runs // TURNS)
            for name in peers:
                taken[name] += of_peer(name, best[name], runs=share)
            for key in ours:
                taken[key] += self._runs(key, threads, None, share).whole_ms
        for name, series in taken.items():
            delta = max(1, round(best[name] * unit)) if name in best else None
            more = {"delta": delta, "probe": 0, "own_delta": name in ours, "fault": None}
            if series:
                self._keep(self._row(name, threads, series) | more | {"in_turns": True})

    def _row(self, code: str, threads: int, series: list[float]) -> dict[str, Any]:
        return {
            "graph": self._graph.name,
            "n": self._graph.n,
            "m": self._graph.m,
            "source": self._source,
            "algorithm": code,
            "threads": threads,
            "in_turns": False,
            "ms": {"median": statistics.median(series), "min": min(series), "max": max(series)},
        }

    def _keep(self, row: dict[str, Any]) -> None:
        self._rows.append(row)
        print(line(row), flush=True)


def _lowest(measure: Callable[[float], list[float]], first: float, least: float) -> float:
    """Return the factor with the shortest time, found by doubling and halving from the first."""

    def shortest(factor: float) -> float:
        return min(measure(factor), default=math.inf)

    best, at = shortest(first), first
    for step in (2.0, 0.5):
        while at * step >= least:
            tried = shortest(at * step)
            if tried >= best:
                break
            best, at = tried, at * step
        if at != first:
            break
    return at


def line(row: dict[str, Any]) -> str:
    """Return one printed line."""
    times, delta = row["ms"], row["delta"]
    width = "" if delta is None else f"  Δ {delta:g}{' (its own)' if row['own_delta'] else ''}"
    text = f"{row['graph']:<16} {row['algorithm']:<14} {row['threads']:>3} threads"
    text += f" level {row['probe']}  {times['median']:8.2f} ms ({times['min']:.2f} to"
    text += f" {times['max']:.2f}){width}{'  in turns' if row['in_turns'] else ''}"
    return text + ("" if row["fault"] is None else f"  WRONG: {row['fault']}")


def verdict(rows: list[dict[str, Any]]) -> str:
    """Return each graph's best figure of level 0, and ours as a share of the best peer's."""
    words = []
    for graph in dict.fromkeys(row["graph"] for row in rows):
        here = [row for row in rows if row["graph"] == graph and row["probe"] == 0]
        best = min(here, key=lambda row: float(row["ms"]["median"]))
        words.append(
            f"{graph}: best {best['algorithm']}, {best['threads']} threads "
            f"on {host.cores()} cores, {best['ms']['median']:.2f} ms"
        )
        for threads in dict.fromkeys(row["threads"] for row in here if row["in_turns"]):
            turns = [row for row in here if row["in_turns"] and row["threads"] == threads]
            ours = [row["ms"]["median"] for row in turns if row["algorithm"] in ALGORITHMS]
            peers = [row["ms"]["median"] for row in turns if row["algorithm"] not in ALGORITHMS]
            if ours and peers:
                share = min(ours) / min(peers)
                words.append(f"  {threads} threads: {share:.2f} of the best peer's time")
    return "\n".join(words)


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
    rows: list[dict[str, Any]] = []
    peers = cpu_peers.programs(args.peers)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    done = {
        "command": command_line("bench", "cpu"),
        "date": now,
        **host.environment(host.cores()),
        "peers": {name: cpu_peers.version(program) for name, program in peers.items()},
        "runs": args.runs,
        "warm_ups": WARM_UPS,
    }
    target = args.json or RESULTS / f"cpu_{now[:10]}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    for name in args.graphs or [None]:
        rows += Bench(name, args).measure()
        told = {**done, "rows": rows, "verdict": verdict(rows)}
        target.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    print(verdict(rows))
    print(f"written to {target}")
    return 3 if any(row["fault"] for row in rows) else 0


def _opened(name: str | None) -> tuple[CSRGraph, int, Path | None]:
    """Return a graph, its source and the file that it came from."""
    if name is not None and name.startswith(sample_graphs.PREFIX):
        graph = sample_graphs.open_sample(name)
        return graph, sample_graphs.suggested_source(graph), None
    from gpu.lab.bench import graph_file

    given, _, vertex = (name or "").partition("@")
    file = Path(graph_file(given or None, Path(sample_graphs.PREFIX)))
    if not file.is_file():
        raise GpuError("New York's roads are not beside the checkout; name a graph file")
    graph = load_graph(file)
    return graph, graph.check_source(int(vertex or 0)), file


if __name__ == "__main__":
    raise SystemExit(main())
