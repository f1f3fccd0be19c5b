"""What `sssp-scope bench` measures of the window, each in a process of its own.

So no import and no compilation of one row helps another.

    start      from the command to the first painted window: the files read before and our modules
               compiled, as after any first start (where Python may not keep them, each start
               compiles them again: a quarter of a second more)
    open       from FILE to the first provisional picture, as the warm engine process opens it
    recolour   one frame of 1000 x 800 pixels with 1,000,000 vertices
    rebin      drawing a view of 24,000,000 vertices anew, street grid, the slowest of four zooms
    seek       from another cursor to the last paint, in a trace of 1,000,000 samples, zoomed in
    stall      the longest time the GUI thread did not answer while a run streamed
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
from pathlib import Path

from gpu.interpreter import module_command
from gpu.lab.bench import TRIES, CannotMeasureError, Measurement, Row, add_group, stand_in

START_TRIES = 5
REBIN_BYTES = 3 * 2**30  # 24 M vertices, 48 M arcs, and what drawing them takes
PATIENCE_S = 300  # for one process


def add_rows() -> None:
    """Let `sssp-scope bench` know them, as the group `ui`."""
    add_group("ui", ROWS)


def _output(command: list[str], environment: dict[str, str] | None = None) -> str:
    """Return the last line that a Python module prints, or raise with its last words."""
    done = subprocess.run(
        module_command(*command),
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    if done.returncode != 0 or not done.stdout.strip():
        words = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1]
        raise CannotMeasureError(f"{' '.join(command)}: {words}")
    return done.stdout.strip().splitlines()[-1]


def _figure(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise CannotMeasureError(f"expected a number, found {text!r}") from error


def _start(folder: Path, _graph: str) -> tuple[list[float], str]:
    command = ["viewer.app", "--measure-start"]
    environment = _keeping_bytecode(folder)
    _output(command, environment)  # the first start reads the disk and compiles
    return [_figure(_output(command, environment)) for _ in range(START_TRIES)], ""


def _keeping_bytecode(folder: Path) -> dict[str, str]:
    """Return an environment in which Python keeps what it compiled, whatever ours says."""
    kept = {name: word for name, word in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}


def _open(_folder: Path, graph: str) -> tuple[list[float], str]:
    note = stand_in(graph)
    _output(["viewer.bench.ui", "open", graph])  # the first one compiles
    told = [json.loads(_output(["viewer.bench.ui", "open", graph])) for _ in range(TRIES)]
    cold = statistics.median(one["import_s"] for one in told)
    return [one["open_s"] for one in told], f"{note}; imports before that: {cold:.1f} s"


def _recolour(_folder: Path, _graph: str) -> tuple[list[float], str]:
    told = json.loads(_output(["viewer.bench.ui", "recolour"]))
    replay = statistics.median(told["replay_ms"])
    return told["recolour_ms"], (
        f"live; replayed {replay:.1f} ms, first drawing of the view {told['bin_ms']:.0f} ms"
    )


def _rebin(_folder: Path, _graph: str) -> tuple[list[float], str]:
    from gpu.memory import require_memory

    require_memory(REBIN_BYTES, "drawing 24 million vertices")
    told = [json.loads(_output(["viewer.bench.ui", "rebin"])) for _ in range(TRIES)]
    zooms = zip(*(one["grey_ms"] for one in told), strict=True)
    grey = max(statistics.median(zoom) for zoom in zooms)
    return [max(one["rebin_ms"]) for one in told], f"with long edges as grey: {grey:.0f} ms"


def _seek(_folder: Path, _graph: str) -> tuple[list[float], str]:
    told = json.loads(_output(["viewer.bench.ui", "seek"]))
    whole, worst = statistics.median(told["seek_ms"]), max(told["seek_ms"] + told["zoomed_ms"])
    return told["zoomed_ms"], f"whole run shown {whole:.0f} ms; longest of all {worst:.0f} ms"


def _stall(_folder: Path, graph: str) -> tuple[list[float], str]:
    note = stand_in(graph)
    command = ["viewer.app", "--measure-stall", graph]
    return [_figure(_output(command)) for _ in range(TRIES)], note


ROWS: dict[str, tuple[Row, Measurement]] = {
    "start": (Row("start", "start to first painted window", "s", 1.5), _start),
    "open": (Row("open", "road network to first provisional picture", "s", 1.5), _open),
    "recolour": (Row("recolour", "one frame, 1M vertices at 1000x800", "ms", 5), _recolour),
    "rebin": (Row("rebin", "another view of 24M vertices", "ms", 250), _rebin),
    "seek": (Row("seek", "seek in a trace of 1M samples", "ms", 50), _seek),
    "stall": (Row("stall", "longest stall of the GUI thread in a run", "ms", 50), _stall),
}
