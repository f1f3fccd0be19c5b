"""What another computer is: asked over a connection of its own, answered there.

about(Elsewhere("user@host", asks=False))  -> version, system, GPUs and their driver
"""

from __future__ import annotations

import importlib.util
import platform
import subprocess
import time
from contextlib import suppress
from typing import Any

from gpu.errors import EngineError
from gpu.interpreter import version
from gpu.remote import messages as wire
from gpu.remote.connection import Connection
from gpu.remote.elsewhere import Elsewhere
from gpu.remote.frames import Arrays, WireError
from gpu.words import in_sight

QUERY = ("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
QUERY_S = 20.0  # a machine of eight GPUs without persistence takes 10 s
WAIT_S = 0.2
QUIT_S = 2.0
MOST_GPUS = 64


def about(there: Elsewhere, within_s: float = 60.0) -> wire.About:
    """Ask another computer what it is. EngineError, in one sentence, where it does not answer."""
    try:
        connection = Connection(there.line(), there.address, _no_room)
    except OSError as error:
        raise EngineError(f"ssh cannot be started: {error}") from error
    try:
        connection.link.send(wire.Ask())
        end = time.monotonic() + within_s
        while time.monotonic() < end and not connection.is_over():
            connection.link.wait(WAIT_S)
            while (came := connection.link.take()) is not None:
                connection.greeted = True
                if isinstance(came[0], wire.About):
                    connection.quit(QUIT_S)
                    return _in_sight(came[0])
        if not connection.is_over():
            connection.hang_up(f"no answer within {within_s:g} s")
        raise EngineError(connection.words())
    finally:
        connection.kill()
        connection.close()


def about_here() -> wire.About:
    """Return what this computer is; no GPU is touched."""
    gpus, driver = [], ""
    with suppress(OSError, subprocess.SubprocessError):
        told = subprocess.run(
            QUERY, capture_output=True, text=True, timeout=QUERY_S, check=True
        ).stdout
        rows = [line.split(",") for line in told.splitlines() if line.count(",") == 1]
        gpus = [name.strip() for name, _ in rows]
        driver = rows[0][1].strip() if rows else ""
    problem = ""
    if not gpus:
        problem = "no NVIDIA GPU there"
    elif importlib.util.find_spec("cupy") is None:
        problem = 'CuPy is missing there: pip install "sssp-scope[cuda13]" (or cuda12)'
    system = f"{platform.node()}, {platform.system()} {platform.machine()}"
    return wire.About(version(), system, tuple(gpus[:MOST_GPUS]), driver, problem)


def about_words(told: wire.About) -> str:
    """Return an answer as a sentence for people."""
    there = f"SSSP Scope {told.version}"
    if told.version != version():
        there += f" (here {version()}; they understand each other)"
    gpus = ", ".join(
        f"{told.gpus.count(name)} x {name}" if told.gpus.count(name) > 1 else name
        for name in dict.fromkeys(told.gpus)
    )
    driver = f", driver {told.driver}" if told.driver else ""
    return "; ".join(part for part in (there, told.system, gpus + driver, told.problem) if part)


def _in_sight(told: wire.About) -> wire.About:
    gpus = tuple(in_sight(name) for name in told.gpus[:MOST_GPUS])
    words = (in_sight(text) for text in (told.driver, told.problem))
    return wire.About(in_sight(told.version), in_sight(told.system), gpus, *words)


def _no_room(message: Any) -> Arrays:
    raise WireError(f"{type(message).__name__} was not asked for")
