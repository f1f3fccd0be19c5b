"""The kernels of supersteps on a real GPU; skipped with the reason where there is none."""

import dataclasses
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from test_cuda_gpu import (
    PROBED,
    arcs,
    assert_right,
    deltas_of,
    families,
    lattice,
    run_typed,
    settings_of,
)

from gpu.algorithms import find
from gpu.cuda import supersteps, watchdog
from gpu.cuda.device import why_not
from gpu.cuda.rho_stepping import RHO_STEPPING
from gpu.cuda.supersteps import Kernel
from gpu.engine import Observer, RunBuffers
from gpu.errors import MemoryNeededError
from gpu.graph import CSRGraph
from gpu.numbers import NUMBER_TYPES
from gpu.proof.verify import oracle_distances
from gpu.record.trace import reached_mask

REASON = why_not()
pytestmark = [pytest.mark.gpu, pytest.mark.skipif(REASON is not None, reason=str(REASON))]

NEW = ("bellman_ford", "delta_stepping", "rho_stepping")
ALGORITHMS = ("near_far", *NEW)


@pytest.fixture(autouse=True)
def _short_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "LIMIT_S", 10.0)


def kernel_of(algorithm: str) -> Kernel:
    kernel: Kernel = getattr(supersteps, algorithm.upper(), RHO_STEPPING)
    return kernel


@pytest.mark.parametrize("numbers", NUMBER_TYPES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_frontiers_as_wide_as_the_device(algorithm: str, numbers: str) -> None:
    rng = np.random.default_rng(3)
    n, m = 150_000, 900_000
    wide = arcs(rng.integers(0, n, m), rng.integers(0, n, m), rng.integers(1, 1000, m), n, numbers)
    spokes = np.arange(1, 40_001)  # a hub whose leaves are hubs' neighbours again
    star = arcs(
        np.concatenate([np.zeros(40_000, int), spokes]),
        np.concatenate([spokes, spokes % 700]),
        rng.integers(1, 1000, 80_000),
        40_001,
        numbers,
    )
    for graph in (wide, star, lattice(700, numbers)):
        expected = oracle_distances(graph, 0)
        for delta in deltas_of(algorithm, graph):
            trace = run_typed(graph, algorithm, "cuda", delta=delta, probe=0)
            reached = reached_mask(trace.dist)
            assert np.array_equal(reached, np.isfinite(expected))
            assert trace.dist[reached] == pytest.approx(expected[reached], rel=1e-5)


@pytest.mark.parametrize(("probe", "numbers"), PROBED)
def test_a_step_of_any_size_gives_the_same_distances(probe: int, numbers: str) -> None:
    """From one vertex, Dijkstra's order, to more than there are, Bellman-Ford's."""
    graphs = [*families(numbers).items(), ("wide", lattice(300, numbers))]
    for name, graph in graphs:
        sizes = (1, 7, 300, 5000, 2**31 - 1) if graph.n < 1000 else (700, 20_000)
        for rho in sizes:
            trace = run_typed(graph, "rho_stepping", "cuda", probe=probe, parameters={"rho": rho})
            assert trace.outcome == "finished", (name, rho)
            assert_right(graph, 0, trace.dist)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_weights_of_powers_of_two_run_no_pile_dry(algorithm: str) -> None:
    """A bucket processes a vertex dozens of times, and notes it as settled once."""
    graph = lattice(512, "int32")
    weights = 1 << np.random.default_rng(4).integers(0, 21, graph.m)
    heavy = CSRGraph(graph.indptr, graph.indices, weights.astype(np.int32))
    assert_right(heavy, 0, run_typed(heavy, algorithm, "cuda", probe=0).dist)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_full_pile_ends_the_run_with_sizes(algorithm: str) -> None:
    small = dataclasses.replace(kernel_of(algorithm), room=lambda graph: 5000)
    leaves = np.arange(1, 100_001)
    for weight in (1, 10**6):  # all near, or all far
        graph = arcs(np.zeros(100_000), leaves, np.full(100_000, weight), 100_001)
        buffers, watching = RunBuffers.allocate(graph, 0), Observer()
        delta = 10.0 if find(algorithm).bucketed else None
        with pytest.raises(MemoryNeededError, match="the queues' 5,000 places"):
            small.run(graph, settings_of(algorithm, 0, delta), buffers, watching)


def wrong_beside_others(algorithm: str) -> int:
    """Return how many of three runs on a star of many buckets are wrong; in a process of its own.

    Each bucket is split by all blocks and worked at by one, 17,000 times a run.
    """
    rng = np.random.default_rng(3)
    n = 17_300
    leaves, zeros = np.arange(1, n), np.zeros(n - 1, int)
    tails, heads = (
        np.concatenate([zeros, leaves]),
        np.concatenate([leaves, rng.permutation(leaves)]),
    )
    graph = arcs(tails, heads, rng.integers(1, 2**40, 2 * n - 2), n, "int64")
    expected = oracle_distances(graph, 0)
    traces = [run_typed(graph, algorithm, "cuda", delta=1000.0, probe=0) for _ in range(3)]
    return sum(not np.array_equal(trace.dist.astype(np.float64), expected) for trace in traces)


@pytest.mark.parametrize("algorithm", ["near_far", "delta_stepping"])
def test_processes_that_share_the_gpu_get_right_distances(algorithm: str) -> None:
    """Another's time slice comes between any two instructions of a block."""
    with ProcessPoolExecutor(6, multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(wrong_beside_others, [algorithm] * 6, timeout=150)) == [0] * 6
