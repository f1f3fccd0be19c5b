"""The figures behind `sssp-scope bench`, printed as one JSON object.

    python -m viewer.bench.ui open FILE     {"open_s": ..., "import_s": ...}
    python -m viewer.bench.ui seek          {"seek_ms": [...], "zoomed_ms": [...]}

`open` reads, places, bins and colours as the engine process and the window do; imports are timed
apart.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from viewer.common.colormaps import blended, rgb, table_for
from viewer.common.theme import LIGHT
from viewer.raster import raster

WIDTH, HEIGHT = 1000, 800


def main(argv: list[str]) -> int:
    """Print one JSON object on stdout; argv: open FILE, or seek."""
    from viewer.bench.seek import time_seek

    if argv[:1] == ["open"] and len(argv) == 2:
        print(json.dumps(time_open(argv[1])))
    elif argv == ["seek"]:
        print(json.dumps(time_seek()))
    else:
        print("usage: python -m viewer.bench.ui open FILE | seek", file=sys.stderr)
        return 2
    return 0


def time_open(file: str) -> dict[str, float]:
    """Return seconds from the choice of `file` to its first picture, and of warming up."""
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
    return {"open_s": time.perf_counter() - warm, "import_s": warm - began}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
