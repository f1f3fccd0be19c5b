"""Streets of OpenStreetMap as arcs, for both kinds of extract [1].

Vertices are the nodes of streets, called by their own numbers; an arc joins two nodes that follow
each other along a street, one way only where the street says so (`oneway`, roundabouts,
motorways). What no street uses is no vertex, and neither are streets of a kind that is not in
SPEEDS (paths, steps, what is being built).

Weights. "length": metres along the sphere, the usual one. "time": seconds at the street's
`maxspeed`, or at what its kind usually allows. Both are decimals.

An extract is cut out of the world: a street that runs on outside names nodes that are not in the
file. Its part inside is read, and a note says how many were left out.

[1] OpenStreetMap wiki, "Key:highway", "Key:oneway", "Key:maxspeed".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableSequence, Sequence
from dataclasses import dataclass, field

import numpy as np

from gpu.graph import CSRGraph
from gpu.parsing.build import graph_from_arcs
from gpu.parsing.reading import Reading, WeightNames, bare_name

LENGTH, TIME = "length", "time"
SPEEDS = {  # km/h where a street says nothing
    "motorway": 120.0,
    "trunk": 100.0,
    "primary": 80.0,
    "secondary": 60.0,
    "tertiary": 50.0,
    "unclassified": 50.0,
    "residential": 30.0,
    "living_street": 10.0,
    "service": 20.0,
    "road": 50.0,
}
SPEEDS |= {f"{kind}_link": SPEEDS[kind] / 2 for kind in tuple(SPEEDS)[:5]}
MILE_KM = 1.609344
EARTH_M = 6_371_008.8  # mean radius
FORWARD, BACK = {"yes", "1", "true"}, {"-1", "reverse"}
SPEED = re.compile(r"^([0-9]{1,3}(?:\.[0-9]+)?) *(mph|km/h)?$", re.ASCII)


@dataclass
class Street:
    """One way of the file: numbers of its nodes in order, tags."""

    nodes: MutableSequence[int] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def speed(self) -> float | None:
        """Speed in km/h, None where it is no street for cars."""
        usual = SPEEDS.get(self.tags.get("highway", ""))
        if usual is None or self.tags.get("area") == "yes":
            return None
        told = SPEED.match(self.tags.get("maxspeed", ""))
        if told is None or float(told[1]) <= 0:
            return usual
        return float(told[1]) * (MILE_KM if told[2] == "mph" else 1.0)

    @property
    def ways(self) -> tuple[bool, bool]:
        """Whether it may be taken forward, and back."""
        told = self.tags.get("oneway", "").lower()
        if told in BACK:
            return False, True
        usual = self.tags.get("junction") == "roundabout" or self.tags["highway"] == "motorway"
        return True, not (told in FORWARD or (usual and told != "no"))


Places = Mapping[int, tuple[float, float]]  # latitude and longitude in degrees by a node's number


def chosen_weight(reading: Reading) -> str:
    """Return which weight was asked for; FormatError where streets have none of that name."""
    chosen = reading.weight_name or LENGTH
    if chosen not in (LENGTH, TIME):
        raise reading.fault(f"streets have no {chosen!r}; weight_name is {LENGTH} or {TIME}")
    return chosen


def graph_of_streets(
    reading: Reading, key: str, streets: Sequence[Street], found: Places
) -> CSRGraph:
    """Return the streets as a graph of format `key`; `found` may hold more nodes than they use."""
    if not streets:
        raise reading.fault("no street for cars in it (a way with a highway tag)")
    chosen = chosen_weight(reading)
    tails, heads, speeds = _arcs(reading, streets, found)
    ids, ends = np.unique(np.concatenate((tails, heads)), return_inverse=True)
    tail, head = ends[: len(tails)], ends[len(tails) :]
    places = np.array([found[node] for node in ids.tolist()], np.float64).reshape(-1, 2)
    weights = _metres(places[tail], places[head])
    if chosen == TIME:
        weights = weights / (speeds / 3.6)
    reading.note(f"{len(streets):,} streets; weights are {_UNITS[chosen]}")
    return graph_from_arcs(
        reading, key, tail, head, weights, len(ids), integral=False,
        ids=ids, positions=_flat(places), name=bare_name(reading.path).removesuffix(".osm"),
    )  # fmt: skip


_UNITS = {LENGTH: "lengths in metres", TIME: "travel times in seconds"}


def _arcs(
    reading: Reading, streets: Sequence[Street], found: Places
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return tails and heads as the file's numbers, int64, and km/h of each arc."""
    tails: list[int] = []
    heads: list[int] = []
    speeds: list[float] = []
    outside = 0
    for street in streets:
        forward, back = street.ways
        speed = street.speed or 1.0
        for first, second in zip(street.nodes, street.nodes[1:], strict=False):
            if first not in found or second not in found:
                outside += 1
                continue
            for goes, tail, head in ((forward, first, second), (back, second, first)):
                if goes and tail != head:
                    tails.append(tail)
                    heads.append(head)
                    speeds.append(speed)
    if outside:
        reading.note(f"{outside:,} pieces of streets lie outside the extract and are left out")
    if not tails:
        raise reading.fault("no street has two nodes that are in the file")
    return np.array(tails, np.int64), np.array(heads, np.int64), np.array(speeds)


def _metres(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return great-circle distances, metres (m,), of places (m, 2) in degrees."""
    (lat_a, lon_a), (lat_b, lon_b) = np.radians(first).T, np.radians(second).T
    half = np.sin((lat_b - lat_a) / 2) ** 2
    half = half + np.cos(lat_a) * np.cos(lat_b) * np.sin((lon_b - lon_a) / 2) ** 2
    return 2 * EARTH_M * np.arcsin(np.sqrt(np.minimum(half, 1.0)))


def _flat(places: np.ndarray) -> np.ndarray:
    """Return float32 (n, 2), kilometres east and north of the middle: a town is nearly flat."""
    middle = places.mean(axis=0)
    north = np.radians(places[:, 0] - middle[0]) * EARTH_M / 1000
    east = np.radians(places[:, 1] - middle[1]) * EARTH_M / 1000 * np.cos(np.radians(middle[0]))
    return np.stack([east, north], axis=1).astype(np.float32)


def weight_names(_head: bytes) -> WeightNames:
    """Return the two weights that are computed."""
    return WeightNames((LENGTH, TIME), LENGTH)
