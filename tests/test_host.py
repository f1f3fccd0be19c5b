"""The engine process, driven through its host: requests, knobs, stops, deaths, leaks."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
import test_host_executors as engines

from gpu.errors import (
    CancelledByUserError,
    EngineError,
    FormatError,
    SourceError,
    WeightError,
)
from gpu.host import (
    EngineHost,
    EngineLost,
    Entries,
    Failed,
    GraphLoaded,
    LayoutDone,
    LoadRequest,
    Memory,
    Message,
    Progress,
    Ready,
    RunFinished,
    RunStarted,
    Verified,
    process,
    scheduler,
)
from gpu.trace import NEVER, Flag, reached_mask

DEADLINE_S = 30.0  # generous: two cores, other tests beside
NAMES = ("check", "execute", "verify", "load_graph", "open_sample", "provisional", "layout")
ENTRIES = Entries(
    **{name: f"{engines.__name__}:{name}" for name in NAMES},
    warm_up=f"{engines.__name__}:warm_up",
)
SHM = Path("/dev/shm")
M = TypeVar("M", bound=Message)


class Driver:
    """A host, and everything that it said, in order."""

    def __init__(self, host: EngineHost) -> None:
        self.host = host
        self.heard: list[Message] = []

    def until(self, condition: Callable[[], object], within_s: float = DEADLINE_S) -> None:
        end = time.monotonic() + within_s
        while not condition():
            assert time.monotonic() < end, f"heard only {[type(m).__name__ for m in self.heard]}"
            self.host.wait(0.01)
            self.heard += self.host.poll()

    def wait_for(self, kind: type[M], run_id: int) -> M:
        found: list[M] = []

        def is_heard() -> bool:
            found.extend(m for m in self.heard if type(m) is kind and m.run_id == run_id)
            return bool(found)

        self.until(is_heard)
        return found[0]

    def names(self, run_id: int) -> list[str]:
        return [type(m).__name__ for m in self.heard if m.run_id == run_id]

    def load(self, what: str = "path") -> GraphLoaded:
        return self.wait_for(GraphLoaded, self.host.load(LoadRequest(what)))

    def start_run(self, behaviour: str, **parameters: object) -> int:
        run_id = self.host.run(engines.settings(behaviour, **parameters))
        self.wait_for(RunStarted, run_id)
        return run_id

    def finish(self, behaviour: str = "stream", **parameters: object) -> RunFinished:
        run_id = self.host.run(engines.settings(behaviour, **parameters))
        return self.wait_for(RunFinished, run_id)


def left_behind(memory: Memory) -> list[str]:
    """Names of this host that still exist."""
    folders = [folder for folder in (SHM, Path(memory.folder)) if folder.is_dir()]
    return [str(path) for folder in folders for path in folder.glob(f"{memory.prefix}-*")]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineHost]:
    """One host for the tests that kill nothing: a start takes half a second."""
    host = EngineHost(ENTRIES, Memory(folder=str(tmp_path_factory.mktemp("maps"))))
    host.start()
    host.put_graph(engines.path_graph(3))  # the leak guard counts segments
    yield host
    host.close()


@pytest.fixture
def warm(engine: EngineHost) -> Iterator[Driver]:
    """A driver of the module's host; afterwards nothing is held and nothing goes on."""
    driven = Driver(engine)
    yield driven
    engine.resume()
    engine.set_pace(None)
    engine.stop()
    driven.until(lambda: not engine.busy)
    engine.take_samples()


@pytest.fixture(params=["shared memory"])
def driver(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Driver]:
    """A started host; afterwards nothing may be left of it. (Processes: see conftest.)"""
    threads = set(threading.enumerate())
    memory = Memory(folder=str(tmp_path), named=request.param == "shared memory")
    host = EngineHost(ENTRIES, memory)
    host.start()
    yield Driver(host)
    host.close()
    host.close()
    assert not host.alive
    assert left_behind(memory) == []
    assert set(threading.enumerate()) == threads


in_both_memories = pytest.mark.parametrize("driver", ["shared memory", "files"], indirect=True)


# requests


def test_ready_comes_once_the_child_is_warm(driver: Driver) -> None:
    assert driver.host.alive
    ready = driver.wait_for(Ready, 0)
    assert 0 < ready.seconds < DEADLINE_S


@in_both_memories
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
    run_id = warm.host.load(LoadRequest("path", weights="unit"))
    graph = warm.wait_for(GraphLoaded, run_id).graph
    assert graph.provenance.options == {"weights": "unit"}
    sample = warm.load("sample:line?n=10")
    assert sample.graph.name == "sample:line?n=10"
    assert sample.provisional_positions is None
    assert sample.graph.positions is not None
    assert not sample.graph.integer


def test_a_graph_without_a_picture_is_still_a_graph(warm: Driver) -> None:
    loaded = warm.load("ugly")
    assert loaded.provisional_positions is None
    assert loaded.graph.provenance.notes[-1].startswith("no first picture: ParameterError")


@in_both_memories
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
    assert trace.dist.dtype == np.float32
    assert trace.dist.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert trace.vertices is None


def test_events_come_back(warm: Driver) -> None:
    warm.load()
    events = warm.finish("with_events").trace.events
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
    ring = warm.host._scheduler.process.ring  # type: ignore[union-attr]
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


# stops


def test_stop_is_cooperative_first(warm: Driver) -> None:
    warm.load()
    run_id = warm.start_run("endless")
    warm.until(lambda: len(warm.host.take_samples()) > 0)
    pid = warm.host.child_pid
    warm.host.stop()
    trace = warm.wait_for(RunFinished, run_id).trace
    assert trace.outcome == "stopped"
    assert trace.dist[0] == 0
    assert warm.host.child_pid == pid
    warm.until(lambda: not warm.host.busy)
    assert warm.names(run_id) == ["RunStarted", "RunFinished"]


def test_stop_kills_what_does_not_listen(driver: Driver) -> None:
    driver.load()
    run_id = driver.start_run("deaf")
    driver.until(lambda: len(driver.host.take_samples()) == 10)
    pid = driver.host.child_pid
    driver.host.stop()
    before = time.monotonic()
    trace = driver.wait_for(RunFinished, run_id).trace
    assert time.monotonic() - before > 0.2
    assert trace.outcome == "stopped"
    assert "killed" in trace.environment["ended"]
    assert len(trace.samples) == 11
    assert trace.last["flags"] == Flag.STOPPED
    assert trace.last["sequence"] == 10
    assert trace.dist[0] == 0
    assert trace.reached == 1
    assert trace.vertices is not None
    assert (trace.vertices.first_reached_ns == NEVER).all()
    assert driver.host.child_pid != pid
    assert driver.finish().trace.reached == 20


def test_stop_before_the_child_is_up(driver: Driver) -> None:
    driver.host.put_graph(engines.path_graph(5))
    run_id = driver.host.run(engines.settings("endless"))
    driver.host.stop()
    assert driver.wait_for(RunFinished, run_id).trace.outcome == "stopped"


@pytest.mark.parametrize("what", ["slow", "deaf"])
def test_stop_ends_a_load(driver: Driver, what: str) -> None:
    graph = driver.load().graph
    run_id = driver.host.load(LoadRequest(what))
    if what == "slow":
        driver.wait_for(Progress, run_id)
    driver.host.stop()
    assert isinstance(driver.wait_for(Failed, run_id).error, CancelledByUserError)
    assert driver.host.graph is graph
    assert driver.finish().trace.reached == 20


def test_stop_of_nothing_is_nothing(driver: Driver) -> None:
    driver.wait_for(Ready, 0)
    driver.host.stop()
    driver.load()
    driver.finish()
    driver.host.stop()
    driver.finish()
    assert not any(isinstance(m, EngineLost | Failed) for m in driver.heard)


# one request replaces another


def test_results_of_a_replaced_load_are_dropped(warm: Driver) -> None:
    first = warm.host.load(LoadRequest("path"))
    second = warm.host.load(LoadRequest("slow"))
    third = warm.host.load(LoadRequest("named"))
    warm.wait_for(GraphLoaded, third)
    assert warm.names(first) == warm.names(second) == []
    assert warm.host.graph is not None
    assert warm.host.graph.name == "named"


def test_a_new_run_ends_the_one_before_and_starts_clean(warm: Driver) -> None:
    warm.load()
    first = warm.start_run("endless")
    wait_until(lambda: len(warm.host.take_samples()) > 0)
    waiting = warm.host.run(engines.settings("stream", count=5))
    assert len(warm.host.take_samples()) == 0  # the first one's are no longer asked for
    last = warm.host.run(engines.settings("stream", count=300))
    trace = warm.wait_for(RunFinished, last).trace
    assert trace.samples["sequence"].tolist() == list(range(300))
    assert warm.names(waiting) == ["Failed"]
    assert warm.names(first) == ["RunStarted", "RunFinished"]
    assert warm.wait_for(RunFinished, first).trace.outcome == "stopped"
    assert len(warm.host.take_samples()) == 300


def test_a_load_ends_a_run_and_a_run_waits_for_a_load(warm: Driver) -> None:
    warm.load()
    first = warm.start_run("endless")
    warm.host.load(LoadRequest("sample:line"))
    last = warm.host.run(engines.settings("stream"))
    trace = warm.wait_for(RunFinished, last).trace
    assert trace.graph.name == "sample:line"
    assert warm.wait_for(RunFinished, first).trace.graph.name == "path"


def test_a_run_does_not_fall_back_to_the_graph_before(warm: Driver) -> None:
    warm.load()
    warm.host.load(LoadRequest("bad"))
    run_id = warm.host.run(engines.settings("stream"))
    assert "could not be loaded" in str(warm.wait_for(Failed, run_id).error)


def test_a_layout_gives_way_to_a_run_and_is_done_afterwards(warm: Driver) -> None:
    warm.load()
    layout = warm.host.layout("slow")
    warm.wait_for(Progress, layout)
    replaced = warm.host.run(engines.settings("stream"))
    run_id = warm.host.run(engines.settings("stream"))
    warm.wait_for(LayoutDone, layout)
    assert warm.names(replaced) == ["Failed"]
    ends = [m for m in warm.heard if isinstance(m, RunFinished | LayoutDone)]
    assert [m.run_id for m in ends] == [run_id, layout]


def test_a_layout_that_does_not_give_way_is_killed_and_done_again(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "YIELD_S", 0.1)
    driver.load()
    layout = driver.host.layout("deaf", dist=np.arange(20, dtype=np.int32))
    driver.wait_for(Progress, layout)
    pid = driver.host.child_pid
    run_id = driver.host.run(engines.settings("stream"))
    driver.wait_for(RunFinished, run_id)
    assert driver.host.child_pid != pid
    assert "LayoutDone" not in driver.names(layout)
    assert driver.wait_for(LayoutDone, layout).positions[3].tolist() == [3.0, 0.0]
    assert not any(isinstance(m, EngineLost | Failed) for m in driver.heard)


def test_a_new_layout_replaces_the_one_before(warm: Driver) -> None:
    warm.load()
    first = warm.host.layout("slow")
    warm.wait_for(Progress, first)
    warm.wait_for(LayoutDone, warm.host.layout("quick"))
    assert "LayoutDone" not in warm.names(first)


def test_proofs_give_way_to_a_run(warm: Driver) -> None:
    warm.load("slow proofs")
    first = warm.finish()
    assert not warm.host.busy
    second = warm.finish()
    warm.host.load(LoadRequest("path"))
    third = warm.finish()
    warm.wait_for(Verified, third.run_id)
    assert "Verified" not in warm.names(first.run_id) + warm.names(second.run_id)


# errors and deaths


def test_errors_keep_their_class_and_words(warm: Driver) -> None:
    failed = warm.wait_for(Failed, warm.host.load(LoadRequest("bad")))
    assert isinstance(failed.error, FormatError)
    assert str(failed.error) == "bad:3: found x, expected y"
    warm.load()
    assert isinstance(_failure(warm, "stream", source=99).error, SourceError)
    assert isinstance(_failure(warm, "overflows").error, WeightError)
    bug = _failure(warm, "has_a_bug")
    assert type(bug.error) is EngineError
    assert str(bug.error) == "ValueError: two lines"
    assert "run_has_a_bug" in bug.details
    memory = _failure(warm, "out_of_memory")
    assert type(memory.error) is EngineError
    assert "Unable to allocate" in str(memory.error)
    assert warm.finish().trace.reached == 20


def _failure(driver: Driver, behaviour: str, **parameters: object) -> Failed:
    return driver.wait_for(Failed, driver.host.run(engines.settings(behaviour, **parameters)))


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [("exits", "exit code 7"), ("segfaults", "signal 11 (a fault in compiled code)")],
)
def test_a_crash_costs_the_run_and_nothing_else(driver: Driver, behaviour: str, words: str) -> None:
    driver.load("named")
    lost = driver.wait_for(EngineLost, driver.host.run(engines.settings(behaviour)))
    if os.name == "posix" or behaviour == "exits":
        assert words in lost.words
    assert "running an algorithm" in lost.words
    assert lost.trace is not None
    assert len(lost.trace.samples) == 11
    assert driver.finish().trace.reached == 20
    assert driver.host.graph is not None
    assert driver.host.graph.name == "named"


def test_a_crash_while_reading(driver: Driver) -> None:
    lost = driver.wait_for(EngineLost, driver.host.load(LoadRequest("exits")))
    assert "reading a graph" in lost.words
    assert lost.trace is None
    assert driver.load().graph.n == 20


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals are a POSIX thing")
@pytest.mark.parametrize("busy", [True, False])
def test_a_killed_child_is_replaced(driver: Driver, busy: bool) -> None:
    driver.load()
    driver.wait_for(Ready, 0)
    run_id = driver.start_run("endless") if busy else 0
    driver.until(lambda: not busy or len(driver.host.take_samples()) > 0)
    os.kill(driver.host.child_pid, signal.SIGKILL)
    lost = driver.wait_for(EngineLost, run_id)
    assert "signal 9 (often: out of memory)" in lost.words
    assert (lost.trace is not None) == busy
    assert driver.finish().trace.reached == 20


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals are a POSIX thing")
def test_a_request_that_the_dead_child_had_not_begun_goes_to_the_next(driver: Driver) -> None:
    driver.load()
    os.kill(driver.host.child_pid, signal.SIGKILL)
    run_id = driver.host.run(engines.settings("stream"))
    assert driver.wait_for(RunFinished, run_id).trace.reached == 20


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals are a POSIX thing")
def test_a_stop_is_not_forgotten_when_the_child_dies_before_it_is_up(driver: Driver) -> None:
    run_id = driver.host.load(LoadRequest("deaf"))
    driver.host.stop()
    os.kill(driver.host.child_pid, signal.SIGKILL)
    assert isinstance(driver.wait_for(Failed, run_id).error, CancelledByUserError)
    assert driver.load().graph.n == 20


def test_a_child_that_never_starts_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "main", engines.die_at_start)
    driven = Driver(EngineHost(ENTRIES, Memory(folder=str(tmp_path))))
    driven.host.start()
    try:
        failed = driven.wait_for(Failed, driven.host.load(LoadRequest("path")))
        assert "The engine process does not start" in str(failed.error)
        assert "exit code 5" in str(failed.error)
        assert not driven.host.alive
        monkeypatch.undo()  # asking again is trying again
        assert driven.load().graph.n == 20
        assert sum(isinstance(m, EngineLost) for m in driven.heard) == 1
    finally:
        driven.host.close()


@pytest.mark.parametrize("seed", range(3))
def test_any_order_of_requests_ends_well(driver: Driver, seed: int) -> None:
    """Every run has one end, whatever comes between; then the host still works."""
    random = np.random.default_rng(seed)
    host, runs, ends = driver.host, [], (RunFinished, Failed, EngineLost)
    run = ["stream", "stream", "endless", "has_a_bug", "exits" if seed == 0 else "endless"]
    actions: list[Callable[[], object]] = [
        lambda: host.load(LoadRequest(str(random.choice(["path", "slow", "bad", "named"])))),
        lambda: host.put_graph(engines.path_graph(9)),
        lambda: runs.append(host.run(engines.settings(str(random.choice(run))))),
        lambda: runs.append(host.run(engines.settings(str(random.choice(run))))),
        lambda: host.layout(str(random.choice(["slow", "quick"]))),
        host.stop,
        host.step,
        host.resume,
        lambda: host.wait(float(random.random()) * 0.1),
    ]
    for _ in range(60):
        random.choice(actions)()  # type: ignore[operator]
        driver.heard += host.poll()
        host.take_samples()
    host.resume()
    host.stop()
    driver.until(lambda: not host.busy)
    host.put_graph(engines.path_graph(9))
    assert driver.finish().trace.reached == 9
    for run_id in runs:
        assert sum(isinstance(m, ends) and m.run_id == run_id for m in driver.heard) == 1, run_id


def test_closed_means_closed(driver: Driver) -> None:
    driver.host.close()
    with pytest.raises(EngineError, match="closed"):
        driver.host.load(LoadRequest("path"))
    assert driver.host.poll() == []


def test_slow_warm_up_does_not_hold_requests_back(tmp_path: Path) -> None:
    entries = Entries(**{**vars(ENTRIES), "warm_up": f"{engines.__name__}:slow_warm_up"})
    driven = Driver(EngineHost(entries, Memory(folder=str(tmp_path))))
    driven.host.start()
    try:
        driven.wait_for(Progress, 0)
        driven.load()
        driven.finish()
        assert "Ready" not in driven.names(0)
        driven.wait_for(Ready, 0)
    finally:
        driven.host.close()


# nothing is left behind

SCRIPT = """
import sys
sys.path.insert(0, {folder!r})
import test_host as t
memory = t.Memory(folder={maps!r}, named={named})
driver = t.Driver(t.EngineHost(t.ENTRIES, memory))
driver.host.start()
driver.load()
kept = driver.finish()
driver.start_run({behaviour!r})
print(memory.prefix, flush=True)
{end}
"""


def script(tmp_path: Path, behaviour: str, end: str, named: bool = True) -> subprocess.Popen[str]:
    folder = str(Path(engines.__file__).parent)
    text = SCRIPT.format(
        folder=folder, maps=str(tmp_path), named=named, behaviour=behaviour, end=end
    )
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", text]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


@pytest.mark.parametrize("end", ["driver.host.close()", "", "raise SystemExit(0)"])
def test_a_script_ends_silently_and_leaves_nothing(tmp_path: Path, end: str) -> None:
    with script(tmp_path, "endless", end) as process:
        out, err = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0
    assert err == ""
    assert left_behind(Memory(out.strip(), str(tmp_path))) == []


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is a POSIX thing")
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("behaviour", ["endless", "deaf"])
def test_killing_the_parent_leaves_nothing(tmp_path: Path, behaviour: str, named: bool) -> None:
    with script(tmp_path, behaviour, "input()", named) as process:
        assert process.stdout is not None
        prefix = process.stdout.readline().strip()
        memory = Memory(prefix, str(tmp_path))
        if named and not SHM.is_dir():
            pytest.skip("shared memory cannot be listed here")
        assert left_behind(memory)
        process.kill()
        assert process.stderr is not None
        assert process.stderr.read() == ""  # and at its end the child is gone as well
    wait_until(lambda: not left_behind(memory))


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + DEADLINE_S
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < end
        pause.wait(0.01)


def test_importing_the_host_is_light() -> None:
    code = "import sys, gpu.host; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"numba", "scipy", "networkx", "PyQt6", "gpu.formats", "gpu.verify"}


def test_a_real_run_through_the_default_entries(tmp_path: Path) -> None:
    """Compile, run ADDS on the modelled GPU, and check it: what the window does."""
    from gpu.trace import RunSettings

    driven = Driver(EngineHost(None, Memory(folder=str(tmp_path))))
    driven.host.put_graph(engines.path_graph(50))
    run_id = driven.host.run(RunSettings("adds", "model", "", 0, probe=2))
    driven.host.start()
    try:
        trace = driven.wait_for(RunFinished, run_id).trace
        assert trace.dist.tolist() == list(range(50))
        assert trace.settings.device != ""
        assert reached_mask(trace.dist).all()
        verified = driven.wait_for(Verified, run_id).verification
        assert verified.passed, verified.detail
    finally:
        driven.host.close()
