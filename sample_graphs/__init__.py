"""Graphs made on the spot, each chosen to show something: no files, the same every time.

    graph = make("city_roads", n=12_000, seed=1)
    graph = open_sample("sample:city_roads?n=5000&seed=2&weights=float")

The same key, n, seed and weights give the same graph on every machine (NumPy's PCG64;
the hash of a small one of each is tested). Integer weights are int32, "float" gives the
same weights as float64, for city roads before rounding.

Making a sample of 20,000 vertices or fewer imports neither Numba nor SciPy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

from gpu.errors import ParameterError
from gpu.graph import CSRGraph, Provenance
from gpu.words import did_you_mean

SMALLEST, LARGEST = 10, 20_000_000  # vertices that may be asked for
CHECK_MEMORY_FROM = 100_000  # vertices: below, nothing worth refusing is needed
CHECK_MEMORY_BYTES = 40_000_000  # or bytes
FIRST_SAMPLE = "city_roads"
PREFIX = "sample:"


@dataclass(frozen=True)
class Sample:
    """One row of the catalogue.

    maker : "module:function", called with (n, seed), gives float32 weights
    rounding : what n becomes where the shape does not allow any
    fixed : whether the number of vertices cannot be chosen
    peak_bytes : memory needed while it is made, per vertex
    pair_bytes : and for each pair of vertices
    largest : vertices that may be asked for
    source : which vertex to start from, see `suggested_source`: "first", "centre", "hub"
    """

    key: str
    title: str
    sentence: str
    maker: str
    default_n: int
    rounding: str
    source: str
    peak_bytes: int = 0
    fixed: bool = False
    pair_bytes: int = 0
    largest: int = LARGEST


def _figure(key: str, title: str, n: int, sentence: str, source: str = "first") -> Sample:
    """Return the row of a graph of one size, from `figures` or `classics`."""
    module = "figures" if key.startswith("figure") else "classics"
    return Sample(key, title, sentence, f"{module}:{key}", n, f"always {n}", source, fixed=True)


_ROWS = (
    Sample(
        "city_roads",
        "City roads",
        "Streets, arterials and a river with few bridges: few roads are worth exploring at once, "
        "so a GPU starves unless Δ is large.",
        *("city:city_roads", 12_000, "any n", "centre", 480),
    ),
    Sample(
        "grid",
        "Grid",
        "A square grid with weights 1 to 10,000: the front is a wide ragged diamond and the best "
        "Δ is easy to miss.",
        *("lattices:grid", 10_000, "rows x columns, nearly square", "first", 110),
    ),
    Sample(
        "mesh",
        "3-D mesh",
        "A cube with all 26 neighbours: work swells and shrinks as the front crosses the cube, and "
        "Δ has to follow.",
        *("lattices:mesh", 8_000, "the nearest cube", "first", 420),
    ),
    Sample(
        "rmat",
        "R-MAT",
        "A power-law graph with huge hubs: everything is a few steps away, there is more work than "
        "workers, and order saves work.",
        *("powerlaw:rmat", 4_096, "the nearest power of two", "hub", 420),
    ),
    Sample(
        "geometric",
        "Random geometric",
        "Points in a square joined with those near them, weighed by length: a road map without "
        "roads, where every front is a growing disc.",
        *("random_graphs:geometric", 10_000, "any n", "centre", 480),
    ),
    Sample(
        "watts_strogatz",
        "Small world",
        "A ring of Watts and Strogatz with a few shortcuts: the front begins as two ends of a line "
        "and bursts into many pieces at once.",
        *("random_graphs:watts_strogatz", 5_000, "any n", "first", 400),
    ),
    Sample(
        "erdos_renyi",
        "Erdős-Rényi",
        "Uniform random arcs, eight a vertex: no hubs and no long ways, so parallelism rises and "
        "falls like a bell.",
        *("random_graphs:erdos_renyi", 5_000, "any n", "first", 240),
    ),
    Sample(
        "barabasi_albert",
        "Preferential attachment",
        "Barabási and Albert's growing graph: old vertices become hubs, and a few of them feed "
        "most of the queue.",
        *("random_graphs:barabasi_albert", 5_000, "any n", "hub", 660),
    ),
    Sample(
        "band",
        "Banded matrix",
        "Each vertex knows the 8 before and after it, as in an engineer's matrix: a front of a few "
        "vertices moves along, and nothing fills a GPU.",
        *("plain:band", 4_000, "any n", "first", 300),
    ),
    Sample(
        "chain",
        "Chain",
        "One vertex after the other: no parallelism at all, so the run measures nothing but how "
        "long one step takes.",
        *("plain:chain", 1_000, "any n", "first", 110),
    ),
    Sample(
        "star",
        "Star",
        "A hub and its leaves: everything is one step away, and one huge row of arcs must be "
        "shared by all workers.",
        *("plain:star", 1_000, "any n", "first", 100),
    ),
    Sample(
        "complete",
        "Complete graph",
        "Every vertex knows every other: the most arcs a vertex count can have, nearly all of them "
        "relaxed in vain.",
        *("plain:complete", 200, "any n to 46,341", "first", 80),
        pair_bytes=16,
        largest=46_341,
    ),
    _figure(
        *("figure_1", "Figure 1: order matters", 3),
        "Three vertices from the ADDS paper: taking A before B means taking A twice.",
    ),
    _figure(
        *("figure_6", "Figure 6: buckets and Δ", 9),
        "Distances 16, 37, 55 and 74 in four buckets: Δ = 20 sorts them, Δ = 40 mixes them, "
        "Δ = 5 clips them into the last bucket.",
    ),
    _figure(
        *("karate_club", "Karate club", 34),
        "Zachary's 34 members of a club that split in two: two hubs, a few members between them, "
        "and weights of its own.",
    ),
    _figure(
        *("les_miserables", "Les Misérables", 77),
        "The 77 characters of the novel, joined where they meet: names as ids, and a hero who "
        "knows almost everybody.",
        "hub",
    ),
    _figure(
        *("florentine_families", "Florentine families", 15),
        "Fifteen families of the Renaissance, joined by marriage: small enough to follow every "
        "step by hand.",
        "hub",
    ),
    _figure(
        *("southern_women", "Southern women", 32),
        "Davis's 18 women and the 14 events that they attended: a bipartite graph, so every path "
        "alternates between the two.",
    ),
    _figure(
        *("petersen", "Petersen graph", 10),
        "Ten vertices of degree three, no two more than two steps apart: the counterexample of "
        "the textbooks.",
    ),
    _figure(
        *("tutte", "Tutte's graph", 46),
        "46 vertices of degree three in the plane, without a cycle that visits each once: the "
        "front spreads evenly.",
    ),
)
CATALOGUE: dict[str, Sample] = {sample.key: sample for sample in _ROWS}


def make(key: str, *, n: int | None = None, seed: int = 1, weights: str = "int") -> CSRGraph:
    """Make a sample.

    Parameters
    ----------
    key : a key of `CATALOGUE`
    n : vertices, 10 to `Sample.largest`, rounded to what the shape allows
        (`Sample.rounding`); None for the sample's own; the figures have one size
    seed : 0 or more
    weights : "int" (int32) or "float" (float64)

    Raises
    ------
    ParameterError, MemoryNeededError (found before anything is made)
    """
    sample = _find(key)
    n = _checked_size(sample, n)
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ParameterError(f"seed = {seed!r}; allowed: a whole number from 0")
    if weights not in {"int", "float"}:
        raise ParameterError(f"weights = {weights!r}; allowed: int or float")
    needed = _bytes_of(sample, n)
    if n >= CHECK_MEMORY_FROM or needed >= CHECK_MEMORY_BYTES:
        from gpu.files import require_memory

        require_memory(needed, f"{sample.title} of {n:,} vertices")
    module, function = sample.maker.split(":")
    maker: Callable[[int, int], CSRGraph] = getattr(
        import_module(f"sample_graphs.{module}"), function
    )
    graph = maker(n, seed)
    values = graph.weights
    if weights == "int":
        np.maximum(np.rint(values, out=values), 1, out=values)
        values = values.astype(np.int32)
    else:
        values = values.astype(np.float64)
    return replace(
        graph,
        weights=values,
        name=sample.title if sample.fixed else f"{sample.title} {graph.n:,}",
        provenance=Provenance(
            origin=PREFIX + sample.key,
            format="sample",
            options={"n": n, "seed": seed, "weights": weights},
        ),
    )


def open_sample(reference: str) -> CSRGraph:
    """Make the sample that a reference names: `sample:city_roads?n=5000&seed=2`, or a key.

    Options after the question mark: n, seed, weights (int or float).
    Raises ParameterError, MemoryNeededError.
    """
    key, options = _parsed(reference)
    n, seed = (_whole(reference, name, options.get(name)) for name in ("n", "seed"))
    return make(
        key,
        n=n,
        seed=1 if seed is None else seed,
        weights=options.get("weights", "int"),
    )


def _bytes_of(sample: Sample, n: int) -> int:
    return n * sample.peak_bytes + n * n * sample.pair_bytes


def _parsed(reference: str) -> tuple[str, dict[str, str]]:
    """Return key and options of a reference. Raises ParameterError."""
    key, _, query = reference.removeprefix(PREFIX).partition("?")
    options: dict[str, str] = {}
    for part in filter(None, query.split("&")):
        name, equals, value = part.partition("=")
        if name not in {"n", "seed", "weights"} or not equals:
            raise ParameterError(
                f"{reference!r}: {part!r} is no option; there are: n=, seed= and weights="
            )
        options[name] = value
    return key, options


def reference_of(graph: CSRGraph) -> str | None:
    """Return the reference that `open_sample` makes this graph from; None if it is no sample."""
    if not graph.provenance.origin.startswith(PREFIX):
        return None
    return remembered_reference(graph.provenance.origin, graph.provenance.options)


def open_reference(origin: str, options: Mapping[str, Any]) -> CSRGraph:
    """Make a sample again from what its provenance (or a trace) remembers of it."""
    return open_sample(remembered_reference(origin, options))


def remembered_reference(origin: str, options: Mapping[str, Any]) -> str:
    """Return the reference of a sample from what its provenance remembers."""
    row = CATALOGUE.get(origin.removeprefix(PREFIX))
    if row is not None and row.fixed:
        options = {name: value for name, value in options.items() if name == "weights"}
    words = [f"{name}={value}" for name, value in options.items() if value != "int"]
    return origin + ("?" + "&".join(words) if words else "")


def suggested_source(graph: CSRGraph) -> int:
    """Return the vertex that shows a sample best, an index in [0, n); 0 for other graphs.

    City roads, geometric: the vertex nearest to the centre. R-MAT, preferential attachment:
    the first of the largest out-degree. Others: vertex 0, a corner or the paper's source.
    """
    row = CATALOGUE.get(graph.provenance.origin.removeprefix(PREFIX))
    if row is None or not graph.provenance.origin.startswith(PREFIX):
        return 0
    if row.source == "hub":
        return int(np.argmax(np.diff(graph.indptr)))
    if row.source == "centre" and graph.positions is not None:
        x, y = graph.positions.T
        return int(np.argmin(x * x + y * y))
    return 0


def _find(key: str) -> Sample:
    if key not in CATALOGUE:
        near = did_you_mean(key, CATALOGUE)
        raise ParameterError(f"no sample {key!r}{near}; there are: {', '.join(CATALOGUE)}")
    return CATALOGUE[key]


def _checked_size(sample: Sample, n: int | None) -> int:
    if n is None:
        return sample.default_n
    if sample.fixed:
        if n != sample.default_n:
            raise ParameterError(
                f"{sample.key} always has {sample.default_n} vertices, not {n}; leave n out"
            )
        return n
    if isinstance(n, bool) or not isinstance(n, int) or not SMALLEST <= n <= sample.largest:
        raise ParameterError(
            f"{sample.key}: n = {n!r}; allowed: a whole number from {SMALLEST} to {sample.largest}"
        )
    return n


def _whole(reference: str, name: str, text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        raise ParameterError(f"{reference!r}: {name}={text}; allowed: a whole number") from None
