"""City roads: a planar, irregular road network with a river, made from a plan of cuts.

What it is  n vertices exactly: junctions, ends of cul-de-sacs, and bends. About 2.8 arcs
            a vertex, a few one-way; every vertex can reach every other. The shortest-path
            tree is deep and thin, and no two roads cross except at a vertex.

Steps       1. `city_plan` cuts the land into blocks; the cuts are roads.
            2. A vertex stands wherever a road ends on another; along each road, in
               order, the vertices are joined. Two roads that meet an older one from
               both sides almost opposite each other become one crossing.
            3. Cul-de-sacs are cuts that stop half way. Bridges join the ends of the most
               important roads on both banks.
            4. Some streets are removed (border, riverside, quarters), some made one-way,
               but only where the rest stays connected.
            5. The longest streets get a vertex in the middle, until there are n: once the
               plane is bent, these are the curves.

Weights     Travel time in tenths of a second, rounded up to at least 1 for integers; from
            the length in metres (a street is typically 70 m) and the speed of its class,
            with up to 20 % of traffic either way, the same in both directions.

Positions   Metres, the city centre at (0, 0), y to the north. Vertices are numbered along
            a Z-order curve, so that neighbours are near each other in memory, as in
            the road files of the DIMACS challenge.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gpu.graph import CSRGraph
from sample_graphs import city_plan as plan
from sample_graphs.city_plan import FIRST_ROAD

JUNCTION_ROADS = 0.43  # cuts per vertex: this sets the mean degree
CULS_DE_SAC = 0.05  # per vertex
STREET_M = 70.0  # median length of a street between two vertices
OBLIQUE = 0.8  # river widths that the ends of a bridge may differ along the river
BANK_STEP = 1.5  # river widths: longer riverside streets are bent first, to follow the river
SPEEDS = (  # (worth in final blocks above which, km/h)
    (800, 90.0),  # trunk roads
    (60, 50.0),  # arterials
    (10, 40.0),  # collectors
    (-1, 25.0),  # side streets
)


STREET = np.dtype(  # worth: importance of its road; line: the plan's, -1 where none
    [
        *(("tail", "i8"), ("head", "i8"), ("worth", "f8"), ("line", "i8")),
        *(("fixed", "?"), ("one_way", "?")),  # never removed; only tail -> head
    ]
)
STOP = np.dtype(  # a vertex on a line; along: 0 to 1; worth: of the vertex's own road
    # side: +1 where that road comes from the left of the line, -1 right, 0 at an end of the line
    [("line", "i8"), ("vertex", "i8"), ("along", "f8"), ("side", "f8"), ("worth", "f8")]
)


@dataclass(frozen=True)
class Roads:
    """Streets, STREET (e,), between points (v, 2).

    name (v,): what became of each vertex of the plan when crossings were merged.
    """

    points: np.ndarray
    streets: np.ndarray
    name: np.ndarray

    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Return tails and heads."""
        return self.streets["tail"], self.streets["head"]


def city_roads(n: int, seed: int) -> CSRGraph:
    """Return a city of exactly n >= 10 vertices; float32 weights, 0.1 s; positions, metres."""
    rng = np.random.Generator(np.random.PCG64(seed))
    junctions = max(1, int(JUNCTION_ROADS * n))
    land = plan.survey(rng, n, junctions)
    cuts, spurs = _planned(rng, land, seed, junctions, int(CULS_DE_SAC * n))
    roads = _network(rng, land.river, cuts, spurs)
    roads = _with_bends(_thinned(rng, roads), n, land.river)
    centre = np.array([plan.CENTRE])
    bent = plan.bend(rng, np.vstack((roads.points, centre)), math.sqrt(land.share))
    return _graph(rng, replace(roads, points=bent[:-1] - bent[-1]))


def _planned(
    rng: np.random.Generator, land: plan.Land, seed: int, junctions: int, culs: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return `junctions` roads, plan.CUT, and at most `culs` of the next ones, to be cut short."""
    smallest, count = 1.5, 0
    while count < junctions:
        smallest /= 2
        cuts = plan.cut_land(np.random.Generator(np.random.PCG64([seed, 1])), land, smallest)
        count = len(cuts)
    floor = np.partition(cuts["rank"], count - junctions)[count - junctions]
    chosen = cuts["rank"] > floor
    chosen[np.flatnonzero(cuts["rank"] == floor)[: junctions - np.count_nonzero(chosen)]] = True
    parent = cuts["parent"]
    waiting = np.flatnonzero(~chosen & np.where(parent >= 0, chosen[parent], True))
    short = rng.permutation(waiting)[:culs]
    renumbered = np.concatenate((np.arange(FIRST_ROAD), np.cumsum(chosen) - 1 + FIRST_ROAD))
    for side in ("start_line", "end_line"):
        cuts[side] = renumbered[cuts[side]]
    return cuts[chosen], cuts[short]


def _network(rng: np.random.Generator, river: float, cuts: np.ndarray, spurs: np.ndarray) -> Roads:
    """Join the vertices on each line in order, add cul-de-sacs and bridges.

    Vertices: starts of roads, ends of roads, roots and tips of cul-de-sacs, bank ends.
    """
    count, culs = len(cuts), len(spurs)
    root, tip, root_line = _culs_de_sac(rng, spurs)
    first, last, banks, bank_lines = plan.outer_lines(river)
    points = np.vstack((cuts["start"], cuts["end"], root, tip, banks))
    first, last = np.vstack((first, cuts["start"])), np.vstack((last, cuts["end"]))
    bank = 2 * (count + culs) + np.arange(len(banks))
    line = np.concatenate((cuts["start_line"], cuts["end_line"], root_line, bank_lines[0]))
    standing = _table(STOP, len(line), line=line)
    standing["vertex"] = np.concatenate((np.arange(2 * count + culs), bank))
    standing["worth"][: 2 * count] = np.tile(cuts["worth"], 2)
    _measure(standing, first, last, points, np.vstack((cuts["end"], cuts["start"], tip, banks)))
    ends = _table(STOP, 2 * count + len(bank))
    own = FIRST_ROAD + np.arange(count)
    ends["line"] = np.concatenate((own, own, bank_lines[1]))
    ends["vertex"] = np.concatenate((np.arange(2 * count), bank))
    ends["along"] = np.concatenate((np.zeros(count), np.ones(count), bank_lines[2]))
    worth = np.concatenate((np.zeros(plan.SOUTH), [100.0, 100.0], cuts["worth"]))
    roads = _chained(_in_order(np.concatenate((standing, ends))), points, worth)
    spur = 2 * count + np.arange(culs)
    roads = _added(roads, spur, spur + culs, worth=0.0)
    return _added(roads, *_bridges(standing, river), worth=200.0)


def _table(kind: np.dtype, count: int, **columns: Any) -> np.ndarray:
    """Return `count` rows of a structured type, zero but for the columns."""
    table = np.zeros(count, kind)
    for name, values in columns.items():
        table[name] = values
    return table


def _culs_de_sac(
    rng: np.random.Generator, spurs: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    count = len(spurs)
    backwards = rng.random(count) < 0.5
    root = np.where(backwards[:, None], spurs["end"], spurs["start"])
    far = np.where(backwards[:, None], spurs["start"], spurs["end"])
    tip = root + (far - root) * (0.35 + 0.4 * rng.random(count))[:, None]
    return root, tip, np.where(backwards, spurs["end_line"], spurs["start_line"])


def _measure(
    stops: np.ndarray, first: np.ndarray, last: np.ndarray, points: np.ndarray, toward: np.ndarray
) -> None:
    """Set `along` and `side` on lines from `first` to `last`; roads lead `toward`."""
    line = stops["line"]
    x, y = (last[line] - first[line]).T
    from_x, from_y = (points[stops["vertex"]] - first[line]).T
    to_x, to_y = (toward - first[line]).T
    stops["along"] = (from_x * x + from_y * y) / (x * x + y * y)
    stops["side"] = np.sign(x * to_y - y * to_x)


def _in_order(stops: np.ndarray) -> np.ndarray:
    """Return stops line by line, in the order along it; ends of a line outermost."""
    along, side = stops["along"], stops["side"]
    steps = (np.clip(along, 0, 1) * (2.0**36 - 4)).astype(np.int64)
    steps += np.where(side == 0, np.where(along > 0.5, 3, 0), 1)
    return stops[np.argsort((stops["line"] << 36) + steps)]  # no two are equal


def _chained(stops: np.ndarray, points: np.ndarray, worth: np.ndarray) -> Roads:
    """Join neighbours on each line; make one crossing of two nearly opposite junctions."""
    here, side, line = points[stops["vertex"]], stops["side"], stops["line"]
    same = line[1:] == line[:-1]
    step = here[1:] - here[:-1]
    gap = np.where(same, np.sqrt(step[:, 0] * step[:, 0] + step[:, 1] * step[:, 1]), np.inf)
    around = np.minimum(np.append(np.inf, gap[:-1]), np.append(gap[1:], np.inf))
    opposite = side[1:] * side[:-1] < 0
    merge = same & opposite & (gap < 0.4 * around) & (line[1:] >= FIRST_ROAD)
    before, after = stops["vertex"][:-1], stops["vertex"][1:]
    stay, gone = before[merge], after[merge]
    points = points.copy()
    points[stay] = 0.5 * (points[stay] + points[gone])
    name = np.arange(len(points))
    name[gone] = stay
    street = same & ~merge
    own = line[1:][street]
    ends = {"tail": name[before[street]], "head": name[after[street]]}
    return Roads(points, _table(STREET, len(own), **ends, worth=worth[own], line=own), name)


def _added(roads: Roads, tail: np.ndarray, head: np.ndarray, *, worth: float) -> Roads:
    ends = {"tail": roads.name[tail], "head": roads.name[head]}
    more = _table(STREET, len(tail), **ends, worth=worth, line=-1, fixed=True)
    return replace(roads, streets=np.concatenate((roads.streets, more)))


def _bridges(stops: np.ndarray, river: float) -> tuple[np.ndarray, np.ndarray]:
    """Choose one bridge in each stretch of the river, narrower in the centre.

    It is the most important road of the north bank there that has one nearly opposite.
    """
    nobody = np.zeros(0, np.int64)
    if river == 0:
        return nobody, nobody
    north, south = (_by_place(stops, line) for line in (plan.NORTH, plan.SOUTH))
    place, opposite = stops["along"][north], stops["along"][south]
    between = np.searchsorted(0.5 * (opposite[1:] + opposite[:-1]), place)
    off = np.abs(opposite[between] - place) * (2 * plan.HALF_WIDTH)
    straight = off < OBLIQUE * river
    stretches = min(12, 4 + math.isqrt(len(stops)) // 80)
    chosen: list[int] = []
    for low, high in itertools.pairwise(
        _stretch(2 * i / stretches - 1) for i in range(stretches + 1)
    ):
        free = straight & (place >= low) & (place < high)
        if chosen:
            free &= between > between[chosen[-1]]
        if free.any():
            chosen.append(int(np.argmax(np.where(free, stops["worth"][north], -1.0))))
    chosen = chosen or [int(np.argmin(off))]
    return stops["vertex"][north[chosen]], stops["vertex"][south[between[chosen]]]


def _by_place(stops: np.ndarray, line: int) -> np.ndarray:
    """Return which stops are ends of roads on a line, in the order along it."""
    here = np.flatnonzero((stops["line"] == line) & (stops["worth"] > 0))
    return here[np.argsort(stops["along"][here], kind="stable")]


def _stretch(place: float) -> float:
    """Squeeze -1..1 towards the middle, and return it as 0..1."""
    return (place * math.sqrt(abs(place)) + 1) / 2


def _thinned(rng: np.random.Generator, roads: Roads) -> Roads:
    """Remove some streets and make some one-way, where what is left stays connected."""
    streets, (tail, head) = roads.streets, roads.ends()
    draw, line, worth = rng.random(len(streets)), streets["line"], streets["worth"]
    border = (line >= 0) & (line < plan.SOUTH)
    bank = (line == plan.SOUTH) | (line == plan.NORTH)
    quiet = ~streets["fixed"] & ~border
    removed = border | (bank & (draw < 0.12)) | (quiet & (worth < 12) & (draw < 0.04))
    one_way = quiet & (worth < 30) & (draw > 0.96)
    stay = ~(removed | one_way)
    part = components(len(roads.points), tail[stay], head[stay])
    needed = part[tail] != part[head]
    streets["one_way"] = one_way & ~needed
    return replace(roads, streets=streets[needed | ~removed])


def _with_bends(roads: Roads, n: int, river: float) -> Roads:
    """Put vertices in the middle of the longest streets until n are used."""
    tail, head = roads.ends()
    used = np.zeros(len(roads.points), bool)
    used[tail] = used[head] = True
    name = np.cumsum(used) - 1
    roads.streets["tail"], roads.streets["head"] = name[tail], name[head]
    points, streets = roads.points[used], roads.streets
    while (missing := n - len(points)) > 0:
        step = points[streets["tail"]] - points[streets["head"]]
        length = step[:, 0] * step[:, 0] + step[:, 1] * step[:, 1]
        bank = (streets["line"] == plan.SOUTH) | (streets["line"] == plan.NORTH)
        longest = np.flatnonzero(bank & (length > (BANK_STEP * river) ** 2))
        if not len(longest):
            count = min(missing, len(length))
            floor = np.partition(length, len(length) - count)[len(length) - count]
            longest = np.flatnonzero(length >= floor)
        longest = longest[:missing]
        new, middle = streets[longest], len(points) + np.arange(len(longest))
        points = np.vstack((points, 0.5 * (points[new["tail"]] + points[new["head"]])))
        new["tail"] = middle
        streets["head"][longest] = middle
        streets = np.concatenate((streets, new))
    return replace(roads, points=points, streets=streets)


def _graph(rng: np.random.Generator, roads: Roads) -> CSRGraph:
    """Scale to metres, number along a Z-order curve, give each street its travel time."""
    tail, head = roads.ends()
    step = roads.points[tail] - roads.points[head]
    length = np.sqrt(step[:, 0] * step[:, 0] + step[:, 1] * step[:, 1])
    middle = len(length) // 2
    scale = STREET_M / np.partition(length, middle)[middle]
    speed = np.full(len(length), SPEEDS[-1][1])
    for worth, faster in reversed(SPEEDS[:-1]):
        speed = np.where(roads.streets["worth"] > worth, faster, speed)
    time = length * scale * 36 / speed * (0.8 + 0.4 * rng.random(len(length)))
    time = np.maximum(time, 0.5).astype(np.float32)
    order = z_order(roads.points)
    name = np.empty(len(order), np.int32)
    name[order] = np.arange(len(order), dtype=np.int32)
    tail, head, both = name[tail], name[head], ~roads.streets["one_way"]
    ends = np.concatenate((tail, head[both])), np.concatenate((head, tail[both]))
    graph = CSRGraph.from_arcs(*ends, np.concatenate((time, time[both])), len(order))
    return graph.with_positions((roads.points[order] * scale).astype(np.float32))


def z_order(points: np.ndarray) -> np.ndarray:
    """Return the order (n,) of points (n,2) along a Z-order curve over 65536^2 cells."""
    low = points.min(axis=0)
    size = max(float((points.max(axis=0) - low).max()), 1e-9)
    code = np.zeros(len(points), np.uint64)
    for axis in (0, 1):
        cell = ((points[:, axis] - low[axis]) * (65535 / size)).astype(np.uint64)
        for shift, mask in ((8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555)):
            cell = (cell | (cell << np.uint64(shift))) & np.uint64(mask)
        code |= cell << np.uint64(axis)
    numbered = (code << np.uint64(32)) | np.arange(len(code), dtype=np.uint64)
    numbered.sort()
    return (numbered & np.uint64(0xFFFFFFFF)).astype(np.int64)


def components(n: int, tails: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """Return int64 (n,): the smallest vertex of each vertex's connected part."""
    label = np.arange(n)
    while True:
        a, b = label[tails], label[heads]
        low, high = np.minimum(a, b), np.maximum(a, b)
        if np.array_equal(low, high):
            return label
        np.minimum.at(label, high, low)
        while not np.array_equal(shorter := label[label], label):
            label = shorter
