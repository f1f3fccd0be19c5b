"""The plan of a city: where its roads run, before anything meets or bends.

The idea    A city grows by cutting land. The map starts as two quadrilaterals, one on
            each bank of a river, and every block that is still too large is cut in two
            by a road from one of its longer sides to the opposite one. Both halves are
            convex quadrilaterals again, so no road ever crosses another.

Irregular   Old roads (large blocks) are cut askew, which turns whole districts; young
            ones nearly straight in planned quarters and askew in grown ones. A block
            is too large when its area times the density of the place exceeds a
            threshold; density falls from the towns to the country, so blocks grow
            outwards. A few blocks are spared and stay as parks.

Curves      At the end the plane is bent by shears along waves. A shear maps the plane
            one to one onto itself and keeps areas, however many follow one another, so
            roads become curved and still do not cross.

Same for a seed on every machine: only + - * /, square roots and comparisons are used,
which IEEE 754 defines to the last bit; the waves are parabolas, not sines.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

HALF_WIDTH, HALF_HEIGHT = 1.5, 1.0  # of the map before it is bent
CELLS = 128  # cells of the density raster, each way
STYLE_CELLS = 16  # quarters with a style of their own, each way
CENTRE = (0.0, 0.05)  # of the largest town
SOUTH_BANK = -0.10  # y of the river's southern bank
# lines 0 to 3 are the map's border, anticlockwise from the south
SOUTH, NORTH = 4, 5  # lines of the two river banks
FIRST_ROAD = 6  # lines from here on are cuts

OLD_ROAD = 150  # a block worth this many final blocks is cut by an old road
PARK_SHARE = 0.012  # of the blocks worth 4 to 60 final blocks
COUNTRYSIDE = 0.004  # density outside the towns; 1 in the centre
AT_ONCE = 16_384  # points or blocks handled at a time: they stay in the processor's cache
LARGEST_BLOCK = 0.25  # area: a larger one is cut whatever its density


BLOCK = np.dtype(  # a convex quadrilateral; corners anticlockwise; side i, from corner i to i+1,
    # lies on a line; parent: the cut that made it, or -1
    [("corners", "f8", (4, 2)), ("sides", "i8", 4), ("rank", "f8"), ("parent", "i8")]
)
CUT = np.dtype(  # a road from a point on one line to a point on another
    # rank: later cuts of the same land rank lower; parent: the cut that made the block, or -1
    # worth: how many final blocks the cut block was worth: the road's importance
    [
        *(("start", "f8", 2), ("end", "f8", 2), ("start_line", "i8"), ("end_line", "i8")),
        *(("rank", "f8"), ("parent", "i8"), ("worth", "f8")),
    ]
)


@dataclass(frozen=True)
class Land:
    """What the ground is like: density (CELLS, CELLS), style likewise in 0..1, the
    `share` of density x area that makes one final block, the river's width (0: none).
    """

    density: np.ndarray
    style: np.ndarray
    share: float
    river: float

    def at(self, table: np.ndarray, points: np.ndarray) -> np.ndarray:
        """Look a table up at points (k,2) -> (k,)."""
        column = (points[:, 0] + HALF_WIDTH) * (CELLS / (2 * HALF_WIDTH))
        row = (points[:, 1] + HALF_HEIGHT) * (CELLS / (2 * HALF_HEIGHT))
        cells = [np.clip(c.astype(np.int64), 0, CELLS - 1) for c in (row, column)]
        return table[cells[0], cells[1]]


def survey(rng: np.random.Generator, n: int, blocks: int) -> Land:
    """Lay out towns, quarters and the river for a city of n vertices."""
    y, x = np.mgrid[0:CELLS, 0:CELLS]
    x = (x + 0.5) * (2 * HALF_WIDTH / CELLS) - HALF_WIDTH
    y = (y + 0.5) * (2 * HALF_HEIGHT / CELLS) - HALF_HEIGHT
    core, suburbs = np.zeros_like(x), np.zeros_like(x)
    for town_x, town_y, size, radius in _towns(rng, n):
        far = ((x - town_x) ** 2 + (y - town_y) ** 2) / (radius * radius)
        core += size / ((1 + far) * (1 + far))
        wide = (((x - town_x) * 0.8) ** 2 + (y - town_y) ** 2) / (radius * radius)
        suburbs += size * size * np.clip(1.9 - 0.24 * wide, 0, None)
    lumps = _quarters(rng.random((STYLE_CELLS, STYLE_CELLS)))
    density = core + COUNTRYSIDE + 0.10 * np.clip((suburbs + 0.5 * lumps - 0.55) * 1.6, 0, 1)
    style = _quarters(rng.random((STYLE_CELLS, STYLE_CELLS)))
    cell = 4 * HALF_WIDTH * HALF_HEIGHT / CELLS**2
    share = math.fsum(density.ravel().tolist()) * cell / blocks
    return Land(density, style, share, 1.1 * math.sqrt(share) + 0.018 if n >= 150 else 0.0)


def _towns(rng: np.random.Generator, n: int) -> list[tuple[float, float, float, float]]:
    """Return (x, y, size, radius) of the city, first, and of the towns around it."""
    grown = max(1.0, math.sqrt(n / 12_000))
    towns = [(*CENTRE, 1.0, 0.30 / math.sqrt(math.sqrt(math.sqrt(grown))))]
    for _ in range(min(200, 4 + int(2.5 * grown)) if n >= 3000 else 2):
        x, y, size, spread = rng.random(4)
        radius = 0.03 + 0.13 * size * spread / math.sqrt(math.sqrt(grown))
        towns.append(((2 * x - 1) * 0.9 * HALF_WIDTH, (2 * y - 1) * 0.9, 0.15 + size / 2, radius))
    return towns


def _quarters(table: np.ndarray) -> np.ndarray:
    times = CELLS // STYLE_CELLS
    return np.repeat(np.repeat(table, times, axis=0), times, axis=1)


def first_blocks(river: float) -> np.ndarray:
    """Return the land north and south of the river, or the whole where it has no width: BLOCK."""
    w, h, south, north = HALF_WIDTH, HALF_HEIGHT, SOUTH_BANK, SOUTH_BANK + river
    blocks = np.zeros(2 if river else 1, BLOCK)
    blocks["rank"], blocks["parent"] = np.inf, -1
    blocks["corners"][0] = [[-w, -h], [w, -h], [w, h], [-w, h]]
    blocks["sides"][0] = [0, 1, 2, 3]
    if river:
        blocks["corners"][0, 2:, 1] = south
        blocks["sides"][0, 2] = SOUTH
        blocks["corners"][1] = [[-w, north], [w, north], [w, h], [-w, h]]
        blocks["sides"][1] = [NORTH, 1, 2, 3]
    return blocks


def outer_lines(
    river: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return the lines that are no cuts: first and last point (FIRST_ROAD, 2).

    Then the ends of the river banks as points (4,2), none without a river, with three
    arrays (4,): the border each stands on, the bank it ends, and 0 or 1: which end.
    """
    w, h, south, north = HALF_WIDTH, HALF_HEIGHT, SOUTH_BANK, SOUTH_BANK + river
    first = np.array([[-w, -h], [w, -h], [w, h], [-w, h], [-w, south], [-w, north]])
    last = np.array([[w, -h], [w, h], [-w, h], [-w, -h], [w, south], [w, north]])
    banks = np.vstack((first[SOUTH:], last[SOUTH:]))
    lines = (np.array([3, 3, 1, 1]), np.array([SOUTH, NORTH] * 2), np.array([0.0, 0.0, 1.0, 1.0]))
    if river == 0:
        return first, last, banks[:0], (lines[0][:0], lines[1][:0], lines[2][:0])
    return first, last, banks, lines


def cut_land(rng: np.random.Generator, land: Land, smallest: float) -> np.ndarray:
    """Cut every block worth more than `smallest` final blocks; return CUT (k,).

    Cut number k makes line FIRST_ROAD + k. Ranks fall strictly from parent to child,
    so the cuts of highest rank are a plan by themselves, for any number of them. Land in
    more than AT_ONCE blocks is divided and each part finished before the next: the
    processor's cache is enough, and numbers that are close are close on the map.
    """
    waiting, made, count = [first_blocks(land.river)], [], 0
    while waiting:
        blocks, worth = _ranked(rng, land, waiting.pop())
        large = blocks["rank"] > smallest
        cuts, halves = _cut(rng, land, blocks[large], worth[large], count)
        made.append(cuts)
        count += len(cuts)
        middle = len(halves) // 2
        if middle > AT_ONCE:
            waiting += [halves[middle:], halves[:middle]]
        elif middle:
            waiting.append(halves)
    return np.concatenate(made)


def _ranked(
    rng: np.random.Generator, land: Land, blocks: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Turn each block so that its longer sides are 0 and 2, and rank it.

    Returns the blocks and how many final blocks each is worth.
    """
    corners, count = blocks["corners"], len(blocks)
    along = np.roll(corners, -1, axis=1) - corners
    length = np.sqrt(along[:, :, 0] * along[:, :, 0] + along[:, :, 1] * along[:, :, 1])
    turn = length[:, 1] + length[:, 3] > (length[:, 0] + length[:, 2]) * (
        0.85 + 0.3 * rng.random(count)
    )
    corners = np.where(turn[:, None, None], np.roll(corners, -1, axis=1), corners)
    sides = np.where(turn[:, None], np.roll(blocks["sides"], -1, axis=1), blocks["sides"])
    a, b = corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]
    area = 0.5 * np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
    worth = area * land.at(land.density, _middle(corners)) / land.share
    rank = worth * (0.6 + 0.8 * rng.random(count))
    park = (rng.random(count) < PARK_SHARE) & (rank < 60) & (rank > 4)
    rank = np.where(park, rank * 0.04, rank)
    worth = np.where(area > LARGEST_BLOCK, np.maximum(worth, 2 * OLD_ROAD), worth)
    rank = np.where(area > LARGEST_BLOCK, np.maximum(rank, 50), rank)
    blocks["rank"] = np.minimum(rank, blocks["rank"] * (0.99 + 0.009 * rng.random(count)))
    blocks["corners"], blocks["sides"] = corners, sides
    return blocks, worth


def _cut(
    rng: np.random.Generator, land: Land, blocks: np.ndarray, worth: np.ndarray, first: int
) -> tuple[np.ndarray, np.ndarray]:
    """Cut each block from side 0 to side 2; return the roads, CUT, and the halves, BLOCK."""
    count = len(worth)
    planned = land.at(land.style, _middle(blocks["corners"])) < 0.45
    old = worth > OLD_ROAD
    off_centre = np.where(old, 0.55, np.where(planned, 0.05, 0.30)) * (rng.random(count) - 0.5)
    askew = np.where(old, 0.75, np.where(planned, 0.015, 0.20)) * (rng.random(count) - 0.5)
    here = (0.5 + off_centre)[:, None]
    there = np.clip(0.5 + off_centre + askew, 0.2, 0.8)[:, None]
    a, b, c, d = (blocks["corners"][:, i] for i in range(4))
    south, east, north, west = (blocks["sides"][:, i] for i in range(4))
    cuts = np.zeros(count, CUT)
    cuts["start"] = start = a + here * (b - a)
    cuts["end"] = end = d + there * (c - d)
    cuts["start_line"], cuts["end_line"], cuts["worth"] = south, north, worth
    cuts["rank"], cuts["parent"] = blocks["rank"], blocks["parent"]
    own = first + np.arange(count)
    line = own + FIRST_ROAD
    halves = np.repeat(blocks, 2)
    halves["parent"] = np.repeat(own, 2)
    both = np.stack((a, start, end, d, start, b, c, end), axis=1)
    halves["corners"] = both.reshape(-1, 4, 2)
    lines = (south, line, north, west, south, east, north, line)
    halves["sides"] = np.stack(lines, axis=1).reshape(-1, 4)
    return cuts, halves


def _middle(corners: np.ndarray) -> np.ndarray:
    return (corners[:, 0] + corners[:, 1] + corners[:, 2] + corners[:, 3]) * 0.25


def bend(rng: np.random.Generator, points: np.ndarray, block_side: float) -> np.ndarray:
    """Return points (k,2) with the plane bent by waves of ever shorter length.

    The shortest waves are about twelve block sides long, whatever the size of the city.
    """
    waves = [(0.5, 0.0, rng.random(), 0.32)]  # first the river's meander
    octaves = [(0.4, 0.32, 2)]
    octaves += [o for o in ((1.1, 0.42, 4), (3.3, 0.36, 6)) if o[0] * 12 * block_side < 1]
    while octaves[-1][0] * 30 * block_side < 1:
        octaves.append((octaves[-1][0] * 2.6, 0.30, 6))
    for frequency, slope, count in octaves:
        for _ in range(count):
            half_tan = 2 * rng.random() - 1
            scale = 1 + half_tan * half_tan
            direction = [(1 - half_tan * half_tan) / scale, 2 * half_tan / scale]
            if rng.random() < 0.5:
                direction.reverse()
            rate = frequency * (0.7 + 0.6 * rng.random())
            phase, steepest = rng.random(), slope / math.sqrt(count)
            waves.append((direction[0] * rate, direction[1] * rate, phase, steepest))
    bent = np.empty_like(points)
    for first in range(0, len(points), AT_ONCE):
        x, y = points[first : first + AT_ONCE].T.copy()
        for wave in waves:
            _shear(x, y, *wave)
        bent[first : first + AT_ONCE, 0] = x
        bent[first : first + AT_ONCE, 1] = y
    return bent


def _shear(
    x: np.ndarray, y: np.ndarray, rate_x: float, rate_y: float, phase: float, slope: float
) -> None:
    """Move points across the wave's direction, in place; the steepest rise is `slope`."""
    turn = rate_x * x
    turn += rate_y * y
    turn += phase
    turn -= np.floor(turn)
    turn -= 0.5
    height = turn * (0.5 - np.abs(turn))  # a sine made of two parabolas, of height 1/16
    strength = 2 * slope / (rate_x * rate_x + rate_y * rate_y)
    x += height * (strength * rate_y)
    y -= height * (strength * rate_x)
