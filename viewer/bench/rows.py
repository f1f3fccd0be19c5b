"""What `sssp-scope bench` measures of the window. Each row runs in a process of its own.

start      from the command to the first painted window, with bytecode compiled before
open       from FILE to the first picture, in a process whose imports are done
seek       from another cursor to the last paint, in a trace of 1,000,000 samples, zoomed in
stall      the longest time the GUI thread did not answer during one run, with all controls shown
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import time
from pathlib import Path
from typing import Any

from gpu.errors import EngineError
from gpu.host.memory import Memory
from gpu.interpreter import module_command
from gpu.lab.bench import TRIES, Measurement, Row, add_group, stand_in

START_TRIES = 5
STARTED = "SSSP_SCOPE_STARTED"  # as `viewer.app` calls it
PATIENCE_S = 300  # for one process


def add_rows() -> None:
    """Add these rows to `sssp-scope bench` as the group `ui`."""
    add_group("ui", ROWS)


def _output(folder: Path, *command: str) -> Any:
    """Return the last line that a Python module prints, as JSON.

    The process has settings and compiled bytecode of its own, in `folder`.
    """
    kept = {name: word for name, word in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    own = {"XDG_CONFIG_HOME": str(folder), "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    own[STARTED] = repr(time.time())
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


def _start(folder: Path, _graph: str) -> tuple[list[float], str]:
    command = (folder, "viewer.app", "--measure-start")
    _output(*command)  # the first start reads the disk and compiles
    return [_output(*command) for _ in range(START_TRIES)], ""


def _open(folder: Path, graph: str) -> tuple[list[float], str]:
    note, command = stand_in(graph), (folder, "viewer.bench.ui", "open", graph)
    _output(*command)  # the first one compiles
    tries = [_output(*command) for _ in range(TRIES)]
    imports = statistics.median(one["import_s"] for one in tries)
    return [one["open_s"] for one in tries], f"{note}; imports before: {imports:.1f} s"


def _seek(folder: Path, _graph: str) -> tuple[list[float], str]:
    result = _output(folder, "viewer.bench.ui", "seek")
    whole = statistics.median(result["seek_ms"])
    longest = max(result["seek_ms"] + result["zoomed_ms"])
    return result["zoomed_ms"], f"whole run shown {whole:.0f} ms; longest of all {longest:.0f} ms"


def _stall(folder: Path, graph: str) -> tuple[list[float], str]:
    note, command = stand_in(graph), (folder, "viewer.app", "--measure-stall", graph)
    return [_output(*command) for _ in range(TRIES)], note


ROWS: dict[str, tuple[Row, Measurement]] = {
    "start": (Row("start", "start to first painted window", "s", 1.5), _start),
    "open": (Row("open", "road network to first provisional picture", "s", 1.5), _open),
    "seek": (Row("seek", "seek in a trace of 1M samples", "ms", 50), _seek),
    "stall": (Row("stall", "longest stall in one run, all controls shown", "ms", 50), _stall),
}
