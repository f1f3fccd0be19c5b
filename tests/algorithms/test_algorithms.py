"""Every row on every engine that needs no GPU equals an oracle, on 200 random graphs and families.

The oracle is SciPy's Dijkstra over float64, with parallel arcs reduced to the lightest. Each
random graph goes to every second pair of row and engine, so that all of them meet every kind of
graph without the test taking minutes.
"""

import numpy as np
import pytest

import gpu
from gpu.algorithms import ALGORITHMS, Parameter
from gpu.errors import EngineError, ParameterError
from gpu.graph import CSRGraph
from gpu.record.trace import reached_mask

HERE = ("model", "cpu")
PAIRS = [
    (key, engine)
    for key, row in ALGORITHMS.items()
    for engine in HERE
    if engine in row.engines and row.result == "row"
]
GRAPHS, BATCHES = 200, 4


def oracle(graph: CSRGraph, source: int) -> np.ndarray:
    """Return float64 (n,) by SciPy; zero weights and parallel arcs as they should be."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    order = np.lexsort((graph.weights, graph.indices, tails))
    tails, heads = tails[order], graph.indices[order]
    first = np.ones(len(tails), bool)
    first[1:] = (np.diff(tails) != 0) | (np.diff(heads) != 0)
    weights = graph.weights[order][first].astype(np.float64)
    tiny = 2.0**-40  # SciPy takes an explicit zero for no arc
    matrix = csr_array(
        (np.where(weights > 0, weights, tiny), (tails[first], heads[first])), (graph.n, graph.n)
    )
    dist = dijkstra(matrix, indices=source)
    return np.where(dist < 2.0**-20, 0.0, dist)


def random_graph(seed: int) -> CSRGraph:
    """Return a small graph: directed or not, integer or float, with loops, zeros, parallels."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 60)), int(rng.integers(0, 240))
    tails, heads = rng.integers(0, n, m), rng.integers(0, n, m)
    if seed % 3 == 0:
        tails, heads = np.r_[tails, heads], np.r_[heads, tails]
    if seed % 5 == 0:  # parallel arcs and loops on purpose
        tails, heads = np.r_[tails, tails, tails[:5]], np.r_[heads, heads, tails[:5]]
    if seed % 7 == 0:  # two parts
        keep = (tails < n // 2) == (heads < n // 2)
        tails, heads = tails[keep], heads[keep]
    weights: np.ndarray = rng.integers(
        seed % 2, (3, 30, 5000)[seed % 3 if seed % 4 else 2], len(tails)
    )
    if seed % 11 == 0:
        weights = np.zeros(len(tails))
    if seed % 2 == 0:
        return CSRGraph.from_arcs(tails, heads, (weights * 0.37).astype(np.float32), n)
    return CSRGraph.from_arcs(tails, heads, weights.astype(np.int32), n)


def assert_equal(graph: CSRGraph, dist: np.ndarray, expected: np.ndarray, what: str) -> None:
    got = np.where(reached_mask(dist), dist.astype(np.float64), np.inf)
    if graph.integer:
        np.testing.assert_array_equal(got, expected.round(), what)
    else:
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-9, err_msg=what)


@pytest.mark.slow  # it compiles the loops of the CPU
@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_graphs(batch: int) -> None:
    for seed in range(batch, GRAPHS, BATCHES):
        graph = random_graph(seed)
        source = seed % graph.n
        expected = oracle(graph, source)
        for key, engine in PAIRS[seed // 14 % 2 :: 2]:  # 14: integer or not, two parts or not
            trace = gpu.run(graph, key, engine, source, probe=seed % 3)
            assert_equal(graph, trace.dist, expected, f"{key} on {engine}, seed {seed}")


def test_an_ablation_is_the_same_engine_with_a_knob_fixed() -> None:
    graph = random_graph(1)
    for key, row in ALGORITHMS.items():
        if not row.fixed or row.result != "row":
            continue
        settings = gpu.run(graph, key).settings
        assert row.fixed.items() <= settings.parameters.items()
        assert not {knob.key for knob in row.parameters} & set(row.fixed)
        name, value = next(iter(row.fixed.items()))
        with pytest.raises(ParameterError, match=f"{key} has no parameter '{name}'"):
            row.checked_parameters({name: not value})


def test_static_delta_is_the_one_of_near_far() -> None:
    graph = random_graph(5)
    used = {gpu.run(graph, key).samples["delta"][0] for key in ("adds_static", "near_far")}
    assert used == {gpu.run(graph, "adds_two_buckets").samples["delta"][-1]}


def test_a_missing_module_is_one_sentence_with_the_line_that_installs_it() -> None:
    from dataclasses import replace

    needs = {"no_such_module.at_all": "pip install no-such-module"}
    row = replace(ALGORITHMS["adds"], title="Somebody's", needs=needs)
    words = "Somebody's needs no_such_module.at_all, which is not installed: pip install no-such"
    assert words in (row.problem("model") or "")
    with pytest.raises(EngineError, match=words):
        row.check_engine("model")
    with pytest.raises(ParameterError, match="it runs on: model"):
        row.check_engine("nowhere")


def test_a_knob_concerns_all_engines_unless_it_says_which() -> None:
    everywhere = Parameter("a", "A", "int", 1, "")
    assert everywhere.concerns("model")
    assert not Parameter("a", "A", "int", 1, "", engines=("cpu",)).concerns("model")
