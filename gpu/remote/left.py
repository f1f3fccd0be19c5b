"""Runs whose connection broke: what they found is left in a private folder for whoever comes back.

Of each run, by a token that only the two sides know:

    TOKEN.run   locked by the process that makes the run; what a later one asks stands in it
    TOKEN.npz   the trace, once the run has ended; gone when it was taken, or KEEP_S later

Where files cannot be locked (Windows) nothing is left.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Literal

from gpu import locked
from gpu.compiled import cache_folder
from gpu.errors import GpuError
from gpu.record.trace import Trace
from gpu.record.tracefile import load_trace, save_trace
from gpu.wholefile import make_room

KEEP_S = 600.0  # that a trace is kept, and that a run may go on without anybody
MOST_BYTES = 8 << 30
CAN_KEEP = locked.CAN_LOCK

Wish = Literal["", "take", "stop"]


def left_folder() -> Path:
    """Return where traces are left; only this user may look into it."""
    folder = cache_folder().parent / "left"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.chmod(0o700)
    return folder


def lock(path: Path) -> int:
    """Return a descriptor that keeps a file locked, -1 where another process has it. OSError."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        locked.lock(descriptor)
    except OSError:
        os.close(descriptor)
        return -1
    return descriptor


class LeftRun:
    """The place of one run, seen from the process that makes it or from one that asks for it."""

    def __init__(self, token: str) -> None:
        folder = left_folder()
        self._run, self._trace = folder / f"{token}.run", folder / f"{token}.npz"
        self._held = -1

    def hold(self) -> None:
        """Say that this process makes the run. OSError."""
        os.close(os.open(self._run, os.O_RDWR | os.O_CREAT, 0o600))
        self._held = lock(self._run)

    @property
    def is_ours(self) -> bool:
        """Whether it is this process that makes the run."""
        return self._held >= 0

    @property
    def is_held(self) -> bool:
        """Whether a process makes the run, or keeps its trace."""
        with suppress(OSError):
            held = lock(self._run)
            if held < 0:
                return True
            os.close(held)
        return False

    def ask(self, wish: Wish) -> None:
        """Ask the process that makes the run: to leave it to us ("take"), or to end it."""
        if self._run.exists():
            with suppress(OSError):
                self._run.write_text(wish, encoding="ascii")

    @property
    def asked(self) -> str:
        """What somebody asked of the process that makes the run."""
        with suppress(OSError, ValueError):
            return self._run.read_text(encoding="ascii")
        return ""

    def leave(self, trace: Trace) -> None:
        """Keep a trace. OSError, GpuError where it cannot be written."""
        make_room(self._trace.parent, "*.npz", trace.dist.nbytes, MOST_BYTES)
        save_trace(trace, self._trace)

    @property
    def is_there(self) -> bool:
        """Whether the trace is there."""
        return self._trace.exists()

    def take(self) -> Trace | None:
        """Return the trace, None where it is not there. GpuError where it is damaged."""
        return load_trace(self._trace) if self.is_there else None

    def forget(self) -> None:
        """Remove what is kept of the run."""
        self._trace.unlink(missing_ok=True)
        self._run.unlink(missing_ok=True)
        if self._held >= 0:
            os.close(self._held)
            self._held = -1


def forget_old() -> None:
    """Remove what processes left that were killed before they could do so themselves."""
    with suppress(OSError, GpuError):
        for path in left_folder().iterdir():
            run = LeftRun(path.stem)
            if not run.is_held and path.stat().st_mtime < time.time() - KEEP_S:
                run.forget()
