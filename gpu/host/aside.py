"""Compiling the modelled GPU in a process of its own, so that no measured run waits for it.

The engine process compiles on a thread, and a measured run waits for the step under way: that of
the model took more than 24 s on the cores beside an H100, and 55 on two slow ones. What another
process has compiled lies on disk, and is loaded from there in a tenth of a second.

The process ends with the one that started it: its standard input is a pipe that nobody writes to,
and closes when the other is gone, however that came about.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress

from gpu.interpreter import module_command

MODULE = "gpu.host.aside"
STANDARD_INPUT = 0
NICER = 19  # the window comes first, and above all runs that are measured
FLAGS = ("CREATE_NO_WINDOW", "IDLE_PRIORITY_CLASS")  # the same on Windows


def compile_aside() -> None:
    """Compile and keep what the first runs on a modelled GPU need; returns when that is done.

    Where nothing can be kept, or no process started, nothing is done: it is compiled later.
    """
    from gpu.compiled import KEEPS

    if not KEEPS:
        return
    with (
        suppress(OSError),
        subprocess.Popen(
            module_command(MODULE),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            creationflags=sum(getattr(subprocess, name, 0) for name in FLAGS),
        ) as process,
    ):
        process.wait()


def main() -> int:
    """Compile, unless the process that asked for it ends first."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(NICER)
    from gpu.host.warm_up import run_model

    run_model()
    return 0


def _end_with_parent() -> None:
    while os.read(STANDARD_INPUT, 1):  # nobody writes: it returns at the end of the pipe
        pass
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
