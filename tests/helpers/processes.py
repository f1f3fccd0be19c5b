"""Run a command to its end, in a process of its own."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]


def ended(
    *command: object, cwd: Path = TOP, **environment: str | None
) -> subprocess.CompletedProcess[str]:
    """Run a command for which this tree is on the path; None takes a variable away."""
    around = {**os.environ, "PYTHONPATH": str(TOP), **environment}
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={name: value for name, value in around.items() if value is not None},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def printed(*command: object, cwd: Path = TOP, **environment: str | None) -> str:
    """Return what a command that succeeds prints."""
    done = ended(*command, cwd=cwd, **environment)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr
    return done.stdout


def python(code: str, *words: object, **environment: str | None) -> str:
    """Return what lines of Python print."""
    return printed(sys.executable, "-c", code, *words, **environment)


def cpp_compiler() -> str:
    """Return the name of a C++ compiler, or skip the test."""
    found = next((name for name in ("c++", "g++", "clang++") if shutil.which(name)), None)
    return found or pytest.skip("no C++ compiler on this machine (c++, g++ or clang++)")


def die_asking(_graph: object, _item: object, should_stop: Callable[[], bool]) -> None:
    """Do work that is killed while it asks whether to stop."""
    for _ in range(4):
        threading.Thread(target=lambda: list(iter(should_stop, True)), daemon=True).start()
    time.sleep(0.2)
    os.kill(os.getpid(), signal.SIGKILL)
