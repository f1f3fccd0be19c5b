"""How much memory is free, and refusing work that needs more.

Checked before a large allocation and while a compressed file unfolds, so that a
decompression bomb ends in words and not in a machine that swaps.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

from gpu.errors import MemoryNeededError
from gpu.words import size_words

UNLIMITED = 2**62  # cgroup v1 writes a number near 2**63 where there is no limit


def available_bytes() -> int | None:
    """Return the bytes that this process may still allocate, None where unknown.

    Linux: MemAvailable, and the memory limit of the control group (containers).
    Windows: free physical memory. macOS: half of the physical memory, since it
    does not tell POSIX programs how much is free.
    """
    if sys.platform == "win32":
        return _windows_available()
    known = [size for size in (_linux_available(), _cgroup_available()) if size is not None]
    if known:
        return min(known)
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (ValueError, OSError, AttributeError):
        return None


def require_memory(needed: int, what: str) -> None:
    """Raise MemoryNeededError if `needed` bytes are more than are free.

    `what` names the work in the message, usually the file.
    """
    free = available_bytes()
    if free is not None and needed > free:
        raise MemoryNeededError(
            f"{what}: needs about {size_words(needed)} of memory more, {size_words(free)} are "
            "free; close other programs or use a machine with more memory"
        )


def give_back_freed() -> None:
    """Have glibc return to the system what was freed; elsewhere nothing is done. Some milliseconds.

    It keeps whole pages between blocks that live on, for blocks to come.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:  # musl has none
        trim(0)


def _linux_available() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_bytes().splitlines():
            if line.startswith(b"MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        return None
    return None


def _cgroup_available() -> int | None:
    for limit_name, used_name in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        try:
            limit = int((Path("/sys/fs/cgroup") / limit_name).read_text())
            used = int((Path("/sys/fs/cgroup") / used_name).read_text())
        except (OSError, ValueError):  # absent, or the word "max"
            continue
        if limit < UNLIMITED:
            return max(0, limit - used)
    return None


def _windows_available() -> int | None:
    import ctypes

    class MemoryStatus(ctypes.Structure):
        _fields_ = (
            ("length", ctypes.c_ulong),
            ("load", ctypes.c_ulong),
            *((name, ctypes.c_ulonglong) for name in ("total", "available", "c", "d", "e", "f")),
            ("extended", ctypes.c_ulonglong),
        )

    status = MemoryStatus()
    status.length = ctypes.sizeof(MemoryStatus)
    kernel32 = getattr(ctypes, "windll").kernel32  # noqa: B009 - exists on Windows only
    if not kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return None
    return int(status.available)
