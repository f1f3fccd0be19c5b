"""The figures behind `sssp-scope bench`, printed as one JSON object.

    python -m viewer.bench.ui open FILE     {"open_s": ..., "import_s": ...}
    python -m viewer.bench.ui recolour      {"recolour_ms": [...], "replay_ms": [...], ...}
    python -m viewer.bench.ui seek          {"seek_ms": [...], "zoomed_ms": [...]}
    python -m viewer.bench.ui rebin         {"rebin_ms": [...], "grey_ms": [...]}

`open` reads, places, bins and colours as the engine process and the window do; imports are timed
apart. `recolour` paints frames of a made-up run: live ones look up every distance, replayed ones
keep the look-ups of the first frame. `rebin` draws a street grid, and a graph with arcs thirty
times as long, which go to the grey layer.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from gpu.graph import CSRGraph
from viewer.common.colormaps import blended, packed, rgb, table_for
from viewer.common.theme import THEMES
from viewer.raster import colour as raster_colour, raster
from viewer.raster.colour import LEVELS, Colouring

WIDTH, HEIGHT = 1000, 800
VERTICES = 1_000_000
FRAMES = 60
BIG_SIDE = 4_899  # of a square grid: 24 million vertices
ZOOMS = (1, 4, 20, 200)  # times the view that shows everything
LONG_ARC = 30  # vertices from tail to head, where arcs go to the grey layer
WARM_FRAMES = 5  # not counted: the first ones fill the caches


def main(argv: list[str]) -> int:
    """Print one JSON object on stdout; argv: open FILE, recolour, seek or rebin."""
    from viewer.bench.seek import time_seek

    rows: dict[str, Callable[..., object]] = {
        "open": time_open,
        "recolour": time_recolour,
        "seek": time_seek,
        "rebin": time_rebin,
    }
    if not argv or argv[0] not in rows or len(argv) != 1 + (argv[0] == "open"):
        usage = "usage: python -m viewer.bench.ui open FILE | recolour | seek | rebin"
        print(usage, file=sys.stderr)
        return 2
    print(json.dumps(rows[argv[0]](*argv[1:])))
    return 0


def time_open(file: str) -> dict[str, float]:
    """Return seconds from the choice of `file` to its first picture, and of warming up."""
    began = time.perf_counter()
    from gpu.formats import load_graph
    from gpu.placement.placements import provisional

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


def time_rebin() -> dict[str, object]:
    """Return milliseconds of binning each zoom of 24 M vertices, arcs as lines and as grey."""
    raster.load_kernels()
    side, n = BIG_SIDE, BIG_SIDE * BIG_SIDE
    vertex = np.arange(n, dtype=np.int32)
    positions = np.empty((n, 2), np.float32)
    positions[:, 0], positions[:, 1] = vertex % side, vertex // side
    positions += np.random.default_rng(0).random((n, 2), dtype=np.float32) / 2
    indptr = 2 * np.arange(n + 1, dtype=np.int64)
    result: dict[str, object] = {"vertices": n, "arcs": 2 * n}
    for name, reach in (("rebin_ms", 1), ("grey_ms", LONG_ARC)):
        heads = np.stack([vertex + reach, vertex + reach * side], axis=1)
        indices = np.minimum(heads, n - 1).ravel().astype(np.int32)
        extent = raster.measure(indptr, indices, positions)
        whole = extent.fitted(WIDTH, HEIGHT)
        tries = []
        for zoom in ZOOMS:
            view = whole.zoomed(zoom, WIDTH / 2, HEIGHT / 2)
            style = raster.style_for(extent, view)
            began = time.perf_counter()
            raster.bin_graph(indptr, indices, positions, view, style, extent)
            tries.append((time.perf_counter() - began) * 1e3)
        result[name] = tries
    return result


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
