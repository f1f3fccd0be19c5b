"""This computer as a device: its name, its cores, the clock that compiled code reads."""

from __future__ import annotations

import ctypes
import platform
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np

from gpu.errors import ParameterError
from gpu.interpreter import cores
from gpu.record.trace import Probe

DEVICE = "cpu"  # the one device of the engine
RETURNS, WRITES = range(2)  # how the clock's C function gives its time


def check_device(device: str) -> None:
    """Raise ParameterError unless it is this computer's CPU."""
    if device != DEVICE:
        raise ParameterError(f"device = {device!r}; the engine cpu has one: {DEVICE}")


def check_probe(probe: int) -> None:
    """Refuse the level that only the modelled engine records."""
    if probe >= Probe.EVENTS:
        raise ParameterError(
            f"probe = {probe}; the CPU records levels 0, 1 and 2: for events use the engine model"
        )


@cache
def processor() -> str:
    """Return the name of the CPU, as its maker or at least the system calls it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine() or "CPU"


def environment(threads: int) -> dict[str, Any]:
    """Return what ran, for the trace."""
    return {
        "engine": "cpu",
        "device": processor(),
        "cores": cores(),
        "threads": threads,
        "numba": numba.__version__,
        "numpy": np.__version__,
    }


@cache
def clock() -> tuple[int, int]:
    """Return (address, kind) of the C function behind `time.perf_counter_ns`.

    Neither needs the interpreter's lock. PyTime_PerfCounterRaw is there from Python 3.13 on.
    """
    if hasattr(ctypes.pythonapi, "PyTime_PerfCounterRaw"):
        return _address(ctypes.pythonapi.PyTime_PerfCounterRaw), WRITES
    return _address(ctypes.pythonapi._PyTime_GetPerfCounter), RETURNS


@cache
def yielder() -> int:
    """Return the address of the C function by which a thread lets another run."""
    if sys.platform == "win32":
        return _address(ctypes.windll.kernel32.SwitchToThread)
    return _address(ctypes.CDLL(None).sched_yield)


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0
