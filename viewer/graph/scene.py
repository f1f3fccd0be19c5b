"""What is drawn one by one: the few vertices in view, their arcs, and how these bend.

A `Scene` is plain data, cut out of the graph for a view. Up to `SCENE_VERTICES` in
view there is one, for the names beside their discs; up to `ITEM_VERTICES` and
`ITEM_ARCS`, and zoomed in far enough that names fit into discs, it is painted entirely by
`items`, else it lies on top of the raster (QPainter needs 66 ms for 3,000
coloured discs and their streets, the raster 3 ms).

Arcs between the same two vertices: one in each direction with the same weight is one
street, a straight line. Anything else (parallel arcs, two weights) bends apart so that
each can carry its own weight.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from gpu.graph import CSRGraph
from viewer.raster.raster import View

SCENE_VERTICES = 3_000  # in view, for labels and hover
ITEM_VERTICES = 250  # in view, painted one by one
ITEM_ARCS = 1_000
WHOLE_ARCS = 2_000_000  # arcs; above, only arcs that leave a vertex in view are found
LABEL_RADIUS = 11.0  # pixels: a disc this large holds a name
SMALLEST, LARGEST = 2.2, 30.0  # pixels
FULL = 0.3  # of the distance between neighbours: discs larger than that hide their arcs
CLOSEST = 2.2  # times the least distance between two: discs do not cover one another
MARGIN = 60.0  # pixels around the view


@dataclass(frozen=True)
class Arc:
    """One line to draw: from, to, weight, bend in steps of a fan, whether both ways."""

    tail: int
    head: int
    weight: float
    bend: float = 0.0
    both_ways: bool = False


@dataclass(frozen=True, eq=False)
class Scene:
    """Vertices in view, int32 (k,), the arcs to draw, and whether arrowheads say anything.

    positions : float32 (n, 2), of all vertices
    complete : whether `arcs` is all there is to draw (else there are too many)
    weights : where the weights of arcs were painted last, by view, radius and height of the type
    """

    view: View
    positions: np.ndarray
    vertices: np.ndarray
    arcs: list[Arc] = field(default_factory=list)
    directed: bool = False
    complete: bool = False
    weights: dict[Any, tuple[dict[int, np.ndarray], np.ndarray]] = field(default_factory=dict)

    @cached_property
    def tails(self) -> np.ndarray:
        """int64 (a,): where each arc begins."""
        return np.array([arc.tail for arc in self.arcs], np.int64)

    @cached_property
    def heads(self) -> np.ndarray:
        """int64 (a,): where each arc ends."""
        return np.array([arc.head for arc in self.arcs], np.int64)

    @cached_property
    def apart(self) -> float:
        """How far the two closest vertices are from each other, world units; inf for one."""
        x, y = self.positions[self.vertices].astype(np.float64).T
        away = np.hypot(x[:, None] - x, y[:, None] - y)
        np.fill_diagonal(away, np.inf)
        return float(away.min(initial=np.inf))

    @property
    def item_wise(self) -> bool:
        """Whether all is few enough, and far enough apart, to be painted one by one."""
        return self.complete and radius_of(Placed(self, self.view)) >= LABEL_RADIUS


class Placed:
    """Where a scene is under a view: float64 pixels of its discs and of its arcs' ends.

    discs (k, 2) in the order of `scene.vertices`; tails, heads (a, 2) in that of its arcs
    """

    def __init__(self, scene: Scene, view: View) -> None:
        self.scene, self.view = scene, view
        self.discs = view.to_pixels(scene.positions[scene.vertices])
        self.tails = view.to_pixels(scene.positions[scene.tails])
        self.heads = view.to_pixels(scene.positions[scene.heads])


def radius_of(placed: Placed, large: float = 1.0) -> float:
    """Return the radius of a disc, pixels, a fifth of the distance between neighbours.

    Where all is drawn one by one, it takes up to FULL of the distance to hold a name.
    large : how many times as large as usual type is; the largest disc grows less than that
    """
    spans = np.hypot(*(placed.heads - placed.tails).T)
    spans = spans[spans > 0]
    k = max(len(placed.scene.vertices), 1)
    wide, high = placed.view.width + 2 * MARGIN, placed.view.height + 2 * MARGIN
    room = float(np.sqrt(wide * high / k))
    gap = min(float(np.quantile(spans, 0.3)), room) if len(spans) else room
    named = min(FULL * gap, LABEL_RADIUS) if placed.scene.complete else SMALLEST
    if placed.scene.complete:
        gap = min(gap, CLOSEST * placed.scene.apart * placed.view.scale)
    return min(max(0.2 * gap, named, SMALLEST), LARGEST * large**0.5)


def place_of_arc(scene: Scene, graph: CSRGraph, arc: int) -> int | None:
    """Return the place of an arc in a scene; a street is there once for both directions."""
    tail, head, weight = graph.tail_of(arc), int(graph.indices[arc]), float(graph.weights[arc])
    for place, one in enumerate(scene.arcs):
        same = (one.tail, one.head) == (tail, head)
        same = same or (one.both_ways and (one.head, one.tail) == (tail, head))
        if same and one.weight == weight:
            return place
    return None


def cut_scene(graph: CSRGraph, positions: np.ndarray, view: View) -> Scene | None:
    """Return what is in a view, None where more than SCENE_VERTICES are."""
    low = view.to_world(-MARGIN, view.height + MARGIN)
    high = view.to_world(view.width + MARGIN, -MARGIN)
    inside = np.ones(graph.n, bool)
    for axis in (0, 1):
        inside &= (positions[:, axis] > low[axis]) & (positions[:, axis] < high[axis])
    vertices = np.flatnonzero(inside).astype(np.int32)
    if len(vertices) > SCENE_VERTICES:
        return None
    if len(vertices) > ITEM_VERTICES:
        return Scene(view, positions, vertices)
    chosen, tails = _arcs_in_view(graph, positions, vertices, view)
    if len(chosen) > ITEM_ARCS:
        return Scene(view, positions, vertices)
    arcs, directed = _fanned(tails, graph.indices[chosen], graph.weights[chosen])
    return Scene(view, positions, vertices, arcs, directed, True)


def _arcs_in_view(
    graph: CSRGraph, positions: np.ndarray, vertices: np.ndarray, view: View
) -> tuple[np.ndarray, np.ndarray]:
    """Return int64 arc numbers and int64 tails of the arcs that may cross the view."""
    if graph.m <= WHOLE_ARCS:
        low, high = view.to_world(0, view.height), view.to_world(view.width, 0)
        tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
        kept = np.ones(graph.m, bool)
        for axis in (0, 1):
            column = positions[:, axis]
            ends = column[tails], column[graph.indices]
            kept &= (np.maximum(*ends) >= low[axis]) & (np.minimum(*ends) <= high[axis])
        chosen = np.flatnonzero(kept)
        return chosen, tails[chosen]
    degrees = graph.indptr[vertices + 1] - graph.indptr[vertices]
    total = int(degrees.sum())
    if total > ITEM_ARCS:
        return np.arange(total), np.zeros(total, np.int64)
    starts = np.repeat(graph.indptr[vertices] - (np.cumsum(degrees) - degrees), degrees)
    return starts + np.arange(total), np.repeat(vertices.astype(np.int64), degrees)


def _fanned(tails: np.ndarray, heads: np.ndarray, weights: np.ndarray) -> tuple[list[Arc], bool]:
    """Group arcs by their two ends and spread each group into a fan."""
    groups: dict[tuple[int, int], list[tuple[int, int, float]]] = defaultdict(list)
    for tail, head, weight in zip(tails.tolist(), heads.tolist(), weights.tolist(), strict=True):
        groups[min(tail, head), max(tail, head)].append((tail, head, weight))
    arcs: list[Arc] = []
    directed = False
    for (low, high), group in groups.items():
        street = len(group) == 2 and {pair[0] for pair in group} == {low, high} and low != high
        if street and group[0][2] == group[1][2]:
            arcs.append(Arc(*group[0], 0.0, True))
            continue
        directed = directed or low != high
        for place, (tail, head, weight) in enumerate(group):
            fan = place - (len(group) - 1) / 2 if low != high else float(place)
            bend = fan if tail == low else -fan
            arcs.append(Arc(tail, head, weight, bend))
    return arcs, directed
