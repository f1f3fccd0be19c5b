"""The ladder on a real GPU; skipped with the reason where there is none."""

import numpy as np
import pytest
from test_cuda_gpu import assert_right, families, random_graph
from test_ladder import NAMES, distances, finish

from gpu.cuda.device import why_not
from gpu.cuda.ladder import STEPS, CupyMachine, Step, main, prepare
from gpu.errors import EngineError
from gpu.graph import CSRGraph

REASON = why_not()
pytestmark = [pytest.mark.gpu, pytest.mark.skipif(REASON is not None, reason=str(REASON))]


@pytest.fixture(scope="module", params=STEPS, ids=NAMES)
def rung(request: pytest.FixtureRequest) -> tuple[Step, CupyMachine]:
    return request.param, CupyMachine(request.param)


def test_families(rung: tuple[Step, CupyMachine]) -> None:
    for graph in families("int32").values():
        for delta in (None, 1, 100_000):
            if delta == 1 and graph.m and graph.mean_weight > 50:
                continue  # a split for every distance
            assert_right(graph, 0, distances(*rung, graph, 0, delta))


def test_a_hundred_random_graphs(rung: tuple[Step, CupyMachine]) -> None:
    for seed in range(100):
        graph = random_graph(seed, "int32")
        assert_right(graph, seed % graph.n, distances(*rung, graph, seed % graph.n))


def test_a_frontier_as_wide_as_the_device(rung: tuple[Step, CupyMachine]) -> None:
    rng = np.random.default_rng(3)
    tails, heads = rng.integers(0, 150_000, (2, 900_000))
    weights = rng.integers(1, 1000, 900_000).astype(np.int32)
    graph = CSRGraph.from_arcs(tails, heads, weights, 150_000)
    for delta in (None, 1):
        assert_right(graph, 0, distances(*rung, graph, 0, delta))


def test_a_full_pile_or_bucket_is_refused(rung: tuple[Step, CupyMachine]) -> None:
    step, machine = rung
    leaves = np.arange(1, 200_000)
    far = np.full(len(leaves), 1000, np.int32)  # no worker takes from the last bucket so early
    graph = CSRGraph.from_arcs(0 * leaves, leaves, far, 200_000)
    run = prepare(step, machine, graph, 0, 1)
    run.room = 100_000 // 256 if "adds_" in step.name else 100_000
    if step.name in ("adds_pool", "adds_rounds"):
        run._buckets()
    with pytest.raises(EngineError, match="was to hold more"):
        finish(run)


@pytest.mark.parametrize("step", STEPS, ids=NAMES)
def test_each_step_runs_by_itself(step: Step, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([step.name, "sample:grid?n=2500"]) == 0
    printed = capsys.readouterr().out
    assert " ms" in printed
    assert "every distance equals" in printed
