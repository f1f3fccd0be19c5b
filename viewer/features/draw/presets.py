"""Small graphs to begin a drawing with: PRESETS, the same every time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import sample_graphs
from viewer.features.draw.drawing import Arc, Drawing, Vertex
from viewer.features.draw.graph import from_graph
from viewer.features.draw.positions import GAP, Pairs, circle, grid


def _made(name: str, spots: np.ndarray, pairs: Pairs, directed: bool, first: str = "A") -> Drawing:
    """Return a drawing with weights 1 to 9, the same every time."""
    n = len(spots)
    names = [chr(ord(first) + k) for k in range(n)] if n <= 26 else [str(k + 1) for k in range(n)]
    weights = np.random.Generator(np.random.PCG64(n + len(pairs))).integers(1, 10, len(pairs))
    vertices = tuple(Vertex(k + 1, names[k], float(x), float(y)) for k, (x, y) in enumerate(spots))
    arcs = tuple(
        Arc(n + 1 + k, tail + 1, head + 1, int(weights[k])) for k, (tail, head) in enumerate(pairs)
    )
    return Drawing(name, vertices, arcs, directed)


def _ring() -> Drawing:
    return _made("Ring", circle(8), [(k, (k + 1) % 8) for k in range(8)], False)


def _grid() -> Drawing:
    rows, columns = 4, 5
    across = [(k, k + 1) for k in range(rows * columns) if k % columns < columns - 1]
    down = [(k, k + columns) for k in range((rows - 1) * columns)]
    return _made("Grid", grid(rows * columns, columns), across + down, False)


def _star() -> Drawing:
    spots = np.vstack([np.zeros((1, 2)), circle(7)])
    return _made("Star", spots, [(0, k) for k in range(1, 8)], True)


def _complete() -> Drawing:
    pairs = [(a, b) for a in range(6) for b in range(a + 1, 6)]
    return _made("Complete graph", 1.5 * circle(6), pairs, False)


def _tree() -> Drawing:
    places = [(0.0, 3.0)]
    for depth in range(1, 4):
        places += [((k + 0.5) * 8 / 2**depth - 4, 3.0 - depth) for k in range(2**depth)]
    pairs = [((k - 1) // 2, k) for k in range(1, 15)]
    return _made("Binary tree", GAP * np.array(places), pairs, True)


def _figure(key: str) -> Drawing:
    return from_graph(sample_graphs.make(key))


PRESETS: dict[str, tuple[str, str, Callable[[], Drawing]]] = {  # key: title, sentence, maker
    "ring": ("Ring", "Eight vertices in a circle", _ring),
    "grid": ("Grid", "Four rows of five, like the streets of a small town", _grid),
    "star": ("Star", "One vertex that leads to all others", _star),
    "tree": ("Binary tree", "Fifteen vertices in four rows", _tree),
    "complete": ("Complete graph", "Six vertices, each joined with each", _complete),
    "figure_1": (
        "Figure 1: order matters",
        "Three vertices from the ADDS paper",
        lambda: _figure("figure_1"),
    ),
    "figure_6": (
        "Figure 6: buckets and Δ",
        "Nine vertices from the ADDS paper, for four buckets",
        lambda: _figure("figure_6"),
    ),
}
