"""The engine process, driven through its host: requests, samples, knobs."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import host_engines as engines
import numpy as np
import pytest
from host_driver import (
    DEADLINE_S,
    Driver,
    on_fresh_host,
    on_shared_host,
    shared_host,
    wait_until,
)

from gpu.compiled import cache_folder
from gpu.host import (
    EngineHost,
    Failed,
    GraphLoaded,
    LayoutDone,
    LoadRequest,
    Memory,
    Progress,
    Ready,
    RunFinished,
    RunStarted,
    Verified,
    aside,
    warm_up,
)
from gpu.host.warm_up import Step, Warming
from gpu.host.worker import Worker
from gpu.interpreter import module_command
from gpu.record.trace import RunSettings, reached_mask


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineHost]:
    """One host for the tests that kill nothing: a start takes half a second."""
    yield from shared_host(tmp_path_factory.mktemp("maps"))


@pytest.fixture
def warm(engine: EngineHost) -> Iterator[Driver]:
    """A driver of the module's host."""
    yield from on_shared_host(engine)


@pytest.fixture(params=["shared memory"])
def driver(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Driver]:
    """A driver of a fresh host, of which nothing may be left."""
    yield from on_fresh_host(tmp_path, request.param)


COMPILING_S = 280.0  # nothing is kept yet, on two busy cores
PLACES = ["shared memory", "files"]
everywhere = pytest.mark.parametrize("driver", PLACES, indirect=True)


# requests


def test_ready_comes_once_the_child_is_warm(driver: Driver) -> None:
    assert driver.host.alive
    ready = driver.wait_for(Ready, 0)
    assert 0 < ready.seconds < DEADLINE_S


@everywhere
def test_load_gives_read_only_views_and_a_first_picture(driver: Driver) -> None:
    loaded = driver.load("named")
    graph = loaded.graph
    assert graph is driver.host.graph
    assert graph.id_of(3) == "v3"
    assert graph.provenance.origin == "named"
    assert graph.provenance.notes == ("a note",)
    assert loaded.provisional_positions is not None
    assert loaded.provisional_positions[:, 0].tolist() == list(range(20))
    for array in (graph.indptr, graph.indices, graph.weights, graph.ids):
        assert array is not None
        with pytest.raises(ValueError, match=r"WRITEABLE|read-only|cannot set"):
            array.flags.writeable = True
    assert graph.checked() is graph


def test_hash_is_worked_out_by_the_child(warm: Driver) -> None:
    graph = warm.load().graph
    warm.until(lambda: "hash" in vars(graph) and "mean_weight" in vars(graph))
    assert graph.hash == engines.path_graph(20).hash
    assert graph.mean_weight == 1.0


def test_load_options_and_samples_reach_their_readers(warm: Driver) -> None:
    run_id = warm.host.load(LoadRequest("path", weights="unit", weight_name="km"))
    graph = warm.wait_for(GraphLoaded, run_id).graph
    assert graph.provenance.options == {"weights": "unit", "weight_name": "km"}
    sample = warm.load("sample:line?n=10")
    assert sample.graph.name == "sample:line?n=10"
    assert sample.provisional_positions is None
    assert sample.graph.positions is not None
    assert not sample.graph.integer


def test_a_graph_without_a_picture_is_still_a_graph(warm: Driver) -> None:
    loaded = warm.load("ugly")
    assert loaded.provisional_positions is None
    assert loaded.graph.provenance.notes[-1].startswith("no first picture: ParameterError")


@everywhere
def test_run_from_start_to_proof(driver: Driver) -> None:
    driver.load()
    run_id = driver.host.run(engines.settings("stream", count=500))
    assert driver.host.busy
    driver.wait_for(RunStarted, run_id)
    assert driver.host.live is not None
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
    assert trace.vertices is not None
    assert trace.vertices.first_reached_ns[3] == 30
    assert not trace.dist.flags.writeable
    assert trace.graph.hash == engines.path_graph(20).hash
    assert trace.environment["test"] is True


def test_no_proof_when_none_is_wanted(warm: Driver) -> None:
    warm.load()
    run_id = warm.host.run(engines.settings("stream"), verify=False)
    warm.wait_for(RunFinished, run_id)
    warm.finish()
    assert warm.names(run_id) == ["RunStarted", "RunFinished"]


def test_put_graph_and_float_weights(warm: Driver) -> None:
    warm.host.put_graph(engines.path_graph(7, np.float32, name="by hand"))
    assert warm.host.graph is not None
    assert warm.host.graph.name == "by hand"
    trace = warm.finish(probe=0).trace
    assert trace.dist.dtype == np.float64
    assert trace.dist.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert trace.vertices is None


def test_events_come_back(warm: Driver) -> None:
    warm.load()
    events = warm.finish("with_events", probe=3).trace.events
    assert events is not None
    assert events["a"].tolist() == list(range(50_000))


def test_layout(warm: Driver) -> None:
    warm.load()
    dist = np.arange(20, dtype=np.int32)
    run_id = warm.host.layout("lanes", dist=dist, delta=2.5)
    positions = warm.wait_for(LayoutDone, run_id).positions
    assert positions.tolist() == [[row, 2.5] for row in range(20)]


def test_run_without_a_graph_fails_in_words(driver: Driver) -> None:
    run_id = driver.host.run(engines.settings("stream"))
    assert "load one first" in str(driver.wait_for(Failed, run_id).error)


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
    ring = warm.host._dispatcher.process.ring  # type: ignore[union-attr]
    wait_until(lambda: ring.room() == 0)
    trace = warm.wait_for(RunFinished, run_id).trace
    assert (trace.samples["sequence"] == np.arange(200_000)).all()


def test_views_outlive_graph_run_and_host(driver: Driver) -> None:
    graph = driver.load().graph
    trace = driver.finish().trace
    driver.load("other")
    driver.finish()
    driver.host.close()
    gc.collect()
    assert graph.indptr.tolist() == engines.path_graph(20).indptr.tolist()
    assert trace.dist.tolist() == list(range(20))


# knobs


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


def test_pause_step_and_resume(warm: Driver) -> None:
    warm.load()
    warm.host.pause()
    run_id = warm.start_run("stream", count=50)
    taken: list[int] = []

    def count() -> int:
        taken.extend(warm.host.take_samples()["sequence"].tolist())
        return len(taken)

    for steps in range(1, 4):
        assert count() == steps - 1
        warm.host.step()
        warm.until(lambda steps=steps: count() >= steps)  # type: ignore[misc]
    assert taken == [0, 1, 2]
    warm.host.resume()
    warm.wait_for(RunFinished, run_id)
    count()
    assert taken == list(range(50))


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


@pytest.mark.parametrize("hold", ["pause", "pace"])
def test_stop_reaches_a_run_that_is_held(warm: Driver, hold: str) -> None:
    warm.load()
    if hold == "pause":
        warm.host.pause()
    else:
        warm.host.set_pace(0.001)
    run_id = warm.start_run("stream", count=10**6)
    pid = warm.host.child_pid
    warm.host.stop()
    assert warm.wait_for(RunFinished, run_id).trace.outcome == "stopped"
    assert warm.host.child_pid == pid


# the whole


def test_importing_the_host_is_light() -> None:
    code = "import sys, gpu.host; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"numba", "scipy", "networkx", "PyQt6", "gpu.formats", "gpu.proof.verify"}


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


class Slowly:
    """A step of a warm-up that takes until it is let go."""

    def __init__(self) -> None:
        self.begun, self.let_go = threading.Event(), threading.Event()

    def __call__(self) -> None:
        self.begun.set()
        assert self.let_go.wait(DEADLINE_S)


@pytest.fixture
def steps() -> Iterator[list[Slowly]]:
    made = [Slowly() for _ in range(3)]
    yield made
    for step in made:
        step.let_go.set()


def warmed_by(steps: list[Slowly], told: list[str]) -> Warming:
    """A warm-up of these steps, of which the first is needed; it says what it says."""
    made = [Step(step, "compiling", needed=step is steps[0]) for step in steps]
    warming = Warming(
        lambda: made,
        told.append,
        lambda: told.append("ready"),
        lambda error: told.append(f"{error}"),
    )
    warming.start()
    return warming


def measured(worker: Worker, warming: Warming, over: threading.Event) -> threading.Thread:
    """A measured run on a thread; `over` ends it."""
    worker._warming = warming
    settings = RunSettings("adds", "cuda", "", 0)

    def run() -> None:
        with worker._quiet(7, settings):
            assert over.wait(DEADLINE_S)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_a_measured_run_waits_for_the_step_under_way_and_no_more(steps: list[Slowly]) -> None:
    told: list[str] = []
    warming = warmed_by(steps, told)
    worker = Worker(None, SimpleNamespace(is_stopped=lambda _: False), None, None)  # type: ignore[arg-type]
    over = threading.Event()
    assert steps[0].begun.wait(DEADLINE_S)
    run = measured(worker, warming, over)
    assert not steps[1].begun.wait(0.1)
    steps[0].let_go.set()
    wait_until(lambda: "ready" in told)
    assert not steps[1].begun.wait(0.2)  # the run goes on
    over.set()
    run.join(DEADLINE_S)
    assert steps[1].begun.wait(DEADLINE_S)  # and after it the warm-up
    for step in steps:
        step.let_go.set()
    assert warming.done.wait(DEADLINE_S)
    assert told == ["ready"]
    with worker._quiet(8, RunSettings("adds", "cpu", "", 0)):
        pass  # nothing is left to wait for


def test_stop_ends_the_wait_for_a_step(steps: list[Slowly]) -> None:
    warming, stopped, over = warmed_by(steps, []), threading.Event(), threading.Event()
    ring = SimpleNamespace(is_stopped=lambda run_id: run_id == 7 and stopped.is_set())
    worker = Worker(None, ring, None, None)  # type: ignore[arg-type]
    assert steps[0].begun.wait(DEADLINE_S)
    over.set()
    run = measured(worker, warming, over)
    run.join(0.1)
    assert run.is_alive()
    stopped.set()
    run.join(DEADLINE_S)
    assert not run.is_alive()
    for step in steps:
        step.let_go.set()
    assert warming.done.wait(DEADLINE_S)  # nobody holds it any more


def test_a_measured_run_waits_for_nothing_that_another_process_does() -> None:
    slowly, told = Slowly(), list[object]()
    steps = [Step(lambda: None), Step(slowly, needed=False, aside=True)]
    warming = Warming(lambda: steps, told.append, lambda: told.append("ready"), told.append)
    warming.start()
    assert slowly.begun.wait(DEADLINE_S)
    assert warming.hold(lambda: False)  # the run begins, goes on and ends meanwhile
    warming.release()
    assert not warming.done.is_set()
    slowly.let_go.set()
    assert warming.done.wait(DEADLINE_S)
    assert told == ["ready"]


def test_a_process_compiles_the_model_and_keeps_it() -> None:
    command = module_command(aside.MODULE)
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        assert process.wait(COMPILING_S) == 0
    assert list(cache_folder().rglob("adds_loop.*.nbi"))


def test_a_process_that_compiles_ends_with_the_one_that_asked_for_it(tmp_path: Path) -> None:
    command, somewhere = module_command(aside.MODULE), {"SSSP_SCOPE_CACHE": str(tmp_path)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=os.environ | somewhere) as process:
        wait_until(lambda: list(tmp_path.rglob("*.lock")))  # it compiles, which takes long
        assert process.stdin is not None
        process.stdin.close()  # as the system does for a process that is no more
        assert process.wait(DEADLINE_S) == 1


def test_a_modelled_run_waits_for_no_step(steps: list[Slowly]) -> None:
    warming = warmed_by(steps, [])
    assert steps[0].begun.wait(DEADLINE_S)
    worker = Worker(None, None, None, None)  # type: ignore[arg-type]
    worker._warming = warming
    with worker._quiet(7, RunSettings("adds", "model", "H100", 0)):
        assert not steps[0].let_go.is_set()


def test_a_step_that_fails_is_told_and_the_process_is_ready_all_the_same() -> None:
    told: list[str] = []

    def broken() -> None:
        raise ValueError("no compiler")

    Warming(
        lambda: [Step(broken), Step(lambda: told.append("later"))],
        told.append,
        lambda: told.append("ready"),
        lambda error: told.append(str(error)),
    ).run()
    assert told == ["no compiler", "ready"]


def test_a_gpus_kernels_are_compiled_before_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str, int]] = []

    def noted(_graph: object, key: str, engine: str, *, probe: int) -> None:
        asked.append((engine, key, probe))

    monkeypatch.setattr(warm_up, "run", noted)
    monkeypatch.setattr(warm_up, "compile_aside", lambda: asked.append(("aside", "", 0)))
    for device, first in ((None, "model"), ("cuda:0", "cuda")):
        monkeypatch.setattr(warm_up, "_gpu", lambda device=device: device)
        asked.clear()
        steps = warm_up.warm_up()
        for step in steps:
            step.act()
        engines = [engine for engine, _, _ in asked]
        assert engines[0] == first
        assert engines[-2:] == ["model", "model"]
        assert ("model", "near_far", 2) in asked
        assert (("aside", "", 0) in asked) == (device is not None)
    assert asked[:6] == [
        ("cuda", "adds", 2),
        ("cuda", "near_far", 2),
        ("cuda", "adds", 0),
        ("cuda", "near_far", 0),
        ("aside", "", 0),
        ("model", "adds", 2),
    ]
    assert [step.needed for step in steps] == [True] + [False] * (len(steps) - 1)


# number types


def test_a_run_whose_distances_pass_int32_is_made_again_in_int64(warm: Driver) -> None:
    warm.host.put_graph(engines.path_graph(5))
    finished = warm.finish("needs_int64")
    trace = finished.trace
    assert trace.dist.tolist() == [2**40] * 5
    assert trace.settings.numbers == "auto-int64"
    assert len(trace.samples) == 10  # those of the first attempt are gone
    told = [m for m in warm.heard if m.run_id == finished.run_id]
    assert "distances pass 2^31 - 1: running again in int64" in [
        m.words for m in told if isinstance(m, Progress)
    ]
    assert warm.names(finished.run_id).count("RunStarted") == 2
    assert warm.names(finished.run_id).count("Failed") == 0


def test_a_type_that_was_asked_for_is_not_changed(warm: Driver) -> None:
    warm.host.put_graph(engines.path_graph(5))
    run_id = warm.host.run(replace(engines.settings("needs_int64"), numbers="int32"))
    failed = warm.wait_for(Failed, run_id)
    assert "passes 2^31 - 1" in str(failed.error)
