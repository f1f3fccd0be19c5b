"""The paper's evaluation, and how fast the program itself is."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def load(path: str | Path) -> Any:
    """Return the runs of RESULTS as a NumPy record array: `gpu.lab.records.load`. GpuError."""
    from gpu.lab import records

    return records.load(path)
