"""What holds at one event, in place of the end: distances and counts, as colours and labels."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gpu.words import distance
from viewer.graph.colours import Look
from viewer.raster.colour import Colouring


class Tentative(NamedTuple):
    """What holds at an event."""

    dist: np.ndarray  # float64 (n,), inf where unreached
    note: str  # what is said of it
    processed: np.ndarray | None = None  # int64 (n,), times so far; None where nobody counted


def tentative(look: Look, now: Tentative) -> Look:
    """Return a look by distance, or by times processed, for those; other looks as they are."""
    if look.colouring.kind == "count" and now.processed is not None:
        counts = now.processed.astype(np.int32)
        return replace(look, colouring=replace(look.colouring, values=counts))
    if look.colouring.kind != "distance":
        return look
    colouring = Colouring("distance", now.dist.astype(np.float32), unit=look.colouring.unit)
    return replace(look, colouring=colouring, legend=replace(look.legend, note=now.note))


def tentative_labels(dist: np.ndarray, vertices: list[int]) -> dict[int, str]:
    """Return each vertex's distance in words, "∞" where it is unreached."""
    return {vertex: distance(float(dist[vertex])) for vertex in vertices}
