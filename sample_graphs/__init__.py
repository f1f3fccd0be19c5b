"""Graphs made on the spot, each chosen to show something: no files, the same every time.

    graph = make("city_roads", n=12_000, seed=1)
    graph = open_sample("sample:city_roads?n=5000&seed=2&weights=float")

The same key, n, seed and weights give the same graph on every machine (NumPy's PCG64;
the hash of a small one of each is tested). Integer weights are int32, "float" gives the
same weights as float64, for city roads before rounding.

Making a sample of 20,000 vertices or fewer imports neither Numba nor SciPy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import numpy as np

from gpu.errors import ParameterError
from gpu.files import require_memory
from gpu.graph import CSRGraph, Provenance
from gpu.words import did_you_mean

SMALLEST, LARGEST = 10, 20_000_000  # vertices that may be asked for
FIRST_SAMPLE = "city_roads"
PREFIX = "sample:"


@dataclass(frozen=True)
class Sample:
    """One row of the catalogue.

    maker : "module:function", called with (n, seed), gives float32 weights
    rounding : what n becomes where the shape does not allow any
    fixed : whether the number of vertices cannot be chosen
    shape : whole numbers above 0 that its maker takes too, with their defaults
    peak_bytes : memory needed while it is made, per vertex
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
    shape: Mapping[str, int] = field(default_factory=dict)


def _figure(key: str, title: str, n: int, sentence: str, source: str = "first") -> Sample:
    return Sample(key, title, sentence, f"small:{key}", n, f"always {n}", source, fixed=True)


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
        *("random_graphs:rmat", 4_096, "the nearest power of two", "hub", 420),
    ),
    Sample(
        "erdos_renyi",
        "Erdős-Rényi",
        "Uniform random edges, eight a vertex: no hubs and no long ways, so parallelism rises and "
        "falls like a bell.",
        *("random_graphs:erdos_renyi", 5_000, "any n", "first", 240),
    ),
    Sample(
        "chain",
        "Chain",
        "One vertex after the other: no parallelism at all, so the run measures nothing but how "
        "long one step takes.",
        *("lattices:chain", 1_000, "any n", "first", 110),
    ),
    Sample(
        "band",
        "Band",
        "A long strip of random neighbours: you choose degree and length separately, which no real "
        "graph allows.",
        *("random_graphs:band", 8_000, "any n", "first", 800),
        shape={"degree": 8, "diameter": 200},
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
        *("petersen", "Petersen graph", 10),
        "Ten vertices of degree three, no two more than two steps apart: the counterexample of "
        "the textbooks.",
    ),
)
CATALOGUE: dict[str, Sample] = {sample.key: sample for sample in _ROWS}


def make(
    key: str, *, n: int | None = None, seed: int = 1, weights: str = "int", **shape: int
) -> CSRGraph:
    """Make a sample.

    Parameters
    ----------
    key : a key of `CATALOGUE`
    n : vertices, 10 to LARGEST, rounded to what the shape allows
        (`Sample.rounding`); None for the sample's own; the figures have one size
    seed : 0 or more
    weights : "int" (int32) or "float" (float64)
    shape : of `Sample.shape`

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
    for name, value in shape.items():
        if name not in sample.shape or value < 1:
            words = ", ".join(sample.shape) or "none"
            raise ParameterError(f"{key}: {name} = {value}; allowed: whole numbers of: {words}")
    require_memory(n * sample.peak_bytes, f"{sample.title} of {n:,} vertices")
    module, function = sample.maker.split(":")
    maker = getattr(import_module(f"sample_graphs.{module}"), function)
    shape = {**sample.shape, **shape}
    graph: CSRGraph = maker(n, seed, **shape)
    values = graph.weights
    if weights == "int":
        np.maximum(np.rint(values, out=values), 1, out=values)
        values = values.astype(np.int32)
    else:
        values = values.astype(np.float64)
    name = sample.title if sample.fixed else f"{sample.title} {graph.n:,}"
    options = {"n": n, "seed": seed, "weights": weights, **shape}
    kept = Provenance(PREFIX + sample.key, "sample", options)
    return replace(graph, weights=values, name=name, provenance=kept)


def open_sample(reference: str) -> CSRGraph:
    """Make the sample that a reference names: `sample:city_roads?n=5000&seed=2`, or a key.

    Options after the question mark: n, seed, weights (int or float), and those of its shape.
    Raises ParameterError, MemoryNeededError.
    """
    key, options = _parsed(reference)
    weights = options.pop("weights", "int")
    return make(
        key,
        weights=weights,
        **{name: _whole(reference, name, text) for name, text in options.items()},
    )


def _parsed(reference: str) -> tuple[str, dict[str, str]]:
    key, _, query = reference.removeprefix(PREFIX).partition("?")
    options: dict[str, str] = {}
    known = {"n", "seed", "weights", *(CATALOGUE[key].shape if key in CATALOGUE else ())}
    for part in filter(None, query.split("&")):
        name, equals, value = part.partition("=")
        if name not in known or not equals:
            others = "".join(f", {name}=" for name in sorted(known - {"n", "seed", "weights"}))
            raise ParameterError(
                f"{reference!r}: {part!r} is no option; there are: n=, seed= and weights={others}"
            )
        options[name] = value
    return key, options


def reference_of(graph: CSRGraph) -> str | None:
    """Return the reference that `open_sample` makes this graph from; None if it is no sample."""
    if not graph.provenance.origin.startswith(PREFIX):
        return None
    return remembered_reference(graph.provenance.origin, graph.provenance.options)


def remembered_reference(origin: str, options: Mapping[str, Any]) -> str:
    """Return the reference of a sample from what its provenance remembers."""
    row = CATALOGUE.get(origin.removeprefix(PREFIX))
    if row is not None and row.fixed:
        options = {name: value for name, value in options.items() if name == "weights"}
    words = [f"{name}={value}" for name, value in options.items() if value != "int"]
    return origin + ("?" + "&".join(words) if words else "")


def suggested_source(graph: CSRGraph) -> int:
    """Return the vertex that shows a sample best, an index in [0, n); 0 for other graphs.

    City roads: the vertex nearest to the centre. R-MAT, Les Misérables: the first of the largest
    out-degree. Others: vertex 0, a corner or the paper's source.
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
    if n is None or (sample.fixed and n == sample.default_n):
        return sample.default_n
    if sample.fixed:
        raise ParameterError(
            f"{sample.key} always has {sample.default_n} vertices, not {n}; leave n out"
        )
    if isinstance(n, bool) or not isinstance(n, int) or not SMALLEST <= n <= LARGEST:
        raise ParameterError(
            f"{sample.key}: n = {n!r}; allowed: a whole number from {SMALLEST} to {LARGEST}"
        )
    return n


def _whole(reference: str, name: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ParameterError(f"{reference!r}: {name}={text}; allowed: a whole number") from None
