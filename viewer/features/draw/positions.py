"""Places for the vertices of a drawing: circle, spring, grid; and small graphs to begin with.

`spring` is Fruchterman and Reingold's (1991) for what a hand can draw, in a few milliseconds: up to
SPRING_MOST vertices, all pairs repel and arcs attract, from a circle in the order of a walk
through the graph, the same every time. Larger ones stand on a grid in that order: the window may
wait for none of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from viewer.features.draw.drawing import Arc, Drawing, Vertex

GAP = 120.0  # units between neighbours
SPRING_MOST, STEPS = 120, 120
Pairs = Sequence[tuple[int, int]]


def circle(n: int) -> np.ndarray:
    """Return n places on a circle, float64 (n, 2), the first at the top, clockwise."""
    radius = max(GAP * n / (2 * math.pi), 0.75 * GAP) if n > 1 else 0.0
    angle = math.pi / 2 - 2 * math.pi * np.arange(n) / max(n, 1)
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def grid(n: int, columns: int) -> np.ndarray:
    """Return n places on a grid, float64 (n, 2), row by row from the top left."""
    places = np.arange(n)
    return GAP * np.stack([places % columns, -(places // columns)], axis=1).astype(np.float64)


def spring(n: int, pairs: Pairs) -> np.ndarray:
    """Return places that show the arcs, float64 (n, 2), about GAP apart."""
    order = _walk(n, pairs)
    rank = np.empty(n, np.int64)
    rank[order] = np.arange(n)
    if n > SPRING_MOST:
        return grid(n, math.ceil(math.sqrt(n)))[rank]
    spots = circle(n)[rank]
    if n < 3:
        return grid(n, max(n, 1))
    ends = np.array(pairs, np.int64).reshape(-1, 2)
    ends = ends[ends[:, 0] != ends[:, 1]]
    heat = 0.1 * GAP * math.sqrt(n)
    for step in range(STEPS):
        spots = spots + _push(spots, ends, heat * (1 - step / STEPS))
    return _turned(spots - spots.mean(axis=0))


def _push(spots: np.ndarray, ends: np.ndarray, heat: float) -> np.ndarray:
    """Return how each vertex moves, at most `heat`."""
    apart = spots[:, None] - spots[None]
    far = np.maximum(np.hypot(apart[..., 0], apart[..., 1]), 0.01 * GAP)
    force = (apart * (GAP**2 / far**2)[..., None]).sum(axis=1)
    along = spots[ends[:, 1]] - spots[ends[:, 0]]
    pull = along * (np.hypot(*along.T) / GAP)[:, None]
    np.add.at(force, ends[:, 0], pull)
    np.add.at(force, ends[:, 1], -pull)
    force -= 0.05 * spots * math.sqrt(len(spots))  # parts that hang on nothing stay near
    size = np.maximum(np.hypot(*force.T), 1e-9)[:, None]
    return force / size * np.minimum(size, heat)


def _turned(spots: np.ndarray) -> np.ndarray:
    """Return the picture turned so that it is wide rather than high, its first vertex left."""
    _, _, main = np.linalg.svd(spots, full_matrices=False)
    turned = spots @ main.T
    if turned[0, 0] > 0:
        turned[:, 0] *= -1
    return turned


def _walk(n: int, pairs: Pairs) -> list[int]:
    """Return the vertices in the order of a walk in depth that begins at the first."""
    beside: list[list[int]] = [[] for _ in range(n)]
    for tail, head in pairs:
        beside[tail].append(head)
        beside[head].append(tail)
    order, seen = [], [False] * n
    for start in range(n):
        waiting = [start]
        while waiting:
            vertex = waiting.pop()
            if not seen[vertex]:
                seen[vertex] = True
                order.append(vertex)
                waiting += reversed(beside[vertex])
    return order


# ---------------------------------------------------------------- to begin with


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
    import sample_graphs
    from viewer.features.draw.graph import from_graph

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
