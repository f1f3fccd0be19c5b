"""End the process whose GPU says nothing any more.

Every kernel ends itself after `LIMIT_S`. One that fails to do so ends only with its process: after
`SILENCE_S` without a sign of life a thread reports one sentence and ends the process, where that
was asked for (the command line and the engine process do).
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LIMIT_S = 120.0  # a kernel, or one source of all pairs, that runs longer ends itself
SILENCE_S = 150.0  # without a sign of life, after which the process is ended
CHECK_S = 1.0  # between two looks at the clock
EXIT_CODE = 1

_report: Callable[[str], object] | None = None
_heard: float | None = None  # when the GPU last gave a sign of life; None: nobody waits for it
_thread: threading.Thread | None = None


def end_process_on_silence(report: Callable[[str], object]) -> None:
    """From now on, end this process if the GPU is silent; `report` receives the sentence first."""
    global _report  # noqa: PLW0603 (one process, one watchdog)
    _report = report


@contextmanager
def waiting_for_gpu() -> Iterator[Callable[[], None]]:
    """Yield a function to call at every sign of life of the GPU, while one waits for it."""
    global _heard, _thread  # noqa: PLW0603 (one process, one watchdog)
    if _report is not None and _thread is None:
        _thread = threading.Thread(target=_watch, name="gpu-watchdog", daemon=True)
        _thread.start()
    hear()
    try:
        yield hear
    finally:
        _heard = None


def hear() -> None:
    """Note a sign of life."""
    global _heard  # noqa: PLW0603 (one process, one watchdog)
    _heard = time.monotonic()


def _watch() -> None:
    while True:
        time.sleep(CHECK_S)
        heard = _heard
        if heard is not None and _report is not None and time.monotonic() - heard > SILENCE_S:
            _report(
                f"the GPU has not answered for {SILENCE_S:g} s, though its kernels end after "
                f"{LIMIT_S:g} s: this process and its kernel end now. Files written so far are "
                "kept; run again, or use the engine model"
            )
            os._exit(EXIT_CODE)
