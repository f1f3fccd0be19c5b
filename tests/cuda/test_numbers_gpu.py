"""Number types on a real GPU: every row and type at the ends of its range, against exact truth."""

import numpy as np
import pytest
from cuda_numbers import FAULTS, fuzz
from test_cuda_gpu import arcs, chain, run_typed

from gpu.algorithms import ALGORITHMS
from gpu.cuda.device import why_not
from gpu.graph import CSRGraph
from gpu.numbers import NUMBER_TYPES, unreached

REASON = why_not()
pytestmark = [pytest.mark.gpu, pytest.mark.skipif(REASON is not None, reason=str(REASON))]

ROWS = [key for key, row in ALGORITHMS.items() if "cuda" in row.engines and not row.needs]
SINGLE = [key for key in ROWS if ALGORITHMS[key].result == "row"]


@pytest.mark.parametrize("key", ROWS)
def test_random_graphs_at_the_ends_of_every_type(key: str) -> None:
    tally = fuzz([ALGORITHMS[key]], "cuda", 400, 7, float("inf"))
    assert tally.total(*FAULTS) == 0, tally.faults
    assert {numbers for _, numbers, _ in tally.counts} == set(NUMBER_TYPES)
    assert tally.total("refused") > 0


@pytest.mark.parametrize("key", SINGLE)
def test_whole_numbers_that_doubles_do_not_tell_apart(key: str) -> None:
    """Distances beyond 2^53, one unit apart: each must be its own, and the run must end."""
    leaves = np.arange(1, 3001)
    base = 2**62
    graph = arcs(np.zeros(3000), leaves, base + leaves, 3001, "int64")
    for delta in (None, 1.0, 2.0**52):
        given = delta if ALGORITHMS[key].bucketed else None
        dist = run_typed(graph, key, "cuda", delta=given, probe=0).dist
        assert dist.tolist() == [0, *(base + leaves).tolist()]


@pytest.mark.parametrize("key", SINGLE)
def test_a_stopped_run_is_no_overflow(key: str) -> None:
    graph = chain(1_500_000, 3000)  # passes 2^31 half way
    trace = run_typed(graph, key, "cuda", should_stop=lambda: True)
    assert trace.outcome == "stopped"


@pytest.mark.parametrize("numbers", ["int64", "float64"])
def test_hubs_whose_items_fill_every_room(numbers: str) -> None:
    """More than shared memory holds of 64-bit items, near and far, alone and wide."""
    rng = np.random.default_rng(5)
    n, m = 40_000, 400_000
    tails = np.r_[np.zeros(n, int), rng.integers(0, n, m)]
    heads = np.r_[np.arange(n), rng.integers(0, n, m)]
    graph: CSRGraph = arcs(tails, heads, rng.integers(2**40, 2**45, n + m), n, numbers)
    expected = run_typed(graph, "bellman_ford", "cuda").dist
    assert (expected != unreached(expected.dtype)).all()
    for key in SINGLE:
        assert np.array_equal(run_typed(graph, key, "cuda").dist, expected)
