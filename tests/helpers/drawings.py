"""Drawings in a few numbers each: `tests/raster/drawings.json`.

    PYTHONPATH=.:tests/helpers python -m drawings

writes them again, after an intended change of how things are drawn.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gpu.graph import CSRGraph
from viewer.raster import raster
from viewer.raster.raster import PixelMap, Style, View

FILE = Path(__file__).resolve().parents[1] / "raster" / "drawings.json"


def graph_of(kind: str) -> CSRGraph:
    """Return a hairball, a street map, or places far apart of which some are no places."""
    rng = np.random.default_rng(6)
    if kind == "streets":
        at = np.arange(30 * 30).reshape(30, 30)
        tails = np.concatenate([at[:, :-1].ravel(), at[:-1].ravel()])
        heads = np.concatenate([at[:, 1:].ravel(), at[1:].ravel()])
        places = np.stack([at % 30, at // 30], -1).reshape(-1, 2) + rng.random((900, 2)) * 0.4
    else:
        tails, heads = rng.integers(0, 500, (2, 2500 if kind == "hairball" else 60))
        places = rng.random((500, 2)) * (3.0, 1.0)
        if kind == "scattered":
            places[::50] = np.nan
            places[7] = (40.0, -8.0)
    weights = np.ones(len(tails), np.int32)
    return CSRGraph.from_arcs(
        tails, heads, weights, len(places), positions=places.astype(np.float32)
    )


def drawn() -> Iterator[tuple[str, dict[str, float]]]:
    """Yield (name, numbers) of every drawing, as the compiled loops draw now."""
    for kind in ("hairball", "streets", "scattered"):
        graph = graph_of(kind)
        extent = raster.measure(graph.indptr, graph.indices, graph.positions)
        names = ("xmin", "ymin", "xmax", "ymax", "edge", "spacing", "ink")
        measured = (*extent.bounds, extent.edge_length, extent.spacing, extent.ink)
        yield f"{kind}, measured", dict(zip(names, measured, strict=True))
        for width, height, zoom in ((160, 90, 1.0), (90, 160, 4.0), (300, 200, 0.3)):
            view = extent.fitted(width, height).zoomed(zoom, width * 0.4, height * 0.6)
            chosen = raster.style_for(extent, view)
            for style in (chosen, Style(0.0), Style(1.6, 1.2), Style(1.0, 0.0, True)):
                name = f"{kind}, {width} x {height}, {zoom:g}, {style}"
                parts = (graph.indptr, graph.indices, graph.positions, view, style, extent)
                yield name, numbers_of(raster.bin_graph(*parts), view)


def numbers_of(pixels: PixelMap, view: View) -> dict[str, float]:
    """Return counts and weighed sums of a pixel map: another pixel anywhere changes them."""
    place = np.arange(1, len(pixels.pixel) + 1, dtype=np.int64)
    found = {
        "scale": view.scale,
        "cx": view.cx,
        "cy": view.cy,
        "inked": len(pixels.pixel),
        "in_view": pixels.in_view,
        "drawn": pixels.drawn,
        "arc_step": pixels.arc_step,
        "pixel": int((place * pixels.pixel).sum()),
        "vertex": int((place * pixels.vertex).sum()),
        "cover": int((place * pixels.cover).sum()),
    }
    if pixels.density is not None:
        cells = np.arange(1, len(pixels.density) + 1, dtype=np.int64)
        found["density"] = int((cells * pixels.density).sum())
    return found


if __name__ == "__main__":
    raster.load_kernels()
    lines = [f"{json.dumps(name)}: {json.dumps(found)}" for name, found in drawn()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
