"""Resident memory and children of processes, for the soak test and campaigns."""

from __future__ import annotations

import os
from pathlib import Path


def resident(pid: int) -> float:
    """Return MB of a process without what it shares; 0 if the system does not say."""
    try:
        fields = Path(f"/proc/{pid}/statm").read_text().split()
    except OSError:
        return 0.0
    return (int(fields[1]) - int(fields[2])) * os.sysconf("SC_PAGE_SIZE") / 1e6


def children(pid: int) -> list[int]:
    """Return the process ids below one; none if the system does not say."""
    below: list[int] = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            fresh = [int(word) for word in listed.read_text().split()]
        except OSError:
            continue
        below += fresh + [deeper for child in fresh for deeper in children(child)]
    return below
