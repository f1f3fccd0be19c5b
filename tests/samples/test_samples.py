"""Generated graphs have the shape, size and weights that they promise, every time."""

import numpy as np
import pytest
from processes import python

from gpu.errors import MemoryNeededError
from gpu.graph import CSRGraph
from gpu.proof.verify import oracle_distances
from sample_graphs import CATALOGUE, FIRST_SAMPLE, make, open_sample, reference_of, suggested_source

DRAWN_BY_LAYOUT = {"rmat", "erdos_renyi", "band"}  # no natural positions
DRAWN_BY_LAYOUT |= {"karate_club", "les_miserables", "petersen"}
EXACT = ("erdos_renyi", "chain", "band")
SCALABLE = [key for key, sample in CATALOGUE.items() if not sample.fixed]


def ends(graph: CSRGraph) -> tuple[np.ndarray, np.ndarray]:
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    return tails, graph.indices.astype(np.int64)


@pytest.mark.parametrize("weights", ["int", "float"])
@pytest.mark.parametrize("key", CATALOGUE)
def test_every_sample_is_a_sound_graph(key: str, weights: str) -> None:
    graph = make(key, weights=weights).checked()
    assert graph.weights.dtype == (np.int32 if weights == "int" else np.float64)
    assert graph.weights.min() > 0
    assert graph.provenance.origin == f"sample:{key}"
    if key not in DRAWN_BY_LAYOUT:
        assert graph.positions.dtype == np.float32
        assert np.isfinite(graph.positions).all()
        assert len(np.unique(graph.positions, axis=0)) > 0.95 * graph.n or key == "mesh"
    assert 0 <= suggested_source(graph) < graph.n
    assert len(CATALOGUE[key].sentence) > 40


@pytest.mark.parametrize("n", [10, 37, 150, 1000])
def test_sizes(n: int) -> None:
    assert make("city_roads", n=n).n == n
    rows = int(np.sqrt(n))
    assert abs(make("grid", n=n).n - n) <= rows / 2
    side = round(make("mesh", n=n).n ** (1 / 3))
    assert (side - 1) ** 3 < n < (side + 1) ** 3
    count = make("rmat", n=n).n
    assert count & (count - 1) == 0
    assert n / 1.5 < count < n * 1.5
    for key in SCALABLE:
        graph = make(key, n=n)
        assert graph.n == n or key not in EXACT
        again = open_sample(str(reference_of(graph)))
        assert (again.hash, again.n) == (graph.hash, graph.n)


@pytest.mark.parametrize("seed", [1, 3])
def test_city_is_a_road_network(seed: int) -> None:
    graph = make("city_roads", n=6000, seed=seed)
    assert 2.6 < graph.mean_degree < 2.9
    tails, heads = ends(graph)
    assert (tails != heads).all()
    arcs = set(zip(tails.tolist(), heads.tolist(), strict=True))
    assert len(arcs) == graph.m
    one_way = sum((v, u) not in arcs for u, v in arcs) / graph.m
    assert 0.005 < one_way < 0.05
    streets = {(min(arc), max(arc)) for arc in arcs}
    degree = np.bincount(np.array(list(streets)).ravel())
    share = np.bincount(degree, minlength=6) / graph.n
    assert share[1] > 0.03  # dead ends
    assert share[3] > 0.3  # T-junctions
    assert share[4] > 0.1  # crossings
    assert share[5:].sum() < 0.005
    source = suggested_source(graph)
    assert np.isfinite(oracle_distances(graph, source)).all()
    back = CSRGraph.from_arcs(heads, tails, graph.weights, graph.n)
    assert np.isfinite(oracle_distances(back, source)).all()
    hops = oracle_distances(CSRGraph(graph.indptr, graph.indices, np.ones_like(graph.weights)), 0)
    assert hops.max() > 1.2 * np.sqrt(graph.n)  # long and thin


@pytest.mark.parametrize(("degree", "diameter"), [(4, 20), (6, 20), (24, 100), (48, 60)])
def test_a_band_is_as_dense_and_as_long_as_asked_for(degree: int, diameter: int) -> None:
    graph = make("band", n=4000, degree=degree, diameter=diameter)
    assert 0.95 * degree < graph.mean_degree <= degree
    hops = oracle_distances(CSRGraph(graph.indptr, graph.indices, np.ones_like(graph.weights)), 0)
    assert 0.8 * diameter < hops.max() <= 1.2 * diameter
    assert open_sample(reference_of(graph) or "").hash == graph.hash


def test_memory_is_checked_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu.files.available_bytes", lambda: 10**9)
    with pytest.raises(MemoryNeededError, match="R-MAT of 20,000,000 vertices"):
        make("rmat", n=20_000_000)


def test_first_sample_needs_neither_numba_nor_scipy() -> None:
    python(
        "import sys; from sample_graphs import make, FIRST_SAMPLE, CATALOGUE\n"
        "for key in CATALOGUE: make(key)\n"
        "assert not {'numba', 'scipy'} & set(sys.modules), set(sys.modules)"
    )
    assert CATALOGUE[FIRST_SAMPLE].default_n == 12_000
