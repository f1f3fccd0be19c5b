"""Arcs to rows: stable, checked, and the same compiled as in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gpu.errors import GpuError, GraphError
from gpu.formats import warm_up
from gpu.graph import CSRGraph
from gpu.parsing import csr
from gpu.parsing.arrange import PAIRED
from gpu.parsing.csr import arcs_to_csr, checked_with_facts

Arrays = tuple[np.ndarray, np.ndarray, np.ndarray]


def assert_same_facts(arrays: Arrays) -> csr.ArcFacts:
    graph = CSRGraph(*arrays)
    looked_at, facts = checked_with_facts(graph, compiled=True)
    assert looked_at is graph
    assert facts == checked_with_facts(graph, compiled=False)[1]
    return facts


@pytest.mark.parametrize("both", [False, True])
def test_sort_is_stable_and_compiled_equals_numpy(both: bool) -> None:
    warm_up()
    rng = np.random.default_rng(5)
    for n, m in ((1, 5), (7, 60), (3000, 20_000)):
        tails, heads = rng.integers(3, n + 3, m), rng.integers(3, n + 3, m)
        for weights in (
            rng.integers(0, 3, m).astype(np.int32),
            rng.random(m).astype(np.float32),
        ):
            one = arcs_to_csr(tails, heads, weights, n, base=3, both=both, compiled=True)
            two = arcs_to_csr(tails, heads, weights, n, base=3, both=both, compiled=False)
            for a, b in zip(one, two, strict=True):
                assert a.dtype == b.dtype
                assert np.array_equal(a, b)
            assert_same_facts(one)


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("threads", [2, 3, 7])
def test_threads_agree(both: bool, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csr, "THREADED_ARCS", 1)
    monkeypatch.setattr(csr, "cores", lambda: threads)
    rng = np.random.default_rng(threads)
    for n, m in ((1, 3), (4, 5), (900, 5000)):
        tails, heads = rng.integers(0, n, (2, m))
        weights = rng.integers(0, 3, m).astype(np.int32)
        one = arcs_to_csr(tails, heads, weights, n, both=both, compiled=True)
        two = arcs_to_csr(tails, heads, weights, n, both=both, compiled=False)
        assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
        assert_same_facts(one)
    with pytest.raises(GpuError, match="vertex 9 is out of range"):
        arcs_to_csr(
            np.array([1, 9]), np.array([0, 0]), np.ones(2, np.int32), 3, both=both, compiled=True
        )


@pytest.mark.parametrize("compiled", [True, False])
def test_sort_refuses_what_is_no_vertex(compiled: bool) -> None:
    with pytest.raises(GpuError, match="vertex 4 is out of range; 3 vertices are 1 to 3"):
        arcs_to_csr(
            np.array([1]), np.array([4]), np.ones(1, np.int32), 3, base=1, compiled=compiled
        )
    with pytest.raises(GpuError, match="same length"):
        arcs_to_csr(np.array([1]), np.array([], int), np.ones(1, np.int32), 3, compiled=compiled)


@pytest.mark.parametrize("threads", [1, 4])
def test_facts_of_short_and_of_long_rows(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csr, "THREADED_ARCS", 1)
    monkeypatch.setattr(csr, "cores", lambda: threads)
    n, heads = 40, np.arange(40)
    rows = [heads[: int(PAIRED)], heads, np.repeat(heads, 2), heads[:2].repeat(3), heads[:0]] * 8
    indptr = np.cumsum([0, *map(len, rows)])
    weights = np.resize(np.array([0, 1, 2.5], np.float32), indptr[-1])
    facts = assert_same_facts((indptr, np.concatenate(rows).astype(np.int32), weights))
    assert (facts.parallel, facts.zeros) == (8 * (n + 4), -(-indptr[-1] // 3))
    assert facts.loops > 8


def broken(what: str) -> Arrays:
    indptr, indices = np.array([0, 2, 3, 3]), np.array([1, 2, 0], np.int32)
    weights = np.array([1, 2, 3], np.float32)
    if what.startswith("indptr"):
        indptr[1] = 4 if what == "indptr falls" else -1
    elif what.endswith("head"):
        indices[2] = 3 if what == "head" else -1
    else:
        weights[1] = float(what)
    return indptr, indices, weights


@pytest.mark.parametrize(
    "what",
    ["indptr falls", "indptr is negative", "head", "negative head", "-1", "inf", "nan", "-inf"],
)
def test_compiled_checks_find_what_the_others_find(what: str) -> None:
    graph = CSRGraph(*broken(what))
    with pytest.raises(GpuError) as one:
        graph.checked()
    with pytest.raises(GpuError) as two:
        checked_with_facts(graph, compiled=True)
    assert str(one.value) == str(two.value)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"indices": np.array([1, 2, 0])}, "indptr is int64, indices int64; need int64 and int32"),
        ({"indptr": np.array([0, 2, 3, 3], np.int32)}, "indptr is int32, indices int32; need"),
        ({"weights": np.ones(3, np.int16)}, "weights are int16; allowed: int32, int64, float32"),
        ({"weights": np.ones(2, np.int32)}, "2 weights for 3 arcs"),
        ({"weights": np.ones((3, 1), np.int32)}, "need one dimension each"),
        ({"indptr": np.array([1, 2, 3, 3])}, "indptr must rise from 0 to the 3 arcs"),
        ({"indptr": np.array([0, 2, 3, 2])}, "indptr must rise from 0 to the 3 arcs"),
        ({"indptr": np.array([], np.int64)}, "indptr must rise from 0 to the 3 arcs"),
        ({"positions": np.zeros((2, 2))}, r"positions have shape \(2, 2\), need \(3, 2\)"),
    ],
)
def test_a_graph_of_other_types_or_lengths_is_never_made(
    changed: dict[str, Any], words: str
) -> None:
    names = ("indptr", "indices", "weights")
    arrays: dict[str, Any] = dict(zip(names, broken("1"), strict=True))
    assert CSRGraph(**arrays).checked().m == 3
    with pytest.raises(GraphError, match=words):
        CSRGraph(**{**arrays, **changed})


def test_arrays_with_gaps_are_looked_at_as_they_are() -> None:
    indptr, indices, weights = broken("0")
    indices[0], apart = 0, np.zeros(6, np.int32)
    apart[::2] = indices
    graph = CSRGraph(indptr, apart[::2], weights)
    facts = checked_with_facts(graph, compiled=True)[1]
    assert (facts.loops, facts.zeros) == (1, 1)


def test_minus_zero_becomes_zero_compiled_too() -> None:
    graph, facts = checked_with_facts(CSRGraph(*broken("-0.0")), compiled=True)
    assert not np.signbit(graph.weights).any()
    assert facts.zeros == 1
