"""A real GPU behind the engine process, as the window uses it: live samples, Stop, Δ by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from host_driver import Driver, left_behind

import sample_graphs
from gpu.cuda.device import why_not
from gpu.graph import CSRGraph
from gpu.host import EngineHost, Memory, Ready, RunFinished, RunStarted, Verified
from gpu.proof.verify import oracle_distances
from gpu.record.trace import SAMPLE, Flag, RunSettings

REASON = why_not()
pytestmark = [pytest.mark.gpu, pytest.mark.skipif(REASON is not None, reason=str(REASON))]
WARM_S = 240.0  # a first run compiles for this card


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    """The real engine process with the real engines; nothing may be left of it."""
    memory = Memory(folder=str(tmp_path))
    host = EngineHost(memory=memory)
    host.start()
    driver = Driver(host)
    driver.until(lambda: any(isinstance(m, Ready) for m in driver.heard), WARM_S)
    yield driver
    host.close()
    assert left_behind(memory) == []


def chain(n: int) -> CSRGraph:
    tails = np.arange(n - 1)
    return CSRGraph.from_arcs(tails, tails + 1, np.full(n - 1, 3, np.int32), n)


def asked(algorithm: str, probe: int = 2) -> RunSettings:
    return RunSettings(algorithm, "cuda", "", 0, probe=probe)


@pytest.mark.parametrize("algorithm", ["adds", "near_far", "bellman_ford", "delta_stepping"])
def test_a_run_is_live_whole_and_verified(driver: Driver, algorithm: str) -> None:
    graph = sample_graphs.make("grid", n=40_000, seed=2)
    driver.host.put_graph(graph)
    run_id = driver.host.run(asked(algorithm))
    driver.until(
        lambda: any(type(m) is RunFinished and m.run_id == run_id for m in driver.heard), WARM_S
    )
    trace = driver.wait_for(RunFinished, run_id).trace
    assert driver.wait_for(Verified, run_id).verification.passed
    assert trace.clock == "measured"
    assert np.array_equal(trace.dist, oracle_distances(graph, 0))
    assert trace.samples["flags"][-1] & int(Flag.FINISHED)
    assert trace.vertices is not None
    assert int(trace.vertices.times_processed.sum()) == trace.processed_vertices


def test_samples_come_while_it_runs_and_stop_keeps_the_partial_trace(driver: Driver) -> None:
    driver.host.put_graph(chain(2_000_000))
    driver.host.run(asked("adds", 1))
    driver.until(lambda: any(type(m) is RunStarted for m in driver.heard), WARM_S)
    taken: list[np.ndarray] = []

    def has_samples() -> bool:
        taken.append(driver.host.take_samples())
        return sum(map(len, taken)) > 20

    driver.until(has_samples, WARM_S)
    live = np.concatenate(taken)
    assert live.dtype == SAMPLE
    assert (np.diff(live["t_ns"]) >= 0).all()
    assert not live["flags"][-1] & int(Flag.FINISHED), "twenty samples came before it ended"
    driver.host.set_delta(640.0)

    def obeyed() -> bool:
        taken.append(driver.host.take_samples())
        return bool(len(taken[-1])) and taken[-1]["delta"][-1] == 640.0

    driver.until(obeyed)
    driver.host.stop()
    driver.until(lambda: any(type(m) is RunFinished for m in driver.heard))
    trace = next(m for m in driver.heard if type(m) is RunFinished).trace
    assert trace.outcome == "stopped"
    assert (trace.samples["flags"] & int(Flag.DELTA_BY_HAND) != 0).any()
    assert 0 < trace.reached < 2_000_000
