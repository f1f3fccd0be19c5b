"""Layouts that were found once, kept in the user's cache folder for the next time.

A layout depends on the graph's arcs, on its kind and, if it shows distance, on the distances,
the width of a lane and the positions that directions are taken from. A hash of all that
names a file: a plain `.npy`, float32 (n, 2), never unpickled. A file that cannot be read, or has
another shape than it must, is as good as none; a folder that cannot be written costs the
time it would have saved, and nothing else.

Together the files take at most `MOST_BYTES`: the ones not used for longest go first. Graphs
under `LEAST_VERTICES` are laid out faster than a file is found.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

import numpy as np

from gpu.compiled import cache_folder
from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.placement.by_distance import BY_DISTANCE
from gpu.placement.placements import Progress, Stop, layout
from gpu.wholefile import make_room, written_whole

VERSION = 1  # of what the layouts give: another number, and old files are not found
MOST_BYTES = 1 << 30
LEAST_VERTICES = 2_000


def kept_layout(
    graph: CSRGraph,
    kind: str = "auto",
    *,
    dist: np.ndarray | None = None,
    delta: float | None = None,
    progress: Progress | None = None,
    should_stop: Stop | None = None,
) -> np.ndarray:
    """Return `placements.layout` of the same arguments, from the cache if it is there."""
    if graph.n < LEAST_VERTICES:
        return layout(
            graph, kind, dist=dist, delta=delta, progress=progress, should_stop=should_stop
        )
    path = layouts_folder() / f"{_key(graph, kind, dist, delta)}.npy"
    found = _read(path, graph.n)
    if found is None:
        found = layout(
            graph, kind, dist=dist, delta=delta, progress=progress, should_stop=should_stop
        )
        _keep(path, found)
    return found


def layouts_folder() -> Path:
    """Return where layouts are kept."""
    return cache_folder().parent / "layouts"


def _key(graph: CSRGraph, kind: str, dist: np.ndarray | None, delta: float | None) -> str:
    digest = hashlib.blake2b(f"{VERSION} {graph.hash} {kind}".encode(), digest_size=12)
    if kind in BY_DISTANCE:
        digest.update(f"{delta}".encode())
        for array in (dist, graph.positions):
            if array is not None:
                digest.update(str(array.dtype).encode())
                digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _read(path: Path, n: int) -> np.ndarray | None:
    """Return what is kept there, None where there is nothing that could be used."""
    try:
        found = np.load(path, allow_pickle=False)
        os.utime(path)
    except (OSError, ValueError, EOFError, MemoryError):
        return None
    good = isinstance(found, np.ndarray) and found.shape == (n, 2) and found.dtype == np.float32
    return found if good and bool(np.isfinite(found).all()) else None


def _keep(path: Path, positions: np.ndarray) -> None:
    """Write a layout, if there is room for it among the others."""
    if positions.nbytes > MOST_BYTES:
        return
    with suppress(OSError, GpuError):
        path.parent.mkdir(parents=True, exist_ok=True)
        make_room(path.parent, "*.npy", positions.nbytes, MOST_BYTES)
        with written_whole(path) as file:
            np.save(file, positions, allow_pickle=False)
