"""The benchmark graphs, made on the GPU from a seed.

grid_1024, grid_4096   4-neighbour grids, weights 1..10000, one weight per edge, from vertex 0
mesh_100               100 x 100 x 100 points, all 26 neighbours, weights 1..1000, from vertex 0
rmat_20, rmat_22       R-MAT .57 .19 .19 .05, 16 arcs a vertex, shuffled ids, weights 1..100,
                       parallel arcs and loops kept, from the vertex of largest out-degree
N:M                    N vertices, M random arcs, weights 1..100, from vertex 0

Edges are undirected, with one weight both ways, except in the R-MATs and N:M. Needs CuPy.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

import sample_graphs
from gpu.formats import load_graph
from gpu.graph import CSRGraph, Provenance

SEED = 1
RMAT = (0.57, 0.19, 0.19, 0.05)
RMAT_DEGREE = 16


def make(name: str, numbers: str = "int32") -> tuple[str, CSRGraph, int]:
    """Return what to call a graph, the graph with its weights in a number type, and its source.

    name : of MAKERS, N:M, sample:KEY?n=N, FILE, or LABEL=FILE. Raises GpuError.
    """
    label, _, file = name.partition("=")
    if name in MAKERS:
        graph = MAKERS[name]()
    elif re.fullmatch(r"\d+:\d+", name):
        graph = random_arcs(*map(int, name.split(":")))
    elif name.startswith(sample_graphs.PREFIX):
        label, graph = name, sample_graphs.open_sample(name)
    else:
        graph = load_graph(file or name)
    source = int(np.argmax(np.diff(graph.indptr))) if name.startswith("rmat") else 0
    if numbers != "int32":
        weights = graph.weights.astype(numbers)
        graph = CSRGraph(graph.indptr, graph.indices, weights, name=graph.name)
    return label, graph, source


def random_arcs(n: int, m: int) -> CSRGraph:
    """Return n vertices and m random arcs with weights 1..100."""
    rng = np.random.default_rng(SEED)
    tails, heads = rng.integers(0, n, m), rng.integers(0, n, m)
    weights = rng.integers(1, 101, m).astype(np.int32)
    return CSRGraph.from_arcs(tails, heads, weights, n, name=f"random_{n}_{m}")


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
