"""Random graphs through every row of an engine, in every number type, against exact distances.

    python tests/campaigns/cuda_numbers.py SECONDS [SEED] [--engine cuda] [--graphs N] [--rows KEYS]

Weights are what a type finds hard: sums near its end, 2^31 and 2^53, 1e308, denormals, zeros, and
closed roads, which are the type's largest number. The truth is Dijkstra over Python integers: of
decimals, multiples of the smallest number that there is. Whole distances must be equal; decimals
may be off by half a unit in the last place for each arc of a path. A graph whose distances do not
fit the type must be refused, and no other one.

Several small graphs that fit make one run, behind a common source with arcs of weight 0. One turn
in `LARGE_EVERY` has a graph of up to `LARGEST` vertices, which makes a run of its own, and so does
a graph that does not fit. Of all pairs two rows are computed. Other processes make the graphs and
their truth. A GPU that says nothing ends the campaign.
"""

import argparse
import heapq
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from multiprocessing import get_context
from typing import Any

import numpy as np

import gpu
from gpu.algorithms import ALGORITHMS, Algorithm
from gpu.cuda import watchdog
from gpu.errors import DistanceRangeError, GpuError
from gpu.graph import NUMBER_TYPES, CSRGraph
from gpu.numbers import unreached

SMALLEST_BIT = {"float32": 149, "float64": 1074}  # the smallest number is 2^-so many
DIGITS = {"float32": 24, "float64": 53}
PACK = 8  # small graphs of one run
SMALLEST, SMALL, LARGEST = 5, 60, 20_000  # vertices
LARGE_EVERY = 3  # turns: the others make small graphs
MATRIX_LARGEST = 3_000  # vertices of a graph for all pairs: a path of more takes seconds
LIMIT_S = 20.0  # a kernel that runs longer ends itself, which is a fault
MOST_FAULTS = 20  # that are kept word for word
COLUMNS = ("graphs", "runs", "wrong", "false refusals", "missed refusals", "refused", "errors")
FAULTS = ("wrong", "false refusals", "missed refusals", "errors")

Random = np.random.Generator
Arcs = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Case:
    """One graph and the truth about it; its source is vertex 0.

    truth : distance of each vertex, of the type itself if whole, else rounded to 64 bits of
        mantissa; the type's "unreached", or infinity, where there is no way or fits is not True
    fits : whether every distance is one of the type, before and after rounding; None if that
        depends on rounding
    """

    n: int
    tails: np.ndarray
    heads: np.ndarray
    weights: np.ndarray
    truth: np.ndarray
    fits: bool | None


def random_arcs(rng: Random, n: int) -> Arcs:
    """Return ends of a sparse or dense random graph, loops and parallel arcs included."""
    m = int(rng.integers(0, 5 * n))
    return rng.integers(0, n, m), rng.integers(0, n, m)


def path(rng: Random, n: int) -> Arcs:
    """Return ends of a path from 0 with some short cuts."""
    cuts = rng.integers(0, n, (2, n // 4))
    return np.r_[np.arange(n - 1), cuts[0]], np.r_[np.arange(1, n), cuts[1]]


def star(rng: Random, n: int) -> Arcs:
    """Return ends of a star both ways, and arcs between leaves."""
    leaves = np.arange(1, n)
    more = rng.integers(0, n, (2, n))
    hub = np.zeros(n - 1, np.int64)
    return np.r_[hub, leaves, more[0]], np.r_[leaves, hub, more[1]]


def lattice(rng: Random, n: int) -> Arcs:
    """Return ends of a square lattice, both ways; vertices beyond the square stay alone."""
    side = int(n**0.5)
    cells = rng.permutation(side * side).reshape(side, side)
    tails = np.r_[cells[:, :-1].ravel(), cells[:-1].ravel()]
    heads = np.r_[cells[:, 1:].ravel(), cells[1:].ravel()]
    return np.r_[tails, heads], np.r_[heads, tails]


def detours(rng: Random, n: int) -> Arcs:
    """Return ends of arcs 0 -> v, and of longer ways to v that may be lighter."""
    far = np.arange(1, n)
    middle = rng.integers(0, n, n - 1)
    zeros = np.zeros(n - 1, np.int64)
    return np.r_[zeros, zeros, middle], np.r_[far, middle, far]


SHAPES: tuple[Callable[[Random, int], Arcs], ...] = (random_arcs, path, star, lattice, detours)


def closed_roads(rng: Random, m: int, top: Any, kind: str) -> np.ndarray:
    """Return (m,): small whole numbers, and the largest of the type for 0.1 to 20 % of the arcs."""
    share = float(rng.choice([0.001, 0.01, 0.2]))
    most = int(rng.choice([5, 1000]))
    return np.where(rng.random(m) < share, top, rng.integers(0, most, m)).astype(kind)


def whole_weights(rng: Random, m: int, top: int) -> np.ndarray:
    """Return int64 (m,): small, near a fraction of `top`, up to 2^53, or of any size."""
    kind = int(rng.integers(0, 7))
    if kind == 6:
        return closed_roads(rng, m, top, "int64")
    if kind == 0:
        return rng.integers(0, int(rng.choice([1, 2, 11])), m)
    if kind == 1:
        return rng.integers(0, min(top, 2**53), m)
    if kind == 2:
        return np.minimum(top // int(rng.integers(1, 60)) + rng.integers(-2, 3, m), top)
    if kind == 3:
        return np.where(rng.random(m) < 0.3, top - rng.integers(0, 3, m), rng.integers(0, 3, m))
    if kind == 4:
        return rng.integers(0, top, m) // int(rng.choice([1, 4, 16, 64]))
    return (2.0 ** (rng.random(m) * (top.bit_length() - 1))).astype(np.int64)


def decimal_weights(rng: Random, m: int, kind: str) -> np.ndarray:
    """Return (m,) in the type: tenths, denormals, near the largest, or of any size."""
    limits = np.finfo(kind)
    choice = int(rng.integers(0, 7))
    if choice == 6:
        return closed_roads(rng, m, limits.max, kind)
    if choice == 0:
        return (rng.integers(0, 20, m) / 10).astype(kind)
    if choice == 1:
        return rng.random(m).astype(kind)
    if choice == 2:
        return (rng.integers(0, 1000, m) * float(limits.smallest_subnormal)).astype(kind)
    if choice == 3:
        return (rng.random(m) * (float(limits.max) / int(rng.integers(1, 60)))).astype(kind)
    if choice == 4:
        tiny = rng.random(m) * float(limits.tiny)
        return np.where(rng.random(m) < 0.3, float(limits.max), tiny).astype(kind)
    return (2.0 ** rng.uniform(limits.minexp + 2, limits.maxexp - 1, m)).astype(kind)


def exact_units(weights: np.ndarray) -> list[int]:
    """Return weights as Python integers: of decimals, multiples of the type's smallest number."""
    if weights.dtype.kind == "i":
        return [int(weight) for weight in weights]
    one = 1 << SMALLEST_BIT[weights.dtype.name]
    pairs = (float(weight).as_integer_ratio() for weight in weights)
    return [above * one // below for above, below in pairs]


def exact_distances(n: int, tails: np.ndarray, heads: np.ndarray, units: list[int]) -> list[Any]:
    """Return distances from 0 by Dijkstra over Python integers, None where there is no way."""
    out: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    for tail, head, unit in zip(tails.tolist(), heads.tolist(), units, strict=True):
        out[tail].append((head, unit))
    dist: list[int | None] = [None] * n
    heap = [(0, 0)]
    while heap:
        reached, vertex = heapq.heappop(heap)
        if dist[vertex] is not None:
            continue
        dist[vertex] = reached
        for head, unit in out[vertex]:
            if dist[head] is None:
                heapq.heappush(heap, (reached + unit, head))
    return dist


def fits_type(exact: list[int | None], n: int, kind: str) -> bool | None:
    """Return whether distances fit; None where rounding, n arcs at most, decides."""
    most = max((distance for distance in exact if distance is not None), default=0)
    if kind in ("int32", "int64"):
        return most < int(unreached(np.dtype(kind)))
    one = 1 << SMALLEST_BIT[kind]
    limit = int(np.finfo(kind).max) * one
    slack = limit * (n + 1) >> DIGITS[kind]
    if limit - slack <= most <= limit + slack:
        return None
    return most < limit


def make_case(rng: Random, kind: str, n: int) -> Case:
    """Return a random graph of n vertices with weights of a type.

    Of two graphs that do not fit, one is mended: arcs to vertices that are too far go, so that it
    fits although sums on the way pass the range.
    """
    tails, heads = SHAPES[int(rng.integers(0, len(SHAPES)))](rng, n)
    m = len(tails)
    if kind.startswith("int"):
        weights = np.maximum(whole_weights(rng, m, int(np.iinfo(kind).max)), 0).astype(kind)
    else:
        weights = decimal_weights(rng, m, kind)
    units = exact_units(weights)
    exact = exact_distances(n, tails, heads, units)
    fits = fits_type(exact, n, kind)
    if fits is False and rng.random() < 0.5:
        near = np.array([fits_type([e], n, kind) is True for e in exact])
        kept = ~near[tails] | near[heads]
        tails, heads, weights = tails[kept], heads[kept], weights[kept]
        exact = [e if ok else None for e, ok in zip(exact, near, strict=True)]
        fits = True
    return Case(n, tails, heads, weights, truth_of(exact, kind, fits is True), fits)


def truth_of(exact: list[int | None], kind: str, fits: bool) -> np.ndarray:
    """Return what `Case.truth` holds."""
    if kind.startswith("int"):
        none = int(unreached(np.dtype(kind)))
        return np.array([none if e is None or not fits else e for e in exact], kind)
    one = np.longdouble(1 << SMALLEST_BIT[kind])
    none = np.longdouble(np.inf)
    return np.array([none if e is None or not fits else np.longdouble(e) / one for e in exact])


def together(cases: list[Case], kind: str) -> CSRGraph:
    """Return the cases as one graph: vertex 0 leads to each one's source with weight 0."""
    starts = 1 + np.cumsum([0, *(case.n for case in cases)])
    roots = np.zeros(len(cases), np.int64)
    tails = [roots, *(case.tails + start for case, start in zip(cases, starts, strict=False))]
    heads = [starts[:-1], *(case.heads + start for case, start in zip(cases, starts, strict=False))]
    weights = [roots.astype(kind), *(case.weights for case in cases)]
    ends = np.concatenate(tails), np.concatenate(heads)
    return CSRGraph.from_arcs(*ends, np.concatenate(weights), int(starts[-1]), name="fuzz")


def is_wrong(case: Case, dist: np.ndarray) -> bool:
    """Return whether a distance differs from the exact one by more than its type allows."""
    if dist.dtype.kind == "i":
        return not np.array_equal(dist, case.truth)
    reached = np.isfinite(case.truth)
    if not np.array_equal(reached, dist != unreached(dist.dtype)):
        return True
    truth = case.truth[reached]
    off = np.abs(dist[reached].astype(np.longdouble) - truth)
    allowed = truth * (np.longdouble(case.n + 1) * np.longdouble(2.0) ** -DIGITS[dist.dtype.name])
    return bool((off > allowed).any())


def delta_of(rng: Random, graph: CSRGraph, row: Algorithm) -> float | None:
    """Return a delta of a quarter to four times some weight, or, mostly, none."""
    weight = float(rng.choice(graph.weights))
    if not row.bucketed or rng.random() < 0.7 or not 1e-290 < weight < 1e290:
        return None
    return max(weight * float(rng.choice([0.25, 1.0, 4.0])), 1.0 if graph.integer else 0.0)


@dataclass
class Tally:
    """What came out for each (row, type): COLUMNS; faults in words."""

    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def add(self, row: str, kind: str, column: str, number: int = 1, words: str = "") -> None:
        """Count; a fault comes with words."""
        self.counts[row, kind, column] += number
        if words and len(self.faults) < MOST_FAULTS:
            self.faults.append(f"{row} {kind}: {column}: {words}")

    def total(self, *columns: str) -> int:
        """Return the sum of some columns."""
        return sum(number for (*_, column), number in self.counts.items() if column in columns)


def run_cases(
    cases: list[Case], row: Algorithm, engine: str, kind: str, rng: Random, tally: Tally, seed: int
) -> None:
    """Run cases as one graph and tally what came out; all fit, or there is one that does not."""
    graph, fits = together(cases, kind), all(case.fits for case in cases)
    parameters = {"sources": 2} if row.result == "matrix" else {}
    options: dict[str, Any] = {"numbers": kind, "parameters": parameters}
    given = delta_of(rng, graph, row)
    where = f"seed {seed}, delta {given}"
    tally.add(row.key, kind, "graphs", len(cases))
    tally.add(row.key, kind, "runs")
    try:
        trace = gpu.run(graph, row.key, engine, 0, given, 0, **options)
    except DistanceRangeError as error:
        if fits:
            tally.add(row.key, kind, "false refusals", len(cases), f"{where}: {error}")
        else:
            tally.add(row.key, kind, "refused")
        return
    except GpuError as error:
        tally.add(row.key, kind, "errors", 1, f"{where}: {type(error).__name__}: {error}")
        return
    if not fits:
        tally.add(row.key, kind, "missed refusals", 1, where)
        return
    rows = trace.dist if trace.dist.ndim == 2 else trace.dist[np.newaxis]
    wrong = wrong_cases(cases, rows)
    if wrong:
        tally.add(row.key, kind, "wrong", wrong, where)


def wrong_cases(cases: list[Case], rows: np.ndarray) -> int:
    """Return how many cases are wrong in row 0; a second row knows the first case alone."""
    wrong, start = 0, 1
    for case in cases:
        wrong += is_wrong(case, rows[0, start : start + case.n])
        start += case.n
    if len(rows) > 1:
        first = cases[0].n
        alone = (rows[1, first + 1 :] == unreached(rows.dtype)).all()
        wrong += is_wrong(cases[0], rows[1, 1 : first + 1]) or not alone
    return wrong


def packs(seed: int, turn: int) -> tuple[str, list[list[Case]]]:
    """Return a type and the packs of one turn: cases that fit, and one that does not by itself.

    A case that rounding decides is left out.
    """
    rng = np.random.default_rng((seed, turn))
    kind = NUMBER_TYPES[turn % len(NUMBER_TYPES)]
    if turn // len(NUMBER_TYPES) % LARGE_EVERY == 0:
        n = int(np.exp(rng.uniform(np.log(SMALL), np.log(LARGEST))))
        case = make_case(rng, kind, n)
        return kind, [] if case.fits is None else [[case]]
    fitting: list[Case] = []
    other: list[Case] = []
    while len(fitting) < PACK:
        case = make_case(rng, kind, int(rng.integers(SMALLEST, SMALL + 1)))
        if case.fits:
            fitting.append(case)
        elif case.fits is False:
            other = [case]
    return kind, [fitting, other] if other else [fitting]


def batches(seed: int, processes: int) -> Iterator[tuple[int, str, list[list[Case]]]]:
    """Yield turns with their `packs` without end; other processes make a batch at a time."""
    make = partial(packs, seed)
    if not processes:
        yield from ((turn, *make(turn)) for turn in count())
    size = 8 * processes
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        for begin in count(0, size):
            turns = range(begin, begin + size)
            yield from (
                (turn, *made) for turn, made in zip(turns, pool.map(make, turns), strict=True)
            )


def fuzz(
    rows: list[Algorithm], engine: str, graphs: int, seed: int, seconds: float, processes: int = 0
) -> Tally:
    """Run graphs through rows until each has had enough, or time is up."""
    tally, end = Tally(), time.monotonic() + seconds
    for turn, kind, made in batches(seed, processes):
        if tally.total("graphs") >= graphs * len(rows) or time.monotonic() > end:
            break
        for cases in made:
            for row in rows:
                if row.result == "matrix" and cases[0].n > MATRIX_LARGEST:
                    continue
                rng = np.random.default_rng((seed, turn, 1))
                run_cases(cases, row, engine, kind, rng, tally, turn)
    return tally


def main(argv: list[str] | None = None) -> int:
    """Fuzz one engine; returns 1 where anything was wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("seconds", type=float)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--engine", default="cuda", choices=("cuda", "model", "cpu"))
    parser.add_argument("--graphs", type=int, default=10_000, help="through each row")
    parser.add_argument("--rows", default=",".join(ALGORITHMS), help="keys, by commas")
    args = parser.parse_args(argv)
    rows = [ALGORITHMS[key] for key in args.rows.split(",")]
    engine = args.engine
    rows = [row for row in rows if engine in row.engines and row.problem(engine) is None]
    watchdog.LIMIT_S, watchdog.SILENCE_S = LIMIT_S, 2 * LIMIT_S
    watchdog.end_process_on_silence(lambda words: print(words, file=sys.stderr))
    processes = max((os.cpu_count() or 1) - 2, 1)
    tally = fuzz(rows, engine, args.graphs, args.seed, args.seconds, processes)
    print("\n".join([*map(str, sorted(tally.counts.items())), *tally.faults]))
    print(f"{engine}: {tally.total('graphs'):,} graphs, {tally.total(*FAULTS):,} bad")
    return int(tally.total(*FAULTS) > 0 or not tally.total("graphs"))


if __name__ == "__main__":
    sys.exit(main())
