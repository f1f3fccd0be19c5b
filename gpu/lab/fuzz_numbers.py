"""Random small graphs through every row and number type of an engine, against exact distances.

    python -m gpu.lab.fuzz_numbers --engine cuda --graphs 100000 --seed 1 --seconds 200

Weights are what a type finds hard: sums near its end, 2^31 and 2^53, 1e308, denormals, zeros. The
truth is Dijkstra over Python integers: of decimals, multiples of the smallest number that there is.
Whole distances must be equal; decimals may be off by half a unit in the last place for each arc
of a path. A graph whose distances do not fit the type must be refused, and no other one.

Several graphs that fit make one run, behind a common source with arcs of weight 0; one that does
not fit makes a run of its own. Of all pairs two rows are asked for.

JSON (--json) holds the table, the command's arguments and the first faults with their seeds.
"""

from __future__ import annotations

import argparse
import heapq
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import gpu
from gpu.algorithms import ALGORITHMS, Algorithm
from gpu.errors import DistanceRangeError, GpuError
from gpu.graph import NUMBER_TYPES, CSRGraph
from gpu.numbers import unreached

SMALLEST_BIT = {"float32": 149, "float64": 1074}  # the smallest number is 2^-so many
DIGITS = {"float32": 24, "float64": 53}
PACK = 8  # graphs of one run
MOST_FAULTS = 20  # that are kept word for word
COLUMNS = ("graphs", "runs", "wrong", "false refusals", "missed refusals", "refused", "errors")

Random = np.random.Generator
Arcs = tuple[np.ndarray, np.ndarray]


# ---- graphs ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """One small graph and the truth about it; its source is vertex 0.

    exact : distance of each vertex in units, None where unreached; unit of decimals 2^-SMALLEST_BIT
    fits : whether every distance is one of the type, before and after rounding; None if that
        depends on rounding
    """

    n: int
    tails: np.ndarray
    heads: np.ndarray
    weights: np.ndarray
    exact: list[int | None]
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


def whole_weights(rng: Random, m: int, top: int) -> np.ndarray:
    """Return int64 (m,): small, near a fraction of `top`, up to 2^53, or of any size."""
    kind = int(rng.integers(0, 6))
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
    choice = int(rng.integers(0, 6))
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
    most = max(distance for distance in exact if distance is not None)
    if kind in ("int32", "int64"):
        return most < int(unreached(np.dtype(kind)))
    one = 1 << SMALLEST_BIT[kind]
    limit = int(np.finfo(kind).max) * one
    slack = limit * (n + 1) >> DIGITS[kind]
    if limit - slack <= most <= limit + slack:
        return None
    return most < limit


def make_case(rng: Random, kind: str) -> Case:
    """Return a random graph of 5 to 60 vertices with weights of a type."""
    n = int(rng.integers(5, 61))
    tails, heads = SHAPES[int(rng.integers(0, len(SHAPES)))](rng, n)
    m = len(tails)
    if kind.startswith("int"):
        weights = np.maximum(whole_weights(rng, m, int(np.iinfo(kind).max)), 0).astype(kind)
    else:
        weights = decimal_weights(rng, m, kind)
    exact = exact_distances(n, tails, heads, exact_units(weights))
    return Case(n, tails, heads, weights, exact, fits_type(exact, n, kind))


def together(cases: list[Case], kind: str) -> CSRGraph:
    """Return the cases as one graph: vertex 0 leads to each one's source with weight 0."""
    starts = 1 + np.cumsum([0, *(case.n for case in cases)])
    roots = np.zeros(len(cases), np.int64)
    tails = [roots, *(case.tails + start for case, start in zip(cases, starts, strict=False))]
    heads = [starts[:-1], *(case.heads + start for case, start in zip(cases, starts, strict=False))]
    weights = [roots.astype(kind), *(case.weights for case in cases)]
    ends = np.concatenate(tails), np.concatenate(heads)
    return CSRGraph.from_arcs(*ends, np.concatenate(weights), int(starts[-1]), name="fuzz")


# ---- one run --------------------------------------------------------------------------------


def is_wrong(case: Case, dist: np.ndarray) -> bool:
    """Return whether a distance differs from the exact one by more than its type allows."""
    none = unreached(dist.dtype)
    kind = dist.dtype.name
    for found, exact in zip(dist, case.exact, strict=True):
        if exact is None or found == none:
            if exact is not None or found != none:
                return True
            continue
        if dist.dtype.kind == "i":
            if int(found) != exact:
                return True
            continue
        off = abs(exact_units(np.array([found]))[0] - exact)
        if off << DIGITS[kind] > (case.n + 1) * exact:
            return True
    return False


def parameters_of(row: Algorithm) -> dict[str, Any]:
    """Return two sources for all pairs, and what every row takes otherwise."""
    return {"sources": 2} if row.result == "matrix" else {}


def delta_of(rng: Random, graph: CSRGraph, row: Algorithm) -> float | None:
    """Return a delta of a quarter to four times some weight, or, mostly, none."""
    weight = float(rng.choice(graph.weights))
    if not row.bucketed or rng.random() < 0.7 or not 1e-290 < weight < 1e290:
        return None
    return max(weight * float(rng.choice([0.25, 1.0, 4.0])), 1.0 if graph.integer else 0.0)


@dataclass
class Tally:
    """What came out for each (row, type): COLUMNS; faults in words."""

    counts: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def add(self, row: str, kind: str, column: str, count: int = 1, words: str = "") -> None:
        """Count; a fault comes with words."""
        self.counts.setdefault((row, kind), Counter())[column] += count
        if words and len(self.faults) < MOST_FAULTS:
            self.faults.append(f"{row} {kind}: {column}: {words}")

    @property
    def graphs(self) -> int:
        """Graphs that were run so far."""
        return sum(count["graphs"] for count in self.counts.values())

    @property
    def bad(self) -> int:
        """Graphs and runs that went wrong."""
        names = ("wrong", "false refusals", "missed refusals", "errors")
        return sum(count[name] for count in self.counts.values() for name in names)


def run_cases(
    cases: list[Case], row: Algorithm, engine: str, kind: str, rng: Random, tally: Tally, seed: int
) -> None:
    """Run cases as one graph and tally what came out; all fit, or there is one that does not."""
    graph, fits = together(cases, kind), all(case.fits for case in cases)
    options: dict[str, Any] = {"numbers": kind, "parameters": parameters_of(row)}
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


# ---- the whole ------------------------------------------------------------------------------


def chosen_rows(engine: str, wanted: str) -> list[Algorithm]:
    """Return the rows that run on an engine here, of those wanted."""
    keys = wanted.split(",") if wanted else list(ALGORITHMS)
    rows = [ALGORITHMS[key] for key in keys]
    return [row for row in rows if engine in row.engines and row.problem(engine) is None]


def packs(rng: Random, kind: str) -> Iterator[list[Case]]:
    """Yield PACK cases that fit, and each that does not by itself; none that rounding decides."""
    fitting: list[Case] = []
    while len(fitting) < PACK:
        case = make_case(rng, kind)
        if case.fits:
            fitting.append(case)
        elif case.fits is False:
            yield [case]
    yield fitting


def fuzz(rows: list[Algorithm], engine: str, graphs: int, seed: int, seconds: float) -> Tally:
    """Run graphs through rows and types by turns until there are enough or time is up."""
    tally, end = Tally(), time.monotonic() + seconds
    turn = 0
    while tally.graphs < graphs and time.monotonic() < end:
        row, kind = rows[turn % len(rows)], NUMBER_TYPES[turn // len(rows) % len(NUMBER_TYPES)]
        rng = np.random.default_rng((seed, turn))
        for cases in packs(rng, kind):
            run_cases(cases, row, engine, kind, rng, tally, turn)
        turn += 1
    return tally


def table(tally: Tally, engine: str) -> list[str]:
    """Return the lines of the table by row and type."""
    lines = [f"{engine:18}{'type':9}" + "".join(f"{name:>17}" for name in COLUMNS)]
    for (row, kind), counts in sorted(tally.counts.items()):
        lines.append(f"{row:18}{kind:9}" + "".join(f"{counts[name]:>17,}" for name in COLUMNS))
    return lines


def main(argv: list[str] | None = None) -> int:
    """Fuzz one engine; returns 1 where anything was wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--engine", default="cuda", choices=("cuda", "model", "cpu"))
    parser.add_argument("--graphs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=200.0)
    parser.add_argument("--rows", default="", help="keys, by commas; all that run here")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(argv)
    rows = chosen_rows(given.engine, given.rows)
    if not rows:
        print(f"no row runs on the engine {given.engine} here", file=sys.stderr)
        return 2
    begun = time.monotonic()
    tally = fuzz(rows, given.engine, given.graphs, given.seed, given.seconds)
    print("\n".join([*table(tally, given.engine), *tally.faults]))
    took = time.monotonic() - begun
    print(f"{tally.graphs:,} graphs in {took:.0f} s, {tally.bad:,} bad")
    if given.json:
        given.json.write_text(json.dumps(report(given, tally, took), indent=1) + "\n", "utf-8")
    return int(tally.bad > 0)


def report(given: argparse.Namespace, tally: Tally, took_s: float) -> dict[str, Any]:
    """Return what the JSON file holds."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "engine": given.engine,
        "seed": given.seed,
        "graphs": tally.graphs,
        "bad": tally.bad,
        "seconds": round(took_s, 1),
        "rows": [
            {"row": row, "type": kind, **{name: counts[name] for name in COLUMNS}}
            for (row, kind), counts in sorted(tally.counts.items())
        ],
        "faults": tally.faults,
    }


if __name__ == "__main__":
    sys.exit(main())
