"""Graphs that came from another computer, kept for the next time: a file each, named by its hash.

Only arcs and weights are kept. Together the files take at most MOST_BYTES: the ones not used for
longest go first. A file that cannot be read, or holds another graph than its name says, is as good
as none; a folder that cannot be written costs the time that it would have saved.
"""

from __future__ import annotations

import os
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np

from gpu.compiled import cache_folder
from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.wholefile import make_room, written_whole

MOST_BYTES = 8 << 30
NAMES = ("indptr", "indices", "weights")


def graphs_folder() -> Path:
    """Return where graphs are kept."""
    return cache_folder().parent / "graphs"


def kept_graph(wanted: str) -> CSRGraph | None:
    """Return the graph of that hash, None where it is not kept."""
    path = graphs_folder() / f"{wanted}.npz"
    with suppress(OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, GpuError):
        with np.load(path, allow_pickle=False) as file:
            indptr, indices, weights = (file[name] for name in NAMES)
        graph = CSRGraph(indptr, indices, weights, name=wanted).checked()
        if graph.hash == wanted:
            os.utime(path)
            return graph
    return None


def keep_graph(graph: CSRGraph) -> None:
    """Write a graph, if there is room for it among the others."""
    if graph.nbytes > MOST_BYTES:
        return
    path = graphs_folder() / f"{graph.hash}.npz"
    with suppress(OSError, GpuError):
        path.parent.mkdir(parents=True, exist_ok=True)
        make_room(path.parent, "*.npz", graph.nbytes, MOST_BYTES)
        with written_whole(path) as file:
            np.savez(file, **{name: getattr(graph, name) for name in NAMES})
