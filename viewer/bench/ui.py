"""The figures behind `sssp-scope bench`, printed as JSON: [figures, note].

    python -m viewer.bench.ui open FILE | model FILE | seek | io

`open` reads, places, bins and colours as the engine process and the window do.
"""

from __future__ import annotations

import gc
import json
import sys
import tempfile
import time
import timeit
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from viewer.bench.seek import time_seek
from viewer.common.colormaps import blended, rgb, table_for
from viewer.common.theme import LIGHT
from viewer.raster import raster

WIDTH, HEIGHT = 1000, 800
TRIES, READS = 3, 7  # of the model, and of the file that is read
VERTICES, ARCS = 1_000_000, 5_000_000  # of that file
Figures = tuple[list[float], str]


def time_open(file: str) -> Figures:
    """Return seconds from the choice of `file` to its first picture; imports are timed apart."""
    began = time.perf_counter()
    import sample_graphs
    from gpu.formats import load_graph, save_graph
    from gpu.placement.placements import provisional

    def show(path: str | Path) -> None:
        graph = load_graph(path)
        positions = graph.positions if graph.positions is not None else provisional(graph)
        extent = raster.measure(graph.indptr, graph.indices, positions)
        view = extent.fitted(WIDTH, HEIGHT)
        style = raster.style_for(extent, view)
        pixels = raster.bin_graph(graph.indptr, graph.indices, positions, view, style, extent)
        paper = rgb(LIGHT.plot)
        frame = raster.background(pixels, paper, rgb(LIGHT.grid))
        table = blended(table_for("plain", LIGHT), paper)
        raster.recolour(pixels, raster.Colouring("plain"), table, frame)

    raster.load_kernels()
    with tempfile.TemporaryDirectory() as folder:  # imports and compiles
        small = Path(folder) / "small.gr.gz"
        save_graph(sample_graphs.make("grid", n=10_000).with_positions(None), small)
        show(small)
    warm = time.perf_counter()
    show(file)
    return [time.perf_counter() - warm], f"imports before: {warm - began:.1f} s"


def time_model(file: str) -> Figures:
    """Return millions of edges that ADDS relaxes a second on the modelled GPU, compiled."""
    from gpu.engine import run_named
    from gpu.formats import load_graph

    graph = load_graph(file)
    source = graph.vertex_of(graph.id_of(0))
    again = partial(run_named, graph, "adds", "model", source)
    relaxed = again().relaxed_edges  # compiles
    seconds = timeit.repeat(again, gc.enable, number=1, repeat=TRIES)
    return [relaxed / each / 1e6 for each in seconds], f"{relaxed:,} edges relaxed"


def time_io() -> Figures:
    """Return seconds to read DIMACS text that lies in the system's cache."""
    from gpu.formats import load_graph, save_graph
    from gpu.graph import CSRGraph

    rng = np.random.default_rng(1)
    tails, heads = rng.integers(0, VERTICES, (2, ARCS))
    weights = rng.integers(1, 10_001, ARCS).astype(np.int32)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "random.gr"
        save_graph(CSRGraph.from_arcs(tails, heads, weights, VERTICES), path)
        load_graph(path)  # compiles
        seconds = timeit.repeat(lambda: load_graph(path), gc.enable, number=1, repeat=READS)
        return seconds, f"{path.stat().st_size / 1e6:.0f} MB, best {min(seconds):.3f} s"


FIGURES: dict[str, Callable[..., Figures]] = {
    "open": time_open,
    "model": time_model,
    "seek": time_seek,
    "io": time_io,
}
if __name__ == "__main__":
    print(json.dumps(FIGURES[sys.argv[1]](*sys.argv[2:])))
