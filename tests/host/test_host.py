"""The engine process, driven through its host: requests, samples, knobs."""

import time
from collections.abc import Callable
from pathlib import Path

import host_engines as engines
import numpy as np
import pytest
from host_driver import Driver, wait_until

from gpu.host import EngineHost, Memory, RunFinished, RunStarted, Verified
from gpu.record.trace import RunSettings, reached_mask

COMPILING_S = 280.0  # nothing is kept yet, on two busy cores
PLACES = ["shared memory", "files"]
everywhere = pytest.mark.parametrize("driver", PLACES, indirect=True)


@everywhere
def test_load_gives_read_only_views_and_a_first_picture(driver: Driver) -> None:
    loaded = driver.load("named")
    graph = loaded.graph
    assert graph is driver.host.graph
    assert graph.id_of(3) == "v3"
    assert graph.provenance.origin == "named"
    assert graph.provenance.notes == ("a note",)
    assert loaded.provisional_positions[:, 0].tolist() == list(range(20))
    for array in (graph.indptr, graph.indices, graph.weights, graph.ids):
        with pytest.raises(ValueError, match=r"WRITEABLE|read-only|cannot set"):
            array.flags.writeable = True
    assert graph.checked() is graph


@everywhere
def test_run_from_start_to_proof(driver: Driver) -> None:
    driver.load()
    run_id = driver.host.run(engines.settings("stream", count=500))
    assert driver.host.busy
    driver.wait_for(RunStarted, run_id)
    assert driver.host.live.run_id == run_id
    assert driver.host.live.graph is driver.host.graph
    trace = driver.wait_for(RunFinished, run_id).trace
    verified = driver.wait_for(Verified, run_id)
    assert verified.verification.passed
    assert driver.names(run_id) == ["RunStarted", "RunFinished", "Verified"]
    assert not driver.host.busy
    assert trace.outcome == "finished"
    assert trace.samples["sequence"].tolist() == list(range(500))
    assert trace.dist.tolist() == list(range(20))
    assert trace.vertices.first_reached_ns[3] == 30
    assert not trace.dist.flags.writeable
    assert trace.graph.hash == engines.path_graph(20).hash
    assert trace.environment["test"] is True


def test_events_come_back(warm: Driver) -> None:
    warm.load()
    events = warm.finish("with_events", probe=3).trace.events
    assert events["a"].tolist() == list(range(50_000))


def test_samples_arrive_in_order_and_none_is_lost(warm: Driver) -> None:
    warm.load()
    run_id = warm.start_run("stream", count=100_000)
    batches: list[np.ndarray] = []

    def is_over() -> bool:
        batches.append(warm.host.take_samples())
        return "RunFinished" in warm.names(run_id)

    warm.until(is_over)
    batches.append(warm.host.take_samples())
    samples = np.concatenate(batches)
    assert len(samples) == 100_000
    assert (samples["sequence"] == np.arange(100_000)).all()
    assert (warm.wait_for(RunFinished, run_id).trace.samples == samples).all()
    assert len(warm.host.take_samples()) == 0


def test_a_full_ring_holds_the_child_back(warm: Driver) -> None:
    warm.load()
    run_id = warm.start_run("stream", count=200_000)
    ring = warm.host._child.ring  # type: ignore[union-attr]
    wait_until(lambda: ring.room() == 0)
    trace = warm.wait_for(RunFinished, run_id).trace
    assert (trace.samples["sequence"] == np.arange(200_000)).all()


def test_delta_by_hand_is_seen_by_the_engine(warm: Driver) -> None:
    warm.load()
    warm.start_run("endless")
    deltas: list[float] = []

    def seen(delta: float) -> Callable[[], bool]:
        def look() -> bool:
            deltas.extend(warm.host.take_samples()["delta"].tolist())
            return bool(deltas) and deltas[-1] == delta

        return look

    warm.until(seen(0.0))
    warm.host.set_delta(12.5)
    warm.until(seen(12.5))
    warm.host.set_delta(None)
    warm.until(seen(0.0))
    warm.host.set_delta(3.0)
    warm.start_run("endless")
    deltas.clear()
    warm.until(seen(0.0))
    assert deltas[-1] == 0.0  # what was set belonged to the run before


def test_pace_holds_the_run_back(warm: Driver) -> None:
    warm.load()
    warm.host.set_pace(100.0)
    before = time.monotonic()
    run_id = warm.start_run("stream", count=50)
    warm.wait_for(RunFinished, run_id)
    assert time.monotonic() - before > 0.4
    warm.host.set_pace(1e-3)
    run_id = warm.start_run("stream", count=50)
    warm.host.set_pace(None)
    warm.wait_for(RunFinished, run_id)


@pytest.mark.slow
def test_a_real_run_through_the_default_entries(tmp_path: Path) -> None:
    """Compile, run ADDS on the modelled GPU, and check it: what the window does."""
    driven = Driver(EngineHost(None, Memory(folder=str(tmp_path))))
    driven.host.put_graph(engines.path_graph(50))
    run_id = driven.host.run(RunSettings("adds", "model", "", 0, probe=2))
    driven.host.start()
    try:
        compiling_s = 240.0  # of a fresh clone, on two busy cores
        driven.until(lambda: "RunFinished" in driven.names(run_id), compiling_s)
        trace = driven.wait_for(RunFinished, run_id).trace
        assert trace.dist.tolist() == list(range(50))
        assert trace.settings.device != ""
        assert reached_mask(trace.dist).all()
        driven.until(lambda: "Verified" in driven.names(run_id), compiling_s)
        verified = driven.wait_for(Verified, run_id).verification
        assert verified.passed, verified.detail
    finally:
        driven.host.close()
