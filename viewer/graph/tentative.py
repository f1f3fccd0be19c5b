"""Tentative distances of one event, in place of final ones: colours and labels of the graph."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gpu.words import distance
from viewer.graph.colours import Look
from viewer.raster.colour import Colouring

Tentative = tuple[np.ndarray, str]  # float64 (n,), inf where unreached; what is said of it


def tentative(look: Look, now: Tentative) -> Look:
    """Return a look by distance for other distances; other looks as they are."""
    dist, note = now
    if look.colouring.kind != "distance":
        return look
    colouring = Colouring("distance", dist.astype(np.float32), unit=look.colouring.unit)
    return replace(look, colouring=colouring, legend=replace(look.legend, note=note))


def tentative_labels(dist: np.ndarray, vertices: list[int]) -> dict[int, str]:
    """Return each vertex's distance in words, "∞" where it is unreached."""
    return {vertex: distance(float(dist[vertex])) for vertex in vertices}
