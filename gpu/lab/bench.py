"""`sssp-scope bench`: how fast the program itself is on this machine, against its targets.

Every figure is measured now: the median of several tries, wall clock. A row that cannot be
measured says why. A missed target is printed and is no error.

    model      arcs relaxed a second by ADDS on the modelled GPU, level 1, one core, compiled
    io         seconds to read DIMACS text of 5,000,000 arcs that lies in the system's cache

The window adds its own rows (`viewer.bench.rows`) by `add_group`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import sample_graphs
from gpu.engine import run_named
from gpu.errors import GpuError
from gpu.files import temporary_folder
from gpu.formats import load_graph, save_graph
from gpu.graph import CSRGraph
from gpu.interpreter import machine

TRIES, READS = 3, 7  # of the model, and of the file that is read
MADE = "city_roads.gr.gz"
VERTICES, ARCS = 1_000_000, 5_000_000  # of the file that is read
CITY = 264_346  # vertices of the made-up city, as many as New York's roads have


@dataclass(frozen=True)
class Row:
    """One measured figure; `value` None where it could not be measured, `note` says why.

    most : whether `target` is an upper bound (seconds) rather than a lower one (a rate)
    tries : every single figure, in `unit`
    """

    name: str
    what: str
    unit: str
    target: float
    most: bool = True
    value: float | None = None
    tries: tuple[float, ...] = ()
    note: str = ""

    @property
    def reached(self) -> bool | None:
        """Whether the target was reached; None where nothing was measured."""
        if self.value is None:
            return None
        return self.value <= self.target if self.most else self.value >= self.target

    def __str__(self) -> str:
        """Return the row of the table."""
        bound = f"{'<=' if self.most else '>='} {self.target:g} {self.unit}"
        if self.value is None:
            return f"{self.name:<10} {'-':>12}  {bound:<14} {self.what}: {self.note}"
        note = f" ({self.note})" if self.note else ""
        missed = "" if self.reached else "  MISSED"
        value = f"{self.value:.3g} {self.unit}"
        return f"{self.name:<10} {value:>12}  {bound:<14} {self.what}{note}{missed}"


# of a folder for files and a graph file: every single figure, and a note
Measurement = Callable[[Path, str], tuple[list[float], str]]


def add_bench(parser: argparse.ArgumentParser) -> None:
    """Fill the parser of `bench`."""
    about = ", ".join((*ROWS, *GROUPS))
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"what to measure: {about} [all]")
    parser.add_argument("--graph", metavar="FILE", help="of open, stall and model [made-up city]")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.set_defaults(handle=_bench, usage_error=parser.error)
    parser.epilog = (
        "examples:\n  sssp-scope bench\n  sssp-scope bench ui             the window alone\n"
        "  sssp-scope bench model --graph roads.gr.gz --json\n"
        "the engines: sssp-scope lab run bench (on a GPU), lab run cpu, lab run ladder"
    )


def _bench(args: argparse.Namespace) -> int:
    names = [row for name in args.names for row in GROUPS.get(name, (name,))]
    if unknown := [name for name in names if name not in ROWS]:
        args.usage_error(f"no benchmark {unknown[0]!r}; there are: {', '.join((*ROWS, *GROUPS))}")
    done = []
    with temporary_folder() as folder:
        graph = args.graph or str(folder / MADE)
        for name in dict.fromkeys(names) or ROWS:
            done.append(measure(name, folder, graph))
            if not args.json:
                print(done[-1], flush=True)
    if args.json:
        rows = [{**asdict(row), "reached": row.reached} for row in done]
        print(json.dumps({"rows": rows, "graph": graph, "machine": machine()}))
    return 0


def measure(name: str, folder: Path, graph: str) -> Row:
    """Return one row measured; `folder` is for files of its own."""
    row, how = ROWS[name]
    try:
        tries, note = how(folder, graph)
    except (GpuError, ImportError, OSError, subprocess.SubprocessError) as error:
        return replace(row, note=f"not measured: {' '.join(str(error).split())}")
    return replace(row, value=statistics.median(tries), tries=tuple(tries), note=note)


def stand_in(graph: str) -> str:
    """Make the city if it is wanted and not there yet; return its note."""
    if Path(graph).name != MADE:
        return Path(graph).name
    if not Path(graph).exists():
        city = sample_graphs.make("city_roads", n=CITY, seed=1, weights="int")
        save_graph(city.with_positions(None), graph)
    return f"made-up city roads, {CITY:,} vertices"


def timed(work: Callable[[], Any], tries: int) -> tuple[list[float], Any]:
    """Do work once, which compiles, then several times; return these seconds, and its result."""
    result, marks = work(), [time.perf_counter()]
    for _ in range(tries):
        work()
        marks.append(time.perf_counter())
    return np.diff(marks).tolist(), result


def _model(_folder: Path, graph: str) -> tuple[list[float], str]:
    note, roads = stand_in(graph), load_graph(graph)
    source = roads.vertex_of(roads.id_of(0))
    seconds, trace = timed(lambda: run_named(roads, "adds", "model", source), TRIES)
    relaxed = trace.relaxed_edges
    return [relaxed / each / 1e6 for each in seconds], f"{note}; {relaxed:,} edges relaxed"


def _io(folder: Path, _graph: str) -> tuple[list[float], str]:
    rng, path = np.random.default_rng(1), folder / "random.gr"
    tails, heads = rng.integers(0, VERTICES, (2, ARCS))
    weights = rng.integers(1, 10_001, ARCS).astype(np.int32)
    save_graph(CSRGraph.from_arcs(tails, heads, weights, VERTICES), path)
    seconds, _ = timed(lambda: load_graph(path), READS)
    return seconds, f"{path.stat().st_size / 1e6:.0f} MB, best {min(seconds):.3f} s"


ROWS: dict[str, tuple[Row, Measurement]] = {
    "model": (Row("model", "ADDS on the model, edges relaxed", "M/s", 10, most=False), _model),
    "io": (Row("io", "DIMACS text, 5M edges", "s", 0.5), _io),
}
GROUPS: dict[str, tuple[str, ...]] = {}


def add_group(group: str, rows: dict[str, tuple[Row, Measurement]]) -> None:
    """Put rows of another room before those that are here, under one word."""
    table = {**rows, **ROWS}
    ROWS.clear()
    ROWS.update(table)
    GROUPS[group] = tuple(rows)
