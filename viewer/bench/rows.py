"""`sssp-scope bench`: how fast the program itself is on this machine, against its targets.

Every figure is measured now, in a process of its own: the median of several tries, wall clock. A
row that cannot be measured says why. A missed target is printed and is no error.

start      from the command to the first painted window, with bytecode compiled before
open       from FILE to the first picture, in a process whose imports are done
seek       from another cursor to the last paint, in a trace of 1,000,000 samples, zoomed in
stall      the longest time the GUI thread did not answer during one run, with all controls shown
model      arcs relaxed a second by ADDS on the modelled GPU, level 1, one core, compiled
io         seconds to read DIMACS text of 5,000,000 arcs that lies in the system's cache
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gpu.errors import EngineError, GpuError
from gpu.files import temporary_folder
from gpu.host.memory import Memory
from gpu.interpreter import machine, module_command

STARTED = "SSSP_SCOPE_STARTED"  # as `viewer.app` calls it
PATIENCE_S = 300  # for one process
MADE = "city_roads.gr.gz"
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


ROWS = {
    row.name: row
    for row in (
        Row("start", "start to first painted window", "s", 1.5),
        Row("open", "road network to first provisional picture", "s", 1.5),
        Row("seek", "seek in a trace of 1M samples", "ms", 50),
        Row("stall", "longest stall in one run, all controls shown", "ms", 50),
        Row("model", "ADDS on the model, edges relaxed", "M/s", 10, most=False),
        Row("io", "DIMACS text, 5M edges", "s", 0.5),
    )
}
GROUPS = {"ui": ("start", "open", "seek", "stall")}
# a module that prints one figure, or [figures, note], as JSON; and how often it runs
PROGRAMS = {
    "start": ("viewer.app --measure-start", 5),
    "open": ("viewer.bench.ui open FILE", 3),
    "seek": ("viewer.bench.ui seek", 1),
    "stall": ("viewer.app --measure-stall FILE", 3),
    "model": ("viewer.bench.ui model FILE", 1),
    "io": ("viewer.bench.ui io", 1),
}


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
    """Return one row measured; `folder` is for files of its own.

    Where several processes run, one more before them compiles, and does not count.
    """
    command, count = PROGRAMS[name]
    words, notes, tries = command.split(), [], list[float]()
    try:
        if words[-1] == "FILE":
            words[-1], notes = graph, [stand_in(graph)]
        printed = [output(folder, *words) for _ in range(count + (count > 1))][-count:]
    except (GpuError, ImportError, OSError, subprocess.SubprocessError) as error:
        return replace(ROWS[name], note=f"not measured: {' '.join(str(error).split())}")
    for one in printed:
        figures, note = one if isinstance(one, list) else ([one], "")
        tries += figures
    note = "; ".join(filter(None, [*notes, note]))
    return replace(ROWS[name], value=statistics.median(tries), tries=tuple(tries), note=note)


def stand_in(graph: str) -> str:
    """Make the city if it is wanted and not there yet; return its note."""
    if Path(graph).name != MADE:
        return Path(graph).name
    if not Path(graph).exists():
        import sample_graphs
        from gpu.formats import save_graph

        city = sample_graphs.make("city_roads", n=CITY, seed=1, weights="int")
        save_graph(city.with_positions(None), graph)
    return f"made-up city roads, {CITY:,} vertices"


def output(folder: Path, *command: str) -> Any:
    """Return the last line that a Python module prints, as JSON.

    The process has settings, bytecode and temporary files of its own, in `folder`.
    """
    kept = {name: word for name, word in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    own = {STARTED: repr(time.time()), "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    own |= dict.fromkeys(("XDG_CONFIG_HOME", "TMPDIR"), str(folder))
    pipe = subprocess.PIPE
    with subprocess.Popen(
        module_command(*command),
        env=kept | own,
        stdout=pipe,
        stderr=pipe,
        text=True,
        start_new_session=True,
    ) as program:
        try:
            output, errors = program.communicate(timeout=PATIENCE_S)
        except BaseException:
            os.killpg(program.pid, signal.SIGKILL)  # its engine, too, writes in `folder`
            program.communicate()
            Memory(f"sssp-{program.pid}").sweep()
            raise
    if program.returncode != 0 or not output.strip():
        words = (errors.strip() or f"exit code {program.returncode}").splitlines()[-1]
        raise EngineError(f"{' '.join(command)}: {words}")
    line = output.strip().splitlines()[-1]
    try:
        return json.loads(line)
    except ValueError as error:
        raise EngineError(f"expected a number, found {line!r}") from error
