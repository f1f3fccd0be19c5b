"""Is there a GPU, and if not, why not and what to install: one sentence.

CuPy is imported here and nowhere before. It may be missing, or installed for another CUDA.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

from gpu.errors import EngineError, ParameterError

OLDEST_DRIVER = 12000  # CUDA 12.0, as cuDriverGetVersion counts


@dataclass(frozen=True)
class Device:
    """One GPU, as its driver describes it."""

    number: int
    name: str
    multiprocessors: int
    capability: str  # "90" for compute capability 9.0
    memory_bytes: int
    driver: int  # CUDA version that the driver speaks, 13000 for 13.0
    runtime: int
    cupy: str

    def facts(self) -> dict[str, Any]:
        """Return what a trace's environment keeps."""
        return {
            "engine": "cuda",
            "device": self.name,
            "multiprocessors": self.multiprocessors,
            "capability": self.capability,
            "driver": self.driver,
            "runtime": self.runtime,
            "cupy": self.cupy,
        }


def why_not(device: str = "cuda:0") -> str | None:
    """Return why this machine cannot run the engine, None where it can."""
    try:
        find_device(device)
    except (EngineError, ParameterError) as error:
        return str(error)
    return None


def find_device(device: str = "cuda:0") -> Device:
    """Return the GPU of that name, or raise EngineError with the reason and the pip line."""
    number = _number_of(device)
    driver = driver_version()
    if driver is None:
        raise EngineError(
            "no NVIDIA driver on this machine (libcuda was not found): the engine cuda needs "
            "an NVIDIA GPU; the engine model runs everywhere"
        )
    if driver < OLDEST_DRIVER:
        raise EngineError(
            f"the NVIDIA driver speaks CUDA {driver // 1000}.{driver % 1000 // 10}; "
            "12.0 or newer is needed: update the driver"
        )
    cupy = _import_cupy(driver)
    try:
        count = int(cupy.cuda.runtime.getDeviceCount())
        if not 0 <= number < count:
            raise ParameterError(
                f"device = {device!r}; this machine has {count}: cuda:0 to cuda:{count - 1}"
            )
        return _described(cupy, number, driver)
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise EngineError(f"the GPU does not answer: {error}") from error


@cache
def _described(cupy: Any, number: int, driver: int) -> Device:
    """Return a GPU as its driver describes it; asked once, it takes 1.2 ms on an H100."""
    properties = cupy.cuda.runtime.getDeviceProperties(number)
    runtime = int(cupy.cuda.runtime.runtimeGetVersion())
    return Device(
        number,
        properties["name"].decode(),
        int(properties["multiProcessorCount"]),
        f"{properties['major']}{properties['minor']}",
        int(properties["totalGlobalMem"]),
        driver,
        runtime,
        cupy.__version__,
    )


def driver_version() -> int | None:
    """Return the CUDA version of the NVIDIA driver (13000 for 13.0), None without a driver."""
    library, version = _driver(), ctypes.c_int()
    if library is not None and library.cuDriverGetVersion(ctypes.byref(version)) == 0:
        return version.value or None
    return None


def wake() -> None:
    """Begin the first GPU's context, which CuPy finds then: 0.2 s in the driver alone."""
    library, device, context = _driver(), ctypes.c_int(), ctypes.c_void_p()
    if library is not None and library.cuInit(0) == 0:
        library.cuDeviceGet(ctypes.byref(device), 0)
        library.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)


def _driver() -> Any:
    """Return the driver's library, None where there is none."""
    names = ["nvcuda.dll"] if sys.platform == "win32" else ["libcuda.so.1", "libcuda.so"]
    for name in names:
        with suppress(OSError):
            return ctypes.CDLL(name)
    return None


def _import_cupy(driver: int) -> Any:
    try:
        import cupy
    except Exception as error:  # CuPy raises what it likes when its libraries do not fit
        reason = " ".join(str(error).split()) or type(error).__name__
        install = f'pip install "sssp-scope[cuda{13 if driver >= 13000 else 12}]"'
        raise EngineError(
            f"CuPy cannot be imported ({reason[:200]}); install it with: {install}"
        ) from error
    return cupy


def _number_of(device: str) -> int:
    kind, _, number = device.partition(":")
    if kind != "cuda" or (number and not number.isdigit()):
        raise ParameterError(f"device = {device!r}; allowed: cuda:0, cuda:1, ...")
    return int(number or 0)
