"""The benchmark graphs, made on the GPU from a seed.

grid_1024, grid_4096   4-neighbour grids, weights 1..10000, one weight per edge, from vertex 0
mesh_100               100 x 100 x 100 points, all 26 neighbours, weights 1..1000, from vertex 0
rmat_20, rmat_22       R-MAT .57 .19 .19 .05, 16 arcs a vertex, shuffled ids, weights 1..100,
                       parallel arcs and loops kept, from the vertex of largest out-degree
ny                     roads of New York, from a DIMACS file, from vertex 0

Held out, so that no rule of the kernels was tuned on them, all from vertex 0:

small_world_20   ring of 2^20 vertices, 4 neighbours each side, 5 % of the edges rewired, 1..1000
mesh8_2048       2048 x 2048 grid with all 8 neighbours, weights 1..100
random_20        2^20 vertices, 8 arcs each to heads drawn evenly (Erdos-Renyi), weights 1..1000
band_18          a path of 2^18 vertices, each joined with the 16 before and after it, 1..1000

Edges are undirected, with one weight both ways, except in the R-MATs and random_20. Needs CuPy.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gpu.errors import ParameterError
from gpu.formats import load_graph
from gpu.graph import CSRGraph, Provenance

SEED = 1
RMAT = (0.57, 0.19, 0.19, 0.05)
RMAT_DEGREE = 16
REWIRED = 0.05
RANDOM_DEGREE = 8


def make(name: str, new_york: Path | None = None, numbers: str = "int32") -> CSRGraph:
    """Return one benchmark graph, its weights in a number type."""
    makers = {**MAKERS, **HELD_OUT}
    if name == "ny" and new_york:
        graph = load_graph(new_york)
    elif name in makers:
        graph = makers[name]()
    else:
        raise ParameterError(
            f"graphs = {name!r}; allowed: ny (with --new-york FILE), {', '.join(makers)}"
        )
    if numbers == "int32":
        return graph
    return CSRGraph(graph.indptr, graph.indices, graph.weights.astype(numbers), name=graph.name)


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
    m = RMAT_DEGREE << scale
    tails, heads = cupy.zeros(m, cupy.int32), cupy.zeros(m, cupy.int32)
    for _ in range(scale):
        draw = rng.random(m, dtype=cupy.float32)
        down = draw >= RMAT[0] + RMAT[1]
        right = ((draw >= RMAT[0]) & ~down) | (draw >= RMAT[0] + RMAT[1] + RMAT[2])
        tails = tails * 2 + down
        heads = heads * 2 + right
    names = cupy.random.RandomState(SEED).permutation(1 << scale).astype(cupy.int32)
    weights = rng.integers(1, 101, len(tails), dtype=cupy.int32)
    return from_arcs(f"rmat_{scale}", names[tails], names[heads], weights, 1 << scale)


def small_world(scale: int, reach: int = 4) -> CSRGraph:
    """Return a Watts-Strogatz ring of 2^scale vertices, `reach` neighbours on each side."""
    import cupy

    n = 1 << scale
    rng = cupy.random.default_rng(SEED)
    here = cupy.arange(n, dtype=cupy.int32)
    pairs = []
    for step in range(1, reach + 1):
        elsewhere = rng.integers(0, n, n, dtype=cupy.int32)
        rewired = rng.random(n, dtype=cupy.float32) < REWIRED
        pairs.append((here, cupy.where(rewired, elsewhere, (here + step) % n)))
    return undirected(f"small_world_{scale}", pairs, n, 1000)


def mesh8(side: int) -> CSRGraph:
    """Return a side x side grid where each cell knows its 8 neighbours."""
    import cupy

    cells = cupy.arange(side * side, dtype=cupy.int32).reshape(side, side)
    pairs = [
        (cells[:, :-1], cells[:, 1:]),
        (cells[:-1], cells[1:]),
        (cells[:-1, :-1], cells[1:, 1:]),
        (cells[:-1, 1:], cells[1:, :-1]),
    ]
    return undirected(f"mesh8_{side}", pairs, side * side, 100)


def random(scale: int) -> CSRGraph:
    """Return 2^scale vertices with RANDOM_DEGREE arcs each, heads drawn evenly."""
    import cupy

    n = 1 << scale
    rng = cupy.random.default_rng(SEED)
    tails = cupy.repeat(cupy.arange(n, dtype=cupy.int32), RANDOM_DEGREE)
    heads = rng.integers(0, n, len(tails), dtype=cupy.int32)
    weights = rng.integers(1, 1001, len(tails), dtype=cupy.int32)
    return from_arcs(f"random_{scale}", tails, heads, weights, n)


def band(scale: int, reach: int = 16) -> CSRGraph:
    """Return a path of 2^scale vertices, each joined with the `reach` before and after it."""
    import cupy

    here = cupy.arange(1 << scale, dtype=cupy.int32)
    pairs: list[tuple[Any, Any]] = [(here[:-step], here[step:]) for step in range(1, reach + 1)]
    return undirected(f"band_{scale}", pairs, 1 << scale, 1000)


def undirected(name: str, pairs: list[tuple[Any, Any]], n: int, heaviest: int) -> CSRGraph:
    """Return the graph of edges, both ways, with weights drawn from 1 to `heaviest`."""
    import cupy

    here = cupy.concatenate([pair[0].ravel() for pair in pairs])
    there = cupy.concatenate([pair[1].ravel() for pair in pairs])
    weights = cupy.random.default_rng(SEED).integers(1, heaviest + 1, len(here), dtype=cupy.int32)
    tails, heads = cupy.concatenate([here, there]), cupy.concatenate([there, here])
    return from_arcs(name, tails, heads, cupy.concatenate([weights, weights]), n)


def from_arcs(name: str, tails: Any, heads: Any, weights: Any, n: int) -> CSRGraph:
    """Return the graph of arcs that lie on the device, in any order."""
    import cupy

    order = cupy.argsort(tails.astype(cupy.int64) * n + heads)
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(cupy.asnumpy(cupy.bincount(tails, minlength=n)), out=indptr[1:])
    origin = Provenance(f"benchmark:{name}", "made", {"seed": SEED})
    arrays = (cupy.asnumpy(heads[order].astype(cupy.int32)), cupy.asnumpy(weights[order]))
    cupy.get_default_memory_pool().free_all_blocks()
    return CSRGraph(indptr, *arrays, name=name, provenance=origin)


MAKERS: dict[str, Callable[[], CSRGraph]] = {
    "grid_1024": lambda: grid(1024),
    "mesh_100": lambda: mesh(100),
    "rmat_20": lambda: rmat(20),
    "grid_4096": lambda: grid(4096),
    "rmat_22": lambda: rmat(22),
}
HELD_OUT: dict[str, Callable[[], CSRGraph]] = {
    "small_world_20": lambda: small_world(20),
    "mesh8_2048": lambda: mesh8(2048),
    "random_20": lambda: random(20),
    "band_18": lambda: band(18),
}
