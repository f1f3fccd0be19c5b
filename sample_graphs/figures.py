"""The two small graphs of the ADDS paper, vertex 0 the source."""

from __future__ import annotations

import numpy as np

from gpu.graph import CSRGraph

Arc = tuple[str, str, int]

FIGURE_1: tuple[Arc, ...] = (("S", "A", 10), ("S", "B", 1), ("B", "A", 1))
FIGURE_1_PLACES = {"S": (0.0, 0.0), "A": (1.0, 0.8), "B": (2.0, 0.0)}

# A, B, C, D have the distances of the figure. They all lead to E, whose distance is
# right only if A comes first; E begins a tail that every wrong order walks again.
FIGURE_6: tuple[Arc, ...] = (
    ("S", "A", 16),
    ("S", "B", 37),
    ("S", "C", 55),
    ("S", "D", 74),
    ("A", "E", 70),
    ("B", "E", 52),
    ("C", "E", 38),
    ("D", "E", 23),
    ("E", "F", 6),
    ("F", "G", 9),
    ("G", "H", 14),
    ("A", "B", 25),
    ("B", "C", 21),
    ("C", "D", 22),
)
FIGURE_6_PLACES = {
    "S": (0.0, 0.0),
    "A": (1.6, 1.2),
    "B": (1.8, 0.4),
    "C": (1.8, -0.4),
    "D": (1.6, -1.2),
    "E": (3.2, 0.0),
    "F": (4.2, 0.5),
    "G": (5.2, 0.0),
    "H": (6.2, 0.5),
}


def figure_1(n: int, seed: int) -> CSRGraph:
    """Return figure 1: the direct arc S -> A is longer than the way through B."""
    return _drawn(FIGURE_1, FIGURE_1_PLACES)


def figure_6(n: int, seed: int) -> CSRGraph:
    """Return figure 6: four vertices at distances 16, 37, 55 and 74, and what follows."""
    return _drawn(FIGURE_6, FIGURE_6_PLACES)


def _drawn(arcs: tuple[Arc, ...], places: dict[str, tuple[float, float]]) -> CSRGraph:
    names = list(places)
    ends = np.array([[names.index(tail), names.index(head)] for tail, head, _ in arcs])
    weights = np.array([weight for *_, weight in arcs], np.float32)
    return CSRGraph.from_arcs(
        ends[:, 0],
        ends[:, 1],
        weights,
        len(names),
        ids=np.array(names),
        positions=np.array(list(places.values()), np.float32),
    )
