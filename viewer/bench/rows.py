"""What `sssp-scope bench` measures of the window. Each row runs in a process of its own.

start      from the command to the first painted window, with bytecode compiled before
open       from FILE to the first picture, in a process whose imports are done
recolour   one frame of 1000 x 800 pixels with 1,000,000 vertices
rebin      another view of 24,000,000 vertices of a street grid, the slowest of four zooms
seek       from another cursor to the last paint, in a trace of 1,000,000 samples, zoomed in
stall      the longest time the GUI thread did not answer while a run streamed
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
from pathlib import Path
from typing import Any

from gpu.interpreter import module_command
from gpu.lab.bench import TRIES, CannotMeasureError, Measurement, Row, add_group, stand_in

START_TRIES = 5
REBIN_BYTES = 3 * 2**30  # 24 M vertices, 48 M arcs, and what drawing them takes
PATIENCE_S = 300  # for one process


def add_rows() -> None:
    """Add these rows to `sssp-scope bench` as the group `ui`."""
    add_group("ui", ROWS)


def _output(command: list[str], environment: dict[str, str] | None = None) -> str:
    """Return the last line that a Python module prints; raise CannotMeasureError if it fails."""
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


def _figures(*arguments: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(_output(["viewer.bench.ui", *arguments]))
    return result


def _start(folder: Path, _graph: str) -> tuple[list[float], str]:
    command = ["viewer.app", "--measure-start"]
    kept = {name: word for name, word in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {**kept, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    _output(command, environment)  # the first start reads the disk and compiles
    return [_figure(_output(command, environment)) for _ in range(START_TRIES)], ""


def _open(_folder: Path, graph: str) -> tuple[list[float], str]:
    note = stand_in(graph)
    _figures("open", graph)  # the first one compiles
    tries = [_figures("open", graph) for _ in range(TRIES)]
    imports = statistics.median(one["import_s"] for one in tries)
    return [one["open_s"] for one in tries], f"{note}; imports before that: {imports:.1f} s"


def _recolour(_folder: Path, _graph: str) -> tuple[list[float], str]:
    result = _figures("recolour")
    replay = statistics.median(result["replay_ms"])
    note = f"live; replayed {replay:.1f} ms, first drawing of the view {result['bin_ms']:.0f} ms"
    return result["recolour_ms"], note


def _rebin(_folder: Path, _graph: str) -> tuple[list[float], str]:
    from gpu.files import require_memory

    require_memory(REBIN_BYTES, "drawing 24 million vertices")
    tries = [_figures("rebin") for _ in range(TRIES)]
    zooms = zip(*(one["grey_ms"] for one in tries), strict=True)
    grey = max(statistics.median(zoom) for zoom in zooms)
    return [max(one["rebin_ms"]) for one in tries], f"with long edges as grey: {grey:.0f} ms"


def _seek(_folder: Path, _graph: str) -> tuple[list[float], str]:
    result = _figures("seek")
    whole = statistics.median(result["seek_ms"])
    longest = max(result["seek_ms"] + result["zoomed_ms"])
    note = f"whole run shown {whole:.0f} ms; longest of all {longest:.0f} ms"
    return result["zoomed_ms"], note


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
