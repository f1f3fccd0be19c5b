"""Start Python again without running a module that lies in the current folder.

`python -m`, `python -c` and `multiprocessing` look for modules in the current folder first: a
`socket.py` among downloads would be run. `-P` and PYTHONSAFEPATH leave that folder out.
"""

from __future__ import annotations

import os
import platform
import re
import signal
import sys
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

FOR_CHILDREN = {"PYTHONSAFEPATH": "1", "PYTHONWARNINGS": "ignore:resource_tracker:UserWarning"}
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "1")  # NumPy's, which we never keep busy: memory, and limits
STANDARD = 3  # descriptors of every process: input, output, errors
_HIDING = threading.Lock()  # threads that start processes at the same time
_OURS = str(Path(__file__).resolve().parents[1])  # where `gpu` and `viewer` are found


def module_command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module of ours as a program, wherever it is started."""
    run = f"sys.path.append({_OURS!r}); runpy.run_module({module!r}, None, '__main__', True)"
    return [sys.executable, "-P", "-c", f"import runpy, sys; {run}", *arguments]


def settle_process() -> None:
    """Prepare this process before any library is imported.

    NumPy starts no threads. A closed standard stream leads to os.devnull, else the next file opened
    would be taken for it. Until somebody handles it, Ctrl-C ends the process at once.
    """
    main_thread = threading.current_thread() is threading.main_thread()
    if main_thread and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end_at_once)
    os.environ.setdefault(*ONE_THREAD)
    while (descriptor := os.open(os.devnull, os.O_RDWR)) < STANDARD:
        pass
    os.close(descriptor)


def end_at_once(_number: int, _frame: object) -> NoReturn:
    """End this process, which has not begun anything yet."""
    os.write(2, b"sssp-scope: interrupted\n")
    os._exit(130)


def require_threads(count: int) -> None:
    """Start so many threads, and end them. Raises RuntimeError where the system refuses one."""
    over = threading.Event()
    threads = [threading.Thread(target=over.wait) for _ in range(count)]
    try:
        for thread in threads:
            thread.start()
    finally:
        over.set()
        for thread in threads:
            if thread.ident is not None:
                thread.join()


def early(work: Callable[[], object]) -> Callable[[], None]:
    """Start on a thread what is asked for later; return what waits for it.

    What fails here, for want of a thread too, is done when it is asked for, and fails there.
    """

    def quietly() -> None:
        with suppress(Exception):
            work()

    thread = threading.Thread(target=quietly, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        return lambda: None
    return thread.join


def cores() -> int:
    """Return how many processor cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def machine() -> dict[str, Any]:
    """Return what measured times depend on here, GPUs left out: processor, cores, versions."""
    import numpy as np

    name = platform.processor() or platform.machine()
    with suppress(OSError, LookupError):
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        name = re.findall(r"model name\s*: (.*)", text)[0]
    python = {"python": platform.python_version(), "numpy": np.__version__}
    return {"processor": name, "cores": cores(), "system": platform.platform(), **python}


@cache
def version() -> str:
    """Return the installed version, or `unknown` in a tree that was never installed."""
    from importlib.metadata import PackageNotFoundError, version as installed

    try:
        return installed("sssp-scope")
    except PackageNotFoundError:
        return "unknown"


@contextmanager
def safe_children() -> Iterator[None]:
    """Let processes that are started meanwhile leave the current folder out of their path.

    Python's tracker of semaphores, which may be one of them, removes in silence what a process that
    ended at once has left.
    """
    before = {name: os.environ.get(name) for name in FOR_CHILDREN}
    os.environ.update(FOR_CHILDREN)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def hidden_main() -> Iterator[None]:
    """Start children that do not import this process's main program, with `safe_children`.

    A script without an `if __name__ == "__main__"` would start itself again.
    """
    with _HIDING:
        main_module = sys.modules["__main__"]
        sys.modules["__main__"] = types.ModuleType("__main__")
        try:
            with safe_children():
                yield
        finally:
            sys.modules["__main__"] = main_module
