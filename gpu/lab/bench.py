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
import platform
import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gpu.errors import GpuError
from gpu.files import temporary_folder

TRIES = 3
MADE = "city_roads.gr.gz"
VERTICES, ARCS, READS = 1_000_000, 5_000_000, 7  # of the file that is read, and how often
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


# of a folder for files and a graph file: every single figure, and a note
Measurement = Callable[[Path, str], tuple[list[float], str]]


class CannotMeasureError(GpuError):
    """This row cannot be measured here; the message says why."""


def add_bench(parser: argparse.ArgumentParser) -> None:
    """Fill the parser of `bench`."""
    about = ", ".join((*ROWS, *GROUPS))
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"what to measure: {about} [all]")
    parser.add_argument("--graph", metavar="FILE", help="of open, stall and model [made-up city]")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.set_defaults(handle=_bench, usage_error=parser.error)
    parser.epilog = (
        "examples:\n  sssp-scope bench\n  sssp-scope bench ui             the window alone\n"
        "  sssp-scope bench io --json\n"
        "  sssp-scope bench model --graph roads.gr.gz --json\n"
        "the engines: sssp-scope lab run bench (an NVIDIA GPU), lab run cpu, lab run ladder"
    )


def _bench(args: argparse.Namespace) -> int:
    names = [row for name in args.names for row in GROUPS.get(name, (name,))]
    unknown = [name for name in names if name not in ROWS]
    if unknown:
        args.usage_error(f"no benchmark {unknown[0]!r}; there are: {', '.join((*ROWS, *GROUPS))}")
    done = []
    with temporary_folder() as folder:
        graph = args.graph or str(folder / MADE)
        for name in dict.fromkeys(names) or ROWS:
            done.append(measure(name, folder, graph))
            if not args.json:
                print(_line(done[-1]), flush=True)
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


def machine() -> dict[str, Any]:
    """Return what the figures depend on."""
    import numpy

    from gpu.interpreter import cores

    return {
        "cores": cores(),
        "processor": platform.processor() or platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
    }


def _line(row: Row) -> str:
    bound = f"{'<=' if row.most else '>='} {row.target:g} {row.unit}"
    if row.value is None:
        return f"{row.name:<10} {'-':>12}  {bound:<14} {row.what}: {row.note}"
    mark = "" if row.reached else "  MISSED"
    value = f"{row.value:.3g} {row.unit}"
    note = f" ({row.note})" if row.note else ""
    return f"{row.name:<10} {value:>12}  {bound:<14} {row.what}{note}{mark}"


def stand_in(graph: str) -> str:
    """Make the city if it is wanted and not there yet; return its note."""
    if Path(graph).name != MADE:
        return Path(graph).name
    if not Path(graph).exists():
        import sample_graphs
        from gpu.formats import save_graph

        made = sample_graphs.make("city_roads", n=CITY, seed=1, weights="int")
        save_graph(made.with_positions(None), Path(graph))
    return f"made-up city roads, {CITY:,} vertices"


def _model(_folder: Path, graph: str) -> tuple[list[float], str]:
    note = stand_in(graph)
    from gpu.engine import run_named as run
    from gpu.formats import load_graph

    roads = load_graph(graph)
    source = roads.vertex_of(roads.id_of(0))
    run(roads, "adds", "model", source)  # compiles, or loads what was compiled
    rates = []
    for _ in range(TRIES):
        begin = time.perf_counter()
        trace = run(roads, "adds", "model", source)
        rates.append(trace.relaxed_edges / (time.perf_counter() - begin) / 1e6)
    return rates, f"{note}; {trace.relaxed_edges:,} edges relaxed"


def _io(folder: Path, _graph: str) -> tuple[list[float], str]:
    import numpy as np

    from gpu.formats import load_graph, save_graph
    from gpu.graph import CSRGraph

    rng, path = np.random.default_rng(1), folder / "random.gr"
    ends = rng.integers(0, VERTICES, (2, ARCS))
    weights = rng.integers(1, 10_001, ARCS).astype(np.int32)
    save_graph(CSRGraph.from_arcs(ends[0], ends[1], weights, VERTICES), path)
    load_graph(path)  # compiles
    seconds = []
    for _ in range(READS):
        begin = time.perf_counter()
        load_graph(path)
        seconds.append(time.perf_counter() - begin)
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
