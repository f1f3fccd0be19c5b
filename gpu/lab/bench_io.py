"""`sssp-scope bench io`: how fast graph files are read, beside the disk and SciPy.

Three rows, 1,000,000 vertices and 5,000,000 arcs, made here:

    io_dimacs   DIMACS text, in seconds, the file in the system's cache
    io_mtx      Matrix Market text: our time over that of `scipy.io.mmread` and `tocsr`
    io_galois   Galois binary: our time over that of reading the bytes and nothing else, the file
                dropped from the system's cache before each try, where the system can do that

Both sides of a ratio take turns, and the best of TRIES is taken of each, since noise only adds.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

VERTICES, ARCS = 1_000_000, 5_000_000
TRIES = 7
READ_BYTES = 4 << 20  # at a time, in the plain read


def dimacs(folder: Path, _graph: str) -> tuple[list[float], str]:
    """Return seconds to read DIMACS text."""
    from gpu.formats import load_graph

    path = _written(folder, "gr")
    load_graph(path)  # compiles
    seconds = [_timed(lambda: load_graph(path)) for _ in range(TRIES)]
    return seconds, f"{_megabytes(path)}, best {min(seconds):.3f} s"


def matrix_market(folder: Path, _graph: str) -> tuple[list[float], str]:
    """Return our best time over SciPy's best, for the same `.mtx`."""
    from scipy.io import mmread

    from gpu.formats import load_graph

    path = _written(folder, "mtx")
    load_graph(path)
    mmread(path)
    ours, theirs = [], []
    for _ in range(TRIES):
        ours.append(_timed(lambda: load_graph(path)))
        theirs.append(_timed(lambda: mmread(path).tocsr()))
    note = f"{_megabytes(path)}: {min(ours):.2f} s, SciPy {min(theirs):.2f} s"
    return [min(ours) / min(theirs)], note


def galois(folder: Path, _graph: str) -> tuple[list[float], str]:
    """Return our best time over the best of a plain read, the file not in the cache."""
    from gpu.formats import load_graph

    path = _written(folder, "galois.gr")
    load_graph(path)
    ours, plain, warm = [], [], []
    for _ in range(TRIES):
        _forget(path)
        plain.append(_timed(lambda: _read_plainly(path)))
        _forget(path)
        ours.append(_timed(lambda: load_graph(path)))
        warm.append(_timed(lambda: load_graph(path)))
    rate = path.stat().st_size / min(plain) / 1e6
    note = (
        f"{_megabytes(path)}: {min(ours):.3f} s, plain read {min(plain):.3f} s "
        f"({rate:.0f} MB/s); from the cache {min(warm):.3f} s"
    )
    return [min(ours) / min(plain)], note


def _timed(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def _megabytes(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:.0f} MB"


def _read_plainly(path: Path) -> None:
    block = bytearray(READ_BYTES)
    with path.open("rb", buffering=0) as file:
        while file.readinto(block):
            pass


def _forget(path: Path) -> None:
    """Ask the system to drop the file from its cache; where it cannot, do nothing."""
    if not hasattr(os, "posix_fadvise"):
        return
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _written(folder: Path, suffix: str) -> Path:
    """Return a random graph as a file, made once; weights 1..10,000."""
    path = folder / f"random.{suffix}"
    if not path.exists():
        import numpy as np

        from gpu.formats import save_graph
        from gpu.graph import CSRGraph

        rng = np.random.default_rng(1)
        ends = rng.integers(0, VERTICES, (2, ARCS))
        weights = rng.integers(1, 10_001, ARCS).astype(np.int32)
        save_graph(CSRGraph.from_arcs(ends[0], ends[1], weights, VERTICES), path)
    return path
