"""`sssp-scope bench`: how fast the program itself is on this machine, against its targets.

Every figure is measured now: the median of several tries, wall clock. A row that cannot be
measured says why. A missed target is printed and is no error.

    model      arcs relaxed a second by ADDS on the modelled GPU, level 1, one core, compiled
    io         graph files: the rows of `gpu.lab.bench_io`

The window adds its own rows (`viewer.bench.rows`) by `add_group`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gpu.errors import GpuError
from gpu.lab import bench_io

TRIES = 3
NEW_YORK = Path("road", "USA-road-d.NY.gr.gz")  # in the folder of real graphs, if there is one
NEW_YORK_VERTICES = 264_346  # the made-up city that stands in for it


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
    parser.add_argument("--graph", metavar="FILE", help="of open, stall and model [New York]")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.set_defaults(handle=_bench, usage_error=parser.error)
    parser.epilog = (
        "examples:\n  sssp-scope bench\n  sssp-scope bench ui             the window alone\n"
        "  sssp-scope bench io --json\n"
        "  sssp-scope bench model --graph roads.gr.gz --json\n"
        "  sssp-scope bench cpu --help     the baselines on this computer's cores\n"
        "  sssp-scope bench gpu --help     the kernels, on a machine with an NVIDIA GPU;\n"
        "                                  also bench apsp, bench ladder"
    )


def _bench(args: argparse.Namespace) -> int:
    names = [row for name in args.names for row in GROUPS.get(name, (name,))]
    unknown = [name for name in names if name not in ROWS]
    if unknown:
        args.usage_error(f"no benchmark {unknown[0]!r}; there are: {', '.join((*ROWS, *GROUPS))}")
    done = []
    with tempfile.TemporaryDirectory(prefix="sssp-scope-bench-") as folder:
        graph = graph_file(args.graph, Path(folder))
        for name in dict.fromkeys(names) or ROWS:
            done.append(measure(name, Path(folder), graph))
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


def graph_file(given: str | None, folder: Path) -> str:
    """Return the road network to use: the given one, New York if it is at hand, else made."""
    if given is not None:
        return given
    beside = Path(__file__).resolve().parents[3] / "shared" / "graphs"
    real = Path(os.environ.get("SSSP_SCOPE_SHARED_GRAPHS", beside)) / NEW_YORK
    return str(real if real.is_file() else folder / "city_roads.gr.gz")


def stand_in(graph: str) -> str:
    """Make the stand-in for New York if it is wanted and not there yet; return its note."""
    if Path(graph).name != "city_roads.gr.gz":
        return Path(graph).name
    if not Path(graph).exists():
        import sample_graphs
        from gpu.formats import save_graph

        made = sample_graphs.make("city_roads", n=NEW_YORK_VERTICES, seed=1, weights="int")
        save_graph(made.with_positions(None), Path(graph))
    return "made-up city roads of New York's size"


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
    return rates, f"{note}; {trace.relaxed_edges:,} arcs relaxed"


ROWS: dict[str, tuple[Row, Measurement]] = {
    "model": (Row("model", "ADDS on the model, arcs relaxed", "M/s", 10, most=False), _model),
    "io_dimacs": (Row("io_dimacs", "DIMACS text, 5M arcs", "s", 0.5), bench_io.dimacs),
    "io_mtx": (Row("io_mtx", ".mtx, 5M entries, over SciPy", "x", 1.0), bench_io.matrix_market),
}
GROUPS: dict[str, tuple[str, ...]] = {"io": ("io_dimacs", "io_mtx")}


def add_group(group: str, rows: dict[str, tuple[Row, Measurement]]) -> None:
    """Put rows of another room before those that are here, under one word."""
    table = {**rows, **ROWS}
    ROWS.clear()
    ROWS.update(table)
    GROUPS[group] = tuple(rows)
