"""Machines for a run: modelled devices, this computer's CPU, a real GPU if there is one.

The window's process never touches CUDA: it looks for a driver's file and for CuPy.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from gpu.algorithms import Algorithm
from gpu.devices import DEFAULT_PRESET, PRESETS

REAL_DEVICE = "cuda:0"
CPU_DEVICE = "cpu"


@dataclass(frozen=True)
class Machine:
    """One row of the machine list: a device of an engine."""

    device: str
    title: str
    sentence: str
    engine: str


def machines() -> dict[str, Machine]:
    """Return what there is, by device; a real GPU comes first, the CPU last."""
    rows = [Machine(name, name, row.sentence, "model") for name, row in PRESETS.items()]
    if gpu_problem() is None:
        sentence = "the real kernels on this machine's GPU; times are measured"
        rows.insert(0, Machine(REAL_DEVICE, "NVIDIA GPU (measured)", sentence, "cuda"))
    sentence = "the baselines, on this computer's own cores; times are measured"
    rows.append(Machine(CPU_DEVICE, "This computer's CPU (measured)", sentence, "cpu"))
    return {machine.device: machine for machine in rows}


def usual_device() -> str:
    """Return what is run on until somebody chooses: a real GPU where there is one."""
    return DEFAULT_PRESET if gpu_problem() else REAL_DEVICE


def engine_of(device: str) -> str:
    """Return the engine that runs on a device."""
    if device in PRESETS:
        return "model"
    return "cpu" if device == CPU_DEVICE else "cuda"


def problem_of(row: Algorithm, machine: Machine) -> str | None:
    """Return why an algorithm cannot be run on a machine in the window, None where it can."""
    if machine.engine not in row.engines:
        able = [other.title for other in machines().values() if other.engine in row.engines]
        return f"{row.title} does not run on this machine; it runs on: {', '.join(able) or 'none'}"
    return row.problem(machine.engine)


def engine_words(device: str) -> str:
    """Return what the status bar says of a device: modelled or real, and if modelled, why."""
    if device == CPU_DEVICE:
        return "This computer's CPU, measured"
    problem = gpu_problem()
    if device == REAL_DEVICE:
        return "NVIDIA GPU, measured" if problem is None else problem
    return f"Modelled GPU: {device}" + (f" ({problem})" if problem else "")


def gpu_problem() -> str | None:
    """Return why no run uses a real GPU here, in words; None where one can be tried."""
    if sys.platform == "darwin":
        return "no NVIDIA GPU here: macOS has no driver for one"
    if not any(path.exists() for path in _driver_files()):
        return "no NVIDIA GPU here: no driver found"
    if importlib.util.find_spec("cupy") is None:
        return 'NVIDIA driver found, CuPy missing: pip install "sssp-scope[cuda13]" (or cuda12)'
    return None


def _driver_files() -> tuple[Path, ...]:
    """Return where a driver shows itself: one of these is enough (WSL has only the last)."""
    if sys.platform == "win32":
        return (Path(os.environ.get("SYSTEMROOT", r"C:\Windows")) / "System32" / "nvcuda.dll",)
    return (
        Path("/proc/driver/nvidia/version"),
        Path("/dev/nvidiactl"),
        Path("/usr/lib/wsl/lib/libcuda.so.1"),
    )
