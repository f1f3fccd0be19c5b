"""Where to draw vertices that have no coordinates.

pivot_mds   Brandes and Pich 2007. Hop distances from a few pivots, each the vertex farthest
            from those before; the two main directions of the centred squared distances are x
            and y. O(pivots x (n + m)); roads come out as a map-like sheet.
planar, kamada_kawai, spring
            for small graphs: `gpu.placement.small`, `gpu.placement.forces`
lanes, rings
            columns by bucket, radius by distance: `gpu.placement.by_distance`

Arcs count both ways and weights do not count. Further components are drawn in a row below the
largest one, the smallest as dots below that. A layout is the same every time, finite and, except
lanes and rings, 1000 units wide and at most as tall.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from gpu.compiled import compiled
from gpu.errors import CancelledByUserError, ParameterError
from gpu.files import require_memory
from gpu.graph import CSRGraph
from gpu.placement import small
from gpu.placement.by_distance import (
    BY_DISTANCE,
    DISTANCE_BYTES,
    WIDTH,
    by_distance,
    checked_distances,
)
from gpu.placement.forces import by_forces

Progress = Callable[[float, str], None]
Stop = Callable[[], bool]
KINDS = ("auto", "pivot_mds", *small.MOST, *BY_DISTANCE)
PROVISIONAL_PIVOTS, PROVISIONAL_PIVOTS_LARGE = 15, 10  # pivots; from 100,000 vertices
PIVOTS, PIVOTS_LARGE, LARGE = 50, 15, 1_000_000  # pivots; pivots of a graph above LARGE
ANCHORS = 10  # pivots that decide which way is left and down
DRAWN_PARTS = 24  # components drawn by themselves, beside the largest; others are dots
AT_ONCE = 8_192  # vertices handled at a time: they stay in the processor's cache


def provisional(graph: CSRGraph) -> np.ndarray:
    """Return a first picture, float32 (n, 2), within 0.4 s for 264,000 vertices."""
    pivots = PROVISIONAL_PIVOTS if graph.n < 100_000 else PROVISIONAL_PIVOTS_LARGE
    return _parts_drawn(graph, _Watch(), "pivot_mds", pivots)


def layout(
    graph: CSRGraph,
    kind: str = "auto",
    *,
    dist: np.ndarray | None = None,
    delta: float | None = None,
    progress: Progress | None = None,
    should_stop: Stop | None = None,
) -> np.ndarray:
    """Lay a graph out.

    Parameters
    ----------
    kind : one of `KINDS`; "auto" is what `small.auto_kind` says
    dist : int32 or float32 (n,), a run's distances; lanes and rings need them
    delta : width of a lane, weight units, > 0; None: 32 lanes
    progress : called with 0..1 and words; should_stop : asked several times a second

    Returns
    -------
    float32 (n, 2), finite

    Raises
    ------
    ParameterError, MemoryNeededError, CancelledByUserError
    """
    watch = _Watch(progress, should_stop)
    if kind not in KINDS:
        raise ParameterError(f"no layout {kind!r}; there are: {', '.join(KINDS)}")
    if kind in BY_DISTANCE:
        require_memory(graph.n * DISTANCE_BYTES, "layout")
        checked = checked_distances(graph, kind, dist, delta)
        place = graph.positions
        if place is None and graph.n:
            place = _parts_drawn(
                graph, replace(watch, part=0.7), "pivot_mds", PROVISIONAL_PIVOTS_LARGE
            )
        watch.at(0.8, "arranging by distance")
        return by_distance(kind, checked, delta, place)
    if kind == "auto":
        kind = small.auto_kind(graph)
    if kind in small.MOST:
        small.check_size(graph, kind)
    pivots = PIVOTS if graph.n <= LARGE else PIVOTS_LARGE
    require_memory(graph.n * (4 * pivots + 60) + 8 * graph.m, "layout")
    return _parts_drawn(graph, watch, kind, pivots)


@dataclass(frozen=True)
class _Watch:
    """Reports progress and obeys a stop; `part`: of the work, 0..1."""

    progress: Progress | None = None
    should_stop: Stop | None = None
    part: float = 1.0

    def at(self, fraction: float, words: str) -> None:
        """Report; raises CancelledByUserError."""
        if self.should_stop is not None and self.should_stop():
            raise CancelledByUserError("layout stopped")
        if self.progress is not None:
            self.progress(self.part * fraction, words)


def _parts_drawn(graph: CSRGraph, watch: _Watch, kind: str, pivots: int) -> np.ndarray:
    n = graph.n
    if n <= 2:
        return np.array([[0.0, 0.0], [WIDTH, 0.0]], np.float32)[:n]
    indptr, indices, label = _both_ways(graph)
    sizes = np.bincount(label)
    if len(sizes) == 1:
        return _normalised(_embedded(indptr, indices, watch, kind, pivots)).astype(np.float32)
    drawn = np.argsort(-sizes, kind="stable")[: DRAWN_PARTS + 1]
    drawn = drawn[sizes[drawn] >= 3]
    place, boxes = np.zeros((n, 2)), []
    for part in drawn:
        inside = np.flatnonzero(label == part)
        piece = _piece(indptr, indices, inside)
        points = _normalised(_embedded(*piece, watch, kind, pivots))
        boxes.append((inside, points * math.sqrt(len(inside) / sizes[drawn[0]])))
    dots = np.flatnonzero(~np.isin(label, drawn))
    _packed(place, boxes, dots[np.argsort(label[dots], kind="stable")])
    return place.astype(np.float32)


def _packed(
    place: np.ndarray, boxes: list[tuple[np.ndarray, np.ndarray]], dots: np.ndarray
) -> None:
    """Set the largest part on top, the others in rows below, the dots in a strip at the foot."""
    gap = 0.04 * WIDTH
    x, bottom, row_height = 0.0, 0.0, 0.0
    for number, (inside, points) in enumerate(boxes):
        width, height = points.max(axis=0)
        if number == 0 or x + width > WIDTH:
            x, bottom, row_height = 0.0, bottom - row_height - gap, 0.0
        place[inside] = points + np.array([x, bottom - height])
        x, row_height = x + width + gap, max(row_height, height)
    if len(dots):
        columns = max(50, math.ceil(math.sqrt(6 * len(dots))))
        row, column = np.divmod(np.arange(len(dots)), columns)
        step = WIDTH / columns
        place[dots] = np.column_stack((column * step, bottom - row_height - gap - row * step))


def _normalised(points: np.ndarray) -> np.ndarray:
    """Turn and scale points (k,2) to 0..WIDTH wide, at most as tall, from 0."""
    size = points.max(axis=0) - points.min(axis=0)
    if size[1] > size[0]:
        points = points[:, ::-1]
    points = points - points.min(axis=0)
    return points * (WIDTH / max(float(points.max()), 1e-12))


def _both_ways(graph: CSRGraph) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return indptr and indices with every arc both ways, once; the components, int32 (n,)."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    there = np.ones(graph.m, bool)
    arcs = csr_array((there, graph.indices, graph.indptr), shape=(graph.n, graph.n))
    both = arcs + arcs.T
    label = connected_components(both, directed=False)[1]
    return both.indptr.astype(np.int64), both.indices.astype(np.int32), label


def _piece(
    indptr: np.ndarray, indices: np.ndarray, inside: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    number = np.empty(len(indptr) - 1, np.int32)
    number[inside] = np.arange(len(inside), dtype=np.int32)
    degree = np.diff(indptr)
    member = np.zeros(len(degree), bool)
    member[inside] = True
    kept = number[indices[np.repeat(member, degree)]]
    return np.concatenate(([0], np.cumsum(degree[inside]))), kept


def _embedded(
    indptr: np.ndarray, indices: np.ndarray, watch: _Watch, kind: str, pivots: int
) -> np.ndarray:
    """Return float64 (n,2) of a connected graph: pivot_mds, or a small layout that starts there."""
    n = len(indptr) - 1
    hops = np.empty((min(pivots, n), n), np.int32)
    queue, nearest, pivots_taken = np.empty(n, np.int32), np.full(n, n, np.int32), []
    pivot = _hop_distances(indptr, indices, 0, hops[0], queue, nearest.copy())
    share = 0.1 if kind == "spring" else 1.0  # of the work
    for row in range(len(hops)):
        words = f"arranging the map: pivot {row + 1} of {len(hops)}"
        watch.at(share * row / (len(hops) + 1), words)
        pivots_taken.append(pivot)
        pivot = _hop_distances(indptr, indices, pivot, hops[row], queue, nearest)
    points = _main_directions(hops, pivots_taken[:ANCHORS])
    if kind not in small.MOST:
        return points
    start = small.apart(points)
    if kind == "spring":
        shown = lambda share: watch.at(0.1 + 0.9 * share, "moving by forces")  # noqa: E731
        return by_forces(indptr, indices, start, shown)
    watch.at(len(hops) / (len(hops) + 1), "arranging")
    return small.by_networkx(kind, indptr, indices, start)


def _main_directions(hops: np.ndarray, anchors: list[int]) -> np.ndarray:
    """Return (n,2): the first two principal directions of double-centred squared hops.

    The first pivots decide which way they point, so that more pivots do not turn a picture over.
    The centred squares are never stored: C C' follows from the sums of D and D D'.
    """
    count, n = hops.shape
    total, products = np.zeros(count), np.zeros((count, count))
    for first in range(0, n, AT_ONCE):
        part = _squares(hops, first)
        total += part.sum(axis=1)
        products += part @ part.T
    centring = np.eye(count) - 1 / count
    mean = total / n
    gram = centring @ (products - n * np.outer(mean, mean)) @ centring
    vectors = np.linalg.eigh(gram)[1][:, ::-1][:, :2]
    weights = np.zeros((count, 2))
    weights[:, : vectors.shape[1]] = centring @ vectors
    points = np.empty((n, 2))
    for first in range(0, n, AT_ONCE):
        points[first : first + AT_ONCE] = _squares(hops, first).T @ weights
    side = 0.6 ** np.arange(len(anchors)) @ (points[anchors] - points.mean(axis=0))
    return points * np.where(side > 0, -1.0, 1.0)


def _squares(hops: np.ndarray, first: int) -> np.ndarray:
    part = hops[:, first : first + AT_ONCE].astype(np.float64)
    part *= part
    return part


@compiled
def _hop_distances(
    indptr: np.ndarray,
    indices: np.ndarray,
    start: int,
    hops: np.ndarray,
    queue: np.ndarray,
    nearest: np.ndarray,
) -> int:
    """Search from `start` into hops (n,), lower `nearest` (n,); return the farthest vertex."""
    hops[:] = -1
    hops[start] = 0
    queue[0] = start
    taken, filled = 0, 1
    while taken < filled:
        u = queue[taken]
        taken += 1
        beyond = hops[u] + 1
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            if hops[v] < 0:
                hops[v] = beyond
                queue[filled] = v
                filled += 1
    farthest = 0
    for v in range(len(hops)):
        nearest[v] = min(nearest[v], hops[v])
        if nearest[v] > nearest[farthest]:
            farthest = v
    return farthest
