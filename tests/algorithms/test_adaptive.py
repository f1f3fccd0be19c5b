"""The form of a run: chosen the same every time, by graphs made for each, and proved."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from shapes import SHAPES, grid, random

import gpu
from gpu.algorithms import find
from gpu.algorithms.adaptive import (
    HOPS,
    Facts,
    Scouted,
    choice_of,
    choose,
    choose_unscouted,
    facts_of,
    has_seen_enough,
    places,
    scout,
    settled,
)
from gpu.graph import CSRGraph
from gpu.proof.verify import oracle_distances
from gpu.record.trace import reached_mask

COUNTS = st.integers(0, 4096)
FORMS = {"adds", "near_far", "bellman_ford", "async_near_far"}


@pytest.mark.parametrize("form", SHAPES)
def test_each_form_is_chosen_by_a_graph_made_for_it(form: str) -> None:
    for make in SHAPES[form]:
        graph = make()
        choice = choice_of(graph, 0)
        assert choice.form == form, (graph.name, choice)
        trace = gpu.run(graph, "adaptive", "model", 0, probe=1)
        assert (trace.environment["form"], trace.environment["form_why"]) == (form, choice.why)
        alone = gpu.run(graph, form, "model", 0, delta=choice.delta, probe=1)
        assert trace.time_ns == alone.time_ns  # the form's run, and nothing else
        reached, expected = reached_mask(trace.dist), oracle_distances(graph, 0)
        assert np.array_equal(reached, np.isfinite(expected))
        assert np.array_equal(trace.dist[reached], expected[reached])


@pytest.mark.parametrize("form", SHAPES)
def test_the_choice_does_not_hang_on_the_order_of_arcs(form: str) -> None:
    for make in SHAPES[form]:
        graph = make()
        tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
        order = np.lexsort((np.random.default_rng(1).random(graph.m), tails))
        shuffled = CSRGraph(graph.indptr, graph.indices[order], graph.weights[order])
        assert choice_of(shuffled, 0).form == choice_of(graph, 0).form


def test_a_delta_asked_for_is_the_forms() -> None:
    graph = SHAPES["async_near_far"][0]()
    trace = gpu.run(graph, "adaptive", "model", 0, delta=123.0, probe=1)
    assert trace.environment["form"] == "async_near_far"
    assert (trace.samples["delta"] == 123.0).all()


@given(st.integers(0, 2**32 - 1))
def test_a_scout_counts_the_levels_of_a_breadth_first_search(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 80)), int(rng.integers(0, 200))
    tails, heads = rng.integers(0, n, m), rng.integers(0, n, m)
    graph = CSRGraph.from_arcs(tails, heads, np.ones(m, np.int32), n)
    most = int(rng.choice([4, 30, 4096]))
    seen = scout(graph.indptr, graph.indices, 0, most_vertices=most)
    hops = dijkstra(csr_array((np.ones(m), (tails, heads)), (n, n)), indices=0, unweighted=True)
    levels = np.bincount(hops[np.isfinite(hops)].astype(int), minlength=HOPS + 2)
    told = np.array(seen.levels)
    assert np.array_equal(told, levels[: len(told)])
    assert seen.wide == (not has_seen_enough(seen.levels))
    assert not seen.wide or told.sum() + levels[len(told)] > most
    assert seen.arcs == np.diff(graph.indptr)[hops == len(told) - 1].sum()


@given(
    facts=st.builds(
        Facts,
        n=st.integers(1, 10**8),
        m=st.integers(0, 10**9),
        mean_degree=st.floats(0, 1e4),
        largest_degree=st.integers(0, 10**6),
        mean_weight=st.floats(0, 1e9),
        median_weight=st.floats(0, 1e9),
        equal_weights=st.booleans(),
        integer=st.booleans(),
    ),
    levels=st.lists(COUNTS, max_size=HOPS),
    arcs=COUNTS,
    wide=st.booleans(),
)
def test_a_row_is_chosen_whatever_was_seen_and_always_with_words(
    facts: Facts, levels: list[int], arcs: int, wide: bool
) -> None:
    for choice in (choose(facts, Scouted((1, *levels), arcs, wide)), choose_unscouted(facts)):
        if choice is not None:
            assert choice.form in FORMS
            assert choice.why
            assert choice.delta is None or (choice.delta > 0 and find(choice.form).bucketed)


def test_a_graph_is_looked_at_once_and_then_the_source_says_nothing() -> None:
    graph = SHAPES["async_near_far"][0]()
    choices = settled(graph)
    assert choices is not None
    assert settled(graph) is choices
    assert {choice_of(graph, source) for source in range(0, graph.n, 97)} == {choices.usual}
    assert choices.usual.why.startswith("16 of 16 scouts say so: hops grow slowly: ")


def test_runs_from_a_hub_take_the_form_that_the_largest_hub_wants() -> None:
    graph = SHAPES["bellman_ford"][2]()  # 64 chains from one vertex
    assert choice_of(graph, 0).form == "bellman_ford"
    assert choice_of(graph, 0).why.startswith("a scout at the largest hub says so: a path: ")
    assert choice_of(graph, 100).form == "async_near_far"


def test_where_scouts_disagree_the_source_decides() -> None:
    deep, shallow = grid(90), random(8000, 3)
    graph = CSRGraph(
        np.r_[deep.indptr, deep.m + shallow.indptr[1:]],
        np.r_[deep.indices, deep.n + shallow.indices].astype(np.int32),
        np.r_[deep.weights, shallow.weights],
    )
    assert settled(graph) is None
    assert choice_of(graph, 0).form == "async_near_far"
    assert choice_of(graph, deep.n).form == "bellman_ford"


def test_scouts_begin_where_there_are_arcs() -> None:
    graph = CSRGraph.from_arcs(np.array([5, 700]), np.array([6, 701]), np.ones(2, np.int32), 1000)
    assert set(places(graph)) <= {5, 700}
    none = np.zeros(0, np.int32)
    assert places(CSRGraph.from_arcs(none, none, none, 3)) == []
    assert settled(graph) is None
    assert choice_of(graph, 2).form  # all the same


def test_facts_are_of_all_weights_and_not_of_the_first() -> None:
    graph = SHAPES["async_near_far"][1]()
    facts = facts_of(graph)
    assert facts is facts_of(graph)
    assert facts.median_weight == pytest.approx(np.median(graph.weights), rel=0.3)
    assert facts.largest_degree == 4
    assert not facts.equal_weights
