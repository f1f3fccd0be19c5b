"""The benchmark graphs, made on the GPU from a seed.

grid_1024, grid_4096   4-neighbour grids, weights 1..10000, one weight per edge, from vertex 0
mesh_100               100 x 100 x 100 points, all 26 neighbours, weights 1..1000, from vertex 0
rmat_20, rmat_22       R-MAT .57 .19 .19 .05, 16 arcs a vertex, shuffled ids, weights 1..100,
                       parallel arcs and loops kept, from the vertex of largest out-degree
ny                     roads of New York, from a DIMACS file, from vertex 0

An undirected edge has the same weight both ways. They need CuPy and a GPU, as the benchmark
does: 67 million arcs are sorted in a moment there.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gpu.errors import ParameterError
from gpu.graph import CSRGraph, Provenance

SEED = 1
RMAT = (0.57, 0.19, 0.19, 0.05)
RMAT_DEGREE = 16


def make(name: str, new_york: Path | None = None, float_weights: bool = False) -> CSRGraph:
    """Return one benchmark graph, int32 or float32 weights."""
    from gpu.lab import held_out_graphs

    makers = {**MAKERS, **held_out_graphs.MAKERS}
    if name == "ny" and new_york:
        graph = read_new_york(new_york)
    elif name in makers:
        graph = makers[name]()
    else:
        raise ParameterError(
            f"graphs = {name!r}; allowed: ny (with --new-york FILE), {', '.join(makers)}"
        )
    if not float_weights:
        return graph
    return CSRGraph(graph.indptr, graph.indices, graph.weights.astype(np.float32), name=graph.name)


def source_of(name: str, graph: CSRGraph) -> int:
    """Return the source that the benchmark uses."""
    return int(np.argmax(np.diff(graph.indptr))) if name.startswith("rmat") else 0


def grid(side: int) -> CSRGraph:
    """Return a side x side grid."""
    import cupy

    cells = cupy.arange(side * side, dtype=cupy.int32).reshape(side, side)
    pairs = [(cells[:, :-1], cells[:, 1:]), (cells[:-1], cells[1:])]
    return undirected(f"grid_{side}", pairs, side * side, 10_000)


def mesh(side: int) -> CSRGraph:
    """Return a side^3 mesh where each point knows its 26 neighbours."""
    import cupy

    cells = cupy.arange(side**3, dtype=cupy.int32).reshape(side, side, side)
    pairs = []
    for step in range(14, 27):  # half of the neighbours: the others are the way back
        shift = step // 9 - 1, step // 3 % 3 - 1, step % 3 - 1
        here = cells[tuple(slice(max(-s, 0), side - max(s, 0)) for s in shift)]
        there = cells[tuple(slice(max(s, 0), side - max(-s, 0)) for s in shift)]
        pairs.append((here, there))
    return undirected(f"mesh_{side}", pairs, side**3, 1000)


def rmat(scale: int) -> CSRGraph:
    """Return an R-MAT graph of 2^scale vertices and 16 times as many arcs."""
    import cupy

    rng = cupy.random.default_rng(SEED)
    n, m = 1 << scale, RMAT_DEGREE << scale
    tails, heads = cupy.zeros(m, cupy.int32), cupy.zeros(m, cupy.int32)
    for _ in range(scale):
        draw = rng.random(m, dtype=cupy.float32)
        down = draw >= RMAT[0] + RMAT[1]
        right = ((draw >= RMAT[0]) & ~down) | (draw >= RMAT[0] + RMAT[1] + RMAT[2])
        tails = tails * 2 + down
        heads = heads * 2 + right
    names = cupy.random.RandomState(SEED).permutation(n).astype(cupy.int32)
    weights = rng.integers(1, 101, m, dtype=cupy.int32)
    return from_arcs(f"rmat_{scale}", names[tails], names[heads], weights, n)


def read_new_york(path: Path) -> CSRGraph:
    """Read a DIMACS file with NumPy alone."""
    raw = path.read_bytes()
    text = gzip.decompress(raw) if path.suffix == ".gz" else raw
    lines = [line[2:] for line in text.splitlines() if line.startswith(b"a ")]
    numbers = np.array(list(map(int, b" ".join(lines).split())), np.int64).reshape(-1, 3)
    n = int(numbers[:, :2].max())
    tails, heads = (numbers[:, :2].T - 1).astype(np.int32)
    return CSRGraph.from_arcs(tails, heads, numbers[:, 2].astype(np.int32), n, name="ny")


def undirected(
    name: str, pairs: list[tuple[Any, Any]], n: int, heaviest: int = 1, weights: Any = None
) -> CSRGraph:
    """Return the graph of edges, both ways; drawn from 1 to `heaviest` where `weights` is None."""
    import cupy

    here = cupy.concatenate([pair[0].ravel() for pair in pairs])
    there = cupy.concatenate([pair[1].ravel() for pair in pairs])
    if weights is None:
        rng = cupy.random.default_rng(SEED)
        weights = rng.integers(1, heaviest + 1, len(here), dtype=cupy.int32)
    tails, heads = cupy.concatenate([here, there]), cupy.concatenate([there, here])
    return from_arcs(name, tails, heads, cupy.concatenate([weights, weights]), n)


def from_arcs(name: str, tails: Any, heads: Any, weights: Any, n: int) -> CSRGraph:
    """Return the graph of arcs that lie on the device, in any order."""
    import cupy

    order = cupy.argsort(tails.astype(cupy.int64) * n + heads)
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(cupy.bincount(tails, minlength=n).get(), out=indptr[1:])
    origin = Provenance(f"benchmark:{name}", "made", {"seed": SEED})
    arrays = (heads[order].astype(cupy.int32).get(), weights[order].get())
    cupy.get_default_memory_pool().free_all_blocks()
    return CSRGraph(indptr, *arrays, name=name, provenance=origin)


def certificate(graph: CSRGraph, source: int, dist: np.ndarray) -> str | None:
    """Return None where `dist` is proved right, else the first fault in words.

    On the GPU, O(m): the source is at 0, no arc can be relaxed, every other reached vertex
    has a tight arc into it. That is a proof where all weights are above 0, as they are here.
    """
    import cupy

    unreached = np.iinfo(np.int32).max if graph.integer else np.inf
    wide = cupy.int64 if graph.integer else cupy.float64
    tails, heads = _tails(graph), cupy.asarray(graph.indices)
    device_dist = cupy.asarray(dist)
    if dist[source] != 0:
        return f"the source is at {dist[source]}"
    reached = device_dist[tails] != unreached
    over = device_dist[tails].astype(wide) + cupy.asarray(graph.weights)
    if not graph.integer:
        over = over.astype(cupy.float32).astype(wide)
    there = device_dist[heads].astype(wide)
    if bool((reached & (there > over)).any()):
        return "an arc can still be relaxed"
    tight = cupy.zeros(graph.n, bool)
    tight[heads[reached & (there == over)]] = True
    tight[source] = True
    if bool(((device_dist != unreached) & ~tight).any()):
        return "a reached vertex has no tight arc into it"
    return None


def _tails(graph: CSRGraph) -> Any:
    """Return the tail of every arc: a mark at each row's start, summed up."""
    import cupy

    marks = cupy.zeros(graph.m + 1, cupy.int32)
    cupy.add.at(marks, cupy.asarray(graph.indptr[1:-1]), 1)
    return cupy.cumsum(marks[: graph.m], dtype=cupy.int32)


MAKERS: dict[str, Callable[[], CSRGraph]] = {
    "grid_1024": lambda: grid(1024),
    "mesh_100": lambda: mesh(100),
    "rmat_20": lambda: rmat(20),
    "grid_4096": lambda: grid(4096),
    "rmat_22": lambda: rmat(22),
}
