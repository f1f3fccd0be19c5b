"""The pictures that `sssp-scope bench` times, each in a process of its own.

    python -m viewer.bench_ui open FILE     prints {"open_s": ..., "import_s": ...}
    python -m viewer.bench_ui recolour      prints {"recolour_ms": [...], "bin_ms": ...}

`open` does what the engine process and the window do between choosing a file and the first
picture: read, lay out provisionally, bin, colour. That process is warm by then (its
imports are done, its compiled loops loaded), so imports are timed apart.

`recolour` paints frames of a made-up run over city roads of 1,000,000 vertices: live ones,
where every pixel's distance is looked up anew, and replayed ones, of what is reached at a moving
cursor, where the look-ups of the first frame are kept.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from gpu.graph import CSRGraph
from viewer import raster, raster_colour
from viewer.colormaps import blended, packed, rgb, table_for
from viewer.raster_colour import LEVELS, Colouring
from viewer.theme import THEMES

WIDTH, HEIGHT = 1000, 800
VERTICES = 1_000_000
FRAMES = 60
WARM_FRAMES = 5  # not counted: the first ones fill the caches


def main(argv: list[str]) -> int:
    """Print one JSON object on stdout; argv: open FILE, or recolour."""
    if argv[:1] == ["open"] and len(argv) == 2:
        print(json.dumps(time_open(argv[1])))
        return 0
    if argv == ["recolour"]:
        print(json.dumps(time_recolour()))
        return 0
    print("usage: python -m viewer.bench_ui open FILE | recolour", file=sys.stderr)
    return 2


def time_open(file: str) -> dict[str, float]:
    """Return seconds from the choice of `file` to its first picture, and of warming up."""
    began = time.perf_counter()
    from gpu.formats import load_graph
    from gpu.layouts import provisional

    raster.load_kernels()
    _warm(load_graph, provisional)
    warm = time.perf_counter()
    graph = load_graph(file)
    positions = graph.positions if graph.positions is not None else provisional(graph)
    pixels = _binned(graph, positions)
    _Frame(pixels).paint(Colouring("plain"))
    return {"open_s": time.perf_counter() - warm, "import_s": warm - began}


def time_recolour() -> dict[str, object]:
    """Return milliseconds of every frame, and of binning the view once."""
    import sample_graphs

    raster.load_kernels()
    graph = sample_graphs.make("city_roads", n=VERTICES, seed=1)
    assert graph.positions is not None
    began = time.perf_counter()
    pixels = _binned(graph, graph.positions)
    bin_ms = (time.perf_counter() - began) * 1e3
    first = np.hypot(*graph.positions.astype(float).T).astype(np.int64)
    dist, top = first.astype(np.int32), float(first.max())
    frame = _Frame(pixels)
    frames = []
    live = [_timed(frame, Colouring("distance", dist, unit=top / LEVELS)) for _ in range(FRAMES)]
    for cursor in np.linspace(0, top, FRAMES + WARM_FRAMES).tolist():
        colouring = Colouring(
            "distance", dist, first=first, cursor=cursor, unit=top / LEVELS, final=True
        )
        frames.append(_timed(frame, colouring))
    return {
        "recolour_ms": live[WARM_FRAMES:],
        "replay_ms": frames[WARM_FRAMES:],
        "bin_ms": bin_ms,
        "pixels": len(pixels.pixel),
    }


def _timed(frame: _Frame, colouring: Colouring) -> float:
    began = time.perf_counter()
    frame.paint(colouring)
    return (time.perf_counter() - began) * 1e3


class _Frame:
    """A picture with its background, colour table and the surface it is painted upon."""

    def __init__(self, pixels: raster.PixelMap) -> None:
        from PyQt6.QtGui import QImage
        from PyQt6.sip import voidptr

        theme = THEMES["light"]
        paper = rgb(theme.plot)
        self._pixels = pixels
        self._table = blended(table_for("distance", theme), paper)
        self._colours = raster_colour.background(pixels, packed(paper), packed(rgb(theme.grid)))
        memory = voidptr(self._colours.ctypes.data)  # looked at, not copied
        kind = QImage.Format.Format_RGB32
        self._image = QImage(memory, WIDTH, HEIGHT, 4 * WIDTH, kind)  # type: ignore[call-overload]
        self._surface = QImage(WIDTH, HEIGHT, kind)

    def paint(self, colouring: Colouring) -> None:
        """Recolour every inked pixel and paint the whole image."""
        from PyQt6.QtGui import QPainter

        raster_colour.recolour(self._pixels, colouring, self._table, self._colours)
        painter = QPainter(self._surface)
        painter.drawImage(0, 0, self._image)
        painter.end()


def _binned(graph: CSRGraph, positions: np.ndarray) -> raster.PixelMap:
    extent = raster.measure(graph.indptr, graph.indices, positions)
    view = extent.fitted(WIDTH, HEIGHT)
    style = raster.style_for(extent, view)
    return raster.bin_graph(graph.indptr, graph.indices, positions, view, style, extent)


def _warm(
    load_graph: Callable[[Path], CSRGraph], provisional: Callable[[CSRGraph], np.ndarray]
) -> None:
    """Read and draw a small graph, so that every import and compilation is done."""
    import tempfile

    import sample_graphs
    from gpu.formats import save_graph

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.gr.gz"
        save_graph(sample_graphs.make("grid", n=10_000).with_positions(None), path)
        graph = load_graph(path)
    _Frame(_binned(graph, provisional(graph))).paint(Colouring("plain"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
