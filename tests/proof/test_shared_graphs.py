"""Every row of the registry, on every engine, on every real graph beside the checkout.

Each result is compared with SciPy's distances (and those, where the folder's README gives
their sum, with that). A row that answers for every vertex is compared source by source: all of
them where the matrix is small, else the first few. On the model, large graphs go through the
bucketed rows alone; SSSP_SCOPE_ALL_GRAPHS=1 takes all rows, some minutes. The folder is
../shared/graphs or $SSSP_SCOPE_SHARED_GRAPHS.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from test_formats_shared import REFERENCE

import gpu
from gpu.algorithms import ALGORITHMS
from gpu.cuda.device import why_not
from gpu.graph import CSRGraph
from gpu.proof.verify import oracle_distances
from gpu.record.trace import reached_mask

ALL = "SSSP_SCOPE_ALL_GRAPHS"
LONG = 10**9 if os.environ.get(ALL) else 500_000  # arcs; above, unordered work takes seconds
MATRIX_ARCS = 1_000_000  # arcs times sources of a matrix, at most; then fewer sources
NEGATIVE = {"formats/bcsstk13.mtx"}  # read without signs
UNDIRECTED = {"powerlaw/facebook_combined.txt"}  # as the README there reads it

# sum of distances and the largest, from the lowest id: the README of that folder
SUMS = {
    "road/rome99.gr": (116006476, 69102),
    "road/USA-road-d.NY.gr.gz": (186686642878, 1440081),
    "road/amsterdam.gr.gz": (532355146, 27899),
    "road/NE-topology.gr.xz": (898295887, 1108),
    "mesh/rgg_n_2_15_s0.graph": (3128425, 180),
    "mesh/power.graph": (74749, 27),
    "mesh/tiny_02.graph": (16, 7),
    "mesh/tiny_03.graph": (16, 7),
    "powerlaw/p2p-Gnutella31.txt": (514821, 25),
    "powerlaw/facebook_combined.txt": (11428, 6),
    "powerlaw/Wiki-Vote.txt": (6975, 5),
    "powerlaw/Email-Enron.txt.gz": (146222, 9),
    "formats/rome99.galois.gr": (116006476, 69102),
    "formats/rmat10.galois.gr": (15850, 99),
}
HERE = ("model", "cpu") if why_not() else ("model", "cpu", "cuda")
FILES = {*REFERENCE, *NEGATIVE}


def is_quick(key: str, engine: str) -> bool:
    """Whether a row takes a second for a large graph."""
    row = ALGORITHMS[key]
    return engine != "model" or (row.bucketed and row.result == "row")


@dataclass(frozen=True)
class Outcome:
    """One run: `fault` None where every distance equals the oracle's."""

    file: str
    algorithm: str
    engine: str
    fault: str | None


def outcomes(folder: Path, file: str, engines: tuple[str, ...]) -> list[Outcome]:
    """Run every row that runs on these engines on one file, and compare."""
    graph = gpu.load_graph(
        folder / file,
        weights="absolute" if file in NEGATIVE else "file",
        undirected=True if file in UNDIRECTED else None,
    )
    source = 0 if graph.ids is None or graph.ids.dtype.kind == "U" else int(np.argmin(graph.ids))
    expected = {source: oracle_distances(graph, source)}
    if file in SUMS:
        reached = expected[source][np.isfinite(expected[source])]
        assert (reached.sum(), reached.max()) == SUMS[file], file
    found = []
    for key, row in ALGORITHMS.items():
        for engine in engines:
            if engine not in row.engines or row.problem(engine):
                continue
            if graph.m > LONG and not is_quick(key, engine):
                continue
            fault = compared(graph, key, engine, source, expected)
            found.append(Outcome(file, key, engine, fault))
    return found


def compared(
    graph: CSRGraph, key: str, engine: str, source: int, expected: dict[int, np.ndarray]
) -> str | None:
    """Run one row; return what differs.

    `expected` holds SciPy's distances by source, and keeps those that are made here.
    """
    if ALGORITHMS[key].result == "row":
        trace = gpu.run(graph, key, engine, source)
        return difference(graph, trace.dist, expected[source])
    count = min(graph.n, max(1, MATRIX_ARCS // max(graph.m, 1)))
    chosen = {"first_source": 0, "sources": count}
    matrix = gpu.run(graph, key, engine, parameters=chosen).dist
    for row in range(count):
        if row not in expected:
            expected[row] = oracle_distances(graph, row)
        fault = difference(graph, matrix[row], expected[row])
        if fault is not None:
            return f"source {row}: {fault}"
    return None


def difference(graph: CSRGraph, dist: np.ndarray, expected: np.ndarray) -> str | None:
    """Return the first vertex that differs, in words; floats may by 1e-5 of the distance."""
    got = np.where(reached_mask(dist), dist.astype(np.float64), np.inf)
    right = got == expected
    if not graph.integer:
        right |= np.isclose(got, expected, rtol=1e-5, atol=0)
    wrong = np.flatnonzero(~right)
    if not len(wrong):
        return None
    first = int(wrong[0])
    return f"{len(wrong)} differ: {graph.id_of(first)} has {got[first]:g}, not {expected[first]:g}"


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("file", sorted(FILES))
def test_every_row_on_every_engine(shared_graphs: Path, file: str) -> None:
    found = outcomes(shared_graphs, file, HERE)
    assert not [one for one in found if one.fault]
    rows = {(key, engine) for key, row in ALGORITHMS.items() for engine in row.engines}
    able = {p for p in rows if p[1] in HERE and not ALGORITHMS[p[0]].problem(p[1])}
    assert {p for p in able if is_quick(*p)} <= {(one.algorithm, one.engine) for one in found}
