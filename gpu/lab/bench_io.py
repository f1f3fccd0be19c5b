"""`sssp-scope bench io`: how fast graph files are read, beside SciPy.

Two rows, 1,000,000 vertices and 5,000,000 arcs, made here, the file in the system's cache:

    io_dimacs   DIMACS text, in seconds
    io_mtx      Matrix Market text: our time over that of `scipy.io.mmread` and `tocsr`

Both sides of the ratio take turns, and the best of TRIES is taken of each, since noise only adds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

VERTICES, ARCS = 1_000_000, 5_000_000
TRIES = 7


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


def _timed(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def _megabytes(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:.0f} MB"


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
