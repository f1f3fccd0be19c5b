"""What processes hold, for the soak test: resident memory, children, growth by line and type."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from collections import Counter
from pathlib import Path


def resident(pid: int) -> float:
    """Return MB of a process without what it shares; 0 where the system does not say."""
    try:
        fields = Path(f"/proc/{pid}/statm").read_text().split()
    except OSError:
        return 0.0
    return (int(fields[1]) - int(fields[2])) * os.sysconf("SC_PAGE_SIZE") / 1e6


class _Mallinfo2(ctypes.Structure):
    """glibc's `struct mallinfo2`, see mallinfo(3)."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd",
            "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost",
        )
    ]  # fmt: skip


def allocated() -> tuple[float, float]:
    """Return MB that this process' allocations hold, and thousands of Python's small blocks.

    Resident memory without these is holes: pages that the allocators keep, or cannot give back.
    The first is 0 where the C library does not say.
    """
    call = getattr(ctypes.CDLL(None), "mallinfo2", None) if os.name == "posix" else None
    if call is None:
        return 0.0, sys.getallocatedblocks() / 1e3
    call.restype = _Mallinfo2
    told = call()
    return (told.uordblks + told.hblkhd) / 1e6, sys.getallocatedblocks() / 1e3


def children(pid: int) -> list[int]:
    """Return the process ids below one; none where the system does not say."""
    found: list[int] = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            fresh = [int(word) for word in listed.read_text().split()]
        except OSError:
            continue
        found += fresh + [below for child in fresh for below in children(child)]
    return found


def give_back_memory() -> None:
    """Collect garbage and give freed pages to the system: what stays is held by somebody."""
    from gpu.memory import give_back_freed

    gc.collect()
    give_back_freed()


class Held:
    """What Python held at one moment, by line and by type."""

    LINES, TYPES = 25, 25

    def __init__(self) -> None:
        import tracemalloc

        tracemalloc.start(3)
        gc.collect()
        self._lines, self._types = tracemalloc.take_snapshot(), self._count()

    def print_growth(self) -> None:
        """Print the lines that hold most more than then, and the types with most more of them."""
        import tracemalloc

        gc.collect()
        now = tracemalloc.take_snapshot().compare_to(self._lines, "lineno")
        for line in now[: self.LINES]:
            print(f"why: {line}")
        more = self._count()
        more.subtract(self._types)
        print("why:", ", ".join(f"{name} +{count}" for name, count in more.most_common(self.TYPES)))

    def _count(self) -> Counter[str]:
        return Counter(type(thing).__name__ for thing in gc.get_objects())
